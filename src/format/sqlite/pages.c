/* pages.c - pages, trees and records of a database. */
#include <assert.h>

#include "format/sqlite/sqlite.h"
#include "profile/internal.h"

enum {
    FILE_HEADER = 100,
    LEAF = 13,
    INNER = 5,
    LEAF_HEADER = 8,
    INNER_HEADER = 12,
    MOST_PAGE_SIZE = 65536
};

static const char magic[16] = "SQLite format 3";

bool flm_sqlite_is(struct flm_bytes head)
{
    return head.size >= sizeof magic && memcmp(head.at, magic, sizeof magic) == 0;
}

static uint32_t number_at(const unsigned char *at, size_t size)
{
    uint32_t number = 0;
    for (size_t i = 0; i < size; i++)
        number = number << 8 | at[i];
    return number;
}

static void damage(struct flm_sqlite *db, uint32_t page)
{
    if (db->damaged++ == 0)
        db->first_damaged = page;
}

/* The bytes of a page, as many of them as the file has; empty: there is none of that number. */
static struct flm_bytes page_at(const struct flm_sqlite *db, uint32_t page)
{
    if (page == 0 || page > db->page_count)
        return (struct flm_bytes){0};
    size_t start = (size_t)(page - 1) * db->page_size;
    size_t there = db->all.size - start;
    return (struct flm_bytes){db->all.at + start, there < db->usable ? there : db->usable};
}

/* False if the page was read before, or there is none. */
static bool see(struct flm_sqlite *db, uint32_t page)
{
    if (page == 0 || page > db->page_count)
        return false;
    unsigned char *at = &db->seen[page / 8], bit = (unsigned char)(1u << page % 8);
    bool is_new = !(*at & bit);
    *at |= bit;
    return is_new;
}

/* ---- Records --------------------------------------------------------------------------------- */

struct bytes_left {
    const unsigned char *at, *end;
    bool failed;
};

/* 7 bits a byte, the most significant first; the ninth byte has 8. */
static uint64_t varint(struct bytes_left *c)
{
    uint64_t number = 0;
    for (int i = 0; i < 9; i++) {
        if (c->at >= c->end) {
            c->failed = true;
            return 0;
        }
        unsigned byte = *c->at++;
        if (i == 8)
            return number << 8 | byte;
        number = number << 7 | (byte & 0x7f);
        if (byte < 0x80)
            break;
    }
    return number;
}

static uint64_t size_of_type(uint64_t type)
{
    static const unsigned char sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
    return type < sizeof sizes ? sizes[type] : (type - 12) / 2;
}

static struct flm_sqlite_value value_of(uint64_t type, const unsigned char *at, uint64_t size)
{
    struct flm_sqlite_value v = {FLM_SQLITE_NULL};
    if (type >= 12) {
        v.type = type % 2 ? FLM_SQLITE_TEXT : FLM_SQLITE_BLOB;
        v.bytes = (struct flm_bytes){(const char *)at, (size_t)size};
    } else if (type == 8 || type == 9) {
        v.type = FLM_SQLITE_INTEGER;
        v.integer = type == 9;
    } else if (type >= 1 && type <= 7) {
        uint64_t bits = at[0] & 0x80 ? UINT64_MAX : 0;
        for (size_t i = 0; i < size; i++)
            bits = bits << 8 | at[i];
        v.type = type == 7 ? FLM_SQLITE_REAL : FLM_SQLITE_INTEGER;
        if (type == 7)
            memcpy(&v.real, &bits, sizeof bits);
        else
            v.integer = (int64_t)bits;
    }
    return v;
}

/* Sets the wanted values of a record. False if it is damaged. Values behind its end are NULL: a
 * column that was added later has none in rows that were there before. */
static bool read_record(struct flm_sqlite_rows *rows, struct flm_bytes record)
{
    const unsigned char *start = (const unsigned char *)record.at, *end = start + record.size;
    struct bytes_left types = {start, end, false};
    uint64_t header = varint(&types);
    if (types.failed || header > record.size)
        return false;
    types.end = start + header;
    const unsigned char *body = types.end;
    for (uint32_t slot = 0; slot <= rows->last_slot && types.at < types.end; slot++) {
        uint64_t type = varint(&types), size = size_of_type(type);
        if (types.failed || size > (uint64_t)(end - body))
            return false;
        for (uint32_t i = 0; i < rows->count; i++)
            if (rows->slot[i] == (int32_t)slot)
                rows->value[i] = value_of(type, body, size);
        body += size;
    }
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->is_rowid[i] && rows->value[i].type == FLM_SQLITE_NULL)
            rows->value[i] = (struct flm_sqlite_value){FLM_SQLITE_INTEGER, .integer = rows->rowid};
    return true;
}

