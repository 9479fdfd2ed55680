#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "draw/color/state_tones.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "viewer/paint/box_style.h"

enum { WIDTH = 1000, HEIGHT = 600 };

static uint32_t memory[WIDTH * HEIGHT];

static struct flm_viewer *chart_of(const char *lines, double width)
{
    struct flm_viewer *v = viewer_of(profile_of_threads(lines));
    act(v, "view chart");
    flm_viewer_resize(v, (uint32_t)width, HEIGHT, 1);
    assert_true(flm_viewer_update(v, NULL));
    return v;
}

static void paint(struct flm_viewer *v)
{
    struct flm_pixels pixels = flm_pixels_of(memory, v->scene.window.width, HEIGHT);
    flm_viewer_paint(v, &pixels, 0);
}

static uint32_t pixel(const struct flm_viewer *v, double x, double y)
{
    uint32_t abgr = memory[(size_t)y * v->scene.window.width + (size_t)x];
    return (abgr & 0xFF) << 16 | (abgr & 0xFF00) | (abgr >> 16 & 0xFF);
}

static double x_of(const struct flm_viewer *v, double ms)
{
    struct flm_area area = flm_viewer_area(v);
    struct flm_span span = flm_viewer_span(v);
    return area.left + (ms * 1e6 - span.left) / (span.right - span.left) * area.width;
}

static double y_of_strip(const struct flm_viewer *v, uint32_t pane)
{
    return flm_viewer_area(v).top + v->scene.panes[pane].top_px - flm_scene_strip_px(&v->scene) + 2;
}

static const char states[] = "1 1 - 0 0 main;work\n"
                             "1 1 sleeping 10 80 main;sleep\n"
                             "1 1 - 95 0 main;work\n"
                             "1 2 sleeping 0 40 -\n"
                             "1 2 - 99 0 main;work\n";

/* Of each pixel the state in its middle: also where a thread ran unseen, and without a stack. */
static void a_strip_has_the_state_of_every_time(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(states, WIDTH);
    paint(v);
    uint32_t sleeping = flm_state_tones[FLM_THREAD_SLEEPING].light,
             on_cpu = flm_state_tones[FLM_THREAD_ON_CPU].light;
    for (uint32_t pane = 0; pane < 2; pane++) {
        double y = y_of_strip(v, pane);
        for (double ms = 0.5; ms < 99; ms += 1) {
            bool sleeps = pane == 0 ? ms > 10 && ms < 90 : ms < 40;
            bool is_over = pane == 0 && ms > 95;
            uint32_t expected = is_over  ? flm_page_colors(&v->paint.theme).page
                                : sleeps ? sleeping
                                         : on_cpu;
            if (pixel(v, x_of(v, ms), y) != expected)
                fail_msg("thread %u at %g ms: %06x, not %06x", pane, ms, pixel(v, x_of(v, ms), y),
                         expected);
        }
    }
    flm_viewer_free(v);
}

/* Boxes of a stack that waits have the color of the state, paler. */
static void boxes_that_wait_have_the_color_of_their_state(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(states, WIDTH);
    paint(v);
    double y = flm_viewer_area(v).top + v->scene.panes[0].top_px + 3;
    assert_int_equal(pixel(v, x_of(v, 80), y), flm_state_tones[FLM_THREAD_SLEEPING].box.light);
    assert_int_not_equal(pixel(v, x_of(v, 0.2), y), flm_state_tones[FLM_THREAD_SLEEPING].box.light);
    flm_viewer_free(v);
}

/* The share of its threads that run, from the lower edge of the row up. */
static void a_collapsed_process_has_bars_of_running_threads(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of("7 7 sleeping 0 100 main\n"
                                    "1 1 - 1 0 main\n"
                                    "1 1 sleeping 51 10 main\n"
                                    "1 2 sleeping 1 25 main\n"
                                    "1 2 - 26 0 main\n"
                                    "1 2 sleeping 51 10 main\n",
                                    WIDTH);
    act(v, "processes-all");
    paint(v);
    uint32_t on_cpu = flm_state_tones[FLM_THREAD_ON_CPU].light;
    double foot = flm_viewer_area(v).top + v->scene.panes[1].top_px,
           high = flm_scene_occupancy_px(&v->scene);
    assert_int_equal(v->scene.pane_count, 2);
    for (double ms = 2; ms < 70; ms += 1) {
        assert_int_equal(pixel(v, x_of(v, ms), foot - 3) == on_cpu, ms < 51);
        assert_int_equal(pixel(v, x_of(v, ms), foot - high + 2) == on_cpu, ms >= 26 && ms < 51);
    }
    flm_viewer_free(v);
}

