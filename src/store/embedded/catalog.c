#include "store/embedded/catalog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/hash.h"
#include "os/library.h"
#include "store/embedded/sqlite_library.h"
#include "store/labels/series_labels.h"

/* ---- The library ----------------------------------------------------------------------------- */

#define AS_NAME(name) "sqlite3_" #name,

bool flm_sqlite_load(struct flm_sqlite *sqlite, struct flm_error *why)
{
    static const char *const files[] = {"libsqlite3.so.0", NULL};
    static const char *const names[] = {FLM_SQLITE_FUNCTIONS(AS_NAME) NULL};
    struct flm_error missing;
    return flm_library_open(files, names, sqlite, &missing) ||
           flm_error_set(
               why, FLM_ERROR_SYSTEM,
               "a store needs SQLite (Debian and Ubuntu: apt-get install libsqlite3-0): %s",
               missing.text);
}

/* ---- Statements ------------------------------------------------------------------------------ */

/* clang-format off */
#define STATEMENTS(each)                                                                           \
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
    each(LABEL_BEHIND, "SELECT value FROM label WHERE tenant = ? AND key = ? AND value > ?"        \
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

#define AS_NUMBER(name, text) name,
#define AS_TEXT(name, text) text,
enum statement { STATEMENTS(AS_NUMBER) STATEMENT_COUNT };
static const char *const statement_texts[] = {STATEMENTS(AS_TEXT)};

static const char schema[] =
    "CREATE TABLE setting (key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "INSERT INTO setting VALUES ('version', 1);"
    "CREATE TABLE journal (generation INTEGER, sequence INTEGER, checksum INTEGER, entry BLOB,"
    "    PRIMARY KEY (generation, sequence));"
    "CREATE TABLE segment (id INTEGER PRIMARY KEY, level INTEGER, from_ms INTEGER, until_ms "
    "INTEGER,"
    "    rows INTEGER, size INTEGER, file BLOB UNIQUE, quarantined INTEGER DEFAULT 0);"
    "CREATE TABLE series (id INTEGER PRIMARY KEY, text BLOB UNIQUE, first_ms INTEGER, last_ms "
    "INTEGER);"
    "CREATE TABLE label (tenant BLOB, key BLOB, value BLOB, series INTEGER,"
    "    PRIMARY KEY (tenant, key, value, series)) WITHOUT ROWID;";

/* What stores of an earlier flamel lack: one that does not know it lets it be. */
static const char added[] =
    "CREATE TABLE IF NOT EXISTS pushed (number INTEGER PRIMARY KEY, ids BLOB);"
    "CREATE TABLE IF NOT EXISTS view (tenant BLOB, name BLOB, text BLOB,"
    "    PRIMARY KEY (tenant, name)) WITHOUT ROWID;";

struct flm_catalog {
    struct flm_sqlite sql;
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    char *path;
};

static bool failed(struct flm_catalog *c, struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", c->path, c->sql.errmsg(c->database));
}

/* The statement, without what was bound to it before. They are prepared when they are first
 * used. */
static sqlite3_stmt *statement(struct flm_catalog *c, enum statement number, struct flm_error *why)
{
    sqlite3_stmt **s = &c->statements[number];
    if (*s) {
        c->sql.reset(*s);
        c->sql.clear_bindings(*s);
    } else if (c->sql.prepare_v2(c->database, statement_texts[number], -1, s, NULL) != SQLITE_OK) {
        failed(c, why);
        return NULL;
    }
    return *s;
}

static void bind(struct flm_catalog *c, sqlite3_stmt *s, int at, struct flm_bytes bytes)
{
    /* Of no bytes SQLite makes NULL, unless there is an address. */
    c->sql.bind_blob(s, at, bytes.size > 0 ? bytes.at : "", (int)bytes.size, SQLITE_STATIC);
}

static struct flm_bytes column(struct flm_catalog *c, sqlite3_stmt *s, int at)
{
    const char *bytes = c->sql.column_blob(s, at);
    return (struct flm_bytes){bytes ? bytes : "", (size_t)c->sql.column_bytes(s, at)};
}

/* Carries out a statement that returns no rows. */
static bool run(struct flm_catalog *c, sqlite3_stmt *s, struct flm_error *why)
{
    bool good = c->sql.step(s) == SQLITE_DONE || failed(c, why);
    c->sql.reset(s);
    return good;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static bool execute(struct flm_catalog *c, const char *text, struct flm_error *why)
{
    return c->sql.exec(c->database, text, NULL, NULL, NULL) == SQLITE_OK || failed(c, why);
}

static int64_t number_of(struct flm_catalog *c, const char *text)
{
    sqlite3_stmt *s = NULL;
    int64_t number = -1;
    if (c->sql.prepare_v2(c->database, text, -1, &s, NULL) == SQLITE_OK &&
        c->sql.step(s) == SQLITE_ROW)
        number = c->sql.column_int64(s, 0);
    c->sql.finalize(s);
    return number;
}

static bool prepare(struct flm_catalog *c, struct flm_error *why)
{
    c->sql.busy_timeout(c->database, 2000);
    /* Exclusive: the second process that opens the store is told so, instead of writing together
     * with the first. */
    if (!execute(c,
                 "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                 "PRAGMA wal_autocheckpoint=4000; PRAGMA cache_size=-32768; BEGIN IMMEDIATE",
                 why))
        return false;
    bool is_new = number_of(c, "SELECT count(*) FROM sqlite_master") == 0;
    if (is_new && !execute(c, schema, why))
        return false;
    int64_t version = number_of(c, "SELECT value FROM setting WHERE key = 'version'");
    if (version != 1)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             version < 0 ? "%s: this is no store of flamel"
                                         : "%s: the store is of a newer flamel",
                             c->path);
    return execute(c, added, why) && execute(c, "COMMIT", why);
}

struct flm_catalog *flm_catalog_open(const char *path, struct flm_error *why)
{
    struct flm_catalog *c = calloc(1, sizeof *c);
    if (!c || !(c->path = strdup(path))) {
        free(c);
        flm_error_memory(why);
        return NULL;
    }
    bool good = flm_sqlite_load(&c->sql, why);
    int status =
        good
            ? c->sql.open_v2(path, &c->database,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL)
            : SQLITE_OK;
    if (good && status != SQLITE_OK)
        good = flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, c->sql.errstr(status));
    struct flm_error inner;
    if (good && !prepare(c, &inner)) {
        good = false;
        if (strstr(inner.text, "locked"))
            flm_error_set(why, FLM_ERROR_SYSTEM, "%s: another process has the store open", path);
        else if (why)
            *why = inner;
    }
    if (!good) {
        flm_catalog_close(c);
        return NULL;
    }
    return c;
}

