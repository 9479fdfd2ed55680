#include "cli/report/record_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"

static struct flm_profile *profile_of_one_sample(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    assert_non_null(b);
    struct flm_frame frame = flm_builder_function(b, "main", 4);
    struct flm_node node = flm_builder_child(b, flm_builder_root(b), frame);
    flm_builder_add(b, node, flm_builder_metric(b, "cpu-clock", "ns"), 1e6);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    assert_non_null(p);
    return p;
}

/* The lines of the summary from that one on, for 1000 samples; "" where there is none. */
static const char *lines_of(const char *output, const char *first,
                            const struct flm_record_result *result)
{
    static char text[1000];
    struct flm_text out = {0};
    struct flm_profile *p = profile_of_one_sample();
    struct flm_record_summary s = {.profile = p, .result = *result, .output = output};
    s.result.counts.samples = 1000;
    if (s.result.counts.stacks_unwound == 0)
        s.result.counts.stacks_unwound = 1000;
    s.result.event = "cpu-clock";
    assert_true(flm_record_summary_text(
        &s, &(struct flm_report_style){.size = sizeof(struct flm_report_style)}, &out, NULL));
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    const char *line = strstr(out.at, first), *end = line ? strstr(line, "\nwritten") : NULL;
    snprintf(text, sizeof text, "%.*s", line ? (int)(end - line) - 1 : 0, line ? line + 1 : "");
    flm_text_clear(&out);
    flm_profile_free(p);
    return text;
}

static const char *stacks_line_of(const char *output, struct flm_record_counts counts,
                                  uint32_t stack_size)
{
    const struct flm_record_result result = {.counts = counts, .stack_size = stack_size};
    return lines_of(output, "\nstacks", &result);
}

static const char *stacks_line(struct flm_record_counts counts, uint32_t stack_size)
{
    return stacks_line_of("app.flm", counts, stack_size);
}

static void whole_stacks_are_not_mentioned(void **state)
{
    (void)state;
    assert_string_equal(stacks_line((struct flm_record_counts){.stacks_unwound = 1000}, 16384), "");
}

static void a_larger_stack_dump_is_recommended_where_it_helps(void **state)
{
    (void)state;
    const struct flm_record_counts deep = {.stacks_truncated = 250, .stacks_beyond_dump = 250};
    assert_string_equal(
        stacks_line(deep, 16384),
        "stacks    25 % truncated (outermost frames missing): deeper than the stack "
        "dump (try --stack-size 65528)");
    assert_string_equal(stacks_line(deep, 65528), "stacks    25 % truncated (outermost frames "
                                                  "missing): deeper than the stack dump");
}

static void stacks_on_another_stack_are_no_reason_for_a_larger_dump(void **state)
{
    (void)state;
    const struct flm_record_counts other = {.stacks_truncated = 801, .stacks_on_other_stack = 801};
    assert_string_equal(stacks_line(other, 16384),
                        "stacks    80.1 % truncated (outermost frames missing): continued on "
                        "another stack (signal handlers and coroutines may have their own), or "
                        "more than 64 KiB away");
}

static void each_of_several_reasons_has_its_share(void **state)
{
    (void)state;
    const struct flm_record_counts both = {
        .stacks_truncated = 300, .stacks_beyond_dump = 200, .stacks_on_other_stack = 100};
    assert_string_equal(stacks_line(both, 16384),
                        "stacks    30 % truncated (outermost frames missing): 20 % deeper than the "
                        "stack dump (try --stack-size 65528); 10 % continued on another stack "
                        "(signal handlers and coroutines may have their own), or more than 64 KiB "
                        "away");
}

static void other_reasons_are_left_to_flamel_info(void **state)
{
    (void)state;
    const struct flm_record_counts other = {.stacks_truncated = 20};
    assert_string_equal(stacks_line(other, 16384), "stacks    2 % truncated (outermost frames "
                                                   "missing): flamel info app.flm says why");
    assert_string_equal(stacks_line_of("app.svg", other, 16384),
                        "stacks    2 % truncated (outermost frames missing)");
    const struct flm_record_counts some = {.stacks_truncated = 20, .stacks_beyond_dump = 5};
    assert_string_equal(stacks_line(some, 16384),
                        "stacks    2 % truncated (outermost frames missing): 0.5 % deeper than the "
                        "stack dump (try --stack-size 65528); flamel info app.flm says why the "
                        "others are");
}

