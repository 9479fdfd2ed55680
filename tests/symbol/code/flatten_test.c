#include "symbol/code/code_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/record/code_tables.h"

static void a_function_with_several_ranges_starts_at_its_first_one(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    uint32_t scope = function(maker, "hot", 0x2000, 0x2020);
    flm_code_maker_range(maker, scope, 0x1000, 0x1008); /* its cold part stands before it */
    uint32_t inner = copy(maker, "in", scope, 5, 0x2010, 0x2018);
    flm_code_maker_range(maker, inner, 0x1004, 0x1008);
    function(maker, "next", 0x1008, 0x1010);
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0x1000), "hot :0");
    assert_string_equal(at(table, 0x1004), "in :0 < hot c.c:5");
    assert_string_equal(at(table, 0x1008), "next :0");
    assert_string_equal(at(table, 0x1010), "");
    assert_string_equal(at(table, 0x2017), "in :0 < hot c.c:5");
    struct flm_code code;
    assert_int_equal(flm_code_table_lookup(table, 0x1000, &code, 1), 1);
    assert_int_equal(code.start, 0x2000);
    flm_code_table_free(table);
}

static void overlapping_ranges_are_cut_and_counted(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    uint32_t first = function(maker, "first", 0x1000, 0x1020);
    copy(maker, "in first", first, 1, 0x1010, 0x1018);
    uint32_t same = function(maker, "same", 0x1000, 0x1020); /* folded into it by the linker */
    copy(maker, "in same", same, 2, 0x1010, 0x1018);
    function(maker, "late", 0x1010, 0x1030);
    copy(maker, "too long", first, 3, 0x101C, 0x1028);
    copy(maker, "sibling", first, 4, 0x1014, 0x101A);
    copy(maker, "elsewhere", first, 5, 0x5000, 0x5010);
    copy(maker, "backward", first, 6, 0x1008, 0x1004);
    copy(maker, "empty", first, 7, 0x1008, 0x1008);
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0x1000), "first :0");
    assert_string_equal(at(table, 0x1004), "first :0");
    assert_string_equal(at(table, 0x1010), "in first :0 < first c.c:1");
    assert_string_equal(at(table, 0x1017), "in first :0 < first c.c:1");
    assert_string_equal(at(table, 0x1018), "sibling :0 < first c.c:4");
    assert_string_equal(at(table, 0x101A), "first :0");
    assert_string_equal(at(table, 0x101F), "too long :0 < first c.c:3");
    assert_string_equal(at(table, 0x1020), "late :0");
    assert_string_equal(at(table, 0x102F), "late :0");
    assert_string_equal(at(table, 0x5000), "");
    /* same, in same, late, too long, sibling, elsewhere, backward */
    assert_int_equal(flm_code_table_counts(table).cut_ranges, 7);
    assert_int_equal(flm_code_table_counts(table).functions, 2);
    flm_code_table_free(table);
}

static void functions_that_the_linker_dropped_are_dropped(void **state)
{
    (void)state;
    for (int sections = 0; sections < 2; sections++) {
        struct flm_code_maker *maker = new_maker();
        if (sections) {
            flm_code_maker_section(maker, 0x1000, 0x2000);
            flm_code_maker_section(maker, 0x1000, 0x1000);
        }
        uint32_t dead = function(maker, "dead", 0, 0x1800);
        copy(maker, "in dead", dead, 1, 0x1400, 0x1500);
        function(maker, "dropped", UINT64_MAX, UINT64_MAX - 1);
        function(maker, "dropped too", UINT64_MAX - 1, UINT64_MAX);
        function(maker, "here", 0x1400, 0x1410);
        flm_code_maker_line(maker, 0, text(maker, "dead.c"), 1);
        flm_code_maker_line(maker, 0x1402, text(maker, "dead.c"), 2);
        flm_code_maker_lines_end(maker, 0x1800);
        flm_code_maker_line(maker, 0x1400, text(maker, "here.c"), 3);
        flm_code_maker_lines_end(maker, 0x1410);
        flm_code_maker_symbol(maker, 0, 0x1500, text(maker, "undefined"), 1);
        struct flm_code_table *table = finish(maker);
        assert_string_equal(at(table, 0), "");
        assert_string_equal(at(table, 0x1400), "here here.c:3");
        assert_string_equal(at(table, 0x1408), "here here.c:3");
        assert_string_equal(at(table, 0x1420), "");
        assert_string_equal(at(table, UINT64_MAX - 1), "");
        assert_int_equal(flm_code_table_counts(table).dead_ranges, 2);
        assert_int_equal(flm_code_table_counts(table).dead_lines, 2);
        assert_int_equal(flm_code_table_counts(table).functions, 1);
        flm_code_table_free(table);
    }
}

