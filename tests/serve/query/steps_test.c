#include "serve/query/steps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static bool make(int64_t from_ms, int64_t until_ms, double step_s, struct flm_steps *steps)
{
    const struct flm_store_query query = {
        .size = sizeof query, .from_ms = from_ms, .until_ms = until_ms};
    return flm_steps_make(&query, step_s, steps, NULL);
}

static void ranges_have_whole_steps_and_a_rest(void **state)
{
    struct flm_steps steps;
    (void)state;
    assert_true(make(1000, 31000, 15, &steps));
    assert_int_equal(steps.count, 2);
    assert_int_equal(steps.step_ms, 15000);
    assert_true(make(1000, 31001, 15, &steps));
    assert_int_equal(steps.count, 3);
    assert_true(make(1000, 1001, 1e9, &steps));
    assert_int_equal(steps.count, 1);
    assert_true(make(0, 11000, 0.001, &steps));
    assert_int_equal(steps.count, 11000);
    assert_true(make(1000, 1000, 1, &steps));
    assert_int_equal(steps.count, 0);
}

static void what_would_be_too_many_or_none_is_refused(void **state)
{
    struct flm_steps steps;
    (void)state;
    assert_false(make(0, 11001, 0.001, &steps));
    assert_false(make(0, INT64_MAX, 1, &steps));
    assert_false(make(INT64_MIN, INT64_MAX, 1e9, &steps));
    assert_false(make(0, 1000, 0, &steps));
    assert_false(make(0, 1000, -1, &steps));
    assert_false(make(0, 1000, (double)NAN, &steps));
    assert_false(make(0, 1000, (double)INFINITY, &steps));
    assert_false(make(0, 1000, 2e9, &steps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_have_whole_steps_and_a_rest),
        cmocka_unit_test(what_would_be_too_many_or_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
