#include "os/thread/condition.h"

#include <time.h>

void flm_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t by_clock;
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &by_clock);
    pthread_condattr_destroy(&by_clock);
}