/* Those of threads that leave a processor are no samples of the first event. */
static void shares_are_of_all_stacks(void **state)
{
    (void)state;
    const struct flm_record_counts off_cpu = {.stacks_truncated = 1820, .stacks_unwound = 4000};
    assert_string_equal(stacks_line_of("app.svg", off_cpu, 16384),
                        "stacks    45.5 % truncated (outermost frames missing)");
}

static void larger_stack_dumps_are_stated(void **state)
{
    (void)state;
    struct flm_record_result result = {
        .counts = {.stacks_truncated = 12, .stacks_beyond_dump = 12},
        .stack_size = 16384,
        .largest_stack_size = 65528,
        .threads_with_larger_stacks = 2,
    };
    assert_string_equal(lines_of("app.flm", "\ndumps", &result),
                        "dumps     16 KiB of each stack; 2 threads needed up to 64 KiB\n"
                        "stacks    1.2 % truncated (outermost frames missing): deeper than the "
                        "stack dump that they had");
    result.threads_without_larger_stacks = 1;
    assert_string_equal(lines_of("app.flm", "\ndumps", &result),
                        "dumps     16 KiB of each stack; 2 threads needed up to 64 KiB; 1 thread "
                        "needed more, and did not get it (too many threads or files, lost "
                        "records, or no counter left)\n"
                        "stacks    1.2 % truncated (outermost frames missing): deeper than the "
                        "stack dump (try --stack-size 65528)");
}

/* Fewer samples do not help where each switch of threads is a record. */
static const char *losses_line(bool off_cpu, uint64_t unwound)
{
    static char text[400];
    struct flm_text out = {0};
    struct flm_profile *p = profile_of_one_sample();
    const struct flm_record_summary s = {
        .profile = p,
        .output = "app.flm",
        .off_cpu = off_cpu,
        .result = {.event = "cpu-clock",
                   .counts = {.samples = 1000, .lost = 2, .stacks_unwound = unwound}}};
    assert_true(flm_record_summary_text(
        &s, &(struct flm_report_style){.size = sizeof(struct flm_report_style)}, &out, NULL));
    flm_text_putc(&out, 0);
    const char *line = strstr(out.at, "\nlost");
    assert_non_null(line);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
    flm_text_clear(&out);
    flm_profile_free(p);
    return text;
}

static void losses_say_what_to_do(void **state)
{
    (void)state;
    static const char fewer[] = "lost      2 records: the ring buffers were full (use a larger "
                                "--ring-size or a lower -F)";
    assert_string_equal(losses_line(false, 1000), fewer);
    assert_string_equal(losses_line(true, 0), fewer);
    assert_string_equal(
        losses_line(true, 1000),
        "lost      2 records: the ring buffers were full (use a larger --ring-size; "
        "or --call-graph fp, if the program keeps frame pointers, as Go does: with "
        "--off-cpu each switch of threads has a stack dump)");
}

/* The whole text, of a profile with these notes (keys and values; NULL ends them), or of none. */
static char *summary_of(const char *const *notes, const struct flm_record_summary *given)
{
    struct flm_text out = {0};
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_record_summary s = *given;
    struct flm_metric metric = flm_builder_metric(b, "cpu-clock", "ns");
    struct flm_frame_record record = {.function = flm_builder_string(b, "x", 1).index,
                                      .flags = FLM_FRAME_UNSYMBOLIZED};
    struct flm_frame frame = flm_builder_frame(b, &record);
    for (; notes && notes[0]; notes += 2)
        flm_builder_note(b, notes[0], notes[1], strlen(notes[1]));
    if (given->result.counts.samples > 0)
        flm_builder_add(b, flm_builder_child(b, flm_builder_root(b), frame), metric, 1e6);
    struct flm_profile *p = flm_builder_finish(b, NULL);
    s.profile = p;
    s.output = "app.flm";
    assert_true(flm_record_summary_text(
        &s, &(struct flm_report_style){.size = sizeof(struct flm_report_style)}, &out, NULL));
    flm_text_putc(&out, 0);
    assert_false(out.failed);
    flm_profile_free(p);
    return out.at;
}

