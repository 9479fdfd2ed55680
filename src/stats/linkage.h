/* linkage.h - an order in which similar items are neighbors.
 *
 * Hierarchical clustering with average linkage (the distance of two clusters is the mean distance
 * of their members); the leaves of the tree are the order, and of the four ways to place two
 * clusters next to each other the one with the nearest neighbors is chosen. In a matrix of
 * distances in this order, clusters are squares on the diagonal.
 *
 * Chains of nearest neighbors are followed until two are each other's (Murtagh, "A survey of recent
 * advances in hierarchical clustering algorithms", 1983), which takes count^2 steps and a copy of
 * the distances: 10 ms for 1,000 items. */
#ifndef FLAMEL_STATS_LINKAGE_H
#define FLAMEL_STATS_LINKAGE_H

#include <stdint.h>

#include "flamel/error.h"

/* distance[i * count + k], symmetric. `order` has room for `count` indices. Deterministic: equal
 * distances are ordered by index. False, and `why`, when memory ran out. */
bool flm_order_by_similarity(const double *distance, uint32_t count, uint32_t *order,
                             struct flm_error *why);

#endif
