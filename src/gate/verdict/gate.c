#include "gate/verdict/gate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "gate/verdict/exact.h"
#include "gate/verdict/fixed_total.h"
#include "gate/verdict/internal.h"
#include "profile/columns.h"
#include "stats/distribution.h"
#include "stats/welch.h"

static const double columns_part = 0.8, total_part = 0.2; /* of alpha */

/* Below this mean a column is left out (test_columns.h). Where the size of a sample is not known:
 * a tenth of the default min_effect, of the total. */
static const double least_samples = 5, least_share = 1e-4;
enum { NOISE_ROWS = 5 };

struct flm_gate_options flm_gate_defaults(void)
{
    return (struct flm_gate_options){.alpha = 0.01,
                                     .permutations = 9999,
                                     .seed = 1,
                                     .side = FLM_SIDE_GROWTH,
                                     .min_effect = 0.001,
                                     .wanted = 0.01};
}

static double part_of_columns(const struct flm_judging *j)
{
    return j->options->absolute_only ? 1 : columns_part;
}

/* ---- Whether there is anything to test ------------------------------------------------------- */

static double mean_total(const struct flm_runs *runs)
{
    double sum = 0;
    for (uint32_t i = 0; i < runs->run_count; i++)
        sum += runs->run[i].total;
    return sum / runs->run_count;
}

static bool check_runs(const struct flm_runs *runs, bool exact, struct flm_error *why)
{
    if (!exact && (runs->base_count < 2 || runs->new_count < 2))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "%u base and %u new: what differs between runs of the same program is "
                             "not known from one run, so significance needs at least 2 on each "
                             "side, and a usable gate 8",
                             runs->base_count, runs->new_count);
    if (!(mean_total(runs) > 0))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "there is nothing in any of the runs: every value is 0");
    return true;
}

/* ---- Which permutations there are ------------------------------------------------------------ */

static bool has_blocks(const struct flm_runs *runs)
{
    for (uint32_t i = 1; i < runs->run_count; i++)
        if (runs->run[i].block != runs->run[0].block)
            return true;
    return false;
}

static bool make_labels(struct flm_judging *j)
{
    const struct flm_runs *runs = j->runs;
    uint32_t *block = malloc(runs->run_count * sizeof *block);
    if (!block)
        return flm_error_memory(j->why);
    for (uint32_t i = 0; i < runs->run_count; i++) {
        j->is_new[i] = runs->run[i].is_new;
        block[i] = runs->run[i].block;
    }
    bool good = flm_permutations_init(&j->permutations, runs->run_count, j->is_new,
                                      has_blocks(runs) ? block : NULL, j->options->permutations,
                                      j->options->seed, j->why);
    free(block);
    return good;
}

/* Where every block has as many base as new runs, each permutation is followed by the one that
 * exchanges base and new: |t| is the same. */
static bool has_mirrors(const struct flm_runs *runs)
{
    for (uint32_t i = 0; i < runs->run_count; i++) {
        int balance = 0;
        for (uint32_t k = 0; k < runs->run_count; k++)
            if (runs->run[k].block == runs->run[i].block)
                balance += runs->run[k].is_new ? 1 : -1;
        if (balance != 0)
            return false;
    }
    return true;
}

uint32_t flm_gate_least_runs(double alpha, bool in_blocks)
{
    enum { MOST = 64 };
    double part = alpha * columns_part, permutations = 2; /* n + n runs, n of them new */
    uint32_t n = 1;
    for (; n < MOST && 2 / permutations > part; n++) {
        if (!in_blocks)
            permutations *= 2 * (2 * n + 1.0) / (n + 1.0);
        else /* the second run of each makes 6 ways of 2 */
            permutations *= n % 2 ? 3 : 2;
    }
    return n > FLM_GATE_LEAST_OF_SIDE ? n : FLM_GATE_LEAST_OF_SIDE;
}

static void find_smallest_p(struct flm_judging *j, double part)
{
    const struct flm_permutations *permutations = &j->permutations;
    double ways = permutations->is_complete && has_mirrors(j->runs) ? 2 : 1;
    double p =
        permutations->is_complete ? ways / permutations->count : 1 / (1.0 + permutations->count);
    j->gate->permutations = permutations->count;
    j->gate->is_complete = permutations->is_complete;
    j->gate->smallest_p = fmin(1, p / part);
    j->gate->least_runs =
        flm_gate_least_runs(j->options->alpha * part / columns_part, has_blocks(j->runs));
    if (1 / (1.0 + j->options->permutations) / part > j->options->alpha)
        j->gate->least_runs = 0;
}

/* ---- Columns and total ----------------------------------------------------------------------- */

/* How far from its mean the interval of a difference reaches. Where the noise of the sides differs,
 * as far as by theory at least: `tests` of them hold together with the probability 1 - alpha. */
