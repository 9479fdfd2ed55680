#include "record/runtime/script_stack.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/core/array.h"
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/text/text.h"
#include "flamel/profile.h"
#include "os/clock.h"

/* The registers are those of the sample, so a late read is noticed by what it finds. A thread that
 * was blocked, and is blocked now, has hardly moved on. */
enum {
    OLDEST_NS = 50000000,
    OLDEST_OF_BLOCKED_NS = 1000000000,
    MOST_CHAIN = 8192,
    MOST_LOOPS = 2048,
    LONGEST_FUNCTION = 1 << 15 /* bytes of a function in C that a native frame is looked for in */
};

enum { MOST_GLUE = 64 };

struct opened {
    int32_t process;
    uint64_t changed;   /* of its mappings, when they were searched */
    int64_t started_ns; /* of its program */
    uint64_t serial;
    void *at; /* NULL: it has none, or one that cannot be read */
    bool is_refused;
    /* Return addresses between the loop and functions in C: where such a function has no frame of
     * its own, since it ended with a jump to another one, these are known by their addresses. */
    uint64_t glue[MOST_GLUE];
    size_t glue_count;
};

struct known {
    uint64_t interpreter, code, line;
};

struct flm_scripts {
    const struct flm_script_interpreter *kind;
    struct flm_runtime_options options;
    struct FLM_ARRAY(struct opened) opened;
    struct flm_index by_process;
    struct FLM_ARRAY(struct known) known; /* the nth has the address options.first_code + n */
    struct flm_index known_index;
    uint64_t serials;
    struct flm_script_counts counts;
    char refused[sizeof((struct flm_error *)0)->text];
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
    return all;
}

static void close_one(struct flm_scripts *all, struct opened *one)
{
    if (!one->at)
        return;
    all->counts.calls += all->kind->calls(one->at);
    all->kind->close(one->at);
    one->at = NULL;
}

void flm_scripts_free(struct flm_scripts *all)
{
    if (!all)
        return;
    for (size_t i = 0; i < all->opened.count; i++)
        close_one(all, &all->opened.at[i]);
    free(all->opened.at);
    free(all->known.at);
    flm_index_clear(&all->by_process);
    flm_index_clear(&all->known_index);
    free(all);
}

struct flm_script_counts flm_scripts_counts(const struct flm_scripts *all)
{
    struct flm_script_counts counts = all->counts;
    for (size_t i = 0; i < all->opened.count; i++)
        if (all->opened.at[i].at)
            counts.calls += all->kind->calls(all->opened.at[i].at);
    return counts;
}

/* ---- Processes ------------------------------------------------------------------------------- */

/* A process maps files until its program runs, and exec replaces all of them. What was found stays
 * where it is until then: a program goes on mapping files, and to read the symbols of a library
 * takes a millisecond. */
static bool is_current(const struct opened *one, const struct flm_process *process)
{
    return one->changed == process->changed || (one->at && one->started_ns == process->started_ns);
}

static bool open_one(struct flm_scripts *all, struct opened *one, const struct flm_process *process,
                     struct flm_error *why)
{
    struct flm_error reason = {0};
    close_one(all, one);
    one->changed = process->changed;
    one->started_ns = process->started_ns;
    one->serial = ++all->serials;
    one->at = all->kind->open(process, &reason);
    one->is_refused = !one->at && reason.kind != FLM_ERROR_NONE;
    if (reason.kind == FLM_ERROR_MEMORY)
        return flm_error_memory(why);
    if (one->is_refused)
        memcpy(all->refused, reason.text, sizeof all->refused);
    return true;
}

/* NULL, and `why`, when memory ran out. */
static struct opened *find_opened(struct flm_scripts *all, const struct flm_process *process,
                                  struct flm_error *why)
{
    uint32_t hash = (uint32_t)flm_hash(&process->id, sizeof process->id);
    struct opened *found = NULL;
    for (struct flm_probe at = flm_index_probe(&all->by_process, hash);
         flm_index_next(&all->by_process, &at);)
        if (all->opened.at[at.found].process == process->id)
            found = &all->opened.at[at.found];
    if (found && is_current(found, process))
        return found;
    if (!found) {
        if (!FLM_ARRAY_RESERVE(&all->opened, 1) ||
            !flm_index_add(&all->by_process, hash, (uint32_t)all->opened.count)) {
            flm_error_memory(why);
            return NULL;
        }
        found = &all->opened.at[all->opened.count++];
        *found = (struct opened){.process = process->id};
    }
    return open_one(all, found, process, why) ? found : NULL;
}

