/* sample_order.h - the order of the samples of a profile: by time, and of one time by all that they
 * have, so that equal profiles are equal bytes. */
#ifndef FLAMEL_PROFILE_SAMPLE_ORDER_H
#define FLAMEL_PROFILE_SAMPLE_ORDER_H

#include "profile/metadata.h"

/* Sorts the builder's samples: *order receives their indices, to be freed by the caller, or NULL if
 * they are sorted already, as those of one thread mostly are. `metadata` must have the ranks of
 * label sets and the indices of nodes. False when memory ran out. */
bool flm_sample_order(const struct flm_metadata *metadata, uint32_t **order);

#endif
