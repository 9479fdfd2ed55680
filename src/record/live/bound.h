/* bound.h - limits the number of stacks of a profile, by merging rare ones.
 *
 *     make                              make
 *       main                              main
 *         read_file   900      ──►          read_file   900
 *         parse                           [rare stacks]
 *           expression                      fold   2
 *             fold   2                      lex    1
 *         lex        1
 *
 * A recording without end finds new stacks all the time, most of them once. The heaviest are kept.
 * Of the others only the command and the leaf function are kept: so self values stay exact, and
 * totals lack the weight of merged stacks. The number of merged samples is a loss of the
 * profile. */
#ifndef FLAMEL_RECORD_LIVE_BOUND_H
#define FLAMEL_RECORD_LIVE_BOUND_H

#include "flamel/profile.h"

#define FLM_LIVE_RARE "[rare stacks]"

/* Takes the profile. If it has more than `most` stacks, returns one with about half of that, so
 * that some can be added before it is too large again. NULL, and `why`, when it fails. */
struct flm_profile *flm_live_bound(struct flm_profile *profile, uint32_t most,
                                   struct flm_error *why);

#endif
