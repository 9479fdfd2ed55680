/* stack_depth.c - a program with stacks of a known depth, for tests of the recorder.
 *
 *     stack_depth FRAMES MILLISECONDS
 *
 * One thread spends its time in spend_shallow, then in spend_deep below FRAMES frames of 1 KiB, and
 * then in spend_shallow again; another one in spend_beside, all the time. What each really took, by
 * the CPU clock of its thread, is written as calibration.c does:
 *
 *     cpu NAME NANOSECONDS        and    all - NANOSECONDS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static volatile uint64_t sink;

__attribute__((always_inline)) static inline int64_t spend(int64_t budget_ns, uint64_t seed)
{
    int64_t began = read_clock(CLOCK_THREAD_CPUTIME_ID), now;
    do {
        uint64_t x = seed | 1;
        for (int i = 0; i < 40000; i++)
            x = x * 6364136223846793005u + 1442695040888963407u;
        sink = x;
        now = read_clock(CLOCK_THREAD_CPUTIME_ID);
    } while (now - began < budget_ns);
    return now - began;
}

APART static int64_t spend_shallow(int64_t budget_ns)
{
    return spend(budget_ns, 1);
}

APART static int64_t spend_deep(int64_t budget_ns)
{
    return spend(budget_ns, 3);
}

APART static int64_t spend_beside(int64_t budget_ns)
{
    return spend(budget_ns, 5);
}

APART static int64_t descend(int frames, int64_t budget_ns)
{
    volatile char room[960];
    room[frames % 960] = 1;
    int64_t took = frames > 0 ? descend(frames - 1, budget_ns) : spend_deep(budget_ns);
    return took + room[frames % 960] - 1;
}

static int64_t budget_ns, beside_ns;

static void *run_beside(void *unused)
{
    beside_ns = spend_beside(3 * budget_ns);
    return unused;
}

int main(int count, char **words)
{
    pthread_t thread;
    if (count != 3)
        return 2;
    budget_ns = atoll(words[2]) * 1000000;
    if (pthread_create(&thread, NULL, run_beside, NULL) != 0)
        return 1;
    int64_t shallow_ns = spend_shallow(budget_ns / 2);
    int64_t deep_ns = descend(atoi(words[1]), 2 * budget_ns);
    shallow_ns += spend_shallow(budget_ns / 2);
    pthread_join(thread, NULL);
    printf("cpu spend_shallow %lld\ncpu spend_deep %lld\ncpu spend_beside %lld\nall - %lld\n",
           (long long)shallow_ns, (long long)deep_ns, (long long)beside_ns,
           (long long)read_clock(CLOCK_PROCESS_CPUTIME_ID));
    return 0;
}