/* How many bytes of a payload are on the page of its cell. */
static uint64_t local_size(const struct flm_sqlite *db, uint64_t payload)
{
    uint64_t most = db->usable - 35, least = (db->usable - 12) * 32 / 255 - 23;
    if (payload <= most)
        return payload;
    uint64_t size = least + (payload - least) % (db->usable - 4);
    return size <= most ? size : least;
}

/* Collects a payload that begins with `local` and continues on overflow pages. */
static bool read_overflow(struct flm_sqlite_rows *rows, struct flm_bytes local, uint64_t payload,
                          uint32_t next)
{
    struct flm_sqlite *db = rows->db;
    rows->record.size = 0;
    flm_text_add(&rows->record, local);
    while (rows->record.size < payload) {
        struct flm_bytes page = page_at(db, next);
        if (page.size < db->usable || !see(db, next))
            return false;
        uint64_t left = payload - rows->record.size;
        page.size = left < page.size - 4 ? (size_t)left + 4 : page.size;
        next = number_at((const unsigned char *)page.at, 4);
        flm_text_add(&rows->record, flm_bytes_from(page, 4));
        if (rows->record.failed) {
            db->no_memory = true;
            return false;
        }
    }
    return true;
}

static bool read_cell(struct flm_sqlite_rows *rows, struct flm_bytes page, size_t offset)
{
    const unsigned char *start = (const unsigned char *)page.at;
    struct bytes_left c = {start + offset, start + page.size, false};
    uint64_t payload = varint(&c);
    rows->rowid = (int64_t)varint(&c);
    if (c.failed || payload > rows->db->all.size)
        return false;
    uint64_t size = local_size(rows->db, payload), left = (uint64_t)(c.end - c.at);
    if (size + (size < payload ? 4 : 0) > left)
        return false;
    struct flm_bytes record = {(const char *)c.at, (size_t)size};
    if (size < payload) {
        if (!read_overflow(rows, record, payload, number_at(c.at + size, 4)))
            return false;
        record = (struct flm_bytes){rows->record.at, rows->record.size};
    }
    return read_record(rows, record);
}

/* ---- Trees ----------------------------------------------------------------------------------- */

static size_t page_header(uint32_t page)
{
    return page == 1 ? FILE_HEADER : 0;
}

/* Goes on with the rows of a page, which is a leaf or has the numbers of others. What is neither,
 * or was read before, is counted as damaged. */
static void enter(struct flm_sqlite_rows *rows, uint32_t page)
{
    struct flm_sqlite *db = rows->db;
    struct flm_bytes bytes = page_at(db, page);
    size_t header = page_header(page);
    if (bytes.size < header + INNER_HEADER || rows->levels == FLM_SQLITE_MOST_LEVELS ||
        !see(db, page)) {
        damage(db, page);
        return;
    }
    const unsigned char *at = (const unsigned char *)bytes.at + header;
    uint32_t cells = number_at(at + 3, 2);
    bool is_leaf = *at == LEAF;
    size_t begin = header + (is_leaf ? LEAF_HEADER : INNER_HEADER);
    if ((!is_leaf && *at != INNER) || begin + 2 * (size_t)cells > bytes.size) {
        damage(db, page);
        return;
    }
    uint32_t level = rows->levels++;
    rows->level[level].page = page;
    rows->level[level].cell = 0;
    rows->level[level].cells = cells;
    rows->level[level].is_leaf = is_leaf;
}

/* The offset of a cell; 0: there is none. */
static size_t cell_offset(struct flm_bytes page, uint32_t number, uint32_t cell, bool is_leaf)
{
    size_t header = page_header(number);
    size_t at = header + (is_leaf ? LEAF_HEADER : INNER_HEADER) + 2 * (size_t)cell;
    size_t offset = number_at((const unsigned char *)page.at + at, 2);
    return offset > header && offset + 4 <= page.size ? offset : 0;
}

