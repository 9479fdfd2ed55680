/* Several processes in one report: what adds up, what stays apart, in which order. */
#include "flamel/report.h"

#include "support/core/failures.h"
#include "support/probe/probe_image.h"

/* "main" and "parse" in the program that the command names. */
static struct image *make_process(const char *command)
{
    struct image *image = make_image();
    memcpy((char *)place(image, TEXTS) + 12, command, strlen(command));
    header_of(image)->command = TEXTS * FLM_PROBE_UNIT + 12;
    header_of(image)->command_size = (uint32_t)strlen(command);
    add_duration(image, 2, 150);
    node_of(image, 2)->value[FLM_PROBE_ALLOCATED] = 100;
    return image;
}

static struct flm_name bytes_of(const struct image *image)
{
    return (struct flm_name){image->at, sizeof image->at};
}

static struct flm_report *report_of(struct image *const *images, size_t count)
{
    struct flm_name files[8];
    struct flm_error why = {0};
    for (size_t i = 0; i < count; i++)
        files[i] = bytes_of(images[i]);
    struct flm_report *report = flm_report_probe_processes(files, count, NULL, &why);
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

static bool add_text(void *context, const void *bytes, size_t size)
{
    strncat(context, bytes, size);
    return true;
}

static void assert_csv(const struct flm_report *report, const char *line)
{
    static char text[1 << 16];
    text[0] = 0;
    assert_true(flm_report_write(report, FLM_REPORT_CSV, NULL, add_text, text, NULL));
    if (!strstr(text, line))
        fail_msg("no '%s' in %s", line, text);
}

static void free_all(struct image **images, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(images[i]);
}

static void processes_of_a_program_are_one(void **state)
{
    (void)state;
    struct image *images[] = {make_process("/bin/cc1 -O2 a.c"), make_process("cc1 b.c"),
                              make_process("cc1")};
    struct flm_report *report = report_of(images, 3);
    assert_true(number(report, "time", 0, "total_ns") == 3000);
    assert_true(number(report, "time", 0, "calls") == 3);
    assert_true(number(report, "time", 1, "calls") == 12);
    assert_true(number(report, "time", 1, "total_ns") == 1800);
    assert_true(number(report, "time", 1, "p95_ns") == 150);
    assert_true(number(report, "memory", 0, "allocated") == 300);
    assert_true(number(report, "threads", 0, "threads") == 3);
    assert_csv(report, "\ncc1,time,parse,,calls,12\n");
    flm_report_free(report);
    free_all(images, 3);
}

/* Another clock: a tick of the second is two nanoseconds. */
static void times_are_those_of_each_clock(void **state)
{
    (void)state;
    struct image *images[] = {make_process("cc1"), make_process("cc1")};
    header_of(images[1])->ns_per_tick = (uint64_t)2 << 32;
    struct flm_report *report = report_of(images, 2);
    assert_true(number(report, "time", 0, "total_ns") == 3000);
    assert_true(number(report, "time", 1, "total_ns") == 1800);
    flm_report_free(report);
    free_all(images, 2);
}

static void other_sites_and_threads_stay_apart(void **state)
{
    (void)state;
    struct image *images[] = {make_process("cc1"), make_process("cc1")};
    memcpy((char *)place(images[1], TEXTS) + 7, "other", 5); /* for parse */
    memcpy(thread_of(images[1])->name, "helper", 7);
    struct flm_report *report = report_of(images, 2);
    assert_true(number(report, "time", 0, "calls") == 2);
    assert_true(number(report, "time", 1, "calls") == 4);
    assert_true(number(report, "time", 2, "calls") == 4);
    assert_int_equal(flm_report_row_count(flm_report_table_named(report, "threads")), 2);
    flm_report_free(report);
    free_all(images, 2);
}

static void the_most_costly_program_is_first(void **state)
{
    (void)state;
    struct image *images[] = {make_process("make"), make_process("cc1")};
    struct flm_report *report;
    thread_of(images[0])->kernel.user_ns = 10;
    thread_of(images[1])->kernel.user_ns = 2000;
    node_of(images[1], 1)->calls = 7;
    report = report_of(images, 2);
    assert_true(number(report, "time", 0, "calls") == 7);
    assert_csv(report, "\nmake,time,main,,calls,1\n");
    assert_csv(report, "\ncc1,time,main,,calls,7\n");
    flm_report_free(report);
    free_all(images, 2);
}

/* The sentence of a process is in its file, at a place where another has something else. */
static void samples_are_summed_and_reasons_stay(void **state)
{
    (void)state;
    struct image *images[] = {make_process("cc1"), make_process("cc1"), make_process("cc1")};
    for (size_t i = 0; i < 3; i++) {
        struct flm_probe_activity *cpu = &header_of(images[i])->activity[FLM_PROBE_CPU_TIME];
        *cpu =
            (struct flm_probe_activity){.state = i == 0 ? FLM_PROBE_NOT_POSSIBLE : FLM_PROBE_ACTIVE,
                                        .rate = 99,
                                        .samples = 20 * i,
                                        .reason = TEXTS * FLM_PROBE_UNIT + 3,
                                        .reason_size = 4};
        node_of(images[i], 2)->value[FLM_PROBE_CPU] = 1000;
    }
    struct flm_report *report = report_of(images, 3);
    char text[1 << 14] = "";
    assert_true(flm_report_write(report, FLM_REPORT_TEXT, NULL, add_text, text, NULL));
    assert_non_null(strstr(text, "60 samples, which are few to compare by"));
    assert_null(strstr(text, "cpu is not measured"));
    flm_report_free(report);
    free_all(images, 3);
}

static void what_is_not_complete_is_counted(void **state)
{
    (void)state;
    struct image *images[] = {make_process("cc1"), make_process("cc1"), make_process("cc1")};
    memset(images[0]->at, 0, 8);             /* it was killed before it began */
    thread_of(images[1])->first_meter = END; /* and this one is damaged */
    struct flm_report *report = report_of(images, 3);
    assert_true(number(report, "time", 0, "calls") == 1);
    char text[1 << 14] = "";
    assert_true(flm_report_write(report, FLM_REPORT_TEXT, NULL, add_text, text, NULL));
    assert_non_null(
        strstr(text, "2 processes left files that cannot be read, and are not in the report"));
    flm_report_free(report);
    free_all(images, 3);
}

static bool makes_a_report(void *context, struct flm_error *why)
{
    struct image *const *images = context;
    struct flm_name files[] = {bytes_of(images[0]), bytes_of(images[1]), bytes_of(images[2])};
    struct flm_report *report = flm_report_probe_processes(files, 3, NULL, why);
    flm_report_free(report);
    return report != NULL;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    struct image *images[] = {make_process("cc1"), make_process("make"), make_process("cc1")};
    memcpy((char *)place(images[2], TEXTS) + 7, "other", 5);
    memcpy(thread_of(images[2])->name, "helper", 7);
    assert_survives_failures(makes_a_report, images);
    free_all(images, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_of_a_program_are_one),
        cmocka_unit_test(times_are_those_of_each_clock),
        cmocka_unit_test(other_sites_and_threads_stay_apart),
        cmocka_unit_test(the_most_costly_program_is_first),
        cmocka_unit_test(samples_are_summed_and_reasons_stay),
        cmocka_unit_test(what_is_not_complete_is_counted),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
