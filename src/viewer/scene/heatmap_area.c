#include "viewer/scene/heatmap_area.h"

#include <math.h>

#include "draw/document/heatmap_pane.h"
#include "draw/terminal/cell_boxes.h"
#include "draw/text/time_ticks.h"
#include "flamel/algebra.h"
#include "viewer/scene/view.h"

/* The part of the window that cells may take; the least and the largest height of a row. */
#define MOST_OF_WINDOW 0.42
enum { LEAST_ROW_PX = 4, MOST_ROW_PX = 8, TERMINAL_ROW_PX = FLM_CELL_HEIGHT_PX / 2 };

void flm_heat_clear(struct flm_heat *heat)
{
    flm_heatmap_clear(&heat->map);
    flm_text_clear(&heat->operations);
    flm_profile_free(heat->after);
    *heat = (struct flm_heat){.after = NULL};
}

bool flm_heat_is_shown(const struct flm_model *model, const struct flm_scene *scene)
{
    return model->view && model->view->has_heatmap && flm_timeline_duration(scene) > 0;
}

/* ---- Geometry -------------------------------------------------------------------------------- */

static double caption_px(const struct flm_scene *scene)
{
    return scene->window.is_cells ? FLM_CELL_HEIGHT_PX
                                  : round(FLM_HEAT_CAPTION_PX * scene->window.scale);
}

static double axis_px(const struct flm_scene *scene)
{
    return scene->window.is_cells ? FLM_CELL_HEIGHT_PX
                                  : round(FLM_HEAT_AXIS_PX * scene->window.scale);
}

struct flm_heat_cells flm_heat_cells_of(const struct flm_model *model,
                                        const struct flm_scene *scene)
{
    bool is_cells = scene->window.is_cells;
    double scale = is_cells ? 1 : scene->window.scale;
    double margin = is_cells ? 0 : round(FLM_MARGIN_PX * scale);
    double gutter = round(FLM_HEAT_GUTTER_PX * scale);
    double least_row = is_cells ? TERMINAL_ROW_PX : round(LEAST_ROW_PX * scale);
    double column = is_cells ? FLM_CELL_PX : FLM_HEATMAP_COLUMN_PX * scale;
    double high = scene->window.height * MOST_OF_WINDOW - caption_px(scene) - axis_px(scene);
    struct flm_heat_cells c = {.left = margin + gutter, .top = caption_px(scene)};
    c.width = fmax(1, scene->window.width - c.left - margin);
    c.shape = flm_heatmap_shape_of(flm_timeline_duration(scene), model->heat_column_ns,
                                   (uint32_t)fmax(1, floor(c.width / column)),
                                   (uint32_t)fmax(1, floor(high / least_row)));
    double rows = fmax(1, c.shape.row_count);
    c.row_px = is_cells ? least_row
                        : fmin(fmax(floor(high / rows), least_row), round(MOST_ROW_PX * scale));
    c.height = rows * c.row_px;
    if (is_cells) /* an odd row is in the lower half of the first */
        c.top += ceil(c.height / FLM_CELL_HEIGHT_PX) * FLM_CELL_HEIGHT_PX - c.height;
    c.column_px = c.width / fmax(1, c.shape.column_count);
    return c;
}

double flm_heat_height(const struct flm_model *model, const struct flm_scene *scene)
{
    struct flm_heat_cells c = flm_heat_cells_of(model, scene);
    return c.top + c.height + axis_px(scene);
}

uint32_t flm_heat_cell_at(const struct flm_model *model, const struct flm_scene *scene, double x,
                          double y, bool nearest)
{
    struct flm_heat_cells c = flm_heat_cells_of(model, scene);
    double column = floor((x - c.left) / c.column_px);
    double row = floor((c.top + c.height - y) / c.row_px);
    bool is_within = x >= c.left && column < c.shape.column_count && y < c.top + c.height &&
                     row >= 0 && row < c.shape.row_count;
    if (c.shape.column_count == 0 || (!is_within && !nearest))
        return FLM_NONE;
    column = fmin(fmax(column, 0), c.shape.column_count - 1.0);
    row = fmin(fmax(row, 0), c.shape.row_count - 1.0);
    return (uint32_t)column * c.shape.row_count + (uint32_t)row;
}

