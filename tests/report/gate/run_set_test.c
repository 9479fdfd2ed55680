/* Runs in order: when profiles were recorded, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "flamel/gate.h"
#include "report/gate/internal.h"
#include "support/core/failures.h"

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

static struct flm_run_set *set_of(const struct flm_gate_run *runs, size_t count,
                                  enum flm_run_order order, struct flm_error *why)
{
    const struct flm_run_set_options options = {.size = sizeof options, .order = order};
    return flm_run_set_new(runs, count, &options, why);
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
        struct flm_profile *profile = recorded_at(cases[i].note);
        const struct flm_gate_run run = {.profile = profile, .name = "a.flm"};
        struct flm_error why = {0};
        struct flm_run_set *set = set_of(&run, 1, FLM_ORDER_RECORDED, &why);
        assert_true((set != NULL) == cases[i].is_date);
        if (set)
            assert_string_equal(set->dates[0], cases[i].note);
        else
            assert_int_equal(why.kind, FLM_ERROR_USAGE);
        flm_run_set_free(set);
        set = set_of(&run, 1, FLM_ORDER_RECORDED_OR_GIVEN, &why);
        assert_non_null(set);
        assert_int_equal(set->order, cases[i].is_date ? FLM_ORDER_RECORDED : FLM_ORDER_GIVEN);
        assert_int_equal(set->undated, !cases[i].is_date);
        assert_string_equal(set->dates[0], cases[i].is_date ? cases[i].note : "");
        flm_run_set_free(set);
        flm_profile_free(profile);
    }
}

static void the_order_is_that_of_dates_whatever_was_given(void **state)
{
    (void)state;
    struct flm_profile *profile = recorded_at(NULL);
    const struct flm_gate_run runs[] = {
        {.profile = profile, .name = "c", .date = "2026-03-01T00:00:00Z"},
        {.profile = profile, .name = "a", .date = "2025-12-31T23:59:59Z"},
        {.profile = profile, .name = "d", .date = "2026-03-01T00:00:00Z"},
        {.profile = profile, .name = "b", .date = "2026-01-01T00:00:00Z"}};
    struct flm_run_set *set = set_of(runs, 4, FLM_ORDER_BY_DATE, NULL);
    assert_non_null(set);
    assert_int_equal(flm_run_set_count(set), 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(flm_run_set_name(set, i)[0], "abcd"[i]);
        assert_true(flm_run_set_total(set, i) == 1);
    }
    flm_run_set_free(set);
    set = set_of(runs, 4, FLM_ORDER_GIVEN, NULL);
    assert_non_null(set);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(flm_run_set_name(set, i)[0], "cadb"[i]);
    flm_run_set_free(set);
    flm_profile_free(profile);
}

static void runs_without_a_date_and_no_runs_are_refused(void **state)
{
    (void)state;
    struct flm_profile *profile = recorded_at(NULL);
    const struct flm_gate_run runs[] = {
        {.profile = profile, .name = "a", .date = "2026-03-01T00:00:00Z"},
        {.profile = profile, .name = "b"}};
    struct flm_error why = {0};
    assert_null(set_of(runs, 2, FLM_ORDER_BY_DATE, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_string_equal(why.text, "b has no date");
    assert_null(set_of(NULL, 0, FLM_ORDER_GIVEN, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_run_set_free(NULL);
    flm_profile_free(profile);
}

/* ---- Reports of a set ------------------------------------------------------------------------ */

static bool into_text(void *text, const void *bytes, size_t size)
{
    flm_text_add(text, (struct flm_bytes){bytes, size});
    return true;
}

static char *written(const struct flm_report *report, enum flm_report_form form, size_t width)
{
    const struct flm_report_style style = {.size = sizeof style, .width = width};
    struct flm_text text = {0};
    assert_true(flm_report_write(report, form, &style, into_text, &text, NULL));
    flm_text_putc(&text, 0);
    assert_false(text.failed);
    return text.at;
}