static void what_several_modules_lack_is_said_once(void **state)
{
    (void)state;
    static const char *const notes[] = {
        "unsymbolized a.so", "stripped", "unsymbolized b.so", "no such file", "unsymbolized c",
        "stripped",          NULL};
    const struct flm_record_summary s = {
        .result = {.counts = {.samples = 1}, .event = "cpu-clock"}};
    char *text = summary_of(notes, &s);
    assert_non_null(strstr(text, "\nsymbols   100 % unsymbolized\n"
                                 "          a.so, c: stripped\n"
                                 "          b.so: no such file\n"
                                 "written"));
    free(text);
    text = summary_of(NULL, &s);
    assert_non_null(strstr(text, "\n          no symbols were found (--symbols"));
    free(text);
}

static void what_is_not_shown_is_said_with_its_option(void **state)
{
    (void)state;
    static const char *const notes[] = {"not shown CPython", "functions of x: record with --x",
                                        NULL};
    const struct flm_record_summary s = {
        .result = {.counts = {.samples = 1}, .event = "cpu-clock"}};
    char *text = summary_of(notes, &s);
    assert_non_null(strstr(text, "\nnot shown functions of x: record with --x\n"));
    free(text);
}

/* --off-cpu is no advice to somebody who has given it. */
static void no_samples_have_a_reason(void **state)
{
    (void)state;
    struct flm_record_summary s = {.result = {.counts_time = true, .event = "cpu-clock"}};
    char *text = summary_of(NULL, &s);
    assert_non_null(strstr(text, "ran too briefly, or was off-CPU all the time (--off-cpu"));
    free(text);
    s.off_cpu = true;
    text = summary_of(NULL, &s);
    assert_non_null(strstr(text, "did not run, and no wait began or ended\n"));
    free(text);
    s.command = "true";
    text = summary_of(NULL, &s);
    assert_non_null(strstr(text, "ran too briefly\n"));
    free(text);
    s.command = NULL;
    s.result.counts_time = false;
    text = summary_of(NULL, &s);
    assert_non_null(strstr(text, "the event never occurred in the target\n"));
    free(text);
}

/* Off-CPU time has the command that shows what waits; late samples, of cpu-clock only, a reason. */
static void the_kernel_is_explained(void **state)
{
    (void)state;
    static const char *const events[] = {"cpu-clock", "cycles"};
    for (int i = 0; i < 2; i++) {
        struct flm_builder *b = flm_builder_new(NULL);
        struct flm_frame_record record = {.function =
                                              flm_builder_string(b, "finish_task_switch", 18).index,
                                          .kind = FLM_KIND_KERNEL};
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_frame(b, &record));
        flm_builder_add(b, node, flm_builder_metric(b, events[i], "ns"), 1e6);
        flm_builder_add(b, node, flm_builder_metric(b, "off-cpu", "ns"), 2e9);
        struct flm_profile *p = flm_builder_finish(b, NULL);
        assert_non_null(p);
        struct flm_record_summary s = {
            .profile = p, .output = "app.flm", .result = {.event = events[i]}};
        struct flm_text out = {0};
        assert_true(flm_record_summary_text(
            &s, &(struct flm_report_style){.size = sizeof(struct flm_report_style)}, &out, NULL));
        flm_text_putc(&out, 0);
        assert_non_null(strstr(out.at, "\noff-CPU   2 s, all threads together; what waits: flamel "
                                       "report -m off-cpu -a hide:kind=kernel app.flm\n"));
        assert_int_equal(
            strstr(out.at, "\nkernel    100 % where the kernel enables interrupts (") != NULL,
            i == 0);
        flm_text_clear(&out);
        flm_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_say_what_to_do),
        cmocka_unit_test(whole_stacks_are_not_mentioned),
        cmocka_unit_test(a_larger_stack_dump_is_recommended_where_it_helps),
        cmocka_unit_test(stacks_on_another_stack_are_no_reason_for_a_larger_dump),
        cmocka_unit_test(each_of_several_reasons_has_its_share),
        cmocka_unit_test(other_reasons_are_left_to_flamel_info),
        cmocka_unit_test(shares_are_of_all_stacks),
        cmocka_unit_test(larger_stack_dumps_are_stated),
        cmocka_unit_test(what_several_modules_lack_is_said_once),
        cmocka_unit_test(what_is_not_shown_is_said_with_its_option),
        cmocka_unit_test(no_samples_have_a_reason),
        cmocka_unit_test(the_kernel_is_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
