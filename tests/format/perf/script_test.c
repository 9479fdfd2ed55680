#include "support/profile/perf_reading.h"

#include "flamel/algebra.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static const struct flm_format *const script = &flm_format_perf_script;

static struct flm_profile *read(const char *text)
{
    struct flm_profile *p = read_text(script, text);
    assert_sound(p);
    return p;
}

/* The stacks of a text, in the first metric. */
static void assert_stacks(const char *text, const char *folded)
{
    struct flm_profile *p = read(text);
    assert_folded(p, folded);
    flm_profile_free(p);
}

/* ---- Samples --------------------------------------------------------------------------------- */

static void a_sample_is_its_command_and_its_frames(void **state)
{
    (void)state;
    assert_stacks("work 1 1.0: 10 cycles: \n"
                  "\t      10 leaf+0x1 (/bin/work)\n"
                  "\t      20 main+0x2 (/bin/work)\n"
                  "\n"
                  "V8 Worker 1 1.1: 32 cycles: \n"
                  "\t      20 main+0x9 (/bin/work)\n"
                  "\n",
                  "V8 Worker;main 32\n"
                  "work;main;leaf 10\n");
}

static void a_command_is_a_label_and_no_code(void **state)
{
    (void)state;
    struct flm_profile *p = read("work 1 1.0: 10 cycles: \n\t10 leaf (/bin/work)\n\n");
    assert_int_equal(frame_named(p, "work")->kind, FLM_KIND_LABEL);
    assert_int_equal(frame_named(p, "leaf")->kind, FLM_KIND_NATIVE);
    assert_true(is_string(p, frame_named(p, "leaf")->module, "/bin/work"));
    flm_profile_free(p);
}

static void a_sample_without_frames_counts_for_its_command(void **state)
{
    (void)state;
    assert_stacks("work 1 1.0: 10 cycles: \n\nwork 1 1.0: 5 cycles: \n", "work 15\n");
    assert_stacks("work 1 \n\nwork 1 \n\t10 leaf\n\n", "work 1\nwork;leaf 1\n");
}

static void samples_without_a_command_have_no_root(void **state)
{
    (void)state;
    assert_stacks("1.0: 10 cycles: \n\t10 leaf (/x)\n\n", "leaf 10\n");
    assert_stacks("1 2.5: 10 cycles: \n\t10 leaf (/x)\n\n", "leaf 10\n");
}

static void headers_without_a_time_are_believed_when_frames_follow(void **state)
{
    (void)state;
    struct flm_profile *p = read("func_ab 15 cpu-clock: \n\t10 x (/x)\n\n"
                                 "func_ab 15 faults: \n\t10 x (/x)\n\n"
                                 "cycles: \n\t10 x (/x)\n\n"
                                 "my command\n\t10 x (/x)\n\n"
                                 "func_ab 15 cpu-clock: \n\n"
                                 "w 1 sched:sched_switch: prev=1\nw 1 7 cycles: \n");
    assert_int_equal(p->sizes.metric_count, 5);
    assert_metric(p, 0, "cpu-clock", "samples", 2, 2);
    assert_metric(p, 1, "faults", "samples", 1, 1);
    assert_metric(p, 2, "cycles", "samples", 8, 2);
    assert_metric(p, 3, "sched:sched_switch", "samples", 1, 1);
    assert_metric(p, 4, "samples", "samples", 7, 5);
    assert_int_equal(p->sizes.loss_count, 0);
    flm_profile_free(p);
}

static void a_header_ends_the_sample_before_it(void **state)
{
    (void)state;
    assert_stacks("a 1 1.0: 1 cycles: \n\t10 x (/x)\nb 1 1.1: 2 cycles: \n\t10 x (/x)\n",
                  "a;x 1\nb;x 2\n");
}

