#include "symbol/unwind/cfi.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/profile/frames.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static struct flm_cfi read_frames(const struct frames *frames)
{
    struct flm_unwind_sections sections = frames_sections(frames);
    struct flm_cfi cfi;
    assert_true(flm_cfi_read(&cfi, &sections, NULL));
    return cfi;
}

static void check_functions(const struct flm_cfi *cfi, const uint64_t *ranges, size_t count)
{
    assert_int_equal(cfi->functions.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cfi->functions.at[i].from, ranges[2 * i]);
        assert_int_equal(cfi->functions.at[i].end, ranges[2 * i + 1]);
    }
}

static void functions_are_found_in_every_shape_of_section(void **state)
{
    (void)state;
    static const uint8_t encodings[] = {0x00, 0x04, 0x0C, 0x03, 0x0B, 0x1B, 0x1C, 0x13};
    for (int debug = 0; debug < 2; debug++) {
        for (int wide = 0; wide < 2; wide++) {
            for (int version = 1; version <= 4; version++) {
                for (size_t i = 0; i < (debug ? 1 : sizeof encodings); i++) {
                    if (version == 2)
                        continue;
                    char encoding = (char)encodings[i];
                    struct frames f = {.is_debug_frame = debug,
                                       .is_wide = wide,
                                       .version = (uint8_t)version,
                                       .letters = debug ? "" : "zR",
                                       .augmentation_data = {&encoding, 1},
                                       .encoding = encodings[i],
                                       .return_register = 16,
                                       .address = 0x10000};
                    frames_usual_common(&f);
                    frames_function(&f, 0x401000, 0x30, BYTES(0));
                    frames_function(&f, 0x401040, 0x20, BYTES(0));
                    struct flm_cfi cfi = read_frames(&f);
                    check_functions(&cfi, (uint64_t[]){0x401000, 0x401030, 0x401040, 0x401060}, 2);
                    assert_int_equal(cfi.unreadable, 0);
                    flm_cfi_clear(&cfi);
                    flm_text_clear(&f.bytes);
                }
            }
        }
    }
}

static void personalities_and_other_letters_are_passed_over(void **state)
{
    (void)state;
    const struct {
        const char *letters;
        struct flm_bytes data;
        bool is_signal;
    } good[] = {
        {"zPLR", BYTES(0x9B, 1, 2, 3, 4, 0x1B, 0x1B), false},
        {"zRS", BYTES(0x1B), true},
        {"zRB", BYTES(0x1B), false},
        {"zRSG", BYTES(0x1B), true},
        {"zPR", BYTES(0x00, 1, 2, 3, 4, 5, 6, 7, 8, 0x1B), false},
        {"zPR", BYTES(0xFF, 0x1B), false},
        {"zR?", BYTES(0x1B, 77), false},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct frames f = frames_like_gcc();
        f.letters = good[i].letters;
        f.augmentation_data = good[i].data;
        frames_usual_common(&f);
        frames_function(&f, 0x401000, 0x30, BYTES(0));
        struct flm_cfi cfi = read_frames(&f);
        check_functions(&cfi, (uint64_t[]){0x401000, 0x401030}, 1);
        assert_int_equal(cfi.commons.at[0].is_signal, good[i].is_signal);
        flm_cfi_clear(&cfi);
        flm_text_clear(&f.bytes);
    }
}

static void unreadable_records_are_counted(void **state)
{
    (void)state;
    const struct {
        const char *letters;
        struct flm_bytes data;
        uint8_t version, return_register;
    } bad[] = {
        {"zR", BYTES(0x9B), 1, 16},       /* indirect */
        {"zR", BYTES(0x4B), 1, 16},       /* counted from the function */
        {"zR", BYTES(0x05), 1, 16},       /* a format that is none */
        {"zR", BYTES(0x1B), 2, 16},       /* a version that is none */
        {"zR", BYTES(0x1B), 1, 200},      /* a register that is none */
        {"armcc+", BYTES(0x1B), 1, 16},   /* who knows what follows */
        {"zPR", BYTES(0x00, 1, 2), 1, 16} /* shorter than it says */
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct frames f = frames_like_gcc();
        f.letters = bad[i].letters;
        f.augmentation_data = bad[i].data;
        f.version = bad[i].version;
        f.return_register = bad[i].return_register;
        frames_usual_common(&f);
        frames_function(&f, 0x401000, 0x30, BYTES(0));
        struct flm_cfi cfi = read_frames(&f);
        assert_int_equal(cfi.functions.count, 0);
        assert_int_equal(cfi.unreadable, 1);
        flm_cfi_clear(&cfi);
        flm_text_clear(&f.bytes);
    }
}

