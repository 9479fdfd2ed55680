#include "viewer/scene/compared.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/allocation.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"
#include "viewer/input/actions.h"
#include "viewer/internal.h"
#include "viewer/state.h"
#include "wasm/query_json.h"

static struct flm_viewer *viewer_of(const char *after, const char *before)
{
    struct flm_error why = {0};
    struct flm_viewer *v = flm_viewer_new(&why);
    assert_non_null(v);
    flm_viewer_resize(v, 1000, 600, 1);
    assert_true(flm_viewer_take(v, FLM_VIEWER_AFTER, profile_of(after), "a.folded", &why));
    if (before && !flm_viewer_take(v, FLM_VIEWER_BEFORE, profile_of(before), "b.folded", &why))
        fail_msg("%s", why.text);
    return v;
}

static void act(struct flm_viewer *v, const char *action)
{
    struct flm_error why = {0};
    if (!flm_viewer_do(v, flm_bytes_of(action), &why))
        fail_msg("%s: %s", action, why.text);
}

static void assert_refused(struct flm_viewer *v, const char *action, const char *says)
{
    struct flm_error why = {0};
    assert_false(flm_viewer_do(v, flm_bytes_of(action), &why));
    assert_non_null(strstr(why.text, says));
}

static void assert_state(struct flm_viewer *v, const char *expected)
{
    struct flm_text text = {0};
    assert_true(flm_query_json(v, flm_bytes_of("state"), &text, NULL));
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

/* The pane's box of a function: its share of the whole width. */
static double share_of(struct flm_viewer *v, uint32_t pane, const char *function)
{
    assert_true(flm_viewer_update(v, NULL));
    const struct flm_pane *s = &v->scene.panes[pane];
    for (uint32_t i = 0; i < s->tree.node_count; i++)
        if (flm_bytes_are(flm_frame_function(s->profile, s->tree.frame[i]), function))
            return flm_layout_total(s->layout, (struct flm_node){i}) /
                   flm_layout_total(s->layout, (struct flm_node){0});
    return -1;
}

static struct flm_node node_of(struct flm_viewer *v, const char *function)
{
    const struct flm_pane *pane = &v->scene.panes[0];
    for (uint32_t i = 0; i < pane->tree.node_count; i++)
        if (flm_bytes_are(flm_frame_function(pane->profile, pane->tree.frame[i]), function))
            return (struct flm_node){i};
    return (struct flm_node){FLM_NONE};
}

static const char after[] = "m;less 100\nm;more 300\nm;new 100\n";
static const char before[] = "m;less 300\nm;more 100\nm;gone 100\n";

/* ---- Two files ------------------------------------------------------------------------------- */

static void a_second_file_is_compared_with_the_first(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(after, before);
    assert_string_equal(v->model.view->name, "compare");
    assert_true(flm_model_compares(&v->model));
    /* max: 300 300 100 100 */
    assert_true(share_of(v, 0, "less") == 300 / 800.0 && share_of(v, 0, "gone") == 100 / 800.0);
    static const struct {
        const char *width;
        double less, gone, fresh;
    } cases[] = {{"after", 0.2, 0, 0.2},
                 {"before", 0.6, 0.2, 0},
                 {"sum", 0.4, 0.1, 0.1},
                 {"max", 0.375, 0.125, 0.125}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char action[40];
        sprintf(action, "width %s", cases[i].width);
        act(v, action);
        assert_true(share_of(v, 0, "less") == cases[i].less);
        assert_true(share_of(v, 0, "gone") == cases[i].gone);
        assert_true(share_of(v, 0, "new") == cases[i].fresh);
    }
    flm_viewer_free(v);
}

static void tones_and_textures_are_those_of_the_change(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(after, before);
    assert_true(flm_viewer_update(v, NULL));
    static const struct {
        const char *function;
        int step;
        enum flm_mark mark;
    } cases[] = {{"less", 0, FLM_MARK_NONE},
                 {"more", 6, FLM_MARK_NONE},
                 {"new", 6, FLM_MARK_APPEARED},
                 {"gone", 0, FLM_MARK_DISAPPEARED},
                 {"m", FLM_CHANGE_SAME, FLM_MARK_NONE}};
    for (int palette = 0; palette < 2; palette++) {
        act(v, palette ? "change-colors green-red" : "change-colors red-blue");
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            struct flm_box box = {0};
            const struct flm_tone *tone =
                flm_compared_style(&v->scene.panes[0], node_of(v, cases[i].function), &box);
            assert_ptr_equal(tone,
                             flm_change_tone((enum flm_change_palette)palette, cases[i].step));
            assert_int_equal(box.mark, cases[i].mark);
        }
    }
    act(v, "delta self"); /* of m itself nothing changed, of its subtree neither */
    act(v, "relative");
    struct flm_box box = {0};
    assert_ptr_equal(flm_compared_style(&v->scene.panes[0], node_of(v, "m"), &box),
                     flm_change_tone(FLM_CHANGE_GREEN_RED, FLM_CHANGE_SAME));
    flm_viewer_free(v);
}

