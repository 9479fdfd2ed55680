#include "record/ruby/ruby.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "record/ruby/ruby_function.h"
#include "record/script/script_threads.h"

enum {
    DEEPEST = FLM_SCRIPT_DEEPEST,
    SMALLEST_LOOP = 16384, /* bytes: rb_vm_exec without the loop has less */
    LARGEST_STACK = 1 << 24,
    DEEPEST_BLOCK = 64,
    /* registers by their DWARF numbers */
    R14 = 14,
    R15 = 15
};

/* Flags of a frame: what it is, in its upper half and bit 0. */
enum {
    KIND = 0x7FFF0001,
    METHOD = 0x11110001,
    BLOCK = 0x22220001,
    CLASS = 0x33330001,
    TOP = 0x44440001,
    IN_C = 0x55550001,
    BLOCK_IN_C = 0x66660001,
    EVAL = 0x77770001,
    RESCUE = 0x78880001,
    DUMMY = 0x79990001,
    IS_LOCAL = 0x02,  /* its variables are not those of a frame around it */
    IS_ENTRY = 0x20,  /* the loop ends when it returns */
    IS_DEFINED = 0x40 /* a block that define_method made a method */
};

struct ruby {
    struct flm_ruby_symbols symbols;
    const struct flm_ruby_layout *layout;
    struct flm_process_memory memory;
    struct flm_ruby_objects objects;
    struct flm_ruby_functions functions;
    struct flm_script_threads threads;
    struct flm_script_frame frames[DEEPEST];
    uint32_t function_of[DEEPEST]; /* UINT32_MAX: a block in C, without a name */
    uint64_t position[DEEPEST];    /* of the instruction, in words */
};

/* ---- Opening --------------------------------------------------------------------------------- */

static bool find_layout(struct ruby *r, struct flm_error *why)
{
    char version[8] = "";
#if !defined(__x86_64__)
    return flm_error_set(why, FLM_ERROR_FORMAT, "Ruby is only read on x86-64");
#endif
    if (!flm_process_memory_read_now(&r->memory, r->symbols.version, version, sizeof version - 1))
        return flm_error_set(why, FLM_ERROR_SYSTEM, "Ruby: its memory cannot be read");
    int major = version[0] - '0', minor = version[1] == '.' ? version[2] - '0' : -1;
    r->layout = version[3] == '.' ? flm_ruby_layout_of(major, minor) : NULL;
    return r->layout ||
           flm_error_set(why, FLM_ERROR_FORMAT, "Ruby %s is not supported: 3.0 to 3.4 are",
                         version[0] >= '0' && version[0] <= '9' ? version : "of unknown version");
}

static void find_identifiers(struct ruby *r)
{
    uint64_t size = r->symbols.data.end - r->symbols.data.start;
    if (r->symbols.identifiers) {
        flm_ruby_word(&r->objects, r->symbols.identifiers, &r->objects.identifiers);
        return;
    }
    uint64_t *words = size > 0 ? calloc(size / 8 + 1, 8) : NULL;
    uint64_t from = (r->symbols.data.start + 7) & ~UINT64_C(7);
    if (words) {
        /* A page at a time: there may be holes, and those are zeros then. */
        for (uint64_t at = from; at < r->symbols.data.end;) {
            uint64_t end = (at | (FLM_PROCESS_PAGE - 1)) + 1;
            end = end < r->symbols.data.end ? end : r->symbols.data.end & ~UINT64_C(7);
            if (end <= at)
                break;
            if (!flm_process_memory_read_now(&r->memory, at, words + (at - from) / 8, end - at))
                memset(words + (at - from) / 8, 0, end - at);
            at = end;
        }
        r->objects.identifiers = flm_ruby_find_identifiers(&r->objects, words, size / 8);
    }
    free(words);
}

static void close_ruby(void *opened)
{
    struct ruby *r = opened;
    if (!r)
        return;
    flm_ruby_functions_clear(&r->functions);
    flm_script_threads_clear(&r->threads);
    free(r);
}

