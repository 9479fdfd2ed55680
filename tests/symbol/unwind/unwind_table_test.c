#include "symbol/unwind/unwind_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/profile/frames.h"

/* ---- Tables of our own making ---------------------------------------------------------------- */

/* Two functions with a gap in between; the first one is of frame pointers. */
static struct frames two_functions(void)
{
    struct frames f = frames_like_gcc();
    frames_usual_common(&f);
    frames_function(&f, 0x1000, 0x100,
                    BYTES(0x41, 0x0E, 16, 0x86, 2, 0x43, 0x0D, 6, 0x02, 0xF0, 0x0C, 7, 8));
    frames_function(&f, 0x21000, 0x40, BYTES(0x44, 0x0E, 32));
    return f;
}

static struct flm_unwind_table *new_table(const struct flm_unwind_sections *sections)
{
    struct flm_error why = {0};
    struct flm_unwind_table *table = flm_unwind_table_new(sections, &why);
    assert_non_null(table);
    return table;
}

struct words {
    uint64_t address;
    uint64_t word[64];
};

static bool read_words(void *context, uint64_t address, uint64_t *word)
{
    const struct words *words = context;
    uint64_t offset = address - words->address;
    if (offset >= sizeof words->word || offset % 8 != 0)
        return false;
    *word = words->word[offset / 8];
    return true;
}

static struct flm_registers registers_of(enum flm_machine machine, uint64_t sp, uint64_t frame)
{
    struct flm_registers registers = {.machine = machine};
    unsigned sp_at = machine == FLM_MACHINE_ARM64 ? 31 : 7;
    unsigned frame_at = machine == FLM_MACHINE_ARM64 ? 29 : 6;
    registers.value[sp_at] = sp;
    registers.value[frame_at] = frame;
    registers.known = UINT64_C(1) << sp_at | UINT64_C(1) << frame_at;
    return registers;
}

static void a_gap_between_functions_has_no_rule(void **state)
{
    (void)state;
    struct frames f = two_functions();
    struct flm_unwind_sections sections = frames_sections(&f);
    struct flm_unwind_table *table = new_table(&sections);
    struct words words = {.address = 0x7000};
    for (size_t i = 0; i < 64; i++)
        words.word[i] = 0x5550000 + i;
    static const struct {
        uint64_t address;
        enum flm_step step;
    } places[] = {
        {0, FLM_STEP_NONE},        {0xFFF, FLM_STEP_NONE},      {0x1000, FLM_STEP_CALLER},
        {0x10FF, FLM_STEP_CALLER}, {0x1100, FLM_STEP_NONE},     {0x2000, FLM_STEP_NONE},
        {0x20FFF, FLM_STEP_NONE},  {0x21000, FLM_STEP_CALLER},  {0x2103F, FLM_STEP_CALLER},
        {0x21040, FLM_STEP_NONE},  {UINT64_MAX, FLM_STEP_NONE},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct flm_registers registers = registers_of(FLM_MACHINE_X86_64, 0x7000, 0x7080);
        assert_int_equal(flm_unwind_step(table, places[i].address, &registers, read_words, &words),
                         places[i].step);
    }
    struct flm_unwind_counts counts = flm_unwind_table_counts(table);
    assert_int_equal(counts.functions, 2);
    assert_int_equal(counts.unsupported, 0);
    flm_unwind_table_free(table);
    flm_text_clear(&f.bytes);
}

