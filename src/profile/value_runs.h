/* value_runs.h - the values of a metric, by sample: only those that are not 0.
 *
 * Where metrics belong to different kinds of samples, such as execution and allocation, most values
 * of each are 0. Values follow one another, and a run says from which sample on they are those of
 * consecutive samples:
 *
 *     sample   0  1  2  3  4  5        values   5  1  1  7
 *     value    5  1  0  1  7  0        runs     {sample 0, value 0}  {sample 3, value 2}
 *
 * A metric that all samples have is one run. Values are added in the order of the samples.
 *
 * Most metrics count samples, or are integers of a few digits. So the values are kept as one number
 * while all of them are the same, then in 4 bytes each while they are integers that fit, and as
 * doubles once one of them is not. */
#ifndef FLAMEL_PROFILE_VALUE_RUNS_H
#define FLAMEL_PROFILE_VALUE_RUNS_H

#include <stdint.h>

#include "base/core/array.h"

struct flm_value_run {
    uint32_t sample, value; /* the first ones of the run */
};

enum flm_value_width { FLM_VALUES_SAME, FLM_VALUES_SMALL, FLM_VALUES_ANY };

struct flm_value_runs {
    struct FLM_ARRAY(struct flm_value_run) runs;
    uint32_t next; /* the sample after the last one with a value */
    enum flm_value_width width;
    size_t count;                     /* of values */
    uint32_t same;                    /* FLM_VALUES_SAME: all of them */
    struct FLM_ARRAY(uint32_t) small; /* FLM_VALUES_SMALL */
    struct FLM_ARRAY(double) any;     /* FLM_VALUES_ANY */
};

void flm_value_runs_clear(struct flm_value_runs *runs); /* {0} is empty */

/* flm_value_runs_add, where it is not the next value of a run, of the same width, for which there
 * is room. */
bool flm_value_runs_add_other(struct flm_value_runs *runs, uint32_t sample, double value);

static inline bool flm_value_is_small(double value)
{
    return value >= 0 && value <= UINT32_MAX && (double)(uint32_t)value == value;
}

/* Adds to the value of a sample: the last one with a value, or one after it. False when memory ran
 * out. */
static inline bool flm_value_runs_add(struct flm_value_runs *runs, uint32_t sample, double value)
{
    if (value == 0)
        return true;
    if (sample != runs->next || runs->count == 0)
        return flm_value_runs_add_other(runs, sample, value);
    if (runs->width == FLM_VALUES_ANY && runs->any.count < runs->any.capacity)
        runs->any.at[runs->any.count++] = value;
    else if (runs->width == FLM_VALUES_SMALL && runs->small.count < runs->small.capacity &&
             flm_value_is_small(value))
        runs->small.at[runs->small.count++] = (uint32_t)value;
    else if (runs->width != FLM_VALUES_SAME || value != runs->same)
        return flm_value_runs_add_other(runs, sample, value);
    runs->count++;
    runs->next++;
    return true;
}

/* Adds the values of `count` samples, from `first` on, which is after the last one with a value.
 * False when memory ran out. */
bool flm_value_runs_append(struct flm_value_runs *runs, uint32_t first, const double *values,
                           uint32_t count);

double flm_value_runs_get(const struct flm_value_runs *runs, uint32_t sample);

/* Writes each value to the place of its sample, of a column that is all 0: `rank` has the places,
 * NULL: those of the samples. */
void flm_value_runs_write(const struct flm_value_runs *runs, const uint32_t *rank, double *column);

#endif
