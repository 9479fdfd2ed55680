/* goroutine.h - the number of the goroutine that a thread runs, as the label `goroutine`.
 *
 * Code of Go keeps the address of its goroutine in a register, r14 or x28. The structure there
 * begins with the bounds of the goroutine's stack. If the stack pointer is outside of them, or the
 * state is not "running" or "in a system call", the register has no goroutine. The number follows
 * the state:
 *
 *     words   0      1       ..  18     19      20
 *             low    high        state  number              Go 1.18 to 1.22, and 1.25 up
 *             low    high               state   number      Go 1.23 and 1.24
 *
 * The runtime's own stacks, such as those of the garbage collector, have the number 0 and get no
 * label. The runtime reuses the structure when a goroutine has ended, so it is read right after the
 * sample, with one system call: 50 ms of CPU more in 3 s of a server at 499 Hz. Samples of off-CPU
 * time, of which such a server has thousands a second, get no label: it would cost 0.9 s.
 *
 * This is the entry "Go" in the table of runtimes (runtime.h). */
#ifndef FLAMEL_RECORD_GO_GOROUTINE_H
#define FLAMEL_RECORD_GO_GOROUTINE_H

#include <stdbool.h>
#include <stdint.h>

enum { FLM_GOROUTINE_WORDS = 21 };

/* The number of the goroutine whose structure begins with these words; 0 if it is no goroutine that
 * runs with this stack pointer. */
uint64_t flm_goroutine_number(const uint64_t words[FLM_GOROUTINE_WORDS], uint64_t sp);

#endif
