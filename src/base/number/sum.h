/* sum.h - a sum of doubles that is as exact as its terms.
 *
 * The rounding errors of the additions are summed as well and added at the end: the result has the
 * error of two roundings, however many numbers there are and in any order (Neumaier,
 * "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974). Sums of integers
 * below 2^53 are exact either way; means and shares are not integers. */
#ifndef FLAMEL_BASE_NUMBER_SUM_H
#define FLAMEL_BASE_NUMBER_SUM_H

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

#endif
