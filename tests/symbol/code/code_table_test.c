#include "symbol/code/code_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"

static struct flm_code_maker *new_maker(void)
{
    struct flm_code_maker *maker = flm_code_maker_new(NULL);
    assert_non_null(maker);
    return maker;
}

static struct flm_code_table *finish(struct flm_code_maker *maker)
{
    struct flm_error why = {0};
    struct flm_code_table *table = flm_code_maker_finish(maker, &why);
    if (!table)
        fail_msg("%s", why.text);
    return table;
}

static uint32_t text(struct flm_code_maker *maker, const char *of)
{
    return flm_code_maker_text(maker, flm_bytes_of(of));
}

static uint32_t function(struct flm_code_maker *maker, const char *name, uint64_t start,
                         uint64_t end)
{
    uint32_t scope = flm_code_maker_scope(maker, text(maker, name), FLM_NO_SCOPE, 0, 0);
    flm_code_maker_range(maker, scope, start, end);
    return scope;
}

static uint32_t copy(struct flm_code_maker *maker, const char *name, uint32_t inside,
                     uint32_t call_line, uint64_t start, uint64_t end)
{
    uint32_t scope =
        flm_code_maker_scope(maker, text(maker, name), inside, text(maker, "c.c"), call_line);
    flm_code_maker_range(maker, scope, start, end);
    return scope;
}

/* What stands at an address: "copy c.c:3 < read c.c:7 < main :0", innermost first. */
static const char *at(const struct flm_code_table *table, uint64_t address)
{
    static char answer[1000];
    struct flm_code code[8];
    size_t count = flm_code_table_lookup(table, address, code, 8), size = 0;
    answer[0] = 0;
    for (size_t i = 0; i < count && i < 8; i++) {
        assert_int_equal(code[i].inlined, i + 1 < count);
        size +=
            (size_t)snprintf(answer + size, sizeof answer - size, "%s%.*s %.*s:%u",
                             i > 0 ? " < " : "", (int)code[i].function.size, code[i].function.at,
                             (int)code[i].file.size, code[i].file.at, code[i].line);
    }
    return answer;
}

/* ---- Functions and copies -------------------------------------------------------------------- */

static void functions_are_answered_innermost_first(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    uint32_t outer = function(maker, "main", 0x1000, 0x1040);
    uint32_t middle = copy(maker, "read", outer, 7, 0x1010, 0x1030);
    copy(maker, "copy", middle, 3, 0x1018, 0x1020);
    flm_code_maker_line(maker, 0x1000, text(maker, "main.c"), 1);
    flm_code_maker_line(maker, 0x1018, text(maker, "copy.h"), 99);
    flm_code_maker_line(maker, 0x1020, text(maker, "read.c"), 4);
    flm_code_maker_lines_end(maker, 0x1040);
    struct flm_code_table *table = finish(maker);
    assert_string_equal(at(table, 0xFFF), "");
    assert_string_equal(at(table, 0x1000), "main main.c:1");
    assert_string_equal(at(table, 0x1010), "read main.c:1 < main c.c:7");
    assert_string_equal(at(table, 0x1018), "copy copy.h:99 < read c.c:3 < main c.c:7");
    assert_string_equal(at(table, 0x101F), "copy copy.h:99 < read c.c:3 < main c.c:7");
    assert_string_equal(at(table, 0x1020), "read read.c:4 < main c.c:7");
    assert_string_equal(at(table, 0x1030), "main read.c:4");
    assert_string_equal(at(table, 0x103F), "main read.c:4");
    assert_string_equal(at(table, 0x1040), "");
    struct flm_code code[2];
    assert_int_equal(flm_code_table_lookup(table, 0x1018, code, 1), 3); /* only one is written */
    assert_int_equal(flm_code_table_lookup(table, 0x1020, code, 2), 2);
    assert_int_equal(code[0].start, 0x1010);
    assert_int_equal(code[1].start, 0x1000);
    struct flm_code_counts counts = flm_code_table_counts(table);
    assert_int_equal(counts.functions, 1);
    assert_int_equal(counts.inlined, 2);
    assert_int_equal(counts.segments, 6);
    assert_int_equal(counts.cut_ranges + counts.cut_lines + counts.dead_ranges, 0);
    flm_code_table_free(table);
}

