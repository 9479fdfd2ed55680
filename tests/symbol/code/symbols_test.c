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

enum { LOCAL = FLM_SYMBOL_TYPED | FLM_SYMBOL_STRONG, WEAK = FLM_SYMBOL_TYPED | FLM_SYMBOL_VISIBLE };
enum { GLOBAL = WEAK | FLM_SYMBOL_STRONG };

/* The name at 0x1000, when the symbols come in this order. */
struct named {
    const char *name;
    unsigned traits;
    uint64_t size;
};

static void assert_chosen(const struct named *symbols, size_t count, bool backward,
                          const char *expected)
{
    struct flm_code_maker *maker = new_maker();
    for (size_t i = 0; i < count; i++) {
        const struct named *symbol = &symbols[backward ? count - 1 - i : i];
        flm_code_maker_symbol(maker, 0x1000, symbol->size, text(maker, symbol->name),
                              symbol->traits);
    }
    struct flm_code_table *table = finish(maker);
    struct flm_code code;
    assert_int_equal(flm_code_table_lookup(table, 0x1000, &code, 1), 1);
    if (!flm_bytes_are(code.function, expected))
        fail_msg("%.*s, not %s", (int)code.function.size, code.function.at, expected);
    flm_code_table_free(table);
}

static void of_symbols_at_one_address_the_name_that_people_write_is_used(void **state)
{
    (void)state;
    static const struct {
        const char *expected;
        struct named symbols[6];
    } cases[] = {
        /* as they stand in glibc, libm, libstdc++ and programs */
        {"malloc",
         {{"__GI___libc_malloc", LOCAL, 9}, {"__libc_malloc", GLOBAL, 9}, {"malloc", GLOBAL, 9}}},
        {"write",
         {{"__GI___libc_write", LOCAL, 9},
          {"__libc_write", LOCAL, 9},
          {"__write", WEAK, 9},
          {"write", WEAK, 9}}},
        {"____strtol_l_internal",
         {{"__GI_____strtol_l_internal", LOCAL, 9}, {"____strtol_l_internal", LOCAL, 9}}},
        {"puts", {{"_IO_puts", GLOBAL, 9}, {"puts", WEAK, 9}}},
        {"strchr", {{"index", WEAK, 9}, {"strchr", GLOBAL, 9}}},
        {"strtol", {{"strtoll", WEAK, 9}, {"strtoq", WEAK, 9}, {"strtol", WEAK, 9}}},
        {"mmap", {{"mmap64", WEAK, 9}, {"__mmap64", GLOBAL, 9}, {"mmap", WEAK, 9}}},
        {"setrobust",
         {{"old", GLOBAL | FLM_SYMBOL_OLD, 9}, {"setrobust", GLOBAL, 9}, {"__set", LOCAL, 9}}},
        {"_ZN1AC1Ev", {{"_ZN1AC2Ev", WEAK, 9}, {"_ZN1AC1Ev", WEAK, 9}}},
        {"_Z3runv", {{"_Z3runv", GLOBAL, 9}, {"_run_it", GLOBAL, 9}}},
        {"_RNvC3foo", {{"_RNvC3foo", LOCAL, 9}, {"__foo", LOCAL, 9}}},
        {"folded_a", {{"folded_b", LOCAL, 9}, {"folded_a", LOCAL, 9}, {"folded_long", LOCAL, 9}}},
        {"function", {{"label", FLM_SYMBOL_VISIBLE, 9}, {"function", LOCAL, 0}}},
        {"__sized", {{"exported", GLOBAL, 0}, {"__sized", LOCAL, 9}}},
        {"lex", {{"lex.localalias", LOCAL, 9}, {"lex", GLOBAL, 9}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t count = 0;
        while (count < 6 && cases[i].symbols[count].name)
            count++;
        assert_chosen(cases[i].symbols, count, false, cases[i].expected);
        assert_chosen(cases[i].symbols, count, true, cases[i].expected);
    }
}

static void a_symbol_without_a_name_says_nothing(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    flm_code_maker_symbol(maker, 0x1020, 8, 0, GLOBAL);
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0x1020), "");
    flm_code_table_free(table);
}

