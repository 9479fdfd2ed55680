/* catalog.c - the tables of a catalog, except those of series: journal, ids of batches, segments,
 * views. */
#include "store/embedded/catalog.h"

#include <string.h>

#include "base/core/hash.h"
#include "store/embedded/catalog_database.h"

/* ---- Journal --------------------------------------------------------------------------------- */

bool flm_catalog_journal_add(struct flm_catalog *c, int64_t generation, int64_t sequence,
                             struct flm_bytes entry, struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, FLM_SQL_JOURNAL_ADD, why);
    if (!s)
        return false;
    c->sql.bind_int64(s, 1, generation);
    c->sql.bind_int64(s, 2, sequence);
    c->sql.bind_int64(s, 3, (int64_t)flm_checksum(entry.at, entry.size));
    flm_catalog_bind(c, s, 4, entry);
    return flm_catalog_run(c, s, why);
}

bool flm_catalog_journal_drop(struct flm_catalog *c, int64_t generation, struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, FLM_SQL_JOURNAL_DROP, why);
    if (!s)
        return false;
    c->sql.bind_int64(s, 1, generation);
    return flm_catalog_run(c, s, why);
}

static bool each_entry(struct flm_catalog *c, sqlite3_stmt *s, flm_journal_sink sink, void *context,
                       struct flm_error *why)
{
    bool good = s != NULL;
    int status = SQLITE_DONE;
    while (good && (status = c->sql.step(s)) == SQLITE_ROW) {
        struct flm_bytes entry = flm_catalog_column(c, s, 3);
        bool damaged = flm_checksum(entry.at, entry.size) != (uint64_t)c->sql.column_int64(s, 2);
        good = sink(context, c->sql.column_int64(s, 0), c->sql.column_int64(s, 1), entry, damaged,
                    why);
    }
    if (good && status != SQLITE_DONE)
        good = flm_catalog_failed(c, why);
    if (s)
        c->sql.reset(s);
    return good;
}

bool flm_catalog_journal_each(struct flm_catalog *c, flm_journal_sink sink, void *context,
                              struct flm_error *why)
{
    return each_entry(c, flm_catalog_statement(c, FLM_SQL_JOURNAL_EACH, why), sink, context, why);
}

bool flm_catalog_journal_of(struct flm_catalog *c, int64_t generation, flm_journal_sink sink,
                            void *context, struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, FLM_SQL_JOURNAL_OF, why);
    if (s)
        c->sql.bind_int64(s, 1, generation);
    return each_entry(c, s, sink, context, why);
}

/* ---- Ids of batches -------------------------------------------------------------------------- */

bool flm_catalog_pushed_add(struct flm_catalog *c, int64_t row, struct flm_bytes ids,
                            int64_t forget_below, struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, FLM_SQL_PUSHED_ADD, why);
    if (!s)
        return false;
    c->sql.bind_int64(s, 1, row);
    flm_catalog_bind(c, s, 2, ids);
    if (!flm_catalog_run(c, s, why) || !(s = flm_catalog_statement(c, FLM_SQL_PUSHED_FORGET, why)))
        return false;
    c->sql.bind_int64(s, 1, forget_below);
    return flm_catalog_run(c, s, why);
}

bool flm_catalog_pushed_each(struct flm_catalog *c, flm_pushed_sink sink, void *context,
                             struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, FLM_SQL_PUSHED_EACH, why);
    bool good = s != NULL;
    int status = SQLITE_DONE;
    while (good && (status = c->sql.step(s)) == SQLITE_ROW)
        good = sink(context, c->sql.column_int64(s, 0), flm_catalog_column(c, s, 1), why);
    if (good && status != SQLITE_DONE)
        good = flm_catalog_failed(c, why);
    if (s)
        c->sql.reset(s);
    return good;
}

/* ---- Segments -------------------------------------------------------------------------------- */

