/* step.c - steps from a frame to its caller. Allocates nothing, shares nothing. */
#include "symbol/unwind/rows.h"

static bool is_known(const struct flm_registers *registers, unsigned which)
{
    return registers->known >> which & 1;
}

uint64_t flm_registers_pc(const struct flm_registers *registers)
{
    return registers->value[registers->machine == FLM_MACHINE_ARM64 ? 32 : 16];
}

uint64_t flm_registers_sp(const struct flm_registers *registers)
{
    return registers->value[registers->machine == FLM_MACHINE_ARM64 ? 31 : 7];
}

static unsigned pc_of(enum flm_machine machine)
{
    return machine == FLM_MACHINE_ARM64 ? 32 : 16;
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* The registers in the order in which the kernel saves them. */
static const uint8_t x86_context[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16};

static enum flm_step restore_context(uint64_t at, struct flm_registers *registers,
                                     flm_stack_read read, void *context)
{
    struct flm_registers caller = {.machine = registers->machine};
    bool is_x86 = registers->machine == FLM_MACHINE_X86_64;
    unsigned count = is_x86 ? sizeof x86_context : 33;
    for (unsigned i = 0; i < count; i++) {
        unsigned which = is_x86 ? x86_context[i] : i;
        if (!read(context, at + 8 * (uint64_t)i, &caller.value[which]))
            return FLM_STEP_FAILED;
        caller.known |= UINT64_C(1) << which;
    }
    *registers = caller;
    return FLM_STEP_SIGNAL;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static bool find_cfa(const struct flm_rule *rule, uint64_t address,
                     const struct flm_registers *registers, flm_stack_read read, void *context,
                     uint64_t *cfa)
{
    if (!is_known(registers, rule->cfa_register))
        return false;
    uint64_t at = registers->value[rule->cfa_register] + (uint64_t)(int64_t)rule->offset;
    switch (rule->kind) {
    case FLM_RULE_OFFSET:
        *cfa = at;
        return true;
    case FLM_RULE_PLT:
        *cfa = at + (address % 16 >= (uint64_t)rule->add ? 8 : 0);
        return true;
    case FLM_RULE_INDEXED:
        if (!is_known(registers, rule->base_register))
            return false;
        at += 8 * registers->value[rule->base_register];
        break;
    default:
        break;
    }
    uint64_t loaded;
    if (!read(context, at, &loaded))
        return false;
    *cfa = loaded + (uint64_t)(int64_t)rule->add;
    return true;
}

/* The caller's value of a slot. False when it is not known. */
static bool find_slot(const struct flm_rule *rule, int slot, unsigned which, uint64_t cfa,
                      const struct flm_registers *registers, flm_stack_read read, void *context,
                      uint64_t *value)
{
    int32_t at = rule->slot[slot];
    switch (flm_rule_how(rule, slot)) {
    case FLM_AT_CFA:
        return read(context, cfa + (uint64_t)(int64_t)at, value);
    case FLM_AT_BASE: {
        if (!is_known(registers, rule->base_register))
            return false;
        /* An address outside of the frame is out of date: the epilogue has popped the register, or
         * the base register. */
        uint64_t address = registers->value[rule->base_register] + (uint64_t)(int64_t)at;
        if (address >= flm_registers_sp(registers) && address < cfa)
            return read(context, address, value);
        *value = registers->value[which];
        return is_known(registers, which);
    }
    case FLM_ELSEWHERE:
        if (at < 0 || !is_known(registers, (unsigned)at))
            return false;
        *value = registers->value[at];
        return true;
    default:
        *value = registers->value[which];
        return is_known(registers, which);
    }
}

static enum flm_step step_to_caller(const struct flm_unwind_table *table,
                                    const struct flm_rule *rule, uint64_t address,
                                    struct flm_registers *registers, flm_stack_read read,
                                    void *context)
{
    const struct flm_machine_abi *abi = table->abi;
    uint64_t cfa, sp = flm_registers_sp(registers), pc, caller_sp;
    if (!find_cfa(rule, address, registers, read, context, &cfa) ||
        !find_slot(rule, FLM_SLOT_RETURN, abi->return_register, cfa, registers, read, context, &pc))
        return FLM_STEP_FAILED;
    pc &= abi->address_mask;
    caller_sp = cfa;
    if (flm_rule_how(rule, FLM_SLOT_SP) != FLM_SAME &&
        !find_slot(rule, FLM_SLOT_SP, abi->stack_register, cfa, registers, read, context,
                   &caller_sp))
        return FLM_STEP_FAILED;

    /* The stack pointer of a caller is higher. It may be equal only if the call pushed nothing, and
     * the return address is in a register; that happens once in a row, since the register is not
     * known then. Code that a signal interrupted may have another stack. */
    enum flm_slot_how how = flm_rule_how(rule, FLM_SLOT_RETURN);
    bool may_stay = how == FLM_SAME || how == FLM_ELSEWHERE;
    if (!rule->is_signal && (may_stay ? caller_sp < sp : caller_sp <= sp))
        return FLM_STEP_FAILED;

    uint64_t values[FLM_SLOT_RETURN], known = 0;
    for (int slot = 0; slot < FLM_SLOT_RETURN; slot++) {
        unsigned which = abi->slot_register[slot];
        if (which < FLM_REGISTER_COUNT &&
            find_slot(rule, slot, which, cfa, registers, read, context, &values[slot]))
            known |= UINT64_C(1) << slot;
    }
    registers->known = 0;
    for (int slot = 0; slot < FLM_SLOT_RETURN; slot++) {
        if (known >> slot & 1) {
            registers->value[abi->slot_register[slot]] = values[slot];
            registers->known |= UINT64_C(1) << abi->slot_register[slot];
        }
    }
    unsigned pc_register = pc_of(registers->machine);
    registers->value[abi->stack_register] = caller_sp;
    registers->value[pc_register] = pc;
    registers->known |= UINT64_C(1) << abi->stack_register | UINT64_C(1) << pc_register;
    if (pc == 0 && !rule->is_signal)
        return FLM_STEP_END;
    return rule->is_signal ? FLM_STEP_SIGNAL : FLM_STEP_CALLER;
}

enum flm_step flm_unwind_step(const struct flm_unwind_table *table, uint64_t address,
                              struct flm_registers *registers, flm_stack_read read, void *context)
{
    if (registers->machine != (enum flm_machine)table->head.machine)
        return FLM_STEP_NONE;
    const struct flm_rule *rule = flm_unwind_find(table, address);
    switch (rule->kind) {
    case FLM_RULE_NONE:
        return FLM_STEP_NONE;
    case FLM_RULE_UNSUPPORTED:
        return FLM_STEP_UNSUPPORTED;
    case FLM_RULE_END:
        return FLM_STEP_END;
    case FLM_RULE_BOTTOM:
        return FLM_STEP_BOTTOM;
    case FLM_RULE_CONTEXT:
        if (!is_known(registers, rule->cfa_register))
            return FLM_STEP_FAILED;
        return restore_context(registers->value[rule->cfa_register] +
                                   (uint64_t)(int64_t)rule->offset,
                               registers, read, context);
    default:
        return step_to_caller(table, rule, address, registers, read, context);
    }
}

/* ---- Frame pointers -------------------------------------------------------------------------- */

enum flm_step flm_unwind_step_by_pointer(struct flm_registers *registers, flm_stack_read read,
                                         void *context)
{
    const struct flm_machine_abi *abi = flm_machine_abi(registers->machine);
    if (!abi || !is_known(registers, abi->frame_register))
        return FLM_STEP_FAILED;
    uint64_t frame = registers->value[abi->frame_register], sp = flm_registers_sp(registers);
    /* By the conventions of both architectures, the outermost frame has the frame pointer 0. */
    if (frame == 0)
        return FLM_STEP_END;
    uint64_t caller_frame, pc;
    if (frame < sp || frame % 8 != 0 || !read(context, frame, &caller_frame) ||
        !read(context, frame + 8, &pc))
        return FLM_STEP_FAILED;
    /* The caller's value need not be a frame: the caller may use the register for something
     * else. */
    pc &= abi->address_mask;
    unsigned pc_register = pc_of(registers->machine);
    registers->value[abi->frame_register] = caller_frame;
    registers->value[abi->stack_register] = frame + 16;
    registers->value[pc_register] = pc;
    registers->known = UINT64_C(1) << abi->frame_register | UINT64_C(1) << abi->stack_register |
                       UINT64_C(1) << pc_register;
    return pc == 0 ? FLM_STEP_END : FLM_STEP_CALLER;
}