static void inlined_copies_nested_too_deep_belong_to_the_enclosing_one(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    uint32_t inside = function(maker, "f", 0x1000, 0x9000);
    for (uint64_t i = 1; i < 1000; i++)
        inside = copy(maker, "f", inside, (uint32_t)i, 0x1000 + i, 0x9000);
    struct flm_code_table *table = finish(maker);
    struct flm_code code[300];
    assert_int_equal(flm_code_table_lookup(table, 0x8FFF, code, 300), 251);
    assert_int_equal(code[0].start, 0x10FA);
    assert_int_equal(flm_code_table_counts(table).cut_ranges, 749);
    flm_code_table_free(table);
}

static void of_code_that_spans_more_than_4_GiB_the_part_around_the_median_is_kept(void **state)
{
    (void)state;
    for (int sections = 0; sections < 2; sections++) {
        struct flm_code_maker *maker = new_maker();
        const uint64_t kernel = 0xFFFFFFFF81000000;
        if (sections) {
            flm_code_maker_section(maker, 0x1000, 0x2000);
            flm_code_maker_section(maker, kernel, kernel + 0x1000);
        }
        function(maker, "low", 0x1000, 0x1010);
        function(maker, "start", kernel, kernel + 0x10);
        function(maker, "idle", kernel + 0x10, kernel + 0x20);
        function(maker, "large", kernel + 0x20, UINT64_MAX - 100);
        struct flm_code_table *table = finish(maker);
        assert_string_equal(at(table, 0x1000), "");
        assert_string_equal(at(table, kernel), "start :0");
        assert_string_equal(at(table, kernel + 0x1F), "idle :0");
        assert_string_equal(at(table, kernel + 0xFFF), "large :0");
        assert_string_equal(at(table, kernel + 0x1000), sections ? "" : "large :0");
        assert_int_equal(flm_code_table_counts(table).dead_ranges, 1);
        flm_code_table_free(table);
    }
}

/* ---- Symbols --------------------------------------------------------------------------------- */

static void lines_end_with_their_sequence(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    function(maker, "f", 0x1000, 0x1100);
    uint32_t file = text(maker, "a.c");
    flm_code_maker_line(maker, 0x1040, file, 5);
    flm_code_maker_line(maker, 0x1040, file, 6); /* the last one at an address counts */
    flm_code_maker_line(maker, 0x1030, file, 7); /* back: not possible */
    flm_code_maker_line(maker, 0x1050, file, 0);
    flm_code_maker_lines_end(maker, 0x1060);
    flm_code_maker_lines_end(maker, 0x1060); /* of nothing */
    flm_code_maker_line(maker, 0x1000, file, 1);
    flm_code_maker_lines_end(maker, 0x1048); /* reaches into the one above, and was there later */
    flm_code_maker_line(maker, 0x1060, file, 9);
    flm_code_maker_lines_end(maker, 0x1060); /* empty */
    flm_code_maker_line(maker, 0x1070, file, 10);
    flm_code_maker_line(maker, 0x1078, file, 11);
    flm_code_maker_lines_end(maker, 0x1074);      /* ends before its last line */
    flm_code_maker_line(maker, 0x1080, file, 99); /* never ends: not taken */
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0x1000), "f a.c:1");
    assert_string_equal(at(table, 0x1047), "f a.c:1");
    assert_string_equal(at(table, 0x1048), "f a.c:6");
    assert_string_equal(at(table, 0x1050), "f a.c:0");
    assert_string_equal(at(table, 0x1060), "f :0");
    assert_string_equal(at(table, 0x1070), "f a.c:10");
    assert_string_equal(at(table, 0x1078), "f :0");
    assert_string_equal(at(table, 0x1080), "f :0");
    assert_int_equal(flm_code_table_counts(table).cut_lines, 3);
    flm_code_table_free(table);
}

/* ---- Against a model ------------------------------------------------------------------------- */

enum { ADDRESSES = 400, SCOPES = 60 };

/* Scopes inside each other and beside each other at random, as compilers make them; painted into an
 * array for each address, and asked of the table. */
