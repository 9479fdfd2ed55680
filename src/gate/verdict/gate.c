#include "gate/verdict/gate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "gate/verdict/exact.h"
#include "profile/columns.h"
#include "stats/welch.h"

static const double columns_part = 0.8, total_part = 0.2; /* of alpha */

/* The t, as measured, that a growth of a share must have in addition to fail. */
static const double least_t_of_share = 2;

/* Below this mean a column is left out (test_columns.h). Where the size of a sample is not known:
 * a tenth of the default min_effect, of the total. */
static const double least_samples = 5, least_share = 1e-4;
enum { LEAST_RUNS = 3, NOISE_ROWS = 5 };

struct flm_gate_options flm_gate_defaults(void)
{
    return (struct flm_gate_options){.alpha = 0.01,
                                     .permutations = 9999,
                                     .seed = 1,
                                     .side = FLM_SIDE_GROWTH,
                                     .min_effect = 0.001,
                                     .wanted = 0.01};
}

struct judging {
    struct flm_gate *gate;
    const struct flm_runs *runs;
    const struct flm_gate_options *options;
    unsigned char *is_new; /* by run */
    struct flm_permutations permutations;
    struct flm_error *why;
};

static double part_of_columns(const struct judging *j)
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

static bool make_labels(struct judging *j)
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
    return n;
}

static void find_smallest_p(struct judging *j, double part)
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

/* Means and interval of the raw values. */
static struct flm_gate_column describe(const struct judging *j, const double *value,
                                       double critical)
{
    struct flm_welch raw = flm_welch_test(value, j->runs->run_count, j->is_new, j->gate->unit);
    double change = raw.new_mean - raw.base_mean;
    double half = raw.error > 0 ? critical * raw.error : 0;
    return (struct flm_gate_column){.base_mean = raw.base_mean,
                                    .new_mean = raw.new_mean,
                                    .low = change - half,
                                    .high = change + half};
}

static bool run_maxt(const struct judging *j, const struct flm_matrix *ready, struct flm_maxt *maxt)
{
    struct flm_maxt_options how = {j->gate->unit, FLM_SIDE_BOTH, j->options->threads};
    return flm_maxt_init(maxt, ready, j->is_new, &j->permutations, &how, j->why);
}

static void describe_columns(struct judging *j, const struct flm_maxt *maxt)
{
    struct flm_gate *gate = j->gate;
    uint32_t count = gate->columns.matrix.column_count;
    bool by_size = maxt->column_count > count;
    double part = part_of_columns(j), alpha = j->options->alpha;
    for (uint32_t i = 0; i < count; i++) {
        struct flm_gate_column *c = &gate->column[i];
        *c = describe(j, flm_matrix_column(&gate->columns.matrix, i), gate->critical);
        double measured = maxt->p[i];
        double p = by_size ? fmin(measured, maxt->p[count + i]) : measured;
        c->t = maxt->t[i];
        c->t_by_size = by_size ? maxt->t[count + i] : 0;
        c->p = fmin(1, p / part);
        c->is_significant = c->p <= alpha;
        c->by_size_only = c->is_significant && measured / part > alpha;
    }
}

static bool test_columns(struct judging *j)
{
    struct flm_gate *gate = j->gate;
    struct flm_matrix ready;
    struct flm_maxt maxt = {0};
    gate->column = calloc(gate->columns.matrix.column_count + (size_t)1, sizeof *gate->column);
    if (!gate->column)
        return flm_error_memory(j->why);
    if (!flm_columns_prepare(&gate->columns, !j->options->absolute_only, gate->unit, &ready,
                             j->why))
        return false;
    bool good = run_maxt(j, &ready, &maxt);
    free(ready.value);
    if (good) {
        gate->critical = flm_maxt_critical(&maxt, j->options->alpha);
        gate->needed = flm_maxt_critical(&maxt, j->options->alpha * part_of_columns(j));
        describe_columns(j, &maxt);
    }
    flm_maxt_clear(&maxt);
    return good;
}

static bool test_total(struct judging *j)
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
    for (uint32_t i = 0; i < count; i++)
        value[i] = j->runs->run[i].total;
    if (good) {
        gate->total_needed = flm_maxt_critical(&maxt, j->options->alpha * total_part);
        gate->total = describe(j, value, gate->total_needed);
        gate->total.t = maxt.t[0];
        gate->total.p = j->options->absolute_only ? 1 : fmin(1, maxt.p[0] / total_part);
        gate->total.is_significant = gate->total.p <= j->options->alpha;
    }
    flm_maxt_clear(&maxt);
    free(value);
    return good;
}

/* ---- Without noise --------------------------------------------------------------------------- */

/* All runs of a side agree: its first one stands for it, because a mean of equal values may be
 * another number. */
static struct flm_gate_column describe_exactly(const struct judging *j, const double *value)
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

static bool compare_exactly(struct judging *j)
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

/* ---- The verdict ----------------------------------------------------------------------------- */

static double least_change(const struct judging *j)
{
    return fmax(j->options->min_effect, j->options->tolerance) * j->gate->total.base_mean;
}

static bool is_large_enough(const struct judging *j, double change)
{
    double least = least_change(j);
    double size = j->options->side == FLM_SIDE_BOTH ? fabs(change) : change;
    return size >= least && size > 0;
}

