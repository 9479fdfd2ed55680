/* chart.c - the flame chart: a pane for each thread, stacks in the order of time. */
#include <stdlib.h>

#include "viewer/views/internal.h"

static bool is_available(const struct flm_model *model, const struct flm_scene *scene)
{
    (void)model;
    return scene->tables.has_summary && scene->tables.summary.timed_samples > 0;
}

static bool can_build(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    struct flm_metric metric = {model->metric};
    return flm_tracks_init(&scene->tracks, flm_model_shown(model), metric, NULL, why) &&
           scene->tracks.length_ns > 0;
}

static bool add_track(const struct flm_model *model, struct flm_scene *scene, uint32_t track,
                      const uint32_t *parent, struct flm_error *why)
{
    const struct flm_track *t = &scene->tracks.track[track];
    struct flm_pane *pane = flm_view_add_pane(model, scene, why);
    if (!pane)
        return false;
    struct flm_flame_chart_options options = {
        .sample = t->sample,
        .sample_count = t->sample_count,
        .metric = pane->metric,
        .start_ns = scene->tracks.first_ns,
        .parent = parent,
    };
    pane->kind = FLM_PANE_CHART;
    pane->order = FLM_ORDER_NAME; /* the tree's own: of time */
    pane->first_level = 1;
    pane->upwards = false;
    pane->has_header = true;
    pane->track = track;
    pane->chart = flm_flame_chart_new(pane->profile, &options, why);
    if (!pane->chart)
        return false;
    pane->tree = pane->chart->tree;
    return flm_pane_lay_out(pane, why);
}

/* The largest thread first. Those without times have no pane, and take no other thread's: there is
 * one at least (can_build). */
static bool build(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    if (!parent)
        return flm_error_memory(why);
    flm_profile_parents(p, parent);
    bool good = true;
    for (uint32_t i = 0; good && i < scene->tracks.count && scene->pane_count < FLM_MOST_PANES; i++)
        if (scene->tracks.track[i].sample_count > 0)
            good = add_track(model, scene, i, parent, why);
    free(parent);
    return good;
}

const struct flm_view flm_view_chart = {
    .name = "chart",
    .title = "Flame chart",
    .key = "2",
    .is_over_time = true,
    .fixed_direction = "a flame chart has its root at the top",
    .is_available = is_available,
    .unavailable = "no sample of this profile has a time",
    .behind = &flm_view_flame,
    .can_build = can_build,
    .build = build,
};