static void the_last_line_needs_no_newline(void **state)
{
    (void)state;
    assert_stacks("a 1 1.0: 1 cycles: \n\t10 x (/x)\n\t20 y (/x)", "a;y;x 1\n");
    assert_stacks("a 1 1.0: 1 cycles: \n\t10 x (/x)\n\t20 y (/x)\n\n"
                  "a 1 1.0: 1 cycles: \n\t10 x (/x)\n\t20 y (/x)",
                  "a;y;x 2\n");
}

static void lines_may_end_with_a_carriage_return(void **state)
{
    (void)state;
    assert_stacks("a 1 1.0: 1 cycles: \r\n\t10 x (/x)\r\n\t20 y (/x)\r\n\r\n"
                  "a 1 1.0: 1 cycles:\r\n\t10 x (/x)\r\n\t20 y (/x)\r\n\r\n",
                  "a;y;x 2\n");
}

static void lines_that_lost_their_tabs_are_read(void **state)
{
    (void)state;
    assert_stacks("java 1 cycles: \n"
                  "ffffffff8103d0ca native_write ([kernel.kallsyms])\n"
                  "                 20 main (/x)\n"
                  "\n",
                  "java;main;native_write_[k] 1\n");
}

static void simpleperf_has_tabs_between_its_columns(void **state)
{
    (void)state;
    assert_stacks("Gecko\t25122 [007] 115539.936601:\t\t1000000 task-clock:u:\n"
                  "        b3cea6c4\tLock::unlock() (/system/lib/libc.so)\n"
                  "        b3cea535\tshould_trace() (/system/lib/libc.so)\n"
                  "\n",
                  "Gecko;should_trace();Lock::unlock() 1000000\n");
}

static void consecutive_samples_share_common_frames(void **state)
{
    (void)state;
    assert_stacks("w 1 1.0: 1 cycles: \n\t10 c (/x)\n\t20 b (/x)\n\t30 a (/x)\n\n"
                  "w 1 1.0: 2 cycles: \n\t11 d (/x)\n\t10 c (/x)\n\t21 b (/x)\n\t30 a (/x)\n\n"
                  "w 1 1.0: 4 cycles: \n\t20 b (/x)\n\t30 a (/x)\n\n"
                  "v 1 1.0: 8 cycles: \n\t20 b (/x)\n\t30 a (/x)\n\n"
                  "w 1 1.0: 16 cycles: \n\t30 a (/x)\n\n"
                  "w 1 1.0: 32 cycles: \n\t30 b (/x)\n\n",
                  "v;a;b 8\nw;a 16\nw;a;b 4\nw;a;b;c 1\nw;a;b;c;d 2\nw;b 32\n");
}

static void a_stack_may_be_very_deep(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    struct flm_text text = {0};
    flm_text_puts(&text, "w 1 1.0: 1 cycles:\n");
    for (int i = 0; i < DEPTH; i++)
        flm_text_format(&text, "\t%x f%d (/x)\n", i, i % 10);
    struct flm_profile *p =
        read_bytes(script, (struct flm_bytes){text.at, text.size}, &(struct flm_read_options){0});
    assert_int_equal(p->sizes.node_count, DEPTH + 2);
    assert_int_equal(p->sizes.frame_count, 12);
    flm_profile_free(p);
    flm_text_clear(&text);
}

/* ---- Metrics --------------------------------------------------------------------------------- */

static void events_are_metrics_and_samples_is_the_last(void **state)
{
    (void)state;
    struct flm_profile *p = read("w 1 1.0: 100 cycles:u: \n\t10 x (/x)\n\n"
                                 "w 1 1.1: 3 page-faults: \n\t10 x (/x)\n\n"
                                 "w 1 1.2: 7 cpu-clock:ppp: \n\t20 y (/x)\n\n"
                                 "w 1 1.3: 100 cycles:u: \n\t20 y (/x)\n\n"
                                 "w 1 1.4: sched:sched_switch: prev_comm=w ==> next_pid=0\n\n");
    assert_int_equal(p->sizes.metric_count, 5);
    assert_metric(p, 0, "cycles:u", "count", 200, 2);
    assert_metric(p, 1, "page-faults", "count", 3, 1);
    assert_metric(p, 2, "cpu-clock:ppp", "ns", 7, 1);
    assert_metric(p, 3, "sched:sched_switch", "samples", 1, 1);
    assert_metric(p, 4, "samples", "samples", 5, 3);
    flm_profile_free(p);
}

