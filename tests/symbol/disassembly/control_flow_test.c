#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "symbol/disassembly/internal.h"

static const char *const kinds[] = {"plain", "jump", "branch", "call", "return", "data"};

/* "branch >1149"; "plain @4004". */
static const char *classified(enum flm_machine machine, uint64_t address, const char *bytes,
                              size_t size, const char *operands)
{
    static char text[80];
    struct flm_instruction instruction = {
        .address = address, .bytes = {bytes, size}, .operands = flm_bytes_of(operands)};
    flm_instruction_classify(machine, &instruction);
    int length = snprintf(text, sizeof text, "%s", kinds[instruction.kind]);
    if (instruction.has_place)
        snprintf(text + length, sizeof text - (size_t)length, " %c%llx",
                 instruction.leads ? '>' : '@', (unsigned long long)instruction.place);
    return text;
}

static void jumps_of_x86_64_lead_by_their_last_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *expected;
    } cases[] = {
        {"\xe8\xea\xfe\xff\xff", 5, "call >eef"},
        {"\xe9\x00\x01\x00\x00", 5, "jump >1105"},
        {"\xeb\xfe", 2, "jump >1000"},
        {"\x74\xf0", 2, "branch >ff2"},
        {"\x7f\x10", 2, "branch >1012"},
        {"\xe2\xfc", 2, "branch >ffe"},  /* loop */
        {"\xe3\x02", 2, "branch >1004"}, /* jrcxz */
        {"\x0f\x85\x00\x00\x01\x00", 6, "branch >11006"},
        {"\xf2\xe9\x00\x00\x00\x00", 6, "jump >1006"},   /* bnd */
        {"\x2e\x74\x01", 3, "branch >1004"},             /* with a hint */
        {"\xc7\xf8\x10\x00\x00\x00", 6, "branch >1016"}, /* xbegin */
        {"\xc3", 1, "return"},
        {"\xf3\xc3", 2, "return"},
        {"\xc2\x08\x00", 3, "return"},
        {"\x48\xcf", 2, "return"},     /* iretq */
        {"\x48\x0f\x07", 3, "return"}, /* sysretq */
        {"\xff\xd0", 2, "call"},
        {"\x41\xff\xd4", 3, "call"},
        {"\xff\xe0", 2, "jump"},
        {"\x3e\xff\xe0", 3, "jump"},  /* notrack */
        {"\xff\x70\x08", 3, "plain"}, /* push */
        {"\x0f\x05", 2, "plain"},     /* syscall comes back */
        {"\x0f\x0b", 2, "plain"},
        {"\x90", 1, "plain"},
        {"\xe8", 1, "call"}, /* cut off: nothing can be read of where */
        {"\x66", 1, "plain"},
        {"", 0, "plain"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(
            classified(FLM_MACHINE_X86_64, 0x1000, cases[i].bytes, cases[i].size, ""),
            cases[i].expected);
}

static void what_is_relative_to_the_counter_is_referred_to(void **state)
{
    (void)state;
    static const struct {
        const char *operands, *expected;
    } cases[] = {
        {"0x2eb4(%rip), %rax", "plain @3ebb"},
        {"[rip + 0x2eb4]", "plain @3ebb"},
        {"-0x10(%rip), %eax", "plain @ff7"},
        {"rax, qword ptr [rip - 0x10]", "plain @ff7"},
        {"8(%rip)", "plain @100f"},
        {"$1, 8(%rip)", "plain @100f"},
        {"(%rip), %rax", "plain @1007"},
        {"%rax, %rbx", "plain"},
        {"0x10(%rax)", "plain"},
        {"[rip + rax]", "plain"},
        {"[rip ", "plain"},
        {"", "plain"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(classified(FLM_MACHINE_X86_64, 0x1000, "\x48\x8d\x05\xb4\x2e\x00\x00",
                                       7, cases[i].operands),
                            cases[i].expected);
    assert_string_equal(
        classified(FLM_MACHINE_X86_64, 0x1000, "\xff\x25\x00\x10\x00\x00", 6, "*0x1000(%rip)"),
        "jump @2006");
}

static void instructions_of_arm64_are_known_by_their_bits(void **state)
{
    (void)state;
    static const struct {
        uint32_t word;
        const char *expected;
    } cases[] = {
        {0x94000001, "call >1004"},   /* bl */
        {0x17ffffff, "jump >ffc"},    /* b */
        {0x54000040, "branch >1008"}, /* b.eq */
        {0x54ffffee, "jump >ffc"},    /* b.al */
        {0xb4000060, "branch >100c"}, /* cbz x0 */
        {0x35ffffe1, "branch >ffc"},  /* cbnz w1 */
        {0x36180040, "branch >1008"}, /* tbz w0, #3 */
        {0xb7ffffe0, "branch >ffc"},  /* tbnz x0, #63 */
        {0xd61f0200, "jump"},         /* br x16 */
        {0xd63f0200, "call"},         /* blr x16 */
        {0xd65f03c0, "return"},       /* ret */
        {0xd65f0bff, "return"},       /* retaa */
        {0xd69f03e0, "return"},       /* eret */
        {0xd71f0810, "jump"},         /* braa x0, x16 */
        {0x10000040, "plain @1008"},  /* adr */
        {0x70ffffe0, "plain @fff"},   /* adr, an odd address behind */
        {0xb0000013, "plain @2000"},  /* adrp */
        {0x58000061, "plain @100c"},  /* ldr of a literal */
        {0xd503201f, "plain"},        /* nop */
        {0xf9400000, "plain"},        /* ldr x0, [x0] */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t word = cases[i].word;
        const char bytes[4] = {(char)(word & 255), (char)(word >> 8 & 255),
                               (char)(word >> 16 & 255), (char)(word >> 24 & 255)};
        assert_string_equal(classified(FLM_MACHINE_ARM64, 0x1000, bytes, 4, ""), cases[i].expected);
        assert_string_equal(classified(FLM_MACHINE_ARM64, 0x1000, bytes, 3, ""), "plain");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jumps_of_x86_64_lead_by_their_last_bytes),
        cmocka_unit_test(what_is_relative_to_the_counter_is_referred_to),
        cmocka_unit_test(instructions_of_arm64_are_known_by_their_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
