#include "record/v8/v8_stack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "algebra/aggregate/functions.h"
#include "profile/columns.h"
#include "record/capture/recorder.h"
#include "record/process/process_map.h"
#include "support/core/files.h"

/* Four functions, of which one has no name and one is called through a builtin, that compute for
 * two seconds, by the clock of their process, and say how long each was. Threads of node's compiler
 * and collector have hardly anything to do in it. */
static const char calibration[] =
    "'use strict';\n"
    "const spent = {};\n"
    "const now = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1e6; };\n"
    "function compute(name, seconds) {\n"
    "    const begin = now();\n"
    "    let sum = 0;\n"
    "    while (now() - begin < seconds)\n"
    "        for (let i = 0; i < 20000; i++) sum += i % 7;\n"
    "    spent[name] = (spent[name] || 0) + now() - begin;\n"
    "    return sum;\n"
    "}\n"
    "function half() { return compute('half', 0.1); }\n"
    "class Tenths { static three() { return compute('three', 0.06); } }\n"
    "for (let i = 0; i < 10; i++) {\n"
    "    half();\n"
    "    Tenths.three();\n"
    "    [1].map(function () { return compute('map', 0.02); });\n"
    "    ((x) => compute('arrow', 0.02))(1);\n"
    "}\n"
    "require('fs').writeFileSync(__filename + '.measured',\n"
    "    ['half', 'three', 'map', 'arrow'].map((n) => spent[n].toFixed(6)).join(' '));\n";

static const char *const names[] = {"half", "three", "(anonymous) shares.js:17:22",
                                    "(anonymous) shares.js:18:6"};
enum { NAMES = 4 };

static double total_of(const struct flm_profile *p, const struct flm_functions *functions,
                       const char *name)
{
    double total = 0;
    for (uint32_t i = 0; i < functions->count; i++) {
        struct flm_bytes found = flm_string_bytes(p, functions->function[i].name);
        const char *end = strstr(name, "shares.js");
        if (!end && flm_bytes_are(found, name))
            total += functions->function[i].total;
        /* The file of a test has a name of its own; the place is the same. */
        const char *place = end ? strchr(end, ':') : NULL;
        if (place && flm_bytes_start_with(found, "(anonymous) ") && found.size > strlen(place) &&
            memcmp(found.at + found.size - strlen(place), place, strlen(place)) == 0 &&
            memmem(found.at, found.size, "shares.js", 9))
            total += functions->function[i].total;
    }
    return total;
}

/* As in the test of CPython: samples whose frames were not named, and what a hypervisor took away,
 * may be missing from one function. False, and nothing is checked, when that is more than a
 * tenth. */
static bool check_shares(const struct flm_profile *p, const char *measured, double hz)
{
    struct flm_functions functions;
    double seconds[NAMES], samples[NAMES], all_seconds = 0, all_samples = 0;
    assert_int_equal(
        sscanf(measured, "%lf %lf %lf %lf", &seconds[0], &seconds[1], &seconds[2], &seconds[3]),
        NAMES);
    assert_true(flm_functions_init(&functions, p, NULL));
    assert_true(flm_functions_measure(&functions, p, flm_profile_metric_named(p, "samples"), NULL));
    for (size_t i = 0; i < NAMES; i++) {
        all_seconds += seconds[i];
        all_samples += samples[i] = total_of(p, &functions, names[i]);
    }
    flm_functions_clear(&functions);
    double missing = fmax(0, 1 - all_samples / (hz * all_seconds));
    if (missing > 0.1) {
        print_message("%.1f %% of the samples are missing\n", 100 * missing);
        return false;
    }
    for (size_t i = 0; i < NAMES; i++) {
        double found = samples[i] / all_samples, expected = seconds[i] / all_seconds;
        if (fabs(found - expected) > 0.02 + missing)
            fail_msg("%s has %.1f %%, not %.1f %%, %.1f %% of the samples are missing", names[i],
                     100 * found, 100 * expected, 100 * missing);
    }
    return true;
}