static void operations_are_carried_out_on_both(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(after, before);
    act(v, "apply drop:less");
    const struct flm_comparison *c = &v->scene.compared->comparison;
    assert_true(c->before_total == 200 && c->after_total == 400);
    act(v, "apply hide:m");
    assert_int_equal(node_of(v, "m").index, FLM_NONE);
    act(v, "undo");
    act(v, "undo");
    assert_true(v->scene.compared->comparison.before_total == 500);
    flm_viewer_free(v);
}

static void parts_leave_only_some_stacks(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(after, before);
    act(v, "parts grown");
    act(v, "parts disappeared");
    assert_true(share_of(v, 0, "more") == 0.75 && share_of(v, 0, "gone") == 0.25);
    act(v, "parts grown");
    assert_true(share_of(v, 0, "gone") == 1);
    act(v, "parts all");
    assert_true(share_of(v, 0, "gone") == 0.125);
    assert_refused(v, "parts fresh", "'fresh' is none of appeared, grown");
    flm_viewer_free(v);
}

static void what_cannot_be_made_equal_is_refused(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(after, before);
    assert_refused(v, "normalize duration", "it is not known how long both were recorded");
    assert_refused(v, "normalize-by new", "the function has no value in one of both");
    act(v, "normalize-by more");
    assert_true(v->scene.compared->comparison.how.scale == 3);
    act(v, "normalize");
    assert_true(v->scene.compared->comparison.how.scale == 1);
    act(v, "normalize total");
    /* A transform takes what it was made equal by: it is not, and that is said. */
    act(v, "normalize-by more");
    act(v, "apply drop:more");
    assert_true(v->scene.compared->comparison.how.scale == 1);
    assert_int_equal(v->scene.compared->by, FLM_NORMALIZE_NONE);
    assert_non_null(strstr(v->model.comparing.note, "cannot normalize"));
    flm_viewer_free(v);
}

static void swapped_sides_are_swapped(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(after, before);
    act(v, "swap");
    assert_string_equal(v->model.name[FLM_VIEWER_AFTER], "b.folded");
    struct flm_change change = flm_comparison_change(&v->scene.compared->comparison,
                                                     node_of(v, "more").index, FLM_CHANGE_OF_SELF);
    assert_true(change.before == 300 && change.after == 100);
    act(v, "compare-stop");
    assert_false(flm_model_compares(&v->model));
    assert_string_equal(v->model.view->name, "flame");
    assert_true(share_of(v, 0, "more") == 0.2);
    flm_viewer_free(v);
}

static void what_has_nothing_in_common_leaves_all_as_it_was(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(after, NULL);
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric bytes = flm_builder_metric(b, "space", "bytes");
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1)),
                    bytes, 4);
    struct flm_error why = {0};
    assert_false(flm_viewer_take(v, FLM_VIEWER_BEFORE, flm_builder_finish(b, NULL), "c", &why));
    assert_non_null(strstr(why.text, "no metric in common"));
    assert_false(flm_model_compares(&v->model));
    assert_true(share_of(v, 0, "more") == 0.6);
    flm_viewer_free(v);
}

