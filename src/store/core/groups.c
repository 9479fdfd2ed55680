#include "store/core/groups.h"

#include <stdlib.h>

#include "base/core/sort.h"
#include "store/labels/series_labels.h"

bool flm_groups_init(struct flm_groups *t, const struct flm_groups *made, struct flm_error *why)
{
    *t = (struct flm_groups){.from_ms = made->from_ms,
                             .until_ms = made->until_ms,
                             .step_ms = made->step_ms,
                             .count = made->count,
                             .labels = made->labels,
                             .label_count = made->label_count,
                             .most_groups = made->most_groups};
    return flm_interner_init(&t->keys, why);
}

void flm_groups_clear(struct flm_groups *t)
{
    flm_interner_clear(&t->keys);
    FLM_ARRAY_CLEAR(&t->sums);
    FLM_ARRAY_CLEAR(&t->is_seen);
    flm_text_clear(&t->key);
}

static bool grow(struct flm_groups *t, size_t groups, struct flm_error *why)
{
    while (t->is_seen.count < groups)
        if (!FLM_ARRAY_ADD(&t->is_seen, false))
            return flm_error_memory(why);
    while (t->sums.count < groups * t->count)
        if (!FLM_ARRAY_ADD(&t->sums, 0))
            return flm_error_memory(why);
    return true;
}

uint32_t flm_groups_of(struct flm_groups *t, struct flm_bytes series, struct flm_error *why)
{
    t->key.size = 0;
    for (size_t i = 0; i < t->label_count; i++) {
        flm_text_add(&t->key, flm_series_value(series, flm_bytes_of(t->labels[i])));
        flm_text_putc(&t->key, 0);
    }
    if (t->label_count == 0)
        flm_text_putc(&t->key, 0); /* string 0 is the empty one, and no group */
    uint32_t key = t->key.failed
                       ? FLM_NONE
                       : flm_interner_string(&t->keys, (struct flm_bytes){t->key.at, t->key.size});
    if (key == FLM_NONE) {
        flm_error_memory(why);
    } else if (key > t->most_groups) {
        flm_error_set(why, FLM_ERROR_RANGE,
                      "there are more than %zu groups of series: take other labels, or a selector",
                      t->most_groups);
        key = FLM_NONE;
    } else if (!grow(t, key, why)) {
        key = FLM_NONE;
    }
    return key == FLM_NONE ? FLM_NONE : key - 1;
}

size_t flm_groups_at(const struct flm_groups *t, uint32_t group, int64_t time_ms)
{
    uint64_t step = (uint64_t)(time_ms - t->from_ms) / (uint64_t)t->step_ms;
    return time_ms >= t->from_ms && time_ms < t->until_ms && step < t->count
               ? group * t->count + (size_t)step
               : SIZE_MAX;
}

static int by_key(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_groups *t = context;
    return flm_bytes_compare(flm_interner_text(&t->keys, a + 1),
                             flm_interner_text(&t->keys, b + 1));
}

bool flm_groups_hand_over(const struct flm_groups *t, flm_store_group each, void *context,
                          struct flm_error *why)
{
    size_t count = t->is_seen.count, seen = 0;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    const char **values = malloc((t->label_count + 1) * sizeof *values);
    bool good = (order && values) || flm_error_memory(why), goes_on = good;
    for (uint32_t i = 0; good && i < count; i++)
        if (t->is_seen.at[i])
            order[seen++] = i;
    if (good)
        flm_sort(order, seen, order + count, by_key, t);
    for (size_t i = 0; goes_on && i < seen; i++) {
        const char *at = flm_interner_text(&t->keys, order[i] + 1).at;
        for (size_t label = 0; label < t->label_count; label++) {
            values[label] = at;
            at += strlen(at) + 1;
        }
        goes_on = each(context, values, t->sums.at ? t->sums.at + order[i] * t->count : NULL);
    }
    free(order);
    free(values);
    return good;
}
