/* jumps.c - setjmp and longjmp: the scopes that a jump leaves end with it. Runs in signal handlers.
 *
 * Where setjmp is called a thread remembers how many scopes are open, by the buffer; longjmp to it
 * ends those that were opened since. Nothing of that is asked in a scope. Nobody says when a buffer
 * is not used any more: of many, those of functions that returned are forgotten.
 *
 *     setjmp(buffer)    main  try               2 are open
 *     longjmp(buffer)   main  try  leap  step   the last two end now
 *
 * Coroutines jump from stack to stack, and what is open on the one that they leave goes on later.
 * So a jump counts only where it goes up its own stack: the thread's, or that of a signal handler
 * and on to the thread's; or inside one task. What is not seen (__builtin_longjmp, a buffer that
 * was copied) ends with the scope around it.
 *
 * Who calls this stands in front of both: front/jumps.c. */
#include "internal.h"

#include <signal.h>

/* Of slots: at first, from when on those of functions that returned are looked for, and at most. */
enum { FIRST = 128, MANY = 2048, MOST = 65536 };

struct jump {
    const void *buffer;       /* NULL: none */
    struct flm_running *task; /* the innermost one; NULL: none */
    uintptr_t stack;          /* where setjmp was called */
    uint32_t depth;           /* scopes that were open, above those of the task's beginning */
};

/* By open addressing, at most half full. */
struct flm_jumps {
    uint32_t slots, count;
    uint32_t pause; /* where it is at its largest: how often there is no looking for room */
    struct jump at[];
};

static size_t size_of(uint32_t slots)
{
    return sizeof(struct flm_jumps) + slots * sizeof(struct jump);
}

void flm_jumps_free(struct flm_local *local)
{
    if (local->jumps)
        flm_memory_free(local->jumps, size_of(local->jumps->slots));
    local->jumps = NULL;
}

/* The slot that has it, or is free for it. */
static struct jump *find(struct flm_jumps *jumps, const void *buffer)
{
    uint32_t i = (uint32_t)(((uintptr_t)buffer >> 4) * 0x9E3779B97F4A7C15u >> 32);
    for (;; i++) {
        struct jump *jump = &jumps->at[i & (jumps->slots - 1)];
        if (!jump->buffer || jump->buffer == buffer)
            return jump;
    }
}

/* It was called in a function that has returned: its frame was below that of who calls now. */
static bool has_returned(struct flm_local *local, const struct jump *jump, uintptr_t stack)
{
    return !jump->task && jump->stack < stack && flm_is_own_stack(local, jump->stack) &&
           flm_is_own_stack(local, stack);
}

/* Room for one more. False: there is none, and the table is as it was. Of the largest one all slots
 * are looked at only once in so many times: with 32,768 buffers that are all used it was each time,
 * and setjmp took 34 us. */
static bool make_room(struct flm_local *local, uintptr_t stack)
{
    enum { PAUSE = MOST / 8 };
    struct flm_jumps *old = local->jumps, *jumps;
    uint32_t slots = !old ? FIRST : old->slots, kept = 0;
    bool drops = slots >= MANY;
    if (old && old->pause > 0) {
        old->pause--;
        return false;
    }
    for (uint32_t i = 0; old && i < old->slots; i++)
        kept += old->at[i].buffer && !(drops && has_returned(local, &old->at[i], stack));
    while (kept >= slots / 4 && old && slots < MOST)
        slots *= 2;
    if (kept >= slots / 2 || !(jumps = flm_memory_new(size_of(slots)))) {
        if (old)
            old->pause = PAUSE;
        return false;
    }
    jumps->slots = slots;
    jumps->pause = slots == MOST ? PAUSE : 0;
    for (uint32_t i = 0; old && i < old->slots; i++)
        if (old->at[i].buffer && !(drops && has_returned(local, &old->at[i], stack))) {
            *find(jumps, old->at[i].buffer) = old->at[i];
            jumps->count++;
        }
    local->jumps = jumps;
    if (old)
        flm_memory_free(old, size_of(old->slots));
    return true;
}

/* ---- setjmp ---------------------------------------------------------------------------------- */

/* Whether the thread is interrupted where it changes them: by a signal handler, which is further
 * down its stack, or on another one. Otherwise that was left by a jump. */
static bool is_interrupted(struct flm_local *local, uintptr_t stack)
{
    uintptr_t at = local->jumps_change;
    return at > 0 &&
           (stack < at || !flm_is_own_stack(local, at) || !flm_is_own_stack(local, stack));
}

/* What a signal handler has to remember while its thread does so is not remembered: its buffers end
 * with it. */
static void remember(struct flm_local *local, const void *buffer, uintptr_t stack)
{
    if (FLM_RARELY(is_interrupted(local, stack)))
        return;
    local->jumps_change = (uintptr_t)__builtin_frame_address(0);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct jump *jump = local->jumps ? find(local->jumps, buffer) : NULL;
    bool has_room = jump && (jump->buffer || local->jumps->count < local->jumps->slots / 2);
    if (!has_room)
        jump = make_room(local, stack) ? find(local->jumps, buffer) : NULL;
    if (jump) {
        uint32_t depth = flm_scope_depth(local);
        struct flm_running *task = flm_task_innermost(local);
        uint32_t base = (uint32_t)(flm_task_base(local, task) - &local->thread->open[0]);
        local->jumps->count += !jump->buffer;
        *jump = (struct jump){buffer, task, stack, depth - base};
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    local->jumps_change = 0;
}

void flm_jump_remember(const void *buffer, uintptr_t stack)
{
    /* Also while nothing is measured: scopes may be open all the same, and what was remembered of
     * the buffer before is of another call. */
    if ((flm_local && flm_local->thread) || (FLM_PROBE_IS_ON && flm_local_begin()))
        remember(flm_local, buffer, stack);
}

/* ---- longjmp --------------------------------------------------------------------------------- */

static bool is_in(const stack_t *other, uintptr_t at)
{
    return at - (uintptr_t)other->ss_sp < other->ss_size;
}

/* The frames of the jump's beginning are below those of its end, on one stack. */
static bool goes_up(struct flm_local *local, const struct jump *to, uintptr_t from)
{
    stack_t other;
    if (to->task && to->task == flm_task_innermost(local))
        return from <= to->stack;
    bool is_to_own = flm_is_own_stack(local, to->stack);
    if (flm_is_own_stack(local, from))
        return is_to_own && from <= to->stack;
    if (sigaltstack(NULL, &other) != 0 || !(other.ss_flags & SS_ONSTACK) || !is_in(&other, from))
        return false;
    return is_to_own || (is_in(&other, to->stack) && from <= to->stack);
}

/* A handler on a stack of its own jumps out of it. On the thread's it is seen by who comes next;
 * and a jump that stays in the handler leaves nothing. */
static void leave_change(struct flm_local *local, const struct jump *to)
{
    if (local->jumps_change > 0 && flm_is_own_stack(local, to->stack) &&
        (!flm_is_own_stack(local, local->jumps_change) || to->stack > local->jumps_change))
        local->jumps_change = 0;
}

void flm_jump_leave(const void *buffer, uintptr_t from)
{
    struct flm_local *local = flm_local;
    if (!local || !local->thread)
        return;
    const struct jump *to = !local->jumps ? NULL : find(local->jumps, buffer);
    bool is_seen = to && to->buffer && goes_up(local, to, from);
    /* NULL: it belongs to a task that does not run here any more. */
    struct flm_probe_open *base = is_seen ? flm_task_base(local, to->task) : NULL;
    flm_scope_jump(base ? base + to->depth : NULL);
    if (is_seen)
        leave_change(local, to);
}
