/* States, markers and counters of real programs. Where recording is not allowed, the tests are
 * skipped with the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "profile/columns.h"
#include "record/capture/recorder.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "support/profile/profiles.h"

static const char *const clock_event[] = {"cpu-clock"};

/* NULL, and said, when nothing may be recorded here. */
static struct flm_profile *record(char *const *command, bool off_cpu, bool *has_kernel)
{
    struct flm_error why;
    struct flm_record_options options = {.command = command,
                                         .events = clock_event,
                                         .event_count = 1,
                                         .off_cpu = off_cpu,
                                         .keep_times = true};
    struct flm_recorder *recorder = flm_recorder_new(&options, &why);
    struct flm_text text = {0};
    if (!recorder) {
        print_message("not recorded: %s\n", why.text);
        return NULL;
    }
    flm_recorder_explain(recorder, &text);
    flm_text_putc(&text, 0);
    *has_kernel = strstr(text.at, "kernel and user space");
    flm_text_clear(&text);
    if (!flm_recorder_run(recorder, NULL, NULL, &why))
        fail_msg("%s", why.text);
    struct flm_builder *builder = flm_builder_new(NULL);
    if (!flm_session_finish(flm_recorder_session(recorder), builder, NULL, NULL, &why))
        fail_msg("%s", why.text);
    flm_recorder_free(recorder);
    struct flm_profile *p = flm_builder_finish(builder, &why);
    assert_sound(p);
    return p;
}

static bool has(const struct flm_profile *p, uint32_t set, const char *key, const char *value)
{
    for (uint32_t i = set ? p->label_set_ends[set - 1] : 0; i < p->label_set_ends[set]; i++) {
        struct flm_label_record label = p->labels[p->set_members[i]];
        if (flm_bytes_are(flm_string_bytes(p, label.key), key) &&
            (!value || flm_bytes_are(flm_string_bytes(p, label.value), value)))
            return true;
    }
    return false;
}

/* Milliseconds of a thread in a state. */
static double spent(const struct flm_profile *p, const char *thread, const char *state)
{
    struct flm_metric off_cpu = flm_profile_metric_named(p, "off-cpu");
    double sum = 0;
    for (uint32_t i = 0; i < p->sizes.sample_count && off_cpu.index != FLM_NONE; i++)
        if (has(p, p->sample_labels[i], "command", thread) &&
            has(p, p->sample_labels[i], "state", state))
            sum += flm_sample_value(p, off_cpu.index, i) / 1e6;
    return sum;
}

/* A thread waits in this state, and hardly in others. */
static void assert_waits(const struct flm_profile *p, const char *thread, const char *state)
{
    static const char *const waits[] = {"blocked", "lock", "sleeping"};
    double all = 0, here = spent(p, thread, state);
    for (size_t i = 0; i < 3; i++)
        all += spent(p, thread, waits[i]);
    if (!(here > 0 && here > 0.8 * all))
        fail_msg("%s is in state %s for %.1f ms of %.1f", thread, state, here, all);
}

static void states_are_those_that_a_program_knows_of_itself(void **state)
{
    (void)state;
    char program[300];
    bool has_kernel = false;
    snprintf(program, sizeof program, "%s", temporary_path("thread_states"));
    char compile[1000];
    snprintf(compile, sizeof compile,
             "cc -O1 -g -pthread tests/programs/thread_states.c -o %s 2> /dev/null", program);
    char *command[] = {program, NULL};
    struct flm_profile *p = system(compile) == 0 ? record(command, true, &has_kernel) : NULL;
    if (!p)
        skip();
    if (has_kernel) {
        assert_waits(p, "locker", "lock");
        assert_waits(p, "sleeper", "sleeping");
        assert_waits(p, "reader", "sleeping");
    }
    /* One runs for 100 ms while the other could, at least. */
    assert_true(spent(p, "first", "runnable") + spent(p, "second", "runnable") > 80);
    /* What runs has no state, what does not has one. */
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        assert_int_equal(has(p, p->sample_labels[i], "state", NULL), flm_sample_duration(p, i) > 0);
    flm_profile_free(p);
}

static uint32_t count_markers(const struct flm_profile *p, const char *name, const char *detail)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->sizes.marker_count; i++)
        count += flm_bytes_are(flm_string_bytes(p, p->markers[i].name), name) &&
                 (!detail || flm_bytes_are(flm_string_bytes(p, p->markers[i].detail), detail));
    return count;
}

static void processes_that_a_shell_starts_are_marked(void **state)
{
    (void)state;
    bool has_kernel;
    char *command[] = {(char[]){"/bin/sh"}, (char[]){"-c"},
                       (char[]){"/bin/true; /bin/true; /bin/sleep 0.3; exit 5"}, NULL};
    struct flm_profile *p = record(command, false, &has_kernel);
    if (!p)
        skip();
    assert_int_equal(count_markers(p, "fork", NULL), 3);
    assert_int_equal(count_markers(p, "exec", NULL), 4);
    assert_int_equal(count_markers(p, "exit", NULL), 4);
    assert_int_equal(count_markers(p, "exit", "5"), 1);
    uint32_t paths = 0;
    for (uint32_t i = 0; i < p->sizes.marker_count; i++) {
        struct flm_bytes detail = flm_string_bytes(p, p->markers[i].detail);
        paths += flm_bytes_are(flm_string_bytes(p, p->markers[i].name), "exec") &&
                 detail.size > 0 && detail.at[0] == '/';
        assert_true(has(p, p->markers[i].label_set, "process", NULL));
    }
    assert_int_equal(paths, 4);
    /* The shell and what sleeps are there long enough to be looked at. */
    uint32_t memory = 0;
    for (uint32_t i = 0; i < p->sizes.counter_count; i++) {
        struct flm_counter_points c = flm_profile_counter(p, (struct flm_counter){i});
        if (!flm_bytes_are(flm_string_bytes(p, c.name.index), "memory"))
            continue;
        memory++;
        assert_true(has(p, c.label_set.index, "process", NULL));
        assert_true(c.value[0] > 0 && c.value[c.point_count - 1] == 0);
    }
    assert_true(memory >= 1);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_those_that_a_program_knows_of_itself),
        cmocka_unit_test(processes_that_a_shell_starts_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