void *flm_ruby_open(int32_t process, const struct flm_ruby_symbols *symbols, struct flm_error *why)
{
    struct ruby *r = calloc(1, sizeof *r);
    if (!r) {
        flm_error_memory(why);
        return NULL;
    }
    r->symbols = *symbols;
    r->memory.process = process;
    r->functions.objects = &r->objects;
    if (!find_layout(r, why)) {
        close_ruby(r);
        return NULL;
    }
    r->objects = (struct flm_ruby_objects){
        .layout = r->layout, .memory = &r->memory, .object_class = symbols->object_class};
    return r;
}

static void *open_ruby(const struct flm_process *process, struct flm_error *why)
{
    assert(process);
    struct flm_ruby_symbols symbols;
    if (!flm_ruby_symbols_find(process, &symbols))
        return NULL;
    return flm_ruby_open(process->id, &symbols, why);
}

int flm_ruby_minor(const void *opened)
{
    return ((const struct ruby *)opened)->layout->minor;
}

static bool is_in(const struct flm_elf_range *range, uint64_t address)
{
    return address >= range->start && address < range->end;
}

static bool is_loop(const void *opened, uint64_t address)
{
    return is_in(&((const struct ruby *)opened)->symbols.exec, address);
}

static bool is_own(const void *opened, uint64_t address)
{
    return is_in(&((const struct ruby *)opened)->symbols.code, address);
}

static bool is_split(const void *opened)
{
    const struct flm_ruby_symbols *s = &((const struct ruby *)opened)->symbols;
    return s->core.start != 0 || s->exec.end - s->exec.start < SMALLEST_LOOP;
}

static uint64_t calls_of(const void *opened)
{
    return ((const struct ruby *)opened)->memory.calls;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* The words of a control frame that are read. */
struct control_frame {
    uint64_t pc, sp, code, self, variables;
};

static bool read_control_frame(struct ruby *r, uint64_t at, struct control_frame *frame,
                               uint64_t *flags)
{
    return at % 8 == 0 && flm_process_memory_read(&r->memory, at, frame, sizeof *frame) &&
           flm_ruby_word(&r->objects, frame->variables, flags);
}

static bool is_kind(uint64_t flags)
{
    switch (flags & KIND) {
    case METHOD:
    case BLOCK:
    case CLASS:
    case TOP:
    case IN_C:
    case BLOCK_IN_C:
    case EVAL:
    case RESCUE:
    case DUMMY:
        return true;
    default:
        return false;
    }
}

/* The method that a frame belongs to: that of the innermost frame around it which has one. 0: the
 * main program, or the body of a class. */
static uint64_t method_of(struct ruby *r, uint64_t variables, uint64_t flags)
{
    struct flm_ruby_objects *o = &r->objects;
    for (int i = 0; i < DEEPEST_BLOCK; i++) {
        uint64_t method, around;
        if (!flm_ruby_word(o, variables - 16, &method))
            return 0;
        uint64_t kind = flm_ruby_flags(o, method);
        if (flm_ruby_is_internal(kind, FLM_RUBY_SPECIAL_VARIABLES)) {
            if (!flm_ruby_word(o, method + 8, &method))
                return 0;
            kind = flm_ruby_flags(o, method);
        }
        if (flm_ruby_is_internal(kind, FLM_RUBY_METHOD))
            return method;
        if (flags & IS_LOCAL || !flm_ruby_word(o, variables - 8, &around))
            return 0;
        variables = around & ~UINT64_C(3);
        if (!flm_ruby_word(o, variables, &flags))
            return 0;
    }
    return 0;
}

/* Reads a frame; false when it is malformed. */
static bool read_frame(struct ruby *r, uint64_t at, size_t *count, bool *is_end, int64_t now_ns)
{
    struct control_frame frame;
    uint64_t flags;
    if (!read_control_frame(r, at, &frame, &flags) || !is_kind(flags))
        return false;
    uint64_t kind = flags & KIND;
    *is_end = kind == DUMMY;
    if (*is_end)
        return true;
    uint32_t function = UINT32_MAX;
    uint64_t position = 0;
    if (kind != BLOCK_IN_C) {
        uint64_t method = method_of(r, frame.variables, flags);
        if (kind == IN_C ? method == 0 : frame.code == 0)
            return false;
        function = flm_ruby_functions_find(&r->functions, kind == IN_C ? 0 : frame.code, method,
                                           flags & IS_DEFINED, now_ns);
        if (function == UINT32_MAX)
            return false;
        position = (frame.pc - r->functions.items.at[function].instructions) / 8;
    } else if (*count > 0) {
        r->frames[*count - 1].is_entry |= (flags & IS_ENTRY) != 0;
        return true;
    } else {
        return true;
    }
    r->function_of[*count] = function;
    r->position[*count] = position;
    r->frames[(*count)++] = (struct flm_script_frame){.is_entry = (flags & IS_ENTRY) != 0};
    return true;
}

/* After all functions were read: reading may move their texts. */
static void name_frames(struct ruby *r, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct flm_ruby_function *f = &r->functions.items.at[r->function_of[i]];
        flm_script_frame_name(&r->frames[i], &f->shown,
                              flm_ruby_line(&r->objects, f, r->position[i]));
    }
}

