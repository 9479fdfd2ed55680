/* sequential.h - looking more than once: the level of each look, so that all of them together are
 * wrong no more often than was asked for.
 *
 * Runs come in equal parts, and after each part a test is made on all that there are: 8 runs a
 * side, then 16, then 24. A large change is found at the first look. But who looks three times at
 * 0.05, and stops at what looks significant, is wrong 11 times in 100. Pocock ("Group sequential
 * methods in the design and analysis of clinical trials", 1977) looks each time at one smaller
 * level.
 *
 * Sums of k parts are S_k = S_(k-1) + a part, normal, so that the density of S_k among those that
 * no look has stopped is an integral over that of S_(k-1) (Armitage, McPherson and Rowe, "Repeated
 * significance tests on accumulating data", 1969):
 *
 *     f_1(s) = phi(s)      f_k(s) = integral of f_(k-1)(u) phi(s - u), |u| < c sqrt(k - 1)
 *
 * and what is left after the last look, the integral of f_K within |s| < c sqrt(K), is to be
 * 1 - alpha. Integrals are sums over the nodes of Gauss and Legendre.
 *
 * It is exact for one normal statistic. Of the largest of very many that know nothing of each other
 * the three looks at 0.022 are wrong 5.8 times in 100 (300 of them) in place of 5; the columns of
 * one tree know a lot of each other. */
#ifndef FLAMEL_STATS_SEQUENTIAL_H
#define FLAMEL_STATS_SEQUENTIAL_H

#include <stdint.h>

enum { FLM_SEQUENTIAL_MOST_LOOKS = 20 };

/* The probability that |S_k| reaches critical * sqrt(k) at one of the looks, where nothing has
 * changed. NaN for no looks, or too many. */
double flm_sequential_error(double critical, uint32_t looks);

/* The critical value for which that is `alpha`, 0 < alpha < 1: 2.289 for 3 looks at 0.05. NaN where
 * it makes no sense. */
double flm_pocock_critical(double alpha, uint32_t looks);

/* The level of each look, two-sided: 0.0221 for the same. */
double flm_pocock_level(double alpha, uint32_t looks);

#endif
