/* clock.c - which clock is used, and how fast it is. */
#include "clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined __x86_64__
#include <cpuid.h>
#endif

struct flm_clock flm_probe_clock;

#if defined __x86_64__
/* The kernel has tested it over all processors, more than a program could. */
static bool kernel_uses_counter(void)
{
    char name[16] = "";
    int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                    O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t size = read(file, name, sizeof name - 1);
    close(file);
    return size >= 3 && strncmp(name, "tsc", 3) == 0;
}

static bool is_invariant(void)
{
    const unsigned power_management = 0x80000007, invariant = 1 << 8;
    unsigned a, b, c, d;
    return __get_cpuid(power_management, &a, &b, &c, &d) && (d & invariant);
}

/* A virtual machine may let each reading of the counter go to its host, which takes a
 * microsecond. */
static bool is_fast(void)
{
    enum { READINGS = 64, MOST_NS = 100 };
    uint64_t began = flm_clock_ns(CLOCK_MONOTONIC_RAW);
    for (int i = 0; i < READINGS; i++)
        __rdtsc();
    return flm_clock_ns(CLOCK_MONOTONIC_RAW) - began < READINGS * MOST_NS;
}
#endif

static bool has_counter(void)
{
#if defined __x86_64__
    return is_invariant() && kernel_uses_counter() && is_fast();
#elif defined __aarch64__
    return true; /* the architecture says that it never stops, and has one rate */
#else
    return false;
#endif
}

/* Both clocks at one moment, as nearly as a few attempts can have it. */
static uint64_t read_both(uint64_t *ns)
{
    enum { ATTEMPTS = 5 };
    uint64_t best = UINT64_MAX, ticks = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t before = flm_clock_ticks(), now = flm_clock_ns(CLOCK_MONOTONIC_RAW),
                 after = flm_clock_ticks();
        if (after - before < best) {
            best = after - before;
            ticks = before + (after - before) / 2;
            *ns = now;
        }
    }
    return ticks;
}

void flm_clock_start(void)
{
    flm_probe_clock.is_counter = has_counter();
    flm_probe_clock.start_ticks = read_both(&flm_probe_clock.start_ns);
}

uint64_t flm_clock_ns_per_tick(void)
{
    enum { LEAST_NS = 2000000 };
    const uint64_t one = (uint64_t)1 << 32;
    if (!flm_probe_clock.is_counter)
        return one;
    uint64_t ns, ticks;
    do
        ticks = read_both(&ns) - flm_probe_clock.start_ticks;
    while ((ns -= flm_probe_clock.start_ns) < LEAST_NS);
    return (uint64_t)((double)ns / (double)ticks * (double)one + 0.5);
}
