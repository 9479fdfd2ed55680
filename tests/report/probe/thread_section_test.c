#include "base/text/text.h"
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

static bool add_text(void *context, const void *bytes, size_t size)
{
    flm_text_add(context, (struct flm_bytes){bytes, size});
    return true;
}

static bool text_has(const struct flm_report *report, const char *what)
{
    struct flm_text text = {0};
    assert_true(flm_report_write(report, FLM_REPORT_TEXT, NULL, add_text, &text, NULL));
    flm_text_putc(&text, '\0');
    bool has = strstr(text.at, what) != NULL;
    flm_text_clear(&text);
    return has;
}

/* The only thread of a program of which nothing else is known. Programs can read it. */
static void a_name_alone_is_no_table_for_people(void **state)
{
    (void)state;
    struct image *image = make_image();
    struct flm_error why = {0};
    for (int is_known = 0; is_known < 2; is_known++) {
        memset(&thread_of(image)->kernel, 0, sizeof thread_of(image)->kernel);
        thread_of(image)->kernel.user_ns = is_known ? 3000 : 0;
        struct flm_report *report = flm_report_probe(image->at, sizeof image->at, NULL, &why);
        assert_non_null(report);
        assert_int_equal(flm_report_row_count(flm_report_table_named(report, "threads")), 1);
        assert_int_equal(text_has(report, "threads, the newest first"), is_known);
        flm_report_free(report);
    }
    free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thread_has_what_the_kernel_says),
                                       cmocka_unit_test(a_name_alone_is_no_table_for_people)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
