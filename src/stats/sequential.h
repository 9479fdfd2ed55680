/* sequential.h - group sequential tests: the level of each interim look, so that all looks together
 * have the requested false positive rate.
 *
 * Runs come in equal parts, and after each part all runs so far are tested: 8 runs a side, then 16,
 * then 24. A large change is found at the first look. But three looks at 0.05, with a stop at the
 * first significant one, have a false positive rate of 11 %. Pocock ("Group sequential methods in
 * the design and analysis of clinical trials", 1977) tests at the same smaller level at each look.
 *
 * Sums of k parts are S_k = S_(k-1) + a part, normal, so that the density of S_k among those that
 * no look has stopped is an integral over that of S_(k-1) (Armitage, McPherson and Rowe, "Repeated
 * significance tests on accumulating data", 1969):
 *
 *     f_1(s) = phi(s)      f_k(s) = integral of f_(k-1)(u) phi(s - u), |u| < c sqrt(k - 1)
 *
 * and the probability that no look stops, the integral of f_K within |s| < c sqrt(K), must be
 * 1 - alpha. Integrals are Gauss-Legendre sums.
 *
 * It is exact for one normal statistic. For the largest of 300 independent ones, three looks at
 * 0.022 have a false positive rate of 5.8 % instead of 5; the columns of one tree are strongly
 * dependent. */
#ifndef FLAMEL_STATS_SEQUENTIAL_H
#define FLAMEL_STATS_SEQUENTIAL_H

#include <stdint.h>

enum { FLM_SEQUENTIAL_MOST_LOOKS = 20 };

/* The probability that |S_k| reaches critical * sqrt(k) at any of the looks if nothing has changed.
 * NaN for no looks, or too many. */
double flm_sequential_error(double critical, uint32_t looks);

/* The critical value for which that is `alpha`, 0 < alpha < 1: 2.289 for 3 looks at 0.05. NaN for
 * invalid arguments. */
double flm_pocock_critical(double alpha, uint32_t looks);

/* The level of each look, two-sided: 0.0221 for the same. */
double flm_pocock_level(double alpha, uint32_t looks);

#endif