static void a_step_finds_the_callers_registers(void **state)
{
    (void)state;
    struct frames f = two_functions();
    struct flm_unwind_sections sections = frames_sections(&f);
    struct flm_unwind_table *table = new_table(&sections);
    struct words words = {.address = 0x7000};
    words.word[4] = 0x7100; /* the caller's frame pointer, at 0x7020 */
    words.word[5] = 0x21010;
    struct flm_registers registers = registers_of(FLM_MACHINE_X86_64, 0x7000, 0x7020);
    assert_int_equal(flm_unwind_step(table, 0x1010, &registers, read_words, &words),
                     FLM_STEP_CALLER);
    assert_int_equal(flm_registers_pc(&registers), 0x21010);
    assert_int_equal(flm_registers_sp(&registers), 0x7030);
    assert_int_equal(registers.value[6], 0x7100);
    /* What callees need not keep is not known any more. */
    assert_int_equal(registers.known, 1 << 6 | 1 << 7 | 1 << 16);

    /* A stack that goes inward, one that cannot be read, and a caller at 0. */
    registers = registers_of(FLM_MACHINE_X86_64, 0x7030, 0x7010);
    assert_int_equal(flm_unwind_step(table, 0x1010, &registers, read_words, &words),
                     FLM_STEP_FAILED);
    registers = registers_of(FLM_MACHINE_X86_64, 0x7000, 0x9000);
    assert_int_equal(flm_unwind_step(table, 0x1010, &registers, read_words, &words),
                     FLM_STEP_FAILED);
    words.word[5] = 0;
    registers = registers_of(FLM_MACHINE_X86_64, 0x7000, 0x7020);
    assert_int_equal(flm_unwind_step(table, 0x1010, &registers, read_words, &words), FLM_STEP_END);
    /* Of another machine. */
    registers = registers_of(FLM_MACHINE_ARM64, 0x7000, 0x7020);
    assert_int_equal(flm_unwind_step(table, 0x1010, &registers, read_words, &words), FLM_STEP_NONE);
    flm_unwind_table_free(table);
    flm_text_clear(&f.bytes);
}

static void a_link_register_is_known_once_and_without_its_signature(void **state)
{
    (void)state;
    struct frames f = frames_like_gcc();
    f.return_register = 30;
    frames_common(&f, BYTES(0x0C, 31, 0));
    frames_function(&f, 0x1000, 0x100, BYTES(0));
    struct flm_unwind_sections sections = frames_sections(&f);
    sections.machine = FLM_MACHINE_ARM64;
    struct flm_unwind_table *table = new_table(&sections);
    struct flm_registers registers = registers_of(FLM_MACHINE_ARM64, 0x7000, 0x7020);
    registers.value[30] = 0x00A5000000001234;
    registers.known |= UINT64_C(1) << 30;
    struct words words = {.address = 0x7000};
    assert_int_equal(flm_unwind_step(table, 0x1010, &registers, read_words, &words),
                     FLM_STEP_CALLER);
    assert_int_equal(flm_registers_pc(&registers), 0x1234);
    assert_int_equal(flm_registers_sp(&registers), 0x7000);
    assert_int_equal(flm_unwind_step(table, 0x1010, &registers, read_words, &words),
                     FLM_STEP_FAILED);
    flm_unwind_table_free(table);
    flm_text_clear(&f.bytes);
}

static void frame_pointers_lead_outward_only(void **state)
{
    (void)state;
    struct words words = {.address = 0x7000};
    words.word[2] = 0x7050;
    words.word[3] = 0x1234;
    struct flm_registers registers = registers_of(FLM_MACHINE_X86_64, 0x7000, 0x7010);
    assert_int_equal(flm_unwind_step_by_pointer(&registers, read_words, &words), FLM_STEP_CALLER);
    assert_int_equal(flm_registers_pc(&registers), 0x1234);
    assert_int_equal(flm_registers_sp(&registers), 0x7020);
    assert_int_equal(registers.value[6], 0x7050);
    static const uint64_t bad[] = {0x6FF0, 0x7011, 0x9000};
    for (size_t i = 0; i < 3; i++) {
        registers = registers_of(FLM_MACHINE_X86_64, 0x7000, bad[i]);
        assert_int_equal(flm_unwind_step_by_pointer(&registers, read_words, &words),
                         FLM_STEP_FAILED);
    }
    registers = registers_of(FLM_MACHINE_X86_64, 0x7000, 0);
    assert_int_equal(flm_unwind_step_by_pointer(&registers, read_words, &words), FLM_STEP_END);
    registers.known = 1 << 7;
    assert_int_equal(flm_unwind_step_by_pointer(&registers, read_words, &words), FLM_STEP_FAILED);
}

/* ---- Gaps ------------------------------------------------------------------------------------ */

static int64_t frame_size(const struct flm_unwind_table *table, enum flm_machine machine,
                          uint64_t address)
{
    struct words words = {.address = 0x7000};
    for (size_t i = 0; i < 64; i++)
        words.word[i] = 0x5550000;
    struct flm_registers registers = registers_of(machine, 0x7000, 0x7080);
    registers.value[30] = 0x777000;
    registers.known |= UINT64_C(1) << 30;
    enum flm_step step = flm_unwind_step(table, address, &registers, read_words, &words);
    return step == FLM_STEP_CALLER ? (int64_t)(flm_registers_sp(&registers) - 0x7000) : -1;
}

