/* scope.h - entering and leaving a scope: the hot path, for scopes and for functions that enter and
 * leave by themselves. Runs inside malloc and in signal handlers. */
#ifndef FLAMEL_PROBE_SCOPE_H
#define FLAMEL_PROBE_SCOPE_H

#include "internal.h"

/* Calls only at the end of the hot path, so that it saves no registers. */
#define FLM_APART __attribute__((noinline))

/* The place is taken, and is not that of this site. */
FLM_HIDDEN FLM_APART void *flm_scope_enter_found(struct flm_probe_open *open,
                                                 struct flm_site *site);

/* Where calls are not all timed, or not only timed; and the first scope of a thread. */
FLM_HIDDEN FLM_APART void *flm_scope_enter_by_mode(struct flm_site *site);

/* Likewise; and where it is not the innermost scope. */
FLM_HIDDEN FLM_APART void flm_scope_leave_slowly(struct flm_probe_open *open);

FLM_HIDDEN FLM_APART void flm_scope_drain(void);

/* A duration that is too long for the ring; or that is full, since a signal handler came before it
 * was emptied; or a task runs that was suspended in a scope. */
FLM_HIDDEN FLM_APART void flm_scope_add_apart(struct flm_probe_open *open,
                                              struct flm_probe_node *node, uint32_t site,
                                              uint64_t took);

/* Loops enter the same scope again, so the one that was open at this depth last is mostly it. First
 * of all the place is taken: a signal handler that comes then has scopes above it. */
static inline void *flm_scope_enter(struct flm_site *site)
{
    struct flm_probe_open *top = flm_top;
    if (FLM_RARELY(!top || flm_scope_mode))
        return flm_scope_enter_by_mode(site);
    struct flm_probe_open *open = flm_top = top + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (FLM_RARELY(open->site != site->number || open->parent != top->node))
        return flm_scope_enter_found(open, site);
    open->start = flm_clock_counter();
    return open;
}

/* Everything of the place is read before it is given back. */
static inline void flm_scope_left(struct flm_probe_open *open, struct flm_probe_node *node,
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
    uint64_t count = ring->count;
    if (FLM_RARELY(took > UINT32_MAX || count >= FLM_PROBE_RING)) {
        flm_scope_add_apart(open, node, site, took);
        return;
    }
    ring->at[count] = (struct flm_probe_ringed){site, (uint32_t)took};
    if (FLM_RARELY((ring->count = count + 1) == FLM_PROBE_RING))
        flm_scope_drain();
}

/* No call but in the place of its end: it saves no registers. */
static inline void flm_scope_leave(struct flm_probe_open *open)
{
    if (FLM_RARELY(flm_top != open || flm_scope_mode)) {
        flm_scope_leave_slowly(open);
        return;
    }
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    struct flm_probe_ring *ring = flm_ring;
    __asm__ volatile("" ::"r"(node), "r"(ring)); /* loaded while the clock is read */
    flm_scope_left(open, node, ring, flm_clock_counter());
}

#endif
