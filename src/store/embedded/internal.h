/* internal.h - the members of a store in a folder.
 *
 *     FOLDER/catalog.db        catalog.h
 *     FOLDER/segments/NAME     segment.h; a name is the generation that it is of, and a number
 *
 * A *generation* is a head: it is journaled under its number, and when it is frozen and sealed,
 * one transaction names its segments and drops its journal. So after any crash each batch is in
 * the journal or in a segment, and never in both.
 *
 * Locks, taken in this order:
 *
 *     maintenance   sealing, merging, removing: one at a time
 *     reading       the list of segments, and the segments themselves, whose queries share memory
 *     lock          the heads, and what is committed
 *     catalog       the database */
#ifndef FLAMEL_STORE_EMBEDDED_INTERNAL_H
#define FLAMEL_STORE_EMBEDDED_INTERNAL_H

#include <pthread.h>

#include "flamel/store.h"
#include "store/core/store_head.h"
#include "store/core/store_kind.h"
#include "store/embedded/catalog.h"
#include "store/embedded/pushed.h"
#include "store/labels/series_labels.h"
#include "store/segment/segment.h"

enum { FLM_SEGMENT_NAME = 48 };

struct flm_store_segment {
    char file[FLM_SEGMENT_NAME];
    int level;
    int64_t from_ms, until_ms;
    uint64_t rows, size;
    struct flm_segment *opened; /* NULL: not yet */
    bool is_damaged;
};

struct flm_store_segments FLM_ARRAY(struct flm_store_segment);

enum { FLM_STORE_HOUR_MS = 3600 * 1000, FLM_STORE_DAY_MS = 24 * FLM_STORE_HOUR_MS };

/* The metric of the tree of a segment: how many rows a stack has. */
#define FLM_STORE_ROWS_TYPE "rows:count"

/* A call to append, until what it appended is durable or has failed. */
struct flm_store_waiter {
    struct flm_store_waiter *next;
    enum { FLM_WAITING, FLM_DURABLE, FLM_FAILED } outcome;
    struct flm_error *why;
};

struct flm_embedded {
    struct flm_store base;
    char *folder;
    struct flm_store_recovery recovered;
    pthread_mutex_t maintenance, reading, lock, catalog_lock;

    struct flm_catalog *catalog;
    struct flm_store_segments segments; /* of `reading` */

    /* Of `lock`. */
    struct flm_head head;   /* of `generation` */
    struct flm_head frozen; /* is being sealed; without nodes: none is */
    int64_t generation, frozen_generation;
    int64_t next_generation; /* also of merged segments */
    int64_t sequence;        /* of the next entry of the journal */
    struct flm_head_mark committed;
    struct flm_pushed pushed;
    struct flm_store_waiter *waiters; /* for what was appended and is not committed */
    bool is_committing;
    pthread_cond_t changed;
};

static inline struct flm_embedded *flm_embedded_of(struct flm_store *store)
{
    return (struct flm_embedded *)store;
}

/* FOLDER/segments/FILE, and without `file` the folder. NULL when memory ran out; freed by the
 * caller. */
char *flm_store_path(const struct flm_embedded *store, const char *file);

/* Waits until all is committed, and freezes the head, if there is anything in it. Holds
 * `maintenance`. */
bool flm_store_freeze(struct flm_embedded *store, bool *frozen, struct flm_error *why);

/* Makes segments of the frozen head, and forgets it. Holds `maintenance`. */
bool flm_store_seal_frozen(struct flm_embedded *store, struct flm_error *why);

/* Makes new segments count instead of some others, which `replaced` says, ascending; and drops
 * the journal of a generation (-1: none), which is no longer frozen. All of it or nothing. Holds
 * `maintenance`. */
bool flm_store_publish(struct flm_embedded *store, const struct flm_store_segments *made,
                       const size_t *replaced, size_t count, int64_t generation,
                       struct flm_error *why);

/* Where the series of a service are in ascending texts of series: `service` is what they begin
 * with. */
void flm_store_service_range(const struct flm_bytes *series, size_t count, struct flm_bytes service,
                             uint32_t *from, uint32_t *size);

/* Opens a segment if it is not open yet. NULL: it is damaged, and set aside. Holds `reading`. */
struct flm_segment *flm_store_opened(struct flm_embedded *store, size_t segment);

/* Sets a segment aside: it is not read any more. Holds `reading`. */
void flm_store_quarantine(struct flm_embedded *store, size_t segment);

/* What the kind does, but for what is in store.c (store_kind.h). */
bool flm_embedded_batches(struct flm_store *store, int64_t from_ms, int64_t until_ms,
                          const struct flm_batch_taker *taker, struct flm_error *why);
struct flm_profile *flm_embedded_merge(struct flm_store *store, const struct flm_store_query *query,
                                       struct flm_error *why);
bool flm_embedded_timelines(struct flm_store *store, const struct flm_store_query *query,
                            const char *const *labels, size_t label_count, int64_t step_ms,
                            size_t count, size_t most_groups, flm_store_group each, void *context,
                            struct flm_error *why);
bool flm_embedded_types(struct flm_store *store, const struct flm_store_query *query,
                        flm_store_text each, void *context, struct flm_error *why);
bool flm_embedded_labels(struct flm_store *store, const struct flm_store_query *query,
                         struct flm_bytes key, flm_store_text each, void *context,
                         struct flm_error *why);
bool flm_embedded_series(struct flm_store *store, const struct flm_store_query *query,
                         flm_store_text each, void *context, struct flm_error *why);
bool flm_embedded_typed_series(struct flm_store *store, const struct flm_store_query *query,
                               flm_store_typed each, void *context, struct flm_error *why);
bool flm_embedded_save_view(struct flm_store *store, const char *tenant, const char *name,
                            const struct flm_name *text, struct flm_error *why);
bool flm_embedded_views(struct flm_store *store, const char *tenant, flm_store_view each,
                        void *context, struct flm_error *why);
bool flm_embedded_seal(struct flm_store *store, struct flm_error *why);
bool flm_embedded_compact(struct flm_store *store, int64_t now_ms, uint64_t *merged,
                          struct flm_error *why);
bool flm_embedded_retain(struct flm_store *store, int64_t before_ms, uint64_t *removed,
                         struct flm_error *why);
struct flm_store_stats flm_embedded_stats(struct flm_store *store);
bool flm_embedded_check(struct flm_store *store, struct flm_error *why);
bool flm_embedded_backup(struct flm_store *store, const char *folder, struct flm_error *why);

#endif
