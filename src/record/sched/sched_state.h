/* sched_state.h - what a thread does: it runs, could run, or waits, and what for.
 *
 *     runnable   it could run, and waits for a CPU: preempted, or woken and not there yet
 *     blocked    it waits for a device, or cannot be interrupted
 *     lock       it waits for a lock: of the program (futex), a file, or the kernel
 *     sleeping   it waits for anything else: a time, a message, a child
 *
 * The scheduler knows whether a thread could run and whether its wait can be interrupted; what it
 * waits for follows from the functions of the kernel on its stack, which have names only at the
 * end. So a state is first one of the last three below, and becomes one of the others then. */
#ifndef FLAMEL_RECORD_SCHED_SCHED_STATE_H
#define FLAMEL_RECORD_SCHED_SCHED_STATE_H

#include "base/core/bytes.h"

enum flm_sched_state {
    FLM_STATE_RUNNING,
    FLM_STATE_RUNNABLE,
    FLM_STATE_BLOCKED,
    FLM_STATE_LOCK,
    FLM_STATE_SLEEPING,
    FLM_STATE_COUNT, /* of those that labels name */

    FLM_STATE_WAITING = FLM_STATE_COUNT, /* not runnable; nothing more is known */
    FLM_STATE_UNINTERRUPTIBLE,
    FLM_STATE_INTERRUPTIBLE
};

/* "runnable", "blocked" ...; "" for FLM_STATE_RUNNING. */
const char *flm_sched_state_name(enum flm_sched_state state);

/* The state as a tracepoint has it in prev_state: bits of the kernel. */
enum flm_sched_state flm_sched_state_of_scheduler(uint64_t prev_state);

/* What a thread with this function of the kernel on its stack waits for; FLM_STATE_RUNNING: the
 * function does not tell. The one nearest to the leaf that tells counts. */
enum flm_sched_state flm_sched_state_of_function(struct flm_bytes kernel_function);

/* One of those that labels name: `known` is any, `by_stack` one of the above. *assumed is set when
 * neither tells, and it is taken as sleeping. */
enum flm_sched_state flm_sched_state_decide(enum flm_sched_state known,
                                            enum flm_sched_state by_stack, bool *assumed);

#endif
