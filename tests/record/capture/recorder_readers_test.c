#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "profile/columns.h"
#include "record/capture/internal.h"
#include "support/core/files.h"
#include "support/record/python_interpreters.h"

/* Functions that last about a microsecond: each is over when a recorder that waits elsewhere has
 * been woken up. */
static const char tiny[] = "import sys, time\n"
                           "class Node:\n"
                           "    def __init__(self, value): self.value = value\n"
                           "    def get(self): return self.value\n"
                           "def add(a, b): return a.get() + b.get()\n"
                           "def make(i): return Node(i)\n"
                           "def step(i): return add(make(i), make(i + 1))\n"
                           "end = time.process_time() + float(sys.argv[1])\n"
                           "while time.process_time() < end:\n"
                           "    for i in range(500): step(i)\n";

/* Of the samples of the interpreter, how many have its frames. */
static double read_share(const struct flm_profile *p)
{
    unsigned long long mixed = 0, samples = 0;
    const struct flm_note_record *notes = flm_profile_notes(p);
    for (uint32_t i = 0; i < flm_profile_note_count(p); i++) {
        char text[200];
        struct flm_bytes value = flm_string_bytes(p, notes[i].value);
        snprintf(text, sizeof text, "%.*s", (int)value.size, value.at);
        if (flm_bytes_are(flm_string_bytes(p, notes[i].key), "python"))
            sscanf(text, "frames in %llu of %llu samples", &mixed, &samples);
    }
    return samples > 100 ? (double)mixed / (double)samples : 0;
}

/* The thread sanitizer makes readers several times as slow: many frames are over then. What counts
 * there is that they do not race. */
#ifdef __SANITIZE_THREAD__
static const double least = 0.3;
#else
static const double least = 0.97;
#endif

/* A negative one: nothing may be recorded here. */
static double record_share(char **command, bool *were_there)
{
    const struct flm_record_options options = {.command = command, .frequency_hz = 1999};
    struct flm_error why;
    struct flm_recorder *recorder = flm_recorder_new(&options, &why);
    if (!recorder) {
        print_message("not recorded: %s\n", why.text);
        return -1;
    }
    *were_there = recorder->request.prompt; /* from the beginning */
    if (!flm_recorder_run(recorder, NULL, NULL, &why))
        fail_msg("%s", why.text);
    assert_null(recorder->readers); /* they have ended */
    struct flm_builder *builder = flm_builder_new(NULL);
    if (!flm_session_finish(flm_recorder_session(recorder), builder, NULL, NULL, &why))
        fail_msg("%s", why.text);
    struct flm_profile *profile = flm_builder_finish(builder, &why);
    assert_non_null(profile);
    double share = read_share(profile);
    flm_profile_free(profile);
    flm_recorder_free(recorder);
    return share;
}

/* The sampled thread stands still while its frames are read: only where the hypervisor or another
 * recorder comes in between does it not. */
static void check_share(char **command, bool is_known_before)
{
    enum { TRIES = 5 };
    double best = 0;
    for (int i = 0; i < TRIES && best >= 0 && best < least; i++) {
        bool were_there = false;
        double share = record_share(command, &were_there);
        assert_true(were_there == is_known_before || share < 0);
        best = share < 0 || share > best ? share : best;
    }
    if (best < 0)
        skip();
    if (best < least)
        fail_msg("%.1f %% of the samples have frames of %s", 100 * best, command[0]);
}

static bool find_interpreter(char interpreter[512], char program[512])
{
    char paths[16][512];
    if (python_interpreters(paths, 16) == 0) {
        print_message("no interpreter of CPython 3.8 to 3.15 is installed\n");
        return false;
    }
    snprintf(interpreter, 512, "%s", paths[0]);
    snprintf(program, 512, "%s", write_temporary("tiny.py", flm_bytes_of(tiny)));
    return true;
}

static void functions_of_a_microsecond_are_seen(void **state)
{
    (void)state;
    char interpreter[512], program[512];
    if (!find_interpreter(interpreter, program))
        skip();
    char *command[] = {interpreter, program, (char[]){"0.5"}, NULL};
    check_share(command, true);
}

/* Which nobody could know before: a program of a name that says nothing starts it. Until it is
 * looked for, 10 to 25 ms go by, of two seconds. */
static void also_of_what_is_started_later(void **state)
{
    (void)state;
    char interpreter[512], program[512], script[1200], starter[512];
    if (!find_interpreter(interpreter, program))
        skip();
    snprintf(starter, sizeof starter, "%s", temporary_path("starter"));
    snprintf(script, sizeof script, "cp /bin/sh %s", starter);
    assert_int_equal(system(script), 0);
    snprintf(script, sizeof script, "%s %s 2; true", interpreter, program);
    char *command[] = {starter, "-c", script, NULL};
    check_share(command, false);
}

static bool stop(void *context, struct flm_recorder *recorder)
{
    (void)context;
    (void)recorder;
    return false;
}

/* Whoever uses the recorder has it alone, and a recording ends when it is told to. */
static void they_end_with_the_recording(void **state)
{
    (void)state;
    char program[512], paths[16][512];
    if (python_interpreters(paths, 16) == 0)
        skip();
    snprintf(program, sizeof program, "%s", write_temporary("tiny.py", flm_bytes_of(tiny)));
    char *command[] = {paths[0], program, (char[]){"0.5"}, NULL};
    const struct flm_record_options options = {.command = command, .frequency_hz = 999};
    struct flm_error why;
    struct flm_recorder *recorder = flm_recorder_new(&options, &why);
    if (!recorder) {
        print_message("not recorded: %s\n", why.text);
        skip();
    }
    assert_true(flm_recorder_run(recorder, stop, NULL, &why));
    assert_null(recorder->readers);
    flm_recorder_end_command(recorder);
    flm_recorder_free(recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_a_microsecond_are_seen),
        cmocka_unit_test(also_of_what_is_started_later),
        cmocka_unit_test(they_end_with_the_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
