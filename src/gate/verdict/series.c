#include "gate/verdict/series.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/array.h"
#include "stats/change_point.h"
#include "stats/welch.h"

/* Columns are left out by the rule of a gate. */
static const double least_samples = 5, least_share = 1e-4;
enum { LEAST_RUNS = 3 };

/* Of the comparison that names frames: the question whether there is a change is answered by then.
 */
static const double naming_alpha = 0.05;

struct flm_series_options flm_series_defaults(void)
{
    return (struct flm_series_options){
        .alpha = 0.01, .least = 5, .orders = 999, .last = 5, .seed = 1};
}

/* Stretches within a stretch: see split_stretch. */
enum { WINDOWS = 3 };

double flm_series_least_orders(double alpha)
{
    return ceil(2 * WINDOWS / alpha - 1e-9) - 1;
}

struct search {
    struct flm_series *series;
    const struct flm_runs *runs;
    const struct flm_series_options *options;
    struct flm_columns columns;
    struct flm_matrix ready; /* columns as measured, then by size, then the total */
    double *distance;        /* of each pair of runs; NULL: by columns */
    struct FLM_ARRAY(struct flm_series_change) changes; /* series->change */
    struct flm_error *why;
};

/* ---- Columns and distances ------------------------------------------------------------------- */

static bool check_runs(const struct flm_runs *runs, const struct flm_series_options *o,
                       struct flm_error *why)
{
    double sum = 0;
    if (runs->run_count < 2 * o->least)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "%u %s too few: a change point needs %u before and %u after it, so at "
                             "least %u (--least lowers that)",
                             runs->run_count, runs->run_count == 1 ? "profile is" : "profiles are",
                             o->least, o->least, 2 * o->least);
    for (uint32_t i = 0; i < runs->run_count; i++)
        sum += runs->run[i].total;
    return sum > 0 || flm_error_set(why, FLM_ERROR_USAGE,
                                    "there is nothing in any of the profiles: every value is 0");
}

static double mean_total(const struct flm_runs *runs)
{
    double sum = 0;
    for (uint32_t i = 0; i < runs->run_count; i++)
        sum += runs->run[i].total;
    return sum / runs->run_count;
}

static int by_value(const void *one, const void *other)
{
    double a, b;
    memcpy(&a, one, sizeof a);
    memcpy(&b, other, sizeof b);
    return (a > b) - (a < b);
}

/* The few largest values are set to the next one, and so are the few smallest: fewer than a change
 * needs, and at most a tenth. The rule of a gate, by the distance from the median, would
 * remove a frame that appeared in less than half of the runs. The order of the runs makes no
 * difference, so orders can be compared. */
static void winsorize(const struct search *s, double *value, double *scratch)
{
    uint32_t count = s->runs->run_count, most = s->options->least - 1;
    most = most < count / 10 ? most : count / 10;
    memcpy(scratch, value, count * sizeof *value);
    qsort(scratch, count, sizeof *scratch, by_value);
    double low = scratch[most], high = scratch[count - 1 - most];
    for (uint32_t i = 0; i < count; i++)
        value[i] = value[i] < low ? low : value[i] > high ? high : value[i];
}

/* Columns as measured, the same by size, and the total of the runs. */
static bool make_ready(struct search *s)
{
    uint32_t count = s->runs->run_count, columns = s->columns.matrix.column_count;
    uint32_t views = s->columns.has_view_by_size ? 2 : 1;
    double *value = malloc(((size_t)views * columns + 2) * count * sizeof *value);
    if (!value)
        return flm_error_memory(s->why);
    s->ready = (struct flm_matrix){count, views * columns + 1, value};
    memcpy(value, s->columns.matrix.value, (size_t)columns * count * sizeof *value);
    for (uint32_t c = columns; c < views * columns; c++)
        for (uint32_t r = 0; r < count; r++)
            flm_matrix_column(&s->ready, c)[r] =
                flm_matrix_column(&s->ready, c - columns)[r] / s->columns.size_factor[r];
    for (uint32_t r = 0; r < count; r++)
        flm_matrix_column(&s->ready, views * columns)[r] = s->runs->run[r].total;
    for (uint32_t c = 0; c <= views * columns; c++)
        winsorize(s, flm_matrix_column(&s->ready, c),
                  value + (size_t)s->ready.column_count * count);
    return true;
}

