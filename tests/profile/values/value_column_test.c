#include "profile/values/value_column.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"

static void samples_without_a_value_have_0(void **state)
{
    (void)state;
    static const double expected[] = {5, 1, 0, 1, 7, 0, 0};
    struct flm_value_column column = {0};
    for (uint32_t i = 0; i < 7; i++)
        assert_true(flm_value_column_add(&column, i, expected[i]));
    assert_int_equal(column.count, 4);
    assert_int_equal(column.present.count, 1);
    for (uint32_t i = 0; i < 7; i++)
        assert_true(flm_value_column_get(&column, i) == expected[i]);
    assert_true(flm_value_column_get(&column, 1000) == 0);
    flm_value_column_clear(&column);
    assert_true(flm_value_column_get(&column, 0) == 0);
}

static void values_of_one_sample_are_added_up(void **state)
{
    (void)state;
    struct flm_value_column column = {0};
    assert_true(flm_value_column_add(&column, 3, 2) && flm_value_column_add(&column, 3, 0.5) &&
                flm_value_column_add(&column, 4, 1) && flm_value_column_add(&column, 4, -1));
    assert_true(flm_value_column_get(&column, 2) == 0);
    assert_true(flm_value_column_get(&column, 3) == 2.5);
    assert_true(flm_value_column_get(&column, 4) == 0);
    flm_value_column_clear(&column);
}

/* The same number, then integers, then any: all of the earlier ones stay what they were. */
static void values_of_all_widths_are_the_same(void **state)
{
    (void)state;
    static const double values[] = {7, 7, 7, 4294967295.0, 1, 4294967296.0, -1, 0.25, 7, 1e300};
    enum { COUNT = sizeof values / sizeof *values };
    static const enum flm_value_width widths[COUNT] = {
        FLM_VALUES_SAME, FLM_VALUES_SAME, FLM_VALUES_SAME, FLM_VALUES_SMALL, FLM_VALUES_SMALL,
        FLM_VALUES_ANY,  FLM_VALUES_ANY,  FLM_VALUES_ANY,  FLM_VALUES_ANY,   FLM_VALUES_ANY};
    for (uint32_t gap = 1; gap <= 2; gap++) { /* without bits, and with them */
        struct flm_value_column column = {0};
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_true(flm_value_column_add(&column, i * gap, values[i]));
            assert_int_equal(column.width, widths[i]);
            for (uint32_t j = 0; j <= i; j++)
                assert_true(flm_value_column_get(&column, j * gap) == values[j]);
        }
        assert_int_equal(column.present.count, gap == 1 ? 0 : 1);
        flm_value_column_clear(&column);
        assert_true(flm_value_column_get(&column, 0) == 0);
    }
}

/* Milliseconds with nanoseconds, as they are written, are integers divided by 10^6. */
static void decimals_take_four_bytes_and_stay_what_they_are(void **state)
{
    (void)state;
    struct flm_value_column column = {0};
    uint64_t random = 6;
    for (uint32_t i = 0; i < 100000; i++) {
        char text[32];
        snprintf(text, sizeof text, "%u.%06u", random_below(&random, 4294), i * 7 % 1000000);
        double value = strtod(text, NULL);
        assert_true(flm_value_column_add(&column, i, value));
        assert_true(flm_value_column_get(&column, i) == value);
    }
    assert_int_equal(column.width, FLM_VALUES_SCALED);
    /* A value that is too large, too small or between two of them turns all into doubles. */
    static const double others[] = {4295, 1e-7, 0.1 + 0.2, -1};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        struct flm_value_column again = {0};
        assert_true(flm_value_column_add(&again, 0, 3) && flm_value_column_add(&again, 1, 0.5) &&
                    flm_value_column_add(&again, 2, others[k]));
        assert_int_equal(again.width, FLM_VALUES_ANY);
        assert_true(flm_value_column_get(&again, 0) == 3 && flm_value_column_get(&again, 1) == 0.5);
        assert_true(flm_value_column_get(&again, 2) == others[k]);
        flm_value_column_clear(&again);
    }
    flm_value_column_clear(&column);
}

static void sums_of_one_sample_may_need_more_room(void **state)
{
    (void)state;
    struct flm_value_column column = {0};
    assert_true(flm_value_column_add(&column, 0, 5) && flm_value_column_add(&column, 1, 5) &&
                flm_value_column_add(&column, 1, 1));
    assert_true(flm_value_column_get(&column, 0) == 5 && flm_value_column_get(&column, 1) == 6);
    assert_true(flm_value_column_add(&column, 1, 4294967295.0));
    assert_true(flm_value_column_get(&column, 0) == 5 &&
                flm_value_column_get(&column, 1) == 4294967301.0);
    assert_true(flm_value_column_add(&column, 1, -4294967301.0));
    assert_true(flm_value_column_get(&column, 1) == 0);
    flm_value_column_clear(&column);
}

