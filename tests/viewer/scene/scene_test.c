#include "viewer/scene/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/profile/person.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

/* Every row of every pane is hit where it is, whatever is opened meanwhile. */
static void assert_rows_are_where_they_are_hit(struct viewing *seen)
{
    const struct flm_scene *scene = &seen->viewer->scene;
    double row = flm_viewer_row_px(seen->viewer);
    for (uint32_t i = 0; i < scene->pane_count; i++) {
        struct flm_pane *pane = &scene->panes[i];
        uint32_t level, levels = flm_layout_level_count(pane->layout);
        for (uint32_t l = pane->first_level; l < levels; l++) {
            double y = flm_pane_row_px(pane, l, row);
            assert_ptr_equal(flm_scene_pane_at(scene, pane->left_px, y + row / 2, 0, row, &level),
                             pane);
            assert_int_equal(level, l);
        }
    }
}

static void rows_are_where_they_are_hit(void **state)
{
    (void)state;
    static const char *const views[] = {"view flame", "flip", "invert", "sandwich /f[13]/"};
    uint64_t random = 81;
    for (int round = 0; round < 60; round++) {
        struct viewing seen;
        struct random_shape shape = random_full;
        shape.deepest = 30;
        viewing_init(&seen, random_profile(&random, &shape), 500, 100 + 200 * (round % 3), 1);
        flm_viewer_do(seen.viewer, flm_bytes_of(views[round % 4]), NULL);
        for (int i = 0; i < 6; i++) {
            viewing_look(&seen);
            assert_viewing_sound(&seen);
            assert_rows_are_where_they_are_hit(&seen);
            viewing_click_at(&seen, random_below(&random, 500), random_below(&random, 300), 2);
        }
        viewing_clear(&seen);
    }
}

/* What the picture has of a function is what the profile has, in every view that shows all. */
static void inverting_and_turning_keep_the_sum(void **state)
{
    (void)state;
    uint64_t random = 82;
    for (int round = 0; round < 30; round++) {
        struct viewing seen;
        viewing_init(&seen, random_profile(&random, &random_full), 500, 300, 1);
        double total = seen.viewer->scene.total;
        static const char *const changes[] = {"flip", "invert", "order total", "flip", "invert"};
        for (int i = 0; i < 5; i++) {
            viewing_do(&seen, changes[i]);
            viewing_look(&seen);
            assert_true(fabs(seen.viewer->scene.total - total) <= 1e-9 * total);
        }
        viewing_clear(&seen);
    }
}

static struct flm_text deep_stacks(int depth, int width)
{
    struct flm_text text = {0};
    for (int i = 0; i < width; i++) {
        for (int k = 0; k < depth; k++)
            flm_text_format(&text, "%sf%d_%d", k ? ";" : "", k, k < 2 ? 0 : i);
        flm_text_format(&text, " %d\n", i + 1);
    }
    flm_text_putc(&text, 0);
    return text;
}

static void callers_are_opened_until_all_that_is_seen_is_there(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_text text = deep_stacks(40, 30);
    viewing_init(&seen, profile_of(text.at), 800, 2000, 1);
    viewing_do(&seen, "invert");
    viewing_look(&seen);
    const struct flm_pane *pane = &seen.viewer->scene.panes[0];
    assert_false(pane->incomplete);
    for (size_t i = 0; i < pane->drawn.count; i++)
        if (!(pane->drawn.at[i].flags & FLM_RECTANGLE_MERGED))
            assert_true(pane->lazy_columns.is_open[pane->drawn.at[i].node.index]);
    viewing_clear(&seen);
    flm_text_clear(&text);
}

/* While callers grow upwards, what was looked at stands still. */
static void what_is_opened_does_not_move_what_is_seen(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_text text = deep_stacks(60, 3);
    viewing_init(&seen, profile_of(text.at), 800, 400, 1);
    viewing_do(&seen, "sandwich f30_2");
    double foot = viewing_box(&seen, "f30_2").y0;
    for (int i = 0; i < 25; i++) {
        viewing_do(&seen, "up");
        viewing_look(&seen);
    }
    viewing_do(&seen, "fit");
    assert_true(viewing_box(&seen, "f30_2").y0 == foot);
    viewing_clear(&seen);
    flm_text_clear(&text);
}

static void a_sandwich_has_callers_above_what_is_called(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("a;x;p 1\nb;x;q 2\nb;y;q 4\nc 8\n"), 800, 400, 1);
    viewing_do(&seen, "sandwich x");
    struct viewing_box x = viewing_box(&seen, "x"), a = viewing_box(&seen, "a"),
                       b = viewing_box(&seen, "b"), p = viewing_box(&seen, "p");
    assert_true(a.y1 == x.y0 && b.y1 == x.y0 && p.y0 == x.y1);
    assert_true(fabs((b.x1 - b.x0) - 2 * (a.x1 - a.x0)) < 1e-6);
    assert_true(x.x1 - x.x0 == 784);
    assert_false(viewing_find(&seen, "c").found || viewing_find(&seen, "y").found);
    /* Of a regular expression: all that it finds, beside each other. */
    viewing_do(&seen, "sandwich /^[xy]$/");
    x = viewing_box(&seen, "x");
    struct viewing_box y = viewing_box(&seen, "y");
    assert_true(x.y0 == y.y0);
    assert_true(fabs((x.x1 - x.x0) / (y.x1 - y.x0) - 3.0 / 4) < 1e-6);
    viewing_clear(&seen);
}

static void what_is_not_there_has_no_sandwich(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse_json 1\n"), 800, 400, 1);
    assert_non_null(strstr(viewing_refused(&seen, "sandwich parse"), "parse_json"));
    viewing_refused(&seen, "sandwich /(/");
    assert_string_equal(viewing_state(&seen), "");
    viewing_do(&seen, "sandwich parse_json");
    viewing_refused(&seen, "sandwich \"x");
    assert_string_equal(viewing_state(&seen), "view=sandwich&of=parse_json");
    /* What was there can go. */
    viewing_do(&seen, "apply drop:parse_json");
    assert_viewing_sound(&seen);
    viewing_look(&seen);
    viewing_do(&seen, "view flame");
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_where_they_are_hit),
        cmocka_unit_test(inverting_and_turning_keep_the_sum),
        cmocka_unit_test(callers_are_opened_until_all_that_is_seen_is_there),
        cmocka_unit_test(what_is_opened_does_not_move_what_is_seen),
        cmocka_unit_test(a_sandwich_has_callers_above_what_is_called),
        cmocka_unit_test(what_is_not_there_has_no_sandwich),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
