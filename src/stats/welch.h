/* welch.h - Welch's t test: compares two groups of runs, column by column.
 *
 *     t = (mean of new - mean of base) / sqrt(v_base / n_base + v_new / n_new)
 *
 * where v is the sample variance (divisor n - 1). 0/0 is t = 0, x/0 is an infinite t: a
 * deterministic change, such as calls that are always 5 before and always 7 after.
 *
 * The floor: a count has at least the variance of a Poisson distribution. With `unit` > 0, the
 * value of one count (such as a sample), each v is at least unit * mean of all runs. With few runs
 * this matters: half of the sample variances are too small by chance. */
#ifndef FLAMEL_STATS_WELCH_H
#define FLAMEL_STATS_WELCH_H

#include "stats/matrix.h"

struct flm_welch {
    double base_mean, new_mean;
    double base_variance, new_variance; /* without the floor */
    double error;                       /* standard error of the difference, with the floor */
    double t;
    double nu; /* degrees of freedom (Welch, Satterthwaite); 0 where t is not finite */
    double p;  /* two-sided; 1 or 0 where the error is 0 */
};

/* A group of one run has variance 0. */
struct flm_welch flm_welch_test(const double *column, uint32_t run_count,
                                const unsigned char *is_new, double unit);

/* The same for decisions by theory alone, without permutations, when sides differ in noise and
 * size: with fewer degrees of freedom, for values whose distribution is skewed to the right, as
 * times are.
 *
 *     variances   that of the side with the smaller mean as if its mean were that of all runs: its
 *                 CV is kept, up to twice the standard deviation. Of few skewed values a small mean
 *                 comes with a small variance, and their t is too large
 *     nu          of the estimated variances, without the part of a floor that is above them, and
 *                 with one degree of freedom less for each group; at most that of the measured
 *                 variances
 *
 * Both were measured: bench/power_bench.c, sides. */
struct flm_welch flm_welch_cautious(const double *column, uint32_t run_count,
                                    const unsigned char *is_new, double unit);

/* Only t, for a permutation (permutations.h), with a bit for each run. Identical to the last bit:
 * permuted statistics are compared with the observed one, and equal ones must be equal. */
double flm_welch_t(const double *column, uint32_t run_count, const uint64_t *bitmap, double unit);

/* Adjusts `count` p values for multiple testing, in place or not: they bound the probability of any
 * false positive (Holm), or the share of false positives among those found (Benjamini and
 * Hochberg). `order` has room for 2 * count numbers. */
void flm_adjust_holm(const double *p, double *adjusted, uint32_t *order, uint32_t count);
void flm_adjust_benjamini_hochberg(const double *p, double *adjusted, uint32_t *order,
                                   uint32_t count);

#endif
