#include "support/core/failures.h"
#include "support/profile/perf_reading.h"
#include "support/profile/profiles.h"

static const struct flm_format *const report = &flm_format_perf_report;

#define HEADER(values)                                                                             \
    "# Samples: 5  of event '" values "'\n"                                                        \
    "# Event count (approx.): 5000\n"                                                              \
    "#\n"                                                                                          \
    "# Overhead       Samples  Command  Shared Object  Symbol      \n"                             \
    "# ........  ............  .......  .............  ............\n"                             \
    "#\n"

static struct flm_profile *read(const char *text)
{
    struct flm_profile *p = read_text(report, text);
    assert_sound(p);
    return p;
}

static void assert_stacks(const char *text, const char *folded)
{
    struct flm_profile *p = read(text);
    assert_folded(p, folded);
    flm_profile_free(p);
}

static void files_add_up(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(report, "perf_report/counts.txt");
    assert_sound(p);
    assert_int_equal(p->sizes.metric_count, 1);
    assert_metric(p, 0, "cpu-clock", "samples", 482, 65);
    flm_profile_free(p);

    /* Three events, leaf first. */
    p = profile_of_file(report, "perf_report/periods_leaf_first.txt");
    assert_sound(p);
    assert_int_equal(p->sizes.metric_count, 3);
    assert_metric(p, 0, "cpu-clock", "ns", 482412000, 43);
    assert_metric(p, 1, "page-faults", "count", 3332, 6);
    assert_metric(p, 2, "context-switches", "count", 346, 22);
    flm_profile_free(p);

    p = profile_of_file(report, "perf_report/percent.txt");
    assert_true(is_string(p, p->metrics[0].unit, "percent"));
    assert_true(flm_profile_total(p, (struct flm_metric){0}) > 99);
    assert_true(flm_profile_total(p, (struct flm_metric){0}) < 101);
    flm_profile_free(p);

    p = profile_of_file(report, "perf_report/flat.txt");
    assert_metric(p, 0, "cpu-clock", "samples", 96, 41);
    assert_true(is_string(p, frame_named(p, "read_zero")->module, "[kernel.kallsyms]"));
    assert_int_equal(frame_named(p, "read_zero")->kind, FLM_KIND_KERNEL);
    assert_int_equal(frame_named(p, "read")->kind, FLM_KIND_NATIVE);
    flm_profile_free(p);

    p = profile_of_file(report, "perf_report/quiet.txt");
    assert_metric(p, 0, "samples", "samples", 60, 11);
    flm_profile_free(p);
}

static void chains_that_perf_left_out_are_counted(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(report, "perf_report/limited.txt");
    assert_metric(p, 0, "cpu-clock", "samples", 469, 83);
    assert_true(lost(p, "samples whose chains perf left out", "line 14") == 13);
    flm_profile_free(p);
    p = read("# Total Lost Samples: 7\n" HEADER("cycles") "     9.99%  5  w\n5 main;f\n");
    assert_true(lost(p, "samples that perf lost", "line 1") == 7);
    flm_profile_free(p);
}

static void files_are_recognized(void **state)
{
    (void)state;
    static const char *const names[] = {"counts", "percent", "periods_leaf_first", "limited",
                                        "flat",   "quiet",   "children",           "drawn"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[100];
        snprintf(path, sizeof path, "perf_report/%s.txt", names[i]);
        struct flm_bytes bytes = file_bytes(path);
        struct flm_error why = {0};
        assert_ptr_equal(flm_format_recognize(&flm_formats_pure, bytes, true, &why), report);
        free((void *)bytes.at);
    }
    assert_int_equal(report->sniff(flm_bytes_of("main;f 12\n"), true), 0);
    assert_int_equal(report->sniff(flm_bytes_of("w 1 1.0: c:\n\t10 x (/x)\n"), true), 0);
}

static void assert_file_refused(const char *name, const char *words)
{
    struct flm_bytes bytes = file_bytes(name);
    struct flm_error why = {0};
    assert_null(try_bytes(report, bytes, &(struct flm_read_options){0}, &why));
    if (!strstr(why.text, words))
        fail_msg("'%s'", why.text);
    free((void *)bytes.at);
}

static void reports_that_would_mislead_are_refused(void **state)
{
    (void)state;
    assert_file_refused("perf_report/children.txt", "line 9: a report with --children");
    assert_file_refused("perf_report/drawn.txt", "line 13: the call chains are drawn");
    assert_file_refused("perf_report/separated.txt", "line 9: the columns are separated by ','");
    assert_refused(report, "# Samples: 5  of event 'c'\n", 0, "it has no stacks");
    assert_refused(report, "main;f 12\n", 1, "this is not an entry of perf report");
}

static void values_of_2_53_and_more_are_the_nearest_doubles(void **state)
{
    (void)state;
    struct flm_profile *p =
        read_bytes(report,
                   flm_bytes_of(HEADER("cycles") "     9.99%  5  w\n9007199254740993 main;f\n"
                                                 "9007199254740992 main;g\n"),
                   &(struct flm_read_options){0});
    assert_folded(p, "main;f 9007199254740992\nmain;g 9007199254740992\n");
    assert_rounded(p, "1");
    flm_profile_free(p);
}