static void an_event_may_have_any_name(void **state)
{
    (void)state;
    struct flm_profile *p = read("w 1 1.0: 5 cpu_core/cycles/: \n\t10 x (/x)\n\n"
                                 "w 1 1.1: 3 raw 0x1c0: \n\t10 x (/x)\n\n"
                                 "w 1 1.2: 9 samples: \n\t10 x (/x)\n\n");
    assert_metric(p, 0, "cpu_core/cycles/", "count", 5, 1);
    assert_metric(p, 1, "raw 0x1c0", "count", 3, 1);
    assert_metric(p, 2, "samples (event)", "count", 9, 1);
    assert_metric(p, 3, "samples", "samples", 3, 1);
    flm_profile_free(p);
}

static void periods_count_even_without_an_event(void **state)
{
    (void)state;
    struct flm_profile *p = read("w 1 1.0:        500 \n\t10 x (/x)\n\n"
                                 "w 1        250 \n\t10 x (/x)\n\n");
    assert_metric(p, 0, "period", "count", 750, 1);
    assert_metric(p, 1, "samples", "samples", 2, 1);
    flm_profile_free(p);
}

static void fields_of_tracepoints_do_not_split_stacks(void **state)
{
    (void)state;
    assert_stacks("w 1 1.0: raw_syscalls:sys_enter: NR 12 (0, 7ff, 3)\n\t10 x (/x)\n\n"
                  "w 1 1.1: raw_syscalls:sys_enter: NR 13 (0, 8ff: 4)\n\t10 x (/x)\n\n",
                  "w;x 2\n");
}

static void threads_are_frames_below_their_command_if_wanted(void **state)
{
    (void)state;
    static const char text[] = "app 1/2 [000] 1.0: 1 cycles:\n\t10 x (/x)\n\n"
                               "app 1/3 [000] 1.1: 1 cycles:\n\t10 x (/x)\n\n"
                               "app 1/3 [000] 1.2: 1 cycles:\n\t11 y (/x)\n\n"
                               "worker 3 1/3 [000] 1.3: 1 cycles:\n\t10 x (/x)\n\n"
                               "app 1/2 [000] 1.4: 1 cycles:\n\t10 x (/x)\n\n";
    for (int keep_times = 0; keep_times < 2; keep_times++) {
        struct flm_read_options options = {.by_thread = true, .keep_times = keep_times};
        struct flm_profile *p = read_bytes(script, flm_bytes_of(text), &options);
        assert_folded(p, "app;app 2;x 2\napp;app 3;x 1\napp;app 3;y 1\n"
                         "worker 3;worker 3 3;x 1\n");
        for (uint32_t i = 1; i < p->sizes.node_count; i++) {
            uint32_t kind = p->frames[p->node_frame[i]].kind;
            assert_int_equal(kind == FLM_KIND_LABEL, p->node_end[i] > i + 1);
        }
        flm_profile_free(p);
    }
    assert_stacks("1.0: 1 cycles:\n\t10 x (/x)\n\n", "x 1\n");
}

