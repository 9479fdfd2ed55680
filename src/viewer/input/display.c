/* display.c - view, metric, order, direction, colors. */
#include <stdlib.h>

#include "algebra/operation/pattern.h"
#include "viewer/input/actions.h"
#include "viewer/internal.h"
#include "viewer/views/views.h"

static int choose(struct flm_bytes name, flm_choices choices, struct flm_error *why)
{
    char buffer[200];
    struct flm_text names;
    int chosen = flm_choice_named(choices, name);
    if (chosen >= 0)
        return chosen;
    flm_text_init_fixed(&names, buffer, sizeof buffer);
    flm_choices_add_names(choices, ", ", &names);
    flm_error_set(why, FLM_ERROR_USAGE, "'%.*s' is none of %.*s", (int)name.size, name.at,
                  (int)names.size, names.at);
    return -1;
}

/* Whether the view has something to show. The summary is made where no query needed it yet. */
static bool is_available(struct flm_viewer *v, const struct flm_view *view, struct flm_error *why)
{
    if (!flm_cached_tables_summary(&v->scene.tables, flm_model_shown(&v->model), why))
        return false;
    return flm_view_is_available(view, &v->model, &v->scene) ||
           flm_error_set(why, FLM_ERROR_USAGE, "%s", view->unavailable);
}

/* A view of one function is of the selected one, which stays selected; without one, of what it was
 * of, or of the heaviest. */
static bool act_view(struct flm_viewer *v, struct flm_bytes name, struct flm_error *why)
{
    int chosen = choose(name, flm_view_choice, why);
    const struct flm_view *view = chosen < 0 ? NULL : flm_view_at((size_t)chosen);
    if (!view || !is_available(v, view, why))
        return false;
    bool is_of_function = view->set_function && flm_viewer_has_frame(v);
    uint32_t frame = flm_scene_frame(&v->scene, v->model.selected);
    if (is_of_function && !view->set_function(&v->model, frame))
        return flm_error_memory(why);
    bool was_over_time = flm_scene_is_over_time(&v->scene);
    bool was_open = view->set_function && v->model.focus.size == 0;
    if (v->model.view != view)
        v->model.code.from = v->model.view;
    v->model.view = view;
    flm_changed(&v->model, FLM_ASPECT_VIEW);
    if (!flm_viewer_update(v, why))
        return false;
    if (is_of_function && v->scene.view == view)
        flm_viewer_select(v, view->function_ref(&v->scene, frame));
    else if (was_open && v->scene.view == view)
        flm_viewer_select(v, view->function_ref(&v->scene, FLM_NONE));
    /* The visible span of stacks is not a span of time, and the span of all functions means nothing
     * for one of them. */
    if (view->set_function || was_over_time != flm_scene_is_over_time(&v->scene))
        flm_viewer_fit(v);
    flm_viewer_history_push(v);
    return true;
}

/* Whether the pattern matches any function. */
static bool matches_any(const struct flm_viewer *v, struct flm_bytes pattern, struct flm_error *why)
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
    flm_pattern_suggest(p, pattern, NULL, &there);
    return flm_error_set(why, FLM_ERROR_USAGE, "no frame matches '%.*s'%.*s", (int)pattern.size,
                         pattern.at, (int)there.size, there.at);
}

/* The sandwich of a pattern, or of the selected function. */
static bool act_sandwich(struct flm_viewer *v, struct flm_bytes pattern, struct flm_error *why)
{
    if (pattern.size > 0) {
        if (!matches_any(v, pattern, why))
            return false;
        if (!flm_model_set_text(&v->model.focus, pattern))
            return flm_error_memory(why);
        flm_viewer_select(v, (struct flm_node_ref){0, FLM_NONE});
    }
    return act_view(v, flm_bytes_of(flm_view_sandwich.name), why);
}