static double half_width(const struct flm_judging *j, const double *value, double critical,
                         double tests, double alpha)
{
    uint32_t runs = j->runs->run_count;
    struct flm_welch w = flm_welch_test(value, runs, j->is_new, j->gate->unit);
    double half = w.error > 0 ? critical * w.error : 0;
    if (!j->gate->sides.is_unequal)
        return half;
    w = flm_welch_cautious(value, runs, j->is_new, j->gate->unit);
    return w.error > 0 ? fmax(half, flm_t_quantile(alpha / 2 / tests, w.nu) * w.error) : half;
}

/* p of a permutation test; where the noise of the sides differs, by theory too (unequal.h). */
static double cautious_p(const struct flm_judging *j, double p, const double *value, double tests)
{
    if (!j->gate->sides.is_unequal)
        return p;
    struct flm_welch w = flm_welch_cautious(value, j->runs->run_count, j->is_new, j->gate->unit);
    return fmin(1, fmax(p, tests * w.p));
}

/* Means and interval of the raw values. */
static struct flm_gate_column describe(const struct flm_judging *j, const double *value,
                                       double critical, double tests, double alpha)
{
    struct flm_welch raw = flm_welch_test(value, j->runs->run_count, j->is_new, j->gate->unit);
    double change = raw.new_mean - raw.base_mean;
    double half = half_width(j, value, critical, tests, alpha);
    return (struct flm_gate_column){.base_mean = raw.base_mean,
                                    .new_mean = raw.new_mean,
                                    .low = change - half,
                                    .high = change + half};
}

static bool run_maxt(const struct flm_judging *j, const struct flm_matrix *ready,
                     struct flm_maxt *maxt)
{
    struct flm_maxt_options how = {j->gate->unit, FLM_SIDE_BOTH, j->options->threads};
    return flm_maxt_init(maxt, ready, j->is_new, &j->permutations, &how, j->why);
}

static bool test_total(struct flm_judging *j)
{
    struct flm_gate *gate = j->gate;
    uint32_t count = j->runs->run_count;
    double *value = malloc(2 * count * sizeof *value);
    struct flm_matrix ready = {count, 1, value};
    struct flm_maxt maxt = {0};
    if (!value)
        return flm_error_memory(j->why);
    for (uint32_t i = 0; i < count; i++)
        value[i] = j->runs->run[i].total;
    const struct flm_winsorizing how = {gate->unit, flm_runs_most_outliers(j->runs)};
    flm_column_prepare(value, count, how, value + count);
    bool good = run_maxt(j, &ready, &maxt);
    double p = good ? cautious_p(j, maxt.p[0], value, 1) : 1;
    for (uint32_t i = 0; i < count; i++)
        value[i] = j->runs->run[i].total;
    if (good) {
        double alpha = j->options->alpha * total_part;
        gate->total_needed = flm_maxt_critical(&maxt, alpha);
        gate->total = describe(j, value, gate->total_needed, 1, alpha);
        gate->total.t = maxt.t[0];
        gate->total.p = j->options->absolute_only ? 1 : fmin(1, p / total_part);
        gate->total.is_significant = gate->total.p <= j->options->alpha;
    }
    flm_maxt_clear(&maxt);
    free(value);
    return good;
}

/* How many times as large new is as base by size, at least and at most: with the confidence of the
 * whole family, as the interval has the width of its t. */
static void describe_by_size(const struct flm_judging *j, const double *value, double tests,
                             struct flm_gate_column *c)
{
    struct flm_welch w = flm_welch_test(value, j->runs->run_count, j->is_new, j->gate->unit);
    double alpha = j->options->alpha * part_of_columns(j);
    double half = half_width(j, value, j->gate->needed, tests, alpha);
    double change = w.new_mean - w.base_mean;
    c->ratio = w.new_mean / w.base_mean;
    c->least_ratio = (w.base_mean + change - half) / w.base_mean;
    c->most_ratio = (w.base_mean + change + half) / w.base_mean;
    if (!(w.base_mean > 0)) {
        c->ratio = INFINITY;
        c->least_ratio = change > half ? INFINITY : 0;
        c->most_ratio = INFINITY;
    }
}