/* ---- The native stack ------------------------------------------------------------------------ */

/* The addresses of user code, and the loops among them, innermost first. An address behind a marker
 * is the instruction's own, others are return addresses. */
static void find_loops(struct flm_scripts *all, const struct opened *one,
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

/* ---- Functions ------------------------------------------------------------------------------- */

/* The number of a function, as an address. 0: memory ran out, or `define` failed. */
static uint64_t address_of(struct flm_scripts *all, const struct opened *one,
                           const struct flm_script_frame *frame, flm_event_sink define,
                           void *context, struct flm_error *why)
{
    struct known key = {one->serial, frame->code, all->options.lines ? frame->line : 0};
    uint32_t hash = (uint32_t)flm_hash(&key, sizeof key);
    for (struct flm_probe at = flm_index_probe(&all->known_index, hash);
         flm_index_next(&all->known_index, &at);)
        if (memcmp(&all->known.at[at.found], &key, sizeof key) == 0)
            return all->options.first_code + at.found;
    if (!FLM_ARRAY_RESERVE(&all->known, 1) ||
        !flm_index_add(&all->known_index, hash, (uint32_t)all->known.count)) {
        flm_error_memory(why);
        return 0;
    }
    struct flm_event event = {.kind = FLM_EVENT_CODE,
                              .process = one->process,
                              .thread = -1,
                              .time_ns = FLM_NO_TIME,
                              .cpu = UINT32_MAX,
                              .code = {.address = all->options.first_code + all->known.count,
                                       .function = frame->function,
                                       .file = frame->file,
                                       .module = {"", 0},
                                       .line = all->options.lines ? frame->line : frame->first_line,
                                       .frame_kind = FLM_KIND_INTERPRETED}};
    all->known.at[all->known.count++] = key;
    return define(context, &event, why) ? event.code.address : 0;
}

/* ---- Together -------------------------------------------------------------------------------- */

struct mixing {
    struct flm_scripts *all;
    struct opened *one;
    const struct flm_runtime_sample *sample;
    flm_event_sink define;
    void *context;
    struct flm_error *why;
};

static void put(struct flm_scripts *all, uint64_t word)
{
    if (all->scratch_count < MOST_CHAIN)
        all->scratch[all->scratch_count++] = word;
}

static bool put_frame(const struct mixing *m, const struct flm_script_frame *frame)
{
    uint64_t address = address_of(m->all, m->one, frame, m->define, m->context, m->why);
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

static bool is_glue(const struct opened *one, uint64_t address)
{
    for (size_t i = 0; i < one->glue_count; i++)
        if (one->glue[i] == address)
            return true;
    return false;
}

static void remember_glue(struct opened *one, uint64_t address)
{
    if (one->glue_count < MOST_GLUE && !is_glue(one, address))
        one->glue[one->glue_count++] = address;
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
            remember_glue(m->one, native_at(m, k));
        if (found != SIZE_MAX)
            end = found;
        while (found == SIZE_MAX && end > from && is_glue(m->one, native_at(m, end - 1)))
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

static bool is_too_old(const struct flm_event *event, int64_t now_ns)
{
    if (event->time_ns == FLM_NO_TIME)
        return true;
    int64_t age_ns = now_ns - event->time_ns;
    if (age_ns <= OLDEST_NS)
        return false;
    return !event->sample.layout->only_marks || age_ns > OLDEST_OF_BLOCKED_NS ||
           !is_blocked(event->process, event->thread);
}

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
static bool read_checked(struct flm_scripts *all, const struct opened *one,
                         const struct flm_runtime_sample *sample, int64_t now_ns,
                         struct flm_script_frame **frames, size_t *count)
{
    struct flm_script_counts *c = &all->counts;
    struct flm_script_place place = {
        .thread = sample->event->thread, .now_ns = now_ns, .is_leaf = all->loops[0].first == 0};
    if (is_too_old(sample->event, now_ns)) {
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

bool flm_scripts_mix(struct flm_scripts *all, struct flm_runtime_sample *sample, int64_t now_ns,
                     flm_event_sink define, void *context, struct flm_error *why)
{
    if (sample->event->process <= 0)
        return true;
    struct opened *one = find_opened(all, sample->process, why);
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
    const struct mixing mixing = {all, one, sample, define, context, why};
    return mix(&mixing, sample, frames, frames + count);
}

void flm_scripts_report(const struct flm_scripts *all, const struct flm_runtime_report *report)
{
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
    if (all->refused[0])
        report->note(report->session, all->kind->note_refused, flm_bytes_of(all->refused));
}
