/* Functions that call themselves, in the viewer: what is offered, collapsed and expanded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

/* "main;" and so many "deep;" above a leaf, and beside them two frames of "walk". */
static char *deep_profile(int depth)
{
    struct flm_text text = {0};
    for (int half = 0; half < 2; half++) {
        flm_text_puts(&text, "main;");
        for (int i = 0; i < (half ? depth / 2 : depth); i++)
            flm_text_puts(&text, "deep;");
        flm_text_format(&text, half ? "write %d\n" : "read %d\n", 50);
    }
    flm_text_puts(&text, "main;walk;walk 10\n");
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    return text.at;
}

static struct flm_viewer *viewer_of_depth(int depth)
{
    char *folded = deep_profile(depth);
    struct flm_viewer *v = viewer_of_folded(folded);
    free(folded);
    return v;
}

static void select_named(struct flm_viewer *v, const char *name)
{
    char action[40];
    snprintf(action, sizeof action, "select %u",
             flm_pane_number(&v->scene.panes[0], node_named(v, name)));
    act(v, action);
}

static void a_chain_that_fills_the_window_is_offered_until_any_was_collapsed(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_depth(40); /* in a window of some 30 rows */
    assert_answer(v, "status", "offer", "deep calls itself 40 deep");
    assert_answer(v, "palette", "items.0.action", "collapse-direct");
    act(v, "collapse-direct");
    assert_answer(v, "status", "offer", "null");
    act(v, "undo");
    assert_answer(v, "status", "offer", "null");
    flm_viewer_free(v);
    v = viewer_of_depth(10);
    assert_answer(v, "status", "offer", "null");
    struct json_tree *palette = answer(v, "palette");
    assert_string_not_equal(at(palette, "items.0.action"), "collapse-direct");
    json_tree_free(palette);
    flm_viewer_free(v);
}

static void a_collapsed_frame_says_how_deep_it_was(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_depth(40);
    act(v, "collapse-direct");
    select_named(v, "deep");
    assert_answer(v, "detail", "title", "deep");
    assert_answer(v, "detail", "kind", "recursion up to 40 deep");
    select_named(v, "walk");
    assert_answer(v, "detail", "kind", "recursion 2 deep");
    select_named(v, "main");
    assert_answer(v, "detail", "kind", "null");
    select_named(v, "read");
    assert_answer(v, "detail", "stack.1.title",
                  "deep \xC3\x97"
                  "40");
    assert_answer(v, "tree 0 10", "rows.0.title", "main");
    assert_answer(v, "tree 0 10", "rows.1.title",
                  "deep \xC3\x97"
                  "40");
    act(v, "invert"); /* callers of read, and of write */
    select_named(v, "deep");
    assert_answer(v, "detail", "kind", "recursion up to 40 deep");
    flm_viewer_free(v);
}

static void one_function_is_expanded_and_collapsed_on_demand(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_depth(40);
    const struct flm_model *model = &v->model;
    select_named(v, "main");
    assert_string_equal(refusal(v, "collapse-function"),
                        "the selected function does not call itself");
    assert_string_equal(refusal(v, "expand-all"), "no recursion is collapsed");
    act(v, "collapse-direct");
    select_named(v, "main");
    assert_string_equal(refusal(v, "expand-function"),
                        "no function is selected that was collapsed");
    select_named(v, "deep");
    assert_answer(v, "menu", "items.0.action", "expand-function");
    act(v, "expand-function");
    assert_int_equal(flm_model_shown(model)->sizes.recursion_count, 1); /* walk */
    assert_answer(v, "chips", "operations.0.text", "collapse:direct,!deep");
    select_named(v, "deep");
    assert_answer(v, "menu", "items.0.action", "collapse-function");
    act(v, "collapse-function");
    assert_int_equal(flm_model_shown(model)->sizes.recursion_count, 2);
    assert_answer(v, "chips", "operations.0.text", "collapse:direct");
    act(v, "undo");
    act(v, "undo");
    assert_int_equal(flm_model_shown(model)->sizes.recursion_count, 2);
    act(v, "expand-all");
    assert_int_equal(model->operations.count, 0);
    flm_viewer_free(v);
}

static void offers_survive_failed_allocations(void **state)
{
    (void)state;
    static const char *const actions[] = {"collapse-direct", NULL};
    char *folded = deep_profile(40);
    assert_answer_survives(folded, NULL, "status");
    assert_answer_survives(folded, actions, "tree 0 10");
    free(folded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_that_fills_the_window_is_offered_until_any_was_collapsed),
        cmocka_unit_test(a_collapsed_frame_says_how_deep_it_was),
        cmocka_unit_test(one_function_is_expanded_and_collapsed_on_demand),
        cmocka_unit_test(offers_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
