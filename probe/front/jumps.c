/* jumps.c - in front of setjmp and longjmp: the scopes that a jump leaves end with it. Runs in
 * signal handlers.
 *
 * Where setjmp is called a thread remembers how many scopes are open, for some buffers; longjmp to
 * one of them ends those that were opened since. Nothing of that is asked in a scope.
 *
 *     setjmp(buffer)    main  try               2 are open
 *     longjmp(buffer)   main  try  leap  step   the last two end now
 *
 * Coroutines jump from stack to stack, and what is open on the one that they leave goes on later.
 * So a jump counts only where it goes up its own stack: the thread's, or that of a signal handler
 * and on to the thread's; or inside one task. What is not seen (__builtin_longjmp, a buffer that
 * was copied) ends with the scope around it. */
#include "front.h"

#include <setjmp.h>
#include <signal.h>

#include "memory.h"

enum { SETS = 32, WAYS = 4 };

struct jump {
    const void *buffer;       /* NULL: none */
    struct flm_running *task; /* the innermost one; NULL: none */
    uintptr_t stack;          /* where setjmp was called */
    uint32_t depth;           /* scopes that were open, above those of the task's beginning */
};

struct flm_jumps {
    struct jump at[SETS][WAYS];
    uint32_t next; /* which one of a set is given up */
};

void flm_jumps_free(struct flm_local *local)
{
    flm_memory_free(local->jumps, sizeof *local->jumps);
    local->jumps = NULL;
}

static struct jump *set_of(struct flm_jumps *jumps, const void *buffer)
{
    return jumps->at[((uintptr_t)buffer >> 4) * 0x9E3779B97F4A7C15u >> 59];
}

static struct jump *find(struct flm_jumps *jumps, const void *buffer)
{
    struct jump *set = set_of(jumps, buffer);
    for (int i = 0; i < WAYS; i++)
        if (set[i].buffer == buffer)
            return &set[i];
    return NULL;
}

/* ---- setjmp ---------------------------------------------------------------------------------- */

static void remember(struct flm_local *local, const void *buffer, uintptr_t stack)
{
    if (!local->jumps)
        local->jumps = flm_memory_new(sizeof *local->jumps);
    if (!local->jumps)
        return;
    struct jump *jump = find(local->jumps, buffer);
    if (!jump)
        jump = &set_of(local->jumps, buffer)[local->jumps->next++ % WAYS];
    uint32_t depth = flm_scope_depth(local);
    struct flm_running *task = flm_task_innermost(local);
    uint32_t base = (uint32_t)(flm_task_base(local, task) - &local->thread->open[0]);
    *jump = (struct jump){buffer, task, stack, depth - base};
}

/* Called by the machine code below, which then goes on in what this returns. */
FLM_HIDDEN __attribute__((used)) uintptr_t flm_jump_set(const void *buffer, uintptr_t stack,
                                                        unsigned kind);
uintptr_t flm_jump_set(const void *buffer, uintptr_t stack, unsigned kind)
{
    static uintptr_t real[3];
    static const char *const name[] = {"setjmp", "_setjmp", "__sigsetjmp"};
    /* Also while nothing is measured: scopes may be open all the same, and what was remembered of
     * the buffer before is of another call. */
    if ((flm_local && flm_local->thread) || (FLM_PROBE_IS_ON && flm_local_begin()))
        remember(flm_local, buffer, stack);
    return flm_behind(&real[kind], name[kind]);
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
SETJMP("setjmp", "0");
SETJMP("_setjmp", "1");
SETJMP("__sigsetjmp", "2");
#endif

/* ---- longjmp --------------------------------------------------------------------------------- */

static bool is_in(const stack_t *other, uintptr_t at)
{
    return at - (uintptr_t)other->ss_sp < other->ss_size;
}

/* The frames of the jump's beginning are below those of its end, on one stack. */
static bool goes_up(struct flm_local *local, const struct jump *to, uintptr_t from)
{
    stack_t other;
    if (to->task && to->task == flm_task_innermost(local))
        return from <= to->stack;
    bool is_to_own = flm_is_own_stack(local, to->stack);
    if (flm_is_own_stack(local, from))
        return is_to_own && from <= to->stack;
    if (sigaltstack(NULL, &other) != 0 || !(other.ss_flags & SS_ONSTACK) || !is_in(&other, from))
        return false;
    return is_to_own || (is_in(&other, to->stack) && from <= to->stack);
}

static void leave(const void *buffer)
{
    struct flm_local *local = flm_local;
    if (!local || !local->thread)
        return;
    const struct jump *to = !local->jumps ? NULL : find(local->jumps, buffer);
    bool is_seen = to && goes_up(local, to, (uintptr_t)__builtin_frame_address(0));
    /* NULL: it belongs to a task that does not run here any more. */
    struct flm_probe_open *base = is_seen ? flm_task_base(local, to->task) : NULL;
    flm_scope_jump(base ? base + to->depth : NULL);
}

/* By other names than the header's: it makes one of them another where it is checked. */
typedef void jump_function(void *buffer, int value);
#define LONGJMP(function, name)                                                                    \
    FLM_FRONT __attribute__((noreturn)) void function(void *buffer, int value) __asm__(name);      \
    void function(void *buffer, int value)                                                         \
    {                                                                                              \
        static uintptr_t real;                                                                     \
        leave(buffer);                                                                             \
        ((jump_function *)flm_behind(&real, name))(buffer, value);                                 \
        __builtin_unreachable();                                                                   \
    }
LONGJMP(front_longjmp, "longjmp")
LONGJMP(front_longjmp_only, "_longjmp")
LONGJMP(front_siglongjmp, "siglongjmp")
LONGJMP(front_longjmp_checked, "__longjmp_chk")
