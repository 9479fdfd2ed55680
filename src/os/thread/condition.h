/* condition.h - condition variables for timed waits until flm_deadline (os/clock.h). */
#ifndef FLAMEL_OS_THREAD_CONDITION_H
#define FLAMEL_OS_THREAD_CONDITION_H

#include <pthread.h>

/* Initializes a condition whose pthread_cond_timedwait uses CLOCK_MONOTONIC, so that setting the
 * time of day changes no wait. */
void flm_condition_init(pthread_cond_t *condition);

#endif
