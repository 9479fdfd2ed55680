#include "stats/distribution.h"

#include <math.h>
#include <stdbool.h>

/* ---- The factor in front of the continued fraction ------------------------------------------- */

/* The remainder of Stirling's formula: ln Gamma(a) = (a - 1/2) ln a - a + ln(2 pi) / 2 +
 * stirling_rest(a). From 15 on it is the series DLMF 5.11.1, of which eight terms reach the
 * precision of a double; below, by recurrence from there. */
static double stirling_rest(double a)
{
    static const double term[] = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                  1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
    double steps = 0;
    for (; a < 15; a++)
        steps += (a + 0.5) * log1p(1 / a) - 1;
    double square = 1 / (a * a), sum = 0;
    for (int i = (int)(sizeof term / sizeof *term) - 1; i >= 0; i--)
        sum = sum * square + term[i];
    return steps + sum / a;
}

/* ln(1 + u) - u, precise also when the two nearly cancel: with v = u / (2 + u), ln(1 + u) = 2
 * atanh(v) (DLMF 4.38.5), and u = 2 v + u v. */
static double log1p_less(double u)
{
    double v = u / (2 + u), square = v * v, sum = 0;
    for (int k = 23; k >= 3; k -= 2)
        sum = (sum + 1.0 / k) * square;
    return v * (2 * sum - u);
}

/* x + y = 1, both exact, and their logarithms, which are precise also when x or y is too small for
 * a double. */
struct argument {
    double x, y, ln_x, ln_y;
};

static struct argument mirrored(struct argument at)
{
    return (struct argument){at.y, at.x, at.ln_y, at.ln_x};
}

/* x = 1 / (1 + odds). */
static struct argument argument_of_odds(double odds, double ln_odds)
{
    double small = odds <= 1 ? odds : 1 / odds; /* the smaller of x and y, relative to the larger */
    double ln_small = odds <= 1 ? ln_odds : -ln_odds;
    struct argument at = {1 / (1 + small), small / (1 + small), -log1p(small), 0};
    at.ln_y = ln_small + at.ln_x;
    return odds <= 1 ? at : mirrored(at);
}

/* a ln(x / mean) - distance, where x / mean = 1 + distance / a. */
static double power_term(double x, double ln_x, double mean, double a, double distance)
{
    if (fabs(distance) < 0.3 * a)
        return a * log1p_less(distance / a);
    return a * (x > 1e-300 ? log(x / mean) : ln_x - log(mean)) - distance;
}

/* ln(x^a y^b / B(a, b)). Neither the powers nor B are formed: for a = b = 1e6 their logarithms are
 * above a million, and what rounding leaves of them, 1e-10, would be the error of the result. Taken
 * relative to the mean of x, a / n with n = a + b, the large terms cancel beforehand (Loader,
 * "Fast and accurate computation of binomial probabilities", 2000):
 *
 *     x^a y^b / B(a, b) = sqrt(a b / (2 pi n)) (x n / a)^a (y n / b)^b e^(r(n) - r(a) - r(b))
 *
 * where r is stirling_rest. */
static double ln_power_terms(struct argument at, double a, double b)
{
    const double half_ln_two_pi = 0.91893853320467274178;
    double n = a + b;
    double distance = at.x * b - at.y * a; /* (x - a / n) n */
    double powers = power_term(at.x, at.ln_x, a / n, a, distance) +
                    power_term(at.y, at.ln_y, b / n, b, -distance);
    double rest = stirling_rest(n) - stirling_rest(a) - stirling_rest(b);
    return powers + rest + 0.5 * log(a / n * b) - half_ln_two_pi;
}

/* ---- The continued fraction ------------------------------------------------------------------ */

/* x^a y^b / B(a, b) divided by I_x(a, b), where x < (a + 1) / (a + b + 2); in about sqrt(max(a, b))
 * steps. It is the even part of the continued fraction of DLMF 8.17.22 with the coefficients c of
 * 8.17.23,
 *
 *     1 + c1 - c1 c2 / (1 + c2 + c3 - c3 c4 / (1 + c4 + c5 - ...
 *
 * each fraction expanded by a + 2 m, as Didonato and Morris have it ("Significant digit computation
 * of the incomplete beta function ratios", 1992). The original fraction subtracts a number near 1
 * from 1 if x is near 1, and with a million degrees of freedom loses six digits. Here the
 * difference, a y - b x, is computed without that cancellation. */
static double continued_fraction(struct argument at, double a, double b)
{
    const double tiny = 1e-300, near = 1e-15;
    const double most_steps = 1e7;
    double above = a * at.y - b * at.x;
    double value = a * (above + 1) / (a + 1), c = value, d = 0;
    for (double m = 1; m < most_steps; m++) {
        double middle = a + 2 * m;
        double share = m * (b - m) * at.x / (middle - 1);
        double numerator = (a + m - 1) / (middle - 1) * (a + b + m - 1) * at.x * share;
        double denominator = m + share + (a + m) / (middle + 1) * (above + 1 + m * (1 + at.y));
        d = denominator + numerator * d;
        c = denominator + numerator / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        double step = c * d;
        value *= step;
        if (fabs(step - 1) < near)
            return value;
    }
    return NAN;
}

/* ln I_x(a, b). */
static double ln_beta(struct argument at, double a, double b)
{
    if (!(a > 0 && b > 0 && isfinite(a + b) && at.x >= 0 && at.y >= 0))
        return NAN;
    if (at.x < (a + 1) / (a + b + 2))
        return ln_power_terms(at, a, b) - log(continued_fraction(at, a, b));
    at = mirrored(at);
    double other = exp(ln_power_terms(at, b, a)) / continued_fraction(at, b, a);
    return other >= 1 ? -INFINITY : log1p(-other);
}

