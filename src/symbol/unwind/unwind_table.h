/* unwind_table.h - how the frames of a module are unwound: .eh_frame as sorted rows of one size.
 *
 * .eh_frame is a program for every function that says, for each of its instructions, where the
 * caller's registers are. We run all of these programs once (cfi.h) and keep what they say:
 *
 *     row     from this address on, up to the next row's, this rule is true      rows.h
 *     rule    the CFA, which is the caller's stack pointer: a register plus an offset; and where
 *             the return address, rbp, rbx, r12 to r15 (x86-64), x29, x30 (arm64) lie
 *                                                                                rule.h
 *
 * A row takes 4 bytes, since a file has few different rules: libLLVM, 950,000 rows and 965 rules,
 * 3.9 MB made in 40 ms. A step is a search in the rows of 4 KB of code and a few reads: 40 ns a
 * frame in a small program, 50 to 100 in clang, where libdwfl takes 400 and 650
 * (bench/unwind_bench.c).
 *
 * Rules that are expressions (PLT entries, realigned stacks, signal frames) are patterns of their
 * own; one that is none of them is counted, and a step there fails rather than guesses. A function
 * whose return address is undefined is the end of the stack. Between functions there is no rule,
 * but for PLTs that the linker did not describe, and for the trampolines of signal handlers and of
 * makecontext(). */
#ifndef FLAMEL_SYMBOL_UNWIND_UNWIND_TABLE_H
#define FLAMEL_SYMBOL_UNWIND_UNWIND_TABLE_H

#include "base/text/text.h"
#include "flamel/error.h"

enum flm_machine { FLM_MACHINE_OTHER, FLM_MACHINE_X86_64, FLM_MACHINE_ARM64 };

/* The machine that this is compiled for. */
enum flm_machine flm_machine_here(void);

/* By DWARF number: x86-64 has 7 rsp, 6 rbp, 3 rbx, 16 the return address; arm64 has 29, 30 and 31
 * sp, 32 pc. Of some only a few are known. */
enum { FLM_REGISTER_COUNT = 33 };

struct flm_registers {
    enum flm_machine machine;
    uint64_t known; /* bit i: value[i] is known */
    uint64_t value[FLM_REGISTER_COUNT];
};

uint64_t flm_registers_pc(const struct flm_registers *registers);
uint64_t flm_registers_sp(const struct flm_registers *registers);

/* Eight bytes of the stack that is unwound. False where they are not known. */
typedef bool (*flm_stack_read)(void *context, uint64_t address, uint64_t *word);

struct flm_unwind_table;

/* From the sections of a file, and the address that each is loaded at; any may be empty. They are
 * not needed any more when the table is made. `plt` and `code` (.text) are looked at where no
 * function is. NULL, and `why`, when memory ran out, or nothing in it can be used. */
struct flm_unwind_sections {
    enum flm_machine machine;
    bool swapped; /* its numbers are the other way round than ours */
    struct flm_bytes eh_frame, debug_frame, plt, code;
    uint64_t eh_frame_address, plt_address, code_address;
    uint64_t text_base, data_base; /* what DW_EH_PE_textrel and _datarel add */
};
struct flm_unwind_table *flm_unwind_table_new(const struct flm_unwind_sections *sections,
                                              struct flm_error *why);
void flm_unwind_table_free(struct flm_unwind_table *table);

/* Rows, functions, and functions with rules that are none of our patterns. */
struct flm_unwind_counts {
    size_t rows, functions, unsupported;
};
struct flm_unwind_counts flm_unwind_table_counts(const struct flm_unwind_table *table);

enum flm_step {
    FLM_STEP_CALLER, /* the registers are now the caller's */
    FLM_STEP_SIGNAL, /* they are those of the interrupted instruction: no call, no address - 1 */
    FLM_STEP_END,    /* this was the outermost frame */
    FLM_STEP_BOTTOM, /* so it was, and it called nothing: what runs on a stack of its own (a
                        coroutine) was made to return to its first byte */
    FLM_STEP_NONE,   /* no row has the address */
    FLM_STEP_UNSUPPORTED, /* one has, but its rule is none of our patterns */
    FLM_STEP_FAILED       /* the stack could not be read, or does not move outward */
};

/* From a frame to its caller. `address` is the module's own address of the instruction: of a
 * return address, one less, so that a call at the end of a function is looked up in it. Unless the
 * answer is FLM_STEP_CALLER or _SIGNAL, the registers are of no more use, but after FLM_STEP_NONE
 * and _UNSUPPORTED they are as they were. */
enum flm_step flm_unwind_step(const struct flm_unwind_table *table, uint64_t address,
                              struct flm_registers *registers, flm_stack_read read, void *context);

/* Where there is no row (jitted code, hand-written assembly without any): by the frame pointer,
 * when it points into the stack and outward. */
enum flm_step flm_unwind_step_by_pointer(struct flm_registers *registers, flm_stack_read read,
                                         void *context);

/* What the cache keeps of it: bytes that flm_unwind_table_open takes, in place. It checks them. */
void flm_unwind_table_write(const struct flm_unwind_table *table, struct flm_text *out);
struct flm_unwind_table *flm_unwind_table_open(struct flm_bytes bytes, struct flm_error *why);

#endif
