/* What a recording loses is counted, and what it wrote to its spool reads back the same. */
#include <linux/perf_event.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "profile/columns.h"
#include "record/capture/internal.h"
#include "record/events/perf_stream.h"
#include "support/capture/measured_programs.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"

static bool be_slow(void *context, struct flm_recorder *recorder)
{
    (void)context;
    (void)recorder;
    poll(NULL, 0, 300);
    return true;
}

static void lost_records_are_counted(void **state)
{
    (void)state;
    struct recording r;
    char *command[] = {(char[]){"sh"}, (char[]){"-c"},
                       (char[]){"i=0; while [ $i -lt 900000 ]; do i=$((i+1)); done"}, NULL};
    struct flm_record_options options = {.command = command,
                                         .events = clock_event,
                                         .event_count = 1,
                                         .frequency_hz = 4999,
                                         .stacks = FLM_STACK_DUMP,
                                         .ring_size = 65536};
    if (!make_recording(&options, be_slow, NULL, &r))
        skip();
    uint64_t lost = r.result.counts.lost + r.result.lost_unreported;
    assert_true(lost > 0);
    double said = 0;
    for (uint32_t i = 0; i < r.profile->sizes.loss_count; i++) {
        const struct flm_loss_record *loss = &r.profile->losses[i];
        if (flm_bytes_are(flm_string_bytes(r.profile, loss->what), "events (ring buffer full)"))
            said += loss->count;
    }
    assert_true(said >= (double)lost);
    clear_recording(&r);
}

/* Samples in what a recorder has written, all of its records whole but perhaps the last. */
static size_t count_samples(const char *path)
{
    struct flm_text file = read_file(path);
    struct flm_event_layouts layouts = {0};
    size_t samples = 0, at = 16;
    assert_true(file.size < 16 || memcmp(file.at, "PERFILE2", 8) == 0);
    while (at + 8 <= file.size) {
        struct flm_record_header header = flm_record_header(file.at + at, false);
        if (header.size > file.size - at)
            break;
        assert_true(header.size >= 8 && header.size % 8 == 0);
        struct flm_event event;
        struct flm_event_layout layout;
        uint64_t ids[64];
        if (header.type == FLM_RECORD_ATTRIBUTES) {
            size_t size = sizeof(struct perf_event_attr), count = (header.size - 8 - size) / 8;
            assert_true(count <= 64);
            memcpy(ids, file.at + at + 8 + size, 8 * count);
            assert_true(flm_event_layout_init(&layout, file.at + at + 8, size, false, NULL));
            assert_true(flm_event_layouts_add(&layouts, &layout, ids, count, NULL));
        } else if (header.type != FLM_RECORD_EVENT_UPDATE) {
            assert_true(flm_event_decode(&layouts, file.at + at, header.size, at, &event, NULL));
            samples += event.kind == FLM_EVENT_SAMPLE && event.sample.chain_count > 1;
        }
        at += header.size;
    }
    flm_event_layouts_clear(&layouts);
    flm_text_clear(&file);
    return samples;
}

static void a_killed_recorder_leaves_its_spool(void **state)
{
    (void)state;
    char spool[300];
    snprintf(spool, sizeof spool, "%s", temporary_path("killed.part"));
    pid_t recorder = fork();
    if (recorder == 0) {
        struct recording r;
        char *command[] = {(char[]){"sh"}, (char[]){"-c"},
                           (char[]){"while kill -0 $PPID 2> /dev/null; do :; done"}, NULL};
        struct flm_record_options options = {
            .command = command, .events = clock_event, .event_count = 1, .spool = spool};
        _exit(make_recording(&options, NULL, NULL, &r) ? 0 : 77);
    }
    int status = 0;
    size_t samples = 0;
    for (int i = 0; i < 300 && samples < 100; i++) {
        poll(NULL, 0, 100);
        if (waitpid(recorder, &status, WNOHANG) == recorder)
            skip(); /* it may not record */
        samples = access(spool, R_OK) == 0 ? count_samples(spool) : 0;
    }
    kill(recorder, SIGKILL);
    waitpid(recorder, &status, 0);
    assert_true(samples >= 100);
    assert_true(count_samples(spool) >= samples);
}

/* Samples and stacks, and how many samples a function has. */
static void assert_same(const struct flm_profile *a, const struct flm_profile *b,
                        const char *function)
{
    assert_true(total_of(a, "samples", function) == total_of(b, "samples", function));
}

