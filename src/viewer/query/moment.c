/* moment.c - when, of a flame chart: state, start, end and thread of what is described. */
#include "viewer/query/internal.h"

enum { MOST_LINES = 3 };

/* With as many digits as tell the end from the start. */
static struct flm_bytes range_of(struct flm_query *q, double from_ns, double length_ns)
{
    const struct flm_scene *scene = &q->viewer->scene;
    double longest = scene->threads.offset_ns + scene->total, step = 1;
    while (step * 1000 < length_ns)
        step *= 10;
    struct flm_text *out = flm_query_scratch(q);
    flm_tick_label_add(out, from_ns, step, longest);
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
