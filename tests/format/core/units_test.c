#include "format/core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static void units_have_our_names_and_others_stay(void **state)
{
    (void)state;
    assert_true(flm_bytes_are(flm_unit_named(flm_bytes_of("nanoseconds")), "ns"));
    assert_true(flm_bytes_are(flm_unit_named(flm_bytes_of("milliseconds")), "ms"));
    assert_true(flm_bytes_are(flm_unit_named(flm_bytes_of("\xC2\xB5s")), "us")); /* micro sign */
    assert_true(flm_bytes_are(flm_unit_named(flm_bytes_of("\xCE\xBCs")), "us")); /* letter mu */
    assert_true(flm_bytes_are(flm_unit_named(flm_bytes_of("seconds")), "s"));
    assert_true(flm_bytes_are(flm_unit_named(flm_bytes_of("B")), "bytes"));
    assert_true(flm_bytes_are(flm_unit_named(flm_bytes_of("ns")), "ns"));
    assert_true(flm_bytes_are(flm_unit_named(flm_bytes_of("contentions")), "contentions"));
    assert_true(flm_bytes_are(flm_unit_named(flm_bytes_of("")), ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_have_our_names_and_others_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
