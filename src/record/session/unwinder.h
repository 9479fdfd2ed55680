/* unwinder.h - user stacks from registers and a stack dump, through all modules.
 *
 *     registers ─► mapping of the pc ─► module ─► its unwind table ─► caller's registers ─► ...
 *
 * A step that no table covers goes by the frame pointer if possible, as in JIT-compiled code. The
 * walk ends at the outermost frame (of a coroutine: at the function that it was started with), or
 * where it cannot continue, and returns the reason. */
#ifndef FLAMEL_RECORD_SESSION_UNWINDER_H
#define FLAMEL_RECORD_SESSION_UNWINDER_H

#include "record/process/process_map.h"
#include "symbol/unwind/unwind_table.h"

/* Why unwinding ended. A larger stack dump helps only with FLM_UNWIND_BEYOND_DUMP. A dump has at
 * most 65,528 bytes from the stack pointer on, so a frame further away is mostly on another stack:
 * signal handlers and coroutines may have their own. A dump that is shorter than requested ends
 * where memory does, or could not be read further because memory was paged out. */
enum flm_unwind_end {
    FLM_UNWIND_WHOLE,        /* the outermost frame */
    FLM_UNWIND_BEYOND_DUMP,  /* the stack is deeper than the stack dump */
    FLM_UNWIND_BELOW_SIGNAL, /* the interrupted stack of a signal handler on its own stack */
    FLM_UNWIND_OTHER_STACK,  /* the next frame is out of reach of any stack dump */
    FLM_UNWIND_UNREADABLE,   /* the next frame is where stack memory could not be read */
    FLM_UNWIND_NO_TABLE,     /* no unwind table and no frame pointer */
    FLM_UNWIND_NO_MODULE,    /* the pc is in no mapping */
    FLM_UNWIND_CORRUPT,      /* the next frame is not further out on the stack */
    FLM_UNWIND_TOO_DEEP,     /* more frames than `capacity` */
    FLM_UNWIND_NO_REGISTERS, /* a kernel thread, or a 32-bit program */
    FLM_UNWIND_ENDS
};

struct flm_unwound {
    size_t count; /* of frames written */
    enum flm_unwind_end end;
    size_t size; /* bytes of the stack dump that were needed; 0: unknown */
};

/* Writes the addresses of frames, leaf first. For a caller it is the return address, after the
 * call; for the leaf, for a frame that a signal interrupted, and for the trampoline between that
 * and the handler it is the address of the instruction itself: these are marked in `exact`, one bit
 * a frame, (capacity + 63) / 64 words. 32-bit programs are not supported. */
struct flm_unwound flm_unwind(const struct flm_process *process,
                              const struct flm_event_sample *sample, uint64_t *addresses,
                              uint64_t *exact, size_t capacity);

#endif
