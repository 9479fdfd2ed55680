/* Recordings of real programs: what is found in them is compared with what the program says of
 * itself. Where recording is not allowed, the tests are skipped with the reason. */
#include "record/capture/recorder.h"

#include <linux/perf_event.h>
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

#include "algebra/aggregate/functions.h"
#include "flamel/file.h"
#include "record/capture/internal.h"
#include "record/events/perf_stream.h"
#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"

/* The program that knows where its time goes; compiled once. NULL: there is no compiler. */
static const char *calibration(const char *flags)
{
    static char path[300], made[100];
    char command[1000];
    if (path[0] && strcmp(made, flags) == 0)
        return path;
    snprintf(path, sizeof path, "%s", temporary_path("calibration"));
    snprintf(made, sizeof made, "%s", flags);
    snprintf(command, sizeof command,
             "cc -O2 -g -pthread -D_GNU_SOURCE %s tests/programs/calibration.c -o %s 2> /dev/null",
             flags, path);
    if (system(command) == 0)
        return path;
    path[0] = 0;
    return NULL;
}

/* What it wrote: "cpu spend_half 400019424". */
struct measured {
    char what[8], name[32];
    double ns;
};

static size_t read_measured(const char *path, struct measured *measured, size_t capacity)
{
    FILE *file = fopen(path, "r");
    size_t count = 0;
    assert_non_null(file);
    while (count < capacity && fscanf(file, "%7s %31s %lf", measured[count].what,
                                      measured[count].name, &measured[count].ns) == 3)
        count++;
    fclose(file);
    return count;
}

struct recording {
    struct flm_profile *profile;
    struct flm_record_result result;
    bool kernel;
};

static void clear(struct recording *recording)
{
    flm_profile_free(recording->profile);
}

/* False, and said, when nothing may be recorded here. */
static bool make_recording(const struct flm_record_options *options, flm_recorder_tick tick,
                           void *context, struct recording *recording)
{
    struct flm_error why;
    struct flm_text text = {0};
    struct flm_recorder *recorder = flm_recorder_new(options, &why);
    if (!recorder) {
        print_message("not recorded: %s\n", why.text);
        return false;
    }
    flm_recorder_explain(recorder, &text);
    flm_text_putc(&text, 0);
    recording->kernel = strstr(text.at, "kernel and user space");
    flm_text_clear(&text);
    if (!flm_recorder_run(recorder, tick, context, &why))
        fail_msg("%s", why.text);
    struct flm_builder *builder = flm_builder_new(NULL);
    if (!flm_session_finish(flm_recorder_session(recorder), builder, NULL, NULL, &why))
        fail_msg("%s", why.text);
    recording->profile = flm_builder_finish(builder, &why);
    assert_non_null(recording->profile);
    recording->result = flm_recorder_result(recorder);
    recording->result.event = NULL;
    flm_recorder_free(recorder);
    return true;
}

static const char *const clock_event[] = {"cpu-clock"};

/* Of the metric, what was spent in a function and all that it called. */
static double total_of(const struct flm_profile *p, const char *metric, const char *function)
{
    struct flm_functions functions;
    struct flm_metric index;
    double total = 0;
    assert_true(flm_metric_find(p, metric, &index, NULL));
    assert_true(flm_functions_init(&functions, p, NULL));
    assert_true(flm_functions_measure(&functions, p, index, NULL));
    for (uint32_t i = 0; i < functions.count; i++)
        if (function ? flm_bytes_are(flm_string_bytes(p, functions.function[i].name), function)
                     : i == 0)
            total += functions.function[i].total;
    flm_functions_clear(&functions);
    return total;
}

/* The share of the program's CPU time that has no samples though they were due: a hypervisor had
 * stopped the processor, or the kernel throttled the event. Timers that fall into such a gap give
 * one sample in all. The recording itself does not say in which part of the program that was. */
static double unsampled_share(const struct recording *recording, const struct measured *measured,
                              size_t count)
{
    double all_ns = fmax(measured[count - 1].ns, recording->result.cpu_s * 1e9);
    return fmax(0, 1 - total_of(recording->profile, "cpu-clock", NULL) / all_ns);
}

