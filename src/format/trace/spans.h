/* spans.h - the samples of one thread as spans of time that follow each other.
 *
 * A sample with a duration lasts that long. A moment lasts as long as its value, where that is a
 * time: if the next sample begins up to half as much later, until then, since moments are never
 * exactly as far apart as they should be. Of other metrics it lasts until the next sample, but at
 * most one and a half times the median of these times. Nothing lasts beyond the beginning of the
 * next sample; samples at the same time divide theirs. */
#ifndef FLAMEL_FORMAT_TRACE_SPANS_H
#define FLAMEL_FORMAT_TRACE_SPANS_H

#include "base/core/array.h"
#include "profile/columns.h"

struct flm_trace_span {
    int64_t begin_ns, end_ns;
    uint32_t node;
};

struct flm_trace_spans FLM_ARRAY(struct flm_trace_span);

/* Of `count` samples of one thread, which have times and are in their order. False if memory ran
 * out. */
bool flm_trace_spans_make(struct flm_trace_spans *spans, const struct flm_profile *profile,
                          uint32_t metric, const uint32_t *samples, size_t count);

#endif
