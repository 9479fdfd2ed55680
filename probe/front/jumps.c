/* jumps.c - in front of setjmp and longjmp, for stack/jumps.c. Runs in signal handlers.
 *
 * In the shared library they have libc's names. In the static one (FLM_WRAPPED) they are what the
 * linker's --wrap puts in front, in an object of its own that only those take who ask for it:
 *
 *     cc -static app.c $(pkg-config --static --libs flamel-probe) */
#include "front.h"

#include <setjmp.h>

#ifdef FLM_WRAPPED
#define FRONT(name) "__wrap_" name
extern void __real_setjmp(void), __real__setjmp(void), __real___sigsetjmp(void);
#else
#define FRONT(name) name
#endif

/* Called by the machine code below, which then goes on in what this returns. */
FLM_HIDDEN __attribute__((used)) uintptr_t flm_jump_set(const void *buffer, uintptr_t stack,
                                                        unsigned kind);
uintptr_t flm_jump_set(const void *buffer, uintptr_t stack, unsigned kind)
{
    flm_jump_remember(buffer, stack);
#ifdef FLM_WRAPPED
    return (uintptr_t)(kind == 0 ? __real_setjmp : kind == 1 ? __real__setjmp : __real___sigsetjmp);
#else
    static uintptr_t real[3];
    static const char *const name[] = {"setjmp", "_setjmp", "__sigsetjmp"};
    return flm_behind(&real[kind], name[kind]);
#endif
}

/* They return twice, so they may have no frame of their own: what the caller has given is put back,
 * and libc's is jumped to. */
#if defined __x86_64__
#define SETJMP(name, kind)                                                                         \
    __asm__(".text\n.globl " name "\n.type " name ",@function\n" name ":\n"                        \
            ".cfi_startproc\n\tendbr64\n"                                                          \
            "\tlea 8(%rsp), %rax\n"                                                                \
            "\tpush %rdi\n.cfi_adjust_cfa_offset 8\n"                                              \
            "\tpush %rsi\n.cfi_adjust_cfa_offset 8\n"                                              \
            "\tsub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                           \
            "\tmov %rax, %rsi\n\tmov $" kind ", %edx\n\tcall flm_jump_set\n"                       \
            "\tadd $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                          \
            "\tpop %rsi\n.cfi_adjust_cfa_offset -8\n"                                              \
            "\tpop %rdi\n.cfi_adjust_cfa_offset -8\n"                                              \
            "\tjmp *%rax\n.cfi_endproc\n.size " name ", .-" name "\n")
#elif defined __aarch64__
#define SETJMP(name, kind)                                                                         \
    __asm__(".text\n.globl " name "\n.type " name ",%function\n" name ":\n"                        \
            ".cfi_startproc\n\thint #34\n"                                                         \
            "\tstp x29, x30, [sp, -32]!\n.cfi_def_cfa_offset 32\n.cfi_offset 29, -32\n"            \
            ".cfi_offset 30, -24\n"                                                                \
            "\tstp x0, x1, [sp, 16]\n\tadd x1, sp, 32\n\tmov w2, " kind "\n\tbl flm_jump_set\n"    \
            "\tmov x16, x0\n\tldp x0, x1, [sp, 16]\n"                                              \
            "\tldp x29, x30, [sp], 32\n.cfi_def_cfa_offset 0\n.cfi_restore 29\n.cfi_restore 30\n"  \
            "\tbr x16\n.cfi_endproc\n.size " name ", .-" name "\n")
#endif
#ifdef SETJMP
SETJMP(FRONT("setjmp"), "0");
SETJMP(FRONT("_setjmp"), "1");
SETJMP(FRONT("__sigsetjmp"), "2");
#endif

/* By other names than the header's: it makes one of them another where it is checked. */
typedef void jump_function(void *buffer, int value);
#ifdef FLM_WRAPPED
#define REAL(function, name)                                                                       \
    extern jump_function real_##function __asm__("__real_" name);                                  \
    jump_function *behind = real_##function
#else
#define REAL(function, name)                                                                       \
    static uintptr_t real;                                                                         \
    jump_function *behind = (jump_function *)flm_behind(&real, name)
#endif
#define LONGJMP(function, name)                                                                    \
    FLM_FRONT __attribute__((noreturn)) void function(void *buffer,                                \
                                                      int value) __asm__(FRONT(name));             \
    void function(void *buffer, int value)                                                         \
    {                                                                                              \
        REAL(function, name);                                                                      \
        flm_jump_leave(buffer, (uintptr_t)__builtin_frame_address(0));                             \
        behind(buffer, value);                                                                     \
        __builtin_unreachable();                                                                   \
    }
LONGJMP(front_longjmp, "longjmp")
LONGJMP(front_longjmp_only, "_longjmp")
LONGJMP(front_siglongjmp, "siglongjmp")
LONGJMP(front_longjmp_checked, "__longjmp_chk")
