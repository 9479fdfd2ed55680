/* The public header over real programs. Where recording is not allowed, tests are skipped. */
#include "flamel/record.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "profile/columns.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"

enum { SECOND = 1000000000 };

static char *busy[] = {(char[]){"sh"}, (char[]){"-c"},
                       (char[]){"i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exit 3"}, NULL};
static char *endless[] = {(char[]){"sh"}, (char[]){"-c"},
                          (char[]){"while kill -0 $PPID 2> /dev/null; do :; done"}, NULL};

static struct flm_recording *make(struct flm_record_options *options)
{
    struct flm_error why;
    options->size = sizeof *options;
    options->path = "/usr/bin:/bin";
    struct flm_recording *recording = flm_recording_new(options, &why);
    if (!recording) {
        print_message("not recorded: %s\n", why.text);
        skip();
    }
    return recording;
}

static struct flm_record_result result_of(struct flm_recording *recording)
{
    struct flm_record_result result = {.size = sizeof result};
    assert_true(flm_recording_result(recording, &result, NULL));
    return result;
}

static double samples_of(const struct flm_profile *p)
{
    struct flm_metric metric = flm_profile_metric_named(p, "samples");
    return metric.index == FLM_NONE ? 0 : flm_profile_total(p, metric);
}

static void options_have_a_size(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_record_options options = {.command = busy};
    assert_null(flm_recording_new(&options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "the size of struct flm_record_options is not set"));
    options.size = sizeof options + 8;
    assert_null(flm_recording_new(&options, &why));
    assert_non_null(strstr(why.text, "in this library, which is older"));
    /* What is behind the size is not read. */
    static const int32_t nobody = INT32_MAX;
    options = (struct flm_record_options){.size = offsetof(struct flm_record_options, threads),
                                          .processes = &nobody,
                                          .process_count = 1,
                                          .machine = true,
                                          .frequency_hz = -1};
    assert_null(flm_recording_new(&options, &why));
    assert_non_null(strstr(why.text, "there is no process 2147483647"));
}

static void exactly_one_target_is_accepted(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_record_options options = {.size = sizeof options};
    assert_null(flm_recording_new(&options, &why));
    assert_non_null(strstr(why.text, "nothing to record"));
    options.command = busy;
    options.self = true;
    assert_null(flm_recording_new(&options, &why));
    assert_non_null(strstr(why.text, "choose one target"));
}

static bool count_tick(void *context)
{
    ++*(int *)context;
    return true;
}

