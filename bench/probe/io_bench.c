/* io_bench.c - what measuring an operation on a file costs.
 *
 *     for what in off io; do FLAMEL=$what LD_PRELOAD=build/libflamel-probe.so.0 io_bench; done
 *
 * ns per operation, net of an empty loop: the least and the middle of many short batches, on one
 * processor. */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BATCHES = 400, CALLS = 5000 };

static int zero, null;
static FILE *stream, *lines;
static char bytes[4096];

static void nothing(void)
{
    __asm__ volatile("");
}

static void read_one(void)
{
    if (read(zero, bytes, 1) != 1)
        abort();
}

static void write_one(void)
{
    if (write(null, bytes, 1) != 1)
        abort();
}

static void write_stream(void)
{
    fwrite(bytes, 1, 16, stream);
}

static void read_line(void)
{
    if (!fgets(bytes, sizeof bytes, lines))
        rewind(lines);
}

static void open_close(void)
{
    close(open("/dev/null", O_RDONLY));
}

static void open_read_close(void)
{
    int file = open("/dev/zero", O_RDONLY);
    if (read(file, bytes, 1) != 1)
        abort();
    close(file);
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ns per call of each batch, sorted. */
static void measure(void (*what)(void), double *ns)
{
    for (int b = 0; b < BATCHES; b++) {
        double start = now_ns();
        for (int i = 0; i < CALLS; i++)
            what();
        ns[b] = (now_ns() - start) / CALLS;
    }
    qsort(ns, BATCHES, sizeof *ns, compare);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*what)(void);
    } rows[] = {{"read, 1 byte of /dev/zero", read_one},
                {"write, 1 byte to /dev/null", write_one},
                {"fwrite, 16 bytes to /dev/null", write_stream},
                {"fgets, a line of 20", read_line},
                {"open, close", open_close},
                {"open, read, close", open_read_close}};
    static double empty[BATCHES], ns[BATCHES];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    zero = open("/dev/zero", O_RDONLY);
    null = open("/dev/null", O_WRONLY);
    stream = fopen("/dev/null", "w");
    lines = tmpfile();
    if (zero < 0 || null < 0 || !stream || !lines)
        return 1;
    for (int i = 0; i < 10000; i++)
        fputs("0123456789012345678\n", lines);
    rewind(lines);
    measure(nothing, empty);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        measure(rows[i].what, ns);
        printf("%-30s %7.1f %7.1f\n", rows[i].name, ns[0] - empty[0],
               ns[BATCHES / 2] - empty[BATCHES / 2]);
    }
    return 0;
}
