/* scope.c - entering and leaving a scope: 19 ns where two readings of the clock take 16. Runs
 * inside malloc and in signal handlers.
 *
 * While the clock is read the processor does little else, so each instruction counts. A short call
 * is one increment of a bucket of its own, from which its sums follow. What seldom happens is asked
 * of what is read anyway: a call that is the longest by now, or allocated, or was suspended. */
#include "scope.h"

volatile uint32_t flm_probe_state;
volatile uint32_t flm_scope_mode;

void flm_scope_start(void)
{
    const struct flm_settings *asked = &flm_settings;
    uint32_t mode = asked->is_ordered ? FLM_IN_ORDER : 0;
    if (!flm_probe_clock.is_counter)
        mode |= FLM_BY_SYSTEM;
    if (asked->timed_of == 0)
        mode |= FLM_BY_COUNT;
    else if (asked->budget > 0)
        mode |= FLM_BY_SAMPLE | FLM_BY_BUDGET;
    else if (asked->timed_of > 1)
        mode |= FLM_BY_SAMPLE;
    flm_scope_mode = mode;
}

/* ---- Entering -------------------------------------------------------------------------------- */

/* What the library did since `began` is in no scope: those that are open begin later by as much. */
static void leave_out(struct flm_probe_open *top, uint64_t began)
{
    uint64_t took = flm_clock_ticks() - began;
    for (struct flm_probe_open *open = top; open > &flm_local->thread->open[0]; open--)
        if (open->start > FLM_PROBE_UNTIMED)
            open->start += took;
}

uint32_t flm_node_child(struct flm_local *local, uint32_t parent, uint32_t site)
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

static void set_meter(struct flm_probe_open *open, struct flm_probe_meter *meter)
{
    open->meter = (uintptr_t)meter;
    open->direct = meter ? FLM_PROBE_EXACT : 0;
}

/* A scope that was not open at this depth last; NULL, and it is not open: there is no room. */
static struct flm_probe_open *find(struct flm_probe_open *open, struct flm_site *site)
{
    struct flm_local *local = flm_local;
    struct flm_probe_thread *thread = local->thread;
    const struct flm_probe_open *top = open - 1;
    /* A signal came while a scope was being opened that has no place in the tree yet. */
    if (top->node == 0) {
        flm_top = open - 1;
        thread->lost_busy++;
        return NULL;
    }
    if (open >= &thread->open[FLM_PROBE_MOST_DEPTH + 1]) {
        flm_top = open - 1;
        thread->lost_depth++;
        return NULL;
    }
    uint64_t began = flm_clock_ticks();
    flm_local_work();
    uint32_t number = flm_site_number(site);
    uint32_t node = number > 0 ? flm_node_child(local, top->node, number & FLM_PROBE_SITE_MASK) : 0;
    open->site = number;
    open->parent = node > 0 ? top->node : FLM_NO_PARENT;
    open->node = node;
    open->at = node > 0 ? (uintptr_t)flm_local_at(local, node) : 0;
    bool has_times = node > 0 && !(flm_scope_mode & FLM_BY_COUNT);
    set_meter(open, has_times ? flm_meter_of(local, number, FLM_PROBE_DURATION) : NULL);
    open->function = open->stack = 0;
    open->is_frame = 0;
    thread->lost_room += node == 0;
    leave_out(open - 1, began);
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
    uint32_t number = top->node > 0 ? flm_site_number(site) : 0; /* as in find() */
    uint32_t place =
        number > 0 ? flm_node_child(flm_local, top->node, number & FLM_PROBE_SITE_MASK) : 0;
    flm_local->thread->lost_room += place == 0;
    struct flm_probe_node *node = place > 0 ? flm_local_at(flm_local, place) : NULL;
    flm_local_rest(top);
    return node;
}

void *flm_scope_enter_found(struct flm_probe_open *open, struct flm_site *site)
{
    open = find(open, site);
    if (open)
        flm_scope_begin(open, flm_scope_mode);
    return open;
}

/* The first scope of a thread. */
static __attribute__((noinline)) void *enter_first(struct flm_site *site)
{
    if (!flm_top && !flm_local_begin_scope())
        return NULL;
    struct flm_probe_open *open = flm_top = flm_top + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return flm_scope_enter_found(open, site);
}

/* As flm_probe_enter, where calls are not all timed, or not only timed. */
void *flm_scope_enter_by_mode(struct flm_site *site)
{
    struct flm_probe_open *top = flm_top;
    if (FLM_RARELY(!top))
        return enter_first(site);
    struct flm_probe_open *open = flm_top = top + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (FLM_RARELY(open->site != flm_site_number_now(site) || open->parent != top->node))
        return flm_scope_enter_found(open, site);
    flm_scope_begin(open, flm_scope_mode);
    return open;
}

/* ---- Leaving --------------------------------------------------------------------------------- */

