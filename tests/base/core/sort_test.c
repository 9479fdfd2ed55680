#include "base/core/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"

struct keys {
    const uint32_t *key;
    size_t compared;
};

static int by_key(const void *context, uint32_t a, uint32_t b)
{
    struct keys *k = (struct keys *)(uintptr_t)context;
    k->compared++;
    return (k->key[a] > k->key[b]) - (k->key[a] < k->key[b]);
}

/* Sorts 0 ... count - 1 by their keys, in room of exactly the required size. */
static size_t sort_and_check(const uint32_t *key, size_t count)
{
    uint32_t *items = malloc((count ? count : 1) * sizeof *items);
    uint32_t *scratch = malloc((count ? count : 1) * sizeof *scratch);
    assert_non_null(items);
    assert_non_null(scratch);
    for (size_t i = 0; i < count; i++)
        items[i] = (uint32_t)i;
    struct keys k = {key, 0};
    flm_sort(items, count, scratch, by_key, &k);
    for (size_t i = 1; i < count; i++) {
        assert_true(key[items[i - 1]] <= key[items[i]]);
        if (key[items[i - 1]] == key[items[i]])
            assert_true(items[i - 1] < items[i]);
    }
    free(items);
    free(scratch);
    return k.compared;
}

static void any_number_of_items_is_sorted_and_equal_ones_stay_in_order(void **state)
{
    (void)state;
    uint64_t random = 7;
    static uint32_t key[600];
    for (size_t count = 0; count < 600; count += count < 70 ? 1 : 53) {
        for (unsigned different = 1; different <= 1000; different *= 10) {
            for (size_t i = 0; i < count; i++)
                key[i] = random_below(&random, different);
            sort_and_check(key, count);
        }
    }
}

static void items_in_order_cost_one_comparison_each(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    static uint32_t key[COUNT];
    for (uint32_t i = 0; i < COUNT; i++)
        key[i] = i / 3;
    assert_true(sort_and_check(key, COUNT) < COUNT + COUNT / 4);
    for (uint32_t i = 0; i < COUNT; i++)
        key[i] = COUNT - i;
    assert_true(sort_and_check(key, COUNT) < 20 * COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_items_is_sorted_and_equal_ones_stay_in_order),
        cmocka_unit_test(items_in_order_cost_one_comparison_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
