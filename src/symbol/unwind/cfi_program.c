/* cfi_program.c - runs the programs of CIEs and FDEs. */
#include "symbol/elf/section_read.h"
#include "symbol/unwind/cfi.h"

/* The depth of DW_CFA_remember_state. Compilers use it around the epilogue of an early return, one
 * or two levels deep. */
enum { REMEMBERED_MOST = 16 };

struct machine {
    const struct flm_cfi *cfi;
    const struct flm_cfi_common *common;
    struct flm_rule rule;
    struct flm_rule remembered[REMEMBERED_MOST];
    unsigned remembered_count;
    unsigned inside; /* a bit for each slot: it has been above the stack pointer */
};

/* ---- Expressions ----------------------------------------------------------------------------- */

enum {
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_AND = 0x1A,
    OP_MUL = 0x1E,
    OP_PLUS = 0x22,
    OP_PLUS_UCONST = 0x23,
    OP_SHL = 0x24,
    OP_GE = 0x2A,
    OP_LIT0 = 0x30,
    OP_LIT31 = 0x4F,
    OP_BREG0 = 0x70,
    OP_BREG31 = 0x8F
};

static bool fits(int64_t value)
{
    return value >= INT32_MIN && value <= INT32_MAX;
}

/* DW_OP_bregX offset: X's value plus an offset. */
static bool take_register(struct flm_section_reader *in, uint8_t *which, int32_t *offset)
{
    uint8_t operation = flm_section_u8(in);
    int64_t added = flm_section_sleb(in);
    if (in->failed || operation < OP_BREG0 || operation > OP_BREG31 || !fits(added))
        return false;
    *which = operation - OP_BREG0;
    *offset = (int32_t)added;
    return true;
}

static bool take(struct flm_section_reader *in, uint8_t operation)
{
    return flm_section_u8(in) == operation && !in->failed;
}

/* GNU ld's expression for the entries of .plt, which push an index in the middle.
 *     offset + (rip & 15 >= literal) << 3 */
static bool take_plt(struct flm_section_reader *in, int32_t *from)
{
    static const uint8_t before[] = {OP_BREG0 + 16, 0, OP_LIT0 + 15, OP_AND};
    for (size_t i = 0; i < sizeof before; i++)
        if (!take(in, before[i]))
            return false;
    uint8_t literal = flm_section_u8(in);
    *from = literal - OP_LIT0;
    return *from >= 0 && *from <= 15 && take(in, OP_GE) && take(in, OP_LIT0 + 3) &&
           take(in, OP_SHL) && take(in, OP_PLUS);
}

/* Code that aligns its stack and keeps the caller's stack pointer in an array on it (OpenSSL). */
static bool take_indexed(struct flm_section_reader *in, uint8_t *index)
{
    int32_t offset;
    if (!take_register(in, index, &offset) || offset != 0)
        return false;
    uint8_t eight = flm_section_u8(in);
    if (eight == OP_CONST1U)
        eight = flm_section_u8(in) == 8 ? OP_LIT0 + 8 : 0;
    return eight == OP_LIT0 + 8 && take(in, OP_MUL) && take(in, OP_PLUS) && take(in, OP_DEREF);
}

/* After a dereference: the end, or the addition of a constant. */
static bool take_addition(struct flm_section_reader *in, int32_t *add)
{
    *add = 0;
    if (flm_section_left(in) == 0)
        return true;
    uint8_t operation = flm_section_u8(in);
    if (operation == OP_PLUS_UCONST) {
        uint64_t added = flm_section_uleb(in);
        *add = (int32_t)added;
        return !in->failed && added <= INT32_MAX && flm_section_left(in) == 0;
    }
    *add = operation - OP_LIT0;
    return operation >= OP_LIT0 && operation <= OP_LIT31 && take(in, OP_PLUS) &&
           flm_section_left(in) == 0;
}