void flm_scope_overflow(struct flm_probe_meter *meter, uint32_t bucket)
{
    struct flm_probe_open *top = flm_local_work();
    meter->bucket[bucket] = UINT32_MAX;
    flm_meter_count(meter, bucket, 1);
    flm_local_rest(top);
}

/* What this call allocated. Calls that allocate nothing are in no distribution: the reader knows
 * how many there were. */
static void add_memory(const struct flm_probe_open *open, struct flm_probe_node *node)
{
    uint64_t bytes = node->value[FLM_PROBE_ALLOCATED] - node->seen_allocated;
    uint64_t count = node->value[FLM_PROBE_ALLOCATIONS] - node->seen_allocations;
    flm_node_see(node);
    flm_meter_add(flm_local, open->site, FLM_PROBE_BYTES, bytes);
    flm_meter_add(flm_local, open->site, FLM_PROBE_COUNT, count);
}

void flm_scope_left_apart(struct flm_probe_open *open, struct flm_probe_node *node, uint64_t took,
                          uint64_t now)
{
    struct flm_local *local = flm_local;
    local->thread->last = now; /* nobody writes it when the program is killed */
    struct flm_probe_meter *meter = (struct flm_probe_meter *)(uintptr_t)open->meter;
    if (took > node->longest)
        node->longest = took;
    flm_local_work();
    if (flm_scope_has_allocated(node))
        add_memory(open, node);
    if (FLM_RARELY(local->task))
        took = flm_task_scope_took(open, node, took);
    if (FLM_RARELY(open->direct == 0))
        set_meter(open, meter = flm_meter_of(local, open->site, FLM_PROBE_DURATION));
    if (meter)
        flm_meter_add_duration(meter, took);
    flm_local_rest(open - 1);
}

/* ---- Timing some calls of many --------------------------------------------------------------- */

/* From 0 to twice as many as are left out on average. */
static uint32_t chance(struct flm_local *local, uint32_t timed_of)
{
    uint32_t x = local->chance ? local->chance : 2463534242u; /* xorshift, by Marsaglia */
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    local->chance = x;
    return (uint32_t)((uint64_t)x * (2 * (uint64_t)timed_of - 1) >> 32);
}

enum { CHECKED_CALLS = 1024, MOST_TIMED_OF = 1 << 20 };

struct over_budget {
    double times;   /* the cost of timing, over what it may be */
    uint64_t least; /* calls that were timed, of a node that has its part in it */
};

static struct flm_probe_part *next_part(const struct flm_local *local,
                                        const struct flm_probe_part *part)
{
    uint32_t place = part ? part->next : local->thread->first_part;
    return place > 0 ? flm_local_at(local, place) : NULL;
}

static struct flm_probe_node *nodes_of(struct flm_probe_part *part)
{
    return (struct flm_probe_node *)(void *)part + 1;
}

/* Those that are timed most are timed less often; and all more often again where there is room. */
static void adjust(struct flm_probe_node *node, const struct over_budget *over)
{
    const double well_below = 0.5;
    uint64_t timed = node->timed - node->checked;
    uint32_t of = node->timed_of > 0 ? node->timed_of : 1;
    node->checked = node->timed;
    if (over->times > 1 && timed >= over->least) {
        double more = over->times < 16 ? over->times : 16;
        of = (uint32_t)((double)of * more) + 1;
    } else if (over->times < well_below) {
        of = of / 2;
    }
    node->timed_of = of < 1 ? 1 : of > MOST_TIMED_OF ? MOST_TIMED_OF : of;
    if (node->until_timed > 2 * node->timed_of)
        node->until_timed = 2 * node->timed_of;
}

static __attribute__((noinline)) void check_budget(struct flm_local *local, uint64_t now)
{
    const struct flm_probe_header *header = (const void *)local->base;
    double cost = (double)header->inside_cost + header->outside_cost; /* ticks x 256 */
    double elapsed = (double)(now - local->checked_at);
    bool is_first = local->checked_at == 0;
    uint32_t active = 0;
    local->checked_at = now;
    local->timed = 0;
    for (struct flm_probe_part *part = NULL; (part = next_part(local, part));)
        for (uint32_t i = 0; i < part->count; i++)
            active += nodes_of(part)[i].timed > nodes_of(part)[i].checked;
    struct over_budget over = {.least = CHECKED_CALLS / 2 / (active > 0 ? active : 1)};
    over.times = cost / 256 * CHECKED_CALLS / (elapsed * header->budget / 1e6 + 1);
    for (struct flm_probe_part *part = NULL; !is_first && (part = next_part(local, part));)
        for (uint32_t i = 0; i < part->count; i++)
            adjust(&nodes_of(part)[i], &over);
}

