/* algebra.h - profiles in, profiles out. include/flamel/algebra.h is the interface for everybody;
 * here is what other folders use on indices. */
#ifndef FLAMEL_ALGEBRA_ALGEBRA_H
#define FLAMEL_ALGEBRA_ALGEBRA_H

#include "flamel/algebra.h"
#include "profile/columns.h"

/* The frame of `p` that stands for `frame`: itself, when nothing changes; FLM_NONE to leave it out,
 * so that its callees become callees of its caller. */
typedef uint32_t (*flm_frame_map)(void *context, uint32_t frame);

/* Every frame replaced by what the map says; stacks that become equal are one. */
struct flm_profile *flm_quotient_frames(const struct flm_profile *p, flm_frame_map map,
                                        void *context, struct flm_error *why);

#endif