static void functions_are_sorted_and_apart(void **state)
{
    (void)state;
    struct frames f = frames_like_gcc();
    frames_usual_common(&f);
    const uint64_t given[] = {0x5000, 0x100, 0x1000, 0x100, 0x2000, 0x1800, 0x3000, 0x10,
                              0x1000, 0x80,  0,      0x50,  0x4000, 0,      0x50F0, 0x100};
    for (size_t i = 0; i < sizeof given / sizeof *given; i += 2)
        frames_function(&f, given[i], given[i + 1], BYTES(0));
    struct flm_cfi cfi = read_frames(&f);
    /* The nearest before an address has it; of two at one place the first. */
    check_functions(&cfi,
                    (uint64_t[]){0x1000, 0x1100, 0x2000, 0x3000, 0x3000, 0x3010, 0x5000, 0x50F0,
                                 0x50F0, 0x51F0},
                    5);
    flm_cfi_clear(&cfi);
    flm_text_clear(&f.bytes);
}

static void debug_frame_fills_what_eh_frame_leaves(void **state)
{
    (void)state;
    struct frames eh = frames_like_gcc();
    frames_usual_common(&eh);
    frames_function(&eh, 0x1000, 0x100, BYTES(0));
    frames_function(&eh, 0x2000, 0x100, BYTES(0));
    struct frames debug = {
        .is_debug_frame = true, .version = 4, .letters = "", .return_register = 16};
    frames_usual_common(&debug);
    frames_function(&debug, 0x1000, 0x100, BYTES(0));
    frames_function(&debug, 0x1800, 0x1000, BYTES(0));
    frames_function(&debug, 0x2080, 0x100, BYTES(0));
    frames_function(&debug, 0x3000, 0x100, BYTES(0));
    struct flm_unwind_sections sections = frames_sections(&eh);
    sections.debug_frame = (struct flm_bytes){debug.bytes.at, debug.bytes.size};
    struct flm_cfi cfi;
    assert_true(flm_cfi_read(&cfi, &sections, NULL));
    check_functions(&cfi,
                    (uint64_t[]){0x1000, 0x1100, 0x1800, 0x2000, 0x2000, 0x2100, 0x2100, 0x2180,
                                 0x3000, 0x3100},
                    5);
    assert_int_equal(cfi.functions.at[3].start, 0x2080);
    flm_cfi_clear(&cfi);
    flm_text_clear(&eh.bytes);
    flm_text_clear(&debug.bytes);
}

static void every_shortened_section_is_read_without_harm(void **state)
{
    (void)state;
    struct frames f = frames_like_gcc();
    frames_usual_common(&f);
    for (uint64_t i = 1; i < 5; i++)
        frames_function(&f, i * 0x1000, 0x100, BYTES(0x42, 0x0E, 16, 0x86, 2, 0x48, 0x0D, 6));
    for (size_t size = 0; size <= f.bytes.size; size++) {
        /* A copy of that size, so that a sanitizer sees what is read behind it. */
        char *copy = malloc(size ? size : 1);
        assert_non_null(copy);
        memcpy(copy, f.bytes.at, size);
        struct flm_unwind_sections sections = frames_sections(&f);
        sections.eh_frame = (struct flm_bytes){copy, size};
        struct flm_cfi cfi;
        assert_true(flm_cfi_read(&cfi, &sections, NULL));
        assert_true(cfi.functions.count <= 4);
        flm_cfi_clear(&cfi);
        free(copy);
    }
    flm_text_clear(&f.bytes);
}