static void programs_and_stacks_that_cannot_be_are_refused(void **state)
{
    (void)state;
    char name[6000];
    memset(name, 'a', sizeof name);
    name[0] = '/';
    name[sizeof name - 1] = 0;
    char *none[] = {NULL}, *too_long[] = {name, NULL}, *program[] = {(char[]){"true"}, NULL};
    const struct {
        struct flm_record_options options;
        const char *expected;
    } cases[] = {{{.command = none}, "the command is empty"},
                 {{.command = too_long}, "cannot be executed: File name too long"},
                 {{.command = program, .stacks = (enum flm_stack_mode)77}, "stack mode 77"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct flm_record_options options = cases[i].options;
        struct flm_error why = {0};
        options.size = sizeof options;
        errno = 0;
        assert_null(flm_recording_new(&options, &why));
        assert_true(why.kind == FLM_ERROR_USAGE || why.kind == FLM_ERROR_SYSTEM);
        assert_non_null(strstr(why.text, cases[i].expected));
    }
}

static void a_command_is_recorded_in_the_calling_thread(void **state)
{
    (void)state;
    int ticks = 0;
    struct flm_error why;
    struct flm_record_options options = {.command = busy, .tick = count_tick, .context = &ticks};
    struct flm_recording *r = make(&options);
    assert_true(strlen(flm_recording_description(r, &why)) > 10);
    assert_true(flm_recording_note(r, "commit", "4f2a9c", &why));
    assert_int_equal(result_of(r).exit_status, -1);
    assert_true(result_of(r).process_id > 0);
    assert_true(result_of(r).duration_s == 0);
    assert_true(flm_recording_run(r, &why));
    struct flm_record_result result = result_of(r);
    assert_int_equal(WEXITSTATUS(result.exit_status), 3);
    assert_true(result.counts.samples > 0 && result.duration_s > 0);
    assert_false(flm_recording_run(r, &why)); /* once */
    assert_false(flm_recording_note(r, "late", "x", &why));
    struct flm_profile *p = flm_recording_take(r, &why);
    assert_non_null(p);
    assert_true(samples_of(p) == (double)result.counts.samples);
    assert_null(flm_recording_take(r, &why));
    assert_non_null(strstr(why.text, "taken already"));
    flm_profile_free(p);
    flm_recording_free(r);
}

static void assert_note(const struct flm_profile *p, const char *key, const char *value)
{
    struct flm_name found = flm_profile_note_named(p, key);
    struct flm_bytes bytes = {found.at, found.size};
    if (value ? !flm_bytes_are(bytes, value) : found.at != NULL)
        fail_msg("%s is '%.*s', not '%s'", key, (int)found.size, found.at,
                 value ? value : "absent");
}

/* Recorded until it ends; `duration_ns` 0: by itself. */
static struct flm_profile *profile_of(char *const *command, int64_t duration_ns)
{
    struct flm_error why;
    struct flm_record_options options = {.command = command, .duration_ns = duration_ns};
    struct flm_recording *r = make(&options);
    assert_true(flm_recording_run(r, &why));
    flm_recording_end_command(r);
    struct flm_profile *p = flm_recording_take(r, &why);
    assert_non_null(p);
    flm_recording_free(r);
    return p;
}

static void the_profile_notes_how_the_command_ended(void **state)
{
    (void)state;
    char sh[] = "sh", c[] = "-c", done[] = "exit 0", wrong[] = "exit 41", abort[] = "kill -6 $$",
         segv[] = "kill -11 $$";
    const struct {
        char *script;
        const char *status, *signal;
    } cases[] = {{done, "0", NULL},
                 {wrong, "41", NULL},
                 {abort, NULL, "6 (Aborted)"},
                 {segv, NULL, "11 (Segmentation fault)"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *command[] = {sh, c, cases[i].script, NULL};
        struct flm_profile *p = profile_of(command, 0);
        assert_note(p, FLM_NOTE_EXIT_STATUS, cases[i].status);
        assert_note(p, FLM_NOTE_SIGNAL, cases[i].signal);
        flm_profile_free(p);
    }
    /* We end it: that says nothing of the command. */
    struct flm_profile *p = profile_of(endless, SECOND / 10);
    assert_note(p, FLM_NOTE_EXIT_STATUS, NULL);
    assert_note(p, FLM_NOTE_SIGNAL, NULL);
    flm_profile_free(p);
}

/* A process that computes until it is killed. */
static pid_t compute(void)
{
    pid_t process = fork();
    if (process == 0)
        for (volatile unsigned i = 0; getppid() != 1; i++)
            ;
    assert_true(process > 0);
    return process;
}

static void a_command_is_only_a_clock_for_processes(void **state)
{
    (void)state;
    struct flm_error why;
    int32_t process = compute();
    /* It computes too, and is not in the profile. */
    char *clock[] = {(char[]){"sh"}, (char[]){"-c"},
                     (char[]){"i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 7"}, NULL};
    struct flm_record_options options = {
        .command = clock, .processes = &process, .process_count = 1, .keep_times = true};
    struct flm_recording *r = make(&options);
    assert_true(flm_recording_run(r, &why));
    struct flm_record_result result = result_of(r);
    assert_int_equal(WEXITSTATUS(result.exit_status), 7);
    assert_int_equal(kill(process, 0), 0); /* it goes on */
    struct flm_profile *p = flm_recording_take(r, &why);
    assert_non_null(p);
    assert_true(samples_of(p) > 0);
    for (uint32_t i = 0; i < flm_profile_label_count(p); i++) {
        struct flm_label_record label = flm_profile_labels(p)[i];
        if (flm_bytes_are(flm_string_bytes(p, label.key), "command"))
            assert_false(flm_bytes_are(flm_string_bytes(p, label.value), "sh"));
    }
    assert_note(p, FLM_NOTE_EXIT_STATUS, "7");
    assert_note(p, "command", NULL);
    assert_non_null(flm_profile_note_named(p, "recorded while").at);
    flm_profile_free(p);
    flm_recording_free(r);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

static void processes_that_end_before_the_clock_end_it(void **state)
{
    (void)state;
    struct flm_error why;
    int32_t process = compute();
    struct flm_record_options options = {
        .command = endless, .processes = &process, .process_count = 1};
    struct flm_recording *r = make(&options);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    assert_true(flm_recording_run(r, &why));
    assert_int_equal(result_of(r).exit_status, -1);
    flm_recording_end_command(r);
    assert_int_equal(WTERMSIG(result_of(r).exit_status), SIGTERM);
    flm_recording_free(r);
}

static void the_machine_is_recorded_as_long_as_a_command_runs(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_record_options options = {.command = busy, .machine = true, .keep_times = true};
    struct flm_recording *r = make(&options);
    assert_true(flm_recording_run(r, &why));
    assert_int_equal(WEXITSTATUS(result_of(r).exit_status), 3);
    struct flm_profile *p = flm_recording_take(r, &why);
    assert_non_null(p);
    bool has_command = false; /* a part of the machine */
    for (uint32_t i = 0; i < flm_profile_label_count(p); i++) {
        struct flm_label_record label = flm_profile_labels(p)[i];
        has_command = has_command || (flm_bytes_are(flm_string_bytes(p, label.key), "command") &&
                                      flm_bytes_are(flm_string_bytes(p, label.value), "sh"));
    }
    assert_true(has_command);
    flm_profile_free(p);
    flm_recording_free(r);
}

static void waiting_without_end_waits_for_the_end(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_record_options options = {.command = endless, .duration_ns = SECOND / 5};
    struct flm_recording *r = make(&options);
    assert_true(flm_recording_start(r, &why));
    assert_false(flm_recording_wait(r, 0));
    assert_true(flm_recording_wait(r, INT64_MAX));
    flm_recording_end_command(r);
    flm_recording_free(r);
}

static void windows_are_taken_while_it_runs_and_add_up(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_record_options options = {.command = endless};
    struct flm_recording *r = make(&options);
    double samples = 0;
    assert_true(flm_recording_start(r, &why));
    assert_false(flm_recording_start(r, &why));
    for (int i = 0; i < 4; i++) {
        assert_false(flm_recording_wait(r, SECOND / 5));
        struct flm_profile *p = flm_recording_take(r, &why);
        assert_non_null(p);
        samples += samples_of(p);
        flm_profile_free(p);
    }
    struct flm_record_result before = result_of(r);
    assert_true(before.duration_s > 0.5);
    assert_true(flm_recording_stop(r, &why));
    assert_true(flm_recording_wait(r, 0));
    struct flm_profile *rest = flm_recording_take(r, &why);
    assert_non_null(rest);
    samples += samples_of(rest);
    flm_profile_free(rest);
    struct flm_record_result result = result_of(r);
    assert_int_equal(result.exit_status, -1); /* it still runs */
    assert_true(samples > 0 && samples == (double)result.counts.samples);
    assert_true(result.counts.samples >= before.counts.samples);
    flm_recording_end_command(r);
    assert_int_equal(WTERMSIG(result_of(r).exit_status), SIGTERM);
    flm_recording_free(r);
}

static bool stop_it(void *context)
{
    (void)context;
    return false;
}

static void a_tick_may_stop_it_and_so_may_free(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_record_options options = {.command = endless, .tick = stop_it};
    struct flm_recording *r = make(&options);
    assert_true(flm_recording_run(r, &why));
    flm_recording_end_command(r);
    flm_recording_free(r);
    options.tick = NULL;
    r = make(&options);
    assert_true(flm_recording_start(r, &why));
    int32_t process = result_of(r).process_id;
    flm_recording_free(r);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
    flm_recording_free(make(&options)); /* one that never ran */
    flm_recording_free(NULL);
}

static bool be_slow(void *context)
{
    (void)context;
    usleep(300000);
    return true;
}

static void add_lost(void *context, uint64_t count)
{
    *(uint64_t *)context += count;
}

static void losses_are_reported_while_it_runs(void **state)
{
    (void)state;
    static const char *const events[] = {"cpu-clock"};
    char *longer[] = {(char[]){"sh"}, (char[]){"-c"},
                      (char[]){"i=0; while [ $i -lt 900000 ]; do i=$((i+1)); done"}, NULL};
    uint64_t lost = 0;
    struct flm_error why;
    struct flm_record_options options = {.command = longer,
                                         .events = events,
                                         .event_count = 1,
                                         .frequency_hz = 4999,
                                         .stacks = FLM_STACK_DUMP,
                                         .ring_size = 65536,
                                         .tick = be_slow,
                                         .lost = add_lost,
                                         .context = &lost};
    struct flm_recording *r = make(&options);
    assert_true(flm_recording_run(r, &why));
    assert_true(lost > 0);
    assert_int_equal(lost, result_of(r).counts.lost);
    flm_recording_free(r);
}

static bool stop_reading(void *context, size_t done, size_t count)
{
    assert_true(done <= count);
    ++*(int *)context;
    return false;
}

static void reading_symbols_may_be_stopped(void **state)
{
    (void)state;
    int calls = 0;
    struct flm_error why = {0};
    struct flm_record_options options = {
        .command = busy, .progress = stop_reading, .context = &calls};
    struct flm_recording *r = make(&options);
    assert_true(flm_recording_run(r, &why));
    assert_null(flm_recording_take(r, &why));
    assert_int_equal(why.kind, FLM_ERROR_CANCELED);
    assert_int_equal(calls, 1);
    flm_recording_free(r);
}

static void a_result_of_another_size_is_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_record_options options = {.command = busy};
    struct flm_recording *r = make(&options);
    struct flm_record_result result = {0};
    static const size_t refused[] = {0, 4, sizeof result + 1};
    for (size_t i = 0; i < 3; i++) {
        result.size = refused[i];
        assert_false(flm_recording_result(r, &result, &why));
        assert_int_equal(why.kind, FLM_ERROR_USAGE);
        assert_int_equal(result.size, refused[i]);
    }
    assert_non_null(strstr(why.text, "older"));
    memset(&result, 0xFF, sizeof result);
    result.size = offsetof(struct flm_record_result, exit_status);
    assert_true(flm_recording_result(r, &result, &why));
    assert_int_equal(result.size, offsetof(struct flm_record_result, exit_status));
    assert_true(result.duration_s == 0);
    assert_int_equal(result.process_id, -1); /* not written */
    flm_recording_free(r);
}

/* The folder that this test was built in. */
static void find_build(char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    assert_true(length > 0);
    folder[length] = 0;
    char *tests = strstr(folder, "/tests/record/");
    assert_non_null(tests);
    *tests = 0;
}

/* By the shared library, which shows what the public headers declare and nothing else. */
static void a_cpp_program_records_itself(void **state)
{
    (void)state;
    char build[1000], path[1100], command[4000];
    find_build(build, sizeof build);
    snprintf(path, sizeof path, "%s/libflamel.so", build);
    if (!has_command("g++") || access(path, R_OK) != 0) {
        print_message("there is no g++, or no shared library, as under sanitizers\n");
        skip();
    }
    snprintf(command, sizeof command,
             "g++ -std=c++17 -Wall -Wextra -Werror -O1 -Iinclude tests/programs/record_self.cpp "
             "-o %s -L%s -lflamel -Wl,-rpath,%s",
             temporary_path("record_self"), build, build);
    assert_int_equal(system(command), 0);
    int status = system(temporary_path("record_self"));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static bool record_true(void *context, struct flm_error *why)
{
    (void)context;
    char *true_command[] = {(char[]){"true"}, NULL};
    struct flm_record_options options = {.size = sizeof options, .command = true_command};
    struct flm_recording *r = flm_recording_new(&options, why);
    bool good = r && flm_recording_description(r, why) && flm_recording_start(r, why) &&
                flm_recording_wait(r, INT64_C(10) * SECOND) && flm_recording_stop(r, why);
    struct flm_profile *p = good ? flm_recording_take(r, why) : NULL;
    flm_profile_free(p);
    flm_recording_free(r);
    return p;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_error why;
    if (!record_true(NULL, &why)) {
        print_message("not recorded: %s\n", why.text);
        skip();
    }
    assert_true(assert_survives_failures(record_true, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_have_a_size),
        cmocka_unit_test(exactly_one_target_is_accepted),
        cmocka_unit_test(programs_and_stacks_that_cannot_be_are_refused),
        cmocka_unit_test(a_command_is_recorded_in_the_calling_thread),
        cmocka_unit_test(the_profile_notes_how_the_command_ended),
        cmocka_unit_test(a_command_is_only_a_clock_for_processes),
        cmocka_unit_test(processes_that_end_before_the_clock_end_it),
        cmocka_unit_test(the_machine_is_recorded_as_long_as_a_command_runs),
        cmocka_unit_test(waiting_without_end_waits_for_the_end),
        cmocka_unit_test(windows_are_taken_while_it_runs_and_add_up),
        cmocka_unit_test(a_tick_may_stop_it_and_so_may_free),
        cmocka_unit_test(losses_are_reported_while_it_runs),
        cmocka_unit_test(reading_symbols_may_be_stopped),
        cmocka_unit_test(a_result_of_another_size_is_refused),
        cmocka_unit_test(a_cpp_program_records_itself),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
