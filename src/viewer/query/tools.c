/* tools.c - "hello": the actions; "tools": the current view, metric ..., and the choices; "chips":
 * the transforms. */
#include <math.h>

#include "draw/color/color_mode.h"
#include "draw/text/quantity.h"
#include "viewer/input/actions.h"
#include "viewer/query/internal.h"
#include "viewer/views/views.h"

/* ---- What can be done ------------------------------------------------------------------------ */

/* {NULL} for nothing. */
static struct flm_bytes scratch_or_none(struct flm_query *q)
{
    return q->scratch.size > 0 ? flm_query_scratch_copy(q) : (struct flm_bytes){NULL, 0};
}

static struct flm_bytes keys_of(struct flm_query *q, const struct flm_action *action)
{
    flm_action_add_keys(action, flm_query_scratch(q));
    return scratch_or_none(q);
}

static struct flm_bytes argument_of(struct flm_query *q, const struct flm_action *action)
{
    flm_action_add_argument(action, flm_query_scratch(q));
    return scratch_or_none(q);
}

static bool list_actions(struct flm_query *q, struct flm_response_hello *hello)
{
    size_t count, actions = 0;
    const struct flm_action_group *const *groups = flm_action_groups(&count);
    for (size_t g = 0; g < count; g++)
        actions += groups[g]->count;
    hello->actions.at = flm_query_take(q, actions, sizeof *hello->actions.at);
    hello->groups.at = flm_query_take(q, count, sizeof *hello->groups.at);
    if (!hello->actions.at || !hello->groups.at)
        return false;
    for (size_t g = 0; g < count; g++) {
        hello->groups.at[hello->groups.count++].title = flm_query_text(q, groups[g]->title);
        for (size_t i = 0; i < groups[g]->count; i++) {
            const struct flm_action *action = &groups[g]->at[i];
            hello->actions.at[hello->actions.count++] = (struct flm_response_action){
                .name = flm_query_text(q, action->name),
                .title = flm_query_text(q, action->title),
                .keys = keys_of(q, action),
                .group = flm_query_text(q, groups[g]->title),
                .argument = argument_of(q, action),
            };
        }
    }
    return true;
}

bool flm_query_hello(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                     struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    struct flm_response_hello *hello = flm_query_take(&q, 1, sizeof *hello);
    if (hello && list_actions(&q, hello))
        hello->version = flm_query_text(&q, FLAMEL_VERSION);
    response->hello = hello;
    return flm_query_end(&q, why);
}

/* ---- What is shown --------------------------------------------------------------------------- */

static void list_views(struct flm_query *q, struct flm_response_tools *tools)
{
    const struct flm_viewer *v = q->viewer;
    const struct flm_view *view;
    for (size_t i = 0; (view = flm_view_at(i)); i++)
        tools->views.at[tools->views.count++] = (struct flm_response_view){
            .name = flm_query_text(q, view->name),
            .title = flm_query_text(q, view->title),
            .table = flm_query_text(q, view->table),
            .beside = view->is_beside,
            .on = q->profile && flm_view_is_available(view, &v->model, &v->scene),
        };
}

static size_t count_of(flm_choices choices)
{
    size_t count = 0;
    while (choices(count).name)
        count++;
    return count;
}

static bool list_choices(struct flm_query *q, struct flm_response_tools *tools)
{
    const struct flm_model *model = &q->viewer->model;
    tools->views.at = flm_query_take(q, count_of(flm_view_choice), sizeof *tools->views.at);
    tools->orders.at = flm_query_take(q, count_of(flm_order_choice), sizeof *tools->orders.at);
    tools->color_modes.at = flm_query_take(q, FLM_COLOR_MODE_COUNT, sizeof *tools->color_modes.at);
    if (!tools->views.at || !tools->orders.at || !tools->color_modes.at)
        return false;
    list_views(q, tools);
    struct flm_choice order;
    for (size_t i = 0; (order = flm_order_choice(i)).name; i++)
        tools->orders.at[tools->orders.count++] = (struct flm_response_choice){
            flm_query_text(q, order.name), flm_query_text(q, order.title)};
    for (int i = 0; i < FLM_COLOR_MODE_COUNT; i++) {
        enum flm_color_mode mode = (enum flm_color_mode)i;
        /* Those that take an argument, a metric or rules, are chosen from the palette. */
        bool has_argument = mode == FLM_COLOR_METRIC || mode == FLM_COLOR_RULES;
        if (!has_argument || model->color_mode == mode)
            tools->color_modes.at[tools->color_modes.count++] =
                (struct flm_response_choice){flm_query_text(q, flm_color_mode_name(mode)),
                                             flm_query_text(q, flm_color_mode_title(mode))};
    }
    return true;
}

