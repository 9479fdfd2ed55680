/* maxt.h - tests thousands of columns at once, with the family-wise error rate controlled.
 *
 * Step-down max-T (Westfall and Young, "Resampling-based multiple testing", 1993): the t of a
 * column (welch.h, with floor) is compared with the largest t of all columns that are not more
 * extreme, in every permutation of the runs. So p bounds the probability of even one false
 * positive, however the columns depend on each other; and columns that are nearly equal (a frame
 * and its only child) cost nearly no power.
 *
 * The columns are sorted by their observed statistic. From the least extreme on, each permutation
 * has a largest statistic so far:
 *
 *     column   observed    permutation 1: t, largest so far    permutation 2 ...
 *     c        0.4         1.1   1.1      counts for c
 *     a        2.2         0.3   1.1      does not count for a
 *     b        5.0         5.6   5.6      counts for b
 *
 * A permuted statistic counts from observed - |observed| 1e-9 - 1e-12 on: equal ones must count,
 * and sums are rounded. p of a column is at least that of the next more extreme one.
 *
 * Cost: permutations x columns x runs / 8, tile by tile of columns, so that a tile stays in the
 * cache; threads share the permutations. bench/maxt_bench.c. */
#ifndef FLAMEL_STATS_MAXT_H
#define FLAMEL_STATS_MAXT_H

#include "stats/matrix.h"
#include "stats/permutations.h"

/* Which differences are extreme. */
enum flm_side { FLM_SIDE_BOTH, FLM_SIDE_GROWTH };

struct flm_maxt_options {
    double unit; /* of the floor, welch.h; 0: none */
    enum flm_side side;
    int threads;
};

struct flm_maxt {
    uint32_t column_count;
    double *t;        /* by column, observed */
    double *p;        /* by column, adjusted */
    uint32_t *counts; /* by column: permutations whose largest statistic so far reaches it */
    double *largest;  /* the largest statistic of all columns in each permutation, ascending */
    uint32_t permutation_count;
    bool is_complete; /* as in the permutations */
};

/* `is_new` is the one that the permutations were made from. False, and `why`, when memory ran
 * out. */
bool flm_maxt_init(struct flm_maxt *maxt, const struct flm_matrix *matrix,
                   const unsigned char *is_new, const struct flm_permutations *permutations,
                   const struct flm_maxt_options *options, struct flm_error *why);
void flm_maxt_clear(struct flm_maxt *maxt);

/* The statistic that a share `alpha` of the permutations exceeds: p <= alpha for every column above
 * it, and the intervals difference +- critical * error hold for all columns at once. Infinite when
 * there are too few permutations for alpha. */
double flm_maxt_critical(const struct flm_maxt *maxt, double alpha);

#endif
