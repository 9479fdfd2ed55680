/* When profiles were recorded, and in which order they stand. */
#include "cli/report/series_report.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/files.h"

static struct flm_profile *recorded_at(const char *when)
{
    struct flm_builder *builder = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(builder, "samples", "samples");
    struct flm_frame frame = flm_builder_function(builder, "main", 4);
    flm_builder_add(builder, flm_builder_stack(builder, &frame, 1), metric, 1);
    if (when)
        flm_builder_note(builder, "recorded", when, strlen(when));
    return flm_builder_finish(builder, NULL);
}

static void a_profile_says_when_it_was_recorded(void **state)
{
    (void)state;
    static const struct {
        const char *note;
        bool is_date;
    } cases[] = {{"2026-11-20T17:58:21Z", true},
                 {NULL, false},
                 {"", false},
                 {"2026-11-20", false},
                 {"2026-11-20 17:58:21Z", false},
                 {"2026-11-20T17:58:21Z ", false},
                 {"20261120T17:58:21ZZZ", false},
                 {"yesterday", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_dated dated = {.profile = recorded_at(cases[i].note)};
        assert_true(flm_dated_find(&dated, FLM_SERIES_RECORDED) == cases[i].is_date);
        assert_string_equal(dated.date, cases[i].is_date ? cases[i].note : "");
        flm_profile_free(dated.profile);
    }
}

static void a_file_has_the_time_when_it_was_written(void **state)
{
    (void)state;
    struct flm_dated dated = {.path = write_temporary("dated", flm_bytes_of("x"))};
    const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, dated.path, times, 0), 0);
    assert_true(flm_dated_find(&dated, FLM_SERIES_BY_FILE));
    assert_string_equal(dated.date, "2001-09-09T01:46:40Z");
    dated.path = "-";
    assert_false(flm_dated_find(&dated, FLM_SERIES_BY_FILE));
    assert_true(flm_dated_find(&dated, FLM_SERIES_GIVEN));
    assert_string_equal(dated.date, "");
}

static void the_order_is_that_of_dates_whatever_was_given(void **state)
{
    (void)state;
    struct flm_dated dated[] = {{.path = "c", .date = "2026-03-01T00:00:00Z", .given = 0},
                                {.path = "a", .date = "2025-12-31T23:59:59Z", .given = 1},
                                {.path = "d", .date = "2026-03-01T00:00:00Z", .given = 2},
                                {.path = "b", .date = "2026-01-01T00:00:00Z", .given = 3}};
    flm_dated_sort(dated, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(dated[i].path[0], "abcd"[i]);
    flm_dated_sort(NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_says_when_it_was_recorded),
        cmocka_unit_test(a_file_has_the_time_when_it_was_written),
        cmocka_unit_test(the_order_is_that_of_dates_whatever_was_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
