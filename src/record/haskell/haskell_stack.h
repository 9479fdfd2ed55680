/* haskell_stack.h - the callers of functions that GHC has compiled, in the stacks of samples.
 *
 *     C's stack   main  hs_main  schedule  StgRun  Main_leaf_info        no unwind table leads on
 *     Haskell's                                    Main_leaf_info  Main_middle_info  Main_main_info
 *
 * Haskell has stacks of its own on its heap. The pointer to the innermost frame is in a register
 * (rbp), also while a function in C is called: C preserves it. A frame begins with the address of
 * the code that it returns to, and in front of that code is what it is:
 *
 *     -16  layout: a bitmap, whose lowest six bits are the size in words; or where a large one is
 *      -8  kind of closure (32 bits)
 *       0  code
 *
 * Kinds and layouts are those of GHC 8.0 to 9.12, without -prof. The frames are read right after
 * the sample, while its thread stands still: if the innermost one changes during the read, the
 * sample keeps what it has. Updates of thunks and handlers of exceptions are no calls, and are left
 * out.
 *
 * What is lazy is called by who needs it first: so says GHC's stack, and so do the samples.
 *
 * This is the entry "Haskell" in the table of runtimes (runtime.h). */
#ifndef FLAMEL_RECORD_HASKELL_HASKELL_STACK_H
#define FLAMEL_RECORD_HASKELL_HASKELL_STACK_H

#include "record/process/process_map.h"
#include "record/runtime/process_memory.h"
#include "record/runtime/runtime.h"

/* The return addresses on the stack whose pointer is `sp`, innermost first; returns how many, at
 * most `capacity`. *is_whole: the last one was the outermost. 0 when it is no such stack, or it
 * has changed meanwhile. */
size_t flm_haskell_frames(struct flm_process_memory *memory, const struct flm_process *process,
                          uint64_t sp, uint64_t *frames, size_t capacity, bool *is_whole);

#endif
