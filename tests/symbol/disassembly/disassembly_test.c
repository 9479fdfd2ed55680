#include "symbol/disassembly/disassembly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/files.h"
#include "support/core/programs.h"
#include "support/core/random.h"
#include "symbol/disassembly/internal.h"
#include "symbol/elf/elf_file.h"
#include "symbol/registry/module.h"

static struct flm_disassembly *disassembled(enum flm_machine machine, const char *bytes,
                                            size_t size, enum flm_assembly_syntax syntax)
{
    struct flm_error why = {0};
    const struct flm_machine_code code = {machine, 0x1149, {bytes, size}};
    struct flm_disassembly *d = flm_disassembly_new(&code, syntax, &why);
    if (!d)
        fail_msg("%s", why.text);
    return d;
}

static void assert_row(const struct flm_disassembly *d, size_t index, uint64_t address,
                       const char *mnemonic, const char *operands, enum flm_instruction_kind kind)
{
    struct flm_instruction row = flm_disassembly_at(d, index);
    if (row.address != address || !flm_bytes_are(row.mnemonic, mnemonic) ||
        !flm_bytes_are(row.operands, operands) || row.kind != kind)
        fail_msg("%llx %.*s %.*s (%d)", (unsigned long long)row.address, (int)row.mnemonic.size,
                 row.mnemonic.at, (int)row.operands.size, row.operands.at, row.kind);
}

/* The example of the header. */
static const char example[] =
    "\x48\x8d\x05\xb4\x2e\x00\x00\xe8\xea\xfe\xff\xff\x85\xc0\x74\xf0\x06";

static void rows_are_instructions_in_either_syntax(void **state)
{
    (void)state;
    struct flm_disassembly *d =
        disassembled(FLM_MACHINE_X86_64, example, sizeof example - 1, FLM_ASSEMBLY_ATT);
    assert_int_equal(flm_disassembly_count(d), 5);
    assert_row(d, 0, 0x1149, "lea", "0x2eb4(%rip), %rax", FLM_INSTRUCTION_PLAIN);
    assert_row(d, 1, 0x1150, "call", "0x103f", FLM_INSTRUCTION_CALL);
    assert_row(d, 2, 0x1155, "test", "%eax, %eax", FLM_INSTRUCTION_PLAIN);
    assert_row(d, 3, 0x1157, "je", "0x1149", FLM_INSTRUCTION_BRANCH);
    assert_row(d, 4, 0x1159, ".byte", "0x06", FLM_INSTRUCTION_DATA);
    struct flm_instruction lea = flm_disassembly_at(d, 0), branch = flm_disassembly_at(d, 3);
    assert_true(lea.has_place && !lea.leads && lea.place == 0x4004);
    assert_true(branch.has_place && branch.leads && branch.place == 0x1149);
    assert_int_equal(branch.bytes.size, 2);
    assert_memory_equal(branch.bytes.at, "\x74\xf0", 2);
    flm_disassembly_free(d);
    d = disassembled(FLM_MACHINE_X86_64, example, sizeof example - 1, FLM_ASSEMBLY_INTEL);
    assert_row(d, 0, 0x1149, "lea", "rax, [rip + 0x2eb4]", FLM_INSTRUCTION_PLAIN);
    assert_row(d, 1, 0x1150, "call", "0x103f", FLM_INSTRUCTION_CALL);
    assert_int_equal(flm_disassembly_at(d, 0).place, 0x4004);
    flm_disassembly_free(d);
}

static void arm64_has_words(void **state)
{
    (void)state;
    /* cbz x0, .+8; ret; no instruction; two bytes that are left */
    static const char code[] = "\x40\x00\x00\xb4\xc0\x03\x5f\xd6\x00\x00\x00\x00\x1f\x20";
    struct flm_disassembly *d =
        disassembled(FLM_MACHINE_ARM64, code, sizeof code - 1, FLM_ASSEMBLY_ATT);
    assert_int_equal(flm_disassembly_count(d), 5);
    assert_row(d, 0, 0x1149, "cbz", "x0, #0x1151", FLM_INSTRUCTION_BRANCH);
    assert_row(d, 1, 0x114d, "ret", "", FLM_INSTRUCTION_RETURN);
    assert_row(d, 2, 0x1151, ".word", "0x00000000", FLM_INSTRUCTION_DATA);
    assert_row(d, 3, 0x1155, ".byte", "0x1f", FLM_INSTRUCTION_DATA);
    assert_row(d, 4, 0x1156, ".byte", "0x20", FLM_INSTRUCTION_DATA);
    flm_disassembly_free(d);
}

/* After an instruction that libcapstone may not know, the next one begins where it does. */
static void rows_stay_in_step(void **state)
{
    (void)state;
    static const char code[] = "\x62\xf2\x76\x49\x26\xe1\xc4\xe1\xfb\x92\xcb\x85\xc0";
    struct flm_disassembly *d =
        disassembled(FLM_MACHINE_X86_64, code, sizeof code - 1, FLM_ASSEMBLY_ATT);
    assert_int_equal(flm_disassembly_count(d), 3);
    assert_row(d, 2, 0x1154, "test", "%eax, %eax", FLM_INSTRUCTION_PLAIN);
    flm_disassembly_free(d);
}

