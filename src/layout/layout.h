/* layout.h - positions of the nodes of a tree: a tree in (tree.h), offsets and levels out.
 *
 * A node is a rectangle: as wide as its total, one level below its parent, with its children side
 * by side from its left edge on; the free part at its right is its self.
 *
 *     level 0  |(root) 16                       |      node    root main read copy write
 *     level 1  |main 16                         |      offset  0    0    0    0    13
 *     level 2  |read 13                   |write|      total   16   16   13   3    1
 *     level 3  |copy |                                 level   0    1    2    3    2
 *
 * Offsets and totals are in the unit of the metric; rectangles.h converts a part of them to pixels.
 *
 * Internally, nodes are stored level by level, each level from left to right: a *slot* is an index
 * in that order. Children of a slot are a range of slots, and the ranges of all slots follow one
 * another, so one number per slot, the first child, gives children, parents (binary search) and
 * levels. A pyramid over the totals has the widest of each 64 slots, the widest of each 64 of
 * those, and so on, to find the next slot that is wide enough without reading the narrow ones.
 *
 *     slot         0      1     2     3      4           children of 1: [2, 4), of 2: [4, 5)
 *     node         root   main  read  write  copy        pyramid: max of total[0..63], ...
 *     first child  1      2     4     5      5  (5)
 *
 * Only nodes with a width have a slot: those whose total is not 0. Totals are sums of |width|. In
 * ordinary profiles nothing is negative and that is the total of the metric. In a difference a
 * stack that lost 5 is as wide as one that gained 5, and a parent as wide as both, so that changes
 * that cancel out are still visible. The tree may have another column of widths instead, for
 * example max(before, after) of each self. All are doubles: floats lose nodes (measured at a zoom
 * of 1e5).
 *
 * It takes 28 bytes for a node with a width (32 where the tree has gaps) and 4 for another. Making
 * it takes 20 ms for 1e6 nodes and 0.2 s for 1e7 (20 ns a node, five times the totals alone; twice
 * that and 68 bytes, while it is made, for siblings in another order than the profile's).
 * bench/layout_bench.c measures it again.
 *
 * A layout never changes; threads may share it. It borrows the columns of the tree. */
#ifndef FLAMEL_LAYOUT_LAYOUT_H
#define FLAMEL_LAYOUT_LAYOUT_H

#include "flamel/layout.h"
#include "layout/tree.h"

struct flm_layout_options {
    struct flm_tree tree;
    enum flm_sibling_order order; /* ties keep the tree's own order */
};

/* NULL, and `why`, if memory ran out, if the tree has no widths, or if their sum is not a finite
 * number. The root always has a slot, even if its total is 0. */
struct flm_layout *flm_layout_new(const struct flm_layout_options *options, struct flm_error *why);

const struct flm_tree *flm_layout_tree(const struct flm_layout *layout);

/* The total without gaps between children of the root. O(1). */
double flm_layout_filled(const struct flm_layout *layout);

/* Offset and total. False for a node without width, and nothing is set. */
bool flm_layout_extent(const struct flm_layout *layout, struct flm_node node, double *offset,
                       double *total);

/* The node in a slot, for example that of a rectangle, whose siblings are in the following slots;
 * {FLM_NONE}: there is none. O(1). */
struct flm_node flm_layout_node_at(const struct flm_layout *layout, uint32_t slot);

/* The matches of a search in the subtree of one node. */
struct flm_layout_match {
    double total;        /* of the matching nodes; one inside another is counted once */
    double self;         /* of the matching nodes, and of gaps that are their children */
    uint32_t node_count; /* matching nodes that have a width */
};

/* `matching` has a byte for each frame of the profile, not 0 where it matches. Gaps never do. One
 * pass over the subtree of `top`. */
struct flm_layout_match flm_layout_match(const struct flm_layout *layout,
                                         const unsigned char *matching, struct flm_node top);

/* Checks every promise above; false, and `why` with the first broken one, otherwise. */
bool flm_layout_check(const struct flm_layout *layout, struct flm_error *why);

#endif