/* ---- Programs -------------------------------------------------------------------------------- */

struct ruled {
    size_t count;
    uint64_t address[32];
    struct flm_rule rule[32];
    bool unsupported;
};

static bool take_rule(void *context, uint64_t address, const struct flm_rule *rule)
{
    struct ruled *ruled = context;
    assert_true(ruled->count < 32);
    ruled->address[ruled->count] = address - 0x401000;
    ruled->rule[ruled->count++] = *rule;
    return true;
}

static struct ruled run_on(enum flm_machine machine, const char *letters, struct flm_bytes common,
                           struct flm_bytes program)
{
    struct frames f = frames_like_gcc();
    f.letters = letters;
    f.return_register = machine == FLM_MACHINE_ARM64 ? 30 : 16;
    frames_common(&f, common);
    frames_function(&f, 0x401000, 0x100, program);
    struct flm_unwind_sections sections = frames_sections(&f);
    sections.machine = machine;
    struct flm_cfi cfi;
    struct ruled ruled = {0};
    assert_true(flm_cfi_read(&cfi, &sections, NULL));
    assert_int_equal(cfi.functions.count, 1);
    assert_true(flm_cfi_run(&cfi, &cfi.functions.at[0], take_rule, &ruled, &ruled.unsupported));
    flm_cfi_clear(&cfi);
    flm_text_clear(&f.bytes);
    return ruled;
}

static struct ruled run(struct flm_bytes program)
{
    return run_on(FLM_MACHINE_X86_64, "zR", BYTES(0x0C, 7, 8, 0x90, 1), program);
}

enum { RBX, RBP, R12, R13, R14, R15, RA, SP };

static void check_slot(const struct flm_rule *rule, int slot, enum flm_slot_how how, int32_t value)
{
    assert_int_equal(flm_rule_how(rule, slot), how);
    if (how != FLM_SAME)
        assert_int_equal(rule->slot[slot], value);
}

static void check_cfa(const struct flm_rule *rule, enum flm_rule_kind kind, int which,
                      int32_t offset)
{
    assert_int_equal(rule->kind, kind);
    assert_int_equal(rule->cfa_register, which);
    assert_int_equal(rule->offset, offset);
}

static void a_prologue_and_an_epilogue_are_rows(void **state)
{
    (void)state;
    /* push rbp; mov rbp, rsp; push rbx; ... pop rbx; pop rbp; ret */
    struct ruled r =
        run(BYTES(0x41, 0x0E, 16, 0x86, 2, 0x43, 0x0D, 6, 0x41, 0x83, 3, 0x02, 0x60, 0x0C, 7, 8));
    assert_int_equal(r.count, 5);
    assert_int_equal(r.address[1], 1);
    assert_int_equal(r.address[2], 4);
    assert_int_equal(r.address[3], 5);
    assert_int_equal(r.address[4], 0x65);
    check_cfa(&r.rule[0], FLM_RULE_OFFSET, 7, 8);
    check_slot(&r.rule[0], RBP, FLM_SAME, 0);
    check_slot(&r.rule[0], RA, FLM_AT_CFA, -8);
    check_cfa(&r.rule[1], FLM_RULE_OFFSET, 7, 16);
    check_slot(&r.rule[1], RBP, FLM_AT_CFA, -16);
    check_cfa(&r.rule[2], FLM_RULE_OFFSET, 6, 16);
    check_slot(&r.rule[3], RBX, FLM_AT_CFA, -24);
    /* Popped: GCC does not say so. */
    check_cfa(&r.rule[4], FLM_RULE_OFFSET, 7, 8);
    check_slot(&r.rule[4], RBX, FLM_SAME, 0);
    check_slot(&r.rule[4], RBP, FLM_SAME, 0);
    assert_false(r.unsupported);
}