static void assert_covered(const struct flm_disassembly *d, const char *bytes, size_t size)
{
    uint64_t next = 0x1149;
    size_t count = flm_disassembly_count(d), found;
    for (size_t i = 0; i < count; i++) {
        struct flm_instruction row = flm_disassembly_at(d, i);
        assert_true(row.address == next && row.bytes.size > 0 && row.mnemonic.size > 0);
        assert_memory_equal(row.bytes.at, bytes + (next - 0x1149), row.bytes.size);
        for (uint64_t at = next; at < next + row.bytes.size; at++)
            assert_true(flm_disassembly_find(d, at, &found) && found == i);
        next += row.bytes.size;
    }
    assert_true(next - 0x1149 == size);
    assert_false(flm_disassembly_find(d, next, &found));
    assert_false(flm_disassembly_find(d, 0x1148, &found));
}

static void any_bytes_are_covered_by_rows(void **state)
{
    (void)state;
    enum { MOST = 400 };
    uint64_t seed = 7;
    for (int round = 0; round < 300; round++) {
        size_t size = (size_t)round;
        char *bytes = malloc(size + 1);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)random_next(&seed);
        struct flm_disassembly *d =
            disassembled(round % 3 ? FLM_MACHINE_X86_64 : FLM_MACHINE_ARM64, bytes, size,
                         round % 2 ? FLM_ASSEMBLY_ATT : FLM_ASSEMBLY_INTEL);
        assert_covered(d, bytes, size);
        flm_disassembly_free(d);
        free(bytes);
    }
}

static void what_is_not_shown_is_refused_with_a_reason(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_machine_code code = {FLM_MACHINE_OTHER, 0, {example, 4}};
    assert_null(flm_disassembly_new(&code, FLM_ASSEMBLY_ATT, &why));
    assert_string_equal(why.text,
                        "machine code is shown for x86-64 and arm64, and this is for neither");
    code = (struct flm_machine_code){FLM_MACHINE_X86_64, 0, {example, FLM_DISASSEMBLY_MOST + 1}};
    assert_null(flm_disassembly_new(&code, FLM_ASSEMBLY_ATT, &why));
    assert_string_equal(
        why.text, "33554433 bytes of machine code are more than the 32 MiB that are shown at once");
}

static bool disassemble(void *context, struct flm_error *why)
{
    const struct flm_machine_code code = {FLM_MACHINE_X86_64, 0x1149, {example, 17}};
    struct flm_disassembly *d = flm_disassembly_new(&code, FLM_ASSEMBLY_ATT, why);
    (void)context;
    flm_disassembly_free(d);
    return d != NULL;
}

static void memory_may_run_out_anywhere(void **state)
{
    (void)state;
    disassemble(NULL, NULL); /* loads the library */
    assert_true(assert_survives_failures(disassemble, NULL) >= 4);
}

/* ---- Of a module ----------------------------------------------------------------------------- */

static void instructions_are_where_objdump_has_them(void **state)
{
    (void)state;
    static const struct flm_modules_options options = {0};
    write_small_program();
    shell("gcc -O2 -g small.c -o small");
    struct flm_text listing = shell_output("objdump -dw --no-show-raw-insn -j .text small | "
                                           "sed -n 's/^ *\\([0-9a-f]*\\):.*/\\1/p'");
    struct flm_modules *modules = flm_modules_new(&options, NULL);
    const struct flm_module_request request = {.path = flm_bytes_of(temporary_path("small"))};
    struct flm_module *module = flm_modules_get(modules, &request);
    struct flm_elf_file *file = flm_elf_open(temporary_path("small"), NULL);
    const struct flm_elf_section *text = flm_elf_section(file, ".text");
    struct flm_error why = {0};
    struct flm_disassembly *d = flm_disassembly_of_module(
        module, text->address, text->address + text->size, FLM_ASSEMBLY_ATT, &why);
    assert_non_null(d);
    const char *at = listing.at, *end = listing.at + listing.size;
    size_t count = 0;
    for (; at < end; count++) {
        assert_true(count < flm_disassembly_count(d));
        char *stop;
        assert_true(flm_disassembly_at(d, count).address == strtoull(at, &stop, 16));
        at = stop + 1;
    }
    assert_int_equal(count, flm_disassembly_count(d));
    assert_true(count > 50);
    flm_disassembly_free(d);
    d = flm_disassembly_of_module(module, 0, 1, FLM_ASSEMBLY_ATT, &why);
    assert_null(d);
    assert_string_equal(why.text, "small has no machine code at 0");
    assert_null(flm_disassembly_of_module(module, 5, 1, FLM_ASSEMBLY_ATT, &why));
    assert_string_equal(why.text, "a function has at most 32 MiB of machine code");
    flm_elf_free(file);
    flm_modules_free(modules);
    flm_text_clear(&listing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_instructions_in_either_syntax),
        cmocka_unit_test(arm64_has_words),
        cmocka_unit_test(rows_stay_in_step),
        cmocka_unit_test(any_bytes_are_covered_by_rows),
        cmocka_unit_test(what_is_not_shown_is_refused_with_a_reason),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(instructions_are_where_objdump_has_them),
    };
    struct flm_error why = {0};
    struct flm_decoder *decoder = flm_decoder_new(FLM_MACHINE_X86_64, FLM_ASSEMBLY_ATT, &why);
    flm_decoder_free(decoder);
    if (!decoder) {
        print_message("%s\n", why.text);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
