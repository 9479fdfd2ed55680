#include "symbol/elf/elf_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/files.h"
#include "support/core/programs.h"
#include "symbol/code/code_table.h"
#include "symbol/unwind/unwind_table.h"

/* A program as Go's linker makes it: main.first at 0 to 16, with main.tiny inlined into it at 4 to
 * 12, and main.deeper into that at 8 to 12; main.second at 16 to 48, an outermost function.
 *
 *     main.first   a.go:10 at 0, :11 at 3 (the call of tiny), :12 at 12; 24 bytes of stack, 4 to 14
 *     main.tiny    b.go:3 at 4, :4 at 7 (the call of deeper)
 *     main.deeper  b.go:7 at 8
 *     main.second  b.go:20 */
static const char code[] = ".text\n.globl _start\n_start: .skip 64, 0x90\n"
                           "first: .skip 16, 0x90\nsecond: .skip 32, 0x90\npast: .skip 16, 0x90\n";
static const char table[] =
    "table: .long %s\n.byte 0, 0, 1, 8\n"
    ".quad 2, 0, %s, names - table, units - table, files - table, pcs - table, list - table\n"
    "names: .asciz \"main.first\"\n"
    "second_name: .asciz \"main.second\"\n"
    "tiny_name: .asciz \"main.tiny\"\n"
    "deeper_name: .asciz \"main.deeper\"\n"
    ".align 4\nunits: .long 0, second_file - files\n"
    "files: .asciz \"a.go\"\nsecond_file: .asciz \"b.go\"\n"
    "pcs: .byte 0\n"
    "stack: .uleb128 2, 4, 48, 10, 47, 2, 0\n"
    "by_file: .uleb128 2, 4, 2, 8, 1, 4, 0\n"
    "by_line: .uleb128 22, 3, 2, 1, 15, 3, 2, 1, 6, 4, 10, 4, 0\n"
    "by_call: .uleb128 0, 4, 2, 4, 2, 4, 3, 4, 0\n"
    "second_stack: .uleb128 2, 32, 0\n"
    "second_file_by: .uleb128 4, 32, 0\n"
    "second_line_by: .uleb128 42, 32, 0\n"
    ".align 4\nlist: .long 0, first_is - list, 16, second_is - list, 48, 0\n"
    "first_is: .long 0, 0, 0, 0, stack - pcs, by_file - pcs, by_line - pcs, 3, 0%s\n"
    ".byte 0, 0, 0, 4\n.long 0, 0, by_call - pcs, -1, -1, -1, 8\n"
    "second_is: .long 16, second_name - names, 0, 0, second_stack - pcs, second_file_by - pcs\n"
    ".long second_line_by - pcs, 0, 0%s\n.byte 0, 1, 0, 0\n"
    "end_of_table: .long 0\n";
static const char old_tree[] = ".section .rodata\n.quad 0\nfuncdata: .quad 0\n"
                               ".short -1, 0\n.long 0, 11, tiny_name - names, 3\n"
                               ".short 0, 0\n.long 1, 4, deeper_name - names, 7\n.quad 0\n";
static const char new_tree[] = ".section .rodata\n.quad 0\nfuncdata: .quad 0\n"
                               ".long 0, tiny_name - names, 3, 1\n"
                               ".long 0, deeper_name - names, 7, 1\n.quad 0\n";

