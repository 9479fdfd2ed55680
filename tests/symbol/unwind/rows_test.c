/* rows_test.c - every row of real files says what libdw says of the same address. */
#include "symbol/unwind/unwind_table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/record/sections.h"

/* A stack of made-up words: far outward, so that no step is refused for going inward. */
static const uint64_t fake_sp = 0x10000000;

static uint64_t fake_word(uint64_t address)
{
    uint64_t random = address;
    return 0x400000000000 | (random_next(&random) & 0x3FFFFFFFFFF8);
}

static bool read_fake(void *context, uint64_t address, uint64_t *word)
{
    (void)context;
    if (address < fake_sp)
        return false;
    *word = fake_word(address);
    return true;
}

static struct flm_registers fake_registers(enum flm_machine machine)
{
    struct flm_registers registers = {.machine = machine, .known = (UINT64_C(1) << 33) - 1};
    for (unsigned i = 0; i < FLM_REGISTER_COUNT; i++)
        registers.value[i] = fake_sp + 0x100000 + i * 0x1230;
    registers.value[machine == FLM_MACHINE_ARM64 ? 31 : 7] = fake_sp;
    return registers;
}

/* What libdw's operations come to. False: with one that it has not, or a word below the stack. */
static bool evaluate(const Dwarf_Op *ops, size_t count, const struct flm_registers *registers,
                     uint64_t pc, uint64_t cfa, bool is_address, uint64_t *result)
{
    uint64_t stack[16] = {0}, a, b;
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        const Dwarf_Op *op = &ops[i];
        if (depth > 14 || (depth < 2 && op->atom >= DW_OP_and && op->atom <= DW_OP_ne &&
                           op->atom != DW_OP_plus_uconst))
            return false;
        if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
            unsigned which = op->atom - DW_OP_breg0;
            bool is_pc = which == 16 && registers->machine == FLM_MACHINE_X86_64;
            stack[depth++] = (is_pc ? pc : registers->value[which]) + op->number;
        } else if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
            stack[depth++] = op->atom - DW_OP_lit0;
        } else {
            a = depth > 1 ? stack[depth - 2] : 0;
            b = depth > 0 ? stack[depth - 1] : 0;
            switch (op->atom) {
            case DW_OP_bregx:
                stack[depth++] = registers->value[op->number] + op->number2;
                continue;
            case DW_OP_regx:
                *result = registers->value[op->number];
                return count == 1;
            case DW_OP_call_frame_cfa:
                stack[depth++] = cfa;
                continue;
            case DW_OP_plus_uconst:
                stack[depth - 1] = b + op->number;
                continue;
            case DW_OP_const1u:
                stack[depth++] = op->number;
                continue;
            case DW_OP_deref:
                if (!read_fake(NULL, b, &stack[depth - 1]))
                    return false;
                continue;
            case DW_OP_stack_value:
                is_address = false;
                continue;
            case DW_OP_plus:
                a += b;
                break;
            case DW_OP_minus:
                a -= b;
                break;
            case DW_OP_mul:
                a *= b;
                break;
            case DW_OP_and:
                a &= b;
                break;
            case DW_OP_shl:
                a <<= b;
                break;
            case DW_OP_ge:
                a = (int64_t)a >= (int64_t)b;
                break;
            default:
                return false;
            }
            stack[--depth - 1] = a;
        }
    }
    if (depth == 0)
        return false;
    return is_address ? read_fake(NULL, stack[depth - 1], result)
                      : (*result = stack[depth - 1], true);
}

/* The caller's value of a register, as libdw says it. */
static bool expected_register(Dwarf_Frame *frame, unsigned which,
                              const struct flm_registers *registers, uint64_t pc, uint64_t cfa,
                              bool *same, uint64_t *value)
{
    Dwarf_Op memory[3], *ops = NULL;
    size_t count = 0;
    *same = false;
    if (dwarf_frame_register(frame, (int)which, memory, &ops, &count) != 0)
        return false;
    if (count == 0) {
        /* No operations: undefined, or, with a pointer that is none, as it was. */
        *same = ops == NULL;
        *value = registers->value[which];
        return *same;
    }
    bool is_register =
        ops[0].atom == DW_OP_regx || (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31);
    if (is_register && ops[0].atom != DW_OP_regx) {
        *value = registers->value[ops[0].atom - DW_OP_reg0];
        return true;
    }
    return evaluate(ops, count, registers, pc, cfa, !is_register, value);
}

struct rows_seen {
    size_t addresses, steps, ends, unsupported, missed, gaps, signals;
};

