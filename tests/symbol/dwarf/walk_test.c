#include "symbol/dwarf/walk.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/files.h"
#include "support/core/random.h"
#include "support/record/debug_programs.h"

/* ---- What we know ourselves ------------------------------------------------------------------ */

/* The line of `source` that has `text`. */
static unsigned line_of(const char *source, const char *text)
{
    struct flm_text content = read_file(source);
    flm_text_putc(&content, 0);
    const char *found = strstr(content.at, text);
    assert_non_null(found);
    unsigned line = 1;
    for (const char *at = content.at; at < found; at++)
        line += *at == '\n';
    flm_text_clear(&content);
    return line;
}

/* plain() has helper() inlined, and that square(): each with the line that it is called at. */
static void assert_plain_is_known(const struct flm_code_table *table, uint64_t start, uint64_t end)
{
    static const char source[] = "tests/data/dwarf_walk/plain.c";
    bool found = false;
    for (uint64_t address = start; address < end && !found; address++) {
        struct flm_code code[3];
        found = flm_code_table_lookup(table, address, code, 3) == 3 &&
                flm_bytes_are(code[0].function, "square") &&
                flm_bytes_are(code[1].function, "helper") &&
                flm_bytes_are(code[2].function, "plain") && code[0].inlined && code[1].inlined &&
                !code[2].inlined && code[0].line == line_of(source, "return x * x") &&
                code[1].line == line_of(source, "return square(x)") &&
                code[2].line == line_of(source, "s += helper(i)") &&
                flm_bytes_end_with(code[0].file, source) && code[0].file.at[0] == '/' &&
                flm_bytes_end_with(code[2].file, source) && code[2].start == start;
    }
    assert_true(found);
}

static void find_plain(void *context, const GElf_Sym *symbol, const char *name)
{
    if (strcmp(name, "plain") == 0)
        *(GElf_Sym *)context = *symbol;
}

static void inlined_functions_have_the_line_of_their_call(void **state)
{
    (void)state;
    static const struct debug_build one[] = {
        {"lines-gcc", "g++", "gcc", "-g -O2", ""},
        {"lines-clang", "clang++", "clang", "-g -O2", ""},
        {"lines-split", "g++", "gcc", "-gdwarf-5 -O2 -gsplit-dwarf", ""},
        {"lines-split-4", "g++", "gcc", "-gdwarf-4 -O2 -gsplit-dwarf", ""}};
    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++) {
        const char *program = make_debug_program(&one[i]);
        if (!*program)
            continue;
        struct open_elf file = open_elf(program);
        assert_true(flm_dwarf_exists(file.elf));
        struct flm_dwarf_report report;
        struct flm_code_table *table = make_code_table(file.elf, NULL, 1, &report);
        GElf_Sym plain = {0};
        visit_function_symbols(file.elf, find_plain, &plain);
        assert_plain_is_known(table, plain.st_value, plain.st_value + plain.st_size);
        flm_code_table_free(table);
        close_elf(file);
    }
}

static const struct debug_build gcc_2 = {"again", "g++", "gcc", "-g -O2", ""};

static const char *need_program(const struct debug_build *build)
{
    const char *program = make_debug_program(build);
    if (!*program) {
        print_message("%s: cannot be made here\n", build->name);
        skip();
    }
    return program;
}

/* Names in debug information that lead to a pipe: opening one waits for its other end. */
static void split_files_that_are_pipes_are_not_opened(void **state)
{
    (void)state;
    static const struct debug_build builds[] = {
        {"piped", "g++", "gcc", "-gdwarf-5 -O2 -gsplit-dwarf", ""},
        {"piped-4", "g++", "gcc", "-gdwarf-4 -O2 -gsplit-dwarf", ""}};
    for (size_t i = 0; i < 2; i++) {
        const char *program = need_program(&builds[i]);
        assert_true(run_command("for d in %s-*.dwo; do rm -f $d; mkfifo $d; done", program));
        struct open_elf file = open_elf(program);
        struct flm_dwarf_report report;
        alarm(60); /* ends a test that waits */
        struct flm_code_table *table = make_code_table(file.elf, NULL, 2, &report);
        alarm(0);
        assert_true(report.missing_split > 0);
        flm_code_table_free(table);
        close_elf(file);
    }
}

/* A function whose name is in the alternate file, the way dwz writes it (DW_FORM_GNU_strp_alt), and
 * the name of that file, with a build id. */
static const char with_alternate[] = ".text\n.globl f\n.type f,@function\n"
                                     "f: ret\n.size f,.-f\nend:\n"
                                     ".section .debug_abbrev,\"\",@progbits\n"
                                     ".byte 1,0x11,1, 0x11,0x01, 0x12,0x07, 0,0\n"
                                     ".byte 2,0x2e,0, 0x03,0xa1,0x3e, 0x11,0x01, 0x12,0x07, 0,0\n"
                                     ".byte 0\n"
                                     ".section .debug_info,\"\",@progbits\n"
                                     ".long 2f-1f\n1: .value 4\n.long 0\n.byte 8\n"
                                     ".byte 1\n.quad f\n.quad end-f\n"
                                     ".byte 2\n.long 0\n.quad f\n.quad end-f\n.byte 0\n2:\n"
                                     ".section .gnu_debugaltlink,\"\",@progbits\n"
                                     ".asciz \"%s\"\n.zero 20,7\n";

