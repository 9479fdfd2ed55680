#include "gate/verdict/fixed_total.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "stats/welch.h"

static const double most_of_variance = 0.05, most_of_total = 0.9;

static double variance_of_total(const struct flm_runs *runs)
{
    double mean = 0, squares = 0;
    for (uint32_t r = 0; r < runs->run_count; r++)
        mean += runs->run[r].total / runs->run_count;
    for (uint32_t r = 0; r < runs->run_count; r++)
        squares += (runs->run[r].total - mean) * (runs->run[r].total - mean);
    return squares / (runs->run_count - 1.0);
}

bool flm_total_is_fixed(const struct flm_runs *runs, const struct flm_columns *columns,
                        const unsigned char *is_new)
{
    assert(runs && columns && is_new);
    double base_free = runs->base_count - 1.0, new_free = runs->new_count - 1.0, sum = 0;
    if (!(base_free + new_free > 0))
        return false;
    for (uint32_t c = 0; c < columns->matrix.column_count; c++) {
        if (!columns->key[c].is_self)
            continue;
        struct flm_welch w =
            flm_welch_test(flm_matrix_column(&columns->matrix, c), runs->run_count, is_new, 0);
        sum += (base_free * w.base_variance + new_free * w.new_variance) / (base_free + new_free);
    }
    return sum > 0 && variance_of_total(runs) < most_of_variance * sum;
}

static int by_ratio(const void *context, uint32_t a, uint32_t b)
{
    const double *ratio = context;
    return ratio[a] != ratio[b] ? (ratio[a] > ratio[b]) - (ratio[a] < ratio[b]) : (a > b) - (a < b);
}

/* Of the stacks that base has: their ratios and weights, their columns in `order`. */
static uint32_t take_ratios(const struct flm_columns *columns, const struct flm_matrix *by_size,
                            const unsigned char *is_new, double *ratio, double *weight,
                            uint32_t *order)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < columns->matrix.column_count; c++) {
        if (!columns->key[c].is_self)
            continue;
        const double *raw = flm_matrix_column(&columns->matrix, c);
        struct flm_welch w =
            flm_welch_test(flm_matrix_column(by_size, c), by_size->run_count, is_new, 0);
        if (!(w.base_mean > 0))
            continue;
        ratio[c] = w.new_mean / w.base_mean;
        weight[c] = flm_welch_test(raw, by_size->run_count, is_new, 0).base_mean;
        order[count++] = c;
    }
    return count;
}

bool flm_fixed_reference(const struct flm_columns *columns, const struct flm_matrix *by_size,
                         const unsigned char *is_new, double *reference, struct flm_error *why)
{
    assert(columns && by_size && is_new && reference &&
           by_size->column_count == columns->matrix.column_count);
    size_t size = columns->matrix.column_count + (size_t)1;
    double *ratio = malloc(2 * size * sizeof *ratio);
    uint32_t *order = malloc(2 * size * sizeof *order);
    bool good = (ratio && order) || flm_error_memory(why);
    *reference = 1;
    if (good) {
        double *weight = ratio + size, sum = 0, so_far = 0;
        uint32_t count = take_ratios(columns, by_size, is_new, ratio, weight, order);
        flm_sort(order, count, order + size, by_ratio, ratio);
        for (uint32_t i = 0; i < count; i++)
            sum += weight[order[i]];
        for (uint32_t i = 0; i < count && so_far < most_of_total * sum; i++) {
            so_far += weight[order[i]];
            *reference = ratio[order[i]];
        }
    }
    free(ratio);
    free(order);
    return good;
}
