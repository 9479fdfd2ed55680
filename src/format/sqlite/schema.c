/* schema.c - tables and columns, by the statements that made them.
 *
 *     CREATE TABLE "calls" (start INTEGER NOT NULL, "end" INT, [id] INTEGER PRIMARY KEY, -- ns
 *                           UNIQUE (start, id))
 *
 * A column is a name and what follows it up to a comma outside of parentheses. Of that only two
 * things matter: INTEGER PRIMARY KEY is the number of the row, which records do not have again, and
 * an expression (AS) that is not STORED is not in records at all. */
#include "format/sqlite/sqlite.h"

static char lower(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter;
}

bool flm_sqlite_is_name(struct flm_bytes a, struct flm_bytes b)
{
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++)
        if (lower(a.at[i]) != lower(b.at[i]))
            return false;
    return true;
}

const struct flm_sqlite_table *flm_sqlite_table(const struct flm_sqlite *db, const char *name)
{
    for (size_t i = 0; i < db->tables.count; i++) {
        const struct flm_sqlite_table *table = &db->tables.at[i];
        if (flm_sqlite_is_name(flm_sqlite_name(db, table->name), flm_bytes_of(name)))
            return table;
    }
    return NULL;
}

bool flm_sqlite_has_column(const struct flm_sqlite *db, const struct flm_sqlite_table *table,
                           const char *name)
{
    for (uint32_t i = 0; table && i < table->column_count; i++)
        if (flm_sqlite_is_name(flm_sqlite_name(db, db->columns.at[table->first_column + i].name),
                               flm_bytes_of(name)))
            return true;
    return false;
}

struct flm_sqlite_name flm_sqlite_keep_name(struct flm_sqlite *db, struct flm_bytes name)
{
    struct flm_sqlite_name kept = {db->names.size, name.size};
    flm_text_add(&db->names, name);
    return kept;
}

/* ---- Words ----------------------------------------------------------------------------------- */

enum kind { END, WORD, QUOTED, SIGN };

struct token {
    enum kind kind;
    struct flm_bytes text; /* without its quotes; of SIGN one byte */
};

struct tokens {
    struct flm_bytes left;
    struct token token;
};

static void skip_blanks(struct flm_bytes *left)
{
    while (left->size > 0) {
        const char *end = NULL;
        size_t size = 1;
        if (flm_bytes_start_with(*left, "--")) {
            end = memchr(left->at, '\n', left->size);
            size = end ? (size_t)(end - left->at) : left->size;
        } else if (flm_bytes_start_with(*left, "/*")) {
            for (size = 2;
                 size < left->size && !flm_bytes_start_with(flm_bytes_from(*left, size), "*/");)
                size++;
            size = size < left->size ? size + 2 : size;
        } else if (!flm_is_space(*left->at) && *left->at != '\r' && *left->at != '\f') {
            return;
        }
        *left = flm_bytes_from(*left, size);
    }
}

