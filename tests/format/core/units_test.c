#include "format/core/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

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

static void a_note_of_a_number_has_its_unit_and_0_has_none(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    flm_unit_note(b, "period", 10, flm_bytes_of("ms"));
    flm_unit_note(b, "time_ns", -3, flm_bytes_of(""));
    flm_unit_note(b, "duration_ns", 0, flm_bytes_of("ns"));
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_note(p, "period", "10 ms");
    assert_note(p, "time_ns", "-3");
    assert_int_equal(p->sizes.note_count, 2);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_have_our_names_and_others_stay),
        cmocka_unit_test(a_note_of_a_number_has_its_unit_and_0_has_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
