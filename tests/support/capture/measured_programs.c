#include "support/capture/measured_programs.h"

#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "algebra/aggregate/functions.h"
#include "flamel/algebra.h"
#include "profile/columns.h"
#include "support/core/files.h"
#include "support/core/programs.h"

const char *const clock_event[1] = {"cpu-clock"};

void clear_recording(struct recording *recording)
{
    flm_profile_free(recording->profile);
}

bool make_recording(const struct flm_record_options *options, flm_recorder_tick tick, void *context,
                    struct recording *recording)
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

double total_of(const struct flm_profile *p, const char *metric, const char *function)
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

const char *calibration(const char *flags)
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

double unsampled_share(const struct recording *recording, const struct measured *measured,
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

bool record_calibration(const char *flags, const struct flm_record_options *options,
                        struct recording *recording, struct measured *measured, size_t *count)
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
        clear_recording(recording);
    }
    print_message("this machine takes too much time from its programs\n");
    return false;
}

/* Keeps the stacks of one command. */
static void keep_command(struct recording *r, const char *command)
{
    char expression[64];
    struct flm_error why;
    snprintf(expression, sizeof expression, "focus:%s", command);
    struct flm_profile *kept = flm_apply(r->profile, expression, NULL, &why);
    if (!kept)
        fail_msg("%s", why.text);
    flm_profile_free(r->profile);
    r->profile = kept;
}

bool record_depth(int frames, enum depth_target target, const struct flm_record_options *options,
                  struct recording *r, struct measured *measured, size_t *count)
{
    char source[4096], out[300], script[700], name[32];
    snprintf(out, sizeof out, "%s", temporary_path("depths"));
    assert_non_null(realpath("tests/programs/stack_depth.c", source));
    if (!has_command("cc")) {
        print_message("there is no C compiler\n");
        return false;
    }
    shell("test -x stack_depth || cc -O2 -g -pthread -D_GNU_SOURCE %s -o stack_depth", source);
    /* A unique name: in a recording of the machine another run of this test must not count. */
    snprintf(name, sizeof name, "depth%d", getpid());
    shell("ln -sf stack_depth %s", name);
    snprintf(script, sizeof script, "exec %s %d 600 > %s", temporary_path(name), frames, out);
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
    if (done && all.machine)
        keep_command(r, name);
    *count = done ? read_measured(out, measured, 16) : 0;
    return done;
}
