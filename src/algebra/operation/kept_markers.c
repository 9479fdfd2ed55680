#include "algebra/operation/kept_markers.h"

#include <assert.h>
#include <stdlib.h>

#include "profile/sample_span.h"

static uint32_t keep_markers(struct flm_marker_record *to, const struct flm_profile *p,
                             const unsigned char *keeps_set, int64_t from_ns, int64_t to_ns)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
        struct flm_marker_record marker = p->markers[i];
        struct flm_sample_part part;
        if ((keeps_set && !keeps_set[marker.label_set]) ||
            !flm_span_part(marker.time_ns, marker.duration_ns, from_ns, to_ns, &part))
            continue;
        marker.time_ns = part.time_ns;
        marker.duration_ns = part.duration_ns;
        to[count++] = marker;
    }
    return count;
}

/* The points of one counter that are in the range, from index `to` on; returns the end of them. */
static uint32_t keep_points(struct flm_kept_markers *kept, uint32_t to,
                            const struct flm_counter_points *points, int64_t from_ns, int64_t to_ns)
{
    for (uint32_t i = 0; i < points->point_count; i++) {
        int64_t time = points->time_ns[i];
        bool is_last_before = i + 1 == points->point_count || points->time_ns[i + 1] > from_ns;
        if ((time < from_ns && !is_last_before) || (time >= to_ns && to_ns != INT64_MAX))
            continue;
        kept->point_time[to] = time < from_ns ? from_ns : time;
        kept->point_value[to++] = points->value[i];
    }
    return to;
}

bool flm_markers_keep(struct flm_kept_markers *kept, struct flm_profile *view,
                      const unsigned char *keeps_set, int64_t from_ns, int64_t to_ns)
{
    assert(kept && view);
    const struct flm_profile whole = *view;
    uint32_t counters = 0, points = 0;
    bool is_empty = to_ns != INT64_MAX && from_ns >= to_ns;
    *kept = (struct flm_kept_markers){
        .markers = malloc(((size_t)whole.sizes.marker_count + 1) * sizeof *kept->markers),
        .counters = malloc(((size_t)whole.sizes.counter_count + 1) * sizeof *kept->counters),
        .point_time = malloc(((size_t)whole.sizes.point_count + 1) * sizeof *kept->point_time),
        .point_value = malloc(((size_t)whole.sizes.point_count + 1) * sizeof *kept->point_value)};
    if (!kept->markers || !kept->counters || !kept->point_time || !kept->point_value) {
        flm_kept_markers_clear(kept);
        return false;
    }
    for (uint32_t i = 0; !is_empty && i < whole.sizes.counter_count; i++) {
        struct flm_counter_points counter = flm_profile_counter(&whole, (struct flm_counter){i});
        uint32_t start = points;
        if (!keeps_set || keeps_set[counter.label_set.index])
            points = keep_points(kept, points, &counter, from_ns, to_ns);
        if (points == start)
            continue;
        kept->counters[counters] = whole.counters[i];
        kept->counters[counters++].end = points;
    }
    view->sizes.marker_count =
        is_empty ? 0 : keep_markers(kept->markers, &whole, keeps_set, from_ns, to_ns);
    view->sizes.counter_count = counters;
    view->sizes.point_count = points;
    view->markers = kept->markers;
    view->counters = kept->counters;
    view->point_time = kept->point_time;
    view->point_value = kept->point_value;
    return true;
}

void flm_kept_markers_clear(struct flm_kept_markers *kept)
{
    free(kept->markers);
    free(kept->counters);
    free(kept->point_time);
    free(kept->point_value);
    *kept = (struct flm_kept_markers){0};
}