struct shape {
    bool is_new;         /* 1.20; else 1.18 */
    const char *section; /* of the table */
    const char *options; /* of the linker */
    bool has_start;      /* the table has the start of the code; else it is a relocation */
};
static const struct shape shapes[] = {
    {false, ".section .gopclntab, \"a\"\n", "-static", true},
    {true, ".section .gopclntab, \"a\"\n", "-static", true},
    {false, ".section .gopclntab, \"aw\"\n", "-static-pie", false},
    {true, ".section .gopclntab, \"aw\"\n", "-static-pie", false},
    /* Linked by the C compiler, which makes one section of all that is relocated. */
    {true,
     ".section .go.buildinfo, \"aw\"\n.quad 1\n"
     ".section .data.rel.ro, \"aw\"\n.quad 1, 2\n.section .data.rel.ro.gopclntab, \"aw\"\n",
     "-static-pie", false},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* The structure of the runtime: funcdata is its 38th pointer, or the 40th. */
static void add_module(struct flm_text *source, bool is_new)
{
    flm_text_puts(source, ".data\n.quad 5, 6\n.quad table, names, 1, 1, units, 2, 2, files, 1, 1\n"
                          ".quad pcs, 1, 1, table, 1, 1, list, 2, 2, 0, first, past\n"
                          ".quad first, past\n");
    for (int i = 24; i < (is_new ? 40 : 38); i++)
        flm_text_puts(source, i % 2 ? ".quad second\n" : ".quad units\n");
    flm_text_puts(source, ".quad funcdata, 0, 0, table, 0\n");
}

static struct flm_elf_file *make_program(const struct shape *shape)
{
    struct flm_text source = {0};
    const char *line = shape->is_new ? ", 1" : "";
    flm_text_puts(&source, code);
    flm_text_puts(&source, shape->section);
    flm_text_format(&source, table, shape->is_new ? "0xfffffff1" : "0xfffffff0",
                    shape->has_start ? "first" : "0", line, line);
    flm_text_puts(&source, shape->is_new ? new_tree : old_tree);
    add_module(&source, shape->is_new);
    write_temporary("go.s", (struct flm_bytes){source.at, source.size});
    flm_text_clear(&source);
    shell("gcc -nostdlib %s -s go.s -o go", shape->options);
    struct flm_elf_file *file = flm_elf_open(temporary_path("go"), NULL);
    assert_non_null(file);
    return file;
}

static uint64_t start_of(const struct flm_elf_file *file)
{
    return flm_elf_section(file, ".text")->address + 64;
}

static struct flm_code_table *code_of(const struct flm_elf_file *file)
{
    struct flm_error why;
    struct flm_code_maker *maker = flm_code_maker_new(&why);
    assert_non_null(maker);
    flm_elf_add_sections(file, maker);
    flm_elf_add_go_code(file, maker);
    return flm_code_maker_finish(maker, &why);
}

/* "deeper b.go:7, tiny b.go:4, first a.go:11": the functions at a distance from the first one. */
static const char *functions_at(const struct flm_elf_file *file, uint64_t offset)
{
    static char all[200];
    struct flm_code found[10];
    struct flm_code_table *made = code_of(file);
    size_t count = flm_code_table_lookup(made, start_of(file) + offset, found, 10), size = 0;
    all[0] = 0;
    for (size_t i = 0; i < count; i++) {
        struct flm_bytes name = flm_bytes_from(found[i].function, strlen("main."));
        size += (size_t)snprintf(all + size, sizeof all - size, "%s%.*s %.*s:%u", i ? ", " : "",
                                 (int)name.size, name.at, (int)found[i].file.size, found[i].file.at,
                                 found[i].line);
    }
    flm_code_table_free(made);
    return all;
}

static void lines_and_inlined_calls_of_all_linkers_are_known(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        struct flm_elf_file *file = make_program(&shapes[i]);
        assert_true(flm_elf_is_go(file));
        struct flm_elf_range range;
        assert_true(flm_elf_go_range(file, &range));
        assert_int_equal(range.start, start_of(file));
        assert_int_equal(range.end, start_of(file) + 48);
        assert_string_equal(functions_at(file, 0), "first a.go:10");
        assert_string_equal(functions_at(file, 3), "first a.go:11");
        assert_string_equal(functions_at(file, 4), "tiny b.go:3, first a.go:11");
        assert_string_equal(functions_at(file, 7), "tiny b.go:4, first a.go:11");
        assert_string_equal(functions_at(file, 8), "deeper b.go:7, tiny b.go:4, first a.go:11");
        assert_string_equal(functions_at(file, 11), "deeper b.go:7, tiny b.go:4, first a.go:11");
        assert_string_equal(functions_at(file, 12), "first a.go:12");
        assert_string_equal(functions_at(file, 16), "second b.go:20");
        assert_string_equal(functions_at(file, 47), "second b.go:20");
        assert_string_equal(functions_at(file, 48), "");
        flm_elf_free(file);
    }
}

/* ---- Unwinding ------------------------------------------------------------------------------- */