static void describe_columns(struct flm_judging *j, const struct flm_matrix *ready,
                             const struct flm_maxt *maxt)
{
    struct flm_gate *gate = j->gate;
    uint32_t count = gate->columns.matrix.column_count, tests = ready->column_count;
    bool by_size = tests > count;
    double part = part_of_columns(j), alpha = j->options->alpha;
    for (uint32_t i = 0; i < count; i++) {
        struct flm_gate_column *c = &gate->column[i];
        *c = describe(j, flm_matrix_column(&gate->columns.matrix, i), gate->critical, tests, alpha);
        double measured = cautious_p(j, maxt->p[i], flm_matrix_column(ready, i), tests);
        double p = measured;
        c->t = maxt->t[i];
        if (by_size) {
            const double *value = flm_matrix_column(ready, count + i);
            double of_share = cautious_p(j, maxt->p[count + i], value, tests);
            p = gate->total_is_fixed ? of_share : fmin(measured, of_share);
            measured = gate->total_is_fixed ? 1 : measured;
            c->t_by_size = maxt->t[count + i];
            describe_by_size(j, value, tests, c);
        }
        c->p = fmin(1, p / part);
        c->is_significant = c->p <= alpha;
        c->by_size_only = c->is_significant && measured / part > alpha;
    }
}

/* By how much the runs of new are larger or smaller than those of base: the ratio of their size
 * factors, with the confidence of the total, as it is another measure of that. One-sided where
 * growth alone fails. */
static bool find_sizes(struct flm_judging *j)
{
    uint32_t count = j->runs->run_count;
    double *size = malloc(2 * count * sizeof *size);
    if (!size)
        return flm_error_memory(j->why);
    for (uint32_t r = 0; r < count; r++)
        size[r] = log(j->gate->columns.size_factor[r]);
    const struct flm_winsorizing how = {0, flm_runs_most_outliers(j->runs)};
    flm_column_winsorize(size, count, how, size + count);
    struct flm_welch w = flm_welch_test(size, count, j->is_new, 0);
    double tail = j->options->alpha * total_part / (j->options->side == FLM_SIDE_BOTH ? 2 : 1);
    j->size = w.new_mean - w.base_mean;
    j->size_width = w.error > 0 ? flm_t_quantile(tail, w.nu) * w.error : 0;
    free(size);
    return true;
}

static bool find_reference(struct flm_judging *j, const struct flm_matrix *ready)
{
    uint32_t count = j->gate->columns.matrix.column_count;
    j->reference = INFINITY;
    if (!j->gate->total_is_fixed || ready->column_count == count)
        return true;
    struct flm_matrix by_size = {ready->run_count, count,
                                 ready->value + (size_t)count * ready->run_count};
    return flm_fixed_reference(&j->gate->columns, &by_size, j->is_new, &j->reference, j->why);
}

static bool test_prepared(struct flm_judging *j, const struct flm_matrix *ready)
{
    struct flm_gate *gate = j->gate;
    struct flm_maxt maxt = {0};
    bool good = run_maxt(j, ready, &maxt) && find_reference(j, ready) &&
                (ready->column_count == gate->columns.matrix.column_count || find_sizes(j));
    if (good) {
        gate->critical = flm_maxt_critical(&maxt, j->options->alpha);
        gate->needed = flm_maxt_critical(&maxt, j->options->alpha * part_of_columns(j));
        describe_columns(j, ready, &maxt);
    }
    flm_maxt_clear(&maxt);
    return good;
}

/* Prepares the columns, and looks first whether the sides are alike, and whether the total is
 * fixed. */
static bool test_all(struct flm_judging *j)
{
    struct flm_gate *gate = j->gate;
    struct flm_matrix ready;
    uint32_t count = gate->columns.matrix.column_count;
    gate->column = calloc(count + (size_t)1, sizeof *gate->column);
    if (!gate->column)
        return flm_error_memory(j->why);
    if (!flm_columns_prepare(&gate->columns, !j->options->absolute_only, gate->unit, &ready,
                             j->why))
        return false;
    bool good = flm_noise_ratio_init(&gate->sides, &ready, count, j->is_new, gate->unit, j->why) &&
                test_total(j);
    if (good) {
        /* p of the total is that of a fifth of alpha, which few runs may not reach. */
        gate->total_is_fixed = !j->options->absolute_only &&
                               gate->total.p * total_part > j->options->alpha &&
                               flm_total_is_fixed(j->runs, &gate->columns, j->is_new);
        good = test_prepared(j, &ready);
    }
    free(ready.value);
    return good;
}

/* ---- Without noise --------------------------------------------------------------------------- */

/* All runs of a side agree: its first one stands for it, because a mean of equal values may be
 * another number. */
static struct flm_gate_column describe_exactly(const struct flm_judging *j, const double *value)
{
    uint32_t base = 0, new = 0;
    while (j->is_new[base])
        base++;
    while (!j->is_new[new])
        new ++;
    double change = value[new] - value[base];
    double t = change == 0 ? 0 : change > 0 ? INFINITY : -INFINITY;
    return (struct flm_gate_column){.base_mean = value[base],
                                    .new_mean = value[new],
                                    .low = change,
                                    .high = change,
                                    .t = t,
                                    .p = change == 0,
                                    .is_significant = change != 0};
}

