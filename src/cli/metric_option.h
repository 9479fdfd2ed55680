/* metric_option.h - what --metric NAME means for a profile. */
#ifndef FLAMEL_CLI_METRIC_OPTION_H
#define FLAMEL_CLI_METRIC_OPTION_H

#include "profile/columns.h"

/* The metric of that name; without a name the first. False, and `why` with the names that there
 * are. */
bool flm_metric_find(const struct flm_profile *p, const char *name, struct flm_metric *metric,
                     struct flm_error *why);

#endif