static void enter_child(struct flm_sqlite_rows *rows)
{
    struct flm_sqlite *db = rows->db;
    uint32_t level = rows->levels - 1, page = rows->level[level].page;
    uint32_t cell = rows->level[level].cell++;
    struct flm_bytes bytes = page_at(db, page);
    const unsigned char *at = (const unsigned char *)bytes.at;
    if (cell == rows->level[level].cells) { /* the last child is in the header */
        uint32_t child = number_at(at + page_header(page) + 8, 4);
        rows->levels--;
        enter(rows, child);
        return;
    }
    size_t offset = cell_offset(bytes, page, cell, false);
    if (offset == 0)
        damage(db, page);
    else
        enter(rows, number_at(at + offset, 4));
}

/* The next cell of a leaf; false after the last one. */
static bool next_cell(struct flm_sqlite_rows *rows, struct flm_bytes *page, size_t *offset)
{
    while (rows->levels > 0) {
        uint32_t level = rows->levels - 1;
        if (!rows->level[level].is_leaf) {
            enter_child(rows);
            continue;
        }
        if (rows->level[level].cell == rows->level[level].cells) {
            rows->levels--;
            continue;
        }
        uint32_t number = rows->level[level].page;
        *page = page_at(rows->db, number);
        *offset = cell_offset(*page, number, rows->level[level].cell++, true);
        if (*offset > 0)
            return true;
        damage(rows->db, number);
    }
    return false;
}

static void find_columns(struct flm_sqlite_rows *rows, const char *const *wanted)
{
    const struct flm_sqlite_table *table = rows->table;
    for (; wanted[rows->count]; rows->count++) {
        assert(rows->count < FLM_SQLITE_MOST_COLUMNS);
        uint32_t i = rows->count, slot = 0;
        rows->slot[i] = -1;
        for (uint32_t j = 0; j < table->column_count; j++) {
            const struct flm_sqlite_column *column = &rows->db->columns.at[table->first_column + j];
            if (flm_sqlite_is_name(flm_sqlite_name(rows->db, column->name),
                                   flm_bytes_of(wanted[i]))) {
                rows->has[i] = true;
                rows->slot[i] = column->is_stored ? (int32_t)slot : -1;
                rows->is_rowid[i] = column->is_rowid;
                break;
            }
            slot += column->is_stored;
        }
        if (rows->slot[i] > (int32_t)rows->last_slot)
            rows->last_slot = (uint32_t)rows->slot[i];
    }
}

void flm_sqlite_begin(struct flm_sqlite_rows *rows, struct flm_sqlite *db,
                      const struct flm_sqlite_table *table, const char *const *wanted)
{
    *rows = (struct flm_sqlite_rows){.db = db, .table = table};
    if (!table)
        return;
    find_columns(rows, wanted);
    if (table->without_rowid) {
        db->has_rowless = true;
        db->rowless = table->name;
    } else {
        enter(rows, table->root);
    }
}

bool flm_sqlite_next(struct flm_sqlite_rows *rows)
{
    struct flm_bytes page;
    size_t offset;
    while (!rows->db->no_memory && next_cell(rows, &page, &offset)) {
        memset(rows->value, 0, rows->count * sizeof *rows->value);
        if (read_cell(rows, page, offset))
            return true;
        if (!rows->db->no_memory)
            damage(rows->db, rows->level[rows->levels - 1].page);
    }
    return false;
}

void flm_sqlite_end(struct flm_sqlite_rows *rows)
{
    flm_text_clear(&rows->record);
}

