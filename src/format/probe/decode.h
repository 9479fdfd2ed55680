/* decode.h - the file of a program that measures itself (flamel/probe_format.h) as arrays: for the
 * profile that is made of it (probe.c), and for the report (report/probe).
 *
 * Everything in the file is found by places that the file itself gives: each is checked here. */
#ifndef FLAMEL_FORMAT_PROBE_DECODE_H
#define FLAMEL_FORMAT_PROBE_DECODE_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "flamel/error.h"
#include "flamel/probe_format.h"

struct flm_probe_text {
    struct flm_bytes name, function, file; /* in the file's bytes; "" where there is none */
};

/* A path of sites, in a thread. A parent is before what is in it. */
struct flm_probe_step {
    uint32_t parent; /* FLM_PROBE_NO_STEP: it is a thread's root */
    uint32_t site, thread;
    uint64_t calls;
    uint64_t timed;     /* of these; the times below are for all, if any was */
    double total;       /* ticks: of calls that ended, and of the open one until the last moment */
    double child_total; /* of the steps in it */
    double self;        /* of itself, without what measuring costs; 0 at least */
    double longest;     /* ticks */
    uint64_t child_calls;
    double child_cost; /* ticks: what measuring the steps in it cost in this one */
    uint64_t value[FLM_PROBE_VALUES];
};
#define FLM_PROBE_NO_STEP UINT32_MAX

struct flm_probe_decoded {
    struct flm_bytes all;
    struct flm_probe_header header;
    uint64_t last_ticks; /* the last moment that the file knows of */
    uint32_t processes;  /* 1; more: they were merged (report/probe), and what passed is a sum */

    uint32_t site_count; /* the last number; site 0 is none */
    struct flm_probe_site *sites;
    struct flm_probe_text *texts; /* of sites */

    struct FLM_ARRAY(struct flm_probe_thread) threads; /* the newest first */
    struct FLM_ARRAY(struct flm_probe_step) steps;
    struct FLM_ARRAY(struct flm_probe_meter) meters;
    struct FLM_ARRAY(uint32_t) meter_threads; /* of each meter: index of its thread */

    uint64_t open;                                                /* scopes that are open */
    uint64_t left, lost_depth, lost_room, lost_busy, lost_values; /* of all threads */
    uint64_t added; /* scopes that came while the file of a running program was read */

    struct FLM_ARRAY(
        char *) names; /* of `texts`, that are not in the file: who decodes adds them */
};

/* False, and `why`: the file is damaged, or of another version; or memory ran out. Clear it in any
 * case. `all` is borrowed. */
bool flm_probe_decode(struct flm_probe_decoded *decoded, struct flm_bytes all,
                      struct flm_error *why);
void flm_probe_decoded_clear(struct flm_probe_decoded *decoded);

/* A text of the file; "" where it is not in the file. */
struct flm_bytes flm_probe_text_at(const struct flm_probe_decoded *decoded, uint64_t offset,
                                   uint32_t size);

/* A mapping, and the path of its file; false: it is not in the file. `next` of it has a smaller
 * place or is 0, so that a list has an end. */
bool flm_probe_mapping_at(struct flm_bytes all, uint32_t place, struct flm_probe_mapping *mapping,
                          struct flm_bytes *path);

/* What is mapped at an address; false: nothing that the file knows. */
bool flm_probe_find_mapping(const struct flm_probe_decoded *decoded, uint64_t address,
                            struct flm_probe_mapping *mapping, struct flm_bytes *path);

/* Whether the code at an address is that of libflamel-probe, which calls what it measures. */
bool flm_probe_is_own_code(const struct flm_probe_decoded *decoded, uint64_t address);

/* The program of the command: "/usr/bin/cc1 -quiet" is cc1. */
struct flm_bytes flm_probe_program(const struct flm_probe_decoded *decoded);

/* Ticks as nanoseconds. */
double flm_probe_ns(const struct flm_probe_decoded *decoded, double ticks);

/* Its name, or that of its function. */
struct flm_bytes flm_probe_site_name(const struct flm_probe_decoded *decoded, uint32_t site);

/* Locks that nobody has to wait for, and what a buffer satisfies, are counted and not timed: they
 * take no time, and those that do stand for themselves. */
bool flm_probe_is_counted(const struct flm_probe_decoded *decoded, uint32_t site);

/* Adds one distribution to another, of the same quantity. The clocks of programs on one machine
 * differ by less than a bucket, so histograms are taken as they are. */
void flm_probe_meter_add(struct flm_probe_meter *to, const struct flm_probe_meter *from);

/* "read", "write lock"; "" where a kind has only one thing that is done with it. */
const char *flm_probe_operation_name(enum flm_probe_operation operation);

#endif
