#include "report/core/blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/profiles.h"

static const char *const app = "main;parse;lex 60\nmain;parse;lex;alloc 25\nmain;parse 5\n"
                               "main;print;alloc 8\nmain;print 1\ninit;alloc 1\n";

static bool into_text(void *text, const void *bytes, size_t size)
{
    struct flm_text *to = text;
    flm_text_add(to, (struct flm_bytes){bytes, size});
    return !to->failed;
}

static void assert_form(const struct flm_report *report, enum flm_report_form form,
                        const char *expected)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!flm_report_write(report, form, NULL, into_text, &out, &why))
        fail_msg("%s", why.text);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

static void assert_name(struct flm_name name, const char *expected)
{
    assert_int_equal(name.size, strlen(expected));
    assert_memory_equal(name.at, expected, name.size);
}

/* ---- Reports of a profile, read row by row --------------------------------------------------- */

static void rows_of_the_top_functions_outlive_the_profile(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(app);
    struct flm_report_options options = {.size = sizeof options, .source = "app", .rows = 2};
    struct flm_report *report = flm_report_top(p, &options, NULL);
    flm_profile_free(p);
    assert_non_null(report);
    const struct flm_report_table *table = flm_report_table_named(report, "functions");
    assert_non_null(table);
    assert_int_equal(flm_report_row_count(table), 2);
    size_t function = flm_report_column_named(table, "function");
    size_t self = flm_report_column_named(table, "self");
    size_t total = flm_report_column_named(table, "total");
    assert_name(flm_report_string(table, 0, function), "lex");
    assert_name(flm_report_string(table, 1, function), "alloc");
    assert_true(flm_report_number(table, 0, self) == 60);
    assert_true(flm_report_number(table, 0, total) == 85);
    assert_int_equal(flm_report_kind_of(table, 0, self), FLM_REPORT_NUMBER);
    assert_int_equal(flm_report_kind_of(table, 0, function), FLM_REPORT_STRING);
    assert_true(isnan(flm_report_number(table, 0, function)));
    assert_int_equal(flm_report_string(table, 0, self).size, 0);
    assert_int_equal(flm_report_column_named(table, "no such column"), SIZE_MAX);
    assert_null(flm_report_table_named(report, "no such table"));
    flm_report_free(report);
}

static void facts_are_found_by_their_path(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(app);
    struct flm_report_options options = {.size = sizeof options, .source = "app", .rows = 2};
    struct flm_report *report = flm_report_top(p, &options, NULL);
    assert_non_null(report);
    assert_name(flm_report_fact_string(report, "file"), "app");
    assert_name(flm_report_fact_string(report, "metric.unit"), "samples");
    assert_true(flm_report_fact_number(report, "total") == 100);
    assert_true(flm_report_fact_number(report, "hidden.functions") == 4);
    assert_true(flm_report_fact_number(report, "hidden.self") == 6);
    assert_true(isnan(flm_report_fact_number(report, "hidden")));
    assert_true(isnan(flm_report_fact_number(report, "unit")));
    assert_true(isnan(flm_report_fact_number(report, "metric.total")));
    assert_int_equal(flm_report_fact_string(report, "total").size, 0);
    flm_report_free(report);
    flm_profile_free(p);
}

static void rows_of_a_tree_have_a_depth_and_only_people_see_what_is_hidden(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(app);
    struct flm_report_options options = {.size = sizeof options, .levels = 2};
    struct flm_report *report = flm_report_tree(p, &options, NULL);
    assert_non_null(report);
    const struct flm_report_table *rows = flm_report_table_named(report, "rows");
    static const char *const names[] = {"main", "parse", "print", "init", "alloc"};
    static const uint32_t depths[] = {0, 1, 1, 0, 1};
    assert_int_equal(flm_report_row_count(rows), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_name(flm_report_string(rows, i, flm_report_column_named(rows, "function")),
                    names[i]);
        assert_int_equal(flm_report_row_depth(rows, i), depths[i]);
    }
    size_t hidden = flm_report_column_named(rows, "hidden.total");
    assert_true(flm_report_number(rows, 1, hidden) == 85);
    flm_report_free(report);
    flm_profile_free(p);
}

