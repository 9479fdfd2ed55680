/* algebra.h - profiles in, profiles out. include/flamel/algebra.h is the interface for everybody;
 * this is what other folders use, with indices. */
#ifndef FLAMEL_ALGEBRA_OPERATION_ALGEBRA_H
#define FLAMEL_ALGEBRA_OPERATION_ALGEBRA_H

#include "flamel/algebra.h"
#include "profile/columns.h"

/* The frame of `p` that stands for `frame`: itself, when nothing changes; FLM_NONE to leave it out,
 * so that its callees become callees of its caller. */
typedef uint32_t (*flm_frame_map)(void *context, uint32_t frame);

/* Every frame replaced as the map says; stacks that become equal are one. */
struct flm_profile *flm_quotient_frames(const struct flm_profile *p, flm_frame_map map,
                                        void *context, struct flm_error *why);

/* Where the nodes of profiles that were aligned went: node i of input k is node
 * node[start[k] + i] of the result; FLM_NONE: neither it nor what it calls has a value. */
struct flm_moved {
    uint32_t *node, *start;
};
void flm_moved_clear(struct flm_moved *moved);

/* The sum of one metric of each input, metric[k] of input k, under the name that it has in the
 * first, without samples; there is one input at least. They must have the same unit. */
struct flm_profile *flm_align_metric(const struct flm_profile *const *profiles, size_t count,
                                     const uint32_t *metric, struct flm_moved *moved,
                                     struct flm_error *why);

#endif
