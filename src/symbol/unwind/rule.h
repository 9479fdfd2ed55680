/* rule.h - an unwind rule: how the caller's registers are found at one instruction.
 *
 * A module has few different rules (libLLVM: 965 for 950,000 rows), because they depend only on the
 * size of the frame and on what was pushed so far. Rows refer to them by number.
 *
 *     CFA     how the caller's stack pointer is computed: `kind`
 *     slots   the registers that a rule covers, eight for each architecture; 2 bits of `how` each:
 *
 *             FLM_SAME        the caller's value is still in the register
 *             FLM_AT_CFA      saved at an offset from the CFA
 *             FLM_AT_BASE     saved at an offset from `base_register` (realigned stacks)
 *             FLM_ELSEWHERE   in another register, or nowhere if negative
 *
 * The values of registers without a slot are lost by a step: callees need not save them. */
#ifndef FLAMEL_SYMBOL_UNWIND_RULE_H
#define FLAMEL_SYMBOL_UNWIND_RULE_H

#include "symbol/unwind/unwind_table.h"

enum flm_rule_kind {
    FLM_RULE_NONE,        /* between functions */
    FLM_RULE_UNSUPPORTED, /* an expression that is none of the known patterns */
    FLM_RULE_END,         /* the return address is undefined: the outermost frame */
    FLM_RULE_OFFSET,      /* CFA = register + offset */
    FLM_RULE_LOADED,      /* CFA = the word at (register + offset), plus `add` */
    FLM_RULE_INDEXED, /* CFA = the word at (register + offset + 8 * base register), plus `add` */
    FLM_RULE_PLT,     /* CFA = register + offset, and 8 more from byte `add` of 16 on */
    FLM_RULE_CONTEXT, /* the kernel saved all registers at (register + offset), for a signal */
    FLM_RULE_BOTTOM,  /* the byte before the trampoline that contexts of makecontext() return to */
    FLM_RULE_KINDS
};

enum flm_slot_how { FLM_SAME, FLM_AT_CFA, FLM_AT_BASE, FLM_ELSEWHERE };

enum { FLM_SLOT_COUNT = 8, FLM_SLOT_RETURN = 6, FLM_SLOT_SP = 7 };

/* The values of a slot with FLM_ELSEWHERE that are no register. */
enum { FLM_LOST = -1, FLM_UNDEFINED = -2 };

/* All bytes are compared and hashed, so it has no padding. */
struct flm_rule {
    uint8_t kind;
    uint8_t cfa_register;
    uint8_t base_register;
    uint8_t is_signal; /* the caller was interrupted by a signal */
    int32_t offset, add;
    uint32_t how;
    int32_t slot[FLM_SLOT_COUNT];
};

static inline enum flm_slot_how flm_rule_how(const struct flm_rule *rule, int slot)
{
    return (enum flm_slot_how)(rule->how >> (2 * slot) & 3);
}

static inline void flm_rule_set(struct flm_rule *rule, int slot, enum flm_slot_how how,
                                int32_t value)
{
    rule->how = (rule->how & ~(3u << (2 * slot))) | (uint32_t)how << (2 * slot);
    rule->slot[slot] = value;
}

/* The registers of an architecture, by DWARF number. */
struct flm_machine_abi {
    uint8_t slot_register[FLM_SLOT_COUNT];    /* FLM_REGISTER_COUNT: none */
    int8_t register_slot[FLM_REGISTER_COUNT]; /* the inverse; -1: none */
    uint8_t return_register, stack_register, frame_register;
    uint8_t register_count;
    uint64_t address_mask; /* of a return address: arm64 may sign its upper bits */
};

/* NULL: the architecture is not supported. */
const struct flm_machine_abi *flm_machine_abi(enum flm_machine machine);

#endif