static size_t count_in(const struct flm_viewer *v, double left, double right, double top,
                       double bottom, uint32_t rgb)
{
    size_t count = 0;
    for (double y = top; y < bottom; y++)
        for (double x = left; x < right; x++)
            count += pixel(v, x, y) == rgb;
    return count;
}

/* Nothing of a stack is under the names, however far it is panned; a narrow window has them
 * above. */
static void boxes_stay_out_of_the_gutter(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(states, WIDTH);
    uint32_t box = flm_state_tones[FLM_THREAD_SLEEPING].box.light;
    flm_camera_go(&v->model.camera, (struct flm_span){30e6, 60e6}, 0, 0);
    paint(v);
    double gutter = flm_scene_gutter_px(&v->scene), top = flm_viewer_area(v).top;
    assert_true(gutter > 100);
    assert_int_equal(count_in(v, 0, gutter, top, HEIGHT, box), 0);
    assert_true(count_in(v, gutter, WIDTH, top, HEIGHT, box) > 1000);
    flm_viewer_free(v);
    v = chart_of(states, 390);
    paint(v);
    assert_true(flm_scene_gutter_px(&v->scene) == 0);
    assert_true(v->scene.panes[0].header_px > flm_scene_row_px(&v->scene));
    flm_viewer_free(v);
}

/* The names are letters that the page has not drawn here: what is asked for tells what is said. */
static bool asks_for(struct flm_viewer *v, uint32_t letter)
{
    uint32_t missing;
    bool asked = false;
    for (int weight = 0; weight < 2; weight++)
        while ((missing = flm_atlas_missing(v->paint.atlas, (enum flm_weight)weight)) != 0)
            asked = asked || missing == letter;
    return asked;
}

/* Gives the viewer letters that are black blocks. */
static void give_letters(struct flm_viewer *v)
{
    static uint8_t block[6 * 9];
    memset(block, 255, sizeof block);
    const struct flm_glyph glyph = {
        .advance_px = 7, .top = -9, .width = 6, .height = 9, .coverage = block};
    uint32_t missing;
    for (int weight = 0; weight < 2; weight++)
        while ((missing = flm_atlas_missing(v->paint.atlas, (enum flm_weight)weight)) != 0)
            assert_true(flm_atlas_add(v->paint.atlas, missing, (enum flm_weight)weight, &glyph));
}

/* Pixels of text in the gutter, from a height on. */
static size_t text_in_gutter(const struct flm_viewer *v, double top, double bottom)
{
    return count_in(v, 0, flm_scene_gutter_px(&v->scene), top, bottom,
                    flm_page_colors(&v->paint.theme).text);
}

static void a_name_stays_while_its_thread_is_seen(void **state)
{
    (void)state;
    struct flm_text lines = {0};
    flm_text_puts(&lines, "1 1 - 0 0 main");
    for (int i = 0; i < 60; i++)
        flm_text_format(&lines, ";f%d", i);
    flm_text_puts(&lines, "\n1 2 - 1 0 main\n");
    flm_text_putc(&lines, '\0');
    struct flm_viewer *v = chart_of(lines.at, WIDTH);
    act(v, "rows-all");
    paint(v);
    give_letters(v);
    paint(v);
    double top = flm_viewer_area(v).top;
    size_t name = text_in_gutter(v, top, top + 40);
    assert_true(name > 100);
    assert_int_equal(text_in_gutter(v, top + 40, HEIGHT), 0); /* the second thread is below */
    flm_viewer_scroll(v, 400, 0); /* its first rows are above the window */
    paint(v);
    assert_int_equal(text_in_gutter(v, top, top + 40), name);
    flm_text_clear(&lines);
    flm_viewer_free(v);
}