static void alternates_that_are_pipes_are_not_opened(void **state)
{
    (void)state;
    char pipe_path[600], program[600], source[2000];
    snprintf(pipe_path, sizeof pipe_path, "%s", temporary_path("alternate"));
    snprintf(program, sizeof program, "%s", temporary_path("with_alternate"));
    snprintf(source, sizeof source, with_alternate, pipe_path);
    const char *file_name = write_temporary("with_alternate.s", flm_bytes_of(source));
    assert_true(run_command("rm -f %s; mkfifo %s; gcc -shared -nostdlib -o %s %s", pipe_path,
                            pipe_path, program, file_name));
    struct open_elf file = open_elf(program);
    struct flm_dwarf_report report;
    alarm(60);
    struct flm_code_table *table = make_code_table(file.elf, NULL, 2, &report);
    alarm(0);
    assert_int_equal(report.units, 1);
    flm_code_table_free(table);
    close_elf(file);
}

static void missing_split_files_are_named_and_lines_stay(void **state)
{
    (void)state;
    static const struct debug_build split = {"gone", "g++", "gcc", "-g -O2 -gsplit-dwarf", ""};
    const char *program = need_program(&split);
    assert_true(run_command("rm %s-3.dwo", program));
    struct open_elf file = open_elf(program);
    struct flm_dwarf_report report;
    struct flm_code_table *table = make_code_table(file.elf, NULL, 2, &report);
    assert_int_equal(report.missing_split, 1);
    assert_true(flm_bytes_end_with(flm_bytes_of(report.missing_name), "gone-3.dwo"));
    GElf_Sym plain = {0};
    visit_function_symbols(file.elf, find_plain, &plain);
    struct flm_code code;
    assert_int_equal(flm_code_table_lookup(table, plain.st_value, &code, 1), 1);
    assert_true(flm_bytes_are(code.function, "plain"));
    assert_true(code.line > 0);
    flm_code_table_free(table);
    close_elf(file);
}

/* dwz moves what two files share to a third one, and entries to partial units. */
static void names_in_the_file_that_dwz_made_are_found(void **state)
{
    (void)state;
    if (!run_command("command -v dwz > /dev/null 2>&1")) {
        print_message("there is no dwz\n");
        skip();
    }
    const char *program = need_program(&gcc_2);
    struct open_elf before = open_elf(program);
    struct flm_dwarf_report report;
    struct flm_code_table *table = make_code_table(before.elf, NULL, 1, &report);
    assert_true(
        run_command("cp %s %s-twin && dwz -l none -L none -m %s-common %s %s-twin > /dev/null 2>&1",
                    program, program, program, program, program));
    char common[320];
    snprintf(common, sizeof common, "%s-common", program);
    struct open_elf file = open_elf(program), alternate = open_elf(common);
    struct flm_code_table *packed = make_code_table(file.elf, alternate.elf, 2, &report);
    struct flm_text a = {0}, b = {0};
    flm_code_table_write(table, &a);
    flm_code_table_write(packed, &b);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.at, b.at, a.size);
    flm_text_clear(&a);
    flm_text_clear(&b);
    flm_code_table_free(table);
    flm_code_table_free(packed);
    close_elf(before);
    close_elf(file);
    close_elf(alternate);
}

