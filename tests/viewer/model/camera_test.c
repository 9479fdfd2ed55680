#include "viewer/model/camera.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"

static double by_chance(uint64_t *random)
{
    return random_below(random, 1000001) / 1e6;
}

static void assert_inside(const struct flm_camera *camera)
{
    assert_true(camera->to.left >= 0 && camera->to.right <= camera->total);
    assert_true(camera->total == 0 || camera->to.left < camera->to.right);
}

static void whatever_is_asked_for_it_stays_inside(void **state)
{
    (void)state;
    static const double totals[] = {0, 1, 3, 1e-300, 1e300, 12345.678, 0x1p53};
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e308, -1e308, 1e-308};
    uint64_t random = 31;
    for (int round = 0; round < 4000; round++) {
        struct flm_camera camera;
        flm_camera_init(&camera, totals[round % 7]);
        for (int i = 0; i < 20; i++) {
            bool is_odd = random_below(&random, 4) == 0;
            double value = is_odd ? odd[random_below(&random, 8)] : by_chance(&random) * 3 - 1;
            double now = 100.0 * i;
            switch (random_below(&random, 3)) {
            case 0:
                flm_camera_go(
                    &camera,
                    (struct flm_span){value * camera.total, by_chance(&random) * camera.total}, now,
                    50);
                break;
            case 1:
                flm_camera_zoom(&camera, is_odd ? fabs(value) : exp(8 * value), by_chance(&random),
                                now, 50);
                break;
            default:
                flm_camera_pan(&camera, value, now, 50);
            }
            assert_inside(&camera);
        }
    }
}

static void a_zoom_keeps_the_place_under_the_pointer(void **state)
{
    (void)state;
    uint64_t random = 32;
    for (int round = 0; round < 2000; round++) {
        struct flm_camera camera;
        double share = by_chance(&random), factor = 1 + 3 * by_chance(&random);
        flm_camera_init(&camera, 1000);
        flm_camera_go(&camera,
                      (struct flm_span){by_chance(&random) * 500, 500 + by_chance(&random)}, 0, 0);
        struct flm_span before = camera.to;
        double place = before.left + (before.right - before.left) * share;
        flm_camera_zoom(&camera, factor, share, 0, 0);
        struct flm_span after = camera.to;
        assert_true(fabs(after.left + (after.right - after.left) * share - place) < 1e-9);
        assert_true(fabs((after.right - after.left) * factor - (before.right - before.left)) <
                    1e-9);
        /* And back: nothing was at an edge. */
        flm_camera_zoom(&camera, 1 / factor, share, 0, 0);
        assert_true(fabs(camera.to.left - before.left) < 1e-9);
        assert_true(fabs(camera.to.right - before.right) < 1e-9);
    }
}

static void at_an_edge_it_stays_as_wide_as_it_was(void **state)
{
    (void)state;
    struct flm_camera camera;
    flm_camera_init(&camera, 100);
    flm_camera_go(&camera, (struct flm_span){40, 60}, 0, 0);
    flm_camera_pan(&camera, -100, 0, 0);
    assert_true(camera.to.left == 0 && camera.to.right == 20);
    flm_camera_pan(&camera, 100, 0, 0);
    assert_true(camera.to.left == 80 && camera.to.right == 100);
    flm_camera_go(&camera, (struct flm_span){95, 115}, 0, 0);
    assert_true(camera.to.left == 80 && camera.to.right == 100);
    flm_camera_zoom(&camera, 1e-9, 0.5, 0, 0);
    assert_true(camera.to.left == 0 && camera.to.right == 100);
}

static void it_never_gets_so_near_that_pixels_are_one_place(void **state)
{
    (void)state;
    struct flm_camera camera;
    flm_camera_init(&camera, 1e9);
    for (int i = 0; i < 400; i++)
        flm_camera_zoom(&camera, 1.5, 0.73, 0, 0);
    double pixel = (camera.to.right - camera.to.left) / 4096;
    assert_true(camera.to.left + pixel > camera.to.left);
    assert_true(camera.to.right - camera.to.left < 1e9 * 1e-11);
}

static void it_glides_there_without_turning_back(void **state)
{
    (void)state;
    struct flm_camera camera;
    flm_camera_init(&camera, 100);
    flm_camera_go(&camera, (struct flm_span){20, 30}, 1000, 120);
    flm_camera_scroll_to(&camera, 50, 1000, 120);
    double left = 0, right = 100, scroll = 0;
    for (double now = 1000; now <= 1120; now += 10) {
        struct flm_span span = flm_camera_span(&camera, now);
        assert_true(span.left >= left && span.right <= right);
        assert_true(flm_camera_scroll(&camera, now) >= scroll);
        assert_true(flm_camera_moves(&camera, now) == (now < 1120));
        left = span.left;
        right = span.right;
        scroll = flm_camera_scroll(&camera, now);
    }
    assert_true(left == 20 && right == 30 && scroll == 50);
    /* Asked for a time before: where it was. */
    assert_true(flm_camera_span(&camera, 0).left == 0);
}

static void keys_that_come_quicker_than_it_glides_add_up(void **state)
{
    (void)state;
    struct flm_camera quick, slow;
    flm_camera_init(&quick, 100);
    flm_camera_init(&slow, 100);
    for (int i = 0; i < 5; i++) {
        flm_camera_zoom(&quick, 1.5, 0.5, i, 120);
        flm_camera_zoom(&slow, 1.5, 0.5, 1000 * i, 120);
    }
    assert_true(quick.to.left == slow.to.left && quick.to.right == slow.to.right);
}

static void what_moves_below_it_does_not_stop_a_glide(void **state)
{
    (void)state;
    struct flm_camera camera, other;
    flm_camera_init(&camera, 100);
    flm_camera_scroll_to(&camera, 40, 0, 100);
    other = camera;
    flm_camera_shift(&camera, 19);
    for (double now = 0; now <= 100; now += 20) {
        assert_true(flm_camera_scroll(&camera, now) == flm_camera_scroll(&other, now) + 19);
        assert_true(flm_camera_moves(&camera, now) == flm_camera_moves(&other, now));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_asked_for_it_stays_inside),
        cmocka_unit_test(a_zoom_keeps_the_place_under_the_pointer),
        cmocka_unit_test(at_an_edge_it_stays_as_wide_as_it_was),
        cmocka_unit_test(it_never_gets_so_near_that_pixels_are_one_place),
        cmocka_unit_test(it_glides_there_without_turning_back),
        cmocka_unit_test(keys_that_come_quicker_than_it_glides_add_up),
        cmocka_unit_test(what_moves_below_it_does_not_stop_a_glide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
