/* sqlite.h - the tables of an SQLite database file, read as bytes.
 *
 *     page 1     header of 100 bytes, then the schema: a table of all tables and their SQL
 *     table      a tree of pages: inner ones have the numbers of others, leaves have rows
 *     row        its number (rowid), and a record: the types of its values, then the values; what
 *                does not fit on the page continues on a chain of overflow pages
 *
 *     struct flm_sqlite db = {0};
 *     if (!flm_sqlite_open(&db, all, why)) ...
 *     static const char *const wanted[] = {"start", "end", "nameId", NULL};
 *     flm_sqlite_begin(&rows, &db, flm_sqlite_table(&db, "CALLS"), wanted);
 *     while (flm_sqlite_next(&rows))
 *         ... rows.value[0] ...
 *     flm_sqlite_end(&rows);
 *
 * It is not the library: profilers write plain tables, and to read those from the first row to the
 * last takes no SQL. So no query, view or trigger of a file that somebody sent is ever run, there
 * is nothing to write to, the page reads databases too, and there is no dependency. What a file can
 * do is to have pages that refer to each other in circles, or overflow chains that many rows share:
 * a page belongs to one table, and is read once, so that all walks together take time linear in the
 * file. So a table is walked over once, too.
 *
 * The format is described in https://www.sqlite.org/fileformat2.html. Not read are tables WITHOUT
 * ROWID (whoever needs one is refused at the end), texts in UTF-16, and the write-ahead log (the
 * file with -wal). */
#ifndef FLAMEL_FORMAT_SQLITE_SQLITE_H
#define FLAMEL_FORMAT_SQLITE_SQLITE_H

#include "base/core/array.h"
#include "base/core/bytes.h"
#include "base/text/text.h"
#include "flamel/builder.h"
#include "flamel/error.h"

struct flm_sqlite_name {
    size_t start, size; /* in db->names */
};

struct flm_sqlite_column {
    struct flm_sqlite_name name;
    bool is_rowid;  /* INTEGER PRIMARY KEY: records have NULL for it */
    bool is_stored; /* false: computed by an expression */
};

struct flm_sqlite_table {
    struct flm_sqlite_name name;
    uint32_t root; /* its first page */
    uint32_t first_column, column_count;
    bool without_rowid;
};

struct flm_sqlite {
    struct flm_bytes all;
    uint32_t page_size, usable; /* usable: without what each page reserves at its end */
    uint32_t page_count;        /* in `all`; the last one may be cut */
    uint32_t missing;           /* pages that the header counts, and that the file lacks */
    bool has_log;               /* recent changes may be in a write-ahead log */
    struct FLM_ARRAY(struct flm_sqlite_table) tables;
    struct FLM_ARRAY(struct flm_sqlite_column) columns;
    struct flm_text names;

    unsigned char *seen; /* a bit a page: whether it was read */
    uint64_t damaged;    /* pages and rows that are not as they should be, of all walks */
    uint32_t first_damaged;
    bool no_memory;
    bool has_rowless; /* a table that was to be read is WITHOUT ROWID: */
    struct flm_sqlite_name rowless;
};

/* The type of a value, whatever that of its column is. A whole number in a column of REAL may be an
 * INTEGER. */
enum flm_sqlite_type {
    FLM_SQLITE_NULL,
    FLM_SQLITE_INTEGER,
    FLM_SQLITE_REAL,
    FLM_SQLITE_TEXT,
    FLM_SQLITE_BLOB
};

struct flm_sqlite_value {
    enum flm_sqlite_type type;
    int64_t integer; /* 0 unless it is one */
    double real;
    struct flm_bytes bytes; /* of TEXT and BLOB; until the next row */
};

enum { FLM_SQLITE_MOST_COLUMNS = 16, FLM_SQLITE_MOST_LEVELS = 24 };

/* A walk over the rows of a table. */
struct flm_sqlite_rows {
    struct flm_sqlite *db;
    const struct flm_sqlite_table *table;
    int64_t rowid;
    struct flm_sqlite_value value[FLM_SQLITE_MOST_COLUMNS]; /* of the wanted columns; NULL where the
                                                               table has none of that name */
    bool has[FLM_SQLITE_MOST_COLUMNS];                      /* the table has such a column */

    /* Its own. */
    uint32_t count;                        /* of wanted columns */
    int32_t slot[FLM_SQLITE_MOST_COLUMNS]; /* where a column is in a record; -1: nowhere */
    bool is_rowid[FLM_SQLITE_MOST_COLUMNS];
    uint32_t last_slot;
    struct {
        uint32_t page, cell, cells;
        bool is_leaf;
    } level[FLM_SQLITE_MOST_LEVELS];
    uint32_t levels;
    struct flm_text record; /* one that continues on overflow pages */
};

/* Whether a file with that beginning is a database. */
bool flm_sqlite_is(struct flm_bytes head);

/* Reads the schema. `db` is {0} before, refers to `all`, and is cleared in any case. False, and
 * `why`, for what is no database, or one that cannot be read. */
bool flm_sqlite_open(struct flm_sqlite *db, struct flm_bytes all, struct flm_error *why);
void flm_sqlite_clear(struct flm_sqlite *db);

/* The table of that name, in letters of either case; NULL: there is none. */
const struct flm_sqlite_table *flm_sqlite_table(const struct flm_sqlite *db, const char *name);

bool flm_sqlite_has_column(const struct flm_sqlite *db, const struct flm_sqlite_table *table,
                           const char *name);

/* Begins a walk over a table (NULL: over no rows), for the columns in `wanted`, which NULL ends. */
void flm_sqlite_begin(struct flm_sqlite_rows *rows, struct flm_sqlite *db,
                      const struct flm_sqlite_table *table, const char *const *wanted);

/* The next row; false after the last one, and when memory ran out (db->no_memory). */
bool flm_sqlite_next(struct flm_sqlite_rows *rows);
void flm_sqlite_end(struct flm_sqlite_rows *rows);

/* The number of rows of a table, instead of a walk over it. */
uint64_t flm_sqlite_count(struct flm_sqlite *db, const struct flm_sqlite_table *table);

/* Adds the columns of a table, by the statement that made it, to db->columns: schema.c. False when
 * memory ran out. */
bool flm_sqlite_add_columns(struct flm_sqlite *db, struct flm_sqlite_table *table,
                            struct flm_bytes sql);

/* A name as it is kept. */
struct flm_sqlite_name flm_sqlite_keep_name(struct flm_sqlite *db, struct flm_bytes name);

static inline struct flm_bytes flm_sqlite_name(const struct flm_sqlite *db,
                                               struct flm_sqlite_name name)
{
    return (struct flm_bytes){db->names.at + name.start, name.size};
}

/* Whether two names are one to SQL, which does not distinguish a letter from its capital. */
bool flm_sqlite_is_name(struct flm_bytes a, struct flm_bytes b);

/* Refuses a file that is shorter than its database, unless the caller takes what there is. */
bool flm_sqlite_check(const struct flm_sqlite *db, bool lenient, struct flm_error *why);

/* Refuses a database that no format takes, with the names of its tables. Always false. */
bool flm_sqlite_refuse(const struct flm_sqlite *db, struct flm_error *why);

/* At the end: adds what was damaged or missing to the losses of a profile; and that memory ran out.
 * False, and `why`, if a table that was asked for cannot be read, unless the caller is lenient. */
bool flm_sqlite_report(const struct flm_sqlite *db, bool lenient, struct flm_builder *builder,
                       struct flm_error *why);

#endif
