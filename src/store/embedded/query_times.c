/* query_times.c - values over time, in groups of series that have the same values of some labels.
 *
 * A segment that turns out to be damaged must leave nothing behind, so its sums are kept apart, and
 * added to those of all segments once it has been read. */
#include <assert.h>
#include <stdlib.h>

#include "base/core/sort.h"
#include "store/embedded/wanted.h"

struct times {
    const struct flm_wanted *query;
    int64_t step_ms;
    size_t count;
    const char *const *labels;
    size_t label_count, most_groups;

    struct flm_interner keys;                    /* string 1 + group: the values of its labels */
    struct FLM_ARRAY(double) sums, segment_sums; /* `count` of each group */
    struct FLM_ARRAY(uint32_t) group_of;         /* by series of the segment's group */
    struct flm_text key;
    const unsigned char *wanted;
};

static bool grow(struct times *t, size_t groups, struct flm_error *why)
{
    while (t->sums.count < groups * t->count)
        if (!FLM_ARRAY_ADD(&t->sums, 0) || !FLM_ARRAY_ADD(&t->segment_sums, 0))
            return flm_error_memory(why);
    return true;
}

/* FLM_NONE: `why` says why there is none. */
static uint32_t group_of(struct times *t, struct flm_bytes series, struct flm_error *why)
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

static void add(struct times *t, uint32_t group, int64_t time_ms, double value)
{
    const struct flm_store_query *q = &t->query->own;
    uint64_t step = (uint64_t)(time_ms - q->from_ms) / (uint64_t)t->step_ms;
    if (time_ms >= q->from_ms && time_ms < q->until_ms && step < t->count)
        t->segment_sums.at[group * t->count + step] += value;
}

static void add_time(void *context, uint32_t series, int64_t time_ms, double value)
{
    struct times *t = context;
    if (!t->wanted || t->wanted[series])
        add(t, t->group_of.at[series], time_ms, value);
}

static bool add_group(void *context, struct flm_segment *segment, uint32_t number,
                      const unsigned char *wanted, struct flm_error *why)
{
    struct times *t = context;
    const struct flm_segment_group *group = flm_segment_group(segment, number);
    t->wanted = wanted;
    t->group_of.count = 0;
    for (uint32_t i = 0; i < group->series_count; i++) {
        uint32_t of = FLM_NONE;
        if (!wanted || wanted[i])
            of = group_of(t, flm_segment_series(segment, group->first_series + i), why);
        if ((of == FLM_NONE && (!wanted || wanted[i])))
            return false;
        if (!FLM_ARRAY_ADD(&t->group_of, of))
            return flm_error_memory(why);
    }
    return flm_segment_times(segment, number, add_time, t, why);
}

static void forget_segment(void *context)
{
    struct times *t = context;
    for (size_t i = 0; i < t->segment_sums.count; i++)
        t->segment_sums.at[i] = 0;
}

static bool take_segment(void *context, struct flm_segment *segment, struct flm_error *why)
{
    struct times *t = context;
    (void)segment, (void)why;
    for (size_t i = 0; i < t->sums.count; i++)
        t->sums.at[i] += t->segment_sums.at[i];
    forget_segment(t);
    return true;
}

static void add_run(void *context, uint32_t node, uint32_t series, double sum)
{
    double *total = context;
    (void)node, (void)series;
    *total += sum;
}

static bool add_batch(void *context, struct flm_head *head, const struct flm_head_batch *batch,
                      struct flm_error *why)
{
    struct times *t = context;
    const struct flm_store_range all = {
        .until_ms = INT64_MAX, .series_count = 1, .node_count = (uint32_t)head->nodes.count};
    double total = 0;
    uint32_t group = group_of(t, flm_head_series(head, batch->series), why);
    if (group == FLM_NONE ||
        !flm_store_rows_sum(flm_head_values(head, batch), &all, add_run, &total, why))
        return false;
    add(t, group, batch->time_ms, total);
    return true;
}

static int by_key(const void *context, uint32_t a, uint32_t b)
{
    const struct times *t = context;
    return flm_bytes_compare(flm_interner_text(&t->keys, a + 1),
                             flm_interner_text(&t->keys, b + 1));
}

static bool hand_over(const struct times *t, flm_store_group each, void *context,
                      struct flm_error *why)
{
    size_t count = t->keys.string_count - 1;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    const char **values = malloc((t->label_count + 1) * sizeof *values);
    bool good = (order && values) || flm_error_memory(why), goes_on = good;
    for (uint32_t i = 0; good && i < count; i++)
        order[i] = i;
    if (good)
        flm_sort(order, count, order + count, by_key, t);
    for (size_t i = 0; goes_on && i < count; i++) {
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

bool flm_store_timelines(struct flm_store *store, const struct flm_store_query *query,
                         const char *const *labels, size_t label_count, int64_t step_ms,
                         size_t count, size_t most_groups, flm_store_group each, void *context,
                         struct flm_error *why)
{
    assert(step_ms > 0 && (labels || label_count == 0));
    struct flm_wanted q;
    if (!flm_wanted_begin(&q, query, why))
        return false;
    struct times t = {.query = &q,
                      .step_ms = step_ms,
                      .count = count,
                      .labels = labels,
                      .label_count = label_count,
                      .most_groups = most_groups};
    const struct flm_segment_visitor visitor = {&t, add_group, take_segment, forget_segment};
    bool good =
        flm_interner_init(&t.keys, why) && flm_wanted_all(store, &q, &visitor, add_batch, &t, why);
    if (good) {
        take_segment(&t, NULL, NULL);
        good = hand_over(&t, each, context, why);
    }
    flm_interner_clear(&t.keys);
    FLM_ARRAY_CLEAR(&t.sums);
    FLM_ARRAY_CLEAR(&t.segment_sums);
    FLM_ARRAY_CLEAR(&t.group_of);
    flm_text_clear(&t.key);
    flm_wanted_end(&q);
    return good;
}

struct one {
    double *values;
    size_t count;
};

static bool take_one(void *context, const char *const *labels, const double *values)
{
    const struct one *one = context;
    (void)labels;
    for (size_t i = 0; i < one->count; i++)
        one->values[i] += values[i];
    return true;
}

bool flm_store_timeline(struct flm_store *store, const struct flm_store_query *query,
                        int64_t step_ms, double *values, size_t count, struct flm_error *why)
{
    assert(values || count == 0);
    struct one one = {values, count};
    return flm_store_timelines(store, query, NULL, 0, step_ms, count, 1, take_one, &one, why);
}
