/* flame.c - the flame graph: one pane, merged stacks; inverted: opened as it is seen. What other
 * views build their panes with is here too. */
#include <stdlib.h>

#include "viewer/views/internal.h"

/* Callers are opened at once down to one pixel of a wide screen; more when they are seen. */
#define FIRST_PIXELS 2000

struct flm_pane *flm_view_add_pane(const struct flm_model *model, struct flm_scene *scene,
                                   struct flm_error *why)
{
    struct flm_pane *pane = flm_scene_add_pane(scene, why);
    if (!pane)
        return NULL;
    pane->profile = flm_model_shown(model);
    pane->metric = (struct flm_metric){model->metric};
    pane->compared = scene->compared;
    pane->order = model->order;
    pane->upwards = model->flame;
    return pane;
}

bool flm_view_fill_stacks(struct flm_pane *pane, struct flm_error *why)
{
    pane->kind = FLM_PANE_STACKS;
    pane->tree = flm_tree_of(pane->profile, pane->metric);
    if (pane->order == FLM_ORDER_SEEN) {
        pane->seen = flm_tree_seen(pane->profile, pane->metric);
        if (!pane->seen)
            return flm_error_memory(why);
        pane->tree.seen = pane->seen;
    }
    return flm_pane_lay_out(pane, why);
}

/* Where changes are shown, widths are those that were chosen for the comparison; a node is there if
 * either side has it. */
bool flm_view_fill_lazy(const struct flm_scene *scene, struct flm_pane *pane,
                        enum flm_lazy_tree_kind kind, const unsigned char *marks,
                        struct flm_error *why)
{
    struct flm_lazy_tree_values values = {
        .self = flm_self_column(pane->profile, pane->metric.index),
    };
    if (pane->compared) {
        const struct flm_comparison *c = &pane->compared->comparison;
        values.self = scene->view->shows_changes ? c->widths : values.self;
        values.present[0] = c->before_self;
        values.present[1] = c->after_self;
    }
    pane->kind = FLM_PANE_LAZY;
    pane->has_callers_below = kind != FLM_LAZY_TREE_CALLEES;
    pane->lazy = flm_lazy_tree_new_valued(pane->profile, &values, kind, marks, why);
    if (!pane->lazy || !flm_pane_take_lazy(pane, why))
        return false;
    double total = flm_layout_total(pane->layout, (struct flm_node){0});
    return flm_lazy_tree_open(pane->lazy, (struct flm_lazy_ref){0}, total / FIRST_PIXELS, 0,
                              &pane->incomplete, why) &&
           flm_pane_take_lazy(pane, why);
}

bool flm_view_build_flame(const struct flm_model *model, struct flm_scene *scene,
                          struct flm_error *why)
{
    struct flm_pane *pane = flm_view_add_pane(model, scene, why);
    if (!pane)
        return false;
    return model->inverted ? flm_view_fill_lazy(scene, pane, FLM_LAZY_TREE_INVERTED, NULL, why)
                           : flm_view_fill_stacks(pane, why);
}

void flm_view_describe_direction(const struct flm_model *model, const char *title,
                                 struct flm_text *out)
{
    flm_text_puts(out, title);
    flm_text_puts(out, model->inverted ? ", inverted" : "");
}

static void describe(const struct flm_model *model, struct flm_text *out)
{
    flm_view_describe_direction(model, flm_view_flame.title, out);
}

const struct flm_view flm_view_flame = {
    .name = "flame",
    .title = "Flame graph",
    .key = "1",
    .build = flm_view_build_flame,
    .describe = describe,
};
