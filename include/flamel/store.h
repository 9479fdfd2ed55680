/* store.h - profiles of many programs over time, kept and queried.
 *
 *     struct flm_store *store = flm_store_open("flamel-data", NULL, &why);
 *     const struct flm_store_label_text labels[] = {{"service", "api"}, {"host", "a7"}};
 *     struct flm_store_batch batch = {profile, NULL, labels, 2, now_ms};
 *     flm_store_append(store, &batch, 1, &why);              it is on the disk when this returns
 *
 *     struct flm_store_query query = {.size = sizeof query, .selector = "service=api",
 *                                     .from_ms = now_ms - 3600000, .until_ms = now_ms};
 *     struct flm_profile *sum = flm_store_merge(store, &query, &why);
 *
 * What is appended is a profile with labels, at a time: 15 seconds of a process, say. The labels
 * are a *series*; a metric and its unit are a *type*, "cpu:ns". A query takes the series that
 * its selector matches, and the time from `from_ms` up to, but without, `until_ms`; a batch is
 * at one moment, the one that it was appended with. Times are milliseconds since 1970. Times and
 * labels of single samples, locations in functions, notes and markers of the profiles are not
 * kept.
 *
 * *Tenants* do not see each other: each query and batch has one, "" where it is not said.
 *
 * A store is a folder, and one process has it open; or, for many machines, a database of a
 * ClickHouse server, "clickhouse://host:8123/flamel" (docs/man/flamel-store.1 has the rest), which
 * any number of processes use, and which needs none of the following.
 *
 * In a folder, appended batches are journaled (SQLite), then sealed as immutable files of columns,
 * by `flm_store_seal`; small files are merged by `flm_store_compact`, old ones removed by
 * `flm_store_retain`. Whoever keeps a store open calls these from time to time. What a crash leaves
 * behind is put in order when the store is opened. Any number of threads may use a store at
 * once. */
#ifndef FLAMEL_STORE_H
#define FLAMEL_STORE_H

#include "flamel/compare.h"
#include "flamel/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

struct flm_store;

/* What opening found, and did: all 0 after an orderly end. */
struct flm_store_recovery {
    uint64_t journal_entries;  /* acknowledged and not sealed yet: they are in the store again */
    uint64_t damaged_entries;  /* of the journal, and those that refer to what is in them */
    uint64_t removed_files;    /* that were being written */
    uint64_t damaged_segments; /* set aside: they are not read */
};

struct flm_store_options {
    size_t size;     /* sizeof (struct flm_store_options) */
    bool must_exist; /* do not make a store where there is none */
};

/* Opens the store in a folder, or at a URL, or makes it. NULL, and `why`: when it cannot be had,
 * another process has the folder, or SQLite (libcurl, for a URL) is not installed. */
struct flm_store *flm_store_open(const char *location, const struct flm_store_options *options,
                                 struct flm_error *why);
void flm_store_close(struct flm_store *store);
struct flm_store_recovery flm_store_recovered(const struct flm_store *store);

/* ---- Writing --------------------------------------------------------------------------------- */

struct flm_store_label_text {
    const char *key, *value; /* "service", or "service_name", is the service */
};

struct flm_store_batch {
    const struct flm_profile *profile;
    const char *tenant; /* NULL: "" */
    const struct flm_store_label_text *labels;
    size_t label_count;
    int64_t time_ms;
    const char *id; /* of whoever made it; NULL: none */
};

/* A batch with an id that its tenant had before is not appended again: who did not get an answer
 * may send it again. The last 250,000 ids are remembered, at least, of all tenants together; one is
 * at most 1,000 bytes long. */
enum { FLM_STORE_LONGEST_ID = 1000 };

/* Appends all of the batches, or none. When it returns true they survive any crash; threads that
 * append at the same time share a write to the disk. False, and `why`: FLM_ERROR_FORMAT or
 * FLM_ERROR_RANGE for labels or times that cannot be, FLM_ERROR_SYSTEM where the disk is full. */
