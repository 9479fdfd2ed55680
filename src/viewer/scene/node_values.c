#include "viewer/scene/node_values.h"

#include "viewer/scene/compared.h"

static double sum_of(const double *self, uint32_t from, uint32_t end)
{
    double sum = 0;
    for (uint32_t i = from; i < end; i++)
        sum += self[i];
    return sum;
}

/* The column of a profile's metric. */
struct column {
    const double *self;
    const uint32_t *end;
};

static void value_in(const void *context, uint32_t node, bool of_self, double value[2])
{
    const struct column *column = context;
    value[0] = sum_of(column->self, node, of_self ? node + 1 : column->end[node]);
    value[1] = 0;
}

static bool is_signed(const struct flm_scene *scene, uint32_t metric)
{
    const struct flm_summary *summary = &scene->tables.summary;
    return summary->metric && summary->metric[metric].size != summary->metric[metric].total;
}

struct flm_value flm_value_of(const struct flm_scene *scene, const struct flm_pane *pane,
                              struct flm_node node, uint32_t metric)
{
    struct column column = {flm_self_column(pane->profile, metric), pane->profile->node_end};
    uint32_t number = flm_pane_number(pane, node), end = pane->tree.end[node.index];
    bool is_width = pane->tree.width == column.self && !is_signed(scene, metric);
    if (pane->kind == FLM_PANE_STACKS)
        return (struct flm_value){is_width ? flm_layout_total(pane->layout, node)
                                           : sum_of(column.self, node.index, end),
                                  column.self[node.index], true};
    if (pane->kind == FLM_PANE_LAZY && pane->compared)
        return (struct flm_value){pane->sums.at[number].all.total[1],
                                  pane->sums.at[number].all.own[1], true};
    if (pane->kind == FLM_PANE_CHART || !is_signed(scene, metric))
        return (struct flm_value){.total = flm_layout_total(pane->layout, node)};
    struct flm_lazy_tree_sum sum =
        flm_lazy_tree_sum(pane->lazy, (struct flm_lazy_ref){number}, value_in, &column);
    return (struct flm_value){sum.total[0], sum.own[0], true};
}
