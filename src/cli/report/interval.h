/* interval.h - what a program did between two snapshots of what it measured since its start. */
#ifndef FLAMEL_CLI_REPORT_INTERVAL_H
#define FLAMEL_CLI_REPORT_INTERVAL_H

#include "flamel/algebra.h"

/* The metrics of `after`, without what `before` has of them already. NULL, and `why`, if memory ran
 * out. The caller frees it. */
struct flm_profile *flm_interval_profile(const struct flm_profile *before,
                                         const struct flm_profile *after, struct flm_error *why);

#endif
