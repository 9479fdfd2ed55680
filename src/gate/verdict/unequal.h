/* unequal.h - sides that do not have the same noise.
 *
 * A permutation test asks whether both sides are of one distribution, and a side that only has more
 * noise is of another one. Welch's t does not depend on that in the limit, but with five runs of
 * three times the noise among fifty the largest t of permuted runs is too small: permuted groups
 * are mixtures of both kinds of runs. (Simulated, 50 + 5, alpha 5 %: something significant in 34 of
 * 100 comparisons of one program.)
 *
 * So where the noise of the sides differs, a column must also be significant by theory, with a
 * Bonferroni correction for all columns: by Welch's t with its own degrees of freedom
 * (flm_welch_cautious). Where it does not differ nothing is required in addition, as the
 * permutations are exact there, and have more power.
 *
 *     ratio     the median, over the columns with more noise than that of counting samples, of
 *               CV of new / CV of base, without the bias that small sides have
 *     unequal   above 1.5, or below 1 / 1.5; 1.25 if one side has twice as many runs or more, where
 *               less of it matters */
#ifndef FLAMEL_GATE_VERDICT_UNEQUAL_H
#define FLAMEL_GATE_VERDICT_UNEQUAL_H

#include <stdbool.h>

#include "flamel/error.h"
#include "stats/matrix.h"

struct flm_noise_ratio {
    double ratio; /* 1 where no column has noise */
    bool is_unequal;
};

/* Of the first `column_count` columns. `unit` is that of flm_welch_test. */
bool flm_noise_ratio_init(struct flm_noise_ratio *noise, const struct flm_matrix *matrix,
                          uint32_t column_count, const unsigned char *is_new, double unit,
                          struct flm_error *why);

#endif
