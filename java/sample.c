/* sample.c - safe in signal handlers: the stack of the interrupted thread.
 *
 * The signal comes when an event overflows, the thread's own or the recorder's: in the kernel,
 * the thread gets it as it returns from there. So one signal may stand for several samples, each
 * with its own stack in the kernel, all called from where the thread is now. The kernel's part
 * is in the ring of the event, or with the recorder; Java frames come from AsyncGetCallTrace,
 * which needs no safepoint; and if the thread was in native code its registers and the end of
 * its stack are copied, for the recorder to unwind.
 *
 * AsyncGetCallTrace may read what is no frame, and fault. The fault is caught then (faults.c), and
 * the sample says so. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "java/internal.h"

enum { BUFFERS = 64, MOST_KERNEL = 192, EVENT_RING = 4096, MOST_STACK = 32768 };

/* What a handler needs is too large for the stack of the thread. */
struct buffer {
    _Atomic bool is_used;
    struct call_frame frames[FLM_JAVA_MOST_FRAMES];
    struct flm_java_frame out[FLM_JAVA_MOST_FRAMES];
    struct machine_frame asked; /* where `frames` begin */
    uint64_t kernel[MOST_KERNEL];
    uint64_t records[EVENT_RING / 8];
    char stack[MOST_STACK];
};

static struct buffer *buffers;
static struct sigaction before_recorders;
static bool own_is_left;

/* ---- Registers ------------------------------------------------------------------------------- */

#if defined __x86_64__
enum { REGISTERS = 24 };
static void read_registers(const ucontext_t *context, uint64_t registers[REGISTERS])
{
    /* In the kernel's order, which is that of asm/perf_regs.h. */
    static const int order[REGISTERS] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                                         REG_RBP, REG_RSP, REG_RIP, REG_EFL, -1,      -1,
                                         -1,      -1,      -1,      -1,      REG_R8,  REG_R9,
                                         REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (int i = 0; i < REGISTERS; i++)
        registers[i] = order[i] < 0 ? 0 : (uint64_t)context->uc_mcontext.gregs[order[i]];
}
#define PC(context) (*(uint64_t *)&(context)->uc_mcontext.gregs[REG_RIP])
#define SP(context) (*(uint64_t *)&(context)->uc_mcontext.gregs[REG_RSP])
#define FP(context) (*(uint64_t *)&(context)->uc_mcontext.gregs[REG_RBP])
#elif defined __aarch64__
enum { REGISTERS = 33 };
static void read_registers(const ucontext_t *context, uint64_t registers[REGISTERS])
{
    for (int i = 0; i < 31; i++)
        registers[i] = context->uc_mcontext.regs[i];
    registers[31] = context->uc_mcontext.sp;
    registers[32] = context->uc_mcontext.pc;
}
#define PC(context) ((context)->uc_mcontext.pc)
#define SP(context) ((context)->uc_mcontext.sp)
#define FP(context) ((context)->uc_mcontext.regs[29])
#else
#error "the agent knows the registers of x86-64 and arm64"
#endif

static bool is_generated(uint64_t pc)
{
    return pc >= agent.code_start && pc < agent.code_end;
}

/* ---- Java frames ----------------------------------------------------------------------------- */

static int32_t ask_at(struct buffer *b, jni *env, void *context)
{
    struct call_trace trace = {env, 0, b->frames};
    const ucontext_t *asked = context;
    agent.get_trace(&trace, FLM_JAVA_MOST_FRAMES, context);
    if (trace.count > 0)
        b->asked = (struct machine_frame){PC(asked), SP(asked), FP(asked)};
    return trace.count;
}

/* In compiled code AsyncGetCallTrace takes the function that the byte behind the address belongs
 * to. A small function that is inlined is one instruction, whose start is noted: so it would have
 * none of its samples. Asked for the byte before, it finds the instruction itself. */
static int32_t ask(struct buffer *b, jni *env, void *context)
{
    ucontext_t *exact = context, before = *exact;
    PC(&before) -= 1;
    int32_t count = is_generated(PC(&before)) ? ask_at(b, env, &before) : 0;
    return count > 0 ? count : ask_at(b, env, exact);
}

/* Code that is no method (a stub, an adapter) and the first and last instructions of a method have
 * frames that the VM cannot walk. Their caller's can be: it is where the return address says, at
 * the stack pointer, above a saved frame pointer, or behind the current one. The VM checks each. */