static bool compare_exactly(struct flm_judging *j)
{
    struct flm_gate *gate = j->gate;
    uint32_t count = gate->columns.matrix.column_count;
    double *total = malloc(j->runs->run_count * sizeof *total);
    gate->column = calloc(count + (size_t)1, sizeof *gate->column);
    if (total && gate->column) {
        for (uint32_t r = 0; r < j->runs->run_count; r++) {
            total[r] = j->runs->run[r].total;
            j->is_new[r] = j->runs->run[r].is_new;
        }
        gate->total = describe_exactly(j, total);
        for (uint32_t i = 0; i < count; i++)
            gate->column[i] = describe_exactly(j, flm_matrix_column(&gate->columns.matrix, i));
    }
    free(total);
    return (total && gate->column) || flm_error_memory(j->why);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool make_columns(struct flm_judging *j)
{
    struct flm_columns_options all = {0, 0}, quick;
    uint32_t fewest =
        j->runs->base_count < j->runs->new_count ? j->runs->base_count : j->runs->new_count;
    double unit = j->gate->unit;
    quick.least_mean = unit > 0 ? least_samples * unit : least_share * mean_total(j->runs);
    quick.least_runs = fewest < FLM_GATE_LEAST_RUNS ? fewest : FLM_GATE_LEAST_RUNS;
    bool has_all = j->options->has_all_columns || j->options->exact;
    return flm_columns_init(&j->gate->columns, j->runs, has_all ? &all : &quick, j->why);
}

/* Where everything is below one frame, the total is among the columns too. */
static bool measure_noise(struct flm_judging *j)
{
    const struct flm_gate *gate = j->gate;
    bool is_column = gate->columns.total_column[0] != FLM_NONE;
    double of_total = is_column ? fmin(gate->needed, gate->total_needed) : gate->total_needed;
    uint32_t views = gate->columns.has_view_by_size ? 2 : 1;
    struct flm_noise_options how = {
        .unit = gate->unit,
        .critical = gate->needed,
        .total_critical = of_total,
        .tests = gate->sides.is_unequal ? views * gate->columns.matrix.column_count : 0,
        .alpha = j->options->alpha * part_of_columns(j),
        .total_alpha = j->options->alpha * total_part,
        .wanted = j->options->wanted,
        .most_rows = NOISE_ROWS};
    return flm_noise_init(&j->gate->noise, j->runs, &j->gate->columns, &how, j->why);
}

static bool find_moves(struct flm_judging *j)
{
    struct flm_moves_options how = {j->options->exact ? 0 : j->gate->unit,
                                    flm_gate_least_change(j)};
    return flm_moves_init(&j->gate->moves, j->runs, &j->gate->columns, &j->gate->found, &how,
                          j->why);
}

/* A metric without noise needs no proof: what grew by as much fails. */
static bool prove_tolerance(struct flm_judging *j)
{
    struct flm_tolerance_options how = {j->options->alpha, j->options->tolerance, j->gate->unit};
    return !(how.tolerance > 0) || j->options->exact ||
           flm_tolerance_init(&j->gate->tolerance, j->runs, &how, j->why);
}

static bool test(struct flm_judging *j)
{
    if (j->options->exact)
        return flm_runs_agree(j->runs, j->why) && make_columns(j) && compare_exactly(j);
    if (!make_labels(j))
        return false;
    find_smallest_p(j, part_of_columns(j));
    return make_columns(j) && test_all(j) && measure_noise(j);
}

static bool judge(struct flm_judging *j)
{
    if (!test(j) || !flm_gate_find_items(j) || !find_moves(j) || !prove_tolerance(j))
        return false;
    flm_gate_decide(j);
    return j->gate->verdict != FLM_VERDICT_FAIL || flm_gate_mark_failing(j);
}

bool flm_gate_init(struct flm_gate *gate, const struct flm_runs *runs,
                   const struct flm_gate_options *options, struct flm_error *why)
{
    assert(gate && runs && runs->tree && options && options->alpha > 0 && options->alpha < 1);
    *gate = (struct flm_gate){.unit = options->unit > 0 ? options->unit : runs->unit};
    if (!check_runs(runs, options->exact, why))
        return false;
    struct flm_judging j = {.gate = gate, .runs = runs, .options = options, .why = why};
    j.is_new = malloc(runs->run_count);
    bool good = j.is_new ? judge(&j) : flm_error_memory(why);
    flm_permutations_clear(&j.permutations);
    free(j.is_new);
    if (!good)
        flm_gate_clear(gate);
    return good;
}

void flm_gate_clear(struct flm_gate *gate)
{
    flm_columns_clear(&gate->columns);
    free(gate->column);
    flm_attribution_clear(&gate->found);
    flm_moves_clear(&gate->moves);
    flm_renames_clear(&gate->renames);
    flm_tolerance_clear(&gate->tolerance);
    flm_noise_clear(&gate->noise);
    *gate = (struct flm_gate){0};
}
