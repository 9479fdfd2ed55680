/* summary.h - a profile in numbers, for `flamel info` and a viewer's status line: totals, kinds of
 * code, depth, times and labels. The structures are in include/flamel/aggregate.h. */
#ifndef FLAMEL_ALGEBRA_AGGREGATE_SUMMARY_H
#define FLAMEL_ALGEBRA_AGGREGATE_SUMMARY_H

#include "flamel/aggregate.h"
#include "profile/columns.h"

/* False, and `why`, if memory ran out. */
bool flm_summary_init(struct flm_summary *summary, const struct flm_profile *p,
                      struct flm_error *why);
void flm_summary_clear(struct flm_summary *summary);

#endif
