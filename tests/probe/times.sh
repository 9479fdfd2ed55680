#!/bin/sh
# Times of a call tree are right within 3 %: times.sh BUILD.
#
# The program reads the clock itself, just inside of each scope and just around it. What the report says is between
# the two, on any machine under any load: total, self, percentiles (the middle of a bucket, 3.2 % away at most);
# recursive, nested, in threads. CPU time is told by the kernel's clock of the thread.
build=$1 cc=${CC:-gcc}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

cat > "$work/app.c" << 'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <flamel/probe.h>
enum { TINY, SMALL, MIDDLE, LARGE, PARENT, RECURSIVE, BUSY, KINDS, THREADS = 3, MOST = 20000 };
static const char *const names[] = {"tiny", "small", "middle", "large", "parent", "recursive", "busy"};
struct reading {
    double inside, around;
};
static struct reading sum[KINDS], self;
static struct reading each[KINDS][MOST];
static int count[KINDS];
static double busy_cpu;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static double now_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}
static double now(void)
{
    return now_of(CLOCK_MONOTONIC_RAW);
}
static void spin(double ns)
{
    double end = now() + ns;
    while (now() < end) {
    }
}
struct mine {
    struct reading sum[KINDS], self, *each[KINDS];
    int count[KINDS], depth;
};
static void add(struct mine *mine, int kind, double around, double inside, double inside_end, double around_end)
{
    struct reading read = {inside_end - inside, around_end - around};
    mine->sum[kind].inside += read.inside;
    mine->sum[kind].around += read.around;
    mine->each[kind][mine->count[kind]++] = read;
}
#define WORK(name, kind, body)                                                                                         \
    do {                                                                                                               \
        double around = now(), inside, inside_end;                                                                     \
        {                                                                                                              \
            FLM_SCOPE(name);                                                                                           \
            inside = now();                                                                                            \
            body;                                                                                                      \
            inside_end = now();                                                                                        \
        }                                                                                                              \
        add(mine, kind, around, inside, inside_end, now());                                                            \
    } while (0)

static void recursive(struct mine *mine, int depth)
{
    FLM_SCOPE("recursive");
    spin(200000);
    if (depth > 0)
        recursive(mine, depth - 1);
}
static void all(struct mine *mine)
{
    for (int i = 0; i < 2000; i++)
        WORK("tiny", TINY, spin(100));
    for (int i = 0; i < 500; i++)
        WORK("small", SMALL, spin(2000 + 30 * i));
    for (int i = 0; i < 20; i++)
        WORK("middle", MIDDLE, spin(1000000));
    for (int i = 0; i < 2; i++)
        WORK("large", LARGE, spin(10000000));
    spin(5000000);
}
static void *run(void *arg)
{
    struct mine *mine = calloc(1, sizeof *mine);
    for (int kind = 0; kind < KINDS; kind++)
        mine->each[kind] = calloc(MOST / THREADS, sizeof *mine->each[kind]);
    WORK("parent", PARENT, all(mine));
    mine->self = mine->sum[PARENT];
    for (int kind = TINY; kind <= LARGE; kind++) {
        mine->self.inside -= mine->sum[kind].around;
        mine->self.around -= mine->sum[kind].inside;
    }
    double around = now();
    recursive(mine, 4);
    add(mine, RECURSIVE, around, around + 5 * 200000, now(), now());
    mine->sum[RECURSIVE].inside = 5 * 200000;
    pthread_mutex_lock(&lock);
    for (int kind = 0; kind < KINDS; kind++) {
        sum[kind].inside += mine->sum[kind].inside;
        sum[kind].around += mine->sum[kind].around;
        for (int i = 0; i < mine->count[kind]; i++)
            each[kind][count[kind]++] = mine->each[kind][i];
    }
    self.inside += mine->self.inside;
    self.around += mine->self.around;
    pthread_mutex_unlock(&lock);
    return arg;
}
static int by_inside(const void *a, const void *b)
{
    double x = ((const struct reading *)a)->inside, y = ((const struct reading *)b)->inside;
    return (x > y) - (x < y);
}
static int by_around(const void *a, const void *b)
{
    double x = ((const struct reading *)a)->around, y = ((const struct reading *)b)->around;
    return (x > y) - (x < y);
}
int main(void)
{
    static const int percents[] = {50, 95, 99};
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, run, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    {
        FLM_SCOPE("busy");
        double from = now_of(CLOCK_THREAD_CPUTIME_ID);
        while (now_of(CLOCK_THREAD_CPUTIME_ID) - from < 500e6) {
        }
        busy_cpu = now_of(CLOCK_THREAD_CPUTIME_ID) - from;
    }
    for (int kind = 0; kind < BUSY; kind++)
        printf("time,%s,,total_ns %.0f %.0f\n", names[kind], sum[kind].inside, sum[kind].around);
    printf("time,parent,,self_ns %.0f %.0f\n", self.inside, self.around);
    for (int kind = 0; kind <= MIDDLE; kind++)
        for (int p = 0; p < 3; p++) {
            int rank = (count[kind] * percents[p] + 99) / 100 - 1;
            qsort(each[kind], (size_t)count[kind], sizeof each[kind][0], by_inside);
            printf("time,%s,,p%d_ns %.0f ", names[kind], percents[p], each[kind][rank].inside);
            qsort(each[kind], (size_t)count[kind], sizeof each[kind][0], by_around);
            printf("%.0f\n", each[kind][rank].around);
        }
    printf("cpu,busy,,self_ns %.0f %.0f\n", busy_cpu, busy_cpu);
    return 0;
}
END
$cc -O1 -Iinclude "$work/app.c" -o "$work/app" -pthread -L"$build" -lflamel-probe || exit 1
FLAMEL=file:$work/out,cpu "$work/app" > "$work/own" || { echo "it fails"; exit 1; }
"$build/flamel" report --csv --percentiles 50,95,99 "$work/out" > "$work/csv" || exit 1
# Samples of CPU time are some ms apart, where timers make them: 20 ms more.
awk -v of="$work/csv" '
    BEGIN {
        while ((getline line < of) > 0) {
            at = match(line, /,[^,]*$/)
            said[substr(line, 1, at - 1)] = substr(line, at + 1) + 0
        }
    }
    {
        more = $1 ~ /^cpu/ ? 20e6 : 0
        part = $1 ~ /,p[0-9]*_ns$/ ? 0.032 : 0.03
        if (!($1 in said)) {
            print "the report has no " $1
            bad = 1
        } else if (said[$1] < $2 * (1 - part) - more || said[$1] > $3 * (1 + part) + more) {
            printf "%s: %.0f, not %s to %s\n", $1, said[$1], $2, $3
            bad = 1
        }
    }
    END { exit bad || NR < 17 }' "$work/own" || { cat "$work/own"; grep '^time\|^cpu' "$work/csv"; exit 1; }
