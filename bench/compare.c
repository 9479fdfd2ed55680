/* compare.c - whole commands, timed in turn, so that their ratios hold on a machine that is not
 * quiet.
 *
 *     compare [-n RUNS] [-b MEGABYTES] NAME COMMAND [NAME COMMAND]...
 *
 * Every command is run once to warm up, then all of them RUNS times in turn, A B C A B C, each with
 * a shell's help and its output thrown away. For each: the median and the smallest CPU time (user
 * and system, of the command, its children, and whatever they left running, which is waited for)
 * and wall time until the command itself ended, the largest resident memory,
 * megabytes a second where -b says how many there are, and how many times the first command's CPU
 * time it took. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RUNS = 100, MOST_COMMANDS = 16 };

struct run {
    double cpu_s, wall_s;
    long memory_kb;
    int status;
};

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct run run_once(const char *command)
{
    double start = now();
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    struct rusage used;
    struct run run = {0};
    if (child < 0 || wait4(child, &run.status, 0, &used) < 0) {
        run.status = -1;
        return run;
    }
    run.wall_s = now() - start;
    run.cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
    run.memory_kb = used.ru_maxrss;
    /* perf script does not wait for its addr2line: it ends when its input does. */
    while (wait4(-1, NULL, 0, &used) > 0)
        run.cpu_s += seconds(used.ru_utime) + seconds(used.ru_stime);
    return run;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct summary {
    double cpu_median_s, cpu_least_s, wall_median_s, wall_least_s;
    long memory_kb;
};

static struct summary summarize(const struct run *runs, int count)
{
    double cpu[MOST_RUNS], wall[MOST_RUNS];
    struct summary s = {0};
    for (int i = 0; i < count; i++) {
        cpu[i] = runs[i].cpu_s;
        wall[i] = runs[i].wall_s;
        if (runs[i].memory_kb > s.memory_kb)
            s.memory_kb = runs[i].memory_kb;
    }
    qsort(cpu, (size_t)count, sizeof *cpu, order);
    qsort(wall, (size_t)count, sizeof *wall, order);
    s.cpu_median_s = cpu[count / 2];
    s.cpu_least_s = cpu[0];
    s.wall_median_s = wall[count / 2];
    s.wall_least_s = wall[0];
    return s;
}

int main(int count, char **words)
{
    int runs = 5, option;
    double megabytes = 0;
    while ((option = getopt(count, words, "+n:b:")) != -1) {
        if (option == 'n')
            runs = atoi(optarg);
        else if (option == 'b')
            megabytes = atof(optarg);
        else
            return 2;
    }
    int commands = (count - optind) / 2;
    if (runs < 1 || runs > MOST_RUNS || commands < 1 || commands > MOST_COMMANDS) {
        fprintf(stderr, "usage: compare [-n RUNS] [-b MEGABYTES] NAME COMMAND ...\n");
        return 2;
    }
    char **pairs = words + optind;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    static struct run results[MOST_COMMANDS][MOST_RUNS];
    for (int run = -1; run < runs; run++) {
        for (int c = 0; c < commands; c++) {
            struct run result = run_once(pairs[2 * c + 1]);
            if (result.status != 0) {
                fprintf(stderr, "compare: %s failed: %s\n", pairs[2 * c], pairs[2 * c + 1]);
                return 1;
            }
            if (run >= 0)
                results[c][run] = result;
        }
    }
    printf("  %-34s %15s %15s %9s %7s %8s\n", "", "CPU s (least)", "wall s (least)", "MiB",
           megabytes > 0 ? "MB/s" : "", "CPU, 1st");
    double first = 0;
    for (int c = 0; c < commands; c++) {
        struct summary s = summarize(results[c], runs);
        char speed[32] = "";
        if (c == 0)
            first = s.cpu_median_s;
        if (megabytes > 0)
            snprintf(speed, sizeof speed, "%.0f", megabytes / s.wall_median_s);
        printf("  %-34s %7.3f (%5.3f) %7.3f (%5.3f) %9.1f %7s %7.2fx\n", pairs[2 * c],
               s.cpu_median_s, s.cpu_least_s, s.wall_median_s, s.wall_least_s,
               (double)s.memory_kb / 1024, speed, first > 0 ? s.cpu_median_s / first : 1);
    }
    return 0;
}
