/* session.h - events in, a profile out: processes, their mappings, stacks, and symbols at the end.
 *
 *     events ──► order.h ──► session ──► addresses of frames ──► symbols ──► builder ──► profile
 *                by time     │ process_map.h   who has what mapped where, at that time
 *                            │ unwinder.h      user stacks from registers and a copy of the stack
 *                            └ switches.h      waiting: from leaving a processor to coming back
 *
 * While events come, a stack is kept as numbers: each address becomes (module, address in it) the
 * moment it is seen, because mappings change, and those that are the same are the same number. What
 * they are called is asked once for each, at the end, module by module: so symbols cost per
 * location in the code, not per sample. A function without a symbol is called "libc.so.6+0x27b00",
 * by its module and where it begins there (flm_module_function_start), which is the frame's address
 * too; code of no known function by its own address.
 *
 * The profile has a metric for each event that has samples (perf/event_metrics.h), in the order of
 * the events and so the first one that was asked for in front, "off-cpu" when waiting was recorded,
 * and "samples"; samples with time, and labels process, thread and command; and in its losses
 * everything that was lost, throttled, cut, not unwound to its end, or not symbolized. */
#ifndef FLAMEL_RECORD_SESSION_SESSION_H
#define FLAMEL_RECORD_SESSION_SESSION_H

#include "flamel/builder.h"
#include "flamel/record.h"
#include "record/perf/event.h"
#include "record/runtime/runtime.h"
#include "symbol/registry/module.h"

struct flm_session;
struct flm_process; /* process_map.h */

struct flm_session_options {
    struct flm_modules_options symbols;
    bool keep_times;     /* every sample with its time and labels */
    bool live;           /* the processes run now: files are looked for below their roots */
    bool kernel_is_ours; /* recorded on this kernel, since it booted: its symbols may be asked */
    bool per_thread;     /* the outermost frame is the thread, below the command */
    bool lines;          /* frames have the line that they are at, and are told apart by it */
};

struct flm_session *flm_session_new(const struct flm_session_options *options,
                                    struct flm_error *why);
void flm_session_free(struct flm_session *session);

/* One event; a flm_event_sink. Samples may come unordered by as much as order.h evens out. False
 * only when memory ran out. */
bool flm_session_add(void *session, struct flm_event *event, struct flm_error *why);

/* What a file is known by, where mappings do not say it. */
bool flm_session_build_id(struct flm_session *session, struct flm_bytes path,
                          const struct flm_build_id *id);

/* Whether the recording is of this kernel, for readers that find out while they read; and where the
 * text of the recorded one began (0: not known): it is moved about at each start. */
void flm_session_kernel(struct flm_session *session, bool is_ours);
uint64_t flm_session_kernel_start(const struct flm_session *session);

/* Facts about the recording ("command", "host", "frequency"), and what got lost before it got here.
 */
void flm_session_note(struct flm_session *session, const char *key, struct flm_bytes value);
void flm_session_lost(struct flm_session *session, const char *what, double count);

/* Both, for runtimes. */
struct flm_runtime_report flm_session_report(struct flm_session *session);

/* The same, with where in the file it was first; `what` lasts as long as the session. False when
 * memory ran out. */
bool flm_session_lose_at(struct flm_session *session, const char *what, double count,
                         uint64_t offset);

/* Whether anything was counted yet. */
bool flm_session_has_samples(const struct flm_session *session);

/* How far symbolizing is, in modules; false stops. May be NULL. */
typedef bool (*flm_session_progress)(void *context, struct flm_bytes module, size_t done,
                                     size_t count);

/* Puts everything into the builder. */
bool flm_session_finish(struct flm_session *session, struct flm_builder *builder,
                        flm_session_progress progress, void *context, struct flm_error *why);

/* Whether all tables are made that naming what came until now takes. If not, they are begun beside,
 * and events may be added meanwhile: flm_session_take would wait for them. */
bool flm_session_prepare(struct flm_session *session);

/* The same of what came since the last time, which is forgotten then: its samples, stacks and
 * losses. What was found out stays, as long as it is needed: processes that live, their mappings,
 * tables of what ran in the last FLM_MODULE_ROUNDS regions. So a recording without end needs no
 * more memory than its longest region. Threads that wait have thread until `until_ns`
 * (FLM_NO_TIME: until the last event), and go on waiting. After a failure only flm_session_free. */
bool flm_session_take(struct flm_session *session, int64_t until_ns, struct flm_builder *builder,
                      struct flm_error *why);

/* ---- While it records ------------------------------------------------------------------------ */

/* The user part of a sample's stack, leaf first, unwound where it must be: `flamel record` writes
 * it to disk instead of the copy of the stack. It is a call chain with markers: FLM_CONTEXT_USER
 * stands in front of the leaf, and of each frame that a signal interrupted, because what follows a
 * marker is no return address. Good until the next call. */
struct flm_stack {
    const uint64_t *addresses;
    size_t count;
    bool is_whole; /* reached the outermost frame; else the last address is FLM_CODE_TRUNCATED */
};
struct flm_stack flm_session_unwind(struct flm_session *session, const struct flm_event *sample);

/* A process as it is now. NULL only when memory ran out. */
const struct flm_process *flm_session_process(struct flm_session *session, int32_t id);

struct flm_record_counts flm_session_counts(const struct flm_session *session);

/* What it keeps now: a recording of many short processes shall not grow with them. */
struct flm_session_kept {
    size_t processes, threads, names, labels, off_cpu;
    struct flm_modules_counts modules;
};
struct flm_session_kept flm_session_kept(const struct flm_session *session);

#endif
