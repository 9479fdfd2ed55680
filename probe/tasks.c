/* tasks.c - what is suspended, and goes on later, in another thread perhaps: flamel/probe_tasks.h.
 * Runs inside malloc and in signal handlers.
 *
 * A task that runs has a scope of its own, and above it those that it was suspended in:
 *
 *     open[]   main  loop | task  fetch  parse | read
 *                           base  held[0] [1]    since it was resumed
 *
 * When it is suspended, everything from its base on is closed, and held: the site, the time so far,
 * and where it was when the program entered it, since that is what the program gives back when it
 * leaves it, in whatever thread and depth the scope is then. Only the time of each stretch is added
 * to the node, in the thread that it was spent in; the call is counted where the scope ends, and
 * its duration is the sum.
 *
 * So a scope that was held must not be left on the fast path, which would count its last stretch as
 * its duration: its `direct` is 0. */
#include <string.h>

#include "internal.h"

#include "flamel/probe_tasks.h"

struct held {
    const void *entered; /* where it was open when the program entered it */
    uint32_t site;       /* its number */
    uint32_t is_frame;
    bool is_timed;
    uint64_t took; /* ticks that it was open */
    uint64_t allocated, allocations, function, stack;
    uint32_t caller, began_at;
};

enum { FEW_HELD = 4, MOST_HELD = FLM_PROBE_MOST_DEPTH, TAKEN = 16 };

struct flm_running {
    struct flm_site *site;
    struct flm_running *outer;   /* it runs: the one around it. It is free: the next one */
    struct flm_running *inner;   /* it is suspended: the one that was suspended with it */
    struct flm_running *with;    /* the other way around */
    struct flm_local *local;     /* of the thread that it runs in; NULL: it does not */
    struct flm_probe_open *base; /* its own scope; NULL: there was no room for one */
    uint32_t run;                /* which it belongs to; 0: it is free */
    uint32_t held_count;         /* it runs: those that are open still */
    uint32_t held_room;
    uint64_t begun, suspended; /* ticks; the latter is 0 before it ran first */
    struct held *held, few[FEW_HELD];
};

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Of all threads. Tasks are never given back to the system: a program that uses one after its end
 * writes into a task, not into something else. */
static struct flm_running *all_free;

static bool take_tasks(struct flm_local *local)
{
    flm_lock();
    for (int i = 0; i < TAKEN && all_free; i++) {
        struct flm_running *task = all_free;
        all_free = task->outer;
        task->outer = local->free_tasks;
        local->free_tasks = task;
        local->free_task_count++;
    }
    flm_unlock();
    if (local->free_tasks)
        return true;
    struct flm_running *more = flm_memory_new(TAKEN * sizeof *more);
    for (int i = 0; more && i < TAKEN; i++) {
        more[i].held = more[i].few;
        more[i].held_room = FEW_HELD;
        more[i].outer = local->free_tasks;
        local->free_tasks = &more[i];
        local->free_task_count++;
    }
    return more != NULL;
}

/* Those that begin in one thread and end in another would gather there. */
static void free_task(struct flm_local *local, struct flm_running *task)
{
    task->run = 0;
    task->outer = local->free_tasks;
    local->free_tasks = task;
    if (++local->free_task_count <= 2 * TAKEN)
        return;
    flm_lock();
    for (; local->free_task_count > TAKEN; local->free_task_count--) {
        task = local->free_tasks;
        local->free_tasks = task->outer;
        task->outer = all_free;
        all_free = task;
    }
    flm_unlock();
}

/* For all that can be open. */
static bool reach_held(struct flm_running *task, uint32_t count)
{
    if (count <= task->held_room)
        return true;
    struct held *more = flm_memory_new(MOST_HELD * sizeof *more);
    if (!more)
        return false;
    memcpy(more, task->held, task->held_count * sizeof *more);
    task->held = more;
    task->held_room = MOST_HELD;
    return true;
}

/* ---- Beginning ------------------------------------------------------------------------------- */

static void *begin(struct flm_site *site)
{
    struct flm_probe_node *node = site ? flm_node_of(site) : NULL;
    if (!node)
        return NULL;
    struct flm_local *local = flm_local;
    struct flm_probe_open *top = flm_local_work();
    struct flm_running *task = NULL;
    if (local->free_tasks || take_tasks(local)) {
        task = local->free_tasks;
        local->free_tasks = task->outer;
        local->free_task_count--;
        task->outer = task->inner = task->with = NULL;
        task->site = site;
        task->base = NULL;
        task->held_count = 0;
        task->run = flm_run.number;
        task->begun = flm_clock_ticks();
        task->suspended = 0;
        __atomic_store_n(&task->local, NULL, __ATOMIC_RELEASE);
        node->value[FLM_PROBE_AMOUNT]++;
    }
    flm_local_rest(top);
    return task;
}

void *flm_probe_task_begin(struct flm_site *site)
{
    return begin(site);
}

void *flm_probe_task_named(const char *name)
{
    return begin(flm_site_remembered(FLM_PROBE_TASK, name));
}

void *flm_probe_task_now(void)
{
    return flm_local ? flm_local->task : NULL;
}