static void registers_saved_in_the_red_zone_are_not_taken_for_popped(void **state)
{
    (void)state;
    struct ruled r = run(BYTES(0x44, 0x83, 2));
    assert_int_equal(r.count, 2);
    check_slot(&r.rule[1], RBX, FLM_AT_CFA, -16);
}

static void every_operation_of_DW_CFA_is_supported(void **state)
{
    (void)state;
    static const struct {
        struct flm_bytes program;
        int slot;
        enum flm_slot_how how;
        int32_t value;
    } cases[] = {
        {{"\x05\x0C\x05", 3}, R12, FLM_AT_CFA, -40},          /* offset_extended */
        {{"\x11\x0C\x7D", 3}, R12, FLM_AT_CFA, 24},           /* offset_extended_sf */
        {{"\x2F\x0C\x03", 3}, R12, FLM_AT_CFA, 24},           /* GNU_negative_offset_extended */
        {{"\x8C\x05\x06\x0C", 4}, R12, FLM_SAME, 0},          /* restore_extended */
        {{"\x8C\x05\xCC", 3}, R12, FLM_SAME, 0},              /* restore */
        {{"\x8C\x05\x08\x0C", 4}, R12, FLM_SAME, 0},          /* same_value */
        {{"\x07\x0C", 2}, R12, FLM_ELSEWHERE, FLM_UNDEFINED}, /* undefined */
        {{"\x09\x0C\x05", 3}, R12, FLM_ELSEWHERE, 5},         /* register */
        {{"\x09\x0C\x30", 3}, R12, FLM_ELSEWHERE, FLM_LOST},  /* of the vector unit */
        {{"\x10\x0C\x02\x76\x70", 5}, R12, FLM_AT_BASE, -16}, /* expression: rbp - 16 */
        {{"\x10\x0C\x01\x30", 4}, R12, FLM_ELSEWHERE, FLM_LOST},
        {{"\x16\x0C\x02\x76\x70", 5}, R12, FLM_ELSEWHERE, FLM_LOST}, /* val_expression */
        {{"\x14\x0C\x02", 3}, R12, FLM_ELSEWHERE, FLM_LOST},         /* val_offset */
        {{"\x14\x07\x00", 3}, SP, FLM_SAME, 0}, /* of the stack pointer: the CFA */
        {{"\x15\x07\x00", 3}, SP, FLM_SAME, 0},
        {{"\x09\x10\x05", 3}, RA, FLM_ELSEWHERE, 5},     /* vfork of glibc */
        {{"\x2E\x10\x8C\x05", 4}, R12, FLM_AT_CFA, -40}, /* GNU_args_size */
        {{"\x0A\x8C\x05\x0B", 4}, R12, FLM_SAME, 0},     /* remember, restore */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ruled r = run(cases[i].program);
        assert_int_equal(r.count, 1);
        assert_false(r.unsupported);
        check_slot(&r.rule[0], cases[i].slot, cases[i].how, cases[i].value);
        check_cfa(&r.rule[0], FLM_RULE_OFFSET, 7, 8);
    }
}

