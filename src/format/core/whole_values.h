/* whole_values.h - values for formats that have whole numbers: pprof, OTLP.
 *
 * Fractions of times are written in nanoseconds, as long as these fit; others are rounded. */
#ifndef FLAMEL_FORMAT_CORE_WHOLE_VALUES_H
#define FLAMEL_FORMAT_CORE_WHOLE_VALUES_H

#include "profile/columns.h"

/* The nearest whole number that there is. */
int64_t flm_whole_value(double value);

/* What the values of a metric are multiplied with: 1, or what makes them nanoseconds. *rounded
 * receives how many are rounded all the same. */
double flm_whole_factor(const struct flm_profile *p, uint32_t metric, uint32_t *rounded);

#endif
