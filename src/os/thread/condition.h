/* condition.h - condition variables for timed waits until flm_deadline (os/clock.h). */
#ifndef FLAMEL_OS_THREAD_CONDITION_H
#define FLAMEL_OS_THREAD_CONDITION_H

#include <pthread.h>

/* Times of pthread_cond_timedwait are of CLOCK_MONOTONIC: a change of the machine's time of day
 * disturbs no wait. */
void flm_condition_init(pthread_cond_t *condition);

#endif
