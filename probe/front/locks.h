/* locks.h - what all kinds of locks have in common, when they are measured.
 *
 * Taking a lock first tries to: what succeeds at once is counted, and no clock is read. Only who
 * has to wait is timed, in a node of the lock; inside it, a node of who has the lock
 * (FLM_PROBE_HOLDER). `calls` of the lock's node are how often it was taken, or tried; `timed` how
 * often somebody waited; its errors those that got nothing: a try that failed, a wait that ended by
 * time.
 *
 * How long it is held is timed for each of the first thousand times that a thread takes it at a
 * place, then for one of 64, which counts as 64: two readings of the clock cost more than the lock.
 * FLAMEL=locks:hold times each, locks:wait none. */
#ifndef FLAMEL_PROBE_LOCKS_PART_H
#define FLAMEL_PROBE_LOCKS_PART_H

#include <errno.h>

#include "calls.h"
#include "front.h"
#include "lock_names.h"

struct flm_wait {
    struct flm_call call; /* a copy: its place in the table may be given away */
    void *open, *holder;
};

/* Around a call that waits. `owner`: the thread that has it, as the kernel calls it; 0: not
 * known. */
FLM_HIDDEN void flm_wait_begin(struct flm_wait *wait, const struct flm_call *call, const void *lock,
                               int owner);
FLM_HIDDEN void flm_wait_end(struct flm_wait *wait, bool is_got);

/* Begins the time that a lock is held, where this is one that is timed. */
FLM_HIDDEN void flm_hold_begin(struct flm_call *call, const void *lock);

/* Ends it: to be added when the lock was let go, or to be begun again. */
struct flm_hold {
    uint64_t ticks;
    uint32_t site; /* as in the ring: with a weight; 0: it was not timed */
};
FLM_HIDDEN struct flm_hold flm_hold_end(const void *lock);
FLM_HIDDEN void flm_hold_again(const void *lock, struct flm_hold hold);

FLM_HIDDEN void flm_hold_add_slowly(struct flm_hold hold);
static inline void flm_hold_add(struct flm_hold hold)
{
    if (hold.site == 0)
        return;
    struct flm_probe_ring *ring = &flm_local->thread->held_ring;
    uint64_t count = ring->count;
    if (FLM_RARELY(hold.ticks > UINT32_MAX || count >= FLM_PROBE_RING)) {
        flm_hold_add_slowly(hold);
        return;
    }
    ring->at[count] = (struct flm_probe_ringed){hold.site, (uint32_t)hold.ticks};
    ring->count = count + 1;
}

/* Around waiting for a condition: the mutex is not held meanwhile. */
struct flm_condition_wait {
    struct flm_wait wait;
    struct flm_hold hold;
};
FLM_HIDDEN void flm_condition_begin(struct flm_condition_wait *wait, const struct flm_call *call,
                                    const void *lock);
FLM_HIDDEN void flm_condition_end(struct flm_condition_wait *wait, const void *lock, bool is_got);

static inline bool flm_holds_some(void)
{
    const struct flm_local *local = flm_local;
    return local && FLM_RARELY(local->held > 0);
}

/* A lock was taken at once. It is new to the thread: not one that it has already. */
static inline void flm_lock_taken(struct flm_call *call, const void *lock)
{
    call->node->calls++;
    if (FLM_RARELY(call->until_timed-- == 0))
        flm_hold_begin(call, lock);
}

static inline void flm_lock_failed(struct flm_call *call)
{
    call->node->calls++;
    call->node->value[FLM_PROBE_ERRORS]++;
}

/* NULL: this call is not measured. */
static inline struct flm_call *flm_lock_call(const void *lock, const void *caller, int operation)
{
    return flm_is_measured(FLM_PROBE_LOCKS) ? flm_call_of(lock, caller, flm_lock_site, operation)
                                            : NULL;
}

/* EOWNERDEAD: it was taken, and its owner has died. */
static inline bool flm_is_got(int result)
{
    return result == 0 || result == EOWNERDEAD;
}

#endif
