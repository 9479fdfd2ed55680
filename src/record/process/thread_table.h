/* thread_table.h - the threads of a recording: name, process, and when each ended.
 *
 * The kernel reuses thread numbers. A thread that has ended is only marked, because its samples may
 * still come, and dropped later by the caller, who knows the time. A machine that compiles starts a
 * hundred processes a second: without that, the table would grow with the recording. */
#ifndef FLAMEL_RECORD_PROCESS_THREAD_TABLE_H
#define FLAMEL_RECORD_PROCESS_THREAD_TABLE_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "record/perf/owned_string.h"

struct flm_thread {
    int32_t id, process;
    uint32_t name;    /* in `names`; UINT32_MAX: unknown */
    uint32_t program; /* the program of its process: process_map.c */
    int64_t ended_ns; /* FLM_NO_TIME: it runs */
};

struct flm_thread_table {
    struct FLM_ARRAY(struct flm_thread) threads;
    struct flm_index index;
    struct FLM_ARRAY(struct flm_owned_string) names;
    struct flm_index name_index;
};

/* {0} is empty. */
void flm_thread_table_clear(struct flm_thread_table *table);

/* `find` returns NULL when there is no thread with that number; `get` adds it then, and returns
 * NULL when memory ran out. Valid until the next one is added. */
struct flm_thread *flm_thread_table_find(const struct flm_thread_table *table, int32_t id);
struct flm_thread *flm_thread_table_get(struct flm_thread_table *table, int32_t id);

/* False when memory ran out. */
bool flm_thread_table_name(struct flm_thread_table *table, struct flm_thread *thread,
                           struct flm_bytes name);

/* The name of a thread; "" if unknown. Equal names have the same address. */
struct flm_bytes flm_thread_table_text(const struct flm_thread_table *table, int32_t id);

/* Drops the threads for which `keep` returns false. False when memory ran out. */
typedef bool (*flm_thread_predicate)(void *context, const struct flm_thread *thread);
bool flm_thread_table_keep(struct flm_thread_table *table, flm_thread_predicate keep,
                           void *context);

/* Drops the names that no thread has; nobody may still use them. False when memory ran out. */
bool flm_thread_table_forget_names(struct flm_thread_table *table);

#endif