/* ---- Two parts of one file ------------------------------------------------------------------- */

static struct flm_profile *threads(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric m = flm_builder_metric(b, "samples", "samples");
    for (int thread = 0; thread < 2; thread++)
        for (int i = 0; i < 10; i++) {
            struct flm_string label[] = {flm_builder_string(b, "thread", 6),
                                         flm_builder_string(b, thread ? "two" : "one", 3)};
            struct flm_node node = flm_builder_child(
                b, flm_builder_root(b), flm_builder_function(b, i % 2 && thread ? "g" : "f", 1));
            flm_builder_sample(b, i, node, flm_builder_label_set(b, label, 1), m, 1);
        }
    struct flm_error why = {0};
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        fail_msg("%s", why.text);
    return p;
}

static struct flm_viewer *viewer_of_threads(void)
{
    struct flm_viewer *v = flm_viewer_new(NULL);
    flm_viewer_resize(v, 1000, 600, 1);
    assert_true(flm_viewer_take(v, FLM_VIEWER_AFTER, threads(), "t.flm", NULL));
    return v;
}

static void assert_totals(struct flm_viewer *v, double first, double second)
{
    assert_true(flm_viewer_update(v, NULL));
    assert_non_null(v->scene.compared);
    assert_true(v->scene.compared->comparison.before_total == first);
    assert_true(v->scene.compared->comparison.after_total == second);
}

static void two_threads_of_one_file_are_compared(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_threads();
    act(v, "compare-before label:thread=one");
    assert_string_equal(v->model.view->name, "compare");
    assert_totals(v, 10, 20);
    act(v, "compare-after label:thread=two");
    assert_totals(v, 10, 10);
    act(v, "normalize duration"); /* both are 9 ns long */
    assert_true(v->scene.compared->comparison.how.scale == 1);
    act(v, "apply time:0ns..5ns"); /* on both sides: they still have their samples */
    assert_totals(v, 5, 5);
    assert_refused(v, "compare-before label", "");
    assert_totals(v, 5, 5);
    act(v, "swap");
    assert_totals(v, 5, 5);
    assert_true(node_of(v, "g").index != FLM_NONE);
    act(v, "compare-stop");
    assert_false(flm_model_compares(&v->model));
    flm_viewer_free(v);
}

static void what_is_shown_becomes_a_side(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_threads();
    assert_refused(v, "compare-shown before", "all of the profile is shown");
    act(v, "apply label:thread=one");
    act(v, "compare-shown before");
    assert_int_equal(v->model.operations.count, 0);
    assert_totals(v, 10, 20);
    act(v, "apply label:thread=two");
    act(v, "compare-shown after");
    assert_totals(v, 10, 10);
    assert_state(v, "view=compare&after=label:thread%3Dtwo&before=label:thread%3Done");
    flm_viewer_free(v);
}

/* ---- State ----------------------------------------------------------------------------------- */

static void the_state_restores_a_comparison(void **state)
{
    (void)state;
    static const char *const states[] = {
        "view=compare",
        "view=compare&compare=after,green-red,self,absolute,total,grown,shrunk,noise,side-by-side",
        "compare=sum",
        "view=compare&normalize=more",
        "view=top&compare=before",
    };
    struct flm_viewer *v = viewer_of(after, before);
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        assert_true(flm_state_read(v, flm_bytes_of(states[i]), NULL));
        assert_state(v, states[i]);
    }
    flm_viewer_free(v);

    v = viewer_of_threads();
    static const char sides[] =
        "view=compare&after=label:thread%3Dtwo&before=label:thread%3Done&compare=sum";
    assert_true(flm_state_read(v, flm_bytes_of(sides), NULL));
    assert_totals(v, 10, 10);
    assert_state(v, sides);
    assert_true(flm_state_read(v, flm_bytes_of("before=nonsense:"), NULL));
    assert_false(flm_model_compares(&v->model));
    assert_true(flm_state_read(v, flm_bytes_of(""), NULL));
    assert_state(v, "");
    flm_viewer_free(v);
}

