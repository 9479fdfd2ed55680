#include "profile/value_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"

static void samples_without_a_value_have_0(void **state)
{
    (void)state;
    static const double expected[] = {5, 1, 0, 1, 7, 0, 0};
    struct flm_value_runs runs = {0};
    for (uint32_t i = 0; i < 7; i++)
        assert_true(flm_value_runs_add(&runs, i, expected[i]));
    assert_int_equal(runs.values.count, 4);
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

static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t nth = 1; nth <= 2; nth++) {
        struct flm_value_runs runs = {0};
        allocation_fail_from(nth);
        bool added = flm_value_runs_add(&runs, 1, 1);
        allocation_fail_from(0);
        assert_false(added);
        assert_true(flm_value_runs_get(&runs, 1) == 0);
        flm_value_runs_clear(&runs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_without_a_value_have_0),
        cmocka_unit_test(values_of_one_sample_are_added_up),
        cmocka_unit_test(values_are_written_in_another_order),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
