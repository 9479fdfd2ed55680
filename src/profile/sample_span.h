/* sample_span.h - samples as spans of time, and the part of a span that lies in a range.
 *
 *     range            |-------------------|
 *     a wait    |===========|                   310 ms, of which 200 ms are in the range
 *     moments     |    |    |    |    |    |    in it or not
 *
 * What is measured in time is spread evenly over the span: the wait has 200 ms of its off-CPU time
 * in the range. Other values (bytes, events) belong to the moment at which the span begins. So the
 * values of adjacent ranges add up to the whole. */
#ifndef FLAMEL_PROFILE_SAMPLE_SPAN_H
#define FLAMEL_PROFILE_SAMPLE_SPAN_H

#include "profile/columns.h"

/* One of the unit in nanoseconds: 1 for "ns", 1e6 for "ms"; 0: the unit is not one of time. */
double flm_time_unit_ns(struct flm_bytes unit);

/* The first time of a sample, and the last: of a sample, or the end of one that has a duration.
 * False, and neither is set, where no sample has a time. */
bool flm_time_range(const struct flm_profile *profile, int64_t *first_ns, int64_t *last_ns);

/* What of a sample, or of another span, lies in a range. */
struct flm_sample_part {
    int64_t time_ns, duration_ns;
    int64_t whole_ns; /* the duration of the sample */
    double of_time;   /* the share of its time: 1 for a moment */
    bool begins;      /* the sample begins in the range */
};

/* The part in [from_ns, to_ns), where INT64_MAX is no end. False: none, or the sample has no
 * time. */
bool flm_sample_part(const struct flm_profile *profile, uint32_t sample, int64_t from_ns,
                     int64_t to_ns, struct flm_sample_part *part);

/* The same of any span, from `time_ns` on. */
bool flm_span_part(int64_t time_ns, int64_t duration_ns, int64_t from_ns, int64_t to_ns,
                   struct flm_sample_part *part);

/* The value of that part, in a metric with a unit of `unit_ns` nanoseconds; 0: not one of time. The
 * off-CPU time of a wait is its duration, of which a part is a whole number of nanoseconds too. */
static inline double flm_sample_part_value(const struct flm_sample_part *part, double value,
                                           double unit_ns)
{
    if (unit_ns <= 0)
        return part->begins ? value : 0;
    if (part->of_time == 1)
        return value;
    if (value * unit_ns == (double)part->whole_ns)
        return (double)part->duration_ns / unit_ns;
    return value * part->of_time;
}

#endif
