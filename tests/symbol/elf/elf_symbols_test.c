#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/code/code_table.h"
#include "symbol/elf/elf_file.h"

static int compile(void **state)
{
    (void)state;
    write_small_program();
    shell("gcc -O1 small.c -o gnu");
    shell("! command -v ld.lld > /dev/null || clang -O1 -fuse-ld=lld small.c -o lld");
    shell("gcc -O1 -fcf-protection=full -Wl,-z,ibtplt small.c -o ibt 2> ibt-why || rm -f ibt");
    shell("gcc -O1 -fno-plt -Wl,-z,now small.c -o now");
    shell("gcc -O1 -static small.c -o static");
    shell("cp gnu stripped && strip stripped");
    shell("! command -v aarch64-linux-gnu-gcc > /dev/null || "
          "aarch64-linux-gnu-gcc -O1 small.c -o arm 2> arm-why || rm -f arm");
    return 0;
}

/* The table of a file; the counts of what was added go to `added`, by enum flm_elf_table. */
static struct flm_code_table *table_of(const char *name, size_t added[3])
{
    struct flm_error why = {0};
    struct flm_elf_file *file = flm_elf_open(temporary_path(name), &why);
    if (!file)
        fail_msg("%s", why.text);
    struct flm_code_maker *maker = flm_code_maker_new(&why);
    flm_elf_add_sections(file, maker);
    for (int table = 0; table < 3; table++)
        added[table] = flm_elf_add_symbols(file, (enum flm_elf_table)table, maker);
    struct flm_code_table *code = flm_code_maker_finish(maker, &why);
    assert_non_null(code);
    flm_elf_free(file);
    return code;
}

static struct flm_bytes name_at(const struct flm_code_table *code, uint64_t address)
{
    struct flm_code found[4];
    if (flm_code_table_lookup(code, address, found, 4) == 0)
        return flm_bytes_of("");
    return found[0].function;
}

/* Every function that nm lists, at its start and its last byte. */
static void functions_are_where_nm_has_them(void **state)
{
    (void)state;
    static const char *const names[] = {"gnu", "lld", "now", "ibt", "static", "arm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t added[3], checked = 0;
        if (access(temporary_path(names[i]), R_OK) != 0)
            continue;
        struct flm_code_table *code = table_of(names[i], added);
        assert_true(added[FLM_ELF_SYMTAB] > 5);
        struct flm_text list =
            shell_output("nm -S %s | grep -E ' [TtWwi] (main|_start|[a-z]*_function)$'", names[i]);
        flm_text_putc(&list, 0);
        for (char *line = strtok(list.at, "\n"); line; line = strtok(NULL, "\n"), checked++) {
            unsigned long long start, size;
            char kind[2], name[100];
            assert_int_equal(sscanf(line, "%llx %llx %1s %99s", &start, &size, kind, name), 4);
            assert_true(flm_bytes_are(name_at(code, start), name));
            assert_true(flm_bytes_are(name_at(code, start + size - 1), name));
        }
        assert_true(checked >= 4);
        flm_text_clear(&list);
        flm_code_table_free(code);
    }
}

static void a_stripped_file_has_what_it_exports(void **state)
{
    (void)state;
    size_t added[3];
    shell("gcc -shared -fPIC -O1 small.c -o small.so && strip small.so");
    struct flm_code_table *code = table_of("small.so", added);
    assert_int_equal(added[FLM_ELF_SYMTAB], 0);
    assert_int_equal(added[FLM_ELF_DYNSYM], 3); /* exported_function, weak_function, main */
    flm_code_table_free(code);
}

/* objdump names entries of the PLT too. */
static void plt_stubs_are_named_as_by_objdump(void **state)
{
    (void)state;
    static const char *const names[] = {"gnu", "stripped", "lld", "ibt", "arm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t added[3], checked = 0;
        if (access(temporary_path(names[i]), R_OK) != 0)
            continue;
        bool is_arm = strcmp(names[i], "arm") == 0;
        if (is_arm && !has_command("aarch64-linux-gnu-objdump"))
            continue;
        struct flm_code_table *code = table_of(names[i], added);
        struct flm_text list = shell_output("%sobjdump -d %s | sed -n 's/^\\([0-9a-f]*\\) "
                                            "<\\(.*@plt\\)>:/\\1 \\2/p'",
                                            is_arm ? "aarch64-linux-gnu-" : "", names[i]);
        flm_text_putc(&list, 0);
        for (char *line = strtok(list.at, "\n"); line; line = strtok(NULL, "\n"), checked++) {
            unsigned long long start;
            char name[100];
            assert_int_equal(sscanf(line, "%llx %99s", &start, name), 2);
            struct flm_bytes got = name_at(code, start);
            if (!flm_bytes_are(got, name))
                fail_msg("%s: %llx is %.*s, not %s", names[i], start, (int)got.size, got.at, name);
            assert_true(flm_bytes_are(name_at(code, start + 7), name));
        }
        assert_int_equal(checked, added[FLM_ELF_PLT]);
        assert_true(checked >= 2); /* getpid, rand */
        flm_text_clear(&list);
        flm_code_table_free(code);
    }
}