/* After a call that was timed: how many go by until the next one. */
static void choose_next(struct flm_probe_node *node, uint32_t mode, uint64_t now)
{
    struct flm_local *local = flm_local;
    node->timed++;
    if (mode & FLM_BY_BUDGET) {
        if (++local->timed >= CHECKED_CALLS)
            check_budget(local, now);
    } else {
        node->timed_of = flm_settings.timed_of;
    }
    if (node->timed_of > 1 && node->timed >= FLM_PROBE_ALL_TIMED)
        node->until_timed = chance(local, node->timed_of);
}

/* As flm_scope_left(). */
static void leave_at(struct flm_probe_open *open, struct flm_probe_node *node, uint32_t mode,
                     uint64_t now)
{
    if (open->start == FLM_PROBE_UNTIMED) {
        if (FLM_RARELY(flm_scope_has_allocated(node))) {
            flm_local_work();
            add_memory(open, node);
        }
        flm_scope_left_untimed(open, node);
        if (FLM_RARELY(flm_local->task))
            flm_task_scope_took(open, node, 0);
        return;
    }
    if (FLM_RARELY(mode & FLM_BY_SAMPLE))
        choose_next(node, mode, now);
    flm_scope_left(open, node, (struct flm_probe_meter *)(uintptr_t)open->meter, now);
}

static void leave_by_mode(struct flm_probe_open *open, struct flm_probe_node *node, uint32_t mode)
{
    uint64_t now = 0;
    if (open->start != FLM_PROBE_UNTIMED)
        now = FLM_RARELY(mode & FLM_BY_SYSTEM)  ? flm_clock_ticks()
              : FLM_RARELY(mode & FLM_IN_ORDER) ? flm_clock_counter_in_order()
                                                : flm_clock_counter();
    leave_at(open, node, mode, now);
}

void flm_scope_close(struct flm_local *local, struct flm_probe_open *open)
{
    open->start = 0;
    flm_node_see((struct flm_probe_node *)(uintptr_t)open->at);
    local->thread->left += !open->is_frame;
}

/* Scopes that were left without an end, by longjmp say, are closed with the one around them. False:
 * it is a scope of the parent process, or of another thread. */
static bool close_above(struct flm_probe_open *open)
{
    struct flm_probe_open *top = flm_top;
    if (top == open)
        return true;
    if (!top || top < open || open < &flm_local->thread->open[1])
        return false;
    if (flm_local->task)
        flm_task_unwind(open);
    for (; top > open; top--)
        flm_scope_close(flm_local, top);
    flm_top = open;
    return true;
}

void flm_scope_leave_at(struct flm_probe_open *open, uint64_t now)
{
    if (close_above(open))
        leave_at(open, (struct flm_probe_node *)(uintptr_t)open->at, flm_scope_mode, now);
}

/* Scopes of the library's own work have no start yet, or none any more. */
uint32_t flm_scope_depth(const struct flm_local *local)
{
    const struct flm_probe_thread *thread = local->thread;
    uint32_t depth = 0;
    if (flm_top)
        return (uint32_t)(flm_top - &thread->open[0]);
    while (depth < FLM_PROBE_MOST_DEPTH && thread->open[depth + 1].start > 0)
        depth++;
    return depth;
}

static void drop_work(struct flm_local *local)
{
    uint32_t depth = flm_scope_depth(local);
    flm_is_inside = 0; /* it waited to take the lock, or had given it back */
    flm_local_rest(&local->thread->open[depth]);
}

/* A jump out of waiting for a lock: it was not taken. */
static void count_no_lock(const struct flm_probe_open *open)
{
    const struct flm_probe_site *site = flm_site_record(open->site & FLM_PROBE_SITE_MASK);
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    if (site && node && site->kind == FLM_PROBE_LOCK)
        node->value[FLM_PROBE_ERRORS]++;
}

void flm_scope_jump(struct flm_probe_open *open)
{
    struct flm_local *local = flm_local;
    uint64_t now = flm_clock_ticks();
    if (!flm_top)
        drop_work(local);
    while (open && flm_top > open) {
        struct flm_probe_open *top = flm_top;
        if (local->task)
            flm_task_unwind(top - 1);
        if (top->start > 0 && !top->is_frame) {
            count_no_lock(top);
            flm_scope_leave_at(top, now);
        } else {
            top->start = 0;
            flm_top = top - 1;
        }
    }
}

void flm_scope_leave_slowly(struct flm_probe_open *open)
{
    if (FLM_RARELY(flm_top != open && flm_top && flm_local->task))
        open = flm_task_scope(open);
    if (open && close_above(open))
        leave_by_mode(open, (struct flm_probe_node *)(uintptr_t)open->at, flm_scope_mode);
}

void *flm_probe_enter(struct flm_site *site)
{
    return flm_scope_enter(site);
}

void flm_probe_leave(void *scope)
{
    flm_scope_leave(scope);
}
