#include "profile/sample_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/core/large_block.h"
#include "base/core/sort.h"
#include "profile/joining.h"

/* Merges the runs [start, middle) and [middle, end) of `from` into `to`. */
static void merge_runs(const int64_t *time, const uint32_t *from, uint32_t *to, uint32_t start,
                       uint32_t middle, uint32_t end)
{
    uint32_t left = start, right = middle;
    for (uint32_t i = start; i < end; i++) {
        bool takes_left = right == end || (left < middle && time[from[left]] <= time[from[right]]);
        to[i] = takes_left ? from[left++] : from[right++];
    }
}

/* Sorts `order`, which is 0, 1, 2 ..., by time; stable. Recordings are a run of ascending times for
 * each thread, so these are merged as they are, `ends` has where they end: with few comparisons, of
 * nothing but times. Returns the one of both that has the result. */
static uint32_t *sort_by_time(const int64_t *time, uint32_t *order, uint32_t *other, uint32_t *ends,
                              size_t run_count)
{
    while (run_count > 1) {
        size_t merged = 0;
        uint32_t start = 0;
        for (size_t run = 0; run < run_count; run += 2) {
            uint32_t middle = ends[run], end = run + 1 < run_count ? ends[run + 1] : middle;
            merge_runs(time, order, other, start, middle, end);
            ends[merged++] = start = end;
        }
        run_count = merged;
        uint32_t *sorted = other;
        other = order;
        order = sorted;
    }
    return order;
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

/* Samples of one time are few, but where times are not known they are all of one. False when memory
 * ran out. */
static bool sort_ties(const struct flm_metadata *f, uint32_t *order, uint32_t *scratch)
{
    enum { LARGE = 256 };
    const int64_t *time = f->b->sample_time;
    uint64_t *key = NULL;
    bool good = true;
    for (uint32_t i = 0, next; good && i < f->b->sample_count; i = next) {
        for (next = i + 1; next < f->b->sample_count && time[order[i]] == time[order[next]];)
            next++;
        if (next - i >= LARGE && !key)
            good = (key = malloc(f->b->sample_count * sizeof *key)) != NULL;
        if (next - i >= LARGE && good)
            sort_large_tie(f, order + i, scratch, next - i, key);
        else if (next - i > 1)
            flm_sort(order + i, next - i, scratch, order_samples, f);
    }
    free(key);
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
    uint32_t *order = flm_large_block(malloc(size), size);
    uint32_t *scratch = flm_large_block(malloc(size), size);
    uint32_t *ends = malloc(run_count * sizeof *ends), *sorted = NULL;
    if (order && scratch && ends) {
        for (size_t i = 0; i < count; i++) {
            order[i] = (uint32_t)i;
            if (i > 0 && b->sample_time[i] < b->sample_time[i - 1])
                ends[run++] = (uint32_t)i;
        }
        ends[run] = (uint32_t)count;
        sorted = sort_by_time(b->sample_time, order, scratch, ends, run_count);
    }
    free(ends);
    uint32_t *other = sorted == order ? scratch : order;
    bool good = sorted && sort_ties(f, sorted, other);
    if (good)
        *result = sorted;
    else
        free(order);
    free(good ? other : scratch);
    return good;
}
