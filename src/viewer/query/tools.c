/* tools.c - what can be done ("hello"), what is shown and how ("tools"), and what was done
 * to the profile first ("chips"). */
#include "draw/color/color_mode.h"
#include "draw/text/quantity.h"
#include "viewer/input/actions.h"
#include "viewer/model/enum_names.h"
#include "viewer/query/internal.h"
#include "viewer/query/write_json.h"

/* ---- What can be done ------------------------------------------------------------------------ */

static void tell_action(struct flm_telling *t, const char *group, const struct flm_action *action)
{
    flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
    flm_tell_text(t, "name", action->name);
    flm_tell_text(t, "title", action->title);
    flm_tell_text(t, "keys", action->keys);
    flm_tell_text(t, "group", group);
    flm_tell_text(t, "argument", action->argument);
    flm_json_end(&t->json);
}

bool flm_answer_hello(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                      struct flm_error *why)
{
    (void)argument;
    struct flm_telling t;
    size_t count;
    const struct flm_action_group *const *groups = flm_action_groups(&count);
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
    flm_tell_text(&t, "version", FLAMEL_VERSION);
    flm_json_begin(&t.json, "actions", FLM_JSON_ARRAY);
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < groups[g]->count; i++)
            tell_action(&t, groups[g]->title, &groups[g]->at[i]);
    flm_json_end(&t.json);
    flm_json_begin(&t.json, "groups", FLM_JSON_ARRAY_LINE);
    for (size_t g = 0; g < count; g++)
        flm_tell_text(&t, NULL, groups[g]->title);
    flm_json_end(&t.json);
    flm_json_end(&t.json);
    return flm_tell_end(&t, why);
}

/* ---- What is shown --------------------------------------------------------------------------- */

/* Whether a view has something to show. */
static bool is_offered(const struct flm_telling *t, int view)
{
    if (!t->profile)
        return false;
    if (view == FLM_VIEW_CHART)
        return t->viewer->scene.tables.has_summary &&
               t->viewer->scene.tables.summary.timed_samples > 0;
    if (view == FLM_VIEW_COMPARE)
        return flm_model_compares(&t->viewer->model);
    return true;
}

static void tell_views(struct flm_telling *t)
{
    flm_tell_text(t, "view", flm_view_word(t->viewer->model.view));
    flm_json_begin(&t->json, "views", FLM_JSON_ARRAY);
    for (unsigned i = 0; i < flm_view_count; i++) {
        flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_tell_text(t, "name", flm_view_choices[i].word);
        flm_tell_text(t, "title", flm_view_choices[i].title);
        flm_json_add_bool(&t->json, "on", is_offered(t, (int)i));
        flm_json_end(&t->json);
    }
    flm_json_end(&t->json);
}

static void tell_metrics(struct flm_telling *t)
{
    const struct flm_profile *p = t->profile;
    uint32_t count = p ? p->sizes.metric_count : 0;
    if (count > 0)
        flm_json_add_text(&t->json, "metric",
                          flm_comparing_metric_name(&t->viewer->model, t->metric.index));
    else
        flm_json_add_null(&t->json, "metric");
    flm_json_begin(&t->json, "metrics", FLM_JSON_ARRAY);
    for (uint32_t m = 0; m < count; m++) {
        struct flm_bytes unit = flm_string_bytes(p, p->metrics[m].unit);
        if (flm_compared_is_aside(t->viewer, m))
            continue;
        flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(&t->json, "name", flm_comparing_metric_name(&t->viewer->model, m));
        flm_json_add_text(&t->json, "unit", unit);
        flm_quantity_add(flm_tell_words_begin(t), t->viewer->scene.tables.summary.metric[m].total,
                         unit);
        flm_tell_words(t, "total");
        flm_json_end(&t->json);
    }
    flm_json_end(&t->json);
}

static void tell_orders(struct flm_telling *t)
{
    flm_tell_text(t, "order", flm_order_word(t->viewer->model.order));
    flm_json_begin(&t->json, "orders", FLM_JSON_ARRAY);
    for (unsigned i = 0; i < flm_order_count; i++) {
        flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_tell_text(t, "name", flm_order_choices[i].word);
        flm_tell_text(t, "title", flm_order_choices[i].title);
        flm_json_end(&t->json);
    }
    flm_json_end(&t->json);
}

