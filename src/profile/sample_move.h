/* sample_move.h - moves the samples of a builder to its profile, sorted.
 *
 * Samples are most of the memory of a builder and of a profile. To avoid having them twice, they
 * are moved column by column, the last block of a column first, and the builder's column is
 * shrunk as soon as the rest does not need its end: after each block if samples are nearly in
 * order, as in most recordings. */
#ifndef FLAMEL_PROFILE_SAMPLE_MOVE_H
#define FLAMEL_PROFILE_SAMPLE_MOVE_H

#include "profile/metadata.h"

/* Moves all samples of the builder to `p`. `metadata` must have the ranks of label sets and the
 * indices of nodes. False when memory ran out. */
bool flm_samples_move(struct flm_metadata *metadata, struct flm_profile *p);

#endif
