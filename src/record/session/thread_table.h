/* thread_table.h - the threads of a recording: what each is called, whose it is, and when it ended.
 *
 * A number is a thread's until the kernel gives it to another one; so a thread that has ended is
 * only marked, because samples of it may still come, and is dropped later by who knows the time. A
 * machine that compiles starts a hundred processes a second: without that, the table would be as
 * long as the recording. */
#ifndef FLAMEL_RECORD_SESSION_THREAD_TABLE_H
#define FLAMEL_RECORD_SESSION_THREAD_TABLE_H

#include "base/core/array.h"
#include "base/core/index.h"
#include "record/perf/owned_string.h"

struct flm_thread {
    int32_t id, process;
    uint32_t name;    /* of the table's; UINT32_MAX: it was never said */
    uint32_t program; /* which of its process's, see process_map.c */
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

/* NULL: there is none of that number. And the same, made where there is none: NULL when memory ran
 * out. Good until the next one is made. */
struct flm_thread *flm_thread_table_find(const struct flm_thread_table *table, int32_t id);
struct flm_thread *flm_thread_table_get(struct flm_thread_table *table, int32_t id);

/* False when memory ran out. */
bool flm_thread_table_name(struct flm_thread_table *table, struct flm_thread *thread,
                           struct flm_bytes name);

/* What a thread is called, "" where that is not known; the same name is the same text at the same
 * location. */
struct flm_bytes flm_thread_table_text(const struct flm_thread_table *table, int32_t id);

/* Drops the threads that `keep` does not want; false when memory ran out. */
typedef bool (*flm_thread_predicate)(void *context, const struct flm_thread *thread);
bool flm_thread_table_keep(struct flm_thread_table *table, flm_thread_predicate keep,
                           void *context);

/* Drops the names that no thread has, when nobody holds their texts; false when memory ran out. */
bool flm_thread_table_forget_names(struct flm_thread_table *table);

#endif
