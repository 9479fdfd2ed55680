/* sample_order.h - the order of the samples of a profile: by time, and of one time by all that they
 * have, so that equal profiles are equal bytes. */
#ifndef FLAMEL_PROFILE_SAMPLE_ORDER_H
#define FLAMEL_PROFILE_SAMPLE_ORDER_H

#include "profile/metadata.h"

/* The builder's samples in their order; `metadata` has the ranks of label sets, and the nodes. NULL
 * where the samples are in order already, as those of one thread mostly are. The caller frees it.
 * False when memory ran out. */
bool flm_sample_order(const struct flm_metadata *metadata, uint32_t **order);

#endif
