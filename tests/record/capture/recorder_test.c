/* Recordings of real programs: what is found in them is compared with what the program says of
 * itself. Where recording is not allowed, the tests are skipped with the reason. */
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/capture/internal.h"
#include "support/capture/measured_programs.h"
#include "support/core/files.h"

/* A part's share is that of the CPU time that the program measured for it. Samples are taken at
 * fixed intervals of CPU time, so a part of 100 ms has 300 of them, give or take a few: with 8 busy
 * processes on 2 processors, nine recordings were off by 0.4 percentage points at most. And one
 * part may have been running whenever samples were missing. */
static void assert_shares(const struct recording *recording, const struct measured *measured,
                          size_t count)
{
    double all = measured[count - 1].ns, recorded = total_of(recording->profile, "cpu-clock", NULL);
    double allowed = 0.02 + unsampled_share(recording, measured, count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(measured[i].what, "cpu") != 0)
            continue;
        double expected = measured[i].ns / all;
        double found = total_of(recording->profile, "cpu-clock", measured[i].name) / recorded;
        if (fabs(found - expected) > allowed)
            fail_msg("%s: %.1f %%, should be %.1f %%, %.1f %% more or less", measured[i].name,
                     100 * found, 100 * expected, 100 * allowed);
    }
}

static void shares_and_rate_are_those_that_were_measured(void **state)
{
    (void)state;
    struct recording r;
    struct measured measured[16];
    size_t count;
    if (!record_calibration("", &(struct flm_record_options){0}, &r, measured, &count))
        skip();
    assert_shares(&r, measured, count);
    /* What was inlined has its own frame. */
    double inlined = total_of(r.profile, "cpu-clock", "inlined_work");
    double around = total_of(r.profile, "cpu-clock", "spend_inlined");
    assert_true(inlined > 0.8 * around && inlined <= around);
    assert_int_equal(r.result.counts.lost, 0);
    /* A CPU of a virtual machine may stand still while it writes a record. */
    assert_true(r.result.late <= r.result.counts.samples / 100);
    assert_int_equal(r.result.damaged, 0);
    assert_true((double)r.result.counts.stacks_truncated < 0.01 * (double)r.result.counts.samples);
    if (r.kernel && r.result.counts.throttled == 0) {
        double unsampled = unsampled_share(&r, measured, count);
        assert_true(fabs(r.result.achieved_hz / r.result.requested_hz - 1) < 0.1 + unsampled);
        assert_true(fabs(r.result.cpu_s * 1e9 / measured[count - 1].ns - 1) <
                    0.1 + unsampled / (1 - unsampled));
    }
    clear_recording(&r);
}

static void frame_pointers_give_the_same_shares(void **state)
{
    (void)state;
    struct recording r;
    struct measured measured[16];
    size_t count;
    struct flm_record_options options = {.stacks = FLM_STACK_POINTER};
    if (!record_calibration("-fno-omit-frame-pointer", &options, &r, measured, &count))
        skip();
    assert_shares(&r, measured, count);
    clear_recording(&r);
}

static void off_CPU_time_is_as_long_as_measured(void **state)
{
    (void)state;
    struct recording r;
    struct measured measured[16];
    size_t count;
    struct flm_record_options options = {.off_cpu = true};
    if (!record_calibration("", &options, &r, measured, &count))
        skip();
    assert_shares(&r, measured, count); /* waiting is a metric of its own */
    /* Where waiting began is counted as nothing else. */
    assert_int_equal(flm_profile_metric_named(r.profile, "context-switches").index, FLM_NONE);
    for (size_t i = 0; i < count && r.kernel; i++) {
        if (strcmp(measured[i].what, "wait") != 0)
            continue;
        double found = total_of(r.profile, "off-cpu", measured[i].name);
        /* What it took to fall asleep and to wake up is not in it, or only in part. */
        if (fabs(found - measured[i].ns) > 0.02 * measured[i].ns + 2e6)
            fail_msg("%s: %.1f ms, should be %.1f ms", measured[i].name, found / 1e6,
                     measured[i].ns / 1e6);
    }
    clear_recording(&r);
}

/* ---- Targets --------------------------------------------------------------------------------- */

static void a_running_process_is_recorded_with_its_threads(void **state)
{
    (void)state;
    const char *program = calibration("");
    if (!program) {
        print_message("there is no C compiler\n");
        skip();
    }
    int32_t process = fork();
    if (process == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(126);
        execl(program, program, "150", (char *)NULL);
        _exit(127);
    }
    poll(NULL, 0, 100); /* it is past exec, and has its thread */
    struct recording r;
    struct flm_record_options options = {.processes = &process,
                                         .process_count = 1,
                                         .events = clock_event,
                                         .event_count = 1,
                                         .per_thread = true};
    bool done = make_recording(&options, NULL, NULL, &r); /* until it ends */
    waitpid(process, NULL, 0);
    if (!done)
        skip();
    assert_int_equal(r.result.exit_status, -1);
    assert_true(total_of(r.profile, "cpu-clock", "spend_half") > 0);
    assert_true(total_of(r.profile, "cpu-clock", "spend_in_thread") > 0);
    clear_recording(&r);
}