static void a_period_has_64_bits(void **state)
{
    (void)state;
    static const char text[] = "w 1 1.0: 9007199254740993 cycles:\n\t10 x (/x)\n\n"
                               "w 1 1.0: 18446744073709551615 cycles:\n\t10 y (/x)\n\n"
                               "w 1 1.0: 9223372036854775808 cycles:\n\t10 z (/x)\n\n"
                               "w 1 1.0: 9223372036854775808 cycles:\n\t10 z (/x)\n\n"
                               "w 1 1.0: 1 cycles:\n\t10 z (/x)\n\n";
    assert_stacks("w 1 1.0: 9007199254740991 cycles:\n\t10 x (/x)\n\n", "w;x 9007199254740991\n");
    assert_stacks(text, "w;x 9007199254740992\nw;y 18446744073709551616\n"
                        "w;z 18446744073709551616\n");
    struct flm_profile *large =
        read_bytes(script, flm_bytes_of(text), &(struct flm_read_options){.keep_times = true});
    assert_rounded(large, "3");
    flm_profile_free(large);
    assert_refused(script, "# c\n\nw 1 1.0: 18446744073709551616 cycles:\n\t10 x (/x)\n\n", 3,
                   "the period '18446744073709551616' is more than the 2^64 - 1");

    struct flm_read_options lenient = {.lenient = true};
    struct flm_profile *p =
        read_bytes(script,
                   flm_bytes_of("w 1 1.0: 99999999999999999999999 cycles:\n\t10 x (/x)\n\n"
                                "w 1 1.0: 1 cycles:\n\t10 y (/x)\n\n"),
                   &lenient);
    assert_folded(p, "w;y 1\n");
    assert_true(lost(p, "samples with a period that cannot be used", "line 1") == 1);
    assert_true(lost(p, "frames outside of samples", "") == 0);
    flm_profile_free(p);
}

static void the_number_of_events_is_limited(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (int i = 0; i < 1030; i++)
        flm_text_format(&text, "w 1 1.0: 2 event%d:\n\t10 x (/x)\n\n", i);
    struct flm_profile *p =
        read_bytes(script, (struct flm_bytes){text.at, text.size}, &(struct flm_read_options){0});
    assert_int_equal(p->sizes.metric_count, 1025);
    assert_metric(p, 1024, "samples", "samples", 1030, 1);
    assert_true(lost(p, "periods of events after the first 1024", "line 3073") == 6);
    flm_profile_free(p);
    flm_text_clear(&text);
}

/* ---- Frames and the lines around them -------------------------------------------------------- */

static void an_inlined_frame_has_the_module_of_its_function(void **state)
{
    (void)state;
    struct flm_profile *p = read("w 1 1.0: 1 cycles:\n"
                                 "\t      10 deeper+0x1 (inlined)\n"
                                 "\t      10 inner+0x1 (inlined)\n"
                                 "\t      10 outer+0x1 (/lib/x.so)\n"
                                 "\t      99 lonely+0x1 (inlined)\n"
                                 "\t      20 main+0x1 (/bin/w)\n\n");
    assert_folded(p, "w;main;lonely_[i];outer;inner_[i];deeper_[i] 1\n");
    assert_true(is_string(p, frame_named(p, "inner")->module, "/lib/x.so"));
    assert_true(is_string(p, frame_named(p, "deeper")->module, "/lib/x.so"));
    assert_true(is_string(p, frame_named(p, "lonely")->module, ""));
    flm_profile_free(p);
}

static void the_frame_that_inlines_depends_on_the_sample(void **state)
{
    (void)state;
    /* The same two lines, inlined into functions of two libraries; and shared outer lines. */
    struct flm_profile *p =
        read("w 1 1.0: 1 cycles:\n"
             "\t      10 in (inlined)\n\t      10 f (/lib/x.so)\n\t20 m (/w)\n\n"
             "w 1 1.0: 2 cycles:\n"
             "\t      10 in (inlined)\n\t      10 f (/lib/y.so)\n\t20 m (/w)\n\n"
             "w 1 1.0: 4 cycles:\n"
             "\t      11 in (inlined)\n\t      10 f (/lib/y.so)\n\t20 m (/w)\n\n"
             "w 1 1.0: 8 cycles:\n\t      10 leaf (inlined)\n"
             "\t      10 in (inlined)\n\t      10 f (/lib/y.so)\n\t20 m (/w)\n\n");
    char *text = described(p);
    assert_non_null(strstr(text, "\"in\" in \"/lib/x.so\" at \"\":0 0x0 inlined 1 1\n"));
    assert_non_null(strstr(text, "\"in\" in \"/lib/y.so\" at \"\":0 0x0 inlined 2 1\n"));
    assert_non_null(strstr(text, "\"in\" inlined 4 1\n"));
    assert_non_null(strstr(text, "\"leaf\" in \"/lib/y.so\" at \"\":0 0x0 inlined 8 1\n"));
    free(text);
    flm_profile_free(p);
}