double flm_beta_regularized(double x, double y, double a, double b)
{
    return exp(ln_beta((struct argument){x, y, log(x), log(y)}, a, b));
}

/* ---- F and t --------------------------------------------------------------------------------- */

static double ln_f_tail(double f, double d1, double d2)
{
    if (isnan(f) || !(d1 > 0 && d2 > 0))
        return NAN;
    if (f <= 0)
        return 0;
    if (isinf(f))
        return isfinite(d1 + d2) ? -INFINITY : NAN;
    struct argument at = argument_of_odds(d1 / d2 * f, log(f) + log(d1 / d2));
    return ln_beta(at, d2 / 2, d1 / 2);
}

double flm_f_tail(double f, double d1, double d2)
{
    return exp(ln_f_tail(f, d1, d2));
}

double flm_f_log10_tail(double f, double d1, double d2)
{
    const double log10_e = 0.43429448190325182765;
    return ln_f_tail(f, d1, d2) * log10_e;
}

double flm_t_two_sided(double s, double nu)
{
    if (isinf(nu) && nu > 0)
        return 2 * flm_normal_tail(fabs(s));
    if (isnan(s) || !(nu > 0))
        return NAN;
    if (isinf(s))
        return 0;
    s = fabs(s);
    struct argument at = argument_of_odds(s / nu * s, 2 * log(s) - log(nu));
    return exp(ln_beta(at, nu / 2, 0.5));
}

double flm_normal_tail(double z)
{
    const double sqrt_half = 0.70710678118654752440;
    return 0.5 * erfc(z * sqrt_half);
}

/* ---- Quantiles ------------------------------------------------------------------------------- */

/* A decreasing function. */
struct decreasing {
    double (*value)(const struct decreasing *f, double at);
    double a, b;
    double ln_tail;
};

/* The root. The bracket is widened until it contains it, then narrowed by regula falsi, with the
 * other end halved if one end stays (Dowell and Jarratt, "A modified regula falsi method", 1971),
 * and sometimes by bisection. */
static double solve(const struct decreasing *f, double start)
{
    double low = start - 1, high = start + 1;
    double at_low = f->value(f, low), at_high = f->value(f, high);
    for (double step = 2; at_low < 0 && step < 1e6; step *= 2)
        at_low = f->value(f, low -= step);
    for (double step = 2; at_high > 0 && step < 1e6; step *= 2)
        at_high = f->value(f, high += step);
    int stayed = 0; /* -1: the low end, 1: the high end */
    for (int i = 0; i < 200; i++) {
        double middle = low + (high - low) / 2;
        double near = 4e-16 * fmax(1, fabs(middle));
        if (!(high - low > near))
            return middle;
        double at = low + (high - low) * (at_low / (at_low - at_high));
        if (!(at > low && at < high) || i % 8 == 7)
            at = middle;
        double value = f->value(f, at);
        if (isnan(value))
            return NAN;
        if (value == 0)
            return at;
        if (value > 0) {
            low = at;
            at_low = value;
            at_high *= stayed == 1 ? 0.5 : 1;
            stayed = 1;
        } else {
            high = at;
            at_high = value;
            at_low *= stayed == -1 ? 0.5 : 1;
            stayed = -1;
        }
    }
    return low + (high - low) / 2;
}

static double beyond_ln_odds(const struct decreasing *f, double ln_odds)
{
    return ln_beta(argument_of_odds(exp(ln_odds), ln_odds), f->a, f->b) - f->ln_tail;
}

static double below_ln_odds(const struct decreasing *f, double ln_odds)
{
    return f->ln_tail - ln_beta(mirrored(argument_of_odds(exp(ln_odds), ln_odds)), f->b, f->a);
}

/* ln(y / x) for I_x(a, b) = tail, from the smaller of both tails. */
static double ln_odds_quantile(double tail, double a, double b)
{
    if (!(tail >= 0 && tail <= 1 && a > 0 && b > 0 && isfinite(a + b)))
        return NAN;
    if (tail == 0 || tail == 1)
        return tail == 0 ? INFINITY : -INFINITY;
    struct decreasing f = {tail <= 0.5 ? beyond_ln_odds : below_ln_odds, a, b,
                           log(tail <= 0.5 ? tail : 1 - tail)};
    return solve(&f, log(b / a));
}

double flm_f_quantile(double tail, double d1, double d2)
{
    return exp(ln_odds_quantile(tail, d2 / 2, d1 / 2) + log(d2 / d1));
}

double flm_t_quantile(double tail, double nu)
{
    if (isinf(nu) && nu > 0)
        return flm_normal_quantile(tail);
    if (tail > 0.5)
        return -flm_t_quantile(1 - tail, nu);
    double ln_odds = ln_odds_quantile(2 * tail, nu / 2, 0.5);
    return exp((ln_odds + log(nu)) / 2);
}

static double beyond_z(const struct decreasing *f, double z)
{
    return log(flm_normal_tail(z)) - f->ln_tail;
}

double flm_normal_quantile(double tail)
{
    if (!(tail >= 0 && tail <= 1))
        return NAN;
    if (tail > 0.5)
        return -flm_normal_quantile(1 - tail);
    if (tail == 0)
        return INFINITY;
    struct decreasing f = {.value = beyond_z, .ln_tail = log(tail)};
    return tail == 0.5 ? 0 : solve(&f, 1);
}
