/* chart.c - the flame chart: a pane for each thread, stacks in the order of time. */
#include "viewer/views/internal.h"

static bool is_available(const struct flm_model *model, const struct flm_scene *scene)
{
    (void)model;
    return scene->tables.has_summary && scene->tables.summary.timed_samples > 0;
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
    .can_build = flm_threads_find,
    .build = flm_threads_add_panes,
};