static bool make_columns(struct search *s)
{
    double unit = s->series->unit;
    const struct flm_columns_options options = {
        .least_mean = unit > 0 ? least_samples * unit : least_share * mean_total(s->runs),
        .least_runs = LEAST_RUNS};
    if (!flm_columns_init(&s->columns, s->runs, &options, s->why) || !make_ready(s))
        return false;
    s->series->column_count = s->columns.matrix.column_count;
    return true;
}

/* Sum of |a - b| over all stacks: values are sparse, and both are in the order of the tree. */
static double distance(const struct flm_runs *runs, uint32_t a, uint32_t b)
{
    size_t i = runs->run[a].first, i_end = i + runs->run[a].count;
    size_t k = runs->run[b].first, k_end = k + runs->run[b].count;
    double sum = 0;
    while (i < i_end || k < k_end) {
        if (k == k_end || (i < i_end && runs->node[i] < runs->node[k]))
            sum += runs->value[i++];
        else if (i == i_end || runs->node[k] < runs->node[i])
            sum += runs->value[k++];
        else
            sum += fabs(runs->value[i++] - runs->value[k++]);
    }
    return sum;
}

static bool make_distances(struct search *s)
{
    uint32_t count = s->runs->run_count;
    double *value = malloc((size_t)count * count * sizeof *value);
    s->distance = value;
    if (!value)
        return flm_error_memory(s->why);
    for (uint32_t i = 0; i < count; i++) {
        value[(size_t)i * count + i] = 0;
        for (uint32_t k = 0; k < i; k++)
            value[(size_t)i * count + k] = value[(size_t)k * count + i] =
                sqrt(distance(s->runs, i, k));
    }
    return true;
}

/* ---- Which column it is ---------------------------------------------------------------------- */

/* Of the ready columns, the one that differs most between two stretches of runs. */
static uint32_t largest_column(const struct search *s, const struct flm_series_change *change,
                               unsigned char *is_new)
{
    uint32_t best = 0;
    double most = -1;
    for (uint32_t i = change->from; i < change->to; i++)
        is_new[i - change->from] = i >= change->at;
    for (uint32_t c = 0; c < s->ready.column_count; c++) {
        double t = fabs(flm_welch_test(flm_matrix_column(&s->ready, c) + change->from,
                                       change->to - change->from, is_new, s->series->unit)
                            .t);
        if (t > most) {
            most = t;
            best = c;
        }
    }
    return best;
}

static double mean(const double *value, const double *divisor, uint32_t from, uint32_t to)
{
    double sum = 0;
    for (uint32_t i = from; i < to; i++)
        sum += divisor ? value[i] / divisor[i] : value[i];
    return sum / (to - from);
}

/* Before and after as they were measured, and whether the last runs are still as after. */
static void measure(struct search *s, struct flm_series_change *change, const double *value,
                    const double *divisor)
{
    uint32_t count = s->runs->run_count, last = s->options->last;
    last = last < count - change->at ? last : count - change->at;
    change->before = mean(value, divisor, change->from, change->at);
    change->after = mean(value, divisor, change->at, change->to);
    double now = last > 0 ? mean(value, divisor, count - last, count) : change->after;
    change->stays = fabs(now - change->after) <= fabs(now - change->before);
}

static bool describe(struct search *s, struct flm_series_change *change)
{
    uint32_t count = s->runs->run_count, columns = s->columns.matrix.column_count;
    unsigned char *is_new = malloc(count);
    double *total = malloc(count * sizeof *total);
    bool good = is_new && total;
    if (good) {
        uint32_t column = largest_column(s, change, is_new);
        if (column == s->ready.column_count - 1) {
            for (uint32_t i = 0; i < count; i++)
                total[i] = s->runs->run[i].total;
            change->key = (struct flm_column_key){FLM_NONE, false};
            measure(s, change, total, NULL);
        } else {
            change->by_size = column >= columns;
            change->key = s->columns.key[column % columns];
            measure(s, change, flm_matrix_column(&s->columns.matrix, column % columns),
                    change->by_size ? s->columns.size_factor : NULL);
        }
    }
    free(is_new);
    free(total);
    return good || flm_error_memory(s->why);
}

