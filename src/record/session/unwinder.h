/* unwinder.h - a user's stack from registers and a copy of the stack's top, through all modules.
 *
 *     registers ─► mapping of the pc ─► module ─► its unwind table ─► caller's registers ─► ...
 *
 * A step that no table knows goes by the frame pointer when that is possible, as in jitted code.
 * The walk ends at the outermost frame, of a coroutine at the function that it was begun with; or
 * where it must: the reason is told, and counted. */
#ifndef FLAMEL_RECORD_SESSION_UNWINDER_H
#define FLAMEL_RECORD_SESSION_UNWINDER_H

#include "record/session/process_map.h"
#include "symbol/unwind/unwind_table.h"

/* What is missing can be had by a larger copy only where it was cut. A copy holds at most 65,528
 * bytes, and begins at the stack pointer. A frame further away is on another stack, mostly: signal
 * handlers and coroutines may have one of their own. A copy that is shorter than was asked ends
 * where memory does: nothing can be read there, or it is not in memory now. */
enum flm_unwind_end {
    FLM_UNWIND_WHOLE,        /* the outermost frame */
    FLM_UNWIND_BEYOND_DUMP,  /* the copy of the stack ends before the stack does */
    FLM_UNWIND_BELOW_SIGNAL, /* a signal handler's stack ends; the interrupted one was not dumped */
    FLM_UNWIND_OTHER_STACK,  /* the next frame is where no copy reaches */
    FLM_UNWIND_UNREADABLE,   /* it is where the stack's memory ended when it was copied */
    FLM_UNWIND_NO_TABLE,     /* no table and no frame pointer */
    FLM_UNWIND_NO_MODULE,    /* the pc is in nothing that is mapped */
    FLM_UNWIND_CORRUPT,      /* the stack makes no sense */
    FLM_UNWIND_TOO_DEEP,     /* more frames than there is room for */
    FLM_UNWIND_NO_REGISTERS,
    FLM_UNWIND_ENDS
};

struct flm_unwound {
    size_t count; /* of frames written */
    enum flm_unwind_end end;
};

/* Writes the addresses of frames, leaf first. Of a caller it is the return address, one behind the
 * call; of the leaf, of one that a signal interrupted, and of the trampoline between that and the
 * handler it is the instruction's own: they are marked in `exact`, a bit a frame, (capacity + 63) /
 * 64 words. Programs of 32 bits have no registers that are of use. */
struct flm_unwound flm_unwind(const struct flm_process *process,
                              const struct flm_event_sample *sample, uint64_t *addresses,
                              uint64_t *exact, size_t capacity);

#endif
