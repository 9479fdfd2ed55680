/* busy.c - work for recorders: busy THREADS STEPS [DEPTH]
 *
 * Each thread makes the same number of steps, each at the end of DEPTH calls (12), so that what
 * recording costs is seen in the CPU time, which is printed in seconds when it ends: that of the
 * process; and what it would be if all parts of the work had taken as long as those of the first
 * quarter do, from the fastest on. A part is 1,000 steps, 20 ms and as many samples at 1,000 Hz,
 * and others on the machine disturb most parts little and few of them much. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_THREADS = 64, PART = 1000, MOST_PARTS = 100000 };

static long steps;
static int depth = 12;
static volatile uint64_t sink;
static double part_s[MOST_PARTS]; /* of the first thread */

__attribute__((noinline)) static uint64_t compute(uint64_t x)
{
    for (int i = 0; i < 20000; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

__attribute__((noinline)) static uint64_t descend(int levels, uint64_t x)
{
    return levels == 0 ? compute(x) : descend(levels - 1, x + 1) + 1;
}

static double cpu_s(clockid_t clock)
{
    struct timespec cpu;
    clock_gettime(clock, &cpu);
    return (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9;
}

static void *run(void *argument)
{
    uint64_t x = 1;
    for (long i = 0, part = 0; i < steps; part++) {
        double before = cpu_s(CLOCK_THREAD_CPUTIME_ID);
        for (long end = i + PART; i < end && i < steps; i++)
            x = descend(depth, x);
        if (argument && part < MOST_PARTS)
            part_s[part] = cpu_s(CLOCK_THREAD_CPUTIME_ID) - before;
    }
    sink = x;
    return NULL;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All whole parts as long as the mean of the fastest quarter. */
static double undisturbed_s(int threads)
{
    size_t count = (size_t)(steps / PART < MOST_PARTS ? steps / PART : MOST_PARTS), taken = 0;
    double sum = 0;
    qsort(part_s, count, sizeof *part_s, by_size);
    for (; taken < (count + 3) / 4; taken++)
        sum += part_s[taken];
    return taken ? sum / (double)taken * (double)steps / PART * threads : 0;
}

int main(int count, char **words)
{
    pthread_t thread[MOST_THREADS];
    int threads = count > 1 ? atoi(words[1]) : 1;
    steps = count > 2 ? atol(words[2]) : 20000;
    depth = count > 3 ? atoi(words[3]) : depth;
    if (threads < 1 || threads > MOST_THREADS)
        return 2;
    for (int i = 1; i < threads; i++)
        if (pthread_create(&thread[i], NULL, run, NULL) != 0)
            return 1;
    run(part_s);
    for (int i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    double all_s = cpu_s(CLOCK_PROCESS_CPUTIME_ID);
    printf("%.4f %.4f\n", all_s, undisturbed_s(threads));
    return 0;
}
