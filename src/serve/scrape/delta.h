/* delta.h - counters that grow from the start of a program, as what came between two scrapes.
 *
 * A heap profile of Go has what was allocated since the program began, alloc_space, and what is in
 * use now, inuse_space. The sum of many scrapes makes sense for differences of the first and for
 * the second as it is:
 *
 *     previous   a  alloc 5  inuse 2         delta   a  alloc 3  inuse 1
 *     now        a  alloc 8  inuse 1                 b  alloc 4  inuse 4
 *                b  alloc 4  inuse 4
 *
 * A counter that fell is of another process: the program began anew, and all that it has came
 * since. */
#ifndef FLAMEL_SERVE_SCRAPE_DELTA_H
#define FLAMEL_SERVE_SCRAPE_DELTA_H

#include "flamel/profile.h"

/* Whether a metric is what there is now ("inuse_space", "goroutine"), not a counter. */
bool flm_delta_is_gauge(struct flm_name metric);

/* What `now` has more than `previous` (NULL: there was none, so that nothing is known of its
 * counters). *was_reset receives whether the program began anew. NULL, and `why`. */
struct flm_profile *flm_delta(const struct flm_profile *previous, const struct flm_profile *now,
                              bool *was_reset, struct flm_error *why);

#endif
