/* process_map.h - who has what mapped where: every process as it is at the time of an event.
 *
 * A process is a sorted array of mappings that do not overlap: a new one cuts what lies below it. A
 * fork shares its parent's array until one of them changes it. Threads have names
 * (thread_table.h), and a process lives as long as one of them does. */
#ifndef FLAMEL_RECORD_SESSION_PROCESS_MAP_H
#define FLAMEL_RECORD_SESSION_PROCESS_MAP_H

#include "record/perf/event.h"
#include "symbol/registry/module.h"

struct flm_mapping {
    uint64_t start, end;
    uint64_t file_offset;      /* of `start` */
    struct flm_module *module; /* NULL: memory without a file (jitted code) */
    bool in_kernel;            /* addresses are the kernel's own: its module is asked for them */
};

struct flm_process {
    int32_t id;
    const struct flm_mapping *mappings; /* sorted, apart */
    size_t mapping_count;
    uint64_t changed; /* another number whenever a mapping changes, and for each process: for those
                         that remember an answer */
};

struct flm_processes;

/* `live`: the processes run here and now, so their files are looked for below their own roots.
 * `kernel_is_ours`: what is mapped by the kernel (the vdso) is as we have it. */
struct flm_processes_options {
    bool live, kernel_is_ours;
};

struct flm_processes *flm_processes_new(struct flm_modules *modules,
                                        const struct flm_processes_options *options,
                                        struct flm_error *why);
void flm_processes_free(struct flm_processes *processes);

/* `kernel_is_ours`, for readers that find out only while they read. */
void flm_processes_kernel(struct flm_processes *processes, bool is_ours);

/* The vdso of this process: an ELF file in memory, the same in all processes of one kernel that run
 * programs of the same width. Size 0: there is none. */
struct flm_bytes flm_own_vdso(void);

/* Map, name, fork, exit; other events change nothing. False when memory ran out. */
bool flm_processes_change(struct flm_processes *processes, const struct flm_event *event);

/* What a file is known by, where mappings do not say it: perf.data has a table of build ids. */
bool flm_processes_build_id(struct flm_processes *processes, struct flm_bytes path,
                            const struct flm_build_id *id);

/* The process; one that was never heard of has no mappings. NULL only when memory ran out. Id -1:
 * the kernel, whose mappings all have. */
const struct flm_process *flm_processes_get(struct flm_processes *processes, int32_t id);

/* Whether the process was heard of, and not forgotten. */
bool flm_processes_know(const struct flm_processes *processes, int32_t id);

/* The mapping that has the address; NULL if none has. */
const struct flm_mapping *flm_process_find(const struct flm_process *process, uint64_t address);

/* What a thread is called now; "" where it was never said. The text is good until the processes are
 * freed or flm_processes_forget_names, and the same name is the same text at the same location. */
struct flm_bytes flm_thread_name(const struct flm_processes *processes, int32_t thread);

/* What has ended before that time, and what only it needed: no sample of it can come any more. A
 * recording of a thousand short processes needs no more memory than one of the few that live at a
 * time. Pointers to processes are good no more. False when memory ran out, as below. */
bool flm_processes_forget(struct flm_processes *processes, int64_t before_ns);

/* The names of threads that are not there any more, when nobody holds their texts. */
bool flm_processes_forget_names(struct flm_processes *processes);

/* Says of every module that a process has mapped that it is needed: flm_modules_evict. */
void flm_processes_use(const struct flm_processes *processes);

/* How many are known now. */
struct flm_processes_counts {
    size_t processes, threads, names;
};
struct flm_processes_counts flm_processes_counts(const struct flm_processes *processes);

/* Where the kernel's own text begins; 0 where it was not said. */
uint64_t flm_processes_kernel_start(const struct flm_processes *processes);

#endif
