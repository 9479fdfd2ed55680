/* sampling_bench.c - what a sample costs the one it is taken of, by what it holds: sampling_bench
 * [HZ [ROUNDS]]
 *
 * The same work is done in turn without an event and with each of several, opened as flamel does,
 * as perf does, and as little as can be asked for; each is switched on for its turn alone, and
 * nobody reads the rings meanwhile. So what is seen is the kernel's part: the interrupt of the
 * timer, the sample, and the copy of the stack. CPU time of the turn over that of the turn before
 * it without an event; the middle of all rounds, and microseconds for one sample. */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { KIB = 1024, MIB = 1024 * KIB, MOST_ROUNDS = 10000, STEPS = 1000, DEPTH = 12 };

#define PERF_HAS                                                                                   \
    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |                 \
     PERF_SAMPLE_PERIOD)
#define WE_HAVE (PERF_HAS | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU)
#define COPY (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

static struct subject {
    const char *name;
    uint64_t holds;
    uint32_t stack;
    size_t ring;
    int has_clock; /* CLOCK_MONOTONIC, not the scheduler's */

    int file;
    struct perf_event_mmap_page *page;
    double cost[MOST_ROUNDS];
} subjects[] = {
    {.name = "an address alone", .holds = PERF_SAMPLE_IP, .ring = 512 * KIB},
    {.name = "perf's, frame pointers", .holds = PERF_HAS, .ring = 512 * KIB},
    {.name = "flamel's, frame pointers", .holds = WE_HAVE, .ring = MIB, .has_clock = 1},
    {.name = "the same, scheduler's clock", .holds = WE_HAVE, .ring = MIB},
    {.name = "perf's, copies of 8 KiB", .holds = PERF_HAS | COPY, .stack = 8192, .ring = 512 * KIB},
    {.name = "flamel's, copies of 16 KiB",
     .holds = WE_HAVE | COPY,
     .stack = 16384,
     .ring = 16 * MIB,
     .has_clock = 1},
    {.name = "the same, rings of 4 MiB",
     .holds = WE_HAVE | COPY,
     .stack = 16384,
     .ring = 4 * MIB,
     .has_clock = 1},
    {.name = "the same, rings of 1 MiB",
     .holds = WE_HAVE | COPY,
     .stack = 16384,
     .ring = MIB,
     .has_clock = 1},
};
enum { COUNT = sizeof subjects / sizeof subjects[0] };

static volatile uint64_t sink;

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

static double work_s(void)
{
    struct timespec before, after;
    uint64_t x = 1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    for (int i = 0; i < STEPS; i++)
        x = descend(DEPTH, x);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    sink = x;
    return (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9;
}

static int open_event(struct subject *subject, double hz)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = (uint64_t)(1e9 / hz),
        .sample_type = subject->holds,
        .disabled = 1,
        .inherit = 1,
        .sample_id_all = 1,
        .use_clockid = subject->has_clock & 1,
        .clockid = subject->has_clock ? CLOCK_MONOTONIC : 0,
        .watermark = 1,
        .wakeup_watermark = (uint32_t)(subject->ring / 4),
        .exclude_callchain_user = subject->stack > 0,
        .sample_stack_user = subject->stack,
#if defined(__x86_64__)
        .sample_regs_user = subject->stack ? 0xff0fff : 0,
#else
        .sample_regs_user = subject->stack ? ((uint64_t)1 << 33) - 1 : 0,
#endif
    };
    subject->file = (int)syscall(SYS_perf_event_open, &attr, 0, 0, -1, PERF_FLAG_FD_CLOEXEC);
    if (subject->file < 0) { /* not the kernel's part, then */
        attr.exclude_kernel = 1;
        subject->file = (int)syscall(SYS_perf_event_open, &attr, 0, 0, -1, PERF_FLAG_FD_CLOEXEC);
    }
    if (subject->file < 0)
        return 0;
    subject->page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + subject->ring,
                         PROT_READ | PROT_WRITE, MAP_SHARED, subject->file, 0);
    return subject->page != MAP_FAILED;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words)
{
    double hz = count > 1 ? atof(words[1]) : 9999;
    int rounds = count > 2 ? atoi(words[2]) : 100;
    uint64_t first_only[16] = {1}; /* the events are of the first processor */
    if (hz < 1 || rounds < 1 || rounds > MOST_ROUNDS)
        return 2;
    syscall(SYS_sched_setaffinity, 0, sizeof first_only, first_only);
    for (int i = 0; i < COUNT; i++)
        if (!open_event(&subjects[i], hz)) {
            printf("  %s: cannot be opened here\n", subjects[i].name);
            subjects[i].file = -1;
        }
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < COUNT; i++) {
            struct subject *subject = &subjects[i];
            if (subject->file < 0)
                continue;
            double alone = work_s();
            ioctl(subject->file, PERF_EVENT_IOC_ENABLE, 0);
            subject->cost[round] = work_s() / alone - 1;
            ioctl(subject->file, PERF_EVENT_IOC_DISABLE, 0);
            __atomic_store_n(&subject->page->data_tail,
                             __atomic_load_n(&subject->page->data_head, __ATOMIC_ACQUIRE),
                             __ATOMIC_RELEASE);
        }
    for (int i = 0; i < COUNT; i++) {
        if (subjects[i].file < 0)
            continue;
        qsort(subjects[i].cost, (size_t)rounds, sizeof(double), by_size);
        double middle = subjects[i].cost[rounds / 2];
        printf("  %-28s %+6.2f %%, %5.1f us a sample\n", subjects[i].name, 100 * middle,
               middle * 1e6 / hz);
    }
    return 0;
}
