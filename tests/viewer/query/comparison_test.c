#include "viewer/query/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/json_tree.h"
#include "support/profile/profiles.h"
#include "viewer/internal.h"
#include "wasm/query_json.h"

static const char after[] = "m;less 100\nm;more 300\nm;new 100\nm;one 1\n";
static const char before[] = "m;less 300\nm;more 100\nm;gone 100\n";

static struct flm_viewer *viewer(void)
{
    struct flm_viewer *v = flm_viewer_new(NULL);
    assert_non_null(v);
    flm_viewer_resize(v, 1000, 600, 1);
    assert_true(flm_viewer_take(v, FLM_VIEWER_AFTER, profile_of(after), "a.folded", NULL));
    assert_true(flm_viewer_take(v, FLM_VIEWER_BEFORE, profile_of(before), "b.folded", NULL));
    return v;
}

static void act(struct flm_viewer *v, const char *action)
{
    struct flm_error why = {0};
    if (!flm_viewer_do(v, flm_bytes_of(action), &why))
        fail_msg("%s: %s", action, why.text);
}

static struct json_tree *ask(struct flm_viewer *v, const char *question)
{
    struct flm_text text = {0};
    struct flm_error why = {0};
    if (!flm_query_json(v, flm_bytes_of(question), &text, &why))
        fail_msg("%s: %s", question, why.text);
    flm_text_putc(&text, 0);
    struct json_tree *tree = json_tree_parse(text.at);
    flm_text_clear(&text);
    return tree;
}

static void assert_word(const struct json_tree *object, const char *key, const char *expected)
{
    assert_string_equal(json_tree_get(object, key)->text, expected);
}

static void tools_tell_the_choices_the_parts_and_the_words(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer();
    act(v, "width sum");
    act(v, "delta self");
    act(v, "relative");
    act(v, "normalize-by less");
    act(v, "parts grown");
    struct json_tree *tools = ask(v, "tools");
    const struct json_tree *c = json_tree_get(tools, "comparison");
    assert_word(c, "before", "b.folded");
    assert_word(c, "after", "a.folded");
    assert_word(c, "width", "sum");
    assert_word(c, "color", "self");
    assert_word(c, "normalize", "function");
    assert_word(c, "palette", "red-blue");
    assert_word(c, "summary",
                "+0.2 % in total \xC2\xB7 similarity 0.4 \xC2\xB7 normalized: before "
                "\xC3\x97 0.3333, so that less is equal");
    const struct json_tree *parts = json_tree_get(c, "parts");
    assert_int_equal(parts->count, 4);
    static const char *const totals[] = {
        "101 samples (60.6 %) in 2 stacks", "267 samples (160 %) in 1 stack",
        "33.3 samples (20 %) in 1 stack", "0 samples (0 %) in 0 stacks"};
    for (size_t i = 0; i < 4; i++)
        assert_word(&parts->items[i], "total", totals[i]);
    assert_word(tools, "metric", "samples");
    assert_int_equal(json_tree_get(tools, "metrics")->count, 1);
    json_tree_free(tools);
    act(v, "compare-stop");
    tools = ask(v, "tools");
    assert_int_equal(json_tree_get(tools, "comparison")->kind, JSON_WORD);
    json_tree_free(tools);
    flm_viewer_free(v);
}

static void the_legend_has_tones_textures_and_actions(void **state)
{
    (void)state;
    static const char *const items[][4] = {
        {"appeared", "rising", "parts appeared", "#ea8751"},
        {"grown", "", "parts grown", "#ea8751"},
        {"same, or noise", "", "parts same", "#d9dbdd"},
        {"shrunk", "", "parts shrunk", "#4dacf6"},
        {"disappeared", "falling", "parts disappeared", "#4dacf6"},
    };
    struct flm_viewer *v = viewer();
    struct json_tree *legend = ask(v, "legend");
    const struct json_tree *list = json_tree_get(legend, "items");
    assert_int_equal(list->count, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_word(&list->items[i], "title", items[i][0]);
        assert_word(&list->items[i], "texture", items[i][1]);
        assert_word(&list->items[i], "color", items[i][3]);
        act(v, json_tree_get(&list->items[i], "action")->text);
    }
    assert_int_equal(v->model.comparing.kinds, (1u << FLM_CHANGE_KINDS) - 1);
    json_tree_free(legend);
    flm_viewer_free(v);
}

/* The row of a function; NULL. */
static const struct json_tree *row_of(const struct json_tree *answer, const char *title)
{
    const struct json_tree *rows = json_tree_get(answer, "rows");
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(json_tree_get(&rows->items[i], "title")->text, title) == 0)
            return &rows->items[i];
    return NULL;
}

