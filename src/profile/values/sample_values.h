/* sample_values.h - the values of a metric, by sample, in few bytes and without a loss.
 *
 * Most metrics count samples, or are integers of a few digits; where metrics belong to different
 * kinds of samples, most values of each are 0. Doubles would be more than half of a profile with
 * samples. So a profile that was built keeps
 *
 *     one number             if all values other than 0 are the same integer
 *     4 bytes a value        if they are integers below 2^32, or integers divided by 10^6: seconds
 *                            with microseconds, milliseconds with nanoseconds. A value is kept so
 *                            only if the division gives exactly the same double
 *     8 bytes a value        otherwise
 *
 * If some samples have no value, which is 0, a bit says of each sample whether it has one:
 *
 *     sample    0  1  2  3  4  5  ... 64        values    5  1  1  7 ... 9
 *     value     5  1  0  1  7  0      9         present   1  1  0  1  1  0 ... | 1 ...
 *                                               before    0                    | 4
 *
 * A value is found in constant time: its index is `before` of its word plus the number of bits
 * before its own. The column of doubles of a file is described by `any` and `count` alone. */
#ifndef FLAMEL_PROFILE_SAMPLE_VALUES_H
#define FLAMEL_PROFILE_SAMPLE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLM_VALUES_DIVISOR 1e6

struct flm_sample_values {
    const double *any;       /* `count` values; NULL: they are in `small` */
    const uint32_t *small;   /* `count` values, to be divided by `divisor`; NULL: all are `same` */
    double same;             /* an integer below 2^32 */
    double divisor;          /* 1 or FLM_VALUES_DIVISOR */
    size_t count;            /* of values: as many as samples where `present` is NULL */
    const uint64_t *present; /* a bit a sample: 1 if it has a value */
    const uint32_t *before;  /* by word of `present`: the number of values before the word */
    double *expanded;        /* a double a sample; NULL until flm_sample_values_expanded */
};

/* The number of 1 bits. The baseline of x86-64 has no instruction for it. */
static inline uint32_t flm_bit_count(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)(bits * 0x0101010101010101u >> 56);
}

/* The index of the value of a sample that has one. */
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

/* The values of all samples, as doubles. The first call makes them; several threads may call it at
 * once, and all get the same column, which belongs to `values`. NULL if memory ran out. */
const double *flm_sample_values_expanded(struct flm_sample_values *values, uint32_t sample_count);

/* The memory that the arrays take. */
size_t flm_sample_values_memory(const struct flm_sample_values *values, uint32_t sample_count);

/* Frees the arrays. */
void flm_sample_values_clear(struct flm_sample_values *values);

#endif
