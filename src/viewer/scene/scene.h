/* scene.h - the content of the window: one or more panes, each a tree with its layout. The shown
 * view builds them (viewer/scene/view.h).
 *
 * Panes have positions in the window, one above the other or side by side, and are scrolled
 * together. A ref names a node of a pane, and stays valid while callers are opened. */
#ifndef FLAMEL_VIEWER_SCENE_SCENE_H
#define FLAMEL_VIEWER_SCENE_SCENE_H

#include "viewer/model/model.h"
#include "viewer/scene/cached_tables.h"
#include "viewer/scene/code_rows.h"
#include "viewer/scene/compared.h"
#include "viewer/scene/heatmap_area.h"
#include "viewer/scene/pane.h"
#include "viewer/scene/thread_panes.h"
#include "viewer/scene/timeline.h"

/* The window. */
struct flm_window {
    uint32_t width, height; /* device px */
    bool is_cells;          /* a terminal */
    double scale;           /* device px per CSS px */
};

/* The sizes of the picture in CSS pixels. */
enum { FLM_ROW_PX = 18, FLM_FONT_PX = 12, FLM_MINIMAP_PX = 48, FLM_MARGIN_PX = 8 };

/* Of a flame chart: the gutter with the names of threads, which a narrow window has above their
 * stacks instead; the ruler; the strip of states; the heading of a process; the least height
 * of a thread, in which its name has two lines; the space below a thread; and the line that tells
 * how many of its rows are not drawn. */
enum {
    FLM_GUTTER_PX = 184,
    FLM_GUTTER_LEAST_WINDOW_PX = 720,
    FLM_RULER_PX = 18,
    FLM_STRIP_PX = 7,
    FLM_PROCESS_PX = 22,
    FLM_THREAD_LEAST_PX = 36,
    FLM_THREAD_GAP_PX = 6,
    FLM_FOOT_PX = 18
};

/* Where not all threads of a flame chart fit into the window, each has a third of it at most, but
 * never fewer rows than these, unless it is expanded. Else one with 200 rows would be the only one
 * that is seen. */
enum { FLM_ROWS_LEAST = 8 };

/* A thread that has only one stack, or whose samples span fewer pixels than a name takes, has only
 * its outermost rows. */
enum { FLM_ROWS_FEW = 3, FLM_THREAD_READABLE_PX = 40 };

struct flm_scene {
    const struct flm_view *view; /* whose panes these are; NULL: there are none */
    struct flm_pane *panes;
    uint32_t pane_count;
    double total;      /* the width of everything: of the first pane's root, or time in ns */
    double content_px; /* the height of all panes together */
    double home_px;    /* the initial scroll position */
    struct flm_threads threads;    /* of a flame chart */
    struct flm_compared *compared; /* of a comparison; or NULL */

    struct flm_window window;
    struct flm_timeline timeline;
    struct flm_heat heat;            /* of the heatmap view */
    struct flm_cached_tables tables; /* of the shown profile */
    struct flm_code_rows code;       /* likewise */
};

/* Another pane, empty; the panes before may move. NULL, and `why`, if memory ran out. */
struct flm_pane *flm_scene_add_pane(struct flm_scene *scene, struct flm_error *why);

/* Builds the panes for the state of the model. False, and `why`: the scene is as it was. */
bool flm_scene_build(struct flm_model *model, struct flm_scene *scene, struct flm_error *why);
void flm_scene_clear(struct flm_scene *scene);

/* Frees the panes and their measurements; the timeline, tables and window stay. */
void flm_scene_clear_panes(struct flm_scene *scene);

/* The height of a row, and the parts of the window: the minimap, and below it the area of the
 * panes. Device px. */
struct flm_area {
    double left, top, width, height;
};
double flm_scene_row_px(const struct flm_scene *scene);
struct flm_area flm_scene_area(const struct flm_model *model, const struct flm_scene *scene);
struct flm_area flm_scene_minimap(const struct flm_model *model, const struct flm_scene *scene);

/* Of a flame chart, in device px: the width of the gutter, 0 where there is none; and the heights
 * of the ruler, which is above the area, and of the strip of a thread's states. */
double flm_scene_gutter_px(const struct flm_scene *scene);
double flm_scene_ruler_px(const struct flm_scene *scene);
double flm_scene_strip_px(const struct flm_scene *scene);

/* The heading of a process; and below it, where it is collapsed, the strip with how many of its
 * threads are on a CPU: 0 where states are not known. */
double flm_scene_process_px(const struct flm_scene *scene);
double flm_scene_occupancy_px(const struct flm_scene *scene);

/* Whether changes are drawn, and widths are of both sides: see struct flm_view. Whether the
 * horizontal axis is time; and whether there are two halves with a camera each. */
bool flm_scene_compares(const struct flm_scene *scene);
bool flm_scene_is_over_time(const struct flm_scene *scene);

/* Whether a process is collapsed to one row. */
bool flm_scene_has_collapsed(const struct flm_scene *scene);

/* Whether some rows of a thread are not drawn; and whether there would be some. */
bool flm_scene_has_limited(const struct flm_scene *scene);
bool flm_scene_has_deep(const struct flm_scene *scene);

bool flm_scene_has_halves(const struct flm_scene *scene);

/* The layout in the units of the camera: the pane's own; of two panes side by side the one that
 * both share. */
const struct flm_layout *flm_scene_layout(const struct flm_scene *scene,
                                          const struct flm_pane *pane);

/* Arranges the panes in a window of this size. */
void flm_scene_arrange(struct flm_scene *scene, double width_px, double height_px, double row_px);

/* The pane at a point of the window, and the level there, at a scroll position; NULL if there is
 * none. */
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
    bool has_self; /* else self is not known: of flame charts, and of lazy call trees whose widths
                      are their values */
};

/* For stacks in any metric, for other panes in the shown one; in a comparison the value after.
 * Takes a step for each node below, or each occurrence. */
struct flm_value flm_value_of(const struct flm_scene *scene, const struct flm_pane *pane,
                              struct flm_node node, uint32_t metric);

/* The name of a frame in tables: its function; "all" for the root. */
struct flm_bytes flm_frame_title(const struct flm_profile *p, uint32_t frame);

void flm_scene_path(const struct flm_scene *scene, struct flm_node_ref ref, struct flm_path *path);

/* The ref of a path, {0, FLM_NONE} if there is none; opens the nodes on it. False, and `why`, if
 * memory ran out: the panes are unusable then, and must be cleared. */
bool flm_scene_find(struct flm_scene *scene, const struct flm_path *path, struct flm_node_ref *ref,
                    struct flm_error *why);

#endif
