/* code_collection.h - the code of all functions of a profile that cost something: for pages that
 * are sent to somebody who has neither the sources nor the program. */
#ifndef FLAMEL_CODE_FIND_CODE_COLLECTION_H
#define FLAMEL_CODE_FIND_CODE_COLLECTION_H

#include "code/find/code_finder.h"

/* Adds what there is of each function whose total is at least `share` of all (0.005: 0.5 %). False,
 * and `why`, if memory ran out. */
bool flm_code_collect(const struct flm_profile *profile, struct flm_metric metric, double share,
                      const struct flm_code_finder_options *options, struct flm_code_store *store,
                      struct flm_error *why);

/* The same of functions that cost nothing in `after` any more: the metric is one of `after`, and
 * the share is of what it is in `before`. Nothing where the profiles have no metric in common. */
bool flm_code_collect_gone(const struct flm_profile *before, const struct flm_profile *after,
                           struct flm_metric metric, double share,
                           const struct flm_code_finder_options *options,
                           struct flm_code_store *store, struct flm_error *why);

#endif
