/* query_times.c - values over time, in groups of series that have the same values of some labels.
 *
 * A segment that turns out to be damaged must leave nothing behind, so its sums are kept apart, and
 * added to those of all segments once it has been read. */
#include "store/core/groups.h"
#include "store/embedded/visit.h"

struct times {
    struct flm_groups groups;
    struct FLM_ARRAY(double) segment_sums; /* as those of `groups` */
    struct FLM_ARRAY(bool) segment_seen;
    struct FLM_ARRAY(uint32_t) group_of; /* by series of the segment's group */
    const unsigned char *wanted;
};

static uint32_t group_of(struct times *t, struct flm_bytes series, struct flm_error *why)
{
    uint32_t group = flm_groups_of(&t->groups, series, why);
    while (t->segment_sums.count < t->groups.sums.count)
        if (!FLM_ARRAY_ADD(&t->segment_sums, 0)) {
            flm_error_memory(why);
            return FLM_NONE;
        }
    while (t->segment_seen.count < t->groups.is_seen.count)
        if (!FLM_ARRAY_ADD(&t->segment_seen, false)) {
            flm_error_memory(why);
            return FLM_NONE;
        }
    return group;
}

static void add(struct times *t, uint32_t group, int64_t time_ms, double value)
{
    size_t at = flm_groups_at(&t->groups, group, time_ms);
    if (at == SIZE_MAX)
        return;
    t->segment_sums.at[at] += value;
    t->segment_seen.at[group] = true;
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
    for (size_t i = 0; i < t->segment_seen.count; i++)
        t->segment_seen.at[i] = false;
}

static bool take_segment(void *context, struct flm_segment *segment, struct flm_error *why)
{
    struct times *t = context;
    (void)segment, (void)why;
    for (size_t i = 0; i < t->segment_sums.count; i++)
        t->groups.sums.at[i] += t->segment_sums.at[i];
    for (size_t i = 0; i < t->segment_seen.count; i++)
        t->groups.is_seen.at[i] |= t->segment_seen.at[i];
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

bool flm_embedded_timelines(struct flm_store *base, const struct flm_store_query *query,
                            const char *const *labels, size_t label_count, int64_t step_ms,
                            size_t count, size_t most_groups, flm_store_group each, void *context,
                            struct flm_error *why)
{
    struct flm_wanted q;
    if (!flm_wanted_begin(&q, query, why))
        return false;
    const struct flm_groups made = {.from_ms = q.own.from_ms,
                                    .until_ms = q.own.until_ms,
                                    .step_ms = step_ms,
                                    .count = count,
                                    .labels = labels,
                                    .label_count = label_count,
                                    .most_groups = most_groups};
    struct times t = {0};
    const struct flm_segment_visitor visitor = {&t, add_group, take_segment, forget_segment};
    bool good = flm_groups_init(&t.groups, &made, why) &&
                flm_wanted_all(flm_embedded_of(base), &q, &visitor, add_batch, &t, why);
    if (good) {
        take_segment(&t, NULL, NULL);
        good = flm_groups_hand_over(&t.groups, each, context, why);
    }
    flm_groups_clear(&t.groups);
    FLM_ARRAY_CLEAR(&t.segment_sums);
    FLM_ARRAY_CLEAR(&t.segment_seen);
    FLM_ARRAY_CLEAR(&t.group_of);
    flm_wanted_end(&q);
    return good;
}
