#include "profile/value_runs.h"

#include <assert.h>
#include <string.h>

void flm_value_runs_clear(struct flm_value_runs *r)
{
    FLM_ARRAY_CLEAR(&r->values);
    FLM_ARRAY_CLEAR(&r->runs);
    r->next = 0;
}

bool flm_value_runs_add_other(struct flm_value_runs *r, uint32_t sample, double value)
{
    assert(sample + 1 >= r->next);
    if (r->values.count > 0 && sample + 1 == r->next) {
        r->values.at[r->values.count - 1] += value;
        return true;
    }
    struct flm_value_run run = {sample, (uint32_t)r->values.count};
    bool begins = r->values.count == 0 || sample != r->next;
    if (!FLM_ARRAY_RESERVE(&r->values, 1) || (begins && !FLM_ARRAY_ADD(&r->runs, run)))
        return false;
    r->values.at[r->values.count++] = value;
    r->next = sample + 1;
    return true;
}

/* How many values run i has. */
static size_t run_size(const struct flm_value_runs *r, size_t i)
{
    size_t end = i + 1 < r->runs.count ? r->runs.at[i + 1].value : r->values.count;
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
    return r->values.at[r->runs.at[low - 1].value + (sample - r->runs.at[low - 1].sample)];
}

void flm_value_runs_write(const struct flm_value_runs *r, const uint32_t *rank, double *column)
{
    for (size_t i = 0; i < r->runs.count; i++) {
        uint32_t sample = r->runs.at[i].sample;
        const double *from = r->values.at + r->runs.at[i].value;
        size_t size = run_size(r, i);
        if (!rank)
            memcpy(column + sample, from, size * sizeof *from);
        for (size_t j = 0; rank && j < size; j++)
            column[rank[sample + j]] = from[j];
    }
}
