#include "serve/scrape/delta.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/core/bytes.h"
#include "flamel/algebra.h"

bool flm_delta_is_gauge(struct flm_name metric)
{
    static const char *const gauges[] = {"goroutine", "goroutines", "threadcreate"};
    struct flm_bytes name = {metric.at, metric.size};
    for (size_t i = 0; i < sizeof gauges / sizeof gauges[0]; i++)
        if (flm_bytes_are(name, gauges[i]))
            return true;
    return flm_bytes_start_with(name, "inuse_");
}

enum { LONGEST = 200 };

struct column {
    char name[LONGEST], unit[LONGEST];
    bool is_gauge;
    struct flm_metric before, now; /* of the aligned profile */
};

static void copy(char out[LONGEST], struct flm_name name)
{
    snprintf(out, LONGEST, "%.*s", (int)(name.size < LONGEST ? name.size : LONGEST - 1), name.at);
}

static void describe(const struct flm_profile *p, uint32_t m, struct column *column)
{
    const struct flm_metric_record *record = flm_profile_metric(p, (struct flm_metric){m});
    struct flm_name name = flm_profile_string(p, (struct flm_string){record->name});
    copy(column->name, name);
    copy(column->unit, flm_profile_string(p, (struct flm_string){record->unit}));
    column->is_gauge = flm_delta_is_gauge(name);
}

static bool has_same_metrics(const struct flm_profile *a, const struct flm_profile *b)
{
    uint32_t count = flm_profile_metric_count(a);
    if (count != flm_profile_metric_count(b))
        return false;
    for (uint32_t m = 0; m < count; m++) {
        struct column x, y;
        describe(a, m, &x);
        describe(b, m, &y);
        if (strcmp(x.name, y.name) != 0 || strcmp(x.unit, y.unit) != 0)
            return false;
    }
    return true;
}

static bool fell(const struct flm_profile *both, const struct column *column)
{
    const double *before = flm_profile_self(both, column->before),
                 *now = flm_profile_self(both, column->now);
    for (uint32_t i = 0; !column->is_gauge && i < flm_profile_node_count(both); i++)
        if (now[i] < before[i])
            return true;
    return false;
}

/* The columns of `p`: of gauges as they are now; of counters what they have more, or, without
 * `before`, nothing. */
static struct flm_profile *combine(const struct flm_profile *p, const struct column *columns,
                                   uint32_t count, bool has_before, struct flm_error *why)
{
    const uint32_t width = flm_profile_metric_count(p);
    struct flm_combination *to = calloc(count + 1, sizeof *to);
    double *weights = calloc((size_t)count * width + 1, sizeof *weights);
    struct flm_profile *out = NULL;
    for (uint32_t m = 0; to && weights && m < count; m++) {
        double *weight = weights + (size_t)m * width;
        to[m] = (struct flm_combination){columns[m].name, columns[m].unit, weight};
        if (columns[m].is_gauge || has_before)
            weight[columns[m].now.index] = 1;
        if (!columns[m].is_gauge && has_before)
            weight[columns[m].before.index] = -1;
    }
    if (to && weights)
        out = flm_combine(p, to, count, why);
    else
        flm_error_memory(why);
    free(to);
    free(weights);
    return out;
}

static struct flm_profile *difference(const struct flm_profile *previous,
                                      const struct flm_profile *now, struct column *columns,
                                      bool *was_reset, struct flm_error *why)
{
    static const char *const names[] = {"before", "now"};
    const struct flm_profile *const pair[] = {previous, now};
    const uint32_t count = flm_profile_metric_count(now);
    struct flm_profile *both = flm_align(pair, 2, FLM_ALIGN_SIDE_BY_SIDE, names, why);
    if (!both)
        return NULL;
    for (uint32_t m = 0; m < count; m++) {
        columns[m].before = (struct flm_metric){m};
        columns[m].now = (struct flm_metric){count + m};
        *was_reset |= fell(both, &columns[m]);
    }
    /* Of a new process everything came since: nothing of the old one is taken from it. */
    struct flm_profile *out = *was_reset ? flm_align(&now, 1, FLM_ALIGN_ADD, NULL, why)
                                         : combine(both, columns, count, true, why);
    flm_profile_free(both);
    return out;
}

struct flm_profile *flm_delta(const struct flm_profile *previous, const struct flm_profile *now,
                              bool *was_reset, struct flm_error *why)
{
    const uint32_t count = flm_profile_metric_count(now);
    struct column *columns = calloc(count + 1, sizeof *columns);
    struct flm_profile *out = NULL;
    *was_reset = false;
    for (uint32_t m = 0; columns && m < count; m++) {
        describe(now, m, &columns[m]);
        columns[m].now = (struct flm_metric){m};
    }
    if (!columns)
        flm_error_memory(why);
    else if (!previous || !has_same_metrics(previous, now))
        out = combine(now, columns, count, false, why);
    else
        out = difference(previous, now, columns, was_reset, why);
    free(columns);
    return out;
}
