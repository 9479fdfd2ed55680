#include "os/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void clocks_are_those_of_the_system_in_ns(void **state)
{
    (void)state;
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_PROCESS_CPUTIME_ID};
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        struct timespec before, after;
        clock_gettime(clocks[i], &before);
        int64_t ns = flm_clock_ns(clocks[i]);
        clock_gettime(clocks[i], &after);
        assert_true(ns >= (int64_t)before.tv_sec * 1000000000 + before.tv_nsec);
        assert_true(ns <= (int64_t)after.tv_sec * 1000000000 + after.tv_nsec);
    }
}

static void now_never_goes_back(void **state)
{
    (void)state;
    int64_t before = flm_clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < 1000; i++) {
        int64_t now = flm_now_ns();
        assert_true(now >= before);
        before = now;
    }
}

static void a_deadline_never_lies_before_now(void **state)
{
    (void)state;
    static const int64_t after_ns[] = {0, 1, 999999999, 1000000000, INT64_MAX - 1, INT64_MAX};
    for (size_t i = 0; i < sizeof after_ns / sizeof after_ns[0]; i++) {
        int64_t now = flm_now_ns();
        struct timespec deadline = flm_deadline(after_ns[i]);
        assert_in_range(deadline.tv_nsec, 0, 999999999);
        int64_t at = (int64_t)deadline.tv_sec * 1000000000 + deadline.tv_nsec;
        assert_true(at >= now);
        assert_true(at - now >= after_ns[i] || at == INT64_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_are_those_of_the_system_in_ns),
        cmocka_unit_test(now_never_goes_back),
        cmocka_unit_test(a_deadline_never_lies_before_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
