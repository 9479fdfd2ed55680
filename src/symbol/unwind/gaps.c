/* gaps.c - code without call frame information that is recognized by its instructions. */
#include "symbol/unwind/rows.h"

static const struct flm_rule none = {.kind = FLM_RULE_NONE};

/* `size` bytes of a section from an address on; NULL when there are fewer. */
static const uint8_t *bytes_at(struct flm_bytes section, uint64_t section_address, uint64_t address,
                               size_t size)
{
    uint64_t offset = address - section_address;
    if (address < section_address || offset > section.size || section.size - offset < size)
        return NULL;
    return (const uint8_t *)section.at + offset;
}

static bool begins(const uint8_t *at, const char *with, size_t size)
{
    return at && memcmp(at, with, size) == 0;
}

/* ---- PLT ------------------------------------------------------------------------------------- */

static struct flm_rule x86_frame(enum flm_rule_kind kind, int32_t offset, int32_t add)
{
    struct flm_rule rule = {.kind = (uint8_t)kind, .cfa_register = 7, .offset = offset, .add = add};
    flm_rule_set(&rule, FLM_SLOT_RETURN, FLM_AT_CFA, -8);
    return rule;
}

/* lld writes no call frame information for a PLT; GNU ld does. Other entries push the number of a
 * symbol and jump to the first entry, which pushes once more, for the loader. */
static bool add_plt_x86(struct flm_unwind_maker *maker, struct flm_bytes plt, uint64_t address,
                        uint64_t start, uint64_t end)
{
    const struct flm_rule entry_of_first = x86_frame(FLM_RULE_OFFSET, 16, 0);
    const struct flm_rule rest_of_first = x86_frame(FLM_RULE_OFFSET, 24, 0);
    const uint8_t *second = bytes_at(plt, address, address + 16, 16);
    struct flm_rule others;
    if (!begins(bytes_at(plt, address, address, 16), "\xFF\x35", 2) || address % 16 != 0)
        return true;
    if (begins(second, "\xFF\x25", 2) && second[6] == 0x68)
        others = x86_frame(FLM_RULE_PLT, 8, 11);
    else if (begins(second, "\xF3\x0F\x1E\xFA\x68", 5))
        others = x86_frame(FLM_RULE_PLT, 8, 9);
    else
        return true;
    struct {
        uint64_t from, to;
        const struct flm_rule *rule;
    } parts[] = {{address, address + 6, &entry_of_first},
                 {address + 6, address + 16, &rest_of_first},
                 {address + 16, address + plt.size, &others}};
    for (size_t i = 0; i < 3; i++) {
        uint64_t from = parts[i].from > start ? parts[i].from : start;
        if (from < parts[i].to && from < end && !flm_unwind_maker_add(maker, from, parts[i].rule))
            return false;
    }
    return true;
}

/* No linker writes call frame information for the PLT of arm64. Its first entry saves two
 * registers. */
