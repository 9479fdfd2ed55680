/* scope.h - entering and leaving a scope: the hot path, for scopes and for functions that enter and
 * leave by themselves. Runs inside malloc and in signal handlers. */
#ifndef FLAMEL_PROBE_SCOPE_H
#define FLAMEL_PROBE_SCOPE_H

#include "meters.h"

/* Calls only at the end of the hot path, so that it saves no registers. */
#define FLM_APART __attribute__((noinline))

/* The place is taken, and is not that of this site. */
FLM_HIDDEN FLM_APART void *flm_scope_enter_found(struct flm_probe_open *open,
                                                 struct flm_site *site);

/* Where calls are not all timed, or not only timed; and the first scope of a thread. */
FLM_HIDDEN FLM_APART void *flm_scope_enter_by_mode(struct flm_site *site);

/* Likewise; and where it is not the innermost scope. */
FLM_HIDDEN FLM_APART void flm_scope_leave_slowly(struct flm_probe_open *open);

/* The end of a call that is longer than any before, or too long for a bucket of its own; that
 * allocated; or that was suspended with a task. It is counted, and its place is not given back
 * yet. */
FLM_HIDDEN FLM_APART void flm_scope_left_apart(struct flm_probe_open *open,
                                               struct flm_probe_node *node, uint64_t took,
                                               uint64_t now);

/* A bucket that was full is so again. */
FLM_HIDDEN FLM_APART void flm_scope_overflow(struct flm_probe_meter *meter, uint32_t bucket);

/* Loops enter the same scope again, so the one that was open at this depth last is mostly it. First
 * of all the place is taken: a signal handler that comes then has scopes above it. */
static inline void *flm_scope_enter(struct flm_site *site)
{
    struct flm_probe_open *top = flm_top;
    if (FLM_RARELY(!top || flm_scope_mode))
        return flm_scope_enter_by_mode(site);
    struct flm_probe_open *open = flm_top = top + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (FLM_RARELY(open->site != flm_site_number_now(site) || open->parent != top->node))
        return flm_scope_enter_found(open, site);
    open->start = flm_clock_counter();
    return open;
}

/* True: it has passed the greatest number. One instruction, so that a signal handler does not come
 * between. */
static inline bool flm_count_up(uint32_t *number)
{
#if defined __x86_64__
    bool is_over;
    __asm__("addl $1, %0" : "+m"(*number), "=@ccc"(is_over));
    return is_over;
#else
    return ++*number == 0;
#endif
}

static inline bool flm_scope_has_allocated(const struct flm_probe_node *node)
{
    return node->seen_allocations != node->value[FLM_PROBE_ALLOCATIONS];
}

/* Short calls, of which there are most, are counted in the bucket of their very duration: nothing
 * but that has to wait for the clock. Everything of the place is read before it is given back. */
static inline void flm_scope_left(struct flm_probe_open *open, struct flm_probe_node *node,
                                  struct flm_probe_meter *meter, uint64_t now)
{
    uint64_t took = now - open->start;
    open->start = 0;
    node->calls++;
    node->total += took;
    if (FLM_RARELY(took >= open->direct) || FLM_RARELY(took > node->longest) ||
        FLM_RARELY(flm_scope_has_allocated(node))) {
        flm_scope_left_apart(open, node, took, now);
        return;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    flm_top = open - 1;
    if (FLM_RARELY(flm_count_up(&meter->bucket[took])))
        flm_scope_overflow(meter, (uint32_t)took);
}

/* Ends now. On x86-64 the halves of the counter are subtracted as they come: joined, what waits for
 * them waits 1.2 ns longer. */
static inline void flm_scope_left_now(struct flm_probe_open *open, struct flm_probe_node *node,
                                      struct flm_probe_meter *meter)
{
#if defined __x86_64__
    typedef uint32_t __attribute__((may_alias)) half;
    const half *start = (const half *)&open->start;
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    uint32_t took = low, beyond = high;
    __asm__("subl %2, %0\n\tsbbl %3, %1"
            : "+&r"(took), "+&r"(beyond)
            : "m"(start[0]), "m"(start[1])
            : "cc");
    bool is_short = __builtin_expect(beyond == 0, 1) && __builtin_expect(took < open->direct, 1) &&
                    __builtin_expect(took <= node->longest, 1) &&
                    __builtin_expect(!flm_scope_has_allocated(node), 1);
    if (FLM_RARELY(!is_short)) {
        flm_scope_left(open, node, meter, (uint64_t)high << 32 | low);
        return;
    }
    open->start = 0;
    node->calls++;
    node->total += took;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    flm_top = open - 1;
    if (FLM_RARELY(flm_count_up(&meter->bucket[took])))
        flm_scope_overflow(meter, took);
#else
    flm_scope_left(open, node, meter, flm_clock_counter());
#endif
}

/* The same, of any length, of what allocated nothing and was not suspended: calls nothing. */
static inline void flm_scope_left_plain(struct flm_probe_open *open, struct flm_probe_node *node,
                                        uint64_t now)
{
    struct flm_probe_meter *meter = (struct flm_probe_meter *)(uintptr_t)open->meter;
    uint64_t took = now - open->start;
    open->start = 0;
    node->calls++;
    node->total += took;
    if (took > node->longest)
        node->longest = took;
    if (took >= FLM_PROBE_EXACT)
        flm_local->thread->last = now;
    flm_local_work();
    flm_meter_add_duration(meter, took);
    flm_local_rest(open - 1);
}

/* Whether this call is timed. */
static inline bool flm_scope_is_timed(struct flm_probe_node *node, uint32_t mode)
{
    if (mode & FLM_BY_COUNT)
        return false;
    if (!(mode & FLM_BY_SAMPLE) || node->until_timed == 0)
        return true;
    node->until_timed--;
    return false;
}

static inline void flm_scope_begin(struct flm_probe_open *open, uint32_t mode)
{
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    if (FLM_RARELY(mode & (FLM_BY_COUNT | FLM_BY_SAMPLE)) && !flm_scope_is_timed(node, mode))
        open->start = FLM_PROBE_UNTIMED;
    else
        open->start = FLM_RARELY(mode & FLM_BY_SYSTEM) ? flm_clock_ticks() : flm_clock_counter();
}

static inline void flm_scope_left_untimed(struct flm_probe_open *open, struct flm_probe_node *node)
{
    open->start = 0;
    node->calls++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    flm_top = open - 1;
}

/* No call but in the place of its end: it saves no registers. */
static inline void flm_scope_leave(struct flm_probe_open *open)
{
    if (FLM_RARELY(flm_top != open || flm_scope_mode)) {
        flm_scope_leave_slowly(open);
        return;
    }
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    struct flm_probe_meter *meter = (struct flm_probe_meter *)(uintptr_t)open->meter;
    __asm__ volatile("" ::"r"(node), "r"(meter)); /* loaded while the clock is read */
    flm_scope_left_now(open, node, meter);
}

#endif
