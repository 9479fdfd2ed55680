/* process_map.h - the mappings and threads of every process, as of the current event.
 *
 * The mappings of a process are a sorted array without overlaps: a new mapping replaces what it
 * covers. A forked process shares the array of its parent until one of them changes it. Threads
 * have names (thread_table.h), and a process lives as long as one of its threads does. */
#ifndef FLAMEL_RECORD_PROCESS_PROCESS_MAP_H
#define FLAMEL_RECORD_PROCESS_PROCESS_MAP_H

#include "record/process/symbolizer.h"

struct flm_mapping {
    uint64_t start, end;
    uint64_t file_offset;      /* of `start` */
    struct flm_module *module; /* NULL: memory without a file (jitted code) */
    bool in_kernel;            /* addresses are the kernel's own, and those of its module */
};

struct flm_process {
    int32_t id;
    const struct flm_mapping *mappings; /* sorted, without overlaps */
    size_t mapping_count;
    int64_t started_ns; /* its last fork or exec; FLM_NO_TIME: before the recording */
    uint64_t changed;   /* a new number at each change of a mapping; differs between processes: for
                         caches */
};

struct flm_processes;

/* `live`: the processes run here and now, so their files are searched below their own roots.
 * `kernel_is_ours`: the vdso that the kernel maps is the one we have. */
struct flm_processes_options {
    bool live, kernel_is_ours;
};

/* The symbolizer is borrowed. */
struct flm_processes *flm_processes_new(struct flm_symbolizer *symbolizer,
                                        const struct flm_processes_options *options,
                                        struct flm_error *why);
void flm_processes_free(struct flm_processes *processes);

/* Sets `kernel_is_ours`, for readers that learn it while they read. */
void flm_processes_kernel(struct flm_processes *processes, bool is_ours);

/* Applies a map, name, fork or exit event; others change nothing. False when memory ran out. */
bool flm_processes_change(struct flm_processes *processes, const struct flm_event *event);

/* The build id of a file whose mappings have none: perf.data has a table of build ids. */
bool flm_processes_build_id(struct flm_processes *processes, struct flm_bytes path,
                            const struct flm_build_id *id);

/* The process; an unknown one is added, without mappings. NULL only when memory ran out. Id -1 is
 * the kernel, whose mappings all processes have. */
const struct flm_process *flm_processes_get(struct flm_processes *processes, int32_t id);

/* Whether the process is known, and not forgotten. */
bool flm_processes_know(const struct flm_processes *processes, int32_t id);

/* The mapping that contains the address; NULL: none. */
const struct flm_mapping *flm_process_find(const struct flm_process *process, uint64_t address);

/* The current name of a thread; "" if unknown. Valid until the processes are freed, or
 * flm_processes_forget_names; equal names have the same address. */
struct flm_bytes flm_thread_name(const struct flm_processes *processes, int32_t thread);

/* Forgets the processes and threads that ended before that time, which have no more samples, and
 * what only they needed. A recording of a thousand short processes needs no more memory than one of
 * the few that live at a time. Pointers to processes are invalid after it. False when memory ran
 * out, as below. */
bool flm_processes_forget(struct flm_processes *processes, int64_t before_ns);

/* Forgets the names that no thread has; nobody may still use them. */
bool flm_processes_forget_names(struct flm_processes *processes);

/* Calls `use` with the modules of all mappings. */
void flm_processes_use(const struct flm_processes *processes,
                       void (*use)(struct flm_module *module));

/* How many still run on this machine, and one of them: for live processes. */
uint32_t flm_processes_living(const struct flm_processes *processes, int32_t *process);

/* Those that have not ended, at most `most` into `ids`; returns how many there are. */
size_t flm_processes_list(const struct flm_processes *processes, int32_t *ids, size_t most);

/* How many are in memory. */
struct flm_processes_counts {
    size_t processes, threads, names;
};
struct flm_processes_counts flm_processes_counts(const struct flm_processes *processes);

/* The address of the kernel's text; 0: unknown. */
uint64_t flm_processes_kernel_start(const struct flm_processes *processes);

#endif
