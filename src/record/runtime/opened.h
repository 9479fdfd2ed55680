/* opened.h - the interpreters of all processes that are sampled, each found and opened once.
 *
 * A process maps files until its program runs, and exec replaces all of them. What was found
 * stays where it is until then: a program goes on mapping files, and to read the symbols of a
 * library takes a millisecond. A process without an interpreter is searched again when it maps
 * something. */
#ifndef FLAMEL_RECORD_RUNTIME_OPENED_H
#define FLAMEL_RECORD_RUNTIME_OPENED_H

#include "base/core/ids.h"
#include "base/text/text.h"
#include "record/process/process_map.h"

/* How one is opened: NULL: there is none; NULL and `why`, if it cannot be read. `calls`: the system
 * calls that it has cost. */
struct flm_opened_kind {
    void *(*open)(const struct flm_process *process, struct flm_error *why);
    void (*close)(void *opened);
    uint64_t (*calls)(const void *opened);
};

struct flm_opened {
    int32_t process;
    uint64_t changed;   /* of its mappings, when they were searched */
    int64_t started_ns; /* of its program */
    uint64_t serial;    /* unique among all that were opened */
    void *at;           /* NULL: it has none, or one that cannot be read */
    bool is_refused;    /* one that cannot be read */
};

struct flm_opened_all {
    const struct flm_opened_kind *kind;
    struct FLM_ARRAY(struct flm_opened) items;
    struct flm_ids processes;
    uint64_t serials, closed_calls;
    char refused[sizeof((struct flm_error *)0)->text]; /* why the last one was; "": none was */
};

void flm_opened_clear(struct flm_opened_all *all);

/* That of the process, good until the next call. NULL, and `why`, when memory ran out. */
struct flm_opened *flm_opened_find(struct flm_opened_all *all, const struct flm_process *process,
                                   struct flm_error *why);

/* The system calls of all of them, also of those that were closed. */
uint64_t flm_opened_calls(const struct flm_opened_all *all);

#endif
