/* Batches that are sent again: by their ids, also when the store was closed meanwhile. */
#include "store/embedded/pushed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "flamel/file.h"
#include "flamel/store.h"
#include "support/core/files.h"
#include "support/store/open_store.h"

static struct flm_profile *one(void)
{
    struct flm_load_options load = {.size = sizeof load};
    return flm_load_memory("main 1\n", 7, &load, NULL);
}

static double total_of(struct flm_store *store, const char *tenant)
{
    const struct flm_store_query query = {
        .size = sizeof query, .tenant = tenant, .until_ms = INT64_MAX};
    struct flm_profile *p = flm_store_merge(store, &query, NULL);
    assert_non_null(p);
    double total = flm_profile_metric_count(p) ? flm_profile_total(p, (struct flm_metric){0}) : 0;
    flm_profile_free(p);
    return total;
}

static void an_id_that_came_before_is_not_counted_twice(void **state)
{
    (void)state;
    struct flm_store *store = open_store("pushed");
    struct flm_profile *p = one();
    struct flm_store_batch batches[] = {{.profile = p, .tenant = "t", .time_ms = 1000, .id = "a"},
                                        {.profile = p, .tenant = "t", .time_ms = 1000, .id = "b"},
                                        {.profile = p, .tenant = "t", .time_ms = 1000}};
    for (int closed = 0; closed < 2; closed++) {
        assert_true(flm_store_append(store, batches, 1, NULL));
        assert_true(flm_store_append(store, batches, 1, NULL));
        assert_true(total_of(store, "t") == 1);
        flm_store_close(store);
        store = open_store("pushed");
    }
    /* In part, and in one request. */
    batches[2].id = "b";
    assert_true(flm_store_append(store, batches, 3, NULL));
    assert_true(total_of(store, "t") == 2);
    assert_int_equal(flm_store_stats(store).repeated_batches, 2);
    /* Without an id all are others, and so are those of other tenants. */
    batches[2].id = NULL;
    assert_true(flm_store_append(store, batches + 2, 1, NULL));
    assert_true(flm_store_append(store, batches + 2, 1, NULL));
    assert_true(total_of(store, "t") == 4);
    batches[0].tenant = "u";
    assert_true(flm_store_append(store, batches, 1, NULL));
    assert_true(total_of(store, "u") == 1);
    /* Sealed or not. */
    assert_true(flm_store_seal(store, NULL));
    assert_true(flm_store_append(store, batches, 2, NULL));
    assert_true(total_of(store, "u") == 1 && total_of(store, "t") == 4);
    /* What is refused is not remembered. */
    batches[0].id = "c";
    batches[1].id = "d";
    batches[1].time_ms = -1;
    assert_false(flm_store_append(store, batches, 2, NULL));
    batches[1].time_ms = 1000;
    assert_true(flm_store_append(store, batches, 2, NULL));
    assert_true(total_of(store, "u") == 2 && total_of(store, "t") == 5);
    char longest[FLM_STORE_LONGEST_ID + 2];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    batches[0].id = longest;
    assert_false(flm_store_append(store, batches, 1, NULL));
    flm_store_close(store);
    flm_profile_free(p);
}

static struct flm_bytes id_of(unsigned i, char text[16])
{
    return (struct flm_bytes){text, (size_t)snprintf(text, 16, "%u", i)};
}

/* The last ones are known, the first ones forgotten, and so are the rows that had them. */
static void ids_are_forgotten_in_their_order(void **state)
{
    (void)state;
    struct flm_pushed p, again;
    const struct flm_bytes tenant = flm_bytes_of("t");
    struct flm_text rows[800] = {{0}};
    char text[16];
    enum { EACH = 1000, ROWS = 800 };
    assert_true(flm_pushed_init(&p, NULL) && flm_pushed_init(&again, NULL));
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned i = 0; i < EACH; i++)
            assert_true(flm_pushed_add(&p, tenant, id_of(row * EACH + i, text)));
        assert_true(flm_pushed_has(&p, tenant, id_of(row * EACH, text)));
        flm_pushed_write(&p, &rows[row]);
        flm_pushed_commit(&p, EACH);
    }
    assert_true(flm_pushed_has(&p, tenant, id_of(ROWS * EACH - 1, text)));
    assert_true(flm_pushed_has(&p, tenant, id_of(ROWS * EACH - 250000, text)));
    assert_false(flm_pushed_has(&p, tenant, id_of(0, text)));
    assert_false(flm_pushed_has(&p, flm_bytes_of("u"), id_of(ROWS * EACH - 1, text)));
    assert_true(p.previous_row > 1);
    /* What is left in the catalog is enough. */
    for (unsigned row = (unsigned)p.previous_row; row <= ROWS; row++)
        assert_true(
            flm_pushed_read(&again, row, (struct flm_bytes){rows[row - 1].at, rows[row - 1].size}));
    for (unsigned i = ROWS * EACH - 250000; i < ROWS * EACH; i += 997)
        assert_true(flm_pushed_has(&again, tenant, id_of(i, text)));
    assert_int_equal(again.next_row, p.next_row);
    /* A damaged row. */
    assert_false(flm_pushed_read(&again, 9000, (struct flm_bytes){rows[0].at, rows[0].size - 1}));
    assert_false(flm_pushed_read(&again, 9001, (struct flm_bytes){"\xFF\xFF", 2}));
    for (unsigned row = 0; row < ROWS; row++)
        flm_text_clear(&rows[row]);
    flm_pushed_clear(&p);
    flm_pushed_clear(&again);
}

/* Long ids take no more than 64 MiB, and those of a row, of each. */
static void long_ids_are_forgotten_sooner(void **state)
{
    (void)state;
    struct flm_pushed p;
    const struct flm_bytes tenant = flm_bytes_of("t");
    char id[FLM_STORE_LONGEST_ID];
    enum { EACH = 1000, ROWS = 150 };
    memset(id, 'x', sizeof id);
    struct flm_bytes bytes = {id, sizeof id};
    unsigned last = 0, first = 0;
    assert_true(flm_pushed_init(&p, NULL));
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned i = 0; i < EACH; i++) {
            last = row * EACH + i;
            memcpy(id, &last, sizeof last);
            assert_true(flm_pushed_add(&p, tenant, bytes));
        }
        flm_pushed_commit(&p, EACH);
        assert_true(p.current.bytes_size < (64 << 20) + EACH * (sizeof id + 2));
    }
    assert_true(flm_pushed_has(&p, tenant, bytes));
    memcpy(id, &first, sizeof first);
    assert_false(flm_pushed_has(&p, tenant, bytes));
    last -= 60000;
    memcpy(id, &last, sizeof last);
    assert_true(flm_pushed_has(&p, tenant, bytes));
    flm_pushed_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_that_came_before_is_not_counted_twice),
        cmocka_unit_test(ids_are_forgotten_in_their_order),
        cmocka_unit_test(long_ids_are_forgotten_sooner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