static bool is_word(char byte)
{
    return (lower(byte) >= 'a' && lower(byte) <= 'z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '$' || (unsigned char)byte >= 0x80;
}

/* A quote inside a name is written twice; no profiler has such names, and both are kept. */
static struct flm_bytes quoted(struct flm_bytes *left, char end)
{
    size_t size = 1;
    while (size < left->size && (left->at[size] != end || (size + 1 < left->size && end != ']' &&
                                                           left->at[size + 1] == end)))
        size += left->at[size] == end ? 2 : 1;
    size = size < left->size ? size : left->size;
    struct flm_bytes text = {left->at + 1, size - 1};
    *left = flm_bytes_from(*left, size < left->size ? size + 1 : size);
    return text;
}

static enum kind next(struct tokens *t)
{
    struct flm_bytes *left = &t->left;
    skip_blanks(left);
    if (left->size == 0)
        return t->token.kind = END;
    char first = *left->at;
    if (flm_is_one_of(first, "\"`'[")) {
        t->token.text = quoted(left, first == '[' ? ']' : first);
        return t->token.kind = QUOTED;
    }
    size_t size = 1;
    while (is_word(first) && size < left->size && is_word(left->at[size]))
        size++;
    t->token.text = (struct flm_bytes){left->at, size};
    *left = flm_bytes_from(*left, size);
    return t->token.kind = is_word(first) ? WORD : SIGN;
}

static bool is_sign(const struct tokens *t, char sign)
{
    return t->token.kind == SIGN && *t->token.text.at == sign;
}

static bool is_keyword(const struct tokens *t, const char *word)
{
    return t->token.kind == WORD && flm_sqlite_is_name(t->token.text, flm_bytes_of(word));
}

/* ---- Columns --------------------------------------------------------------------------------- */

struct column {
    struct flm_bytes name;
    bool is_integer, is_key, is_computed, is_stored;
};

/* Skips what follows an opening parenthesis, to its closing one. */
static void skip_group(struct tokens *t)
{
    for (int depth = 1; depth > 0 && next(t) != END;)
        depth += is_sign(t, '(') - is_sign(t, ')');
}

/* Reads a column from behind its name up to the comma or parenthesis that ends it. */
static void read_column(struct tokens *t, struct column *column)
{
    bool is_type = true, was_primary = false;
    size_t type_words = 0;
    while (next(t) != END && !is_sign(t, ',') && !is_sign(t, ')')) {
        static const char *const ends[] = {"CONSTRAINT", "PRIMARY",   "NOT",     "NULL",
                                           "UNIQUE",     "CHECK",     "DEFAULT", "COLLATE",
                                           "REFERENCES", "GENERATED", "AS"};
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            if (is_keyword(t, ends[i]))
                is_type = false;
        if (is_type)
            column->is_integer = type_words++ == 0 && is_keyword(t, "INTEGER");
        column->is_key |= was_primary && is_keyword(t, "KEY");
        was_primary = is_keyword(t, "PRIMARY");
        column->is_computed |= is_keyword(t, "AS");
        column->is_stored |= is_keyword(t, "STORED");
        if (is_sign(t, '('))
            skip_group(t);
    }
}

static bool begins_constraint(const struct tokens *t)
{
    static const char *const words[] = {"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_keyword(t, words[i]))
            return true;
    return false;
}

/* PRIMARY KEY (id): of one column that is INTEGER, it is the number of the row. */
static void read_constraint(struct tokens *t, struct flm_bytes *key)
{
    bool is_key = false;
    for (; t->token.kind != END && !is_sign(t, ',') && !is_sign(t, ')'); next(t)) {
        is_key |= is_keyword(t, "PRIMARY");
        if (!is_sign(t, '('))
            continue;
        size_t names = 1;
        next(t);
        struct flm_bytes name = t->token.text;
        for (; t->token.kind != END && !is_sign(t, ')'); next(t)) {
            names += is_sign(t, ',');
            if (is_sign(t, '('))
                skip_group(t);
        }
        if (is_key && names == 1)
            *key = name;
        is_key = false;
    }
}

static bool add_column(struct flm_sqlite *db, struct flm_sqlite_table *table,
                       const struct column *column, bool is_rowid)
{
    struct flm_sqlite_column kept = {.name = flm_sqlite_keep_name(db, column->name),
                                     .is_rowid = is_rowid,
                                     .is_stored = !column->is_computed || column->is_stored};
    table->column_count++;
    return FLM_ARRAY_ADD(&db->columns, kept);
}

/* Marks the column that the key of the whole table names, if it is an INTEGER: bit i of `integers`
 * says so of the first 64. */
static void mark_key(struct flm_sqlite *db, const struct flm_sqlite_table *table,
                     struct flm_bytes key, uint64_t integers)
{
    for (uint32_t i = 0; i < table->column_count && i < 64; i++) {
        struct flm_sqlite_column *column = &db->columns.at[table->first_column + i];
        if ((integers >> i & 1) && flm_sqlite_is_name(flm_sqlite_name(db, column->name), key))
            column->is_rowid = true;
    }
}

bool flm_sqlite_add_columns(struct flm_sqlite *db, struct flm_sqlite_table *table,
                            struct flm_bytes sql)
{
    struct tokens t = {.left = sql};
    struct flm_bytes key = {0};
    uint64_t integers = 0;
    table->first_column = (uint32_t)db->columns.count;
    while (next(&t) != END && !is_sign(&t, '('))
        ;
    while (t.token.kind != END && !is_sign(&t, ')')) {
        if (next(&t) == END || is_sign(&t, ')'))
            break;
        if (t.token.kind == WORD && begins_constraint(&t)) {
            read_constraint(&t, &key);
            continue;
        }
        struct column column = {.name = t.token.text};
        read_column(&t, &column);
        if (table->column_count < 64 && column.is_integer)
            integers |= (uint64_t)1 << table->column_count;
        if (!add_column(db, table, &column, column.is_integer && column.is_key))
            return false;
    }
    if (key.size > 0)
        mark_key(db, table, key, integers);
    while (next(&t) != END)
        table->without_rowid |= is_keyword(&t, "ROWID");
    return !db->names.failed;
}

/* ---- Databases that are no profiles ---------------------------------------------------------- */

bool flm_sqlite_refuse(const struct flm_sqlite *db, struct flm_error *why)
{
    enum { MOST = 6 };
    char list[300];
    struct flm_text text;
    flm_text_init_fixed(&text, list, sizeof list - 1);
    for (size_t i = 0; i < db->tables.count && i < MOST; i++) {
        flm_text_puts(&text, i == 0 ? "" : ", ");
        struct flm_bytes name = flm_sqlite_name(db, db->tables.at[i].name);
        name.size = name.size < 40 ? name.size : 40;
        flm_text_add(&text, name);
    }
    list[text.size] = 0;
    if (db->tables.count == 0)
        return flm_error_set(why, FLM_ERROR_FORMAT, "this SQLite database has no tables");
    return flm_error_set(
        why, FLM_ERROR_FORMAT,
        "this SQLite database is no profile of Nsight Systems or rocprofiler: its tables are %s%s",
        list, db->tables.count > MOST ? " and others" : "");
}
