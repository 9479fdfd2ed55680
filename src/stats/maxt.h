/* maxt.h - which of thousands of columns differ, without being fooled by their number.
 *
 * Step-down max-T (Westfall and Young, "Resampling-based multiple testing", 1993): the t of a
 * column (welch.h, with floor) is compared with the largest t of all columns that are not more
 * extreme, in every permutation of the runs. So the chance to name even one column falsely is the p
 * that is given, whatever the columns have to do with each other; and columns that say nearly the
 * same (a frame and the one frame below it) cost nearly nothing.
 *
 * The columns are put in the order of their observed statistic. From the least extreme on, each
 * permutation keeps the largest statistic so far:
 *
 *     column   observed    permutation 1: t, largest so far    permutation 2 ...
 *     c        0.4         1.1   1.1      counts for c
 *     a        2.2         0.3   1.1      does not count for a
 *     b        5.0         5.6   5.6      counts for b
 *
 * A permuted statistic counts from observed - |observed| 1e-9 - 1e-12 on: equal ones must count,
 * and sums are rounded. p of a column is at least that of the one before it in order.
 *
 * Cost: permutations x columns x runs / 8, tile by tile of columns, so that a tile stays in the
 * cache; permutations are shared out over threads. bench/maxt_bench.c. */
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
    bool is_complete; /* as of the permutations */
};

/* `is_new` as the permutations were made of. False, and `why`, if memory ran out. */
bool flm_maxt_init(struct flm_maxt *maxt, const struct flm_matrix *matrix,
                   const unsigned char *is_new, const struct flm_permutations *permutations,
                   const struct flm_maxt_options *options, struct flm_error *why);
void flm_maxt_clear(struct flm_maxt *maxt);

/* The statistic that chance alone exceeds in a share `alpha` of the permutations: p <= alpha for
 * every column above it, and difference +- critical * error holds for all columns at once. Infinite
 * where there are too few permutations for alpha. */
double flm_maxt_critical(const struct flm_maxt *maxt, double alpha);

#endif
