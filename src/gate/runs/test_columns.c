#include "gate/runs/test_columns.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "profile/columns.h"
#include "stats/median.h"

enum { ENOUGH_STACKS = 5 };

/* ---- Which columns there are ----------------------------------------------------------------- */

struct seen {
    uint32_t *base, *new; /* by node: in how many runs */
};

struct choosing {
    const struct flm_runs *runs;
    const struct flm_columns_options *options;
    struct flm_columns *columns;
    double *total;          /* of the tree, by node */
    struct seen self, tree; /* of the stack, of its subtree */
    uint32_t kept;
};

static bool is_kept(const struct choosing *c, double sum, const struct seen *seen, uint32_t node)
{
    return sum > 0 && sum / c->runs->run_count >= c->options->least_mean &&
           seen->base[node] + seen->new[node] >= c->options->least_runs;
}

/* Its column, or FLM_NONE. */
static uint32_t choose(struct choosing *c, uint32_t node, bool is_self, double sum)
{
    /* Columns of totals are those of whole subtrees; a leaf's is its self value. */
    if (!is_kept(c, sum, is_self ? &c->self : &c->tree, node)) {
        c->columns->left_out_count += sum > 0;
        return FLM_NONE;
    }
    c->columns->key[c->kept] = (struct flm_column_key){node, is_self};
    return c->kept++;
}

/* Nodes without a column of their own get that of their callee afterwards. */
static void choose_all(struct choosing *c)
{
    const struct flm_profile *tree = c->runs->tree;
    const double *self = flm_self_column(tree, c->runs->metric.index);
    const uint32_t *end = tree->node_end;
    uint32_t *total_column = c->columns->total_column, *self_column = c->columns->self_column;
    for (uint32_t i = 0; i < tree->sizes.node_count; i++) {
        bool has_one = end[i] > i + 1 && end[i + 1] == end[i];
        bool is_leaf = end[i] == i + 1;
        total_column[i] = FLM_NONE;
        if (i > 0 && !is_leaf && (self[i] > 0 || !has_one))
            total_column[i] = choose(c, i, false, c->total[i]);
        self_column[i] = choose(c, i, true, self[i]);
        if (is_leaf)
            total_column[i] = self_column[i];
    }
    for (uint32_t i = tree->sizes.node_count; i-- > 0;)
        if (self[i] == 0 && end[i] > i + 1 && end[i + 1] == end[i])
            total_column[i] = total_column[i + 1];
}

static bool choose_columns(struct flm_columns *columns, const struct flm_runs *runs,
                           const struct flm_columns_options *options, const struct choosing *room,
                           struct flm_error *why)
{
    struct choosing c = *room;
    c.runs = runs;
    c.options = options;
    c.columns = columns;
    flm_profile_totals(runs->tree, runs->metric, c.total);
    if (!flm_runs_seen(runs, false, c.self.base, c.self.new, why) ||
        !flm_runs_seen(runs, true, c.tree.base, c.tree.new, why))
        return false;
    choose_all(&c);
    columns->matrix.column_count = c.kept;
    return true;
}

/* ---- Their values ---------------------------------------------------------------------------- */

static void fill_run(struct flm_columns *columns, const struct flm_runs *runs, uint32_t run,
                     double *self, double *total)
{
    uint32_t node_count = runs->tree->sizes.node_count;
    double *to = columns->matrix.value + run;
    flm_runs_self(runs, run, self);
    memcpy(total, self, node_count * sizeof *total);
    flm_add_up(total, runs->tree->node_end, node_count);
    for (uint32_t i = 0; i < columns->matrix.column_count; i++, to += runs->run_count) {
        struct flm_column_key key = columns->key[i];
        *to = key.is_self ? self[key.node] : total[key.node];
    }
}