void flm_catalog_close(struct flm_catalog *c)
{
    if (!c)
        return;
    for (int i = 0; i < STATEMENT_COUNT; i++)
        if (c->statements[i])
            c->sql.finalize(c->statements[i]);
    if (c->database)
        c->sql.close(c->database);
    free(c->path);
    free(c);
}

/* ---- Transactions ---------------------------------------------------------------------------- */

static bool simple(struct flm_catalog *c, enum statement number, struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, number, why);
    return s && run(c, s, why);
}

bool flm_catalog_begin(struct flm_catalog *c, struct flm_error *why)
{
    return simple(c, BEGIN, why);
}

bool flm_catalog_commit(struct flm_catalog *c, struct flm_error *why)
{
    return simple(c, COMMIT, why);
}

void flm_catalog_rollback(struct flm_catalog *c)
{
    simple(c, ROLLBACK, NULL);
}

/* ---- Journal --------------------------------------------------------------------------------- */

bool flm_catalog_journal_add(struct flm_catalog *c, int64_t generation, int64_t sequence,
                             struct flm_bytes entry, struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, JOURNAL_ADD, why);
    if (!s)
        return false;
    c->sql.bind_int64(s, 1, generation);
    c->sql.bind_int64(s, 2, sequence);
    c->sql.bind_int64(s, 3, (int64_t)flm_checksum(entry.at, entry.size));
    bind(c, s, 4, entry);
    return run(c, s, why);
}

