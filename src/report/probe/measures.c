/* measures.c - sums over threads and paths, by site. */
#include "report/probe/measures.h"

#include <math.h>
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/core/index.h"

bool flm_quantity_is_time(enum flm_probe_quantity quantity)
{
    return quantity != FLM_PROBE_BYTES && quantity != FLM_PROBE_COUNT &&
           quantity != FLM_PROBE_LENGTH && quantity != FLM_PROBE_LEVEL;
}

bool flm_frees_are_measured(const struct flm_probe_decoded *decoded)
{
    return decoded->header.activity[FLM_PROBE_FREEING].state != FLM_PROBE_NOT_POSSIBLE;
}

double flm_meter_unit(const struct flm_probe_decoded *decoded, enum flm_probe_quantity quantity)
{
    if (quantity == FLM_PROBE_LEVEL)
        return 1.0 / FLM_PROBE_LEVEL_ONE;
    return flm_quantity_is_time(quantity) ? flm_probe_ns(decoded, 1) : 1;
}

static double number_of(const struct flm_probe_meter *meter, uint64_t value)
{
    return meter->quantity == FLM_PROBE_LEVEL ? (double)(int64_t)value : (double)value;
}

double flm_meter_mean(const struct flm_probe_meter *meter)
{
    return meter->count > 0 ? number_of(meter, meter->total) / (double)meter->count : 0;
}

static bool has_full_bucket(const struct flm_probe_meter *meter)
{
    for (uint32_t i = 0; i < FLM_PROBE_BUCKETS; i++)
        if (meter->bucket[i] == UINT32_MAX)
            return true;
    return false;
}

/* The histogram of levels has their sizes without the sign: those of meters that were never below
 * zero. */
double flm_meter_percentile(const struct flm_probe_meter *meter, double percent)
{
    uint64_t count = 0, seen = 0, beyond = 0;
    for (uint32_t i = 0; i < FLM_PROBE_BUCKETS; i++)
        count += meter->bucket[i];
    if (count == 0)
        return 0;
    /* A bucket that is full counts no more, but the meter does: the rest is in the first one. */
    if (meter->count > count && has_full_bucket(meter)) {
        beyond = meter->count - count;
        count = meter->count;
    }
    double least = number_of(meter, meter->least), greatest = number_of(meter, meter->greatest);
    uint64_t rank = (uint64_t)ceil(percent / 100 * (double)count);
    rank = rank < 1 ? 1 : rank > count ? count : rank;
    for (uint32_t i = 0; i < FLM_PROBE_BUCKETS; i++) {
        seen += meter->bucket[i];
        if (meter->bucket[i] == UINT32_MAX && beyond > 0) {
            seen += beyond;
            beyond = 0;
        }
        if (seen < rank)
            continue;
        double start = (double)flm_probe_bucket_start(i);
        double end = i + 1 < FLM_PROBE_BUCKETS ? (double)flm_probe_bucket_start(i + 1) : start;
        double middle = end - start <= 1 ? start : (start + end) / 2;
        return fmin(fmax(middle, least), greatest);
    }
    return greatest;
}

/* ---- Sites that are one ---------------------------------------------------------------------- */

/* A function that the compiler instruments has an address, and its name by that, and no place. */
static bool is_function(const struct flm_probe_decoded *d, uint32_t i)
{
    return d->sites[i].kind == FLM_PROBE_SCOPE && d->sites[i].address > 0 &&
           d->texts[i].file.size == 0 && d->texts[i].name.size > 0;
}

/* A lock is one wherever it is taken. Others are one that are at one place: a function that is a
 * template has a site in each instance, and so has one that is inline in each library. A function
 * in a header is compiled once for each file that calls it: copies of one name are one, as they are
 * in a profile. */
static bool is_same(const struct flm_probe_decoded *d, uint32_t a, uint32_t b)
{
    const struct flm_probe_site *x = &d->sites[a], *y = &d->sites[b];
    const struct flm_probe_text *s = &d->texts[a], *t = &d->texts[b];
    bool are_functions = is_function(d, a) && is_function(d, b);
    if (x->kind != y->kind || x->operation != y->operation ||
        (x->address != y->address && !are_functions) || !flm_bytes_equal(s->name, t->name))
        return false;
    return x->kind == FLM_PROBE_LOCK ||
           (x->line == y->line && x->caller == y->caller &&
            flm_bytes_equal(s->function, t->function) && flm_bytes_equal(s->file, t->file));
}

static uint32_t hash_of(const struct flm_probe_decoded *d, uint32_t i)
{
    const struct flm_probe_site *site = &d->sites[i];
    uint64_t name = flm_hash(d->texts[i].name.at, d->texts[i].name.size);
    uint32_t line = site->kind == FLM_PROBE_LOCK ? 0 : site->line;
    uint64_t address = is_function(d, i) ? 0 : site->address;
    return flm_hash_numbers(name ^ address, (uint64_t)line << 32 | site->kind);
}

