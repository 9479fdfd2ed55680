/* sum.h - sums of doubles that are as exact as their terms.
 *
 * struct flm_sum is quick. The rounding errors of the additions are summed as well and added at the
 * end: the result has the error of two roundings, however many numbers there are and in any order
 * (Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974). Sums
 * of integers below 2^53 are exact either way; means and shares are not integers.
 *
 * struct flm_exact_sum has no error before the one rounding at the end, so the result is the double
 * nearest to the sum, in whatever order the numbers came. An addition takes 5 to 50 ns. */
#ifndef FLAMEL_BASE_NUMBER_SUM_H
#define FLAMEL_BASE_NUMBER_SUM_H

#include <stddef.h>

/* Adds `value` to *sum. Returns what rounding the new sum left out, exactly: the old sum and
 * `value` together are the new sum and this; NaN where the new sum is not finite. Knuth, "The Art
 * of Computer Programming", volume 2, section 4.2.2, theorem B. */
static inline double flm_two_sum(double *sum, double value)
{
    double before = *sum, after = before + value, added = after - before;
    *sum = after;
    return (before - (after - added)) + (value - added);
}

struct flm_sum {
    double sum, rest;
};

static inline void flm_sum_add(struct flm_sum *s, double value)
{
    double sum = s->sum + value;
    double size = s->sum < 0 ? -s->sum : s->sum, other = value < 0 ? -value : value;
    s->rest += size >= other ? (s->sum - sum) + value : (value - sum) + s->sum;
    s->sum = sum;
}

static inline double flm_sum_of(const struct flm_sum *s)
{
    return s->sum + s->rest;
}

/* The sum as doubles that do not overlap, the smallest first: Shewchuk, "Adaptive Precision
 * Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997. Doubles have 2098 bits
 * from the largest to the smallest one. A part may be a single bit; before there are too many, they
 * are put together into at most 41, of 53 bits each. */
#define FLM_SUM_PARTS 256

struct flm_exact_sum {
    size_t count;
    double part[FLM_SUM_PARTS];
};

static inline void flm_exact_sum_init(struct flm_exact_sum *sum)
{
    sum->count = 0;
}

/* Values, and their sum, must be finite. */
void flm_exact_sum_add(struct flm_exact_sum *sum, double value);

/* The double that is nearest to the sum; half way between two, the even one. What it leaves out
 * stays in `sum`: no parts, if it is exact. */
double flm_exact_sum_take(struct flm_exact_sum *sum);

/* The sum of all values without their signs: quick, not exact. Not finite if one of them is not. */
double flm_sum_of_sizes(const double *values, size_t count);

#endif
