// listed.go - a program whose CPU profile is listed.pb.gz: inlined functions, recursion, a closure, and two lines
// of one loop. Made by: go build listed.go && ./listed
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
)

func step(x uint64) uint64 {
	return (x ^ x>>17) * 0x9e3779b97f4a7c15
}

//go:noinline
func pair(x uint64, n int) uint64 {
	for i := 0; i < n; i++ {
		x = step(step(step(x)))
		x = x/(uint64(i)|1) + step(x)
	}
	return x
}

//go:noinline
func recursive(x uint64, depth int) uint64 {
	if depth == 0 {
		return pair(x, 3000)
	}
	for i := 0; i < 300; i++ {
		x = step(x)
	}
	return recursive(x, depth-1) + step(x)
}

func apply(f func(uint64) uint64, x uint64) uint64 {
	for i := 0; i < 4000; i++ {
		x = f(x)
	}
	return x
}

func main() {
	out, err := os.Create("listed.pb.gz")
	if err != nil {
		panic(err)
	}
	pprof.StartCPUProfile(out)
	x := uint64(1)
	for i := 0; i < 40000; i++ {
		x = pair(x, 2000)
		x = recursive(x, 8)
		x = apply(func(y uint64) uint64 { return step(y) % 1000003 }, x)
	}
	pprof.StopCPUProfile()
	out.Close()
	fmt.Println(x)
}
