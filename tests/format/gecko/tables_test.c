#include "format/gecko/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static void a_column_is_narrow_until_a_value_is_not(void **state)
{
    (void)state;
    struct flm_gecko_column c = {0};
    assert_true(flm_gecko_column_add(&c, 7));
    assert_true(flm_gecko_column_add(&c, __builtin_nan("")));
    assert_non_null(c.narrow);
    assert_int_equal(flm_gecko_index(&c, 0), 7);
    assert_int_equal(flm_gecko_index(&c, 1), -1);
    assert_true(flm_gecko_value(&c, 1) != flm_gecko_value(&c, 1));
    assert_true(flm_gecko_column_add(&c, -2147483647.0));
    assert_null(c.narrow);
    assert_non_null(c.whole);
    assert_int_equal(flm_gecko_index(&c, 0), 7);
    assert_int_equal(flm_gecko_index(&c, 1), -1);
    assert_int_equal(flm_gecko_index(&c, 2), -1);
    assert_true(flm_gecko_value(&c, 2) == -2147483647.0);
    assert_true(flm_gecko_column_add(&c, -2147483648.0)); /* stands for null among narrow ones */
    assert_null(c.whole);
    assert_true(flm_gecko_value(&c, 3) == -2147483648.0);
    assert_true(flm_gecko_column_add(&c, 1.5));
    assert_int_equal(flm_gecko_index(&c, 0), 7);
    assert_true(flm_gecko_value(&c, 1) != flm_gecko_value(&c, 1));
    assert_int_equal(flm_gecko_index(&c, 4), -1);
    assert_int_equal(flm_gecko_index(&c, 5), -1);
    assert_true(flm_gecko_value(&c, 5) != flm_gecko_value(&c, 5));
    flm_gecko_column_clear(&c);
    assert_true(flm_gecko_column_add(&c, 0.5)); /* the first one is not whole */
    assert_true(flm_gecko_value(&c, 0) == 0.5);
    flm_gecko_column_clear(&c);
}

static void many_values_are_what_they_are_one_by_one(void **state)
{
    (void)state;
    const double values[] = {1,
                             2,
                             __builtin_nan(""),
                             -5,
                             32767,
                             -32767,
                             __builtin_nan(""),
                             -32768,
                             4,
                             32768,
                             2147483647.0,
                             -2147483647.0,
                             0.5,
                             3,
                             -0.5,
                             2147483648.0,
                             -2147483648.0,
                             __builtin_inf(),
                             -1e300};
    enum { COUNT = sizeof values / sizeof values[0] };
    for (size_t first = 0; first < COUNT; first++) {
        for (size_t end = first; end <= COUNT; end++) {
            struct flm_gecko_column one = {0}, all = {0};
            for (size_t i = first; i < end; i++)
                assert_true(flm_gecko_column_add(&one, values[i]));
            assert_true(flm_gecko_column_append(&all, values + first, end - first));
            assert_int_equal(one.any != NULL, all.any != NULL);
            assert_int_equal(one.whole != NULL, all.whole != NULL);
            assert_int_equal(one.narrow != NULL, all.narrow != NULL);
            for (size_t i = first; i < end; i++) {
                double x = flm_gecko_value(&one, i - first), y = flm_gecko_value(&all, i - first);
                assert_true(x == y || (x != x && y != y));
                assert_true(y == values[i] || (y != y && values[i] != values[i]));
            }
            flm_gecko_column_clear(&one);
            flm_gecko_column_clear(&all);
        }
    }
}

/* Sixteen values are narrowed at once: one of any kind among them is at each place. */
static void any_value_may_be_among_narrow_ones(void **state)
{
    (void)state;
    const double others[] = {__builtin_nan(""), 32767, -32767, -32768, 32768, -32769, 65535,
                             2147483647.0,      1e10,  0.25};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        for (size_t at = 0; at < 16; at++) {
            double values[16];
            struct flm_gecko_column c = {0};
            for (size_t i = 0; i < 16; i++)
                values[i] = i == at ? others[k] : (double)i * 100 - 700;
            assert_true(flm_gecko_column_append(&c, values, 16));
            assert_int_equal(c.narrow != NULL, k < 3);
            for (size_t i = 0; i < 16; i++) {
                double value = flm_gecko_value(&c, i);
                assert_true(value == values[i] || (value != value && values[i] != values[i]));
            }
            flm_gecko_column_clear(&c);
        }
    }
}

static void strings_are_found_by_their_number(void **state)
{
    (void)state;
    struct flm_gecko_strings s = {0};
    assert_true(flm_gecko_strings_add(&s, flm_bytes_of("a")));
    assert_true(flm_gecko_strings_add(&s, flm_bytes_of("")));
    assert_true(flm_gecko_strings_add(&s, flm_bytes_of("bcd")));
    assert_true(flm_bytes_are(flm_gecko_string(&s, 0), "a"));
    assert_int_equal(flm_gecko_string(&s, 1).size, 0);
    assert_true(flm_bytes_are(flm_gecko_string(&s, 2), "bcd"));
    assert_int_equal(flm_gecko_string(&s, 3).size, 0);
    assert_int_equal(flm_gecko_string(&s, -1).size, 0);
    flm_gecko_strings_clear(&s);
}

static void columns_are_known_by_table_and_name(void **state)
{
    (void)state;
    assert_int_equal(flm_gecko_column_named(FLM_GECKO_STACKS, flm_bytes_of("prefixOffset")),
                     FLM_GECKO_STACK_PREFIX_OFFSET);
    assert_int_equal(flm_gecko_column_named(FLM_GECKO_SAMPLES, flm_bytes_of("prefixOffset")),
                     FLM_GECKO_COLUMN_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_narrow_until_a_value_is_not),
        cmocka_unit_test(many_values_are_what_they_are_one_by_one),
        cmocka_unit_test(any_value_may_be_among_narrow_ones),
        cmocka_unit_test(strings_are_found_by_their_number),
        cmocka_unit_test(columns_are_known_by_table_and_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
