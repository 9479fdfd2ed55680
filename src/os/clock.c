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
