/* sample_move.h - from the samples of a builder to those of its profile, in their order.
 *
 * Samples are most of what a builder has, and of what a profile has. So that they are not there
 * twice, a column is moved after the other, each from its end on, and the builder's is made shorter
 * as soon as nothing that is left to be moved lies behind: a block at a time where samples are
 * nearly in order, as most recordings are. */
#ifndef FLAMEL_PROFILE_SAMPLE_MOVE_H
#define FLAMEL_PROFILE_SAMPLE_MOVE_H

#include "profile/metadata.h"

/* Moves all samples of the builder to `p`; `metadata` has the ranks of label sets, and the nodes.
 * False when memory ran out. */
bool flm_samples_move(struct flm_metadata *metadata, struct flm_profile *p);

#endif