/* ---- Several metrics ------------------------------------------------------------------------- */

static struct flm_profile *two_metrics(double scale)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_metric space = flm_builder_metric(b, "space", "bytes");
    struct flm_node f = flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1));
    flm_builder_add(b, f, cpu, 100 * scale);
    flm_builder_add(b, f, space, 4096);
    return flm_builder_finish(b, NULL);
}

static void metrics_are_pairs_under_their_own_names(void **state)
{
    (void)state;
    struct flm_viewer *v = flm_viewer_new(NULL);
    flm_viewer_resize(v, 1000, 600, 1);
    assert_true(flm_viewer_take(v, FLM_VIEWER_AFTER, two_metrics(3), "a", NULL));
    act(v, "metric space");
    assert_true(flm_viewer_take(v, FLM_VIEWER_BEFORE, two_metrics(1), "b", NULL));
    assert_true(flm_bytes_are(flm_comparing_metric_name(&v->model, v->model.metric), "space"));
    assert_totals(v, 4096, 4096);
    act(v, "metric cpu");
    assert_totals(v, 100, 300);
    for (int i = 0; i < 4; i++) {
        act(v, "next-metric");
        assert_totals(v, i % 2 ? 100 : 4096, i % 2 ? 300 : 4096);
    }
    act(v, "compare-stop");
    assert_true(flm_model_shown(&v->model)->sizes.metric_count == 2);
    flm_viewer_free(v);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Whatever fails, the viewer goes on: with the action done, or as it was. */
static void memory_that_runs_out_leaves_a_viewer_that_works(void **state)
{
    (void)state;
    static const char *const actions[] = {"compare-before label:thread=one",
                                          "compare-after label:thread=two",
                                          "side-by-side",
                                          "normalize-by f",
                                          "parts grown",
                                          "blink",
                                          "apply drop:g",
                                          "swap",
                                          "compare-stop"};
    for (size_t nth = 1, failures = 1; failures > 0; nth += 1 + nth / 8) {
        struct flm_viewer *v = viewer_of_threads();
        failures = 0;
        for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
            struct flm_error why = {0};
            size_t had = v->model.operations.count;
            allocation_fail_from(nth);
            bool done = flm_viewer_do(v, flm_bytes_of(actions[i]), &why);
            bool failed = allocation_has_failed();
            allocation_fail_from(0);
            failures += failed;
            assert_true(done || failed);
            assert_true(flm_viewer_update(v, NULL));
            assert_true(v->scene.pane_count > 0);
            struct flm_bytes argument = flm_bytes_of(actions[i]);
            while (argument.size > 0 && argument.at[0] != ' ')
                argument = (struct flm_bytes){argument.at + 1, argument.size - 1};
            const struct flm_action *action = flm_action_named(
                (struct flm_bytes){actions[i], (size_t)(argument.at - actions[i])});
            /* There is memory now. A transform that was made, and not drawn, is in force. */
            bool made = v->model.operations.count > had;
            if (!done && !made && flm_action_makes_sense(action, v))
                act(v, actions[i]);
        }
        assert_false(flm_model_compares(&v->model));
        assert_true(share_of(v, 0, "f") > 0);
        flm_viewer_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_file_is_compared_with_the_first),
        cmocka_unit_test(tones_and_textures_are_those_of_the_change),
        cmocka_unit_test(operations_are_carried_out_on_both),
        cmocka_unit_test(parts_leave_only_some_stacks),
        cmocka_unit_test(what_cannot_be_made_equal_is_refused),
        cmocka_unit_test(swapped_sides_are_swapped),
        cmocka_unit_test(what_has_nothing_in_common_leaves_all_as_it_was),
        cmocka_unit_test(two_threads_of_one_file_are_compared),
        cmocka_unit_test(what_is_shown_becomes_a_side),
        cmocka_unit_test(the_state_restores_a_comparison),
        cmocka_unit_test(metrics_are_pairs_under_their_own_names),
        cmocka_unit_test(memory_that_runs_out_leaves_a_viewer_that_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
