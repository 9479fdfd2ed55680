/* haskell_stack.h - the callers of functions that GHC has compiled, in the stacks of samples.
 *
 *     C's stack   main  hs_main  schedule  StgRun  Main_leaf_info        where unwind tables end
 *     Haskell's                                    Main_leaf_info  Main_middle_info  Main_main_info
 *
 * Haskell's stacks are on its heap. A register (rbp) points to the innermost frame, also while a
 * function in C runs, which preserves it. A frame begins with its return address, and the code
 * there has a description of the frame in front of it:
 *
 *     -16  layout: a bitmap, whose lowest six bits are the size in words; or where a large one is
 *      -8  kind of closure (32 bits)
 *       0  code
 *
 * Kinds and layouts are those of GHC 8.0 to 9.12, without -prof. The frames are read right after
 * the sample, before its thread runs on: if the innermost frame changes during the read, the sample
 * keeps its truncated stack. Frames that update thunks or catch exceptions are no calls, and are
 * left out.
 *
 * The caller of a lazy value is the function that needs it first, as on GHC's stack.
 *
 * This is the entry "Haskell" in the table of runtimes (runtime.h). */
#ifndef FLAMEL_RECORD_HASKELL_HASKELL_STACK_H
#define FLAMEL_RECORD_HASKELL_HASKELL_STACK_H

#include "record/process/process_map.h"
#include "record/runtime/process_memory.h"
#include "record/runtime/runtime.h"

/* The return addresses on the stack whose innermost frame is at `sp`, innermost first; returns how
 * many, at most `capacity`. *is_whole: the outermost frame was read. 0 when there is no such stack,
 * or it has changed meanwhile. */
size_t flm_haskell_frames(struct flm_process_memory *memory, const struct flm_process *process,
                          uint64_t sp, uint64_t *frames, size_t capacity, bool *is_whole);

#endif
