#include <stdlib.h>

#include "store/embedded/visit.h"

static bool overlaps(const struct flm_wanted *q, int64_t from_ms, int64_t until_ms)
{
    return from_ms < q->own.until_ms && until_ms > q->own.from_ms;
}

/* ---- Series ---------------------------------------------------------------------------------- */

/* The index, from `low` on, of the first series whose text is not below `text`. */
static uint32_t first_from(const struct flm_segment *segment, uint32_t low, struct flm_bytes text)
{
    uint32_t high = flm_segment_series_count(segment);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (flm_bytes_compare(flm_segment_series(segment, middle), text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The series of the tenant. False when memory ran out. */
static bool range_of(const struct flm_wanted *q, const struct flm_segment *segment, uint32_t *from,
                     uint32_t *until)
{
    struct flm_text first = {0}, end = {0};
    bool good = flm_series_tenant_range(q->tenant, &first, &end);
    if (good) {
        *from = first_from(segment, 0, (struct flm_bytes){first.at, first.size});
        *until = first_from(segment, *from, (struct flm_bytes){end.at, end.size});
    }
    flm_text_clear(&first);
    flm_text_clear(&end);
    return good;
}

/* The series from `low` up to `high` whose text contains the byte at `at`: the texts are contiguous
 * in memory. */
static uint32_t series_at(const struct flm_segment *segment, uint32_t low, uint32_t high,
                          const char *at)
{
    if (high - low == 1 || flm_segment_series(segment, low + 1).at > at)
        return low; /* the usual case where many series match */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (flm_segment_series(segment, middle).at <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Whether the value that begins at `at`, behind a key of a pattern, may be one that it accepts. */
static bool takes_value(const struct flm_wanted *q, struct flm_bytes key, const char *at,
                        const char *end)
{
    const char *value_end = memchr(at, 0, (size_t)(end - at));
    size_t size = (size_t)((value_end ? value_end : end) - at);
    return flm_selector_takes(q->selector, key, (struct flm_bytes){at, size});
}

/* Compares the labels of only those series whose text contains the needle: 100 of 400,000 series
 * are found in 3.5 ms, against 23 ms for comparing the labels of each. Where the needle is a key
 * and what a pattern begins with, which all series may contain, the value behind it decides; what
 * looks like a key may be a value, but the key itself comes too. */
static void find_by_needle(const struct flm_wanted *q, const struct flm_segment *segment,
                           uint32_t from, uint32_t until, struct flm_bytes needle,
                           unsigned char *wanted)
{
    struct flm_bytes last = flm_segment_series(segment, until - 1);
    struct flm_store_label label;
    bool is_pattern =
        !flm_selector_equal(q->selector, &label) && flm_selector_pattern(q->selector, &label);
    size_t value = is_pattern ? needle.size - label.value.size : 0;
    const char *end = last.at + last.size, *at = flm_segment_series(segment, from).at;
    while ((at = memmem(at, (size_t)(end - at), needle.at, needle.size))) {
        if (is_pattern && !takes_value(q, label.key, at + value, end)) {
            at++;
            continue;
        }
        from = series_at(segment, from, until, at);
        wanted[from] = flm_wanted_series(q, flm_segment_series(segment, from));
        if (++from == until)
            return;
        at = flm_segment_series(segment, from).at;
    }
}

/* Which series of a segment are wanted, a byte for each; NULL when memory ran out. */
static unsigned char *wanted_in(const struct flm_wanted *q, const struct flm_segment *segment)
{
    uint32_t from = 0, until = 0;
    struct flm_text needle = {0};
    unsigned char *wanted = calloc(flm_segment_series_count(segment) + 1, 1);
    flm_selector_needle(q->selector, &needle);
    bool good = wanted && !needle.failed && range_of(q, segment, &from, &until);
    if (good && needle.size > 0 && from < until)
        find_by_needle(q, segment, from, until, (struct flm_bytes){needle.at, needle.size}, wanted);
    for (uint32_t i = from; good && needle.size == 0 && i < until; i++)
        wanted[i] = flm_wanted_series(q, flm_segment_series(segment, i));
    flm_text_clear(&needle);
    if (good)
        return wanted;
    free(wanted);
    return NULL;
}

/* How many of the series of a group are wanted. */
static uint32_t count_wanted(const unsigned char *wanted, const struct flm_segment_group *group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->series_count; i++)
        count += wanted[group->first_series + i];
    return count;
}

static bool visit_segment(const struct flm_wanted *q, struct flm_segment *segment,
                          const struct flm_segment_visitor *visitor, struct flm_error *why)
{
    unsigned char *wanted = wanted_in(q, segment);
    bool good = wanted || flm_error_memory(why);
    for (uint32_t g = 0; good && g < flm_segment_group_count(segment); g++) {
        const struct flm_segment_group *group = flm_segment_group(segment, g);
        uint32_t count = flm_wanted_type(q, group->type) ? count_wanted(wanted, group) : 0;
        bool all = count == group->series_count;
        if (count > 0)
            good = visitor->group(visitor->context, segment, g,
                                  all ? NULL : wanted + group->first_series, why);
    }
    free(wanted);
    return good && (!visitor->done || visitor->done(visitor->context, segment, why));
}

bool flm_wanted_segments(struct flm_embedded *store, const struct flm_wanted *q,
                         const struct flm_segment_visitor *visitor, uint64_t *damaged,
                         struct flm_error *why)
{
    *damaged = 0;
    for (size_t i = 0; i < store->segments.count; i++) {
        const struct flm_store_segment *s = &store->segments.at[i];
        if (!overlaps(q, s->from_ms, s->until_ms))
            continue;
        struct flm_segment *segment = flm_store_opened(store, i);
        struct flm_error inner;
        if (!segment && !store->segments.at[i].is_damaged)
            return flm_error_memory(why);
        if (segment && visit_segment(q, segment, visitor, &inner))
            continue;
        if (segment) {
            if (visitor->abandon)
                visitor->abandon(visitor->context);
            if (inner.kind != FLM_ERROR_FORMAT) {
                if (why)
                    *why = inner;
                return false;
            }
            flm_store_quarantine(store, i);
        }
        ++*damaged;
    }
    return true;
}

bool flm_wanted_head(const struct flm_wanted *q, struct flm_head *head, flm_batch_sink add,
                     void *context, struct flm_error *why)
{
    if (head->batches.count == 0 || !overlaps(q, head->from_ms, head->until_ms))
        return true;
    size_t series_count = head->series.strings.count, type_count = head->types.strings.count;
    unsigned char *wanted = calloc(series_count + type_count + 1, 1);
    bool good = wanted || flm_error_memory(why);
    for (uint32_t i = 0; good && i < series_count; i++)
        wanted[i] = flm_wanted_series(q, flm_head_series(head, i));
    for (uint32_t i = 0; good && i < type_count; i++)
        wanted[series_count + i] = flm_wanted_type(q, flm_head_type(head, i));
    for (size_t i = 0; good && i < head->batches.count; i++) {
        const struct flm_head_batch *b = &head->batches.at[i];
        if (b->time_ms >= q->own.from_ms && b->time_ms < q->own.until_ms && wanted[b->series] &&
            wanted[series_count + b->type])
            good = add(context, head, b, why);
    }
    free(wanted);
    return good;
}

bool flm_wanted_all(struct flm_embedded *store, const struct flm_wanted *q,
                    const struct flm_segment_visitor *visitor, flm_batch_sink add, void *context,
                    struct flm_error *why)
{
    uint64_t damaged;
    pthread_mutex_lock(&store->reading);
    bool good = flm_wanted_segments(store, q, visitor, &damaged, why);
    pthread_mutex_lock(&store->lock);
    good =
        good &&
        (store->frozen.nodes.count == 0 || flm_wanted_head(q, &store->frozen, add, context, why)) &&
        flm_wanted_head(q, &store->head, add, context, why);
    pthread_mutex_unlock(&store->lock);
    pthread_mutex_unlock(&store->reading);
    return good;
}
