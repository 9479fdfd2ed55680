/* batches.c - what is in the segments, as batches again: for a copy to another store.
 *
 * Segments whose times overlap, as those of the last hour do, are read together: what was appended
 * for one series and time is one batch, in whichever of them it is. */
#include <stdlib.h>

#include "store/core/group_batches.h"
#include "store/embedded/internal.h"

/* Of segments that are read together. */
struct input {
    struct flm_segment *segment;
    uint32_t *node, *series; /* by node and series of the segment: those of the head */
};

struct key {
    struct flm_bytes type, service;
};

struct reading {
    struct flm_head head;
    struct FLM_ARRAY(struct input) inputs;
    struct FLM_ARRAY(struct key) keys;
    struct FLM_ARRAY(struct flm_bytes) series; /* by series of the head */
    struct flm_store_rows rows;
};

static struct key key_of(const struct flm_segment *segment, uint32_t group)
{
    const struct flm_segment_group *g = flm_segment_group(segment, group);
    struct flm_bytes first = flm_segment_series(segment, g->first_series);
    return (struct key){g->type, flm_series_service_prefix(first)};
}

static int order(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int services = flm_bytes_compare(x->service, y->service);
    return services ? services : flm_bytes_compare(x->type, y->type);
}

static bool add_input(struct reading *r, const struct flm_embedded *store, size_t number,
                      struct flm_error *why)
{
    char *path = flm_store_path(store, store->segments.at[number].file);
    struct input in = {.segment = path ? flm_segment_open(path, why) : NULL};
    if (!in.segment || !FLM_ARRAY_ADD(&r->inputs, in)) {
        flm_segment_close(in.segment);
        bool has_reason = path && !in.segment;
        free(path);
        return !has_reason && flm_error_memory(why);
    }
    free(path);
    struct input *kept = &r->inputs.at[r->inputs.count - 1];
    const struct flm_profile *tree = flm_segment_tree(in.segment, why);
    uint32_t series = flm_segment_series_count(in.segment);
    if (!tree)
        return false;
    kept->node = flm_head_nodes(&r->head, tree);
    kept->series = malloc((series + 1) * sizeof *kept->series);
    bool good = kept->node && kept->series;
    for (uint32_t i = 0; good && i < series; i++) {
        struct flm_bytes text = flm_segment_series(in.segment, i);
        kept->series[i] = flm_head_name(&r->head, &r->head.series, text);
        good = kept->series[i] != FLM_NONE;
    }
    for (uint32_t g = 0; good && g < flm_segment_group_count(in.segment); g++)
        if (flm_segment_group(in.segment, g)->series_count > 0)
            good = FLM_ARRAY_ADD(&r->keys, key_of(in.segment, g));
    return good || flm_error_memory(why);
}

/* The rows of a group of all inputs; times count from the epoch. */
static bool read_rows(struct reading *r, const struct key *key, struct flm_error *why)
{
    r->rows.count = 0;
    for (size_t i = 0; i < r->inputs.count; i++) {
        const struct input *in = &r->inputs.at[i];
        for (uint32_t g = 0; g < flm_segment_group_count(in->segment); g++) {
            const struct flm_segment_group *group = flm_segment_group(in->segment, g);
            struct key own = {0};
            if (group->series_count > 0)
                own = key_of(in->segment, g);
            if (group->series_count == 0 || order(&own, key) != 0)
                continue;
            size_t begin = r->rows.count;
            if (!flm_segment_rows(in->segment, g, &r->rows, why))
                return false;
            for (size_t k = begin; k < r->rows.count; k++) {
                struct flm_store_row *row = &r->rows.at[k];
                row->node = in->node[row->node];
                row->series = in->series[group->first_series + row->series];
                row->time_ms += flm_segment_from_ms(in->segment);
            }
        }
    }
    return true;
}

static bool hand_over(struct reading *r, int64_t from_ms, int64_t until_ms,
                      const struct flm_batch_taker *taker, struct flm_error *why)
{
    for (uint32_t i = 0; i < r->head.series.strings.count; i++)
        if (!FLM_ARRAY_ADD(&r->series, flm_head_series(&r->head, i)))
            return flm_error_memory(why);
    if (r->keys.count > 0)
        qsort(r->keys.at, r->keys.count, sizeof *r->keys.at, order);
    for (size_t i = 0; i < r->keys.count; i++) {
        const struct flm_group_of_rows group = {.head = &r->head,
                                                .type = r->keys.at[i].type,
                                                .series = r->series.at,
                                                .from_ms = from_ms,
                                                .until_ms = until_ms};
        if (i > 0 && order(&r->keys.at[i - 1], &r->keys.at[i]) == 0)
            continue;
        if (!read_rows(r, &r->keys.at[i], why) || !flm_group_batches(&group, &r->rows, taker, why))
            return false;
    }
    return true;
}

static void release(struct reading *r)
{
    for (size_t i = 0; i < r->inputs.count; i++) {
        flm_segment_close(r->inputs.at[i].segment);
        free(r->inputs.at[i].node);
        free(r->inputs.at[i].series);
    }
    flm_head_clear(&r->head);
    FLM_ARRAY_CLEAR(&r->inputs);
    FLM_ARRAY_CLEAR(&r->keys);
    FLM_ARRAY_CLEAR(&r->series);
    FLM_ARRAY_CLEAR(&r->rows);
}

/* ---- Which ----------------------------------------------------------------------------------- */

struct wanted_segment {
    int64_t from_ms, until_ms;
    size_t number;
};

static int by_time(const void *a, const void *b)
{
    const struct wanted_segment *x = a, *y = b;
    return (x->from_ms > y->from_ms) - (x->from_ms < y->from_ms);
}

static bool read_together(const struct flm_embedded *store, const struct wanted_segment *wanted,
                          size_t count, int64_t from_ms, int64_t until_ms,
                          const struct flm_batch_taker *taker, struct flm_error *why)
{
    struct reading r = {.rows = {0}};
    bool good = flm_head_init(&r.head, why);
    for (size_t i = 0; good && i < count; i++)
        good = add_input(&r, store, wanted[i].number, why);
    good = good && hand_over(&r, from_ms, until_ms, taker, why);
    release(&r);
    return good;
}

bool flm_embedded_batches(struct flm_store *base, int64_t from_ms, int64_t until_ms,
                          const struct flm_batch_taker *taker, struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    if (!flm_embedded_seal(base, why))
        return false;
    pthread_mutex_lock(&store->maintenance);
    struct wanted_segment *wanted = calloc(store->segments.count + 1, sizeof *wanted);
    bool good = wanted || flm_error_memory(why);
    size_t count = 0;
    for (size_t i = 0; good && i < store->segments.count; i++) {
        const struct flm_store_segment *s = &store->segments.at[i];
        if (!s->is_damaged && s->from_ms < until_ms && s->until_ms > from_ms)
            wanted[count++] = (struct wanted_segment){s->from_ms, s->until_ms, i};
    }
    if (good && count > 0)
        qsort(wanted, count, sizeof *wanted, by_time);
    for (size_t i = 0, end; good && i < count; i = end) {
        int64_t last_ms = wanted[i].until_ms;
        for (end = i + 1; end < count && wanted[end].from_ms < last_ms; end++)
            last_ms = wanted[end].until_ms > last_ms ? wanted[end].until_ms : last_ms;
        good = read_together(store, wanted + i, end - i, from_ms, until_ms, taker, why);
    }
    pthread_mutex_unlock(&store->maintenance);
    free(wanted);
    return good;
}