static void a_plt_without_call_frame_information_is_recognized(void **state)
{
    (void)state;
    static const char lazy[] = "\xFF\x35....\xFF\x25....\x90\x90\x90\x90"
                               "\xFF\x25....\x68....\xE9....";
    static const char ibt[] = "\xFF\x35....\xFF\x25....\x90\x90\x90\x90"
                              "\xF3\x0F\x1E\xFA\x68....\xE9....\x66\x90";
    static const char other[] = "something else that is 32 bytes.";
    struct frames f = two_functions();
    struct flm_unwind_sections sections = frames_sections(&f);
    sections.plt_address = 0x8000;
    sections.plt = (struct flm_bytes){lazy, 32};
    struct flm_unwind_table *table = new_table(&sections);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x7FFF), -1);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x8000), 16);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x8006), 24);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x8010), 8);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x801A), 8);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x801B), 16);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x8020), -1);
    flm_unwind_table_free(table);
    sections.plt.at = ibt;
    table = new_table(&sections);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x8018), 8);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x8019), 16);
    flm_unwind_table_free(table);
    sections.plt.at = other;
    table = new_table(&sections);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x8010), -1);
    flm_unwind_table_free(table);
    flm_text_clear(&f.bytes);
}

static void the_plt_of_arm64_is_recognized_too(void **state)
{
    (void)state;
    static const char plt[64] = {0};
    struct frames f = frames_like_gcc();
    f.return_register = 30;
    frames_common(&f, BYTES(0x0C, 31, 0));
    frames_function(&f, 0x1000, 0x100, BYTES(0));
    struct flm_unwind_sections sections = frames_sections(&f);
    sections.machine = FLM_MACHINE_ARM64;
    sections.plt_address = 0x800;
    sections.plt = (struct flm_bytes){plt, sizeof plt};
    struct flm_unwind_table *table = new_table(&sections);
    assert_int_equal(frame_size(table, FLM_MACHINE_ARM64, 0x800), 0);
    assert_int_equal(frame_size(table, FLM_MACHINE_ARM64, 0x804), 16);
    assert_int_equal(frame_size(table, FLM_MACHINE_ARM64, 0x820), 0);
    assert_int_equal(frame_size(table, FLM_MACHINE_ARM64, 0x840), -1);
    flm_unwind_table_free(table);
    flm_text_clear(&f.bytes);
}

static void signal_trampolines_are_recognized_by_their_instructions(void **state)
{
    (void)state;
    static const struct {
        enum flm_machine machine;
        const char *code;
        size_t size;
        size_t first; /* the word of the stack where the first register is */
        unsigned sp, pc, first_register;
    } machines[] = {
        {FLM_MACHINE_X86_64, "\x90\x90\x48\xC7\xC0\x0F\x00\x00\x00\x0F\x05\x90", 12, 5, 15, 16, 8},
        {FLM_MACHINE_ARM64, "\x1F\x20\x03\xD5\x68\x11\x80\xD2\x01\x00\x00\xD4", 12, 39, 31, 32, 0},
    };
    for (size_t i = 0; i < 2; i++) {
        struct flm_unwind_sections sections = {.machine = machines[i].machine,
                                               .code = {machines[i].code, machines[i].size},
                                               .code_address = 0x4000};
        struct flm_unwind_table *table = new_table(&sections);
        struct words words = {.address = 0x7000};
        struct flm_registers registers = registers_of(machines[i].machine, 0x7000, 0x7080);
        for (size_t k = 0; k < 64; k++)
            words.word[k] = 0x1000 + k;
        /* 33 registers of arm64 end behind the words that there are. */
        if (machines[i].machine == FLM_MACHINE_ARM64)
            words.address += 16 * 8, words.word[39 - 16 + 32] = 0x99;
        else
            words.word[5 + 16] = 0x99;
        uint64_t at = i == 0 ? 0x4001 : 0x4003;
        assert_int_equal(flm_unwind_step(table, at, &registers, read_words, &words),
                         FLM_STEP_SIGNAL);
        assert_int_equal(flm_registers_pc(&registers), 0x99);
        assert_int_equal(registers.value[machines[i].first_register],
                         0x1000 + machines[i].first - (i == 1 ? 16 : 0));
        registers = registers_of(machines[i].machine, 0x7000, 0x7080);
        assert_int_equal(flm_unwind_step(table, 0x4000, &registers, read_words, &words),
                         FLM_STEP_NONE);
        flm_unwind_table_free(table);
    }
}