static void rows_of_functions_tell_before_and_change_also_of_those_that_are_gone(void **state)
{
    (void)state;
    static const struct {
        const char *title, *before, *after, *change, *share;
    } cases[] = {{"more", "100", "300", "+200", "+200 %"},
                 {"less", "300", "100", "-200", "-66.7 %"},
                 {"new", "0", "100", "+100", "new"},
                 {"one", "0", "1", "+1", "new ?"},
                 {"gone", "100", "0", "-100", "gone"}};
    struct flm_viewer *v = viewer();
    for (int by_change = 0; by_change < 2; by_change++) {
        act(v, by_change ? "sort change" : "sort self");
        struct json_tree *top = ask(v, "top 0 100");
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const struct json_tree *row = row_of(top, cases[i].title);
            assert_non_null(row);
            assert_word(row, "before", cases[i].before);
            assert_word(row, "after", cases[i].after);
            assert_word(row, "change", cases[i].change);
            assert_word(row, "change_share", cases[i].share);
        }
        assert_word(top, "changes", by_change ? "total" : "self");
        const struct json_tree *rows = json_tree_get(top, "rows");
        assert_int_equal(rows->count, 6);
        if (by_change) { /* by how much in all: less and more 200, gone and new 100, one and m 1 */
            assert_word(&rows->items[0], "title", "less");
            assert_word(&rows->items[1], "title", "more");
            assert_word(&rows->items[2], "title", "gone");
        } else {
            assert_word(&rows->items[5], "title", "gone");
        }
        json_tree_free(top);
    }
    flm_viewer_free(v);
}

static void the_detail_and_the_tooltip_tell_both_values(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer();
    const struct flm_profile *p = flm_model_shown(&v->model);
    struct flm_node_ref ref = {0, FLM_NONE};
    assert_true(flm_viewer_update(v, NULL));
    for (uint32_t i = 0; i < p->sizes.node_count; i++)
        if (flm_bytes_are(flm_frame_function(p, p->node_frame[i]), "more"))
            ref.number = i;
    flm_viewer_select(v, ref);
    struct json_tree *detail = ask(v, "detail");
    const struct json_tree *values = json_tree_get(detail, "values");
    assert_int_equal(values->count, 1); /* the other side is told beside it */
    assert_word(&values->items[0], "name", "samples");
    assert_word(&values->items[0], "total_before", "100 samples");
    assert_word(&values->items[0], "total_after", "300 samples");
    assert_word(&values->items[0], "total_change", "+200 %");
    json_tree_free(detail);
    v->input.hovered = ref;
    v->input.hover_x = v->input.hover_y = 100;
    struct json_tree *hover = ask(v, "hover");
    assert_word(hover, "note", "100 samples before, 300 samples after: +200 samples (+200 %)");
    assert_word(&json_tree_get(hover, "lines")->items[0], "name", "total after");
    json_tree_free(hover);
    flm_viewer_free(v);
}

/* Whatever is wide: what there was before and is after, with the change's sign. */
static void callers_tell_the_change_with_its_sign(void **state)
{
    (void)state;
    static const char *const ways[][2] = {{"view compare", "invert"},
                                          {"view flame", "invert"},
                                          {"width before", "invert"},
                                          {"sandwich f", "width after"}};
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        struct flm_viewer *v = flm_viewer_new(NULL);
        flm_viewer_resize(v, 1000, 600, 1);
        assert_true(flm_viewer_take(v, FLM_VIEWER_AFTER,
                                    profile_of("m;less;f 100\nm;more;f 50\nm;other 350\n"),
                                    "a.folded", NULL));
        assert_true(flm_viewer_take(v, FLM_VIEWER_BEFORE,
                                    profile_of("m;less;f 300\nm;gone;f 200\n"), "b.folded", NULL));
        act(v, ways[way][0]);
        act(v, ways[way][1]);
        struct json_tree *tree = ask(v, "tree");
        const struct json_tree *f = row_of(tree, way == 3 ? "less" : "f");
        assert_word(f, "before", way == 3 ? "300" : "500");
        assert_word(f, "after", way == 3 ? "100" : "150");
        assert_word(f, "change", way == 3 ? "-200" : "-350");
        assert_word(f, "change_share", way == 3 ? "-66.7 %" : "-70 %");
        assert_word(f, "total", way == 3 ? "100" : "150");
        char action[40];
        sprintf(action, "select %.0f", json_tree_get(f, "node")->number);
        act(v, action);
        struct json_tree *detail = ask(v, "detail");
        assert_word(detail, "compared", "true");
        const struct json_tree *value = &json_tree_get(detail, "values")->items[0];
        assert_word(value, "total", way == 3 ? "100 samples" : "150 samples");
        assert_word(value, "total_before", way == 3 ? "300 samples" : "500 samples");
        assert_word(value, "self", "0 samples"); /* all of it is below a caller */
        assert_non_null(strstr(json_tree_get(detail, "note")->text,
                               way == 3 ? "-200 samples" : "-350 samples"));
        json_tree_free(detail);
        struct flm_node_ref ref = v->model.selected;
        struct flm_rectangle box = {.node = flm_pane_node(&v->scene.panes[ref.pane], ref.number)};
        v->input.hovered = ref;
        v->input.hovered_box = box;
        v->input.hover_x = v->input.hover_y = 1;
        struct json_tree *hover = ask(v, "hover");
        assert_word(&json_tree_get(hover, "lines")->items[0], "name", "total after");
        assert_word(&json_tree_get(hover, "lines")->items[0], "value",
                    way == 3 ? "100 samples" : "150 samples");
        assert_non_null(strstr(json_tree_get(hover, "note")->text, " before"));
        json_tree_free(hover);
        json_tree_free(tree);
        flm_viewer_free(v);
    }
}

