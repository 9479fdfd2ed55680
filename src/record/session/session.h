/* session.h - from events to a profile: processes, mappings, stacks, and symbols at the end.
 *
 *     events ──► order.h ──► session ──► addresses of frames ──► symbols ──► builder ──► profile
 *                by time     │ process_map.h   the mappings of each process, at that time
 *                            │ unwinder.h      user stacks from registers and a stack dump
 *                            └ switches.h      off-CPU time: from leaving a CPU to coming back
 *
 * While events arrive, stacks are kept as numbers: each address becomes a location (module, address
 * in it) at once, because mappings change, and equal locations have equal numbers. Locations are
 * symbolized at the end, each once, module by module, so symbols cost per location and not per
 * sample. A function without a symbol is called "libc.so.6+0x27b00", by its module and its start
 * address there (flm_module_function_start), which is also the address of the frame; code that is
 * in no known function by its own address.
 *
 * The profile has a metric for each event with samples (perf/event_metrics.h), in the order in
 * which events were requested, "off-cpu" if off-CPU time was recorded, and "samples"; samples with
 * time and the labels process, thread and command, and those of off-CPU time with their state
 * (sched_state.h); markers and counters (session_markers.h); and as losses everything that was
 * lost, throttled or truncated. Frames without a symbol are flagged as unsymbolized. */
#ifndef FLAMEL_RECORD_SESSION_SESSION_H
#define FLAMEL_RECORD_SESSION_SESSION_H

#include "flamel/builder.h"
#include "flamel/record.h"
#include "record/perf/event.h"

struct flm_session;
struct flm_process;    /* process_map.h */
struct flm_symbolizer; /* symbolizer.h */

struct flm_session_options {
    struct flm_modules_options symbols;
    bool keep_times;     /* every sample with its time and labels */
    bool live;           /* processes run now: files are searched below their roots */
    bool kernel_is_ours; /* recorded on this kernel, since it booted: its symbols are valid */
    bool per_thread;     /* the thread is a frame, below the command */
    bool lines;          /* frames have lines, and differ by them */
    bool locations;      /* or else lines and addresses of frames are kept: profile/chains.h */
    bool has_runtimes;   /* interpreters are read while it is recorded */
    bool has_agents;     /* agents are loaded into programs (--java) */
    bool off_cpu;        /* off-CPU time is recorded: 0 where no thread waits, and not missing */
    bool clones;         /* clones that the compiler made are functions of their own */
};

/* Keeps the symbolizer, also on failure. record/symbols/symbolized_session.h has a session with the
 * symbols of this machine. */
struct flm_session *flm_session_begin(const struct flm_session_options *options,
                                      struct flm_symbolizer *symbolizer, struct flm_error *why);
void flm_session_free(struct flm_session *session);

/* One event; a flm_event_sink. Events must be in the order of time (order.h). False only when
 * memory ran out. */
bool flm_session_add(void *session, struct flm_event *event, struct flm_error *why);

/* The build id of a file, for mappings that do not have one. */
bool flm_session_build_id(struct flm_session *session, struct flm_bytes path,
                          const struct flm_build_id *id);

/* Whether the recording is of this kernel, for readers that learn it while they read; and the
 * address at which the text of the recorded kernel began (0: unknown), which differs at each
 * boot. */
void flm_session_kernel(struct flm_session *session, bool is_ours);
uint64_t flm_session_kernel_start(const struct flm_session *session);

/* When it was recorded, in nanoseconds since 1970, for readers that know it. */
void flm_session_recorded(struct flm_session *session, int64_t from_ns, int64_t until_ns);

/* Notes about the recording ("command", "host", "frequency"), and losses before the session. */
void flm_session_note(struct flm_session *session, const char *key, struct flm_bytes value);
void flm_session_lost(struct flm_session *session, const char *what, double count);

/* A loss with the offset in the file where it occurred first; `what` must outlive the session.
 * False when memory ran out. */
bool flm_session_lose_at(struct flm_session *session, const char *what, double count,
                         uint64_t offset);

/* Memory in use from a time on: of a process, or of the machine (-1). And how a process ended,
 * which its marker says then. False when memory ran out. */
bool flm_session_memory(struct flm_session *session, int32_t process, int64_t time_ns,
                        double bytes);
bool flm_session_exit(struct flm_session *session, int32_t process, struct flm_bytes status);

/* Processes that have not ended, at most `most` into `processes`; returns how many there are. */
size_t flm_session_processes(const struct flm_session *session, int32_t *processes, size_t most);

/* Whether there is any sample yet. */
bool flm_session_has_samples(const struct flm_session *session);

/* Whether a context switch of the thread was recorded. */
bool flm_session_saw_switch(const struct flm_session *session, int32_t thread);

/* The progress of symbolization, in modules; false stops. May be NULL. */
typedef bool (*flm_session_progress)(void *context, struct flm_bytes module, size_t done,
                                     size_t count);

/* Adds everything to the builder. */
bool flm_session_finish(struct flm_session *session, struct flm_builder *builder,
                        flm_session_progress progress, void *context, struct flm_error *why);

/* ---- While it records ------------------------------------------------------------------------ */

/* The user part of a sample's stack, leaf first, unwound if it has a stack dump: `flamel record`
 * spools it instead of the dump. It is a call chain with markers: FLM_CONTEXT_USER is in front of
 * the leaf and of each frame that a signal interrupted, because the address after a marker is not a
 * return address. Valid until the next call. */
struct flm_stack {
    const uint64_t *addresses;
    size_t count;
    bool is_whole; /* it has its outermost frame; else its last address is FLM_CODE_TRUNCATED */
    bool is_beyond_dump; /* a larger stack dump would have more of it */
    size_t dump_size;    /* bytes of the stack dump that were needed; 0: unknown */
    uint32_t end;        /* enum flm_unwind_end: why it is not whole */
};
struct flm_stack flm_session_unwind(struct flm_session *session, const struct flm_event *sample);

/* Counts the stack that was unwound last as whole: a runtime has found its outer frames. */
void flm_session_completed(struct flm_session *session, const struct flm_stack *stack);

/* The same of a sample whose outer frames a runtime has: it is not counted. */
struct flm_stack flm_session_unwind_part(struct flm_session *session,
                                         const struct flm_event *sample);

/* A process as it is now. NULL only when memory ran out. */
const struct flm_process *flm_session_process(struct flm_session *session, int32_t id);

/* How many of the known processes still run, and one of them. */
uint32_t flm_session_living(const struct flm_session *session, int32_t *process);

struct flm_record_counts flm_session_counts(const struct flm_session *session);

#endif
