/* scope.c - entering and leaving a scope: 25 ns where the two readings of the clock take 19. Runs
 * inside malloc and in signal handlers.
 *
 * The durations of calls are put into a ring, and added to the meters 256 at a time: adding
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

/* A scope that was not open at this depth last; NULL, and it is not open: there is no room. */
static struct flm_probe_open *find(struct flm_probe_open *open, struct flm_site *site)
{
    struct flm_local *local = flm_local;
    struct flm_probe_thread *thread = local->thread;
    const struct flm_probe_open *top = open - 1;
    if (open >= &thread->open[FLM_PROBE_MOST_DEPTH + 1]) {
        flm_top = open - 1;
        thread->lost_depth++;
        return NULL;
    }
    flm_local_work();
    uint32_t number = flm_site_number(site);
    uint32_t node = number > 0 ? find_child(local, top->node, number & FLM_PROBE_SITE_MASK) : 0;
    open->site = number;
    open->parent = node > 0 ? top->node : 0; /* 0: it is not found here again */
    open->node = node;
    open->at = node > 0 ? (uintptr_t)flm_local_at(local, node) : 0;
    thread->lost_room += node == 0;
    flm_local_rest(node > 0 ? open : open - 1);
    return node > 0 ? open : NULL;
}

struct flm_probe_node *flm_node_slowly(void)
{
    return flm_local_begin() ? (struct flm_probe_node *)(uintptr_t)flm_top->at : NULL;
}

struct flm_probe_node *flm_node_of(struct flm_site *site)
{
    if (!flm_top && !flm_local_begin())
        return NULL;
    struct flm_probe_open *top = flm_local_work();
    uint32_t number = flm_site_number(site);
    uint32_t place =
        number > 0 ? find_child(flm_local, top->node, number & FLM_PROBE_SITE_MASK) : 0;
    flm_local->thread->lost_room += place == 0;
    struct flm_probe_node *node = place > 0 ? flm_local_at(flm_local, place) : NULL;
    flm_local_rest(top);
    return node;
}

static __attribute__((noinline)) void *enter_found(struct flm_probe_open *open,
                                                   struct flm_site *site)
{
    open = find(open, site);
    if (open)
        open->start = flm_clock_ticks();
    return open;
}

/* The first scope of a thread; and all where there is no counter. */
static __attribute__((noinline)) void *enter_slowly(struct flm_site *site)
{
    if (!flm_top && !flm_local_begin())
        return NULL;
    struct flm_probe_open *top = flm_top, *open = flm_top = top + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (open->site != site->number || open->parent != top->node)
        return enter_found(open, site);
    open->start = flm_clock_ticks();
    return open;
}

/* Loops enter the same scope again, so the one that was open at this depth last is mostly it. First
 * of all the place is taken: a signal handler that comes then has scopes above it. */
void *flm_probe_enter(struct flm_site *site)
{
    struct flm_probe_open *top = flm_top;
    if (FLM_RARELY(!top || !flm_probe_clock.is_counter))
        return enter_slowly(site);
    struct flm_probe_open *open = flm_top = top + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (FLM_RARELY(open->site != site->number || open->parent != top->node))
        return enter_found(open, site);
    open->start = flm_clock_counter();
    return open;
}

static __attribute__((noinline)) void drain(void)
{
    struct flm_probe_open *top = flm_local_work();
    flm_local_drain(flm_local);
    flm_local_rest(top);
}

/* Too long for the ring, which does not happen often. */
static __attribute__((noinline)) void add_long(uint32_t site, uint64_t took)
{
    struct flm_probe_open *top = flm_local_work();
    flm_meter_add(flm_local, site, FLM_PROBE_DURATION, took);
    flm_local_rest(top);
}

/* Everything of the place is read before it is given back. */
static inline void leave(struct flm_probe_open *open, struct flm_probe_node *node,
                         struct flm_probe_ring *ring, uint64_t now)
{
    uint64_t took = now - open->start;
    uint32_t site = open->site;
    open->start = 0;
    node->calls++;
    node->total += took;
    if (took > node->longest)
        node->longest = took;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    flm_top = open - 1;
    if (FLM_RARELY(took > UINT32_MAX)) {
        add_long(site, took);
        return;
    }
    /* A signal handler that has scopes and comes between may cost a duration, and no more. */
    uint64_t count = ring->count;
    if (FLM_RARELY(count >= FLM_PROBE_RING))
        return;
    ring->at[count] = (struct flm_probe_ringed){site, (uint32_t)took};
    if (FLM_RARELY((ring->count = count + 1) == FLM_PROBE_RING))
        drain();
}

/* Scopes that were left without an end, by longjmp say, are closed with the one around them. Nothing
 * is done for a scope of the parent process, or of another thread. */
static __attribute__((noinline)) void unwind(struct flm_probe_open *open, uint64_t now)
{
    struct flm_probe_open *top = flm_top;
    if (!top || top < open || open < &flm_local->thread->open[1])
        return;
    for (; top > open; top--) {
        top->start = 0;
        flm_local->thread->left++;
    }
    leave(open, (struct flm_probe_node *)(uintptr_t)open->at, flm_ring, now);
}

static __attribute__((noinline)) void leave_slowly(struct flm_probe_open *open)
{
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    if (flm_top != open)
        unwind(open, flm_clock_ticks());
    else
        leave(open, node, flm_ring, flm_clock_ticks());
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
    __asm__ volatile("" ::"r"(node), "r"(ring)); /* loaded while the clock is read */
    leave(open, node, ring, flm_clock_counter());
}