static bool match_cfa(struct flm_rule *rule, struct flm_section_reader in)
{
    if (!take_register(&in, &rule->cfa_register, &rule->offset))
        return false;
    rule->add = 0;
    rule->kind = FLM_RULE_OFFSET;
    if (flm_section_left(&in) == 0)
        return true;
    struct flm_section_reader plt = in;
    rule->kind = FLM_RULE_PLT;
    if (take_plt(&plt, &rule->add) && flm_section_left(&plt) == 0)
        return true;
    struct flm_section_reader indexed = in;
    uint8_t index;
    rule->kind = FLM_RULE_INDEXED;
    if (take_indexed(&indexed, &index) && take_addition(&indexed, &rule->add)) {
        rule->base_register = index;
        return true;
    }
    rule->kind = FLM_RULE_LOADED;
    return take(&in, OP_DEREF) && take_addition(&in, &rule->add);
}

static bool uses_base(const struct flm_rule *rule)
{
    if (rule->kind == FLM_RULE_INDEXED)
        return true;
    for (int slot = 0; slot < FLM_SLOT_COUNT; slot++)
        if (flm_rule_how(rule, slot) == FLM_AT_BASE)
            return true;
    return false;
}

static void set_cfa_expression(struct machine *m, struct flm_bytes expression)
{
    struct flm_rule matched = m->rule;
    bool had_base = uses_base(&m->rule) && m->rule.kind != FLM_RULE_INDEXED;
    if (match_cfa(&matched, flm_section_reader(expression, m->cfi->swapped)) &&
        matched.cfa_register < m->cfi->abi->register_count &&
        matched.base_register < m->cfi->abi->register_count &&
        !(had_base && matched.base_register != m->rule.base_register))
        m->rule = matched;
    else
        m->rule.kind = FLM_RULE_UNSUPPORTED;
}

/* ---- Rules of registers ---------------------------------------------------------------------- */

static void set_slot(struct machine *m, uint64_t which, enum flm_slot_how how, int64_t value)
{
    int slot = which < FLM_REGISTER_COUNT ? m->cfi->abi->register_slot[which] : -1;
    if (slot < 0)
        return;
    if (!fits(value)) {
        how = FLM_ELSEWHERE;
        value = FLM_LOST;
    }
    m->inside &= ~(1u << slot);
    flm_rule_set(&m->rule, slot, how, (int32_t)value);
}

/* The expression for the location of a saved register: a register plus an offset. A rule can use
 * one such base register, the frame pointer; compilers do not use a second. */
static void set_slot_expression(struct machine *m, uint64_t which, struct flm_bytes expression)
{
    struct flm_section_reader in = flm_section_reader(expression, m->cfi->swapped);
    uint8_t base;
    int32_t offset;
    if (take_register(&in, &base, &offset) && flm_section_left(&in) == 0 &&
        base < m->cfi->abi->register_count &&
        (base == m->rule.base_register || !uses_base(&m->rule))) {
        m->rule.base_register = base;
        set_slot(m, which, FLM_AT_BASE, offset);
    } else {
        set_slot(m, which, FLM_ELSEWHERE, FLM_LOST);
    }
}

static void restore_slot(struct machine *m, uint64_t which)
{
    int slot = which < FLM_REGISTER_COUNT ? m->cfi->abi->register_slot[which] : -1;
    if (slot >= 0)
        flm_rule_set(&m->rule, slot, flm_rule_how(&m->common->rule, slot),
                     m->common->rule.slot[slot]);
}

static void set_cfa(struct machine *m, uint64_t which, int64_t offset)
{
    bool is_known = which < m->cfi->abi->register_count && fits(offset);
    m->rule.kind = is_known ? FLM_RULE_OFFSET : FLM_RULE_UNSUPPORTED;
    m->rule.cfa_register = is_known ? (uint8_t)which : 0;
    m->rule.offset = is_known ? (int32_t)offset : 0;
    m->rule.add = 0;
}

/* The caller's stack pointer is the CFA by default, so saying so changes nothing. */
static void set_value(struct machine *m, uint64_t which, int64_t offset)
{
    if (which == m->cfi->abi->stack_register && offset == 0)
        set_slot(m, which, FLM_SAME, 0);
    else
        set_slot(m, which, FLM_ELSEWHERE, FLM_LOST);
}

/* ---- Finished rules -------------------------------------------------------------------------- */

