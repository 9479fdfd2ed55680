/*
 * What a call costs: the least and the middle of many short batches, net of an empty call, on one
 * processor. The functions of a table are measured one after the other, and printed.
 */
#ifndef BENCH_PROBE_BATCHES_H
#define BENCH_PROBE_BATCHES_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 400 };

struct measured {
    const char *name;
    void (*what)(void);
};

static inline double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline int compare_ns(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline void measure_nothing(void)
{
    __asm__ volatile("");
}

/* ns per call of each batch, sorted. */
static inline void measure_batches(void (*what)(void), int calls, double ns[BATCHES])
{
    for (int b = 0; b < BATCHES; b++) {
        double start = now_ns();
        for (int i = 0; i < calls; i++)
            what();
        ns[b] = (now_ns() - start) / calls;
    }
    qsort(ns, BATCHES, sizeof *ns, compare_ns);
}

static inline void stay_on_one_processor(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
}

static inline void print_measured(const struct measured *rows, size_t count, int calls)
{
    static double empty[BATCHES], ns[BATCHES];
    measure_batches(measure_nothing, calls, empty);
    for (size_t i = 0; i < count; i++) {
        measure_batches(rows[i].what, calls, ns);
        printf("%-30s %7.1f %7.1f\n", rows[i].name, ns[0] - empty[0],
               ns[BATCHES / 2] - empty[BATCHES / 2]);
    }
}

#endif
