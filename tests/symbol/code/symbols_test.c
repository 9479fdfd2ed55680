#include "symbol/code/code_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/record/code_tables.h"

static void symbols_fill_the_gaps_between_functions_of_DWARF(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    function(maker, "known", 0x1010, 0x1020);
    flm_code_maker_line(maker, 0x1000, text(maker, "start.S"), 12);
    flm_code_maker_lines_end(maker, 0x1008);
    flm_code_maker_symbol(maker, 0x1000, 0, text(maker, "_start"), 1);
    flm_code_maker_symbol(maker, 0x1010, 0, text(maker, "known"), 1);
    flm_code_maker_symbol(maker, 0x1028, 4, text(maker, "sized"), 1);
    flm_code_maker_symbol(maker, 0x1030, 0, text(maker, "open"), 1);
    flm_code_maker_symbol(maker, 0x1038, 0, text(maker, "last"), 1);
    flm_code_maker_section(maker, 0x1000, 0x1040);
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0x1000), "_start start.S:12");
    assert_string_equal(at(table, 0x100F), "_start :0"); /* up to what DWARF knows */
    assert_string_equal(at(table, 0x101F), "known :0");
    assert_string_equal(at(table, 0x1020), ""); /* not behind the function of another name */
    assert_string_equal(at(table, 0x102B), "sized :0");
    assert_string_equal(at(table, 0x102C), "");
    assert_string_equal(at(table, 0x1037), "open :0");
    assert_string_equal(at(table, 0x103F), "last :0");
    assert_string_equal(at(table, 0x1040), "");
    assert_int_equal(flm_code_table_counts(table).symbols, 4);
    assert_int_equal(flm_code_table_counts(table).functions, 1);
    flm_code_table_free(table);
}

static void a_symbol_inside_another_one_wins(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    flm_code_maker_symbol(maker, 0x1000, 0x100, text(maker, "outer"), 1);
    flm_code_maker_symbol(maker, 0x1010, 0x10, text(maker, "inner"), 1);
    flm_code_maker_symbol(maker, 0x10F0, 0x20, text(maker, "crossing"), 1);
    flm_code_maker_symbol(maker, 0x1200, UINT64_MAX, text(maker, "endless"), 1);
    flm_code_maker_symbol(maker, 0x1300, 1, text(maker, "one byte"), 1);
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0x100F), "outer :0");
    assert_string_equal(at(table, 0x1010), "inner :0");
    assert_string_equal(at(table, 0x1020), "outer :0");
    assert_string_equal(at(table, 0x10F0), "crossing :0");
    assert_string_equal(at(table, 0x110F), "crossing :0");
    assert_string_equal(at(table, 0x1110), "");
    assert_string_equal(at(table, 0x1300), "one byte :0");
    assert_string_equal(at(table, 0x1301), "endless :0");
    flm_code_table_free(table);
}

static void of_symbols_at_one_address_the_highest_rank_wins(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    flm_code_maker_symbol(maker, 0x1000, 8, text(maker, "local"), 1);
    flm_code_maker_symbol(maker, 0x1000, 8, text(maker, "global"), 3);
    flm_code_maker_symbol(maker, 0x1000, 8, text(maker, "weak"), 2);
    flm_code_maker_symbol(maker, 0x1010, 0, text(maker, "no size"), 1);
    flm_code_maker_symbol(maker, 0x1010, 8, text(maker, "size"), 1);
    flm_code_maker_symbol(maker, 0x1010, 8, text(maker, "later"), 1);
    flm_code_maker_symbol(maker, 0x1020, 8, 0, 9); /* without a name it says nothing */
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0x1000), "global :0");
    assert_string_equal(at(table, 0x1010), "size :0");
    assert_string_equal(at(table, 0x1020), "");
    flm_code_table_free(table);
}

static void functions_without_a_linkage_name_take_that_of_the_symbol(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    uint32_t lambda = function(maker, "operator()", 0x1000, 0x1010);
    copy(maker, "operator()", lambda, 4, 0x1000, 0x1004);
    function(maker, "", 0x1010, 0x1020);
    function(maker, "plain", 0x1020, 0x1030);
    function(maker, "_Z5otherv", 0x1030, 0x1040);
    function(maker, "", 0x1040, 0x1050);
    flm_code_maker_symbol(maker, 0x1000, 0x10, text(maker, "_ZZ4mainENKUlvE_clEv"), 1);
    flm_code_maker_symbol(maker, 0x1010, 0x10, text(maker, "named"), 1);
    flm_code_maker_symbol(maker, 0x1020, 0x10, text(maker, "alias"), 1);
    flm_code_maker_symbol(maker, 0x1030, 0x10, text(maker, "_Z5foldedv"), 1);
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0x1000), "operator() :0 < _ZZ4mainENKUlvE_clEv c.c:4");
    assert_string_equal(at(table, 0x1010), "named :0");
    assert_string_equal(at(table, 0x1020), "plain :0");
    assert_string_equal(at(table, 0x1030), "_Z5otherv :0");
    assert_string_equal(at(table, 0x1040), " :0");
    flm_code_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_fill_the_gaps_between_functions_of_DWARF),
        cmocka_unit_test(a_symbol_inside_another_one_wins),
        cmocka_unit_test(of_symbols_at_one_address_the_highest_rank_wins),
        cmocka_unit_test(functions_without_a_linkage_name_take_that_of_the_symbol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
