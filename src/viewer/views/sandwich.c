/* sandwich.c - one function, or all that match a pattern: callers, growing up, above callees. The
 * table of functions stands beside it. */
#include <math.h>
#include <stdlib.h>

#include "algebra/operation/pattern.h"
#include "viewer/views/internal.h"

/* Whether the pattern matches anything; in a profile after transforms it may not. */
static bool matches_any(const struct flm_model *model, bool *any, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    unsigned char *marks = malloc(p->sizes.frame_count);
    struct flm_bytes pattern = {model->focus.at, model->focus.size};
    uint32_t matched = 0;
    *any = false;
    if (!marks)
        return flm_error_memory(why);
    struct flm_error refused = {0};
    bool good = pattern.size == 0 || flm_pattern_mark(p, pattern, marks, &matched, &refused);
    free(marks);
    *any = matched > 0;
    return good || refused.kind != FLM_ERROR_MEMORY || flm_error_memory(why);
}

/* A frame of the function with the largest self; 0: no function has any. Frames are sorted by
 * name. */
static uint32_t heaviest(const struct flm_profile *p, const double *self_of)
{
    uint32_t best = 0;
    double largest = 0, sum = 0;
    for (uint32_t i = 1; i < p->sizes.frame_count; i++) {
        bool is_same = i > 1 && p->frames[i].function == p->frames[i - 1].function;
        sum = (is_same ? sum : 0) + self_of[i];
        if (sum > largest) {
            largest = sum;
            best = i;
        }
    }
    return best;
}

static bool set_function(struct flm_model *model, uint32_t frame);

/* Without a function, the heaviest one: a sandwich is never empty. */
static bool prepare(struct flm_model *model, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    bool any;
    if (!matches_any(model, &any, why))
        return false;
    if (any)
        return true;
    double *self_of = calloc(p->sizes.frame_count, sizeof *self_of);
    if (!self_of)
        return flm_error_memory(why);
    const double *self =
        model->metric < p->sizes.metric_count ? flm_self_column(p, model->metric) : NULL;
    for (uint32_t i = 0; self && i < p->sizes.node_count; i++)
        self_of[p->node_frame[i]] += fabs(self[i]);
    uint32_t frame = heaviest(p, self_of);
    free(self_of);
    return frame == 0 || set_function(model, frame) || flm_error_memory(why);
}

static bool can_build(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    (void)scene, (void)why;
    return model->focus.size > 0;
}

static bool add_half(const struct flm_model *model, struct flm_scene *scene,
                     enum flm_lazy_tree_kind kind, const unsigned char *marks,
                     struct flm_error *why)
{
    bool is_callers = kind == FLM_LAZY_TREE_CALLERS;
    struct flm_pane *pane = flm_view_add_pane(model, scene, why);
    if (!pane || !flm_view_fill_lazy(scene, pane, kind, marks, why))
        return false;
    pane->upwards = is_callers;
    pane->first_level = is_callers ? 2 : 1;
    pane->title = is_callers ? "callers" : "callees";
    return true;
}

/* Level 0 of both is everything that was chosen, level 1 the chosen functions themselves: they are
 * drawn once, at the top of their callees. */
static bool build(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    unsigned char *marks = malloc(p->sizes.frame_count);
    uint32_t matched = 0;
    if (!marks)
        return flm_error_memory(why);
    struct flm_bytes pattern = {model->focus.at, model->focus.size};
    bool good = flm_pattern_mark(p, pattern, marks, &matched, why) &&
                add_half(model, scene, FLM_LAZY_TREE_CALLERS, marks, why) &&
                add_half(model, scene, FLM_LAZY_TREE_CALLEES, marks, why);
    free(marks);
    return good;
}

/* The pattern that matches the function of a frame, and no other name. */
static bool set_function(struct flm_model *model, uint32_t frame)
{
    struct flm_text pattern = {0};
    flm_pattern_add_exact(&pattern, flm_frame_function(flm_model_shown(model), frame));
    bool good = !pattern.failed &&
                flm_model_set_text(&model->focus, (struct flm_bytes){pattern.at, pattern.size});
    flm_text_clear(&pattern);
    return good;
}

/* At the top of its callees, unless it has no width there. */
static struct flm_node_ref function_ref(const struct flm_scene *scene, uint32_t frame)
{
    const struct flm_pane *callees = &scene->panes[1];
    for (uint32_t i = 1; i < callees->tree.node_count; i = callees->tree.end[i])
        if ((callees->tree.frame[i] == frame || frame == FLM_NONE) &&
            flm_layout_total(callees->layout, (struct flm_node){i}) > 0)
            return (struct flm_node_ref){1, flm_pane_number(callees, (struct flm_node){i})};
    return flm_node_ref_none();
}

static void describe(const struct flm_model *model, struct flm_text *out)
{
    flm_text_puts(out, flm_view_sandwich.title);
    flm_text_puts(out, " of ");
    flm_text_add(out, (struct flm_bytes){model->focus.at, model->focus.size});
}

const struct flm_view flm_view_sandwich = {
    .name = "sandwich",
    .title = "Sandwich",
    .key = "3",
    .table = "top",
    .is_beside = true,
    .has_halves = true,
    .shows_changes = true,
    .has_both_sides = true,
    .fixed_direction = "a sandwich has callers at the top",
    .behind = &flm_view_flame,
    .prepare = prepare,
    .can_build = can_build,
    .build = build,
    .set_function = set_function,
    .function_ref = function_ref,
    .describe = describe,
};