static void a_narrow_terminal_has_a_row_for_each_run_in_place_of_the_matrix(void **state)
{
    (void)state;
    enum { RUNS = 9 };
    struct flm_gate_run runs[RUNS];
    struct flm_profile *profile = recorded_at(NULL);
    for (size_t i = 0; i < RUNS; i++)
        runs[i] = (struct flm_gate_run){.profile = profile, .name = "dir.d/run.flm"};
    struct flm_run_set *set = set_of(runs, RUNS, FLM_ORDER_GIVEN, NULL);
    struct flm_report *report = flm_report_similarity(set, NULL, NULL);
    assert_non_null(report);
    static const size_t widths[] = {0, 60, 100};
    for (size_t i = 0; i < 3; i++) {
        char *text = written(report, FLM_REPORT_TEXT, widths[i]);
        assert_true((strstr(text, "farthest") != NULL) == (widths[i] == 60));
        assert_true((strstr(text, "too wide") != NULL) == (widths[i] == 60));
        free(text);
    }
    /* Points in the names of files are no members of objects. */
    char *csv = written(report, FLM_REPORT_CSV, 0);
    assert_memory_equal(csv, "profile,dir.d/run.flm,dir.d/run.flm,", 36);
    free(csv);
    const struct flm_report_table *table = flm_report_table_named(report, "similarity");
    assert_int_equal(flm_report_row_count(table), RUNS);
    assert_true(flm_report_number(table, 2, flm_report_column_named(table, "dir.d/run.flm")) == 1);
    assert_null(flm_report_table_named(report, "distance"));
    flm_report_free(report);
    flm_run_set_free(set);
    flm_profile_free(profile);
}

static bool all_reports(void *context, struct flm_error *why)
{
    const struct flm_gate_run *runs = context;
    const struct flm_run_set_options options = {.size = sizeof options, .normalize = true};
    const struct flm_similarity_options matrix = {
        .size = sizeof matrix, .all_measures = true, .similar_first = true};
    const struct flm_series_settings settings = {
        .size = sizeof settings, .alpha = 0.5, .permutations = 19};
    struct flm_run_set *set = flm_run_set_new(runs, 12, &options, why);
    struct flm_report *similarity = set ? flm_report_similarity(set, &matrix, why) : NULL;
    struct flm_report *series = similarity ? flm_report_series(set, &settings, why) : NULL;
    struct flm_report *difference = series ? flm_gate_difference(set, 0, why) : NULL;
    bool good = difference != NULL;
    flm_report_free(similarity);
    flm_report_free(series);
    flm_report_free(difference);
    flm_run_set_free(set);
    return good;
}

/* What a program passes that forgot the size, and one that was compiled with a newer library. */
static void options_whose_size_no_version_has_are_refused(void **state)
{
    (void)state;
    struct flm_profile *profile = recorded_at(NULL);
    const struct flm_gate_run runs[] = {{.profile = profile, .name = "a"},
                                        {.profile = profile, .name = "b", .is_new = true}};
    struct flm_run_set *set = set_of(runs, 2, FLM_ORDER_GIVEN, NULL);
    for (int larger = 0; larger < 2; larger++) {
        const struct flm_diff_options diff = {.size = larger ? sizeof diff + 1 : 0};
        const struct flm_run_set_options order = {.size = larger ? sizeof order + 1 : 0};
        const struct flm_similarity_options similar = {.size = larger ? sizeof similar + 1 : 0};
        const struct flm_series_settings series = {.size = larger ? sizeof series + 1 : 0};
        const struct flm_gate_settings gate = {.size = larger ? sizeof gate + 1 : 0};
        struct flm_error why[6] = {{0}};
        assert_null(flm_report_diff(runs, 2, &diff, &why[0]));
        assert_null(flm_run_set_new(runs, 2, &order, &why[1]));
        assert_null(flm_report_similarity(set, &similar, &why[2]));
        assert_null(flm_report_series(set, &series, &why[3]));
        assert_null(flm_gate_compare(runs, 2, &gate, &why[4]));
        assert_null(flm_gate_test(set, &gate, &why[5]));
        for (size_t i = 0; i < 6; i++) {
            assert_int_equal(why[i].kind, FLM_ERROR_USAGE);
            assert_non_null(strstr(why[i].text, larger ? "older" : "not set"));
        }
    }
    flm_run_set_free(set);
    flm_profile_free(profile);
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    struct flm_profile *profile = recorded_at("2026-03-01T00:00:00Z");
    struct flm_gate_run runs[12];
    for (size_t i = 0; i < 12; i++)
        runs[i] = (struct flm_gate_run){.profile = profile, .name = "x", .is_new = i > 5};
    assert_true(assert_survives_failures(all_reports, runs) > 50);
    flm_profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_says_when_it_was_recorded),
        cmocka_unit_test(the_order_is_that_of_dates_whatever_was_given),
        cmocka_unit_test(runs_without_a_date_and_no_runs_are_refused),
        cmocka_unit_test(a_narrow_terminal_has_a_row_for_each_run_in_place_of_the_matrix),
        cmocka_unit_test(options_whose_size_no_version_has_are_refused),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