/* The runs around the change as base and new. */
static bool name_frames(struct search *s, struct flm_series_change *change)
{
    struct flm_runs around = *s->runs;
    struct flm_gate_options options = flm_gate_defaults();
    uint32_t count = change->to - change->from;
    around.run = malloc(count * sizeof *around.run);
    if (!around.run)
        return flm_error_memory(s->why);
    memcpy(around.run, s->runs->run + change->from, count * sizeof *around.run);
    for (uint32_t i = 0; i < count; i++) {
        around.run[i].is_new = change->from + i >= change->at;
        around.run[i].block = 0;
    }
    around.run_count = count;
    around.base_count = change->at - change->from;
    around.new_count = change->to - change->at;
    options.alpha = naming_alpha;
    options.permutations = s->options->orders;
    options.seed = s->options->seed;
    options.side = FLM_SIDE_BOTH;
    options.unit = s->series->unit;
    options.threads = s->options->threads;
    bool good = flm_gate_init(&change->gate, &around, &options, s->why);
    free(around.run);
    return good;
}

/* ---- Where ----------------------------------------------------------------------------------- */

static bool add_change(struct search *s, const struct flm_split *split)
{
    if (!FLM_ARRAY_ADD(&s->changes, (struct flm_series_change){.at = split->at, .p = split->p}))
        return flm_error_memory(s->why);
    s->series->change = s->changes.at;
    s->series->count = (uint32_t)s->changes.count;
    return true;
}

static bool split_runs(struct search *s, uint32_t from, uint32_t to, struct flm_split *split)
{
    const struct flm_series_options *o = s->options;
    const struct flm_distances distances = {s->runs->run_count, s->distance};
    return o->method == FLM_SERIES_BY_DISTANCES
               ? flm_split_by_distances(&distances, from, to, o->least, o->orders, o->seed, split,
                                        s->why)
               : flm_split_by_columns(&s->ready, from, to, o->least, s->series->unit, o->orders,
                                      o->seed, split, s->why);
}

/* A change that was reverted shows in no split of the whole: the runs before and after it have the
 * same level. So where the whole has none, its halves and the half in the middle are split too.
 * Half of alpha is for the whole, and a sixth for each of these: p is multiplied accordingly. */
static bool split_stretch(struct search *s, uint32_t from, uint32_t to, struct flm_split *split)
{
    uint32_t half = (to - from) / 2;
    if (!split_runs(s, from, to, split))
        return false;
    if (half < 2 * s->options->least)
        return true;
    split->p = fmin(1, 2 * split->p);
    for (uint32_t i = 0; i < WINDOWS && split->p > s->options->alpha; i++) {
        uint32_t start = from + i * half / 2;
        struct flm_split in_window;
        if (!split_runs(s, start, start + half, &in_window))
            return false;
        in_window.p = fmin(1, 2 * WINDOWS * in_window.p);
        if (in_window.p < split->p)
            *split = in_window;
    }
    return true;
}

/* Stretches are at least 2 * least long, so it goes no deeper than there are runs. */
static bool split_all(struct search *s, uint32_t from, uint32_t to)
{
    struct flm_split split;
    if (to - from < 2 * s->options->least)
        return true;
    if (!split_stretch(s, from, to, &split))
        return false;
    if (split.p > s->options->alpha)
        return true;
    return split_all(s, from, split.at) && add_change(s, &split) && split_all(s, split.at, to);
}

static bool find_changes(struct search *s)
{
    struct flm_series *series = s->series;
    if (!make_columns(s) || (s->options->method == FLM_SERIES_BY_DISTANCES && !make_distances(s)) ||
        !split_all(s, 0, s->runs->run_count))
        return false;
    for (uint32_t i = 0; i < series->count; i++) {
        struct flm_series_change *change = &series->change[i];
        change->from = i > 0 ? series->change[i - 1].at : 0;
        change->to = i + 1 < series->count ? series->change[i + 1].at : s->runs->run_count;
        if (!describe(s, change) || !name_frames(s, change))
            return false;
    }
    return true;
}

bool flm_series_init(struct flm_series *series, const struct flm_runs *runs,
                     const struct flm_series_options *options, struct flm_error *why)
{
    assert(series && runs && runs->tree && options && options->alpha > 0 && options->least > 0);
    struct search s = {.series = series, .runs = runs, .options = options, .why = why};
    *series = (struct flm_series){.unit = options->unit > 0 ? options->unit : runs->unit};
    bool good = check_runs(runs, options, why) && find_changes(&s);
    free(s.distance);
    free(s.ready.value);
    flm_columns_clear(&s.columns);
    if (!good)
        flm_series_clear(series);
    return good;
}

void flm_series_clear(struct flm_series *series)
{
    for (uint32_t i = 0; i < series->count; i++)
        flm_gate_clear(&series->change[i].gate);
    free(series->change);
    *series = (struct flm_series){0};
}
