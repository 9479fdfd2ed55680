#include "record/python/python.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/python/internal.h"
#include "record/runtime/runtime.h"

enum {
    MOST_INTERPRETERS = 256,
    MOST_THREADS = 16384,
    LARGEST_THREAD = 256, /* bytes of a thread state that are read */
    LARGEST_FRAME = 128,
    OWNED_BY_NATIVE_STACK = 3, /* and 4 in 3.14: of the interpreter, and of C */
    TAGS = 7                   /* the lowest bits of pointers in frames, since 3.14 */
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
    return flm_error_set(why, FLM_ERROR_FORMAT, "CPython %d.%d is not supported: 3.8 to 3.15 are",
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

uint64_t flm_python_loop(const struct flm_python *p)
{
    return p->symbols.loop_count > 0 ? p->symbols.loop[0].start : 0;
}

bool flm_python_is_loop(const struct flm_python *p, uint64_t address)
{
    for (size_t i = 0; i < p->symbols.loop_count; i++)
        if (address >= p->symbols.loop[i].start && address < p->symbols.loop[i].end)
            return true;
    return false;
}

/* A loop that contains its instructions has 20 KB and more, one that calls them about 1 KB. */
bool flm_python_has_instructions(const struct flm_python *p)
{
    enum { SMALLEST_LOOP = 8192 };
    uint64_t size = 0;
    for (size_t i = 0; i < p->symbols.loop_count; i++)
        size += p->symbols.loop[i].end - p->symbols.loop[i].start;
    return p->layout.minor >= 14 && size > 0 && size < SMALLEST_LOOP;
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

struct flm_python_thread *flm_python_thread(struct flm_python *p, int32_t id)
{
    uint32_t number = FLM_ARRAY_RESERVE(&p->threads, 1)
                          ? flm_ids_number(&p->thread_ids, (uint32_t)id)
                          : FLM_IDS_NONE;
    if (number == p->threads.count)
        p->threads.at[p->threads.count++] =
            (struct flm_python_thread){.inner = flm_namespace_number(p->memory.process, id)};
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

static bool is_state_of(struct flm_python *p, uint64_t state,
                        const struct flm_python_thread *thread)
{
    const struct flm_python_layout *l = &p->layout;
    uint64_t id;
    if (!read_word(p, state + (l->has_native_id ? l->thread_native_id : l->thread_id), &id))
        return false;
    return l->has_native_id ? id == (uint64_t)thread->inner : is_pthread_of(p, id, thread->inner);
}

/* Searches all threads of all interpreters. */
static uint64_t search_state(struct flm_python *p, const struct flm_python_thread *thread)
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
    if (l->frames == FLM_PYTHON_FRAME_OWNER && bytes[l->frame_entry] >= OWNED_BY_NATIVE_STACK) {
        if (*count > 0)
            p->frames[*count - 1].is_entry = true;
        return true;
    }
    uint32_t code = flm_python_codes_find(&p->codes, &p->memory,
                                          word_at(bytes, l->frame_code) & ~(uint64_t)TAGS, now_ns);
    if (code == UINT32_MAX)
        return false;
    uint64_t instructions = p->codes.items.at[code].instructions;
    if (p->codes.items.at[code].copies && l->frame_copy) {
        uint32_t copy;
        memcpy(&copy, bytes + l->frame_copy, sizeof copy);
        instructions = flm_python_code_copy(&p->codes.items.at[code], &p->memory, copy);
        if (!instructions) {
            p->codes.items.at[code].seen_ns = 0; /* a new thread has made the array a new one */
            return false;
        }
    }
    int64_t offset;
    if (l->frames == FLM_PYTHON_FRAME_OBJECTS) {
        int32_t index;
        memcpy(&index, bytes + l->frame_instruction, sizeof index);
        offset = l->lines == FLM_PYTHON_LNOTAB ? index : 2 * (int64_t)index;
    } else {
        offset = (int64_t)(word_at(bytes, l->frame_instruction) - instructions);
    }
    p->codes_of[*count] = code;
    p->addresses[*count] = address;
    p->instructions[*count] = instructions;
    p->offsets[*count] = offset;
    p->frames[(*count)++] = (struct flm_python_frame){
        .is_entry = l->frames == FLM_PYTHON_FRAME_OBJECTS ||
                    (l->frames == FLM_PYTHON_FRAME_IS_ENTRY && bytes[l->frame_entry])};
    return true;
}

bool flm_python_first_variable(struct flm_python *p, const struct flm_python_frame *frame,
                               uint64_t *object)
{
    if (!p->layout.frame_locals ||
        !read_word(p, p->addresses[frame - p->frames] + p->layout.frame_locals, object))
        return false;
    *object &= ~(uint64_t)TAGS;
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
        frame->instructions = p->instructions[i];
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
    struct flm_python_thread *thread = flm_python_thread(p, id);
    if (!thread)
        return FLM_PYTHON_TORN;
    /* Threads unknown to the interpreter are not searched at each of their samples. */
    if (!thread->state && thread->missed_ns && now_ns - thread->missed_ns < MISSED_NS)
        return FLM_PYTHON_NO_FRAMES;
    flm_process_memory_begin(&p->memory, thread->pages, thread->page_count);
    if (thread->state && !is_state_of(p, thread->state, thread))
        thread->state = 0;
    if (!thread->state) {
        thread->state = search_state(p, thread);
        thread->gil = 0;
    }
    thread->missed_ns = thread->state ? 0 : now_ns;
    if (!thread->state)
        return flm_process_memory_is_gone(&p->memory) ? FLM_PYTHON_GONE : FLM_PYTHON_NO_FRAMES;
    enum flm_python_result result = read_frames(p, thread->state, now_ns, &dump, count);
    thread->page_count = flm_process_memory_needed(&p->memory, thread->pages, FLM_PYTHON_PAGES);
    if (result == FLM_PYTHON_FRAMES)
        name_frames(p, *count);
    else
        *count = 0;
    return result;
}
