#include "record/python/stack.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flamel/profile.h"
#include "os/clock.h"
#include "record/python/find.h"
#include "record/python/gil.h"
#include "record/python/python.h"
#include "record/python/task.h"
#include "record/python/thread_name.h"
#include "record/runtime/code_numbers.h"
#include "record/runtime/lasting_texts.h"
#include "record/runtime/opened.h"

/* On a busy machine the recorder waits for a CPU, and so may the sampled thread: its stack dump
 * shows whether it has run in between. */
enum { OLDEST_NS = 3000000, OLDEST_WITH_DUMP_NS = 20000000, MOST_CHAIN = 8192 };

struct flm_pythons {
    struct flm_runtime_options options;
    struct flm_opened_all opened;
    struct flm_code_numbers numbers;
    struct flm_lasting_texts names; /* of tasks and threads */
    struct flm_python_counts counts;
    uint64_t scratch[MOST_CHAIN];
};

static void *open_python(const struct flm_process *process, struct flm_error *why)
{
    return flm_python_open(process, why);
}

static void close_python(void *python)
{
    flm_python_close(python);
}

static uint64_t calls_of(const void *python)
{
    return flm_python_calls(python);
}

static const struct flm_opened_kind cpython = {open_python, close_python, calls_of};

struct flm_pythons *flm_pythons_new(const struct flm_runtime_options *options,
                                    struct flm_error *why)
{
    assert(options && options->first_code >= FLM_CODE_FIRST);
    struct flm_pythons *p = calloc(1, sizeof *p);
    if (!p) {
        flm_error_memory(why);
        return NULL;
    }
    p->options = *options;
    p->opened.kind = &cpython;
    p->numbers.first = options->first_code;
    return p;
}

void flm_pythons_free(void *pythons)
{
    struct flm_pythons *p = pythons;
    if (!p)
        return;
    flm_opened_clear(&p->opened);
    flm_code_numbers_clear(&p->numbers);
    flm_lasting_texts_clear(&p->names);
    free(p);
}

struct flm_python_counts flm_pythons_counts(const struct flm_pythons *p)
{
    struct flm_python_counts counts = p->counts;
    counts.calls = flm_opened_calls(&p->opened);
    return counts;
}

struct flm_bytes flm_pythons_refused(const struct flm_pythons *p)
{
    return flm_bytes_of(p->opened.refused);
}

/* ---- Chains ---------------------------------------------------------------------------------- */

/* A pass over a chain, for is_loop. */
struct walk {
    bool in_user, is_exact;
};

static bool is_loop(struct walk *walk, const struct flm_opened *i, uint64_t word)
{
    if (word >= FLM_CONTEXT_LEAST) {
        walk->in_user = word == FLM_CONTEXT_USER;
        walk->is_exact = true;
        return false;
    }
    uint64_t address = word - !walk->is_exact;
    walk->is_exact = false;
    return walk->in_user && flm_python_is_loop(i->at, address);
}

static size_t count_loops(const struct flm_opened *i, const struct flm_runtime_sample *sample)
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

struct mixing {
    struct flm_pythons *p;
    const struct flm_opened *i;
    struct flm_code_sink sink;
    size_t bare;  /* the innermost loops that have no frame */
    size_t count; /* of `scratch` */
    bool waits;   /* for the GIL, and its frame for that is not there yet */
};

static bool put_frame(struct mixing *m, const struct flm_python_frame *frame)
{
    bool lines = m->p->options.lines;
    const struct flm_event_code code = {.function = frame->function,
                                        .file = frame->file,
                                        .module = {"", 0},
                                        .line = lines ? frame->line : frame->first_line,
                                        .frame_kind = FLM_KIND_INTERPRETED};
    const struct flm_code_key key = {m->i->serial, frame->code, lines ? frame->line : 0};
    uint64_t address = flm_code_number(&m->p->numbers, key, m->i->process, &code, &m->sink);
    if (address)
        m->p->scratch[m->count++] = address;
    return address != 0;
}

/* Appends the Python frames up to the next entry into the loop to `scratch`. */
static bool put_entry(struct mixing *m, const struct flm_python_frame **frame,
                      const struct flm_python_frame *end)
{
    bool is_entry = false;
    while (*frame < end && !is_entry && m->count < MOST_CHAIN) {
        is_entry = (*frame)->is_entry;
        if (!put_frame(m, (*frame)++))
            return false;
    }
    return true;
}

/* A frame for the wait, called by the innermost native frame of the interpreter, which has a name
 * only where the interpreter has symbols. */
