/* head_tree.h - sums over a head as profiles, without sorting what was sorted before.
 *
 * The nodes of a head are in the order of their coming. A tree of all of them in the order of
 * profiles is made once, with where each node is in it; a sum is then a column of that tree, of
 * which stacks without a value fall away: neither hashed nor sorted. What came after the tree was
 * made goes through a builder and is added. When that has cost as much as a new tree would, it is
 * made anew: no sum waits for a tree that only one needs.
 *
 * Not for several threads at once. */
#ifndef FLAMEL_STORE_CORE_HEAD_TREE_H
#define FLAMEL_STORE_CORE_HEAD_TREE_H

#include "store/core/store_head.h"

struct flm_head_tree {
    struct flm_profile *tree; /* NULL: there is none yet */
    uint32_t *moved;          /* by node of the head: its node in the tree */
    size_t node_count;        /* of the head when it was made; 0: none */
    size_t late;              /* nodes of sums that were not in it */
};

void flm_head_tree_clear(struct flm_head_tree *tree); /* {0} is an empty one */

struct flm_head_value {
    uint32_t node; /* of the head; they may repeat */
    double value;
};

/* The profile of values in one type ("cpu:ns"). NULL, and `why`. */
struct flm_profile *flm_head_tree_sum(struct flm_head_tree *tree, struct flm_head *head,
                                      const struct flm_head_value *values, size_t count,
                                      struct flm_bytes type, struct flm_error *why);

#endif
