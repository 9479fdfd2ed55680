#include "viewer/heatmap_cursor.h"

#include "draw/document/heatmap_pane.h"
#include "draw/text/quantity.h"

static struct flm_heatmap_shape shape_of(const struct flm_viewer *v)
{
    return flm_heat_cells_of(&v->model, &v->scene).shape;
}

/* ---- The current cell, and the pending range ------------------------------------------------- */

uint32_t flm_heat_current_cell(const struct flm_viewer *v)
{
    const struct flm_heatmap_shape shape = shape_of(v);
    if (v->input.heat.has_cursor && shape.column_count > 0)
        return flm_heatmap_cell_at(&shape, v->input.heat.cursor_ns);
    return flm_heat_cell_at(&v->model, &v->scene, v->input.hover_x, v->input.hover_y, false);
}

bool flm_heat_pending(const struct flm_viewer *v, struct flm_heatmap_time *time)
{
    const struct flm_heatmap_shape shape = shape_of(v);
    const struct flm_drag *drag = &v->input.drag;
    uint32_t from, to;
    if (shape.column_count == 0)
        return false;
    if (drag->kind == FLM_DRAG_RANGE) {
        from = flm_heat_cell_at(&v->model, &v->scene, drag->x, drag->y, true);
        to = flm_heat_cell_at(&v->model, &v->scene, drag->last_x, drag->last_y, true);
    } else if (v->input.heat.is_begun) {
        uint32_t current = flm_heat_current_cell(v);
        from = flm_heatmap_cell_at(&shape, v->input.heat.begin_ns);
        to = current != FLM_NONE ? current : from;
    } else {
        return false;
    }
    *time = flm_heatmap_time_of(&shape, from, to);
    return true;
}

/* ---- Selecting ------------------------------------------------------------------------------- */

static bool select_cells(struct flm_viewer *v, uint32_t from, uint32_t to, struct flm_error *why)
{
    const struct flm_heatmap_shape shape = shape_of(v);
    struct flm_heatmap_time time = flm_heatmap_time_of(&shape, from, to);
    v->input.heat.is_begun = false;
    flm_changed(&v->model, FLM_ASPECT_DRAG);
    return flm_viewer_select_time(v, (struct flm_span){time.from_ns, time.to_ns}, why);
}

bool flm_heat_mark(struct flm_viewer *v, uint32_t cell, struct flm_error *why)
{
    const struct flm_heatmap_shape shape = shape_of(v);
    if (v->input.heat.is_begun)
        return select_cells(v, flm_heatmap_cell_at(&shape, v->input.heat.begin_ns), cell, why);
    v->input.heat.is_begun = true;
    v->input.heat.begin_ns = flm_heatmap_time_of(&shape, cell, cell).from_ns;
    flm_changed(&v->model, FLM_ASPECT_DRAG);
    return true;
}

bool flm_heat_drop(struct flm_viewer *v, struct flm_error *why)
{
    const struct flm_drag *drag = &v->input.drag;
    return select_cells(v, flm_heat_cell_at(&v->model, &v->scene, drag->x, drag->y, true),
                        flm_heat_cell_at(&v->model, &v->scene, drag->last_x, drag->last_y, true),
                        why);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

void flm_heat_add_value(const struct flm_viewer *v, double value, struct flm_text *out)
{
    const struct flm_profile *p = flm_heat_profile(&v->model, &v->scene);
    struct flm_metric metric = flm_heat_metric(&v->model, p);
    flm_quantity_add(out, value,
                     metric.index == FLM_NONE ? flm_bytes_of("samples")
                                              : flm_string_bytes(p, p->metrics[metric.index].unit));
}

void flm_heat_add_most(const struct flm_viewer *v, struct flm_text *out)
{
    const struct flm_heatmap *map = &v->scene.heat.map;
    flm_heat_add_value(v, map->top, out);
    if (map->above_count == 0)
        return;
    flm_text_puts(out, ", more in ");
    flm_count_add(out, map->above_count);
}

void flm_heat_add_caption(const struct flm_viewer *v, struct flm_text *out)
{
    const struct flm_heatmap_shape *shape = &v->scene.heat.map.shape;
    struct flm_heatmap_time time;
    if (!flm_heat_pending(v, &time)) {
        flm_text_puts(out, "cells of ");
        flm_heatmap_add_scale(shape, out);
        return;
    }
    flm_heat_add_time(shape, time, out);
    flm_text_puts(out, ": ");
    flm_quantity_add(out, time.to_ns - time.from_ns, flm_bytes_of("ns"));
}