static bool list_metrics(struct flm_query *q, struct flm_response_tools *tools)
{
    const struct flm_profile *p = q->profile;
    const struct flm_model *model = &q->viewer->model;
    uint32_t count = p ? p->sizes.metric_count : 0;
    tools->metrics.at = flm_query_take(q, count, sizeof *tools->metrics.at);
    if (!tools->metrics.at)
        return false;
    if (count > 0)
        tools->metric = flm_query_copy(q, flm_comparing_metric_name(model, q->metric.index));
    for (uint32_t m = 0; m < count; m++) {
        struct flm_bytes unit = flm_string_bytes(p, p->metrics[m].unit);
        if (flm_compared_is_aside(q->viewer, m))
            continue;
        struct flm_response_metric *metric = &tools->metrics.at[tools->metrics.count++];
        metric->name = flm_query_copy(q, flm_comparing_metric_name(model, m));
        metric->unit = flm_query_copy(q, unit);
        flm_quantity_add(flm_query_scratch(q), q->viewer->scene.tables.summary.metric[m].total,
                         unit);
        metric->total = flm_query_scratch_copy(q);
    }
    return true;
}

bool flm_query_tools(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                     struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    struct flm_response_tools *tools = flm_query_take(&q, 1, sizeof *tools);
    response->tools = tools;
    if (!tools || !list_choices(&q, tools) || !list_metrics(&q, tools))
        return flm_query_end(&q, why);
    tools->name = flm_query_text(&q, v->model.name[FLM_VIEWER_AFTER]);
    tools->base = flm_query_text(&q, v->model.name[FLM_VIEWER_BEFORE]);
    tools->view = flm_query_text(&q, v->model.view->name);
    tools->order = flm_query_text(&q, flm_order_choice(v->model.order).name);
    tools->colors = flm_query_text(&q, flm_color_mode_name(v->model.color_mode));
    tools->up = v->model.flame;
    tools->inverted = v->model.inverted;
    tools->can_back = v->model.history.current > 0;
    tools->can_forward = v->model.history.current + 1 < v->model.history.steps.count;
    tools->panel = !v->model.hides_panel;
    tools->comparison = flm_query_comparison(&q);
    return flm_query_end(&q, why);
}

/* ---- Transforms ------------------------------------------------------------------------------ */

/* "hide parse" for hide:parse, "my code" for my-code; long texts are cut off: the whole text is a member too. */
static struct flm_bytes title_of(struct flm_query *q, const char *text)
{
    enum { LONGEST = 48 };
    struct flm_text *out = flm_query_scratch(q);
    bool is_name = true;
    for (size_t i = 0; text[i]; i++) {
        bool is_letter = ((unsigned char)text[i] & 0xC0) != 0x80; /* UTF-8 is not cut apart */
        if (is_letter && out->size >= LONGEST) {
            flm_text_puts(out, "\xE2\x80\xA6");
            break;
        }
        flm_text_putc(out, is_name && flm_is_one_of(text[i], ":-") ? ' ' : text[i]);
        is_name = is_name && text[i] != ':';
    }
    return flm_query_scratch_copy(q);
}

/* The metric that is shown, of the opened profile: in a comparison the shown one has more. -1:
 * none. */
