#include "format/core/whole_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/profiles.h"

static void the_nearest_whole_number_is_found(void **state)
{
    (void)state;
    assert_int_equal(flm_whole_value(2.5), 3);
    assert_int_equal(flm_whole_value(-2.5), -3);
    assert_int_equal(flm_whole_value(0.4), 0);
    assert_true(flm_whole_value(1e300) == INT64_MAX);
    assert_true(flm_whole_value(-1e300) == INT64_MIN);
}

static double factor_of(const char *unit, double value, uint32_t *rounded)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "m", unit);
    flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "f", 1)),
                    metric, value);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    double factor = flm_whole_factor(p, 0, rounded);
    flm_profile_free(p);
    return factor;
}

static void fractions_of_times_become_nanoseconds(void **state)
{
    (void)state;
    uint32_t rounded;
    assert_true(factor_of("ms", 2, &rounded) == 1 && rounded == 0);
    assert_true(factor_of("ms", 2.25, &rounded) == 1e6 && rounded == 0);
    assert_true(factor_of("s", 0.5, &rounded) == 1e9 && rounded == 0);
    assert_true(factor_of("bytes", 0.5, &rounded) == 1 && rounded == 1);
    assert_true(factor_of("ns", 0.5, &rounded) == 1 && rounded == 1);
    assert_true(factor_of("s", 2e10 + 0.5, &rounded) == 1 && rounded == 1); /* too large */
}

/* A sum of `count` values, each written as a whole number; none is changed by 1 or more. */
static int64_t sum_of(double value, int count)
{
    struct flm_whole_series series = {0};
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        int64_t whole = flm_whole_next(&series, value);
        assert_true((double)whole > value - 1 && (double)whole < value + 1);
        sum += whole;
    }
    return sum;
}

static void sums_of_fractions_are_as_good_as_a_total_can_be(void **state)
{
    (void)state;
    assert_int_equal(sum_of(1.4, 10000), 14000);
    assert_int_equal(sum_of(0.001, 10000), 10);
    assert_int_equal(sum_of(-2.25, 1001), -2252);
    assert_int_equal(sum_of(3, 7), 21);
    struct flm_whole_series series = {0};
    assert_int_equal(flm_whole_next(&series, 0.5), 1);
    assert_int_equal(flm_whole_next(&series, 7), 7); /* was whole: stays */
    assert_int_equal(flm_whole_next(&series, 0), 0);
    assert_int_equal(flm_whole_next(&series, 1e-5), 0); /* not -1 */
    assert_int_equal(flm_whole_next(&series, 1.5), 1);
}

static void what_samples_leave_of_a_stack_is_no_error_of_a_sum(void **state)
{
    (void)state;
    double taken = 0;
    for (int i = 0; i < 10; i++)
        taken += 0.1;
    assert_true(taken != 1 && flm_whole_rest(1, taken) == 0);
    assert_true(flm_whole_rest(1, 0.75) == 0.25);
}

static void times_that_are_whole_nanoseconds_are_not_rounded(void **state)
{
    (void)state;
    uint32_t rounded;
    assert_true(factor_of("ms", 0.1 + 0.2, &rounded) == 1e6 && rounded == 0);
    assert_true(factor_of("ms", 0.1234567, &rounded) == 1e6 && rounded == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_whole_number_is_found),
        cmocka_unit_test(fractions_of_times_become_nanoseconds),
        cmocka_unit_test(sums_of_fractions_are_as_good_as_a_total_can_be),
        cmocka_unit_test(what_samples_leave_of_a_stack_is_no_error_of_a_sum),
        cmocka_unit_test(times_that_are_whole_nanoseconds_are_not_rounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
