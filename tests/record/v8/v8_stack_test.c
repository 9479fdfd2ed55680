#include "record/v8/v8_stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/process/process_map.h"
#include "support/core/files.h"
#include "support/record/script_recording.h"

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

static const char *const names[] = {"half", "three", "(anonymous) *shares.js*:17:22",
                                    "(anonymous) *shares.js*:18:6"};
enum { NAMES = sizeof names / sizeof names[0] };

/* node without options, and with a perf map: the same names. */
static void known_shares_are_found_without_options_of_node(void **state)
{
    (void)state;
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
    char *plain[] = {"node", program, NULL},
         *named[] = {"node", "--perf-basic-prof", program, NULL};
    if (!script_shares_are_found(plain, measured_path, names, NAMES, false) ||
        !script_shares_are_found(named, measured_path, names, NAMES, false))
        skip();
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
