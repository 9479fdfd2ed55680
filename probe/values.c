/* values.c - values, counters and frames: flamel/probe_values.h. Runs inside malloc and in signal
 * handlers. */
#include <math.h>
#include <string.h>

#include "internal.h"

#include "flamel/probe_values.h"

/* ---- Values ---------------------------------------------------------------------------------- */

/* False: it is none, or too large. Comparisons with what is not a number are false. */
static bool to_level(double value, int64_t *level)
{
    const double most = 9223372036854774784.0; /* the last double below 2^63 */
    double scaled = value * FLM_PROBE_LEVEL_ONE;
    if (!(scaled >= -most && scaled <= most))
        return false;
    *level = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    return true;
}

static void lose(void)
{
    if (flm_top || flm_local_begin())
        flm_local->thread->lost_values++;
}

static struct flm_probe_history *history_of(struct flm_local *local, struct flm_probe_meter *meter)
{
    if (meter->history == 0) {
        flm_lock();
        uint32_t place = flm_arena_take(&flm_run.arena, sizeof(struct flm_probe_history));
        flm_unlock();
        __atomic_store_n(&meter->history, place, __ATOMIC_RELEASE);
    }
    return meter->history > 0 ? flm_local_at(local, meter->history) : NULL;
}

/* A reader that comes between sees the value that was there before, or this one. */
static void remember(struct flm_probe_history *history, uint64_t ticks, uint64_t value)
{
    uint64_t n = history->count % FLM_PROBE_HISTORY;
    history->at[n].ticks = ticks;
    history->at[n].value = value;
    __atomic_store_n(&history->count, history->count + 1, __ATOMIC_RELEASE);
}

static void add_level(struct flm_site *site, int64_t level)
{
    if (!flm_top && !flm_local_begin())
        return;
    struct flm_local *local = flm_local;
    struct flm_probe_open *top = flm_local_work();
    uint64_t now = flm_clock_ticks();
    uint32_t number = flm_site_number(site);
    struct flm_probe_meter *meter =
        number > 0 ? flm_meter_of(local, number, FLM_PROBE_LEVEL) : NULL;
    if (meter) {
        struct flm_probe_history *history = history_of(local, meter);
        flm_meter_add(local, number, FLM_PROBE_LEVEL, (uint64_t)level);
        meter->last_ticks = now;
        if (history)
            remember(history, now, (uint64_t)level);
    }
    flm_local_rest(top);
}

void flm_probe_value(struct flm_site *site, double value)
{
    int64_t level;
    if (to_level(value, &level))
        add_level(site, level);
    else
        lose();
}

/* ---- Gauges ---------------------------------------------------------------------------------- */

struct gauge {
    struct flm_site *site;
    int64_t level;
    struct gauge *next;
};

enum { GAUGES_AT_ONCE = 128 };

/* By name, since what goes up in one place of the program goes down in another. */
static struct gauge *all_gauges;
static struct {
    struct gauge *at;
    uint32_t left;
} room;

static struct gauge *find_gauge(struct flm_gauge *here)
{
    struct gauge *gauge = __atomic_load_n(&here->gauge, __ATOMIC_ACQUIRE);
    if (gauge)
        return gauge;
    struct flm_site *site = flm_site_named(FLM_PROBE_VALUE, FLM_PROBE_VALUE_GAUGE, here->name,
                                           strlen(here->name), NULL);
    if (!site)
        return NULL;
    struct flm_probe_open *top = flm_local_work();
    flm_lock();
    for (gauge = all_gauges; gauge && gauge->site != site;)
        gauge = gauge->next;
    if (!gauge && room.left == 0 && (room.at = flm_memory_new(GAUGES_AT_ONCE * sizeof *room.at)))
        room.left = GAUGES_AT_ONCE;
    if (!gauge && room.left > 0) {
        gauge = &room.at[--room.left];
        gauge->site = site;
        gauge->next = all_gauges;
        all_gauges = gauge;
    }
    flm_unlock();
    flm_local_rest(top);
    __atomic_store_n(&here->gauge, gauge, __ATOMIC_RELEASE);
    return gauge;
}

void flm_probe_gauge(struct flm_gauge *here, double value)
{
    int64_t level;
    struct gauge *gauge = to_level(value, &level) ? find_gauge(here) : NULL;
    if (!gauge) {
        lose();
        return;
    }
    __atomic_store_n(&gauge->level, level, __ATOMIC_RELAXED);
    add_level(gauge->site, level);
}

void flm_probe_gauge_add(struct flm_gauge *here, double change)
{
    int64_t level;
    struct gauge *gauge = to_level(change, &level) ? find_gauge(here) : NULL;
    if (!gauge) {
        lose();
        return;
    }
    uint64_t now = (uint64_t)__atomic_fetch_add(&gauge->level, level, __ATOMIC_RELAXED);
    add_level(gauge->site, (int64_t)(now + (uint64_t)level));
}

/* ---- Counters -------------------------------------------------------------------------------- */

/* The clock is read for the history, so of many not each is in it. */
static void add_to_history(struct flm_local *local, struct flm_probe_meter *meter)
{
    enum { FIRST = FLM_PROBE_HISTORY, EACH = 64 };
    if (meter->count > FIRST && meter->count % EACH != 0)
        return;
    struct flm_probe_history *history = history_of(local, meter);
    meter->last_ticks = flm_clock_ticks();
    if (history)
        remember(history, meter->last_ticks, meter->total);
}

void flm_probe_count(struct flm_site *site, uint64_t count)
{
    struct flm_probe_node *node = flm_node_of(site);
    if (!node)
        return;
    node->calls++;
    node->value[FLM_PROBE_AMOUNT] += count;
    struct flm_local *local = flm_local;
    struct flm_probe_open *top = flm_local_work();
    flm_meter_add(local, site->number, FLM_PROBE_COUNT, count);
    struct flm_probe_meter *meter = flm_meter_of(local, site->number, FLM_PROBE_COUNT);
    if (meter)
        add_to_history(local, meter);
    flm_local_rest(top);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* From the innermost scope on; none of those that a task was resumed in. */
static struct flm_probe_open *find_frame(const struct flm_site *site)
{
    struct flm_probe_open *open = flm_top;
    const struct flm_probe_open *end = flm_task_base(flm_local, flm_task_innermost(flm_local));
    for (; open > end; open--)
        if (open->is_frame && (!site || open->site == site->number))
            return open;
    return NULL;
}

/* By name: a frame may be marked in several places. */
void flm_probe_frame(struct flm_site *here)
{
    struct flm_site *site = flm_site_remembered(FLM_PROBE_FRAME, here->name);
    if (!site)
        return;
    struct flm_probe_open *last = find_frame(site);
    if (last)
        flm_scope_leave_at(last, flm_clock_ticks());
    struct flm_probe_open *open = flm_probe_enter(site);
    if (open)
        open->is_frame = 1;
}

/* The scopes that are open in it are left open: they are closed with it. */
void flm_probe_frame_end(void)
{
    struct flm_probe_open *open = flm_top && flm_local ? find_frame(NULL) : NULL;
    if (!open)
        return;
    if (flm_local->task)
        flm_task_unwind(open - 1);
    for (struct flm_probe_open *top = flm_top; top >= open; top--)
        flm_scope_close(flm_local, top);
    flm_top = open - 1;
}
