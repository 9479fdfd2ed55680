#include "format/sqlite/sqlite.h"

#include "support/core/failures.h"
#include "support/profile/perf_reading.h"

static struct flm_bytes database(void)
{
    return file_bytes("sqlite/types.sqlite");
}

static void rows_have_their_values(void **state)
{
    (void)state;
    static const int64_t numbers[] = {
        0, 1, -1, 127, -128, 32767, -8388608, 2147483647, -140737488355328, INT64_MAX, INT64_MIN};
    static const char *const wanted[] = {"THE END", "id",   "twice", "thrice", "real",
                                         "text",    "blob", "none",  NULL};
    struct flm_bytes all = database();
    struct flm_sqlite db = {0};
    struct flm_error why = {0};
    struct flm_sqlite_rows rows;
    int64_t i = 0;
    assert_true(flm_sqlite_open(&db, all, &why));
    flm_sqlite_begin(&rows, &db, flm_sqlite_table(&db, "the Numbers"), wanted);
    for (; flm_sqlite_next(&rows); i++) {
        assert_true(i < 11);
        int64_t start = numbers[i] / 4 - (numbers[i] % 4 < 0); /* rounded down */
        assert_int_equal(rows.value[0].type, FLM_SQLITE_INTEGER);
        assert_true(rows.value[0].integer == numbers[i]);
        assert_true(rows.rowid == 10 * i + 7 && rows.value[1].integer == rows.rowid);
        assert_int_equal(rows.value[2].type, FLM_SQLITE_NULL); /* it is not in the file */
        assert_true(i > 8 || rows.value[3].integer == start * 3);
        bool is_real = rows.value[4].type == FLM_SQLITE_REAL; /* whole numbers are INTEGER there */
        assert_true(is_real == (i > 0 && i < 6 && numbers[i] % 2 != 0) || i > 6);
        assert_true((is_real ? rows.value[4].real : (double)rows.value[4].integer) ==
                    (double)numbers[i] / 2);
        assert_int_equal(rows.value[5].type, FLM_SQLITE_TEXT);
        assert_int_equal(rows.value[5].bytes.size, i * i * 20);
        for (size_t j = 0; j < rows.value[5].bytes.size; j++)
            assert_int_equal(rows.value[5].bytes.at[j], 'x');
        assert_int_equal(rows.value[6].type, i > 0 ? FLM_SQLITE_BLOB : FLM_SQLITE_NULL);
        assert_true(i == 0 || rows.value[6].bytes.at[0] == i);
        assert_int_equal(rows.value[7].type, FLM_SQLITE_NULL);
    }
    assert_true(rows.has[6] && !rows.has[7]);
    assert_int_equal(i, 11);
    flm_sqlite_end(&rows);
    assert_int_equal(db.damaged, 0);
    flm_sqlite_clear(&db);
    free((void *)all.at);
}

static void a_tree_is_read_in_the_order_of_its_rows(void **state)
{
    (void)state;
    static const char *const wanted[] = {"id", "a", NULL};
    struct flm_bytes all = database();
    struct flm_sqlite db = {0};
    struct flm_error why = {0};
    struct flm_sqlite_rows rows;
    char name[20];
    int i = 0;
    assert_true(flm_sqlite_open(&db, all, &why));
    flm_sqlite_begin(&rows, &db, flm_sqlite_table(&db, "keyed"), wanted);
    while (flm_sqlite_next(&rows)) {
        i++;
        snprintf(name, sizeof name, "row %d", i);
        assert_int_equal(rows.value[0].integer, 3 * i);
        assert_true(flm_bytes_are(rows.value[1].bytes, name));
    }
    flm_sqlite_end(&rows);
    assert_int_equal(i, 2000);
    assert_int_equal(flm_sqlite_count(&db, flm_sqlite_table(&db, "late")), 2);
    /* A table is walked over once: its pages were read. */
    assert_int_equal(db.damaged, 0);
    assert_int_equal(flm_sqlite_count(&db, flm_sqlite_table(&db, "keyed")), 0);
    assert_int_equal(db.damaged, 1);
    flm_sqlite_clear(&db);
    free((void *)all.at);
}

