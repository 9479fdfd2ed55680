/* calibration.c - a program that knows where its time goes, for tests of the recorder.
 *
 * Each phase runs until its own CPU time (CLOCK_THREAD_CPUTIME_ID) has reached what it was given,
 * and writes what it really took:
 *
 *     cpu NAME NANOSECONDS        of CPU time in this function, with what is inlined into it
 *     wait NAME NANOSECONDS       of waiting in it
 *     all - NANOSECONDS           of CPU time of the process and its children
 *
 * So what a recording must show is not what somebody thought, but what was measured. Clocks are
 * read seldom: each 0.1 ms of work, which is 1 % of nothing. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEP = 40000 };

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static volatile uint64_t sink;

/* The work itself is inlined everywhere, so that each function's time is its own. */
__attribute__((always_inline)) static inline void work(uint64_t seed)
{
    uint64_t x = seed | 1;
    for (int i = 0; i < STEP; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    sink = x;
}

#define BUSY __attribute__((noinline, noclone))

/* The seeds differ, so that the compiler does not make one function of equal ones. */
#define DEFINE_BUSY(name, inlined, seed)                                                           \
    BUSY static int64_t name(int64_t budget_ns)                                                    \
    {                                                                                              \
        int64_t began = read_clock(CLOCK_THREAD_CPUTIME_ID), now;                                  \
        do {                                                                                       \
            inlined(seed);                                                                         \
            now = read_clock(CLOCK_THREAD_CPUTIME_ID);                                             \
        } while (now - began < budget_ns);                                                         \
        return now - began;                                                                        \
    }

__attribute__((always_inline)) static inline void inlined_work(uint64_t seed)
{
    work(seed + 1);
}

DEFINE_BUSY(spend_half, work, 1)
DEFINE_BUSY(spend_quarter, work, 3)
DEFINE_BUSY(spend_inlined, inlined_work, 50)
DEFINE_BUSY(spend_in_thread, work, 7)
DEFINE_BUSY(spend_in_child, work, 9)
DEFINE_BUSY(spend_at_bottom, work, 11)

BUSY static int64_t recurse(int depth, int64_t budget_ns)
{
    int64_t spent = depth == 0 ? spend_at_bottom(budget_ns) : recurse(depth - 1, budget_ns);
    sink += (uint64_t)depth; /* so that it is a call, and no jump */
    return spent;
}

BUSY static int64_t wait_asleep(int64_t ns)
{
    int64_t began = read_clock(CLOCK_MONOTONIC);
    struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    nanosleep(&time, NULL);
    return read_clock(CLOCK_MONOTONIC) - began;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

BUSY static int64_t wait_for_lock(void)
{
    int64_t began = read_clock(CLOCK_MONOTONIC);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return read_clock(CLOCK_MONOTONIC) - began;
}

static int64_t unit_ns, in_thread_ns, for_lock_ns;

static void *run_thread(void *argument)
{
    (void)argument;
    in_thread_ns = spend_in_thread(unit_ns);
    for_lock_ns = wait_for_lock();
    return NULL;
}

static void tell(const char *what, const char *name, int64_t ns)
{
    printf("%s %s %lld\n", what, name, (long long)ns);
}

static int64_t cpu_of(int who)
{
    struct rusage use;
    getrusage(who, &use);
    return ((int64_t)use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000 +
           ((int64_t)use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
}

int main(int count, char **words)
{
    unit_ns = (count > 1 ? atoll(words[1]) : 100) * 1000000; /* milliseconds */
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        int64_t spent = spend_in_child(unit_ns);
        return write(pipe_ends[1], &spent, sizeof spent) != sizeof spent;
    }
    pthread_t thread;
    pthread_mutex_lock(&lock);
    if (child < 0 || pthread_create(&thread, NULL, run_thread, NULL) != 0)
        return 1;
    tell("cpu", "spend_half", spend_half(4 * unit_ns));
    tell("cpu", "spend_quarter", spend_quarter(2 * unit_ns));
    tell("cpu", "spend_inlined", spend_inlined(unit_ns));
    tell("cpu", "spend_at_bottom", recurse(20, unit_ns));
    tell("wait", "wait_asleep", wait_asleep(2 * unit_ns));
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    int64_t in_child_ns = 0;
    if (read(pipe_ends[0], &in_child_ns, sizeof in_child_ns) != sizeof in_child_ns)
        return 1;
    waitpid(child, NULL, 0);
    tell("cpu", "spend_in_thread", in_thread_ns);
    tell("cpu", "spend_in_child", in_child_ns);
    tell("wait", "wait_for_lock", for_lock_ns);
    tell("all", "-", cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN));
    return 0;
}
