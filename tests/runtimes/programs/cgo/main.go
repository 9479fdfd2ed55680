// A program whose goroutine calls C, which works itself, and C which calls Go: it prints the CPU time of both, in
// seconds.
package main

/*
#cgo CFLAGS: -O2
#include <stdint.h>
#include <time.h>
extern uint64_t goCallback(uint64_t);
static uint64_t __attribute__((noinline)) c_calls_go(uint64_t n)
{
    return goCallback(n) + 1;
}
static uint64_t __attribute__((noinline)) c_leaf(uint64_t n)
{
    uint64_t s = n, a = 1, b = 2, c = 3, d = 4;
    for (uint64_t i = 0; i < n; i++) {
        s = s * 6364136223846793005u + i;
        a ^= s;
        b += a;
        c ^= b;
        d += c ^ s;
    }
    return s ^ a ^ b ^ c ^ d;
}
static uint64_t __attribute__((noinline)) c_work(uint64_t n)
{
    return c_leaf(n) + 1;
}
static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
*/
import "C"
import "fmt"

//go:noinline
func leaf(n uint64) (s uint64) {
	for i := uint64(0); i < n; i++ {
		s = s*6364136223846793005 + i
	}
	return
}

//export goCallback
func goCallback(n C.uint64_t) C.uint64_t { return C.uint64_t(leaf(uint64(n))) }

//go:noinline
func callsBack(n uint64) uint64 { return uint64(C.c_calls_go(C.uint64_t(n))) }

//go:noinline
func callsC(n uint64) uint64 { return uint64(C.c_work(C.uint64_t(n))) }

func worker(done chan float64) {
	var sum uint64
	for _, call := range []func(uint64) uint64{callsBack, callsC} {
		before := C.cpu_seconds()
		for i := 0; i < 60; i++ {
			sum += call(10000000)
		}
		done <- float64(C.cpu_seconds() - before)
	}
	if sum == 0 {
		fmt.Println("sum 0")
	}
}

func main() {
	done := make(chan float64)
	go worker(done)
	fmt.Println("main.leaf", <-done)
	fmt.Println("c_leaf", <-done)
}
