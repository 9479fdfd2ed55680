#include "gate/runs/means.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/subset.h"

/* The sum first: it is exact where values are integers, and then rounded once. `keep` may be NULL.
 */
static double *mean_of(const struct flm_runs *runs, bool of_new, const unsigned char *keep)
{
    uint32_t nodes = runs->tree->sizes.node_count;
    uint32_t count = of_new ? runs->new_count : runs->base_count;
    double *mean = calloc(nodes, sizeof *mean);
    if (!mean)
        return NULL;
    for (uint32_t r = 0; r < runs->run_count; r++) {
        const struct flm_run *run = &runs->run[r];
        for (size_t i = run->first; run->is_new == of_new && i < run->first + run->count; i++)
            mean[runs->node[i]] += runs->value[i];
    }
    for (uint32_t i = 0; i < nodes; i++)
        mean[i] = keep && !keep[i] ? 0 : count > 1 ? mean[i] / count : mean[i];
    return mean;
}

double *flm_runs_mean_values(const struct flm_runs *runs, bool of_new)
{
    assert((of_new ? runs->new_count : runs->base_count) > 0);
    return mean_of(runs, of_new, NULL);
}

static struct flm_profile *with_columns(const struct flm_runs *runs, struct flm_column *columns,
                                        size_t count, struct flm_error *why)
{
    struct flm_profile *result = NULL;
    bool room = true;
    for (size_t i = 0; i < count; i++)
        room = room && columns[i].self;
    if (room)
        result = flm_subset(runs->tree, columns, count, NULL, why);
    else
        flm_error_memory(why);
    for (size_t i = 0; i < count; i++)
        free(columns[i].self);
    return result;
}

static struct flm_bytes text_of(const struct flm_runs *runs, uint32_t string)
{
    return flm_string_bytes(runs->tree, string);
}

struct flm_profile *flm_runs_means_of(const struct flm_runs *runs, const unsigned char *keep,
                                      struct flm_error *why)
{
    assert(runs->base_count > 0 && runs->new_count > 0);
    struct flm_bytes unit = text_of(runs, runs->tree->metrics[runs->metric.index].unit);
    struct flm_column columns[2] = {
        {.name = flm_bytes_of("before"), .unit = unit, .self = mean_of(runs, false, keep)},
        {.name = flm_bytes_of("after"), .unit = unit, .self = mean_of(runs, true, keep)}};
    return with_columns(runs, columns, 2, why);
}

struct flm_profile *flm_runs_means(const struct flm_runs *runs, struct flm_error *why)
{
    return flm_runs_means_of(runs, NULL, why);
}

struct flm_profile *flm_runs_mean(const struct flm_runs *runs, bool of_new, struct flm_error *why)
{
    const struct flm_metric_record *metric = &runs->tree->metrics[runs->metric.index];
    struct flm_column column = {.name = text_of(runs, metric->name),
                                .unit = text_of(runs, metric->unit),
                                .self = mean_of(runs, of_new, NULL)};
    return with_columns(runs, &column, 1, why);
}
