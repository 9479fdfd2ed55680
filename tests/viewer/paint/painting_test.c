#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/profile/person.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"
#include "viewer/paint/box_style.h"

static const char stacks[] = "main;parse;lex 30\nmain;parse;read 20\nmain;write 30\nidle 20\n";

/* A pixel is R, G, B, A in memory. */
static uint32_t rgb_of(uint32_t pixel)
{
    return (pixel & 0xFF) << 16 | (pixel & 0xFF00) | (pixel >> 16 & 0xFF);
}

static uint32_t color_at(const struct viewing *seen, double x, double y)
{
    assert_true(x >= 0 && y >= 0 && x < seen->pixels.width && y < seen->pixels.height);
    return rgb_of(seen->pixels.at[(size_t)y * seen->pixels.width + (size_t)x]);
}

static void any_window_is_painted(void **state)
{
    (void)state;
    static const double windows[][3] = {
        {0, 0, 1},        {1, 1, 1},        {1, 4000, 1},   {4000, 1, 1}, {360, 640, 1},
        {360, 640, 3},    {3840, 2160, 3},  {17, 49, 1},    {800, 48, 1}, {800, 47, 1},
        {200, 200, 0.11}, {200, 200, 0.25}, {200, 200, 16}, {16, 400, 1}, {15, 400, 1},
    };
    static const char *const views[] = {"view flame", "flip", "invert", "sandwich parse",
                                        "view top"};
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 100, 100, 1);
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++)
        for (int view = 0; view < 5; view++) {
            viewing_resize(&seen, (uint32_t)windows[i][0], (uint32_t)windows[i][1], windows[i][2]);
            viewing_do(&seen, views[view]);
            viewing_look(&seen);
            assert_viewing_sound(&seen);
            viewing_do(&seen, "fit");
            viewing_do(&seen, "child");
            viewing_key(&seen, "Enter", 0);
            viewing_look(&seen);
            viewing_click_at(&seen, windows[i][0] / 2, windows[i][1] / 2, 2);
            viewing_drag(&seen, 2, 2, windows[i][0], windows[i][1]);
            viewing_look(&seen);
            assert_viewing_sound(&seen);
        }
    viewing_clear(&seen);
}

/* The box that is said to be there has its color there. */
static void boxes_are_painted_where_they_are(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 816, 448, 1);
    uint32_t page = flm_page_colors(&seen.viewer->paint.theme).page;
    static const char *const names[] = {"main", "parse", "lex", "read", "write", "idle"};
    for (int flipped = 0; flipped < 2; flipped++) {
        for (int i = 0; i < 6; i++) {
            struct viewing_box box = viewing_box(&seen, names[i]);
            assert_int_not_equal(color_at(&seen, box.x1 - 4, box.y0 + 9), page);
        }
        /* Beside what write calls, nothing. */
        struct viewing_box box = viewing_box(&seen, "write");
        double y = flipped ? box.y0 - 9 : box.y1 + 9;
        assert_int_equal(color_at(&seen, (box.x0 + box.x1) / 2, y), page);
        viewing_do(&seen, "flip");
    }
    viewing_clear(&seen);
}

static size_t pixels_of_color(const struct viewing *seen, uint32_t rgb)
{
    size_t found = 0;
    for (size_t i = 0; i < (size_t)seen->pixels.width * seen->pixels.height; i++)
        found += rgb_of(seen->pixels.at[i]) == rgb;
    return found;
}

static void what_is_selected_is_outlined(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 816, 448, 1);
    uint32_t accent = flm_page_colors(&seen.viewer->paint.theme).accent;
    viewing_look(&seen);
    assert_int_equal(pixels_of_color(&seen, accent), 0);
    viewing_click(&seen, "parse", 1);
    viewing_look(&seen);
    assert_true(pixels_of_color(&seen, accent) > 800);
    viewing_key(&seen, "Escape", 0);
    viewing_look(&seen);
    assert_int_equal(pixels_of_color(&seen, accent), 0);
    viewing_clear(&seen);
}

static void a_selected_run_is_outlined_too(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_text many = {0};
    flm_text_puts(&many, "main;large 10000\n");
    for (int i = 0; i < 40; i++)
        flm_text_format(&many, "main;small%d 1\n", i);
    flm_text_putc(&many, 0);
    viewing_init(&seen, profile_of(many.at), 816, 448, 1);
    viewing_look(&seen);
    const struct flm_pane *pane = &seen.viewer->scene.panes[0];
    struct flm_rectangle run = pane->drawn.at[pane->drawn.count - 1];
    assert_true(run.flags & FLM_RECTANGLE_MERGED);
    viewing_click_at(&seen, 8 + (run.x0 + run.x1) / 2, 48 + 2.5 * 19, 1);
    viewing_look(&seen);
    assert_true(pixels_of_color(&seen, flm_page_colors(&seen.viewer->paint.theme).accent) > 10);
    viewing_clear(&seen);
    flm_text_clear(&many);
}

