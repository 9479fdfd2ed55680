#include "report/gate/diff.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/versioned.h"
#include "draw/text/cells.h"
#include "gate/runs/means.h"
#include "report/core/blocks.h"

/* The metric that is compared, in one of the runs. */
static struct flm_metric metric_of(const struct flm_diff *d, const struct flm_profile *p)
{
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (flm_bytes_equal(flm_string_bytes(p, p->metrics[m].name), d->metric))
            return (struct flm_metric){m};
    return (struct flm_metric){0};
}

/* The value of one sample in the mean of all runs of the side: n runs have n times as many samples,
 * each of which counts an n-th. And the duration of a run. */
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

static bool measure(struct flm_diff *d, struct flm_error *why)
{
    if (!align(d, why))
        return false;
    const struct flm_metric_record *metric = &d->runs.tree->metrics[d->runs.metric.index];
    d->metric = flm_string_bytes(d->runs.tree, metric->name);
    d->unit = flm_string_bytes(d->runs.tree, metric->unit);
    describe(d, &d->side[FLM_DIFF_BEFORE]);
    describe(d, &d->side[FLM_DIFF_AFTER]);
    return find_seen(d, why) && compare(d, why);
}

/* ---- The difference -------------------------------------------------------------------------- */

static bool fill_side(struct flm_diff_side *side, const struct flm_gate_run *runs, size_t count,
                      bool is_new)
{
    side->profiles = calloc(count + 1, sizeof *side->profiles);
    side->names = calloc(count + 1, sizeof *side->names);
    for (size_t i = 0; side->profiles && side->names && i < count; i++) {
        if (runs[i].is_new != is_new)
            continue;
        side->names[side->count] = runs[i].name ? runs[i].name : "";
        side->profiles[side->count++] = runs[i].profile;
    }
    return side->profiles && side->names;
}

static struct flm_diff_how how_of(const struct flm_diff_options *o)
{
    return (struct flm_diff_how){
        .metric = o->metric,
        .normal = {.by = o->shares ? FLM_NORMALIZE_TOTAL : o->normalize,
                   .function = flm_bytes_of(o->function ? o->function : "")},
        .relative = o->shares ? FLM_DIFF_OF_NEW : o->relative,
        .shares = o->shares,
        .no_noise = o->without_noise_test,
        .sort = (enum flm_function_order)o->sort,
        .rows = o->rows};
}

struct flm_diff *flm_diff_new(const struct flm_gate_run *runs, size_t count,
                              const struct flm_diff_options *options, struct flm_error *why)
{
    assert(runs || count == 0);
    struct flm_diff_options o;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_diff_options", why))
        return NULL;
    struct flm_diff *d = calloc(1, sizeof *d);
    if (!d) {
        flm_error_memory(why);
        return NULL;
    }
    d->how = how_of(&o);
    bool good = (fill_side(&d->side[FLM_DIFF_BEFORE], runs, count, false) &&
                 fill_side(&d->side[FLM_DIFF_AFTER], runs, count, true)) ||
                flm_error_memory(why);
    if (good && (d->side[0].count == 0 || d->side[1].count == 0))
        good = flm_error_set(why, FLM_ERROR_USAGE, "a comparison needs runs on both sides");
    if (good && measure(d, why))
        return d;
    flm_diff_free(d);
    return NULL;
}

void flm_diff_free(struct flm_diff *d)
{
    if (!d)
        return;
    for (int s = 0; s < 2; s++) {
        free(d->side[s].profiles);
        free(d->side[s].names);
        free(d->side[s].seen);
    }
    flm_comparison_clear(&d->comparison);
    flm_profile_free(d->both);
    flm_runs_clear(&d->runs);
    free(d);
}

struct flm_report *flm_report_diff(const struct flm_gate_run *runs, size_t count,
                                   const struct flm_diff_options *options, struct flm_error *why)
{
    struct flm_diff *d = flm_diff_new(runs, count, options, why);
    struct flm_report *report = d ? flm_diff_report(d, why) : NULL;
    flm_diff_free(d);
    return report;
}

