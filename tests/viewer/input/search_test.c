#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/person.h"
#include "support/profile/profiles.h"

static void assert_next(struct viewing *seen, const char *action, const char *path)
{
    viewing_do(seen, action);
    assert_true(flm_node_refs_equal(seen->viewer->model.selected, viewing_ref(seen, 0, path)));
}

static void matches_are_gone_through_from_left_to_right_round_and_round(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("a;read 1\na;read;read 2\nb;x 3\nc;read_all 4\n"), 800, 400, 1);
    viewing_refused(&seen, "next-match");
    viewing_do(&seen, "search read");
    assert_next(&seen, "next-match", "c;read_all"); /* the heaviest */
    assert_next(&seen, "next-match", "a;read");
    assert_next(&seen, "next-match", "a;read;read");
    assert_next(&seen, "next-match", "c;read_all");
    assert_next(&seen, "next-match", "a;read");
    assert_next(&seen, "previous-match", "c;read_all");
    viewing_do(&seen, "order total"); /* the largest first: c is the first */
    assert_next(&seen, "next-match", "a;read");
    assert_next(&seen, "next-match", "a;read;read");
    assert_next(&seen, "next-match", "c;read_all");
    viewing_clear(&seen);
}

static void a_search_begins_with_the_heaviest_match_in_each_view(void **state)
{
    (void)state;
    static const struct {
        const char *action, *from;
        double total;
    } views[] = {
        {"view flame", "c", 9},
        {"view tree", "c", 9},
        {"view top", "c", 9},
        {"invert", "y", 16}, /* all that read called is one function there */
    };
    struct viewing seen;
    viewing_init(&seen, profile_of("a;read 1\nb;read 6\nc;y 2\nz;other;read 9\n"), 800, 400, 1);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        viewing_do(&seen, views[i].action);
        viewing_do(&seen, "search nothing");
        flm_viewer_select(seen.viewer, viewing_ref(&seen, 0, views[i].from));
        viewing_do(&seen, "search read");
        viewing_do(&seen, "next-match");
        struct flm_node_ref selected = seen.viewer->model.selected;
        const struct flm_pane *pane = &seen.viewer->scene.panes[selected.pane];
        double total = flm_layout_total(pane->layout, flm_pane_node(pane, selected.number));
        if (total != views[i].total)
            fail_msg("%s: %g, not %g", views[i].action, total, views[i].total);
    }
    viewing_clear(&seen);
}

static void a_match_that_is_not_seen_comes_into_view(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("a;tiny 1\nb;x 999999\n"), 800, 400, 1);
    viewing_do(&seen, "search tiny");
    assert_false(viewing_find(&seen, "tiny").found);
    viewing_do(&seen, "next-match");
    assert_true(viewing_find(&seen, "tiny").found);
    viewing_do(&seen, "back");
    assert_true(flm_viewer_is_fit(seen.viewer));
    viewing_clear(&seen);
}

static void typing_is_no_step_and_keeps_the_zoom(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;write 5\nidle 1\n"), 800, 400, 1);
    viewing_click(&seen, "main", 2);
    size_t steps = seen.viewer->model.history.steps.count;
    static const char *const typed[] = {"search p",          "search pa",   "search par",
                                        "search-kind regex", "search par(", "search-scope all",
                                        "search-case"};
    for (int i = 0; i < 7; i++)
        viewing_do(&seen, typed[i]);
    assert_int_equal(seen.viewer->model.history.steps.count, steps);
    assert_string_equal(viewing_name(&seen, seen.viewer->model.zoomed), "main");
    viewing_do(&seen, "flip");
    viewing_do(&seen, "back");
    assert_non_null(strstr(viewing_state(&seen), "search=rac0.par"));
    viewing_clear(&seen);
}

static void searches_that_there_are_not_are_refused(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main 1\n"), 800, 400, 1);
    static const char *const wrong[] = {"search-remove 0",   "search-toggle 1",   "search-edit x",
                                        "search-kind exact", "search-scope line", "search-remove"};
    for (int i = 0; i < 6; i++)
        viewing_refused(&seen, wrong[i]);
    for (int i = 0; i < FLM_MOST_SEARCHES; i++)
        viewing_do(&seen, "search-add");
    viewing_refused(&seen, "search-add");
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_are_gone_through_from_left_to_right_round_and_round),
        cmocka_unit_test(a_search_begins_with_the_heaviest_match_in_each_view),
        cmocka_unit_test(a_match_that_is_not_seen_comes_into_view),
        cmocka_unit_test(typing_is_no_step_and_keeps_the_zoom),
        cmocka_unit_test(searches_that_there_are_not_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
