#include "format/sqlite/sqlite.h"

#include "support/profile/perf_reading.h"

/* The columns as text: "a b* (c)": a key, one that is not in records. */
static void assert_columns(const char *sql, const char *expected)
{
    struct flm_sqlite db = {0};
    struct flm_sqlite_table table = {0};
    struct flm_text text = {0};
    assert_true(flm_sqlite_add_columns(&db, &table, flm_bytes_of(sql)));
    for (uint32_t i = 0; i < table.column_count; i++) {
        const struct flm_sqlite_column *column = &db.columns.at[table.first_column + i];
        struct flm_bytes name = flm_sqlite_name(&db, column->name);
        flm_text_format(&text, "%s%s%.*s%s%s", i > 0 ? " " : "", column->is_stored ? "" : "(",
                        (int)name.size, name.at, column->is_rowid ? "*" : "",
                        column->is_stored ? "" : ")");
    }
    flm_text_puts(&text, table.without_rowid ? " without" : "");
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
    flm_sqlite_clear(&db);
}

static void columns_are_found(void **state)
{
    (void)state;
    assert_columns("CREATE TABLE t(a, b INT, c TEXT NOT NULL)", "a b c");
    assert_columns("CREATE TABLE IF NOT EXISTS \"t ( t\" (\"a b\", [c,d] INT, `e`, 'f')",
                   "a b c,d e f");
    assert_columns("CREATE TABLE t(a DECIMAL(10, 2) DEFAULT (1 + (2)), b CHECK (b IN (1, 2)), c)",
                   "a b c");
    assert_columns("CREATE TABLE t(a -- b, c\n, d /* e, f ) */ INT)", "a d");
    assert_columns("CREATE TABLE t(a, CONSTRAINT x UNIQUE (a), CHECK (a > 0), "
                   "FOREIGN KEY (a) REFERENCES u (b) ON UPDATE CASCADE)",
                   "a");
}

static void keys_are_numbers_of_rows_if_they_are_integers(void **state)
{
    (void)state;
    assert_columns("CREATE TABLE t(a integer primary key, b)", "a* b");
    assert_columns("CREATE TABLE t(a INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT)", "a*");
    assert_columns("CREATE TABLE t(a INT PRIMARY KEY, b INTEGER)", "a b");
    assert_columns("CREATE TABLE t(a TEXT, \"b\" INTEGER, PRIMARY KEY (b))", "a b*");
    assert_columns("CREATE TABLE t(a INTEGER, b INTEGER, PRIMARY KEY (a, b))", "a b");
    assert_columns("CREATE TABLE t(a UNSIGNED INTEGER PRIMARY KEY)", "a");
}

static void computed_columns_are_not_in_records(void **state)
{
    (void)state;
    assert_columns("CREATE TABLE t(a, b AS (a + 1), c INT GENERATED ALWAYS AS (a, 2) VIRTUAL, d)",
                   "a (b) (c) d");
    assert_columns("CREATE TABLE t(a, b INT AS (a) STORED)", "a b");
}

static void other_tables_are_known(void **state)
{
    (void)state;
    assert_columns("CREATE TABLE t(a PRIMARY KEY) WITHOUT ROWID", "a without");
    assert_columns("CREATE TABLE t(a) STRICT", "a");
}

static void broken_statements_end(void **state)
{
    (void)state;
    assert_columns("", "");
    assert_columns("CREATE TABLE", "");
    assert_columns("CREATE TABLE t(", "");
    assert_columns("CREATE TABLE t(a INT DEFAULT (", "a");
    assert_columns("CREATE TABLE t(\"a", "a");
    assert_columns("CREATE TABLE t(a /* b", "a");
    assert_columns("CREATE TABLE t(a, PRIMARY KEY (", "a");
}

static void a_database_is_refused_with_its_tables(void **state)
{
    (void)state;
    struct flm_bytes all = file_bytes("sqlite/types.sqlite");
    struct flm_sqlite db = {0};
    struct flm_error why = {0};
    assert_true(flm_sqlite_open(&db, all, &why));
    assert_false(flm_sqlite_refuse(&db, &why));
    assert_non_null(strstr(why.text, "its tables are the numbers, sqlite_sequence, keyed, late, "
                                     "apart, empty"));
    flm_sqlite_clear(&db);
    free((void *)all.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found),
        cmocka_unit_test(keys_are_numbers_of_rows_if_they_are_integers),
        cmocka_unit_test(computed_columns_are_not_in_records),
        cmocka_unit_test(other_tables_are_known),
        cmocka_unit_test(broken_statements_end),
        cmocka_unit_test(a_database_is_refused_with_its_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
