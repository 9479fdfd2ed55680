/* scope_bench.c - what measuring scopes and functions costs: scope_bench [FUNCTIONS.so].
 *
 * For each way a child of this program runs with FLAMEL set, pinned to a processor, and tells the
 * least of many short batches (10,000 calls, a third of a millisecond: shorter than a slice of the
 * scheduler), less that of a call of a function with nothing in it. Two readings of the counter are
 * in each, so that a slow phase of the machine is seen. "bias" is a parent with 1,000 empty
 * children, and the same without: flamel should say the same of its own time. "bias", "threads",
 * "many", "samples" and "jumps" run once, with FLAMEL as it is set, and measure nothing without. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "flamel/probe.h"

#if defined __x86_64__
#include <x86intrin.h>
#define READ_COUNTER() __rdtsc()
#else
static unsigned long long READ_COUNTER(void)
{
    return 0;
}
#endif

#ifdef __clang__
#define PLAIN __attribute__((noinline, no_instrument_function, xray_never_instrument))
#else
#define PLAIN __attribute__((noinline, no_instrument_function))
#endif

static PLAIN double now_ns(void);
static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static PLAIN void empty(void)
{
    __asm__ volatile("");
}

static PLAIN void two_readings(void)
{
    volatile unsigned long long first = READ_COUNTER();
    unsigned long long second = READ_COUNTER();
    first = second;
    (void)first;
}

static PLAIN void scope(void)
{
    FLM_SCOPE("scope");
    __asm__ volatile("");
}

/* The only one that the compiler instruments: with -finstrument-functions. */
__attribute__((noinline)) static void function(void)
{
    __asm__ volatile("");
}

static PLAIN double least_ns(void (*call)(void))
{
    enum { BATCHES = 1500, CALLS = 10000 };
    double least = 1e18;
    for (int b = 0; b < BATCHES; b++) {
        double start = now_ns();
        for (int i = 0; i < CALLS; i++)
            call();
        double took = (now_ns() - start) / CALLS;
        least = took < least ? took : least;
    }
    return least;
}

static PLAIN void pin(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static PLAIN void *in_thread(void *arg)
{
    double *result = arg;
    pin((int)result[0]);
    result[0] = least_ns(empty);
    result[1] = least_ns(scope) - result[0];
    return NULL;
}

static PLAIN void tell(const char *way)
{
    double none = least_ns(empty);
    printf("%-22s %8.2f %8.2f %8.2f\n", way, least_ns(two_readings) - none, least_ns(scope) - none,
           least_ns(function) - none);
}

static PLAIN void tell_threads(void)
{
    pthread_t thread[2];
    double result[2][16] = {{0}, {1}};
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, in_thread, result[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    printf("%-22s          %8.2f %8.2f\n", "two threads", result[0][1], result[1][1]);
}

static PLAIN void work(void)
{
    static volatile unsigned sink;
    for (unsigned i = 0; i < 30000; i++)
        sink += i;
    (void)sink;
}

/* Known work, alone and with children of no length: flamel should see the same. */
static PLAIN void parent_of_many(int children)
{
    FLM_SCOPE("parent");
    work();
    for (int i = 0; i < children; i++)
        scope();
}

static PLAIN void bias(void)
{
    double least = 1e18;
    for (int i = 0; i < 300; i++) {
        double start = now_ns();
        work();
        double took = now_ns() - start;
        least = took < least ? took : least;
        {
            FLM_SCOPE("with children");
            parent_of_many(1000);
        }
        {
            FLM_SCOPE("alone");
            parent_of_many(0);
        }
    }
    printf("least of the work: %.0f ns\n", least);
}

static PLAIN void many(void)
{
    struct rusage before, after;
    for (int i = 0; i < 1000000; i++)
        scope();
    getrusage(RUSAGE_SELF, &before);
    for (long i = 0; i < 1000000000; i++)
        scope();
    getrusage(RUSAGE_SELF, &after);
    printf("after 1e9 calls: %ld KB more, %.2f ns of CPU time a call\n",
           after.ru_maxrss - before.ru_maxrss,
           ((double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec) * 1e9 +
            (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec) * 1e3) /
               1e9);
}

/* CPU time of known work in a scope, its samples among it: the least of many. */
static PLAIN double work_cpu_ms(void)
{
    double least = 1e18;
    for (int round = 0; round < 40; round++) {
        struct timespec before, after;
        FLM_SCOPE("work");
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
        for (int i = 0; i < 1000; i++)
            work();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
        double took = (double)(after.tv_sec - before.tv_sec) * 1e3 +
                      (double)(after.tv_nsec - before.tv_nsec) / 1e6;
        least = took < least ? took : least;
    }
    return least;
}

static jmp_buf out;
static PLAIN void jump(void)
{
    longjmp(out, 1);
}
static PLAIN void try(void)
{
    if (setjmp(out) == 0)
        jump();
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
    static const char *const ways[] = {"off",
                                       "no-memory",
                                       "memory",
                                       "count,no-memory",
                                       "sample:16,no-memory",
                                       "ordered,no-memory",
                                       "cpu:999,no-memory"};
    const char *what = argc > 1 ? argv[1] : "";
    pin(1);
    if (strcmp(what, "many") == 0) {
        many();
    } else if (strcmp(what, "bias") == 0) {
        bias();
    } else if (strcmp(what, "threads") == 0) {
        tell_threads();
    } else if (strcmp(what, "samples") == 0) {
        printf("%.3f ms of CPU time\n", work_cpu_ms());
    } else if (strcmp(what, "jumps") == 0) {
        FLM_SCOPE("jumps");
        printf("%.2f ns for setjmp and longjmp\n", least_ns(try) - least_ns(empty));
    } else if (strcmp(what, "way") == 0 && argc > 2) {
        tell(argv[2]);
    } else {
        printf("ns, net                readings    scope function\n");
        fflush(stdout);
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            pid_t child = fork();
            if (child == 0) {
                setenv("FLAMEL", ways[i], 1);
                execl(argv[0], argv[0], "way", ways[i], (char *)NULL);
                _exit(1);
            }
            waitpid(child, NULL, 0);
        }
    }
    return 0;
}