uint64_t flm_sqlite_count(struct flm_sqlite *db, const struct flm_sqlite_table *table)
{
    static const char *const none[] = {NULL};
    struct flm_sqlite_rows rows;
    struct flm_bytes page;
    size_t offset;
    uint64_t count = 0;
    for (flm_sqlite_begin(&rows, db, table, none); next_cell(&rows, &page, &offset);)
        count++;
    flm_sqlite_end(&rows);
    return count;
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool refuse(struct flm_error *why, const char *reason)
{
    return flm_error_set(why, FLM_ERROR_FORMAT, "%s", reason);
}

static bool read_header(struct flm_sqlite *db, struct flm_error *why)
{
    const unsigned char *at = (const unsigned char *)db->all.at;
    if (db->all.size < FILE_HEADER || !flm_sqlite_is(db->all))
        return refuse(why, db->all.size < FILE_HEADER
                               ? "the database ends within its header of 100 bytes: it was cut"
                               : "it does not begin as an SQLite database does");
    uint32_t size = number_at(at + 16, 2), reserved = at[20];
    db->page_size = size == 1 ? MOST_PAGE_SIZE : size;
    db->usable = db->page_size - reserved;
    if (db->page_size < 512 || (db->page_size & (db->page_size - 1)) != 0 || db->usable < 480)
        return refuse(
            why, "byte 16: the size of its pages is none that SQLite has: the file is damaged");
    if (number_at(at + 56, 4) > 1)
        return refuse(why, "byte 56: the texts of the database are UTF-16, which flamel does not "
                           "read: export it again, with texts in UTF-8");
    uint64_t count = (db->all.size + db->page_size - 1) / db->page_size;
    if (count > UINT32_MAX - 1)
        return refuse(why, "it has more than 2^32 pages: SQLite writes no such database");
    db->page_count = (uint32_t)count;
    db->has_log = at[18] > 1 || at[19] > 1;
    /* The count of pages is valid only if whoever wrote the file knew it. */
    uint32_t said = number_at(at + 28, 4), whole = (uint32_t)(db->all.size / db->page_size);
    if (memcmp(at + 24, at + 92, 4) == 0 && said > whole)
        db->missing = said - whole;
    return true;
}

static bool add_table(struct flm_sqlite *db, const struct flm_sqlite_value *row)
{
    if (row[2].integer < 1 || row[2].integer > db->page_count)
        return true; /* a virtual table, or one on a page that is missing, which is counted */
    struct flm_sqlite_table table = {.root = (uint32_t)row[2].integer};
    table.name = flm_sqlite_keep_name(db, row[1].bytes);
    return flm_sqlite_add_columns(db, &table, row[3].bytes) && FLM_ARRAY_ADD(&db->tables, table);
}

static bool read_schema(struct flm_sqlite *db)
{
    static const char schema_sql[] =
        "CREATE TABLE sqlite_schema(type text, name text, tbl_name text, rootpage int, sql text)";
    static const char *const wanted[] = {"type", "name", "rootpage", "sql", NULL};
    struct flm_sqlite_table schema = {.root = 1};
    struct flm_sqlite_rows rows;
    if (!flm_sqlite_add_columns(db, &schema, flm_bytes_of(schema_sql)))
        return false;
    flm_sqlite_begin(&rows, db, &schema, wanted);
    bool good = true;
    while (good && flm_sqlite_next(&rows))
        if (flm_bytes_are(rows.value[0].bytes, "table"))
            good = add_table(db, rows.value);
    flm_sqlite_end(&rows);
    return good && !db->no_memory && !db->names.failed;
}

bool flm_sqlite_open(struct flm_sqlite *db, struct flm_bytes all, struct flm_error *why)
{
    db->all = all;
    if (!read_header(db, why))
        return false;
    db->seen = calloc(db->page_count / 8 + 1, 1);
    return (db->seen && read_schema(db)) || flm_error_memory(why);
}

void flm_sqlite_clear(struct flm_sqlite *db)
{
    FLM_ARRAY_CLEAR(&db->tables);
    FLM_ARRAY_CLEAR(&db->columns);
    flm_text_clear(&db->names);
    free(db->seen);
    *db = (struct flm_sqlite){0};
}

bool flm_sqlite_check(const struct flm_sqlite *db, bool lenient, struct flm_error *why)
{
    unsigned long long there = db->all.size / db->page_size;
    return db->missing == 0 || lenient ||
           flm_error_set(why, FLM_ERROR_FORMAT,
                         "the database was cut: it has %llu of %llu pages (--lenient reads those "
                         "that are there)",
                         there, there + db->missing);
}

bool flm_sqlite_report(const struct flm_sqlite *db, bool lenient, struct flm_builder *builder,
                       struct flm_error *why)
{
    if (db->has_rowless && !lenient) {
        struct flm_bytes name = flm_sqlite_name(db, db->rowless);
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "its table %.*s is one WITHOUT ROWID, which flamel does not read, and "
                             "no profiler writes: copy it to a plain table (--lenient leaves it "
                             "out)",
                             name.size < 80 ? (int)name.size : 80, name.at);
    }
    if (db->has_rowless)
        flm_builder_lost(builder, "tables WITHOUT ROWID", "", 0, 1);
    if (db->no_memory)
        flm_builder_fail_memory(builder);
    if (db->missing > 0)
        flm_builder_lost(builder, "pages of the database that the file lacks: it was cut", "page",
                         db->page_count, db->missing);
    if (db->damaged > 0)
        flm_builder_lost(builder, "damaged pages and rows of the database", "page",
                         db->first_damaged, (double)db->damaged);
    static const char log_note[] = "changes in the file with -wal are not read";
    if (db->has_log)
        flm_builder_note(builder, "write-ahead log", log_note, sizeof log_note - 1);
    return true;
}