/* A picture is the same whatever was painted before it. */
static void a_picture_leaves_nothing_of_the_one_before(void **state)
{
    (void)state;
    static const char *const actions[] = {"zoom-in",   "pan-left", "flip",      "fit",
                                          "invert",    "child",    "page-down", "order total",
                                          "search f1", "escape"};
    uint64_t random = 85;
    struct viewing seen;
    viewing_init(&seen, random_profile(&random, &random_full), 416, 248, 1);
    for (int i = 0; i < 60; i++) {
        viewing_do(&seen, actions[random_below(&random, 10)]);
        viewing_look(&seen);
        size_t size = (size_t)seen.pixels.width * seen.pixels.height;
        uint32_t *before = malloc(size * sizeof *before);
        memcpy(before, seen.pixels.at, size * sizeof *before);
        memset(seen.pixels.at, 0xAB, size * sizeof *before);
        viewing_look(&seen);
        assert_memory_equal(before, seen.pixels.at, size * sizeof *before);
        free(before);
    }
    viewing_clear(&seen);
}

static void the_minimap_keeps_the_part_that_is_seen_bright(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("a 1\nb 1\nc 1\nd 1\n"), 816, 448, 1);
    viewing_look(&seen);
    uint32_t whole[4];
    for (int i = 0; i < 4; i++)
        whole[i] = color_at(&seen, 8 + 200 * i + 100, 6);
    viewing_drag(&seen, 8 + 200, 30, 8 + 400, 30);
    viewing_look(&seen);
    for (int i = 0; i < 4; i++)
        assert_true((color_at(&seen, 8 + 200 * i + 100, 6) == whole[i]) == (i == 1));
    viewing_clear(&seen);
}

static void a_glide_wants_more_pictures_and_ends(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of(stacks), 816, 448, 1);
    flm_viewer_theme(seen.viewer, &(struct flm_theme){.still = false});
    viewing_look(&seen);
    viewing_do(&seen, "zoom-in");
    double now = seen.now_ms;
    assert_true(flm_viewer_paint(seen.viewer, &seen.pixels, now + 16));
    assert_true(flm_viewer_paint(seen.viewer, &seen.pixels, now + 100));
    assert_false(flm_viewer_paint(seen.viewer, &seen.pixels, now + 200));
    viewing_clear(&seen);
}

static bool is_blank(const struct viewing *seen)
{
    for (size_t i = 1; i < (size_t)seen->pixels.width * seen->pixels.height; i++)
        if (seen->pixels.at[i] != seen->pixels.at[0])
            return false;
    return true;
}

/* And the next one, for which there is memory, is whole. */
static void a_picture_that_memory_runs_out_for_is_said(void **state)
{
    (void)state;
    static const char *const actions[] = {"search f1", "invert", "sandwich /f1/"};
    uint64_t random = 5;
    struct random_shape shape = {.stacks = 200, .names = 9, .deepest = 12, .metrics = 1};
    size_t told = 0;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        struct viewing seen;
        viewing_init(&seen, random_profile(&random, &shape), 300, 200, 1);
        bool failed = true;
        viewing_do(&seen, actions[i]);
        for (size_t nth = 1; failed; nth++) { /* all of it is made anew */
            flm_viewer_drop_scene(seen.viewer);
            viewing_changes(&seen);
            allocation_fail_from(nth);
            flm_viewer_paint(seen.viewer, &seen.pixels, seen.now_ms);
            failed = allocation_has_failed();
            allocation_fail_from(0);
            bool said = viewing_changes(&seen) & FLM_CHANGED(NOTICE);
            if (is_blank(&seen))
                assert_true(said);
            if (said) {
                assert_string_equal(viewing_ask(&seen, "notice"), "out of memory");
                assert_string_equal(viewing_ask(&seen, "notice-kind"), "error");
            }
            told += said;
            assert_viewing_sound(&seen);
            viewing_look(&seen);
            assert_false(is_blank(&seen));
        }
        viewing_clear(&seen);
    }
    assert_true(told > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_window_is_painted),
        cmocka_unit_test(boxes_are_painted_where_they_are),
        cmocka_unit_test(what_is_selected_is_outlined),
        cmocka_unit_test(a_selected_run_is_outlined_too),
        cmocka_unit_test(a_picture_leaves_nothing_of_the_one_before),
        cmocka_unit_test(the_minimap_keeps_the_part_that_is_seen_bright),
        cmocka_unit_test(a_glide_wants_more_pictures_and_ends),
        cmocka_unit_test(a_picture_that_memory_runs_out_for_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
