#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/profile/person.h"
#include "support/profile/profiles.h"

static void sandwich(struct viewing *seen)
{
    viewing_init(seen, profile_of("m;a;f;x 30\nm;b;f;y 50\nm;c;f;x 20\n"), 600, 400, 1);
    viewing_do(seen, "sandwich f");
    viewing_look(seen);
}

static double width_of(struct viewing *seen, const char *function)
{
    struct viewing_box box = viewing_box(seen, function);
    return box.x1 - box.x0;
}

/* A share in a link has 15 digits. */
static void assert_same(double a, double b)
{
    assert_true(fabs(a - b) < 1e-6);
}

static void a_zoom_in_one_half_leaves_the_other(void **state)
{
    (void)state;
    struct viewing seen;
    sandwich(&seen);
    double x = width_of(&seen, "x"), a = width_of(&seen, "a");
    viewing_click(&seen, "a", 2);
    assert_true(width_of(&seen, "a") > 3 * a);
    assert_true(width_of(&seen, "x") == x);
    double wide = width_of(&seen, "a");
    viewing_click(&seen, "x", 2);
    assert_true(width_of(&seen, "x") > 1.5 * x);
    assert_true(width_of(&seen, "a") == wide);
    viewing_do(&seen, "fit"); /* both */
    viewing_look(&seen);
    assert_true(width_of(&seen, "a") == a && width_of(&seen, "x") == x);
    assert_true(flm_viewer_is_fit(seen.viewer));
    viewing_clear(&seen);
}

/* At 200 % a panel that opens below the picture leaves it two rows. */
static void a_selected_row_is_seen_in_a_lower_window(void **state)
{
    (void)state;
    struct viewing seen;
    char text[26 * 3] = "";
    for (int i = 0; i < 20; i++)
        sprintf(text + strlen(text), "%s%c", i ? ";" : "", 'a' + i);
    strcat(text, " 1\n");
    viewing_init(&seen, profile_of(text), 600, 600, 1);
    viewing_click(&seen, "k", 1);
    double top = flm_viewer_area(seen.viewer).top;
    for (double rows = 8; rows >= 1.5; rows -= 1.3) {
        double height = top + rows * 19;
        flm_viewer_resize(seen.viewer, 600, (uint32_t)height, 1);
        viewing_look(&seen);
        struct viewing_box box = viewing_box(&seen, "k");
        assert_true(box.y0 >= top && box.y1 <= height);
    }
    viewing_clear(&seen);
}

/* What is not looked at does not come back. */
static void a_row_that_was_scrolled_away_stays_away(void **state)
{
    (void)state;
    struct viewing seen;
    char text[26 * 3] = "";
    for (int i = 0; i < 26; i++)
        sprintf(text + strlen(text), "%s%c", i ? ";" : "", 'a' + i);
    strcat(text, " 1\n");
    viewing_init(&seen, profile_of(text), 600, 300, 1);
    viewing_click(&seen, "b", 1);
    viewing_do(&seen, "page-down");
    viewing_look(&seen);
    double scroll = seen.viewer->model.camera.scroll_to;
    assert_true(scroll > 60);
    flm_viewer_resize(seen.viewer, 600, 200, 1);
    viewing_look(&seen);
    assert_true(seen.viewer->model.camera.scroll_to >= scroll - 1);
    viewing_clear(&seen);
}

static void the_wheel_and_keys_move_the_half_that_was_touched(void **state)
{
    (void)state;
    struct viewing seen;
    sandwich(&seen);
    double a = width_of(&seen, "a");
    struct viewing_box y = viewing_box(&seen, "y");
    double before = y.x1 - y.x0;
    flm_viewer_wheel(seen.viewer, (y.x0 + y.x1) / 2, (y.y0 + y.y1) / 2, 0, -100, 0, seen.now_ms);
    viewing_look(&seen);
    double after = width_of(&seen, "y");
    assert_true(after > before && width_of(&seen, "a") == a);
    viewing_do(&seen, "zoom-in");
    viewing_look(&seen);
    assert_true(width_of(&seen, "y") > after && width_of(&seen, "a") == a);
    double b = width_of(&seen, "b");
    viewing_click(&seen, "b", 1); /* callers are in hand now */
    after = width_of(&seen, "y");
    viewing_do(&seen, "zoom-in");
    viewing_look(&seen);
    assert_true(width_of(&seen, "b") > b && width_of(&seen, "y") == after);
    assert_false(flm_viewer_is_fit(seen.viewer));
    viewing_clear(&seen);
}

static void a_link_and_a_new_scene_keep_both_places(void **state)
{
    (void)state;
    struct viewing seen, other;
    sandwich(&seen);
    viewing_click(&seen, "a", 2);
    viewing_click(&seen, "x", 1);
    viewing_do(&seen, "zoom-in");
    viewing_look(&seen);
    double a = width_of(&seen, "a"), x = width_of(&seen, "x");
    struct flm_text link = {0};
    flm_text_format(&link, "restore %s", viewing_state(&seen));
    flm_text_putc(&link, 0);
    assert_non_null(strstr(link.at, "&other-x="));
    assert_non_null(strstr(link.at, "&half=1"));
    viewing_init(&other, profile_of("m;a;f;x 30\nm;b;f;y 50\nm;c;f;x 20\n"), 600, 400, 1);
    viewing_do(&other, link.at);
    viewing_look(&other);
    assert_same(width_of(&other, "a"), a);
    assert_same(width_of(&other, "x"), x);
    viewing_do(&other, "order total");
    viewing_do(&other, "order name");
    viewing_look(&other);
    assert_same(width_of(&other, "a"), a);
    assert_same(width_of(&other, "x"), x);
    viewing_do(&other, "view flame"); /* has no halves: one camera again */
    viewing_look(&other);
    assert_false(flm_scene_has_halves(&other.viewer->scene));
    assert_int_equal(other.viewer->model.half, 0);
    flm_text_clear(&link);
    viewing_clear(&seen);
    viewing_clear(&other);
}

/* Links of earlier versions have the camera of the other half under another key. */
static void an_old_link_keeps_both_places(void **state)
{
    (void)state;
    struct viewing now, old;
    sandwich(&now);
    sandwich(&old);
    viewing_do(&now, "restore view=sandwich&of=f&x=0.25,0.5&other-x=0.3,0.8&half=1");
    viewing_do(&old, "restore view=sandwich&of=f&x=0.25,0.5&beside=0.3,0.8&half=1");
    viewing_look(&now);
    viewing_look(&old);
    assert_same(flm_camera_share(&old.viewer->model.other_camera).left, 0.3);
    assert_same(flm_camera_share(&old.viewer->model.other_camera).right, 0.8);
    assert_string_equal(viewing_state(&old), viewing_state(&now));
    viewing_clear(&now);
    viewing_clear(&old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zoom_in_one_half_leaves_the_other),
        cmocka_unit_test(a_selected_row_is_seen_in_a_lower_window),
        cmocka_unit_test(a_row_that_was_scrolled_away_stays_away),
        cmocka_unit_test(the_wheel_and_keys_move_the_half_that_was_touched),
        cmocka_unit_test(a_link_and_a_new_scene_keep_both_places),
        cmocka_unit_test(an_old_link_keeps_both_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
