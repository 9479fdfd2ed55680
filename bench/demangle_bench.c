/* demangle_bench.c - names of C++ to their text, beside __cxa_demangle of libstdc++.
 *
 *     nm FILE | awk '{ print $NF }' | grep '^_Z' | cut -d . -f 1 | sort -u > NAMES
 *     demangle_bench NAMES [ROUNDS]
 *
 * Prints the names whose texts differ, and how many there are; then all names are demangled by each
 * of both in turn, 7 rounds, and it prints the CPU time of the fastest round. A name that libstdc++
 * does not come back from in 10 seconds ends it, by SIGALRM. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "os/library.h"
#include "symbol/demangle/demangle.h"

static struct {
    char *(*demangle)(const char *mangled, char *buffer, size_t *size, int *status);
} libstdcpp;

struct names {
    char **at;
    size_t count;
};

static double cpu_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static struct names read_names(const char *path)
{
    struct names names = {0};
    size_t capacity = 0, size = 0;
    char *line = NULL;
    FILE *file = fopen(path, "r");
    for (ssize_t length; file && (length = getline(&line, &size, file)) > 0;) {
        line[strcspn(line, "\n")] = 0;
        if (names.count == capacity) {
            capacity = capacity ? 2 * capacity : 1024;
            names.at = realloc(names.at, capacity * sizeof *names.at);
        }
        if (!names.at || !(names.at[names.count++] = strdup(line)))
            exit(1);
    }
    free(line);
    if (!file || fclose(file) != 0 || names.count == 0) {
        fprintf(stderr, "demangle_bench: %s: there are no names\n", path);
        exit(1);
    }
    return names;
}

/* Prints the names that differ. */
static void compare(struct names names)
{
    size_t differing = 0, mangled = 0, more = 0;
    struct flm_text ours = {0};
    for (size_t i = 0; i < names.count; i++) {
        int status;
        alarm(10);
        char *theirs = libstdcpp.demangle(names.at[i], NULL, NULL, &status);
        alarm(0);
        ours.size = 0;
        bool done = flm_demangle(flm_bytes_of(names.at[i]), &ours);
        flm_text_putc(&ours, 0);
        mangled += !theirs;
        if (!theirs && done)
            more++;
        else if (strcmp(ours.at, theirs ? theirs : names.at[i]) != 0 && ++differing)
            printf("%s\n  %s\n  %s\n", names.at[i], theirs, ours.at);
        free(theirs);
    }
    printf("%zu names, %zu of which libstdc++ does not read, and flamel reads %zu; %zu differ\n",
           names.count, mangled, more, differing);
    flm_text_clear(&ours);
}

static double time_ours(struct names names)
{
    struct flm_text out = {0};
    double start = cpu_ms();
    for (size_t i = 0; i < names.count; i++) {
        out.size = 0;
        flm_demangle(flm_bytes_of(names.at[i]), &out);
    }
    flm_text_clear(&out);
    return cpu_ms() - start;
}

static double time_theirs(struct names names)
{
    int status;
    double start = cpu_ms();
    for (size_t i = 0; i < names.count; i++)
        free(libstdcpp.demangle(names.at[i], NULL, NULL, &status));
    return cpu_ms() - start;
}

int main(int count, char **arguments)
{
    static const char *const files[] = {"libstdc++.so.6", NULL};
    static const char *const functions[] = {"__cxa_demangle", NULL};
    struct flm_error why = {0};
    if (count < 2) {
        fprintf(stderr, "demangle_bench NAMES [ROUNDS]\n");
        return 2;
    }
    struct names names = read_names(arguments[1]);
    bool beside = flm_library_open(files, functions, &libstdcpp, &why);
    if (beside)
        compare(names);
    else
        fprintf(stderr, "demangle_bench: %s\n", why.text);
    double best[2] = {1e300, 1e300};
    for (int round = count > 2 ? atoi(arguments[2]) : 7; round > 0; round--) {
        double ours = time_ours(names), theirs = beside ? time_theirs(names) : 0;
        best[0] = ours < best[0] ? ours : best[0];
        best[1] = theirs < best[1] ? theirs : best[1];
    }
    printf("flamel %.1f ms", best[0]);
    if (beside)
        printf(", libstdc++ %.1f ms", best[1]);
    printf("\n");
    for (size_t i = 0; i < names.count; i++)
        free(names.at[i]);
    free(names.at);
    return 0;
}
