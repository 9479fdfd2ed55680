#include "profile/sample_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/large_block.h"
#include "base/core/sort.h"
#include "profile/joining.h"

/* What sorting needs: room for the shorter of two runs, where they overlap. */
struct merging {
    const int64_t *time;
    uint32_t *order;
    struct FLM_ARRAY(uint32_t) moved;
};

/* How many of the samples [start, end) of the order, which ascend, come before `time`; or, `with`,
 * not after it. Looks near the start first. */
static uint32_t count_before(const struct merging *m, uint32_t start, uint32_t end, int64_t time,
                             bool with)
{
    uint32_t step = 1, first = start;
    while (first < end) {
        uint32_t at = step <= end - first ? first + step - 1 : end - 1;
        int64_t other = m->time[m->order[at]];
        if (other < time || (with && other == time)) {
            first = at + 1;
            step *= 2;
        } else if (at == first) {
            break;
        } else {
            end = at;
            step = 1;
        }
    }
    return first - start;
}

/* Merges the runs [start, middle) and [middle, end) of the order; stable. The front of the first
 * and the back of the second stay where they are if they do not overlap with the other: most of
 * them in a recording whose samples are nearly in order. False when memory ran out. */
static bool merge_runs(struct merging *m, uint32_t start, uint32_t middle, uint32_t end)
{
    const int64_t *time = m->time;
    uint32_t *order = m->order;
    start += count_before(m, start, middle, time[order[middle]], true);
    if (start == middle)
        return true;
    end = middle + count_before(m, middle, end, time[order[middle - 1]], false);
    uint32_t left_count = middle - start, right_count = end - middle;
    uint32_t moved_count = left_count < right_count ? left_count : right_count;
    m->moved.count = 0;
    if (!FLM_ARRAY_RESERVE(&m->moved, moved_count))
        return false;
    uint32_t *moved = m->moved.at;
    if (left_count <= right_count) { /* from the front */
        memcpy(moved, order + start, left_count * sizeof *moved);
        for (uint32_t left = 0, right = middle, to = start; left < left_count; to++) {
            bool takes_left = right == end || time[moved[left]] <= time[order[right]];
            order[to] = takes_left ? moved[left++] : order[right++];
        }
        return true;
    }
    memcpy(moved, order + middle, right_count * sizeof *moved);
    for (uint32_t left = middle, right = right_count, to = end; right > 0; to--) {
        bool takes_left = left > start && time[order[left - 1]] > time[moved[right - 1]];
        order[to - 1] = takes_left ? order[--left] : moved[--right];
    }
    return true;
}

/* Sorts the order, which is 0, 1, 2 ..., by time; stable. Recordings are a run of ascending times
 * for each thread, so these are merged as they are, `ends` has where they end: with few
 * comparisons, of nothing but times. False when memory ran out. */
static bool sort_by_time(struct merging *m, uint32_t *ends, size_t run_count)
{
    while (run_count > 1) {
        size_t merged = 0;
        uint32_t start = 0;
        for (size_t run = 0; run < run_count; run += 2) {
            uint32_t middle = ends[run], end = run + 1 < run_count ? ends[run + 1] : middle;
            if (end > middle && !merge_runs(m, start, middle, end))
                return false;
            ends[merged++] = start = end;
        }
        run_count = merged;
    }
    return true;
}

static int order_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* What decides first between samples of one time: the node, then the labels. */
static uint64_t key_of(const struct flm_metadata *f, uint32_t sample)
{
    return (uint64_t)f->node_index[flm_joining_sample_node(f->b, sample)] << 32 |
           f->set_rank[f->b->sample_labels[sample]];
}

/* Samples of one time: by node, labels, duration, chain and values. */
static int order_samples(const void *context, uint32_t a, uint32_t b)
{
    const struct flm_metadata *f = context;
    const struct flm_builder *builder = f->b;
    int order = order_numbers(key_of(f, a), key_of(f, b));
    if (!order)
        order = order_numbers((uint64_t)flm_builder_duration(builder, a),
                              (uint64_t)flm_builder_duration(builder, b));
    if (!order && builder->joining)
        order = order_numbers(flm_joining_chain_of(builder, a), flm_joining_chain_of(builder, b));
    for (uint32_t m = 0; !order && m < builder->metric_count; m++) {
        const struct flm_value_column *values = &builder->metrics[m].sample_values;
        double x = flm_value_column_get(values, a), y = flm_value_column_get(values, b);
        order = (x > y) - (x < y);
    }
    return order;
}

