#include "symbol/code/code_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/record/code_tables.h"

static void a_lookup_returns_the_innermost_function_first(void **state)
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

static void assert_range(const struct flm_code_table *table, uint64_t address, uint64_t start,
                         uint64_t end)
{
    uint64_t found_start = 0, found_end = 0;
    bool found = flm_code_table_range(table, address, &found_start, &found_end);
    assert_int_equal(found, end > 0);
    assert_true(found_start == start && found_end == end);
}

static void a_range_is_a_function_with_what_is_inlined_into_it(void **state)
{
    (void)state;
    struct flm_code_maker *maker = new_maker();
    uint32_t outer = function(maker, "main", 0x1000, 0x1040);
    copy(maker, "copy", copy(maker, "read", outer, 7, 0x1010, 0x1030), 3, 0x1018, 0x1020);
    flm_code_maker_range(maker, outer, 0x2000, 0x2010); /* its unlikely part */
    function(maker, "next", 0x1040, 0x1050);
    flm_code_maker_symbol(maker, 0x3000, 0x10, text(maker, "last"), 1);
    struct flm_code_table *table = finish(maker);
    assert_range(table, 0xFFF, 0, 0);
    for (uint64_t at = 0x1000; at < 0x1040; at++)
        assert_range(table, at, 0x1000, 0x1040);
    assert_range(table, 0x1040, 0x1040, 0x1050);
    assert_range(table, 0x1050, 0, 0);
    assert_range(table, 0x2008, 0x2000, 0x2010);
    assert_range(table, 0x300F, 0x3000, 0x3010);
    assert_range(table, 0x3010, 0, 0);
    assert_range(table, UINT64_MAX, 0, 0);
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

static void joined_makers_make_the_same_table_as_one_maker(void **state)
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

static void truncated_tables_are_refused(void **state)
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

static void corrupted_tables_are_refused_or_safe_to_query(void **state)
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

static void an_empty_table_finds_nothing(void **state)
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
        cmocka_unit_test(a_lookup_returns_the_innermost_function_first),
        cmocka_unit_test(a_range_is_a_function_with_what_is_inlined_into_it),
        cmocka_unit_test(joined_makers_make_the_same_table_as_one_maker),
        cmocka_unit_test(truncated_tables_are_refused),
        cmocka_unit_test(corrupted_tables_are_refused_or_safe_to_query),
        cmocka_unit_test(an_empty_table_finds_nothing),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