static void a_spool_reads_back_as_recorded(void **state)
{
    (void)state;
    struct flm_error why;
    char spool[300], source[4096], program[300];
    struct recording r;
    snprintf(spool, sizeof spool, "%s", temporary_path("again.part"));
    snprintf(program, sizeof program, "%s", temporary_path("locations"));
    assert_non_null(realpath("tests/programs/locations.cpp", source));
    if (!has_command("g++"))
        skip();
    shell("g++ -O2 -g -pthread %s -o locations", source);
    char *command[] = {program, (char[]){"12"}, NULL};
    /* Copies too small for the deepest stacks: what was not found must be missing in both. */
    struct flm_record_options options = {.command = command,
                                         .events = clock_event,
                                         .event_count = 1,
                                         .frequency_hz = 999,
                                         .stacks = FLM_STACK_DUMP,
                                         .stack_size = 1024,
                                         .keep_times = true,
                                         .spool = spool};
    if (!make_recording(&options, NULL, NULL, &r))
        skip();
    struct flm_profile *again = flm_load(spool, NULL, &why);
    if (!again)
        fail_msg("%s", why.text);
    assert_true(total_of(again, "samples", "[truncated stack]") >= 1);
    static const char *const functions[] = {NULL,   "[truncated stack]",    "_start",
                                            "main", "__vdso_clock_gettime", "__restore_rt"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        assert_same(r.profile, again, functions[i]);
    assert_int_equal(flm_profile_node_count(r.profile), flm_profile_node_count(again));
    flm_profile_free(again);
    clear_recording(&r);
}

/* The spool does not know which samples had larger dumps. */
static void larger_stack_dumps_read_back_as_recorded(void **state)
{
    (void)state;
    struct flm_error why;
    char spool[300];
    struct recording r;
    struct measured measured[16];
    size_t count;
    snprintf(spool, sizeof spool, "%s", temporary_path("deep.part"));
    struct flm_record_options options = {.keep_times = true, .off_cpu = true, .spool = spool};
    if (!record_depth(40, AS_COMMAND, &options, &r, measured, &count))
        skip();
    struct flm_profile *again = flm_load(spool, NULL, &why);
    if (!again)
        fail_msg("%s", why.text);
    assert_true(r.result.threads_with_larger_stacks > 0);
    static const char *const functions[] = {NULL, "[truncated stack]", "main", "spend_deep"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        assert_same(r.profile, again, functions[i]);
    assert_int_equal(flm_profile_metric_count(r.profile), flm_profile_metric_count(again));
    assert_int_equal(flm_profile_node_count(r.profile), flm_profile_node_count(again));
    assert_int_equal(flm_profile_sample_count(r.profile), flm_profile_sample_count(again));
    flm_profile_free(again);
    clear_recording(&r);
}

/* Every metric of one is a metric of the other, with the same sum. */
static void assert_same_metrics(const struct flm_profile *a, const struct flm_profile *b)
{
    assert_int_equal(flm_profile_metric_count(a), flm_profile_metric_count(b));
    for (uint32_t i = 0; i < flm_profile_metric_count(a); i++) {
        struct flm_name name = flm_profile_string(
            a, (struct flm_string){flm_profile_metric(a, (struct flm_metric){i})->name});
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)name.size, name.at);
        struct flm_metric other = flm_profile_metric_named(b, text);
        assert_int_equal(other.index, i);
        if (flm_profile_total(a, (struct flm_metric){i}) != flm_profile_total(b, other))
            fail_msg("%s is %g and %g", text, flm_profile_total(a, (struct flm_metric){i}),
                     flm_profile_total(b, other));
    }
}

/* Where threads begin to wait is sampled too, and that is no metric: the file must say so. */
static void off_CPU_time_reads_back_as_recorded(void **state)
{
    (void)state;
    struct flm_error why;
    struct recording r;
    char spool[300];
    snprintf(spool, sizeof spool, "%s", temporary_path("waiting.part"));
    char *command[] = {(char[]){"sh"}, (char[]){"-c"},
                       (char[]){"i=0; while [ $i -lt 9 ]; do sleep 0.01; i=$((i+1)); done"}, NULL};
    struct flm_record_options options = {.command = command,
                                         .events = clock_event,
                                         .event_count = 1,
                                         .off_cpu = true,
                                         .keep_times = true,
                                         .spool = spool};
    if (!make_recording(&options, NULL, NULL, &r))
        skip();
    struct flm_profile *again = flm_load(spool, NULL, &why);
    if (!again)
        fail_msg("%s", why.text);
    assert_true(total_of(r.profile, "off-cpu", NULL) > 0);
    assert_int_equal(flm_profile_metric_named(again, "context-switches").index, FLM_NONE);
    assert_same_metrics(r.profile, again);
    assert_int_equal(flm_profile_sample_count(r.profile), flm_profile_sample_count(again));
    assert_int_equal(flm_profile_node_count(r.profile), flm_profile_node_count(again));
    flm_profile_free(again);
    clear_recording(&r);
}

static bool record_true(void *context, struct flm_error *why)
{
    char *command[] = {(char[]){"true"}, NULL};
    struct flm_record_options options = {.command = command, .spool = context};
    struct flm_recorder *recorder = flm_recorder_new(&options, why);
    bool good = recorder && flm_recorder_run(recorder, NULL, NULL, why);
    if (recorder)
        flm_recorder_end_command(recorder);
    flm_recorder_free(recorder);
    return good;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    char spool[300];
    struct flm_error why;
    snprintf(spool, sizeof spool, "%s", temporary_path("failing.part"));
    if (!record_true(spool, &why)) {
        print_message("not recorded: %s\n", why.text);
        skip();
    }
    assert_true(assert_survives_failures(record_true, spool) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_records_are_counted),
        cmocka_unit_test(a_killed_recorder_leaves_its_spool),
        cmocka_unit_test(a_spool_reads_back_as_recorded),
        cmocka_unit_test(larger_stack_dumps_read_back_as_recorded),
        cmocka_unit_test(off_CPU_time_reads_back_as_recorded),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
