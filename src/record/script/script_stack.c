#include "record/script/script_stack.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/array.h"
#include "flamel/profile.h"
#include "os/clock.h"
#include "record/runtime/code_numbers.h"
#include "record/runtime/stack_dump.h"

/* The registers are those of the sample, so a late read is noticed by what it finds. */
enum {
    OLDEST_NS = 50000000,
    MOST_CHAIN = 8192,
    MOST_LOOPS = 2048,
    LONGEST_FUNCTION = 1 << 15 /* bytes of a function in C that a native frame is looked for in */
};

enum { MOST_GLUE = 64 };

/* Return addresses between the loop and functions in C: where such a function has no frame of its
 * own, since it ended with a jump to another one, these are known by their addresses. */
struct glue {
    uint64_t serial; /* of the interpreter */
    size_t count;
    uint64_t at[MOST_GLUE];
};

struct flm_scripts {
    const struct flm_script_interpreter *kind;
    struct flm_runtime_options options;
    struct flm_opened_all opened;
    struct FLM_ARRAY(struct glue) glue; /* of each that was opened */
    struct flm_code_numbers numbers;
    struct flm_script_counts counts;
    size_t user[MOST_CHAIN]; /* where the user's addresses are in the chain */
    size_t user_count;
    struct loop {
        size_t first, last; /* its frames, by their index in `user` */
    } loops[MOST_LOOPS];
    size_t loop_count;
    bool is_whole; /* the script frames are */
    uint64_t scratch[MOST_CHAIN];
    size_t scratch_count;
};

struct flm_scripts *flm_scripts_new(const struct flm_script_interpreter *kind,
                                    const struct flm_runtime_options *options,
                                    struct flm_error *why)
{
    assert(kind && options && options->first_code >= FLM_CODE_FIRST);
    struct flm_scripts *all = calloc(1, sizeof *all);
    if (!all) {
        flm_error_memory(why);
        return NULL;
    }
    all->kind = kind;
    all->options = *options;
    all->opened.kind = &kind->opened;
    all->numbers.first = options->first_code;
    return all;
}

void *flm_scripts_attach(const struct flm_runtime *runtime,
                         const struct flm_runtime_options *options, struct flm_error *why)
{
    return flm_scripts_new(runtime->script, options, why);
}

void flm_scripts_free(void *scripts)
{
    struct flm_scripts *all = scripts;
    if (!all)
        return;
    flm_opened_clear(&all->opened);
    flm_code_numbers_clear(&all->numbers);
    free(all->glue.at);
    free(all);
}

struct flm_script_counts flm_scripts_counts(const struct flm_scripts *all)
{
    struct flm_script_counts counts = all->counts;
    counts.calls = flm_opened_calls(&all->opened);
    return counts;
}

/* NULL, and `why`, when memory ran out. */
static struct glue *glue_of(struct flm_scripts *all, const struct flm_opened *one,
                            struct flm_error *why)
{
    size_t number = (size_t)(one - all->opened.items.at);
    if (number >= all->glue.count) {
        size_t more = number + 1 - all->glue.count;
        if (!FLM_ARRAY_RESERVE(&all->glue, more)) {
            flm_error_memory(why);
            return NULL;
        }
        memset(all->glue.at + all->glue.count, 0, more * sizeof *all->glue.at);
        all->glue.count += more;
    }
    struct glue *glue = &all->glue.at[number];
    if (glue->serial != one->serial)
        *glue = (struct glue){.serial = one->serial};
    return glue;
}

/* ---- Functions ------------------------------------------------------------------------------- */

struct flm_bytes flm_script_function_name(const struct flm_script_function *f)
{
    return (struct flm_bytes){f->text.at, f->name_size};
}

struct flm_bytes flm_script_function_file(const struct flm_script_function *f)
{
    return (struct flm_bytes){f->text.at + f->name_size, f->text.size - f->name_size};
}