/* By site: the first one that is the same. */
static bool find_firsts(struct flm_measures *m, struct flm_error *why)
{
    const struct flm_probe_decoded *d = m->decoded;
    struct flm_index index = {0};
    bool good = true;
    for (uint32_t i = 0; i <= d->site_count && good; i++) {
        m->first[i] = i;
        uint32_t hash = i > 0 ? hash_of(d, i) : 0;
        struct flm_probe at = flm_index_probe(&index, hash);
        while (i > 0 && m->first[i] == i && flm_index_next(&index, &at))
            if (is_same(d, i, at.found))
                m->first[i] = at.found;
        if (i > 0 && m->first[i] == i)
            good = flm_index_add(&index, hash, i);
    }
    flm_index_clear(&index);
    return good || flm_error_memory(why);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* A step of a site that is in another of the same site counts there. */
static bool is_outermost(const struct flm_measures *m, const struct flm_probe_step *step)
{
    uint32_t site = m->first[step->site];
    while (step->parent != FLM_PROBE_NO_STEP) {
        step = &m->decoded->steps.at[step->parent];
        if (m->first[step->site] == site)
            return false;
    }
    return true;
}

/* A task that runs in another one is a part of that. */
static bool is_in_task(const struct flm_measures *m, const struct flm_probe_step *step)
{
    const struct flm_probe_decoded *d = m->decoded;
    while (step->parent != FLM_PROBE_NO_STEP) {
        step = &d->steps.at[step->parent];
        if (d->sites[step->site].kind == FLM_PROBE_TASK)
            return true;
    }
    return false;
}

static bool sum_steps(struct flm_measures *m, struct flm_error *why)
{
    const struct flm_probe_decoded *d = m->decoded;
    enum { TIME = FLM_PROBE_VALUES }; /* behind the values: what a step and those in it took */
    double(*total)[FLM_PROBE_VALUES + 1] = calloc(d->steps.count + 1, sizeof *total);
    if (!total)
        return flm_error_memory(why);
    for (size_t i = d->steps.count; i-- > 0;) {
        const struct flm_probe_step *step = &d->steps.at[i];
        struct flm_measure *site = &m->site[m->first[step->site]];
        bool outermost = is_outermost(m, step);
        site->calls += step->calls;
        total[i][TIME] += flm_probe_ns(d, step->self);
        site->self += flm_probe_ns(d, step->self);
        site->longest = fmax(site->longest, flm_probe_ns(d, step->longest));
        if (outermost) {
            site->total += total[i][TIME];
            site->measured_total += flm_probe_ns(d, step->total);
        }
        if (step->parent != FLM_PROBE_NO_STEP)
            total[step->parent][TIME] += total[i][TIME];
        for (uint32_t v = 0; v < FLM_PROBE_VALUES; v++) {
            total[i][v] += (double)step->value[v];
            site->value[v] += (double)step->value[v];
            if (outermost)
                site->value_total[v] += total[i][v];
            if (step->parent != FLM_PROBE_NO_STEP)
                total[step->parent][v] += total[i][v];
        }
        m->thread_allocated[step->thread] += (double)step->value[FLM_PROBE_ALLOCATED];
        m->thread_freed[step->thread] += (double)step->value[FLM_PROBE_FREED];
        if (d->sites[step->site].kind == FLM_PROBE_TASK && !is_in_task(m, step)) {
            m->thread_polls[step->thread] += (double)step->calls;
            m->thread_tasks[step->thread] += total[i][TIME];
        }
    }
    free(total);
    return true;
}

/* ---- Meters ---------------------------------------------------------------------------------- */

static bool sum_meters(struct flm_measures *m, struct flm_error *why)
{
    for (size_t i = 0; i < m->decoded->meters.count; i++) {
        const struct flm_probe_meter *from = &m->decoded->meters.at[i];
        struct flm_measure *site = &m->site[m->first[from->site]];
        struct flm_probe_meter **to = &site->meter[from->quantity];
        if (!*to && !(*to = calloc(1, sizeof **to)))
            return flm_error_memory(why);
        (*to)->quantity = from->quantity;
        flm_probe_meter_add(*to, from);
        site->threads += from->quantity == FLM_PROBE_DURATION;
    }
    return true;
}

bool flm_measures_make(struct flm_measures *measures, const struct flm_probe_decoded *decoded,
                       struct flm_error *why)
{
    *measures = (struct flm_measures){.decoded = decoded};
    measures->site = calloc((size_t)decoded->site_count + 1, sizeof *measures->site);
    measures->thread_allocated = calloc(decoded->threads.count + 1, sizeof(double));
    measures->thread_freed = calloc(decoded->threads.count + 1, sizeof(double));
    measures->thread_polls = calloc(decoded->threads.count + 1, sizeof(double));
    measures->thread_tasks = calloc(decoded->threads.count + 1, sizeof(double));
    measures->first = calloc((size_t)decoded->site_count + 1, sizeof *measures->first);
    if (!measures->site || !measures->first || !measures->thread_allocated ||
        !measures->thread_freed || !measures->thread_polls || !measures->thread_tasks)
        return flm_error_memory(why);
    uint64_t start = decoded->header.start_ticks, last = decoded->last_ticks;
    measures->elapsed = last > start ? flm_probe_ns(decoded, (double)(last - start)) : 0;
    for (size_t i = 0; i < decoded->threads.count; i++)
        measures->cpu += (double)decoded->threads.at[i].kernel.user_ns +
                         (double)decoded->threads.at[i].kernel.system_ns;
    return find_firsts(measures, why) && sum_steps(measures, why) && sum_meters(measures, why);
}

void flm_measures_clear(struct flm_measures *measures)
{
    for (uint32_t i = 0; measures->site && i <= measures->decoded->site_count; i++)
        for (uint32_t q = 0; q < FLM_PROBE_QUANTITIES; q++)
            free(measures->site[i].meter[q]);
    free(measures->site);
    free(measures->first);
    free(measures->thread_allocated);
    free(measures->thread_freed);
    free(measures->thread_polls);
    free(measures->thread_tasks);
    *measures = (struct flm_measures){0};
}
