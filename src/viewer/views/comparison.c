/* comparison.c - two profiles: one pane whose widths are of both, inverted too; or side by side,
 * which is of stacks from the root only. */
#include <stdlib.h>

#include "viewer/views/internal.h"

static bool is_available(const struct flm_model *model, const struct flm_scene *scene)
{
    (void)scene;
    return flm_model_compares(model);
}

static bool can_build(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    (void)model, (void)why;
    return scene->compared != NULL;
}

/* A pane of the stacks, each as wide as `widths` says, which it then owns. */
static bool add_compared(const struct flm_model *model, struct flm_scene *scene, double *widths,
                         const char *title, struct flm_error *why)
{
    struct flm_pane *pane = flm_view_add_pane(model, scene, why);
    if (!pane) {
        free(widths);
        return false;
    }
    pane->kind = FLM_PANE_STACKS;
    pane->order = FLM_ORDER_NAME;
    pane->title = title;
    pane->widths = widths;
    pane->tree = flm_tree_of(pane->profile, pane->metric);
    pane->tree.width = widths;
    return flm_pane_lay_out(pane, why);
}

/* The values of one side, stack by stack; before as it was scaled. */
static double *side_widths(const struct flm_comparison *c, enum flm_viewer_side side)
{
    double *widths = malloc(c->node_count * sizeof *widths);
    for (uint32_t i = 0; widths && i < c->node_count; i++) {
        struct flm_change change = flm_comparison_change(c, i, FLM_CHANGE_OF_SELF);
        widths[i] = side == FLM_VIEWER_BEFORE ? change.before : change.after;
    }
    return widths;
}

/* Both sides, and the layout that has room for the larger of both, which is where they are looked
 * at: a node that is zoomed to fills both halves. Siblings stand in name order, the only one that
 * is the same on both sides. */
static bool build_side_by_side(const struct flm_model *model, struct flm_scene *scene,
                               struct flm_error *why)
{
    static const char *const titles[] = {
        [FLM_VIEWER_AFTER] = "after", [FLM_VIEWER_BEFORE] = "before"};
    static const enum flm_viewer_side order[] = {FLM_VIEWER_BEFORE, FLM_VIEWER_AFTER};
    for (int i = 0; i < 2; i++) {
        double *widths = side_widths(&scene->compared->comparison, order[i]);
        if (!widths)
            return flm_error_memory(why);
        if (!add_compared(model, scene, widths, titles[order[i]], why))
            return false;
    }
    struct flm_tree tree = scene->panes[0].tree;
    tree.width = scene->compared->comparison.widths;
    struct flm_layout_options options = {.tree = tree, .order = FLM_ORDER_NAME};
    scene->compared->shared_layout = flm_layout_new(&options, why);
    return scene->compared->shared_layout != NULL;
}

static bool build(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    if (model->inverted)
        return flm_view_build_flame(model, scene, why);
    if (model->comparing.side_by_side)
        return build_side_by_side(model, scene, why);
    struct flm_pane *pane = flm_view_add_pane(model, scene, why);
    if (!pane)
        return false;
    pane->kind = FLM_PANE_STACKS;
    pane->tree = flm_tree_of(pane->profile, pane->metric);
    pane->tree.width = scene->compared->comparison.widths;
    if (pane->order == FLM_ORDER_SEEN)
        pane->order = FLM_ORDER_NAME; /* what is aligned has no times */
    return flm_pane_lay_out(pane, why);
}

static void describe(const struct flm_model *model, struct flm_text *out)
{
    flm_view_describe_direction(model, flm_view_comparison.title, out);
}

const struct flm_view flm_view_comparison = {
    .name = "compare",
    .title = "Comparison",
    .key = "6",
    .shows_changes = true,
    .is_available = is_available,
    .unavailable = "there is nothing to compare with: open a second profile, or say which part of "
                   "this one is before",
    .behind = &flm_view_flame,
    .can_build = can_build,
    .build = build,
    .describe = describe,
};
