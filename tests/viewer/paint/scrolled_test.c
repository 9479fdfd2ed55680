#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

enum { WIDTH = 1000, HEIGHT = 600, THREADS = 40, BAR = 24, WHEEL_MS = 16 };

/* Threads of several processes, on a CPU and not, some with samples narrower than a pixel. */
static struct flm_viewer *chart(void)
{
    struct flm_text lines = {0};
    for (int i = 0; i < THREADS; i++) {
        flm_text_format(&lines, "%d %d - %d 0 main;work%s\n", 1 + i / 7, 10 + i, i,
                        i % 3 ? ";read;decode" : "");
        flm_text_format(&lines, "%d %d sleeping %d 30 main%s\n", 1 + i / 7, 10 + i, i + 1,
                        i % 5 ? ";wait" : "");
    }
    for (int i = 0; i < 500; i++) {
        flm_text_format(&lines, "20 200 - %d.%d%d 0 main", i / 50, i % 50 / 5, i % 5 * 2);
        for (int depth = 0; depth < 60; depth++)
            flm_text_format(&lines, ";f%d", (i / 3 % 5) * 60 + depth);
        flm_text_putc(&lines, '\n');
    }
    flm_text_putc(&lines, '\0');
    struct flm_viewer *v = viewer_of(profile_of_threads(lines.at));
    flm_text_clear(&lines);
    flm_viewer_resize(v, WIDTH, HEIGHT, 1);
    act(v, "view chart");
    act(v, "rows-all");
    assert_true(flm_viewer_update(v, NULL));
    return v;
}

/* A viewer and its window. */
struct shown {
    struct flm_viewer *viewer;
    uint32_t *memory;
    struct flm_pixels pixels;
};

static struct shown show(void)
{
    struct shown shown = {.viewer = chart(), .memory = malloc(sizeof(uint32_t) * WIDTH * HEIGHT)};
    assert_non_null(shown.memory);
    shown.pixels = flm_pixels_of(shown.memory, WIDTH, HEIGHT);
    return shown;
}

static void drop(struct shown *shown)
{
    flm_viewer_free(shown->viewer);
    free(shown->memory);
}

/* But for the scroll bar, and the first row of the area, where a line between threads may be. */
static void assert_same(const struct shown *a, const struct shown *b, double scroll)
{
    struct flm_area area = flm_viewer_area(a->viewer);
    for (size_t y = 0; y < HEIGHT; y++)
        if (y != (size_t)area.top && memcmp(&a->memory[y * WIDTH], &b->memory[y * WIDTH],
                                            sizeof(uint32_t) * (WIDTH - BAR)) != 0)
            fail_msg("scrolled to %g, row %zu differs", scroll, y);
}

/* Up and down by the wheel, with the pointer on boxes: each frame is what a whole picture is. */
static void a_scrolled_picture_is_a_whole_one(void **state)
{
    (void)state;
    static const double by[] = {60, 60, 37, 300, -120, 19, -300, 450, 500, -7, 900, -33, -900};
    struct shown scrolled = show(), whole = show();
    struct flm_viewer *v = scrolled.viewer;
    double now_ms = 1000;
    flm_viewer_pointer(v, FLM_POINTER_MOVE, 600, 300, 0, false, now_ms);
    flm_viewer_paint(v, &scrolled.pixels, now_ms);
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++, now_ms += WHEEL_MS) {
        flm_viewer_wheel(v, 600, 300, 0, by[i], FLM_HELD_ALT, now_ms);
        flm_viewer_paint(v, &scrolled.pixels, now_ms);
        assert_false(flm_node_ref_valid(v->input.hovered));
        double scroll = v->model.camera.scroll_to;
        flm_camera_scroll_to(&whole.viewer->model.camera, scroll, 0, 0);
        flm_viewer_paint(whole.viewer, &whole.pixels, 0);
        assert_same(&scrolled, &whole, scroll);
        flm_viewer_paint(v, &scrolled.pixels, now_ms + 1); /* nothing moved */
        assert_same(&scrolled, &whole, scroll);
    }
    now_ms += FLM_WHEEL_RESTS_MS;
    flm_viewer_paint(v, &scrolled.pixels, now_ms); /* what is under the pointer now is outlined */
    struct flm_node_ref ref;
    struct flm_rectangle box;
    assert_true(flm_viewer_hit(v, 600, 300, &ref, &box) == flm_node_ref_valid(v->input.hovered));
    flm_viewer_pointer(whole.viewer, FLM_POINTER_MOVE, 600, 300, 0, false, 1);
    flm_viewer_paint(whole.viewer, &whole.pixels, 1);
    assert_same(&scrolled, &whole, v->model.camera.scroll_to);
    drop(&scrolled);
    drop(&whole);
}

/* Of what stays nothing is listed: a small step costs less than the window. */
static void only_what_comes_into_the_window_is_painted(void **state)
{
    (void)state;
    struct shown shown = show();
    struct flm_viewer *v = shown.viewer;
    flm_viewer_wheel(v, 600, 300, 0, 100, FLM_HELD_ALT, 1000);
    flm_viewer_paint(v, &shown.pixels, 1000);
    struct flm_area area = flm_viewer_area(v);
    uint32_t *row = &shown.memory[(size_t)(area.top + area.height / 2) * WIDTH];
    row[600] = 0x123456; /* as if it had been painted */
    flm_viewer_wheel(v, 600, 300, 0, 10, FLM_HELD_ALT, 1010);
    flm_viewer_paint(v, &shown.pixels, 1010);
    assert_int_equal(row[600 - 10 * WIDTH], 0x123456);
    act(v, "search read"); /* a picture of something else is a whole one */
    flm_viewer_wheel(v, 600, 300, 0, 10, FLM_HELD_ALT, 1020);
    flm_viewer_paint(v, &shown.pixels, 1020);
    assert_int_not_equal(row[600 - 20 * WIDTH], 0x123456);
    drop(&shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scrolled_picture_is_a_whole_one),
        cmocka_unit_test(only_what_comes_into_the_window_is_painted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