/* The kernel's struct sigcontext: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip. glibc
 * describes each of them; if the registers of our slots are where it has them, so are all
 * others. */
static bool is_context(const struct flm_rule *rule)
{
    static const int32_t back[FLM_SLOT_COUNT] = {40, 48, 96, 88, 80, 72, 0, 8};
    if (!rule->is_signal || rule->kind != FLM_RULE_LOADED || rule->add != 0 ||
        rule->cfa_register != rule->base_register)
        return false;
    int32_t rip = rule->slot[FLM_SLOT_RETURN];
    for (int slot = 0; slot < FLM_SLOT_COUNT; slot++)
        if (flm_rule_how(rule, slot) != FLM_AT_BASE || rule->slot[slot] != rip - back[slot])
            return false;
    return rip >= 128 && rule->offset == rip - 8;
}

/* After the pop in an epilogue, the program still says that the register is saved on the stack: its
 * location is below the stack pointer now, and in no stack dump. So a register whose location was
 * above the stack pointer before, and is below it now, has been popped. (One that never was above
 * it was saved in the red zone, and is lost.) Every frame executes such an instruction; with frame
 * pointers every hundredth sample would be lost. */
static void find_popped(struct machine *m, struct flm_rule *rule)
{
    bool by_sp = rule->kind == FLM_RULE_OFFSET && rule->cfa_register == m->cfi->abi->stack_register;
    for (int slot = 0; slot < FLM_SLOT_RETURN; slot++) {
        if (flm_rule_how(rule, slot) != FLM_AT_CFA)
            continue;
        bool is_below = by_sp && (int64_t)rule->offset + rule->slot[slot] < 0;
        if (!is_below)
            m->inside |= 1u << slot;
        else if (m->inside >> slot & 1)
            flm_rule_set(rule, slot, FLM_SAME, 0);
    }
}

/* The rule in the form that a table stores: equal rules have equal bytes. */
static struct flm_rule finished(struct machine *m)
{
    const struct flm_rule *rule = &m->rule;
    bool is_x86 = m->cfi->machine == FLM_MACHINE_X86_64;
    struct flm_rule bare = {.kind = FLM_RULE_UNSUPPORTED, .is_signal = rule->is_signal};
    enum flm_slot_how how = flm_rule_how(rule, FLM_SLOT_RETURN);
    int32_t where = rule->slot[FLM_SLOT_RETURN];
    if (how == FLM_ELSEWHERE && where == FLM_UNDEFINED) {
        bare.kind = FLM_RULE_END;
        return bare;
    }
    /* On x86-64 no register has the return address by default. */
    if (rule->kind < FLM_RULE_OFFSET || (how == FLM_ELSEWHERE && where < 0) ||
        (how == FLM_SAME && is_x86) ||
        (flm_rule_how(rule, FLM_SLOT_SP) == FLM_ELSEWHERE && rule->slot[FLM_SLOT_SP] < 0))
        return bare;
    if (is_x86 && is_context(rule)) {
        bare.kind = FLM_RULE_CONTEXT;
        bare.cfa_register = rule->cfa_register;
        bare.offset = rule->slot[FLM_SLOT_RETURN] - 128;
        return bare;
    }
    struct flm_rule kept = *rule;
    find_popped(m, &kept);
    if (kept.base_register != 0 && !uses_base(&kept))
        kept.base_register = 0;
    return kept;
}

/* ---- Programs -------------------------------------------------------------------------------- */

enum {
    CFA_NOP = 0x00,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE_LOC1 = 0x02,
    CFA_ADVANCE_LOC2 = 0x03,
    CFA_ADVANCE_LOC4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER_STATE = 0x0A,
    CFA_RESTORE_STATE = 0x0B,
    CFA_DEF_CFA = 0x0C,
    CFA_DEF_CFA_REGISTER = 0x0D,
    CFA_DEF_CFA_OFFSET = 0x0E,
    CFA_DEF_CFA_EXPRESSION = 0x0F,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_AARCH64_NEGATE_RA_STATE_WITH_PC = 0x2C,
    CFA_NEGATE_RA_STATE = 0x2D, /* arm64; on SPARC: register windows */
    CFA_GNU_ARGS_SIZE = 0x2E,
    CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2F,