static struct flm_profile *record(char *const *command, double *hz)
{
    struct flm_error why;
    const struct flm_record_options o = {.command = command, .path = getenv("PATH")};
    struct flm_recorder *recorder = flm_recorder_new(&o, &why);
    if (!recorder) {
        print_message("not recorded: %s\n", why.text);
        return NULL;
    }
    if (!flm_recorder_run(recorder, NULL, NULL, &why))
        fail_msg("%s", why.text);
    struct flm_builder *builder = flm_builder_new(NULL);
    if (!flm_session_finish(flm_recorder_session(recorder), builder, NULL, NULL, &why))
        fail_msg("%s", why.text);
    struct flm_profile *profile = flm_builder_finish(builder, &why);
    assert_non_null(profile);
    *hz = flm_recorder_result(recorder).requested_hz;
    flm_recorder_free(recorder);
    return profile;
}

/* node without options, and with a perf map: the same names. */
static void known_shares_are_found_without_options_of_node(void **state)
{
    (void)state;
    enum { TRIES = 5 };
    if (system("command -v node > /dev/null 2>&1") != 0) {
        print_message("node is not installed\n");
        skip();
    }
    char program[512], measured_path[600];
    snprintf(program, sizeof program, "%s",
             write_temporary("shares.js", flm_bytes_of(calibration)));
    snprintf(measured_path, sizeof measured_path, "%s.measured", program);
    /* With a perf map V8 also writes a log, into the working directory. */
    char folder[512];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(program, '/') - program), program);
    assert_int_equal(chdir(folder), 0);
    for (int with_map = 0; with_map < 2; with_map++) {
        char *plain[] = {"node", program, NULL},
             *named[] = {"node", "--perf-basic-prof", program, NULL};
        bool good = false;
        for (int i = 0; i < TRIES && !good; i++) {
            double hz = 0;
            struct flm_profile *profile = record(with_map ? named : plain, &hz);
            if (!profile)
                skip();
            /* Of a node that cannot be read (another build of V8) the reason is noted. */
            if (flm_profile_note_named(profile, "javascript (not read)").at) {
                print_message("this node has no constants for debuggers\n");
                flm_profile_free(profile);
                skip();
            }
            struct flm_text measured = read_file(measured_path);
            flm_text_putc(&measured, 0);
            good = check_shares(profile, measured.at, hz);
            flm_text_clear(&measured);
            flm_profile_free(profile);
        }
        if (!good)
            skip();
    }
}

/* ---- Samples made by hand -------------------------------------------------------------------- */

static bool define(void *context, struct flm_event *event, struct flm_error *why)
{
    (void)event;
    (void)why;
    ++*(int *)context;
    return true;
}

/* Whatever is in a process without V8, its samples stay as they are. */
static void other_processes_are_left_alone(void **state)
{
    (void)state;
    static const struct flm_runtime_options options = {.first_code = FLM_CODE_FIRST};
    static const struct flm_process process = {.id = 1};
    struct flm_event_layout layout = {0};
    struct flm_event event = {
        .kind = FLM_EVENT_SAMPLE, .process = getpid(), .sample = {.layout = &layout}};
    uint64_t chain[] = {FLM_CONTEXT_USER, 0x1000, 0x2000};
    struct flm_runtime_sample sample = {
        .process = &process, .event = &event, .chain = chain, .count = 3, .capacity = 3};
    struct flm_error why = {0};
    int defined = 0;
    struct flm_v8s *v8s = flm_v8s_new(&options, &why);
    assert_true(flm_v8s_mix(v8s, &sample, 1, define, &defined, &why));
    assert_true(flm_v8s_mix(v8s, &sample, 2, define, &defined, &why));
    assert_int_equal(sample.count, 3);
    assert_int_equal(chain[1], 0x1000);
    assert_int_equal(defined, 0);
    struct flm_v8_counts counts = flm_v8s_counts(v8s);
    assert_int_equal(counts.samples + counts.frames, 0);
    flm_v8s_free(v8s);
    flm_v8s_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_processes_are_left_alone),
        cmocka_unit_test(known_shares_are_found_without_options_of_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