/* Sorts samples by their keys, a byte of these after the other, the last one first; stable. */
static void sort_by_key(uint32_t *samples, uint32_t *scratch, size_t count, const uint64_t *key)
{
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t start[257] = {0};
        for (size_t i = 0; i < count; i++)
            start[(key[samples[i]] >> shift & 255) + 1]++;
        if (start[(key[samples[0]] >> shift & 255) + 1] == count)
            continue; /* all have the same byte */
        for (size_t i = 0; i < 256; i++)
            start[i + 1] += start[i];
        for (size_t i = 0; i < count; i++)
            scratch[start[key[samples[i]] >> shift & 255]++] = samples[i];
        memcpy(samples, scratch, count * sizeof *samples);
    }
}

/* Puts samples of one time into their order, first by their keys alone. */
static void sort_large_tie(const struct flm_metadata *f, uint32_t *samples, uint32_t *scratch,
                           uint32_t count, uint64_t *key)
{
    for (uint32_t i = 0; i < count; i++)
        key[samples[i]] = key_of(f, samples[i]);
    sort_by_key(samples, scratch, count, key);
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && key[samples[i]] == key[samples[next]];)
            next++;
        flm_sort(samples + i, next - i, scratch, order_samples, f);
    }
}

/* Samples of one time are few, but if times are not known they are all of one. False when memory
 * ran out. */
static bool sort_ties(const struct flm_metadata *f, uint32_t *order)
{
    enum { LARGE = 256 };
    const int64_t *time = f->b->sample_time;
    uint32_t few[LARGE], *scratch = NULL;
    uint64_t *key = NULL;
    bool good = true;
    for (uint32_t i = 0, next; good && i < f->b->sample_count; i = next) {
        for (next = i + 1; next < f->b->sample_count && time[order[i]] == time[order[next]];)
            next++;
        if (next - i >= LARGE && !key) {
            key = malloc(f->b->sample_count * sizeof *key);
            scratch = malloc(f->b->sample_count * sizeof *scratch);
            good = key && scratch;
        }
        if (next - i >= LARGE && good)
            sort_large_tie(f, order + i, scratch, next - i, key);
        else if (next - i > 1 && good)
            flm_sort(order + i, next - i, few, order_samples, f);
    }
    free(key);
    free(scratch);
    return good;
}

static bool is_ordered(const struct flm_metadata *f)
{
    const int64_t *time = f->b->sample_time;
    bool good = true;
    for (uint32_t i = 1; good && i < f->b->sample_count; i++)
        good = time[i - 1] < time[i] || (time[i - 1] == time[i] && order_samples(f, i - 1, i) <= 0);
    return good;
}

bool flm_sample_order(const struct flm_metadata *f, uint32_t **result)
{
    const struct flm_builder *b = f->b;
    size_t count = b->sample_count, run_count = 1, run = 0;
    *result = NULL;
    if (is_ordered(f))
        return true;
    for (size_t i = 1; i < count; i++)
        run_count += b->sample_time[i] < b->sample_time[i - 1];
    size_t size = (count + 1) * sizeof(uint32_t);
    struct merging m = {.time = b->sample_time, .order = flm_large_block(malloc(size), size)};
    uint32_t *ends = malloc(run_count * sizeof *ends);
    bool good = m.order && ends;
    for (size_t i = 0; good && i < count; i++) {
        m.order[i] = (uint32_t)i;
        if (i > 0 && b->sample_time[i] < b->sample_time[i - 1])
            ends[run++] = (uint32_t)i;
    }
    if (good) {
        ends[run] = (uint32_t)count;
        good = sort_by_time(&m, ends, run_count);
    }
    free(ends);
    FLM_ARRAY_CLEAR(&m.moved);
    if (good && sort_ties(f, m.order)) {
        *result = m.order;
        return true;
    }
    free(m.order);
    return false;
}
