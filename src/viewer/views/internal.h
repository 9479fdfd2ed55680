/* internal.h - what views build their panes with. */
#ifndef FLAMEL_VIEWER_VIEWS_INTERNAL_H
#define FLAMEL_VIEWER_VIEWS_INTERNAL_H

#include "viewer/views/views.h"

/* Another pane of the shown profile, without a tree: its metric, order and direction are the
 * model's. NULL, and `why`, if memory ran out. */
struct flm_pane *flm_view_add_pane(const struct flm_model *model, struct flm_scene *scene,
                                   struct flm_error *why);

/* The stacks as they are; or callers or callees, which are opened as they are seen. `marks`: the
 * frames that they are of, as flm_lazy_tree_new_valued takes them. */
bool flm_view_fill_stacks(struct flm_pane *pane, struct flm_error *why);
bool flm_view_fill_lazy(const struct flm_scene *scene, struct flm_pane *pane,
                        enum flm_lazy_tree_kind kind, const unsigned char *marks,
                        struct flm_error *why);

/* The flame graph, inverted where the model says so: also part of other views. */
bool flm_view_build_flame(const struct flm_model *model, struct flm_scene *scene,
                          struct flm_error *why);

/* "Flame graph, inverted": `title`, and the direction. */
void flm_view_describe_direction(const struct flm_model *model, const char *title,
                                 struct flm_text *out);

#endif