    CFA_HIGH = 0xC0,
    CFA_LOW = 0x3F,
    CFA_ADVANCE_LOC = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xC0
};

/* The file may contain any number. A product that wraps around is too large to be an offset. */
static int64_t scaled(const struct machine *m, uint64_t factor)
{
    return (int64_t)(factor * (uint64_t)m->common->data_unit);
}

static bool change_rule(struct machine *m, uint8_t operation, struct flm_section_reader *in)
{
    uint64_t which;
    switch (operation) {
    case CFA_NOP:
        return true;
    case CFA_OFFSET_EXTENDED:
        which = flm_section_uleb(in);
        set_slot(m, which, FLM_AT_CFA, scaled(m, flm_section_uleb(in)));
        return true;
    case CFA_OFFSET_EXTENDED_SF:
        which = flm_section_uleb(in);
        set_slot(m, which, FLM_AT_CFA, scaled(m, (uint64_t)flm_section_sleb(in)));
        return true;
    case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
        which = flm_section_uleb(in);
        set_slot(m, which, FLM_AT_CFA, scaled(m, 0 - flm_section_uleb(in)));
        return true;
    case CFA_RESTORE_EXTENDED:
        restore_slot(m, flm_section_uleb(in));
        return true;
    case CFA_UNDEFINED:
        set_slot(m, flm_section_uleb(in), FLM_ELSEWHERE, FLM_UNDEFINED);
        return true;
    case CFA_SAME_VALUE:
        set_slot(m, flm_section_uleb(in), FLM_SAME, 0);
        return true;
    case CFA_REGISTER: {
        which = flm_section_uleb(in);
        uint64_t other = flm_section_uleb(in);
        set_slot(m, which, FLM_ELSEWHERE,
                 other < m->cfi->abi->register_count ? (int64_t)other : FLM_LOST);
        return true;
    }
    case CFA_DEF_CFA:
        which = flm_section_uleb(in);
        set_cfa(m, which, (int64_t)flm_section_uleb(in));
        return true;
    case CFA_DEF_CFA_SF:
        which = flm_section_uleb(in);
        set_cfa(m, which, scaled(m, (uint64_t)flm_section_sleb(in)));
        return true;
    case CFA_DEF_CFA_REGISTER:
        which = flm_section_uleb(in);
        set_cfa(m, m->rule.kind == FLM_RULE_OFFSET ? which : UINT64_MAX, m->rule.offset);
        return true;
    case CFA_DEF_CFA_OFFSET:
    case CFA_DEF_CFA_OFFSET_SF: {
        int64_t offset = operation == CFA_DEF_CFA_OFFSET
                             ? (int64_t)flm_section_uleb(in)
                             : scaled(m, (uint64_t)flm_section_sleb(in));
        set_cfa(m, m->rule.kind == FLM_RULE_OFFSET ? m->rule.cfa_register : UINT64_MAX, offset);
        return true;
    }
    case CFA_DEF_CFA_EXPRESSION:
        set_cfa_expression(m, flm_section_bytes(in, flm_section_uleb(in)));
        return true;
    case CFA_EXPRESSION:
        which = flm_section_uleb(in);
        set_slot_expression(m, which, flm_section_bytes(in, flm_section_uleb(in)));
        return true;
    case CFA_VAL_OFFSET:
        which = flm_section_uleb(in);
        set_value(m, which, scaled(m, flm_section_uleb(in)));
        return true;
    case CFA_VAL_OFFSET_SF:
        which = flm_section_uleb(in);
        set_value(m, which, scaled(m, (uint64_t)flm_section_sleb(in)));
        return true;
    case CFA_VAL_EXPRESSION:
        which = flm_section_uleb(in);
        flm_section_bytes(in, flm_section_uleb(in));
        set_slot(m, which, FLM_ELSEWHERE, FLM_LOST);
        return true;
    case CFA_REMEMBER_STATE:
        if (m->remembered_count == REMEMBERED_MOST)
            return false;
        m->remembered[m->remembered_count++] = m->rule;
        return true;
    case CFA_RESTORE_STATE:
        if (m->remembered_count == 0)
            return false;
        m->rule = m->remembered[--m->remembered_count];
        return true;
    case CFA_GNU_ARGS_SIZE:
        flm_section_uleb(in);
        return true;
    case CFA_NEGATE_RA_STATE:
    case CFA_AARCH64_NEGATE_RA_STATE_WITH_PC:
        /* The signature is removed from every return address, signed or not. */
        return m->cfi->machine == FLM_MACHINE_ARM64;
    default:
        return false;
    }
}

