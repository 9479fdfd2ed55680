// lines.go - as lines.c, for Go.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"
)

const (
	threadTime  = 3 // CLOCK_THREAD_CPUTIME_ID
	processTime = 2
)

var known = map[string]int64{}
var last int64

func clock(which uintptr) int64 {
	var now syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, which, uintptr(unsafe.Pointer(&now)), 0)
	return now.Nano()
}

//go:noinline
func lap(x *uint64, kind string, group string) {
	if kind != "" {
		spent := clock(threadTime) - last
		_, _, line, _ := runtime.Caller(1)
		known[fmt.Sprintf("%s lines.go %d - %s", kind, line-1, group)] += spent
	}
	last = clock(threadTime)
}

func jitter(x uint64) uint64 { return 2000 + x%16000 }

//go:noinline
func pair(x, n uint64) uint64 {
	for round := 0; round < 4; round++ {
		lap(&x, "", "")
		for i := uint64(0); i < 3*n; i++ { x = (x ^ x>>17) * 0x9E3779B97F4A7C15 }
		lap(&x, "self", "pair")
		for i := uint64(0); i < n; i++ { x = (x ^ x>>17) * 0x9E3779B97F4A7C15 }
		lap(&x, "self", "pair")
	}
	return x
}

func inlined(x uint64) uint64 {
	return (x ^ x>>17) * 0x9E3779B97F4A7C15
}

//go:noinline
func spin(x, n uint64) uint64 {
	for i := uint64(0); i < n; i++ { x = inlined(inlined(inlined(inlined(x)))) }
	return x
}

//go:noinline
func calls(x, n uint64) uint64 {
	lap(&x, "", "")
	x = spin(x, 3*n)
	lap(&x, "total", "calls")
	x = spin(x, n)
	lap(&x, "total", "calls")
	return x
}

func main() {
	runtime.LockOSThread()
	milliseconds, _ := strconv.ParseInt(os.Args[1], 10, 64)
	x := uint64(1)
	for clock(processTime) < milliseconds*1000000 {
		x = calls(pair(x, jitter(x)), jitter(x))
	}
	for key, ns := range known {
		fmt.Println(key, ns)
	}
	fmt.Println("all - - - -", clock(processTime))
}
