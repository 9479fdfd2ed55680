/* sample_values.h - the values of a metric, by sample, in as few bytes as they need.
 *
 * Most metrics count samples, or are integers of a few digits, and where metrics belong to
 * different kinds of samples most values of each are 0. As doubles they are more than half of a
 * profile with samples. So a profile that was built has them as one number while all of them are
 * the same, in 4 bytes each while they are integers that fit, or integers divided by 10^6 (times of
 * a microsecond's precision in seconds, or of a nanosecond's in milliseconds), and as doubles
 * otherwise; samples without a value have a bit:
 *
 *     sample    0  1  2  3  4  5  ... 64        values    5  1  1  7 ... 9
 *     value     5  1  0  1  7  0      9         present   1  1  0  1  1  0 ... | 1 ...
 *                                               before    0                    | 4
 *
 * A value is found in constant time: the values before its word of `present`, and the bits before
 * its own. A file in memory has a column of doubles, which is the same with `any` alone. */
#ifndef FLAMEL_PROFILE_SAMPLE_VALUES_H
#define FLAMEL_PROFILE_SAMPLE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLM_VALUES_DIVISOR 1e6

struct flm_sample_values {
    const double *any;       /* `count` of them, or */
    const uint32_t *small;   /* these, each divided by `divisor`, or */
    double same;             /* all are this */
    double divisor;          /* 1; FLM_VALUES_DIVISOR */
    size_t count;            /* of values: as many as samples where `present` is NULL */
    const uint64_t *present; /* a bit for each sample that has one */
    const uint32_t *before;  /* by word of `present`: how many values come before it */
    double *expanded;        /* a value for each sample, once the library was asked for that */
};

/* Without a loop or a table, as the oldest processors have no instruction for it. */
static inline uint32_t flm_bit_count(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)(bits * 0x0101010101010101u >> 56);
}

/* Which of the values is that of a sample that has one. */
static inline size_t flm_sample_values_index(const struct flm_sample_values *v, uint32_t sample)
{
    if (!v->present)
        return sample;
    uint64_t bit = (uint64_t)1 << sample % 64;
    return v->before[sample / 64] + flm_bit_count(v->present[sample / 64] & (bit - 1));
}

static inline double flm_sample_value_of(const struct flm_sample_values *v, uint32_t sample)
{
    if (v->present && !(v->present[sample / 64] >> sample % 64 & 1))
        return 0;
    return v->any     ? v->any[flm_sample_values_index(v, sample)]
           : v->small ? v->small[flm_sample_values_index(v, sample)] / v->divisor
                      : v->same;
}

/* The values of `count` samples from `first` on, as doubles. */
void flm_sample_values_expand(const struct flm_sample_values *values, uint32_t first,
                              uint32_t count, double *to);

/* All of them as doubles, made when they are first asked for, by any of several threads: they
 * belong to `values`. NULL if memory ran out. */
const double *flm_sample_values_expanded(struct flm_sample_values *values, uint32_t sample_count);

/* Frees the arrays. */
void flm_sample_values_clear(struct flm_sample_values *values);

#endif
