/* median.h - the middle of numbers, and how far around it they lie, without being led by the wild
 * ones. */
#ifndef FLAMEL_STATS_MEDIAN_H
#define FLAMEL_STATS_MEDIAN_H

#include <stdint.h>

/* The middle value, or the mean of the two in the middle; 0 of none. Puts `values` into another
 * order; O(count). They are not NaN. */
double flm_median(double *values, uint32_t count);

/* The median distance from `center`; `scratch` has room for as many. */
double flm_median_deviation(const double *values, uint32_t count, double center, double *scratch);

#endif
