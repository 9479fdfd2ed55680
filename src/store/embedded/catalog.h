/* catalog.h - what a store has, in a database: segments, series with their labels, the journal.
 *
 *     segment   file, level, from, until, rows, bytes       those that count; others are leftovers
 *     series    text, first and last time                   of all that was ever seen
 *     label     tenant, key, value -> series                which series have it
 *     journal   generation, sequence -> entry, checksum     acknowledged, in no segment yet
 *     pushed    number -> ids of batches that a commit made durable (pushed.h)
 *     view      tenant, name -> text
 *     setting   key -> value
 *
 * SQLite is durable, survives any crash and can be copied while it is in use, so none of that is
 * here. It runs with a write-ahead log and `synchronous=FULL`: what was committed is on the
 * disk.
 *
 * One thread at a time. The library is loaded when a store is opened (os/library.h). */
#ifndef FLAMEL_STORE_EMBEDDED_CATALOG_H
#define FLAMEL_STORE_EMBEDDED_CATALOG_H

#include "base/core/bytes.h"
#include "flamel/error.h"

struct flm_catalog;

/* Opens or makes the database at `path`. One process has a store: NULL, and `why`, where another
 * one does. */
struct flm_catalog *flm_catalog_open(const char *path, struct flm_error *why);
void flm_catalog_close(struct flm_catalog *catalog);

/* All until `commit` is done or not done. After a failure, `rollback`. */
bool flm_catalog_begin(struct flm_catalog *catalog, struct flm_error *why);
bool flm_catalog_commit(struct flm_catalog *catalog, struct flm_error *why);
void flm_catalog_rollback(struct flm_catalog *catalog);

/* ---- Journal --------------------------------------------------------------------------------- */

bool flm_catalog_journal_add(struct flm_catalog *catalog, int64_t generation, int64_t sequence,
                             struct flm_bytes entry, struct flm_error *why);
bool flm_catalog_journal_drop(struct flm_catalog *catalog, int64_t generation,
                              struct flm_error *why);

/* Calls `entry` for each, generations and sequences ascending, until it returns false; or for
 * those of one generation. One whose checksum is wrong is handed over with `damaged`. */
typedef bool (*flm_journal_sink)(void *context, int64_t generation, int64_t sequence,
                                 struct flm_bytes entry, bool damaged, struct flm_error *why);
bool flm_catalog_journal_each(struct flm_catalog *catalog, flm_journal_sink entry, void *context,
                              struct flm_error *why);
bool flm_catalog_journal_of(struct flm_catalog *catalog, int64_t generation, flm_journal_sink entry,
                            void *context, struct flm_error *why);

/* ---- Ids of batches -------------------------------------------------------------------------- */

/* Adds a row, and forgets those below another one. */
bool flm_catalog_pushed_add(struct flm_catalog *catalog, int64_t row, struct flm_bytes ids,
                            int64_t forget_below, struct flm_error *why);
typedef bool (*flm_pushed_sink)(void *context, int64_t row, struct flm_bytes ids,
                                struct flm_error *why);
bool flm_catalog_pushed_each(struct flm_catalog *catalog, flm_pushed_sink ids, void *context,
                             struct flm_error *why);

/* ---- Segments -------------------------------------------------------------------------------- */

struct flm_catalog_segment {
    int64_t id;
    int level; /* 0: as sealed; more: merged */
    int64_t from_ms, until_ms;
    uint64_t rows, size;
    const char *file; /* in the folder of the store */
    bool quarantined; /* it is damaged, and not read */
};

/* `id` is not used. */
bool flm_catalog_segment_add(struct flm_catalog *catalog, const struct flm_catalog_segment *segment,
                             struct flm_error *why);
bool flm_catalog_segment_drop(struct flm_catalog *catalog, const char *file, struct flm_error *why);
bool flm_catalog_segment_quarantine(struct flm_catalog *catalog, const char *file,
                                    struct flm_error *why);
typedef bool (*flm_segment_sink)(void *context, const struct flm_catalog_segment *segment,
                                 struct flm_error *why);
bool flm_catalog_segments_each(struct flm_catalog *catalog, flm_segment_sink segment, void *context,
                               struct flm_error *why);

/* ---- Series ---------------------------------------------------------------------------------- */

/* Adds a series with its labels; one that is known gets the time. */
bool flm_catalog_series_add(struct flm_catalog *catalog, struct flm_bytes text, int64_t time_ms,
                            struct flm_error *why);

/* Calls `text` for each value of a label (key), or for each key (`key` {NULL, 0}), of a tenant,
 * ascending and once. */
typedef bool (*flm_text_each)(void *context, struct flm_bytes text);
bool flm_catalog_labels(struct flm_catalog *catalog, struct flm_bytes tenant, struct flm_bytes key,
                        flm_text_each text, void *context, struct flm_error *why);

/* Calls `text` for each series of a tenant that has a label; with `key` {NULL, 0}, for each. */
bool flm_catalog_series(struct flm_catalog *catalog, struct flm_bytes tenant, struct flm_bytes key,
                        struct flm_bytes value, flm_text_each text, void *context,
                        struct flm_error *why);

/* Calls `value` for each value of a label from `first` on, ascending and once, until it returns
 * false. Each costs a lookup in the index, however many series have it. */
bool flm_catalog_values(struct flm_catalog *catalog, struct flm_bytes tenant, struct flm_bytes key,
                        struct flm_bytes first, flm_text_each value, void *context,
                        struct flm_error *why);

/* Forgets the series that were last seen before. */
bool flm_catalog_series_forget(struct flm_catalog *catalog, int64_t before_ms,
                               struct flm_error *why);

/* ---- Views ----------------------------------------------------------------------------------- */

/* `text` {NULL, 0} removes it. */
bool flm_catalog_view_save(struct flm_catalog *catalog, struct flm_bytes tenant,
                           struct flm_bytes name, struct flm_bytes text, struct flm_error *why);
typedef bool (*flm_view_each)(void *context, struct flm_bytes name, struct flm_bytes text);
bool flm_catalog_views(struct flm_catalog *catalog, struct flm_bytes tenant, flm_view_each view,
                       void *context, struct flm_error *why);

/* ---- Maintenance ----------------------------------------------------------------------------- */

/* Copies the database, as it is now, to `path`, while it is in use. */
bool flm_catalog_backup(struct flm_catalog *catalog, const char *path, struct flm_error *why);

/* Reads every page: false, and `why`, where the database is damaged. */
bool flm_catalog_check(struct flm_catalog *catalog, struct flm_error *why);

#endif