static void the_ruler_tells_the_time_since_the_recording_began(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(states, WIDTH);
    act(v, "range 50ms..99ms");
    assert_true(flm_viewer_update(v, NULL));
    paint(v);
    assert_true(asks_for(v, '6')); /* 60 ms */
    struct flm_area area = flm_viewer_area(v);
    flm_viewer_pointer(v, FLM_POINTER_MOVE, area.left + 100, area.top + 200, 0, false, 1);
    paint(v);
    uint32_t accent = flm_page_colors(&v->paint.theme).accent;
    assert_true(count_in(v, area.left + 80, area.left + 120,
                         area.top - flm_scene_ruler_px(&v->scene), area.top,
                         accent) > 100); /* the time under the pointer */
    flm_viewer_free(v);
}

/* Threads outside of the window are left out, and no row of another with them: a window shows what
 * one that is high enough for all threads has there. Names move, and the scroll bar; a line above
 * the first row is left out. */
static void a_window_has_its_part_of_the_whole_picture(void **state)
{
    (void)state;
    enum { THREADS = 40, BAR = 24 };
    struct flm_text lines = {0};
    for (int i = 0; i < THREADS; i++) {
        flm_text_format(&lines, "%d %d - %d 0 main;work%s\n", 1 + i / 7, 10 + i, i,
                        i % 3 ? ";read;decode" : "");
        flm_text_format(&lines, "%d %d sleeping %d 30 main%s\n", 1 + i / 7, 10 + i, i + 1,
                        i % 5 ? ";wait" : "");
    }
    /* Samples narrower than a pixel, in more rows than the window has. */
    for (int i = 0; i < 500; i++) {
        flm_text_format(&lines, "20 200 - %d.%d%d 0 main", i / 50, i % 50 / 5, i % 5 * 2);
        for (int depth = 0; depth < 60; depth++)
            flm_text_format(&lines, ";f%d", (i / 3 % 5) * 60 + depth);
        flm_text_putc(&lines, '\n');
    }
    flm_text_putc(&lines, '\0');
    struct flm_viewer *all = chart_of(lines.at, WIDTH), *v = chart_of(lines.at, WIDTH);
    act(v, "rows-all"); /* as where there is room for them */
    act(all, "rows-all");
    uint32_t height = HEIGHT + (uint32_t)all->scene.content_px;
    uint32_t *whole = malloc(sizeof *whole * WIDTH * height);
    assert_non_null(whole);
    flm_viewer_resize(all, WIDTH, height, 1);
    struct flm_pixels pixels = flm_pixels_of(whole, WIDTH, height);
    flm_viewer_paint(all, &pixels, 0);
    struct flm_area area = flm_viewer_area(v);
    size_t left = (size_t)area.left, size = sizeof *whole * (WIDTH - BAR - left);
    assert_true(v->scene.content_px > 2 * area.height);
    for (double scroll = 0; scroll <= v->scene.content_px - area.height; scroll += 7) {
        flm_camera_scroll_to(&v->model.camera, scroll, 0, 0);
        memset(memory, 0xAB, sizeof memory);
        paint(v);
        for (size_t i = 0; i < WIDTH * HEIGHT; i++)
            assert_int_not_equal(memory[i], 0xABABABAB);
        for (size_t y = (size_t)area.top + 1; y < (size_t)(area.top + area.height); y++)
            if (memcmp(&memory[y * WIDTH + left], &whole[(y + (size_t)scroll) * WIDTH + left],
                       size) != 0)
                fail_msg("scrolled by %g, row %zu differs", scroll, y);
    }
    free(whole);
    flm_text_clear(&lines);
    flm_viewer_free(all);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strip_has_the_state_of_every_time),
        cmocka_unit_test(boxes_that_wait_have_the_color_of_their_state),
        cmocka_unit_test(a_collapsed_process_has_bars_of_running_threads),
        cmocka_unit_test(boxes_stay_out_of_the_gutter),
        cmocka_unit_test(a_name_stays_while_its_thread_is_seen),
        cmocka_unit_test(a_window_has_its_part_of_the_whole_picture),
        cmocka_unit_test(the_ruler_tells_the_time_since_the_recording_began),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
