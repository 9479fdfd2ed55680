#include "profile/value_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"

static void samples_without_a_value_have_0(void **state)
{
    (void)state;
    static const double expected[] = {5, 1, 0, 1, 7, 0, 0};
    struct flm_value_runs runs = {0};
    for (uint32_t i = 0; i < 7; i++)
        assert_true(flm_value_runs_add(&runs, i, expected[i]));
    assert_int_equal(runs.count, 4);
    assert_int_equal(runs.runs.count, 2);
    double column[7] = {0};
    flm_value_runs_write(&runs, NULL, column);
    for (uint32_t i = 0; i < 7; i++) {
        assert_true(flm_value_runs_get(&runs, i) == expected[i]);
        assert_true(column[i] == expected[i]);
    }
    assert_true(flm_value_runs_get(&runs, 1000) == 0);
    flm_value_runs_clear(&runs);
    assert_true(flm_value_runs_get(&runs, 0) == 0);
}

static void values_of_one_sample_are_added_up(void **state)
{
    (void)state;
    struct flm_value_runs runs = {0};
    assert_true(flm_value_runs_add(&runs, 3, 2) && flm_value_runs_add(&runs, 3, 0.5) &&
                flm_value_runs_add(&runs, 4, 1) && flm_value_runs_add(&runs, 4, -1));
    assert_true(flm_value_runs_get(&runs, 2) == 0);
    assert_true(flm_value_runs_get(&runs, 3) == 2.5);
    assert_true(flm_value_runs_get(&runs, 4) == 0);
    flm_value_runs_clear(&runs);
}

static void values_are_written_in_another_order(void **state)
{
    (void)state;
    static const uint32_t rank[] = {3, 0, 2, 1};
    struct flm_value_runs runs = {0};
    assert_true(flm_value_runs_add(&runs, 0, 10) && flm_value_runs_add(&runs, 1, 11) &&
                flm_value_runs_add(&runs, 3, 13));
    double column[4] = {0};
    flm_value_runs_write(&runs, rank, column);
    assert_true(column[0] == 11 && column[1] == 13 && column[2] == 0 && column[3] == 10);
    flm_value_runs_clear(&runs);
}

/* The same number, then integers, then any: all of the earlier ones stay what they were. */
static void values_of_all_widths_are_the_same(void **state)
{
    (void)state;
    static const double values[] = {7, 7, 7, 4294967295.0, 1, 4294967296.0, -1, 0.25, 7, 1e300};
    enum { COUNT = sizeof values / sizeof *values };
    static const enum flm_value_width widths[COUNT] = {
        FLM_VALUES_SAME, FLM_VALUES_SAME, FLM_VALUES_SAME, FLM_VALUES_SMALL, FLM_VALUES_SMALL,
        FLM_VALUES_ANY,  FLM_VALUES_ANY,  FLM_VALUES_ANY,  FLM_VALUES_ANY,   FLM_VALUES_ANY};
    for (uint32_t gap = 1; gap <= 2; gap++) { /* one run, and a run each */
        struct flm_value_runs runs = {0};
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_true(flm_value_runs_add(&runs, i * gap, values[i]));
            assert_int_equal(runs.width, widths[i]);
            double column[2 * COUNT] = {0};
            flm_value_runs_write(&runs, NULL, column);
            for (uint32_t j = 0; j <= i; j++) {
                assert_true(flm_value_runs_get(&runs, j * gap) == values[j]);
                assert_true(column[j * gap] == values[j]);
            }
        }
        assert_int_equal(runs.runs.count, gap == 1 ? 1 : COUNT);
        flm_value_runs_clear(&runs);
        assert_true(flm_value_runs_get(&runs, 0) == 0);
    }
}

static void sums_of_one_sample_may_need_more_room(void **state)
{
    (void)state;
    struct flm_value_runs runs = {0};
    assert_true(flm_value_runs_add(&runs, 0, 5) && flm_value_runs_add(&runs, 1, 5) &&
                flm_value_runs_add(&runs, 1, 1));
    assert_true(flm_value_runs_get(&runs, 0) == 5 && flm_value_runs_get(&runs, 1) == 6);
    assert_true(flm_value_runs_add(&runs, 1, 4294967295.0));
    assert_true(flm_value_runs_get(&runs, 0) == 5 && flm_value_runs_get(&runs, 1) == 4294967301.0);
    assert_true(flm_value_runs_add(&runs, 1, -4294967301.0));
    assert_true(flm_value_runs_get(&runs, 1) == 0);
    flm_value_runs_clear(&runs);
}

/* Of every width, with samples that have none, in batches of any size. */
static void many_values_at_once_are_as_one_after_the_other(void **state)
{
    (void)state;
    static const double choices[] = {7, 7, 0, 1, 4294967295.0, 0.25};
    enum { COUNT = 400 };
    uint64_t random = 3;
    for (uint32_t turn = 0; turn < 300; turn++) {
        struct flm_value_runs single = {0}, many = {0};
        double values[COUNT];
        uint32_t kinds = 1 + turn % 6;
        for (uint32_t i = 0; i < COUNT; i++)
            values[i] = choices[random_below(&random, kinds)];
        for (uint32_t i = 0, size; i < COUNT; i += size) {
            size = 1 + (uint32_t)random_below(&random, COUNT - i < 50 ? COUNT - i : 50);
            assert_true(flm_value_runs_append(&many, 5 + i, values + i, size));
        }
        for (uint32_t i = 0; i < COUNT; i++)
            assert_true(flm_value_runs_add(&single, 5 + i, values[i]));
        assert_int_equal(many.width, single.width);
        assert_int_equal(many.count, single.count);
        assert_int_equal(many.runs.count, single.runs.count);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_true(flm_value_runs_get(&many, 5 + i) == values[i]);
        flm_value_runs_clear(&many);
        flm_value_runs_clear(&single);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t nth = 1; nth <= 2; nth++) {
        struct flm_value_runs runs = {0};
        allocation_fail_from(nth);
        bool added = flm_value_runs_add(&runs, 1, 0.5);
        allocation_fail_from(0);
        assert_false(added);
        assert_true(flm_value_runs_get(&runs, 1) == 0);
        static const double values[] = {0.5, 0.5};
        allocation_fail_from(1);
        added = flm_value_runs_append(&runs, 1, values, 2);
        allocation_fail_from(0);
        assert_false(added);
        flm_value_runs_clear(&runs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_without_a_value_have_0),
        cmocka_unit_test(values_of_one_sample_are_added_up),
        cmocka_unit_test(values_are_written_in_another_order),
        cmocka_unit_test(values_of_all_widths_are_the_same),
        cmocka_unit_test(sums_of_one_sample_may_need_more_room),
        cmocka_unit_test(many_values_at_once_are_as_one_after_the_other),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
