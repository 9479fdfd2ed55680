#include "format/arrow/arrow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/files.h"

static const char *const files[] = {"tests/data/arrow/agent_none.arrows",
                                    "tests/data/arrow/agent_lz4.arrows",
                                    "tests/data/arrow/agent_zstd.arrows"};
enum { FILES = sizeof files / sizeof files[0], MOST = 1 << 20 };

static struct flm_bytes text_of(const struct flm_arrow_array *array, uint64_t row)
{
    struct flm_bytes text = {"(none)", 6};
    flm_arrow_text(flm_arrow_cell(array, row), &text);
    return text;
}

/* The name of the outermost function at a location of the first stack. */
static struct flm_bytes function_at(const struct flm_arrow *arrow, uint64_t row, uint64_t index)
{
    const struct flm_arrow_array *items = NULL, *lines = NULL;
    uint64_t first = 0, count = 0;
    assert_true(flm_arrow_list(flm_arrow_cell(flm_arrow_column(arrow, "stacktrace"), row), &items,
                               &first, &count));
    assert_true(index < count);
    struct flm_arrow_cell location = flm_arrow_cell(items, first + index);
    assert_true(flm_arrow_is_struct(location));
    assert_true(
        flm_arrow_list(flm_arrow_cell(flm_arrow_member(location.array, "lines"), location.row),
                       &lines, &first, &count));
    struct flm_arrow_cell line = flm_arrow_cell(lines, first + count - 1);
    struct flm_arrow_cell function =
        flm_arrow_cell(flm_arrow_member(line.array, "function"), line.row);
    return text_of(flm_arrow_member(function.array, "system_name"), function.row);
}

static void cells_are_behind_runs_dictionaries_and_views(void **state)
{
    (void)state;
    for (size_t f = 0; f < FILES; f++) {
        struct flm_text bytes = read_file(files[f]);
        struct flm_error why = {0};
        struct flm_arrow *arrow =
            flm_arrow_open((struct flm_bytes){bytes.at, bytes.size}, MOST, &why);
        int64_t number = 0;
        if (!arrow)
            fail_msg("%s: %s", files[f], why.text);
        assert_int_equal(flm_arrow_rows(arrow), 0);
        if (!flm_arrow_next(arrow)) {
            flm_arrow_finish(arrow, &why);
            fail_msg("%s: %s", files[f], why.text);
        }
        assert_int_equal(flm_arrow_rows(arrow), 4);
        const struct flm_arrow_array *comm = flm_arrow_column(arrow, "labels.comm"),
                                     *value = flm_arrow_column(arrow, "value"),
                                     *period = flm_arrow_column(arrow, "period"),
                                     *time = flm_arrow_column(arrow, "timestamp");
        assert_true(flm_bytes_are(text_of(comm, 0), "app"));
        assert_true(flm_bytes_are(text_of(comm, 2), "app"));
        assert_true(flm_bytes_are(text_of(comm, 3), "cron"));
        assert_null(flm_arrow_cell(comm, 4).array); /* there is no such row */
        assert_true(flm_arrow_integer(flm_arrow_cell(value, 3), &number) && number == 7);
        assert_true(flm_arrow_integer(flm_arrow_cell(period, 2), &number) && number == 50000000);
        assert_true(flm_arrow_integer(flm_arrow_cell(time, 0), &number) &&
                    number == INT64_C(1795832400000000000));
        assert_false(flm_arrow_integer(flm_arrow_cell(comm, 0), &number));
        assert_true(flm_bytes_are(text_of(value, 0), "(none)"));
        assert_null(flm_arrow_column(arrow, "nothing"));
        assert_true(flm_bytes_are(function_at(arrow, 0, 0), "work"));
        assert_true(flm_bytes_are(function_at(arrow, 0, 1), "main"));
        assert_true(flm_bytes_are(function_at(arrow, 3, 0), "main"));
        assert_false(flm_arrow_next(arrow));
        assert_true(flm_arrow_finish(arrow, &why));
        flm_arrow_close(arrow);
        flm_text_clear(&bytes);
    }
}

/* Reads all of it; whether it could be read. */
static bool walk(struct flm_bytes bytes, size_t most, struct flm_error *why)
{
    struct flm_arrow *arrow = flm_arrow_open(bytes, most, why);
    if (!arrow)
        return false;
    while (flm_arrow_next(arrow)) {
        const struct flm_arrow_array *column;
        for (size_t i = 0; (column = flm_arrow_column_at(arrow, i)) != NULL; i++)
            for (uint64_t row = 0; row < flm_arrow_rows(arrow) && row < 100; row++)
                text_of(column, row);
    }
    bool good = flm_arrow_finish(arrow, why);
    flm_arrow_close(arrow);
    return good;
}

static void every_shortened_copy_is_read_or_refused(void **state)
{
    struct flm_text bytes = read_file(files[1]);
    size_t read = 0;
    (void)state;
    for (size_t size = 0; size < bytes.size; size++) {
        struct flm_error why = {0};
        char *copy = malloc(size + 1); /* a sanitizer sees what is read beyond */
        memcpy(copy, bytes.at, size);
        bool good = walk((struct flm_bytes){copy, size}, MOST, &why);
        assert_true(good || why.text[0]);
        read += good;
        free(copy);
    }
    /* The ends of its messages, and no others. */
    assert_true(read >= 5 && read < 20);
    flm_text_clear(&bytes);
}

static void every_damaged_byte_is_survived(void **state)
{
    struct flm_text bytes = read_file(files[0]);
    (void)state;
    for (size_t i = 0; i < bytes.size; i++)
        for (unsigned flip = 1; flip < 256; flip <<= 1) {
            struct flm_error why = {0};
            bytes.at[i] = (char)(bytes.at[i] ^ (int)flip);
            assert_true(walk((struct flm_bytes){bytes.at, bytes.size}, MOST, &why) || why.text[0]);
            bytes.at[i] = (char)(bytes.at[i] ^ (int)flip);
        }
    flm_text_clear(&bytes);
}

static void what_is_decompressed_is_bounded(void **state)
{
    struct flm_text bytes = read_file(files[2]);
    struct flm_error why = {0};
    (void)state;
    assert_true(walk((struct flm_bytes){bytes.at, bytes.size}, MOST, &why));
    assert_false(walk((struct flm_bytes){bytes.at, bytes.size}, 100, &why));
    assert_non_null(strstr(why.text, "too large when they are decompressed"));
    flm_text_clear(&bytes);
}

static bool walk_whole(void *context, struct flm_error *why)
{
    const struct flm_text *bytes = context;
    return walk((struct flm_bytes){bytes->at, bytes->size}, MOST, why);
}

static void every_failed_allocation_is_survived(void **state)
{
    struct flm_text bytes = read_file(files[0]);
    (void)state;
    assert_true(assert_survives_failures(walk_whole, &bytes) > 10);
    flm_text_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_behind_runs_dictionaries_and_views),
        cmocka_unit_test(every_shortened_copy_is_read_or_refused),
        cmocka_unit_test(every_damaged_byte_is_survived),
        cmocka_unit_test(what_is_decompressed_is_bounded),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
