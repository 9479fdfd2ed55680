/* pane.h - a tree with its layout, at a position in the window: a scene has one or more. */
#ifndef FLAMEL_VIEWER_SCENE_PANE_H
#define FLAMEL_VIEWER_SCENE_PANE_H

#include "algebra/aggregate/lazy_call_tree.h"
#include "base/core/array.h"
#include "layout/flame_chart.h"
#include "layout/occupancy.h"
#include "layout/rectangles.h"
#include "profile/recursion.h"

struct flm_compared;
struct flm_compared_sum;

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
    struct flm_lazy_tree *lazy;                /* LAZY */
    struct flm_lazy_tree_columns lazy_columns; /* likewise */
    uint32_t track;                            /* CHART: of the scene's threads */
    struct flm_flame_chart *chart;             /* CHART */
    bool is_pending;          /* CHART: without samples until it is seen (thread_panes.h) */
    uint32_t chart_rows;      /* CHART: how many it has when it is made */
    bool has_stacks;          /* CHART: different ones, and not always the same */
    uint32_t shown_rows;      /* CHART: the first of these, which are drawn; set by arranging */
    bool is_expanded;         /* CHART: all of them, however many there are */
    bool is_deep;             /* CHART: else some are not; set by arranging */
    uint32_t lane_first;      /* CHART: of the panes of its lane, which share rows (lanes.h) */
    uint32_t lane_count;      /* CHART: how many these are; 1: it is alone */
    uint32_t process_threads; /* CHART: the first of so many threads of a process; 0: it is not */
    bool is_collapsed;        /* CHART: stands for all of these, without their stacks */
    struct flm_occupancy occupancy;      /* likewise: of them on a CPU; made when it is seen */
    const struct flm_compared *compared; /* of the scene; NULL: no comparison */
    struct FLM_ARRAY(struct flm_compared_sum) sums; /* LAZY and compared: by number */
    double *widths;           /* owned, where they are not a column of the profile */
    int64_t *seen;            /* likewise: of the tree, where the order needs it */
    struct flm_metric metric; /* of the profile */
    enum flm_sibling_order order;
    bool upwards;           /* level 0 is the lowest row */
    bool has_callers_below; /* inverted: a parent is called by its child */
    uint32_t first_level;   /* levels before it are in another pane */

    /* In the window, in device pixels; top and height before scrolling. */
    double left_px, width_px, top_px, height_px;
    double header_px; /* CHART: of its process, its name where there is no gutter, and the strip of
                         its states, above its top */
    double foot_px;   /* CHART: of the line below it that tells how many rows are not drawn */

    struct flm_rectangles drawn; /* of the last picture */
    bool incomplete;             /* a visible node is not open yet */
};

void flm_pane_clear(struct flm_pane *pane);

/* Lays out the pane's tree, and replaces the previous layout. */
bool flm_pane_lay_out(struct flm_pane *pane, struct flm_error *why);

/* The rows of its levels that are drawn. */
uint32_t flm_pane_rows(const struct flm_pane *pane);

/* Opens the nodes of the last picture (`drawn`) that are not open and at least `narrowest` wide,
 * within a budget of occurrences, and lays out again: *opened says whether any was opened,
 * `incomplete` whether there are more. */
bool flm_pane_open(struct flm_pane *pane, double narrowest, uint64_t budget, bool *opened,
                   struct flm_error *why);

/* Whether a box of the last picture is a node that is not open. */
bool flm_pane_has_unopened(const struct flm_pane *pane);

/* Lays out the nodes that were opened in the pane's lazy call tree. */
bool flm_pane_take_lazy(struct flm_pane *pane, struct flm_error *why);

/* Opens a node that is not open, whatever its width. */
bool flm_pane_open_one(struct flm_pane *pane, uint32_t number, struct flm_error *why);

/* The upper edge of a level of a pane, before scrolling. */
double flm_pane_row_px(const struct flm_pane *pane, uint32_t level, double row_px);

/* How many frames of a function a node stands for, where recursion was collapsed; of callers and
 * callees all their occurrences, if they are not too many to look at with each picture. */
struct flm_depths flm_pane_depths(const struct flm_pane *pane, struct flm_node node);

/* Between the numbers of refs and nodes of the pane's tree; FLM_NONE if there is none. */
struct flm_node flm_pane_node(const struct flm_pane *pane, uint32_t number);
uint32_t flm_pane_number(const struct flm_pane *pane, struct flm_node node);

#endif
