/* rebuild.h - operations that rename, move or drop frames: the old tree poured into a builder.
 *
 * The builder starts with the strings and frames of the profile under the same indices, its
 * metrics, notes and losses. An operation then says for every old node which new node it has become
 * (FLM_NONE: none, and its values are dropped), parents before children:
 *
 *     struct flm_rebuild r;
 *     if (!flm_rebuild_start(&r, p, why))
 *         return NULL;
 *     for (i = 1; i < node_count; i++)
 *         r.moved[i] = flm_rebuild_child(&r, r.moved[r.parent[i]], new_frame);
 *     return flm_rebuild_finish(&r, why);
 *
 * Values, samples and the depth of collapsed recursion (profile/recursion.h) follow by themselves;
 * a node that becomes its parent's has none of its own any more. Costs one hash probe a node. */
#ifndef FLAMEL_ALGEBRA_OPERATION_REBUILD_H
#define FLAMEL_ALGEBRA_OPERATION_REBUILD_H

#include "algebra/operation/copy_metadata.h"

struct flm_rebuild {
    const struct flm_profile *p;
    struct flm_builder *builder;
    struct flm_carried carried; /* frames and strings have their old indices */
    uint32_t *parent;           /* by old node */
    uint32_t *moved;            /* by old node: the new node; [0] is the root's, 0 at the start */
    uint32_t without_depths;    /* a frame that is no function; 0: there is none */
    bool drops_depths; /* new frames are no functions, or the builder has their depths already */
};

bool flm_rebuild_start(struct flm_rebuild *r, const struct flm_profile *p, struct flm_error *why);

/* The child of a new node; FLM_NONE below FLM_NONE. */
static inline uint32_t flm_rebuild_child(struct flm_rebuild *r, uint32_t parent, uint32_t frame)
{
    return parent == FLM_NONE
               ? FLM_NONE
               : flm_builder_child(r->builder, (struct flm_node){parent}, (struct flm_frame){frame})
                     .index;
}

/* Adds the values of the old nodes to the new ones and makes the profile; clears `r`. */
struct flm_profile *flm_rebuild_finish(struct flm_rebuild *r, struct flm_error *why);

/* The same when the operation has added the values itself; samples still follow `moved`. */
struct flm_profile *flm_rebuild_finish_values(struct flm_rebuild *r, struct flm_error *why);

void flm_rebuild_clear(struct flm_rebuild *r);

/* The result of an operation on a split profile (profile/chains.h), joined; what is joined already
 * stays as it is. Takes `p`, which may be NULL. */
struct flm_profile *flm_joined(struct flm_profile *p, struct flm_error *why);

/* Carries out an operation that knows nothing of chains: on the split form of a profile that has
 * them, and joins what it returns. */
typedef struct flm_profile *(*flm_plain_operation)(const struct flm_profile *p, void *context,
                                                   struct flm_error *why);
struct flm_profile *flm_with_chains(const struct flm_profile *p, flm_plain_operation operation,
                                    void *context, struct flm_error *why);

#endif
