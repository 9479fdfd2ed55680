#include "symbol/registry/kallsyms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char listed[] = "0000000000000000 A fixed_percpu_data\n"
                             "ffffffff81000000 T _stext\n"
                             "ffffffff81000000 T _text\n"
                             "ffffffff81000100 t first\n"
                             "not a line\n"
                             "ffffffff81000200 W weak\n"
                             "ffffffff81000200 $ x\n"
                             "ffffffff81000210 t $x.12\n"
                             "ffffffff81000300 D data\n"
                             "fffffffff81000400 T too_long_an_address\n"
                             "ffffffff8100 \n"
                             "\n"
                             "ffffffffc0a00000 t ext4_find\t[ext4]\n"
                             "ffffffffc0a00100 t ext4_read\t[ext4]\n"
                             "ffffffffc0b00000 t first\t[other]\n"
                             "ffffffff81000400 T last";

static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 t first\n"
                             "0000000000000000 t ext4_find\t[ext4]\n";

static struct flm_code_table *table_of(const char *text, const char *module, uint64_t base,
                                       struct flm_kernel_counts *counts)
{
    struct flm_code_maker *maker = flm_code_maker_new(NULL);
    *counts = flm_kernel_add_functions(flm_bytes_of(text), flm_bytes_of(module), base, maker);
    return flm_code_maker_finish(maker, NULL);
}

static void assert_named(const struct flm_code_table *table, uint64_t address, const char *name)
{
    struct flm_code code[2];
    size_t count = flm_code_table_lookup(table, address, code, 2);
    assert_int_equal(count, name != NULL);
    if (name)
        assert_true(flm_bytes_are(code[0].function, name));
}

static void functions_reach_up_to_the_next_one(void **state)
{
    (void)state;
    struct flm_kernel_counts counts;
    struct flm_code_table *table = table_of(listed, "", 0, &counts);
    assert_int_equal(counts.functions, 5);
    assert_int_equal(counts.hidden, 0);
    assert_named(table, UINT64_C(0xffffffff810000ff), "_text"); /* the shortest of two */
    assert_named(table, UINT64_C(0xffffffff81000100), "first");
    assert_named(table, UINT64_C(0xffffffff810001ff), "first");
    assert_named(table, UINT64_C(0xffffffff81000210), "weak");
    assert_named(table, UINT64_C(0xffffffff81000fff), "last"); /* to the end of its page */
    assert_named(table, UINT64_C(0xffffffff81001000), NULL);
    assert_named(table, UINT64_C(0xffffffff80ffffff), NULL);
    assert_named(table, UINT64_C(0xffffffffc0a00010), NULL);
    flm_code_table_free(table);
}

static void a_module_has_its_own_functions(void **state)
{
    (void)state;
    struct flm_kernel_counts counts;
    struct flm_code_table *table = table_of(listed, "ext4", 0, &counts);
    assert_int_equal(counts.functions, 2);
    assert_named(table, UINT64_C(0xffffffffc0a000ff), "ext4_find");
    assert_named(table, UINT64_C(0xffffffffc0a00100), "ext4_read");
    assert_named(table, UINT64_C(0xffffffff81000100), NULL);
    flm_code_table_free(table);
}

static void addresses_are_relative_to_the_base(void **state)
{
    (void)state;
    struct flm_kernel_counts counts;
    struct flm_code_table *table = table_of(listed, "", UINT64_C(0xffffffff81000100), &counts);
    assert_int_equal(counts.functions, 3);
    assert_named(table, 0x50, "first");
    assert_named(table, 0x100, "weak");
    flm_code_table_free(table);
}

static void hidden_addresses_are_counted(void **state)
{
    (void)state;
    struct flm_kernel_counts counts;
    uint64_t address;
    flm_code_table_free(table_of(hidden, "", 0, &counts));
    assert_int_equal(counts.functions, 0);
    assert_int_equal(counts.hidden, 2);
    assert_false(flm_kernel_find(flm_bytes_of(hidden), "_stext", &address));
}

static void a_symbol_is_found_by_its_name(void **state)
{
    (void)state;
    uint64_t address = 0;
    assert_true(flm_kernel_find(flm_bytes_of(listed), "first", &address));
    assert_true(address == UINT64_C(0xffffffff81000100));
    assert_true(flm_kernel_find(flm_bytes_of(listed), "last", &address));
    assert_false(flm_kernel_find(flm_bytes_of(listed), "ext4_find", &address));
    assert_false(flm_kernel_find(flm_bytes_of(listed), "las", &address));
    assert_false(flm_kernel_find(flm_bytes_of(""), "last", &address));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_reach_up_to_the_next_one),
        cmocka_unit_test(a_module_has_its_own_functions),
        cmocka_unit_test(addresses_are_relative_to_the_base),
        cmocka_unit_test(hidden_addresses_are_counted),
        cmocka_unit_test(a_symbol_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
