#include "flamel/report.h"

#include "support/core/failures.h"
#include "support/probe/probe_image.h"

static struct flm_report *report_of(struct image *image, const struct flm_report_options *options)
{
    struct flm_error why = {0};
    struct flm_report *report = flm_report_probe(image->at, sizeof image->at, options, &why);
    if (!report)
        fail_msg("no report: %s", why.text);
    return report;
}

static double number(const struct flm_report *report, const char *table, size_t row,
                     const char *column)
{
    const struct flm_report_table *t = flm_report_table_named(report, table);
    assert_non_null(t);
    return flm_report_number(t, row, flm_report_column_named(t, column));
}

static void the_largest_total_is_first(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_report *report = report_of(image, NULL);
    assert_true(number(report, "time", 0, "total_ns") == 1000);
    assert_true(number(report, "time", 1, "total_ns") == 600);
    assert_true(number(report, "time", 1, "calls") == 4);
    assert_true(number(report, "time", 1, "line") == 20);
    assert_null(flm_report_table_named(report, "memory")); /* none was measured */
    flm_report_free(report);
    free(image);
}

static void percentiles_are_those_asked_for(void **state)
{
    (void)state;
    struct image *image = make_image();
    add_duration(image, 2, 150);
    const double percentiles[] = {50, 99.9};
    struct flm_report *report =
        report_of(image, &(struct flm_report_options){.size = sizeof(struct flm_report_options),
                                                      .percentiles = percentiles,
                                                      .percentile_count = 2});
    assert_true(number(report, "time", 1, "p50_ns") == 150);
    assert_true(number(report, "time", 1, "p99.9_ns") == 150);
    flm_report_free(report);
    free(image);
}

/* Bytes outside of scopes are a row, and rows that are not shown are not in the table. */
static void memory_has_what_is_in_no_scope(void **state)
{
    (void)state;
    struct image *image = make_image();
    node_of(image, 0)->value[FLM_PROBE_ALLOCATED] = 500;
    node_of(image, 2)->value[FLM_PROBE_ALLOCATED] = 100;
    struct flm_report *report = report_of(image, NULL);
    assert_true(number(report, "memory", 0, "allocated") == 500);
    assert_true(number(report, "memory", 1, "allocated") == 100);
    assert_true(number(report, "threads", 0, "allocated") == 600);
    flm_report_free(report);
    report = report_of(
        image, &(struct flm_report_options){.size = sizeof(struct flm_report_options), .rows = 1});
    assert_int_equal(flm_report_row_count(flm_report_table_named(report, "memory")), 1);
    flm_report_free(report);
    free(image);
}

static bool makes_a_report(void *context, struct flm_error *why)
{
    struct image *image = context;
    struct flm_report *report = flm_report_probe(image->at, sizeof image->at, NULL, why);
    flm_report_free(report);
    return report != NULL;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct image *image = make_image();
    add_duration(image, 2, 150);
    assert_survives_failures(makes_a_report, image);
    free(image);
}

static void a_damaged_file_is_refused(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_error why = {0};
    thread_of(image)->first_meter = END;
    assert_null(flm_report_probe(image->at, sizeof image->at, NULL, &why));
    assert_non_null(strstr(why.text, "a meter is not where it should be"));
    assert_null(flm_report_probe(image->at, 100, NULL, &why));
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_total_is_first),
        cmocka_unit_test(percentiles_are_those_asked_for),
        cmocka_unit_test(memory_has_what_is_in_no_scope),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_damaged_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
