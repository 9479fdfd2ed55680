#include "format/perf/event_metrics.h"

#include "base/core/scan.h"
#include "profile/internal.h"

void flm_perf_events_clear(struct flm_perf_events *events)
{
    FLM_ARRAY_CLEAR(&events->list);
    *events = (struct flm_perf_events){.builder = events->builder};
}

const char *flm_perf_event_unit(struct flm_bytes name)
{
    /* Of agents in runtimes (record/java/): "lock" is no tracepoint of the kernel's locks. */
    if (flm_bytes_are(name, "wall") || flm_bytes_are(name, "lock"))
        return "ns";
    if (flm_bytes_are(name, "allocation") || flm_bytes_are(name, "live"))
        return "bytes";
    name.size = (size_t)(flm_find(name.at, name.at + name.size, ':') - name.at);
    bool is_time = flm_bytes_are(name, "cpu-clock") || flm_bytes_are(name, "task-clock") ||
                   flm_bytes_are(name, "off-cpu");
    return is_time ? "ns" : "count";
}

static const struct flm_metric none = {FLM_NONE};

static struct flm_metric add_metric(struct flm_builder *b, struct flm_bytes name, const char *unit)
{
    return (struct flm_metric){
        flm_builder_metric_of(b, flm_builder_string(b, name.at, name.size).index,
                              flm_builder_string(b, unit, strlen(unit)).index)};
}

struct flm_metric flm_perf_events_samples(struct flm_perf_events *events)
{
    if (!events->has_samples)
        events->samples = add_metric(events->builder, flm_bytes_of("samples"), "samples");
    events->has_samples = events->samples.index != FLM_NONE;
    return events->samples;
}

/* Swaps the last metric and the one in `slot`; returns the slot, where the last one is then. */
static struct flm_metric put_before(struct flm_builder *b, struct flm_metric slot)
{
    struct flm_builder_metric *last = &b->metrics[b->metric_count - 1], moved = *last;
    *last = b->metrics[slot.index];
    b->metrics[slot.index] = moved;
    return slot;
}

static struct flm_metric add_event(struct flm_perf_events *events, uint32_t string,
                                   struct flm_bytes name, const char *unit)
{
    struct flm_builder *b = events->builder;
    if (events->list.count == FLM_PERF_MOST_EVENTS)
        return none;
    if (!FLM_ARRAY_RESERVE(&events->list, 1)) {
        flm_builder_fail_memory(b);
        return none;
    }

    /* An event of the name "samples" would be added to the metric that counts samples. */
    uint32_t count_before = b->metric_count;
    bool is_taken = flm_bytes_are(name, "samples");
    struct flm_metric metric =
        add_metric(b, is_taken ? flm_bytes_of("samples (event)") : name, unit);
    if (flm_builder_failed(b))
        return none;
    if (events->has_samples && b->metric_count > count_before) {
        metric = put_before(b, events->samples);
        events->samples.index = b->metric_count - 1;
    }
    events->list.at[events->list.count++] = (struct flm_perf_event){string, metric};
    return metric;
}

struct flm_metric flm_perf_events_find(struct flm_perf_events *events, struct flm_bytes name,
                                       bool has_period)
{
    /* Most often it is the event of the previous sample. */
    const struct flm_interner *interner = &events->builder->interner;
    if (events->list.count > 0 &&
        flm_bytes_equal(flm_interner_text(interner, events->list.at[events->last].name), name))
        return events->list.at[events->last].metric;
    uint32_t string = flm_builder_string(events->builder, name.at, name.size).index;
    for (size_t i = 0; i < events->list.count; i++) {
        if (events->list.at[i].name == string) {
            events->last = i;
            return events->list.at[i].metric;
        }
    }
    return add_event(events, string, name, has_period ? flm_perf_event_unit(name) : "samples");
}