/* The library that this program has its functions from: many units. */
static void threads_make_no_difference(void **state)
{
    (void)state;
    struct flm_text tables[2] = {{0}, {0}};
    Dl_info library;
    assert_true(dladdr((void *)(intptr_t)flm_dwarf_exists, &library));
    for (int i = 0; i < 2; i++) {
        struct open_elf file = open_elf(library.dli_fname);
        struct flm_dwarf_report report;
        struct flm_code_table *table = make_code_table(file.elf, NULL, i == 0 ? 1 : 4, &report);
        assert_true(report.units > 20);
        flm_code_table_write(table, &tables[i]);
        flm_code_table_free(table);
        close_elf(file);
    }
    assert_int_equal(tables[0].size, tables[1].size);
    assert_memory_equal(tables[0].at, tables[1].at, tables[0].size);
    flm_text_clear(&tables[0]);
    flm_text_clear(&tables[1]);
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void assert_refused(Elf *elf, const char *reason)
{
    struct flm_error why = {0};
    struct flm_dwarf_report report;
    struct flm_code_maker *maker = flm_code_maker_new(NULL);
    assert_non_null(maker);
    assert_false(flm_dwarf_walk(elf, NULL, 2, maker, &report, &why));
    if (!strstr(why.text, reason))
        fail_msg("%s, not %s", why.text, reason);
    flm_code_maker_free(maker);
}

static void files_without_debug_information_are_refused(void **state)
{
    (void)state;
    const char *program = need_program(&gcc_2);
    char other[320];
    snprintf(other, sizeof other, "%s-3.o", program);
    struct open_elf object = open_elf(other);
    assert_refused(object.elf, "not linked");
    close_elf(object);
    snprintf(other, sizeof other, "%s-bare", program);
    assert_true(run_command("strip -o %s %s", other, program));
    struct open_elf bare = open_elf(other);
    assert_false(flm_dwarf_exists(bare.elf));
    assert_refused(bare.elf, "no debug information");
    close_elf(bare);
}

static void text_is_no_elf_file(void **state)
{
    (void)state;
    elf_version(EV_CURRENT);
    char text[] = "this is no program at all";
    Elf *elf = elf_memory(text, sizeof text);
    assert_non_null(elf);
    assert_false(flm_dwarf_exists(elf));
    assert_refused(elf, "not an ELF file");
    elf_end(elf);
}

/* Walks what may be damaged; it makes some table, or none. */
static void walk_bytes(char *bytes, size_t size)
{
    Elf *elf = elf_memory(bytes, size);
    struct flm_code_maker *maker = flm_code_maker_new(NULL);
    struct flm_dwarf_report report;
    struct flm_error why = {0};
    assert_non_null(elf);
    assert_non_null(maker);
    if (flm_dwarf_walk(elf, NULL, 2, maker, &report, &why)) {
        struct flm_code_table *table = flm_code_maker_finish(maker, &why);
        assert_non_null(table);
        flm_code_table_free(table);
    } else {
        assert_true(why.text[0] != 0);
        flm_code_maker_free(maker);
    }
    elf_end(elf);
}

static void damaged_entries_do_no_harm(void **state)
{
    (void)state;
    static const struct debug_build builds_here[] = {
        {"damaged-gcc", "g++", "gcc", "-gdwarf-5 -O2", ""},
        {"damaged-clang", "clang++", "clang", "-g -O2", ""},
        {"damaged-4", "g++", "gcc", "-gdwarf-4 -O2", ""}};
    uint64_t random = 12345;
    for (size_t i = 0; i < 3; i++) {
        const char *program = make_debug_program(&builds_here[i]);
        if (!*program)
            continue;
        struct flm_text good = read_file(program);
        /* The parts that are changed: all of the debug information. */
        struct open_elf file = open_elf(program);
        uint64_t first = UINT64_MAX, last = 0;
        size_t names = 0;
        elf_getshdrstrndx(file.elf, &names);
        for (Elf_Scn *section = NULL; (section = elf_nextscn(file.elf, section));) {
            GElf_Shdr header;
            gelf_getshdr(section, &header);
            if (strncmp(elf_strptr(file.elf, names, header.sh_name), ".debug_", 7) != 0)
                continue;
            first = header.sh_offset < first ? header.sh_offset : first;
            last =
                header.sh_offset + header.sh_size > last ? header.sh_offset + header.sh_size : last;
        }
        close_elf(file);
        assert_true(first < last);
        char *bytes = malloc(good.size);
        for (int round = 0; round < 150; round++) {
            memcpy(bytes, good.at, good.size);
            for (unsigned n = random_below(&random, 20) + 1; n > 0; n--)
                bytes[first + random_below(&random, (unsigned)(last - first))] =
                    (char)random_below(&random, 256);
            walk_bytes(bytes, good.size);
        }
        free(bytes);
        flm_text_clear(&good);
    }
}

static void running_out_of_memory_is_reported(void **state)
{
    (void)state;
    const char *program = need_program(&gcc_2);
    struct flm_text expected = {0};
    for (size_t nth = 0;; nth += nth < 300 ? 1 : 37) {
        struct open_elf file = open_elf(program);
        struct flm_error why = {0};
        struct flm_dwarf_report report;
        allocation_fail_from(nth); /* 0: none */
        struct flm_code_maker *maker = flm_code_maker_new(&why);
        struct flm_code_table *table = NULL;
        if (maker && flm_dwarf_walk(file.elf, NULL, 1, maker, &report, &why))
            table = flm_code_maker_finish(maker, &why);
        else
            flm_code_maker_free(maker);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        struct flm_text out = {0};
        if (table)
            flm_code_table_write(table, &out);
        else
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        if (nth == 0) {
            expected = out;
        } else {
            /* Without memory for what is only quicker, the same comes out. */
            if (table) {
                assert_int_equal(out.size, expected.size);
                assert_memory_equal(out.at, expected.at, out.size);
            }
            flm_text_clear(&out);
        }
        flm_code_table_free(table);
        close_elf(file);
        if (nth > 0 && !failed)
            break;
    }
    flm_text_clear(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inlined_functions_have_the_line_of_their_call),
        cmocka_unit_test(split_files_that_are_pipes_are_not_opened),
        cmocka_unit_test(alternates_that_are_pipes_are_not_opened),
        cmocka_unit_test(missing_split_files_are_named_and_lines_stay),
        cmocka_unit_test(names_in_the_file_that_dwz_made_are_found),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(files_without_debug_information_are_refused),
        cmocka_unit_test(text_is_no_elf_file),
        cmocka_unit_test(damaged_entries_do_no_harm),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