bool flm_store_append(struct flm_store *store, const struct flm_store_batch *batches, size_t count,
                      struct flm_error *why);

/* ---- Queries --------------------------------------------------------------------------------- */

struct flm_store_query {
    size_t size; /* sizeof (struct flm_store_query) */
    const char *tenant;
    const char
        *selector; /* "service=api region!=eu host=~'web.*'", or as Prometheus has it; NULL: all */
    const char *type; /* "cpu:ns", or "cpu"; NULL: all types, a metric each */
    int64_t from_ms, until_ms;

    /* And of the series that the selector matches those with these labels; with "" as the value,
     * those without the label. */
    const struct flm_store_label_text *labels;
    size_t label_count;
};

/* The sum of all that the query wants: a profile with no stacks where there is nothing. Segments
 * that are damaged are set aside, and are losses of the profile. */
struct flm_profile *flm_store_merge(struct flm_store *store, const struct flm_store_query *query,
                                    struct flm_error *why);

/* Adds, for each step, the values of the batches in it to *value: `count` values, of [from + i *
 * step, from + (i + 1) * step). The query must want one type. */
bool flm_store_timeline(struct flm_store *store, const struct flm_store_query *query,
                        int64_t step_ms, double *values, size_t count, struct flm_error *why);

/* The same for each group of series that have the same values of some labels, "" where a series
 * has none of a name; groups without a value in the range are left out. Calls `each`, ascending
 * by the values of the labels, until it returns false; what it gets is good during the call.
 * False, and `why` (FLM_ERROR_RANGE), where there are more than `most_groups`. */
typedef bool (*flm_store_group)(void *context, const char *const *label_values,
                                const double *values);
bool flm_store_timelines(struct flm_store *store, const struct flm_store_query *query,
                         const char *const *labels, size_t label_count, int64_t step_ms,
                         size_t count, size_t most_groups, flm_store_group each, void *context,
                         struct flm_error *why);

/* These call `each` for texts, ascending, each once, until it returns false: the types that
 * there are in the range of the query; the names of labels, the values of one, and the series (as
 * "service_name=api host=a7") of what the query's selector matches. Names, values and series are
 * of all that is known, whatever the range of time. */
typedef bool (*flm_store_text)(void *context, struct flm_name text);
bool flm_store_types(struct flm_store *store, const struct flm_store_query *query,
                     flm_store_text each, void *context, struct flm_error *why);
bool flm_store_label_names(struct flm_store *store, const struct flm_store_query *query,
                           flm_store_text each, void *context, struct flm_error *why);
bool flm_store_label_values(struct flm_store *store, const struct flm_store_query *query,
                            const char *label, flm_store_text each, void *context,
                            struct flm_error *why);
bool flm_store_series(struct flm_store *store, const struct flm_store_query *query,
                      flm_store_text each, void *context, struct flm_error *why);

/* Calls `each` for the labels of each series, the service first, with each type that it has in the
 * range of the query: what it gets is good during the call. */
typedef bool (*flm_store_typed)(void *context, const struct flm_store_label_text *labels,
                                size_t label_count, struct flm_name type);
bool flm_store_typed_series(struct flm_store *store, const struct flm_store_query *query,
                            flm_store_typed each, void *context, struct flm_error *why);

/* ---- Views ----------------------------------------------------------------------------------- */

/* Texts with a name that a tenant keeps, as the page of a server does: saved, replaced, or, without
 * a text, removed. Listed by name, ascending, until `each` returns false. */
bool flm_store_save_view(struct flm_store *store, const char *tenant, const char *name,
                         const struct flm_name *text, struct flm_error *why);
typedef bool (*flm_store_view)(void *context, struct flm_name name, struct flm_name text);
bool flm_store_views(struct flm_store *store, const char *tenant, flm_store_view each,
                     void *context, struct flm_error *why);

/* ---- Keeping it in order --------------------------------------------------------------------- */

/* Writes what is in the journal as segments. Appending and queries go on meanwhile. */
bool flm_store_seal(struct flm_store *store, struct flm_error *why);