/* With versions in the names of .symtab, and without in .dynsym. */
static void names_have_no_versions(void **state)
{
    (void)state;
    static const char source[] = "__asm__(\".symver old_copy, copy@V_1\");\n"
                                 "__asm__(\".symver new_copy, copy@@V_2\");\n"
                                 "__asm__(\".symver kept, kept_for_old_programs@V_1\");\n"
                                 "int old_copy(int a) { return a * 3; }\n"
                                 "int new_copy(int a) { return a * 5; }\n"
                                 "int kept(int a) { return a * 7; }\n";
    write_temporary("versions.c", flm_bytes_of(source));
    write_temporary(
        "versions.map",
        flm_bytes_of("V_1 { global: copy; kept_*; local: *; };\nV_2 { global: copy; } V_1;\n"));
    shell("gcc -shared -fPIC -O1 versions.c -Wl,--version-script=versions.map -o versions.so && "
          "nm versions.so | grep -q copy@V_1 && cp versions.so bare.so && strip bare.so");
    struct flm_text list = shell_output("nm versions.so | sed -n 's/^\\([0-9a-f]*\\) [a-zA-Z] "
                                        "\\(copy\\|kept_[a-z_]*\\)@.*/\\1 \\2/p'");
    flm_text_putc(&list, 0);
    for (int stripped = 0; stripped < 2; stripped++) {
        size_t added[3], checked = 0;
        struct flm_code_table *code = table_of(stripped ? "bare.so" : "versions.so", added);
        for (const char *line = list.at; *line; line = strchr(line, '\n') + 1, checked++) {
            unsigned long long start;
            char name[100];
            assert_int_equal(sscanf(line, "%llx %99s", &start, name), 2);
            assert_true(flm_bytes_are(name_at(code, start), name));
        }
        assert_int_equal(checked, 3);
        flm_code_table_free(code);
    }
    flm_text_clear(&list);
}

/* The order is that of code_table.h. */
static void of_several_symbols_the_plainest_is_used(void **state)
{
    (void)state;
    static const char source[] =
        ".text\n.globl __plain\n.globl plain\n.weak aplain\n.type __plain,@function\n"
        ".type plain,@function\n.type aplain,@function\n.type local,@function\n"
        "local:\n__plain:\nplain:\naplain:\nlabel:\nnop\nret\n"
        ".size plain,.-plain\n.size __plain,.-__plain\n.size aplain,.-aplain\n.size local,.-local\n"
        ".globl hand_written\nhand_written:\nnop\nnop\nret\n"
        ".data\nvariable: .long 1\n";
    size_t added[3];
    write_temporary("names.s", flm_bytes_of(source));
    shell("gcc -shared -nostdlib names.s -o names.so");
    struct flm_code_table *code = table_of("names.so", added);
    struct flm_text list =
        shell_output("nm names.so | sed -n 's/ T plain//p; s/ T hand_written//p'");
    flm_text_putc(&list, 0);
    unsigned long long one, two;
    assert_int_equal(sscanf(list.at, "%llx\n%llx", &one, &two), 2);
    if (one > two) {
        unsigned long long other = one;
        one = two;
        two = other;
    }
    assert_true(flm_bytes_are(name_at(code, one), "plain"));
    assert_true(flm_bytes_are(name_at(code, one + 1), "plain"));
    assert_true(flm_bytes_are(name_at(code, two), "hand_written")); /* without type and size */
    assert_true(flm_bytes_are(name_at(code, two + 2), "hand_written"));
    flm_text_clear(&list);
    flm_code_table_free(code);
}

static void mapping_symbols_of_arm_are_not_functions(void **state)
{
    (void)state;
    size_t added[3];
    if (access(temporary_path("arm"), R_OK) != 0)
        skip();
    struct flm_code_table *code = table_of("arm", added);
    struct flm_text list = shell_output("nm arm | awk '$3 ~ /^\\$x/ { print $1 }'");
    flm_text_putc(&list, 0);
    for (char *line = strtok(list.at, "\n"); line; line = strtok(NULL, "\n"))
        assert_false(flm_bytes_start_with(name_at(code, strtoull(line, NULL, 16)), "$"));
    flm_text_clear(&list);
    flm_code_table_free(code);
}

static void mini_symbols_are_unpacked(void **state)
{
    (void)state;
    if (!has_command("xz"))
        skip();
    shell("cp gnu keep && cp gnu mini && strip -s mini && xz -f keep && "
          "objcopy --add-section .gnu_debugdata=keep.xz mini");
    struct flm_elf_file *file = flm_elf_open(temporary_path("mini"), NULL);
    assert_non_null(file);
    assert_false(flm_elf_has_symbols(file));
    struct flm_elf_file *mini = flm_elf_mini_symbols(file);
    assert_non_null(mini);
    assert_true(flm_elf_has_symbols(mini));
    flm_elf_free(mini);
    flm_elf_free(file);
    file = flm_elf_open(temporary_path("gnu"), NULL);
    assert_null(flm_elf_mini_symbols(file));
    flm_elf_free(file);
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    struct flm_elf_file *file = flm_elf_open(temporary_path("gnu"), NULL);
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_code_maker *maker = flm_code_maker_new(&why);
        struct flm_code_table *code = NULL;
        if (maker) {
            flm_elf_add_sections(file, maker);
            for (int table = 0; table < 3; table++)
                flm_elf_add_symbols(file, (enum flm_elf_table)table, maker);
            code = flm_code_maker_finish(maker, &why);
        }
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(code || why.kind == FLM_ERROR_MEMORY);
        flm_code_table_free(code);
        if (!failed)
            break;
    }
    flm_elf_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_where_nm_has_them),
        cmocka_unit_test(a_stripped_file_has_what_it_exports),
        cmocka_unit_test(plt_stubs_are_named_as_by_objdump),
        cmocka_unit_test(of_several_symbols_the_plainest_is_used),
        cmocka_unit_test(names_have_no_versions),
        cmocka_unit_test(mapping_symbols_of_arm_are_not_functions),
        cmocka_unit_test(mini_symbols_are_unpacked),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, compile, NULL);
}
