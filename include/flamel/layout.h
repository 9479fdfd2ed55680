/* layout.h - where the frames of a profile lie in a flame graph, for programs that draw it
 * themselves. draw.h draws it for you.
 *
 *     struct flm_layout *layout = flm_layout_of(profile, metric, FLM_ORDER_NAME, &why);
 *     struct flm_viewport view = flm_viewport_of(layout, zoomed_to, 1920);
 *     struct flm_rectangles list = {0};
 *     if (!flm_layout_rectangles(layout, &view, &list, &why))
 *         ...
 *     for (size_t i = 0; i < list.count; i++) {        level by level, in each from left to right
 *         const struct flm_rectangle *r = &list.at[i];
 *         struct flm_frame frame = {flm_profile_frames(profile)[r->node.index]};
 *         my_box(r->x0, r->level * 19, r->x1 - r->x0, 18, flm_profile_frame(profile, frame),
 *                r->flags & FLM_RECTANGLE_MERGED);
 *     }
 *     struct flm_rectangle clicked;
 *     if (flm_layout_at(layout, &view, x, (uint32_t)(y / 19), &clicked))
 *         zoomed_to = clicked.node;
 *     flm_rectangles_clear(&list);                     or use it again for the next frame
 *     flm_layout_free(layout);
 *
 * A node is a rectangle: as wide as its total, one level below its parent, its children side by
 * side from its left edge on; the free part at its right is its self value.
 *
 *     level 0  |(root) 16                       |      node    root main read copy write
 *     level 1  |main 16                         |      offset  0    0    0    0    13
 *     level 2  |read 13                   |write|      total   16   16   13   3    1
 *     level 3  |copy |                                 level   0    1    2    3    2
 *
 * Offsets and totals are in the unit of the metric; a viewport makes pixels of a part of them.
 * Totals are sums of |self|: in a difference a stack that lost 5 is as wide as one that gained 5.
 * Nodes whose total is 0 have no width, and are nowhere.
 *
 * Making a layout takes 20 ms for 1e6 nodes, and 28 bytes a node. Listing rectangles takes 5 to 9
 * ns for each that is listed, whatever the size of the profile. A layout never changes; threads may
 * share it. It borrows the profile. */
#ifndef FLAMEL_LAYOUT_H
#define FLAMEL_LAYOUT_H

#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flm_layout;

/* The order of siblings, from the left. */
enum flm_sibling_order {
    FLM_ORDER_NAME,  /* by function, module, file, line */
    FLM_ORDER_TOTAL, /* widest first */
    FLM_ORDER_SEEN   /* by the time they were first seen; those that never were, last */
};

/* NULL, and `why`, if memory ran out, if there is no such metric, or if the sum of its values is
 * not a finite number. The root is always there, even when its total is 0. */
struct flm_layout *flm_layout_of(const struct flm_profile *profile, struct flm_metric metric,
                                 enum flm_sibling_order order, struct flm_error *why);
void flm_layout_free(struct flm_layout *layout);

/* At least 1: the root's. */
uint32_t flm_layout_level_count(const struct flm_layout *layout);

/* Nodes with a width, the root counted. */
uint32_t flm_layout_node_count(const struct flm_layout *layout);

/* How wide a node is; of node 0: everything. And the sum of everything to its left. 0 for a node
 * without width. O(1). */
double flm_layout_total(const struct flm_layout *layout, struct flm_node node);
double flm_layout_offset(const struct flm_layout *layout, struct flm_node node);

/* The level of a node, and the node above it: {FLM_NONE} for the root and for a node without
 * width. O(log n). */
uint32_t flm_layout_level(const struct flm_layout *layout, struct flm_node node);
struct flm_node flm_layout_parent(const struct flm_layout *layout, struct flm_node node);

/* The children of a node that have a width, from the left: 0 to count - 1. O(1). */
uint32_t flm_layout_child_count(const struct flm_layout *layout, struct flm_node node);
struct flm_node flm_layout_child(const struct flm_layout *layout, struct flm_node node,
                                 uint32_t index);

/* The next node of the same level to the left (-1) or to the right (1), whatever its parent is;
 * {FLM_NONE}: none. O(log n). */
struct flm_node flm_layout_neighbor(const struct flm_layout *layout, struct flm_node node,
                                    int direction);

/* A part [left, right) of the total, spread over width_px pixels, and some levels. */
struct flm_viewport {
    double left, right; /* in the unit of the metric: [0, total of the root) is everything */
    double width_px;
    double min_width_px; /* narrower siblings that touch are one merged box; 0: every node with a
                            width is a rectangle of its own */
    uint32_t first_level, level_count; /* levels that do not exist are left out */
    uint32_t zoom_level;               /* of the node zoomed to: levels above it are flagged */
};

/* The part that `node` takes, at least a pixel for a rectangle, and all levels: its ancestors are
 * bars of full width, cut off at both sides. Node 0: everything. A node without width: nothing. */
struct flm_viewport flm_viewport_of(const struct flm_layout *layout, struct flm_node node,
                                    double width_px);

enum {
    FLM_RECTANGLE_MERGED = 1,        /* siblings too narrow to be seen, as one box */
    FLM_RECTANGLE_CLIPPED_LEFT = 2,  /* continues outside of the viewport */
    FLM_RECTANGLE_CLIPPED_RIGHT = 4, /* likewise */
    FLM_RECTANGLE_ANCESTOR = 8       /* above the level zoomed to */
};

struct flm_rectangle {
    double x0, x1;        /* px, in [0, width_px] */
    double total;         /* of the node, or of the siblings of a merged box; not clipped */
    struct flm_node node; /* of a merged box: its first one that the viewport touches */
    uint32_t count;       /* 1; of a merged box: how many siblings the viewport touches, from 1 */
    uint32_t level;
    uint32_t flags;          /* FLM_RECTANGLE_... */
    uint32_t slot, slot_end; /* the layout's own */
};

/* {0} is an empty list. */
struct flm_rectangles {
    struct flm_rectangle *at;
    size_t count, capacity;
    uint64_t visited; /* entries of the layout that were read for it */
};

/* Replaces the list, in the memory that it has. False, and `why`, if memory ran out: the list is
 * then empty. A viewport without extent (right <= left, or 0 pixels) shows nothing.
 *
 * Nothing is dropped: rectangles, merged boxes and the self of their parent fill it exactly. What
 * is below a merged box is not listed. Each rectangle of a level stands on one of the level above
 * that is no merged box, whatever the first level of the viewport is. */
bool flm_layout_rectangles(const struct flm_layout *layout, const struct flm_viewport *view,
                           struct flm_rectangles *list, struct flm_error *why);
void flm_rectangles_clear(struct flm_rectangles *list);

/* The rectangle at a point: exactly the one that flm_layout_rectangles lists there. False where
 * there is none. O(log n), and for a point in a merged box the rectangles of one parent. */
bool flm_layout_at(const struct flm_layout *layout, const struct flm_viewport *view, double x_px,
                   uint32_t level, struct flm_rectangle *found);

#ifdef __cplusplus
}
#endif

#endif
