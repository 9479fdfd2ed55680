// A program whose goroutine calls C, which calls Go: it prints the CPU time of the callback, in seconds.
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

func worker(done chan uint64) {
	var sum uint64
	for i := 0; i < 60; i++ {
		sum += callsBack(10000000)
	}
	done <- sum
}

func main() {
	done := make(chan uint64)
	before := C.cpu_seconds()
	go worker(done)
	<-done
	fmt.Println("callback", C.cpu_seconds()-before)
}
