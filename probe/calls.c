/* calls.c - operations of a thread that are no scopes of the program, such as taking a lock or
 * reading a file. Runs inside malloc and in signal handlers. */
#include "calls.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Before a child is measured -------------------------------------------------------------- */

/* Most children of fork take a few locks and then run another program. A child is measured from its
 * first scope, or when this array is full. Until then each call of its first thread is recorded
 * here, and is added to the root of its call tree when the child begins to be measured. The site
 * number of such a call is 1 + its index; sites of a run have larger numbers. */
enum { MOST_EARLY = 31 };
static struct early {
    struct flm_call call;
    struct flm_probe_node node; /* of this call alone */
    struct flm_probe_open open;
    uint64_t ticks, bytes;
    bool has_ticks, has_bytes;
} all_early[MOST_EARLY];
static uint32_t early_count; /* of calls that asked for an entry: may be larger than MOST_EARLY */

static uint32_t kept_early(void)
{
    uint32_t count = __atomic_load_n(&early_count, __ATOMIC_RELAXED);
    return count < MOST_EARLY ? count : MOST_EARLY;
}

uint32_t flm_calls_before(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < kept_early(); i++)
        count += all_early[i].call.site != NULL;
    return count;
}

void flm_calls_in_child(void)
{
    early_count = 0;
}

static struct early *early_of(uint32_t number)
{
    return number - 1 < MOST_EARLY ? &all_early[number - 1] : NULL;
}

static struct early *early_opened(const void *open)
{
    uintptr_t offset = (uintptr_t)open - (uintptr_t)all_early;
    return offset < sizeof all_early ? &all_early[offset / sizeof *all_early] : NULL;
}

static bool is_first_thread(void)
{
    return syscall(SYS_gettid) == getpid();
}

/* Only in the first thread: a child that starts threads is measured at once. */
static bool is_early(void)
{
    return !flm_top && !flm_local && flm_thread_state == FLM_THREAD_USUAL &&
           __atomic_load_n(&flm_run.number, __ATOMIC_ACQUIRE) == 0 && kept_early() < MOST_EARLY &&
           is_first_thread();
}

/* NULL: the call is not recorded here, and the child begins to be measured. */
static struct flm_call *early_call(const void *thing, const void *caller, flm_find_site *find_site,
                                   int operation)
{
    struct flm_site *site = find_site(thing, caller, operation);
    if (!site || (site->kind != FLM_PROBE_LOCK && site->kind != FLM_PROBE_FILE))
        return NULL;
    uint32_t at = __atomic_fetch_add(&early_count, 1, __ATOMIC_RELAXED);
    if (at >= MOST_EARLY)
        return NULL;
    struct early *early = &all_early[at];
    *early = (struct early){.call = {.thing = thing,
                                     .caller = caller,
                                     .node = &early->node,
                                     .site = site,
                                     .number = at + 1,
                                     .until_timed = UINT32_MAX}};
    return &early->call;
}

/* Adds the call to the node of its site below the root of this thread, which made the call. */
static void add_early(struct early *early)
{
    struct flm_site *site = early->call.site;
    struct flm_probe_node *from = &early->node, *to = from->calls > 0 ? flm_node_of(site) : NULL;
    if (!to)
        return;
    early->call.site = NULL;
    to->calls += from->calls;
    to->timed += from->timed;
    to->total += from->total;
    to->longest = from->longest > to->longest ? from->longest : to->longest;
    to->value[FLM_PROBE_AMOUNT] += from->value[FLM_PROBE_AMOUNT];
    to->value[FLM_PROBE_ERRORS] += from->value[FLM_PROBE_ERRORS];
    if (early->has_ticks)
        flm_call_add(site->number, FLM_PROBE_DURATION, early->ticks);
    if (early->has_bytes)
        flm_call_add(site->number, FLM_PROBE_BYTES, early->bytes);
    flm_run.arena.header->lost_calls--; /* flm_run_begin_child() counted it as lost */
}

static void add_all_early(void)
{
    if (!is_first_thread())
        return;
    for (uint32_t i = 0; i < kept_early(); i++)
        if (all_early[i].call.site)
            add_early(&all_early[i]);
}

void flm_calls_begin(void)
{
    if (FLM_RARELY(kept_early() > 0))
        add_all_early();
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* False in a thread that is ending: nothing would release what is begun there. */
static bool begins(void)
{
    return flm_top || ((flm_local || flm_thread_state == FLM_THREAD_USUAL) && flm_local_begin());
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
    if (FLM_RARELY(!flm_is_inside && is_early()))
        call = early_call(thing, caller, find_site, operation);
    if (!call && !flm_is_inside && begins()) {
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
    struct early *early = early_of(call->number);
    if (FLM_RARELY(early)) {
        early->open.start = flm_clock_ticks();
        return &early->open;
    }
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
    struct early *early = flm_top != open ? early_opened(open) : NULL;
    if (FLM_RARELY(early)) {
        early->node.total += took;
        return took;
    }
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
    struct early *early = early_of(site);
    if (FLM_RARELY(early)) {
        *(quantity == FLM_PROBE_BYTES ? &early->bytes : &early->ticks) = value;
        *(quantity == FLM_PROBE_BYTES ? &early->has_bytes : &early->has_ticks) = true;
        return;
    }
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
    struct early *early = early_opened(open);
    if (FLM_RARELY(early)) {
        count(&early->node, early->call.number, flm_call_pause(open));
        return;
    }
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    uint32_t site = open->site;
    bool is_innermost = flm_top == open;
    uint64_t ticks = flm_call_pause(open);
    if (is_innermost)
        count(node, site, ticks);
}