/* Those that take words of their own, a metric or rules, are chosen from the palette. */
static void tell_color_modes(struct flm_telling *t)
{
    flm_tell_text(t, "colors", flm_color_mode_name(t->viewer->model.color_mode));
    flm_json_begin(&t->json, "color_modes", FLM_JSON_ARRAY);
    for (int mode = 0; mode < FLM_COLOR_MODE_COUNT; mode++) {
        bool needs_words = mode == FLM_COLOR_METRIC || mode == FLM_COLOR_RULES;
        if (needs_words && (int)t->viewer->model.color_mode != mode)
            continue;
        flm_json_begin(&t->json, NULL, FLM_JSON_OBJECT_LINE);
        flm_tell_text(t, "name", flm_color_mode_name((enum flm_color_mode)mode));
        flm_tell_text(t, "title", flm_color_mode_title((enum flm_color_mode)mode));
        flm_json_end(&t->json);
    }
    flm_json_end(&t->json);
}

bool flm_answer_tools(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                      struct flm_error *why)
{
    (void)argument;
    struct flm_telling t;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
    flm_tell_text(&t, "name", v->model.name[FLM_VIEWER_AFTER]);
    flm_tell_text(&t, "base", v->model.name[FLM_VIEWER_BEFORE]);
    tell_views(&t);
    tell_metrics(&t);
    tell_orders(&t);
    flm_json_add_bool(&t.json, "up", v->model.flame);
    flm_json_add_bool(&t.json, "inverted", v->model.inverted);
    tell_color_modes(&t);
    flm_json_add_bool(&t.json, "can_back", v->model.history.at > 0);
    flm_json_add_bool(&t.json, "can_forward", v->model.history.at + 1 < v->model.history.count);
    flm_json_add_bool(&t.json, "panel", !v->model.hides_panel);
    flm_compared_add_tools(v, &t.json);
    flm_json_end(&t.json);
    return flm_tell_end(&t, why);
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* "hide parse" for hide:parse; what is very long is cut off: the whole text stands beside it. */
static void tell_operation_title(struct flm_telling *t, const char *text)
{
    enum { LONGEST = 48 };
    struct flm_text *out = flm_tell_words_begin(t);
    bool is_name = true;
    for (size_t i = 0; text[i]; i++) {
        bool is_letter = ((unsigned char)text[i] & 0xC0) != 0x80; /* UTF-8 is not cut apart */
        if (is_letter && out->size >= LONGEST) {
            flm_text_puts(out, "\xE2\x80\xA6");
            break;
        }
        flm_text_putc(out, is_name && text[i] == ':' ? ' ' : text[i]);
        is_name = is_name && text[i] != ':';
    }
    flm_tell_words(t, "title");
}

bool flm_answer_chips(struct flm_viewer *v, struct flm_bytes argument, struct flm_text *out,
                      struct flm_error *why)
{
    (void)argument;
    struct flm_telling t;
    if (!flm_tell_begin(&t, v, out, why))
        return false;
    flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT);
    flm_json_begin(&t.json, "operations", FLM_JSON_ARRAY);
    for (size_t i = 0; i < v->model.operations.count; i++) {
        const struct flm_operation *operation = &v->model.operations.at[i];
        flm_json_begin(&t.json, NULL, FLM_JSON_OBJECT_LINE);
        flm_tell_text(&t, "text", operation->text);
        tell_operation_title(&t, operation->text);
        flm_json_add_bool(&t.json, "on", operation->on);
        flm_tell_text(&t, "note", operation->note[0] ? operation->note : NULL);
        flm_json_end(&t.json);
    }
    flm_json_end(&t.json);
    flm_json_add_bool(&t.json, "can_undo", flm_operations_can_undo(&v->model.operations));
    flm_json_add_bool(&t.json, "can_redo", flm_operations_can_redo(&v->model.operations));
    flm_json_end(&t.json);
    return flm_tell_end(&t, why);
}
