#include "profile/value_runs.h"

#include <assert.h>
#include <string.h>

void flm_value_runs_clear(struct flm_value_runs *r)
{
    FLM_ARRAY_CLEAR(&r->runs);
    FLM_ARRAY_CLEAR(&r->small);
    FLM_ARRAY_CLEAR(&r->any);
    *r = (struct flm_value_runs){.next = 0};
}

static double value_at(const struct flm_value_runs *r, size_t i)
{
    return r->width == FLM_VALUES_ANY     ? r->any.at[i]
           : r->width == FLM_VALUES_SMALL ? r->small.at[i]
                                          : r->same;
}

/* Keeps the values in that width from now on; it is larger. False when memory ran out. */
static bool widen(struct flm_value_runs *r, enum flm_value_width width)
{
    if (width == FLM_VALUES_SMALL) {
        if (!FLM_ARRAY_RESERVE(&r->small, r->count + 1))
            return false;
        while (r->small.count < r->count)
            r->small.at[r->small.count++] = r->same;
    } else {
        if (!FLM_ARRAY_RESERVE(&r->any, r->count + 1))
            return false;
        while (r->any.count < r->count) {
            r->any.at[r->any.count] = value_at(r, r->any.count);
            r->any.count++;
        }
        FLM_ARRAY_CLEAR(&r->small);
    }
    r->width = width;
    return true;
}

/* The smallest width that holds this value and those that are there. */
static enum flm_value_width width_of(const struct flm_value_runs *r, double value)
{
    if (!flm_value_is_small(value))
        return FLM_VALUES_ANY;
    return r->count == 0 || value == r->same ? FLM_VALUES_SAME : FLM_VALUES_SMALL;
}

static bool add_to_last(struct flm_value_runs *r, double value)
{
    size_t last = r->count - 1;
    double sum = value_at(r, last) + value;
    enum flm_value_width width = width_of(r, sum);
    if (width > r->width && !widen(r, width))
        return false;
    if (r->width == FLM_VALUES_ANY)
        r->any.at[last] = sum;
    else if (r->width == FLM_VALUES_SMALL)
        r->small.at[last] = (uint32_t)sum;
    return true;
}

static bool append(struct flm_value_runs *r, double value)
{
    enum flm_value_width width = width_of(r, value);
    if (width > r->width && !widen(r, width))
        return false;
    if (r->width == FLM_VALUES_ANY)
        return FLM_ARRAY_ADD(&r->any, value);
    if (r->width == FLM_VALUES_SMALL)
        return FLM_ARRAY_ADD(&r->small, (uint32_t)value);
    r->same = (uint32_t)value;
    return true;
}

bool flm_value_runs_add_other(struct flm_value_runs *r, uint32_t sample, double value)
{
    assert(sample + 1 >= r->next);
    if (r->count > 0 && sample + 1 == r->next)
        return add_to_last(r, value);
    struct flm_value_run run = {sample, (uint32_t)r->count};
    bool begins = r->count == 0 || sample != r->next;
    if (!FLM_ARRAY_RESERVE(&r->runs, 1) || !append(r, value))
        return false;
    if (begins)
        r->runs.at[r->runs.count++] = run;
    r->count++;
    r->next = sample + 1;
    return true;
}

/* How many of the values, in the width of those that are there, go on with the last run. */
static uint32_t append_alike(struct flm_value_runs *r, const double *values, uint32_t count)
{
    uint32_t i = 0;
    if (r->width == FLM_VALUES_SAME) {
        while (i < count && values[i] == r->same)
            i++;
    } else if (r->width == FLM_VALUES_SMALL) {
        for (uint32_t *to = r->small.at + r->small.count; i < count && values[i] != 0; i++) {
            if (!flm_value_is_small(values[i]))
                break;
            to[i] = (uint32_t)values[i];
        }
        r->small.count += i;
    } else {
        for (double *to = r->any.at + r->any.count; i < count && values[i] != 0; i++)
            to[i] = values[i];
        r->any.count += i;
    }
    r->count += i;
    r->next += i;
    return i;
}

bool flm_value_runs_append(struct flm_value_runs *r, uint32_t first, const double *values,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        bool room = r->width == FLM_VALUES_ANY     ? FLM_ARRAY_RESERVE(&r->any, count - i)
                    : r->width == FLM_VALUES_SMALL ? FLM_ARRAY_RESERVE(&r->small, count - i)
                                                   : true;
        if (!room)
            return false;
        if (r->count > 0 && r->next == first + i)
            i += append_alike(r, values + i, count - i);
        if (i < count && !flm_value_runs_add(r, first + i, values[i]))
            return false;
        i += i < count;
    }
    return true;
}

/* How many values run i has. */
static size_t run_size(const struct flm_value_runs *r, size_t i)
{
    size_t end = i + 1 < r->runs.count ? r->runs.at[i + 1].value : r->count;
    return end - r->runs.at[i].value;
}

double flm_value_runs_get(const struct flm_value_runs *r, uint32_t sample)
{
    size_t low = 0, high = r->runs.count; /* the runs before `low` begin at the sample or before */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->runs.at[middle].sample <= sample)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || sample - r->runs.at[low - 1].sample >= run_size(r, low - 1))
        return 0;
    return value_at(r, r->runs.at[low - 1].value + (sample - r->runs.at[low - 1].sample));
}

void flm_value_runs_write(const struct flm_value_runs *r, const uint32_t *rank, double *column)
{
    for (size_t i = 0; i < r->runs.count; i++) {
        uint32_t sample = r->runs.at[i].sample;
        size_t first = r->runs.at[i].value, size = run_size(r, i);
        if (r->width == FLM_VALUES_ANY && !rank)
            memcpy(column + sample, r->any.at + first, size * sizeof *column);
        else
            for (size_t j = 0; j < size; j++)
                column[rank ? rank[sample + j] : sample + j] = value_at(r, first + j);
    }
}
