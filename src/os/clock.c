#include "os/clock.h"

#include <assert.h>

int64_t flm_clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    int failed = clock_gettime(clock, &now);
    assert(!failed);
    (void)failed;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t flm_now_ns(void)
{
    return flm_clock_ns(CLOCK_MONOTONIC);
}

int64_t flm_wall_ms(void)
{
    return flm_clock_ns(CLOCK_REALTIME) / 1000000;
}

struct timespec flm_deadline(int64_t after_ns)
{
    assert(after_ns >= 0);
    int64_t now_ns = flm_now_ns();
    int64_t at_ns = after_ns < INT64_MAX - now_ns ? now_ns + after_ns : INT64_MAX;
    return (struct timespec){.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};
}