/* ---- The innermost frame --------------------------------------------------------------------- */

/* Whether a word is the address of a frame whose code has the instruction. */
static bool is_frame_at(struct ruby *r, uint64_t at, uint64_t instruction, bool *moved_on)
{
    struct control_frame frame;
    uint64_t flags, body, start, head;
    if (at % 8 != 0 || !read_control_frame(r, at, &frame, &flags) || !is_kind(flags) ||
        !flm_ruby_is_internal(flm_ruby_flags(&r->objects, frame.code), FLM_RUBY_CODE) ||
        !flm_ruby_word(&r->objects, frame.code + 16, &body) ||
        !flm_ruby_word(&r->objects, body, &head) || !flm_ruby_word(&r->objects, body + 8, &start))
        return false;
    *moved_on = (instruction - start) / 8 > head >> 32;
    return true;
}

/* Whether it is an execution context: {stack, its words, innermost frame}, and its stack has the
 * frame, unless that is 0. A fiber has one of its own. `now` receives the innermost frame. */
static bool is_context(struct ruby *r, uint64_t at, uint64_t frame, uint64_t *now)
{
    uint64_t words[3];
    if (at % 8 != 0 || !flm_process_memory_read(&r->memory, at, words, sizeof words))
        return false;
    uint64_t size = 8 * words[1];
    *now = words[2];
    return words[1] > 0 && words[1] < LARGEST_STACK && words[0] % 8 == 0 &&
           *now - words[0] < size && (words[0] + size - *now) % r->layout->frame_size == 0 &&
           (!frame || frame - words[0] < size);
}

/* The address of the context is in a register, one that calls preserve unless the frame is the
 * leaf. False: unknown. */
static bool find_context(struct ruby *r, const struct flm_script_place *place,
                         struct flm_script_thread *thread, uint64_t frame, uint64_t *now)
{
    enum { REGISTERS = 16 };
    if (frame && thread->context && is_context(r, thread->context, frame, now))
        return true;
    for (unsigned i = 0; i < REGISTERS; i++) {
        uint64_t at = place->registers.value[i];
        if (place->registers.known >> i & 1 && is_context(r, at, frame, now)) {
            thread->context = at;
            return true;
        }
    }
    return false;
}

/* Methods in C that were called from the frame: those in front of it, if there is nothing else. */
static void read_called(struct ruby *r, uint64_t now, uint64_t frame, size_t *count, int64_t now_ns)
{
    enum { MOST_CALLED = 32 };
    if (now >= frame || (frame - now) % r->layout->frame_size != 0 ||
        (frame - now) / r->layout->frame_size > MOST_CALLED)
        return;
    for (; now < frame; now += r->layout->frame_size) {
        struct control_frame head;
        uint64_t flags;
        bool is_end = false;
        if (!read_control_frame(r, now, &head, &flags) || flags & IS_ENTRY ||
            ((flags & KIND) != IN_C && (flags & KIND) != BLOCK_IN_C) ||
            !read_frame(r, now, count, &is_end, now_ns)) {
            *count = 0;
            return;
        }
    }
}

/* The innermost frame is now another function's than that of the instruction. It is known all the
 * same, if it was seen before; but not whether it had entered the loop. */
static bool take_returned(struct ruby *r, uint64_t instruction, size_t *count)
{
    for (size_t i = 0; i < r->functions.items.count; i++) {
        const struct flm_ruby_function *f = &r->functions.items.at[i];
        if (!f->code || f->shown.text.size == 0 || instruction <= f->instructions ||
            instruction > f->instructions + 8 * f->instruction_count)
            continue;
        r->function_of[*count] = (uint32_t)i;
        r->position[*count] = (instruction - f->instructions) / 8;
        r->frames[(*count)++] = (struct flm_script_frame){.is_guess = true};
        return true;
    }
    return false;
}

