#include "profile/values/value_column.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/large_block.h"

void flm_value_column_clear(struct flm_value_column *c)
{
    FLM_ARRAY_CLEAR(&c->present);
    FLM_ARRAY_CLEAR(&c->before);
    FLM_ARRAY_CLEAR(&c->small);
    FLM_ARRAY_CLEAR(&c->any);
    *c = (struct flm_value_column){.next = 0};
}

static double divisor_of(const struct flm_value_column *c)
{
    return c->width == FLM_VALUES_SCALED ? FLM_VALUES_DIVISOR : 1;
}

static double value_at(const struct flm_value_column *c, size_t i)
{
    return c->width == FLM_VALUES_ANY    ? c->any.at[i]
           : c->width == FLM_VALUES_SAME ? c->same
                                         : c->small.at[i] / divisor_of(c);
}

/* Whether the value is exactly an integer divided by FLM_VALUES_DIVISOR: the nearest is tried. */
static bool is_scaled(double value, uint32_t *integer)
{
    if (!(value >= 0 && value * FLM_VALUES_DIVISOR < UINT32_MAX))
        return false;
    *integer = (uint32_t)(value * FLM_VALUES_DIVISOR + 0.5);
    return *integer / FLM_VALUES_DIVISOR == value;
}

static bool make_small(struct flm_value_column *c)
{
    if (!FLM_ARRAY_RESERVE(&c->small, c->count + 1 - c->small.count))
        return false;
    while (c->small.count < c->count)
        c->small.at[c->small.count++] = c->same;
    return true;
}

static bool make_any(struct flm_value_column *c)
{
    if (!FLM_ARRAY_RESERVE(&c->any, c->count + 1))
        return false;
    while (c->any.count < c->count) {
        c->any.at[c->any.count] = value_at(c, c->any.count);
        c->any.count++;
    }
    FLM_ARRAY_CLEAR(&c->small);
    return true;
}

/* Converts all values to this width, which is larger than the current one, or to doubles if one of
 * them has no scaled integer. False when memory ran out. */
static bool widen(struct flm_value_column *c, enum flm_value_width width)
{
    uint32_t unused;
    for (size_t i = 0; i < c->count && width == FLM_VALUES_SCALED; i++)
        if (!is_scaled(value_at(c, i), &unused))
            width = FLM_VALUES_ANY;
    bool good = width == FLM_VALUES_ANY ? make_any(c) : make_small(c);
    for (size_t i = 0; i < c->count && good && width == FLM_VALUES_SCALED; i++)
        c->small.at[i] *= (uint32_t)FLM_VALUES_DIVISOR;
    if (good)
        c->width = width;
    return good;
}

/* The width that this value needs in the column. */
static enum flm_value_width width_of(const struct flm_value_column *c, double value)
{
    uint32_t unused;
    if (c->width < FLM_VALUES_SCALED && flm_value_is_small(value))
        return c->count == 0 || (c->width == FLM_VALUES_SAME && value == c->same)
                   ? FLM_VALUES_SAME
                   : FLM_VALUES_SMALL;
    return is_scaled(value, &unused) ? FLM_VALUES_SCALED : FLM_VALUES_ANY;
}

/* Makes the column wide enough for a value, and reserves memory for one more. */
static bool fit(struct flm_value_column *c, double value)
{
    enum flm_value_width width = width_of(c, value);
    if (width > c->width && !widen(c, width))
        return false;
    return c->width == FLM_VALUES_ANY    ? FLM_ARRAY_RESERVE(&c->any, 1)
           : c->width == FLM_VALUES_SAME ? true
                                         : FLM_ARRAY_RESERVE(&c->small, 1);
}

static void put(struct flm_value_column *c, size_t at, double value)
{
    uint32_t integer = 0;
    if (c->width == FLM_VALUES_ANY)
        c->any.at[at] = value;
    else if (c->width == FLM_VALUES_SCALED && is_scaled(value, &integer))
        c->small.at[at] = integer;
    else if (c->width == FLM_VALUES_SMALL)
        c->small.at[at] = (uint32_t)value;
    else
        c->same = (uint32_t)value;
}

static bool add_to_last(struct flm_value_column *c, double value)
{
    double sum = value_at(c, c->count - 1) + value;
    if (!fit(c, sum))
        return false;
    put(c, c->count - 1, sum);
    return true;
}

static bool append(struct flm_value_column *c, double value)
{
    if (!fit(c, value))
        return false;
    put(c, c->count, value);
    c->any.count += c->width == FLM_VALUES_ANY;
    c->small.count += c->width == FLM_VALUES_SMALL || c->width == FLM_VALUES_SCALED;
    return true;
}

/* Extends `present` and `before` to this sample. False when memory ran out. */
static bool reserve_words(struct flm_value_column *c, uint32_t sample)
{
    size_t words = (size_t)sample / 64 + 1, had = c->present.count;
    if (words > had && (!FLM_ARRAY_RESERVE(&c->present, words - had) ||
                        !FLM_ARRAY_RESERVE(&c->before, words - had)))
        return false;
    for (size_t i = had; i < words; i++) {
        /* Without bits, the first `count` samples have a value each. */
        size_t full = had == 0 && c->count > 64 * i ? c->count - 64 * i : 0;
        c->before.at[i] = (uint32_t)(full > 0 ? 64 * i : c->count);
        c->present.at[i] = full >= 64 ? UINT64_MAX : ((uint64_t)1 << full) - 1;
    }
    c->present.count = c->before.count = words > had ? words : had;
    return true;
}

