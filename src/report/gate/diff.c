#include "report/gate/diff.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "gate/runs/means.h"

/* The metric that is compared, in one of the runs. */
static struct flm_metric metric_of(const struct flm_diff *d, const struct flm_profile *p)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (flm_bytes_equal(flm_string_bytes(p, p->metrics[m].name), d->metric))
            return (struct flm_metric){m};
    return (struct flm_metric){0};
}

/* What one sample counts, in the mean of all runs of the side: of n runs there are n times as many
 * samples, each of which counts an n-th. And how long a run lasts. */
static void describe(struct flm_diff *d, struct flm_diff_side *side)
{
    struct flm_sample_rule rule = {0};
    bool is_known = true;
    for (uint32_t i = 0; i < side->count; i++) {
        const struct flm_profile *p = side->profiles[i];
        flm_sample_rule_add(&rule, p, metric_of(d, p));
        double duration = flm_profile_duration_ns(p);
        side->duration_ns += duration / side->count;
        is_known = is_known && duration > 0;
    }
    side->sample = flm_sample_rule_value(&rule) / side->count;
    side->duration_ns = is_known ? side->duration_ns : 0;
}

static bool align(struct flm_diff *d, struct flm_error *why)
{
    uint32_t count = d->side[0].count + d->side[1].count, made = 0;
    struct flm_run_input *inputs = malloc(count * sizeof *inputs);
    if (!inputs)
        return flm_error_memory(why);
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < d->side[s].count; i++)
            inputs[made++] = (struct flm_run_input){.profile = d->side[s].profiles[i],
                                                    .name = d->side[s].names[i],
                                                    .is_new = s == FLM_DIFF_AFTER};
    bool good = flm_runs_init(&d->runs, inputs, count, d->how.metric, why);
    free(inputs);
    d->both = good ? flm_runs_means(&d->runs, why) : NULL;
    return d->both && flm_metric_pair_find(d->both, NULL, &d->pair, why);
}

static bool find_seen(struct flm_diff *d, struct flm_error *why)
{
    uint32_t nodes = d->runs.tree->sizes.node_count;
    struct flm_diff_side *before = &d->side[FLM_DIFF_BEFORE], *after = &d->side[FLM_DIFF_AFTER];
    if (before->count == 1 && after->count == 1)
        return true;
    before->seen = malloc(nodes * sizeof *before->seen);
    after->seen = malloc(nodes * sizeof *after->seen);
    return before->seen && after->seen
               ? flm_runs_seen(&d->runs, false, before->seen, after->seen, why)
               : flm_error_memory(why);
}

static bool find_whole(struct flm_diff *d, struct flm_error *why)
{
    bool of_base = d->how.relative == FLM_DIFF_OF_BASE;
    d->whole = 1;
    if (d->how.relative == FLM_DIFF_ABSOLUTE)
        return true;
    d->whole =
        of_base ? d->comparison.before_total * d->comparison.how.scale : d->comparison.after_total;
    return d->whole > 0 ||
           flm_error_set(why, FLM_ERROR_USAGE, "--relative-to=%s: %s has no value at all",
                         of_base ? "base" : "new", of_base ? "before" : "after");
}

static uint32_t count_stacks(const double *self, uint32_t count)
{
    uint32_t stacks = 0;
    for (uint32_t i = 0; i < count; i++)
        stacks += self[i] != 0;
    return stacks;
}

static bool compare(struct flm_diff *d, struct flm_error *why)
{
    struct flm_diff_side *before = &d->side[FLM_DIFF_BEFORE], *after = &d->side[FLM_DIFF_AFTER];
    const double *x = flm_self_column(d->both, d->pair.before.index);
    const double *y = flm_self_column(d->both, d->pair.after.index);
    uint32_t nodes = d->both->sizes.node_count;
    struct flm_comparison_options how = {.before_sample = before->sample,
                                         .after_sample = after->sample,
                                         .sigmas = d->how.no_noise ? 0 : FLM_NOISE_SIGMAS};
    d->how.normal.before_ns = before->duration_ns;
    d->how.normal.after_ns = after->duration_ns;
    if (!flm_comparison_scale(d->both, &d->pair, &d->how.normal, &how.scale, why) ||
        !flm_comparison_init(&d->comparison, nodes, d->both->node_end, x, y, &how, why))
        return false;
    before->total = d->comparison.before_total;
    after->total = d->comparison.after_total;
    before->stack_count = count_stacks(x, nodes);
    after->stack_count = count_stacks(y, nodes);
    d->similarity = flm_similarity(d->both, d->pair.before, d->pair.after);
    d->shape_similarity = flm_shape_similarity(d->both, d->pair.before, d->pair.after);
    return find_whole(d, why);
}

bool flm_diff_measure(struct flm_diff *d, struct flm_error *why)
{
    assert(d->side[0].count > 0 && d->side[1].count > 0);
    if (!align(d, why))
        return false;
    const struct flm_metric_record *metric = &d->runs.tree->metrics[d->runs.metric.index];
    d->metric = flm_string_bytes(d->runs.tree, metric->name);
    d->unit = flm_string_bytes(d->runs.tree, metric->unit);
    describe(d, &d->side[FLM_DIFF_BEFORE]);
    describe(d, &d->side[FLM_DIFF_AFTER]);
    return find_seen(d, why) && compare(d, why);
}

struct flm_profile *flm_diff_take_side(struct flm_diff *d, enum flm_diff_which which,
                                       struct flm_error *why)
{
    struct flm_diff_side *side = &d->side[which];
    struct flm_profile *one = side->profiles[0];
    if (side->count > 1)
        return flm_runs_mean(&d->runs, which == FLM_DIFF_AFTER, why);
    side->profiles[0] = NULL;
    return one;
}

void flm_diff_add_name(const struct flm_diff *d, enum flm_diff_which which, struct flm_text *out)
{
    const struct flm_diff_side *side = &d->side[which];
    if (side->count == 1)
        flm_text_puts(out, side->names[0]);
    else
        flm_text_format(out, "%u runs", side->count);
}

void flm_diff_clear(struct flm_diff *d)
{
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; d->side[s].profiles && i < d->side[s].count; i++)
            flm_profile_free(d->side[s].profiles[i]);
        free(d->side[s].profiles);
        free(d->side[s].seen);
    }
    flm_comparison_clear(&d->comparison);
    flm_profile_free(d->both);
    flm_runs_clear(&d->runs);
}