static struct flm_unwind_table *frames_of(const struct flm_elf_file *file)
{
    struct flm_text frames = {0};
    struct flm_unwind_table *made = NULL;
    if (flm_elf_add_go_frames(file, &frames)) {
        struct flm_unwind_sections sections = {.machine = flm_elf_machine(file)};
        sections.debug_frame = (struct flm_bytes){frames.at, frames.size};
        made = flm_unwind_table_new(&sections, NULL);
    }
    flm_text_clear(&frames);
    return made;
}

static bool read_stack(void *context, uint64_t address, uint64_t *word)
{
    (void)context;
    *word = address + 1; /* which word it was */
    return true;
}

/* How far above the stack pointer the return address is; -1 at the outermost function. */
static int return_at(const struct flm_unwind_table *frames, uint64_t address)
{
    enum { STACK = 7, RETURN = 16 };
    struct flm_registers registers = {.machine = FLM_MACHINE_X86_64,
                                      .known = UINT64_C(1) << STACK | UINT64_C(1) << RETURN};
    registers.value[STACK] = 0x10000;
    registers.value[RETURN] = address;
    enum flm_step step = flm_unwind_step(frames, address, &registers, read_stack, NULL);
    if (step == FLM_STEP_END)
        return -1;
    assert_int_equal(step, FLM_STEP_CALLER);
    assert_int_equal(flm_registers_sp(&registers), flm_registers_pc(&registers) - 1 + 8);
    return (int)(flm_registers_pc(&registers) - 1 - 0x10000);
}

static void stacks_are_unwound_by_the_depth_of_frames(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        struct flm_elf_file *file = make_program(&shapes[i]);
        struct flm_unwind_table *frames = frames_of(file);
        assert_non_null(frames);
        uint64_t first = start_of(file);
        assert_int_equal(return_at(frames, first), 0);
        assert_int_equal(return_at(frames, first + 3), 0);
        assert_int_equal(return_at(frames, first + 4), 24);
        assert_int_equal(return_at(frames, first + 13), 24);
        assert_int_equal(return_at(frames, first + 14), 0);
        assert_int_equal(return_at(frames, first + 16), -1);
        assert_int_equal(return_at(frames, first + 47), -1);
        flm_unwind_table_free(frames);
        flm_elf_free(file);
    }
}

/* ---- Damage ---------------------------------------------------------------------------------- */

static void read_all(const struct flm_elf_file *file)
{
    flm_code_table_free(code_of(file));
    flm_unwind_table_free(frames_of(file));
}

/* Any byte of any section may be wrong, and each may end anywhere. */
static void damaged_programs_are_read_as_far_as_possible(void **state)
{
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        struct flm_elf_file *file = make_program(&shapes[i]);
        for (size_t k = 0; k < file->section_count; k++) {
            struct flm_elf_section *section = &file->sections[k];
            uint64_t whole = section->size;
            char *bytes = (char *)(uintptr_t)file->image.at + section->offset;
            if (section->offset == 0 || whole > file->image.size - section->offset)
                continue;
            for (uint64_t at = 0; at < whole; at++) {
                for (int bit = 0; bit < 8; bit += 7) {
                    bytes[at] = (char)(bytes[at] ^ 1 << bit);
                    read_all(file);
                    bytes[at] = (char)(bytes[at] ^ 1 << bit);
                }
                section->size = at;
                read_all(file);
                section->size = whole;
            }
        }
        assert_string_equal(functions_at(file, 4), "tiny b.go:3, first a.go:11");
        flm_elf_free(file);
    }
}

/* A tree whose entries are in each other has no calls; its code belongs to the function. */
static void calls_in_a_circle_are_none(void **state)
{
    (void)state;
    struct flm_elf_file *file = make_program(&shapes[1]);
    struct flm_elf_section *constants = flm_elf_section(file, ".rodata");
    char *tree = (char *)(uintptr_t)file->image.at + constants->offset + 16;
    tree[8] = 8; /* tiny is called where deeper is, which is called in tiny */
    assert_string_equal(functions_at(file, 4), "first b.go:3");
    assert_string_equal(functions_at(file, 8), "first b.go:7");
    tree[8] = 3;
    assert_string_equal(functions_at(file, 4), "tiny b.go:3, first a.go:11");
    flm_elf_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_inlined_calls_of_all_linkers_are_known),
        cmocka_unit_test(stacks_are_unwound_by_the_depth_of_frames),
        cmocka_unit_test(damaged_programs_are_read_as_far_as_possible),
        cmocka_unit_test(calls_in_a_circle_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
