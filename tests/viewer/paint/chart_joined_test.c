#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

enum { WIDTH = 1000, HEIGHT = 600, LEVELS = 8 };

static uint32_t memory[WIDTH * HEIGHT];

struct counts {
    unsigned parts, boxes, merged;
};

/* What is drawn of each level: parts, and how many boxes they are to the eye. */
static void count(const struct flm_viewer *v, struct counts *level)
{
    const struct flm_rectangles *drawn = &v->scene.panes[0].drawn;
    for (size_t i = 0; i < drawn->count; i++) {
        const struct flm_rectangle *r = &drawn->at[i];
        assert_in_range(r->level, 0, LEVELS - 1);
        level[r->level].parts++;
        level[r->level].boxes += !(r->flags & FLM_JOINED_TO_LAST);
        level[r->level].merged += !!(r->flags & FLM_RECTANGLE_MERGED);
        bool joined = i + 1 < drawn->count && (r[1].flags & FLM_JOINED_TO_LAST);
        assert_int_equal(!!(r->flags & FLM_JOINED_TO_NEXT), joined);
        assert_true(!joined || r[1].level == r->level);
    }
}

static void chart(const char *lines, struct counts *level)
{
    struct flm_viewer *v = viewer_of(profile_of_threads(lines));
    act(v, "view chart");
    flm_viewer_resize(v, WIDTH, HEIGHT, 1);
    struct flm_pixels pixels = flm_pixels_of(memory, WIDTH, HEIGHT);
    flm_viewer_paint(v, &pixels, 0);
    count(v, level);
    flm_viewer_free(v);
}

/* `main` runs and sleeps in turn, and is one box; what it calls in between is not, and neither are
 * parts with a time between them of which nothing is known. */
static void a_function_that_waits_in_between_is_one_box(void **state)
{
    (void)state;
    struct counts level[LEVELS] = {{0}};
    chart("1 1 -        0 0 main;work\n"
          "1 1 sleeping 10 20 main;sleep\n"
          "1 1 -        39 0 main;work\n"
          "1 1 sleeping 40 20 main;sleep\n"
          "1 1 -        60 0 main;work\n"
          "1 1 -        61 0 main;work\n"
          "1 1 -        62 0 main;work\n",
          level);
    assert_int_equal(level[1].parts, 5);
    assert_int_equal(level[1].boxes, 3);
    assert_int_equal(level[2].parts, 5);
    assert_int_equal(level[2].boxes, 5);
}

/* Neighbors of one name that are called by others are not one. */
static void only_the_same_stack_is_one_box(void **state)
{
    (void)state;
    struct counts level[LEVELS] = {{0}};
    chart("1 1 sleeping 0 10 a;read\n"
          "1 1 blocked 10 10 a;read\n"
          "1 1 lock 20 10 b;read\n",
          level);
    assert_int_equal(level[1].parts, 3);
    assert_int_equal(level[1].boxes, 2);
    assert_int_equal(level[2].parts, 3);
    assert_int_equal(level[2].boxes, 2);
}

/* Waits too narrow to be drawn one by one are part of it, if nothing else is among them. */
static void merged_waits_are_part_of_it(void **state)
{
    (void)state;
    static const char one[] = "1 1 sleeping 0 500000 main;sleep\n"
                              "1 1 lock 500000 3 main;lock\n"
                              "1 1 blocked 500003 3 main;lock\n"
                              "1 1 sleeping 500006 499994 main;sleep\n";
    static const char other[] = "1 1 sleeping 0 500000 main;sleep\n"
                                "1 1 lock 500000 3 main;lock\n"
                                "1 1 blocked 500003 3 other;lock\n"
                                "1 1 sleeping 500006 499994 main;sleep\n";
    struct counts level[LEVELS] = {{0}};
    chart(one, level);
    assert_int_equal(level[1].merged, 1);
    assert_int_equal(level[1].boxes, 1);
    struct counts broken[LEVELS] = {{0}};
    chart(other, broken);
    assert_int_equal(broken[1].merged, 1);
    assert_int_equal(broken[1].boxes, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_that_waits_in_between_is_one_box),
        cmocka_unit_test(only_the_same_stack_is_one_box),
        cmocka_unit_test(merged_waits_are_part_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
