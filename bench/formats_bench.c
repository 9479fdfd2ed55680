/* formats_bench.c - how fast profiles are read: bytes in memory to a finished profile, one core.
 *
 *     formats_bench [-n ROUNDS] [-s] [-l] [-w] FILE...
 *
 * A line for each file, whose format is recognized by its content. -s: without single samples, only
 * sums (as `flamel convert -t folded`); -l: without lines and addresses; -w: the bytes arrive in a
 * window, as those of a file or a pipe do, instead of lying in memory as a whole.
 *
 *     MB           size, decompressed (10^6 bytes); what is measured begins after decompression
 *     read         MB a second of CPU time (user and system): recognizing, reading, building and
 *                  finishing the profile; neither freeing it nor drawing anything
 *     user         the same without the time of the system, which gives memory
 *     lines        the same for counting the newlines of the same bytes with memchr: what the
 *                  machine can do at this moment; and how many times as long reading takes
 *     skip         of JSON: the same for skipping over all of it with the reader of JSON
 *     memory       the largest amount in use while reading, beside the input, over the size of the
 *                  input
 *
 * Every file and every round is a process of its own, so that each gets its memory from the system,
 * as a command does: once a process has freed large blocks, malloc no longer maps those of that
 * size, and reading takes up to 1.7 times the memory. The fastest of ROUNDS (5) counts, for each
 * column. What is measured beside each other is measured in turn, so that the ratios hold on a
 * machine that is not quiet. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text/json_read.h"
#include "flamel/file.h"
#include "os/input.h"

struct options {
    int rounds;
    bool only_sums, no_locations, in_windows;
};

/* What one round measures, and returns through a pipe. */
struct round {
    double read_s, user_s, lines_s, skip_s; /* skip_s is 0 for what is not JSON */
    double memory_bytes;
    uint32_t nodes, samples;
    char format[24];
    struct flm_error why; /* where it failed */
};

static double cpu_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double user_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6;
}

/* A line of /proc/self/status, in bytes. */
static double memory_of(const char *key)
{
    char line[200];
    double bytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, key, strlen(key)) == 0)
            bytes = strtod(line + strlen(key), NULL) * 1024;
    if (status)
        fclose(status);
    return bytes;
}

/* The largest resident size is from now on counted anew. */
static void forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
}

static size_t count_lines(struct flm_bytes text)
{
    size_t count = 0;
    const char *at = text.at, *end = text.at + text.size;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
        count++;
        at++;
    }
    return count;
}

/* False: the text is not JSON. */
static bool skip_json(struct flm_bytes text)
{
    struct flm_source source = flm_source_of(text);
    struct flm_json json;
    flm_json_init(&json, &source, NULL);
    return flm_json_finish(&json);
}

static bool next_chunk(void *context, void *buffer, size_t room, size_t *size)
{
    struct flm_bytes *rest = context;
    *size = rest->size < room ? rest->size : room;
    memcpy(buffer, rest->at, *size);
    *rest = flm_bytes_from(*rest, *size);
    return true;
}

static void measure(const struct options *options, struct flm_bytes text, struct round *round)
{
    const char *format = "?";
    const struct flm_load_options load = {.size = sizeof load,
                                          .threads = 1,
                                          .drop_times = options->only_sums,
                                          .no_locations = options->no_locations,
                                          .found_format = &format};
    volatile size_t lines; /* is counted, though nobody asks how many there are */
    double start = cpu_s();
    lines = count_lines(text);
    (void)lines;
    round->lines_s = cpu_s() - start;
    if (text.size > 0 && (*text.at == '{' || *text.at == '[')) {
        start = cpu_s();
        round->skip_s = skip_json(text) ? cpu_s() - start : 0;
    }
    struct flm_bytes rest = text;
    forget_peak();
    double before = memory_of("VmRSS:");
    start = cpu_s();
    double user_start = user_s();
    struct flm_profile *profile = options->in_windows
                                      ? flm_load_stream(next_chunk, &rest, &load, &round->why)
                                      : flm_load_memory(text.at, text.size, &load, &round->why);
    round->read_s = cpu_s() - start;
    round->user_s = user_s() - user_start;
    round->memory_bytes = memory_of("VmHWM:") - before;
    snprintf(round->format, sizeof round->format, "%s", format);
    if (profile) {
        round->nodes = flm_profile_node_count(profile);
        round->samples = flm_profile_sample_count(profile);
    }
}

