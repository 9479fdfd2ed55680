/* display.c - what is shown, and how: view, metric, order, direction, colors. */
#include <stdlib.h>

#include "algebra/operation/pattern.h"
#include "viewer/input/actions.h"
#include "viewer/internal.h"
#include "viewer/model/enum_names.h"

static bool choose(struct flm_bytes word, const struct flm_choice *choices, unsigned count,
                   int *chosen, struct flm_error *why)
{
    char buffer[200];
    struct flm_text words;
    int found = flm_choice_named(choices, count, word);
    if (found >= 0) {
        *chosen = found;
        return true;
    }
    flm_text_init_fixed(&words, buffer, sizeof buffer);
    for (unsigned i = 0; i < count; i++)
        flm_text_format(&words, "%s%s", i ? ", " : "", choices[i].word);
    return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is none of %.*s", (int)word.size, word.at,
                         (int)words.size, words.at);
}

/* The pattern that matches the function of a frame, and no other name. */
static bool set_focus(struct flm_viewer *v, uint32_t frame)
{
    struct flm_text pattern = {0};
    flm_pattern_add_exact(&pattern, flm_frame_function(flm_model_shown(&v->model), frame));
    bool good = !pattern.failed &&
                flm_viewer_keep(&v->model.focus, (struct flm_bytes){pattern.at, pattern.size});
    flm_text_clear(&pattern);
    return good;
}

/* The function that the sandwich is of stays selected: at the top of what it calls. */
static void select_chosen(struct flm_viewer *v, uint32_t frame)
{
    if (v->scene.pane_count < 2)
        return;
    const struct flm_pane *calls = &v->scene.panes[1];
    for (uint32_t i = 1; i < calls->tree.node_count; i = calls->tree.end[i])
        if (calls->tree.frame[i] == frame)
            flm_viewer_select(
                v, (struct flm_node_ref){1, flm_pane_number(calls, (struct flm_node){i})});
}

static bool act_view(struct flm_viewer *v, struct flm_bytes word, struct flm_error *why)
{
    int view;
    if (!choose(word, flm_view_choices, flm_view_count, &view, why))
        return false;
    if (view == FLM_VIEW_COMPARE && !flm_model_compares(&v->model))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "there is nothing to compare with: open a second profile, or say "
                             "what of this one is before");
    if (view == FLM_VIEW_CHART && v->scene.timeline.tracks.timed_count == 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "no sample of this profile has a time");
    uint32_t frame = flm_viewer_has_frame(v) ? flm_scene_frame(&v->scene, v->model.selected)
                                             : (uint32_t)FLM_NONE;
    if (view == FLM_VIEW_SANDWICH && frame != FLM_NONE && !set_focus(v, frame))
        return flm_error_memory(why);
    bool was_time = v->model.view == FLM_VIEW_CHART;
    v->model.view = (enum flm_view_kind)view;
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    if (!flm_viewer_update(v, why))
        return false;
    if (was_time != (view == FLM_VIEW_CHART))
        flm_viewer_fit(v); /* a part of all stacks is no time */
    if (view == FLM_VIEW_SANDWICH) {
        select_chosen(v, frame);
        flm_viewer_fit(v);
    }
    flm_viewer_history_push(v);
    return true;
}

/* Whether any function is of that pattern. */
static bool is_found(const struct flm_viewer *v, struct flm_bytes pattern, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    unsigned char *marks = malloc(p->sizes.frame_count);
    uint32_t matched = 0;
    if (!marks)
        return flm_error_memory(why);
    bool good = flm_pattern_mark(p, pattern, marks, &matched, why);
    free(marks);
    if (!good || matched > 0)
        return good;
    char buffer[400];
    struct flm_text there;
    flm_text_init_fixed(&there, buffer, sizeof buffer);
    flm_pattern_suggest(p, pattern, &there);
    return flm_error_set(why, FLM_ERROR_USAGE, "no frame matches '%.*s'%.*s", (int)pattern.size,
                         pattern.at, (int)there.size, there.at);
}

/* The sandwich of a pattern, or of what is selected. */
static bool act_sandwich(struct flm_viewer *v, struct flm_bytes pattern, struct flm_error *why)
{
    if (pattern.size > 0) {
        if (!is_found(v, pattern, why))
            return false;
        if (!flm_viewer_keep(&v->model.focus, pattern))
            return flm_error_memory(why);
        flm_viewer_select(v, (struct flm_node_ref){0, FLM_NONE});
    }
    return act_view(v, flm_bytes_of("sandwich"), why);
}

static bool set_metric(struct flm_viewer *v, uint32_t metric)
{
    v->model.metric = metric;
    flm_changed(&v->model, FLM_ASPECT_METRIC);
    flm_viewer_history_push(v);
    return true;
}

static bool act_metric(struct flm_viewer *v, struct flm_bytes name, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        if (flm_bytes_equal(flm_comparing_metric_name(&v->model, m), name))
            return set_metric(v, flm_comparing_metric(&v->model, m));
    return flm_error_set(why, FLM_ERROR_USAGE, "there is no metric '%.*s'", (int)name.size,
                         name.at);
}

