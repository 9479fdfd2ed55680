/* calls.c - what a thread does often and is no scope of the program. Runs inside malloc and in
 * signal handlers. */
#include "calls.h"

#include <errno.h>

uint32_t flm_calls_before;

/* Most children of fork take a few locks and run another program: one that goes on is measured. */
static bool begins(void)
{
    enum { LEAST = 32 };
    static uint32_t calls;
    if (!flm_local && flm_thread_state != FLM_THREAD_USUAL)
        return false; /* what it would begin with nobody would end */
    if (flm_local || __atomic_load_n(&flm_run.number, __ATOMIC_ACQUIRE) > 0)
        return flm_local_begin();
    if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) >= LEAST)
        return flm_local_begin();
    __atomic_add_fetch(&flm_calls_before, 1, __ATOMIC_RELAXED);
    return false;
}

static struct flm_call *fill(struct flm_call *call, const void *thing, const void *caller,
                             struct flm_site *site, const struct flm_probe_open *top)
{
    struct flm_probe_node *node = flm_node_of(site);
    if (!node)
        return NULL;
    call->thing = NULL; /* a handler that comes now does not take half of it */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    call->caller = caller;
    call->parent = top->at;
    call->node = node;
    call->site = site;
    call->number = site->number;
    call->place = (uint32_t)(((uintptr_t)node - (uintptr_t)flm_local->base) / FLM_PROBE_UNIT);
    call->until_timed = 0;
    call->is_counting = false;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    call->thing = thing;
    return call;
}

struct flm_call *flm_call_find(const void *thing, const void *caller, flm_find_site *find_site,
                               int operation)
{
    int kept = errno;
    struct flm_call *call = NULL;
    if (!flm_is_inside && (flm_top || begins())) {
        const struct flm_probe_open *top = flm_top;
        struct flm_site *site = find_site(thing, caller, operation);
        if (site)
            call = fill(flm_call_at(flm_local, thing, caller, top->at), thing, caller, site, top);
    }
    errno = kept;
    return call;
}

/* First of all the place is taken: a signal handler that comes then has scopes above it. */
void *flm_call_enter(const struct flm_call *call)
{
    struct flm_probe_open *top = flm_top, *open = top ? top + 1 : NULL;
    if (!open || open >= &flm_local->thread->open[FLM_PROBE_MOST_DEPTH + 1])
        return NULL;
    flm_top = open;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    open->site = call->number;
    open->parent = top->node;
    open->node = call->place;
    open->at = (uintptr_t)call->node;
    open->meter = open->direct = 0;
    flm_node_see(call->node);
    open->function = open->stack = 0; /* of a function that was open here before */
    open->is_frame = 0;
    open->start = flm_clock_ticks();
    return open;
}

uint64_t flm_call_pause(void *scope)
{
    struct flm_probe_open *open = scope;
    if (!open)
        return 0;
    uint64_t took = flm_clock_ticks() - open->start;
    if (flm_top != open) { /* a scope in it has no end: then this one ends it */
        flm_probe_leave(open);
        return took;
    }
    open->start = 0;
    ((struct flm_probe_node *)(uintptr_t)open->at)->total += took;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    flm_top = open - 1;
    return took;
}

void flm_call_add(uint32_t site, enum flm_probe_quantity quantity, uint64_t value)
{
    if (!flm_top)
        return;
    int kept = errno;
    struct flm_probe_open *top = flm_local_work();
    flm_meter_add(flm_local, site, quantity, value);
    flm_local_rest(top);
    errno = kept;
}

static void count(struct flm_probe_node *node, uint32_t site, uint64_t ticks)
{
    node->calls++;
    node->timed++;
    node->longest = ticks > node->longest ? ticks : node->longest;
    flm_call_add(site, FLM_PROBE_DURATION, ticks);
}

void flm_call_done(struct flm_call *call, uint64_t ticks, bool is_good)
{
    call->node->value[FLM_PROBE_ERRORS] += !is_good;
    count(call->node, call->number, ticks);
}

void flm_call_leave(void *scope)
{
    struct flm_probe_open *open = scope;
    if (!open)
        return;
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    uint32_t site = open->site;
    bool is_innermost = flm_top == open;
    uint64_t ticks = flm_call_pause(open);
    if (is_innermost)
        count(node, site, ticks);
}