static bool record_once(const char *program, const struct flm_record_options *options,
                        struct recording *recording, struct measured *measured, size_t *count)
{
    char out[300], script[700];
    snprintf(out, sizeof out, "%s", temporary_path("measured"));
    snprintf(script, sizeof script, "exec %s 100 > %s", program, out);
    char *command[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
    struct flm_record_options all = *options;
    all.command = command;
    all.events = clock_event;
    all.event_count = 1;
    all.frequency_hz = 2999;
    if (!make_recording(&all, NULL, NULL, recording))
        return false;
    *count = read_measured(out, measured, 16);
    assert_int_equal(*count, 9);
    assert_int_equal(recording->result.exit_status, 0);
    return true;
}

/* Once more where more than a tenth of its time has no samples: such a recording proves little. */
static bool record_calibration(const char *flags, const struct flm_record_options *options,
                               struct recording *recording, struct measured *measured,
                               size_t *count)
{
    enum { TRIES = 5 };
    const char *program = calibration(flags);
    if (!program) {
        print_message("there is no C compiler\n");
        return false;
    }
    for (int i = 0; i < TRIES; i++) {
        if (!record_once(program, options, recording, measured, count))
            return false;
        double unsampled = unsampled_share(recording, measured, *count);
        if (unsampled <= 0.1 || !recording->kernel)
            return true;
        print_message("%.1f %% of the program's time has no samples\n", 100 * unsampled);
        clear(recording);
    }
    print_message("this machine takes too much time from its programs\n");
    return false;
}

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
    clear(&r);
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
    clear(&r);
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
    clear(&r);
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
    clear(&r);
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
        clear(&r);
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
        clear(&r);
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
        clear(&r);
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
    clear(&r);
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

/* ---- The size of stack dumps ----------------------------------------------------------------- */

/* The share of the CPU time of a function that has samples. */
static double sampled_share(const struct recording *r, const struct measured *measured,
                            size_t count, const char *function)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(measured[i].name, function) == 0)
            return total_of(r->profile, "cpu-clock", function) / measured[i].ns;
    fail_msg("no %s", function);
    return 0;
}

/* What the program has measured of a function is what its samples add up to: if those of two sizes
 * were counted, it would be twice as much, and less if a thread was left out when its size changed.
 * Samples that a busy machine has swallowed are missing in spend_beside too, whose dumps have one
 * size; and there are too many of both where it stole time from the program. */
static void assert_sampled(const struct recording *r, const struct measured *measured, size_t count,
                           const char *function, double allowed)
{
    double share = sampled_share(r, measured, count, function);
    double beside = sampled_share(r, measured, count, "spend_beside");
    if (r->kernel && (share > fmax(1, beside) + allowed || share < beside - 0.06 - allowed))
        fail_msg("%s: %.1f %%, spend_beside %.1f %%", function, 100 * share, 100 * beside);
}

/* Of the samples in spend_deep, the share that leads to main. */
static double whole_share(const struct recording *r)
{
    return (total_of(r->profile, "samples", "main") -
            total_of(r->profile, "samples", "spend_shallow")) /
           total_of(r->profile, "samples", "spend_deep");
}

enum depth_target { AS_COMMAND, AS_PROCESS, IN_MACHINE };