/* The function at 0x4010 is described, as glibc's is; what is in front of it is padding. */
static void the_trampoline_of_a_context_is_recognized_by_its_instructions(void **state)
{
    (void)state;
#define PADDING "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
    static const struct {
        enum flm_machine machine;
        const char code[33];
        bool is_bottom;
    } looks[] = {
        {FLM_MACHINE_X86_64, PADDING "\x48\x89\xDC\x48\x8B\x3C\x24\x48\x85\xFF\x74\x08\xE8", true},
        {FLM_MACHINE_X86_64, PADDING "\xF3\x0F\x1E\xFA\x48\x89\xDC\x48\x8B\x3C\x24\x48\x85\xFF",
         true},
        {FLM_MACHINE_X86_64, PADDING "\x48\x89\xD8\x48\x8B\x3C\x24", false},
        {FLM_MACHINE_ARM64, PADDING "\x1F\x20\x03\xD5\xE0\x03\x13\xAA\xC0\xF9\xFF\xB5", true},
        {FLM_MACHINE_ARM64, PADDING "\xE0\x03\x13\xAA\xC0\xF9\xFF\xB5", true},
        {FLM_MACHINE_ARM64, PADDING "\xE0\x03\x13\xAA\xC1\xF9\xFF\xB5", false}, /* of x1 */
    };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        struct frames f = frames_like_gcc();
        if (looks[i].machine == FLM_MACHINE_ARM64)
            f.return_register = 30;
        frames_usual_common(&f);
        frames_function(&f, 0x3F00, 0x100, BYTES(0));
        frames_function(&f, 0x4010, 0x10, BYTES(0));
        struct flm_unwind_sections sections = frames_sections(&f);
        sections.machine = looks[i].machine;
        sections.code = (struct flm_bytes){looks[i].code, 32};
        sections.code_address = 0x4000;
        struct flm_unwind_table *table = new_table(&sections);
        struct words words = {.address = 0x7000};
        struct flm_registers registers = registers_of(looks[i].machine, 0x7000, 0x7080);
        assert_int_equal(flm_unwind_step(table, 0x400F, &registers, read_words, &words),
                         looks[i].is_bottom ? FLM_STEP_BOTTOM : FLM_STEP_NONE);
        assert_int_equal(flm_unwind_step(table, 0x400E, &registers, read_words, &words),
                         FLM_STEP_NONE);
        flm_unwind_table_free(table);
        flm_text_clear(&f.bytes);
    }
}

static void functions_far_from_the_code_are_left_out_and_counted(void **state)
{
    (void)state;
    struct frames f = {.version = 1, .letters = "", .return_register = 16, .address = 0x100000};
    frames_usual_common(&f);
    frames_function(&f, 0x7000000000000000, 0x100, BYTES(0));
    frames_function(&f, 0x401000, 0x100, BYTES(0));
    frames_function(&f, 0xFFFFFFFFFFFF0000, 0xFFF0, BYTES(0));
    struct flm_unwind_sections sections = frames_sections(&f);
    struct flm_unwind_table *table = new_table(&sections);
    assert_int_equal(flm_unwind_table_counts(table).functions, 1);
    assert_int_equal(flm_unwind_table_counts(table).unsupported, 2);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x401010), 8);
    flm_unwind_table_free(table);
    static const char code[16] = {0};
    sections.code = (struct flm_bytes){code, sizeof code};
    sections.code_address = 0x7000000000000000;
    table = new_table(&sections);
    assert_int_equal(flm_unwind_table_counts(table).functions, 1);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x401010), -1);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x7000000000000010), 8);
    flm_unwind_table_free(table);
    flm_text_clear(&f.bytes);
}

