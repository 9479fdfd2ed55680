#include "gate/verdict/paper.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/text.h"
#include "gate/runs/means.h"
#include "gate/runs/reduction.h"
#include "profile/columns.h"
#include "stats/distribution.h"

struct flm_paper_options flm_paper_defaults(void)
{
    return (struct flm_paper_options){
        .alpha = 0.01, .threshold = 5, .side = FLM_SIDE_GROWTH, .min_effect = 0.001};
}

struct testing {
    struct flm_paper *paper;
    const struct flm_runs *runs;
    const struct flm_paper_options *options;
    struct flm_reduction reduction;
    struct flm_matrix matrix;
    unsigned char *is_new; /* by run */
    uint32_t *tested;      /* stacks that vary; the matrix has their columns in front */
    uint32_t tested_count;
    struct flm_error *why;
};

/* ---- Which stacks ---------------------------------------------------------------------------- */

static bool refuse_few_runs(const struct testing *t)
{
    return flm_error_set(t->why, FLM_ERROR_USAGE,
                         "%u base and %u new: what differs between runs of the same program is not "
                         "known from one run: record at least 2 on each side",
                         t->runs->base_count, t->runs->new_count);
}

static bool refuse_no_stacks(const struct testing *t)
{
    if (t->reduction.distinct_count == 0)
        return flm_error_set(t->why, FLM_ERROR_USAGE,
                             "there is nothing in any of the runs: every value is 0");
    return flm_error_set(t->why, FLM_ERROR_USAGE,
                         "no stack is in %u runs: the most frequent one is in %u of %u, so "
                         "--threshold is %u at most",
                         t->options->threshold, t->reduction.stack[0].seen, t->runs->run_count,
                         t->reduction.stack[0].seen);
}

static bool is_constant(const struct testing *t, const double *column)
{
    const double *first[2] = {NULL, NULL};
    for (uint32_t r = 0; r < t->runs->run_count; r++) {
        const double **of = &first[t->is_new[r]];
        if (*of && **of != column[r])
            return false;
        *of = *of ? *of : &column[r];
    }
    return true;
}

static void take_means(const struct testing *t, const double *column, struct flm_paper_stack *stack)
{
    double sum[2] = {0, 0};
    for (uint32_t r = 0; r < t->runs->run_count; r++)
        sum[t->is_new[r]] += column[r];
    stack->base_mean = sum[0] / t->runs->base_count;
    stack->new_mean = sum[1] / t->runs->new_count;
}

static enum flm_part part_of(const struct flm_paper_stack *stack)
{
    if (stack->difference == 0)
        return FLM_PART_DELTA;
    if (stack->difference > 0)
        return stack->base_mean == 0 ? FLM_PART_APPEARED : FLM_PART_GROWN;
    return stack->new_mean == 0 ? FLM_PART_DISAPPEARED : FLM_PART_SHRUNK;
}

/* Means of every stack, which of them vary, and the columns of these to the front. */
static bool take_stacks(struct testing *t)
{
    struct flm_paper *paper = t->paper;
    uint32_t count = t->reduction.count, runs = t->runs->run_count;
    paper->stack = calloc(count + (size_t)1, sizeof *paper->stack);
    t->tested = malloc((count + (size_t)1) * sizeof *t->tested);
    if (!paper->stack || !t->tested)
        return flm_error_memory(t->why);
    paper->stack_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const double *column = flm_matrix_column(&t->matrix, i);
        struct flm_paper_stack *stack = &paper->stack[i];
        stack->node = t->reduction.stack[i].node;
        stack->seen = t->reduction.stack[i].seen;
        stack->is_constant = is_constant(t, column);
        take_means(t, column, stack);
        stack->difference = stack->new_mean - stack->base_mean;
        stack->part = part_of(stack);
        paper->constant_count += stack->is_constant;
        if (stack->is_constant)
            continue;
        memmove(flm_matrix_column(&t->matrix, t->tested_count), column, runs * sizeof(double));
        t->tested[t->tested_count++] = i;
    }
    t->matrix.column_count = t->tested_count;
    return true;
}

static bool reduce(struct testing *t)
{
    struct flm_paper *paper = t->paper;
    if (!flm_reduction_init(&t->reduction, t->runs, t->options->threshold, t->options->most,
                            t->why))
        return false;
    if (t->reduction.count == 0)
        return refuse_no_stacks(t);
    paper->distinct_count = t->reduction.distinct_count;
    paper->base_left_out = t->reduction.base_left_out;
    paper->new_left_out = t->reduction.new_left_out;
    for (uint32_t r = 0; r < t->runs->run_count; r++)
        *(t->is_new[r] ? &paper->new_total : &paper->base_total) += t->runs->run[r].total;
    paper->base_total /= t->runs->base_count;
    paper->new_total /= t->runs->new_count;
    return flm_reduction_matrix(&t->reduction, t->runs, &t->matrix, t->why) && take_stacks(t);
}

/* ---- The test -------------------------------------------------------------------------------- */

/* The least threshold that leaves so few stacks that they can be tested, and some; 0: none does. */
static uint32_t threshold_that_would_do(const struct testing *t, uint32_t *left)
{
    uint32_t most = t->runs->run_count - 2, best = 0;
    for (uint32_t i = 0; i < t->tested_count; i++) {
        uint32_t seen = t->paper->stack[t->tested[i]].seen;
        bool is_last = i + 1 == t->tested_count || t->paper->stack[t->tested[i + 1]].seen < seen;
        if (is_last && i + 1 <= most) {
            best = seen;
            *left = i + 1;
        }
    }
    return best;
}

