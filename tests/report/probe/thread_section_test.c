#include "flamel/report.h"

#include "support/probe/probe_image.h"

static void a_thread_has_what_the_kernel_says(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_error why = {0};
    thread_of(image)->kernel.user_ns = 3000;
    thread_of(image)->kernel.system_ns = 40;
    thread_of(image)->kernel.minor_faults = 5;
    thread_of(image)->kernel.major_faults = 6;
    struct flm_report *report = flm_report_probe(image->at, sizeof image->at, NULL, &why);
    assert_non_null(report);
    const struct flm_report_table *t = flm_report_table_named(report, "threads");
    assert_int_equal(flm_report_row_count(t), 1);
    assert_true(flm_report_number(t, 0, flm_report_column_named(t, "user_ns")) == 3000);
    assert_true(flm_report_number(t, 0, flm_report_column_named(t, "faults")) == 11);
    assert_true(flm_report_number(t, 0, flm_report_column_named(t, "tid")) == 4712);
    flm_report_free(report);
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thread_has_what_the_kernel_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
