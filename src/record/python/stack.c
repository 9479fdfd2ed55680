#include "record/python/stack.h"

#include <asm/perf_regs.h>
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "flamel/profile.h"
#include "os/clock.h"
#include "record/python/find.h"
#include "record/python/python.h"

/* On a busy machine the recorder waits for a CPU, and so may the sampled thread: its stack dump
 * shows whether it has run in between. A thread that was blocked, and is blocked now, has hardly
 * moved on. */
enum {
    OLDEST_NS = 3000000,
    OLDEST_WITH_DUMP_NS = 20000000,
    OLDEST_OF_BLOCKED_NS = 1000000000,
    MOST_CHAIN = 8192
};

struct interpreter {
    int32_t process;
    uint64_t changed; /* of its mappings, when they were searched */
    uint64_t serial;
    struct flm_python *python; /* NULL: it has none, or one that cannot be read */
    bool is_refused;
};

struct known {
    uint64_t interpreter, code, line;
};

struct flm_pythons {
    struct flm_runtime_options options;
    struct FLM_ARRAY(struct interpreter) interpreters;
    struct flm_index by_process;
    struct FLM_ARRAY(struct known) known; /* the nth has the address options.first_code + n */
    struct flm_index known_index;
    uint64_t serials;
    struct flm_python_counts counts;
    char refused[200];
    uint64_t scratch[MOST_CHAIN];
};

struct flm_pythons *flm_pythons_new(const struct flm_runtime_options *options,
                                    struct flm_error *why)
{
    assert(options && options->first_code >= FLM_CODE_FIRST);
    struct flm_pythons *p = calloc(1, sizeof *p);
    if (!p)
        flm_error_memory(why);
    else
        p->options = *options;
    return p;
}

void flm_pythons_free(struct flm_pythons *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->interpreters.count; i++)
        flm_python_close(p->interpreters.at[i].python);
    free(p->interpreters.at);
    free(p->known.at);
    flm_index_clear(&p->by_process);
    flm_index_clear(&p->known_index);
    free(p);
}

struct flm_python_counts flm_pythons_counts(const struct flm_pythons *p)
{
    struct flm_python_counts counts = p->counts;
    for (size_t i = 0; i < p->interpreters.count; i++)
        if (p->interpreters.at[i].python)
            counts.calls += flm_python_calls(p->interpreters.at[i].python);
    return counts;
}

struct flm_bytes flm_pythons_refused(const struct flm_pythons *p)
{
    return flm_bytes_of(p->refused);
}

/* ---- Interpreters ---------------------------------------------------------------------------- */

static void close_python(struct flm_pythons *p, struct interpreter *i)
{
    if (i->python)
        p->counts.calls += flm_python_calls(i->python);
    flm_python_close(i->python);
    i->python = NULL;
}

/* A process maps files until its program runs, and exec replaces all of them. */
static bool open_python(struct flm_pythons *p, struct interpreter *i,
                        const struct flm_process *process, struct flm_error *why)
{
    struct flm_error reason = {0};
    close_python(p, i);
    i->changed = process->changed;
    i->serial = ++p->serials;
    i->python = flm_python_open(process, &reason);
    i->is_refused = !i->python && reason.kind != FLM_ERROR_NONE;
    if (reason.kind == FLM_ERROR_MEMORY)
        return flm_error_memory(why);
    if (i->is_refused) {
        struct flm_text text;
        flm_text_init_fixed(&text, p->refused, sizeof p->refused - 1);
        flm_text_puts(&text, reason.text);
        p->refused[text.size] = 0;
    }
    return true;
}

/* NULL, and `why`, when memory ran out. */
static struct interpreter *find_interpreter(struct flm_pythons *p,
                                            const struct flm_process *process,
                                            struct flm_error *why)
{
    uint32_t hash = (uint32_t)flm_hash(&process->id, sizeof process->id);
    struct interpreter *found = NULL;
    for (struct flm_probe at = flm_index_probe(&p->by_process, hash);
         flm_index_next(&p->by_process, &at);)
        if (p->interpreters.at[at.found].process == process->id)
            found = &p->interpreters.at[at.found];
    if (found && found->changed == process->changed)
        return found;
    if (!found) {
        if (!FLM_ARRAY_RESERVE(&p->interpreters, 1) ||
            !flm_index_add(&p->by_process, hash, (uint32_t)p->interpreters.count)) {
            flm_error_memory(why);
            return NULL;
        }
        found = &p->interpreters.at[p->interpreters.count++];
        *found = (struct interpreter){.process = process->id};
    }
    return open_python(p, found, process, why) ? found : NULL;
}