static void make_random(uint64_t *random, struct flm_code_maker *maker, int *painted)
{
    struct {
        uint64_t start, end;
    } ranges[SCOPES];
    uint32_t scopes[SCOPES];
    for (int i = 0; i < ADDRESSES; i++)
        painted[i] = -1;
    for (int i = 0; i < SCOPES; i++) {
        int inside = i < 5 ? -1 : (int)random_below(random, (uint32_t)i);
        uint64_t low = inside < 0 ? 0x1000 + (uint64_t)i * 80 : ranges[inside].start;
        uint64_t high = inside < 0 ? low + 80 : ranges[inside].end;
        uint64_t start = low, end = low;
        /* A part of the one around it that no other copy in it has. */
        for (int tries = 0; tries < 20; tries++) {
            uint64_t a = low + random_below(random, (uint32_t)(high - low) + 1);
            uint64_t b = a + random_below(random, (uint32_t)(high - a) + 1);
            bool is_free = true;
            for (uint64_t p = a; p < b; p++)
                is_free &= painted[p - 0x1000] == inside;
            if (is_free && b > a) {
                start = a;
                end = b;
                break;
            }
        }
        ranges[i].start = start;
        ranges[i].end = end;
        for (uint64_t p = start; p < end; p++)
            painted[p - 0x1000] = i;
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        scopes[i] = flm_code_maker_scope(
            maker, text(maker, name), inside < 0 ? FLM_NO_SCOPE : scopes[inside], 0, (uint32_t)i);
        flm_code_maker_range(maker, scopes[i], start, end);
    }
}

static void random_nesting_is_looked_up_like_in_a_model(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random = seed * 7919;
        struct flm_code_maker *maker = new_maker();
        int painted[ADDRESSES];
        make_random(&random, maker, painted);
        struct flm_code_table *table = finish(maker);
        assert_int_equal(flm_code_table_counts(table).cut_ranges, 0);
        for (int i = 0; i < ADDRESSES; i++) {
            struct flm_code code[SCOPES];
            size_t count = flm_code_table_lookup(table, 0x1000 + (uint64_t)i, code, SCOPES);
            char name[16] = "-1";
            if (count > 0)
                snprintf(name, sizeof name, "%.*s", (int)code[0].function.size,
                         code[0].function.at);
            if (atoi(name) != painted[i])
                fail_msg("seed %d: %s at %d, where %d is", (int)seed, name, i, painted[i]);
        }
        flm_code_table_free(table);
    }
}

/* Anything at all: it ends, answers, and what it writes can be opened. */
static void any_ranges_make_a_valid_table(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed * 7919;
        struct flm_code_maker *maker = new_maker();
        for (uint32_t i = 0; i < 80; i++) {
            uint32_t inside =
                random_below(&random, 3) == 0 || i == 0 ? FLM_NO_SCOPE : random_below(&random, i);
            flm_code_maker_scope(maker, i % 7, inside, 0, i);
            uint64_t start = 0x1000 + random_below(&random, 300);
            flm_code_maker_range(maker, random_below(&random, i + 1), start,
                                 start + random_below(&random, 100));
            flm_code_maker_line(maker, start, 0, i);
            if (random_below(&random, 5) == 0)
                flm_code_maker_lines_end(maker, start + random_below(&random, 50));
            flm_code_maker_symbol(maker, 0x1000 + random_below(&random, 400),
                                  random_below(&random, 60), text(maker, "s"), 1);
        }
        struct flm_code_table *table = finish(maker);
        struct flm_text out = {0};
        flm_code_table_write(table, &out);
        struct flm_error why = {0};
        struct flm_code_table *again =
            flm_code_table_open((struct flm_bytes){out.at, out.size}, &why);
        if (!again)
            fail_msg("%s", why.text);
        for (uint64_t address = 0xFF0; address < 0x1300; address++) {
            char expected[1000];
            snprintf(expected, sizeof expected, "%s", at(table, address));
            assert_string_equal(at(again, address), expected);
        }
        flm_code_table_free(again);
        flm_text_clear(&out);
        flm_code_table_free(table);
    }
}

/* All functions at one location, each longer than the one before: quadratic, if each were moved
 * behind all that came before it. */
static void ranges_that_all_overlap_take_less_than_quadratic_time(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    for (uint64_t i = 1; i <= 200000; i++)
        function(maker, "f", 0x1000, 0x1000 + i);
    struct flm_code_table *table = finish(maker);
    assert_int_equal(flm_code_table_counts(table).cut_ranges, 199999);
    flm_code_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_with_several_ranges_starts_at_its_first_one),
        cmocka_unit_test(overlapping_ranges_are_cut_and_counted),
        cmocka_unit_test(functions_that_the_linker_dropped_are_dropped),
        cmocka_unit_test(inlined_copies_nested_too_deep_belong_to_the_enclosing_one),
        cmocka_unit_test(of_code_that_spans_more_than_4_GiB_the_part_around_the_median_is_kept),
        cmocka_unit_test(lines_end_with_their_sequence),
        cmocka_unit_test(random_nesting_is_looked_up_like_in_a_model),
        cmocka_unit_test(any_ranges_make_a_valid_table),
        cmocka_unit_test(ranges_that_all_overlap_take_less_than_quadratic_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
