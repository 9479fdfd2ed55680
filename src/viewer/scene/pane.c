#include "viewer/scene/pane.h"

#include <math.h>
#include <stdlib.h>

#include "viewer/scene/compared.h"

void flm_pane_clear(struct flm_pane *pane)
{
    flm_rectangles_clear(&pane->drawn);
    flm_layout_free(pane->layout);
    flm_lazy_tree_free(pane->lazy);
    flm_flame_chart_free(pane->chart);
    FLM_ARRAY_CLEAR(&pane->sums);
    flm_occupancy_clear(&pane->occupancy);
    free(pane->widths);
    free(pane->seen);
    *pane = (struct flm_pane){0};
}

bool flm_pane_lay_out(struct flm_pane *pane, struct flm_error *why)
{
    struct flm_layout_options options = {.tree = pane->tree, .order = pane->order};
    struct flm_layout *layout = flm_layout_new(&options, why);
    if (!layout)
        return false;
    flm_layout_free(pane->layout);
    pane->layout = layout;
    return true;
}

uint32_t flm_pane_rows(const struct flm_pane *pane)
{
    uint32_t levels = flm_layout_level_count(pane->layout);
    if (pane->kind == FLM_PANE_CHART)
        return pane->shown_rows;
    return levels > pane->first_level ? levels - pane->first_level : 0;
}

bool flm_pane_open(struct flm_pane *pane, double narrowest, uint64_t budget, bool *opened,
                   struct flm_error *why)
{
    *opened = false;
    pane->incomplete = false;
    if (!pane->lazy)
        return true;
    for (size_t i = 0; i < pane->drawn.count; i++) {
        const struct flm_rectangle *r = &pane->drawn.at[i];
        if (r->flags & FLM_RECTANGLE_MERGED || pane->lazy_columns.is_open[r->node.index])
            continue;
        if (*opened && budget == 0) {
            pane->incomplete = true;
            break;
        }
        bool more;
        struct flm_lazy_ref number = {pane->lazy_columns.number[r->node.index]};
        if (!flm_lazy_tree_open(pane->lazy, number, narrowest, budget, &more, why))
            return false;
        *opened = true;
        if (more) {
            pane->incomplete = true;
            break;
        }
    }
    return !*opened || flm_pane_take_lazy(pane, why);
}

bool flm_pane_has_unopened(const struct flm_pane *pane)
{
    for (size_t i = 0; pane->lazy && i < pane->drawn.count; i++) {
        const struct flm_rectangle *r = &pane->drawn.at[i];
        if (!(r->flags & FLM_RECTANGLE_MERGED) && !pane->lazy_columns.is_open[r->node.index])
            return true;
    }
    return false;
}

bool flm_pane_take_lazy(struct flm_pane *pane, struct flm_error *why)
{
    if (!flm_lazy_tree_columns(pane->lazy, &pane->lazy_columns, why) ||
        (pane->compared && !flm_compared_sum(pane, why)))
        return false;
    pane->tree = (struct flm_tree){
        .node_count = pane->lazy_columns.node_count,
        .frame = pane->lazy_columns.frame,
        .end = pane->lazy_columns.end,
        .width = pane->lazy_columns.width,
    };
    return flm_pane_lay_out(pane, why);
}

bool flm_pane_open_one(struct flm_pane *pane, uint32_t number, struct flm_error *why)
{
    bool more;
    struct flm_node node = flm_pane_node(pane, number);
    if (!pane->lazy || node.index == FLM_NONE || pane->lazy_columns.is_open[node.index])
        return true;
    return flm_lazy_tree_open(pane->lazy, (struct flm_lazy_ref){number}, INFINITY, 0, &more, why) &&
           flm_pane_take_lazy(pane, why);
}

double flm_pane_row_px(const struct flm_pane *pane, uint32_t level, double row_px)
{
    double row = (double)level - pane->first_level;
    return pane->upwards ? pane->top_px + pane->height_px - (row + 1) * row_px
                         : pane->top_px + row * row_px;
}

struct flm_node flm_pane_node(const struct flm_pane *pane, uint32_t number)
{
    if (number >= pane->tree.node_count)
        return (struct flm_node){FLM_NONE};
    if (pane->lazy)
        return flm_lazy_tree_node(pane->lazy, (struct flm_lazy_ref){number});
    return (struct flm_node){number};
}

uint32_t flm_pane_number(const struct flm_pane *pane, struct flm_node node)
{
    if (pane->lazy && node.index != FLM_NONE)
        return pane->lazy_columns.number[node.index];
    return node.index;
}

struct flm_depths flm_pane_depths(const struct flm_pane *pane, struct flm_node node)
{
    enum { MOST_STEPS = 1 << 15 };
    struct flm_depths depths = {0, 0};
    if (pane->profile->sizes.recursion_count == 0 || node.index == FLM_NONE)
        return (struct flm_depths){1, 1};
    if (pane->kind == FLM_PANE_STACKS)
        return flm_recursion_at(pane->profile, node.index);
    if (pane->kind == FLM_PANE_CHART)
        return flm_recursion_at(pane->profile, pane->chart->source[node.index]);
    struct flm_lazy_tree_occurrences of =
        flm_lazy_tree_occurrences(pane->lazy, (struct flm_lazy_ref){flm_pane_number(pane, node)});
    uint32_t level = flm_layout_level(pane->layout, node);
    bool are_few = (uint64_t)of.count * (level + 1) <= MOST_STEPS;
    for (uint32_t i = 0; are_few && i < of.count; i++) {
        uint32_t place = flm_lazy_tree_place(pane->lazy, of.occurrence[i].of, level);
        flm_depths_merge(&depths, flm_recursion_at(pane->profile, place));
    }
    return depths.most > 0 ? depths : (struct flm_depths){1, 1};
}