/* A change that is significant only by size has to show as measured too, if less clearly: when all
 * else gets faster, the shares of unchanged frames grow. */
static bool is_failing(const struct judging *j, const struct flm_gate_column *c)
{
    double change = c->new_mean - c->base_mean, sign = change > 0 ? 1 : -1;
    if (!c->is_significant || !is_large_enough(j, change))
        return false;
    return c->by_size_only ? sign * c->t_by_size > 0 && sign * c->t >= least_t_of_share
                           : sign * c->t > 0;
}

/* A free move is no growth; it is a change, and not below a tolerance. */
static bool is_excused(const struct judging *j, uint32_t node)
{
    return j->options->side == FLM_SIDE_GROWTH && !(j->options->tolerance > 0) &&
           flm_moves_has_free(&j->gate->moves, j->runs->tree, node);
}

static bool find_items(struct judging *j)
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
static bool *nodes_that_fail(const struct judging *j)
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

/* Items that are large enough by themselves; where none is, those that are part of one that is. */
static bool mark_failing_items(struct judging *j)
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

static void decide(struct judging *j)
{
    struct flm_gate *gate = j->gate;
    bool fails = gate->total.is_failing = is_failing(j, &gate->total);
    for (uint32_t i = 0; i < gate->columns.matrix.column_count; i++)
        fails |= gate->column[i].is_failing =
            is_failing(j, &gate->column[i]) && !is_excused(j, gate->columns.key[i].node);
    const struct flm_noise_row *total = &gate->noise.total;
    gate->is_too_noisy = j->options->require_mde > 0 && !j->options->exact &&
                         !(total->mde <= j->options->require_mde * total->mean);
    if (fails)
        gate->verdict = FLM_VERDICT_FAIL;
    else if (gate->tolerance.is_requested)
        gate->verdict = gate->tolerance.is_significant && !gate->is_too_noisy
                            ? FLM_VERDICT_PASS
                            : FLM_VERDICT_INCONCLUSIVE;
    else if (gate->smallest_p > j->options->alpha || gate->is_too_noisy)
        gate->verdict = FLM_VERDICT_INCONCLUSIVE;
    else
        gate->verdict = FLM_VERDICT_PASS;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static bool make_columns(struct judging *j)
{
    struct flm_columns_options all = {0, 0}, quick;
    uint32_t fewest =
        j->runs->base_count < j->runs->new_count ? j->runs->base_count : j->runs->new_count;
    double unit = j->gate->unit;
    quick.least_mean = unit > 0 ? least_samples * unit : least_share * mean_total(j->runs);
    quick.least_runs = fewest < LEAST_RUNS ? fewest : LEAST_RUNS;
    bool has_all = j->options->has_all_columns || j->options->exact;
    return flm_columns_init(&j->gate->columns, j->runs, has_all ? &all : &quick, j->why);
}

/* Where everything is below one frame, the total is among the columns too. */
static bool measure_noise(struct judging *j)
{
    const struct flm_gate *gate = j->gate;
    bool is_column = gate->columns.total_column[0] != FLM_NONE;
    double of_total = is_column ? fmin(gate->needed, gate->total_needed) : gate->total_needed;
    struct flm_noise_options how = {gate->unit, gate->needed, of_total, j->options->wanted,
                                    NOISE_ROWS};
    return flm_noise_init(&j->gate->noise, j->runs, &j->gate->columns, &how, j->why);
}

static bool find_moves(struct judging *j)
{
    struct flm_moves_options how = {j->options->exact ? 0 : j->gate->unit, least_change(j)};
    return flm_moves_init(&j->gate->moves, j->runs, &j->gate->columns, &j->gate->found, &how,
                          j->why);
}

/* A metric without noise needs no proof: what grew by as much fails. */
static bool prove_tolerance(struct judging *j)
{
    struct flm_tolerance_options how = {j->options->alpha, j->options->tolerance, j->gate->unit};
    return !(how.tolerance > 0) || j->options->exact ||
           flm_tolerance_init(&j->gate->tolerance, j->runs, &how, j->why);
}

static bool test(struct judging *j)
{
    if (j->options->exact)
        return flm_runs_agree(j->runs, j->why) && make_columns(j) && compare_exactly(j);
    if (!make_labels(j))
        return false;
    find_smallest_p(j, part_of_columns(j));
    return make_columns(j) && test_columns(j) && test_total(j) && measure_noise(j);
}

static bool judge(struct judging *j)
{
    if (!test(j) || !find_items(j) || !find_moves(j) || !prove_tolerance(j))
        return false;
    decide(j);
    return j->gate->verdict != FLM_VERDICT_FAIL || mark_failing_items(j);
}

bool flm_gate_init(struct flm_gate *gate, const struct flm_runs *runs,
                   const struct flm_gate_options *options, struct flm_error *why)
{
    assert(gate && runs && runs->tree && options && options->alpha > 0 && options->alpha < 1);
    *gate = (struct flm_gate){.unit = options->unit > 0 ? options->unit : runs->unit};
    if (!check_runs(runs, options->exact, why))
        return false;
    struct judging j = {.gate = gate, .runs = runs, .options = options, .why = why};
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
