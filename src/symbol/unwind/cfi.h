/* cfi.h - .eh_frame and .debug_frame: which functions they describe, and what they say of each.
 *
 *     CIE   what a set of functions has in common: units, encodings, the rules at their first byte
 *     FDE   a function: [start, end), its CIE, and a program that changes the rules as it goes on
 *
 * Reading finds all functions and leaves the programs alone; running one hands out a rule for every
 * place where it changes. Both sections may describe a function, and a hostile file may say that
 * functions overlap: flm_cfi_read sorts this out, so that the functions that it leaves are sorted
 * and apart. As at run time, the one that begins nearest before an address has it; .debug_frame
 * only fills what .eh_frame leaves. */
#ifndef FLAMEL_SYMBOL_UNWIND_CFI_H
#define FLAMEL_SYMBOL_UNWIND_CFI_H

#include "symbol/unwind/rule.h"

struct flm_cfi_common {
    size_t offset; /* in its section */
    bool in_debug_frame;
    bool usable;
    bool has_augmentation_data, is_signal;
    uint8_t pointer_encoding;
    uint64_t code_unit;
    int64_t data_unit;
    struct flm_bytes program;
    struct flm_rule rule; /* after its program: those at a function's first byte */
};

struct flm_cfi_function {
    uint64_t start, end;
    uint64_t from; /* where its rules count from: start, unless another function reaches in */
    struct flm_bytes program;
    uint32_t common;
    bool in_debug_frame;
};

struct flm_cfi {
    const struct flm_machine_facts *facts;
    enum flm_machine machine;
    bool swapped;
    struct flm_cfi_common *commons;
    size_t common_count, common_capacity;
    struct flm_cfi_function *functions;
    size_t function_count, function_capacity;
    size_t unreadable; /* functions that could not be read, or are where no code can be */
};

/* {0} is one that can be cleared. False, and `why`, when memory ran out, or the machine is none
 * that we know. The sections must outlive it. */
bool flm_cfi_read(struct flm_cfi *cfi, const struct flm_unwind_sections *sections,
                  struct flm_error *why);
void flm_cfi_clear(struct flm_cfi *cfi);

/* Takes the rule that is true from `address` on. False stops. */
typedef bool (*flm_cfi_sink)(void *context, uint64_t address, const struct flm_rule *rule);

/* Runs a function's program: at least one rule, at `from`; addresses rise and stay below `end`.
 * False if the sink stopped. `*unsupported`: some of its rules are none of ours. */
bool flm_cfi_run(const struct flm_cfi *cfi, const struct flm_cfi_function *function,
                 flm_cfi_sink sink, void *context, bool *unsupported);

/* The rules at the first byte of its functions. False: they make no sense. */
bool flm_cfi_run_common(const struct flm_cfi *cfi, struct flm_cfi_common *common);

#endif
