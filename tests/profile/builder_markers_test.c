#include "flamel/builder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static struct flm_string word(struct flm_builder *b, const char *text)
{
    return flm_builder_string(b, text, strlen(text));
}

/* The label set "process=NUMBER"; none for "". */
static struct flm_label_set process(struct flm_builder *b, const char *number)
{
    struct flm_string label[2] = {word(b, "process"), word(b, number)};
    return flm_builder_label_set(b, label, *number ? 1 : 0);
}

static struct flm_builder *new_builder(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    return b;
}

static struct flm_profile *finish(struct flm_builder *b)
{
    struct flm_error why = {0};
    struct flm_profile *p = flm_builder_finish(b, &why);
    if (!p)
        fail_msg("%s", why.text);
    assert_sound(p);
    return p;
}

static void says(struct flm_profile *p, const char *text)
{
    char *description = described(p);
    assert_string_equal(description, text);
    free(description);
    flm_profile_free(p);
}

static void markers_are_in_the_order_of_time(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    struct flm_string none = {0};
    flm_builder_marker(b, 30, 0, word(b, "exit"), word(b, "1"), process(b, "7"));
    flm_builder_marker(b, 10, 5, word(b, "collect"), none, process(b, ""));
    flm_builder_marker(b, 10, 5, word(b, "collect"), none, process(b, ""));
    flm_builder_marker(b, 10, 0, word(b, "fork"), none, process(b, "7"));
    flm_builder_marker(b, -20, 0, word(b, "exec"), word(b, "cc1 -O2"), process(b, "7"));
    struct flm_profile *p = finish(b);
    assert_int_equal(flm_profile_marker_count(p), 5);
    assert_int_equal(flm_profile_markers(p)[3].duration_ns, 5);
    says(p, "node 0 \"\" plain flags 2\n"
            "marker at -20 ns for 0 ns: \"exec\" \"cc1 -O2\" \"process\"=\"7\"\n"
            "marker at 10 ns for 0 ns: \"fork\" \"\" \"process\"=\"7\"\n"
            "marker at 10 ns for 5 ns: \"collect\" \"\"\n"
            "marker at 10 ns for 5 ns: \"collect\" \"\"\n"
            "marker at 30 ns for 0 ns: \"exit\" \"1\" \"process\"=\"7\"\n"
            "9 strings, 1 frames, 1 labels, 2 label sets\n");
}

static void a_marker_has_a_time_and_ends_when_times_do(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    struct flm_string none = {0};
    flm_builder_marker(b, FLM_NO_TIME, 0, word(b, "lost"), none, process(b, "7"));
    flm_builder_marker(b, INT64_MAX - 2, INT64_MAX, word(b, "last"), none, process(b, ""));
    struct flm_profile *p = finish(b);
    assert_int_equal(flm_profile_marker_count(p), 1);
    assert_int_equal(flm_profile_markers(p)->duration_ns, 2);
    assert_int_equal(p->sizes.loss_count, 1);
    assert_int_equal(p->sizes.label_count, 0);
    flm_profile_free(p);
}

static void counters_are_found_by_name_unit_and_labels(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    struct flm_string memory = word(b, "memory"), bytes = word(b, "bytes");
    struct flm_counter one = flm_builder_counter(b, memory, bytes, process(b, "8"));
    struct flm_counter other = flm_builder_counter(b, memory, bytes, process(b, "7"));
    struct flm_counter unused = flm_builder_counter(b, word(b, "idle"), bytes, process(b, "9"));
    assert_int_equal(flm_builder_counter(b, memory, bytes, process(b, "8")).index, one.index);
    assert_int_not_equal(one.index, other.index);
    assert_int_not_equal(flm_builder_counter(b, memory, word(b, "KiB"), process(b, "8")).index,
                         one.index);
    (void)unused;
    flm_builder_counter_point(b, one, 30, 3);
    flm_builder_counter_point(b, other, 20, 0.5);
    flm_builder_counter_point(b, one, 10, -1);
    struct flm_profile *p = finish(b);
    struct flm_counter_points points = flm_profile_counter(p, (struct flm_counter){1});
    assert_int_equal(flm_profile_counter_count(p), 2);
    assert_int_equal(points.point_count, 2);
    assert_true(points.time_ns[0] == 10 && points.value[0] == -1);
    assert_true(points.time_ns[1] == 30 && points.value[1] == 3);
    says(p, "node 0 \"\" plain flags 2\n"
            "counter \"memory\" in \"bytes\" \"process\"=\"7\": 0.5 from 20 ns\n"
            "counter \"memory\" in \"bytes\" \"process\"=\"8\": -1 from 10 ns 3 from 30 ns\n"
            "6 strings, 1 frames, 2 labels, 3 label sets\n");
}

static void of_several_values_at_one_time_the_largest_stays(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        struct flm_builder *b = new_builder();
        struct flm_counter c =
            flm_builder_counter(b, word(b, "c"), (struct flm_string){0}, process(b, ""));
        for (int i = 0; i < 6; i++)
            flm_builder_counter_point(b, c, 10 + i / 3, round ? i % 3 : 2 - i % 3);
        says(finish(b), "node 0 \"\" plain flags 2\n"
                        "counter \"c\" in \"\": 2 from 10 ns 2 from 11 ns\n"
                        "2 strings, 1 frames, 0 labels, 1 label sets\n");
    }
}

static void values_that_are_no_numbers_are_counted(void **state)
{
    (void)state;
    struct flm_builder *b = new_builder();
    struct flm_counter c = flm_builder_counter(b, word(b, "c"), word(b, "u"), process(b, "1"));
    flm_builder_counter_point(b, c, 1, NAN);
    flm_builder_counter_point(b, c, 1, -INFINITY);
    flm_builder_counter_point(b, c, FLM_NO_TIME, 1);
    struct flm_profile *p = finish(b);
    assert_int_equal(flm_profile_counter_count(p), 0);
    assert_int_equal(p->sizes.label_set_count, 0);
    assert_true(flm_profile_losses(p)->count == 3);
    flm_profile_free(p);
}

static bool add_some(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_builder *b = flm_builder_new(why);
    if (!b)
        return false;
    for (int i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", i % 20);
        flm_builder_marker(b, i, i % 3, word(b, name), word(b, "detail"), process(b, name));
        struct flm_counter c = flm_builder_counter(b, word(b, name), word(b, "u"), process(b, ""));
        flm_builder_counter_point(b, c, i, i);
    }
    struct flm_profile *p = flm_builder_finish(b, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_survives_failures(add_some, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_are_in_the_order_of_time),
        cmocka_unit_test(a_marker_has_a_time_and_ends_when_times_do),
        cmocka_unit_test(counters_are_found_by_name_unit_and_labels),
        cmocka_unit_test(of_several_values_at_one_time_the_largest_stays),
        cmocka_unit_test(values_that_are_no_numbers_are_counted),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