/* ---- The map --------------------------------------------------------------------------------- */

const struct flm_profile *flm_heat_profile(const struct flm_model *model,
                                           const struct flm_scene *scene)
{
    return scene->heat.after ? scene->heat.after : model->operations.opened;
}

struct flm_metric flm_heat_metric(const struct flm_model *model, const struct flm_profile *p)
{
    return (struct flm_metric){model->metric < p->sizes.metric_count ? model->metric : FLM_NONE};
}

/* The operations that are on, except the time range. */
static void add_operations(const struct flm_model *model, struct flm_text *out)
{
    for (size_t i = 0; i < model->operations.count; i++) {
        const struct flm_operation *operation = &model->operations.at[i];
        if (!operation->on || flm_bytes_start_with(flm_bytes_of(operation->text), "time:"))
            continue;
        flm_text_puts(out, out->size ? " | " : "");
        flm_text_puts(out, operation->text);
    }
}

/* Applies `operations` to the opened profile, and moves them to `heat`. */
static bool apply(const struct flm_model *model, struct flm_heat *heat, struct flm_text *operations,
                  struct flm_error *why)
{
    struct flm_profile *after = NULL;
    if (operations->size > 0) {
        flm_text_putc(operations, 0);
        if (operations->failed)
            return flm_error_memory(why);
        after = flm_apply(model->operations.opened, operations->at, NULL, why);
        operations->size--;
        if (!after)
            return false;
    }
    flm_heat_clear(heat);
    heat->after = after;
    heat->operations = *operations;
    *operations = (struct flm_text){0};
    return true;
}

static bool make_profile(const struct flm_model *model, struct flm_heat *heat,
                         struct flm_error *why)
{
    struct flm_text operations = {0};
    uint32_t version = flm_version_of(&model->versions, FLM_OF(OPENED));
    add_operations(model, &operations);
    bool same = heat->after_from == version && !operations.failed &&
                flm_bytes_equal((struct flm_bytes){operations.at, operations.size},
                                (struct flm_bytes){heat->operations.at, heat->operations.size});
    bool good = same || apply(model, heat, &operations, why);
    if (good)
        heat->after_from = version;
    flm_text_clear(&operations);
    return good;
}

bool flm_heat_make(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    struct flm_heat *heat = &scene->heat;
    const struct flm_heatmap_shape is = flm_heat_cells_of(model, scene).shape;
    const struct flm_heatmap_shape *was = &heat->map.shape;
    uint32_t version =
        flm_version_of(&model->versions, FLM_OF(OPENED) | FLM_OF(METRIC) | FLM_OF(SHOWN));
    if (heat->map.cell && heat->made_from == version && was->column_ns == is.column_ns &&
        was->column_count == is.column_count && was->row_count == is.row_count)
        return true;
    if (!make_profile(model, heat, why))
        return false;
    const struct flm_profile *p = flm_heat_profile(model, scene);
    flm_heatmap_clear(&heat->map);
    heat->made_from = version;
    return flm_heatmap_init(&heat->map, p, flm_heat_metric(model, p),
                            scene->timeline.tracks.first_ns, is, why);
}

void flm_heat_add_time(const struct flm_heatmap_shape *shape, struct flm_heatmap_time time,
                       struct flm_text *out)
{
    double longest = fmax(shape->length_ns, shape->column_ns);
    flm_tick_label_add(out, time.from_ns, shape->row_ns, longest);
    flm_text_puts(out, " to ");
    flm_tick_label_add(out, time.to_ns, shape->row_ns, longest);
}
