/* query.c - the sum of what a query wants, over segments and heads. */
#include <stdlib.h>

#include "algebra/operation/subset.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"
#include "store/core/metric_order.h"
#include "store/embedded/visit.h"

/* ---- Merging --------------------------------------------------------------------------------- */

/* A column of values for each type, over the nodes of one tree. */
struct column {
    struct flm_bytes type;
    double *self;
};

struct merging {
    const struct flm_wanted *query;
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

/* Of a segment of which only a part of the time is wanted there may be types without a value. */
static void drop_empty(struct merging *m, size_t nodes)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->columns.count; i++) {
        size_t at = 0;
        while (at < nodes && m->columns.at[i].self[at] == 0)
            at++;
        if (at < nodes)
            m->columns.at[kept++] = m->columns.at[i];
        else
            free(m->columns.at[i].self);
    }
    m->columns.count = kept;
}

/* The columns of a segment, and its tree, are a profile. */
static bool take_segment(void *context, struct flm_segment *segment, struct flm_error *why)
{
    struct merging *m = context;
    if (m->columns.count > 0)
        drop_empty(m, flm_profile_node_count(flm_segment_tree(segment, why)));
    size_t count = m->columns.count;
    struct flm_column *columns = count > 0 ? calloc(count, sizeof *columns) : NULL;
    bool good = count == 0 || columns || flm_error_memory(why);
    for (size_t i = 0; columns && i < count; i++) {
        flm_head_type_parts(m->columns.at[i].type, &columns[i].name, &columns[i].unit);
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
    bool good = head->nodes.count == 0 || flm_wanted_head(m->query, head, sum_batch, m, why);
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

struct flm_profile *flm_embedded_merge(struct flm_store *base, const struct flm_store_query *query,
                                       struct flm_error *why)
{
    struct flm_embedded *store = flm_embedded_of(base);
    struct flm_wanted q;
    if (!flm_wanted_begin(&q, query, why))
        return NULL;
    struct merging m = {.query = &q};
    const struct flm_segment_visitor visitor = {&m, sum_group, take_segment, clear_columns};
    uint64_t damaged;
    pthread_mutex_lock(&store->reading);
    bool good = flm_wanted_segments(store, &q, &visitor, &damaged, why);
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
    flm_wanted_end(&q);
    return flm_metrics_in_order(merged, why);
}