static bool refuse_many_stacks(const struct testing *t)
{
    const struct flm_runs *runs = t->runs;
    uint32_t left = 0, threshold = threshold_that_would_do(t, &left);
    uint32_t quarter = runs->run_count / 4 > 0 ? runs->run_count / 4 : 1;
    char hint[100];
    struct flm_text text;
    flm_text_init_fixed(&text, hint, sizeof hint - 1);
    if (threshold > 0)
        flm_text_format(&text, "--threshold %u leaves %u, and ", threshold, left);
    hint[text.size] = 0;
    return flm_error_set(
        t->why, FLM_ERROR_USAGE,
        "%u stacks that vary are in at least %u runs, and of %u + %u runs Hotelling's test takes "
        "%u: %s--most %u keeps the most frequent ones, a quarter of the runs, where it has the "
        "most power",
        t->tested_count, t->options->threshold, runs->base_count, runs->new_count,
        runs->run_count - 2, hint, quarter);
}

/* The ones before it can be tested: `column` is not the first, which varies. */
static bool refuse_singular(const struct testing *t, uint32_t column)
{
    struct flm_text text = {0};
    uint32_t stack = t->tested[column];
    flm_stack_text(&text, t->runs->tree, t->paper->stack[stack].node);
    flm_text_putc(&text, 0);
    if (text.failed)
        flm_error_memory(t->why);
    else
        flm_error_set(
            t->why, FLM_ERROR_USAGE,
            "the stack %s follows from the others, run by run, as shares of one whole do, "
            "so that Hotelling's test is not defined: --most %u tests those that are more "
            "frequent than it, or leave it out with --apply",
            text.at, stack);
    flm_text_clear(&text);
    return false;
}

static bool test(struct testing *t)
{
    struct flm_paper *paper = t->paper;
    uint32_t column = 0;
    if (t->tested_count == 0)
        return true;
    switch (flm_hotelling_init(&paper->test, &t->matrix, t->is_new, &column)) {
    case FLM_HOTELLING_DONE:
        break;
    case FLM_HOTELLING_MANY_COLUMNS:
        return refuse_many_stacks(t);
    case FLM_HOTELLING_SINGULAR:
        return refuse_singular(t, column);
    case FLM_HOTELLING_FEW_RUNS:
        return refuse_few_runs(t);
    default:
        return flm_error_memory(t->why);
    }
    paper->has_test = true;
    paper->f_star = flm_f_quantile(t->options->alpha, paper->test.d1, paper->test.d2);
    for (uint32_t i = 0; i < t->tested_count; i++) {
        struct flm_paper_stack *stack = &paper->stack[t->tested[i]];
        stack->difference = paper->test.difference[i];
        stack->part = part_of(stack);
        stack->half_width = flm_hotelling_half_width(&paper->test, i, paper->f_star);
    }
    return true;
}

/* ---- The verdict ----------------------------------------------------------------------------- */

static void blame(struct testing *t)
{
    struct flm_paper *paper = t->paper;
    double least = t->options->min_effect * paper->base_total;
    for (uint32_t i = 0; i < paper->stack_count; i++) {
        struct flm_paper_stack *stack = &paper->stack[i];
        double change = stack->difference;
        stack->is_responsible = fabs(change) > stack->half_width;
        if (!stack->is_responsible)
            continue;
        double size = t->options->side == FLM_SIDE_BOTH ? fabs(change) : change;
        stack->is_failing = size > 0 && size >= least;
        paper->responsible_count++;
        paper->failing_count += stack->is_failing;
        paper->part[stack->part] += fabs(change);
        paper->part[change > 0 ? FLM_PART_PLUS : FLM_PART_MINUS] += fabs(change);
        paper->part[FLM_PART_DELTA] += change;
    }
    if (paper->failing_count > 0)
        paper->verdict = FLM_VERDICT_FAIL;
    else if (paper->has_test && paper->test.p_value < t->options->alpha &&
             paper->responsible_count == 0)
        paper->verdict = FLM_VERDICT_INCONCLUSIVE;
    else
        paper->verdict = FLM_VERDICT_PASS;
}

bool flm_paper_init(struct flm_paper *paper, const struct flm_runs *runs,
                    const struct flm_paper_options *options, struct flm_error *why)
{
    assert(paper && runs && runs->tree && options && options->alpha > 0 && options->alpha < 1);
    struct testing t = {.paper = paper,
                        .runs = runs,
                        .options = options,
                        .is_new = malloc(runs->run_count + (size_t)1),
                        .why = why};
    *paper = (struct flm_paper){0};
    bool good = t.is_new != NULL || flm_error_memory(why);
    for (uint32_t r = 0; good && r < runs->run_count; r++)
        t.is_new[r] = runs->run[r].is_new;
    if (good && (runs->base_count < 2 || runs->new_count < 2))
        good = refuse_few_runs(&t);
    good = good && reduce(&t) && test(&t);
    if (good)
        blame(&t);
    else
        flm_paper_clear(paper);
    flm_reduction_clear(&t.reduction);
    free(t.matrix.value);
    free(t.is_new);
    free(t.tested);
    return good;
}

void flm_paper_clear(struct flm_paper *paper)
{
    flm_hotelling_clear(&paper->test);
    free(paper->stack);
    *paper = (struct flm_paper){0};
}

struct flm_profile *flm_paper_blamed(const struct flm_paper *paper, const struct flm_runs *runs,
                                     struct flm_error *why)
{
    assert(paper && runs && runs->tree);
    unsigned char *keep = calloc(runs->tree->sizes.node_count, 1);
    if (!keep) {
        flm_error_memory(why);
        return NULL;
    }
    for (uint32_t i = 0; i < paper->stack_count; i++)
        keep[paper->stack[i].node] = paper->stack[i].is_responsible;
    struct flm_profile *blamed = flm_runs_means_of(runs, keep, why);
    free(keep);
    return blamed;
}