/* ---- Chains ---------------------------------------------------------------------------------- */

/* A pass over a chain, for is_loop. */
struct walk {
    bool in_user, is_exact;
};

static bool is_loop(struct walk *walk, const struct interpreter *i, uint64_t word)
{
    if (word >= FLM_CONTEXT_LEAST) {
        walk->in_user = word == FLM_CONTEXT_USER;
        walk->is_exact = true;
        return false;
    }
    uint64_t address = word - !walk->is_exact;
    walk->is_exact = false;
    return walk->in_user && flm_python_is_loop(i->python, address);
}

static size_t count_loops(const struct interpreter *i, const struct flm_runtime_sample *sample)
{
    struct walk walk = {0};
    size_t loops = 0;
    for (size_t at = 0; at < sample->count; at++)
        loops += is_loop(&walk, i, sample->chain[at]);
    return loops;
}

/* Whether the sample has the address of an instruction of the function. Unknown without a stack
 * dump. */
static bool was_there(const struct flm_python_frame *frame, const struct flm_event_sample *sample)
{
    uint64_t start = frame->instructions, size = frame->instructions_size, word;
    if (!sample->registers || sample->stack.size == 0)
        return true;
    for (size_t i = 0; i < (size_t)__builtin_popcountll(sample->layout->user_registers); i++)
        if (sample->registers[i] - start < size)
            return true;
    for (size_t at = 0; at + sizeof word <= sample->stack.size; at += sizeof word) {
        memcpy(&word, sample->stack.at + at, sizeof word);
        if (word - start < size)
            return true;
    }
    return false;
}

/* The number of a function, as an address. 0: memory ran out, or `define` failed. */
static uint64_t address_of(struct flm_pythons *p, const struct interpreter *i,
                           const struct flm_python_frame *frame, flm_event_sink define,
                           void *context, struct flm_error *why)
{
    struct known key = {i->serial, frame->code, p->options.lines ? frame->line : 0};
    uint32_t hash = (uint32_t)flm_hash(&key, sizeof key);
    for (struct flm_probe at = flm_index_probe(&p->known_index, hash);
         flm_index_next(&p->known_index, &at);)
        if (memcmp(&p->known.at[at.found], &key, sizeof key) == 0)
            return p->options.first_code + at.found;
    if (!FLM_ARRAY_RESERVE(&p->known, 1) ||
        !flm_index_add(&p->known_index, hash, (uint32_t)p->known.count)) {
        flm_error_memory(why);
        return 0;
    }
    struct flm_event event = {.kind = FLM_EVENT_CODE,
                              .process = i->process,
                              .thread = -1,
                              .time_ns = FLM_NO_TIME,
                              .cpu = UINT32_MAX,
                              .code = {.address = p->options.first_code + p->known.count,
                                       .function = frame->function,
                                       .file = frame->file,
                                       .module = {"", 0},
                                       .line = p->options.lines ? frame->line : frame->first_line,
                                       .frame_kind = FLM_KIND_INTERPRETED}};
    p->known.at[p->known.count++] = key;
    return define(context, &event, why) ? event.code.address : 0;
}

/* Appends the Python frames up to the next entry into the loop to `scratch`. */
static bool add_entry(struct flm_pythons *p, const struct interpreter *i,
                      const struct flm_python_frame **frame, const struct flm_python_frame *end,
                      size_t *count, flm_event_sink define, void *context, struct flm_error *why)
{
    bool is_entry = false;
    while (*frame < end && !is_entry && *count < MOST_CHAIN) {
        is_entry = (*frame)->is_entry;
        uint64_t address = address_of(p, i, (*frame)++, define, context, why);
        if (!address)
            return false;
        p->scratch[(*count)++] = address;
    }
    return true;
}