static int32_t ask_for_caller(struct buffer *b, jni *env, const ucontext_t *context, int32_t error)
{
#if defined __x86_64__
    for (int way = 0; way < 3; way++) {
        ucontext_t caller = *context;
        const uint64_t *at = (const uint64_t *)(uintptr_t)(way == 2 ? FP(&caller) : SP(&caller));
        if ((uintptr_t)at % 8 != 0 || (way == 2 && FP(&caller) - SP(&caller) > MOST_STACK))
            continue;
        PC(&caller) = way == 0 ? at[0] : at[1];
        SP(&caller) = (uint64_t)(uintptr_t)(at + (way == 0 ? 1 : 2));
        if (way > 0)
            FP(&caller) = at[0];
        int32_t count = is_generated(PC(&caller)) ? ask(b, env, &caller) : 0;
        if (count > 0)
            return count;
    }
#else
    ucontext_t caller = *context;
    PC(&caller) = caller.uc_mcontext.regs[30]; /* where a leaf returns to */
    int32_t count = is_generated(PC(&caller)) ? ask(b, env, &caller) : 0;
    if (count > 0)
        return count;
#endif
    return error;
}

/* The code that C2 makes of String.compareTo keeps a number on the stack while it compares, of
 * which the VM does not know: the frame is one word above the stack pointer. */
static int32_t ask_above(struct buffer *b, jni *env, const ucontext_t *context, int32_t error)
{
    ucontext_t above = *context;
    SP(&above) += 8;
    int32_t count = ask(b, env, &above);
    return count > 0 ? count : error;
}

/* Stubs that save registers (slow_subtype_check) have their return address a few words above. */
static int32_t ask_for_stubs_caller(struct buffer *b, jni *env, const ucontext_t *context,
                                    int32_t error)
{
    enum { MOST_SAVED = 8 };
    const uint64_t *at = (const uint64_t *)(uintptr_t)SP(context);
    for (int i = 1; (uintptr_t)at % 8 == 0 && i <= MOST_SAVED; i++) {
        ucontext_t caller = *context;
        PC(&caller) = at[i];
        SP(&caller) = (uint64_t)(uintptr_t)(at + i + 1);
        int32_t count = is_generated(PC(&caller)) ? ask(b, env, &caller) : 0;
        if (count > 0)
            return count;
    }
    return error;
}

/* Compiled code calls some functions of the VM directly, without a safepoint, such as barriers of
 * collectors. They have frame pointers: the chain leads to the compiled code. */
static int32_t ask_above_native(struct buffer *b, jni *env, const ucontext_t *context,
                                int32_t error)
{
    enum { MOST_FRAMES = 32 };
    ucontext_t caller = *context;
    for (int i = 0; i < MOST_FRAMES; i++) {
        uint64_t at = FP(&caller), before = SP(&caller);
        if (at % 8 != 0 || at < before || at - before > MOST_STACK)
            break;
        const uint64_t *saved = (const uint64_t *)(uintptr_t)at;
        FP(&caller) = saved[0];
        PC(&caller) = saved[1];
        SP(&caller) = at + 16;
        int32_t count = is_generated(PC(&caller)) ? ask(b, env, &caller) : 0;
        if (count > 0)
            return count;
    }
    return error;
}

struct walk {
    struct buffer *b;
    const ucontext_t *context;
    jni *env;
    int32_t count; /* of frames; 0 or below: none, by the VM's number for the reason */
};

static void find_frames(void *in)
{
    enum { UNKNOWN_NOT_JAVA = -3, UNKNOWN_JAVA = -5, NOT_WALKABLE_JAVA = -6 };
    struct walk *w = in;
    struct buffer *b = w->b;
    bool generated = is_generated(PC(w->context));
    int32_t count = ask(b, w->env, (void *)(uintptr_t)w->context);
    if (count <= UNKNOWN_NOT_JAVA && count >= NOT_WALKABLE_JAVA && generated)
        count = ask_for_caller(b, w->env, w->context, count);
    if (count == UNKNOWN_JAVA && generated)
        count = ask_above(b, w->env, w->context, count);
    if (count == UNKNOWN_JAVA && generated)
        count = ask_for_stubs_caller(b, w->env, w->context, count);
    if (count <= UNKNOWN_NOT_JAVA && count >= NOT_WALKABLE_JAVA && !generated)
        count = ask_above_native(b, w->env, w->context, count);
    w->count = count;
}

static void find_kinds(void *in)
{
    struct walk *w = in;
    kinds_find(kinds_thread(w->env), &w->b->asked, w->b->out, (uint32_t)w->count);
}