/* One operation other than an advance. False: it is unknown, and so is the rest of the program. */
static bool step(struct machine *m, uint8_t operation, struct flm_section_reader *in)
{
    bool is_known_operation = true;
    uint8_t low = operation & CFA_LOW;
    switch (operation & CFA_HIGH) {
    case CFA_OFFSET:
        set_slot(m, low, FLM_AT_CFA, scaled(m, flm_section_uleb(in)));
        break;
    case CFA_RESTORE:
        restore_slot(m, low);
        break;
    default:
        is_known_operation = change_rule(m, operation, in);
    }
    return is_known_operation && !in->failed;
}

/* Whether the operation advances the address. No compiler is known to write DW_CFA_set_loc. */
static bool is_advance(uint8_t operation)
{
    return (operation & CFA_HIGH) == CFA_ADVANCE_LOC ||
           (operation >= CFA_ADVANCE_LOC1 && operation <= CFA_ADVANCE_LOC4);
}

static uint64_t advance(const struct machine *m, uint8_t operation, struct flm_section_reader *in)
{
    uint64_t count;
    switch (operation) {
    case CFA_ADVANCE_LOC1:
        count = flm_section_u8(in);
        break;
    case CFA_ADVANCE_LOC2:
        count = flm_section_fixed(in, 2);
        break;
    case CFA_ADVANCE_LOC4:
        count = flm_section_fixed(in, 4);
        break;
    default:
        count = operation & CFA_LOW;
    }
    return count * m->common->code_unit;
}

bool flm_cfi_run_common(const struct flm_cfi *cfi, struct flm_cfi_common *common)
{
    struct machine m = {.cfi = cfi, .common = common};
    common->rule = (struct flm_rule){.is_signal = common->is_signal};
    m.rule = common->rule;
    struct flm_section_reader in = flm_section_reader(common->program, cfi->swapped);
    while (flm_section_left(&in) > 0) {
        uint8_t operation = flm_section_u8(&in);
        if (is_advance(operation) || !step(&m, operation, &in))
            return false;
    }
    common->rule = m.rule;
    return true;
}

bool flm_cfi_run(const struct flm_cfi *cfi, const struct flm_cfi_function *function,
                 flm_cfi_sink sink, void *context, bool *unsupported)
{
    struct machine m;
    m.cfi = cfi;
    m.common = &cfi->commons.at[function->common];
    m.rule = m.common->rule;
    m.remembered_count = 0;
    m.inside = 0;
    struct flm_section_reader in = flm_section_reader(function->program, cfi->swapped);
    *unsupported = false;

    /* A rule is passed to the sink when the address advances beyond where it started to hold. */
    uint64_t address = function->start;
    for (bool more = true; more;) {
        uint64_t next = function->end;
        more = false;
        while (flm_section_left(&in) > 0) {
            uint8_t operation = flm_section_u8(&in);
            if (is_advance(operation)) {
                uint64_t by = advance(&m, operation, &in);
                more = !in.failed && by < function->end - address;
                if (more)
                    next = address + by;
                else if (in.failed)
                    m.rule.kind = FLM_RULE_UNSUPPORTED;
                break;
            }
            if (!step(&m, operation, &in)) {
                m.rule.kind = FLM_RULE_UNSUPPORTED;
                break;
            }
        }
        if (next > function->from && next > address) {
            struct flm_rule rule = finished(&m);
            *unsupported |= rule.kind == FLM_RULE_UNSUPPORTED;
            if (!sink(context, address < function->from ? function->from : address, &rule))
                return false;
        }
        address = next;
    }
    return true;
}