void flm_script_frame_name(struct flm_script_frame *frame, const struct flm_script_function *f,
                           uint32_t line)
{
    frame->function = flm_script_function_name(f);
    frame->file = flm_script_function_file(f);
    frame->first_line = f->first_line;
    frame->line = line;
    frame->code = f->serial;
    frame->native = f->native;
}

/* ---- The native stack ------------------------------------------------------------------------ */

/* The addresses of user code, and the loops among them, innermost first. An address behind a marker
 * is the instruction's own, others are return addresses. */
static void find_loops(struct flm_scripts *all, const struct flm_opened *one,
                       const struct flm_runtime_sample *sample)
{
    bool in_user = false, is_exact = false;
    all->user_count = all->loop_count = 0;
    for (size_t at = 0; at < sample->count && all->user_count < MOST_CHAIN; at++) {
        uint64_t word = sample->chain[at];
        if (word >= FLM_CONTEXT_LEAST) {
            in_user = word == FLM_CONTEXT_USER;
            is_exact = true;
            continue;
        }
        if (!in_user)
            continue;
        size_t number = all->user_count;
        all->user[all->user_count++] = at;
        if (all->kind->is_loop(one->at, word - !is_exact) && all->loop_count < MOST_LOOPS) {
            struct loop *loop = &all->loops[all->loop_count++];
            *loop = (struct loop){number, number};
            if (all->kind->is_split(one->at) && number > 0 &&
                (all->loop_count == 1 || loop[-1].last < number - 1) &&
                all->kind->is_own(one->at, sample->chain[all->user[number - 1]] - 1))
                loop->first--;
        }
        is_exact = false;
    }
}

/* ---- Together -------------------------------------------------------------------------------- */

struct mixing {
    struct flm_scripts *all;
    const struct flm_opened *one;
    struct glue *glue;
    const struct flm_runtime_sample *sample;
    struct flm_code_sink sink;
};

static void put(struct flm_scripts *all, uint64_t word)
{
    if (all->scratch_count < MOST_CHAIN)
        all->scratch[all->scratch_count++] = word;
}

static bool put_frame(const struct mixing *m, const struct flm_script_frame *frame)
{
    bool lines = m->all->options.lines;
    const struct flm_event_code code = {.function = frame->function,
                                        .file = frame->file,
                                        .module = {"", 0},
                                        .line = lines ? frame->line : frame->first_line,
                                        .frame_kind = FLM_KIND_INTERPRETED};
    const struct flm_code_key key = {m->one->serial, frame->code, lines ? frame->line : 0};
    uint64_t address = flm_code_number(&m->all->numbers, key, m->one->process, &code, &m->sink);
    put(m->all, address);
    return address != 0;
}

static uint64_t native_at(const struct mixing *m, size_t number)
{
    return m->sample->chain[m->all->user[number]];
}

/* The outermost of the native frames [from, to) that is in a function in C; SIZE_MAX: none. */
static size_t find_native(const struct mixing *m, size_t from, size_t to, uint64_t function)
{
    for (size_t i = to; i-- > from;)
        if (native_at(m, i) - 1 - function < LONGEST_FUNCTION)
            return i;
    return SIZE_MAX;
}

static bool is_glue(const struct glue *glue, uint64_t address)
{
    for (size_t i = 0; i < glue->count; i++)
        if (glue->at[i] == address)
            return true;
    return false;
}

static void remember_glue(struct glue *glue, uint64_t address)
{
    if (glue->count < MOST_GLUE && !is_glue(glue, address))
        glue->at[glue->count++] = address;
}

/* A native frame, with the marker in front of it, if that only says that it is exact: the first
 * marker of the user's part was put already. */
static void put_native(const struct mixing *m, size_t number)
{
    size_t at = m->all->user[number];
    if (number > 0 && m->sample->chain[at - 1] >= FLM_CONTEXT_LEAST)
        put(m->all, m->sample->chain[at - 1]);
    put(m->all, m->sample->chain[at]);
}

