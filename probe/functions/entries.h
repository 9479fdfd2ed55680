/* entries.h - functions whose beginning and end are calls that keep all registers: -pg -mfentry and
 * -pg of GCC, and XRay of clang. */
#ifndef FLAMEL_PROBE_ENTRIES_H
#define FLAMEL_PROBE_ENTRIES_H

#include "internal.h"

/* Patches a program that was compiled with -fxray-instrument, those functions that are wanted. What
 * could not be is a sentence: what to do; NULL: nothing. */
FLM_HIDDEN const char *flm_xray_start(void);

/* What the compiler calls instead of ours where nothing is measured: gprof's. 0: nothing. */
extern FLM_HIDDEN uintptr_t flm_behind_entry, flm_behind_mcount;

/* Called by those in assembly, with all registers kept but those of vectors: these keep them. `key`
 * is where the call returns to, `slot` where the function's return address is. */
FLM_HIDDEN void flm_entry_began(uintptr_t key, uintptr_t slot);
FLM_HIDDEN void flm_entry_counted(uintptr_t key, uintptr_t slot);
FLM_HIDDEN void flm_entry_ended(uintptr_t key, uintptr_t slot);

/* Of entry_ends.c. */
extern FLM_HIDDEN const char flm_entry_ends_are_linked __attribute__((weak));

/* A function that clang's XRay calls from: its address is the key. */
FLM_HIDDEN void flm_xray_began(uintptr_t function, uintptr_t slot);
FLM_HIDDEN void flm_xray_begin_slowly(uintptr_t function, uintptr_t stack);

/* The slow ways, which may use any register. */
FLM_HIDDEN void flm_entry_begin_slowly(uintptr_t key, uintptr_t stack);
FLM_HIDDEN void flm_entry_count_slowly(uintptr_t key, uintptr_t stack);
FLM_HIDDEN void flm_entry_end_slowly(uintptr_t key, uintptr_t stack);

#if defined __x86_64__
#define FLM_PUSH(name) "pushq %" name "\n .cfi_adjust_cfa_offset 8\n"
#define FLM_POP(name) "popq %" name "\n .cfi_adjust_cfa_offset -8\n"

/* A function in assembly. Above what it pushes are the address to return to in the function that
 * calls, and where that returns to. `is_off` jumps to 1 where there is nothing to do. */
#define FLM_ENTRY_KEEPS(name, is_off, work, behind)                                                \
    __asm__(".text\n .globl " name "\n .type " name ", @function\n" name ":\n"                     \
            " .cfi_startproc\n endbr64\n" is_off FLM_PUSH("rax") FLM_PUSH("rcx") FLM_PUSH("rdx")   \
                FLM_PUSH("rsi") FLM_PUSH("rdi") FLM_PUSH("r8") FLM_PUSH("r9")                      \
                    FLM_PUSH("r10") " movq 64(%rsp), %rdi\n leaq 72(%rsp), %rsi\n call " work      \
                                    "\n" FLM_POP("r10") FLM_POP("r9") FLM_POP("r8") FLM_POP("rdi") \
                                        FLM_POP("rsi") FLM_POP("rdx") FLM_POP("rcx")               \
                                            FLM_POP("rax") " ret\n1:\n" behind                     \
                                                           " ret\n .cfi_endproc\n .size " name     \
                                                           ", . - " name "\n")

#endif

#endif
