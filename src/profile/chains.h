/* chains.h - the lines and addresses of frames: kept next to the tree, not as part of it.
 *
 * A frame is a function, so that a function called from seven lines is one box. Where lines or
 * addresses are known, the profile keeps them too. A *location* is a place in a frame's function:
 * address, file, line, column. A *chain* is a stack with the location of each frame; several
 * chains may be of one node:
 *
 *     stacks with locations          the tree             chains of its nodes
 *     main:9;parse:40;lex:7   3      main                 main:9
 *     main:9;parse:44;lex:7   2      main;parse           main:9;parse:40   main:9;parse:44
 *     main:9;parse:44;lex:8   1      main;parse;lex  6    ...40;lex:7   3   ...44;lex:7   2
 *                                                         ...44;lex:8   1
 *
 * So the cost of a line is the sum of the chains that have it, of whatever part of the profile, and
 * chains of a node add up to its self value exactly.
 *
 * A profile has two forms. The *joined* one is what files and all users have: frames without
 * locations, and chains. In the *split* one each location is a frame of its own, so chains are
 * nodes like others, and an operation needs to know nothing of them: it is given a split profile,
 * and its result is joined. A builder that was given frames with locations joins them itself when
 * it finishes. The split form is never in a file.
 *
 *     columns        items                       content
 *     frame_locations  frame_count, or 0         how many locations the frame has
 *     location_...   location_count              address, file, line, column; sorted by frame, then
 *                                                by these; no column where none is known
 *     node_chains    node_count, or 0 of them    how many chains the node has, from 1
 *     chain_caller   chain_count                 which of the chains of the parent, from 0
 *     chain_place    chain_count                 which of the locations of the frame, from 1; 0:
 *                                                not known
 *     chain_value    metrics x shared_count      self values, of nodes with several chains only:
 *                                                one chain has the node's
 *     sample_chain   sample_count, or 0          which of the chains of its node
 *
 * These are small numbers: compressed, they take one to two bytes each. The chains of a node stand
 * together, in the order of the nodes, and ascend by caller and location. */
#ifndef FLAMEL_PROFILE_CHAINS_H
#define FLAMEL_PROFILE_CHAINS_H

#include "profile/columns.h"

static inline bool flm_has_chains(const struct flm_profile *p)
{
    return p->sizes.chain_count > 0;
}

/* Where the chains of each node begin, and the locations of each frame. */
struct flm_chain_table {
    const struct flm_profile *profile;
    uint32_t *start;          /* by node, and one more: its first chain */
    uint32_t *value_start;    /* by node: where its values begin, if it has several chains */
    uint32_t *location_start; /* by frame, and one more */
};

bool flm_chain_table_init(struct flm_chain_table *table, const struct flm_profile *p,
                          struct flm_error *why);
void flm_chain_table_clear(struct flm_chain_table *table);

/* The self value of a chain: start[node] <= chain < start[node + 1]. */
static inline double flm_chain_value(const struct flm_chain_table *t, uint32_t metric,
                                     uint32_t node, uint32_t chain)
{
    const struct flm_profile *p = t->profile;
    if (p->node_chains[node] == 1)
        return flm_self_column(p, metric)[node];
    return p->chain_value[(size_t)metric * p->sizes.shared_count + t->value_start[node] +
                          (chain - t->start[node])];
}

/* The location of the node's frame in a chain, flm_location_at; FLM_NONE: not known. */
static inline uint32_t flm_chain_location(const struct flm_chain_table *t, uint32_t node,
                                          uint32_t chain)
{
    const struct flm_profile *p = t->profile;
    uint32_t place = p->chain_place[chain];
    return place == 0 ? FLM_NONE : t->location_start[p->node_frame[node]] + place - 1;
}

/* The split form of a joined profile: the same values, and every location a frame. NULL, and
 * `why`, if memory ran out. */
struct flm_profile *flm_profile_split(const struct flm_profile *p, struct flm_error *why);

/* The frames of a split profile are those of the one it was made of, in its order, some of them
 * several times. `given` may be `split`. */
struct flm_split_frames {
    const struct flm_profile *given, *split;
    uint32_t at; /* 0 at first */
};

/* Which frame of `given` the frame of `split` was; each frame is asked for once, from 0 on. */
uint32_t flm_split_frames_next(struct flm_split_frames *frames, uint32_t frame);

/* What flm_profile_check says of these columns. */
bool flm_check_chains(const struct flm_profile *p, struct flm_error *why);

#endif
