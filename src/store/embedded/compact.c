/* compact.c - several segments as one.
 *
 * The trees are poured into one, as profiles are into a head (store_head.h); the series of all are
 * sorted; and each group is read from every segment that has it, with nodes, series and times
 * moved, sorted and written. */
#include <stdio.h>
#include <stdlib.h>

#include "store/embedded/internal.h"

/* A segment that is merged. */
struct input {
    struct flm_segment *segment;
    uint32_t *node;   /* by node of its tree: that of the merged tree */
    uint32_t *series; /* by series: that of the merged segment */
    int64_t shift_ms; /* from its beginning to that of the merged segment */
};

struct group_key {
    struct flm_bytes type, service;
};

struct merging {
    int64_t from_ms, until_ms;
    struct input *inputs;
    size_t count;
    struct flm_profile *tree;
    struct FLM_ARRAY(struct flm_bytes) series;
    struct FLM_ARRAY(struct group_key) groups;
    struct flm_store_rows rows;
};

/* ---- Trees ----------------------------------------------------------------------------------- */

static bool merge_trees(struct merging *m, struct flm_error *why)
{
    struct flm_head head;
    double *rows = NULL;
    uint32_t *moved = NULL;
    bool good = flm_head_init(&head, why);
    for (size_t i = 0; good && i < m->count; i++) {
        const struct flm_profile *tree = flm_segment_tree(m->inputs[i].segment, why);
        good = tree &&
               ((m->inputs[i].node = flm_head_nodes(&head, tree)) != NULL || flm_error_memory(why));
    }
    if (good) {
        rows = calloc(head.nodes.count, sizeof *rows);
        moved = malloc(head.nodes.count * sizeof *moved);
        good = (rows && moved) || flm_error_memory(why);
    }
    for (size_t i = 0; good && i < m->count; i++) {
        const struct flm_profile *tree = flm_segment_tree(m->inputs[i].segment, why);
        const double *self = flm_profile_self(tree, (struct flm_metric){0});
        for (uint32_t node = 0; node < flm_profile_node_count(tree); node++)
            rows[m->inputs[i].node[node]] += self[node];
    }
    if (good)
        m->tree = flm_head_profile(&head, rows, flm_bytes_of(FLM_STORE_ROWS_TYPE), moved, why);
    good = good && m->tree;
    for (size_t i = 0; good && i < m->count; i++) {
        uint32_t nodes = flm_profile_node_count(flm_segment_tree(m->inputs[i].segment, why));
        for (uint32_t node = 0; node < nodes; node++)
            m->inputs[i].node[node] = moved[m->inputs[i].node[node]];
    }
    free(rows);
    free(moved);
    flm_head_clear(&head);
    return good;
}

/* ---- Series and groups ----------------------------------------------------------------------- */

/* Series of all inputs are ascending, so merging them is a pass over all at once. */
static bool merge_series(struct merging *m)
{
    uint32_t *at = calloc(m->count, sizeof *at);
    bool good = at != NULL;
    for (size_t i = 0; good && i < m->count; i++) {
        uint32_t count = flm_segment_series_count(m->inputs[i].segment);
        m->inputs[i].series = malloc((count + 1) * sizeof(uint32_t));
        good = m->inputs[i].series != NULL;
    }
    while (good) {
        struct flm_bytes least = {NULL, 0};
        for (size_t i = 0; i < m->count; i++) {
            const struct flm_segment *s = m->inputs[i].segment;
            if (at[i] < flm_segment_series_count(s) &&
                (!least.at || flm_bytes_compare(flm_segment_series(s, at[i]), least) < 0))
                least = flm_segment_series(s, at[i]);
        }
        if (!least.at)
            break;
        for (size_t i = 0; i < m->count; i++) {
            const struct flm_segment *s = m->inputs[i].segment;
            if (at[i] < flm_segment_series_count(s) &&
                flm_bytes_equal(flm_segment_series(s, at[i]), least))
                m->inputs[i].series[at[i]++] = (uint32_t)m->series.count;
        }
        good = FLM_ARRAY_ADD(&m->series, least);
    }
    free(at);
    return good;
}

