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
    assert_true(flm_gecko_column_add(&c, -2147483647.0));
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
        cmocka_unit_test(strings_are_found_by_their_number),
        cmocka_unit_test(columns_are_known_by_table_and_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
