/* seal.c - a frozen head as segments: one for each hour that has samples in it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/core/sort.h"
#include "store/embedded/internal.h"

/* One segment of a head. */
struct sealing {
    struct flm_embedded *store;
    struct flm_head *head;
    int64_t from_ms;
    uint32_t *series_rank, *type_rank; /* by series and type of the head: their order by text */

    struct FLM_ARRAY(uint32_t) batches; /* of the hour; those of a group stand together */
    struct FLM_ARRAY(struct flm_bytes) series;
    uint32_t *series_at; /* by series of the head: where it is in `series` */
    struct flm_profile *tree;
    uint32_t *moved; /* by node of the head: that of the tree */
    struct flm_store_rows rows;
};

/* ---- Order ----------------------------------------------------------------------------------- */

struct names {
    const struct flm_head *head;
    const struct flm_head_names *names;
};

static int by_text(const void *context, uint32_t a, uint32_t b)
{
    const struct names *n = context;
    return flm_bytes_compare(flm_interner_text(&n->head->interner, n->names->strings.at[a]),
                             flm_interner_text(&n->head->interner, n->names->strings.at[b]));
}

/* By name: how many sort before it. NULL when memory ran out. */
static uint32_t *ranks_of(const struct flm_head *head, const struct flm_head_names *names)
{
    size_t count = names->strings.count;
    uint32_t *order = malloc((count + 1) * sizeof *order),
             *rank = malloc((count + 1) * sizeof *rank);
    if (order && rank) {
        const struct names context = {head, names};
        for (uint32_t i = 0; i < count; i++)
            order[i] = i;
        flm_sort(order, count, rank, by_text, &context);
        for (uint32_t i = 0; i < count; i++)
            rank[order[i]] = i;
    } else {
        free(rank);
        rank = NULL;
    }
    free(order);
    return rank;
}

static int by_group(const void *context, uint32_t a, uint32_t b)
{
    const struct sealing *s = context;
    const struct flm_head_batch *x = &s->head->batches.at[a], *y = &s->head->batches.at[b];
    uint32_t x_type = s->type_rank[x->type], y_type = s->type_rank[y->type];
    uint32_t x_series = s->series_rank[x->series], y_series = s->series_rank[y->series];
    if (x_type != y_type)
        return x_type < y_type ? -1 : 1;
    if (x_series != y_series)
        return x_series < y_series ? -1 : 1;
    return (x->time_ms > y->time_ms) - (x->time_ms < y->time_ms);
}

/* The batches of the hour, by group; and its series, by text. */
static bool collect(struct sealing *s)
{
    const struct flm_head *head = s->head;
    size_t series_count = head->series.strings.count;
    s->batches.count = s->series.count = 0;
    uint32_t *by_rank = malloc((series_count + 1) * sizeof *by_rank);
    if (!by_rank)
        return false;
    memset(by_rank, 0xFF, (series_count + 1) * sizeof *by_rank);
    bool good = true;
    for (uint32_t i = 0; good && i < head->batches.count; i++) {
        const struct flm_head_batch *b = &head->batches.at[i];
        if (b->time_ms - b->time_ms % FLM_STORE_HOUR_MS != s->from_ms)
            continue;
        by_rank[s->series_rank[b->series]] = b->series;
        good = FLM_ARRAY_ADD(&s->batches, i);
    }
    for (size_t rank = 0; good && rank < series_count; rank++)
        if (by_rank[rank] != FLM_NONE) {
            s->series_at[by_rank[rank]] = (uint32_t)s->series.count;
            good = FLM_ARRAY_ADD(&s->series, flm_head_series(head, by_rank[rank]));
        }
    uint32_t *scratch = good ? malloc((s->batches.count + 1) * sizeof *scratch) : NULL;
    if (scratch)
        flm_sort(s->batches.at, s->batches.count, scratch, by_group, s);
    free(scratch);
    free(by_rank);
    return scratch != NULL;
}

/* ---- Tree and rows --------------------------------------------------------------------------- */

/* Appends the rows of a batch as the head has them. */
static bool decode(struct sealing *s, const struct flm_head_batch *batch, struct flm_error *why)
{
    const struct flm_store_range all = {
        .until_ms = INT64_MAX, .series_count = 1, .node_count = (uint32_t)s->head->nodes.count};
    return flm_store_rows_decode(flm_head_values(s->head, batch), &all, &s->rows, why);
}

static bool make_tree(struct sealing *s, struct flm_error *why)
{
    double *rows = calloc(s->head->nodes.count, sizeof *rows);
    if (!rows)
        return flm_error_memory(why);
    bool good = true;
    for (size_t i = 0; good && i < s->batches.count; i++) {
        s->rows.count = 0;
        good = decode(s, &s->head->batches.at[s->batches.at[i]], why);
        for (size_t r = 0; good && r < s->rows.count; r++)
            rows[s->rows.at[r].node]++;
    }
    if (good)
        s->tree = flm_head_profile(s->head, rows, flm_bytes_of(FLM_STORE_ROWS_TYPE), s->moved, why);
    free(rows);
    return s->tree != NULL;
}

static bool is_same_group(const struct sealing *s, const struct flm_head_batch *a,
                          const struct flm_head_batch *b)
{
    return a->type == b->type &&
           flm_bytes_equal(flm_series_service_prefix(flm_head_series(s->head, a->series)),
                           flm_series_service_prefix(flm_head_series(s->head, b->series)));
}