static bool mix(struct flm_pythons *p, const struct interpreter *i,
                struct flm_runtime_sample *sample, const struct flm_python_frame *frame,
                const struct flm_python_frame *end, flm_event_sink define, void *context,
                struct flm_error *why)
{
    struct walk walk = {0};
    size_t count = 0;
    for (size_t at = 0; at < sample->count && count < MOST_CHAIN; at++) {
        if (!is_loop(&walk, i, sample->chain[at]))
            p->scratch[count++] = sample->chain[at];
        else if (!add_entry(p, i, &frame, end, &count, define, context, why))
            return false;
    }
    /* The native frames of these were beyond the stack dump. */
    while (frame < end && count < MOST_CHAIN)
        if (!add_entry(p, i, &frame, end, &count, define, context, why))
            return false;
    sample->count = count < sample->capacity ? count : sample->capacity;
    memcpy(sample->chain, p->scratch, sample->count * sizeof *p->scratch);
    return true;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* The kernel's number of the stack pointer. */
#if defined(__aarch64__)
enum { STACK_POINTER = PERF_REG_ARM64_SP };
#else
enum { STACK_POINTER = PERF_REG_X86_SP };
#endif

static struct flm_python_stack_dump dump_of(const struct flm_event_sample *sample)
{
    uint64_t wanted = UINT64_C(1) << STACK_POINTER, mask = sample->layout->user_registers;
    if (!sample->registers || !(mask & wanted))
        return (struct flm_python_stack_dump){0};
    size_t at = (size_t)__builtin_popcountll(mask & (wanted - 1));
    return (struct flm_python_stack_dump){sample->stack, sample->registers[at]};
}

/* Whether the thread is blocked, not runnable. */
static bool is_blocked(int32_t process, int32_t thread)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", process, thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = 0;
    const char *name_end =
        strrchr(text, ')'); /* "4711 (name) S ...", and names may hold anything */
    return name_end && name_end[1] == ' ' && (name_end[2] == 'S' || name_end[2] == 'D');
}

static bool is_too_old(const struct flm_event *event, bool has_dump, int64_t now_ns)
{
    if (event->time_ns == FLM_NO_TIME)
        return true;
    int64_t age_ns = now_ns - event->time_ns;
    if (age_ns <= (has_dump ? OLDEST_WITH_DUMP_NS : OLDEST_NS))
        return false;
    return !has_dump || !event->sample.layout->only_marks || age_ns > OLDEST_OF_BLOCKED_NS ||
           !is_blocked(event->process, event->thread);
}

/* Leaves out the functions that the thread has called since the sample: the innermost one of the
 * sample is the first that was there, with as many entries below it as the sample has loops. False
 * when there is none: it has returned. */
static bool skip_later(const struct flm_runtime_sample *sample, size_t loops,
                       const struct flm_python_frame **frames, size_t *count)
{
    size_t entries = 0;
    for (size_t at = 0; at < *count; at++)
        entries += (*frames)[at].is_entry;
    bool is_known = sample->event->sample.registers && sample->event->sample.stack.size > 0;
    for (; *count > 0; --*count, entries -= (*frames)++->is_entry) {
        bool agree = sample->is_whole ? entries == loops : entries >= loops;
        if (agree && was_there(*frames, &sample->event->sample))
            return true;
        if (entries < loops || !is_known)
            return false;
    }
    return false;
}

static bool do_agree(const struct flm_runtime_sample *sample, size_t loops,
                     const struct flm_python_frame *frames, size_t count)
{
    size_t entries = 0;
    for (size_t at = 0; at < count; at++)
        entries += frames[at].is_entry;
    return sample->is_whole ? entries == loops : entries >= loops;
}

