#include "flamel/live.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/profile/profiles.h"

static volatile unsigned long sum;

__attribute__((noinline)) static void count_to_a_million(void)
{
    for (unsigned i = 0; i < 1000000; i++)
        sum += i;
}

/* A process that computes, or only waits; NULL arguments: until it is killed. */
static pid_t start_process(bool is_busy, int seconds)
{
    pid_t process = fork();
    assert_true(process >= 0);
    if (process > 0)
        return process;
    alarm(60); /* whatever becomes of the test */
    time_t end = time(NULL) + seconds;
    while (seconds == 0 || time(NULL) < end)
        if (is_busy)
            count_to_a_million();
        else
            sleep(1);
    _exit(0);
}

static void end_process(pid_t process)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

/* Looks at one process, ten times a second; skips the test where that is not allowed. */
static struct flm_live *look_at(pid_t *process)
{
    const struct flm_record_options target = {
        .size = sizeof target, .processes = process, .process_count = 1};
    const struct flm_live_options options = {
        .size = sizeof options,
        .recording = &target,
        .interval_ns = 100000000,
        .window = 3,
    };
    struct flm_error why;
    struct flm_live *r = flm_live_new(&options, &why);
    if (!r) {
        print_message("not allowed here: %s\n", why.text);
        end_process(*process);
        skip();
    }
    assert_true(flm_live_start(r, &why));
    return r;
}

/* The next sum; NULL when it has ended. */
static struct flm_profile *next(struct flm_live *r, struct flm_live_state *state)
{
    for (int i = 0; i < 300; i++) {
        flm_live_wait(r, 100000000);
        struct flm_profile *p = flm_live_next(r, state);
        if (p || state->phase != FLM_LIVE_RUNS)
            return p;
    }
    fail_msg("nothing came");
    return NULL;
}

static bool has_function(const struct flm_profile *p, const char *name)
{
    for (uint32_t i = 0; i < p->sizes.frame_count; i++)
        if (flm_bytes_are(flm_string_bytes(p, p->frames[i].function), name))
            return true;
    return false;
}

static void sums_come_while_it_runs_with_names(void **state)
{
    (void)state;
    pid_t process = start_process(true, 0);
    struct flm_live *r = look_at(&process);
    struct flm_live_state found = {.size = sizeof found};
    uint64_t before = 0, samples = 0;
    bool has_name = false;
    for (int i = 0; i < 5; i++) {
        struct flm_profile *p = next(r, &found);
        assert_non_null(p);
        assert_sound(p);
        assert_true(found.sums > before); /* one that nobody took is no harm */
        before = found.sums;
        samples += found.info.samples;
        has_name = has_name || has_function(p, "count_to_a_million");
        flm_profile_free(p);
    }
    assert_int_equal(found.phase, FLM_LIVE_RUNS);
    assert_true(samples > 0);
    assert_true(has_name);
    flm_live_free(r);
    end_process(process);
}

static void a_sleeping_process_has_sums_without_samples(void **state)
{
    (void)state;
    pid_t process = start_process(false, 0);
    struct flm_live *r = look_at(&process);
    struct flm_live_state found = {.size = sizeof found};
    uint64_t samples = 0;
    for (int i = 0; i < 3; i++) {
        struct flm_profile *p = next(r, &found);
        assert_non_null(p);
        samples = found.info.samples;
        assert_true(flm_profile_node_count(p) == 1 || samples > 0);
        flm_profile_free(p);
    }
    assert_true(samples < 10);
    flm_live_free(r);
    end_process(process);
}

static void the_last_window_stays_when_it_ends_and_may_be_widened(void **state)
{
    (void)state;
    pid_t process = start_process(true, 0);
    struct flm_live *r = look_at(&process);
    struct flm_live_state found = {.size = sizeof found};
    for (int i = 0; i < 5; i++)
        flm_profile_free(next(r, &found));
    double window_s = found.info.duration_s;
    end_process(process);
    struct flm_profile *p, *last = NULL;
    while ((p = next(r, &found))) {
        flm_profile_free(last);
        last = p;
    }
    assert_int_equal(found.phase, FLM_LIVE_ENDED);
    assert_int_equal(found.exit_status, -1); /* it was none of ours */
    assert_non_null(last);
    flm_profile_free(last);
    flm_live_show_all(r, true);
    for (int i = 0; i < 300 && !(p = flm_live_next(r, &found)); i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    assert_non_null(p);
    assert_true(found.all);
    assert_true(found.info.duration_s > window_s);
    flm_profile_free(p);
    flm_live_free(r);
}

static void a_sum_that_fails_after_the_end_is_reported(void **state)
{
    (void)state;
    pid_t process = start_process(true, 0);
    struct flm_live *r = look_at(&process);
    struct flm_live_state found = {.size = sizeof found};
    flm_profile_free(next(r, &found));
    end_process(process);
    for (struct flm_profile *p; (p = next(r, &found));)
        flm_profile_free(p);
    assert_int_equal(found.phase, FLM_LIVE_ENDED);
    allocation_fail_from(1);
    flm_live_show_all(r, true);
    struct flm_profile *p = NULL;
    for (int i = 0; i < 300 && !p && found.phase == FLM_LIVE_ENDED; i++) {
        nanosleep(&(struct timespec){0, 10000000}, NULL);
        p = flm_live_next(r, &found);
    }
    allocation_fail_from(0);
    assert_null(p);
    assert_int_equal(found.phase, FLM_LIVE_FAILED);
    assert_int_equal(found.why.kind, FLM_ERROR_MEMORY);
    flm_live_free(r);
}

static void missing_targets_are_refused_before_anything_runs(void **state)
{
    (void)state;
    int32_t nobody = INT32_MAX;
    struct flm_record_options target = {
        .size = sizeof target, .processes = &nobody, .process_count = 1};
    struct flm_live_options options = {
        .size = sizeof options, .recording = &target, .interval_ns = 1, .window = 1};
    struct flm_error why = {0};
    assert_null(flm_live_new(&options, &why));
    assert_non_null(strstr(why.text, "there is no process 2147483647"));
    target.process_count = 0;
    assert_null(flm_live_new(&options, &why));
    assert_non_null(strstr(why.text, "nothing to record"));
    target.self = true;
    assert_null(flm_live_new(&options, &why));
    assert_non_null(strstr(why.text, "cannot show itself live"));
    options.interval_ns = -1;
    assert_null(flm_live_new(&options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    options.size = 0;
    assert_null(flm_live_new(&options, &why));
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_come_while_it_runs_with_names),
        cmocka_unit_test(a_sleeping_process_has_sums_without_samples),
        cmocka_unit_test(the_last_window_stays_when_it_ends_and_may_be_widened),
        cmocka_unit_test(a_sum_that_fails_after_the_end_is_reported),
        cmocka_unit_test(missing_targets_are_refused_before_anything_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
