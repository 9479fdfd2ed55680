/* joining.h - a builder whose frames have locations, on its way to a joined profile: chains.h.
 *
 *     flm_builder_join        its nodes become chains, and those of functions take their place
 *     flm_joining_rank        which locations there are, once frames are ranked
 *     flm_joining_write       the columns of chains, once the nodes are written
 *
 * The nodes of samples remain chains: flm_joining_sample_node, flm_joining_chain_of. */
#ifndef FLAMEL_PROFILE_JOINING_H
#define FLAMEL_PROFILE_JOINING_H

#include "profile/internal.h"
#include "profile/metadata.h"

/* What the builder had as nodes and frames; a chain is one of these nodes. */
struct flm_joining {
    struct flm_builder_node *nodes;
    uint32_t node_count;
    double **self; /* by metric, as the builder's */
    uint32_t metric_count;
    uint32_t *node;      /* by chain: the builder's node now */
    unsigned char *kept; /* by chain: it, a sample of it, or one that it calls has a value */

    uint32_t *base;    /* by frame: the one without a location */
    uint32_t *place;   /* by frame: which of the locations of its base, from 1; 0: none */
    uint32_t *located; /* frames with a location, in the order of the locations */
    uint32_t frame_count, located_count;

    uint32_t *number; /* by chain: which of the chains of its node */
};

/* Nothing where no frame has a location. False when memory ran out. */
bool flm_builder_join(struct flm_builder *b);
void flm_joining_free(struct flm_joining *joining);

/* Marks the strings of the locations. */
void flm_joining_mark_strings(const struct flm_builder *b, unsigned char *used);

/* Sets location_count, chain_count and shared_count of the metadata's sizes. */
bool flm_joining_rank(struct flm_metadata *metadata);

/* `node_index` as for flm_metadata_write. */
bool flm_joining_write(struct flm_metadata *metadata, struct flm_profile *p,
                       const uint32_t *node_index);

/* Frees what only flm_joining_write needed; what samples ask for stays. `joining` may be NULL. */
void flm_joining_drop_nodes(struct flm_joining *joining);

/* Which of the chains of its node a sample of the builder is of. */
static inline uint32_t flm_joining_chain_of(const struct flm_builder *b, uint32_t sample)
{
    return b->joining->number[b->sample_node[sample]];
}

/* The node of a sample, joined or not. */
static inline uint32_t flm_joining_sample_node(const struct flm_builder *b, uint32_t sample)
{
    return b->joining ? b->joining->node[b->sample_node[sample]] : b->sample_node[sample];
}

#endif
