/* symbolized_session.h - sessions (record/session/session.h) with the symbols of this machine.
 *
 *     symbolized_session.c   the symbolizer: modules of symbol/registry, files of runtimes
 *     names.c                names of functions
 *     frame_pointers.c       unwound stacks: unwinder.h, call_scan.h
 *     explain.c              why there are no names
 *     take.c                 recordings without end */
#ifndef FLAMEL_RECORD_SYMBOLS_SYMBOLIZED_SESSION_H
#define FLAMEL_RECORD_SYMBOLS_SYMBOLIZED_SESSION_H

#include "record/process/symbolizer.h"
#include "record/runtime/runtime.h"
#include "record/session/session.h"
#include "symbol/registry/module.h"

struct flm_session *flm_session_new(const struct flm_session_options *options,
                                    struct flm_error *why);

/* The losses and notes of a session as callbacks, for runtimes. */
struct flm_runtime_report flm_session_report(struct flm_session *session);

/* The vdso of this process, an ELF file in memory: the same in all 64-bit (or all 32-bit) processes
 * of a kernel. Size 0: there is none. */
struct flm_bytes flm_own_vdso(void);

/* A symbolizer that only knows modules, which are the caller's and are not freed with it: for
 * processes without a session. NULL when memory ran out. */
struct flm_symbolizer *flm_modules_symbolizer(struct flm_modules *modules);

/* ---- Recordings without end ------------------------------------------------------------------ */

/* Whether the symbol tables of all modules that occurred so far are made. If not, another thread
 * makes them, and events may be added meanwhile; flm_session_take would wait for them. */
bool flm_session_prepare(struct flm_session *session);

/* Adds everything since the last call to the builder, and forgets it: samples, stacks and losses.
 * Live processes, their mappings, and the tables of modules used in the last FLM_MODULE_ROUNDS
 * calls are kept. So a recording without end needs no more memory than its longest interval. The
 * time of threads that are off-CPU is counted until `until_ns` (FLM_NO_TIME: until the last event),
 * and the rest by the next call. After a failure only flm_session_free may be called. */
bool flm_session_take(struct flm_session *session, int64_t until_ns, struct flm_builder *builder,
                      struct flm_error *why);

/* What is kept in memory now: it must not grow with the number of processes that have ended. */
struct flm_session_kept {
    size_t processes, threads, names, labels, off_cpu;
    struct flm_modules_counts modules;
};
struct flm_session_kept flm_session_kept(const struct flm_session *session);

#endif
