/* runtime.h - runtimes: programs that make code while they run, or interpret it, and so have
 * functions that no file names.
 *
 *     perf map   perf-PID.map, text that names regions of code          read when naming
 *     jitdump    jit-PID.dump, the same with times and lines            read when naming
 *     CPython    the interpreter's own frames, read from outside        read while sampling
 *
 * A runtime is an entry of the table in runtime.c: what it cannot do it leaves NULL. Another one is
 * a file (or a folder) with its entry, and a line in the table. Nobody asks which entry he has. */
#ifndef FLAMEL_RECORD_RUNTIME_RUNTIME_H
#define FLAMEL_RECORD_RUNTIME_RUNTIME_H

#include "base/core/array.h"
#include "flamel/builder.h"
#include "record/perf/event.h"
#include "record/perf/owned_string.h"
#include "record/runtime/jit_code.h"

struct flm_process; /* record/session/process_map.h */

/* Where losses and facts go: to the session of the recording. */
struct flm_runtime_report {
    void *session;
    void (*lost)(void *session, const char *what, double count);
    void (*note)(void *session, const char *key, struct flm_bytes value);
};

/* A file that a process mapped so that recordings know of it. */
struct flm_runtime_file {
    int32_t process;
    const struct flm_runtime *runtime;
    struct flm_owned_string path;
};

/* Names of code, and the file that they are from. */
struct flm_runtime_names {
    struct flm_jit_code *code;
    struct flm_owned_string path;
};

/* The names of one process's code. */
struct flm_runtime_search {
    int32_t process;
    bool live;  /* the process may still run: its files are also looked for below its root */
    bool local; /* it ran on this machine, since it booted */
    const char *const *dirs; /* where to look first */
    size_t dir_count;
    int64_t oldest_ns;                    /* when the recording began; FLM_NO_TIME: not known */
    const struct flm_runtime_file *files; /* of all processes */
    size_t file_count;
    struct flm_runtime_report report;

    struct FLM_ARRAY(struct flm_runtime_names) found; /* owned; what was found first counts first */
};

struct flm_runtime_options {
    bool lines;          /* a function is another one at each of its lines */
    uint64_t first_code; /* functions have numbers from here up: FLM_EVENT_CODE */
};

/* A sample before its stack is kept. */
struct flm_runtime_sample {
    const struct flm_process *process;
    const struct flm_event *event; /* with its registers and its stack dump */
    uint64_t *chain; /* its stack, with markers (event.h): may grow up to `capacity` */
    size_t count, capacity;
    bool is_whole; /* the chain reaches the outermost frame */
};

struct flm_runtime {
    const char *name;

    /* Naming. Whether a mapped file is one of this runtime's (NULL: it maps none), and whether its
     * names depend on the time of a sample. `find` adds to `found`; false when memory ran out. */
    bool (*is_file)(struct flm_bytes path);
    bool has_times;
    bool (*find)(const struct flm_runtime *runtime, struct flm_runtime_search *search);

    /* Sampling. What attach returns is the first argument of the others; NULL, and `why`, when it
     * fails. `mix` puts functions into the sample's stack, and defines new ones first. False, and
     * `why`, when memory ran out or `define` failed. */
    void *(*attach)(const struct flm_runtime_options *options, struct flm_error *why);
    bool (*mix)(void *attached, struct flm_runtime_sample *sample, int64_t now_ns,
                flm_event_sink define, void *context, struct flm_error *why);
    void (*report)(const void *attached, const struct flm_runtime_report *report);
    void (*close)(void *attached);
};

/* ---- Naming ---------------------------------------------------------------------------------- */

/* The runtime that a mapped file belongs to; NULL: none. */
const struct flm_runtime *flm_runtime_of_file(struct flm_bytes path);

/* Asks all runtimes for the names of a process's code. False only when memory ran out; files that
 * cannot be read are reported as losses. */
bool flm_runtimes_find(struct flm_runtime_search *search);

/* Frees what was found. */
void flm_runtime_search_clear(struct flm_runtime_search *search);

/* For entries: reads the file at a path, if there is one that can be trusted, and adds its names to
 * `found`. `exists` receives whether there was one. False only when memory ran out. */
typedef struct flm_jit_code *(*flm_runtime_reader)(const struct flm_runtime_report *report,
                                                   struct flm_bytes bytes, struct flm_error *why);
bool flm_runtime_try_file(struct flm_runtime_search *search, const char *path,
                          flm_runtime_reader read, bool *exists);

/* ---- Sampling -------------------------------------------------------------------------------- */

/* Runtimes that are attached to a recording. */
struct flm_attached_runtimes;

/* By their names in the table. NULL, and `why`, for a name that is none of a runtime that can be
 * attached. */
struct flm_attached_runtimes *flm_runtimes_attach(const char *const *names, size_t count,
                                                  bool lines, struct flm_error *why);
void flm_runtimes_close(struct flm_attached_runtimes *attached);

/* Each of them in turn, as flm_runtime.mix. */
bool flm_runtimes_mix(struct flm_attached_runtimes *attached, struct flm_runtime_sample *sample,
                      int64_t now_ns, flm_event_sink define, void *context, struct flm_error *why);
void flm_runtimes_report(const struct flm_attached_runtimes *attached,
                         const struct flm_runtime_report *report);

#endif
