/* internal.h - Nsight Systems' export to SQLite: the state of its reader.
 *
 *     nsys export --type sqlite report.nsys-rep
 *
 *     nsight.c    the file: which tables there are, what is said about the recording
 *     names.c     strings by their number (StringIds), names of threads and processes
 *     stacks.c    stacks: *_CALLCHAINS, and the samples that have them (COMPOSITE_EVENTS)
 *     calls.c     calls of CUDA, of the C library and others; ranges and marks of NVTX
 *     work.c      kernels, copies, graphs, synchronization
 *
 * Which tables become what:
 *
 *     CUPTI_ACTIVITY_KIND_KERNEL,    "GPU time", below the stack of the call that launched it: the
 *     MEMCPY, MEMSET, GRAPH_TRACE    NVTX ranges around it, its callers where they were recorded
 *     CUPTI_ACTIVITY_KIND_RUNTIME,   "event time": calls, by the tables' common columns start, end,
 *     OSRT_API, cuBLAS, MPI, ...     globalTid and nameId (or textId)
 *     NVTX_EVENTS                    ranges of a thread: "event time"; others and marks: markers
 *     COMPOSITE_EVENTS               "samples"
 *     ..._SYNCHRONIZATION            markers on the stream that waits
 *     DIAGNOSTIC_EVENT               warnings and errors: notes
 *     others with a column "start"   counted, and left out
 *
 * Tables and columns differ by version (2018 to 2026): both are found by name, and none has to be
 * there. A table is written when the first of its rows is, so one that lacks is one without rows.
 *
 * Times are nanoseconds since the begin of the session. Threads and processes are numbers that the
 * tables have in common: globalTid is hardware (8 bits), virtual machine (8), process (24), thread
 * (24); globalPid is the same without the thread. */
#ifndef FLAMEL_FORMAT_NSIGHT_INTERNAL_H
#define FLAMEL_FORMAT_NSIGHT_INTERNAL_H

#include "format/gpu/gpu.h"
#include "format/sqlite/texts.h"

/* A stack: its frames in flm_gpu.frames, the root first. */
struct flm_nsight_stack {
    int64_t id;
    uint32_t start, size;
    bool is_leaf_alone; /* no attempt was made to unwind it */
};

struct flm_nsight_stacks FLM_ARRAY(struct flm_nsight_stack);

struct flm_nsight {
    struct flm_sqlite db;
    struct flm_gpu gpu;
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_sqlite_texts strings, threads, processes, domains;
    uint64_t unknown_strings;
    bool has_processes; /* the tables of GPUs say of which process a correlation is */
};

/* ---- names.c --------------------------------------------------------------------------------- */

void flm_nsight_read_names(struct flm_nsight *n);
void flm_nsight_clear_names(struct flm_nsight *n);

void flm_nsight_add_text(struct flm_nsight *n, struct flm_sqlite_texts *texts, uint64_t key,
                         int64_t priority, struct flm_bytes text);
struct flm_bytes flm_nsight_text(const struct flm_sqlite_texts *texts, uint64_t key);

/* The string with that number; one that lacks is counted. A value that is a text is that text. */
struct flm_bytes flm_nsight_string(struct flm_nsight *n, const struct flm_sqlite_value *value);

/* The track of a thread, and of a stream of a GPU. */
uint32_t flm_nsight_thread(struct flm_nsight *n, int64_t global_tid);
uint32_t flm_nsight_stream(struct flm_nsight *n, int64_t global_pid, int64_t device,
                           int64_t stream);

/* The process of a thread: its number among all of them. */
static inline uint64_t flm_nsight_process_of(int64_t global_tid)
{
    return (uint64_t)global_tid >> 24;
}

/* Whose correlations they are: all of one where the export does not say. */
static inline uint64_t flm_nsight_group_of(const struct flm_nsight *n, int64_t global_id)
{
    return n->has_processes ? flm_nsight_process_of(global_id) : 0;
}

/* ---- stacks.c -------------------------------------------------------------------------------- */

void flm_nsight_read_stacks(struct flm_nsight *n, const char *table,
                            struct flm_nsight_stacks *stacks);
const struct flm_nsight_stack *flm_nsight_find_stack(const struct flm_nsight_stacks *stacks,
                                                     int64_t id);
void flm_nsight_read_samples(struct flm_nsight *n);

/* ---- calls.c --------------------------------------------------------------------------------- */

/* Whether the table has calls: start, end, a thread, a name. */
bool flm_nsight_has_calls(const struct flm_nsight *n, const struct flm_sqlite_table *table);
void flm_nsight_read_calls(struct flm_nsight *n, const struct flm_sqlite_table *table);
void flm_nsight_read_ranges(struct flm_nsight *n);

/* ---- work.c ---------------------------------------------------------------------------------- */

void flm_nsight_read_work(struct flm_nsight *n);

#endif