static struct group_key key_of(const struct flm_segment *segment, uint32_t group)
{
    const struct flm_segment_group *g = flm_segment_group(segment, group);
    struct flm_bytes first = g->series_count > 0 ? flm_segment_series(segment, g->first_series)
                                                 : (struct flm_bytes){"", 0};
    return (struct group_key){g->type, flm_series_service_prefix(first)};
}

static int order(const void *a, const void *b)
{
    const struct group_key *x = a, *y = b;
    int types = flm_bytes_compare(x->type, y->type);
    return types ? types : flm_bytes_compare(x->service, y->service);
}

/* Of all inputs, sorted, each once. */
static bool merge_groups(struct merging *m)
{
    for (size_t i = 0; i < m->count; i++)
        for (uint32_t g = 0; g < flm_segment_group_count(m->inputs[i].segment); g++)
            if (!FLM_ARRAY_ADD(&m->groups, key_of(m->inputs[i].segment, g)))
                return false;
    if (m->groups.count == 0)
        return true;
    qsort(m->groups.at, m->groups.count, sizeof *m->groups.at, order);
    size_t kept = 0;
    for (size_t i = 1; i < m->groups.count; i++)
        if (order(&m->groups.at[kept], &m->groups.at[i]) != 0)
            m->groups.at[++kept] = m->groups.at[i];
    m->groups.count = kept + 1;
    return true;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool read_group(struct merging *m, const struct input *input, uint32_t group, uint32_t from,
                       struct flm_error *why)
{
    size_t begin = m->rows.count;
    uint32_t first = flm_segment_group(input->segment, group)->first_series;
    if (!flm_segment_rows(input->segment, group, &m->rows, why))
        return false;
    for (size_t r = begin; r < m->rows.count; r++) {
        struct flm_store_row *row = &m->rows.at[r];
        row->node = input->node[row->node];
        row->series = input->series[first + row->series] - from;
        row->time_ms += input->shift_ms;
    }
    return true;
}

static bool add_group(struct merging *m, struct flm_segment_writer *writer,
                      const struct group_key *key, uint64_t *row_count, struct flm_error *why)
{
    uint32_t from, count;
    flm_store_service_range(m->series.at, m->series.count, key->service, &from, &count);
    m->rows.count = 0;
    for (size_t i = 0; i < m->count; i++)
        for (uint32_t g = 0; g < flm_segment_group_count(m->inputs[i].segment); g++) {
            struct group_key other = key_of(m->inputs[i].segment, g);
            if (order(key, &other) == 0 && !read_group(m, &m->inputs[i], g, from, why))
                return false;
        }
    bool good = flm_segment_add(writer, key->type, from, count, &m->rows, why);
    *row_count += m->rows.count;
    return good;
}

static bool write_merged(struct flm_embedded *store, struct merging *m,
                         struct flm_store_segment *made, struct flm_error *why)
{
    if (!merge_trees(m, why))
        return false;
    char *path = merge_series(m) && merge_groups(m) ? flm_store_path(store, made->file) : NULL;
    if (!path)
        return flm_error_memory(why);
    struct flm_segment_writer *writer = flm_segment_begin(path, m->from_ms, m->until_ms, m->tree,
                                                          m->series.at, m->series.count, why);
    free(path);
    bool good = writer != NULL;
    for (size_t i = 0; good && i < m->groups.count; i++)
        good = add_group(m, writer, &m->groups.at[i], &made->rows, why);
    if (good)
        return flm_segment_finish(writer, &made->size, why);
    flm_segment_abandon(writer);
    return false;
}

static void release(struct merging *m)
{
    for (size_t i = 0; i < m->count; i++) {
        flm_segment_close(m->inputs[i].segment);
        free(m->inputs[i].node);
        free(m->inputs[i].series);
    }
    free(m->inputs);
    flm_profile_free(m->tree);
    FLM_ARRAY_CLEAR(&m->series);
    FLM_ARRAY_CLEAR(&m->groups);
    FLM_ARRAY_CLEAR(&m->rows);
}

/* Merges these segments, ascending numbers of the list, into one of [from, until). They are
 * opened anew, since queries use the opened ones meanwhile. */
static bool merge(struct flm_embedded *store, const size_t *numbers, size_t count, int level,
                  int64_t from_ms, int64_t until_ms, struct flm_error *why)
{
    struct merging m = {.from_ms = from_ms,
                        .until_ms = until_ms,
                        .inputs = calloc(count, sizeof *m.inputs),
                        .count = count};
    struct flm_store_segment made = {.level = level, .from_ms = from_ms, .until_ms = until_ms};
    struct flm_store_segments one = {&made, 1, 1};
    bool good = m.inputs || flm_error_memory(why);
    for (size_t i = 0; good && i < count; i++) {
        char *path = flm_store_path(store, store->segments.at[numbers[i]].file);
        m.inputs[i].segment = path ? flm_segment_open(path, why) : NULL;
        m.inputs[i].shift_ms = store->segments.at[numbers[i]].from_ms - from_ms;
        good = m.inputs[i].segment || (!path && flm_error_memory(why));
        free(path);
    }
    pthread_mutex_lock(&store->lock);
    snprintf(made.file, sizeof made.file, "%llx-m.seg",
             (unsigned long long)store->next_generation++);
    pthread_mutex_unlock(&store->lock);
    good = good && write_merged(store, &m, &made, why) &&
           flm_store_publish(store, &one, numbers, count, -1, why);
    release(&m);
    return good;
}

/* ---- Which ----------------------------------------------------------------------------------- */

/* The segments below a level that lie in [from, until), if there are at least two. Holds
 * `reading`. */
static size_t choose(const struct flm_embedded *store, int level, int64_t from_ms, int64_t until_ms,
                     size_t *numbers)
{
    size_t count = 0;
    for (size_t i = 0; i < store->segments.count; i++) {
        const struct flm_store_segment *s = &store->segments.at[i];
        if (!s->is_damaged && s->level <= level && s->from_ms >= from_ms && s->until_ms <= until_ms)
            numbers[count++] = i;
    }
    return count > 1 ? count : 0;
}

/* Merges what lies in one period of `span_ms` that is over, if there is such. */
static bool compact_one(struct flm_embedded *store, int level, int64_t span_ms, int64_t now_ms,
                        uint64_t *merged, bool *more, struct flm_error *why)
{
    pthread_mutex_lock(&store->reading);
    size_t *numbers = malloc((store->segments.count + 1) * sizeof *numbers), count = 0;
    int64_t from_ms = 0;
    for (size_t i = 0; numbers && count == 0 && i < store->segments.count; i++) {
        from_ms = store->segments.at[i].from_ms;
        from_ms -= from_ms % span_ms;
        if (from_ms + span_ms <= now_ms)
            count = choose(store, level, from_ms, from_ms + span_ms, numbers);
    }
    pthread_mutex_unlock(&store->reading);
    *more = count > 0;
    bool good = numbers || flm_error_memory(why);
    /* Only maintenance changes the list, and we are that. */
    if (good && count > 0)
        good = merge(store, numbers, count, level, from_ms, from_ms + span_ms, why);
    if (good && count > 0)
        *merged += count - 1;
    free(numbers);
    return good;
}

bool flm_embedded_compact(struct flm_store *base, int64_t now_ms, uint64_t *merged,
                          struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    static const int64_t spans[] = {FLM_STORE_HOUR_MS, FLM_STORE_DAY_MS};
    bool good = true;
    *merged = 0;
    pthread_mutex_lock(&store->maintenance);
    for (int level = 0; good && level < 2; level++)
        for (bool more = true; good && more;)
            good = compact_one(store, level + 1, spans[level], now_ms, merged, &more, why);
    pthread_mutex_unlock(&store->maintenance);
    return good;
}
