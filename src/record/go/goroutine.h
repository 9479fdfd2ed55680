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
 * C that a goroutine has called runs on the stack of its thread, where unwinding ends in
 * runtime.asmcgocall. That keeps the goroutine, whose structure says where its own stack goes on.
 * Code of Go keeps frame pointers, so the callers are read from there (x86-64):
 *
 *     words   7              8   9   10   11   12               13
 *             stack pointer                    link register    frame pointer     up to Go 1.24
 *             stack pointer                    frame pointer                      from Go 1.25 on
 *
 * This is the entry "Go" in the table of runtimes (runtime.h). */
#ifndef FLAMEL_RECORD_GO_GOROUTINE_H
#define FLAMEL_RECORD_GO_GOROUTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLM_GOROUTINE_WORDS = 21 };

/* The number of a goroutine, from the first words of its structure; 0 if they are no goroutine's,
 * or its stack does not contain the stack pointer. */
uint64_t flm_goroutine_number(const uint64_t words[FLM_GOROUTINE_WORDS], uint64_t sp);

/* Where the stack of a goroutine that has called C goes on, and its frame pointer there; 0 if it is
 * not as deep as `depth`. */
uint64_t flm_goroutine_frame(const uint64_t words[FLM_GOROUTINE_WORDS], uint64_t depth,
                             uint64_t *frame_pointer);

/* The return addresses on a goroutine's stack, of which `stack` has `count` words from `address`
 * on. Whether the outermost one is among them. */
bool flm_goroutine_callers(const uint64_t *stack, size_t count, uint64_t address,
                           uint64_t frame_pointer, uint64_t *callers, size_t capacity,
                           size_t *found);

#endif
