/* heatmap_area.h - the heatmap (layout/heatmap.h) of a view that has one. It takes the place of the
 * timeline, above the minimap, and is as wide as the window.
 *
 *     cells of 1 s by 20 ms            0 # # # # 24 samples      the caption, and the colors
 *     1.0 s  | . . # . . . |                                     the gutter, and the cells
 *     0.0 s  | # # # # # # |
 *              0 s   5 s                                         the axis
 *
 * It shows the opened profile after all transforms except the time range, which is selected in it:
 * with "focus:parse" it shows when parse ran. */
#ifndef FLAMEL_VIEWER_SCENE_HEATMAP_AREA_H
#define FLAMEL_VIEWER_SCENE_HEATMAP_AREA_H

#include "base/text/text.h"
#include "layout/heatmap.h"

struct flm_model;
struct flm_scene;

/* CSS px. In a terminal the caption and the axis have a row each, and a row shows two rows of
 * cells. */
enum { FLM_HEAT_CAPTION_PX = 20, FLM_HEAT_AXIS_PX = 16, FLM_HEAT_GUTTER_PX = 56 };

struct flm_heat {
    struct flm_heatmap map;
    struct flm_text operations; /* that were applied to the opened profile */
    struct flm_profile *after;  /* owned: their result; NULL: there are none */
    uint32_t made_from;         /* the version of what `map` was made from */
    uint32_t after_from;        /* and of what `after` was */
};

void flm_heat_clear(struct flm_heat *heat);

/* Whether the shown view has one, and there are times. */
bool flm_heat_is_shown(const struct flm_model *model, const struct flm_scene *scene);

/* Its height with caption and axis, in device px; and where its cells are. */
double flm_heat_height(const struct flm_model *model, const struct flm_scene *scene);
struct flm_heat_cells {
    struct flm_heatmap_shape shape;
    double left, top, width, height, column_px, row_px;
};
struct flm_heat_cells flm_heat_cells_of(const struct flm_model *model,
                                        const struct flm_scene *scene);

/* Makes the map, unless it is up to date. */
bool flm_heat_make(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why);

/* The profile and the metric that the map shows, once it was made. */
const struct flm_profile *flm_heat_profile(const struct flm_model *model,
                                           const struct flm_scene *scene);
struct flm_metric flm_heat_metric(const struct flm_model *model, const struct flm_profile *profile);

/* The cell at a point. For a point outside of all cells: the nearest one, or FLM_NONE if `nearest`
 * is false. */
uint32_t flm_heat_cell_at(const struct flm_model *model, const struct flm_scene *scene, double x,
                          double y, bool nearest);

/* Appends "12.34 s to 12.36 s", with as many digits as tell two rows apart. */
void flm_heat_add_time(const struct flm_heatmap_shape *shape, struct flm_heatmap_time time,
                       struct flm_text *out);

#endif
