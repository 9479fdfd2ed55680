#include "gate/verdict/tolerance.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "profile/columns.h"
#include "stats/distribution.h"
#include "stats/welch.h"

static const double least_share = 0.01; /* of base's total, that a frame has to have */

/* The quantile of 80 % of the normal distribution, in standard deviations. */
static const double power_80 = 0.8416212335729143;

struct testing {
    const struct flm_runs *runs;
    const struct flm_tolerance_options *options;
    struct flm_tolerance *tolerance;
    unsigned char *is_new;
    double base_total;
};

static double runs_needed(const struct testing *p, double change, double quantile, double error)
{
    double margin = p->tolerance->most - fmax(change, 0);
    if (!(margin > 0))
        return INFINITY;
    double each = 2 / (1.0 / p->runs->base_count + 1.0 / p->runs->new_count);
    double times = (quantile + power_80) * error / margin;
    return each * times * times;
}

static void test_column(struct testing *p, const double *value, uint32_t node, bool is_self)
{
    struct flm_tolerance *tolerance = p->tolerance;
    struct flm_welch w = flm_welch_test(value, p->runs->run_count, p->is_new, p->options->unit);
    if (node > 0 && fmax(w.base_mean, w.new_mean) < least_share * p->base_total)
        return;
    double change = w.new_mean - w.base_mean;
    double quantile = w.error > 0 ? flm_t_quantile(p->options->alpha, w.nu) : 0;
    double upper = w.error > 0 ? change + quantile * w.error : change;
    tolerance->tested_count++;
    if (upper < tolerance->most)
        return;
    tolerance->row[tolerance->count++] = (struct flm_tolerance_row){
        node, is_self, change, upper, runs_needed(p, change, quantile, w.error)};
}

static int by_need(const void *one, const void *other)
{
    const struct flm_tolerance_row *a = one, *b = other;
    if (a->runs_needed != b->runs_needed)
        return a->runs_needed > b->runs_needed ? -1 : 1;
    if (a->upper != b->upper)
        return a->upper > b->upper ? -1 : 1;
    return a->node != b->node ? (a->node > b->node) - (a->node < b->node) : a->is_self - b->is_self;
}

static bool test_all(struct testing *p, struct flm_error *why)
{
    struct flm_tolerance *tolerance = p->tolerance;
    struct flm_columns columns;
    double *total = malloc(p->runs->run_count * sizeof *total);
    if (!total)
        return flm_error_memory(why);
    if (!flm_columns_init(&columns, p->runs, &(struct flm_columns_options){0, 0}, why)) {
        free(total);
        return false;
    }
    tolerance->row = malloc((columns.matrix.column_count + (size_t)1) * sizeof *tolerance->row);
    for (uint32_t r = 0; r < p->runs->run_count; r++) {
        total[r] = p->runs->run[r].total;
        p->is_new[r] = p->runs->run[r].is_new;
        p->base_total += p->is_new[r] ? 0 : total[r] / p->runs->base_count;
    }
    tolerance->most = p->options->tolerance * p->base_total;
    if (tolerance->row) {
        test_column(p, total, 0, false);
        for (uint32_t i = 0; i < columns.matrix.column_count; i++)
            test_column(p, flm_matrix_column(&columns.matrix, i), columns.key[i].node,
                        columns.key[i].is_self);
        qsort(tolerance->row, tolerance->count, sizeof *tolerance->row, by_need);
    }
    flm_columns_clear(&columns);
    free(total);
    tolerance->is_significant = tolerance->count == 0;
    return tolerance->row != NULL || flm_error_memory(why);
}

bool flm_tolerance_init(struct flm_tolerance *tolerance, const struct flm_runs *runs,
                        const struct flm_tolerance_options *options, struct flm_error *why)
{
    assert(tolerance && runs && options && options->alpha > 0 && options->alpha < 1);
    struct testing p = {.runs = runs,
                        .options = options,
                        .tolerance = tolerance,
                        .is_new = malloc(runs->run_count + (size_t)1)};
    *tolerance = (struct flm_tolerance){.is_requested = true};
    bool good = p.is_new ? test_all(&p, why) : flm_error_memory(why);
    free(p.is_new);
    if (!good)
        flm_tolerance_clear(tolerance);
    return good;
}

void flm_tolerance_clear(struct flm_tolerance *tolerance)
{
    free(tolerance->row);
    *tolerance = (struct flm_tolerance){0};
}
