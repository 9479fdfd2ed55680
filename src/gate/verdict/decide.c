/* decide.c - the verdict of a gate whose columns are tested. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "gate/verdict/internal.h"
#include "profile/columns.h"

/* Of the total, that has to be in tested columns. */
static const double least_covered = 0.5;

/* ---- The verdict ----------------------------------------------------------------------------- */

double flm_gate_least_change(const struct flm_judging *j)
{
    return fmax(j->options->min_effect, j->options->tolerance) * j->gate->total.base_mean;
}

static bool is_large_enough(const struct flm_judging *j, double change)
{
    double least = flm_gate_least_change(j);
    double size = j->options->side == FLM_SIDE_BOTH ? fabs(change) : change;
    return size >= least && size > 0;
}

/* Whether the product of ratio and size is above 1 (below 1), at the lower (upper) end of its
 * interval: that of a sum of two logarithms, from the intervals of both (Zou and Donner,
 * "Construction of confidence limits about effect measures", Statistics in Medicine 27, 2008). */
static bool is_measured(const struct flm_judging *j, double ratio, double end)
{
    if (!(ratio > 0) || !(end > 0) || ratio == INFINITY)
        return ratio == 0 || end == INFINITY; /* it disappeared; it appeared */
    double width = log(ratio) - log(end);
    return fabs(log(ratio) + j->size) > hypot(width, j->size_width) &&
           (log(ratio) + j->size > 0) == (width > 0);
}

/* Of a column that is significant by size alone. When all else gets faster, the shares of unchanged
 * frames grow, so it fails only if it grew as measured too: what it is of the size of a run, times
 * the size. Where the total is fixed runs have no size; then it must have grown more than what
 * others gave explains. */
static bool share_fails(const struct flm_judging *j, const struct flm_gate_column *c, double sign)
{
    if (!(sign * c->t_by_size > 0))
        return false;
    if (j->gate->total_is_fixed)
        return j->options->side == FLM_SIDE_BOTH || c->least_ratio > j->reference;
    return is_measured(j, c->ratio, sign > 0 ? c->least_ratio : c->most_ratio);
}

static bool is_failing(const struct flm_judging *j, const struct flm_gate_column *c)
{
    double change = c->new_mean - c->base_mean, sign = change > 0 ? 1 : -1;
    if (!c->is_significant || !is_large_enough(j, change))
        return false;
    if (j->gate->total_is_fixed && !j->gate->columns.has_view_by_size)
        return j->options->side == FLM_SIDE_BOTH;
    return c->by_size_only ? share_fails(j, c, sign) : sign * c->t > 0;
}

/* Of a fixed total: it took more than its part, but so did much of the program; or it is not known
 * what its part is. */
static bool is_undecided(const struct flm_judging *j, const struct flm_gate_column *c)
{
    double change = c->new_mean - c->base_mean;
    return j->gate->total_is_fixed && j->options->side == FLM_SIDE_GROWTH && c->is_significant &&
           is_large_enough(j, change) && !c->is_failing &&
           (c->t_by_size > 0 || !j->gate->columns.has_view_by_size);
}

/* A free move is no growth; it is a change, and not below a tolerance. */
static bool is_excused(const struct flm_judging *j, uint32_t node)
{
    return j->options->side == FLM_SIDE_GROWTH && !(j->options->tolerance > 0) &&
           flm_moves_has_free(&j->gate->moves, j->runs->tree, node);
}

bool flm_gate_find_items(struct flm_judging *j)
{
    struct flm_gate *gate = j->gate;
    uint32_t count = gate->columns.matrix.column_count;
    struct flm_column_finding *finding = malloc((count + (size_t)1) * sizeof *finding);
    if (!finding)
        return flm_error_memory(j->why);
    for (uint32_t i = 0; i < count; i++) {
        const struct flm_gate_column *c = &gate->column[i];
        finding[i] = (struct flm_column_finding){c->is_significant, c->new_mean - c->base_mean};
    }
    bool good = flm_attribution_init(&gate->found, j->runs, &gate->columns, finding, j->why);
    free(finding);
    return good;
}

