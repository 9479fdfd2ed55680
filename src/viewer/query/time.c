/* time.c - "tracks": the threads, and which part of the time is selected. */
#include <math.h>

#include "algebra/aggregate/thread_costs.h"
#include "draw/text/quantity.h"
#include "viewer/query/internal.h"

/* As many as a list of them is read; the others are counted. */
enum { MOST_LISTED = 200 };

static struct flm_response_time_range *range_of(struct flm_query *q)
{
    struct flm_span ns;
    if (!flm_timeline_selected(&q->viewer->model, &q->viewer->scene, &ns))
        return NULL;
    struct flm_response_time_range *range = flm_query_take(q, 1, sizeof *range);
    if (!range)
        return NULL;
    struct flm_text *out = flm_query_scratch(q);
    flm_quantity_add(out, ns.left, flm_bytes_of("ns"));
    flm_text_puts(out, " to ");
    flm_quantity_add(out, ns.right, flm_bytes_of("ns"));
    *range = (struct flm_response_time_range){ns.left, ns.right, flm_query_scratch_copy(q)};
    return range;
}

/* What the transforms leave of a thread; its name is the same text in both profiles. */
static double left_of(const struct flm_query *q, const struct flm_thread_costs *costs,
                      const struct flm_track *track)
{
    if (track->value == FLM_NONE)
        return fabs(costs->without.total);
    struct flm_bytes name = flm_string_bytes(q->viewer->model.operations.opened, track->value);
    for (uint32_t i = 0; i < costs->count; i++)
        if (!costs->at[i].is_process &&
            flm_bytes_equal(flm_string_bytes(q->profile, costs->at[i].thread), name))
            return costs->at[i].total;
    return 0;
}

static void add_track(struct flm_query *q, const struct flm_thread_costs *costs, uint32_t index,
                      struct flm_response_track *to)
{
    const struct flm_model *model = &q->viewer->model;
    const struct flm_profile *p = model->operations.opened;
    const struct flm_track *track = &q->viewer->scene.timeline.tracks.track[index];
    uint32_t metric = model->metric < p->sizes.metric_count ? model->metric : 0;
    to->id = index;
    flm_track_add_title(p, track, flm_query_scratch(q));
    to->title = flm_query_scratch_copy(q);
    double total = costs ? left_of(q, costs, track) : track->total;
    flm_quantity_add(flm_query_scratch(q), total, flm_string_bytes(p, p->metrics[metric].unit));
    to->total = flm_query_scratch_copy(q);
    flm_percent_add(flm_query_scratch(q), total,
                    costs ? q->all : flm_profile_total(p, (struct flm_metric){metric}));
    to->share = flm_query_scratch_copy(q);
    to->on = flm_timeline_track_is_on(model, &q->viewer->scene, track);
}

/* `costs`: of what is shown; NULL: transforms change nothing. */
static void add_tracks(struct flm_query *q, const struct flm_thread_costs *costs,
                       struct flm_response_tracks *made)
{
    const struct flm_tracks *tracks = &q->viewer->scene.timeline.tracks;
    uint32_t count = tracks->count < MOST_LISTED ? tracks->count : MOST_LISTED;
    struct flm_response_track *track = flm_query_take(q, count, sizeof *track);
    for (uint32_t i = 0; track && i < count; i++)
        add_track(q, costs, i, &track[i]);
    made->tracks.at = track;
    made->tracks.count = track ? count : 0;
    made->count = tracks->count;
}

static enum flm_tristate collapsed_of(const struct flm_viewer *v)
{
    bool has_headings = false;
    if (!flm_scene_is_over_time(&v->scene))
        return FLM_TRISTATE_NONE;
    for (uint32_t i = 0; i < v->scene.pane_count; i++)
        has_headings = has_headings || v->scene.panes[i].process_threads > 0;
    return flm_scene_has_collapsed(&v->scene) ? FLM_TRISTATE_TRUE
           : has_headings                     ? FLM_TRISTATE_FALSE
                                              : FLM_TRISTATE_NONE;
}

static enum flm_tristate rows_of(const struct flm_viewer *v)
{
    if (!flm_scene_has_deep(&v->scene))
        return FLM_TRISTATE_NONE;
    return flm_scene_has_limited(&v->scene) ? FLM_TRISTATE_FALSE : FLM_TRISTATE_TRUE;
}

bool flm_query_tracks(struct flm_viewer *v, struct flm_bytes none, struct flm_response *response,
                      struct flm_error *why)
{
    struct flm_query q;
    const struct flm_tracks *tracks = &v->scene.timeline.tracks;
    const struct flm_profile *opened = v->model.operations.opened;
    (void)none;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    if (!opened)
        flm_error_set(why, FLM_ERROR_USAGE, "no profile is open");
    if (!opened || !flm_timeline_make(&v->model, &v->scene, why))
        return flm_query_fail(&q);
    struct flm_response_tracks *made = flm_query_take(&q, 1, sizeof *made);
    response->tracks = made;
    if (!made)
        return flm_query_end(&q, why);
    made->duration_ns = flm_timeline_duration(&v->scene);
    flm_quantity_add(flm_query_scratch(&q), made->duration_ns, flm_bytes_of("ns"));
    made->duration = flm_query_scratch_copy(&q);
    made->key = flm_query_copy(&q, tracks->key == FLM_NONE ? flm_bytes_of("")
                                                           : flm_string_bytes(opened, tracks->key));
    made->shown = v->model.shows_tracks;
    made->any = flm_timeline_has_track_on(&v->model, &v->scene) ||
                flm_timeline_is_hidden(&v->model, &v->scene, NULL);
    made->split = flm_timeline_is_split(&v->model);
    made->collapsed = collapsed_of(v);
    made->all_rows = rows_of(v);
    made->lanes = !flm_scene_is_over_time(&v->scene) || v->scene.threads.short_count == 0
                      ? FLM_TRISTATE_NONE
                  : v->model.short_apart ? FLM_TRISTATE_FALSE
                                         : FLM_TRISTATE_TRUE;
    made->untimed = tracks->untimed_count;
    made->selected = range_of(&q);
    struct flm_thread_costs costs = {0};
    bool is_changed = q.profile && q.profile != opened;
    if (is_changed && !flm_thread_costs_init(&costs, q.profile, q.metric, NULL, why))
        return flm_query_fail(&q);
    add_tracks(&q, is_changed ? &costs : NULL, made);
    flm_thread_costs_clear(&costs);
    return flm_query_end(&q, why);
}
