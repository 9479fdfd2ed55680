#include "stats/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/json_tree.h"

static void the_stream_of_a_seed_is_splitmix64(void **state)
{
    (void)state;
    struct json_tree *golden = json_tree_read("tests/data/algebra/08_maxT_seeded.json");
    const struct json_tree *first = json_tree_get(golden, "splitmix64_first");
    struct flm_random random = {(uint64_t)json_tree_get(golden, "seed")->number};
    assert_true(first->count > 0);
    for (size_t i = 0; i < first->count; i++)
        assert_int_equal(flm_random_next(&random), strtoull(first->items[i].text, NULL, 10));
    json_tree_free(golden);
}

static void numbers_below_a_limit_are_equally_frequent(void **state)
{
    (void)state;
    enum { LIMIT = 7, DRAWN = 70000 };
    struct flm_random random = {3};
    int frequency[LIMIT] = {0};
    for (int i = 0; i < DRAWN; i++) {
        uint64_t drawn = flm_random_below(&random, LIMIT);
        assert_in_range(drawn, 0, LIMIT - 1);
        frequency[drawn]++;
    }
    for (int i = 0; i < LIMIT; i++) /* five standard deviations */
        assert_in_range(frequency[i], DRAWN / LIMIT - 463, DRAWN / LIMIT + 463);
}

static void what_would_make_some_numbers_more_frequent_is_drawn_again(void **state)
{
    (void)state;
    /* 2^64 mod this is 2^62: one number of four is drawn again. */
    const uint64_t limit = (uint64_t)3 << 62;
    struct flm_random random = {1}, beside = {1};
    for (int i = 0; i < 1000; i++) {
        uint64_t expected;
        do
            expected = flm_random_next(&beside);
        while (expected < (uint64_t)1 << 62);
        assert_int_equal(flm_random_below(&random, limit), expected % limit);
    }
}

static void below_one_there_is_only_zero(void **state)
{
    (void)state;
    struct flm_random random = {5};
    for (int i = 0; i < 100; i++)
        assert_int_equal(flm_random_below(&random, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stream_of_a_seed_is_splitmix64),
        cmocka_unit_test(numbers_below_a_limit_are_equally_frequent),
        cmocka_unit_test(what_would_make_some_numbers_more_frequent_is_drawn_again),
        cmocka_unit_test(below_one_there_is_only_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
