/* unwind_table.h - unwinds the frames of a module: .eh_frame as sorted rows of one size.
 *
 * .eh_frame has a program for every function, which computes for each of its instructions where the
 * caller's registers are. We run all of these programs once (cfi.h) and store the results:
 *
 *     row     from this address up to the next row's, this rule holds               rows.h
 *     rule    the CFA, which is the caller's stack pointer: a register plus an      rule.h
 *             offset; and the locations of the return address and of rbp, rbx,
 *             r12 to r15 (x86-64), x29, x30 (arm64)
 *
 * A row has 4 bytes, since a file has few different rules: libLLVM has 950,000 rows and 965 rules,
 * 3.9 MB made in 40 ms. A step is a search in the rows of 4 KB of code and a few reads: 40 ns a
 * frame in a small program, 50 to 100 in clang, where libdwfl takes 400 and 650
 * (bench/unwind_bench.c).
 *
 * Expressions of PLT entries, realigned stacks and signal frames are known patterns. A rule with
 * another expression is counted, and a step there fails rather than guesses. A function whose
 * return address is undefined is the end of the stack. Between functions there is no rule, except
 * for PLTs without call frame information, and for the trampolines of signal handlers and
 * makecontext(). */
#ifndef FLAMEL_SYMBOL_UNWIND_UNWIND_TABLE_H
#define FLAMEL_SYMBOL_UNWIND_UNWIND_TABLE_H

#include "base/text/text.h"
#include "flamel/error.h"
#include "symbol/identity/machine.h"

/* By DWARF number: on x86-64 3 is rbx, 6 rbp, 7 rsp, 16 the return address; on arm64 29 is the
 * frame pointer, 30 the link register, 31 sp, 32 pc. */
enum { FLM_REGISTER_COUNT = 33 };

struct flm_registers {
    enum flm_machine machine;
    uint64_t known; /* bit i: value[i] is known */
    uint64_t value[FLM_REGISTER_COUNT];
};

uint64_t flm_registers_pc(const struct flm_registers *registers);
uint64_t flm_registers_sp(const struct flm_registers *registers);

/* Reads eight bytes of the stack. False when they are not available. */
typedef bool (*flm_stack_read)(void *context, uint64_t address, uint64_t *word);

struct flm_unwind_table;

/* Sections of a file and the addresses they are loaded at; any may be empty. They are not needed
 * once the table is made. In the gaps between functions, instructions of `plt` and `code` (.text)
 * are recognized. NULL, and `why`, when memory ran out, or there is no call frame information. */
struct flm_unwind_sections {
    enum flm_machine machine;
    bool swapped; /* its byte order is not this machine's */
    struct flm_bytes eh_frame, debug_frame, plt, code;
    uint64_t eh_frame_address, plt_address, code_address;
    uint64_t text_base, data_base; /* what DW_EH_PE_textrel and _datarel add */
};
struct flm_unwind_table *flm_unwind_table_new(const struct flm_unwind_sections *sections,
                                              struct flm_error *why);
void flm_unwind_table_free(struct flm_unwind_table *table);

/* Rows, functions, and functions with rules that are no known pattern. */
struct flm_unwind_counts {
    size_t rows, functions, unsupported;
};
struct flm_unwind_counts flm_unwind_table_counts(const struct flm_unwind_table *table);

enum flm_step {
    FLM_STEP_CALLER, /* the registers are now the caller's */
    FLM_STEP_SIGNAL, /* those of the interrupted instruction: look up its address, not - 1 */
    FLM_STEP_END,    /* this was the outermost frame */
    FLM_STEP_BOTTOM, /* the frame before was the outermost: this is the trampoline that a coroutine
                        on a stack of its own returns to */
    FLM_STEP_NONE,   /* no rule for the address */
    FLM_STEP_UNSUPPORTED, /* its rule is no known pattern */
    FLM_STEP_FAILED       /* the stack could not be read, or does not move outward */
};

/* Steps from a frame to its caller. `address` is the instruction's, relative to the module; for a
 * return address, one less, so that a call at the end of a function is looked up in that function.
 * The registers are valid after FLM_STEP_CALLER and _SIGNAL, unchanged after FLM_STEP_NONE and
 * _UNSUPPORTED, and undefined otherwise. */
enum flm_step flm_unwind_step(const struct flm_unwind_table *table, uint64_t address,
                              struct flm_registers *registers, flm_stack_read read, void *context);

/* For code without rules (jitted, or hand-written assembly): steps by the frame pointer, if it
 * points into the stack and outward. */
enum flm_step flm_unwind_step_by_pointer(struct flm_registers *registers, flm_stack_read read,
                                         void *context);

/* The bytes for the cache; flm_unwind_table_open checks them, and uses them where they are. */
void flm_unwind_table_write(const struct flm_unwind_table *table, struct flm_text *out);
struct flm_unwind_table *flm_unwind_table_open(struct flm_bytes bytes, struct flm_error *why);

#endif
