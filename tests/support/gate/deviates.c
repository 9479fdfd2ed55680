#include "support/gate/deviates.h"

#include <assert.h>
#include <math.h>

double deviate_uniform(struct flm_random *random)
{
    return ((double)(flm_random_next(random) >> 12) + 0.5) / 0x1p52;
}

/* The second one of each pair is thrown away: a generator has no state but its seed. */
double deviate_normal(struct flm_random *random)
{
    double x, y, square;
    do {
        x = 2 * deviate_uniform(random) - 1;
        y = 2 * deviate_uniform(random) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    return x * sqrt(-2 * log(square) / square);
}

double deviate_exponential(struct flm_random *random)
{
    return -log(deviate_uniform(random));
}

double deviate_gamma(struct flm_random *random, double shape)
{
    assert(shape >= 1);
    double d = shape - 1 / 3.0, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = deviate_normal(random), v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        double u = deviate_uniform(random);
        if (u < 1 - 0.0331 * (x * x) * (x * x) || log(u) < x * x / 2 + d * (1 - v + log(v)))
            return d * v;
    }
}

static double poisson_small(struct flm_random *random, double mean)
{
    double left = deviate_uniform(random), p = exp(-mean), k = 0;
    while (left > p && p > 0) {
        left -= p;
        p *= mean / ++k;
    }
    return k;
}

/* The names of the constants are those of the paper. */
static double poisson_large(struct flm_random *random, double mean)
{
    double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = deviate_uniform(random) - 0.5, v = deviate_uniform(random);
        double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + mean + 0.43);
        if (us >= 0.07 && v <= v_r)
            return k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        int sign;
        if (log(v * inverse_alpha / (a / (us * us) + b)) <=
            k * log(mean) - mean - lgamma_r(k + 1, &sign))
            return k;
    }
}

double deviate_poisson(struct flm_random *random, double mean)
{
    assert(mean >= 0);
    return mean <= 10 ? poisson_small(random, mean) : poisson_large(random, mean);
}
