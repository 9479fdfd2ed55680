#include "stats/hotelling.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "stats/distribution.h"

/* Replaces a column by its deviations from the means of the groups, and returns the sum of their
 * squares; `difference` receives the difference of the means. Values are taken relative to one of
 * their own group, so that a constant column has deviations of exactly 0. */
static double center(const double *column, uint32_t run_count, const unsigned char *is_new,
                     double *distance, double *difference)
{
    double near[2] = {0, 0}, mean[2] = {0, 0}, count[2] = {0, 0}, squares = 0;
    for (uint32_t r = 0; r < run_count; r++) {
        int g = is_new[r] != 0;
        if (count[g] == 0)
            near[g] = column[r];
        count[g]++;
        mean[g] += column[r] - near[g];
    }
    mean[0] /= count[0];
    mean[1] /= count[1];
    for (uint32_t r = 0; r < run_count; r++) {
        int g = is_new[r] != 0;
        distance[r] = column[r] - near[g] - mean[g];
        squares += distance[r] * distance[r];
    }
    *difference = near[1] - near[0] + (mean[1] - mean[0]);
    return squares;
}

static double dot(const double *a, const double *b, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Factorizes the correlation matrix of the columns (Cholesky): row k of L starts at L[k * p]. The
 * pivot of column k is the part of its variance that earlier columns do not explain. Returns the
 * first column whose pivot is only rounding error; p when there is none. */
static uint32_t factorize(const double *unit_column, uint32_t run_count, uint32_t p, double *factor)
{
    const double least_pivot = p * DBL_EPSILON * 64;
    for (uint32_t k = 0; k < p; k++) {
        double *row = factor + (size_t)k * p;
        const double *column = unit_column + (size_t)k * run_count;
        double pivot = 1;
        for (uint32_t i = 0; i < k; i++) {
            const double *other = factor + (size_t)i * p;
            double correlation = dot(column, unit_column + (size_t)i * run_count, run_count);
            row[i] = (correlation - dot(row, other, i)) / other[i];
            pivot -= row[i] * row[i];
        }
        if (!(pivot > least_pivot))
            return k;
        row[k] = sqrt(pivot);
    }
    return p;
}

/* |L^-1 v|^2; v becomes L^-1 v. */
static double solve_forward(const double *factor, uint32_t p, double *v)
{
    double squares = 0;
    for (uint32_t k = 0; k < p; k++) {
        const double *row = factor + (size_t)k * p;
        v[k] = (v[k] - dot(row, v, k)) / row[k];
        squares += v[k] * v[k];
    }
    return squares;
}

/* D' S^-1 D, or the column that makes S singular. */
static enum flm_hotelling_refusal measure(struct flm_hotelling *hotelling,
                                          const struct flm_matrix *matrix,
                                          const unsigned char *is_new, double *unit_column,
                                          double *factor, double *scaled, double *quadratic,
                                          uint32_t *singular)
{
    uint32_t p = matrix->column_count, runs = matrix->run_count;
    for (uint32_t k = 0; k < p; k++) {
        double *column = unit_column + (size_t)k * runs;
        double squares =
            center(flm_matrix_column(matrix, k), runs, is_new, column, &hotelling->difference[k]);
        *singular = k;
        if (!(squares > 0))
            return FLM_HOTELLING_SINGULAR;
        double length = sqrt(squares);
        for (uint32_t r = 0; r < runs; r++)
            column[r] /= length;
        hotelling->variance[k] = squares / (runs - 2);
        scaled[k] = hotelling->difference[k] / sqrt(hotelling->variance[k]);
    }
    *singular = factorize(unit_column, runs, p, factor);
    if (*singular < p)
        return FLM_HOTELLING_SINGULAR;
    *quadratic = solve_forward(factor, p, scaled);
    return FLM_HOTELLING_DONE;
}

enum flm_hotelling_refusal flm_hotelling_init(struct flm_hotelling *hotelling,
                                              const struct flm_matrix *matrix,
                                              const unsigned char *is_new, uint32_t *column)
{
    assert(hotelling && matrix && is_new);
    uint32_t p = matrix->column_count, runs = matrix->run_count, new_count = 0;
    for (uint32_t r = 0; r < runs; r++)
        new_count += is_new[r] != 0;
    *hotelling = (struct flm_hotelling){.p = p};
    if (p == 0)
        return FLM_HOTELLING_NO_COLUMNS;
    if (new_count < 2 || runs - new_count < 2)
        return FLM_HOTELLING_FEW_RUNS;
    if (p > runs - 2)
        return FLM_HOTELLING_MANY_COLUMNS;

    hotelling->difference = calloc(p, sizeof *hotelling->difference);
    hotelling->variance = calloc(p, sizeof *hotelling->variance);
    double *unit_column = calloc(p, runs * sizeof *unit_column);
    double *factor = calloc(p, p * sizeof *factor);
    double *scaled = calloc(p, sizeof *scaled);
    double quadratic = 0;
    uint32_t singular = 0;
    enum flm_hotelling_refusal refusal = FLM_HOTELLING_NO_MEMORY;
    if (hotelling->difference && hotelling->variance && unit_column && factor && scaled)
        refusal =
            measure(hotelling, matrix, is_new, unit_column, factor, scaled, &quadratic, &singular);
    free(unit_column);
    free(factor);
    free(scaled);
    if (refusal != FLM_HOTELLING_DONE) {
        flm_hotelling_clear(hotelling);
        if (column && refusal == FLM_HOTELLING_SINGULAR)
            *column = singular;
        return refusal;
    }
    double weight = (double)(runs - new_count) * new_count / runs;
    hotelling->d1 = p;
    hotelling->d2 = runs - p - 1;
    hotelling->t2 = weight * quadratic;
    hotelling->g2 = hotelling->d2 / ((double)(runs - 2) * p) * weight;
    hotelling->f = hotelling->g2 * quadratic;
    hotelling->p_value = flm_f_tail(hotelling->f, hotelling->d1, hotelling->d2);
    hotelling->log10_p = flm_f_log10_tail(hotelling->f, hotelling->d1, hotelling->d2);
    return FLM_HOTELLING_DONE;
}

void flm_hotelling_clear(struct flm_hotelling *hotelling)
{
    free(hotelling->difference);
    free(hotelling->variance);
    *hotelling = (struct flm_hotelling){0};
}

double flm_hotelling_half_width(const struct flm_hotelling *hotelling, uint32_t column,
                                double f_star)
{
    return sqrt(f_star * hotelling->variance[column] / hotelling->g2);
}