/* ---- What a gate found significant ----------------------------------------------------------- */

struct stack {
    const char *function;
    double value, significant;
};

/* A side of a gate's report, as gate/verdict/significant.h makes it: m calls all of them. */
static struct flm_profile *side_of(const struct stack *stacks, size_t count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric value = flm_builder_metric(b, "samples", "samples");
    struct flm_metric significant = flm_builder_metric(b, FLM_METRIC_SIGNIFICANT, "samples");
    struct flm_node m = flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "m", 1));
    for (size_t i = 0; i < count; i++) {
        const char *name = stacks[i].function;
        struct flm_node node = flm_builder_child(b, m, flm_builder_function(b, name, strlen(name)));
        flm_builder_add(b, node, value, stacks[i].value);
        flm_builder_add(b, node, significant, stacks[i].significant);
    }
    flm_builder_note(b, FLM_NOTE_VERDICT, "FAIL: more grew", 15);
    return flm_builder_finish(b, NULL);
}

/* noise, which counting would call a change, is not significant; more is, but for 20. */
static struct flm_viewer *viewer_of_report(void)
{
    static const struct stack base[] = {
        {"less", 300, 200}, {"more", 100, 0}, {"noise", 1000, 0}, {"gone", 100, 100}};
    static const struct stack new[] = {
        {"less", 100, 0}, {"more", 300, 180}, {"noise", 2000, 0}, {"new", 100, 0}};
    struct flm_viewer *v = flm_viewer_new(NULL);
    assert_non_null(v);
    flm_viewer_resize(v, 1000, 600, 1);
    assert_true(flm_viewer_take(v, FLM_VIEWER_AFTER, side_of(new, 4), "new", NULL));
    assert_true(flm_viewer_take(v, FLM_VIEWER_BEFORE, side_of(base, 4), "base", NULL));
    return v;
}

static void what_is_not_significant_is_gray(void **state)
{
    (void)state;
    static const struct {
        const char *function, *note;
        int step;
        enum flm_mark mark;
        bool noise;
    } looks[] = {
        {"less", "300 samples before, 100 samples after: -200 samples (-66.7 %), significant", 0,
         FLM_MARK_NONE, false},
        {"more",
         "100 samples before, 300 samples after: +200 samples (+200 %), of which +180 samples "
         "significant",
         6, FLM_MARK_NONE, false},
        {"noise",
         "1,000 samples before, 2,000 samples after: +1,000 samples (+100 %), not significant",
         FLM_CHANGE_SAME, FLM_MARK_NONE, true},
        {"new", "0 samples before, 100 samples after: +100 samples (new), not significant",
         FLM_CHANGE_SAME, FLM_MARK_NONE, true},
        {"gone", "100 samples before, 0 samples after: -100 samples (gone), significant", 0,
         FLM_MARK_DISAPPEARED, false}};
    /* As it is, below other frames, and with callers as trees. */
    static const char *const ways[] = {"delta self", "apply hide:m", "sandwich m"};
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        struct flm_viewer *v = viewer_of_report();
        act(v, ways[way]);
        assert_true(flm_viewer_update(v, NULL));
        struct flm_pane *pane = &v->scene.panes[v->scene.pane_count - 1];
        for (uint32_t i = 0; pane->lazy && i < pane->tree.node_count; i++) /* it grows */
            assert_true(flm_pane_open_one(pane, i, NULL));
        for (size_t k = 0; k < sizeof looks / sizeof looks[0]; k++) {
            struct flm_text note = {0};
            struct flm_box box = {0};
            uint32_t node = 0;
            while (!flm_bytes_are(flm_frame_function(pane->profile, pane->tree.frame[node]),
                                  looks[k].function))
                assert_true(++node < pane->tree.node_count);
            struct flm_change change =
                flm_compared_change(pane, (struct flm_node){node}, FLM_CHANGE_OF_SUBTREE);
            assert_int_equal(change.noise, looks[k].noise);
            assert_ptr_equal(flm_compared_style(pane, (struct flm_node){node}, &box),
                             flm_change_tone(FLM_CHANGE_RED_BLUE, looks[k].step));
            assert_int_equal(box.mark, looks[k].mark);
            flm_compared_add_sentence(v, &note, &change);
            flm_text_putc(&note, 0);
            assert_string_equal(note.at, looks[k].note);
            flm_text_clear(&note);
        }
        flm_viewer_free(v);
    }
}

