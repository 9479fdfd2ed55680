/* cfi.h - call frame information: the functions in .eh_frame and .debug_frame, and their programs.
 *
 *     CIE   common to a set of functions: units, encodings, the rules at their first byte
 *     FDE   a function: [start, end), its CIE, and a program that changes the rules along the code
 *
 * Reading finds all functions, without running their programs; running one returns the rule for
 * every address where it changes. Both sections may describe a function, and in a crafted file
 * functions may overlap: after flm_cfi_read they are sorted and do not. As at run time, an address
 * belongs to the function that starts nearest before it; .debug_frame only fills the gaps of
 * .eh_frame. */
#ifndef FLAMEL_SYMBOL_UNWIND_CFI_H
#define FLAMEL_SYMBOL_UNWIND_CFI_H

#include "base/core/array.h"
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
    struct flm_rule rule; /* at the first byte of its functions: the result of its program */
};

struct flm_cfi_function {
    uint64_t start, end;
    uint64_t from; /* its rules hold from here: `start`, unless another function overlaps it */
    struct flm_bytes program;
    uint32_t common;
    bool in_debug_frame;
};

struct flm_cfi {
    const struct flm_machine_abi *abi;
    enum flm_machine machine;
    bool swapped;
    struct FLM_ARRAY(struct flm_cfi_common) commons;
    struct FLM_ARRAY(struct flm_cfi_function) functions;
    size_t unreadable; /* functions that could not be read */
};

/* {0} may be cleared. False, and `why`, when memory ran out, or the architecture is not supported.
 * The sections must outlive it. */
bool flm_cfi_read(struct flm_cfi *cfi, const struct flm_unwind_sections *sections,
                  struct flm_error *why);
void flm_cfi_clear(struct flm_cfi *cfi);

/* Receives the rule that holds from `address` on. False stops. */
typedef bool (*flm_cfi_sink)(void *context, uint64_t address, const struct flm_rule *rule);

/* Runs a function's program: at least one rule, at `from`; addresses ascend and stay below `end`.
 * False if the sink stopped. `*unsupported`: some of its rules cannot be represented. */
bool flm_cfi_run(const struct flm_cfi *cfi, const struct flm_cfi_function *function,
                 flm_cfi_sink sink, void *context, bool *unsupported);

/* Sets the rule at the first byte of its functions. False when the program is damaged. */
bool flm_cfi_run_common(const struct flm_cfi *cfi, struct flm_cfi_common *common);

#endif