bool flm_catalog_journal_drop(struct flm_catalog *c, int64_t generation, struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, JOURNAL_DROP, why);
    if (!s)
        return false;
    c->sql.bind_int64(s, 1, generation);
    return run(c, s, why);
}

static bool each_entry(struct flm_catalog *c, sqlite3_stmt *s, flm_journal_sink sink, void *context,
                       struct flm_error *why)
{
    bool good = s != NULL;
    int status = SQLITE_DONE;
    while (good && (status = c->sql.step(s)) == SQLITE_ROW) {
        struct flm_bytes entry = column(c, s, 3);
        bool damaged = flm_checksum(entry.at, entry.size) != (uint64_t)c->sql.column_int64(s, 2);
        good = sink(context, c->sql.column_int64(s, 0), c->sql.column_int64(s, 1), entry, damaged,
                    why);
    }
    if (good && status != SQLITE_DONE)
        good = failed(c, why);
    if (s)
        c->sql.reset(s);
    return good;
}

bool flm_catalog_journal_each(struct flm_catalog *c, flm_journal_sink sink, void *context,
                              struct flm_error *why)
{
    return each_entry(c, statement(c, JOURNAL_EACH, why), sink, context, why);
}

bool flm_catalog_journal_of(struct flm_catalog *c, int64_t generation, flm_journal_sink sink,
                            void *context, struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, JOURNAL_OF, why);
    if (s)
        c->sql.bind_int64(s, 1, generation);
    return each_entry(c, s, sink, context, why);
}

/* ---- Ids of batches -------------------------------------------------------------------------- */

bool flm_catalog_pushed_add(struct flm_catalog *c, int64_t row, struct flm_bytes ids,
                            int64_t forget_below, struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, PUSHED_ADD, why);
    if (!s)
        return false;
    c->sql.bind_int64(s, 1, row);
    bind(c, s, 2, ids);
    if (!run(c, s, why) || !(s = statement(c, PUSHED_FORGET, why)))
        return false;
    c->sql.bind_int64(s, 1, forget_below);
    return run(c, s, why);
}

bool flm_catalog_pushed_each(struct flm_catalog *c, flm_pushed_sink sink, void *context,
                             struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, PUSHED_EACH, why);
    bool good = s != NULL;
    int status = SQLITE_DONE;
    while (good && (status = c->sql.step(s)) == SQLITE_ROW)
        good = sink(context, c->sql.column_int64(s, 0), column(c, s, 1), why);
    if (good && status != SQLITE_DONE)
        good = failed(c, why);
    if (s)
        c->sql.reset(s);
    return good;
}

/* ---- Segments -------------------------------------------------------------------------------- */

bool flm_catalog_segment_add(struct flm_catalog *c, const struct flm_catalog_segment *segment,
                             struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, SEGMENT_ADD, why);
    if (!s)
        return false;
    const int64_t numbers[] = {segment->level, segment->from_ms, segment->until_ms,
                               (int64_t)segment->rows, (int64_t)segment->size};
    for (int i = 0; i < 5; i++)
        c->sql.bind_int64(s, i + 1, numbers[i]);
    bind(c, s, 6, flm_bytes_of(segment->file));
    return run(c, s, why);
}

static bool of_file(struct flm_catalog *c, enum statement number, const char *file,
                    struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, number, why);
    if (!s)
        return false;
    bind(c, s, 1, flm_bytes_of(file));
    return run(c, s, why);
}

bool flm_catalog_segment_drop(struct flm_catalog *c, const char *file, struct flm_error *why)
{
    return of_file(c, SEGMENT_DROP, file, why);
}

bool flm_catalog_segment_quarantine(struct flm_catalog *c, const char *file, struct flm_error *why)
{
    return of_file(c, SEGMENT_QUARANTINE, file, why);
}

bool flm_catalog_segments_each(struct flm_catalog *c, flm_segment_sink sink, void *context,
                               struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, SEGMENT_EACH, why);
    bool good = s != NULL;
    int status = SQLITE_DONE;
    while (good && (status = c->sql.step(s)) == SQLITE_ROW) {
        struct flm_bytes file = column(c, s, 6);
        char name[64];
        if (file.size >= sizeof name)
            return failed(c, why);
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
        good = failed(c, why);
    if (s)
        c->sql.reset(s);
    return good;
}