/* The group that begins with batch *at, which moves behind it. */
static bool add_group(struct sealing *s, struct flm_segment_writer *writer, size_t *at,
                      uint64_t *row_count, struct flm_error *why)
{
    const struct flm_head_batch *first = &s->head->batches.at[s->batches.at[*at]];
    struct flm_bytes service = flm_series_service_prefix(flm_head_series(s->head, first->series));
    uint32_t from, count;
    flm_store_service_range(s->series.at, s->series.count, service, &from, &count);
    s->rows.count = 0;
    for (; *at < s->batches.count; ++*at) {
        const struct flm_head_batch *batch = &s->head->batches.at[s->batches.at[*at]];
        size_t begin = s->rows.count;
        if (!is_same_group(s, first, batch))
            break;
        if (!decode(s, batch, why))
            return false;
        for (size_t r = begin; r < s->rows.count; r++) {
            s->rows.at[r].node = s->moved[s->rows.at[r].node];
            s->rows.at[r].series = s->series_at[batch->series] - from;
            s->rows.at[r].time_ms = batch->time_ms - s->from_ms;
        }
    }
    bool good =
        flm_segment_add(writer, flm_head_type(s->head, first->type), from, count, &s->rows, why);
    *row_count += s->rows.count;
    return good;
}

/* ---- Segments -------------------------------------------------------------------------------- */

static bool write_segment(struct sealing *s, struct flm_store_segment *made, struct flm_error *why)
{
    if (!collect(s))
        return flm_error_memory(why);
    flm_profile_free(s->tree);
    s->tree = NULL;
    char *path = make_tree(s, why) ? flm_store_path(s->store, made->file) : NULL;
    if (!path)
        return s->tree ? flm_error_memory(why) : false;
    struct flm_segment_writer *writer = flm_segment_begin(
        path, made->from_ms, made->until_ms, s->tree, s->series.at, s->series.count, why);
    free(path);
    bool good = writer != NULL;
    for (size_t at = 0; good && at < s->batches.count;)
        good = add_group(s, writer, &at, &made->rows, why);
    if (good)
        return flm_segment_finish(writer, &made->size, why);
    flm_segment_abandon(writer);
    return false;
}

/* The earliest hour from `from_ms` on that has batches; false: none has. */
static bool next_hour(const struct flm_head *head, int64_t from_ms, int64_t *hour)
{
    bool found = false;
    for (size_t i = 0; i < head->batches.count; i++) {
        int64_t time_ms = head->batches.at[i].time_ms;
        int64_t begin = time_ms - time_ms % FLM_STORE_HOUR_MS;
        if (begin < from_ms || (found && begin >= *hour))
            continue;
        *hour = begin;
        found = true;
    }
    return found;
}

static bool write_segments(struct sealing *s, struct flm_store_segments *made,
                           struct flm_error *why)
{
    size_t series_count = s->head->series.strings.count;
    s->series_rank = ranks_of(s->head, &s->head->series);
    s->type_rank = ranks_of(s->head, &s->head->types);
    s->series_at = malloc((series_count + 1) * sizeof *s->series_at);
    s->moved = malloc(s->head->nodes.count * sizeof *s->moved);
    bool good =
        (s->series_rank && s->type_rank && s->series_at && s->moved) || flm_error_memory(why);
    int64_t from_ms = 0, hour = 0;
    while (good && next_hour(s->head, from_ms, &hour)) {
        struct flm_store_segment segment = {.from_ms = hour, .until_ms = hour + FLM_STORE_HOUR_MS};
        snprintf(segment.file, sizeof segment.file, "%llx-%zu.seg",
                 (unsigned long long)s->store->frozen_generation, made->count);
        s->from_ms = hour;
        good = write_segment(s, &segment, why) &&
               (FLM_ARRAY_ADD(made, segment) || flm_error_memory(why));
        from_ms = hour + FLM_STORE_HOUR_MS;
    }
    free(s->series_rank);
    free(s->type_rank);
    free(s->series_at);
    free(s->moved);
    FLM_ARRAY_CLEAR(&s->batches);
    FLM_ARRAY_CLEAR(&s->series);
    FLM_ARRAY_CLEAR(&s->rows);
    flm_profile_free(s->tree);
    return good;
}

bool flm_store_seal_frozen(struct flm_embedded *store, struct flm_error *why)
{
    struct sealing s = {.store = store, .head = &store->frozen};
    struct flm_store_segments made = {0};
    bool good = write_segments(&s, &made, why) &&
                flm_store_publish(store, &made, NULL, 0, store->frozen_generation, why);
    FLM_ARRAY_CLEAR(&made);
    return good;
}

bool flm_embedded_seal(struct flm_store *base, struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    pthread_mutex_lock(&store->maintenance);
    /* What could not be sealed the last time comes first. */
    bool frozen = store->frozen.nodes.count > 0;
    bool good = !frozen || flm_store_seal_frozen(store, why);
    good = good && flm_store_freeze(store, &frozen, why) &&
           (!frozen || flm_store_seal_frozen(store, why));
    pthread_mutex_unlock(&store->maintenance);
    return good;
}
