#include "record/python/python.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/core/array.h"
#include "base/core/ids.h"
#include "record/python/code.h"
#include "record/runtime/runtime.h"

enum {
    MOST_INTERPRETERS = 256,
    MOST_THREADS = 16384,
    LARGEST_THREAD = 256, /* bytes of a thread state that are read */
    LARGEST_FRAME = 128,
    PAGES_OF_A_THREAD = FLM_PROCESS_PAGES / 2,
    OWNED_BY_NATIVE_STACK = 3
};

/* A thread of the process, and its state in the interpreter. */
struct thread {
    int32_t inner;     /* in its own PID namespace */
    uint64_t state;    /* 0: not found */
    int64_t missed_ns; /* when a search for it failed */
    size_t page_count; /* needed by its last read */
    uint64_t pages[PAGES_OF_A_THREAD];
};

struct flm_python {
    struct flm_python_symbols symbols;
    struct flm_python_layout layout;
    struct flm_process_memory memory;
    struct flm_python_codes codes;
    struct FLM_ARRAY(struct thread) threads;
    struct flm_ids thread_ids;
    uint32_t offset_of_id; /* of the thread id in struct pthread; 0: unknown yet */
    struct flm_python_frame frames[FLM_PYTHON_DEEPEST];
    uint32_t codes_of[FLM_PYTHON_DEEPEST];
    int64_t offsets[FLM_PYTHON_DEEPEST]; /* of instructions in their code, in bytes */
};

/* ---- Opening --------------------------------------------------------------------------------- */

static bool find_layout(struct flm_python *p, struct flm_error *why)
{
    char runtime[FLM_PYTHON_OFFSETS];
    uint64_t version = 0;
    int major = 3, minor = p->symbols.named_minor;
    if (p->symbols.version &&
        flm_process_memory_read_now(&p->memory, p->symbols.version, &version, sizeof version)) {
        major = (int)(version >> 24 & 0xFF);
        minor = (int)(version >> 16 & 0xFF);
    }
    if (minor == 0 && !version)
        return flm_error_set(why, FLM_ERROR_FORMAT, "CPython of unknown version");
    const struct flm_python_layout *known = flm_python_layout_of(major, minor);
    if (known) {
        p->layout = *known;
        return true;
    }
    struct flm_error reason = {0};
    if (major == 3 && minor >= 13) {
        if (!flm_process_memory_read_now(&p->memory, p->symbols.runtime, runtime, sizeof runtime))
            return flm_error_set(why, FLM_ERROR_SYSTEM, "CPython: its memory cannot be read");
        if (flm_python_layout_read(runtime, sizeof runtime, &p->layout, &reason))
            return true;
        return flm_error_set(why, FLM_ERROR_FORMAT, "CPython 3.%d: %s", minor, reason.text);
    }
    return flm_error_set(why, FLM_ERROR_FORMAT, "CPython %d.%d is not supported: 3.8 to 3.13 are",
                         major, minor);
}

struct flm_python *flm_python_open(const struct flm_process *process, struct flm_error *why)
{
    assert(process);
    struct flm_python_symbols symbols;
    if (!flm_python_symbols_find(process, &symbols))
        return NULL;
    struct flm_python *p = calloc(1, sizeof *p);
    if (!p) {
        flm_error_memory(why);
        return NULL;
    }
    p->symbols = symbols;
    p->memory.process = process->id;
    p->codes.layout = &p->layout;
    p->codes.symbols = &p->symbols;
    if (find_layout(p, why))
        return p;
    flm_python_close(p);
    return NULL;
}

void flm_python_close(struct flm_python *p)
{
    if (!p)
        return;
    flm_python_codes_clear(&p->codes);
    free(p->threads.at);
    flm_ids_clear(&p->thread_ids);
    free(p);
}

int flm_python_minor(const struct flm_python *p)
{
    return p->layout.minor;
}

/* Calls write their return addresses there, and the loop its state. */
bool flm_python_stands_still(struct flm_python *p, struct flm_stack_dump dump)
{
    enum { LEAST = 64, COMPARED = 2048 };
    char now[COMPARED];
    size_t size = dump.bytes.size < COMPARED ? dump.bytes.size : COMPARED;
    return size >= LEAST && flm_process_memory_read_now(&p->memory, dump.address, now, size) &&
           memcmp(now, dump.bytes.at, size) == 0;
}

bool flm_python_is_denied(const struct flm_python *p)
{
    return p->memory.error == EPERM;
}

uint64_t flm_python_calls(const struct flm_python *p)
{
    return p->memory.calls;
}

bool flm_python_is_loop(const struct flm_python *p, uint64_t address)
{
    for (size_t i = 0; i < p->symbols.loop_count; i++)
        if (address >= p->symbols.loop[i].start && address < p->symbols.loop[i].end)
            return true;
    return false;
}

/* ---- Threads --------------------------------------------------------------------------------- */

static uint64_t word_at(const char *bytes, size_t offset)
{
    uint64_t value;
    memcpy(&value, bytes + offset, sizeof value);
    return value;
}

