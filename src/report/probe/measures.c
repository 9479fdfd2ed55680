/* measures.c - sums over threads and paths, by site. */
#include "report/probe/measures.h"

#include <math.h>
#include <stdlib.h>

bool flm_quantity_is_time(enum flm_probe_quantity quantity)
{
    return quantity != FLM_PROBE_BYTES && quantity != FLM_PROBE_COUNT &&
           quantity != FLM_PROBE_LENGTH && quantity != FLM_PROBE_LEVEL;
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

static bool is_same_lock(const struct flm_probe_decoded *d, uint32_t a, uint32_t b)
{
    const struct flm_probe_site *x = &d->sites[a], *y = &d->sites[b];
    return y->kind == FLM_PROBE_LOCK && x->operation == y->operation && x->address == y->address &&
           flm_bytes_equal(d->texts[a].name, d->texts[b].name);
}

/* By site: the first one of the same lock; every other site is itself. */
static void find_firsts(struct flm_measures *m)
{
    const struct flm_probe_decoded *d = m->decoded;
    uint32_t last = 0; /* the last one that is the first of its lock; they form a list */
    for (uint32_t i = 0; i <= d->site_count; i++) {
        m->first[i] = i;
        if (d->sites[i].kind != FLM_PROBE_LOCK || i == 0)
            continue;
        uint32_t other = last;
        while (other > 0 && !is_same_lock(d, i, other))
            other = m->before[other];
        m->first[i] = other > 0 ? other : i;
        if (other == 0) {
            m->before[i] = last;
            last = i;
        }
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* A step of a site that is in another of the same site counts there. */
static bool is_outermost(const struct flm_probe_decoded *d, const struct flm_probe_step *step)
{
    uint32_t site = step->site;
    while (step->parent != FLM_PROBE_NO_STEP) {
        step = &d->steps.at[step->parent];
        if (step->site == site)
            return false;
    }
    return true;
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
        bool outermost = is_outermost(d, step);
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
    measures->first = calloc((size_t)decoded->site_count + 1, sizeof *measures->first);
    measures->before = calloc((size_t)decoded->site_count + 1, sizeof *measures->before);
    if (!measures->site || !measures->first || !measures->before || !measures->thread_allocated ||
        !measures->thread_freed)
        return flm_error_memory(why);
    uint64_t start = decoded->header.start_ticks, last = decoded->last_ticks;
    measures->elapsed = last > start ? flm_probe_ns(decoded, (double)(last - start)) : 0;
    for (size_t i = 0; i < decoded->threads.count; i++)
        measures->cpu += (double)decoded->threads.at[i].kernel.user_ns +
                         (double)decoded->threads.at[i].kernel.system_ns;
    find_firsts(measures);
    return sum_steps(measures, why) && sum_meters(measures, why);
}

void flm_measures_clear(struct flm_measures *measures)
{
    for (uint32_t i = 0; measures->site && i <= measures->decoded->site_count; i++)
        for (uint32_t q = 0; q < FLM_PROBE_QUANTITIES; q++)
            free(measures->site[i].meter[q]);
    free(measures->site);
    free(measures->first);
    free(measures->before);
    free(measures->thread_allocated);
    free(measures->thread_freed);
    *measures = (struct flm_measures){0};
}