static void the_CFA_may_be_described_in_every_way(void **state)
{
    (void)state;
    static const struct {
        struct flm_bytes program;
        enum flm_rule_kind kind;
        int which;
        int32_t offset, add;
        int base;
    } cases[] = {
        {{"\x0C\x06\x90\x01", 4}, FLM_RULE_OFFSET, 6, 144, 0, 0},
        {{"\x12\x06\x7C", 3}, FLM_RULE_OFFSET, 6, 32, 0, 0},
        {{"\x0D\x0A", 2}, FLM_RULE_OFFSET, 10, 8, 0, 0},
        {{"\x0E\x30", 2}, FLM_RULE_OFFSET, 7, 48, 0, 0},
        {{"\x13\x7E", 2}, FLM_RULE_OFFSET, 7, 16, 0, 0},
        {{"\x0F\x02\x76\x10", 4}, FLM_RULE_OFFSET, 6, 16, 0, 0},
        {{"\x0F\x03\x76\x78\x06", 5}, FLM_RULE_LOADED, 6, -8, 0, 0},
        {{"\x0F\x05\x77\x10\x06\x23\x08", 7}, FLM_RULE_LOADED, 7, 16, 8, 0},
        {{"\x0F\x05\x77\x10\x06\x38\x22", 7}, FLM_RULE_LOADED, 7, 16, 8, 0},
        {{"\x0F\x0A\x77\x08\x79\x00\x38\x1E\x22\x06\x23\x08", 12}, FLM_RULE_INDEXED, 7, 8, 8, 9},
        {{"\x0F\x0B\x77\x08\x80\x00\x3F\x1A\x3B\x2A\x33\x24\x22", 13}, FLM_RULE_PLT, 7, 8, 11, 0},
        {{"\x0F\x0B\x77\x08\x80\x00\x3F\x1A\x39\x2A\x33\x24\x22", 13}, FLM_RULE_PLT, 7, 8, 9, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ruled r = run(cases[i].program);
        assert_int_equal(r.count, 1);
        assert_false(r.unsupported);
        check_cfa(&r.rule[0], cases[i].kind, cases[i].which, cases[i].offset);
        assert_int_equal(r.rule[0].add, cases[i].add);
        assert_int_equal(r.rule[0].base_register, cases[i].base);
    }
}

static void unknown_expressions_are_unsupported_and_not_guessed(void **state)
{
    (void)state;
    static const struct flm_bytes programs[] = {
        {"\x0F\x01\x30", 3},                 /* CFA = 0 */
        {"\x0F\x03\x77\x08\x1F", 5},         /* an operation that takes more */
        {"\x0F\x09\x77", 3},                 /* longer than the program */
        {"\x0C\x40\x08", 3},                 /* a register that is none */
        {"\x0B", 1},                         /* nothing was remembered */
        {"\x16\x10\x02\x76\x70", 5},         /* a return address that is computed */
        {"\x09\x07\x40", 3},                 /* a stack pointer out of nowhere */
        {"\x08\x10", 2},                     /* a return address in no place */
        {"\x3D", 1},                         /* no operation */
        {"\x2D", 1},                         /* SPARC's */
        {"\x0F\x03\x76\x78\x06\x0E\x10", 7}, /* an offset to an expression */
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct ruled r = run(programs[i]);
        assert_int_equal(r.count, 1);
        assert_int_equal(r.rule[0].kind, FLM_RULE_UNSUPPORTED);
        assert_true(r.unsupported);
    }
    struct ruled deep = run(BYTES(0xA, 0xA, 0xA, 0xA, 0xA, 0xA, 0xA, 0xA, 0xA, 0xA, 0xA, 0xA, 0xA,
                                  0xA, 0xA, 0xA, 0xA, 0xA));
    assert_true(deep.unsupported);
}

static void an_undefined_return_address_is_the_end(void **state)
{
    (void)state;
    struct ruled r = run(BYTES(0x07, 16));
    assert_int_equal(r.count, 1);
    assert_int_equal(r.rule[0].kind, FLM_RULE_END);
    assert_false(r.unsupported);
}

static void advances_of_every_size_add_up(void **state)
{
    (void)state;
    struct ruled r = run(
        BYTES(0x41, 0x0E, 16, 0x02, 2, 0x0E, 24, 0x03, 3, 0, 0x0E, 32, 0x04, 4, 0, 0, 0, 0x0E, 40));
    assert_int_equal(r.count, 5);
    const uint64_t addresses[] = {0, 1, 3, 6, 10};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(r.address[i], addresses[i]);
        assert_int_equal(r.rule[i].offset, 8 + 8 * (int)i);
    }
    /* Beyond its function a program says nothing. */
    r = run(BYTES(0x41, 0x0E, 16, 0x04, 0xFF, 0xFF, 0xFF, 0xFF, 0x0E, 24));
    assert_int_equal(r.count, 2);
}

