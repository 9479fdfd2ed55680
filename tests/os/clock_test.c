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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_are_those_of_the_system_in_ns),
        cmocka_unit_test(now_never_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
