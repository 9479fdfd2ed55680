#include "symbol/elf/elf_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/code/code_table.h"

/* The tables that Go's linkers of four ages write, of the functions main.first and main.second. */
static const char *const tables[] = {
    /* 1.2 */
    ".long 0xfffffffb\n.byte 0, 0, 1, 8\n.quad 2\n"
    ".quad first, 3f - 0b, second, 4f - 0b, past, 0\n"
    "3: .quad first\n.long 5f - 0b\n4: .quad second\n.long 6f - 0b\n"
    "5: .asciz \"main.first\"\n6: .asciz \"main.second\"\n",
    /* 1.16 */
    ".long 0xfffffffa\n.byte 0, 0, 1, 8\n.quad 2, 0, 5f - 0b, 0, 0, 0, 2f - 0b\n"
    "5: .asciz \"main.first\"\n6: .asciz \"main.second\"\n"
    "2: .quad first, 3f - 2b, second, 4f - 2b, past, 0\n"
    "3: .quad first\n.long 0\n4: .quad second\n.long 6b - 5b\n",
    /* 1.18 */
    ".long 0xfffffff0\n.byte 0, 0, 1, 8\n.quad 2, 0, first, 5f - 0b, 0, 0, 0, 2f - 0b\n"
    "5: .asciz \"main.first\"\n6: .asciz \"main.second\"\n"
    "2: .long 0, 3f - 2b, second - first, 4f - 2b, past - first, 0\n"
    "3: .long 0, 0\n4: .long second - first, 6b - 5b\n",
    /* 1.20, loaded anywhere: the start of the code is not in the file */
    ".long 0xfffffff1\n.byte 0, 0, 1, 8\n.quad 2, 0, 0, 5f - 0b, 0, 0, 0, 2f - 0b\n"
    "5: .asciz \"main.first\"\n6: .asciz \"main.second\"\n"
    "2: .long 0, 3f - 2b, second - first, 4f - 2b, past - first, 0\n"
    "3: .long 0, 0\n4: .long second - first, 6b - 5b\n",
};

/* A stripped program with two functions of 16 and 32 bytes, and that table. */
static struct flm_elf_file *make_program(const char *table)
{
    struct flm_text source = {0};
    flm_text_format(&source,
                    ".text\n.globl _start\n_start:\nfirst: .skip 16, 0x90\n"
                    "second: .skip 32, 0x90\npast: .skip 16, 0x90\n"
                    ".section .gopclntab, \"a\"\n0:\n%s",
                    table);
    write_temporary("go.s", (struct flm_bytes){source.at, source.size});
    flm_text_clear(&source);
    shell("gcc -nostdlib -static -s go.s -o go");
    struct flm_elf_file *file = flm_elf_open(temporary_path("go"), NULL);
    assert_non_null(file);
    return file;
}

/* The function at a distance from the start of the code; "" where there is none. */
static const char *name_at(const struct flm_elf_file *file, uint64_t offset)
{
    static char name[50];
    struct flm_error why;
    struct flm_code code = {.function = {"", 0}};
    struct flm_code_maker *maker = flm_code_maker_new(&why);
    size_t added = flm_elf_add_go_functions(file, maker);
    struct flm_code_table *made = flm_code_maker_finish(maker, &why);
    name[0] = 0;
    if (added > 0 && made) {
        uint64_t start = flm_elf_section(file, ".text")->address;
        size_t found = flm_code_table_lookup(made, start + offset, &code, 1);
        if (found > 0)
            snprintf(name, sizeof name, "%.*s", (int)code.function.size, code.function.at);
    }
    flm_code_table_free(made);
    return name;
}

static void the_tables_of_all_linkers_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct flm_elf_file *file = make_program(tables[i]);
        assert_true(flm_elf_is_go(file));
        assert_string_equal(name_at(file, 0), "main.first");
        assert_string_equal(name_at(file, 15), "main.first");
        assert_string_equal(name_at(file, 16), "main.second");
        assert_string_equal(name_at(file, 47), "main.second");
        assert_string_equal(name_at(file, 48), "");
        flm_elf_free(file);
    }
}

static void other_programs_are_not_made_by_go(void **state)
{
    (void)state;
    struct flm_elf_file *file = flm_elf_open("/proc/self/exe", NULL);
    assert_non_null(file);
    assert_false(flm_elf_is_go(file));
    assert_string_equal(name_at(file, 0), "");
    flm_elf_free(file);
}

/* Any byte of a table may be wrong, and it may end anywhere. */
static void damaged_tables_are_read_as_far_as_possible(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct flm_elf_file *file = make_program(tables[i]);
        struct flm_elf_section *section = flm_elf_section(file, ".gopclntab");
        uint64_t whole = section->size;
        char *bytes = (char *)(uintptr_t)file->image.at + section->offset;
        for (uint64_t at = 0; at < whole; at++) {
            for (int bit = 0; bit < 8; bit++) {
                bytes[at] = (char)(bytes[at] ^ 1 << bit);
                name_at(file, 0);
                bytes[at] = (char)(bytes[at] ^ 1 << bit);
            }
            section->size = at;
            name_at(file, 0);
            section->size = whole;
        }
        assert_string_equal(name_at(file, 0), "main.first");
        flm_elf_free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tables_of_all_linkers_are_read),
        cmocka_unit_test(other_programs_are_not_made_by_go),
        cmocka_unit_test(damaged_tables_are_read_as_far_as_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