static void source_lines_belong_to_the_frame_above(void **state)
{
    (void)state;
    static const char text_of_lines[] =
        "w 1 1.0: 1 cycles:\n"
        "\t      10 swap+0x1\n  vector.h:12 (inlined)\n"
        "\t      10 sort+0x1 (/lib/x.so)\n  sort.cpp:7 (discriminator 3)\n"
        "\t      20 main+0x1 (/bin/w)\n  w[20]\n\n";
    struct flm_profile *p =
        read_bytes(script, flm_bytes_of(text_of_lines), &(struct flm_read_options){.lines = true});
    char *text = described(p);
    assert_non_null(strstr(text, "\"swap\" in \"/lib/x.so\" at \"vector.h\":12 0x0 inlined"));
    assert_non_null(strstr(text, "\"sort\" in \"/lib/x.so\" at \"sort.cpp\":7 0x0 native"));
    assert_non_null(strstr(text, "\"main\" in \"/bin/w\" at \"\":0 0x0 native"));
    free(text);
    flm_profile_free(p);
}

static void one_function_at_two_lines_is_one_frame_or_with_the_option_two(void **state)
{
    (void)state;
    static const char text[] = "w 1 1.0: 1 cycles:\n\t10 f (/x)\n  a.c:1\n\t20 g (/x)\n  a.c:9\n\n"
                               "w 1 1.0: 2 cycles:\n\t10 f (/x)\n  a.c:2\n\t20 g (/x)\n  a.c:9\n\n"
                               "w 1 1.0: 4 cycles:\n\t10 f (/x)\n  a.c:1\n\t20 g (/x)\n  a.c:9\n\n";
    for (int lines = 0; lines < 2; lines++) {
        const struct flm_read_options options = {.locations = true, .lines = lines};
        struct flm_profile *p = read_bytes(script, flm_bytes_of(text), &options);
        assert_metric(p, 0, "cycles", "count", 7, lines ? 2 : 1);
        assert_int_equal(p->sizes.node_count, lines ? 5 : 4);
        assert_int_equal(p->sizes.location_count, lines ? 0 : 3);
        flm_profile_free(p);
    }
}

static void a_sample_may_be_one_line(void **state)
{
    (void)state;
    assert_stacks("         work 1 1.0: 5 cycles:  ffffffff816b9733 read+0x93 ([kernel.kallsyms])\n"
                  "         work 1 1.1: 2 cycles:              4007 main+0x93 (/bin/work)\n"
                  "        dd 22 1.2: 1 cycles:              4007 main (/bin/dd)",
                  "dd;main 1\nwork;main 2\nwork;read_[k] 5\n");
}

/* ---- Other lines ----------------------------------------------------------------------------- */

static void unknown_lines_are_counted(void **state)
{
    (void)state;
    struct flm_profile *p = read("\t10 orphan (/x)\n"
                                 "not a header\n"
                                 "w 1 1.0: 1 cycles:\n"
                                 "\tzz bad (/x)\n"
                                 "\t10 cut (/x\n"
                                 "\t10 good (/x)\n"
                                 "noise in between 12\n"
                                 "\t20 main (/x)\n\n");
    assert_folded(p, "w;main;good 1\n");
    assert_true(lost(p, "frames outside of samples", "line 1") == 1);
    assert_true(lost(p, "lines that are not perf script", "line 2") == 4);
    flm_profile_free(p);
}

static void lines_that_perf_says_to_the_terminal_are_not_samples(void **state)
{
    (void)state;
    struct flm_profile *p = read("Processed 10 events and lost nothing\n"
                                 "'trace' not valid for software events. Ignoring.\n"
                                 "Warning: something\n"
                                 "after 12 seconds: done\n"
                                 "w 1 1.0: 1 cycles:\n\t10 x (/x)\n\n");
    assert_folded(p, "w;x 1\n");
    assert_int_equal(p->sizes.metric_count, 2);
    assert_true(lost(p, "lines that are not perf script", "line 1") == 4);
    flm_profile_free(p);
}