static bool read_word(struct flm_python *p, uint64_t address, uint64_t *word)
{
    return flm_process_memory_read(&p->memory, address, word, sizeof *word);
}

static struct thread *find_thread(struct flm_python *p, int32_t id)
{
    uint32_t number = FLM_ARRAY_RESERVE(&p->threads, 1)
                          ? flm_ids_number(&p->thread_ids, (uint32_t)id)
                          : FLM_IDS_NONE;
    if (number == p->threads.count)
        p->threads.at[p->threads.count++] =
            (struct thread){.inner = flm_namespace_number(p->memory.process, id)};
    return number == FLM_IDS_NONE ? NULL : &p->threads.at[number];
}

/* Before 3.11 the interpreter identifies a thread by the address of its struct pthread, which has
 * the thread id of the kernel, at an offset that is found by a search. In glibc it has always been
 * 720 on x86-64 and 208 on arm64. */
static bool is_pthread_of(struct flm_python *p, uint64_t pthread, int32_t wanted)
{
    enum { SEARCHED = 1024 };
#if defined(__aarch64__)
    static const uint32_t usual = 208;
#else
    static const uint32_t usual = 720;
#endif
    int32_t words[SEARCHED / 4];
    if (p->offset_of_id) {
        int32_t found;
        return flm_process_memory_read(&p->memory, pthread + p->offset_of_id, &found,
                                       sizeof found) &&
               found == wanted;
    }
    if (!flm_process_memory_read(&p->memory, pthread, words, sizeof words))
        return false;
    for (uint32_t i = 0; i <= SEARCHED / 4; i++) {
        uint32_t offset = i == 0 ? usual : 4 * (i - 1);
        if (words[offset / 4] == wanted &&
            (i == 0 || wanted > 300)) { /* small ones occur anywhere */
            p->offset_of_id = offset;
            return true;
        }
        if (i == 0 && words[offset / 4] > 0 && words[offset / 4] <= 4194304) {
            char path[64];
            snprintf(path, sizeof path, "/proc/%d/task/%d", p->memory.process, words[offset / 4]);
            if (access(path, F_OK) == 0) { /* that of another thread: the offset is right */
                p->offset_of_id = usual;
                return false;
            }
        }
    }
    return false;
}

static bool is_state_of(struct flm_python *p, uint64_t state, const struct thread *thread)
{
    const struct flm_python_layout *l = &p->layout;
    uint64_t id;
    if (!read_word(p, state + (l->has_native_id ? l->thread_native_id : l->thread_id), &id))
        return false;
    return l->has_native_id ? id == (uint64_t)thread->inner : is_pthread_of(p, id, thread->inner);
}

/* Searches all threads of all interpreters. */
static uint64_t search_state(struct flm_python *p, const struct thread *thread)
{
    const struct flm_python_layout *l = &p->layout;
    uint64_t interpreter, state;
    size_t left = MOST_THREADS;
    if (!read_word(p, p->symbols.runtime + l->runtime_interpreters, &interpreter))
        return 0;
    for (int i = 0; interpreter && i < MOST_INTERPRETERS; i++) {
        if (!read_word(p, interpreter + l->interpreter_threads, &state))
            return 0;
        for (; state && left > 0; left--) {
            if (is_state_of(p, state, thread))
                return state;
            if (!read_word(p, state + l->thread_next, &state))
                return 0;
        }
        if (!read_word(p, interpreter + l->interpreter_next, &interpreter))
            return 0;
    }
    return 0;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* The innermost frame of the thread: in this read, or now. If the record of the loop is in the
 * stack dump, as of the time of the sample. */
static bool read_current(struct flm_python *p, uint64_t state, bool now,
                         const struct flm_stack_dump *dump, uint64_t *frame)
{
    bool (*read)(struct flm_process_memory *, uint64_t, void *, size_t) =
        now ? flm_process_memory_read_now : flm_process_memory_read;
    const struct flm_python_layout *l = &p->layout;
    if (!read(&p->memory, state + l->thread_frame, frame, sizeof *frame))
        return false;
    if (!l->has_loop)
        return true;
    uint64_t at = *frame + l->loop_frame - dump->address;
    if (*frame != 0 && dump->bytes.size >= sizeof at && at <= dump->bytes.size - sizeof at) {
        memcpy(frame, dump->bytes.at + at, sizeof *frame);
        return true;
    }
    return *frame != 0 && read(&p->memory, *frame + l->loop_frame, frame, sizeof *frame);
}

/* Reads a frame; false when it is malformed. `previous` receives its caller. */
static bool read_frame(struct flm_python *p, uint64_t address, size_t *count, uint64_t *previous,
                       int64_t now_ns)
{
    const struct flm_python_layout *l = &p->layout;
    char bytes[LARGEST_FRAME];
    if (l->frame_size > sizeof bytes ||
        !flm_process_memory_read(&p->memory, address, bytes, l->frame_size))
        return false;
    *previous = word_at(bytes, l->frame_previous);
    if (l->frames == FLM_PYTHON_FRAME_OWNER && bytes[l->frame_entry] == OWNED_BY_NATIVE_STACK) {
        if (*count > 0)
            p->frames[*count - 1].is_entry = true;
        return true;
    }
    uint32_t code =
        flm_python_codes_find(&p->codes, &p->memory, word_at(bytes, l->frame_code), now_ns);
    if (code == UINT32_MAX)
        return false;
    int64_t offset;
    if (l->frames == FLM_PYTHON_FRAME_OBJECTS) {
        int32_t index;
        memcpy(&index, bytes + l->frame_instruction, sizeof index);
        offset = l->lines == FLM_PYTHON_LNOTAB ? index : 2 * (int64_t)index;
    } else {
        offset =
            (int64_t)(word_at(bytes, l->frame_instruction) - p->codes.items.at[code].instructions);
    }
    p->codes_of[*count] = code;
    p->offsets[*count] = offset;
    p->frames[(*count)++] = (struct flm_python_frame){
        .is_entry = l->frames == FLM_PYTHON_FRAME_OBJECTS ||
                    (l->frames == FLM_PYTHON_FRAME_IS_ENTRY && bytes[l->frame_entry])};
    return true;
}

/* After all code objects were read: reading may move their texts. */
static void name_frames(struct flm_python *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct flm_python_code *code = &p->codes.items.at[p->codes_of[i]];
        struct flm_python_frame *frame = &p->frames[i];
        frame->function = flm_python_code_function(code);
        frame->file = flm_python_code_file(code);
        frame->first_line = code->first_line;
        frame->code = code->serial;
        frame->instructions = code->instructions;
        frame->instructions_size = code->instructions_size;
        frame->line = flm_python_line(p->layout.lines, flm_python_code_lines(code),
                                      code->first_line, p->offsets[i]);
    }
}