static enum flm_script_result failed(const struct ruby *r)
{
    return flm_process_memory_is_gone(&r->memory) ? FLM_SCRIPT_GONE : FLM_SCRIPT_TORN;
}

/* Where the innermost frame is, and the instruction: from the registers; or, while an exception is
 * handled, which happens outside of the loop, from the context, and the instruction is 0. */
static bool find_first(struct ruby *r, const struct flm_script_place *place,
                       struct flm_script_thread *thread, uint64_t *first, uint64_t *instruction,
                       bool *moved_on)
{
    const uint64_t *value = place->registers.value;
    *first = value[R15];
    *instruction = value[R14];
    *moved_on = false;
    if ((place->registers.known >> R14 & 3) == 3 && is_frame_at(r, *first, *instruction, moved_on))
        return true;
    *instruction = 0;
    return find_context(r, place, thread, 0, first);
}

static bool is_unchanged(struct ruby *r, uint64_t at)
{
    struct control_frame before, after;
    return flm_process_memory_read(&r->memory, at, &before, sizeof before) &&
           flm_process_memory_read_now(&r->memory, at, &after, sizeof after) &&
           before.code == after.code && before.variables == after.variables;
}

static enum flm_script_result read_frames(void *opened, const struct flm_script_place *place,
                                          struct flm_script_thread *thread, size_t *count)
{
    struct ruby *r = opened;
    uint64_t first, instruction, now;
    bool moved_on = false, is_end = false;
    if (!find_first(r, place, thread, &first, &instruction, &moved_on))
        return flm_process_memory_is_gone(&r->memory) ? FLM_SCRIPT_GONE : FLM_SCRIPT_NONE;
    if (!r->objects.identifiers)
        find_identifiers(r);
    uint64_t at = first;
    if (moved_on && take_returned(r, instruction, count)) {
        at += r->layout->frame_size;
    } else if (moved_on) { /* a function that was never seen: what runs now */
        instruction = 0;
        if (!find_context(r, place, thread, 0, &first))
            return FLM_SCRIPT_MOVED_ON;
        at = first;
    } else if (!place->is_leaf && instruction && find_context(r, place, thread, first, &now)) {
        read_called(r, now, first, count, place->now_ns);
    }
    size_t innermost = *count;
    for (; !is_end && *count < DEEPEST; at += r->layout->frame_size)
        if (!read_frame(r, at, count, &is_end, place->now_ns))
            return failed(r);
    if (!moved_on && instruction && *count > innermost)
        r->position[innermost] =
            (instruction - r->functions.items.at[r->function_of[innermost]].instructions) / 8;
    if (!is_unchanged(r, first))
        return failed(r);
    return *count > 0 ? FLM_SCRIPT_FRAMES : FLM_SCRIPT_NONE;
}

static enum flm_script_result read_ruby(void *opened, struct flm_script_place *place,
                                        struct flm_script_frame **frames, size_t *count)
{
    struct ruby *r = opened;
    enum flm_script_result result =
        flm_script_threads_read(&r->threads, &r->memory, place, read_frames, r, count);
    *frames = r->frames;
    name_frames(r, *count);
    return result;
}

const struct flm_script_interpreter flm_ruby_interpreter = {
    .name = "Ruby",
    .note = "ruby",
    .note_refused = "ruby (not read)",
    .losses = FLM_SCRIPT_LOSSES_OF("Ruby"),
    .opened = {.open = open_ruby, .close = close_ruby, .calls = calls_of},
    .is_loop = is_loop,
    .is_own = is_own,
    .is_split = is_split,
    .read = read_ruby};

/* ---- The entry ------------------------------------------------------------------------------- */

extern const struct flm_runtime flm_runtime_ruby;
const struct flm_runtime flm_runtime_ruby = {.name = "Ruby",
                                             .is_interpreter = flm_ruby_is_named,
                                             .symbol = "rb_vm_exec",
                                             .script = &flm_ruby_interpreter,
                                             .attach = flm_scripts_attach,
                                             .mix = flm_scripts_mix,
                                             .report = flm_scripts_report,
                                             .close = flm_scripts_free};
