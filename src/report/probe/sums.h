/* sums.h - which columns of the report of a program that measured itself only grow. */
#ifndef FLAMEL_REPORT_PROBE_SUMS_H
#define FLAMEL_REPORT_PROBE_SUMS_H

#include "base/core/bytes.h"

/* The name of a column without its unit: "total" of "total_ns". */
struct flm_bytes flm_section_base(const char *column);

/* Counts and sums, whose difference between two moments means something; not means, percentiles and
 * last values. */
bool flm_section_is_sum(const char *column);

#endif
