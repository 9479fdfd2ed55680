#include "format/core/date.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void times_are_iso_dates(void **state)
{
    (void)state;
    int64_t ns;
    assert_true(flm_date_parse(flm_bytes_of("1970-01-01 00:00:01"), &ns) && ns == 1000000000);
    assert_true(flm_date_parse(flm_bytes_of("2000-02-29T12:00Z"), &ns) &&
                ns == 951825600 * (int64_t)1000000000);
    assert_true(flm_date_parse(flm_bytes_of("2026-11-20T07:24:07.264202454Z"), &ns));
    assert_int_equal(ns, 1795159447264202454);
    static const char *const others[] = {"",
                                         "2026",
                                         "2026-11-20",
                                         "2026-11-20 07:26:06 x",
                                         "1969-12-31 00:00:00",
                                         "2026-13-20 07:26:06",
                                         "9999-12-31 00:00:00",
                                         "2026-11-2O 07:26:06"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(flm_date_parse(flm_bytes_of(others[i]), &ns));
}

static void assert_date(int64_t ns, const char *date)
{
    struct flm_text text = {0};
    flm_date_add(&text, ns);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, date);
    flm_text_clear(&text);
}

static void a_date_has_the_digits_that_its_time_has(void **state)
{
    (void)state;
    assert_date(0, "1970-01-01T00:00:00Z");
    assert_date(951825600000000000, "2000-02-29T12:00:00Z");
    assert_date(1795159447264202454, "2026-11-20T07:24:07.264202454Z");
    assert_date(1500000000, "1970-01-01T00:00:01.5Z");
    assert_date(1000000001, "1970-01-01T00:00:01.000000001Z");
    assert_date(-1, "1969-12-31T23:59:59.999999999Z");
    assert_date(INT64_MAX, "2262-04-11T23:47:16.854775807Z");
    assert_date(INT64_MIN, "1677-09-21T00:12:43.145224192Z");
}

static void a_date_is_read_as_it_was_written(void **state)
{
    (void)state;
    uint64_t x = 1;
    for (int i = 0; i < 1000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        int64_t ns = (int64_t)(x % 7000000000000000000u), again = -1;
        struct flm_text text = {0};
        flm_date_add(&text, ns);
        assert_true(flm_date_parse((struct flm_bytes){text.at, text.size}, &again));
        assert_int_equal(again, ns);
        flm_text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_iso_dates),
        cmocka_unit_test(a_date_has_the_digits_that_its_time_has),
        cmocka_unit_test(a_date_is_read_as_it_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
