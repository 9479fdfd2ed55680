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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_whole_number_is_found),
        cmocka_unit_test(fractions_of_times_become_nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
