/* goroutine.h - the number of the goroutine that a thread runs, as the label `goroutine`.
 *
 * Code of Go keeps the address of its goroutine in a register, r14 or x28. The structure there
 * begins with the bounds of the goroutine's stack, so that what is no goroutine is noticed: the
 * stack pointer is not within them, or the state is not that of one that runs. The number follows
 * the state:
 *
 *     words   0      1       ..  18     19      20
 *             low    high        state  number              Go 1.18 to 1.22, and 1.25 up
 *             low    high               state   number      Go 1.23 and 1.24
 *
 * The runtime's own stacks, as of its collector on a thread, have the number 0, and no label.
 * Structures are used again when a goroutine has ended, so they are read right after the sample,
 * one system call each: 50 ms of CPU more in 3 s of a server at 499 Hz. With off-CPU time, for
 * which such a server has thousands of samples a second, it would be 0.9 s: there they are left
 * out.
 *
 * This is the entry "Go" in the table of runtimes (runtime.h). */
#ifndef FLAMEL_RECORD_GO_GOROUTINE_H
#define FLAMEL_RECORD_GO_GOROUTINE_H

#include <stdbool.h>
#include <stdint.h>

enum { FLM_GOROUTINE_WORDS = 21 };

/* The number of a goroutine that runs, by the first words of its structure, and the stack pointer.
 * 0: it is none. */
uint64_t flm_goroutine_number(const uint64_t words[FLM_GOROUTINE_WORDS], uint64_t sp);

#endif
