/* median.h - median and median absolute deviation: location and spread, robust against outliers. */
#ifndef FLAMEL_STATS_MEDIAN_H
#define FLAMEL_STATS_MEDIAN_H

#include <stdint.h>

/* The middle value, or the mean of the two middle ones; 0 for no values. Reorders `values`;
 * O(count). They must not be NaN. */
double flm_median(double *values, uint32_t count);

/* The median of |value - center|. `scratch` has room for `count` numbers. */
double flm_median_deviation(const double *values, uint32_t count, double center, double *scratch);

#endif
