/* siblings.h - the children of a node, the widest first, whatever order the picture has.
 *
 * Nodes without a width and gaps are left out. Children are sorted at each use, which takes less
 * than formatting them; for a node with very many the order is cached. */
#ifndef FLAMEL_VIEWER_SCENE_SIBLINGS_H
#define FLAMEL_VIEWER_SCENE_SIBLINGS_H

#include "base/core/array.h"
#include "layout/layout.h"

/* In the tree's own order: the first child, and the one behind another; FLM_NONE for none. */
uint32_t flm_child_first(const struct flm_layout *layout, uint32_t node);
uint32_t flm_child_next(const struct flm_layout *layout, uint32_t node, uint32_t child);

struct flm_sorted_children {
    uint32_t node;
    uint32_t *child; /* owned */
    uint32_t count;
};

/* {0} knows nothing yet. */
struct flm_siblings {
    struct FLM_ARRAY(struct flm_sorted_children) kept; /* of nodes with many */
    struct flm_sorted_children last;                   /* of one with few; its room is used again */
    bool has_last;
    double *width; /* of the children that are being sorted */
    uint32_t *order, *scratch;
    size_t sort_capacity;
};

/* Another layout is used from now on. */
void flm_siblings_forget(struct flm_siblings *siblings);
void flm_siblings_clear(struct flm_siblings *siblings);

/* NULL, and `why`, if memory ran out. Good until the next call. */
const struct flm_sorted_children *flm_siblings_below(struct flm_siblings *siblings,
                                                     const struct flm_layout *layout, uint32_t node,
                                                     struct flm_error *why);

#endif
