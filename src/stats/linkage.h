/* linkage.h - an order of things in which like stand beside like.
 *
 * They are joined two by two, the nearest first, into a tree (average linkage: two groups are as
 * far apart as their members on average), whose leaves are the order; of the ways to put two groups
 * beside each other, that with the nearest neighbors is taken. What is found are the groups in a
 * matrix of distances, which then stand as squares on its diagonal.
 *
 * Nearest neighbors are followed until two are each other's (Murtagh, "A survey of recent advances
 * in hierarchical clustering algorithms", 1983), which takes count^2 steps and a copy of the
 * distances: 1,000 things 10 ms. */
#ifndef FLAMEL_STATS_LINKAGE_H
#define FLAMEL_STATS_LINKAGE_H

#include <stdint.h>

#include "flamel/error.h"

/* distance[i * count + k], symmetric. `order` has room for all. The same distances are the same
 * order; equal ones are told apart by their indices. False, and `why`, if memory ran out. */
bool flm_order_alike(const double *distance, uint32_t count, uint32_t *order,
                     struct flm_error *why);

#endif