static bool put_wait(struct mixing *m)
{
    enum { WAIT = 1 };
    static const char name[] = "[waiting for the GIL]";
    const struct flm_event_code code = {.function = {name, sizeof name - 1},
                                        .file = {"", 0},
                                        .module = {"", 0},
                                        .frame_kind = FLM_KIND_LABEL};
    uint64_t address = flm_code_number(&m->p->numbers, (struct flm_code_key){m->i->serial, 0, WAIT},
                                       m->i->process, &code, &m->sink);
    if (address)
        m->p->scratch[m->count++] = address;
    m->waits = false;
    return address != 0;
}

static bool is_own(const struct mixing *m, const struct flm_process *process, uint64_t address)
{
    const struct flm_mapping *code = flm_process_find(process, flm_python_loop(m->i->at));
    return address < FLM_CODE_FIRST && code && code == flm_process_find(process, address);
}

/* Removes the last frame if it is native code of the interpreter: the instruction that the loop has
 * called. */
static void remove_instruction(struct mixing *m, const struct flm_process *process)
{
    m->count -= m->count > 0 && is_own(m, process, m->p->scratch[m->count - 1]);
}

static bool mix(struct mixing *m, struct flm_runtime_sample *sample,
                const struct flm_python_frame *frame, const struct flm_python_frame *end)
{
    struct walk walk = {0};
    bool has_instructions = flm_python_has_instructions(m->i->at);
    for (size_t at = 0; at < sample->count && m->count < MOST_CHAIN; at++) {
        bool is_native = !is_loop(&walk, m->i, sample->chain[at]);
        if (m->waits && walk.in_user && is_own(m, sample->process, sample->chain[at]) &&
            !put_wait(m))
            return false;
        if (is_native || m->bare > 0) {
            m->bare -= !is_native;
            m->p->scratch[m->count++] = sample->chain[at];
            continue;
        }
        if (has_instructions)
            remove_instruction(m, sample->process);
        if (!put_entry(m, &frame, end))
            return false;
    }
    /* The native frames of these were beyond the stack dump. */
    while (frame < end && m->count < MOST_CHAIN)
        if (!put_entry(m, &frame, end))
            return false;
    sample->count = m->count < sample->capacity ? m->count : sample->capacity;
    memcpy(sample->chain, m->p->scratch, sample->count * sizeof *m->p->scratch);
    return true;
}

/* ---- Labels: the lock and the task ----------------------------------------------------------- */

static const char gil_state[] = "GIL";

static void label_gil(const struct flm_opened *i, struct flm_runtime_sample *sample, bool waits)
{
    static const char key[] = "GIL", held[] = "held", released[] = "released",
                      waiting[] = "waiting";
    enum flm_python_gil gil = flm_python_gil_of(i->at, sample->event->thread);
    if (gil == FLM_PYTHON_GIL_UNKNOWN)
        return;
    const char *value = waits ? waiting : gil == FLM_PYTHON_GIL_HELD ? held : released;
    sample->labels[0] = (struct flm_runtime_label){key, flm_bytes_of(value)};
}

static void label_task(struct flm_pythons *p, const struct flm_opened *i,
                       struct flm_runtime_sample *sample, const struct flm_python_frame *frames,
                       size_t count)
{
    static const char key[] = "task";
    char buffer[256];
    struct flm_text name;
    flm_text_init_fixed(&name, buffer, sizeof buffer);
    if (!flm_python_task(i->at, sample->process, sample->event->thread, frames, count, &name) ||
        name.size == 0)
        return;
    struct flm_bytes kept = flm_lasting_text(&p->names, (struct flm_bytes){name.at, name.size});
    if (kept.size > 0)
        sample->labels[1] = (struct flm_runtime_label){key, kept};
}

/* ---- Samples --------------------------------------------------------------------------------- */

static bool is_too_old(const struct flm_event *event, bool has_dump, int64_t now_ns)
{
    if (has_dump)
        return flm_sample_is_late(event, now_ns, OLDEST_WITH_DUMP_NS);
    return event->time_ns == FLM_NO_TIME || now_ns - event->time_ns > OLDEST_NS;
}

/* A sample, and what its frames are compared with. */
struct comparison {
    const struct flm_opened *i;
    const struct flm_runtime_sample *sample;
    struct flm_stack_dump dump;
    size_t loops;
    size_t bare; /* of these, innermost ones that have no frame */
};

static size_t count_entries(const struct flm_python_frame *frames, size_t count)
{
    size_t entries = 0;
    for (size_t at = 0; at < count; at++)
        entries += frames[at].is_entry;
    return entries;
}

static bool do_agree(const struct comparison *c, size_t entries)
{
    return c->sample->is_whole ? entries == c->loops : entries >= c->loops;
}

/* Leaves out the functions that the thread has called since the sample: the innermost one of the
 * sample is the first that was there, with as many entries below it as the sample has loops. False
 * when there is none: it has returned. */
