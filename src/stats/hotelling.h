/* hotelling.h - Hotelling's T2: whether the means of two groups differ in any direction at all, as
 * in Tornetta, "On the Algebraic Properties of Flame Graphs", 3.3.
 *
 *     D     the difference of the means, column by column
 *     S     the pooled covariance, ((n1 - 1) S1 + (n2 - 1) S2) / (n1 + n2 - 2)
 *     T2    n1 n2 / (n1 + n2)  D' S^-1 D
 *     F     (n1 + n2 - p - 1) / ((n1 + n2 - 2) p)  T2, which is F(p, n1 + n2 - p - 1) distributed
 *           if the runs are normal with one covariance
 *
 * and the simultaneous intervals D_k +- sqrt(F* S_kk / G2), where F* is the quantile of alpha and
 * G2 = F / (D' S^-1 D). (The example in the paper's 3.1 leaves out n1 n2 / (n1 + n2).)
 *
 * Columns are centered and scaled to variance 1 first, and S^-1 D is never formed: the correlation
 * matrix is factorized (Cholesky), and D' S^-1 D is the length of one forward substitution. p may
 * be at most n1 + n2 - 2. Costs n p^2 + p^3 / 3. */
#ifndef FLAMEL_STATS_HOTELLING_H
#define FLAMEL_STATS_HOTELLING_H

#include <stdbool.h>

#include "flamel/error.h"
#include "stats/matrix.h"

struct flm_hotelling {
    uint32_t p;
    double d1, d2; /* degrees of freedom of F */
    double t2, g2, f;
    double p_value, log10_p;
    double *difference; /* by column */
    double *variance;   /* by column: pooled */
};

/* Why there is no T2. */
enum flm_hotelling_refusal {
    FLM_HOTELLING_DONE,
    FLM_HOTELLING_NO_COLUMNS,
    FLM_HOTELLING_FEW_RUNS,     /* fewer than two in a group */
    FLM_HOTELLING_MANY_COLUMNS, /* more than n1 + n2 - 2 */
    FLM_HOTELLING_SINGULAR,     /* `column` depends on earlier ones, or is constant */
    FLM_HOTELLING_NO_MEMORY
};

/* `column` receives the column that makes it singular. */
enum flm_hotelling_refusal flm_hotelling_init(struct flm_hotelling *hotelling,
                                              const struct flm_matrix *matrix,
                                              const unsigned char *is_new, uint32_t *column);
void flm_hotelling_clear(struct flm_hotelling *hotelling);

/* Half the width of a column's simultaneous interval, for F* = the quantile of alpha. */
double flm_hotelling_half_width(const struct flm_hotelling *hotelling, uint32_t column,
                                double f_star);

#endif
