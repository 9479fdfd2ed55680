#include "record/haskell/haskell_stack.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/path_name.h"
#include "os/clock.h"
#include "symbol/registry/module.h"

enum {
    DEEPEST = 1024, /* frames of a sample */
    MOST_STEPS = 16 * DEEPEST,
    LARGEST_FRAME = 1 << 16, /* words */
    OLDEST_NS = 3000000,
    PAGES = FLM_PROCESS_PAGES / 2,
    RBP = 6 /* by its DWARF number */
};

/* Kinds of closures that are frames. */
enum {
    RET_BCO = 29,
    RET_SMALL = 30,
    RET_BIG = 31,
    RET_FUN = 32,
    UPDATE_FRAME = 33,
    CATCH_FRAME = 34,
    UNDERFLOW_FRAME = 35,
    STOP_FRAME = 36,
    ATOMICALLY_FRAME = 55,
    CATCH_RETRY_FRAME = 56,
    CATCH_STM_FRAME = 57
};

/* ---- A stack --------------------------------------------------------------------------------- */

struct info {
    uint64_t layout;
    uint32_t kind, references;
};

static bool read_word(struct flm_process_memory *memory, uint64_t address, uint64_t *word)
{
    return flm_process_memory_read(memory, address, word, sizeof *word);
}

static bool is_frame(uint32_t kind)
{
    return (kind >= RET_BCO && kind <= STOP_FRAME) ||
           (kind >= ATOMICALLY_FRAME && kind <= CATCH_STM_FRAME);
}

static bool is_code(const struct flm_process *process, uint64_t address)
{
    const struct flm_mapping *mapping = flm_process_find(process, address);
    return mapping && !mapping->in_kernel && mapping->module;
}

/* The size of the frame at `sp` in words; 0: it is none. */
static uint64_t size_of(struct flm_process_memory *memory, uint64_t sp, uint64_t code,
                        const struct info *info)
{
    enum { SMALL = 0x3F, FUN_HEAD = 3, BCO_HEAD = 2, BCO_BITMAP = 40 };
    uint64_t size = 0, object;
    switch (info->kind) {
    case RET_FUN:
        return read_word(memory, sp + 8, &size) && size < LARGEST_FRAME ? FUN_HEAD + size : 0;
    case RET_BIG: {
        int32_t offset = (int32_t)info->layout;
        return read_word(memory, code + (uint64_t)(int64_t)offset, &size) && size < LARGEST_FRAME
                   ? 1 + size
                   : 0;
    }
    case RET_BCO: /* of the bytecode interpreter (GHCi): the object has the size */
        return read_word(memory, sp + 8, &object) &&
                       read_word(memory, object + BCO_BITMAP, &size) && size < LARGEST_FRAME
                   ? BCO_HEAD + size
                   : 0;
    default:
        return 1 + (info->layout & SMALL);
    }
}

size_t flm_haskell_frames(struct flm_process_memory *memory, const struct flm_process *process,
                          uint64_t sp, uint64_t *frames, size_t capacity, bool *is_whole)
{
    enum { UNDERFLOW_CHUNK = 8, CHUNK_SP = 16, COMPARED = 2 };
    size_t count = 0;
    uint64_t first = sp, before[COMPARED], now[COMPARED];
    *is_whole = false;
    for (int steps = 0; steps < MOST_STEPS && count < capacity && !*is_whole; steps++) {
        struct info info;
        uint64_t code, size, chunk;
        if (sp % 8 != 0 || !read_word(memory, sp, &code) || !is_code(process, code) ||
            !flm_process_memory_read(memory, code - sizeof info, &info, sizeof info) ||
            !is_frame(info.kind) || !(size = size_of(memory, sp, code, &info)))
            return 0;
        if (info.kind == STOP_FRAME) {
            *is_whole = true;
        } else if (info.kind == UNDERFLOW_FRAME) {
            if (!read_word(memory, sp + UNDERFLOW_CHUNK, &chunk) ||
                !read_word(memory, chunk + CHUNK_SP, &sp))
                return 0;
            continue;
        } else if (info.kind != UPDATE_FRAME && info.kind != CATCH_FRAME) {
            frames[count++] = code;
        }
        sp += 8 * size;
    }
    if (!flm_process_memory_read(memory, first, before, sizeof before) ||
        !flm_process_memory_read_now(memory, first, now, sizeof now) ||
        memcmp(before, now, sizeof now) != 0)
        return 0;
    return count;
}

/* ---- Samples --------------------------------------------------------------------------------- */