/* DWARF calls them by what the source file does: the aliases follow it. */
static void functions_of_DWARF_have_the_name_of_their_symbols(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    function(maker, "__GI___libc_malloc", 0x1000, 0x1010);
    function(maker, "lex", 0x1010, 0x1020);
    function(maker, "folded_long", 0x1020, 0x1030);
    function(maker, "_Z3onev", 0x1030, 0x1040);
    function(maker, "PASCAL", 0x1040, 0x1050);
    function(maker, "_ZN1A3lexEv", 0x1050, 0x1060);
    flm_code_maker_symbol(maker, 0x1000, 0x10, text(maker, "__GI___libc_malloc"), LOCAL);
    flm_code_maker_symbol(maker, 0x1000, 0x10, text(maker, "malloc"), GLOBAL);
    flm_code_maker_symbol(maker, 0x1010, 0x10, text(maker, "lex.constprop.0"), LOCAL);
    flm_code_maker_symbol(maker, 0x1020, 0x10, text(maker, "folded"), LOCAL);
    flm_code_maker_symbol(maker, 0x1020, 0x10, text(maker, "folded_long"), LOCAL);
    flm_code_maker_symbol(maker, 0x1030, 0x10, text(maker, "_Z3onev"), WEAK);
    flm_code_maker_symbol(maker, 0x1030, 0x10, text(maker, "_Z3twov"), WEAK);
    flm_code_maker_symbol(maker, 0x1040, 0x10, text(maker, "P$PROGRAM_$$_PASCAL"), LOCAL);
    flm_code_maker_symbol(maker, 0x1050, 0x10, text(maker, "_ZN1A3lexEv.isra.0"), LOCAL);
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0x1000), "malloc :0");
    assert_string_equal(at(table, 0x1010), "lex.constprop.0 :0");
    assert_string_equal(at(table, 0x1020), "folded_long :0"); /* of equals the one that it kept */
    assert_string_equal(at(table, 0x1030), "_Z3onev :0");
    assert_string_equal(at(table, 0x1040), "PASCAL :0"); /* not one of the symbols */
    assert_string_equal(at(table, 0x1050), "_ZN1A3lexEv.isra.0 :0");
    flm_code_table_free(table);
}

static void inlined_copies_have_the_name_of_the_function(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    uint32_t caller = function(maker, "calloc", 0x1000, 0x1010);
    copy(maker, "__libc_malloc", caller, 1, 0x1000, 0x1004);
    copy(maker, "__twice", caller, 2, 0x1004, 0x1008);
    copy(maker, "other", caller, 3, 0x1008, 0x100C);
    flm_code_maker_symbol(maker, 0x2000, 0x10, text(maker, "__libc_malloc"), LOCAL);
    flm_code_maker_symbol(maker, 0x2000, 0x10, text(maker, "malloc"), GLOBAL);
    /* Two files have such a function: which one was inlined is not known. */
    flm_code_maker_symbol(maker, 0x2010, 0x10, text(maker, "__twice"), LOCAL);
    flm_code_maker_symbol(maker, 0x2010, 0x10, text(maker, "twice"), GLOBAL);
    flm_code_maker_symbol(maker, 0x2020, 0x10, text(maker, "__twice"), LOCAL);
    flm_code_maker_symbol(maker, 0x2020, 0x10, text(maker, "thrice"), GLOBAL);
    /* Folded by the compiler: it has equal code, but it is not the same function. */
    flm_code_maker_symbol(maker, 0x2030, 0x10, text(maker, "other"), LOCAL);
    flm_code_maker_symbol(maker, 0x2030, 0x10, text(maker, "folded"), GLOBAL);
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0x1000), "malloc :0 < calloc c.c:1");
    assert_string_equal(at(table, 0x1004), "__twice :0 < calloc c.c:2");
    assert_string_equal(at(table, 0x1008), "other :0 < calloc c.c:3");
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
        cmocka_unit_test(of_symbols_at_one_address_the_name_that_people_write_is_used),
        cmocka_unit_test(a_symbol_without_a_name_says_nothing),
        cmocka_unit_test(functions_of_DWARF_have_the_name_of_their_symbols),
        cmocka_unit_test(inlined_copies_have_the_name_of_the_function),
        cmocka_unit_test(functions_without_a_linkage_name_take_that_of_the_symbol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
