/* whole_values.h - values for formats that have whole numbers: pprof, OTLP, callgrind.
 *
 * Fractions of times are written in nanoseconds, as long as these fit. What is a fraction then is
 * rounded, so that the sum of all values of a metric is the nearest whole number to its total: what
 * a value loses or gains is given to the next fraction. 10,000 samples of 1.4 ns are 4,000 of 2 ns
 * and 6,000 of 1 ns, not 10,000 of 1 ns. */
#ifndef FLAMEL_FORMAT_CORE_WHOLE_VALUES_H
#define FLAMEL_FORMAT_CORE_WHOLE_VALUES_H

#include "profile/columns.h"

/* The nearest whole number that there is. */
int64_t flm_whole_value(double value);

/* What the values of a metric are multiplied with: 1, or what makes them nanoseconds. *rounded
 * receives how many are rounded all the same: of stacks or of samples, whichever are more. */
double flm_whole_factor(const struct flm_profile *p, uint32_t metric, uint32_t *rounded);

/* The values of one metric, in the order in which they are written. Begin with {0}. */
struct flm_whole_series {
    double rest; /* what the numbers so far lack: -0.5 to 0.5 */
};

/* The whole number that is written for a value, which was multiplied with the factor. A value of 0,
 * or one that is whole, stays as it is; others are the whole number below or above. */
int64_t flm_whole_next(struct flm_whole_series *series, double value);

/* What is left of a stack's value, where samples took `taken` of it: 0 if that is only the error of
 * a sum of fractions. */
double flm_whole_rest(double self, double taken);

#endif
