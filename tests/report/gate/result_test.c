#include "flamel/gate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/gate/runs.h"

enum { BASE = 6, NEW = 6 };

/* `parse` grows by half, `wait` varies and stays. */
static const char *const grown = "main;parse 100 102 98 101 99 100 150 152 149 151 148 150\n"
                                 "main;wait 300 310 295 305 298 302 301 299 304 296 303 300\n";
static const char *const same = "main;parse 100 102 98 101 99 100 101 99 100 98 102 100\n"
                                "main;wait 300 310 295 305 298 302 301 299 304 296 303 300\n";

static void make_runs(const struct table_of_runs *table, struct flm_gate_run *runs)
{
    for (uint32_t i = 0; i < table->count; i++)
        runs[i] = (struct flm_gate_run){
            .profile = table->profile[i], .name = table->name[i], .is_new = table->input[i].is_new};
}

static void growth_fails_and_is_the_first_row(void **state)
{
    (void)state;
    struct table_of_runs table = runs_table_parse(grown, BASE, NEW, "samples", "samples");
    struct flm_gate_run runs[BASE + NEW];
    make_runs(&table, runs);
    struct flm_gate_settings settings = {.size = sizeof settings, .alpha = 0.05};
    struct flm_gate_result *result = flm_gate_compare(runs, BASE + NEW, &settings, NULL);
    assert_non_null(result);
    assert_int_equal(flm_gate_verdict(result), FLM_GATE_FAIL);
    struct flm_report *report = flm_gate_report(result, NULL);
    /* Neither the runs nor the result are needed by the report. */
    flm_gate_result_free(result);
    runs_table_clear(&table);
    assert_non_null(report);
    const struct flm_report_table *items = flm_report_table_named(report, "items");
    assert_non_null(items);
    size_t stack = flm_report_column_named(items, "stack");
    size_t change = flm_report_column_named(items, "change");
    assert_true(flm_report_row_count(items) >= 1);
    assert_int_equal(flm_report_stack_depth(items, 0, stack), 2);
    struct flm_name name = flm_report_stack_frame(items, 0, stack, 1);
    assert_int_equal(name.size, 5);
    assert_memory_equal(name.at, "parse", 5);
    assert_true(flm_report_number(items, 0, change) == 50);
    assert_int_equal(flm_report_row_count(flm_report_table_named(report, "base")), BASE);
    flm_report_free(report);
}

static void runs_of_one_program_pass(void **state)
{
    (void)state;
    struct table_of_runs table = runs_table_parse(same, BASE, NEW, "samples", "samples");
    struct flm_gate_run runs[BASE + NEW];
    make_runs(&table, runs);
    struct flm_gate_settings settings = {.size = sizeof settings, .alpha = 0.05};
    struct flm_gate_result *result = flm_gate_compare(runs, BASE + NEW, &settings, NULL);
    assert_non_null(result);
    assert_int_equal(flm_gate_verdict(result), FLM_GATE_PASS);
    flm_gate_result_free(result);
    runs_table_clear(&table);
}