/* One address: the step is the one that libdw's rules make. */
static void check_address(const struct flm_unwind_table *table, Dwarf_CFI *eh, Dwarf_CFI *debug,
                          enum flm_machine machine, uint64_t address, struct rows_seen *seen)
{
    struct flm_registers registers = fake_registers(machine), before = registers;
    enum flm_step step = flm_unwind_step(table, address, &registers, read_fake, NULL);
    Dwarf_Frame *frame = NULL;
    seen->addresses++;
    if (!(eh && dwarf_cfi_addrframe(eh, address, &frame) == 0) &&
        !(debug && dwarf_cfi_addrframe(debug, address, &frame) == 0)) {
        /* What we know and they do not: PLTs and signal trampolines by their bytes. */
        seen->gaps++;
        return;
    }
    if (step == FLM_STEP_NONE)
        print_error("%llx: no row\n", (unsigned long long)address);
    assert_int_not_equal(step, FLM_STEP_NONE);
    Dwarf_Op *ops;
    size_t count;
    uint64_t cfa = 0, value = 0,
             mask = machine == FLM_MACHINE_ARM64 ? 0xFFFFFFFFFFFF : ~UINT64_C(0);
    bool signal, same;
    unsigned ra = (unsigned)dwarf_frame_info(frame, NULL, NULL, &signal);
    /* Of a column that callees need not keep, libdw says that it is never known. */
    if (ra != (machine == FLM_MACHINE_ARM64 ? 30 : 16)) {
        seen->gaps++;
        free(frame);
        return;
    }
    bool has_cfa = dwarf_frame_cfa(frame, &ops, &count) == 0 && count > 0 &&
                   evaluate(ops, count, &before, address, 0, false, &cfa);
    bool has_return = has_cfa && expected_register(frame, ra, &before, address, cfa, &same, &value);
    if (step == FLM_STEP_UNSUPPORTED || step == FLM_STEP_FAILED) {
        seen->unsupported++;
        if (has_return) {
            print_error("%llx: %d, theirs has a caller\n", (unsigned long long)address, (int)step);
            seen->missed++;
        }
    } else if (step == FLM_STEP_END) {
        seen->ends++;
        assert_false(has_return);
    } else {
        if (!has_return)
            print_error("%llx: theirs has no caller\n", (unsigned long long)address);
        assert_true(has_return);
        assert_int_equal(signal, step == FLM_STEP_SIGNAL);
        assert_int_equal(flm_registers_pc(&registers), value & mask);
        seen->signals += step == FLM_STEP_SIGNAL;
        unsigned sp = machine == FLM_MACHINE_ARM64 ? 31 : 7;
        if (!expected_register(frame, sp, &before, address, cfa, &same, &value) || same)
            value = cfa;
        assert_int_equal(flm_registers_sp(&registers), value);
        seen->steps++;
        static const uint8_t x86[] = {3, 6, 12, 13, 14, 15}, arm64[] = {29};
        const uint8_t *kept = machine == FLM_MACHINE_ARM64 ? arm64 : x86;
        size_t kept_count = machine == FLM_MACHINE_ARM64 ? sizeof arm64 : sizeof x86;
        for (size_t i = 0; i < kept_count; i++) {
            bool is_known = registers.known >> kept[i] & 1;
            if (expected_register(frame, kept[i], &before, address, cfa, &same, &value)) {
                assert_true(is_known);
                assert_int_equal(registers.value[kept[i]], value);
            }
        }
    }
    free(frame);
}

static bool check_file(const char *path, struct rows_seen *seen, uint64_t stride)
{
    struct elf_sections sections;
    if (!elf_sections_read(&sections, path))
        return false;
    struct flm_error why = {0};
    struct flm_unwind_table *table = flm_unwind_table_new(&sections.unwind, &why);
    if (!table) {
        elf_sections_clear(&sections);
        return false;
    }
    *seen = (struct rows_seen){0};
    Dwarf *dwarf = dwarf_begin_elf(sections.elf, DWARF_C_READ, NULL);
    Dwarf_CFI *eh = dwarf_getcfi_elf(sections.elf), *debug = dwarf ? dwarf_getcfi(dwarf) : NULL;
    uint64_t start = sections.unwind.code_address, end = start + sections.unwind.code.size;
    for (uint64_t at = start; at < end; at += stride)
        check_address(table, eh, debug, sections.unwind.machine, at, seen);
    start = sections.unwind.plt_address;
    end = start + sections.unwind.plt.size;
    for (uint64_t at = start; at < end && at < start + 200; at++)
        check_address(table, eh, debug, sections.unwind.machine, at, seen);
    struct flm_unwind_counts counts = flm_unwind_table_counts(table);
    printf("  %s: %zu rows of %zu functions, %zu unsupported; %zu addresses: %zu steps, %zu ends, "
           "%zu signals, %zu unsupported, %zu gaps\n",
           path, counts.rows, counts.functions, counts.unsupported, seen->addresses, seen->steps,
           seen->ends, seen->signals, seen->unsupported, seen->gaps);
    if (eh)
        dwarf_cfi_end(eh);
    dwarf_end(dwarf);
    flm_unwind_table_free(table);
    elf_sections_clear(&sections);
    return true;
}

static void rows_say_what_libdw_says(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/lib/x86_64-linux-gnu/libc.so.6",
        "/lib64/ld-linux-x86-64.so.2",
        "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
        "/lib/aarch64-linux-gnu/libc.so.6",
        "/usr/aarch64-linux-gnu/lib/libc.so.6",
        "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1",
        "/usr/aarch64-linux-gnu/lib/libstdc++.so.6",
        "/proc/self/exe",
    };
    struct rows_seen seen;
    size_t files = 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (!check_file(paths[i], &seen, 11))
            continue;
        files++;
        assert_true(seen.steps > seen.addresses / 2);
        assert_int_equal(seen.missed, 0);
    }
    assert_true(files > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_say_what_libdw_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