struct haskells {
    struct flm_process_memory memory;
    size_t page_count; /* needed by the last read, of the process that `memory` has */
    uint64_t pages[PAGES];
    uint64_t frames[DEEPEST];
    uint64_t samples, mixed, stale, unreadable;
    int64_t read_ns;
};

/* The index of the outermost user frame of a truncated stack; SIZE_MAX: it is not truncated, or has
 * no user frame. */
static size_t last_frame(const struct flm_runtime_sample *sample)
{
    bool in_user = false;
    size_t count = 0;
    if (sample->count < 2 || sample->chain[sample->count - 1] != FLM_CODE_TRUNCATED)
        return SIZE_MAX;
    for (size_t i = 0; i + 1 < sample->count; i++) {
        if (sample->chain[i] >= FLM_CONTEXT_LEAST)
            in_user = sample->chain[i] == FLM_CONTEXT_USER;
        else
            count += in_user;
    }
    return count - 1;
}

/* A marker in front of each address has it looked up as it is, not as a return address: the byte in
 * front of it is no code. */
static void put_frames(struct flm_runtime_sample *sample, const uint64_t *frames, size_t count,
                       bool is_whole)
{
    size_t put = 0;
    sample->count--;
    for (; put < count && sample->count + 3 <= sample->capacity; put++) {
        sample->chain[sample->count++] = FLM_CONTEXT_USER;
        sample->chain[sample->count++] = frames[put];
    }
    if (!is_whole || put < count)
        sample->chain[sample->count++] = FLM_CODE_TRUNCATED;
}

static bool mix(void *attached, struct flm_runtime_sample *sample, int64_t now_ns,
                flm_event_sink define, void *context, struct flm_error *why)
{
    (void)define, (void)context, (void)why;
    struct haskells *all = attached;
    struct flm_registers registers;
    size_t last = last_frame(sample);
    bool is_whole;
    if (last == SIZE_MAX || !sample->registers || sample->event->process <= 0 ||
        !sample->registers(sample, last, &registers) || registers.machine != FLM_MACHINE_X86_64 ||
        !(registers.known >> RBP & 1))
        return true;
    all->samples++;
    if (sample->event->time_ns == FLM_NO_TIME || now_ns - sample->event->time_ns > OLDEST_NS) {
        all->stale++;
        return true;
    }
    if (all->memory.process != sample->event->process)
        all->page_count = 0;
    all->memory.process = sample->event->process;
    flm_process_memory_begin(&all->memory, all->pages, all->page_count);
    size_t count = flm_haskell_frames(&all->memory, sample->process, registers.value[RBP],
                                      all->frames, DEEPEST, &is_whole);
    all->page_count = flm_process_memory_needed(&all->memory, all->pages, PAGES);
    if (count > 0 || is_whole) {
        put_frames(sample, all->frames, count, is_whole);
        all->mixed++;
    }
    all->unreadable += count == 0 && flm_process_memory_is_gone(&all->memory);
    all->read_ns += flm_now_ns() - now_ns;
    return true;
}

/* ---- The entry ------------------------------------------------------------------------------- */

static void *attach(const struct flm_runtime *runtime, const struct flm_runtime_options *options,
                    struct flm_error *why)
{
    (void)runtime, (void)options;
    struct haskells *all = calloc(1, sizeof *all);
    if (!all)
        flm_error_memory(why);
    return all;
}

static void report_all(const void *attached, const struct flm_runtime_report *report)
{
    const struct haskells *all = attached;
    char text[160];
    report->lost(report->session, "callers of Haskell functions (read too late)",
                 (double)all->stale);
    report->lost(report->session,
                 "callers of Haskell functions (process ended, or reading is not allowed: run as "
                 "root, or set kernel.yama.ptrace_scope=0)",
                 (double)all->unreadable);
    snprintf(text, sizeof text,
             "callers in %llu of %llu samples, %.1f us and %.1f system calls each",
             (unsigned long long)all->mixed, (unsigned long long)all->samples,
             all->samples ? (double)all->read_ns / 1e3 / (double)all->samples : 0,
             all->samples ? (double)all->memory.calls / (double)all->samples : 0);
    if (all->samples > 0)
        report->note(report->session, "haskell", flm_bytes_of(text));
}

static bool is_library(struct flm_bytes path)
{
    return flm_bytes_start_with(flm_path_last(path, "/"), "libHSrts");
}

extern const struct flm_runtime flm_runtime_haskell;
const struct flm_runtime flm_runtime_haskell = {.name = "Haskell",
                                                .is_interpreter = is_library,
                                                .section = ".debug-ghc-link-info",
                                                .attach = attach,
                                                .mix = mix,
                                                .report = report_all,
                                                .close = free};
