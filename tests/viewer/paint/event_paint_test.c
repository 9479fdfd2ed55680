#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "viewer/paint/internal.h"

enum { WIDTH = 1000, HEIGHT = 400 };

static uint32_t memory[WIDTH * HEIGHT];

static const char events[] = "1 1 - 0 0 main\n"
                             "1 1 - 500 0 main\n"
                             "marker exec 100 0 gzip\n"
                             "counter memory 0 10\n"
                             "counter memory 250 40\n";

static size_t count_not_page(const struct flm_viewer *v, double x, double top, double bottom)
{
    uint32_t page = flm_pixel(flm_page_colors(&v->paint.theme).page);
    size_t count = 0;
    for (double y = top; y < bottom; y++)
        count += memory[(size_t)y * WIDTH + (size_t)x] != page;
    return count;
}

/* A flag where a marker is; a counter as high as its value, of the largest. */
static void events_are_drawn_at_their_time(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads(events));
    struct flm_pixels pixels = flm_pixels_of(memory, WIDTH, HEIGHT);
    act(v, "view chart");
    flm_viewer_resize(v, WIDTH, HEIGHT, 1);
    flm_viewer_paint(v, &pixels, 0);
    struct flm_time_axis a = flm_time_axis_of(v, 1);
    double first = a.area.top - flm_event_track_top(&v->scene, 2);
    double second = first + flm_event_track_top(&v->scene, 1);
    assert_true(count_not_page(v, flm_time_axis_x(&a, 100e6), first, second - 1) > 10);
    assert_int_equal(count_not_page(v, flm_time_axis_x(&a, 50e6), first, second - 1), 0);
    size_t low = count_not_page(v, flm_time_axis_x(&a, 100e6), second, a.area.top - 1);
    size_t high = count_not_page(v, flm_time_axis_x(&a, 400e6), second, a.area.top - 1);
    assert_true(high > 15 && low > 2 && low * 3 < high);
    flm_viewer_free(v);
}

static void a_marker_within_a_longer_one_is_drawn(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads("1 1 - 0 0 main\n"
                                                        "1 1 - 500 0 main\n"
                                                        "marker load 0 500 -\n"
                                                        "marker exec 250 0 -\n"));
    struct flm_pixels pixels = flm_pixels_of(memory, WIDTH, HEIGHT);
    act(v, "view chart");
    flm_viewer_resize(v, WIDTH, HEIGHT, 1);
    flm_viewer_paint(v, &pixels, 0);
    struct flm_time_axis a = flm_time_axis_of(v, 1);
    double x = flm_time_axis_x(&a, 250e6);
    size_t row = (size_t)(a.area.top - flm_event_track_top(&v->scene, 1) / 2);
    assert_int_equal(memory[row * WIDTH + (size_t)x],
                     flm_pixel(flm_page_colors(&v->paint.theme).accent));
    flm_viewer_free(v);
}

/* A value that lasts less than a pixel is seen. */
static void a_pixel_has_the_largest_value_of_its_time(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads("1 1 - 0 0 main\n"
                                               "counter memory 0 10\n"
                                               "counter memory 10 500\n"
                                               "counter memory 11 20\n");
    struct flm_counter_points points = flm_profile_counter(p, (struct flm_counter){0});
    assert_true(flm_counter_most(&points, 5000000000, 5100000000) == 500);
    assert_true(flm_counter_most(&points, 5000000000, 5010000000) == 10);
    assert_true(flm_counter_most(&points, 5012000000, 5100000000) == 20);
    assert_true(flm_counter_most(&points, 4000000000, 4100000000) == 0);
    flm_profile_free(p);
}

static void a_counter_of_a_process_has_its_name(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads("1 1 - 0 0 main\n"
                                                        "1 2 - 0 0 main\n"
                                                        "counter memory@1 0 10\n"
                                                        "counter memory@9 0 5\n"));
    act(v, "view chart");
    static const char *const names[] = {"memory cmd1 1", "memory 9"};
    for (uint32_t i = 0; i < 2; i++) {
        struct flm_text name = {0}, figure = {0};
        flm_event_track_add_name(&v->scene, i, &name, &figure);
        assert_true(flm_bytes_are((struct flm_bytes){name.at, name.size}, names[i]));
        flm_text_clear(&name);
        flm_text_clear(&figure);
    }
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_drawn_at_their_time),
        cmocka_unit_test(a_marker_within_a_longer_one_is_drawn),
        cmocka_unit_test(a_counter_of_a_process_has_its_name),
        cmocka_unit_test(a_pixel_has_the_largest_value_of_its_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
