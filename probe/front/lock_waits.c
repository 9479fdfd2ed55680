/* lock_waits.c - waiting for a lock, who has it, and how long it is held. Runs where the program's
 * locks are taken, so it waits for nobody. */
#include <stdio.h>
#include <string.h>

#include "locks.h"

/* ---- Who has it ------------------------------------------------------------------------------ */

static bool is_thread(const struct flm_probe_thread *thread, int number)
{
    return thread->tid == (uint32_t)number && flm_thread_is(thread, FLM_PROBE_RUNNING);
}

/* Mostly the same one as the last time. NULL: it is not measured. */
static const struct flm_probe_thread *thread_of(int number)
{
    enum { MOST = 1024 };
    struct flm_local *local = flm_local;
    const struct flm_probe_header *header = (const struct flm_probe_header *)(void *)local->base;
    if (local->holder > 0 && is_thread(flm_local_at(local, local->holder), number))
        return flm_local_at(local, local->holder);
    uint32_t place = __atomic_load_n(&header->first_thread, __ATOMIC_ACQUIRE);
    for (int i = 0; place > 0 && i < MOST; i++) {
        const struct flm_probe_thread *thread = flm_local_at(local, place);
        if (is_thread(thread, number)) {
            local->holder = place;
            return thread;
        }
        place = thread->next;
    }
    return NULL;
}

/* Where it was taken; 0: that is not timed. The other thread may write meanwhile. */
static uint64_t place_of(const struct flm_probe_thread *thread, const void *lock)
{
    for (int i = 0; i < FLM_PROBE_MOST_HELD; i++) {
        const struct flm_probe_held *held = &thread->held[i];
        if (__atomic_load_n(&held->lock, __ATOMIC_ACQUIRE) != (uintptr_t)lock)
            continue;
        const struct flm_probe_site *site = flm_site_record(held->site & FLM_PROBE_SITE_MASK);
        return site ? site->caller : 0;
    }
    return 0;
}

/* The innermost scope of the program that is open. */
static const struct flm_probe_site *scope_of(const struct flm_probe_thread *thread)
{
    const struct flm_probe_site *found = NULL;
    for (int depth = 1; depth <= FLM_PROBE_MOST_DEPTH; depth++) {
        const struct flm_probe_open *open = &thread->open[depth];
        if (__atomic_load_n(&open->start, __ATOMIC_ACQUIRE) == 0)
            break;
        const struct flm_probe_site *site = flm_site_record(open->site & FLM_PROBE_SITE_MASK);
        if (site && site->kind <= FLM_PROBE_FRAME)
            found = site;
    }
    return found;
}