static bool add_plt_arm64(struct flm_unwind_maker *maker, struct flm_bytes plt, uint64_t address,
                          uint64_t start, uint64_t end)
{
    const struct flm_rule as_called = {.kind = FLM_RULE_OFFSET, .cfa_register = 31};
    struct flm_rule saved = {.kind = FLM_RULE_OFFSET, .cfa_register = 31, .offset = 16};
    flm_rule_set(&saved, FLM_SLOT_RETURN, FLM_AT_CFA, -8);
    bool has_landing_pad = begins(bytes_at(plt, address, address, 4), "\x5F\x24\x03\xD5", 4);
    uint64_t pushed = address + (has_landing_pad ? 8 : 4), second = address + 32;
    if (plt.size < 32)
        return true;
    struct {
        uint64_t from, to;
        const struct flm_rule *rule;
    } parts[] = {{address, pushed, &as_called},
                 {pushed, second, &saved},
                 {second, address + plt.size, &as_called}};
    for (size_t i = 0; i < 3; i++) {
        uint64_t from = parts[i].from > start ? parts[i].from : start;
        if (from < parts[i].to && from < end && !flm_unwind_maker_add(maker, from, parts[i].rule))
            return false;
    }
    return true;
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* A handler returns to a trampoline, a few instructions that ask the kernel to restore all
 * registers. glibc has call frame information for it on x86-64; musl and the vdso of arm64 have
 * not. Debuggers recognize it by its instructions too. A handler starts as if called from its first
 * byte, and a caller is looked up one byte before its return address. */
static bool add_signal_returns(struct flm_unwind_maker *maker,
                               const struct flm_unwind_sections *sections, uint64_t start,
                               uint64_t end)
{
    /* mov $15, %rax; syscall */
    static const char x86[] = "\x48\xC7\xC0\x0F\x00\x00\x00\x0F\x05";
    /* mov x8, #139; svc #0 */
    static const char arm64[] = "\x68\x11\x80\xD2\x01\x00\x00\xD4";
    bool is_x86 = sections->machine == FLM_MACHINE_X86_64;
    const char *wanted = is_x86 ? x86 : arm64;
    size_t size = is_x86 ? sizeof x86 - 1 : sizeof arm64 - 1;
    /* The saved registers: on x86-64 in the ucontext at the stack pointer; on arm64 after a siginfo
     * of 128 bytes, in the ucontext, after 176 + 8 bytes of it. */
    const struct flm_rule context = {.kind = FLM_RULE_CONTEXT,
                                     .cfa_register = is_x86 ? 7 : 31,
                                     .offset = is_x86 ? 40 : 312,
                                     .is_signal = 1};
    uint64_t code_end = sections->code_address + sections->code.size;
    if (start < sections->code_address)
        start = sections->code_address;
    if (end > code_end)
        end = code_end;
    while (start < end) {
        const uint8_t *at = bytes_at(sections->code, sections->code_address, start, end - start);
        const uint8_t *found = at ? memmem(at, end - start, wanted, size) : NULL;
        if (!found)
            break;
        uint64_t address = start + (uint64_t)(found - at);
        if (!flm_unwind_maker_add(maker, address > start ? address - 1 : address, &context) ||
            !flm_unwind_maker_add(maker, address + size, &none))
            return false;
        start = address + size;
    }
    return true;
}

/* ---- Coroutines ------------------------------------------------------------------------------ */

/* The first function of a context from makecontext() returns to a trampoline of glibc's, which
 * switches to the next context. It takes that from a callee-saved register, and no compiler starts
 * a function like this. The return address is its first byte, and the byte before it, where a
 * caller is looked up, is padding. */
static bool begins_context_end(const struct flm_unwind_sections *sections, uint64_t address)
{
    const uint8_t *at = bytes_at(sections->code, sections->code_address, address, 16);
    if (!at)
        return false;
    if (sections->machine == FLM_MACHINE_X86_64) {
        at += begins(at, "\xF3\x0F\x1E\xFA", 4) ? 4 : 0; /* endbr64 */
        return begins(at, "\x48\x89\xDC", 3);            /* mov %rbx, %rsp */
    }
    /* nop or bti c; mov x0, x19; cbnz x0, ... */
    at += begins(at, "\x1F\x20\x03\xD5", 4) || begins(at, "\x5F\x24\x03\xD5", 4) ? 4 : 0;
    return begins(at, "\xE0\x03\x13\xAA", 4) && at[7] == 0xB5 && (at[4] & 0x1F) == 0;
}

/* A gap that ends at such a trampoline. */
static bool add_context_end(struct flm_unwind_maker *maker,
                            const struct flm_unwind_sections *sections, uint64_t start,
                            uint64_t end)
{
    static const struct flm_rule bottom = {.kind = FLM_RULE_BOTTOM};
    return end <= start || !begins_context_end(sections, end) ||
           flm_unwind_maker_add(maker, end - 1, &bottom);
}

/* ---- A gap ----------------------------------------------------------------------------------- */

bool flm_unwind_add_gap(struct flm_unwind_maker *maker, const struct flm_unwind_sections *sections,
                        uint64_t start, uint64_t end)
{
    if (!flm_unwind_maker_add(maker, start, &none))
        return false;
    uint64_t plt = sections->plt_address, plt_end = plt + sections->plt.size;
    bool has_plt = sections->plt.size > 0 && plt < end && plt_end > start && plt_end > plt;
    if (!has_plt)
        return add_signal_returns(maker, sections, start, end) &&
               add_context_end(maker, sections, start, end);
    bool is_x86 = sections->machine == FLM_MACHINE_X86_64;
    return add_signal_returns(maker, sections, start, plt > start ? plt : start) &&
           (is_x86 ? add_plt_x86 : add_plt_arm64)(maker, sections->plt, plt, start, end) &&
           (plt_end >= end || (flm_unwind_maker_add(maker, plt_end, &none) &&
                               add_signal_returns(maker, sections, plt_end, end)));
}
