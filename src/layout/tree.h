/* tree.h - the input of a layout: nodes in preorder, each with a frame and a width of its own.
 *
 * The stacks of a profile are such a tree, one metric at a time. Others are made from a profile for
 * one view: callers and callees (algebra/aggregate/lazy_call_tree.h), stacks over time
 * (layout/flame_chart.h). All of them name frames of the profile's frame table, so that a name, a
 * color and a search are the same everywhere, and all are drawn, hit-tested and searched by the
 * same code.
 *
 *     node    0:(root)  1:main  2:read  3:copy  4:write
 *     frame   0         1       3       2       4
 *     end     5         5       4       4       5             the first node that is not below
 *     width   0         2       10      3       1             of the node alone, like self
 *
 * A node with frame 0 that is not the root is a gap: it has a width, and nothing is drawn there. */
#ifndef FLAMEL_LAYOUT_TREE_H
#define FLAMEL_LAYOUT_TREE_H

#include "flamel/profile.h"

/* Borrowed columns; the struct may be copied freely. */
struct flm_tree {
    uint32_t node_count;
    const uint32_t *frame, *end; /* node_count each */
    const double *width;         /* likewise; in the unit of the metric */
    const int64_t *seen;         /* the earliest time of each subtree, FLM_NO_TIME: it has none;
                                    NULL: no node has a time */
};

/* The stacks of a profile; node i is node i of the profile. If there is no such metric, `width` is
 * NULL, and flm_layout_new refuses the tree. `seen` is NULL; where it is needed, set it to the
 * result of flm_tree_seen. */
struct flm_tree flm_tree_of(const struct flm_profile *profile, struct flm_metric metric);

/* The time of the earliest sample in each subtree with a value in the metric; {FLM_NONE}: of any
 * sample. node_count values, to be freed by the caller; NULL if memory ran out. */
int64_t *flm_tree_seen(const struct flm_profile *profile, struct flm_metric metric);

static inline bool flm_tree_is_gap(const struct flm_tree *tree, uint32_t node)
{
    return tree->frame[node] == 0 && node != 0;
}

#endif