static bool skip_later(const struct comparison *c, const struct flm_python_frame **frames,
                       size_t *count)
{
    const struct flm_python_frame *first = *frames;
    size_t left = *count, entries = count_entries(first, left);
    bool is_known = c->sample->event->sample.registers && c->dump.bytes.size > 0;
    for (; left > 0; left--, entries -= first++->is_entry) {
        if (do_agree(c, entries) && was_there(first, &c->sample->event->sample)) {
            *frames = first;
            *count = left;
            return true;
        }
        if (entries < c->loops || !is_known)
            return false;
    }
    return false;
}

/* The thread has not run since, and no instruction is at hand: it clears the variables of a
 * function that returns, say, or enters or leaves a loop, which has no frame then. */
static bool has_stayed(struct comparison *c, size_t entries)
{
    c->bare = entries + 1 == c->loops;
    return (do_agree(c, entries) || c->bare > 0) && flm_python_stands_still(c->i->at, c->dump);
}

/* The frames, if they are those of the sample; else counts the reason. */
static bool read_checked(struct flm_pythons *p, struct comparison *comparison, int64_t now_ns,
                         const struct flm_python_frame **frames, size_t *count)
{
    enum { TRIES = 4 };
    struct flm_python_counts *c = &p->counts;
    const struct flm_event *event = comparison->sample->event;
    struct flm_python *python = comparison->i->at;
    if (is_too_old(event, comparison->dump.bytes.size > 0, now_ns)) {
        c->stale++;
        return false;
    }
    enum flm_python_result result = FLM_PYTHON_TORN;
    for (int again = 0; again < TRIES && result == FLM_PYTHON_TORN; again++)
        result = flm_python_read(python, event->thread, now_ns, comparison->dump, frames, count);
    c->torn += result == FLM_PYTHON_TORN;
    c->without += result == FLM_PYTHON_NO_FRAMES;
    c->unreadable += result == FLM_PYTHON_GONE;
    c->denied += result == FLM_PYTHON_GONE && flm_python_is_denied(python);
    if (result != FLM_PYTHON_FRAMES)
        return false;
    size_t entries = count_entries(*frames, *count);
    if (skip_later(comparison, frames, count) || has_stayed(comparison, entries))
        return true;
    c->moved_on += do_agree(comparison, entries);
    c->disagreeing += !do_agree(comparison, entries);
    return false;
}

bool flm_pythons_mix(void *pythons, struct flm_runtime_sample *sample, int64_t now_ns,
                     flm_event_sink define, void *context, struct flm_error *why)
{
    struct flm_pythons *p = pythons;
    if (sample->event->process <= 0)
        return true;
    const struct flm_opened *i = flm_opened_find(&p->opened, sample->process, why);
    if (!i)
        return false;
    if (i->is_refused)
        p->counts.unreadable++;
    if (!i->at)
        return true;
    struct mixing mixing = {
        .p = p,
        .i = i,
        .sink = {define, context, why},
        .waits = flm_python_waits_for_gil(i->at, sample->event->thread, &sample->event->sample)};
    if (mixing.waits)
        sample->state = flm_bytes_of(gil_state);
    const struct flm_python_frame *frames = NULL;
    size_t count = 0, loops = count_loops(i, sample);
    sample->thread_name =
        flm_python_thread_name(i->at, sample->event->thread, NULL, 0, now_ns, &p->names);
    if (loops == 0)
        return !mixing.waits || mix(&mixing, sample, NULL, NULL);
    p->counts.samples++;
    struct comparison comparison = {
        .i = i,
        .sample = sample,
        .dump = flm_stack_dump_of(&sample->event->sample),
        .loops = loops,
    };
    bool good = read_checked(p, &comparison, now_ns, &frames, &count);
    if (good) {
        label_gil(i, sample, mixing.waits);
        label_task(p, i, sample, frames, count);
        sample->thread_name =
            flm_python_thread_name(i->at, sample->event->thread, frames, count, now_ns, &p->names);
    }
    p->counts.read_ns += flm_now_ns() - now_ns;
    p->counts.mixed += good;
    mixing.bare = good ? comparison.bare : loops;
    if (good)
        return mix(&mixing, sample, frames, frames + count);
    return !mixing.waits || mix(&mixing, sample, NULL, NULL);
}

/* ---- The entry ------------------------------------------------------------------------------- */

static void *attach(const struct flm_runtime *runtime, const struct flm_runtime_options *options,
                    struct flm_error *why)
{
    (void)runtime;
    return flm_pythons_new(options, why);
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

extern const struct flm_runtime flm_runtime_cpython;
const struct flm_runtime flm_runtime_cpython = {.name = "CPython",
                                                .is_interpreter = flm_python_is_named,
                                                .symbol = "_PyRuntime",
                                                .attach = attach,
                                                .mix = flm_pythons_mix,
                                                .report = report_all,
                                                .close = flm_pythons_free};