static void a_signal_frame_is_the_kernels_context(void **state)
{
    (void)state;
    /* As glibc has it, for __restore_rt. */
    struct flm_text program = {0};
    static const uint8_t order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16};
    flm_text_add(&program, BYTES(0x0F, 4, 0x77, 0xA0, 1, 0x06));
    for (size_t i = 0; i < sizeof order; i++) {
        uint8_t at = (uint8_t)(40 + 8 * i);
        flm_text_add(&program, BYTES(0x10, order[i], 3, 0x77, (uint8_t)(0x80 | (at & 0x7F)),
                                     (uint8_t)(at >> 7)));
    }
    struct ruled r =
        run_on(FLM_MACHINE_X86_64, "zRS", BYTES(0), (struct flm_bytes){program.at, program.size});
    assert_int_equal(r.count, 1);
    check_cfa(&r.rule[0], FLM_RULE_CONTEXT, 7, 40);
    assert_true(r.rule[0].is_signal);
    /* The same without the letter is a function like others. */
    r = run_on(FLM_MACHINE_X86_64, "zR", BYTES(0), (struct flm_bytes){program.at, program.size});
    check_cfa(&r.rule[0], FLM_RULE_LOADED, 7, 160);
    check_slot(&r.rule[0], RA, FLM_AT_BASE, 168);
    flm_text_clear(&program);
}

static void arm64_keeps_the_frame_pointer_and_the_link(void **state)
{
    (void)state;
    /* stp x29, x30, [sp, -32]!; mov x29, sp; with signed return addresses */
    struct ruled r = run_on(FLM_MACHINE_ARM64, "zR", BYTES(0x0C, 31, 0),
                            BYTES(0x41, 0x2D, 0x44, 0x0E, 32, 0x9D, 4, 0x9E, 3, 0x44, 0x0D, 29));
    assert_int_equal(r.count, 4);
    check_cfa(&r.rule[0], FLM_RULE_OFFSET, 31, 0);
    check_slot(&r.rule[0], RA, FLM_SAME, 0);
    check_cfa(&r.rule[2], FLM_RULE_OFFSET, 31, 32);
    check_slot(&r.rule[2], 1, FLM_AT_CFA, -32);
    check_slot(&r.rule[2], RA, FLM_AT_CFA, -24);
    check_cfa(&r.rule[3], FLM_RULE_OFFSET, 29, 32);
    assert_false(r.unsupported);
}

static void reading_stops_cleanly_when_memory_runs_out(void **state)
{
    (void)state;
    struct frames f = frames_like_gcc();
    frames_usual_common(&f);
    for (uint64_t i = 60; i > 0; i--)
        frames_function(&f, i * 0x1000, 0x100, BYTES(0));
    struct flm_unwind_sections sections = frames_sections(&f);
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        struct flm_cfi cfi;
        allocation_fail_from(nth);
        bool good = flm_cfi_read(&cfi, &sections, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(good, !failed);
        if (good)
            assert_int_equal(cfi.functions.count, 60);
        else
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        flm_cfi_clear(&cfi);
        if (!failed)
            break;
    }
    flm_text_clear(&f.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_found_in_every_shape_of_section),
        cmocka_unit_test(personalities_and_other_letters_are_passed_over),
        cmocka_unit_test(unreadable_records_are_counted),
        cmocka_unit_test(functions_are_sorted_and_apart),
        cmocka_unit_test(debug_frame_fills_what_eh_frame_leaves),
        cmocka_unit_test(every_shortened_section_is_read_without_harm),
        cmocka_unit_test(a_prologue_and_an_epilogue_are_rows),
        cmocka_unit_test(registers_saved_in_the_red_zone_are_not_taken_for_popped),
        cmocka_unit_test(every_operation_of_DW_CFA_is_supported),
        cmocka_unit_test(the_CFA_may_be_described_in_every_way),
        cmocka_unit_test(unknown_expressions_are_unsupported_and_not_guessed),
        cmocka_unit_test(an_undefined_return_address_is_the_end),
        cmocka_unit_test(advances_of_every_size_add_up),
        cmocka_unit_test(a_signal_frame_is_the_kernels_context),
        cmocka_unit_test(arm64_keeps_the_frame_pointer_and_the_link),
        cmocka_unit_test(reading_stops_cleanly_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
