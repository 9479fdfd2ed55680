/* bound.h - a profile of no more than so many stacks, with what is rare in it put together.
 *
 *     make                              make
 *       main                              main
 *         read_file   900      ──►          read_file   900
 *         parse                           [rare stacks]
 *           expression                      fold   2
 *             fold   2                      lex    1
 *         lex        1
 *
 * A recording without end sees ever new stacks, most of them once. The widest stay as they are. Of
 * the others the function that ran and the command stay, and what lies between goes: so self values
 * are exact whatever was put together, and totals lack what their callers had by such stacks. How
 * many samples that were is a loss of the profile. */
#ifndef FLAMEL_RECORD_LIVE_BOUND_H
#define FLAMEL_RECORD_LIVE_BOUND_H

#include "flamel/profile.h"

#define FLM_LIVE_RARE "[rare stacks]"

/* Takes the profile; one with more than `most` stacks becomes a new one with fewer, so that a few
 * may be added before it is too large again. NULL, and `why`, when it fails. */
struct flm_profile *flm_live_bound(struct flm_profile *profile, uint32_t most,
                                   struct flm_error *why);

#endif
