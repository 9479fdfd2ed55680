/* value_column.h - the values of a metric while a profile is built, by sample.
 *
 * They become the sample values of the profile (sample_values.h) and are kept in the same way. The
 * width grows when a value does not fit: one number, then integers of 4 bytes, then integers
 * divided by 10^6, then doubles. There are no bits until a sample has no value. Values are added in
 * the order of the samples. */
#ifndef FLAMEL_PROFILE_VALUE_COLUMN_H
#define FLAMEL_PROFILE_VALUE_COLUMN_H

#include <stdint.h>

#include "base/core/array.h"
#include "profile/values/sample_values.h"

enum flm_value_width { FLM_VALUES_SAME, FLM_VALUES_SMALL, FLM_VALUES_SCALED, FLM_VALUES_ANY };

struct flm_value_column {
    uint32_t next; /* the sample after the last one with a value */
    enum flm_value_width width;
    size_t count;                       /* of values */
    uint32_t same;                      /* FLM_VALUES_SAME: the value of all */
    struct FLM_ARRAY(uint32_t) small;   /* FLM_VALUES_SMALL, FLM_VALUES_SCALED */
    struct FLM_ARRAY(double) any;       /* FLM_VALUES_ANY */
    struct FLM_ARRAY(uint64_t) present; /* empty while the first `count` samples have values */
    struct FLM_ARRAY(uint32_t) before;  /* by word of `present` */
};

void flm_value_column_clear(struct flm_value_column *column); /* {0} is empty */

/* The slow path of flm_value_column_add: a value of another width, one that needs memory, or one
 * that is added to the last. */
bool flm_value_column_add_other(struct flm_value_column *column, uint32_t sample, double value);

static inline bool flm_value_is_small(double value)
{
    return value >= 0 && value <= UINT32_MAX && (double)(uint32_t)value == value;
}

/* Adds to the value of a sample: the last one with a value, or one after it. False when memory ran
 * out. */
static inline bool flm_value_column_add(struct flm_value_column *c, uint32_t sample, double value)
{
    if (value == 0)
        return true;
    size_t word = sample / 64;
    bool has_place = c->present.count > 0 ? word < c->present.count : sample == c->next;
    if (!has_place || sample < c->next || c->count == 0)
        return flm_value_column_add_other(c, sample, value);
    if (c->width == FLM_VALUES_ANY && c->any.count < c->any.capacity)
        c->any.at[c->any.count++] = value;
    else if (c->width == FLM_VALUES_SMALL && c->small.count < c->small.capacity &&
             flm_value_is_small(value))
        c->small.at[c->small.count++] = (uint32_t)value;
    else if (c->width != FLM_VALUES_SAME || value != c->same)
        return flm_value_column_add_other(c, sample, value);
    if (c->present.count > 0)
        c->present.at[word] |= (uint64_t)1 << sample % 64;
    c->count++;
    c->next = sample + 1;
    return true;
}

/* Adds the values of `count` samples, from `first` on, which is after the last one with a value.
 * False when memory ran out. */
bool flm_value_column_append(struct flm_value_column *column, uint32_t first, const double *values,
                             uint32_t count);

double flm_value_column_get(const struct flm_value_column *column, uint32_t sample);

/* Makes the values of a profile with `sample_count` samples. `rank` has the index of each sample
 * in the profile, NULL: the same as here. `to` may take the arrays of the column, which can only be
 * cleared afterward. False when memory ran out; `to` must be cleared then, too. */
bool flm_value_column_take(struct flm_value_column *column, const uint32_t *rank,
                           uint32_t sample_count, struct flm_sample_values *to);

#endif
