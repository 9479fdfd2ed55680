/* query.c - what a query wants: summed over segments and heads. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "algebra/operation/subset.h"
#include "base/core/sort.h"
#include "base/text/versioned.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "store/embedded/internal.h"

struct query {
    struct flm_store_query own;
    struct flm_selector *selector;
    struct flm_bytes tenant, type;
};

static bool begin(struct query *q, const struct flm_store_query *query, struct flm_error *why)
{
    *q = (struct query){0};
    if (!flm_versioned_copy(&q->own, sizeof q->own, query, "flm_store_query", why))
        return false;
    q->tenant = flm_bytes_of(q->own.tenant ? q->own.tenant : "");
    q->type = q->own.type ? flm_bytes_of(q->own.type) : (struct flm_bytes){NULL, 0};
    q->selector = flm_selector_parse(flm_bytes_of(q->own.selector ? q->own.selector : ""), why);
    return q->selector != NULL;
}

static void end(struct query *q)
{
    flm_selector_free(q->selector);
}

/* "cpu:ns" is wanted by "cpu:ns" and by "cpu". */
static bool wants_type(const struct query *q, struct flm_bytes type)
{
    if (!q->type.at)
        return true;
    return flm_bytes_equal(type, q->type) ||
           (type.size > q->type.size && type.at[q->type.size] == ':' &&
            memcmp(type.at, q->type.at, q->type.size) == 0);
}

static bool wants_series(const struct query *q, struct flm_bytes series)
{
    return flm_bytes_equal(flm_series_tenant(series), q->tenant) &&
           flm_selector_matches(q->selector, series);
}

static bool overlaps(const struct query *q, int64_t from_ms, int64_t until_ms)
{
    return from_ms < q->own.until_ms && until_ms > q->own.from_ms;
}

/* ---- Series ---------------------------------------------------------------------------------- */

/* Which series of a segment are wanted, a byte for each; NULL when memory ran out. The service's
 * are found by their order when only one is asked for. */
static unsigned char *wanted_in(const struct query *q, const struct flm_segment *segment)
{
    uint32_t count = flm_segment_series_count(segment);
    unsigned char *wanted = calloc(count + 1, 1);
    for (uint32_t i = 0; wanted && i < count; i++)
        wanted[i] = wants_series(q, flm_segment_series(segment, i));
    return wanted;
}

/* How many of the series of a group are wanted. */
static uint32_t count_wanted(const unsigned char *wanted, const struct flm_segment_group *group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < group->series_count; i++)
        count += wanted[group->first_series + i];
    return count;
}

/* Calls `add` for each wanted group of each segment in the range. A segment that turns out to be
 * damaged is set aside with what `add` made of it: `restart` is called before it is asked again. */
struct segment_visitor {
    void *context;
    bool (*group)(void *context, struct flm_segment *segment, uint32_t group,
                  const unsigned char *wanted, struct flm_error *why);
    bool (*done)(void *context, struct flm_segment *segment,
                 struct flm_error *why); /* may be NULL */
    void (*abandon)(void *context);      /* may be NULL */
};

static bool visit_segment(const struct query *q, struct flm_segment *segment,
                          const struct segment_visitor *visitor, struct flm_error *why)
{
    unsigned char *wanted = wanted_in(q, segment);
    bool good = wanted || flm_error_memory(why);
    for (uint32_t g = 0; good && g < flm_segment_group_count(segment); g++) {
        const struct flm_segment_group *group = flm_segment_group(segment, g);
        uint32_t count = wants_type(q, group->type) ? count_wanted(wanted, group) : 0;
        bool all = count == group->series_count;
        if (count > 0)
            good = visitor->group(visitor->context, segment, g,
                                  all ? NULL : wanted + group->first_series, why);
    }
    free(wanted);
    return good && (!visitor->done || visitor->done(visitor->context, segment, why));
}

