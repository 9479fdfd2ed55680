/* metric_order.h - the metrics of a sum in one order, whatever it was made of. */
#ifndef FLAMEL_STORE_CORE_METRIC_ORDER_H
#define FLAMEL_STORE_CORE_METRIC_ORDER_H

#include "flamel/profile.h"

/* Takes a profile, and returns it, or one with its metrics by name and unit, ascending. NULL, and
 * `why`, when memory ran out or it was given NULL. */
struct flm_profile *flm_metrics_in_order(struct flm_profile *profile, struct flm_error *why);

#endif
