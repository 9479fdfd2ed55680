/* catalog_database.c - the SQLite database of a catalog: statements, tables, opening, transactions,
 * backup. */
#include "store/embedded/catalog_database.h"

#include <stdlib.h>
#include <string.h>

/* ---- Statements ------------------------------------------------------------------------------ */

#define AS_TEXT(name, text) text,
static const char *const statement_texts[] = {FLM_CATALOG_STATEMENTS(AS_TEXT)};

bool flm_catalog_failed(struct flm_catalog *c, struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_SYSTEM, "%s: %s", c->path, c->sql.errmsg(c->database));
}

sqlite3_stmt *flm_catalog_statement(struct flm_catalog *c, enum flm_catalog_statement number,
                                    struct flm_error *why)
{
    sqlite3_stmt **s = &c->statements[number];
    if (*s) {
        c->sql.reset(*s);
        c->sql.clear_bindings(*s);
    } else if (c->sql.prepare_v2(c->database, statement_texts[number], -1, s, NULL) != SQLITE_OK) {
        flm_catalog_failed(c, why);
        return NULL;
    }
    return *s;
}

void flm_catalog_bind(struct flm_catalog *c, sqlite3_stmt *s, int at, struct flm_bytes bytes)
{
    /* Of no bytes SQLite makes NULL, unless there is an address. */
    c->sql.bind_blob(s, at, bytes.size > 0 ? bytes.at : "", (int)bytes.size, SQLITE_STATIC);
}

struct flm_bytes flm_catalog_column(struct flm_catalog *c, sqlite3_stmt *s, int at)
{
    const char *bytes = c->sql.column_blob(s, at);
    return (struct flm_bytes){bytes ? bytes : "", (size_t)c->sql.column_bytes(s, at)};
}

bool flm_catalog_run(struct flm_catalog *c, sqlite3_stmt *s, struct flm_error *why)
{
    bool good = c->sql.step(s) == SQLITE_DONE || flm_catalog_failed(c, why);
    c->sql.reset(s);
    return good;
}

/* ---- Opening --------------------------------------------------------------------------------- */

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

static bool execute(struct flm_catalog *c, const char *text, struct flm_error *why)
{
    return c->sql.exec(c->database, text, NULL, NULL, NULL) == SQLITE_OK ||
           flm_catalog_failed(c, why);
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
    for (int i = 0; i < FLM_SQL_COUNT; i++)
        if (c->statements[i])
            c->sql.finalize(c->statements[i]);
    if (c->database)
        c->sql.close(c->database);
    free(c->path);
    free(c);
}

/* ---- Transactions ---------------------------------------------------------------------------- */

static bool simple(struct flm_catalog *c, enum flm_catalog_statement number, struct flm_error *why)
{
    sqlite3_stmt *s = flm_catalog_statement(c, number, why);
    return s && flm_catalog_run(c, s, why);
}

bool flm_catalog_begin(struct flm_catalog *c, struct flm_error *why)
{
    return simple(c, FLM_SQL_BEGIN, why);
}

bool flm_catalog_commit(struct flm_catalog *c, struct flm_error *why)
{
    return simple(c, FLM_SQL_COMMIT, why);
}

void flm_catalog_rollback(struct flm_catalog *c)
{
    simple(c, FLM_SQL_ROLLBACK, NULL);
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
    sqlite3_stmt *s = flm_catalog_statement(c, FLM_SQL_CHECK, why);
    if (!s)
        return false;
    int status = c->sql.step(s);
    struct flm_bytes says =
        status == SQLITE_ROW ? flm_catalog_column(c, s, 0) : (struct flm_bytes){"", 0};
    bool good = flm_bytes_are(says, "ok");
    if (!good)
        flm_error_set(why, FLM_ERROR_FORMAT, "%s: the database is damaged: %.*s", c->path,
                      (int)(says.size < 200 ? says.size : 200), says.at);
    c->sql.reset(s);
    return good;
}
