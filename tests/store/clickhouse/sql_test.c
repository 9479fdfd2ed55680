/* Bytes of the outside as SQL, and rows of a response. */
#include "store/clickhouse/sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void every_byte_that_means_something_in_sql_is_escaped(void **state)
{
    char all[256];
    struct flm_text sql = {0};
    (void)state;
    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    flm_sql_string(&sql, (struct flm_bytes){all, sizeof all});
    assert_int_equal(sql.at[0], '\'');
    assert_int_equal(sql.at[sql.size - 1], '\'');
    /* Read as SQL does, it is the same bytes, and the only quotes are the first and the last. */
    size_t count = 0;
    for (size_t i = 1; i + 1 < sql.size; count++) {
        unsigned byte = (unsigned char)sql.at[i];
        assert_true(byte >= ' ' && byte < 127 && byte != '\'');
        if (byte == '\\') {
            assert_int_equal(sql.at[i + 1], 'x');
            assert_int_equal(sscanf(sql.at + i + 2, "%2x", &byte), 1);
            i += 4;
        } else {
            i++;
        }
        assert_int_equal(byte, count);
    }
    assert_int_equal(count, 256);
    flm_text_clear(&sql);
}

static void rows_are_read_as_they_were_written(void **state)
{
    struct flm_text row = {0};
    (void)state;
    flm_row_varint(&row, UINT64_MAX);
    flm_row_string(&row, flm_bytes_of("text"));
    flm_row_fixed(&row, 0x1234567890u, 8);
    flm_row_fixed(&row, 513, 2);
    flm_row_double(&row, -0.1);
    struct flm_row_reader r = {.bytes = {row.at, row.size}};
    assert_true(flm_read_varint(&r) == UINT64_MAX);
    assert_true(flm_bytes_are(flm_read_string(&r), "text"));
    assert_true(flm_read_fixed(&r, 8) == 0x1234567890u);
    assert_true(flm_read_fixed(&r, 2) == 513);
    assert_true(flm_read_double(&r) == -0.1);
    assert_false(flm_read_more(&r));
    assert_false(r.failed);
    flm_text_clear(&row);
}

static void what_is_cut_or_too_long_is_a_failure(void **state)
{
    static const char *const wrong[] = {"\x05text", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01x",
                                        "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", ""};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct flm_row_reader r = {.bytes = flm_bytes_of(wrong[i])};
        assert_int_equal(flm_read_string(&r).size, 0);
        assert_true(r.failed);
        assert_int_equal(flm_read_fixed(&r, 8), 0);
        assert_false(flm_read_more(&r));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_that_means_something_in_sql_is_escaped),
        cmocka_unit_test(rows_are_read_as_they_were_written),
        cmocka_unit_test(what_is_cut_or_too_long_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