/* ---- Scopes that are suspended --------------------------------------------------------------- */

static void add(struct flm_local *local, struct flm_running *task, enum flm_probe_quantity quantity,
                uint64_t ticks)
{
    struct flm_probe_open *top = flm_local_work();
    uint32_t number = flm_site_number(task->site);
    if (number > 0)
        flm_meter_add(local, number, quantity, ticks);
    flm_local_rest(top);
}

static void find_node(struct flm_local *local, struct flm_probe_open *open, uint32_t site)
{
    uint32_t parent = (open - 1)->node;
    uint32_t node = flm_node_child(local, parent, site & FLM_PROBE_SITE_MASK);
    open->site = site;
    open->parent = node > 0 ? parent : FLM_NO_PARENT;
    open->node = node;
    open->at = node > 0 ? (uintptr_t)flm_local_at(local, node) : 0;
    local->thread->lost_room += node == 0;
}

/* A scope that was held is the innermost one now; false: there is no room. */
static bool open_again(struct flm_local *local, const struct held *held, uint64_t now)
{
    struct flm_probe_open *open = flm_top + 1;
    if (open >= &local->thread->open[FLM_PROBE_MOST_DEPTH + 1]) {
        local->thread->lost_depth++;
        return false;
    }
    if (open->site != held->site || open->parent != (open - 1)->node) {
        struct flm_probe_open *top = flm_local_work();
        find_node(local, open, held->site);
        flm_local_rest(top);
        if (open->node == 0)
            return false;
    }
    flm_top = open;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    node->seen_allocated = node->value[FLM_PROBE_ALLOCATED] - held->allocated;
    node->seen_allocations = node->value[FLM_PROBE_ALLOCATIONS] - held->allocations;
    open->direct = 0;
    open->function = held->function;
    open->stack = held->stack;
    open->caller = held->caller;
    open->began_at = held->began_at;
    open->is_frame = (uint16_t)held->is_frame;
    open->start = held->is_timed ? now : FLM_PROBE_UNTIMED;
    return true;
}

/* It goes its own way. */
static void part(struct flm_running *task)
{
    if (task->with)
        task->with->inner = NULL;
    task->with = NULL;
}

static void resume(struct flm_local *local, struct flm_running *task)
{
    struct flm_running *inner = task->inner;
    part(task);
    task->base = flm_probe_enter(task->site);
    bool is_timed = task->base && task->base->start > FLM_PROBE_UNTIMED;
    uint64_t now = is_timed ? task->base->start : flm_clock_ticks();
    uint32_t count = 0;
    while (task->base && count < task->held_count && open_again(local, &task->held[count], now))
        count++;
    local->thread->left += task->held_count - count;
    task->held_count = count;
    task->outer = local->task;
    local->task = task;
    task->local = local;
    if (task->suspended > 0)
        add(local, task, FLM_PROBE_SUSPENDED, now - task->suspended);
    else
        add(local, task, FLM_PROBE_DELAY, now - task->begun);
    if (inner)
        resume(local, inner);
}

void flm_probe_task_resume(void *at)
{
    struct flm_running *task = at;
    if (__atomic_load_n(&task->local, __ATOMIC_ACQUIRE) || task->run != flm_run.number ||
        !FLM_PROBE_IS_ON || (!flm_top && !flm_local_begin()))
        return;
    resume(flm_local, task);
}

/* Those above the task's own are closed, and held. */
static void hold(struct flm_local *local, struct flm_running *task, uint64_t now)
{
    uint32_t count = (uint32_t)(flm_top - task->base);
    if (!reach_held(task, count)) {
        local->thread->left += count - task->held_room;
        count = task->held_room;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct flm_probe_open *open = task->base + 1 + i;
        struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
        struct held *held = &task->held[i];
        uint64_t took = open->start > FLM_PROBE_UNTIMED ? now - open->start : 0;
        bool is_new = i >= task->held_count;
        held->entered = is_new ? open : held->entered;
        held->took = (is_new ? 0 : held->took) + took;
        held->site = open->site;
        held->is_frame = open->is_frame;
        held->function = open->function;
        held->stack = open->stack;
        held->caller = open->caller;
        held->began_at = open->began_at;
        held->is_timed = open->start > FLM_PROBE_UNTIMED;
        held->allocated = node->value[FLM_PROBE_ALLOCATED] - node->seen_allocated;
        held->allocations = node->value[FLM_PROBE_ALLOCATIONS] - node->seen_allocations;
        flm_node_see(node);
        node->total += took;
    }
    task->held_count = count;
    for (struct flm_probe_open *open = flm_top; open > task->base; open--)
        open->start = 0;
    flm_top = task->base;
}

/* The innermost task of this thread; nothing is open above its scopes. */
static void suspend(struct flm_local *local, struct flm_running *task, uint64_t now)
{
    if (task->base && flm_top > task->base)
        hold(local, task, now);
    local->task = task->outer;
    task->outer = NULL;
    if (task->base)
        flm_scope_leave_at(task->base, now);
    task->base = NULL;
    task->suspended = now;
    __atomic_store_n(&task->local, NULL, __ATOMIC_RELEASE);
}

