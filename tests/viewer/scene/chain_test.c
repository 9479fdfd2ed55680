#include "viewer/scene/chain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

static void assert_chain(const char *folded, double narrowest, const char *name, uint32_t depth,
                         uint32_t rows)
{
    struct flm_profile *p = profile_of(folded);
    struct flm_chain chain;
    assert_true(flm_chain_find(p, (struct flm_metric){0}, narrowest, &chain, NULL));
    assert_int_equal(chain.depth, depth);
    assert_int_equal(chain.rows, rows);
    if (depth > 0)
        assert_true(flm_bytes_are(flm_frame_function(p, chain.frame), name));
    flm_profile_free(p);
}

static void the_chain_with_the_largest_area_is_found(void **state)
{
    (void)state;
    assert_chain("main;a;b;a;b 5\n", 0, "", 0, 0);
    assert_chain("main;a;a;a 5\n", 0, "a", 3, 3);
    assert_chain("main;a;a;a 5\nmain;b;b 50\n", 0, "b", 2, 2); /* 15 and 100 */
    assert_chain("main;a;a;a;b;b 5\nmain;a;a 1\n", 0, "a", 3, 3);
    assert_chain("a;a;c;a;a;a;a 5\n", 0, "a", 4, 4);   /* not across another function */
    assert_chain("a;a;a;a 1\na;a 99\n", 5, "a", 4, 2); /* the rows that can be seen */
}

static void a_node_calls_itself_where_its_caller_or_a_callee_is_the_same(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;a;a;b 5\nmain;a;c 1\nmain;b 1\n");
    /* 0 root, 1 main, 2 a, 3 a, 4 b, 5 c, 6 b */
    static const struct {
        uint32_t node, parent;
        bool is;
    } cases[] = {{0, FLM_NONE, false}, {1, 0, false}, {2, 1, true},
                 {3, 2, true},         {4, 3, false}, {6, 1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(flm_chain_is_at(p, cases[i].node, cases[i].parent), cases[i].is);
    flm_profile_free(p);
}

static bool find(void *context, struct flm_error *why)
{
    struct flm_chain chain;
    return flm_chain_find(context, (struct flm_metric){0}, 1, &chain, why);
}

static void chains_survive_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;a;a;b 5\n");
    assert_true(assert_survives_failures(find, p) >= 3);
    flm_profile_free(p);
}

/* ---- In the viewer --------------------------------------------------------------------------- */

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
        cmocka_unit_test(the_chain_with_the_largest_area_is_found),
        cmocka_unit_test(a_node_calls_itself_where_its_caller_or_a_callee_is_the_same),
        cmocka_unit_test(chains_survive_failed_allocations),
        cmocka_unit_test(a_chain_that_fills_the_window_is_offered_until_any_was_collapsed),
        cmocka_unit_test(a_collapsed_frame_says_how_deep_it_was),
        cmocka_unit_test(one_function_is_expanded_and_collapsed_on_demand),
        cmocka_unit_test(offers_survive_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
