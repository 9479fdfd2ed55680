/* moment.c - when, of a flame chart: state, start, end and thread of what is described; and the
 * markers and counters of that time. */
#include <math.h>

#include "draw/text/quantity.h"
#include "draw/text/time_ticks.h"
#include "viewer/query/internal.h"

enum { MOST_LINES = 3 };

/* With as many digits as tell the end from the start. */
static struct flm_bytes range_of(struct flm_query *q, double from_ns, double length_ns)
{
    const struct flm_scene *scene = &q->viewer->scene;
    struct flm_span seen = flm_viewer_span(q->viewer);
    double longest = scene->threads.offset_ns + scene->total, step = 1;
    while (step * 1000 < (length_ns > 0 ? length_ns : seen.right - seen.left))
        step *= 10;
    struct flm_text *out = flm_query_scratch(q);
    flm_tick_label_add(out, from_ns, step, longest);
    if (length_ns <= 0)
        return flm_query_scratch_copy(q);
    flm_text_puts(out, " \xE2\x80\x93 ");
    flm_tick_label_add(out, from_ns + length_ns, step, longest);
    return flm_query_scratch_copy(q);
}

static struct flm_bytes state_of(struct flm_query *q, const struct flm_pane *pane,
                                 struct flm_node node, bool is_merged)
{
    const struct flm_thread_states *states = &q->viewer->scene.threads.states;
    if (!states->of_set || is_merged)
        return (struct flm_bytes){0};
    uint32_t sample = pane->chart->first_sample[node.index];
    return flm_query_text(
        q, flm_thread_state_title(flm_thread_state_of(states, pane->profile, sample)));
}

struct flm_response_moment *flm_query_moment(struct flm_query *q, const struct flm_pane *pane,
                                             struct flm_node node, bool is_merged, double total,
                                             size_t *count)
{
    *count = 0;
    if (pane->kind != FLM_PANE_CHART || node.index == 0)
        return NULL;
    const struct flm_scene *scene = &q->viewer->scene;
    struct flm_response_moment *line = flm_query_take(q, MOST_LINES, sizeof *line);
    if (!line)
        return NULL;
    struct flm_bytes state = state_of(q, pane, node, is_merged);
    if (state.size > 0)
        line[(*count)++] = (struct flm_response_moment){flm_query_text(q, "state"), state};
    double from = scene->threads.offset_ns + flm_layout_offset(pane->layout, node);
    line[(*count)++] =
        (struct flm_response_moment){flm_query_text(q, "time"), range_of(q, from, total)};
    flm_track_add_title(pane->profile, flm_threads_track(scene, pane), flm_query_scratch(q));
    line[(*count)++] =
        (struct flm_response_moment){flm_query_text(q, "thread"), flm_query_scratch_copy(q)};
    return line;
}

/* ---- Markers and counters -------------------------------------------------------------------- */

/* How near the pointer has to be to a marker: CSS px. */
enum { NEAR_PX = 5 };

/* The track under the pointer; FLM_NONE if there is none. */
static uint32_t track_at(const struct flm_scene *scene, struct flm_area area, double y)
{
    uint32_t count = flm_event_track_count(&scene->threads.events);
    double first = area.top - flm_event_track_top(scene, count);
    for (uint32_t i = 0; i < count; i++)
        if (y >= first + flm_event_track_top(scene, i) &&
            y < first + flm_event_track_top(scene, i + 1))
            return i;
    return FLM_NONE;
}

static void add_line(struct flm_query *q, struct flm_response_hover *hover, const char *name,
                     struct flm_bytes value)
{
    if (value.size > 0)
        hover->moment.at[hover->moment.count++] =
            (struct flm_response_moment){flm_query_text(q, name), value};
}

/* "process 10, thread 12". */
static struct flm_bytes labels_of(struct flm_query *q, uint32_t label_set)
{
    const struct flm_profile *p = q->profile;
    uint32_t count;
    const uint32_t *label = flm_profile_label_set(p, (struct flm_label_set){label_set}, &count);
    struct flm_text *out = flm_query_scratch(q);
    for (uint32_t i = 0; i < count; i++) {
        flm_text_puts(out, i ? ", " : "");
        flm_text_add(out, flm_string_bytes(p, p->labels[label[i]].key));
        flm_text_putc(out, ' ');
        flm_text_add(out, flm_string_bytes(p, p->labels[label[i]].value));
    }
    return flm_query_scratch_copy(q);
}