/* Whether a column of the node or of one above it fails. */
static bool *nodes_that_fail(const struct flm_judging *j)
{
    const struct flm_profile *tree = j->runs->tree;
    bool *fails = calloc(tree->sizes.node_count, sizeof *fails);
    uint32_t end = 0;
    for (uint32_t i = 0; fails && i < tree->sizes.node_count; i++) {
        uint32_t total = j->gate->columns.total_column[i], self = j->gate->columns.self_column[i];
        if (i >= end && total != FLM_NONE && j->gate->column[total].is_failing)
            end = tree->node_end[i];
        fails[i] = i < end || (self != FLM_NONE && j->gate->column[self].is_failing);
    }
    return fails;
}

bool flm_gate_mark_failing(struct flm_judging *j)
{
    struct flm_gate *gate = j->gate;
    bool *fails = nodes_that_fail(j);
    if (!fails)
        return flm_error_memory(j->why);
    for (int alone = 1; alone >= 0 && gate->failing_count == 0; alone--) {
        for (uint32_t i = 0; i < gate->found.count; i++) {
            struct flm_item *item = &gate->found.item[i];
            bool counts = j->options->side == FLM_SIDE_BOTH ? item->change != 0 : item->change > 0;
            item->is_failing = fails[item->node] && counts && !is_excused(j, item->node) &&
                               (!alone || is_large_enough(j, item->change));
            gate->failing_count += item->is_failing;
        }
    }
    free(fails);
    return true;
}

/* What is in one run or two cannot become significant, tested or not. */
static bool repeats(const struct flm_judging *j, uint32_t column)
{
    uint32_t seen = 0, runs = j->runs->run_count;
    if (column == FLM_NONE)
        return false;
    const double *value = flm_matrix_column(&j->gate->columns.matrix, column);
    for (uint32_t r = 0; r < runs; r++)
        seen += value[r] > 0;
    return seen >= FLM_GATE_LEAST_RUNS || seen == runs;
}

/* Of the sum of all runs, how much is in tested columns. */
static double find_covered(const struct flm_judging *j)
{
    const struct flm_profile *tree = j->runs->tree;
    const struct flm_columns *columns = &j->gate->columns;
    const double *self = flm_self_column(tree, j->runs->metric.index);
    double all = 0, covered = 0;
    uint32_t end = 0;
    for (uint32_t i = 0; i < tree->sizes.node_count; i++) {
        if (i > 0 && i >= end && repeats(j, columns->total_column[i]))
            end = tree->node_end[i];
        all += self[i];
        covered += i < end || repeats(j, columns->self_column[i]) ? self[i] : 0;
    }
    return all > 0 ? covered / all : 0;
}

/* Why there is no PASS. */
static void find_doubts(struct flm_judging *j)
{
    struct flm_gate *gate = j->gate;
    const struct flm_noise_row *total = &gate->noise.total;
    uint32_t fewest =
        j->runs->base_count < j->runs->new_count ? j->runs->base_count : j->runs->new_count;
    gate->covered = find_covered(j);
    if (j->options->exact)
        return;
    gate->is_too_noisy =
        j->options->require_mde > 0 && !(total->mde <= j->options->require_mde * total->mean);
    gate->has_too_few_runs = fewest < FLM_GATE_LEAST_OF_SIDE;
    gate->is_uncovered = gate->covered < least_covered;
}

void flm_gate_decide(struct flm_judging *j)
{
    struct flm_gate *gate = j->gate;
    bool fails = gate->total.is_failing = is_failing(j, &gate->total);
    find_doubts(j);
    for (uint32_t i = 0; i < gate->columns.matrix.column_count; i++) {
        struct flm_gate_column *c = &gate->column[i];
        bool excused = is_excused(j, gate->columns.key[i].node);
        fails |= c->is_failing = is_failing(j, c) && !excused;
        gate->is_composition |= !excused && is_undecided(j, c);
    }
    bool doubts = gate->is_too_noisy || gate->is_uncovered || gate->is_composition;
    if (fails && !gate->has_too_few_runs)
        gate->verdict = FLM_VERDICT_FAIL;
    else if (gate->tolerance.is_requested && !fails)
        gate->verdict =
            gate->tolerance.is_significant && !doubts ? FLM_VERDICT_PASS : FLM_VERDICT_INCONCLUSIVE;
    else if (gate->has_too_few_runs || gate->smallest_p > j->options->alpha || doubts)
        gate->verdict = FLM_VERDICT_INCONCLUSIVE;
    else
        gate->verdict = FLM_VERDICT_PASS;
}
