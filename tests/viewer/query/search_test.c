#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/profiles.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

static const char folded[] = "main;parse;lex 8\nmain;parse;lex;read 3\nmain;check;lex 2\nother 7\n";

static void select_named(struct flm_viewer *v, const char *name)
{
    struct flm_text action = {0};
    json_tree_free(answer(v, "searches"));
    flm_text_format(&action, "select %u", node_named(v, name).index);
    flm_text_putc(&action, 0);
    act(v, action.at);
    flm_text_clear(&action);
}

static void what_is_found_is_told_of_everything_and_of_the_view(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "search lex");
    struct json_tree *s = answer(v, "searches");
    assert_string_equal(at(s, "current"), "0");
    assert_string_equal(at(s, "searches.0.text"), "lex");
    assert_string_equal(at(s, "searches.0.kind"), "text");
    assert_string_equal(at(s, "searches.0.scope"), "name");
    assert_string_equal(at(s, "searches.0.case"), "false");
    assert_string_equal(at(s, "searches.0.on"), "true");
    assert_string_equal(at(s, "searches.0.error"), "null");
    assert_string_equal(at(s, "searches.0.total"), "13 samples");
    assert_string_equal(at(s, "searches.0.total_share"), "65 %");
    assert_string_equal(at(s, "searches.0.self"), "10 samples");
    assert_string_equal(at(s, "searches.0.self_share"), "50 %");
    assert_string_equal(at(s, "searches.0.view_share"), "65 %");
    assert_string_equal(at(s, "searches.0.functions"), "1");
    assert_string_equal(at(s, "searches.0.frames"), "2");
    assert_string_equal(at(s, "searches.0.at"), "null");
    assert_int_equal(at(s, "searches.0.color")[0], '#');
    json_tree_free(s);
    select_named(v, "parse");
    act(v, "zoom-selected");
    assert_answer(v, "searches", "searches.0.view_share", "100 %");
    assert_answer(v, "searches", "searches.0.total_share", "65 %");
    flm_viewer_free(v);
}

static void the_next_match_is_counted(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "search lex");
    act(v, "next-match"); /* the heaviest */
    assert_answer(v, "searches", "searches.0.at", "2");
    act(v, "next-match");
    assert_answer(v, "searches", "searches.0.at", "1");
    act(v, "next-match");
    assert_answer(v, "searches", "searches.0.at", "2");
    act(v, "previous-match");
    assert_answer(v, "searches", "searches.0.at", "1");
    act(v, "search nothing");
    act(v, "next-match");
    assert_answer(v, "searches", "searches.0.frames", "0");
    assert_answer(v, "searches", "searches.0.functions", "0");
    assert_answer(v, "searches", "searches.0.total_share", "0 %");
    flm_viewer_free(v);
}

static void what_is_no_expression_says_where(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "search-kind regex");
    act(v, "search le(x");
    struct json_tree *s = answer(v, "searches");
    assert_non_null(strstr(at(s, "searches.0.error"), "byte 2: this ( is never closed"));
    assert_string_equal(at(s, "searches.0.text"), "le(x");
    json_tree_free(s);
    act(v, "search le(x|y)");
    assert_answer(v, "searches", "searches.0.error", "null");
    flm_viewer_free(v);
}

static void the_whole_is_the_same_leaf_first(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "search parse");
    act(v, "invert");
    assert_answer(v, "searches", "searches.0.total_share", "55 %");
    assert_answer(v, "searches", "searches.0.view_share", "null");
    flm_viewer_free(v);
}

static void operations_change_what_is_found(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "search lex");
    act(v, "apply focus:parse");
    assert_answer(v, "searches", "searches.0.total_share", "100 %");
    act(v, "apply hide:lex");
    assert_answer(v, "searches", "searches.0.frames", "0");
    flm_viewer_free(v);
}

static void searches_wait_for_a_profile(void **state)
{
    (void)state;
    struct flm_viewer *v = flm_viewer_new(NULL);
    struct json_tree *s = answer(v, "searches");
    assert_int_equal(part(s, "searches")->count, 0);
    json_tree_free(s);
    flm_viewer_free(v);
}

/* Thread 1 runs for 100 ms; thread 2 sleeps for 300 ms, and then runs for 100 ms. */
static const char two_threads[] = "1 1 - 0 100 main;work\n"
                                  "1 2 sleeping 0 300 main;usleep\n"
                                  "1 2 - 300 100 main;work\n";

static void of_a_flame_chart_sums_and_steps_are_of_all_threads_together(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads(two_threads));
    act(v, "view chart");
    act(v, "search usleep");
    assert_answer(v, "searches", "searches.0.view_share", "60 %");
    act(v, "search main");
    assert_answer(v, "searches", "searches.0.view_share", "100 %");
    act(v, "search work");
    assert_answer(v, "searches", "searches.0.view_share", "40 %");
    act(v, "next-match");
    assert_answer(v, "searches", "searches.0.at", "1");
    assert_answer(v, "searches", "searches.0.frames", "2");
    act(v, "next-match");
    assert_answer(v, "searches", "searches.0.at", "2");
    assert_answer(v, "searches", "searches.0.frames", "2");
    act(v, "zoom-selected"); /* only the work of thread 2 is seen */
    assert_answer(v, "searches", "searches.0.view_share", "100 %");
    act(v, "search usleep");
    assert_answer(v, "searches", "searches.0.view_share", "0 %");
    flm_viewer_free(v);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const char *const actions[] = {"search lex", "next-match", NULL};
    assert_answer_survives(folded, actions, "searches");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_is_told_of_everything_and_of_the_view),
        cmocka_unit_test(the_next_match_is_counted),
        cmocka_unit_test(what_is_no_expression_says_where),
        cmocka_unit_test(the_whole_is_the_same_leaf_first),
        cmocka_unit_test(operations_change_what_is_found),
        cmocka_unit_test(searches_wait_for_a_profile),
        cmocka_unit_test(of_a_flame_chart_sums_and_steps_are_of_all_threads_together),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
