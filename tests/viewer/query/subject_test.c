#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

static const char folded[] = "main;parse;lex 8\nmain;parse;lex;read 3\nmain;check;lex 2\nother 7\n";

static void select_named(struct flm_viewer *v, const char *name)
{
    struct flm_text action = {0};
    struct json_tree *nothing = answer(v, "detail"); /* settles */
    json_tree_free(nothing);
    flm_text_format(&action, "select %u", node_named(v, name).index);
    flm_text_putc(&action, 0);
    act(v, action.at);
    flm_text_clear(&action);
}

static void frames_above_that_are_as_wide_as_the_view_are_all_of_it(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("app;main;run 5\napp;main;stop 2\n");
    static const char *const names[] = {"app", "main", "run"};
    static const char *const shares[] = {"100 %", "100 %", "71.4 %"};
    for (int i = 0; i < 3; i++) {
        select_named(v, names[i]);
        assert_answer(v, "detail", "values.0.of_view", shares[i]);
    }
    act(v, "zoom-selected");
    assert_answer(v, "detail", "values.0.of_view", "100 %");
    select_named(v, "main");
    act(v, "select 2");
    assert_answer(v, "detail", "values.0.of_view", "null");
    flm_viewer_free(v);
}

static void shares_of_the_view_follow_the_zoom(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    select_named(v, "main");
    act(v, "zoom-selected");
    select_named(v, "parse");
    assert_answer(v, "detail", "values.0.of_view", "84.6 %");
    assert_answer(v, "detail", "values.0.of_total", "55 %");
    v->model.selected.number = node_named(v, "other").index; /* outside of what is seen */
    assert_answer(v, "detail", "values.0.of_view", "null");
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_above_that_are_as_wide_as_the_view_are_all_of_it),
        cmocka_unit_test(shares_of_the_view_follow_the_zoom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
