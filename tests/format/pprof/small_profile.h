/* small_profile.h - a profile made by hand, and files of several programs: what is read, and what
 * is written and read again. */
#ifndef FLAMEL_TESTS_FORMAT_PPROF_SMALL_PROFILE_H
#define FLAMEL_TESTS_FORMAT_PPROF_SMALL_PROFILE_H

#include "format/pprof/proto.h"

static const char *const small_strings[] = {
    "",      "samples", "count",   "cpu",      "nanoseconds",  "main",
    "parse", "main.c",  "parse.c", "/opt/app", "c0ffee",       "id",
    "bytes", "thread",  "worker",  "secret.*", "made by hand", "end_timestamp_ns",
    NULL};
enum {
    SAMPLES = 1,
    COUNT,
    CPU,
    NANOSECONDS,
    MAIN,
    PARSE,
    MAIN_C,
    PARSE_C,
    APP,
    BUILD_ID,
    ID,
    BYTES,
    THREAD,
    WORKER,
    SECRET,
    HAND,
    TIME
};

/* main;parse where parse is inlined into main, in location 7; 9 has no lines; two sample types. */
static inline struct proto small_profile(bool strings_first, const uint64_t *label)
{
    struct proto p = {{0}};
    if (strings_first)
        proto_strings(&p, small_strings);
    proto_message(&p, 1, 2, NUMBERS(SAMPLES, COUNT));
    proto_message(&p, 1, 2, NUMBERS(CPU, NANOSECONDS));
    proto_sample(&p, NUMBERS(7, 0, 0), 2, NUMBERS(1, 100), label);
    proto_sample(&p, NUMBERS(9, 7, 0), 2, NUMBERS(2, 200), NULL);
    proto_sample(&p, NUMBERS(9, 7, 0), 2, NUMBERS(3, 300), NULL);
    proto_message(&p, 3, 6, NUMBERS(4, 0x1000, 0x9000, 0x1000, APP, BUILD_ID));
    proto_location(&p, 7, 4, 0x2000, NUMBERS(600, 22, 500, 11));
    proto_location(&p, 9, 4, 0x3000, NULL);
    proto_message(&p, 5, 5, NUMBERS(500, MAIN, 0, MAIN_C, 10));
    proto_message(&p, 5, 5, NUMBERS(600, PARSE, 0, PARSE_C, 20));
    if (!strings_first)
        proto_strings(&p, small_strings);
    flm_wire_put_number(&p.out, 7, SECRET);
    flm_wire_put_number(&p.out, 9, 1700000000000000000);
    flm_wire_put_number(&p.out, 10, 5000000000);
    flm_wire_put_number(&p.inner, 1, CPU);
    flm_wire_put_number(&p.inner, 2, NANOSECONDS);
    flm_wire_put_message(&p.out, 11, &p.inner);
    flm_wire_put_number(&p.out, 12, 100);
    proto_packed(&p.out, 13, &p.inner, 1, NUMBERS(HAND));
    return p;
}

static const char *const pprof_files[] = {"pprof/go-cpu-labels.pb", "pprof/go-heap.pb",
                                          "pprof/node-wall.pb", "pprof/speedscope-simple.pb"};

#endif
