/* scene.h - what can be seen: one or more panes, each a tree with its layout. The view that is
 * shown builds them (viewer/scene/view.h).
 *
 * The panes know their places: in the window, one above the other or side by side, scrolled
 * together. A ref is a place in a pane that stays itself while callers are opened. */
#ifndef FLAMEL_VIEWER_SCENE_SCENE_H
#define FLAMEL_VIEWER_SCENE_SCENE_H

#include "layout/tracks.h"
#include "viewer/model/model.h"
#include "viewer/scene/cached_tables.h"
#include "viewer/scene/compared.h"
#include "viewer/scene/pane.h"
#include "viewer/scene/timeline.h"

/* Threads in the chart at most, the largest; the others are counted. */
enum { FLM_MOST_PANES = 32 };

/* What it is seen in. */
struct flm_window {
    uint32_t width, height; /* device px */
    bool is_cells;          /* of a terminal */
    double scale;           /* device px a CSS px */
};

/* The sizes of the picture in CSS pixels. */
enum { FLM_ROW_PX = 18, FLM_FONT_PX = 12, FLM_MINIMAP_PX = 48, FLM_MARGIN_PX = 8 };

struct flm_scene {
    const struct flm_view *view; /* whose panes these are; NULL: there are none */
    struct flm_pane *panes;
    uint32_t pane_count;
    double total;             /* the width of everything: of the first pane's root, or time in ns */
    double content_px;        /* how high all panes are together */
    double home_px;           /* how far it is scrolled at first */
    struct flm_tracks tracks; /* of the chart: the threads of the shown profile */
    struct flm_compared *compared; /* where two profiles are compared; or NULL */

    struct flm_window window;
    struct flm_timeline timeline;
    struct flm_cached_tables tables; /* of the shown profile */
};

/* Another pane, empty; the panes before may move. NULL, and `why`, if memory ran out. */
struct flm_pane *flm_scene_add_pane(struct flm_scene *scene, struct flm_error *why);

/* Makes the panes that the state of the model asks for. False, and `why`: the scene is then as
 * it was. */
bool flm_scene_build(struct flm_model *model, struct flm_scene *scene, struct flm_error *why);
void flm_scene_clear(struct flm_scene *scene);

/* Only the panes and what is measured with them: the timeline, tables and window stay. */
void flm_scene_clear_panes(struct flm_scene *scene);

/* The height of a row, and the parts of the window: the minimap, and below it the area of the
 * panes. Device px. */
struct flm_area {
    double left, top, width, height;
};
double flm_scene_row_px(const struct flm_scene *scene);
struct flm_area flm_scene_area(const struct flm_model *model, const struct flm_scene *scene);
struct flm_area flm_scene_minimap(const struct flm_model *model, const struct flm_scene *scene);

/* Whether changes are drawn, and widths are of both sides: see struct flm_view. Whether the
 * horizontal axis is time; and whether there are two halves with a camera each. */
bool flm_scene_compares(const struct flm_scene *scene);
bool flm_scene_is_over_time(const struct flm_scene *scene);
bool flm_scene_has_halves(const struct flm_scene *scene);

/* Where nodes of a pane stand in the units of the camera: the pane's own layout; of two side by
 * side the one that both share. */
const struct flm_layout *flm_scene_layout(const struct flm_scene *scene,
                                          const struct flm_pane *pane);

/* Gives the panes their places in a window of this width; keeps what they show. */
void flm_scene_arrange(struct flm_scene *scene, double width_px, double height_px, double row_px);

/* The pane at a point of the window, and the level there, as the picture was drawn with `scroll`;
 * NULL where there is none. */
struct flm_pane *flm_scene_pane_at(const struct flm_scene *scene, double x_px, double y_px,
                                   double scroll_px, double row_px, uint32_t *level);

/* The frame of a ref; FLM_NONE where there is none. */
uint32_t flm_scene_frame(const struct flm_scene *scene, struct flm_node_ref ref);

/* The value of a node of a pane in a metric, with its sign, whatever its width is. Widths are
 * sizes: |self|, or of a comparison the larger side. The value of a stack is the sum of everything
 * below it; of callers and callees that of all their occurrences
 * (algebra/aggregate/lazy_call_tree.h); in a flame chart the width, which is time. */
struct flm_value {
    double total, self;
    bool has_self; /* else it is not known: of a chart, and of callers and calls whose widths are
                      their values */
};

/* Of stacks in any metric, of other panes in the shown one. Where two are compared it is what
 * there is after. Takes a step for each node below, or place. */
struct flm_value flm_value_of(const struct flm_scene *scene, const struct flm_pane *pane,
                              struct flm_node node, uint32_t metric);

/* What a frame is called in tables: its function; "all" for the root's. */
struct flm_bytes flm_frame_title(const struct flm_profile *p, uint32_t frame);

void flm_scene_path(const struct flm_scene *scene, struct flm_node_ref ref, struct flm_path *path);

/* The ref of a path, {0, FLM_NONE} where there is none; the way to it is open then. False, and
 * `why`, if memory ran out: the scene cannot be used any more. */
bool flm_scene_find(struct flm_scene *scene, const struct flm_path *path, struct flm_node_ref *ref,
                    struct flm_error *why);

#endif
