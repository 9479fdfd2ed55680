/* entries.c - what functions call at their beginning and end, where the compiler expects all
 * registers to be kept. Runs inside malloc and in signal handlers.
 *
 *     __fentry__   gcc -pg -mfentry                    the first instruction of each function
 *     __return__   gcc -minstrument-return=call        before each return, and each jump to another
 *     mcount       gcc -pg                             behind the beginning
 *     XRay         clang -fxray-instrument             both
 *
 * Return addresses are not replaced, as others do: exceptions, longjmp, backtraces, coroutines and
 * the shadow stacks of processors would find an address that is nobody's. So a function is timed
 * where the compiler calls at its end, too; where it does not, its calls are counted, and the
 * report says how to have times.
 *
 * This file is compiled without registers for vectors, in which arguments and results may be. What
 * does more than the usual is called with all of them saved. */
#include "entries.h"

#include "calls.h"
#include "functions.h"
#include "scope.h"

uintptr_t flm_behind_entry, flm_behind_mcount;

#if defined __x86_64__

/* ---- Registers for vectors ------------------------------------------------------------------- */

enum { XSAVE_AREA = 2816, XSAVE_HEADER = 512, XSAVE_WANTED = 0xE7 }; /* to 512 bits */

/* Which are saved; 0: by the older instruction, which all processors have. */
static uint32_t saved_parts(void)
{
    static volatile uint32_t known; /* 1: not known; all write the same */
    enum { KNOWN = 1 << 30, LEAF = 1, OSXSAVE = 1 << 27 };
    uint32_t parts = known;
    if (parts == 0) {
        uint32_t a = LEAF, b, c = 0, d;
        __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        parts = KNOWN;
        if (c & OSXSAVE) {
            __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
            parts |= a & XSAVE_WANTED;
        }
        known = parts;
    }
    return parts & ~(uint32_t)KNOWN;
}

static __attribute__((noinline)) void apart(void (*work)(uintptr_t, uintptr_t), uintptr_t key,
                                            uintptr_t stack)
{
    uint64_t area[XSAVE_AREA / sizeof(uint64_t)] __attribute__((aligned(64)));
    uint32_t parts = saved_parts();
    if (parts > 0) {
        for (int i = 0; i < 8; i++)
            ((volatile uint64_t *)area)[XSAVE_HEADER / sizeof(uint64_t) + (size_t)i] = 0;
        __asm__ volatile("xsave64 %0" : "+m"(area) : "a"(parts), "d"(0) : "memory");
    } else {
        __asm__ volatile("fxsave64 %0" : "=m"(area) : : "memory");
    }
    work(key, stack);
    if (parts > 0)
        __asm__ volatile("xrstor64 %0" : : "m"(area), "a"(parts), "d"(0) : "memory");
    else
        __asm__ volatile("fxrstor64 %0" : : "m"(area) : "memory");
}

/* ---- The usual ------------------------------------------------------------------------------- */

/* What tells a frame: below that of a function that calls, above what this one calls, also if it
 * is compiled with -finstrument-functions. */
static inline uintptr_t frame_of(uintptr_t slot)
{
    return slot - 2 * sizeof(uintptr_t);
}

static inline bool counts(struct flm_probe_open *top, uintptr_t key)
{
    const void *thing = (const void *)key; // NOLINT(performance-no-int-to-ptr)
    struct flm_call *call = flm_call_at(flm_local, thing, NULL, top->at);
    if (call->thing != thing || call->caller || call->parent != top->at)
        return false;
    call->node->calls++;
    return true;
}

static inline __attribute__((always_inline)) void begin(uintptr_t key, uintptr_t slot,
                                                        void (*slowly)(uintptr_t, uintptr_t))
{
    uintptr_t stack = frame_of(slot);
    struct flm_probe_open *top = flm_top;
    uint32_t mode = flm_scope_mode;
    if (FLM_RARELY(!top || (mode & FLM_BY_SYSTEM) || (top->stack != 0 && top->stack <= stack))) {
        if (flm_function_find(key) != &flm_left_out)
            apart(slowly, key, stack);
        return;
    }
    struct flm_probe_open *open = flm_top = top + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (FLM_RARELY(open->function != key || open->parent != top->node)) {
        flm_top = top;
        if (flm_function_find(key) != &flm_left_out && !counts(top, key))
            apart(slowly, key, stack);
        return;
    }
    open->stack = stack;
    if (FLM_RARELY(mode))
        flm_scope_begin(open, mode);
    else
        open->start = flm_clock_counter();
}

void flm_entry_began(uintptr_t key, uintptr_t slot)
{
    begin(key, slot, flm_entry_begin_slowly);
}

void flm_xray_began(uintptr_t function, uintptr_t slot)
{
    begin(function, slot, flm_xray_begin_slowly);
}

void flm_entry_counted(uintptr_t key, uintptr_t slot)
{
    struct flm_probe_open *top = flm_top;
    if ((!top || !counts(top, key)) && flm_function_find(key) != &flm_left_out)
        apart(flm_entry_count_slowly, key, slot);
}

/* Saving all registers takes longer than timing, so what is only counted does without. */
static __attribute__((noinline)) void end_by_mode(struct flm_probe_open *open,
                                                  struct flm_probe_node *node, uint32_t mode,
                                                  bool is_plain)
{
    if (is_plain && open->start == FLM_PROBE_UNTIMED && !flm_local->task)
        flm_scope_left_untimed(open, node);
    else if (is_plain && mode == FLM_IN_ORDER && open->direct != 0)
        flm_scope_left_plain(open, node, flm_clock_counter_in_order());
    else
        apart(flm_entry_end_slowly, (uintptr_t)open->function, (uintptr_t)open->stack);
}

void flm_entry_ended(uintptr_t key, uintptr_t slot)
{
    uintptr_t stack = frame_of(slot);
    struct flm_probe_open *top = flm_top, *open = top;
    if (FLM_RARELY(!top))
        return;
    while (FLM_RARELY(open->stack < stack) && open > &flm_local->thread->open[0])
        open--;
    if (open->stack != stack)
        return; /* it is not open: it was left out, or too deep */
    struct flm_probe_node *node = (struct flm_probe_node *)(uintptr_t)open->at;
    uint64_t now = flm_clock_counter();
    uint32_t mode = flm_scope_mode;
    bool is_plain = open == top && !flm_scope_has_allocated(node);
    if (FLM_RARELY(mode)) {
        end_by_mode(open, node, mode, is_plain);
        return;
    }
    if (FLM_RARELY(!is_plain || open->direct == 0)) {
        apart(flm_entry_end_slowly, key, stack);
        return;
    }
    flm_scope_left_plain(open, node, now);
}

/* ---- What the compiler calls ----------------------------------------------------------------- */

#define FLM_OR_BEHIND(variable)                                                                    \
    " movq " variable "(%rip), %r11\n testq %r11, %r11\n je 2f\n jmp *%r11\n2:\n"

#define FLM_IS_OFF " movq flm_probe_state@GOTPCREL(%rip), %r11\n cmpl $0, (%r11)\n je 1f\n"

FLM_ENTRY_KEEPS("__fentry__", FLM_IS_OFF, "flm_entry_began", FLM_OR_BEHIND("flm_behind_entry"));
FLM_ENTRY_KEEPS("mcount", FLM_IS_OFF, "flm_entry_counted", FLM_OR_BEHIND("flm_behind_mcount"));
FLM_ENTRY_KEEPS("_mcount", FLM_IS_OFF, "flm_entry_counted", FLM_OR_BEHIND("flm_behind_mcount"));
#endif
