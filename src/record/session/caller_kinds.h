/* caller_kinds.h - siblings that are one function, run in several ways (interpreted, compiled,
 * inlined), become one caller.
 *
 *     before                          after
 *     main_[0];sort_[0];swap_[0] 1    main_[j];sort_[j];swap_[0] 1
 *     main_[j];sort_[j];swap_[j] 5    main_[j];sort_[j];swap_[j] 5
 *     main_[j];sort_[1]          2    main_[j];sort_[1]          2
 *
 * A caller has the kind that most of it had there, and what a function did itself keeps its own: so
 * sums of self values by kind stay what they were. Without it a program that warms up has three
 * boxes for each of its functions, with a part of their callees each. Two hash probes a node, where
 * any function without a module has several kinds; else one pass over the frames. */
#ifndef FLAMEL_RECORD_SESSION_CALLER_KINDS_H
#define FLAMEL_RECORD_SESSION_CALLER_KINDS_H

#include "flamel/profile.h"

/* Takes `p`, which may be NULL, and returns it where nothing differs. NULL, and `why`, when memory
 * ran out. */
struct flm_profile *flm_merge_caller_kinds(struct flm_profile *p, struct flm_error *why);

#endif
