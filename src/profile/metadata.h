/* metadata.h - everything of a profile but its nodes, on its way from a builder to the columns.
 *
 * The builder's own finishing and the operations that make nodes in their own way (aligning,
 * restricting) share this: strings and frames are ranked, metrics, notes, losses, labels,
 * samples, markers and counters are put in canonical order and written.
 *
 *     flm_metadata_start(&metadata, builder, frame_used, why)
 *                                         ranks; metadata.sizes is complete but for node_count
 *     p = flm_profile_allocate(...)       the caller writes the nodes, with frame_rank
 *     flm_metadata_write(&metadata, p, node_index, why)
 *                                         writes the rest */
#ifndef FLAMEL_PROFILE_METADATA_H
#define FLAMEL_PROFILE_METADATA_H

#include "profile/internal.h"

struct flm_metadata {
    struct flm_builder *b;
    struct flm_ranking ranking;
    struct flm_sizes sizes;
    /* By the builder's number; FLM_NONE: not in use. Of counters it is only the mark. */
    uint32_t *label_rank, *set_rank, *counter_rank;
    const uint32_t *node_index; /* by the builder's node: its index in the profile */
};

/* `frame_used` has a byte for each frame of the builder's interner. Labels that no
 * sample, marker or counter has are left out. */
bool flm_metadata_start(struct flm_metadata *metadata, struct flm_builder *b,
                        const unsigned char *frame_used, struct flm_error *why);

/* `node_index` maps the nodes of the builder's samples to nodes of `p`. */
bool flm_metadata_write(struct flm_metadata *metadata, struct flm_profile *p,
                        const uint32_t *node_index, struct flm_error *why);

void flm_metadata_clear(struct flm_metadata *metadata);

#endif