static void nothing_is_no_table(void **state)
{
    (void)state;
    struct flm_error why = {0};
    struct flm_unwind_sections sections = {.machine = FLM_MACHINE_X86_64};
    assert_null(flm_unwind_table_new(&sections, &why));
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    assert_string_equal(why.text, "no call frame information");
    sections.machine = FLM_MACHINE_OTHER;
    assert_null(flm_unwind_table_new(&sections, &why));
    assert_string_equal(why.text, "no unwinding on this architecture");
}

/* ---- Kept ------------------------------------------------------------------------------------ */

static struct flm_text written(void)
{
    struct frames f = two_functions();
    struct flm_unwind_sections sections = frames_sections(&f);
    struct flm_unwind_table *table = new_table(&sections);
    struct flm_text out = {0};
    flm_unwind_table_write(table, &out);
    assert_false(out.failed);
    flm_unwind_table_free(table);
    flm_text_clear(&f.bytes);
    return out;
}

static void a_cached_table_is_the_same_table(void **state)
{
    (void)state;
    struct flm_text out = written(), again = {0};
    struct flm_error why = {0};
    struct flm_unwind_table *table =
        flm_unwind_table_open((struct flm_bytes){out.at, out.size}, &why);
    assert_non_null(table);
    flm_unwind_table_write(table, &again);
    assert_int_equal(out.size, again.size);
    assert_memory_equal(out.at, again.at, out.size);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x21010), 32);
    assert_int_equal(frame_size(table, FLM_MACHINE_X86_64, 0x20010), -1);
    flm_unwind_table_free(table);
    flm_text_clear(&out);
    flm_text_clear(&again);
}

/* Any byte may be another one, and any may be missing: the table is refused, or it can be used. */
static void a_damaged_table_is_refused_or_harmless(void **state)
{
    (void)state;
    struct flm_text out = written();
    for (size_t size = 0; size < out.size; size++) {
        struct flm_error why = {0};
        assert_null(flm_unwind_table_open((struct flm_bytes){out.at, size}, &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    }
    static const uint8_t others[] = {0, 1, 0x7F, 0x80, 0xFF};
    for (size_t at = 0; at < out.size; at++) {
        char before = out.at[at];
        for (size_t i = 0; i < sizeof others; i++) {
            out.at[at] = (char)others[i];
            struct flm_unwind_table *table =
                flm_unwind_table_open((struct flm_bytes){out.at, out.size}, NULL);
            for (uint64_t address = 0xF00; table && address < 0x22000; address += 0x90) {
                frame_size(table, FLM_MACHINE_X86_64, address);
                frame_size(table, FLM_MACHINE_ARM64, address);
            }
            flm_unwind_table_free(table);
        }
        out.at[at] = before;
    }
    flm_text_clear(&out);
}

static void making_and_opening_fail_cleanly_when_memory_runs_out(void **state)
{
    (void)state;
    struct frames f = two_functions();
    struct flm_unwind_sections sections = frames_sections(&f);
    struct flm_text out = written();
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        allocation_fail_from(nth);
        struct flm_unwind_table *table = flm_unwind_table_new(&sections, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(table == NULL, failed);
        if (failed)
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        flm_unwind_table_free(table);
        if (!failed)
            break;
    }
    struct flm_error why = {0};
    allocation_fail_from(1);
    assert_null(flm_unwind_table_open((struct flm_bytes){out.at, out.size}, &why));
    allocation_fail_from(0);
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    flm_text_clear(&out);
    flm_text_clear(&f.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_between_functions_has_no_rule),
        cmocka_unit_test(a_step_finds_the_callers_registers),
        cmocka_unit_test(a_link_register_is_known_once_and_without_its_signature),
        cmocka_unit_test(frame_pointers_lead_outward_only),
        cmocka_unit_test(a_plt_without_call_frame_information_is_recognized),
        cmocka_unit_test(the_plt_of_arm64_is_recognized_too),
        cmocka_unit_test(signal_trampolines_are_recognized_by_their_instructions),
        cmocka_unit_test(the_trampoline_of_a_context_is_recognized_by_its_instructions),
        cmocka_unit_test(functions_far_from_the_code_are_left_out_and_counted),
        cmocka_unit_test(nothing_is_no_table),
        cmocka_unit_test(a_cached_table_is_the_same_table),
        cmocka_unit_test(a_damaged_table_is_refused_or_harmless),
        cmocka_unit_test(making_and_opening_fail_cleanly_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
