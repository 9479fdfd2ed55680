/* memory.c - ns of a pair of malloc and free, net of an empty loop: bench/probe/memory.sh runs it.
 *
 *     memory [CPU]          the malloc that the program is linked with or preloaded with
 *     memory CPU WORDS      in turn in one process: glibc's malloc, libflamel-probe's switched off,
 *                           and measuring with FLAMEL=WORDS
 *
 *     same      64 bytes, freed at once
 *     mixed     16 to 527 bytes, 1,024 of them alive
 *
 * The least of many short batches, pinned: a batch is far shorter than a time slice of the
 * scheduler, so on a busy machine some run without interruption. In turn and in one process, so
 * that all have the same phases of the processor's clock and the same blocks. */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "flamel/probe.h"

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);

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

static uint32_t next(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

#define PAIRS_OF(name, allocate, release)                                                          \
    static void __attribute__((noinline)) same##name(void)                                         \
    {                                                                                              \
        for (int i = 0; i < PAIRS; i++) {                                                          \
            block = allocate(64);                                                                  \
            release(block);                                                                        \
        }                                                                                          \
    }                                                                                              \
    static void __attribute__((noinline)) mixed##name(void)                                        \
    {                                                                                              \
        for (int i = 0; i < PAIRS; i++) {                                                          \
            uint32_t random = next();                                                              \
            void **slot = &alive[random % ALIVE];                                                  \
            release(*slot);                                                                        \
            *slot = allocate(16 + (random >> 10) % 512);                                           \
        }                                                                                          \
    }
PAIRS_OF(, malloc, free)
PAIRS_OF(_libc, __libc_malloc, __libc_free)

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

static double least_of(void (*run)(void), int batches)
{
    uint64_t least = UINT64_MAX;
    for (int b = 0; b < batches; b++) {
        uint64_t start = now();
        run();
        uint64_t took = now() - start;
        least = took < least ? took : least;
    }
    return (double)least / PAIRS;
}

static double measure(void (*run)(void))
{
    return least_of(run, BATCHES);
}

static void take_turns(const char *words)
{
    enum { LIBC, OFF, MEASURED, WAYS, ROUNDS = 300, EACH = 4 };
    static const char *const name[] = {"libc", "off", "measured"};
    double same_ns[WAYS] = {1e9, 1e9, 1e9}, mixed_ns[WAYS] = {1e9, 1e9, 1e9};
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < WAYS; way++) {
            if (way == MEASURED && flm_probe_start(words) != 0)
                exit(1);
            double is_same = least_of(way == LIBC ? same_libc : same, EACH);
            double is_mixed = least_of(way == LIBC ? mixed_libc : mixed, EACH);
            same_ns[way] = is_same < same_ns[way] ? is_same : same_ns[way];
            mixed_ns[way] = is_mixed < mixed_ns[way] ? is_mixed : mixed_ns[way];
            if (way == MEASURED)
                flm_probe_stop();
        }
    double same_net = measure(nothing), mixed_net = measure(nothing_mixed);
    for (int way = 0; way < WAYS; way++)
        printf("%s %.2f (%+.2f) %.2f (%+.2f)\n", name[way], same_ns[way] - same_net,
               same_ns[way] - same_ns[LIBC], mixed_ns[way] - mixed_net,
               mixed_ns[way] - mixed_ns[LIBC]);
}

int main(int argc, char **argv)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &one);
    sched_setaffinity(0, sizeof one, &one);
    measure(mixed);
    if (argc > 2) {
        take_turns(argv[2]);
        return 0;
    }
    printf("%.2f %.2f\n", measure(same) - measure(nothing),
           measure(mixed) - measure(nothing_mixed));
    return 0;
}