/* Merges the segments of an hour that is over by `now_ms`, then those of a day. *merged receives
 * how many files became fewer. */
bool flm_store_compact(struct flm_store *store, int64_t now_ms, uint64_t *merged,
                       struct flm_error *why);

/* Removes segments whose samples are all before a time, and series that were not seen since; in
 * ClickHouse, days that end before it. */
bool flm_store_retain(struct flm_store *store, int64_t before_ms, uint64_t *removed,
                      struct flm_error *why);

struct flm_store_stats {
    uint64_t segments, damaged_segments; /* segments: in ClickHouse its parts */
    uint64_t rows, bytes;                /* of the segments */
    uint64_t pending_batches;            /* not sealed yet: one for each metric of a profile */
    uint64_t memory_bytes;               /* that these take, about */
    int64_t from_ms, until_ms;           /* of all samples; both 0 where there is none */
    uint64_t repeated_batches;           /* whose ids came before: since it was opened */
};
struct flm_store_stats flm_store_stats(struct flm_store *store);

/* Reads everything. False, and `why` with the first thing that is damaged. */
bool flm_store_check(struct flm_store *store, struct flm_error *why);

/* Copies the store to a new folder while it is in use. */
bool flm_store_backup(struct flm_store *store, const char *folder, struct flm_error *why);

/* Appends the profiles of `from` in [from_ms, until_ms), of all tenants, and its views, to another
 * store of any kind. *copied receives the number of batches, of one metric each. An interrupted
 * copy can be repeated: what it appended is recognized by its id, as long as `to` remembers ids.
 * Profiles that reached `to` in another way are counted twice. */
bool flm_store_copy(struct flm_store *from, struct flm_store *to, int64_t from_ms, int64_t until_ms,
                    uint64_t *copied, struct flm_error *why);

/* ---- Runs ------------------------------------------------------------------------------------ */

/* What a store has as runs: for a verdict over a deploy, and for changes in the course of time.
 *
 *     struct flm_store_runs *runs = flm_store_runs_new(&why);
 *     flm_store_runs_add(runs, store, &before, NULL, false, &why);     a run for each series
 *     flm_store_runs_add(runs, store, &after, NULL, true, &why);
 *     const struct flm_gate_run *list = flm_store_runs_list(runs, &count);
 *     result = flm_gate_compare(list, count, NULL, &why);              flamel/gate.h
 *     flm_store_runs_free(runs);
 *
 * A run is the sum of what a query wants of one series, or of those with one value of a label,
 * or of all; in its whole range of time or in each step of it. Those without a profile are left
 * out. Runs are normalized (flm_run_normalize): builds before and after a deploy have other
 * addresses. Costs a query of the store for each run. */

/* `size` is sizeof (struct flm_store_runs_options); fields that are 0 are the defaults. */
struct flm_store_runs_options {
    size_t size;
    const char *by;  /* a run for each value of this label ("service" too), not for each series */
    bool of_all;     /* nor for each series: all that the query wants is one */
    int64_t step_ms; /* and for each of so many milliseconds; 0: the range is one step */
    uint32_t most;   /* runs in all, those without a profile too: 1,000 */
};

struct flm_store_runs;

/* NULL, and `why`, if memory ran out. */
struct flm_store_runs *flm_store_runs_new(struct flm_error *why);
void flm_store_runs_free(struct flm_store_runs *runs); /* accepts NULL */

/* Adds the runs of a query, of one side, in the order of time and then of labels. Steps begin at
 * its `from_ms`; where that is before the first profile, at multiples of a step since 1970.
 * False, and `why`: FLM_ERROR_RANGE where there are too many. */
bool flm_store_runs_add(struct flm_store_runs *runs, struct flm_store *store,
                        const struct flm_store_query *query,
                        const struct flm_store_runs_options *options, bool is_new,
                        struct flm_error *why);

/* Good until more are added, or they are freed. A run is called by its labels ("pod=p1"), and by
 * when it begins where there are steps, which is its date too. */
const struct flm_gate_run *flm_store_runs_list(const struct flm_store_runs *runs, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