/* Of every width, with samples that have none, in batches of any size. */
static void many_values_at_once_are_as_one_after_the_other(void **state)
{
    (void)state;
    static const double choices[] = {7, 7, 0, 1, 0.25, 4294967295.0, 0.1234567};
    enum { COUNT = 400, KINDS = sizeof choices / sizeof *choices };
    uint64_t random = 3;
    for (uint32_t turn = 0; turn < 300; turn++) {
        struct flm_value_column single = {0}, many = {0};
        double values[COUNT];
        uint32_t kinds = 1 + turn % KINDS;
        for (uint32_t i = 0; i < COUNT; i++)
            values[i] = choices[random_below(&random, kinds)];
        for (uint32_t i = 0, size; i < COUNT; i += size) {
            size = 1 + (uint32_t)random_below(&random, COUNT - i < 50 ? COUNT - i : 50);
            assert_true(flm_value_column_append(&many, 5 + i, values + i, size));
        }
        for (uint32_t i = 0; i < COUNT; i++)
            assert_true(flm_value_column_add(&single, 5 + i, values[i]));
        assert_int_equal(many.width, single.width);
        assert_int_equal(many.count, single.count);
        assert_int_equal(many.present.count, single.present.count);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_true(flm_value_column_get(&many, 5 + i) == values[i]);
        flm_value_column_clear(&many);
        flm_value_column_clear(&single);
    }
}

/* A random order of the samples. */
static uint32_t *random_rank(uint64_t *random, uint32_t count)
{
    uint32_t *rank = malloc((count + 1) * sizeof *rank);
    assert_non_null(rank);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = random_below(random, i + 1);
        rank[i] = rank[other];
        rank[other] = i;
    }
    return rank;
}

/* Adds these values to a column and takes it, where allocations fail from the `nth` on. */
static bool take(const double *values, const uint32_t *rank, uint32_t count, size_t nth,
                 struct flm_sample_values *to)
{
    struct flm_value_column column = {0};
    for (uint32_t i = 0; i < count; i++)
        assert_true(flm_value_column_add(&column, i, values[i]));
    allocation_fail_from(nth);
    bool taken = flm_value_column_take(&column, rank, count, to);
    allocation_fail_from(0);
    flm_value_column_clear(&column);
    return taken;
}

/* Whatever the width, the order, and how many samples have a value, around words of 64. */
static void taken_values_are_those_that_were_added(void **state)
{
    (void)state;
    static const double choices[] = {7, 7, 0, 1, 0.25, 4294967295.0, 0.1234567};
    enum { MOST = 200, KINDS = sizeof choices / sizeof *choices };
    uint64_t random = 5;
    for (uint32_t turn = 0; turn < 1200; turn++) {
        uint32_t kinds = 1 + turn % KINDS, count = random_below(&random, MOST);
        uint32_t *rank = turn % 2 ? random_rank(&random, count) : NULL;
        double values[MOST], all[MOST];
        for (uint32_t i = 0; i < count; i++)
            values[i] = turn % 11 ? choices[random_below(&random, kinds)] : 0;
        struct flm_sample_values taken;
        assert_true(take(values, rank, count, 0, &taken));
        flm_sample_values_expand(&taken, 0, count, all);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t at = rank ? rank[i] : i;
            assert_true(flm_sample_value_of(&taken, at) == values[i] && all[at] == values[i]);
        }
        assert_true(!taken.any || !taken.small);
        flm_sample_values_clear(&taken);
        free(rank);
    }
}

static void what_is_not_taken_is_freed(void **state)
{
    (void)state;
    static const double values[] = {1, 0, 2, 3};
    static const uint32_t rank[] = {3, 0, 2, 1};
    size_t nth = 1;
    struct flm_sample_values taken;
    for (; !take(values, rank, 4, nth, &taken); nth++)
        flm_sample_values_clear(&taken);
    assert_int_equal(nth, 4); /* the bits, the counts, the values */
    flm_sample_values_clear(&taken);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t nth = 1; nth <= 2; nth++) {
        struct flm_value_column column = {0};
        allocation_fail_from(nth);
        bool added = flm_value_column_add(&column, 1, 0.5);
        allocation_fail_from(0);
        assert_false(added);
        assert_true(flm_value_column_get(&column, 1) == 0);
        static const double values[] = {0.5, 0.5};
        allocation_fail_from(1);
        added = flm_value_column_append(&column, 1, values, 2);
        allocation_fail_from(0);
        assert_false(added);
        flm_value_column_clear(&column);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_without_a_value_have_0),
        cmocka_unit_test(values_of_one_sample_are_added_up),
        cmocka_unit_test(values_of_all_widths_are_the_same),
        cmocka_unit_test(decimals_take_four_bytes_and_stay_what_they_are),
        cmocka_unit_test(sums_of_one_sample_may_need_more_room),
        cmocka_unit_test(many_values_at_once_are_as_one_after_the_other),
        cmocka_unit_test(taken_values_are_those_that_were_added),
        cmocka_unit_test(what_is_not_taken_is_freed),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