/* ---- Series ---------------------------------------------------------------------------------- */

static bool each_label(struct flm_catalog *c, enum statement number, struct flm_bytes text,
                       int64_t series, struct flm_error *why)
{
    struct flm_store_label label;
    for (size_t at = 0; flm_series_next(text, &at, &label);) {
        sqlite3_stmt *s = statement(c, number, why);
        if (!s)
            return false;
        bind(c, s, 1, flm_series_tenant(text));
        bind(c, s, 2, label.key);
        bind(c, s, 3, label.value);
        c->sql.bind_int64(s, 4, series);
        if (!run(c, s, why))
            return false;
    }
    return true;
}

bool flm_catalog_series_add(struct flm_catalog *c, struct flm_bytes text, int64_t time_ms,
                            struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, SERIES_FIND, why);
    if (!s)
        return false;
    bind(c, s, 1, text);
    int status = c->sql.step(s);
    int64_t id = status == SQLITE_ROW ? c->sql.column_int64(s, 0) : 0;
    c->sql.reset(s);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        return failed(c, why);
    if (status == SQLITE_ROW) {
        if (!(s = statement(c, SERIES_SEEN, why)))
            return false;
        c->sql.bind_int64(s, 1, id);
        c->sql.bind_int64(s, 2, time_ms);
        return run(c, s, why);
    }
    if (!(s = statement(c, SERIES_ADD, why)))
        return false;
    bind(c, s, 1, text);
    c->sql.bind_int64(s, 2, time_ms);
    return run(c, s, why) &&
           each_label(c, LABEL_ADD, text, c->sql.last_insert_rowid(c->database), why);
}

static bool each_text(struct flm_catalog *c, sqlite3_stmt *s, flm_text_each text, void *context,
                      struct flm_error *why)
{
    int status;
    bool goes_on = true;
    while ((status = c->sql.step(s)) == SQLITE_ROW && goes_on)
        goes_on = text(context, column(c, s, 0));
    bool good = status == SQLITE_DONE || !goes_on || failed(c, why);
    c->sql.reset(s);
    return good;
}

bool flm_catalog_labels(struct flm_catalog *c, struct flm_bytes tenant, struct flm_bytes key,
                        flm_text_each text, void *context, struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, key.at ? LABEL_VALUES : LABEL_KEYS, why);
    if (!s)
        return false;
    bind(c, s, 1, tenant);
    if (key.at)
        bind(c, s, 2, key);
    return each_text(c, s, text, context, why);
}

bool flm_catalog_values(struct flm_catalog *c, struct flm_bytes tenant, struct flm_bytes key,
                        struct flm_bytes first, flm_text_each value, void *context,
                        struct flm_error *why)
{
    struct flm_text at = {0};
    enum statement which = LABEL_FROM;
    bool good = true, goes_on = true;
    flm_text_add(&at, first);
    while (good && goes_on) {
        sqlite3_stmt *s = statement(c, which, why);
        good = s && (!at.failed || flm_error_memory(why));
        if (!good)
            break;
        bind(c, s, 1, tenant);
        bind(c, s, 2, key);
        bind(c, s, 3, (struct flm_bytes){at.at, at.size});
        int status = c->sql.step(s);
        struct flm_text next = {0};
        if (status == SQLITE_ROW)
            flm_text_add(&next, column(c, s, 0));
        c->sql.reset(s); /* `value` may ask for more */
        flm_text_clear(&at);
        at = next;
        good = status == SQLITE_ROW || status == SQLITE_DONE || failed(c, why);
        goes_on = status == SQLITE_ROW && !at.failed &&
                  value(context, (struct flm_bytes){at.at, at.size});
        good = good && (!at.failed || flm_error_memory(why));
        which = LABEL_BEHIND;
    }
    flm_text_clear(&at);
    return good;
}