bool flm_catalog_segment_add(struct flm_catalog *c, const struct flm_catalog_segment *segment,
                             struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, FLM_SQL_SEGMENT_ADD, why);
    if (!s)
        return false;
    const int64_t numbers[] = {segment->level, segment->from_ms, segment->until_ms,
                               (int64_t)segment->rows, (int64_t)segment->size};
    for (int i = 0; i < 5; i++)
        c->sql.bind_int64(s, i + 1, numbers[i]);
    flm_catalog_bind(c, s, 6, flm_bytes_of(segment->file));
    return flm_catalog_run(c, s, why);
}

static bool of_file(struct flm_catalog *c, enum flm_catalog_statement number, const char *file,
                    struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, number, why);
    if (!s)
        return false;
    flm_catalog_bind(c, s, 1, flm_bytes_of(file));
    return flm_catalog_run(c, s, why);
}

bool flm_catalog_segment_drop(struct flm_catalog *c, const char *file, struct flm_error *why)
{
    return of_file(c, FLM_SQL_SEGMENT_DROP, file, why);
}

bool flm_catalog_segment_quarantine(struct flm_catalog *c, const char *file, struct flm_error *why)
{
    return of_file(c, FLM_SQL_SEGMENT_QUARANTINE, file, why);
}

bool flm_catalog_segments_each(struct flm_catalog *c, flm_segment_sink sink, void *context,
                               struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, FLM_SQL_SEGMENT_EACH, why);
    bool good = s != NULL;
    int status = SQLITE_DONE;
    while (good && (status = c->sql.step(s)) == SQLITE_ROW) {
        struct flm_bytes file = flm_catalog_column(c, s, 6);
        char name[64];
        if (file.size >= sizeof name)
            return flm_catalog_failed(c, why);
        memcpy(name, file.at, file.size);
        name[file.size] = 0;
        const struct flm_catalog_segment segment = {.id = c->sql.column_int64(s, 0),
                                                    .level = (int)c->sql.column_int64(s, 1),
                                                    .from_ms = c->sql.column_int64(s, 2),
                                                    .until_ms = c->sql.column_int64(s, 3),
                                                    .rows = (uint64_t)c->sql.column_int64(s, 4),
                                                    .size = (uint64_t)c->sql.column_int64(s, 5),
                                                    .file = name,
                                                    .quarantined = c->sql.column_int64(s, 7) != 0};
        good = sink(context, &segment, why);
    }
    if (good && status != SQLITE_DONE)
        good = flm_catalog_failed(c, why);
    if (s)
        c->sql.reset(s);
    return good;
}

/* ---- Views ----------------------------------------------------------------------------------- */

bool flm_catalog_view_save(struct flm_catalog *c, struct flm_bytes tenant, struct flm_bytes name,
                           struct flm_bytes text, struct flm_error *why)
{
    sqlite3_stmt *s =
        flm_catalog_statement(c, text.at ? FLM_SQL_VIEW_SAVE : FLM_SQL_VIEW_REMOVE, why);
    if (!s)
        return false;
    flm_catalog_bind(c, s, 1, tenant);
    flm_catalog_bind(c, s, 2, name);
    if (text.at)
        flm_catalog_bind(c, s, 3, text);
    return flm_catalog_run(c, s, why);
}

bool flm_catalog_views(struct flm_catalog *c, struct flm_bytes tenant, flm_view_each view,
                       void *context, struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, FLM_SQL_VIEW_EACH, why);
    if (!s)
        return false;
    flm_catalog_bind(c, s, 1, tenant);
    int status;
    bool goes_on = true;
    while ((status = c->sql.step(s)) == SQLITE_ROW && goes_on)
        goes_on = view(context, flm_catalog_column(c, s, 0), flm_catalog_column(c, s, 1));
    bool good = status == SQLITE_DONE || !goes_on || flm_catalog_failed(c, why);
    c->sql.reset(s);
    return good;
}