static void a_report_of_a_gate_says_its_verdict_and_what_is_significant(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_report();
    struct json_tree *tools = ask(v, "tools"), *legend = ask(v, "legend");
    const struct json_tree *items = json_tree_get(legend, "items");
    assert_word(json_tree_get(tools, "comparison"), "verdict", "FAIL: more grew");
    assert_int_equal(json_tree_get(tools, "metrics")->count,
                     1); /* what is significant is no metric */
    assert_word(&items->items[2], "title", "not significant");
    assert_word(&items->items[1], "share", "12 %"); /* 180 of 1,500 */
    json_tree_free(tools);
    json_tree_free(legend);
    for (int of_all = 0; of_all < 2; of_all++) {
        struct json_tree *top = ask(v, "top 0 100");
        assert_word(row_of(top, "noise"), "change_share", of_all ? "+100 %" : "+100 % ?");
        assert_word(row_of(top, "more"), "change_share", "+200 %");
        json_tree_free(top);
        act(v, "noise"); /* colored too */
    }
    flm_viewer_free(v);
}

/* A window so wide, painted. */
static struct json_tree *status_of(struct flm_viewer *v, uint32_t width)
{
    static uint32_t memory[2000 * 400];
    struct flm_pixels pixels = flm_pixels_of(memory, width, 400);
    flm_viewer_resize(v, width, 400, 1);
    flm_viewer_paint(v, &pixels, 1);
    return ask(v, "status");
}

/* m;new;inner is new, m;gone is gone: both are a hundredth of the width. */
static void boxes_too_narrow_to_be_hatched_are_counted_and_summed_once(void **state)
{
    (void)state;
    struct flm_viewer *v = flm_viewer_new(NULL);
    assert_non_null(v);
    flm_viewer_take(v, FLM_VIEWER_AFTER, profile_of("m;less 980\nm;new;inner 10\n"), "a", NULL);
    flm_viewer_take(v, FLM_VIEWER_BEFORE, profile_of("m;less 980\nm;gone 10\n"), "b", NULL);
    act(v, "view compare");
    act(v, "width sum");
    struct json_tree *status = status_of(v, 400);
    assert_word(status, "unhatched", "2 appeared (+10 samples), 1 disappeared (-10 samples)");
    json_tree_free(status);
    status = status_of(v, 2000);
    assert_null(json_tree_find(status, "unhatched"));
    json_tree_free(status);
    act(v, "delta self"); /* of new itself nothing is new */
    status = status_of(v, 400);
    assert_word(status, "unhatched", "1 appeared (+10 samples), 1 disappeared (-10 samples)");
    json_tree_free(status);
    act(v, "compare-stop");
    status = status_of(v, 400);
    assert_null(json_tree_find(status, "unhatched"));
    json_tree_free(status);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_tell_the_choices_the_parts_and_the_words),
        cmocka_unit_test(the_legend_has_tones_textures_and_actions),
        cmocka_unit_test(rows_of_functions_tell_before_and_change_also_of_those_that_are_gone),
        cmocka_unit_test(the_detail_and_the_tooltip_tell_both_values),
        cmocka_unit_test(callers_tell_the_change_with_its_sign),
        cmocka_unit_test(what_is_not_significant_is_gray),
        cmocka_unit_test(a_report_of_a_gate_says_its_verdict_and_what_is_significant),
        cmocka_unit_test(boxes_too_narrow_to_be_hatched_are_counted_and_summed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
