/* heatmap.c - the cell under the pointer, for "hover". */
#include "viewer/heatmap_cursor.h"
#include "viewer/query/internal.h"

struct flm_response_hover *flm_query_hovered_cell(struct flm_query *q)
{
    struct flm_viewer *v = q->viewer;
    if (!q->profile || !flm_heat_is_shown(&v->model, &v->scene))
        return NULL;
    uint32_t cell =
        flm_heat_cell_at(&v->model, &v->scene, v->input.hover_x, v->input.hover_y, false);
    if (cell == FLM_NONE || !flm_heat_make(&v->model, &v->scene, NULL))
        return NULL;
    const struct flm_heatmap *map = &v->scene.heat.map;
    struct flm_heatmap_time time = flm_heatmap_time_of(&map->shape, cell, cell);
    struct flm_response_hover *hover = flm_query_take(q, 1, sizeof *hover);
    struct flm_response_hover_line *line = flm_query_take(q, 1, sizeof *line);
    if (!hover || !line)
        return NULL;
    *hover = (struct flm_response_hover){.x = v->input.hover_x, .y = v->input.hover_y};
    flm_heat_add_time(&map->shape, time, flm_query_scratch(q));
    hover->title = flm_query_scratch_copy(q);
    flm_heat_add_value(v, map->cell[cell], flm_query_scratch(q));
    line->name = flm_query_text(q, "total");
    line->value = flm_query_scratch_copy(q);
    line->share_total = flm_query_share(q, map->cell[cell], map->total);
    hover->lines.at = line;
    hover->lines.count = 1;
    if (!v->input.heat.is_begun)
        hover->note = flm_query_text(q, "drag over a range, or click its begin and its end");
    return hover;
}
