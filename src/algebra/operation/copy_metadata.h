/* copy_metadata.h - what operations copy from their inputs: strings, frames, metrics, notes, losses
 * and samples.
 *
 * All of it goes through a builder, which interns and sorts; the operation itself only deals with
 * nodes. */
#ifndef FLAMEL_ALGEBRA_OPERATION_COPY_METADATA_H
#define FLAMEL_ALGEBRA_OPERATION_COPY_METADATA_H

#include "profile/columns.h"
#include "profile/internal.h"

/* The strings and frames of one input in the builder. For the first input of a new builder the maps
 * are the identity, because a profile's strings and frames are distinct and the empty ones come
 * first. */
struct flm_carried {
    uint32_t *string_map, *frame_map; /* by index in the input: index in the builder */
    uint32_t *metric_map;             /* likewise, once a metric was carried */
};

bool flm_copy_strings(struct flm_builder *b, const struct flm_profile *p, struct flm_carried *c);
void flm_carried_clear(struct flm_carried *c);

/* One metric of the input, as `name` (a string of the builder). When the builder has that metric
 * with another unit: false, and `why`. */
bool flm_copy_metric(struct flm_builder *b, const struct flm_profile *p, struct flm_carried *c,
                     uint32_t metric, uint32_t name, struct flm_error *why);

/* Every metric under its own name. */
bool flm_copy_metrics(struct flm_builder *b, const struct flm_profile *p, struct flm_carried *c,
                      struct flm_error *why);

/* Losses are added up. A note stays when the inputs that have it agree. */
void flm_copy_notes(struct flm_builder *b, const struct flm_profile *p,
                    const struct flm_carried *c);

/* Samples, and with them all markers and counters. The nodes of samples are mapped: moved[node of
 * the input] is the number that the copy has, or FLM_NONE, and then the sample is left out. Where
 * `moved` is NULL, `shift` is added to the node. `keep` has a byte for each sample, or is NULL: all
 * are kept. */
void flm_copy_samples(struct flm_builder *b, const struct flm_profile *p,
                      const struct flm_carried *c, const uint32_t *moved, uint32_t shift,
                      const unsigned char *keep);

/* The same, with each sample at a node of the builder: sample i at new_node[i]. */
void flm_copy_mapped_samples(struct flm_builder *b, const struct flm_profile *p,
                             const struct flm_carried *c, const uint32_t *new_node);

#endif