/* Frames with their kinds, in b->out. Their number; 0 or below: none. */
static int32_t walk(struct buffer *b, struct thread *t, const ucontext_t *context)
{
    enum { NATIVE_BYTECODE = -3 }; /* AsyncGetCallTrace's */
    struct walk w = {.b = b, .context = context};
    if (vm_environment(agent.vm, &w.env, JNI_VERSION) != 0 || !w.env)
        return 0;
    if (!guarded_run(&t->fault, find_frames, &w))
        return -FLM_JAVA_FAULT;
    for (int32_t i = 0; i < w.count; i++) {
        int32_t bytecode = b->frames[i].bytecode;
        b->out[i] = (struct flm_java_frame){(uint64_t)(uintptr_t)b->frames[i].method, bytecode,
                                            bytecode == NATIVE_BYTECODE ? FLM_JAVA_NATIVE_METHOD
                                                                        : FLM_JAVA_UNKNOWN};
        method_seen(b->frames[i].method);
    }
    if (w.count > 0)
        guarded_run(&t->fault, find_kinds, &w);
    return w.count;
}

struct copying {
    struct buffer *b;
    uint64_t from;
    uint32_t wanted, copied;
};

static void copy_pages(void *in)
{
    enum { PAGE = 4096 };
    struct copying *c = in;
    while (c->copied < c->wanted) {
        uint64_t from = c->from + c->copied;
        uint32_t size = PAGE - (uint32_t)(from & (PAGE - 1));
        size = size < c->wanted - c->copied ? size : c->wanted - c->copied;
        memcpy(c->b->stack + c->copied, (const char *)(uintptr_t)from, size);
        c->copied += size;
    }
}

