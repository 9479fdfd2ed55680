/* deviates.h - numbers by chance, of the distributions that the noise of profiles is made of.
 *
 *     normal        polar method (Marsaglia and Bray, "A convenient method for generating normal
 *                   variables", 1964)
 *     exponential   inversion
 *     gamma         Marsaglia and Tsang, "A simple method for generating gamma variables", 2000
 *     Poisson       up to 10: inversion, from 0 on; above: transformed rejection with a squeeze,
 *                   PTRS (Hoermann, "The transformed rejection method for generating Poisson random
 *                   variables", 1993)
 *
 * All from splitmix64 (stats/random.h), so that a seed is a data set. */
#ifndef FLAMEL_TESTS_SUPPORT_GATE_DEVIATES_H
#define FLAMEL_TESTS_SUPPORT_GATE_DEVIATES_H

#include "stats/random.h"

/* Above 0, below 1. */
double deviate_uniform(struct flm_random *random);

/* Mean 0, variance 1. */
double deviate_normal(struct flm_random *random);

/* Mean 1. */
double deviate_exponential(struct flm_random *random);

/* Mean and variance `shape`, at least 1. */
double deviate_gamma(struct flm_random *random, double shape);

/* An integer. `mean` 0 or more. */
double deviate_poisson(struct flm_random *random, double mean);

#endif
