#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/elf/elf_file.h"
#include "symbol/registry/module.h"

/* At 0 a function of 32 bytes with a label in it; at 32 one without a size, at 64 one with two
 * names; then nothing. */
static const char source[] = ".text\n.globl _start\n.type _start, @function\n"
                             "_start: .skip 16, 0x90\nlabel: .skip 16, 0x90\n.size _start, 32\n"
                             ".globl copy\n.type copy, @function\ncopy: .skip 32, 0x90\n"
                             ".globl one, two\n.type one, @function\n.type two, @function\n"
                             "one: two: .skip 16, 0x90\n.size one, 16\n.size two, 8\n"
                             ".skip 16, 0x90\n";

static void ranges_are_those_of_symbols(void **state)
{
    (void)state;
    static const struct flm_modules_options options = {0};
    static const struct {
        uint64_t at, start, end;
    } expected[] = {{0, 0, 32},   {16, 0, 32},  {31, 0, 32}, {32, 32, 64},
                    {63, 32, 64}, {64, 64, 80}, {79, 64, 80}};
    write_temporary("ranges.s", flm_bytes_of(source));
    shell("gcc -nostdlib -static ranges.s -o ranges");
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    const struct flm_module_request request = {.path = flm_bytes_of(temporary_path("ranges"))};
    struct flm_module *module = flm_modules_get(modules, &request);
    struct flm_elf_file *file = flm_elf_open(temporary_path("ranges"), NULL);
    assert_true(module && file);
    const struct flm_elf_section *text = flm_elf_section(file, ".text");
    struct flm_elf_range range;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_true(flm_module_find_range(module, text->address + expected[i].at, &range));
        assert_int_equal(range.start - text->address, expected[i].start);
        assert_int_equal(range.end - text->address, expected[i].end);
    }
    assert_false(flm_module_find_range(module, text->address + 80, &range));
    assert_false(flm_module_find_range(module, 0, &range));
    const unsigned char *code = flm_module_code(module, text->address, 80);
    assert_true(code && code[0] == 0x90 && code[79] == 0x90);
    assert_null(flm_module_code(module, 0, 1));
    assert_null(flm_module_code(module, text->address, 1 << 20));
    flm_elf_free(file);
    flm_modules_free(modules);
}

static void a_missing_file_has_none(void **state)
{
    (void)state;
    static const struct flm_modules_options options = {0};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    const struct flm_module_request request = {.path = flm_bytes_of("/no/such/file")};
    struct flm_module *module = flm_modules_get(modules, &request);
    struct flm_elf_range range;
    assert_false(flm_module_find_range(module, 0, &range));
    assert_null(flm_module_code(module, 0, 1));
    flm_modules_free(modules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_those_of_symbols),
        cmocka_unit_test(a_missing_file_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
