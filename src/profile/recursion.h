/* recursion.h - how many frames of a function stand in one node, where recursion was collapsed.
 *
 *     opened                         collapsed             depths
 *     main;deep;deep;deep 2          main;deep 2           of main;deep: least 2, most 3
 *     main;deep;deep;read 1          main;deep;read 1
 *
 * The names, values and shape of a collapsed profile do not say how deep the recursion was. So
 * flm_collapse leaves the depths of each node that several frames became: the fewest and the most
 * of them in one stack. Most nodes stand for one frame, so the profile has a sorted list and no
 * column; it is the last section of the file, and is added to a profile that is complete.
 *
 * Depths go with their nodes, and where nodes are merged they are the least and the most of all.
 * Of a part of a profile they are those of the whole: which stack had which depth is not kept.
 * Frames do not change: comparisons, searches and colors know nothing of this. */
#ifndef FLAMEL_PROFILE_RECURSION_H
#define FLAMEL_PROFILE_RECURSION_H

#include "profile/columns.h"

/* In one stack; both 0: of no stack yet. */
struct flm_depths {
    uint32_t least, most;
};

/* The depths of a node: 1 and 1 where it stands for one frame. O(log n). */
struct flm_depths flm_recursion_at(const struct flm_profile *p, uint32_t node);

/* `depths` of the stacks of another node that is merged into this one. */
void flm_depths_merge(struct flm_depths *into, struct flm_depths depths);

/* `count` empty depths, to be filled node by node. NULL if memory ran out. */
struct flm_depths *flm_depths_new(size_t count);

/* Sets what the nodes of a profile stand for that was just made: node node_index[i], or i where
 * there is no index, for depths[i]. Those of at most one frame and those of node 0 are left out.
 * False, and `why`, if memory ran out. */
bool flm_recursion_set(struct flm_profile *p, const struct flm_depths *depths, uint32_t count,
                       const uint32_t *node_index, struct flm_error *why);

#endif
