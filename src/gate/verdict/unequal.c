#include "gate/verdict/unequal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "stats/median.h"
#include "stats/welch.h"

static const double most_equal = 1.5, most_equal_of_unequal_sizes = 1.25;

/* How often the noise of counting a column must have to say something about the runs. */
static const double least_excess = 2;

/* The median of the estimate of a variance from so many degrees of freedom (Wilson and Hilferty,
 * "The distribution of chi-square", 1931), as a share of the variance. */
static double median_of_variance(double free)
{
    return pow(1 - 2 / (9 * free), 3);
}

/* The logarithm of CV^2 of new / CV^2 of base; NAN where there is none. */
static double compare(const struct flm_welch *w, double base_free, double new_free, double unit)
{
    if (!(w->base_mean > 0) || !(w->new_mean > 0))
        return NAN;
    double pooled =
        (base_free * w->base_variance + new_free * w->new_variance) / (base_free + new_free);
    double counted = unit * (w->base_mean + w->new_mean) / 2;
    if (!(pooled > least_excess * counted))
        return NAN;
    double base = fmax(w->base_variance, unit * w->base_mean) / median_of_variance(base_free);
    double new = fmax(w->new_variance, unit * w->new_mean) / median_of_variance(new_free);
    double ratio =
        log(new / (w->new_mean * w->new_mean)) - log(base / (w->base_mean * w->base_mean));
    return fmin(fmax(ratio, -20), 20);
}

bool flm_noise_ratio_init(struct flm_noise_ratio *noise, const struct flm_matrix *matrix,
                          uint32_t column_count, const unsigned char *is_new, double unit,
                          struct flm_error *why)
{
    assert(noise && matrix && is_new && column_count <= matrix->column_count);
    double *ratio = malloc((column_count + (size_t)1) * sizeof *ratio);
    *noise = (struct flm_noise_ratio){.ratio = 1};
    if (!ratio)
        return flm_error_memory(why);
    uint32_t new_count = 0, count = 0;
    for (uint32_t r = 0; r < matrix->run_count; r++)
        new_count += is_new[r] != 0;
    double base_free = matrix->run_count - new_count - 1.0, new_free = new_count - 1.0;
    for (uint32_t c = 0; base_free > 0 && new_free > 0 && c < column_count; c++) {
        struct flm_welch w =
            flm_welch_test(flm_matrix_column(matrix, c), matrix->run_count, is_new, unit);
        ratio[count] = compare(&w, base_free, new_free, unit);
        count += !isnan(ratio[count]);
    }
    noise->ratio = exp(flm_median(ratio, count) / 2);
    uint32_t base_count = matrix->run_count - new_count;
    bool alike = base_count < 2 * new_count && new_count < 2 * base_count;
    double most = alike ? most_equal : most_equal_of_unequal_sizes;
    noise->is_unequal = noise->ratio > most || noise->ratio < 1 / most;
    free(ratio);
    return true;
}
