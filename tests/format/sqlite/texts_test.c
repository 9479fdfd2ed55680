#include "format/sqlite/texts.h"

#include "support/core/failures.h"
#include "support/profile/perf_reading.h"

static void the_lowest_number_of_a_key_stays(void **state)
{
    (void)state;
    struct flm_sqlite_texts texts = {0};
    struct flm_sqlite db = {0};
    assert_null(flm_sqlite_texts_find(&texts, 7));
    assert_true(flm_sqlite_texts_add(&texts, &db, 7, 20, flm_bytes_of("system")));
    assert_true(flm_sqlite_texts_add(&texts, &db, 7, 0, flm_bytes_of("program")));
    assert_true(flm_sqlite_texts_add(&texts, &db, 7, 10, flm_bytes_of("profiler")));
    assert_true(flm_sqlite_texts_add(&texts, &db, 7, 0, flm_bytes_of("again")));
    assert_true(flm_bytes_are(flm_sqlite_texts_find(&texts, 7)->text, "program"));
    assert_null(flm_sqlite_texts_find(&texts, 8));
    flm_sqlite_texts_clear(&texts);
}

static void texts_outside_of_the_file_are_copied(void **state)
{
    (void)state;
    char file[] = "in the file", other[] = "elsewhere";
    struct flm_sqlite_texts texts = {0};
    struct flm_sqlite db = {.all = {file, sizeof file}};
    assert_true(flm_sqlite_texts_add(&texts, &db, 1, 0, flm_bytes_of(file)));
    assert_true(flm_sqlite_texts_add(&texts, &db, 2, 0, flm_bytes_of(other)));
    memset(other, 'x', sizeof other - 1);
    assert_ptr_equal(flm_sqlite_texts_find(&texts, 1)->text.at, file);
    assert_true(flm_bytes_are(flm_sqlite_texts_find(&texts, 2)->text, "elsewhere"));
    flm_sqlite_texts_clear(&texts);
}

static bool adds(void *context, struct flm_error *why)
{
    struct flm_sqlite db = {0};
    struct flm_sqlite_texts texts = {0};
    bool good = true;
    (void)context;
    for (uint64_t i = 0; i < 100 && good; i++)
        good = flm_sqlite_texts_add(&texts, &db, i, 0, flm_bytes_of("text"));
    flm_sqlite_texts_clear(&texts);
    return good || flm_error_memory(why);
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(adds, NULL) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_number_of_a_key_stays),
        cmocka_unit_test(texts_outside_of_the_file_are_copied),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