/* The native frames [from, to), which were called from a loop, and the functions in C at the top of
 * that loop's frames. A function in C is shown where its own native frame is, in place of it and of
 * those that lead to it. */
static bool put_called(const struct mixing *m, size_t from, size_t to,
                       const struct flm_script_frame *frame, size_t count)
{
    size_t end = to;
    for (size_t i = count; i-- > 0;) {
        size_t found = frame[i].native ? find_native(m, from, end, frame[i].native) : SIZE_MAX;
        for (size_t k = found + 1; found != SIZE_MAX && k < end; k++)
            remember_glue(m->glue, native_at(m, k));
        if (found != SIZE_MAX)
            end = found;
        while (found == SIZE_MAX && end > from && is_glue(m->glue, native_at(m, end - 1)))
            end--;
    }
    for (size_t i = from; i < end; i++)
        if (from == 0 || !m->all->kind->is_own(m->one->at, native_at(m, i) - 1))
            put_native(m, i);
    for (size_t i = 0; i < count; i++)
        if (!put_frame(m, &frame[i]))
            return false;
    return true;
}

/* How many of the frames are functions in C that were called from the frames behind them. */
static size_t count_native(const struct flm_script_frame *frame, const struct flm_script_frame *end)
{
    size_t count = 0;
    while (frame + count < end && frame[count].native && !frame[count].is_entry)
        count++;
    return count;
}

static bool put_loop(const struct mixing *m, const struct flm_script_frame **frame,
                     const struct flm_script_frame *end)
{
    for (bool is_entry = false; *frame < end && !is_entry; ++*frame) {
        is_entry = (*frame)->is_entry;
        if (!put_frame(m, *frame))
            return false;
    }
    return true;
}

