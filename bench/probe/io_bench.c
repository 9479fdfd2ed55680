/* io_bench.c - what measuring an operation on a file costs.
 *
 *     for what in off io; do FLAMEL=$what LD_PRELOAD=build/libflamel-probe.so.0 io_bench; done
 *
 * ns per operation, net of an empty loop: the least and the middle of many short batches, on one
 * processor. */
#include <fcntl.h>
#include <unistd.h>

#include "batches.h"

enum { CALLS = 5000 };

static int zero, null;
static FILE *stream, *lines;
static char bytes[4096];

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

int main(void)
{
    static const struct measured rows[] = {{"read, 1 byte of /dev/zero", read_one},
                                           {"write, 1 byte to /dev/null", write_one},
                                           {"fwrite, 16 bytes to /dev/null", write_stream},
                                           {"fgets, a line of 20", read_line},
                                           {"open, close", open_close},
                                           {"open, read, close", open_read_close}};
    stay_on_one_processor();
    zero = open("/dev/zero", O_RDONLY);
    null = open("/dev/null", O_WRONLY);
    stream = fopen("/dev/null", "w");
    lines = tmpfile();
    if (zero < 0 || null < 0 || !stream || !lines)
        return 1;
    for (int i = 0; i < 10000; i++)
        fputs("0123456789012345678\n", lines);
    rewind(lines);
    print_measured(rows, sizeof rows / sizeof *rows, CALLS);
    return 0;
}
