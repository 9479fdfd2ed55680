/* run_calls.h - calls of a program that begin and end, for formats that have events. */
#ifndef FLAMEL_BENCH_RUN_CALLS_H
#define FLAMEL_BENCH_RUN_CALLS_H

#include <stdint.h>

/* Print the beginning and the end of a call, at nanoseconds. */
struct calls {
    void (*open)(uint32_t function, uint64_t ns, int thread);
    void (*close)(uint32_t function, uint64_t ns, int thread);
};

/* About `count` calls of one thread, all of which end. */
void run_calls(const struct calls *calls, uint32_t count, int thread);

/* Prints `text`, but not before the first event. */
void print_separator(const char *text);
/* The next event is the first one of a list. */
void print_no_separator(void);

#endif
