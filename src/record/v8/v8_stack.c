#include "record/v8/v8_stack.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "flamel/profile.h"
#include "os/clock.h"
#include "record/runtime/code_numbers.h"
#include "record/runtime/opened.h"
#include "record/runtime/stack_dump.h"
#include "record/v8/object.h"
#include "symbol/registry/module.h"

enum { PAGES = FLM_PROCESS_PAGES / 2 };

/* V8 in a process. */
struct engine {
    uint64_t serial;
    bool has_names;     /* its machine code has names in a file that it writes */
    int64_t opened_ns;  /* when it was first seen; 0: not yet */
    int64_t checked_ns; /* when that file was looked for */
    struct flm_v8_found found;
    struct flm_process_memory memory;
    struct flm_v8_heap heap;
    size_t page_count; /* needed by the last read */
    uint64_t pages[PAGES];
};

struct flm_v8s {
    struct flm_opened_all opened;
    struct flm_code_numbers numbers;
    struct flm_v8_counts counts;
};

static void close_engine(void *engine)
{
    struct engine *e = engine;
    flm_v8_heap_clear(&e->heap);
    free(e);
}

static void *open_engine(const struct flm_process *process, struct flm_error *why)
{
    struct engine *e = calloc(1, sizeof *e);
    if (!e) {
        flm_error_memory(why);
        return NULL;
    }
    e->memory.process = process->id;
    e->heap = (struct flm_v8_heap){.metadata = &e->found.metadata, .memory = &e->memory};
    if (flm_v8_find(process, &e->memory, &e->found, why))
        return e;
    close_engine(e);
    return NULL;
}

static uint64_t calls_of(const void *engine)
{
    return ((const struct engine *)engine)->memory.calls;
}

static const struct flm_opened_kind v8 = {open_engine, close_engine, calls_of};

struct flm_v8s *flm_v8s_new(const struct flm_runtime_options *options, struct flm_error *why)
{
    assert(options && options->first_code >= FLM_CODE_FIRST);
    struct flm_v8s *all = calloc(1, sizeof *all);
    if (!all) {
        flm_error_memory(why);
        return NULL;
    }
    all->opened.kind = &v8;
    all->numbers.first = options->first_code;
    return all;
}

void flm_v8s_free(void *v8s)
{
    struct flm_v8s *all = v8s;
    if (!all)
        return;
    flm_opened_clear(&all->opened);
    flm_code_numbers_clear(&all->numbers);
    free(all);
}

struct flm_v8_counts flm_v8s_counts(const struct flm_v8s *all)
{
    struct flm_v8_counts counts = all->counts;
    counts.calls = flm_opened_calls(&all->opened);
    return counts;
}

/* ---- Engines --------------------------------------------------------------------------------- */

/* Whether the process has a perf map or a jitdump open, to which it writes. One in /tmp may be of
 * an earlier process with the same number. */
static bool writes_names(int32_t process)
{
    char path[512], target[512], map[64], dump[64];
    int32_t inner = flm_namespace_number(process, process);
    snprintf(map, sizeof map, "/perf-%d.map", inner);
    snprintf(dump, sizeof dump, "/jit-%d.dump", inner);
    snprintf(path, sizeof path, "/proc/%d/fd", process);
    DIR *folder = opendir(path);
    bool found = false;
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
        snprintf(path, sizeof path, "/proc/%d/fd/%s", process, entry->d_name);
        ssize_t size = readlink(path, target, sizeof target - 1);
        target[size > 0 ? size : 0] = 0;
        const char *name = strrchr(target, '/');
        found = name && (strcmp(name, map) == 0 || strcmp(name, dump) == 0);
    }
    if (folder)
        closedir(folder);
    return found;
}

