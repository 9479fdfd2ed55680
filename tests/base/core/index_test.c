#include "base/core/index.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"

static bool has(const struct flm_index *index, uint32_t hash, uint32_t item)
{
    for (struct flm_probe at = flm_index_probe(index, hash); flm_index_next(index, &at);)
        if (at.found == item)
            return true;
    return false;
}

static size_t count_of(const struct flm_index *index, uint32_t hash)
{
    size_t count = 0;
    for (struct flm_probe at = flm_index_probe(index, hash); flm_index_next(index, &at);)
        count++;
    return count;
}

static void an_empty_index_has_nothing(void **state)
{
    (void)state;
    struct flm_index index = {0};
    assert_int_equal(count_of(&index, 0), 0);
    assert_int_equal(count_of(&index, 0xFFFFFFFF), 0);
    flm_index_clear(&index);
}

static void added_items_are_found(void **state)
{
    (void)state;
    struct flm_index index = {0};
    uint64_t random = 1;
    enum { COUNT = 5000 };
    static uint32_t hashes[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        hashes[i] = (uint32_t)random_next(&random);
        assert_true(flm_index_add(&index, hashes[i], i));
    }
    for (uint32_t i = 0; i < COUNT; i++)
        assert_true(has(&index, hashes[i], i));
    assert_int_equal(index.item_count, COUNT);
    assert_true(index.slot_count >= 2 * COUNT);
    flm_index_clear(&index);
    assert_int_equal(count_of(&index, hashes[0]), 0);
}

static void equal_hashes_are_all_offered(void **state)
{
    (void)state;
    struct flm_index index = {0};
    for (uint32_t i = 0; i < 300; i++) {
        assert_true(flm_index_add(&index, 0xFFFFFFFF, i)); /* the last slot of any table: wraps */
        assert_true(flm_index_add(&index, i, 1000 + i));
    }
    assert_int_equal(count_of(&index, 0xFFFFFFFF), 300);
    for (uint32_t i = 0; i < 300; i++) {
        assert_true(has(&index, 0xFFFFFFFF, i));
        assert_int_equal(count_of(&index, i), 1);
    }
    flm_index_clear(&index);
}

static void an_index_that_cannot_grow_is_unchanged(void **state)
{
    (void)state;
    struct flm_index index = {0};
    uint32_t added = 0;
    allocation_fail_from(1);
    assert_false(flm_index_add(&index, 1, 1));
    allocation_fail_from(2); /* the first table can be had */
    while (flm_index_add(&index, added * 0x9E3779B9u, added))
        added++;
    allocation_fail_from(0);
    assert_true(added >= 16);
    assert_int_equal(index.item_count, added);
    for (uint32_t i = 0; i < added; i++)
        assert_true(has(&index, i * 0x9E3779B9u, i));
    assert_int_equal(count_of(&index, added * 0x9E3779B9u), 0);
    flm_index_clear(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_index_has_nothing),
        cmocka_unit_test(added_items_are_found),
        cmocka_unit_test(equal_hashes_are_all_offered),
        cmocka_unit_test(an_index_that_cannot_grow_is_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
