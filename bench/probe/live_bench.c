/* live_bench.c - what a reader costs the program that it looks at: ns per scope, net of an empty
 * loop, without a reader and with `flamel top` looking ten times a second, in turn.
 *
 *     cc -O2 -D_GNU_SOURCE -Iinclude bench/probe/live_bench.c -o live -Lbuild \
 *         -lflamel-probe
 *     FLAMEL=on ./live build/flamel
 *
 * Both are pinned to processors of their own where there are several. A round lasts a second, so
 * the reader looks ten times in it: the least batch, the median, and the CPU time of all. */
#include <flamel/probe.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 10000, ROUNDS = 12, BATCHES = 2500 };

static volatile int sink;

static double now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double batch(int with_scopes)
{
    double began = now_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < CALLS; i++) {
        if (with_scopes) {
            FLM_SCOPE("bench");
            sink = i;
        } else {
            sink = i;
        }
    }
    return (now_ns(CLOCK_MONOTONIC) - began) / CALLS;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Net of the empty loop's; `cpu` is that of both loops. */
static void measure(double *least, double *median, double *cpu)
{
    double all[BATCHES], empty = 1e9, began = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < BATCHES; i++) {
        double loop = batch(0);
        empty = loop < empty ? loop : empty;
        all[i] = batch(1);
    }
    *cpu = (now_ns(CLOCK_THREAD_CPUTIME_ID) - began) / CALLS / BATCHES;
    qsort(all, BATCHES, sizeof *all, compare);
    *least = all[0] - empty;
    *median = all[BATCHES / 2] - empty;
}

static void pin(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static pid_t start_reader(const char *command)
{
    char process[24];
    snprintf(process, sizeof process, "%ld", (long)getpid());
    pid_t reader = fork();
    if (reader == 0) {
        pin(sysconf(_SC_NPROCESSORS_ONLN) > 1);
        unsetenv("FLAMEL");
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        execlp(command, command, "top", "--json", "-i", "100ms", process, (char *)NULL);
        _exit(1);
    }
    usleep(300000);
    return reader;
}

int main(int count, char **words)
{
    double best[2] = {1e9, 1e9}, middle[2] = {1e9, 1e9}, whole[2] = {1e9, 1e9};
    if (count != 2)
        return 2;
    pin(0);
    for (int round = 0; round < ROUNDS; round++) {
        int is_watched = round % 2;
        double least, median, cpu;
        pid_t reader = is_watched ? start_reader(words[1]) : 0;
        measure(&least, &median, &cpu);
        if (is_watched) {
            kill(reader, SIGTERM);
            waitpid(reader, NULL, 0);
        }
        best[is_watched] = least < best[is_watched] ? least : best[is_watched];
        whole[is_watched] = cpu < whole[is_watched] ? cpu : whole[is_watched];
        middle[is_watched] = median < middle[is_watched] ? median : middle[is_watched];
    }
    for (int i = 0; i < 2; i++)
        printf("%s: %.2f ns a scope (least batch), %.2f (median), %.2f ns of CPU with the loop\n",
               i ? "a reader at 10 Hz" : "nobody looks", best[i], middle[i], whole[i]);
    return 0;
}
