#include "store/core/group_batches.h"

#include <stdlib.h>

struct splitting {
    const struct flm_group_of_rows *group;
    uint32_t *node; /* by node of the head: that of the builder */
    uint32_t *made; /* by node of the head: the batch that `node` is of */
    uint32_t batch;
    struct FLM_ARRAY(uint32_t) path;
};

static int by_batch(const void *a, const void *b)
{
    const struct flm_store_row *x = a, *y = b;
    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    if (x->time_ms != y->time_ms)
        return x->time_ms < y->time_ms ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* The node of a stack in the builder: only what no stack of this batch had is walked. */
static bool add_stack(struct splitting *s, struct flm_builder *builder, uint32_t node)
{
    const struct flm_head_node *nodes = s->group->head->nodes.at;
    s->path.count = 0;
    while (s->made[node] != s->batch) {
        if (!FLM_ARRAY_ADD(&s->path, node))
            return false;
        node = nodes[node].parent;
    }
    for (size_t i = s->path.count; i-- > 0; node = s->path.at[i]) {
        uint32_t child = s->path.at[i];
        s->node[child] =
            flm_builder_child(builder, (struct flm_node){s->node[node]},
                              flm_head_frame(s->group->head, nodes[child].frame, builder))
                .index;
        s->made[child] = s->batch;
    }
    return true;
}

static struct flm_profile *make(struct splitting *s, const struct flm_store_row *rows, size_t count,
                                struct flm_error *why)
{
    struct flm_builder *builder = flm_builder_new(why);
    if (!builder)
        return NULL;
    struct flm_metric metric = flm_head_metric(builder, s->group->type);
    s->batch++;
    s->node[0] = flm_builder_root(builder).index;
    s->made[0] = s->batch;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        good = rows[i].value == 0 || add_stack(s, builder, rows[i].node);
        if (good && rows[i].value != 0)
            flm_builder_add(builder, (struct flm_node){s->node[rows[i].node]}, metric,
                            rows[i].value);
    }
    if (good)
        return flm_builder_finish(builder, why);
    flm_builder_free(builder);
    flm_error_memory(why);
    return NULL;
}

static bool hand_over(struct splitting *s, const struct flm_store_row *rows, size_t count,
                      const struct flm_batch_taker *taker, struct flm_error *why)
{
    const struct flm_group_of_rows *group = s->group;
    int64_t time_ms = group->begin_ms + rows[0].time_ms;
    bool has_value = false;
    for (size_t i = 0; i < count; i++)
        has_value |= rows[i].value != 0;
    if (!has_value || time_ms < group->from_ms || time_ms >= group->until_ms)
        return true;
    struct flm_profile *profile = make(s, rows, count, why);
    return profile && taker->take(taker->context, profile, group->series[rows[0].series],
                                  group->type, time_ms, why);
}

bool flm_group_batches(const struct flm_group_of_rows *group, struct flm_store_rows *rows,
                       const struct flm_batch_taker *taker, struct flm_error *why)
{
    size_t nodes = group->head->nodes.count;
    struct splitting s = {.group = group,
                          .node = malloc(nodes * sizeof *s.node),
                          .made = calloc(nodes, sizeof *s.made)};
    bool good = (s.node && s.made && flm_store_rows_sort(rows)) || flm_error_memory(why);
    if (good && rows->count > 0)
        qsort(rows->at, rows->count, sizeof *rows->at, by_batch);
    for (size_t i = 0, end; good && i < rows->count; i = end) {
        const struct flm_store_row *first = &rows->at[i];
        end = i + 1;
        while (end < rows->count && rows->at[end].series == first->series &&
               rows->at[end].time_ms == first->time_ms)
            end++;
        good = hand_over(&s, first, end - i, taker, why);
    }
    free(s.node);
    free(s.made);
    FLM_ARRAY_CLEAR(&s.path);
    return good;
}