static enum flm_python_result failed(const struct flm_python *p)
{
    return flm_process_memory_is_gone(&p->memory) ? FLM_PYTHON_GONE : FLM_PYTHON_TORN;
}

/* Whether the innermost frame is unchanged: then so are its callers. */
static bool is_unchanged(struct flm_python *p, uint64_t frame)
{
    const struct flm_python_layout *l = &p->layout;
    char before[LARGEST_FRAME], after[LARGEST_FRAME];
    return !frame || (flm_process_memory_read(&p->memory, frame, before, l->frame_size) &&
                      flm_process_memory_read_now(&p->memory, frame, after, l->frame_size) &&
                      word_at(before, l->frame_previous) == word_at(after, l->frame_previous) &&
                      word_at(before, l->frame_code) == word_at(after, l->frame_code));
}

static enum flm_python_result read_frames(struct flm_python *p, uint64_t state, int64_t now_ns,
                                          const struct flm_stack_dump *dump, size_t *count)
{
    uint64_t first, frame, again;
    if (!read_current(p, state, false, dump, &first))
        return failed(p);
    frame = first;
    /* Frames of the native stack come in between: up to twice as many. */
    for (size_t steps = 0; frame && *count < FLM_PYTHON_DEEPEST && steps < 2 * FLM_PYTHON_DEEPEST;
         steps++) {
        uint64_t previous;
        if (!read_frame(p, frame, count, &previous, now_ns) || previous == frame)
            return failed(p);
        frame = previous;
    }
    if (!read_current(p, state, true, dump, &again) || !is_unchanged(p, first))
        return failed(p);
    if (again != first)
        return FLM_PYTHON_TORN;
    return *count > 0 ? FLM_PYTHON_FRAMES : FLM_PYTHON_NO_FRAMES;
}

enum flm_python_result flm_python_read(struct flm_python *p, int32_t id, int64_t now_ns,
                                       struct flm_stack_dump dump,
                                       const struct flm_python_frame **frames, size_t *count)
{
    enum { MISSED_NS = 5000000 };
    *frames = p->frames;
    *count = 0;
    struct thread *thread = find_thread(p, id);
    if (!thread)
        return FLM_PYTHON_TORN;
    /* Threads unknown to the interpreter are not searched at each of their samples. */
    if (!thread->state && thread->missed_ns && now_ns - thread->missed_ns < MISSED_NS)
        return FLM_PYTHON_NO_FRAMES;
    flm_process_memory_begin(&p->memory, thread->pages, thread->page_count);
    if (thread->state && !is_state_of(p, thread->state, thread))
        thread->state = 0;
    if (!thread->state)
        thread->state = search_state(p, thread);
    thread->missed_ns = thread->state ? 0 : now_ns;
    if (!thread->state)
        return flm_process_memory_is_gone(&p->memory) ? FLM_PYTHON_GONE : FLM_PYTHON_NO_FRAMES;
    enum flm_python_result result = read_frames(p, thread->state, now_ns, &dump, count);
    thread->page_count = flm_process_memory_needed(&p->memory, thread->pages, PAGES_OF_A_THREAD);
    if (result == FLM_PYTHON_FRAMES)
        name_frames(p, *count);
    else
        *count = 0;
    return result;
}
