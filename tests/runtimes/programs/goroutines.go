// goroutines.go - two goroutines that compute, each on a thread of its own while it does, and measure the
// CPU time of that thread: goroutines.sh compares. Prints the number and the seconds of each.
package main

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"syscall"
)

func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(1, &u) // RUSAGE_THREAD
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

func number() string {
	text := make([]byte, 64)
	return strings.Fields(string(text[:runtime.Stack(text, false)]))[1]
}

//go:noinline
func spin(rounds int) (x int) {
	for i := 0; i < rounds; i++ {
		x = x*7 + i&0xFFFF
	}
	return x
}

func work(rounds int, done *sync.WaitGroup) {
	defer done.Done()
	runtime.LockOSThread()
	start := cpu()
	x := spin(rounds)
	fmt.Println(number(), cpu()-start, x)
}

func main() {
	var done sync.WaitGroup
	done.Add(2)
	go work(900000000, &done)
	go work(300000000, &done)
	done.Wait()
}