static bool run_round(const struct options *options, struct flm_bytes text, struct round *round)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct round mine = {0};
        measure(options, text, &mine);
        _exit(write(ends[1], &mine, sizeof mine) == (ssize_t)sizeof mine ? 0 : 1);
    }
    close(ends[1]);
    int status = 1;
    bool good = child > 0 && read(ends[0], round, sizeof *round) == (ssize_t)sizeof *round;
    close(ends[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    return good && status == 0;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static void print(const char *path, size_t size, const struct round *least)
{
    double megabytes = (double)size / 1e6;
    char skip[40] = "-";
    if (least->skip_s > 0)
        snprintf(skip, sizeof skip, "%.0f x%.1f", megabytes / least->skip_s,
                 least->read_s / least->skip_s);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    printf("%-32s %-10s %8.2f %6.0f %6.0f %9.0f x%-5.1f %12s %7.2f %9u %9u\n", name, least->format,
           megabytes, megabytes / least->read_s, megabytes / least->user_s,
           megabytes / least->lines_s, least->read_s / least->lines_s, skip,
           least->memory_bytes / (double)size, least->nodes, least->samples);
}

static bool measure_file(const struct options *options, const char *path)
{
    struct flm_error why = {0};
    struct flm_input *input = flm_input_open(path, &why);
    if (!input || !flm_source_all(flm_input_source(input), &why)) {
        fprintf(stderr, "formats_bench: %s: %s\n", path, why.text);
        flm_input_close(input);
        return false;
    }
    const struct flm_source *source = flm_input_source(input);
    const struct flm_bytes text = {source->at, (size_t)(source->end - source->at)};
    struct round least = {0};
    bool good = true;
    malloc_trim(0);
    for (int i = 0; good && i < options->rounds; i++) {
        struct round round;
        good = run_round(options, text, &round);
        if (!good || round.why.kind != FLM_ERROR_NONE) {
            fprintf(stderr, "formats_bench: %s: %s\n", path,
                    good ? round.why.text : "it ended early");
            good = false;
        } else if (i == 0) {
            least = round;
        } else {
            least.read_s = smaller(least.read_s, round.read_s);
            least.user_s = smaller(least.user_s, round.user_s);
            least.lines_s = smaller(least.lines_s, round.lines_s);
            least.skip_s = smaller(least.skip_s, round.skip_s);
            least.memory_bytes = smaller(least.memory_bytes, round.memory_bytes);
        }
    }
    if (good)
        print(path, text.size, &least);
    flm_input_close(input);
    return good;
}

static bool measure_apart(const struct options *options, const char *path)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        bool good = measure_file(options, path);
        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    int status = 1;
    if (child > 0)
        waitpid(child, &status, 0);
    return child > 0 && status == 0;
}

int main(int argc, char **argv)
{
    struct options options = {.rounds = 5};
    int failed = 0;
    mallopt(M_MMAP_THRESHOLD, 128 << 10); /* as the command does */
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    for (int option; (option = getopt(argc, argv, "n:slw")) != -1;) {
        if (option == 'n')
            options.rounds = atoi(optarg);
        else if (option == 's')
            options.only_sums = true;
        else if (option == 'l')
            options.no_locations = true;
        else if (option == 'w')
            options.in_windows = true;
        else
            return 2;
    }
    printf("%-32s %-10s %8s %6s %6s %9s %6s %12s %7s %9s %9s\n", "file", "format", "MB", "read",
           "user", "lines", "times", "skip, times", "memory", "nodes", "samples");
    for (int i = optind; i < argc; i++)
        failed |= !measure_apart(&options, argv[i]);
    return failed;
}