static bool add_marker(struct flm_query *q, struct flm_response_hover *hover, int64_t time_ns,
                       int64_t slack_ns)
{
    const struct flm_profile *p = q->profile;
    const struct flm_threads *threads = &q->viewer->scene.threads;
    uint32_t index = flm_marker_at(p, time_ns, slack_ns);
    if (index == FLM_NONE)
        return false;
    const struct flm_marker_record *marker = &p->markers[index];
    double from = flm_threads_ns(threads, marker->time_ns);
    hover->title = flm_query_string(q, marker->name);
    hover->where = flm_query_string(q, marker->detail);
    add_line(q, hover, "time", range_of(q, from, (double)marker->duration_ns));
    if (marker->duration_ns > 0) {
        flm_quantity_add(flm_query_scratch(q), (double)marker->duration_ns, flm_bytes_of("ns"));
        add_line(q, hover, "duration", flm_query_scratch_copy(q));
    }
    add_line(q, hover, "labels", labels_of(q, marker->label_set));
    return true;
}

static bool add_counter(struct flm_query *q, struct flm_response_hover *hover, uint32_t index,
                        int64_t time_ns, double slack_ns)
{
    const struct flm_profile *p = q->profile;
    const struct flm_threads *threads = &q->viewer->scene.threads;
    struct flm_counter_points points = flm_profile_counter(p, threads->events.counter[index]);
    double at = flm_threads_ns(threads, time_ns);
    if (flm_counter_points_until(&points, time_ns) == 0)
        return false; /* not known yet */
    hover->title = flm_query_string(q, points.name.index);
    flm_quantity_add(flm_query_scratch(q),
                     flm_counter_most(&points, time_ns, flm_time_after(time_ns, slack_ns + 1)),
                     flm_string_bytes(p, points.unit.index));
    add_line(q, hover, "value", flm_query_scratch_copy(q));
    flm_quantity_add(flm_query_scratch(q), threads->events.most[index],
                     flm_string_bytes(p, points.unit.index));
    add_line(q, hover, "maximum", flm_query_scratch_copy(q));
    add_line(q, hover, "time", range_of(q, at, 0));
    add_line(q, hover, "labels", labels_of(q, points.label_set.index));
    return true;
}

struct flm_response_hover *flm_query_hovered_event(struct flm_query *q)
{
    enum { MOST_EVENT_LINES = 4 };
    const struct flm_viewer *v = q->viewer;
    const struct flm_threads *threads = &v->scene.threads;
    struct flm_area area = flm_viewer_area(v);
    double x = v->input.hover_x;
    if (!q->profile || !flm_scene_is_over_time(&v->scene) || x < area.left ||
        x >= area.left + area.width)
        return NULL;
    uint32_t track = track_at(&v->scene, area, v->input.hover_y), counter;
    struct flm_span seen = flm_viewer_span(v);
    double ns_in_px = (seen.right - seen.left) / fmax(area.width, 1);
    int64_t time = flm_time_after(threads->start_ns, seen.left + (x - area.left) * ns_in_px);
    if (track == FLM_NONE)
        return NULL;
    struct flm_response_hover *hover = flm_query_take(q, 1, sizeof *hover);
    struct flm_response_moment *lines = flm_query_take(q, MOST_EVENT_LINES, sizeof *lines);
    if (!hover || !lines)
        return NULL;
    *hover = (struct flm_response_hover){.x = x, .y = v->input.hover_y};
    hover->moment.at = lines;
    double slack = NEAR_PX * v->scene.window.scale * ns_in_px;
    bool any = flm_event_track_is_markers(&threads->events, track, &counter)
                   ? add_marker(q, hover, time, flm_time_after(0, slack))
                   : add_counter(q, hover, counter, time, ns_in_px);
    return any ? hover : NULL;
}
