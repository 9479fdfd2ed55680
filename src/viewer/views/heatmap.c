/* heatmap.c - the view "heatmap": below the heatmap, the flame graph of the selected time. */
#include "viewer/views/internal.h"

static bool is_available(const struct flm_model *model, const struct flm_scene *scene)
{
    (void)model;
    return scene->tables.has_summary && scene->tables.summary.timed_samples > 0;
}

const struct flm_view flm_view_heatmap = {
    .name = "heatmap",
    .title = "Heatmap",
    .key = "8",
    .has_heatmap = true,
    .is_available = is_available,
    .unavailable = "no sample of this profile has a time",
    .behind = &flm_view_flame,
};