static void chains_may_be_leaf_first(void **state)
{
    (void)state;
    assert_stacks(HEADER("cycles") "    60.00%             3  w        x              [.] f\n"
                                   "2 f;f\n"
                                   "1 f;g;main\n"
                                   "    40.00%             2  w        x              [.] 0x0010\n"
                                   "2 0x7f10;main\n",
                  "w;f;f 2\nw;main;0x7f10 2\nw;main;g;f 1\n");
    assert_stacks(HEADER("cycles") "    60.00%             3  my w     x              [.] f\n"
                                   "2 f;f\n"
                                   "1 main;g;f (inlined)\n"
                                   "    40.00%             2  w        x              [.] h\n"
                                   "2 main;h\n",
                  "my w;f;f 2\nmy w;main;g;f_[i] 1\nw;main;h 2\n");
}

static void sums_tell_counts_from_periods(void **state)
{
    (void)state;
    struct flm_profile *p = read(HEADER("cycles") "    60.00%             3  w        x   [.] f\n"
                                                  "2999 main;f\n");
    assert_metric(p, 0, "cycles", "count", 2999, 1);
    flm_profile_free(p);
    p = read(
        HEADER("cycles") "    60.00%             3  w        x              [.] f\n3 main;f\n");
    assert_metric(p, 0, "cycles", "samples", 3, 1);
    flm_profile_free(p);
}

static void addresses_are_not_symbols(void **state)
{
    (void)state;
    struct flm_profile *p = read(HEADER("c") "    60.00%             3  w        x   [.] f\n"
                                             "3 0x7fdf;[unknown];0;f\n");
    assert_int_equal(frame_named(p, "0x7fdf")->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_int_equal(frame_named(p, "[unknown]")->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_int_equal(frame_named(p, "0")->flags, FLM_FRAME_UNSYMBOLIZED);
    assert_int_equal(frame_named(p, "f")->flags, 0);
    flm_profile_free(p);
}

static void unknown_lines_are_counted(void **state)
{
    (void)state;
    struct flm_profile *p = read(
        "5 early;chain\n" HEADER("c") "    60.00%             3  w        x              [.] f\n"
                                      "3 main;f\nx main;f\n7\n    what is this\n\n#\n");
    assert_folded(p, "w;main;f 3\n");
    assert_true(lost(p, "lines that are not perf report", "line 1") == 4);
    flm_profile_free(p);
}

static void a_window_that_moves_shows_the_same_profile(void **state)
{
    (void)state;
    static const char *const names[] = {"perf_report/counts.txt", "perf_report/flat.txt",
                                        "perf_report/periods_leaf_first.txt"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct flm_bytes bytes = file_bytes(names[i]);
        struct flm_read_options options = {0};
        struct flm_profile *whole = read_bytes(report, bytes, &options);
        for (size_t step = 1; step < 10000; step = step * 7 + 1) {
            struct flm_profile *p = read_windows(report, bytes, step, &options);
            assert_profiles_equal(p, whole);
            flm_profile_free(p);
        }
        flm_profile_free(whole);
        free((void *)bytes.at);
    }
}

static void a_shortened_file_is_refused_or_read(void **state)
{
    (void)state;
    struct flm_bytes bytes = file_bytes("perf_report/counts.txt");
    for (size_t size = 0; size < bytes.size; size += size < 5000 ? 1 : 31) {
        char *shorter = malloc(size ? size : 1);
        assert_non_null(shorter);
        memcpy(shorter, bytes.at, size);
        struct flm_error why = {0};
        struct flm_profile *p = try_bytes(report, (struct flm_bytes){shorter, size},
                                          &(struct flm_read_options){0}, &why);
        if (p)
            assert_true(flm_profile_check(p, &why));
        else
            assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        flm_profile_free(p);
        free(shorter);
    }
    free((void *)bytes.at);
}

static bool read_with_little_memory(void *context, struct flm_error *why)
{
    const struct flm_bytes *bytes = context;
    struct flm_profile *p = try_bytes(report, *bytes, &(struct flm_read_options){0}, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_bytes bytes = flm_bytes_of("# hostname : box\n" HEADER(
        "cycles") "    60.00%             3  w        x              [.] f\n2 main;g;f\n"
                  "    20.00%             1  w        x              [k] h\n"
                  "# Samples: 1K of event 'faults'\n     9.99%\n1 main\n");
    assert_true(assert_survives_failures(read_with_little_memory, &bytes) > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_add_up),
        cmocka_unit_test(chains_that_perf_left_out_are_counted),
        cmocka_unit_test(files_are_recognized),
        cmocka_unit_test(reports_that_would_mislead_are_refused),
        cmocka_unit_test(values_of_2_53_and_more_are_the_nearest_doubles),
        cmocka_unit_test(chains_may_be_leaf_first),
        cmocka_unit_test(sums_tell_counts_from_periods),
        cmocka_unit_test(addresses_are_not_symbols),
        cmocka_unit_test(unknown_lines_are_counted),
        cmocka_unit_test(a_window_that_moves_shows_the_same_profile),
        cmocka_unit_test(a_shortened_file_is_refused_or_read),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