/* It runs in this thread, so those inside it do too. */
static bool runs_here(const struct flm_running *task)
{
    return flm_local && flm_top && task->local == flm_local && task->run == flm_run.number;
}

void flm_probe_task_suspend(void *at)
{
    struct flm_running *task = at, *with = NULL;
    struct flm_local *local = flm_local;
    if (!runs_here(task))
        return;
    uint64_t now = flm_clock_ticks();
    while (local->task && local->task != task) {
        struct flm_running *inner = local->task;
        suspend(local, inner, now);
        if (with)
            with->with = inner;
        inner->inner = with;
        with = inner;
    }
    if (with)
        with->with = task;
    task->inner = with;
    suspend(local, task, now);
}

static void end(struct flm_running *task, bool is_canceled)
{
    if (task->run != flm_run.number) {
        task->run = 0; /* of the process that this one was forked from */
        return;
    }
    bool is_here = runs_here(task);
    if (__atomic_load_n(&task->local, __ATOMIC_ACQUIRE) && !is_here)
        return; /* it runs in another thread, which will end it */
    if (!flm_top && !flm_local_begin())
        return;
    struct flm_local *local = flm_local;
    uint64_t now = flm_clock_ticks();
    is_canceled = is_canceled || (!is_here && (task->held_count > 0 || task->suspended == 0));
    while (is_here && local->task && local->task != task)
        suspend(local, local->task, now);
    if (is_here)
        suspend(local, task, now);
    struct flm_probe_node *node = is_canceled ? flm_node_of(task->site) : NULL;
    if (node)
        node->value[FLM_PROBE_ERRORS]++;
    if (!is_canceled)
        add(local, task, FLM_PROBE_WHOLE, now - task->begun);
    part(task);
    if (task->inner)
        part(task->inner);
    for (uint32_t i = 0; i < task->held_count; i++)
        local->thread->left += !task->held[i].is_frame;
    struct flm_probe_open *top = flm_local_work();
    free_task(local, task);
    flm_local_rest(top);
}

void flm_probe_task_end(void *task)
{
    end(task, false);
}

void flm_probe_task_cancel(void *task)
{
    end(task, true);
}

/* ---- What scopes ask ------------------------------------------------------------------------- */

uint64_t flm_task_scope_took(const struct flm_probe_open *open, struct flm_probe_node *node,
                             uint64_t took)
{
    for (struct flm_running *task = flm_local->task; task; task = task->outer) {
        if (task->held_count == 0 || open != task->base + task->held_count)
            continue;
        took += task->held[--task->held_count].took;
        if (took > node->longest)
            node->longest = took;
        break;
    }
    return took;
}

/* Scopes end in reverse order mostly, so of two that were entered at the same place the innermost
 * is meant. */
struct flm_probe_open *flm_task_scope(struct flm_probe_open *open)
{
    const struct flm_probe_open *end = flm_top + 1;
    for (struct flm_running *task = flm_local->task; task; task = task->outer) {
        if (!task->base)
            continue;
        if (open > task->base + task->held_count && open < end)
            return open;
        for (uint32_t i = task->held_count; i > 0; i--)
            if (task->held[i - 1].entered == open)
                return task->base + i;
        end = task->base;
    }
    return open < end ? open : NULL;
}

struct flm_running *flm_task_innermost(const struct flm_local *local)
{
    struct flm_running *task = local->task;
    while (task && !task->base)
        task = task->outer;
    return task;
}

struct flm_probe_open *flm_task_base(const struct flm_local *local, const struct flm_running *asked)
{
    const struct flm_running *task = local->task;
    while (task && task != asked)
        task = task->outer;
    return asked ? (task ? task->base : NULL) : &local->thread->open[0];
}

void flm_task_unwind(struct flm_probe_open *open)
{
    uint64_t now = flm_clock_ticks();
    struct flm_local *local = flm_local;
    struct flm_running *task;
    while ((task = local->task) && task->base && task->base > open) {
        local->task = task->outer;
        task->outer = NULL;
        task->base = NULL;
        task->held_count = 0;
        task->suspended = now;
        __atomic_store_n(&task->local, NULL, __ATOMIC_RELEASE);
    }
    for (task = local->task; task; task = task->outer)
        if (task->base && task->held_count > open - task->base)
            task->held_count = open > task->base ? (uint32_t)(open - task->base) : 0;
}

void flm_task_leave_thread(struct flm_local *local)
{
    uint64_t now = flm_clock_ticks();
    for (struct flm_running *task = local->task; task;) {
        struct flm_running *outer = task->outer;
        task->outer = NULL;
        task->base = NULL;
        task->held_count = 0;
        task->suspended = now;
        __atomic_store_n(&task->local, NULL, __ATOMIC_RELEASE);
        task = outer;
    }
    local->task = NULL;
    flm_lock();
    while (local->free_tasks) {
        struct flm_running *task = local->free_tasks;
        local->free_tasks = task->outer;
        task->outer = all_free;
        all_free = task;
    }
    flm_unlock();
}