/* It opens them after it has started, or when it is told to. */
static void check_names(struct engine *e, int64_t now_ns)
{
    enum { SOON_NS = 50000000, LATER_NS = 1000000000 };
    bool is_first = e->opened_ns == 0;
    if (is_first)
        e->opened_ns = now_ns;
    bool is_new = now_ns - e->opened_ns < LATER_NS;
    if (e->has_names || (!is_first && now_ns - e->checked_ns < (is_new ? SOON_NS : LATER_NS)))
        return;
    e->checked_ns = now_ns;
    e->has_names = writes_names(e->memory.process);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* The user stack of the sample, searched from the leaf outwards. */
struct dump {
    struct flm_bytes bytes;
    uint64_t address; /* of its first byte */
    size_t at;        /* searched up to here */
};

static bool find_dump(const struct flm_event_sample *sample, struct dump *dump)
{
    struct flm_stack_dump found = flm_stack_dump_of(sample);
    *dump = (struct dump){found.bytes, found.address, 0};
    return found.bytes.size > 0 && found.address % 8 == 0;
}

static bool word_of(const struct dump *dump, size_t at, int64_t offset, uint64_t *word)
{
    int64_t from = (int64_t)at + offset;
    if (from < 0 || (uint64_t)from + sizeof *word > dump->bytes.size)
        return false;
    memcpy(word, dump->bytes.at + from, sizeof *word);
    return true;
}

enum frame_result {
    FRAME_FOUND,
    FRAME_BEYOND,      /* of the dump */
    FRAME_NO_FUNCTION, /* what is there is none */
    FRAME_OTHER        /* not of JavaScript: of a regular expression, or of V8's own code */
};

struct frame {
    const struct flm_v8_function *function;
    bool is_bytecode; /* it has the bytecode that is interpreted, or was compiled as it is */
    bool is_regular_expression;
};

/* What the frame with its frame pointer at `fp` of the dump is. */
static enum frame_result read_frame(struct engine *e, const struct dump *dump, size_t fp,
                                    int64_t now_ns, struct frame *frame)
{
    const struct flm_v8_metadata *m = &e->found.metadata;
    uint64_t marker, function, bytecode;
    *frame = (struct frame){0};
    if (!word_of(dump, fp, m->frame_marker, &marker) ||
        !word_of(dump, fp, m->frame_function, &function))
        return FRAME_NO_FUNCTION;
    if ((marker & 1) == 0) { /* a number, where frames of functions have their context */
        frame->is_regular_expression = m->marker_irregexp && marker == (uint64_t)m->marker_irregexp
                                                                           << 1;
        return FRAME_OTHER;
    }
    frame->function = flm_v8_heap_find(&e->heap, function, now_ns);
    frame->is_bytecode = frame->function && word_of(dump, fp, m->frame_bytecode, &bytecode) &&
                         flm_v8_heap_is(&e->heap, bytecode, m->type_bytecode);
    return frame->function ? FRAME_FOUND : FRAME_NO_FUNCTION;
}

/* The frame from which a function returns to `caller`: its return address is above its frame
 * pointer. Words on the stack may look like it; the first one that belongs to a frame is it. */
static enum frame_result find_frame(struct engine *e, struct dump *dump, uint64_t caller,
                                    int64_t now_ns, struct frame *frame)
{
    enum frame_result result = FRAME_BEYOND;
    uint64_t word, previous;
    for (size_t at = dump->at; word_of(dump, at, 0, &word); at += 8) {
        if (word != caller || at < 8)
            continue;
        size_t fp = at - 8;
        if (!word_of(dump, fp, 0, &previous) || previous <= dump->address + fp)
            continue;
        enum frame_result found = read_frame(e, dump, fp, now_ns, frame);
        if (found == FRAME_FOUND || found == FRAME_OTHER) {
            dump->at = at + 8;
            return found;
        }
        result = found;
    }
    return result;
}

/* ---- Chains ---------------------------------------------------------------------------------- */

enum code { CODE_OTHER, CODE_INTERPRETER, CODE_MADE };

/* Whether an address is where functions of JavaScript run. Without symbols the interpreter is
 * somewhere in the file: then frames say whether they are of it. */
static enum code code_of(const struct engine *e, const struct flm_process *process,
                         uint64_t address)
{
    const struct flm_elf_range *trampoline = &e->found.trampoline;
    const struct flm_mapping *mapping = flm_process_find(process, address);
    uint64_t in_file;
    if (!mapping || mapping->in_kernel)
        return CODE_OTHER;
    if (!mapping->module)
        return e->has_names ? CODE_OTHER : CODE_MADE;
    if (mapping->module != e->found.module ||
        !flm_module_address(mapping->module, address - mapping->start + mapping->file_offset,
                            &in_file))
        return CODE_OTHER;
    return trampoline->end == 0 || (in_file >= trampoline->start && in_file < trampoline->end)
               ? CODE_INTERPRETER
               : CODE_OTHER;
}

static uint32_t kind_of(enum code code, const struct frame *frame)
{
    return code == CODE_INTERPRETER ? FLM_KIND_INTERPRETED
           : frame->is_bytecode     ? FLM_KIND_JIT_TIER1
                                    : FLM_KIND_JIT;
}

/* Replaces the address at `at` of the chain, if its frame has a function. */
static bool name_frame(struct flm_v8s *all, struct engine *e, struct flm_runtime_sample *sample,
                       struct dump *dump, size_t at, enum code code, int64_t now_ns,
                       const struct flm_code_sink *sink)
{
    struct frame frame = {0};
    struct flm_v8_counts *c = &all->counts;
    enum frame_result result = FRAME_BEYOND;
    /* The outermost frame of a truncated stack has no caller that could be searched. */
    if (at + 1 < sample->count && sample->chain[at + 1] < FLM_CONTEXT_LEAST)
        result = find_frame(e, dump, sample->chain[at + 1], now_ns, &frame);
    /* Functions in C++ and builtins run in the file, too. */
    if (code == CODE_INTERPRETER && e->found.trampoline.end == 0 &&
        (result != FRAME_FOUND || !frame.is_bytecode))
        return true;
    if (result == FRAME_OTHER && !frame.is_regular_expression)
        return true;
    c->frames++;
    c->beyond_dump += result == FRAME_BEYOND;
    if (result == FRAME_NO_FUNCTION) {
        bool is_gone = flm_process_memory_is_gone(&e->memory);
        c->unreadable += is_gone;
        c->no_function += !is_gone;
    }
    if (result == FRAME_BEYOND || result == FRAME_NO_FUNCTION)
        return true;
    const struct flm_v8_function *f = frame.function;
    uint32_t kind = kind_of(code, &frame);
    const struct flm_event_code as = {.function = f ? flm_v8_function_name(f)
                                                    : flm_bytes_of("(regular expression)"),
                                      .file = f ? flm_v8_function_file(f) : flm_bytes_of(""),
                                      .module = {"", 0},
                                      .line = f ? f->line : 0,
                                      .frame_kind = kind};
    const struct flm_code_key key = {e->serial, f ? f->serial : 0, kind};
    uint64_t address = flm_code_number(&all->numbers, key, e->memory.process, &as, sink);
    if (!address)
        return false;
    sample->chain[at] = address;
    c->named++;
    return true;
}

static bool name_frames(struct flm_v8s *all, struct engine *e, struct flm_runtime_sample *sample,
                        int64_t now_ns, const struct flm_code_sink *sink)
{
    struct dump dump;
    bool in_user = false, is_exact = false, has_begun = false;
    if (!find_dump(&sample->event->sample, &dump))
        return true;
    uint64_t before = all->counts.frames;
    for (size_t at = 0; at < sample->count; at++) {
        uint64_t word = sample->chain[at];
        if (word >= FLM_CONTEXT_LEAST) {
            in_user = word == FLM_CONTEXT_USER;
            is_exact = true;
            continue;
        }
        enum code code = in_user ? code_of(e, sample->process, word - !is_exact) : CODE_OTHER;
        is_exact = false;
        if (code == CODE_OTHER)
            continue;
        if (!has_begun)
            flm_process_memory_begin(&e->memory, e->pages, e->page_count);
        has_begun = true;
        if (!name_frame(all, e, sample, &dump, at, code, now_ns, sink))
            return false;
    }
    if (has_begun)
        e->page_count = flm_process_memory_needed(&e->memory, e->pages, PAGES);
    all->counts.samples += all->counts.frames > before;
    return true;
}

bool flm_v8s_mix(void *v8s, struct flm_runtime_sample *sample, int64_t now_ns,
                 flm_event_sink define, void *context, struct flm_error *why)
{
    struct flm_v8s *all = v8s;
    if (sample->event->process <= 0)
        return true;
    const struct flm_opened *one = flm_opened_find(&all->opened, sample->process, why);
    if (!one || !one->at)
        return one != NULL;
    struct engine *e = one->at;
    e->serial = one->serial;
    check_names(e, now_ns);
    bool good = name_frames(all, e, sample, now_ns, &(struct flm_code_sink){define, context, why});
    all->counts.read_ns += flm_now_ns() - now_ns;
    return good;
}

/* ---- The entry ------------------------------------------------------------------------------- */

static void *attach(const struct flm_runtime *runtime, const struct flm_runtime_options *options,
                    struct flm_error *why)
{
    (void)runtime;
    return flm_v8s_new(options, why);
}

static void report_all(const void *attached, const struct flm_runtime_report *report)
{
    const struct flm_v8s *all = attached;
    struct flm_v8_counts c = flm_v8s_counts(all);
    const struct {
        const char *what;
        uint64_t count;
    } losses[] = {
        {"names of JavaScript frames (frame beyond the stack dump)", c.beyond_dump},
        {"names of JavaScript frames (no function in the frame)", c.no_function},
        {"names of JavaScript frames (process ended, or reading is not allowed: run as root, or "
         "set "
         "kernel.yama.ptrace_scope=0)",
         c.unreadable},
    };
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
        report->lost(report->session, losses[i].what, (double)losses[i].count);
    char text[160];
    snprintf(text, sizeof text,
             "%llu of %llu frames named in %llu samples, %.1f us and %.1f system calls each",
             (unsigned long long)c.named, (unsigned long long)c.frames,
             (unsigned long long)c.samples,
             c.samples ? (double)c.read_ns / 1e3 / (double)c.samples : 0,
             c.samples ? (double)c.calls / (double)c.samples : 0);
    if (c.samples > 0)
        report->note(report->session, "javascript", flm_bytes_of(text));
    if (all->opened.refused[0])
        report->note(report->session, "javascript (not read)", flm_bytes_of(all->opened.refused));
}

extern const struct flm_runtime flm_runtime_v8;
const struct flm_runtime flm_runtime_v8 = {.name = "V8",
                                           .is_interpreter = flm_v8_is_named,
                                           .symbol = FLM_V8_SYMBOL,
                                           .attach = attach,
                                           .mix = flm_v8s_mix,
                                           .report = report_all,
                                           .close = flm_v8s_free};
