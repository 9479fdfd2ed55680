#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/profile/person.h"
#include "support/profile/profiles.h"

static double left_of(struct viewing *seen, const char *function)
{
    return viewing_box(seen, function).x0;
}

static void siblings_stand_in_the_order_that_is_chosen(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("a 1\nb 5\nc 3\n"), 800, 400, 1);
    assert_true(left_of(&seen, "a") < left_of(&seen, "b"));
    viewing_do(&seen, "order total");
    assert_true(left_of(&seen, "b") < left_of(&seen, "c") &&
                left_of(&seen, "c") < left_of(&seen, "a"));
    viewing_do(&seen, "next-order");
    viewing_do(&seen, "next-order");
    assert_string_equal(viewing_state(&seen), "");
    assert_non_null(strstr(viewing_refused(&seen, "order size"), "total"));
    viewing_clear(&seen);
}

static void a_flame_stands_on_its_foot(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse 1\n"), 800, 400, 1);
    assert_true(viewing_box(&seen, "main").y0 < viewing_box(&seen, "parse").y0);
    viewing_do(&seen, "flip");
    assert_true(viewing_box(&seen, "main").y0 > viewing_box(&seen, "parse").y0);
    assert_true(viewing_box(&seen, "main").y1 == 400 - 19);
    viewing_do(&seen, "flip");
    assert_string_equal(viewing_state(&seen), "");
    viewing_clear(&seen);
}

static void a_view_that_has_nothing_to_show_says_why(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse 1\n"), 800, 400, 1);
    assert_non_null(strstr(viewing_refused(&seen, "view compare"), "nothing to compare with"));
    assert_non_null(strstr(viewing_refused(&seen, "view chart"), "has a time"));
    assert_string_equal(viewing_state(&seen), "");
    viewing_clear(&seen);
}

static void an_inverted_tree_is_seen_whole(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse 9\nmain 1\nother 2\n"), 800, 400, 1);
    viewing_do(&seen, "zoom 1"); /* main: also a leaf, of a twelfth */
    viewing_do(&seen, "invert");
    assert_true(seen.viewer->model.camera.to.left == 0 && seen.viewer->model.camera.to.right == 12);
    assert_true(viewing_box(&seen, "parse").x1 > 0);
    viewing_clear(&seen);
}

static void metrics_are_chosen_by_name_or_in_turn(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of_two("a 3 1\nb 1 3\n"), 816, 400, 1);
    struct viewing_box a = viewing_box(&seen, "a");
    assert_true(fabs(a.x1 - a.x0 - 200) < 1e-6);
    viewing_do(&seen, "next-metric");
    a = viewing_box(&seen, "a");
    assert_true(fabs(a.x1 - a.x0 - 600) < 1e-6);
    viewing_do(&seen, "next-metric");
    assert_string_equal(viewing_state(&seen), "");
    viewing_do(&seen, "metric before");
    assert_string_equal(viewing_state(&seen), "metric=before");
    viewing_refused(&seen, "metric lunch");
    assert_string_equal(viewing_state(&seen), "metric=before");
    viewing_clear(&seen);
}

static void colors_that_cannot_be_had_leave_those_that_are(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse 1\n"), 816, 400, 1);
    viewing_do(&seen, "color rules parse->#ff0000");
    struct flm_text text = {0};
    flm_text_puts(&text, viewing_state(&seen));
    flm_text_putc(&text, 0);
    viewing_refused(&seen, "color rules parse->nonsense");
    viewing_refused(&seen, "color sunset");
    assert_string_equal(viewing_state(&seen), text.at);
    viewing_look(&seen);
    viewing_do(&seen, "color module");
    assert_string_equal(viewing_state(&seen), "");
    flm_text_clear(&text);
    viewing_clear(&seen);
}

static void the_same_column_again_turns_the_order_round(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse 1\n"), 816, 400, 1);
    viewing_do(&seen, "sort total");
    assert_string_equal(viewing_state(&seen), "sort=total");
    viewing_do(&seen, "sort total");
    assert_string_equal(viewing_state(&seen), "sort=-total");
    viewing_do(&seen, "sort total");
    assert_string_equal(viewing_state(&seen), "sort=total");
    viewing_clear(&seen);
}

static void the_sandwich_of_what_is_selected_keeps_it_selected(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse;lex 1\nidle 3\n"), 816, 400, 1);
    viewing_click(&seen, "parse", 1);
    viewing_do(&seen, "view sandwich");
    assert_string_equal(viewing_name(&seen, seen.viewer->model.selected), "parse");
    struct viewing_box box = viewing_box(&seen, "parse");
    assert_true(box.x1 - box.x0 == 800);
    viewing_do(&seen, "invert"); /* of a sandwich: the flame of leaves */
    assert_string_equal(seen.viewer->model.view->name, "flame");
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(siblings_stand_in_the_order_that_is_chosen),
        cmocka_unit_test(a_flame_stands_on_its_foot),
        cmocka_unit_test(a_view_that_has_nothing_to_show_says_why),
        cmocka_unit_test(an_inverted_tree_is_seen_whole),
        cmocka_unit_test(metrics_are_chosen_by_name_or_in_turn),
        cmocka_unit_test(colors_that_cannot_be_had_leave_those_that_are),
        cmocka_unit_test(the_same_column_again_turns_the_order_round),
        cmocka_unit_test(the_sandwich_of_what_is_selected_keeps_it_selected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