/* As a shell that records itself: `flamel record -p $$`. */
static void the_recorder_is_no_child_of_what_it_records(void **state)
{
    (void)state;
    int32_t parent = getpid();
    pid_t process = fork();
    if (process == 0) {
        struct recording r;
        char own[16], *command[] = {(char[]){"sleep"}, (char[]){"0.2"}, NULL};
        struct flm_record_options options = {.processes = &parent,
                                             .process_count = 1,
                                             .command = command,
                                             .off_cpu = true,
                                             .keep_times = true};
        if (!make_recording(&options, NULL, NULL, &r))
            _exit(77);
        snprintf(own, sizeof own, "%d", getpid());
        const struct flm_label_record *labels = flm_profile_labels(r.profile);
        bool good = flm_profile_sample_count(r.profile) > 0;
        for (uint32_t i = 0; i < flm_profile_label_count(r.profile); i++) {
            struct flm_name value =
                flm_profile_string(r.profile, (struct flm_string){labels[i].value});
            good &= value.size != strlen(own) || memcmp(value.at, own, value.size) != 0;
        }
        clear_recording(&r);
        _exit(good ? 0 : 1);
    }
    int status;
    while (waitpid(process, &status, WNOHANG) == 0)
        poll(NULL, 0, 20);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* No event tells of a wait that began before the recording and ends after it. */
static void threads_that_wait_all_the_time_are_counted(void **state)
{
    (void)state;
    pid_t waits = fork();
    if (waits == 0) {
        execlp("sleep", "sleep", "100", (char *)NULL);
        _exit(127);
    }
    poll(NULL, 0, 100); /* it sleeps */
    int32_t both[] = {waits, getpid()};
    char *command[] = {(char[]){"sleep"}, (char[]){"0.2"}, NULL};
    for (size_t count = 1; count <= 2; count++) {
        struct recording r;
        struct flm_record_options options = {
            .processes = both, .process_count = count, .command = command, .off_cpu = true};
        /* The second records this program too, which runs meanwhile; a sanitizer may have threads
         * of its own in it. */
        if (!make_recording(&options, NULL, NULL, &r)) {
            kill(waits, SIGKILL);
            waitpid(waits, NULL, 0);
            skip();
        }
        struct flm_name note =
            flm_profile_note_named(r.profile, FLM_NOTE_NOT_SHOWN "waits from beginning to end");
        char text[200];
        unsigned silent = 0, threads = 0;
        snprintf(text, sizeof text, "%.*s", (int)note.size, note.at ? note.at : "");
        assert_int_equal(sscanf(text, "off-CPU time of %u of %u threads", &silent, &threads), 2);
        assert_true(silent >= 1 && (count == 1 ? silent == threads : silent < threads));
        clear_recording(&r);
    }
    kill(waits, SIGKILL);
    waitpid(waits, NULL, 0);
}

static void another_user_may_record_own_processes(void **state)
{
    (void)state;
    if (getuid() != 0)
        skip(); /* all other tests are that */
    pid_t process = fork();
    if (process == 0) {
        struct recording r;
        char *command[] = {(char[]){"sh"}, (char[]){"-c"},
                           (char[]){"i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"}, NULL};
        struct flm_record_options options = {.command = command};
        /* A process that changed its user may not be looked at by it, until it says so. */
        if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0 ||
            prctl(PR_SET_DUMPABLE, 1) != 0)
            _exit(77);
        if (!make_recording(&options, NULL, NULL, &r))
            _exit(77);
        bool good = r.result.counts.samples > 0 && r.result.exit_status == 0;
        clear_recording(&r);
        _exit(good ? 0 : 1);
    }
    int status = -1;
    waitpid(process, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(status, 0);
}

static bool stop_at_once(void *context, struct flm_recorder *recorder)
{
    (void)recorder;
    ++*(int *)context;
    return false;
}

static void recording_stops_when_the_tick_says_so(void **state)
{
    (void)state;
    int ticks = 0;
    struct recording r;
    char *command[] = {(char[]){"sleep"}, (char[]){"60"}, NULL};
    struct flm_record_options options = {.command = command};
    if (!make_recording(&options, stop_at_once, &ticks, &r))
        skip();
    assert_int_equal(ticks, 1);
    assert_int_equal(r.result.exit_status, -1); /* it goes on */
    kill(r.result.process_id, SIGKILL);
    waitpid(r.result.process_id, NULL, 0);
    clear_recording(&r);
}

static void malformed_programs_are_refused(void **state)
{
    (void)state;
    struct flm_error why = {0};
    assert_null(flm_recorder_new(&(struct flm_record_options){0}, &why));
    char *none[] = {(char[]){"no-such-command-here"}, NULL};
    assert_null(flm_recorder_new(&(struct flm_record_options){.command = none}, &why));
    assert_non_null(strstr(why.text, "command not found"));
}

static void a_missing_process_is_named_in_the_error(void **state)
{
    (void)state;
    struct flm_error why = {0};
    static const int32_t nobody = 2147483647;
    assert_null(flm_recorder_new(
        &(struct flm_record_options){.processes = &nobody, .process_count = 1}, &why));
    assert_non_null(strstr(why.text, "2147483647"));
}

/* Its file has no records, and the next recording would keep it as one that was killed. */
static void a_recording_that_cannot_begin_leaves_no_file(void **state)
{
    (void)state;
    struct flm_error why = {0};
    const int32_t self = getpid();
    const char *spool = temporary_path("begun.part");
    struct flm_record_options options = {.processes = &self,
                                         .process_count = 1,
                                         .java = "cpu",
                                         .java_library = "/nowhere/libflamel-java.so",
                                         .spool = spool};
    assert_null(flm_recorder_new(&options, &why));
    if (!strstr(why.text, "is no Java VM")) {
        print_message("not recorded: %s\n", why.text);
        skip();
    }
    assert_int_not_equal(access(spool, F_OK), 0);
}

/* Unwind tables of everything that runs are made in its first second. */
static void a_recording_of_the_machine_has_larger_rings(void **state)
{
    (void)state;
    struct flm_error why;
    struct flm_record_options options = {.machine = true, .stacks = FLM_STACK_DUMP};
    struct flm_recorder *recorder = flm_recorder_new(&options, &why);
    if (!recorder) {
        print_message("not recorded: %s\n", why.text);
        skip();
    }
    struct flm_text text = {0};
    flm_recorder_explain(recorder, &text);
    flm_text_putc(&text, 0);
    long processors = sysconf(_SC_NPROCESSORS_ONLN), usual = 16;
    if (processors > 2)
        usual = processors <= 8 ? 8 : 4;
    const char *said = strstr(text.at, "ring buffers of ");
    assert_non_null(said);
    /* Less may be locked by programs without privileges, and in containers. */
    if (strstr(said, "for each CPU"))
        assert_true(strtol(said + strlen("ring buffers of "), NULL, 10) >= 2 * usual ||
                    geteuid() != 0);
    flm_text_clear(&text);
    flm_recorder_free(recorder);
}

/* What decides how soon frames of an interpreter are looked for, which is read from outside. */
static void it_looks_as_often_as_interpreters_need(void **state)
{
    (void)state;
    struct flm_error why;
    const struct flm_runtime_options none = {0};
    struct flm_recorder *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(flm_recorder_sleep_ms(r, 0), 100); /* none is read */
    r->runtimes = flm_runtimes_attach(NULL, 0, &none, &why);
    assert_non_null(r->runtimes);
    r->is_hurried = false;
    assert_int_equal(flm_recorder_sleep_ms(r, 0), 10); /* one may be started */
    r->is_hurried = true;
    assert_int_equal(flm_recorder_sleep_ms(r, 0), 1); /* one runs, which wakes no reader */
    assert_int_equal(flm_recorder_sleep_ms(r, 999999999), 1);
    assert_int_equal(flm_recorder_sleep_ms(r, 1000000000), 10); /* none for a second */
    r->started_ns = 5000000000;
    r->options.duration_ns = 2000000000;
    r->is_hurried = false;
    assert_int_equal(flm_recorder_sleep_ms(r, 5500000000), 10);
    assert_int_equal(flm_recorder_sleep_ms(r, 6996000000), 5); /* 4 ms left: not before them */
    assert_int_equal(flm_recorder_sleep_ms(r, 7000000000), 0);
    assert_int_equal(flm_recorder_sleep_ms(r, 9000000000), 0);
    flm_runtimes_close(r->runtimes);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_looks_as_often_as_interpreters_need),
        cmocka_unit_test(shares_and_rate_are_those_that_were_measured),
        cmocka_unit_test(frame_pointers_give_the_same_shares),
        cmocka_unit_test(off_CPU_time_is_as_long_as_measured),
        cmocka_unit_test(a_running_process_is_recorded_with_its_threads),
        cmocka_unit_test(the_recorder_is_no_child_of_what_it_records),
        cmocka_unit_test(threads_that_wait_all_the_time_are_counted),
        cmocka_unit_test(a_recording_of_the_machine_has_larger_rings),
        cmocka_unit_test(another_user_may_record_own_processes),
        cmocka_unit_test(recording_stops_when_the_tick_says_so),
        cmocka_unit_test(malformed_programs_are_refused),
        cmocka_unit_test(a_missing_process_is_named_in_the_error),
        cmocka_unit_test(a_recording_that_cannot_begin_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