/* "scope [thread]", and where it was taken. NULL: nothing is known. */
static struct flm_site *holder_of(const void *lock, int owner, uint16_t operation)
{
    const struct flm_probe_thread *thread = owner != 0 ? thread_of(owner) : NULL;
    if (!thread)
        return NULL;
    const struct flm_probe_site *scope = scope_of(thread);
    const unsigned char *base = flm_local->base;
    char text[256];
    int size = snprintf(
        text, sizeof text, "%.*s%s[%.*s]",
        !scope ? 0 : (int)(scope->name_size > 0 ? scope->name_size : scope->function_size),
        !scope ? "" : (const char *)base + (scope->name_size > 0 ? scope->name : scope->function),
        scope ? " " : "", FLM_PROBE_NAME_SIZE, thread->name);
    struct flm_site like = {.name = text,
                            .kind = FLM_PROBE_HOLDER,
                            .operation = operation,
                            .caller = (const void *)(uintptr_t)place_of(thread, lock)};
    return flm_site_like(&like, size < (int)sizeof text ? (size_t)size : sizeof text - 1);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

void flm_wait_begin(struct flm_wait *wait, const struct flm_call *call, const void *lock, int owner)
{
    int kept = errno;
    wait->call = *call;
    struct flm_site *holder = flm_local ? holder_of(lock, owner, call->site->operation) : NULL;
    wait->open = flm_call_enter(&wait->call);
    wait->holder = wait->open && holder ? flm_probe_enter(holder) : NULL;
    errno = kept;
}

void flm_wait_end(struct flm_wait *wait, bool is_got)
{
    if (wait->holder)
        flm_probe_leave(wait->holder);
    flm_call_leave(wait->open);
    if (wait->open && !is_got)
        wait->call.node->value[FLM_PROBE_ERRORS]++;
}

/* ---- Holding --------------------------------------------------------------------------------- */

/* What has no end (another thread let it go, or it was destroyed) makes room for others. A thread
 * may read several times: it has the lock from the first to the last. */
static inline void begin(const void *lock, uint32_t site, bool is_reading)
{
    struct flm_local *local = flm_local;
    struct flm_probe_held *all = local->thread->held;
    uint32_t at = 0;
    while (at < local->held && all[at].lock != (uintptr_t)lock)
        at++;
    if (at == FLM_PROBE_MOST_HELD)
        at = 0;
    else if (at == local->held)
        local->held++;
    struct flm_probe_held *held = &all[at];
    if (FLM_RARELY(is_reading && held->lock == (uintptr_t)lock)) {
        held->more++;
        return;
    }
    held->more = 0;
    held->site = site;
    held->start = flm_clock_ticks();
    __atomic_store_n(&held->lock, (uintptr_t)lock, __ATOMIC_RELEASE);
}

/* Evenly spread, and in step with nothing. */
static uint32_t random_below(uint32_t count)
{
    return (uint32_t)((flm_clock_ticks() * 0x9E3779B97F4A7C15u >> 32) * count >> 32);
}

static __attribute__((noinline)) uint32_t next_weight(struct flm_call *call)
{
    enum { FIRST = 1024, NEVER = INT32_MAX };
    uint32_t most = flm_settings.hold_weight;
    if (most == 0) {
        call->until_timed = NEVER;
        return 0;
    }
    bool is_first = call->node->calls <= FIRST, was_chosen = call->is_counting;
    call->is_counting = !is_first;
    if (is_first)
        return 1;
    /* Its place in the table was just taken: then each is chosen as likely as others. */
    if (!was_chosen && (call->until_timed = random_below(most)) > 0)
        return 0;
    call->until_timed = most - 1;
    return most;
}

void flm_hold_begin(struct flm_call *call, const void *lock)
{
    call->until_timed = 0;
    uint32_t weight = flm_settings.hold_weight == 1 ? 1 : next_weight(call);
    if (weight > 0)
        begin(lock, (call->number & FLM_PROBE_SITE_MASK) | weight << FLM_RUN_SHIFT,
              call->site->operation == FLM_PROBE_LOCK_READ);
}

struct flm_hold flm_hold_end(const void *lock)
{
    struct flm_local *local = flm_local;
    struct flm_probe_held *all = local->thread->held;
    for (uint32_t i = local->held; i-- > 0;) {
        if (all[i].lock != (uintptr_t)lock)
            continue;
        if (FLM_RARELY(all[i].more > 0)) {
            all[i].more--;
            break;
        }
        struct flm_hold hold = {flm_clock_ticks() - all[i].start, all[i].site};
        uint32_t last = --local->held;
        if (i != last)
            all[i] = all[last];
        __atomic_store_n(&all[last].lock, 0, __ATOMIC_RELEASE);
        return hold;
    }
    return (struct flm_hold){0};
}

/* Too long for the ring; or it is full. */
void flm_hold_add_slowly(struct flm_hold hold)
{
    if (!flm_top)
        return;
    int kept = errno;
    struct flm_probe_open *top = flm_local_work();
    flm_local_drain(flm_local);
    flm_meter_add_many(flm_local, hold.site, FLM_PROBE_HELD, hold.ticks,
                       hold.site >> FLM_RUN_SHIFT);
    flm_local_rest(top);
    errno = kept;
}

void flm_hold_again(const void *lock, struct flm_hold hold)
{
    if (hold.site > 0 && flm_top)
        begin(lock, hold.site, false);
}

void flm_condition_begin(struct flm_condition_wait *wait, const struct flm_call *call,
                         const void *lock)
{
    struct flm_call mine = *call; /* adding the time that it was held may need the table */
    wait->hold = (struct flm_hold){0};
    if (flm_holds_some())
        wait->hold = flm_hold_end(lock);
    flm_hold_add(wait->hold);
    flm_wait_begin(&wait->wait, &mine, NULL, 0);
}

void flm_condition_end(struct flm_condition_wait *wait, const void *lock, bool is_got)
{
    flm_wait_end(&wait->wait, is_got);
    flm_hold_again(lock, wait->hold);
}