void flm_diff_add_name(const struct flm_diff *d, enum flm_diff_which which, struct flm_text *out)
{
    const struct flm_diff_side *side = &d->side[which];
    if (side->count > 1)
        flm_text_format(out, "%u runs", side->count);
    else
        flm_text_add(out, flm_path_end(flm_bytes_of(side->names[0])));
}

/* ---- As profiles and pictures ---------------------------------------------------------------- */

struct flm_profile *flm_diff_mean(const struct flm_diff *d, bool of_new, struct flm_error *why)
{
    assert(d);
    return flm_runs_mean(&d->runs, of_new, why);
}

static struct flm_bytes scaled_unit(const struct flm_diff *d)
{
    static const char *const units[] = {
        [FLM_DIFF_OF_BASE] = "of before", [FLM_DIFF_OF_NEW] = "of after"};
    return d->how.shares                          ? flm_bytes_of("of the total")
           : d->how.relative == FLM_DIFF_ABSOLUTE ? d->unit
                                                  : flm_bytes_of(units[d->how.relative]);
}

struct flm_profile *flm_diff_part(const struct flm_diff *d, enum flm_diff_part part,
                                  struct flm_error *why)
{
    static const enum flm_part parts[] = {[FLM_DIFF_APPEARED] = FLM_PART_APPEARED,
                                          [FLM_DIFF_GROWN] = FLM_PART_GROWN,
                                          [FLM_DIFF_DISAPPEARED] = FLM_PART_DISAPPEARED,
                                          [FLM_DIFF_SHRUNK] = FLM_PART_SHRUNK,
                                          [FLM_DIFF_PLUS] = FLM_PART_PLUS,
                                          [FLM_DIFF_MINUS] = FLM_PART_MINUS,
                                          [FLM_DIFF_DELTA] = FLM_PART_DELTA};
    assert(d && d->both && (size_t)part < sizeof parts / sizeof parts[0]);
    return flm_part_of(d->both, &d->comparison, parts[part], d->metric, scaled_unit(d),
                       1 / d->whole, why);
}

/* Before is multiplied by the scale that makes both comparable, and both are divided by the total
 * that they are relative to. */
struct flm_profile *flm_diff_columns(const struct flm_diff *d, struct flm_error *why)
{
    assert(d && d->both);
    struct flm_text unit = {0};
    flm_text_add(&unit, scaled_unit(d));
    flm_text_putc(&unit, 0);
    double weights[2][2] = {{0}};
    weights[0][d->pair.before.index] = d->comparison.how.scale / d->whole;
    weights[1][d->pair.after.index] = 1 / d->whole;
    const struct flm_combination columns[] = {{"before", unit.at, weights[0]},
                                              {"after", unit.at, weights[1]}};
    struct flm_profile *scaled = NULL;
    if (unit.failed)
        flm_error_memory(why);
    else
        scaled = flm_combine(d->both, columns, 2, why);
    flm_text_clear(&unit);
    return scaled;
}

struct flm_profile *flm_diff_take_picture(struct flm_diff *d, struct flm_svg_options *picture)
{
    assert(d && d->both && picture);
    picture->normalize = d->how.normal.by;
    picture->before_ns = d->side[FLM_DIFF_BEFORE].duration_ns;
    picture->after_ns = d->side[FLM_DIFF_AFTER].duration_ns;
    /* The means of several runs would be tested as if they were single runs. */
    picture->without_noise_test |= d->runs.run_count > 2;
    if (d->how.relative != FLM_DIFF_ABSOLUTE && !d->how.shares && !picture->count_name) {
        picture->count_name = "%";
        picture->factor = (picture->factor == 0 ? 1 : picture->factor) * 100 / d->whole;
    }
    struct flm_profile *both = d->both;
    d->both = NULL;
    return both;
}
