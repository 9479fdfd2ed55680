/* unwinder.h - user stacks from registers and a stack dump, through all modules.
 *
 *     registers ─► mapping of the pc ─► module ─► its unwind table ─► caller's registers ─► ...
 *
 * A step that no table covers goes by the frame pointer if possible, as in JIT-compiled code. The
 * walk ends at the outermost frame (of a coroutine: at the function that it was started with), or
 * where it cannot continue, and returns the reason. */
#ifndef FLAMEL_RECORD_SYMBOLS_UNWINDER_H
#define FLAMEL_RECORD_SYMBOLS_UNWINDER_H

#include "record/process/process_map.h"
#include "symbol/registry/module.h"
#include "symbol/unwind/unwind_table.h"

/* Writes the addresses of frames, leaf first. For a caller it is the return address, after the
 * call; for the leaf, for a frame that a signal interrupted, and for the trampoline between that
 * and the handler it is the address of the instruction itself: these are marked in `exact`, one bit
 * a frame, (capacity + 63) / 64 words. 32-bit programs are not supported. */
struct flm_unwound flm_unwind(const struct flm_process *process,
                              const struct flm_event_sample *sample, uint64_t *addresses,
                              uint64_t *exact, size_t capacity);

/* The registers at a frame of that stack, 0 being the leaf: where a caller is after its call, and
 * of the others only those that calls preserve. False when the walk does not reach it. */
bool flm_unwind_registers(const struct flm_process *process, const struct flm_event_sample *sample,
                          size_t frame, struct flm_registers *registers);

#endif
