#include "store/labels/time_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const int64_t NOW = 1795832400000; /* 2026-11-28T05:00:00Z, says the C library below */

static void times_are_read_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        {"now", 1795832400000},
        {"-1h", 1795832400000 - 3600000},
        {"now-90s", 1795832400000 - 90000},
        {"-2d12h", 1795832400000 - 60 * 3600000ll},
        {"-1w1ms", 1795832400000 - 604800001ll},
        {"-5m", 1795832400000 - 300000},
        {"0", 0},
        {"1795832400", 1795832400000},
        {"1795832400001", 1795832400001},
        {"1970-01-01", 0},
        {"1970-01-02T00:00:01Z", 86401000},
        {"2000-02-29", 951782400000},
        {"2026-11-28 10:30", 1795861800000 - 9600000},
        {"2026-11-28T05:00:00.250", 1795832400250 - 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ms = -1;
        struct flm_error why = {0};
        if (!flm_time_parse(flm_bytes_of(cases[i].text), NOW, &ms, &why))
            fail_msg("%s", why.text);
        struct tm tm = {0};
        const char *end = strptime(cases[i].text, "%Y-%m-%d", &tm);
        if (end && *end == 0) /* the C library's calendar agrees */
            assert_int_equal(ms, (int64_t)timegm(&tm) * 1000);
        else if (!strchr(cases[i].text, ':'))
            assert_int_equal(ms, cases[i].ms);
    }
}

static void what_is_no_time_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {"",
                                        "yesterday",
                                        "-",
                                        "-1",
                                        "1h",
                                        "-1x",
                                        "2026-13-01",
                                        "2026-02-30",
                                        "2025-02-29",
                                        "2026-11-28T24:00",
                                        "2026-1-1",
                                        "now1h",
                                        "2026-11-28T10:30:15.2",
                                        "12345678901234567890"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ms;
        struct flm_error why = {0};
        if (flm_time_parse(flm_bytes_of(cases[i]), NOW, &ms, &why))
            fail_msg("%s is read", cases[i]);
        assert_non_null(strstr(why.text, "is no time: now, -1h30m"));
    }
}

static void what_is_printed_is_what_the_c_library_prints(void **state)
{
    (void)state;
    for (int64_t s = -3000000000; s < 8000000000; s += 12345677) {
        char text[FLM_TIME_TEXT], expected[FLM_TIME_TEXT];
        time_t t = (time_t)s;
        struct tm tm;
        assert_non_null(gmtime_r(&t, &tm));
        assert_true(strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0);
        flm_time_print(s * 1000, text);
        assert_string_equal(text, expected);
        int64_t again;
        assert_true(flm_time_parse(flm_bytes_of(text), 0, &again, NULL));
        assert_int_equal(again, s * 1000);
    }
    char text[FLM_TIME_TEXT];
    flm_time_print(1500, text);
    assert_string_equal(text, "1970-01-01T00:00:01.500Z");
}

static void ranges_have_ends_in_order(void **state)
{
    (void)state;
    static const struct {
        const char *text, *refused; /* a part of the sentence; NULL: from and until */
        int64_t from_ms, until_ms;
    } cases[] = {
        {"..", NULL, 0, INT64_MAX},
        {"-2h..-1h", NULL, NOW - 7200000, NOW - 3600000},
        {"-1h..", NULL, NOW - 3600000, INT64_MAX},
        {"..1795832400", NULL, 0, NOW},
        {"1970-01-01..1970-01-02", NULL, 0, 86400000},
        {"-1h..-2h", "ends before it begins", 0, 0},
        {"-1h..-1h", "ends before it begins", 0, 0},
        {"-1h", "--compare is FROM..UNTIL, such as -25h..-24h, not '-1h'", 0, 0},
        {".", "FROM..UNTIL", 0, 0},
        {"", "FROM..UNTIL", 0, 0},
        {"-1h..soon", "'soon' is no time", 0, 0},
        {"soon..-1h", "'soon' is no time", 0, 0},
        {"-1h...-1m", "'.-1m' is no time", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_times range;
        struct flm_error why = {0};
        bool good =
            flm_times_parse_pair(flm_bytes_of(cases[i].text), "--compare", NOW, &range, &why);
        assert_int_equal(good, !cases[i].refused);
        if (!good && !strstr(why.text, cases[i].refused))
            fail_msg("'%s': %s", cases[i].text, why.text);
        if (good) {
            assert_int_equal(range.from_ms, cases[i].from_ms);
            assert_int_equal(range.until_ms, cases[i].until_ms);
        }
    }
}

static void ranges_that_are_judged_are_equally_long(void **state)
{
    (void)state;
    const struct flm_times hour = {NOW - 3600000, NOW}, near = {NOW - 90000000, NOW - 86399100},
                           day = {NOW - 86400000, NOW};
    struct flm_error why = {0};
    assert_true(flm_times_check_lengths(hour, hour, &why));
    assert_true(flm_times_check_lengths(hour, near, &why));
    assert_true(flm_times_check_lengths(near, hour, &why));
    assert_false(flm_times_check_lengths(hour, day, &why));
    assert_non_null(strstr(why.text, "before is 86400 s long, and the time after 3600 s"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read_as_people_write_them),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(what_is_printed_is_what_the_c_library_prints),
        cmocka_unit_test(ranges_have_ends_in_order),
        cmocka_unit_test(ranges_that_are_judged_are_equally_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
