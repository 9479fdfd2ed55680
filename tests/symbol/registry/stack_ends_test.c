#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/elf/elf_file.h"
#include "symbol/registry/module.h"

/* A program of assembly, and the address of its code. */
struct program {
    struct flm_modules *modules;
    struct flm_module *module;
    uint64_t code;
};

static struct program make_program(const char *assembly, const char *flags)
{
    static const struct flm_modules_options options = {0};
    struct program program = {.modules = flm_modules_new(&options, NULL)};
    write_temporary("ends.s", flm_bytes_of(assembly));
    shell("gcc -nostdlib %s ends.s -o ends", flags);
    char path[400];
    snprintf(path, sizeof path, "%s", temporary_path("ends"));
    const struct flm_module_request request = {.path = flm_bytes_of(path)};
    program.module = flm_modules_get(program.modules, &request);
    assert_non_null(program.module);
    struct flm_elf_file *file = flm_elf_open(path, NULL);
    assert_non_null(file);
    program.code = flm_elf_section(file, ".text")->address;
    flm_elf_free(file);
    return program;
}

static bool ends_at(const struct program *program, uint64_t offset)
{
    return flm_module_ends_stack(program->module, program->code + offset);
}

static void the_start_of_a_program_ends_its_stacks(void **state)
{
    (void)state;
    struct program p = make_program(".text\n.globl _start\n_start: .skip 64, 0x90\n"
                                    ".type libc_start_main_stage2, @function\n"
                                    "libc_start_main_stage2: .skip 48, 0x90\n"
                                    ".size libc_start_main_stage2, 48\n"
                                    ".type work, @function\nwork: .skip 16, 0x90\n",
                                    "-static");
    assert_true(ends_at(&p, 0));
    assert_true(ends_at(&p, 31)); /* _start has no size here, as in musl */
    assert_false(ends_at(&p, 32));
    assert_true(ends_at(&p, 64));
    assert_true(ends_at(&p, 111));
    assert_false(ends_at(&p, 112)); /* work */
    flm_modules_free(p.modules);
}

static void a_stripped_program_ends_them_at_its_entry(void **state)
{
    (void)state;
    struct program p = make_program(".text\nwork: .skip 64, 0x90\n"
                                    ".globl _start\n_start: .skip 64, 0x90\n",
                                    "-static -s");
    assert_false(ends_at(&p, 63));
    assert_true(ends_at(&p, 64));
    assert_true(ends_at(&p, 95));
    assert_false(ends_at(&p, 96));
    flm_modules_free(p.modules);
}

static void an_entry_with_a_name_ends_where_that_does(void **state)
{
    (void)state;
    struct program p = make_program(".text\n.globl _start\n.type _start, @function\n"
                                    "_start: .skip 10, 0x90\n.size _start, 10\n"
                                    ".type work, @function\nwork: .skip 64, 0x90\n.size work, 64\n",
                                    "-static");
    assert_true(ends_at(&p, 9));
    assert_false(ends_at(&p, 10));
    flm_modules_free(p.modules);
}

/* A stripped library names only what it exports: what calls main() is in front of that. */
static void a_stripped_library_has_the_start_in_front(void **state)
{
    (void)state;
    struct program p =
        make_program(".text\nwork: .skip 1024, 0x90\nstage_2: .skip 64, 0x90\n"
                     ".globl __libc_start_main\n.type __libc_start_main, @function\n"
                     "__libc_start_main: .skip 32, 0x90\n.size __libc_start_main, 32\n"
                     "after: .skip 32, 0x90\n",
                     "-shared -s");
    assert_false(ends_at(&p, 1000));
    assert_true(ends_at(&p, 1024));
    assert_true(ends_at(&p, 1087));
    assert_true(ends_at(&p, 1119));
    assert_false(ends_at(&p, 1120));
    flm_modules_free(p.modules);
}

/* "start" is the start of musl's threads, and of anything else in other programs. */
static void a_function_called_start_needs_a_clone(void **state)
{
    (void)state;
    static const char with[] = ".text\n.type start, @function\nstart: .skip 32, 0x90\n.size start, "
                               "32\n.globl __clone\n__clone: .skip 32, 0x90\n";
    static const char without[] = ".text\n.type start, @function\nstart: .skip 32, 0x90\n.size "
                                  "start, 32\n.globl clone\nclone: .skip 32, 0x90\n";
    struct program p = make_program(with, "-shared");
    assert_true(ends_at(&p, 0));
    assert_true(ends_at(&p, 32));
    flm_modules_free(p.modules);
    p = make_program(without, "-shared");
    assert_false(ends_at(&p, 0));
    assert_false(ends_at(&p, 32));
    flm_modules_free(p.modules);
}

/* Threads of a Go program begin in C, for which Go's linker writes no call frame information. */
static void a_thread_entry_is_one_of_go_programs(void **state)
{
    (void)state;
    static const char code[] = ".text\n.type threadentry, @function\nthreadentry: .skip 32, 0x90\n"
                               ".size threadentry, 32\nwork: .skip 32, 0x90\n";
    char of_go[sizeof code + 64];
    snprintf(of_go, sizeof of_go, "%s.section .gopclntab,\"a\"\n.quad 1\n", code);
    struct program p = make_program(of_go, "-shared");
    assert_true(ends_at(&p, 0));
    assert_true(ends_at(&p, 31));
    assert_false(ends_at(&p, 32));
    flm_modules_free(p.modules);
    p = make_program(code, "-shared");
    assert_false(ends_at(&p, 0));
    flm_modules_free(p.modules);
}

static void a_missing_file_ends_nowhere(void **state)
{
    (void)state;
    static const struct flm_modules_options options = {0};
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    const struct flm_module_request request = {.path = flm_bytes_of("/no/such/file")};
    struct flm_module *module = flm_modules_get(modules, &request);
    assert_false(flm_module_ends_stack(module, 0));
    assert_false(flm_module_ends_stack(module, UINT64_MAX));
    flm_modules_free(modules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start_of_a_program_ends_its_stacks),
        cmocka_unit_test(a_stripped_program_ends_them_at_its_entry),
        cmocka_unit_test(an_entry_with_a_name_ends_where_that_does),
        cmocka_unit_test(a_stripped_library_has_the_start_in_front),
        cmocka_unit_test(a_function_called_start_needs_a_clone),
        cmocka_unit_test(a_thread_entry_is_one_of_go_programs),
        cmocka_unit_test(a_missing_file_ends_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