static void a_text_without_samples_is_refused(void **state)
{
    (void)state;
    assert_refused(script, "hello\nworld\n", 1, "'hello' is not a sample of perf script");
    assert_refused(script, "\n\t10 x (/x)\n", 2, "'10 x (/x)' is not a sample of perf script");
    assert_refused(script, "# ========\n# hostname : box\n", 0, "only comments");
    struct flm_profile *p = read_text(script, "\n\n"); /* may be the end of a text */
    assert_metric(p, 0, "samples", "samples", 0, 0);
    flm_profile_free(p);
}

static void events_that_perf_lost_are_counted(void **state)
{
    (void)state;
    struct flm_profile *p = read("w 1 1.0: 1 cycles:\n\t10 x (/x)\n\n"
                                 "w 1 1.1: PERF_RECORD_LOST lost 12\n"
                                 "LOST 30 events!\n"
                                 "w 1 1.2: 1 cycles:\n\t10 x (/x)\n\n");
    assert_folded(p, "w;x 2\n");
    assert_true(lost(p, "events (ring buffer full)", "line 4") == 42);
    flm_profile_free(p);
}

static void other_records_are_passed_over(void **state)
{
    (void)state;
    assert_stacks("w 1 1.0: PERF_RECORD_COMM exec: w:1/1\n"
                  "w 1 1.0: PERF_RECORD_MMAP2 1/1: [0x10(0x5000) @ 0x2000 fe:00 2 0]: r-xp /w\n"
                  "w 1 1.1: 1 cycles:\n\t10 x (/x)\n\n",
                  "w;x 1\n");
}

static void the_header_is_noted(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_file(script, "perf_script/with_header.txt");
    assert_note(p, "host", "vm");
    assert_note(p, "command",
                "/usr/bin/perf record -e cpu-clock -F 499 -g -o fp.perf.data ./work_fp 3 2");
    assert_note(p, "captured", "Fri Nov 20 07:21:08 2026");
    assert_note(p, "system", "6.18.44-fc-v657");
    assert_int_equal(p->sizes.note_count, 8);
    flm_profile_free(p);
}

/* ---- Times and labels ------------------------------------------------------------------------ */

static void times_and_labels_are_kept_with_the_option(void **state)
{
    (void)state;
    static const char text[] = "w 1/2 [003]  1.000001: 5 cycles:\n\t10 x (/x)\n\n"
                               "w 1/2 [003]  12.123456789: 7 cycles:\n\t10 x (/x)\n\n"
                               "v 9 0.5: faults:\n\t10 x (/x)\n\n"
                               "u 8 \n\t10 x (/x)\n\n";
    struct flm_profile *p = read(text);
    assert_int_equal(p->sizes.sample_count, 0);
    flm_profile_free(p);

    p = read_bytes(script, flm_bytes_of(text), &(struct flm_read_options){.keep_times = true});
    assert_sound(p);
    assert_int_equal(p->sizes.sample_count, 4);
    assert_true(unsampled(p) == 0);
    assert_true(p->sample_time[0] == FLM_NO_TIME);
    assert_true(p->sample_time[1] == 500000000);
    assert_true(p->sample_time[2] == 1000001000);
    assert_true(p->sample_time[3] == 12123456789);
    assert_int_equal(p->sample_labels[2], p->sample_labels[3]);
    assert_int_not_equal(p->sample_labels[1], p->sample_labels[2]);
    char *whole = described(p);
    assert_non_null(strstr(whole, "\"command\"=\"w\""));
    assert_non_null(strstr(whole, "\"process\"=\"1\""));
    assert_non_null(strstr(whole, "\"thread\"=\"2\""));
    assert_non_null(strstr(whole, "\"cpu\"=\"003\""));
    free(whole);
    flm_profile_free(p);
}