static bool act_callers(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    return act_sandwich(v, none, why);
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

static bool set_order(struct flm_viewer *v, int order)
{
    v->model.order = (enum flm_sibling_order)order;
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    flm_viewer_history_push(v);
    return true;
}

static bool act_order(struct flm_viewer *v, struct flm_bytes name, struct flm_error *why)
{
    int order = choose(name, flm_order_choice, why);
    return order >= 0 && set_order(v, order);
}

static bool act_next_order(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    size_t next = (size_t)v->model.order + 1;
    return set_order(v, flm_order_choice(next).name ? (int)next : 0);
}

static bool act_flip(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    if (v->scene.view->fixed_direction) {
        struct flm_error notice = {0};
        flm_error_set(&notice, FLM_ERROR_USAGE, "other views are upside down now: %s",
                      v->scene.view->fixed_direction);
        flm_viewer_notify(v, notice.text);
    }
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
        v->model.comparing.side_by_side =
            !flm_viewer_notify(v, "inverted, both sides are in one picture");
    if (v->model.view->has_both_sides)
        v->model.view = flm_view_default(flm_model_compares(&v->model));
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    if (!flm_viewer_update(v, why))
        return false;
    flm_viewer_fit(v); /* the zoom was to a stack, which is elsewhere now */
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
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no color mode '%.*s'", (int)text.size,
                             text.at);
    struct flm_text with = {0}, with_before = v->model.color_with;
    if (!flm_model_set_text(&with, (struct flm_bytes){text.at + next, text.size - next}))
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

/* Whether the table has such a column. */
static bool has_column(const struct flm_viewer *v, enum flm_ranking_key key)
{
    bool is_change = key == FLM_RANK_CHANGE || key == FLM_RANK_SELF_CHANGE;
    return (!is_change || v->scene.compared) &&
           (key != FLM_RANK_SAMPLES || v->scene.tables.samples);
}

static struct flm_ranking_order sorted_by(const struct flm_viewer *v)
{
    return flm_ranking_order_of((struct flm_bytes){v->model.sort.at, v->model.sort.size});
}

static bool sort_by_next(struct flm_viewer *v, int step, struct flm_error *why)
{
    int key = (int)sorted_by(v).key;
    if (!flm_viewer_update(v, why) ||
        !flm_cached_tables_measured(
            &v->scene.tables, flm_model_shown(&v->model),
            (struct flm_metric){flm_comparing_metric(&v->model, v->model.metric)}, why))
        return false;
    do
        key = (key + step + FLM_RANK_KEYS) % FLM_RANK_KEYS;
    while (!has_column(v, (enum flm_ranking_key)key));
    return act_sort(v, flm_bytes_of(flm_ranking_key_name((enum flm_ranking_key)key)), why);
}

static bool act_next_sort(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return sort_by_next(v, 1, why);
}

static bool act_previous_sort(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    return sort_by_next(v, -1, why);
}

/* Sorting by the same column again turns it round, and a third time back. */
static bool act_reverse_sort(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    const char *name = flm_ranking_key_name(sorted_by(v).key);
    if (v->model.sort.size == 0 && !flm_model_set_text(&v->model.sort, flm_bytes_of(name)))
        return flm_error_memory(why);
    return act_sort(v, flm_bytes_of(name), why);
}

static bool has_table(const struct flm_viewer *v)
{
    return v->model.view->table && flm_model_shown(&v->model);
}

static const struct flm_condition tabled = {has_table, "there is no table to sort"};

static const struct flm_action_argument a_view = {"VIEW", FLM_GIVEN_CHOICE, flm_view_choice};
static const struct flm_action_argument an_order = {"ORDER", FLM_GIVEN_CHOICE, flm_order_choice};
static const struct flm_action_argument a_metric = {"NAME", FLM_GIVEN_METRIC, NULL};
static const struct flm_action_argument a_color_mode = {
    "module|kind|function|file|self|total|metric NAME|rules LINES", FLM_GIVEN_WORD, NULL};
static const struct flm_action_argument a_column = {"COLUMN", FLM_GIVEN_CHOICE, flm_ranking_choice};

static const struct flm_action actions[] = {
    {"view", "Show as", &a_view, NULL, act_view, NULL, "tab"},
    {"sandwich", "Callers and callees of", &flm_a_pattern, NULL, act_sandwich, NULL, "butterfly"},
    {"callers", "Callers and callees of the selected function", NULL, NULL, act_callers,
     &flm_on_frame, "sandwich butterfly callees"},
    {"flip", "Root at the bottom, or at the top", NULL, "i", act_flip, NULL,
     "icicle flame direction root top bottom reverse turn upside down"},
    {"invert", "Inverted: callers below their callees", NULL, "I", act_invert, NULL,
     "bottom-up reverse backtrace leaf first"},
    {"order", "Order of siblings", &an_order, NULL, act_order, NULL, "sort left heavy"},
    {"next-order", "Next order of siblings", NULL, "o", act_next_order, NULL, "sort"},
    {"metric", "Show metric", &a_metric, NULL, act_metric, &measured, "event unit weight"},
    {"next-metric", "Next metric", NULL, "t", act_next_metric, &measured, "event unit weight"},
    {"color", "Color by", &a_color_mode, NULL, act_color, NULL, "colour palette hue"},
    {"sort", "Sort the table by", &a_column, NULL, act_sort, NULL, "order ascending descending"},
    {"next-sort", "Sort by the next column", NULL, ">", act_next_sort, &tabled, "order table"},
    {"previous-sort", "Sort by the previous column", NULL, "<", act_previous_sort, &tabled,
     "order table"},
    {"reverse-sort", "Sort the other way round", NULL, NULL, act_reverse_sort, &tabled,
     "order table ascending descending"},
};
const struct flm_action_group flm_display_actions = {"View", actions,
                                                     sizeof actions / sizeof actions[0]};
