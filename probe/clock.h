/* clock.h - ticks: the time stamp counter where it can be trusted, else the system's clock.
 *
 * Reading the counter takes 9 ns on a virtual machine, and clock_gettime 21. The counter is used if
 * it is invariant and the kernel itself uses it; its rate is measured against the system's clock
 * from the start until now, so the longer a program runs, the better it is known.
 *
 * Safe in signal handlers, and inside malloc. */
#ifndef FLAMEL_PROBE_CLOCK_H
#define FLAMEL_PROBE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined __x86_64__
#include <x86intrin.h>
#endif

struct flm_clock {
    bool is_counter;
    uint64_t start_ticks, start_ns; /* of the same moment; ns of CLOCK_MONOTONIC_RAW */
};

extern struct flm_clock flm_probe_clock __attribute__((visibility("hidden")));

static inline uint64_t flm_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Where there is one: `is_counter`. */
static inline uint64_t flm_clock_counter(void)
{
#if defined __x86_64__
    return __rdtsc();
#elif defined __aarch64__
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/* When everything before it is done. */
static inline uint64_t flm_clock_counter_in_order(void)
{
#if defined __x86_64__
    unsigned processor;
    return __rdtscp(&processor);
#elif defined __aarch64__
    __asm__ volatile("isb" ::: "memory");
    return flm_clock_counter();
#else
    return 0;
#endif
}

static inline uint64_t flm_clock_ticks(void)
{
    return flm_probe_clock.is_counter ? flm_clock_counter() : flm_clock_ns(CLOCK_MONOTONIC_RAW);
}

void flm_clock_start(void);

/* How long a tick is, in ns x 2^32, as measured from the start until now. */
uint64_t flm_clock_ns_per_tick(void);

#endif
