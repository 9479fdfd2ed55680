/* scene.h - what can be seen: one or more panes, each a tree with its layout.
 *
 *     flame      one pane: the stacks; inverted: leaves first, opened as they are seen
 *     sandwich   callers (growing up) above callees, of what was chosen
 *     chart      a pane for each thread: stacks over time
 *     compare    one pane with widths of both, inverted too; side by side, which is of stacks
 *                from the root only: before | after
 *     tree, top  tables; the scene behind them is the flame's (for the minimap and for shares)
 *
 * The panes know their places: in the window, one above the other or side by side, scrolled
 * together. A ref is a place in a pane that stays itself while callers are opened. */
#ifndef FLAMEL_VIEWER_SCENE_SCENE_H
#define FLAMEL_VIEWER_SCENE_SCENE_H

#include "algebra/aggregate/lazy_call_tree.h"
#include "layout/flame_chart.h"
#include "layout/rectangles.h"
#include "layout/tracks.h"

enum flm_view_kind {
    FLM_VIEW_FLAME,
    FLM_VIEW_CHART,
    FLM_VIEW_SANDWICH,
    FLM_VIEW_TREE,
    FLM_VIEW_TOP,
    FLM_VIEW_COMPARE,
    FLM_VIEW_COUNT
};

/* A node of a pane, by a number that does not change while the pane grows. */
struct flm_node_ref {
    uint32_t pane;
    uint32_t number; /* FLM_NONE: no ref */
};

enum flm_pane_kind {
    FLM_PANE_STACKS, /* node i is node i of the profile */
    FLM_PANE_LAZY,   /* of callers or callees */
    FLM_PANE_CHART   /* of a thread, over time */
};

struct flm_pane {
    enum flm_pane_kind kind;
    const struct flm_profile *profile; /* frames and names; borrowed */
    const char *title;                 /* "before", "callers", a thread; NULL: none */
    struct flm_tree tree;
    struct flm_layout *layout;
    struct flm_lazy_tree *lazy;               /* UNFOLDED */
    struct flm_lazy_tree_columns unfold_tree; /* likewise */
    uint32_t track;                           /* CHART: of the scene's tracks */
    struct flm_flame_chart *chart;            /* CHART */
    const struct flm_compared *compared;      /* of the scene; NULL: nothing is compared */
    struct flm_compared_sum *sums;            /* owned; UNFOLDED and compared: by number */
    size_t sum_count, sum_capacity;
    double *widths;           /* owned, where they are not a column of the profile */
    int64_t *seen;            /* likewise: of the tree, where the order needs it */
    struct flm_metric metric; /* of the profile */
    enum flm_sibling_order order;
    bool upwards;         /* level 0 is the lowest row */
    uint32_t first_level; /* levels above it are not drawn: another pane has them */

    /* In the window, in device pixels; top and height before scrolling. */
    double left_px, width_px, top_px, height_px;
    double header_px; /* above its top: room for its title */

    struct flm_rectangles drawn; /* of the last picture */
    bool incomplete;             /* something visible is not open yet */
};

/* Threads in the chart at most, the largest; the others are counted. */
enum { FLM_MOST_PANES = 32 };

struct flm_scene {
    struct flm_pane *panes;
    uint32_t pane_count;
    double total;             /* the width of everything: of the first pane's root, or time in ns */
    double content_px;        /* how high all panes are together */
    double home_px;           /* how far it is scrolled at first */
    struct flm_tracks tracks; /* of the chart: the threads of the shown profile */
    struct flm_compared *compared; /* where two profiles are compared; or NULL */
};

struct flm_viewer;

/* Makes the panes that the state of the viewer asks for. False, and `why`: the scene is then as
 * it was. */
bool flm_scene_build(struct flm_viewer *viewer, struct flm_scene *scene, struct flm_error *why);
void flm_scene_clear(struct flm_scene *scene);

/* Whether changes are what is drawn, and widths are of both: where two are compared, in the view
 * "compare" and in a sandwich. */
bool flm_scene_compares(const struct flm_viewer *viewer);

/* Where nodes of a pane stand in the units of the camera: the pane's own layout; of two side by
 * side the one that both share. */
const struct flm_layout *flm_scene_places(const struct flm_scene *scene,
                                          const struct flm_pane *pane);

/* Gives the panes their places in a window of this width; keeps what they show. */
void flm_scene_place(struct flm_scene *scene, double width_px, double height_px, double row_px);

/* Opens what of the last picture (`drawn`) was not open and is at least `narrowest` wide, within a
 * budget of places, and lays out anew: *opened says whether anything was. `incomplete` says
 * whether more is to be done. */
bool flm_pane_open(struct flm_pane *pane, double narrowest, uint64_t budget, bool *opened,
                   struct flm_error *why);

/* Whether something that is wide enough to be a box of the last picture is not open. */
bool flm_pane_has_unopened(const struct flm_pane *pane);

/* Lays out what was opened in the pane's `unfold`. */
bool flm_pane_take_lazy(struct flm_pane *pane, struct flm_error *why);

/* Opens a node that is not open, whatever its width. */
bool flm_pane_open_one(struct flm_pane *pane, uint32_t number, struct flm_error *why);

/* The pane at a point of the window, and the level there, as the picture was drawn with `scroll`;
 * NULL where there is none. */
struct flm_pane *flm_scene_pane_at(const struct flm_scene *scene, double x_px, double y_px,
                                   double scroll_px, double row_px, uint32_t *level);

/* The upper edge of a level of a pane, before scrolling. */
double flm_pane_row_px(const struct flm_pane *pane, uint32_t level, double row_px);

/* Between node_refs and nodes of the pane's tree; FLM_NONE where there is none. */
struct flm_node flm_pane_node(const struct flm_pane *pane, uint32_t number);
uint32_t flm_pane_number(const struct flm_pane *pane, struct flm_node node);

/* The frame of a ref; FLM_NONE where there is none. */
uint32_t flm_scene_frame(const struct flm_scene *scene, struct flm_node_ref ref);

/* What a path is called whatever the profile's indices are: a hash of the names and modules from
 * the root on. Siblings of one name are told apart by their order. Where the way may have to be
 * opened first it has a byte for each level too, which say what to open: 8 bits of the hash so far.
 * Of paths that are longer there are none, and what is not open is not found again. */
enum { FLM_MOST_STEPS_OF_PATH = 250 };
struct flm_path {
    uint64_t hash; /* 0: the root's, or of nothing */
    uint32_t count;
    unsigned char step[FLM_MOST_STEPS_OF_PATH];
};
void flm_scene_path(const struct flm_scene *scene, struct flm_node_ref ref, struct flm_path *path);

/* The ref of a path, {0, FLM_NONE} where there is none; the way to it is open then. False, and
 * `why`, if memory ran out: the scene cannot be used any more. */
bool flm_scene_find(struct flm_scene *scene, const struct flm_path *path, struct flm_node_ref *ref,
                    struct flm_error *why);

#endif