bool flm_catalog_series(struct flm_catalog *c, struct flm_bytes tenant, struct flm_bytes key,
                        struct flm_bytes value, flm_text_each text, void *context,
                        struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, key.at ? LABEL_SERIES : TENANT_SERIES, why);
    if (!s)
        return false;
    if (key.at) {
        bind(c, s, 1, tenant);
        bind(c, s, 2, key);
        bind(c, s, 3, value);
        return each_text(c, s, text, context, why);
    }
    /* Behind the tenant stands a NUL, and no text of a series has a larger byte there. */
    struct flm_text from = {0}, until = {0};
    flm_text_add(&from, tenant);
    flm_text_putc(&from, 0);
    flm_text_add(&until, tenant);
    flm_text_putc(&until, 1);
    bool good = !from.failed && !until.failed;
    if (good) {
        bind(c, s, 1, (struct flm_bytes){from.at, from.size});
        bind(c, s, 2, (struct flm_bytes){until.at, until.size});
        good = each_text(c, s, text, context, why);
    } else {
        flm_error_memory(why);
    }
    flm_text_clear(&from);
    flm_text_clear(&until);
    return good;
}

bool flm_catalog_series_forget(struct flm_catalog *c, int64_t before_ms, struct flm_error *why)
{
    sqlite3_stmt *old = statement(c, SERIES_OLD, why);
    if (!old)
        return false;
    c->sql.bind_int64(old, 1, before_ms);
    int status;
    bool good = true;
    while (good && (status = c->sql.step(old)) == SQLITE_ROW)
        good = each_label(c, LABEL_FORGET, column(c, old, 1), c->sql.column_int64(old, 0), why);
    if (good && status != SQLITE_DONE)
        good = failed(c, why);
    c->sql.reset(old);
    sqlite3_stmt *s = good ? statement(c, SERIES_FORGET, why) : NULL;
    if (s)
        c->sql.bind_int64(s, 1, before_ms);
    return s && run(c, s, why);
}

/* ---- Views ----------------------------------------------------------------------------------- */

bool flm_catalog_view_save(struct flm_catalog *c, struct flm_bytes tenant, struct flm_bytes name,
                           struct flm_bytes text, struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, text.at ? VIEW_SAVE : VIEW_REMOVE, why);
    if (!s)
        return false;
    bind(c, s, 1, tenant);
    bind(c, s, 2, name);
    if (text.at)
        bind(c, s, 3, text);
    return run(c, s, why);
}

bool flm_catalog_views(struct flm_catalog *c, struct flm_bytes tenant, flm_view_each view,
                       void *context, struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, VIEW_EACH, why);
    if (!s)
        return false;
    bind(c, s, 1, tenant);
    int status;
    bool goes_on = true;
    while ((status = c->sql.step(s)) == SQLITE_ROW && goes_on)
        goes_on = view(context, column(c, s, 0), column(c, s, 1));
    bool good = status == SQLITE_DONE || !goes_on || failed(c, why);
    c->sql.reset(s);
    return good;
}

/* ---- Maintenance ----------------------------------------------------------------------------- */

bool flm_catalog_backup(struct flm_catalog *c, const char *path, struct flm_error *why)
{
    sqlite3 *to = NULL;
    int status = c->sql.open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    sqlite3_backup *backup =
        status == SQLITE_OK ? c->sql.backup_init(to, "main", c->database, "main") : NULL;
    if (backup) {
        c->sql.backup_step(backup, -1);
        status = c->sql.backup_finish(backup);
    } else if (status == SQLITE_OK) {
        status = SQLITE_ERROR;
    }
    if (to)
        c->sql.close(to);
    return status == SQLITE_OK ||
           flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", path, c->sql.errstr(status));
}

bool flm_catalog_check(struct flm_catalog *c, struct flm_error *why)
{
    sqlite3_stmt *s = statement(c, CHECK, why);
    if (!s)
        return false;
    int status = c->sql.step(s);
    struct flm_bytes says = status == SQLITE_ROW ? column(c, s, 0) : (struct flm_bytes){"", 0};
    bool good = flm_bytes_are(says, "ok");
    if (!good)
        flm_error_set(why, FLM_ERROR_FORMAT, "%s: the database is damaged: %.*s", c->path,
                      (int)(says.size < 200 ? says.size : 200), says.at);
    c->sql.reset(s);
    return good;
}
