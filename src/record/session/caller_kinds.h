/* caller_kinds.h - merges callers that are the same function, run in several ways (interpreted,
 * compiled, inlined) below the same callers.
 *
 *     before                          after
 *     main_[0];sort_[0];swap_[0] 1    main_[j];sort_[j];swap_[0] 1
 *     main_[j];sort_[j];swap_[j] 5    main_[j];sort_[j];swap_[j] 5
 *     main_[j];sort_[1]          2    main_[j];sort_[1]          2
 *
 * The merged caller has the kind with the largest total. A function's self values stay in a node
 * of their own kind, so sums of self values by kind do not change. Without this a program that
 * warms up has up to three boxes for each function, each with some of its callees.
 *
 * Cost: one pass over the frames; if any function has several kinds, two hash probes a node. */
#ifndef FLAMEL_RECORD_SESSION_CALLER_KINDS_H
#define FLAMEL_RECORD_SESSION_CALLER_KINDS_H

#include "flamel/profile.h"

/* Takes `p`, which may be NULL, and returns it where nothing differs. NULL, and `why`, when memory
 * ran out. */
struct flm_profile *flm_merge_caller_kinds(struct flm_profile *p, struct flm_error *why);

#endif