static void a_function_has_several_ranges_and_begins_with_the_first(void **state)
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

static void ranges_that_overlap_are_cut_and_counted(void **state)
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

static void what_the_linker_dropped_is_not_there(void **state)
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

static void copies_too_deep_belong_to_the_one_around_them(void **state)
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

static void code_further_apart_than_32_bits_is_kept_around_its_middle(void **state)
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

static void symbols_fill_what_is_left(void **state)
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

static void a_symbol_inside_another_is_the_nearer_one(void **state)
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

static void of_several_symbols_the_highest_rank_is_taken(void **state)
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

static void functions_without_a_linker_name_get_the_symbol(void **state)
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

/* ---- Lines ----------------------------------------------------------------------------------- */

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

enum { PLACES = 400, SCOPES = 60 };

/* Scopes inside each other and beside each other at random, as compilers make them; painted into an
 * array for each address, and asked of the table. */
static void make_random(uint64_t *random, struct flm_code_maker *maker, int *painted)
{
    struct {
        uint64_t start, end;
    } ranges[SCOPES];
    uint32_t scopes[SCOPES];
    for (int i = 0; i < PLACES; i++)
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

static void any_nesting_is_answered_as_painted(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random = seed * 7919;
        struct flm_code_maker *maker = new_maker();
        int painted[PLACES];
        make_random(&random, maker, painted);
        struct flm_code_table *table = finish(maker);
        assert_int_equal(flm_code_table_counts(table).cut_ranges, 0);
        for (int i = 0; i < PLACES; i++) {
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
static void any_ranges_make_a_table(void **state)
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
static void overlaps_of_all_with_all_end_soon(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    for (uint64_t i = 1; i <= 200000; i++)
        function(maker, "f", 0x1000, 0x1000 + i);
    struct flm_code_table *table = finish(maker);
    assert_int_equal(flm_code_table_counts(table).cut_ranges, 199999);
    flm_code_table_free(table);
}

/* ---- Joining, keeping ------------------------------------------------------------------------ */

/* A little of everything; part 0 and part 1, or both. */
static void fill(struct flm_code_maker *maker, int part)
{
    uint64_t base = 0x1000 + 0x100 * (uint64_t)part;
    char name[20];
    snprintf(name, sizeof name, "part %d", part);
    uint32_t scope = function(maker, name, base, base + 0x40);
    copy(maker, "shared", scope, 12, base + 8, base + 16);
    copy(maker, "bad", scope, 13, base + 20, base + 10);
    flm_code_maker_line(maker, base, text(maker, name), 3);
    flm_code_maker_line(maker, base + 4, text(maker, "shared.h"), 4);
    flm_code_maker_lines_end(maker, base + 0x40);
    flm_code_maker_symbol(maker, base + 0x80, 0x10, text(maker, "symbol"), 1);
    flm_code_maker_section(maker, base, base + 0xA0);
}

static struct flm_text written(struct flm_code_table *table)
{
    struct flm_text out = {0};
    flm_code_table_write(table, &out);
    assert_false(out.failed);
    flm_code_table_free(table);
    return out;
}

static void joined_parts_are_as_if_made_at_once(void **state)
{
    (void)state;
    struct flm_code_maker *whole = new_maker(), *joined = new_maker(), *part = new_maker();
    fill(whole, 0);
    fill(whole, 1);
    fill(joined, 0);
    fill(part, 1);
    flm_code_maker_join(joined, part);
    struct flm_text a = written(finish(whole)), b = written(finish(joined));
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.at, b.at, a.size);
    flm_text_clear(&a);
    flm_text_clear(&b);
}

static struct flm_text example(void)
{
    struct flm_code_maker *maker = new_maker();
    fill(maker, 0);
    fill(maker, 1);
    return written(finish(maker));
}

static void shortened_copies_are_refused(void **state)
{
    (void)state;
    struct flm_text good = example();
    for (size_t size = 0; size < good.size; size++) {
        char *bytes = malloc(size + 1);
        memcpy(bytes, good.at, size);
        struct flm_error why = {0};
        assert_null(flm_code_table_open((struct flm_bytes){bytes, size}, &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        free(bytes);
    }
    flm_text_clear(&good);
}

static void changed_copies_are_refused_or_answer(void **state)
{
    (void)state;
    struct flm_text good = example();
    size_t refused = 0, tried = 0;
    for (size_t offset = 0; offset + 4 <= good.size; offset += 4) {
        static const uint32_t values[] = {0, 1, 7, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF};
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            char *bytes = malloc(good.size);
            memcpy(bytes, good.at, good.size);
            memcpy(bytes + offset, &values[i], sizeof values[i]);
            struct flm_code_table *table =
                flm_code_table_open((struct flm_bytes){bytes, good.size}, NULL);
            for (uint64_t address = 0xFF0; table && address < 0x1200; address++)
                at(table, address);
            refused += !table;
            tried++;
            flm_code_table_free(table);
            free(bytes);
        }
    }
    assert_true(refused > tried / 3);
    flm_text_clear(&good);
}

static void a_table_of_nothing_answers_nothing(void **state)
{
    (void)state;
    struct flm_text out = written(finish(new_maker()));
    struct flm_code_table *table = flm_code_table_open((struct flm_bytes){out.at, out.size}, NULL);
    assert_non_null(table);
    assert_string_equal(at(table, 0), "");
    assert_string_equal(at(table, 0x1000), "");
    flm_code_table_free(table);
    flm_text_clear(&out);
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_code_table *table = NULL;
        struct flm_code_maker *maker = flm_code_maker_new(&why);
        struct flm_code_maker *part = maker ? flm_code_maker_new(&why) : NULL;
        if (part) {
            fill(maker, 0);
            fill(part, 1);
            flm_code_maker_join(maker, part);
            table = flm_code_maker_finish(maker, &why);
        } else {
            flm_code_maker_free(maker);
        }
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(table == NULL, failed);
        if (failed)
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        flm_code_table_free(table);
        if (!failed)
            break;
    }
    struct flm_text good = example();
    allocation_fail_from(1);
    struct flm_error why = {0};
    assert_null(flm_code_table_open((struct flm_bytes){good.at, good.size}, &why));
    allocation_fail_from(0);
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    flm_text_clear(&good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_answered_innermost_first),
        cmocka_unit_test(a_function_has_several_ranges_and_begins_with_the_first),
        cmocka_unit_test(ranges_that_overlap_are_cut_and_counted),
        cmocka_unit_test(what_the_linker_dropped_is_not_there),
        cmocka_unit_test(copies_too_deep_belong_to_the_one_around_them),
        cmocka_unit_test(code_further_apart_than_32_bits_is_kept_around_its_middle),
        cmocka_unit_test(symbols_fill_what_is_left),
        cmocka_unit_test(a_symbol_inside_another_is_the_nearer_one),
        cmocka_unit_test(of_several_symbols_the_highest_rank_is_taken),
        cmocka_unit_test(functions_without_a_linker_name_get_the_symbol),
        cmocka_unit_test(lines_end_with_their_sequence),
        cmocka_unit_test(any_nesting_is_answered_as_painted),
        cmocka_unit_test(any_ranges_make_a_table),
        cmocka_unit_test(overlaps_of_all_with_all_end_soon),
        cmocka_unit_test(joined_parts_are_as_if_made_at_once),
        cmocka_unit_test(shortened_copies_are_refused),
        cmocka_unit_test(changed_copies_are_refused_or_answer),
        cmocka_unit_test(a_table_of_nothing_answers_nothing),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
