/* catalog_database.h - the SQLite database of a catalog, for the files that read and write its
 * tables: the statements, prepared when they are first used, and functions to bind, run and read
 * them. */
#ifndef FLAMEL_STORE_EMBEDDED_CATALOG_DATABASE_H
#define FLAMEL_STORE_EMBEDDED_CATALOG_DATABASE_H

#include "store/embedded/catalog.h"
#include "store/embedded/sqlite_library.h"

/* clang-format off */
#define FLM_CATALOG_STATEMENTS(each)                                                               \
    each(BEGIN, "BEGIN IMMEDIATE")                                                                 \
    each(COMMIT, "COMMIT")                                                                         \
    each(ROLLBACK, "ROLLBACK")                                                                     \
    each(JOURNAL_ADD, "INSERT INTO journal (generation, sequence, checksum, entry)"                \
                      " VALUES (?, ?, ?, ?)")                                                      \
    each(JOURNAL_DROP, "DELETE FROM journal WHERE generation = ?")                                 \
    each(JOURNAL_EACH, "SELECT generation, sequence, checksum, entry FROM journal"                 \
                       " ORDER BY generation, sequence")                                           \
    each(JOURNAL_OF, "SELECT generation, sequence, checksum, entry FROM journal"                   \
                     " WHERE generation = ? ORDER BY sequence")                                    \
    each(SEGMENT_ADD, "INSERT INTO segment (level, from_ms, until_ms, rows, size, file)"           \
                      " VALUES (?, ?, ?, ?, ?, ?)")                                                \
    each(SEGMENT_DROP, "DELETE FROM segment WHERE file = ?")                                       \
    each(SEGMENT_QUARANTINE, "UPDATE segment SET quarantined = 1 WHERE file = ?")                  \
    each(SEGMENT_EACH, "SELECT id, level, from_ms, until_ms, rows, size, file, quarantined"        \
                       " FROM segment ORDER BY from_ms, id")                                       \
    each(SERIES_FIND, "SELECT id FROM series WHERE text = ?")                                      \
    each(SERIES_ADD, "INSERT INTO series (text, first_ms, last_ms) VALUES (?, ?2, ?2)")            \
    each(SERIES_SEEN, "UPDATE series SET last_ms = max(last_ms, ?2),"                              \
                      " first_ms = min(first_ms, ?2) WHERE id = ?1")                               \
    each(SERIES_OLD, "SELECT id, text FROM series WHERE last_ms < ?")                              \
    each(SERIES_FORGET, "DELETE FROM series WHERE last_ms < ?")                                    \
    each(LABEL_ADD, "INSERT OR IGNORE INTO label (tenant, key, value, series)"                     \
                    " VALUES (?, ?, ?, ?)")                                                        \
    each(LABEL_FORGET, "DELETE FROM label"                                                         \
                       " WHERE tenant = ? AND key = ? AND value = ? AND series = ?")               \
    each(LABEL_KEYS, "SELECT DISTINCT key FROM label WHERE tenant = ? ORDER BY key")               \
    each(LABEL_VALUES, "SELECT DISTINCT value FROM label WHERE tenant = ? AND key = ?"             \
                       " ORDER BY value")                                                          \
    each(LABEL_FROM, "SELECT value FROM label WHERE tenant = ? AND key = ? AND value >= ?"         \
                     " ORDER BY value LIMIT 1")                                                    \
    each(LABEL_AFTER, "SELECT value FROM label WHERE tenant = ? AND key = ? AND value > ?"         \
                       " ORDER BY value LIMIT 1")                                                  \
    each(LABEL_SERIES, "SELECT text FROM label JOIN series ON series.id = label.series"            \
                       " WHERE tenant = ? AND key = ? AND value = ?")                              \
    each(TENANT_SERIES, "SELECT text FROM series WHERE text >= ?1 AND text < ?2")                  \
    each(PUSHED_ADD, "INSERT INTO pushed (number, ids) VALUES (?, ?)")                             \
    each(PUSHED_FORGET, "DELETE FROM pushed WHERE number < ?")                                     \
    each(PUSHED_EACH, "SELECT number, ids FROM pushed ORDER BY number")                            \
    each(VIEW_SAVE, "INSERT OR REPLACE INTO view (tenant, name, text) VALUES (?, ?, ?)")           \
    each(VIEW_REMOVE, "DELETE FROM view WHERE tenant = ? AND name = ?")                            \
    each(VIEW_EACH, "SELECT name, text FROM view WHERE tenant = ? ORDER BY name")                  \
    each(CHECK, "PRAGMA integrity_check(1)")
/* clang-format on */

#define FLM_CATALOG_NUMBER(name, text) FLM_SQL_##name,
enum flm_catalog_statement { FLM_CATALOG_STATEMENTS(FLM_CATALOG_NUMBER) FLM_SQL_COUNT };

struct flm_catalog {
    struct flm_sqlite sql;
    sqlite3 *database;
    sqlite3_stmt *statements[FLM_SQL_COUNT];
    char *path;
};

/* Returns false; `why` is the last error of the database. */
bool flm_catalog_failed(struct flm_catalog *catalog, struct flm_error *why);

/* A statement that is reset and has nothing bound to it. NULL, and `why`, where it cannot be
 * prepared. */
sqlite3_stmt *flm_catalog_statement(struct flm_catalog *catalog, enum flm_catalog_statement number,
                                    struct flm_error *why);

/* Bytes as parameter `at`, from 1 on. They are not copied: they have to stay until the statement is
 * reset. */
void flm_catalog_bind(struct flm_catalog *catalog, sqlite3_stmt *s, int at, struct flm_bytes bytes);

/* Column `at`, from 0 on, of the current row, until the next step. */
struct flm_bytes flm_catalog_column(struct flm_catalog *catalog, sqlite3_stmt *s, int at);

/* Runs a statement that returns no rows, and resets it. */
bool flm_catalog_run(struct flm_catalog *catalog, sqlite3_stmt *s, struct flm_error *why);

#endif
