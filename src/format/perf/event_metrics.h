/* event_metrics.h - the metrics of a recording: one for every event, and "samples".
 *
 * A sum of cycles and page faults means nothing, so each event is a metric of its own, in the order
 * in which they are added: that of their first samples in text, that of the recording's events in
 * perf.data. The first is the profile's default. A sample adds its period to its event's metric, or
 * 1 where there are no periods. "samples" counts every sample once, and stays the last metric.
 *
 *     cpu-clock, with periods     ns          perf's clocks count nanoseconds
 *     cycles:u, with periods      count
 *     sched:sched_switch          samples     no periods: each sample is 1
 *     samples                     samples */
#ifndef FLAMEL_FORMAT_PERF_EVENT_METRICS_H
#define FLAMEL_FORMAT_PERF_EVENT_METRICS_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "flamel/builder.h"

/* Each is a column as long as the tree: more would take too much memory. */
#define FLM_PERF_MOST_EVENTS 1024

struct flm_perf_event {
    uint32_t name; /* a string of the builder */
    struct flm_metric metric;
};

struct flm_perf_events {
    struct flm_builder *builder;
    struct FLM_ARRAY(struct flm_perf_event) list;
    size_t last; /* the one that was found last */
    struct flm_metric samples;
    bool has_samples;
};

/* {.builder = builder} is an empty list. */
void flm_perf_events_clear(struct flm_perf_events *events);

/* The metric of an event, added when it is new. {FLM_NONE} when there are too many, and when memory
 * ran out: the builder has then failed. */
struct flm_metric flm_perf_events_find(struct flm_perf_events *events, struct flm_bytes name,
                                       bool has_period);

/* The metric "samples", added when it is new. */
struct flm_metric flm_perf_events_samples(struct flm_perf_events *events);

/* The unit of an event's periods. */
const char *flm_perf_event_unit(struct flm_bytes name);

#endif
