#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/person.h"
#include "support/profile/profiles.h"

static const char stacks[] = "main;parse;lex 30\nmain;parse;read 20\nmain;write 30\nidle 20\n";

static void what_is_zoomed_in_is_zoomed_out_again(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 816, 448, 1);
    viewing_do(&seen, "zoom-in");
    viewing_do(&seen, "zoom-in");
    assert_true(fabs(seen.viewer->model.camera.to.right - seen.viewer->model.camera.to.left -
                     100 / 2.25) < 1e-9);
    struct flm_span span = seen.viewer->model.camera.to;
    viewing_do(&seen, "pan-right");
    viewing_do(&seen, "pan-left");
    assert_true(fabs(seen.viewer->model.camera.to.left - span.left) < 1e-9);
    viewing_do(&seen, "zoom-out");
    viewing_do(&seen, "zoom-out");
    assert_true(flm_viewer_is_fit(seen.viewer));
    viewing_clear(&seen);
}

static void fit_is_as_it_was_at_first(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 816, 100, 1);
    viewing_do(&seen, "flip");
    double home = seen.viewer->model.camera.scroll_to;
    assert_true(home > 0); /* the foot of the flame */
    viewing_do(&seen, "page-up");
    viewing_do(&seen, "zoom-in");
    assert_false(flm_viewer_is_fit(seen.viewer));
    viewing_do(&seen, "fit");
    assert_true(flm_viewer_is_fit(seen.viewer) && seen.viewer->model.camera.scroll_to == home);
    viewing_clear(&seen);
}

static void scrolling_ends_at_both_ends(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 816, 90, 1);
    double most = 4 * 19 - (90 - 48);
    for (int i = 0; i < 10; i++)
        viewing_do(&seen, i % 2 ? "page-down" : "scroll-down");
    assert_true(seen.viewer->model.camera.scroll_to == most);
    for (int i = 0; i < 10; i++)
        viewing_do(&seen, i % 2 ? "page-up" : "scroll-up");
    assert_true(seen.viewer->model.camera.scroll_to == 0);
    viewing_clear(&seen);
}

/* The ends of what can be gone through are refused in words, not ignored. */
static void there_is_a_first_and_a_last_step(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 816, 448, 1);
    viewing_refused(&seen, "back");
    viewing_refused(&seen, "forward");
    viewing_do(&seen, "order total");
    viewing_do(&seen, "back");
    viewing_refused(&seen, "back");
    viewing_do(&seen, "forward");
    assert_string_equal(viewing_state(&seen), "order=total");
    viewing_refused(&seen, "forward");
    viewing_clear(&seen);
}

static void a_node_far_down_is_zoomed_to_with_its_row_in_view(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_text deep = {0};
    for (int i = 0; i < 200; i++)
        flm_text_format(&deep, "%sf%d", i ? ";" : "", i);
    flm_text_puts(&deep, " 1\nother 999999\n");
    flm_text_putc(&deep, 0);
    viewing_init(&seen, profile_of(deep.at), 816, 448, 1);
    struct flm_node_ref ref = {0, 180};
    assert_string_equal(viewing_name(&seen, ref), "f179");
    viewing_do(&seen, "zoom 180");
    struct viewing_box box = viewing_box(&seen, "f179");
    assert_true(box.x1 - box.x0 == 800);
    assert_true(box.y0 >= 48 && box.y1 <= 448);
    viewing_do(&seen, "fit");
    /* Selecting brings it into view too, wide enough to be told apart. */
    viewing_do(&seen, "select 180");
    box = viewing_box(&seen, "f179");
    assert_true(box.x1 - box.x0 > 3 && box.y0 >= 48 && box.y1 <= 448);
    viewing_clear(&seen);
    flm_text_clear(&deep);
}

static void back_works_after_any_two_hundred_things(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 816, 448, 1);
    for (int i = 0; i < 300; i++)
        viewing_do(&seen, "flip");
    for (int i = 0; i < FLM_MOST_STEPS - 1; i++)
        viewing_do(&seen, "back");
    viewing_refused(&seen, "back");
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_zoomed_in_is_zoomed_out_again),
        cmocka_unit_test(fit_is_as_it_was_at_first),
        cmocka_unit_test(scrolling_ends_at_both_ends),
        cmocka_unit_test(there_is_a_first_and_a_last_step),
        cmocka_unit_test(a_node_far_down_is_zoomed_to_with_its_row_in_view),
        cmocka_unit_test(back_works_after_any_two_hundred_things),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
