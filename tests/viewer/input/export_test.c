#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/person.h"
#include "support/profile/profiles.h"

static void what_the_page_is_to_do_is_asked_of_it(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"help", "help"},           {"palette", "palette"},     {"find", "search"},
        {"transform", "transform"}, {"copy-link", "copy-link"}, {"export svg", "export svg"},
    };
    struct viewing seen;
    viewing_init(&seen, profile_of("main 1\n"), 800, 400, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        viewing_changes(&seen);
        viewing_do(&seen, cases[i][0]);
        assert_int_equal(viewing_changes(&seen), FLM_CHANGED(PROMPT));
        assert_string_equal(viewing_ask(&seen, "prompt"), cases[i][1]);
    }
    viewing_clear(&seen);
}

static void panels_are_switched_and_are_no_state(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main 1\n"), 800, 400, 1);
    viewing_do(&seen, "panel");
    viewing_do(&seen, "overlay");
    assert_true(seen.viewer->model.hides_panel && seen.viewer->model.shows_overlay);
    assert_string_equal(viewing_state(&seen), "");
    viewing_do(&seen, "panel");
    viewing_do(&seen, "overlay");
    assert_false(seen.viewer->model.hides_panel || seen.viewer->model.shows_overlay);
    viewing_clear(&seen);
}

static void what_is_about_a_frame_asks_for_one(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main 1\n"), 800, 400, 1);
    static const char *const actions[] = {"copy-name", "copy-stack", "copy-folded", "open-source"};
    for (int i = 0; i < 4; i++)
        viewing_refused(&seen, actions[i]);
    viewing_refused(&seen, "help me");
    viewing_click(&seen, "main", 1);
    for (int i = 0; i < 3; i++)
        viewing_do(&seen, actions[i]);
    viewing_refused(&seen, "open-source"); /* its file is not known */
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_page_is_to_do_is_asked_of_it),
        cmocka_unit_test(panels_are_switched_and_are_no_state),
        cmocka_unit_test(what_is_about_a_frame_asks_for_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
