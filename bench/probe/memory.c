/* memory.c - ns of a pair of malloc and free, net of an empty loop: bench/probe/memory runs it.
 *
 *     same      64 bytes, freed at once
 *     mixed     16 to 527 bytes, 1,024 of them alive
 *
 * The least of many short batches, pinned: batches are far below a slice of the scheduler, so on a
 * machine that others use some are whole. */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 500, PAIRS = 2000, ALIVE = 1024 };

static void *volatile block;
static void *alive[ALIVE];
static uint32_t state = 1;

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void __attribute__((noinline)) same(void)
{
    for (int i = 0; i < PAIRS; i++) {
        block = malloc(64);
        free(block);
    }
}

static uint32_t next(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static void __attribute__((noinline)) mixed(void)
{
    for (int i = 0; i < PAIRS; i++) {
        uint32_t random = next();
        void **slot = &alive[random % ALIVE];
        free(*slot);
        *slot = malloc(16 + (random >> 10) % 512);
    }
}

static void __attribute__((noinline)) nothing(void)
{
    for (int i = 0; i < PAIRS; i++)
        block = &state;
}

static void __attribute__((noinline)) nothing_mixed(void)
{
    for (int i = 0; i < PAIRS; i++) {
        uint32_t random = next();
        void **slot = &alive[random % ALIVE];
        block = *slot;
        block = (char *)slot + (random >> 10) % 512;
    }
}

static double measure(void (*run)(void))
{
    uint64_t least = UINT64_MAX;
    for (int b = 0; b < BATCHES; b++) {
        uint64_t start = now();
        run();
        uint64_t took = now() - start;
        least = took < least ? took : least;
    }
    return (double)least / PAIRS;
}

int main(int argc, char **argv)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &one);
    sched_setaffinity(0, sizeof one, &one);
    measure(mixed);
    printf("%.2f %.2f\n", measure(same) - measure(nothing),
           measure(mixed) - measure(nothing_mixed));
    return 0;
}