static bool fill(struct flm_columns *columns, const struct flm_runs *runs, struct flm_error *why)
{
    size_t node_count = runs->tree->sizes.node_count;
    size_t size = (size_t)columns->matrix.column_count * runs->run_count;
    double *self = malloc(node_count * sizeof *self), *total = malloc(node_count * sizeof *total);
    columns->matrix.run_count = runs->run_count;
    columns->matrix.value = malloc((size + 1) * sizeof(double));
    bool good = (self && total && columns->matrix.value) || flm_error_memory(why);
    for (uint32_t run = 0; good && run < runs->run_count; run++)
        fill_run(columns, runs, run, self, total);
    free(self);
    free(total);
    return good;
}

/* ---- Size factors ---------------------------------------------------------------------------- */

/* By node: where its logarithms are summed up, for stacks that are in all runs; FLM_NONE. */
static uint32_t number_common(const struct flm_runs *runs, const struct seen *self,
                              uint32_t *number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < runs->tree->sizes.node_count; i++)
        number[i] = self->base[i] + self->new[i] == runs->run_count ? count++ : FLM_NONE;
    return count;
}

static void factors_of_stacks(struct flm_columns *columns, const struct flm_runs *runs,
                              const uint32_t *number, double *mean, double *scratch)
{
    for (uint32_t i = 0; i < columns->common_stacks; i++)
        mean[i] = 0;
    for (uint32_t r = 0; r < runs->run_count; r++) {
        const struct flm_run *run = &runs->run[r];
        for (size_t i = run->first; i < run->first + run->count; i++)
            if (number[runs->node[i]] != FLM_NONE)
                mean[number[runs->node[i]]] += log(runs->value[i]);
    }
    for (uint32_t i = 0; i < columns->common_stacks; i++)
        mean[i] /= runs->run_count;
    for (uint32_t r = 0; r < runs->run_count; r++) {
        const struct flm_run *run = &runs->run[r];
        uint32_t count = 0;
        for (size_t i = run->first; i < run->first + run->count; i++) {
            uint32_t at = number[runs->node[i]];
            if (at != FLM_NONE)
                scratch[count++] = log(runs->value[i]) - mean[at];
        }
        columns->size_factor[r] = exp(flm_median(scratch, count));
    }
}

static void factors_of_totals(struct flm_columns *columns, const struct flm_runs *runs)
{
    double mean = 0;
    for (uint32_t r = 0; r < runs->run_count; r++)
        mean += log(runs->run[r].total) / runs->run_count; /* -INFINITY of an empty one */
    for (uint32_t r = 0; r < runs->run_count; r++)
        columns->size_factor[r] = mean > -INFINITY ? exp(log(runs->run[r].total) - mean) : 1;
}

static bool find_factors(struct flm_columns *columns, const struct flm_runs *runs,
                         const struct seen *self, struct flm_error *why)
{
    size_t node_count = runs->tree->sizes.node_count;
    uint32_t *number = malloc(node_count * sizeof *number);
    double *mean = malloc(node_count * sizeof *mean);
    double *scratch = malloc(node_count * sizeof *scratch);
    columns->size_factor = malloc(runs->run_count * sizeof(double));
    bool good = (number && mean && scratch && columns->size_factor) || flm_error_memory(why);
    if (good) {
        columns->common_stacks = number_common(runs, self, number);
        columns->has_view_by_size = columns->common_stacks >= ENOUGH_STACKS;
        if (columns->has_view_by_size)
            factors_of_stacks(columns, runs, number, mean, scratch);
        else
            factors_of_totals(columns, runs);
    }
    free(number);
    free(mean);
    free(scratch);
    return good;
}

bool flm_columns_init(struct flm_columns *columns, const struct flm_runs *runs,
                      const struct flm_columns_options *options, struct flm_error *why)
{
    assert(columns && runs && runs->tree && options);
    size_t count = runs->tree->sizes.node_count;
    struct choosing room = {.total = malloc(count * sizeof(double))};
    uint32_t *seen = malloc(4 * count * sizeof *seen);
    *columns = (struct flm_columns){
        .key = malloc(2 * count * sizeof *columns->key),
        .total_column = malloc(count * sizeof *columns->total_column),
        .self_column = malloc(count * sizeof *columns->self_column),
        .most_outliers = flm_runs_most_outliers(runs),
    };
    bool good =
        (room.total && seen && columns->key && columns->total_column && columns->self_column) ||
        flm_error_memory(why);
    if (good) {
        room.self = (struct seen){seen, seen + count};
        room.tree = (struct seen){seen + 2 * count, seen + 3 * count};
        good = choose_columns(columns, runs, options, &room, why) && fill(columns, runs, why) &&
               find_factors(columns, runs, &room.self, why);
    }
    free(room.total);
    free(seen);
    if (!good)
        flm_columns_clear(columns);
    return good;
}

