/* views.h - the table of views. Another view is a file in this folder that defines
 * `flm_view_NAME` (viewer/scene/view.h), and a line here and in views.c. */
#ifndef FLAMEL_VIEWER_VIEWS_VIEWS_H
#define FLAMEL_VIEWER_VIEWS_VIEWS_H

#include "viewer/model/choices.h"
#include "viewer/scene/view.h"

extern const struct flm_view flm_view_flame, flm_view_chart, flm_view_sandwich, flm_view_tree,
    flm_view_top, flm_view_comparison, flm_view_code, flm_view_heatmap;

/* The i-th, in the order of menus; NULL after the last one. */
const struct flm_view *flm_view_at(size_t i);

/* The same as a list to choose from. */
struct flm_choice flm_view_choice(size_t i);

/* By name; NULL if there is none. */
const struct flm_view *flm_view_named(struct flm_bytes name);

/* The initial view: for two profiles that are compared, or for one. */
const struct flm_view *flm_view_default(bool compares);

/* Whether a view has something to show. */
bool flm_view_is_available(const struct flm_view *view, const struct flm_model *model,
                           const struct flm_scene *scene);

#endif