static bool act_next_metric(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    uint32_t count = flm_model_shown(&v->model)->sizes.metric_count, next = v->model.metric,
             metric = next;
    do {
        next = (next + 1) % count;
        metric = flm_comparing_metric(&v->model, next);
    } while (metric != next && next != v->model.metric); /* a "before" is passed over */
    return set_metric(v, metric);
}

static bool has_metrics(const struct flm_viewer *v)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    return p && p->sizes.metric_count > 1;
}

static const struct flm_condition measured = {has_metrics, "this profile has only one metric"};

static bool act_order(struct flm_viewer *v, struct flm_bytes word, struct flm_error *why)
{
    int order;
    if (!choose(word, flm_order_choices, flm_order_count, &order, why))
        return false;
    v->model.order = (enum flm_sibling_order)order;
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    flm_viewer_history_push(v);
    return true;
}

static bool act_next_order(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    unsigned next = ((unsigned)v->model.order + 1) % flm_order_count;
    return act_order(v, flm_bytes_of(flm_order_word((int)next)), why);
}

static bool act_flip(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    if (v->scene.panes[0].kind == FLM_PANE_CHART)
        flm_viewer_tell(v, "other views are upside down now: a chart has its root at the top");
    if (v->scene.pane_count == 2 && v->model.view == FLM_VIEW_SANDWICH)
        flm_viewer_tell(v, "other views are upside down now: a sandwich has callers at the top");
    v->model.flame = !v->model.flame;
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    flm_viewer_history_push(v);
    return true;
}

static bool act_invert(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    v->model.inverted = !v->model.inverted;
    if (v->model.inverted && v->model.comparing.side_by_side)
        v->model.comparing.side_by_side = !flm_viewer_tell(v, "leaf first both are in one picture");
    if (v->model.view == FLM_VIEW_SANDWICH)
        v->model.view = flm_model_compares(&v->model) ? FLM_VIEW_COMPARE : FLM_VIEW_FLAME;
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    if (!flm_viewer_update(v, why))
        return false;
    flm_viewer_fit(v); /* what was zoomed to is a stack, and stacks now begin elsewhere */
    flm_viewer_history_push(v);
    return true;
}

/* The name of a mode; for a second metric its name behind it, for rules their lines. */
static bool act_color(struct flm_viewer *v, struct flm_bytes text, struct flm_error *why)
{
    size_t size = 0;
    while (size < text.size && text.at[size] != ' ')
        size++;
    size_t next = size + (size < text.size);
    enum flm_color_mode mode = flm_color_mode_named((struct flm_bytes){text.at, size});
    enum flm_color_mode before = v->model.color_mode;
    if (mode == FLM_COLOR_MODE_COUNT)
        return flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is no way to color", (int)text.size,
                             text.at);
    struct flm_text with = {0}, with_before = v->model.color_with;
    if (!flm_viewer_keep(&with, (struct flm_bytes){text.at + next, text.size - next}))
        return flm_error_memory(why);
    v->model.color_with = with;
    v->model.color_mode = mode;
    flm_changed(&v->model, FLM_ASPECT_COLORS);
    if (!flm_viewer_color(v, why)) {
        flm_text_clear(&v->model.color_with);
        v->model.color_with = with_before;
        v->model.color_mode = before;
        return false;
    }
    flm_text_clear(&with_before);
    flm_viewer_history_push(v);
    return true;
}

static bool act_sort(struct flm_viewer *v, struct flm_bytes column, struct flm_error *why)
{
    /* The same column again: the other way round. */
    bool again = flm_bytes_equal((struct flm_bytes){v->model.sort.at, v->model.sort.size}, column);
    struct flm_text sort = {0};
    flm_text_puts(&sort, again ? "-" : "");
    flm_text_add(&sort, column);
    if (sort.failed)
        return flm_error_memory(why);
    flm_text_clear(&v->model.sort);
    v->model.sort = sort;
    flm_changed(&v->model, FLM_ASPECT_ROWS);
    flm_viewer_history_push(v);
    return true;
}

static const struct flm_action actions[] = {
    {"view", "Show as", "flame|chart|sandwich|tree|top|compare",
     "1=flame 2=chart 3=sandwich 4=tree 5=top 6=compare", act_view, NULL},
    {"sandwich", "Callers and calls of", "PATTERN", NULL, act_sandwich, NULL},
    {"flip", "Turn upside down", NULL, "i", act_flip, NULL},
    {"invert", "Leaf first: callers below what they call", NULL, "I", act_invert, NULL},
    {"order", "Order of siblings", "name|total|seen", NULL, act_order, NULL},
    {"next-order", "Next order of siblings", NULL, "o", act_next_order, NULL},
    {"metric", "Show metric", "NAME", NULL, act_metric, &measured},
    {"next-metric", "Next metric", NULL, "t", act_next_metric, &measured},
    {"color", "Color by", "module|kind|function|file|self|total|metric NAME|rules LINES", NULL,
     act_color, NULL},
    {"sort", "Sort the table by", "COLUMN", NULL, act_sort, NULL},
};
const struct flm_action_group flm_view_actions = {"View", actions,
                                                  sizeof actions / sizeof actions[0]};