bool flm_value_column_add_other(struct flm_value_column *c, uint32_t sample, double value)
{
    assert(sample + 1 >= c->next);
    if (c->count > 0 && sample + 1 == c->next)
        return add_to_last(c, value);
    bool has_bits = c->present.count > 0 || sample != c->count;
    if ((has_bits && !reserve_words(c, sample)) || !append(c, value))
        return false;
    if (has_bits)
        c->present.at[sample / 64] |= (uint64_t)1 << sample % 64;
    c->count++;
    c->next = sample + 1;
    return true;
}

/* Appends the first of these values that fit the width of the column and are not 0. Returns how
 * many. */
static uint32_t append_alike(struct flm_value_column *c, const double *values, uint32_t count)
{
    uint32_t i = 0;
    if (c->width == FLM_VALUES_SAME) {
        while (i < count && values[i] == c->same)
            i++;
    } else if (c->width == FLM_VALUES_SMALL) {
        for (uint32_t *to = c->small.at + c->small.count; i < count && values[i] != 0; i++) {
            if (!flm_value_is_small(values[i]))
                break;
            to[i] = (uint32_t)values[i];
        }
        c->small.count += i;
    } else if (c->width == FLM_VALUES_SCALED) {
        for (uint32_t *to = c->small.at + c->small.count; i < count && values[i] != 0; i++)
            if (!is_scaled(values[i], &to[i]))
                break;
        c->small.count += i;
    } else {
        for (double *to = c->any.at + c->any.count; i < count && values[i] != 0; i++)
            to[i] = values[i];
        c->any.count += i;
    }
    c->count += i;
    c->next += i;
    return i;
}

bool flm_value_column_append(struct flm_value_column *c, uint32_t first, const double *values,
                             uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        bool room = c->width == FLM_VALUES_ANY    ? FLM_ARRAY_RESERVE(&c->any, count - i)
                    : c->width == FLM_VALUES_SAME ? true
                                                  : FLM_ARRAY_RESERVE(&c->small, count - i);
        if (!room)
            return false;
        if (c->count > 0 && c->present.count == 0 && c->next == first + i)
            i += append_alike(c, values + i, count - i);
        if (i < count && !flm_value_column_add(c, first + i, values[i]))
            return false;
        i += i < count;
    }
    return true;
}

/* The column as sample values, with as many words of bits as it has. */
static struct flm_sample_values view(const struct flm_value_column *c)
{
    return (struct flm_sample_values){
        .any = c->width == FLM_VALUES_ANY ? c->any.at : NULL,
        .small = c->width == FLM_VALUES_ANY ? NULL : c->small.at,
        .divisor = divisor_of(c),
        .same = c->count > 0 ? c->same : 0,
        .count = c->count,
        .present = c->present.count > 0 ? c->present.at : NULL,
        .before = c->present.count > 0 ? c->before.at : NULL,
    };
}

double flm_value_column_get(const struct flm_value_column *c, uint32_t sample)
{
    struct flm_sample_values values = view(c);
    return sample < c->next ? flm_sample_value_of(&values, sample) : 0;
}

/* Makes the bits and `before` of the samples in their new order. */
static bool move_bits(const struct flm_value_column *c, const uint32_t *rank, uint32_t sample_count,
                      struct flm_sample_values *to)
{
    size_t words = (size_t)sample_count / 64 + 1;
    uint64_t *present = calloc(words, sizeof *present);
    uint32_t *before = malloc(words * sizeof *before), sum = 0;
    to->present = present;
    to->before = before;
    if (!present || !before)
        return false;
    for (uint32_t sample = 0; sample < c->next; sample++)
        if (c->present.count == 0 || c->present.at[sample / 64] >> sample % 64 & 1)
            present[rank[sample] / 64] |= (uint64_t)1 << rank[sample] % 64;
    for (size_t i = 0; i < words; i++) {
        before[i] = sum;
        sum += flm_bit_count(present[i]);
    }
    return true;
}

static bool move(const struct flm_value_column *c, const uint32_t *rank, uint32_t sample_count,
                 struct flm_sample_values *to)
{
    *to = (struct flm_sample_values){.same = c->same, .count = c->count, .divisor = divisor_of(c)};
    if (c->count < sample_count && !move_bits(c, rank, sample_count, to))
        return false;
    if (c->width == FLM_VALUES_SAME)
        return true;
    bool is_any = c->width == FLM_VALUES_ANY;
    size_t size = c->count * (is_any ? sizeof(double) : sizeof(uint32_t)), value = 0;
    void *made = flm_large_block(malloc(size), size);
    double *any = is_any ? made : NULL;
    uint32_t *small = is_any ? NULL : made;
    to->any = any;
    to->small = small;
    for (uint32_t sample = 0; made && sample < c->next; sample++) {
        if (c->present.count > 0 && !(c->present.at[sample / 64] >> sample % 64 & 1))
            continue;
        size_t at = flm_sample_values_index(to, rank[sample]);
        if (is_any)
            any[at] = c->any.at[value++];
        else
            small[at] = c->small.at[value++];
    }
    return made != NULL;
}

/* The array without its unused capacity. */
static void *shrunk(void *values, size_t size)
{
    void *less = realloc(values, size);
    if (less)
        return less;
    return values;
}

bool flm_value_column_take(struct flm_value_column *c, const uint32_t *rank, uint32_t sample_count,
                           struct flm_sample_values *to)
{
    *to = (struct flm_sample_values){.same = 0};
    if (c->count == 0)
        return true;
    if (rank)
        return move(c, rank, sample_count, to);
    if (c->count < sample_count && !reserve_words(c, sample_count - 1))
        return false;
    if (c->width == FLM_VALUES_ANY)
        c->any.at = shrunk(c->any.at, c->count * sizeof *c->any.at);
    else if (c->width != FLM_VALUES_SAME)
        c->small.at = shrunk(c->small.at, c->count * sizeof *c->small.at);
    *to = view(c);
    *c = (struct flm_value_column){.next = 0};
    return true;
}