/* As far as there is a stack: a fault behind its end is caught as well. */
static uint32_t copy_stack(struct buffer *b, struct thread *t, uint64_t from)
{
    uint32_t wanted = agent.config.stack_size < MOST_STACK ? agent.config.stack_size : MOST_STACK;
    struct copying c = {b, from, wanted, 0};
    guarded_run(&t->fault, copy_pages, &c);
    return c.copied & ~7u;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static char *put(char *at, const void *bytes, uint64_t size)
{
    if (bytes && size > 0) /* a part that is empty may be NULL */
        memcpy(at, bytes, size);
    return at + flm_java_aligned(size);
}

/* Of a stack the recorder has the sample, which is not lost. */
static void add_lost(bool is_stack)
{
    uint64_t *lost = is_stack ? &agent.ring->lost_stacks : &agent.ring->lost;
    __atomic_add_fetch(lost, 1, __ATOMIC_RELAXED);
}

static uint64_t size_of(const struct flm_java_sample *s)
{
    return sizeof *s + s->kernel_count * sizeof(uint64_t) +
           s->frame_count * sizeof(struct flm_java_frame) + s->register_count * sizeof(uint64_t) +
           flm_java_aligned(s->stack_size) + flm_java_aligned(s->text_size);
}

/* Writes a sample to its place in the ring. */
static void fill(char *record, const struct flm_java_sample *s, const uint64_t *kernel,
                 const struct flm_java_frame *frames, const uint64_t *registers, const char *stack,
                 const char *text)
{
    /* Its size comes last: ring_commit. */
    memcpy(record + sizeof s->record, (char *)s + sizeof s->record, sizeof *s - sizeof s->record);
    char *at = record + sizeof *s;
    at = put(at, kernel, s->kernel_count * sizeof *kernel);
    at = put(at, frames, s->frame_count * sizeof *frames);
    at = put(at, registers, s->register_count * sizeof *registers);
    at = put(at, stack, s->stack_size);
    put(at, text, s->text_size);
    ring_commit(record, size_of(s), FLM_JAVA_SAMPLE);
}

static void write_sample(const struct flm_java_sample *s, const uint64_t *kernel,
                         const struct flm_java_frame *frames, const uint64_t *registers,
                         const char *stack)
{
    char *record = ring_reserve(size_of(s));
    if (record)
        fill(record, s, kernel, frames, registers, stack, "");
    else
        add_lost(s->is_stack);
}

static void set_text(struct flm_java_sample *s, const char *text)
{
    s->text_size = text ? (uint32_t)strnlen(text, 512) : 0;
}

void sample_write(struct flm_java_sample *s, const struct flm_java_frame *frames, const char *text)
{
    for (uint32_t i = 0; i < s->frame_count; i++)
        method_seen((method_id)(uintptr_t)frames[i].method);
    set_text(s, text);
    char *record = ring_reserve(size_of(s));
    if (record)
        fill(record, s, NULL, frames, NULL, NULL, text);
    else
        add_lost(false);
}

void sample_write_patiently(struct flm_java_sample *s, const struct flm_java_frame *frames,
                            const char *text)
{
    set_text(s, text);
    char *record = ring_reserve_patiently(size_of(s)); /* which counts what is lost */
    if (record)
        fill(record, s, NULL, frames, NULL, NULL, text);
}

/* ---- The event's ring ------------------------------------------------------------------------ */

/* A part of a record of the kernel, after which the next one begins. */
static uint64_t word(const struct buffer *b, uint64_t at)
{
    return b->records[at / 8 % (EVENT_RING / 8)];
}

/* Writes a sample for each record of the kernel; false when there is none. */
static bool write_event_samples(struct buffer *b, struct thread *t, struct flm_java_sample *s,
                                const uint64_t *registers)
{
    struct perf_event_mmap_page *page = atomic_load(&t->page);
    if (!page)
        return false;
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
    uint64_t size = head - tail;
    bool found = false;
    if (size > EVENT_RING)
        return false;
    const char *data = (const char *)page + page->data_offset;
    for (uint64_t i = 0; i < size; i += 8)
        memcpy(&b->records[i / 8], data + (tail + i) % page->data_size, 8);
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    for (uint64_t at = 0; at + 8 <= size;) {
        uint64_t header = word(b, at), record_size = header >> 48;
        uint32_t type = (uint32_t)header;
        if (record_size < 8 || record_size > size - at)
            break;
        /* time, cpu, period, count of the chain, the chain */
        if (type == PERF_RECORD_SAMPLE && record_size >= 40) {
            uint64_t count = word(b, at + 32), kept = 0;
            for (uint64_t i = 0; i < count && 40 + 8 * i < record_size && kept < MOST_KERNEL; i++)
                b->kernel[kept++] = word(b, at + 40 + 8 * i);
            s->time_ns = (int64_t)word(b, at + 8);
            s->cpu = (uint32_t)word(b, at + 16);
            s->value = word(b, at + 24);
            s->kernel_count = (uint32_t)kept;
            write_sample(s, b->kernel, b->out, registers, b->stack);
            found = true;
        } else if (type == PERF_RECORD_LOST && record_size >= 24) {
            __atomic_add_fetch(&agent.ring->lost_by_kernel, word(b, at + 16), __ATOMIC_RELAXED);
        }
        at += record_size;
    }
    return found;
}

/* ---- The signal ------------------------------------------------------------------------------ */

static struct buffer *take_buffer(int32_t id, bool is_stack)
{
    for (int i = 0; i < BUFFERS; i++) {
        struct buffer *b = &buffers[(id + i) % BUFFERS];
        if (!atomic_exchange(&b->is_used, true))
            return b;
    }
    add_lost(is_stack);
    return NULL;
}

/* Which reason the signal has: the clock of elapsed time sends it to threads that run. */
enum reason { OF_EVENT, OF_TIMER, OF_WALL, OF_RECORDER };

static enum reason reason_of(const siginfo_t *info)
{
    if (info->si_code == SI_TKILL || info->si_code == SI_QUEUE)
        return OF_WALL;
    return info->si_code == SI_TIMER ? OF_TIMER : OF_EVENT;
}

static void take(struct thread *t, int32_t id, enum reason reason, const siginfo_t *info,
                 const ucontext_t *context)
{
    int64_t time_ns = now_ns(CLOCK_MONOTONIC), since_ns = t->handled_ns;
    if (reason == OF_RECORDER) /* also if what follows is lost */
        t->handled_ns = time_ns;
    uint64_t registers[REGISTERS];
    struct buffer *b = take_buffer(id, reason == OF_RECORDER);
    if (!b)
        return;
    /* A fault of a thread that blocks its signal would end the process: as it does in a handler of
     * faults, say another profiler's. */
    bool reads = may_fault(&context->uc_sigmask);
    int32_t count = reads ? walk(b, t, context) : -FLM_JAVA_FAULT;
    struct flm_java_sample s = {
        .thread = id,
        .error = count > 0 ? 0 : count,
        .time_ns = time_ns,
        .since_ns = since_ns,
        .is_stack = reason == OF_RECORDER,
        .metric = reason == OF_WALL ? FLM_JAVA_WALL : FLM_JAVA_CPU,
        .cpu = UINT32_MAX,
        .frame_count = count > 0 ? (uint32_t)count : 0,
        .more_frames = count == FLM_JAVA_MOST_FRAMES,
        .ip = PC(context),
        .virtual_thread = reads ? virtual_number(t) : 0,
    };
    if (count <= 0 && -count < FLM_JAVA_ERRORS)
        __atomic_add_fetch(&agent.ring->errors[-count], 1, __ATOMIC_RELAXED);
    if (reads && !is_generated(s.ip)) {
        read_registers(context, registers);
        s.register_count = REGISTERS;
        s.stack_size = copy_stack(b, t, SP(context));
    }
    if (reason == OF_TIMER)
        s.value = agent.config.timer_ns * (1 + (uint64_t)info->si_overrun);
    if (reason == OF_WALL) {
        s.value = (uint64_t)atomic_exchange(&t->owed_ns, 0);
        s.state = atomic_load(&t->owed_state);
    }
    if (reason == OF_EVENT)
        write_event_samples(b, t, &s, registers);
    else if (s.value > 0 || reason == OF_RECORDER)
        write_sample(&s, NULL, b->out, registers, b->stack);
    atomic_store(&b->is_used, false);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    int error = errno;
    /* Of others, such as setitimer: theirs. */
    bool is_ours = info->si_code == SI_TIMER || info->si_code == SI_QUEUE || info->si_code > 0;
    if (info->si_code == SI_KERNEL)
        is_ours = false;
    if (is_ours && enter()) {
        int32_t id = own_id();
        struct thread *t = thread_of(id);
        if (t)
            take(t, id, reason_of(info), info, context);
        leave();
    } else if (!is_ours && agent.before.sa_handler != SIG_DFL &&
               agent.before.sa_handler != SIG_IGN) {
        pass_on(signal, info, context, &agent.before);
    }
    errno = error;
}

/* Sent by the program that the recorder has put to its events (record/runtime/thread_signals.h). */
static void on_recorders_signal(int signal, siginfo_t *info, void *context)
{
    int error = errno;
    (void)signal;
    if (info->si_code == SI_KERNEL && enter()) {
        int32_t id = own_id();
        struct thread *t = thread_of(id);
        if (t)
            take(t, id, OF_RECORDER, info, context);
        leave();
    }
    errno = error;
}

/* ---- Installing ------------------------------------------------------------------------------ */

static bool install(int signal, void (*handler)(int, siginfo_t *, void *), struct sigaction *before)
{
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
    if (sigaction(signal, NULL, before) != 0)
        return false;
    sigemptyset(&action.sa_mask);
    /* One handler at a time: a thread has one place where a fault continues. */
    sigaddset(&action.sa_mask, SIGPROF);
    if (agent.config.signal)
        sigaddset(&action.sa_mask, (int)agent.config.signal);
    action.sa_sigaction = handler;
    return sigaction(signal, &action, NULL) == 0;
}

static void uninstall(int signal, void (*handler)(int, siginfo_t *, void *),
                      const struct sigaction *before)
{
    struct sigaction now;
    if (sigaction(signal, NULL, &now) == 0 && now.sa_sigaction == handler)
        sigaction(signal, before, NULL);
}

/* That of threads which get signals of the agent itself: for elapsed time, and for CPU time where
 * the recorder's do not come. */
static bool install_own(void)
{
    bool of_cpu = agent.config.metrics & 1u << FLM_JAVA_CPU && !agent.takes_signals;
    if (!of_cpu && !(agent.config.metrics & 1u << FLM_JAVA_WALL))
        return true;
    if (!install(SIGPROF, on_signal, &agent.before))
        return false;
    if (own_is_left) /* whose handler may call ours */
        agent.before = (struct sigaction){.sa_handler = SIG_IGN};
    own_is_left = true; /* until it is taken away */
    return true;
}

static void uninstall_own(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, now;
    if (sigaction(SIGPROF, NULL, &now) != 0 || now.sa_sigaction != on_signal)
        return;
    /* A signal that waits for its thread would end the process by the default action. Ignoring it
     * discards those. */
    sigaction(SIGPROF, &ignore, NULL);
    sigaction(SIGPROF, &agent.before, NULL);
    own_is_left = false;
}

/* A signal that the program has use for stays its own. */
static bool install_recorders(void)
{
    struct sigaction now;
    return agent.config.signal && sigaction((int)agent.config.signal, NULL, &now) == 0 &&
           (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) &&
           install((int)agent.config.signal, on_recorders_signal, &before_recorders);
}

bool samples_begin(void)
{
    void *memory = mmap(NULL, BUFFERS * sizeof *buffers, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    buffers = memory;
    agent.takes_signals = install_recorders();
    agent.ring->takes_signals = agent.takes_signals;
    return faults_begin() && install_own();
}

void samples_end(void)
{
    uninstall_own();
    if (agent.takes_signals)
        uninstall((int)agent.config.signal, on_recorders_signal, &before_recorders);
    agent.takes_signals = false;
    faults_end();
    if (buffers)
        munmap(buffers, BUFFERS * sizeof *buffers);
    buffers = NULL;
}