void flm_columns_clear(struct flm_columns *columns)
{
    free(columns->key);
    free(columns->matrix.value);
    free(columns->total_column);
    free(columns->self_column);
    free(columns->size_factor);
    *columns = (struct flm_columns){0};
}

/* ---- Outliers -------------------------------------------------------------------------------- */

static double mean_deviation(const double *value, uint32_t count, double center)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += fabs(value[i] - center);
    return sum / count;
}

static double sum_of(const double *value, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += value[i];
    return sum;
}

uint32_t flm_runs_most_outliers(const struct flm_runs *runs)
{
    uint32_t smaller = runs->base_count < runs->new_count ? runs->base_count : runs->new_count;
    return smaller > 2 ? smaller / 2 : 1;
}

void flm_column_winsorize(double *value, uint32_t run_count, struct flm_winsorizing how,
                          double *scratch)
{
    memcpy(scratch, value, run_count * sizeof *value);
    double median = flm_median(scratch, run_count);
    double s = 1.4826 * flm_median_deviation(value, run_count, median, scratch);
    if (how.unit > 0)
        s = fmax(s, sqrt(how.unit * fmax(median, how.unit)));
    else if (s == 0)
        s = 1.2533 * mean_deviation(value, run_count, median);
    double low = median - 4 * s, high = median + 4 * s;
    uint32_t below = 0, above = 0;
    for (uint32_t i = 0; i < run_count; i++) {
        below += value[i] < low;
        above += value[i] > high;
    }
    if (below > how.most_outliers)
        low = -INFINITY;
    if (above > how.most_outliers)
        high = INFINITY;
    for (uint32_t i = 0; i < run_count; i++)
        value[i] = value[i] < low ? low : value[i] > high ? high : value[i];
}

void flm_column_prepare(double *value, uint32_t run_count, struct flm_winsorizing how,
                        double *scratch)
{
    double before = sum_of(value, run_count);
    flm_column_winsorize(value, run_count, how, scratch);
    double scale = before > 0 ? sum_of(value, run_count) / before : 1;
    for (uint32_t i = 0; scale != 1 && i < run_count; i++)
        value[i] *= scale;
}

bool flm_columns_prepare(const struct flm_columns *columns, bool by_size, double unit,
                         struct flm_matrix *ready, struct flm_error *why)
{
    assert(columns && ready && unit >= 0);
    const struct flm_matrix *from = &columns->matrix;
    const struct flm_winsorizing how = {unit, columns->most_outliers};
    uint32_t views = by_size && columns->has_view_by_size ? 2 : 1;
    size_t size = (size_t)from->column_count * from->run_count;
    double *scratch = malloc(from->run_count * sizeof *scratch);
    *ready = (struct flm_matrix){from->run_count, views * from->column_count,
                                 malloc((views * size + 1) * sizeof(double))};
    if (!scratch || !ready->value) {
        free(scratch);
        free(ready->value);
        *ready = (struct flm_matrix){0};
        return flm_error_memory(why);
    }
    memcpy(ready->value, from->value, size * sizeof(double));
    for (size_t i = 0; views == 2 && i < size; i += from->run_count)
        for (uint32_t run = 0; run < from->run_count; run++)
            ready->value[size + i + run] = from->value[i + run] / columns->size_factor[run];
    for (size_t i = 0; i < views * size; i += from->run_count)
        flm_column_prepare(ready->value + i, from->run_count, how, scratch);
    free(scratch);
    return true;
}
