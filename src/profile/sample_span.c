#include "profile/sample_span.h"

#include <assert.h>

double flm_time_unit_ns(struct flm_bytes unit)
{
    if (flm_bytes_are(unit, "ns") || flm_bytes_are(unit, "nanoseconds"))
        return 1;
    if (flm_bytes_are(unit, "us") || flm_bytes_are(unit, "microseconds"))
        return 1e3;
    if (flm_bytes_are(unit, "ms") || flm_bytes_are(unit, "milliseconds"))
        return 1e6;
    if (flm_bytes_are(unit, "s") || flm_bytes_are(unit, "seconds"))
        return 1e9;
    return 0;
}

bool flm_time_range(const struct flm_profile *p, int64_t *first_ns, int64_t *last_ns)
{
    uint32_t first = 0, count = p->sizes.sample_count;
    while (first < count && p->sample_time[first] == FLM_NO_TIME)
        first++;
    if (first == count)
        return false;
    *first_ns = p->sample_time[first];
    *last_ns = p->sample_time[count - 1];
    for (uint32_t i = first; p->sizes.duration_count && i < count; i++) {
        int64_t end = p->sample_time[i] + p->sample_duration[i];
        *last_ns = end > *last_ns ? end : *last_ns;
    }
    return true;
}

bool flm_sample_part(const struct flm_profile *p, uint32_t sample, int64_t from_ns, int64_t to_ns,
                     struct flm_sample_part *part)
{
    assert(sample < p->sizes.sample_count);
    return flm_span_part(p->sample_time[sample], flm_sample_duration(p, sample), from_ns, to_ns,
                         part);
}

bool flm_span_part(int64_t time, int64_t duration, int64_t from_ns, int64_t to_ns,
                   struct flm_sample_part *part)
{
    assert(duration >= 0);
    int64_t end = time == FLM_NO_TIME ? time : time + duration;
    bool is_before_end = time < to_ns || to_ns == INT64_MAX;
    if (time == FLM_NO_TIME || !is_before_end || (duration > 0 ? end <= from_ns : time < from_ns))
        return false;
    int64_t begin = time < from_ns ? from_ns : time;
    end = to_ns != INT64_MAX && end > to_ns ? to_ns : end;
    *part = (struct flm_sample_part){.time_ns = begin,
                                     .duration_ns = duration > 0 ? end - begin : 0,
                                     .whole_ns = duration,
                                     .of_time = 1,
                                     .begins = time >= from_ns};
    if (duration > 0 && part->duration_ns != duration)
        part->of_time = (double)part->duration_ns / (double)duration;
    return true;
}
