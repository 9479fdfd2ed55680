/* distribution.h - tails and quantiles of the F, t and normal distributions.
 *
 * All of them but the normal are one function, the regularized incomplete beta function I_x(a, b),
 * which is computed from its continued fraction (DLMF 8.17.22, the coefficients 8.17.23, evaluated
 * by the modified method of Lentz) on the side of x on which that converges, and from
 * I_x(a, b) = 1 - I_(1-x)(b, a) on the other. Tails are computed directly: 1 - cdf has no precision
 * below 1e-16, and a gate must distinguish 1e-16 from 1e-50. So both x and 1 - x are arguments, and
 * results are logarithms until the last step.
 *
 *     F(d1, d2)    P(F > f) = I_x(d2/2, d1/2),   x = d2 / (d2 + d1 f)
 *     t(nu)        P(|t| > s) = I_x(nu/2, 1/2),  x = nu / (nu + s^2)
 *
 * Relative error against 50-digit values: 1e-11 or less (tests/stats/distribution_test.c).
 * Invalid arguments (degrees of freedom <= 0, NaN) give NaN. */
#ifndef FLAMEL_STATS_DISTRIBUTION_H
#define FLAMEL_STATS_DISTRIBUTION_H

/* I_x(a, b) for a, b > 0 and x + y = 1; y is an argument because 1 - x would be rounded. */
double flm_beta_regularized(double x, double y, double a, double b);

/* P(F > f); its decimal logarithm, which is precise far below the smallest double; and the f that
 * is exceeded with probability `tail`. */
double flm_f_tail(double f, double d1, double d2);
double flm_f_log10_tail(double f, double d1, double d2);
double flm_f_quantile(double tail, double d1, double d2);

/* P(|t| > |s|), and the s that is exceeded, on one side, with probability `tail`. */
double flm_t_two_sided(double s, double nu);
double flm_t_quantile(double tail, double nu);

/* P(Z > z), and the z that is exceeded with probability `tail`. */
double flm_normal_tail(double z);
double flm_normal_quantile(double tail);

#endif