/* ---- Memory and progress --------------------------------------------------------------------- */

static bool read_with_little_memory(void *context, struct flm_error *why)
{
    const struct flm_bytes *bytes = context;
    struct flm_profile *p =
        try_bytes(script, *bytes, &(struct flm_read_options){.keep_times = true}, why);
    flm_profile_free(p);
    return p != NULL;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct flm_bytes bytes = flm_bytes_of("# hostname : box\n"
                                          "# event : name = cycles, , id = { 1 }\n"
                                          "w 1/2 [0] 1.0: 1 cycles:\n"
                                          "\t      10 in (inlined)\n"
                                          "\t      10 f (/lib/x.so)\n"
                                          "\t      20 core::run::h0123456789abcdef (/w)\n"
                                          "\t      20 [unknown] (/w)\n\n"
                                          "noise\n"
                                          "v 1/2 [0] 1.5: 1 faults:\n"
                                          "\t  10 LA;::a->LB;::b (/tmp/perf-1.map)\n\n"
                                          "v 2/2 [0] 1.5: 1 cycles:              10 f (/x)\n");
    assert_true(assert_survives_failures(read_with_little_memory, &bytes) > 20);
}

static bool stop(void *context, uint64_t bytes)
{
    (void)bytes;
    ++*(int *)context;
    return false;
}

static void reading_stops_when_progress_returns_false(void **state)
{
    (void)state;
    int calls = 0;
    struct flm_error why = {0};
    struct flm_source source = flm_source_of(flm_bytes_of("w 1 1.0: 1 cycles:\n\t10 x (/x)\n\n"));
    source.progress = stop;
    source.progress_context = &calls;
    assert_null(finished(script, &source, &(struct flm_read_options){0}, &why));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_is_its_command_and_its_frames),
        cmocka_unit_test(a_command_is_a_label_and_no_code),
        cmocka_unit_test(a_sample_without_frames_counts_for_its_command),
        cmocka_unit_test(samples_without_a_command_have_no_root),
        cmocka_unit_test(headers_without_a_time_are_believed_when_frames_follow),
        cmocka_unit_test(a_header_ends_the_sample_before_it),
        cmocka_unit_test(the_last_line_needs_no_newline),
        cmocka_unit_test(lines_may_end_with_a_carriage_return),
        cmocka_unit_test(lines_that_lost_their_tabs_are_read),
        cmocka_unit_test(simpleperf_has_tabs_between_its_columns),
        cmocka_unit_test(consecutive_samples_share_common_frames),
        cmocka_unit_test(a_stack_may_be_very_deep),
        cmocka_unit_test(events_are_metrics_and_samples_is_the_last),
        cmocka_unit_test(an_event_may_have_any_name),
        cmocka_unit_test(periods_count_even_without_an_event),
        cmocka_unit_test(fields_of_tracepoints_do_not_split_stacks),
        cmocka_unit_test(threads_are_frames_below_their_command_if_wanted),
        cmocka_unit_test(a_period_has_64_bits),
        cmocka_unit_test(the_number_of_events_is_limited),
        cmocka_unit_test(an_inlined_frame_has_the_module_of_its_function),
        cmocka_unit_test(the_frame_that_inlines_depends_on_the_sample),
        cmocka_unit_test(source_lines_belong_to_the_frame_above),
        cmocka_unit_test(one_function_at_two_lines_is_one_frame_or_with_the_option_two),
        cmocka_unit_test(a_sample_may_be_one_line),
        cmocka_unit_test(unknown_lines_are_counted),
        cmocka_unit_test(lines_that_perf_says_to_the_terminal_are_not_samples),
        cmocka_unit_test(a_text_without_samples_is_refused),
        cmocka_unit_test(events_that_perf_lost_are_counted),
        cmocka_unit_test(other_records_are_passed_over),
        cmocka_unit_test(the_header_is_noted),
        cmocka_unit_test(times_and_labels_are_kept_with_the_option),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(reading_stops_when_progress_returns_false),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