static bool mix(const struct mixing *m, struct flm_runtime_sample *sample,
                const struct flm_script_frame *frame, const struct flm_script_frame *end)
{
    struct flm_scripts *all = m->all;
    all->scratch_count = 0;
    size_t native = 0, at = all->user_count > 0 ? all->user[0] : 0;
    for (size_t i = 0; i < at; i++) /* the kernel's part, and the marker of the user's */
        put(all, sample->chain[i]);
    for (size_t i = 0; i < all->loop_count; i++) {
        size_t count = count_native(frame, end);
        if (!put_called(m, native, all->loops[i].first, frame, count))
            return false;
        frame += count;
        if (!put_loop(m, &frame, end))
            return false;
        native = all->loops[i].last + 1;
    }
    bool is_cut =
        all->user_count > 0 && sample->chain[all->user[all->user_count - 1]] == FLM_CODE_TRUNCATED;
    for (; native < all->user_count; native++)
        if (!is_cut || native + 1 < all->user_count || !all->is_whole)
            put_native(m, native);
    while (frame < end) /* the native frames of these were beyond the stack dump */
        if (!put_frame(m, frame++))
            return false;
    sample->count = all->scratch_count < sample->capacity ? all->scratch_count : sample->capacity;
    memcpy(sample->chain, all->scratch, sample->count * sizeof *all->scratch);
    return true;
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Whether there are as many entries as loops. While the innermost loop is entered or left, its
 * registers are still, or again, those of the one before: it has no frames then. */
static bool make_agree(struct flm_scripts *all, struct flm_script_frame *frames, size_t count,
                       bool is_whole)
{
    size_t entries = 0;
    for (size_t i = 0; i < count; i++)
        entries += frames[i].is_entry;
    if (count > 0 && frames[0].is_guess && entries < all->loop_count) {
        frames[0].is_entry = true;
        entries++;
    }
    if (entries + 1 == all->loop_count && all->loop_count > 1) {
        all->loop_count--;
        memmove(all->loops, all->loops + 1, all->loop_count * sizeof *all->loops);
    }
    return is_whole ? entries == all->loop_count : entries >= all->loop_count;
}

/* The frames, if they are those of the sample; else counts the reason. */
static bool read_checked(struct flm_scripts *all, const struct flm_opened *one,
                         const struct flm_runtime_sample *sample, int64_t now_ns,
                         struct flm_script_frame **frames, size_t *count)
{
    struct flm_script_counts *c = &all->counts;
    struct flm_script_place place = {
        .thread = sample->event->thread, .now_ns = now_ns, .is_leaf = all->loops[0].first == 0};
    if (flm_sample_is_late(sample->event, now_ns, OLDEST_NS)) {
        c->lost[FLM_SCRIPT_LOST_STALE]++;
        return false;
    }
    if (!sample->registers || !sample->registers(sample, all->loops[0].first, &place.registers)) {
        c->lost[FLM_SCRIPT_LOST_WITHOUT_REGISTERS]++;
        return false;
    }
    enum flm_script_result result = all->kind->read(one->at, &place, frames, count);
    c->lost[FLM_SCRIPT_LOST_TORN] += result == FLM_SCRIPT_TORN;
    c->lost[FLM_SCRIPT_LOST_NONE] += result == FLM_SCRIPT_NONE;
    c->lost[FLM_SCRIPT_LOST_MOVED_ON] += result == FLM_SCRIPT_MOVED_ON;
    c->lost[FLM_SCRIPT_LOST_UNREADABLE] += result == FLM_SCRIPT_GONE;
    if (result != FLM_SCRIPT_FRAMES)
        return false;
    if (make_agree(all, *frames, *count, sample->is_whole)) {
        all->is_whole = place.is_whole;
        return true;
    }
    c->lost[FLM_SCRIPT_LOST_DISAGREEING]++;
    return false;
}

bool flm_scripts_mix(void *scripts, struct flm_runtime_sample *sample, int64_t now_ns,
                     flm_event_sink define, void *context, struct flm_error *why)
{
    struct flm_scripts *all = scripts;
    if (sample->event->process <= 0)
        return true;
    const struct flm_opened *one = flm_opened_find(&all->opened, sample->process, why);
    if (!one)
        return false;
    all->counts.lost[FLM_SCRIPT_LOST_UNREADABLE] += one->is_refused;
    if (!one->at)
        return true;
    find_loops(all, one, sample);
    if (all->loop_count == 0)
        return true;
    struct flm_script_frame *frames = NULL;
    size_t count = 0;
    all->counts.samples++;
    bool good = read_checked(all, one, sample, now_ns, &frames, &count);
    all->counts.read_ns += flm_now_ns() - now_ns;
    if (!good)
        return true;
    all->counts.mixed++;
    struct glue *glue = glue_of(all, one, why);
    const struct mixing mixing = {all, one, glue, sample, {define, context, why}};
    return glue && mix(&mixing, sample, frames, frames + count);
}

void flm_scripts_report(const void *scripts, const struct flm_runtime_report *report)
{
    const struct flm_scripts *all = scripts;
    struct flm_script_counts c = flm_scripts_counts(all);
    char text[200];
    for (size_t i = 0; i < FLM_SCRIPT_LOSSES; i++)
        report->lost(report->session, all->kind->losses[i], (double)c.lost[i]);
    snprintf(text, sizeof text,
             "frames in %llu of %llu samples, %.1f us and %.1f system calls each",
             (unsigned long long)c.mixed, (unsigned long long)c.samples,
             c.samples ? (double)c.read_ns / 1e3 / (double)c.samples : 0,
             c.samples ? (double)c.calls / (double)c.samples : 0);
    if (c.samples > 0)
        report->note(report->session, all->kind->note, flm_bytes_of(text));
    if (all->opened.refused[0])
        report->note(report->session, all->kind->note_refused, flm_bytes_of(all->opened.refused));
}