/* *damaged receives how many segments in the range are set aside. Holds `reading`. */
static bool visit_segments(struct flm_store *store, const struct query *q,
                           const struct segment_visitor *visitor, uint64_t *damaged,
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

/* Calls `add` for each wanted batch of a head. Holds `lock`. */
typedef bool (*batch_sink)(void *context, struct flm_head *head, const struct flm_head_batch *batch,
                           struct flm_error *why);
static bool visit_head(const struct query *q, struct flm_head *head, batch_sink add, void *context,
                       struct flm_error *why)
{
    if (head->batches.count == 0 || !overlaps(q, head->from_ms, head->until_ms))
        return true;
    size_t series_count = head->series.strings.count, type_count = head->types.strings.count;
    unsigned char *wanted = calloc(series_count + type_count + 1, 1);
    bool good = wanted || flm_error_memory(why);
    for (uint32_t i = 0; good && i < series_count; i++)
        wanted[i] = wants_series(q, flm_head_series(head, i));
    for (uint32_t i = 0; good && i < type_count; i++)
        wanted[series_count + i] = wants_type(q, flm_head_type(head, i));
    for (size_t i = 0; good && i < head->batches.count; i++) {
        const struct flm_head_batch *b = &head->batches.at[i];
        if (b->time_ms >= q->own.from_ms && b->time_ms < q->own.until_ms && wanted[b->series] &&
            wanted[series_count + b->type])
            good = add(context, head, b, why);
    }
    free(wanted);
    return good;
}

/* ---- Merging --------------------------------------------------------------------------------- */

/* A column of values for each type, over the nodes of one tree. */
struct column {
    struct flm_bytes type;
    double *self;
};

struct merging {
    const struct query *query;
    struct FLM_ARRAY(struct column) columns; /* of the segment or head that is being summed */
    struct FLM_ARRAY(struct flm_profile *) parts;
};

static double *column_of(struct merging *m, struct flm_bytes type, size_t nodes,
                         struct flm_error *why)
{
    for (size_t i = 0; i < m->columns.count; i++)
        if (flm_bytes_equal(m->columns.at[i].type, type))
            return m->columns.at[i].self;
    struct column column = {type, calloc(nodes, sizeof *column.self)};
    if (column.self && FLM_ARRAY_ADD(&m->columns, column))
        return column.self;
    free(column.self);
    flm_error_memory(why);
    return NULL;
}

static void clear_columns(void *context)
{
    struct merging *m = context;
    for (size_t i = 0; i < m->columns.count; i++)
        free(m->columns.at[i].self);
    m->columns.count = 0;
}

static bool keep_part(struct merging *m, struct flm_profile *part, struct flm_error *why)
{
    if (part && !FLM_ARRAY_ADD(&m->parts, part)) {
        flm_profile_free(part);
        return flm_error_memory(why);
    }
    return part != NULL;
}

static bool sum_group(void *context, struct flm_segment *segment, uint32_t group,
                      const unsigned char *wanted, struct flm_error *why)
{
    struct merging *m = context;
    const struct flm_profile *tree = flm_segment_tree(segment, why);
    double *self = tree ? column_of(m, flm_segment_group(segment, group)->type,
                                    flm_profile_node_count(tree), why)
                        : NULL;
    return self && flm_segment_sum(segment, group, m->query->own.from_ms, m->query->own.until_ms,
                                   wanted, self, why);
}

/* The columns of a segment, and its tree, are a profile. */
static bool take_segment(void *context, struct flm_segment *segment, struct flm_error *why)
{
    struct merging *m = context;
    size_t count = m->columns.count;
    struct flm_column *columns = count > 0 ? calloc(count, sizeof *columns) : NULL;
    bool good = count == 0 || columns || flm_error_memory(why);
    for (size_t i = 0; columns && i < count; i++) {
        struct flm_bytes type = m->columns.at[i].type;
        const char *colon = memrchr(type.at, ':', type.size);
        size_t name = colon ? (size_t)(colon - type.at) : type.size;
        columns[i].name = (struct flm_bytes){type.at, name};
        columns[i].unit = flm_bytes_from(type, name + (colon != NULL));
        columns[i].self = m->columns.at[i].self;
    }
    if (columns)
        good = keep_part(m, flm_subset(flm_segment_tree(segment, why), columns, count, NULL, why),
                         why);
    free(columns);
    clear_columns(m);
    return good;
}

static bool sum_batch(void *context, struct flm_head *head, const struct flm_head_batch *batch,
                      struct flm_error *why)
{
    struct merging *m = context;
    double *self = column_of(m, flm_head_type(head, batch->type), head->nodes.count, why);
    return self && flm_head_sum(head, batch, self, why);
}

static bool take_head(struct merging *m, struct flm_head *head, struct flm_error *why)
{
    bool good = head->nodes.count == 0 || visit_head(m->query, head, sum_batch, m, why);
    for (size_t i = 0; good && i < m->columns.count; i++)
        good = keep_part(
            m, flm_head_profile(head, m->columns.at[i].self, m->columns.at[i].type, NULL, why),
            why);
    clear_columns(m);
    return good;
}

/* A profile that has nothing but what was lost. */
static bool take_losses(struct merging *m, uint64_t damaged, struct flm_error *why)
{
    struct flm_builder *builder = flm_builder_new(why);
    if (builder && damaged > 0)
        flm_builder_lost(builder, "damaged segments of the store", "", 0, (double)damaged);
    return builder && keep_part(m, flm_builder_finish(builder, why), why);
}

struct flm_profile *flm_store_merge(struct flm_store *store, const struct flm_store_query *query,
                                    struct flm_error *why)
{
    struct query q;
    if (!begin(&q, query, why))
        return NULL;
    struct merging m = {.query = &q};
    const struct segment_visitor visitor = {&m, sum_group, take_segment, clear_columns};
    uint64_t damaged;
    pthread_mutex_lock(&store->reading);
    bool good = visit_segments(store, &q, &visitor, &damaged, why);
    pthread_mutex_lock(&store->lock);
    good = good && take_head(&m, &store->frozen, why) && take_head(&m, &store->head, why);
    pthread_mutex_unlock(&store->lock);
    pthread_mutex_unlock(&store->reading);
    if (good && (damaged > 0 || m.parts.count == 0))
        good = take_losses(&m, damaged, why);
    struct flm_profile *merged = NULL;
    if (good && m.parts.count == 1)
        merged = m.parts.at[--m.parts.count];
    else if (good)
        merged = flm_align((const struct flm_profile *const *)m.parts.at, m.parts.count,
                           FLM_ALIGN_ADD, NULL, why);
    for (size_t i = 0; i < m.parts.count; i++)
        flm_profile_free(m.parts.at[i]);
    FLM_ARRAY_CLEAR(&m.parts);
    clear_columns(&m);
    FLM_ARRAY_CLEAR(&m.columns);
    end(&q);
    return merged;
}

/* ---- Timeline -------------------------------------------------------------------------------- */

struct timeline {
    const struct query *query;
    int64_t step_ms;
    double *values, *segment; /* of all, and of the segment that is read */
    size_t count;
    const unsigned char *wanted;
};

static void add_time(void *context, uint32_t series, int64_t time_ms, double value)
{
    struct timeline *t = context;
    const struct flm_store_query *q = &t->query->own;
    if (time_ms < q->from_ms || time_ms >= q->until_ms || (t->wanted && !t->wanted[series]))
        return;
    uint64_t step = (uint64_t)(time_ms - q->from_ms) / (uint64_t)t->step_ms;
    if (step < t->count)
        t->segment[step] += value;
}

static bool add_times(void *context, struct flm_segment *segment, uint32_t group,
                      const unsigned char *wanted, struct flm_error *why)
{
    struct timeline *t = context;
    t->wanted = wanted;
    return flm_segment_times(segment, group, add_time, t, why);
}

static bool take_times(void *context, struct flm_segment *segment, struct flm_error *why)
{
    struct timeline *t = context;
    (void)segment, (void)why;
    for (size_t i = 0; i < t->count; i++)
        t->values[i] += t->segment[i];
    memset(t->segment, 0, t->count * sizeof *t->segment);
    return true;
}

static void abandon_times(void *context)
{
    struct timeline *t = context;
    memset(t->segment, 0, t->count * sizeof *t->segment);
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
    struct timeline *t = context;
    const struct flm_store_range all = {
        .until_ms = INT64_MAX, .series_count = 1, .node_count = (uint32_t)head->nodes.count};
    double total = 0;
    if (!flm_store_rows_sum(flm_head_values(head, batch), &all, add_run, &total, why))
        return false;
    t->wanted = NULL;
    add_time(t, 0, batch->time_ms, total);
    return true;
}

bool flm_store_timeline(struct flm_store *store, const struct flm_store_query *query,
                        int64_t step_ms, double *values, size_t count, struct flm_error *why)
{
    assert(step_ms > 0 && (values || count == 0));
    struct query q;
    if (!begin(&q, query, why))
        return false;
    struct timeline t = {.query = &q,
                         .step_ms = step_ms,
                         .values = values,
                         .segment = calloc(count + 1, sizeof *t.segment),
                         .count = count};
    const struct segment_visitor visitor = {&t, add_times, take_times, abandon_times};
    uint64_t damaged;
    bool good = t.segment || flm_error_memory(why);
    pthread_mutex_lock(&store->reading);
    good = good && visit_segments(store, &q, &visitor, &damaged, why);
    pthread_mutex_lock(&store->lock);
    good = good &&
           (store->frozen.nodes.count == 0 || visit_head(&q, &store->frozen, add_batch, &t, why)) &&
           visit_head(&q, &store->head, add_batch, &t, why);
    pthread_mutex_unlock(&store->lock);
    pthread_mutex_unlock(&store->reading);
    if (good)
        take_times(&t, NULL, NULL);
    free(t.segment);
    end(&q);
    return good;
}

/* ---- Types and labels ------------------------------------------------------------------------ */

struct texts {
    struct flm_interner interner; /* each once */
    bool failed;
};

static void keep_text(struct texts *t, struct flm_bytes text)
{
    t->failed |= flm_interner_string(&t->interner, text) == FLM_NONE;
}

static int by_bytes(const void *context, uint32_t a, uint32_t b)
{
    const struct texts *t = context;
    return flm_bytes_compare(flm_interner_text(&t->interner, a),
                             flm_interner_text(&t->interner, b));
}

/* Hands them over, ascending, and forgets them. */
static bool hand_over(struct texts *t, bool good, flm_store_text each, void *context,
                      struct flm_error *why)
{
    size_t count = t->interner.string_count;
    uint32_t *order = malloc((2 * count + 1) * sizeof *order);
    if (good && (t->failed || !order))
        good = flm_error_memory(why);
    for (uint32_t i = 0; good && i < count; i++)
        order[i] = i;
    if (good)
        flm_sort(order, count, order + count, by_bytes, t);
    bool goes_on = good;
    for (size_t i = 0; goes_on && i < count; i++) {
        struct flm_bytes text = flm_interner_text(&t->interner, order[i]);
        goes_on = order[i] == 0 || each(context, (struct flm_name){text.at, text.size});
    }
    free(order);
    flm_interner_clear(&t->interner);
    return good;
}

static bool keep_type(void *context, struct flm_segment *segment, uint32_t group,
                      const unsigned char *wanted, struct flm_error *why)
{
    (void)wanted, (void)why;
    keep_text(context, flm_segment_group(segment, group)->type);
    return true;
}

static bool keep_batch_type(void *context, struct flm_head *head,
                            const struct flm_head_batch *batch, struct flm_error *why)
{
    (void)why;
    keep_text(context, flm_head_type(head, batch->type));
    return true;
}

bool flm_store_types(struct flm_store *store, const struct flm_store_query *query,
                     flm_store_text each, void *context, struct flm_error *why)
{
    struct query q;
    struct texts t = {0};
    if (!begin(&q, query, why))
        return false;
    const struct segment_visitor visitor = {.context = &t, .group = keep_type};
    uint64_t damaged;
    bool good = flm_interner_init(&t.interner, why);
    pthread_mutex_lock(&store->reading);
    good = good && visit_segments(store, &q, &visitor, &damaged, why);
    pthread_mutex_lock(&store->lock);
    good = good &&
           (store->frozen.nodes.count == 0 ||
            visit_head(&q, &store->frozen, keep_batch_type, &t, why)) &&
           visit_head(&q, &store->head, keep_batch_type, &t, why);
    pthread_mutex_unlock(&store->lock);
    pthread_mutex_unlock(&store->reading);
    end(&q);
    return hand_over(&t, good, each, context, why);
}

static bool keep_any(void *context, struct flm_bytes text)
{
    struct texts *t = context;
    keep_text(t, text);
    return !t->failed;
}

static bool labels(struct flm_store *store, const struct flm_store_query *query,
                   struct flm_bytes key, flm_store_text each, void *context, struct flm_error *why)
{
    struct query q;
    struct texts t = {0};
    if (!begin(&q, query, why))
        return false;
    bool good = flm_interner_init(&t.interner, why);
    pthread_mutex_lock(&store->catalog_lock);
    good = good && flm_catalog_labels(store->catalog, q.tenant, key, keep_any, &t, why);
    pthread_mutex_unlock(&store->catalog_lock);
    end(&q);
    return hand_over(&t, good, each, context, why);
}

bool flm_store_label_names(struct flm_store *store, const struct flm_store_query *query,
                           flm_store_text each, void *context, struct flm_error *why)
{
    return labels(store, query, (struct flm_bytes){NULL, 0}, each, context, why);
}

bool flm_store_label_values(struct flm_store *store, const struct flm_store_query *query,
                            const char *label, flm_store_text each, void *context,
                            struct flm_error *why)
{
    if (strcmp(label, "service") == 0)
        label = FLM_STORE_SERVICE;
    return labels(store, query, flm_bytes_of(label), each, context, why);
}

struct series_keeping {
    const struct query *query;
    struct texts *texts;
    struct flm_text line;
};

static bool keep_series(void *context, struct flm_bytes series)
{
    struct series_keeping *k = context;
    if (!wants_series(k->query, series))
        return true;
    struct flm_store_label label;
    k->line.size = 0;
    for (size_t at = 0; flm_series_next(series, &at, &label);) {
        if (k->line.size > 0)
            flm_text_putc(&k->line, ' ');
        flm_text_add(&k->line, label.key);
        flm_text_putc(&k->line, '=');
        flm_text_add(&k->line, label.value);
    }
    k->texts->failed |= k->line.failed;
    return keep_any(k->texts, (struct flm_bytes){k->line.at, k->line.size});
}

bool flm_store_series(struct flm_store *store, const struct flm_store_query *query,
                      flm_store_text each, void *context, struct flm_error *why)
{
    struct query q;
    struct texts t = {0};
    if (!begin(&q, query, why))
        return false;
    struct flm_store_label label;
    bool narrow = flm_selector_equal(q.selector, &label);
    struct series_keeping k = {.query = &q, .texts = &t};
    bool good = flm_interner_init(&t.interner, why);
    pthread_mutex_lock(&store->catalog_lock);
    good = good && flm_catalog_series(store->catalog, q.tenant,
                                      narrow ? label.key : (struct flm_bytes){NULL, 0}, label.value,
                                      keep_series, &k, why);
    pthread_mutex_unlock(&store->catalog_lock);
    flm_text_clear(&k.line);
    end(&q);
    return hand_over(&t, good, each, context, why);
}
