/* date.h - points of time as dates, as ISO 8601 writes them: 2026-11-20T17:58:21.25Z. */
#ifndef FLAMEL_FORMAT_CORE_DATE_H
#define FLAMEL_FORMAT_CORE_DATE_H

#include "base/text/text.h"

/* Appends a time, in nanoseconds since 1970 (UTC), with as many digits of a fraction as it has. */
void flm_date_add(struct flm_text *out, int64_t time_ns);

/* The time of a date with 4 digits of the year (1970 to 2200), which may have a blank in place of
 * the T, no seconds, a fraction, and a Z; all of it is taken for UTC. False: it is no such date. */
bool flm_date_parse(struct flm_bytes text, int64_t *time_ns);

#endif