/* The frames, if they are those of the sample; else counts the reason. */
static bool read_checked(struct flm_pythons *p, const struct interpreter *i,
                         const struct flm_runtime_sample *sample, size_t loops, int64_t now_ns,
                         const struct flm_python_frame **frames, size_t *count)
{
    enum { TRIES = 4 };
    struct flm_python_counts *c = &p->counts;
    struct flm_python_stack_dump dump = dump_of(&sample->event->sample);
    if (is_too_old(sample->event, dump.stack.size > 0, now_ns)) {
        c->stale++;
        return false;
    }
    enum flm_python_result result = FLM_PYTHON_TORN;
    for (int again = 0; again < TRIES && result == FLM_PYTHON_TORN; again++)
        result = flm_python_read(i->python, sample->event->thread, now_ns, dump, frames, count);
    c->torn += result == FLM_PYTHON_TORN;
    c->without += result == FLM_PYTHON_NO_FRAMES;
    c->unreadable += result == FLM_PYTHON_GONE;
    c->denied += result == FLM_PYTHON_GONE && flm_python_is_denied(i->python);
    if (result != FLM_PYTHON_FRAMES)
        return false;
    bool agree = do_agree(sample, loops, *frames, *count);
    if (skip_later(sample, loops, frames, count))
        return true;
    c->disagreeing += !agree;
    c->moved_on += agree;
    return false;
}

bool flm_pythons_mix(struct flm_pythons *p, struct flm_runtime_sample *sample, int64_t now_ns,
                     flm_event_sink define, void *context, struct flm_error *why)
{
    if (sample->event->process <= 0)
        return true;
    const struct interpreter *i = find_interpreter(p, sample->process, why);
    if (!i)
        return false;
    if (i->is_refused)
        p->counts.unreadable++;
    size_t loops = i->python ? count_loops(i, sample) : 0;
    if (loops == 0)
        return true;
    const struct flm_python_frame *frames;
    size_t count;
    p->counts.samples++;
    bool good = read_checked(p, i, sample, loops, now_ns, &frames, &count);
    p->counts.read_ns += flm_now_ns() - now_ns;
    if (!good)
        return true;
    p->counts.mixed++;
    return mix(p, i, sample, frames, frames + count, define, context, why);
}

/* ---- The entry ------------------------------------------------------------------------------- */

static void *attach(const struct flm_runtime_options *options, struct flm_error *why)
{
    return flm_pythons_new(options, why);
}

static bool mix_attached(void *attached, struct flm_runtime_sample *sample, int64_t now_ns,
                         flm_event_sink define, void *context, struct flm_error *why)
{
    return flm_pythons_mix(attached, sample, now_ns, define, context, why);
}

/* Samples in CPython that kept their native frames, by reason. */
static void report_all(const void *attached, const struct flm_runtime_report *report)
{
    struct flm_python_counts c = flm_pythons_counts(attached);
    const struct {
        const char *what;
        uint64_t count;
    } losses[] = {
        {"Python frames of samples (read too late)", c.stale},
        {"Python frames of samples (changed while being read)", c.torn},
        {"Python frames of samples (thread unknown to the interpreter)", c.without},
        {"Python frames of samples (thread called or returned before the read)", c.disagreeing},
        {"Python frames of samples (thread moved on before the read)", c.moved_on},
        {"Python frames of samples (process ended, or cannot be read)", c.unreadable - c.denied},
        {"Python frames of samples (reading is not allowed: run as root, or set "
         "kernel.yama.ptrace_scope=0)",
         c.denied},
    };
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
        report->lost(report->session, losses[i].what, (double)losses[i].count);
    char text[160];
    snprintf(text, sizeof text,
             "frames in %llu of %llu samples, %.1f us and %.1f system calls each",
             (unsigned long long)c.mixed, (unsigned long long)c.samples,
             c.samples ? (double)c.read_ns / 1e3 / (double)c.samples : 0,
             c.samples ? (double)c.calls / (double)c.samples : 0);
    if (c.samples > 0)
        report->note(report->session, "python", flm_bytes_of(text));
    struct flm_bytes refused = flm_pythons_refused(attached);
    if (refused.size > 0)
        report->note(report->session, "python (not read)", refused);
}

static void close_attached(void *attached)
{
    flm_pythons_free(attached);
}

extern const struct flm_runtime flm_runtime_cpython;
const struct flm_runtime flm_runtime_cpython = {.name = "CPython",
                                                .is_interpreter = flm_python_is_named,
                                                .symbol = "_PyRuntime",
                                                .attach = attach,
                                                .mix = mix_attached,
                                                .report = report_all,
                                                .close = close_attached};
