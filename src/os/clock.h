/* clock.h - the system's clocks, in nanoseconds. */
#ifndef FLAMEL_OS_CLOCK_H
#define FLAMEL_OS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The time of a clock of clock_gettime(2), which must be one that the system has. */
int64_t flm_clock_ns(clockid_t clock);

/* CLOCK_MONOTONIC: for how long something takes. */
int64_t flm_now_ns(void);

/* Milliseconds since 1970. */
int64_t flm_wall_ms(void);

/* CLOCK_MONOTONIC in `after_ns` nanoseconds, for pthread_cond_timedwait; INT64_MAX: never. */
struct timespec flm_deadline(int64_t after_ns);

#endif