static void columns_that_were_added_later_are_null_before(void **state)
{
    (void)state;
    static const char *const wanted[] = {"id", "b", NULL};
    struct flm_bytes all = database();
    struct flm_sqlite db = {0};
    struct flm_error why = {0};
    struct flm_sqlite_rows rows;
    assert_true(flm_sqlite_open(&db, all, &why));
    flm_sqlite_begin(&rows, &db, flm_sqlite_table(&db, "late"), wanted);
    assert_true(flm_sqlite_next(&rows));
    assert_true(rows.value[0].integer == 5 && rows.value[1].type == FLM_SQLITE_NULL);
    assert_true(flm_sqlite_next(&rows));
    assert_true(rows.value[0].integer == 7 && flm_bytes_are(rows.value[1].bytes, "nine"));
    assert_false(flm_sqlite_next(&rows));
    flm_sqlite_end(&rows);
    /* No rows: an empty table, one that is not there, a view, one that is kept in another way. */
    static const char *const others[] = {"empty", "nothing", "seen", "apart"};
    for (int i = 0; i < 4; i++) {
        flm_sqlite_begin(&rows, &db, flm_sqlite_table(&db, others[i]), wanted);
        assert_false(flm_sqlite_next(&rows));
        flm_sqlite_end(&rows);
    }
    flm_sqlite_clear(&db);
    free((void *)all.at);
}

/* ---- Broken files ---------------------------------------------------------------------------- */

static uint64_t walk_all(struct flm_sqlite *db)
{
    static const char *const wanted[] = {"a", "text", "id", NULL};
    uint64_t bytes = 0;
    struct flm_sqlite_rows rows;
    for (size_t i = 0; i < db->tables.count; i++) {
        flm_sqlite_begin(&rows, db, &db->tables.at[i], wanted);
        while (flm_sqlite_next(&rows))
            for (int j = 0; j < 3; j++)
                for (size_t k = 0; k < rows.value[j].bytes.size; k++)
                    bytes += (unsigned char)rows.value[j].bytes.at[k];
        flm_sqlite_end(&rows);
    }
    return bytes;
}

static void every_prefix_is_refused_or_read(void **state)
{
    (void)state;
    struct flm_bytes all = database();
    for (size_t size = 0; size < all.size; size += size < 1100 ? 1 : 97) {
        char *block = malloc(size + 1);
        memcpy(block, all.at, size);
        struct flm_sqlite db = {0};
        struct flm_error why = {0};
        if (flm_sqlite_open(&db, (struct flm_bytes){block, size}, &why)) {
            walk_all(&db);
            assert_true(db.missing > 0);
        } else {
            assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        }
        flm_sqlite_clear(&db);
        free(block);
    }
    free((void *)all.at);
}

/* A page that refers to itself, or to pages of others, is seen once. */
static void circles_end(void **state)
{
    (void)state;
    struct flm_bytes all = database();
    char *block = malloc(all.size);
    for (uint32_t target = 1; target <= all.size / 512; target += 3) {
        memcpy(block, all.at, all.size);
        for (size_t page = 1; page < all.size / 512; page++)
            if (block[page * 512] == 5) /* the right-most child of inner pages */
                block[page * 512 + 11] = (char)target, block[page * 512 + 10] = 0;
        struct flm_sqlite db = {0};
        struct flm_error why = {0};
        assert_true(flm_sqlite_open(&db, (struct flm_bytes){block, all.size}, &why));
        walk_all(&db);
        assert_true(db.damaged > 0);
        flm_sqlite_clear(&db);
    }
    free(block);
    free((void *)all.at);
}

static void headers_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t offset;
        unsigned char value;
        const char *says;
    } cases[] = {{0, 'X', "does not begin"},
                 {16, 3, "byte 16"},
                 {17, 7, "byte 16"},
                 {20, 255, "byte 16"},
                 {59, 2, "UTF-16"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_bytes all = database();
        ((char *)all.at)[cases[i].offset] = (char)cases[i].value;
        struct flm_sqlite db = {0};
        struct flm_error why = {0};
        assert_false(flm_sqlite_open(&db, all, &why));
        assert_non_null(strstr(why.text, cases[i].says));
        flm_sqlite_clear(&db);
        free((void *)all.at);
    }
}

static bool reads(void *context, struct flm_error *why)
{
    const struct flm_bytes *all = context;
    struct flm_sqlite db = {0};
    bool good = flm_sqlite_open(&db, *all, why);
    if (good) {
        walk_all(&db);
        good = !db.no_memory || flm_error_memory(why);
    }
    flm_sqlite_clear(&db);
    return good;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_bytes all = database();
    assert_true(assert_survives_failures(reads, &all) > 3);
    free((void *)all.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_their_values),
        cmocka_unit_test(a_tree_is_read_in_the_order_of_its_rows),
        cmocka_unit_test(columns_that_were_added_later_are_null_before),
        cmocka_unit_test(every_prefix_is_refused_or_read),
        cmocka_unit_test(circles_end),
        cmocka_unit_test(headers_that_cannot_be_are_refused),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
