/* scope.c - entering and leaving a scope: 20 ns, 17 of which are the two readings of the clock.
 * Runs inside malloc and in signal handlers.
 *
 * The durations of calls are put into a ring, and added to the histograms 256 at a time: adding
 * each at once took 4.4 ns more, since the address of the bucket is known only when the clock is. */
#include "internal.h"

volatile uint32_t flm_probe_state;

static uint32_t find_child(struct flm_local *local, uint32_t parent, uint32_t site)
{
    const struct flm_probe_node *above = flm_local_at(local, parent);
    for (uint32_t place = above->child; place > 0;) {
        const struct flm_probe_node *node = flm_local_at(local, place);
        if (node->site == site)
            return place;
        place = node->next;
    }
    return flm_node_new(local, parent, site);
}

/* A scope that was not open at this depth last: `top` is the one around it. NULL: there is no room. */
static struct flm_probe_open *find(struct flm_probe_open *top, struct flm_site *site)
{
    struct flm_local *local = flm_local;
    struct flm_probe_thread *thread = local->thread;
    struct flm_probe_open *open = top + 1;
    if (open == &thread->open[FLM_PROBE_MOST_DEPTH + 1]) {
        thread->lost_depth++;
        return NULL;
    }
    flm_local_work(local);
    uint32_t number = flm_site_number(site);
    uint32_t node = number > 0 ? find_child(local, top->node, number & FLM_PROBE_SITE_MASK) : 0;
    flm_local_rest(local);
    open->site = number;
    open->parent = node > 0 ? top->node : 0; /* 0: it is not found here again */
    open->node = node;
    open->at = node > 0 ? (uintptr_t)flm_local_at(local, node) : 0;
    thread->lost_room += node == 0;
    return node > 0 ? open : NULL;
}

static __attribute__((noinline)) void *enter_slowly(struct flm_site *site)
{
    if (!flm_top && !flm_local_begin())
        return NULL;
    struct flm_probe_open *open = find(flm_top, site);
    if (open) {
        flm_top = open;
        open->start = flm_clock_ticks();
    }
    return open;
}

/* Loops enter the same scope again, so the one that was open at this depth last is mostly it. */
void *flm_probe_enter(struct flm_site *site)
{
    struct flm_probe_open *top = flm_top;
    if (FLM_RARELY(!top))
        return enter_slowly(site);
    struct flm_probe_open *open = top + 1;
    if (FLM_RARELY(open->site != site->number || open->parent != top->node ||
                   !flm_probe_clock.is_counter))
        return enter_slowly(site);
    flm_top = open;
    open->start = flm_clock_counter();
    return open;
}

static __attribute__((noinline)) void drain(void)
{
    flm_local_work(flm_local);
    flm_local_drain(flm_local);
    flm_local_rest(flm_local);
}

/* Too long for the ring, which does not happen often. */
static __attribute__((noinline)) void add_long(uint32_t site, uint64_t took)
{
    flm_local_work(flm_local);
    flm_local_count(flm_local, site & FLM_PROBE_SITE_MASK, took);
    flm_local_rest(flm_local);
}

static inline void leave(struct flm_probe_open *open, struct flm_probe_node *node,
                         struct flm_probe_ring *ring, uint64_t calls, uint64_t total,
                         uint64_t longest, uint64_t now)
{
    uint64_t took = now - open->start;
    flm_top = open - 1;
    open->start = 0;
    node->calls = calls + 1;
    node->total = total + took;
    if (took > longest)
        node->longest = took;
    if (FLM_RARELY(took > UINT32_MAX)) {
        add_long(open->site, took);
        return;
    }
    /* A signal handler that has scopes and comes between may cost an entry, and no more. */
    uint64_t count = ring->count;
    if (FLM_RARELY(count >= FLM_PROBE_RING))
        return;
    ring->at[count] = (struct flm_probe_ringed){open->site, (uint32_t)took};
    if (FLM_RARELY((ring->count = count + 1) == FLM_PROBE_RING))
        drain();
}

/* Scopes that were left without an end are closed with the one around them: by longjmp, say. Nothing
 * is done for one of the parent's, or of another thread. */
static __attribute__((noinline)) void unwind(struct flm_probe_open *open, uint64_t now)
{
    struct flm_probe_open *top = flm_top;
    if (!top || top < open || open < &flm_local->thread->open[1])
        return;
    for (; top > open; top--) {
        top->start = 0;
        flm_local->thread->left++;
    }
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    leave(open, node, flm_ring, node->calls, node->total, node->longest, now);
}

static __attribute__((noinline)) void leave_slowly(struct flm_probe_open *open)
{
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    if (flm_top != open)
        unwind(open, flm_clock_ticks());
    else
        leave(open, node, flm_ring, node->calls, node->total, node->longest, flm_clock_ticks());
}

/* No call but in the place of its end: it saves no registers. */
void flm_probe_leave(void *scope)
{
    struct flm_probe_open *open = scope;
    if (FLM_RARELY(flm_top != open || !flm_probe_clock.is_counter)) {
        leave_slowly(open);
        return;
    }
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    struct flm_probe_ring *ring = flm_ring;
    uint64_t calls = node->calls, total = node->total, longest = node->longest;
    __asm__ volatile("" ::"r"(calls), "r"(total), "r"(longest), "r"(ring));
    leave(open, node, ring, calls, total, longest, flm_clock_counter());
}