/* Frames of 1 KiB, so many: in one thread for some time. False: it cannot be recorded here. */
static bool record_depth(int frames, enum depth_target target,
                         const struct flm_record_options *options, struct recording *r,
                         struct measured *measured, size_t *count)
{
    char source[4096], out[300], script[700];
    snprintf(out, sizeof out, "%s", temporary_path("depths"));
    assert_non_null(realpath("tests/programs/stack_depth.c", source));
    if (!has_command("cc")) {
        print_message("there is no C compiler\n");
        return false;
    }
    shell("test -x stack_depth || cc -O2 -g -pthread -D_GNU_SOURCE %s -o stack_depth", source);
    snprintf(script, sizeof script, "exec %s %d 600 > %s", temporary_path("stack_depth"), frames,
             out);
    char *command[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
    struct flm_record_options all = *options;
    int32_t process = target == AS_PROCESS ? fork() : 0;
    if (target == AS_PROCESS && process == 0) {
        execv("/bin/sh", command);
        _exit(127);
    }
    if (target == AS_PROCESS) {
        poll(NULL, 0, 100); /* it is past exec, and has its thread */
        all.processes = &process;
        all.process_count = 1;
    } else {
        all.command = command;
        all.machine = target == IN_MACHINE;
    }
    all.events = clock_event;
    all.event_count = 1;
    bool done = make_recording(&all, NULL, NULL, r);
    if (process > 0)
        waitpid(process, NULL, 0);
    *count = done ? read_measured(out, measured, 16) : 0;
    return done;
}

static void larger_stack_dumps_follow_deep_threads(void **state)
{
    (void)state;
    static const struct {
        int frames;
        uint32_t largest;
    } depths[] = {{20, 32768}, {40, 65528}};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        struct recording r;
        struct measured measured[16];
        size_t count;
        if (!record_depth(depths[i].frames, AS_COMMAND, &(struct flm_record_options){0}, &r,
                          measured, &count))
            skip();
        assert_true(whole_share(&r) > 0.5);
        assert_int_equal(r.result.largest_stack_size, depths[i].largest);
        assert_int_equal(r.result.threads_with_larger_stacks, 1);
        assert_int_equal(r.result.stack_size, 16384);
        assert_sampled(&r, measured, count, "spend_deep", 0.04);
        assert_sampled(&r, measured, count, "spend_shallow", 0.04);
        clear(&r);
    }
}

static void larger_stack_dumps_follow_threads_of_running_processes(void **state)
{
    (void)state;
    struct recording r;
    struct measured measured[16];
    size_t count;
    if (!record_depth(20, AS_PROCESS, &(struct flm_record_options){0}, &r, measured, &count))
        skip();
    assert_true(whole_share(&r) > 0.5);
    assert_int_equal(r.result.threads_with_larger_stacks, 1);
    /* Of others a part was before the recording. */
    assert_sampled(&r, measured, count, "spend_deep", 0.04);
    clear(&r);
}

/* Samples of the machine come from clocks of its CPUs, not of the thread: where it shares a CPU
 * with others, how many it gets is random, and of 600 the deviation is 4 %. */
static void larger_stack_dumps_follow_threads_of_the_machine(void **state)
{
    (void)state;
    struct recording r;
    struct measured measured[16];
    size_t count;
    if (!record_depth(20, IN_MACHINE, &(struct flm_record_options){0}, &r, measured, &count))
        skip();
    assert_true(whole_share(&r) > 0.5);
    assert_true(r.result.threads_with_larger_stacks >= 1);
    assert_sampled(&r, measured, count, "spend_deep", 0.3);
    assert_sampled(&r, measured, count, "spend_shallow", 0.3);
    clear(&r);
}

static void a_size_that_was_asked_for_is_kept(void **state)
{
    (void)state;
    struct recording r;
    struct measured measured[16];
    size_t count;
    struct flm_record_options options = {.stack_size = 16384};
    if (!record_depth(20, AS_COMMAND, &options, &r, measured, &count))
        skip();
    assert_true(whole_share(&r) < 0.1);
    assert_int_equal(r.result.threads_with_larger_stacks, 0);
    assert_int_equal(r.result.largest_stack_size, 0);
    clear(&r);
}

/* ---- What is lost, and what is left ---------------------------------------------------------- */

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
    clear(&r);
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
    clear(&r);
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
    clear(&r);
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
    clear(&r);
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
    assert_int_equal(flm_recorder_sleep_ms(r, 0), 1); /* one runs */
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
        cmocka_unit_test(larger_stack_dumps_follow_deep_threads),
        cmocka_unit_test(larger_stack_dumps_follow_threads_of_running_processes),
        cmocka_unit_test(larger_stack_dumps_follow_threads_of_the_machine),
        cmocka_unit_test(a_size_that_was_asked_for_is_kept),
        cmocka_unit_test(lost_records_are_counted),
        cmocka_unit_test(a_killed_recorder_leaves_its_spool),
        cmocka_unit_test(a_spool_reads_back_as_recorded),
        cmocka_unit_test(larger_stack_dumps_read_back_as_recorded),
        cmocka_unit_test(off_CPU_time_reads_back_as_recorded),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
