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

static void numbers_and_long_names_are_read_and_written(void **state)
{
    (void)state;
    int64_t number;
    struct flm_bytes unit;
    assert_true(flm_unit_parse(flm_bytes_of("4096 bytes"), &number, &unit));
    assert_true(number == 4096 && flm_bytes_are(unit, "bytes"));
    assert_true(flm_unit_parse(flm_bytes_of("-9223372036854775808"), &number, &unit));
    assert_true(number == INT64_MIN && unit.size == 0);
    assert_false(flm_unit_parse(flm_bytes_of("9223372036854775808"), &number, &unit));
    assert_false(flm_unit_parse(flm_bytes_of("12x"), &number, &unit));
    assert_true(flm_bytes_are(flm_unit_long(flm_bytes_of("us")), "microseconds"));
    assert_true(flm_bytes_are(flm_unit_long(flm_bytes_of("bytes")), "bytes"));
    assert_true(flm_list_has(flm_bytes_of("a, bc"), flm_bytes_of("bc")));
    assert_false(flm_list_has(flm_bytes_of("a, bc"), flm_bytes_of("b")));
}

static void when_it_was_recorded_is_a_date_and_comes_back(void **state)
{
    (void)state;
    static const int64_t times[] = {1795159447264202454, 1, -5, INT64_MAX, 0};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        flm_recorded_note(b, times[i]);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        assert_int_equal(flm_recorded_time(p), times[i]);
        if (i == 0)
            assert_note(p, FLM_NOTE_RECORDED, "2026-11-20T07:24:07.264202454Z");
        if (i == 2)
            assert_note(p, FLM_NOTE_TIME, "-5");
        assert_int_equal(p->sizes.note_count, times[i] != 0);
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_have_our_names_and_others_stay),
        cmocka_unit_test(a_note_of_a_number_has_its_unit_and_0_has_none),
        cmocka_unit_test(numbers_and_long_names_are_read_and_written),
        cmocka_unit_test(when_it_was_recorded_is_a_date_and_comes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