/* The branches of the first level that are cut are a row of the first level too. */
static void hidden_branches_of_the_first_level_stand_there(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("a 50\nb 10\nc 10\nd 10\ne 10\nf 10\n");
    struct flm_report_options options = {.size = sizeof options, .source = "x", .min_percent = 20};
    struct flm_report *report = flm_report_tree(p, &options, NULL);
    assert_non_null(report);
    assert_form(report, FLM_REPORT_TEXT,
                "x: 100 samples in 6 stacks\n\n"
                "total          self  function\n"
                "   50  50.0 %    50  |- a\n"
                "   50  50.0 %        `- (5 more)\n"
                "not shown: 5 branches below 20 %, 50 % together\n");
    flm_report_free(report);
    flm_profile_free(p);
}

static void a_pattern_that_matches_nothing_is_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(app);
    struct flm_report_options options = {.size = sizeof options, .function = "aloc"};
    struct flm_error why;
    assert_null(flm_report_callers(p, &options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    options.function = NULL;
    assert_null(flm_report_callees(p, &options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    flm_profile_free(p);
}

/* A program that was compiled when there were fewer options. */
static void options_of_an_older_program_are_zero_behind_their_size(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(app);
    struct flm_report_options options = {.size = offsetof(struct flm_report_options, rows),
                                         .rows = 1};
    struct flm_report *report = flm_report_top(p, &options, NULL);
    assert_non_null(report);
    assert_int_equal(flm_report_row_count(flm_report_table_named(report, "functions")), 6);
    flm_report_free(report);
    flm_profile_free(p);
}

/* ---- Forms ----------------------------------------------------------------------------------- */

static struct flm_report *make_all_kinds(struct flm_error *why)
{
    struct flm_report *r = flm_report_new(why);
    if (!r)
        return NULL;
    flm_text_puts(flm_report_add_heading(r, "test", "FAIL"), "a<b> grew");
    flm_text_puts(flm_report_add_line(r, FLM_IN_PEOPLES, true, FLM_TONE_PLAIN), "two_words");
    flm_report_add_bool(r, "fails", true);
    flm_report_add_null(r, "nothing");
    flm_report_begin_section(r, "Stacks", ", all", false);
    flm_report_begin_table(r, "rows", FLM_IN_ALL, false);
    size_t stack = flm_report_add_column(r, "stack", FLM_IN_PROGRAMS);
    size_t change = flm_report_add_column(r, "value.change", FLM_IN_PROGRAMS);
    flm_report_add_column(r, "value.noise", FLM_IN_PROGRAMS);
    flm_report_add_column(r, "more", FLM_IN_JSON);
    flm_report_add_view(r, (struct flm_report_view){.heading = "change",
                                                    .column = change,
                                                    .format = FLM_VIEW_AS_CHANGE,
                                                    .kind = FLM_COLUMN_NUMBER});
    flm_report_add_view(
        r, (struct flm_report_view){.heading = "stack", .column = stack, .kind = FLM_COLUMN_STACK});
    for (int i = 0; i < 2; i++) {
        flm_report_begin_row(r, 0, FLM_IN_ALL);
        flm_report_cell_stack(r);
        flm_report_add_name(r, flm_bytes_of("main"));
        flm_report_add_name(r, flm_bytes_of("a;b"));
        flm_report_cell_number(r, i == 0 ? 12.5 : -3);
        flm_report_cell_bool(r, i == 1);
        if (i == 0)
            flm_report_cell_absent(r);
        else
            flm_report_cell_null(r);
    }
    flm_report_end_section(r);
    return flm_report_finish(r, why);
}

static void options_whose_size_no_version_has_are_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(app);
    struct flm_report *report = flm_report_top(p, NULL, NULL);
    struct flm_text out = {0};
    const struct flm_name name = {"main", 4};
    for (int larger = 0; larger < 2; larger++) {
        const struct flm_report_options options = {.size = larger ? sizeof options + 1 : 0};
        const struct flm_report_style style = {.size = larger ? sizeof style + 1 : 0, .colors = 16};
        struct flm_error why[6] = {{0}};
        assert_null(flm_report_top(p, &options, &why[0]));
        assert_null(flm_report_tree(p, &options, &why[1]));
        assert_null(flm_report_info(p, &options, &why[2]));
        assert_false(flm_report_write(report, FLM_REPORT_TEXT, &style, into_text, &out, &why[3]));
        assert_false(flm_report_write_lines(name, &style, 0, into_text, &out, &why[4]));
        assert_false(flm_report_write_name(name, &style, into_text, &out, &why[5]));
        for (size_t i = 0; i < 6; i++) {
            assert_int_equal(why[i].kind, FLM_ERROR_USAGE);
            assert_non_null(strstr(why[i].text, larger ? "older" : "not set"));
        }
        assert_string_equal(flm_report_tone(FLM_REPORT_TONE_STRONG, &style), "");
    }
    assert_int_equal(out.size, 0);
    flm_report_free(report);
    flm_profile_free(p);
}

static void every_form_has_what_it_should(void **state)
{
    (void)state;
    struct flm_report *report = make_all_kinds(NULL);
    assert_non_null(report);
    assert_form(report, FLM_REPORT_TEXT,
                "FAIL: a<b> grew\n\ntwo_words\n\nStacks, all\n"
                "change  stack\n +12.5  main;a;b\n  -3.0  main;a;b\n");
    assert_form(report, FLM_REPORT_MARKDOWN,
                "### test: FAIL\n\n**a&lt;b&gt; grew**\n\ntwo\\_words\n\n"
                "<details><summary>Stacks, all</summary>\n\n"
                "| change | stack |\n|---:|---|\n| +12.5 | `main;a;b` |\n| -3.0 | `main;a;b` |\n\n"
                "</details>\n");
    assert_form(
        report, FLM_REPORT_JSON,
        "{\n  \"fails\": true,\n  \"nothing\": null,\n  \"rows\": [\n"
        "    {\"stack\": [\"main\", \"a;b\"], \"value\": {\"change\": 12.5, \"noise\": "
        "false}},\n"
        "    {\"stack\": [\"main\", \"a;b\"], \"value\": {\"change\": -3, \"noise\": true}, "
        "\"more\": null}\n"
        "  ]\n}\n");
    assert_form(report, FLM_REPORT_CSV,
                "stack,value_change,value_noise\nmain;a;b,12.5,no\nmain;a;b,-3,yes\n");
    const struct flm_report_table *rows = flm_report_table_at(report, 0);
    assert_int_equal(flm_report_stack_depth(rows, 1, 0), 2);
    assert_name(flm_report_stack_frame(rows, 1, 0, 1), "a;b");
    assert_int_equal(flm_report_kind_of(rows, 0, 3), FLM_REPORT_NOTHING);
    assert_true(flm_report_number(rows, 1, 2) == 1);
    flm_report_free(report);
}

/* How a text is arranged for people is no table for programs. */
static void tables_are_those_of_programs(void **state)
{
    (void)state;
    struct flm_report *report = flm_report_new(NULL);
    assert_non_null(report);
    flm_report_begin_table(report, "seen", FLM_IN_PEOPLES, false);
    flm_report_begin_table(report, "rows", FLM_IN_ALL, false);
    flm_report_begin_table(report, "seen too", FLM_IN_TEXT, false);
    flm_report_begin_table(report, "more", FLM_IN_JSON, false);
    report = flm_report_finish(report, NULL);
    assert_non_null(report);
    assert_int_equal(flm_report_table_count(report), 2);
    assert_string_equal(flm_report_table_name(flm_report_table_at(report, 0)), "rows");
    assert_string_equal(flm_report_table_name(flm_report_table_at(report, 1)), "more");
    assert_null(flm_report_table_named(report, "seen"));
    assert_ptr_equal(flm_report_table_named(report, "more"), flm_report_table_at(report, 1));
    flm_report_free(report);
}

/* A column may be called like a file: only other names are paths into objects. */
static void a_literal_name_is_one_key(void **state)
{
    (void)state;
    struct flm_report *report = flm_report_new(NULL);
    assert_non_null(report);
    flm_report_begin_table(report, "rows", FLM_IN_PROGRAMS, false);
    flm_report_add_literal_column(report, "a.flm", FLM_IN_PROGRAMS);
    flm_report_add_column(report, "b.flm", FLM_IN_PROGRAMS);
    flm_report_begin_row(report, 0, FLM_IN_PROGRAMS);
    flm_report_cell_number(report, 1);
    flm_report_cell_number(report, 2);
    report = flm_report_finish(report, NULL);
    assert_non_null(report);
    assert_form(report, FLM_REPORT_JSON,
                "{\n  \"rows\": [\n    {\"a.flm\": 1, \"b\": {\"flm\": 2}}\n  ]\n}\n");
    assert_form(report, FLM_REPORT_CSV, "a.flm,b_flm\n1,2\n");
    flm_report_free(report);
}

/* A comment has room for the innermost functions; the rest of a long stack stands below. */
static void long_stacks_stand_in_full_at_the_end_of_a_comment(void **state)
{
    (void)state;
    struct flm_report *r = flm_report_new(NULL);
    assert_non_null(r);
    struct flm_report_table *table = flm_report_begin_table(r, "rows", FLM_IN_ALL, false);
    assert_non_null(table);
    table->most_cells = 12;
    flm_report_add_column(r, "stack", FLM_IN_PROGRAMS);
    flm_report_add_view(r, (struct flm_report_view){.heading = "stack", .kind = FLM_COLUMN_STACK});
    flm_report_begin_row(r, 0, FLM_IN_ALL);
    flm_report_cell_stack(r);
    for (int i = 0; i < 5; i++)
        flm_report_add_name(r, flm_bytes_of("caller"));
    flm_report_add_name(r, flm_bytes_of("leaf"));
    r = flm_report_finish(r, NULL);
    assert_non_null(r);
    struct flm_text out = {0};
    flm_report_to_markdown(r, &out);
    flm_text_putc(&out, 0);
    assert_non_null(strstr(out.at, "leaf` |\n\n<details><summary>Stacks in full</summary>\n\n"
                                   "    caller;caller;caller;caller;caller;leaf\n"));
    flm_text_clear(&out);
    flm_report_free(r);
}

static bool refuse(void *context, const void *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return false;
}

static void a_sink_that_fails_is_an_error(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(app);
    struct flm_report *report = flm_report_info(p, NULL, NULL);
    struct flm_error why;
    assert_non_null(report);
    assert_false(flm_report_write(report, FLM_REPORT_JSON, NULL, refuse, NULL, &why));
    assert_int_equal(why.kind, FLM_ERROR_SYSTEM);
    flm_report_free(report);
    flm_profile_free(p);
}

static bool make_and_write(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    struct flm_report_options options = {
        .size = sizeof options, .function = "alloc", .rows = 2, .label_values = true};
    struct flm_report *reports[] = {flm_report_top(p, &options, why),
                                    flm_report_callers(p, &options, why),
                                    flm_report_info(p, &options, why), make_all_kinds(why)};
    bool good = true;
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        struct flm_text out = {0};
        for (int form = FLM_REPORT_TEXT; form <= FLM_REPORT_CSV; form++)
            good = good && reports[i] &&
                   (flm_report_write(reports[i], (enum flm_report_form)form, NULL, into_text, &out,
                                     why) ||
                    (out.failed && flm_error_memory(why) && false));
        if (out.failed)
            flm_error_memory(why);
        flm_text_clear(&out);
        flm_report_free(reports[i]);
    }
    return good;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of(app);
    assert_true(assert_survives_failures(make_and_write, p) > 50);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_the_top_functions_outlive_the_profile),
        cmocka_unit_test(facts_are_found_by_their_path),
        cmocka_unit_test(rows_of_a_tree_have_a_depth_and_only_people_see_what_is_hidden),
        cmocka_unit_test(hidden_branches_of_the_first_level_stand_there),
        cmocka_unit_test(a_pattern_that_matches_nothing_is_refused),
        cmocka_unit_test(options_of_an_older_program_are_zero_behind_their_size),
        cmocka_unit_test(options_whose_size_no_version_has_are_refused),
        cmocka_unit_test(every_form_has_what_it_should),
        cmocka_unit_test(tables_are_those_of_programs),
        cmocka_unit_test(a_literal_name_is_one_key),
        cmocka_unit_test(long_stacks_stand_in_full_at_the_end_of_a_comment),
        cmocka_unit_test(a_sink_that_fails_is_an_error),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