static int opened_metric(const struct flm_query *q)
{
    const struct flm_profile *opened = q->viewer->model.operations.opened;
    if (!opened || !q->profile || q->profile->sizes.metric_count == 0)
        return -1;
    struct flm_bytes name = flm_comparing_metric_name(&q->viewer->model, q->metric.index);
    for (uint32_t m = 0; m < opened->sizes.metric_count; m++)
        if (flm_bytes_equal(flm_string_bytes(opened, opened->metrics[m].name), name))
            return (int)m;
    return -1;
}

/* How much of the total it removed; where that is nothing, how many frames, or by how much it made
 * stacks shorter. `all` is the total of
 * the opened profile. Rounding of sums is not a loss. */
static void add_removed(struct flm_query *q, const struct flm_operation *operation, int metric,
                        double all, struct flm_response_chip *chip)
{
    uint32_t count = operation->metric_count, frames = operation->removed_frames;
    double gone = 0;
    if (!operation->on)
        return;
    /* Behind "metric:" there is only one. */
    if (operation->removed && metric >= 0 && ((uint32_t)metric < count || count == 1))
        gone = operation->removed[(uint32_t)metric < count ? metric : 0];
    struct flm_text *text = flm_query_scratch(q);
    if (gone > 1e-9 * all) {
        flm_percent_add(text, gone, all);
        chip->removed = flm_query_scratch_copy(q);
        text = flm_query_scratch(q);
        flm_text_puts(text, "removes ");
        flm_quantity_add(text, gone, q->unit);
        flm_text_puts(text, ", ");
        flm_text_add(text, chip->removed);
        flm_text_puts(text, " of total");
        chip->removed_exact = flm_query_scratch_copy(q);
    } else if (frames > 0) {
        flm_text_format(text, "%u %s", frames, frames == 1 ? "frame" : "frames");
        chip->removed = flm_query_scratch_copy(q);
        text = flm_query_scratch(q);
        flm_text_format(text, "removes %u %s, and nothing of the total", frames,
                        frames == 1 ? "frame" : "frames");
        chip->removed_exact = flm_query_scratch_copy(q);
    } else if (operation->removed_levels > 0) {
        uint32_t levels = operation->removed_levels;
        flm_text_format(text, "%u %s", levels, levels == 1 ? "level" : "levels");
        chip->removed = flm_query_scratch_copy(q);
        text = flm_query_scratch(q);
        flm_text_format(text,
                        "makes the deepest stack %u %s shorter, and removes nothing of the total",
                        levels, levels == 1 ? "frame" : "frames");
        chip->removed_exact = flm_query_scratch_copy(q);
    }
}

bool flm_query_chips(struct flm_viewer *v, struct flm_bytes argument, struct flm_response *response,
                     struct flm_error *why)
{
    (void)argument;
    struct flm_query q;
    const struct flm_operations *operations = &v->model.operations;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    struct flm_response_chips *chips = flm_query_take(&q, 1, sizeof *chips);
    struct flm_response_chip *chip = flm_query_take(&q, operations->count, sizeof *chip);
    response->chips = chips;
    if (!chips || !chip)
        return flm_query_end(&q, why);
    chips->operations.at = chip;
    chips->operations.count = operations->count;
    int metric = opened_metric(&q);
    double all = 0;
    for (uint32_t i = 0;
         metric >= 0 && operations->count && i < operations->opened->sizes.node_count; i++)
        all += fabs(flm_self_column(operations->opened, (uint32_t)metric)[i]);
    for (size_t i = 0; i < operations->count; i++) {
        const struct flm_operation *operation = &operations->at[i];
        chip[i].text = flm_query_text(&q, operation->text);
        chip[i].title = title_of(&q, operation->text);
        chip[i].note = flm_query_text(&q, operation->note[0] ? operation->note : NULL);
        chip[i].on = operation->on;
        add_removed(&q, operation, metric, all, &chip[i]);
    }
    chips->can_undo = flm_operations_can_undo(operations);
    chips->can_redo = flm_operations_can_redo(operations);
    return flm_query_end(&q, why);
}