static void one_side_alone_is_refused(void **state)
{
    (void)state;
    struct table_of_runs table = runs_table_parse(same, BASE, NEW, "samples", "samples");
    struct flm_gate_run runs[BASE + NEW];
    struct flm_error why;
    make_runs(&table, runs);
    assert_null(flm_gate_compare(runs, BASE, NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_null(flm_gate_compare(NULL, 0, NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_null(flm_report_diff(runs, BASE, NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    runs_table_clear(&table);
}

static bool count_bytes(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return true;
}

/* With JUnit and both sides. */
static bool write_all(void *context, struct flm_error *why)
{
    const struct flm_gate_result *result = context;
    size_t size = 0;
    struct flm_report *report = flm_gate_report(result, why);
    bool good = report && flm_gate_write_junit(result, count_bytes, &size, why) && size > 200;
    for (int of_new = 0; good && of_new < 2; of_new++) {
        struct flm_profile *side = flm_gate_side(result, of_new == 1, why);
        good = side != NULL;
        flm_profile_free(side);
    }
    flm_report_free(report);
    return good;
}

static void every_method_has_every_form(void **state)
{
    (void)state;
    static const enum flm_gate_method methods[] = {FLM_GATE_MAX_T, FLM_GATE_PAPER};
    struct table_of_runs table = runs_table_parse(grown, BASE, NEW, "samples", "samples");
    struct flm_gate_run runs[BASE + NEW];
    make_runs(&table, runs);
    for (size_t i = 0; i < 2; i++) {
        struct flm_gate_settings settings = {
            .size = sizeof settings, .alpha = 0.05, .method = methods[i]};
        struct flm_gate_result *result = flm_gate_compare(runs, BASE + NEW, &settings, NULL);
        assert_non_null(result);
        assert_int_equal(flm_gate_verdict(result), FLM_GATE_FAIL);
        assert_true(assert_survives_failures(write_all, result) > 20);
        flm_gate_result_free(result);
    }
    runs_table_clear(&table);
}

static void an_alpha_of_one_or_more_is_refused(void **state)
{
    (void)state;
    struct table_of_runs table = runs_table_parse(same, BASE, NEW, "samples", "samples");
    struct flm_gate_run runs[BASE + NEW];
    struct flm_error why;
    make_runs(&table, runs);
    struct flm_gate_settings settings = {.size = sizeof settings, .alpha = 1};
    assert_null(flm_gate_compare(runs, BASE + NEW, &settings, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    settings.method = FLM_GATE_PAPER;
    assert_null(flm_gate_compare(runs, BASE + NEW, &settings, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    struct flm_series_settings series = {.size = sizeof series, .alpha = 1};
    struct flm_run_set *set = flm_run_set_new(runs, BASE + NEW, NULL, &why);
    assert_non_null(set);
    assert_null(flm_report_series(set, &series, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_run_set_free(set);
    runs_table_clear(&table);
}

static void settings_that_are_no_numbers_are_refused(void **state)
{
    (void)state;
    static const struct flm_gate_settings wrong[] = {
        {.size = sizeof wrong[0], .alpha = NAN},
        {.size = sizeof wrong[0], .alpha = -0.1},
        {.size = sizeof wrong[0], .min_effect = NAN},
        {.size = sizeof wrong[0], .sample = -1},
        {.size = sizeof wrong[0], .sample = NAN},
        {.size = sizeof wrong[0], .tolerance = -1},
        {.size = sizeof wrong[0], .sample = INFINITY},
        {.size = sizeof wrong[0], .tolerance = NAN},
        {.size = sizeof wrong[0], .require_mde = -0.01},
        {.size = sizeof wrong[0], .require_mde = NAN}};
    struct table_of_runs table = runs_table_parse(same, BASE, NEW, "samples", "samples");
    struct flm_gate_run runs[BASE + NEW];
    make_runs(&table, runs);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct flm_error why = {0};
        assert_null(flm_gate_compare(runs, BASE + NEW, &wrong[i], &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
    }
    runs_table_clear(&table);
}

static void a_diff_has_the_means_of_both_sides(void **state)
{
    (void)state;
    struct table_of_runs table = runs_table_parse(grown, BASE, NEW, "samples", "samples");
    struct flm_gate_run runs[BASE + NEW];
    make_runs(&table, runs);
    struct flm_report *report = flm_report_diff(runs, BASE + NEW, NULL, NULL);
    assert_non_null(report);
    const struct flm_report_table *functions = flm_report_table_named(report, "functions");
    assert_true(
        flm_report_number(functions, 0, flm_report_column_named(functions, "self.before")) == 100);
    assert_true(flm_report_number(functions, 0, flm_report_column_named(functions, "self.after")) ==
                150);
    assert_true(flm_report_fact_number(report, "before.runs") == BASE);
    flm_report_free(report);
    runs_table_clear(&table); /* the profiles were only borrowed */
}

static bool diff_and_gate(void *context, struct flm_error *why)
{
    const struct flm_gate_run *runs = context;
    struct flm_gate_settings settings = {
        .size = sizeof settings, .alpha = 0.05, .permutations = 99};
    struct flm_report *diff = flm_report_diff(runs, BASE + NEW, NULL, why);
    struct flm_gate_result *result =
        diff ? flm_gate_compare(runs, BASE + NEW, &settings, why) : NULL;
    struct flm_report *report = result ? flm_gate_report(result, why) : NULL;
    bool good = report != NULL;
    flm_report_free(report);
    flm_gate_result_free(result);
    flm_report_free(diff);
    return good;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    struct table_of_runs table = runs_table_parse(grown, BASE, NEW, "samples", "samples");
    struct flm_gate_run runs[BASE + NEW];
    make_runs(&table, runs);
    assert_true(assert_survives_failures(diff_and_gate, runs) > 50);
    runs_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_fails_and_is_the_first_row),
        cmocka_unit_test(runs_of_one_program_pass),
        cmocka_unit_test(one_side_alone_is_refused),
        cmocka_unit_test(every_method_has_every_form),
        cmocka_unit_test(an_alpha_of_one_or_more_is_refused),
        cmocka_unit_test(settings_that_are_no_numbers_are_refused),
        cmocka_unit_test(a_diff_has_the_means_of_both_sides),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
