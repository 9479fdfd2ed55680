/* mojo.c - austin's binary files (-b), MOJO.
 *
 *     "MOJ" version event...        each event is a byte, and what belongs to it:
 *
 *      1 metadata     key 0 value 0                   9 time in us    integer
 *      2 stack        pid, [3: interpreter], tid 0   10 memory        integer, perhaps negative
 *      3 frame        key, file, function, line,     11 string        key, text 0
 *                     [2: end of line, columns]      12 string        key: not used by samples
 *      4 invalid                                     13 [4: the frames of the thread's previous
 *      5 frame        key                                sample precede those of this one]
 *      6 kernel       function 0
 *      7 collecting garbage
 *      8 idle
 *
 *     integer   6 bits and the sign in the first byte, 7 bits in each that follows, low ones first
 *
 * A stack begins a sample, which ends where the next one begins; its frames are root first. Strings
 * and frames are defined before they are used, with keys of their own for each process; file and
 * function are keys of strings, of which 0 is "" and 1 "<unknown>". The thread is hexadecimal.
 *
 * A sample has the frames that the same sample has as text, but for invalid ones, which austin's
 * own reader leaves out, too: they are counted. A file that ends within an event, because austin
 * was killed, is read up to there. */
#include <stdlib.h>

#include "base/core/hash.h"
#include "base/number/number.h"
#include "format/austin/internal.h"
#include "profile/internal.h"

/* Stacks of Python are as deep as its limit of recursion, 1000 unless a program asks for more. */
enum { NEWEST_VERSION = 4, MOST_REPEATED = 4096 };

enum event {
    METADATA = 1,
    STACK,
    FRAME,
    FRAME_INVALID,
    FRAME_REF,
    FRAME_KERNEL,
    GC,
    IDLE,
    METRIC_TIME,
    METRIC_MEMORY,
    STRING,
    STRING_REF,
    STACK_REPEAT
};

struct key {
    uint64_t process, number;
};

/* Keys of a process, and what they stand for: strings of the profile, or frames. */
struct table {
    struct FLM_ARRAY(struct key) keys;
    struct FLM_ARRAY(uint32_t) values;
    struct flm_index index;
};

struct thread_stack FLM_ARRAY(struct flm_frame);

struct reading {
    struct flm_source *source;
    struct flm_error *why;
    uint64_t offset;     /* of source->at */
    uint64_t unreported; /* bytes since progress was reported */
    bool failed, is_cut; /* `why` is set; the input ended within an event */

    struct flm_austin austin;
    uint64_t version;
    struct table strings, frames;
    struct FLM_ARRAY(uint32_t) natives; /* by frame of the profile: 1 for machine code */

    bool in_sample, has_value, is_collecting, has_repeated;
    uint64_t process;
    struct flm_austin_sample sample;
    struct flm_text process_text, interpreter_text, thread_text, text, name;

    struct table threads; /* of version 4: which stack is a thread's last one */
    struct FLM_ARRAY(struct thread_stack) last_stacks;
};

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* The next byte; -1 at the end of the input, and after an error. */
static int next_byte(struct reading *r)
{
    enum { REPORT_EVERY = 4 << 20 };
    struct flm_source *s = r->source;
    while (s->at == s->end && !s->last && !r->failed)
        r->failed = !flm_source_more(s, r->why);
    if (r->failed || s->at == s->end)
        return -1;
    r->offset++;
    if (++r->unreported == REPORT_EVERY) {
        r->failed = !flm_source_progress(s, r->unreported, r->why);
        r->unreported = 0;
    }
    return (unsigned char)*s->at++;
}

static bool cut(struct reading *r)
{
    r->is_cut = true;
    return false;
}

static bool refuse(struct reading *r, uint64_t offset, const char *reason)
{
    r->failed = true;
    return flm_error_byte(r->why, FLM_ERROR_FORMAT, offset, "%s", reason);
}

static bool read_integer(struct reading *r, uint64_t *value, bool *is_negative)
{
    uint64_t start = r->offset;
    int byte = next_byte(r);
    if (byte < 0)
        return cut(r);
    *value = (uint64_t)byte & 0x3F;
    *is_negative = byte & 0x40;
    for (unsigned shift = 6; byte & 0x80; shift += 7) {
        byte = next_byte(r);
        if (byte < 0)
            return cut(r);
        if (shift > 63 || (shift > 57 && (uint64_t)(byte & 0x7F) >> (64 - shift) != 0))
            return refuse(r, start, "an integer has more than 64 bits");
        *value |= (uint64_t)(byte & 0x7F) << shift;
    }
    return true;
}

static bool read_uint(struct reading *r, uint64_t *value)
{
    bool is_negative;
    return read_integer(r, value, &is_negative);
}

static bool read_string(struct reading *r, struct flm_text *text)
{
    text->size = 0;
    for (int byte; (byte = next_byte(r)) != 0;) {
        if (byte < 0)
            return cut(r);
        flm_text_putc(text, (char)byte);
    }
    if (text->failed)
        flm_builder_fail_memory(r->austin.stack.builder);
    return true;
}

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static uint32_t *table_find(const struct table *t, struct key key)
{
    struct flm_probe at = flm_index_probe(&t->index, flm_hash_numbers(key.process, key.number));
    while (flm_index_next(&t->index, &at))
        if (t->keys.at[at.found].process == key.process &&
            t->keys.at[at.found].number == key.number)
            return &t->values.at[at.found];
    return NULL;
}

/* What a process has defined is its own. But older versions define the frames of native code before
 * the stack that says whose they are: the last definition of any process stands for a missing one.
 */
#define ANY_PROCESS UINT64_MAX

static const uint32_t *table_look_up(const struct table *t, uint64_t process, uint64_t number)
{
    const uint32_t *found = table_find(t, (struct key){process, number});
    return found ? found : table_find(t, (struct key){ANY_PROCESS, number});
}

/* A key that is defined again stands for something else from then on. */
static void table_set(struct reading *r, struct table *t, struct key key, uint32_t value)
{
    uint32_t *found = table_find(t, key);
    if (found) {
        *found = value;
        return;
    }
    if (!FLM_ARRAY_RESERVE(&t->keys, 1) || !FLM_ARRAY_ADD(&t->values, value) ||
        !flm_index_add(&t->index, flm_hash_numbers(key.process, key.number),
                       (uint32_t)t->keys.count)) {
        t->values.count = t->keys.count;
        flm_builder_fail_memory(r->austin.stack.builder);
        return;
    }
    t->keys.at[t->keys.count++] = key;
}

static void table_define(struct reading *r, struct table *t, uint64_t number, uint32_t value)
{
    table_set(r, t, (struct key){r->process, number}, value);
    table_set(r, t, (struct key){ANY_PROCESS, number}, value);
}

static void table_clear(struct table *t)
{
    FLM_ARRAY_CLEAR(&t->keys);
    FLM_ARRAY_CLEAR(&t->values);
    flm_index_clear(&t->index);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Appends the string of a key to the name of a frame. */
static bool add_string(struct reading *r, uint64_t number, uint64_t offset)
{
    const struct flm_interner *interner = &r->austin.stack.builder->interner;
    const uint32_t *string = table_look_up(&r->strings, r->process, number);
    if (string)
        flm_text_add(&r->name, flm_interner_text(interner, *string));
    else if (number == 1)
        flm_text_puts(&r->name, "<unknown>");
    else if (number > 1)
        return refuse(r, offset, "the frame's file or function is a string that is not defined");
    return true;
}

/* The frame of a name, as the last one of the current stack. */
static uint32_t add_frame(struct reading *r, struct flm_bytes name)
{
    struct flm_stack_buffer *stack = &r->austin.stack;
    struct flm_stack_frame frame;
    flm_austin_frame(name, &frame);
    flm_stack_frame(stack, &frame);
    return stack->frames.count > 0 ? stack->frames.at[stack->frames.count - 1].index : 0;
}

/* Not Python: neither a file .py nor <frozen ...>. */
static bool is_native_file(struct flm_bytes file)
{
    return !flm_bytes_end_with(file, ".py") &&
           !(flm_bytes_start_with(file, "<") && flm_bytes_end_with(file, ">"));
}

static void note_native(struct reading *r, uint32_t frame, bool is_native)
{
    while (r->natives.count <= frame && !flm_builder_failed(r->austin.stack.builder))
        if (!FLM_ARRAY_ADD(&r->natives, 0))
            flm_builder_fail_memory(r->austin.stack.builder);
    if (frame < r->natives.count)
        r->natives.at[frame] = is_native;
}

static bool define_frame(struct reading *r)
{
    uint64_t start = r->offset - 1, number, file, function, line, ignored;
    if (!read_uint(r, &number) || !read_uint(r, &file) || !read_uint(r, &function) ||
        !read_uint(r, &line))
        return false;
    for (int i = 0; i < 3 && r->version >= 2; i++)
        if (!read_uint(r, &ignored))
            return false;
    r->name.size = 0;
    if (!add_string(r, file, start))
        return false;
    bool is_native = is_native_file(bytes_of(&r->name));
    flm_text_putc(&r->name, ':');
    if (!add_string(r, function, start))
        return false;
    flm_text_putc(&r->name, ':');
    flm_text_uint(&r->name, line);
    if (r->name.failed)
        flm_builder_fail_memory(r->austin.stack.builder);
    uint32_t frame = add_frame(r, bytes_of(&r->name));
    if (flm_builder_failed(r->austin.stack.builder))
        return true;
    r->austin.stack.frames.count--; /* it is only defined */
    table_define(r, &r->frames, number, frame);
    note_native(r, frame, is_native);
    return true;
}

static bool use_frame(struct reading *r)
{
    uint64_t start = r->offset - 1, number;
    if (!read_uint(r, &number))
        return false;
    const uint32_t *frame = table_look_up(&r->frames, r->process, number);
    if (!frame)
        return refuse(r, start, "the stack has a frame that is not defined");
    if (!FLM_ARRAY_ADD(&r->austin.stack.frames, (struct flm_frame){*frame}))
        flm_builder_fail_memory(r->austin.stack.builder);
    return true;
}

static bool add_kernel_frame(struct reading *r)
{
    if (!read_string(r, &r->text))
        return false;
    r->name.size = 0;
    flm_text_puts(&r->name, "kernel:");
    flm_text_add(&r->name, bytes_of(&r->text));
    flm_text_puts(&r->name, ":0");
    uint32_t frame = add_frame(r, bytes_of(&r->name));
    note_native(r, frame, true);
    return true;
}

/* ---- Stacks that begin as the thread's previous one ------------------------------------------ */

/* The last stack of the current thread; NULL when memory ran out. */
static struct thread_stack *last_stack(struct reading *r)
{
    struct key key = {r->process, flm_hash(r->thread_text.at, r->thread_text.size)};
    uint32_t *found = table_find(&r->threads, key);
    if (found)
        return &r->last_stacks.at[*found];
    if (!FLM_ARRAY_ADD(&r->last_stacks, (struct thread_stack){0})) {
        flm_builder_fail_memory(r->austin.stack.builder);
        return NULL;
    }
    uint32_t added = (uint32_t)r->last_stacks.count - 1;
    table_set(r, &r->threads, key, added);
    return flm_builder_failed(r->austin.stack.builder) ? NULL : &r->last_stacks.at[added];
}

/* The machine code at the end of that stack has been left; what is there now came before this. A
 * sample has it once: twice would be twice as deep as the sample before, in each sample. */
static bool repeat_stack(struct reading *r)
{
    struct flm_stack_buffer *stack = &r->austin.stack;
    if (r->has_repeated) {
        flm_builder_lost(stack->builder, "stacks repeated twice in a sample", "byte", r->offset - 1,
                         1);
        return true;
    }
    r->has_repeated = true;
    const struct thread_stack *last = last_stack(r);
    if (!last)
        return true;
    size_t count = last->count, here = stack->frames.count;
    while (count > 0 && r->natives.at[last->at[count - 1].index])
        count--;
    if (count > MOST_REPEATED || here > MOST_REPEATED) {
        flm_builder_lost(stack->builder, "stacks too deep to be repeated", "byte", r->offset - 1,
                         1);
        return true;
    }
    if (!FLM_ARRAY_RESERVE(&stack->frames, count)) {
        flm_builder_fail_memory(stack->builder);
        return true;
    }
    if (count > 0) {
        memmove(stack->frames.at + count, stack->frames.at, here * sizeof *stack->frames.at);
        memcpy(stack->frames.at, last->at, count * sizeof *last->at);
        stack->frames.count += count;
    }
    return true;
}

static void keep_stack(struct reading *r)
{
    const struct flm_stack_buffer *stack = &r->austin.stack;
    struct thread_stack *last = r->version >= 4 ? last_stack(r) : NULL;
    if (!last)
        return;
    last->count = 0;
    for (size_t i = 0; i < stack->frames.count; i++)
        if (!FLM_ARRAY_ADD(last, stack->frames.at[i]))
            flm_builder_fail_memory(stack->builder);
}

/* ---- Samples --------------------------------------------------------------------------------- */

static void end_sample(struct reading *r)
{
    if (!r->in_sample)
        return;
    keep_stack(r);
    if (r->is_collecting)
        add_frame(r, flm_bytes_of(":GC:"));
    if (r->sample.has[FLM_AUSTIN_TIME] && r->sample.has[FLM_AUSTIN_MEMORY])
        r->sample.has[FLM_AUSTIN_IDLE] = true;
    if (r->has_value)
        flm_austin_add(&r->austin, &r->sample);
    else
        flm_builder_lost(r->austin.stack.builder, "samples without a value", "byte", r->offset, 1);
    flm_stack_begin(&r->austin.stack);
    r->in_sample = false;
}

/* The number of a thread is hexadecimal. */
static void thread_number(struct flm_text *text)
{
    uint64_t number = 0;
    if (text->size == 0 || text->size > 16)
        return;
    for (size_t i = 0; i < text->size; i++) {
        int digit = flm_hex_value(text->at[i]);
        if (digit < 0)
            return;
        number = number << 4 | (uint64_t)digit;
    }
    text->size = 0;
    flm_text_uint(text, number);
}

static bool begin_sample(struct reading *r)
{
    uint64_t interpreter = 0;
    end_sample(r);
    if (!read_uint(r, &r->process) || (r->version >= 3 && !read_uint(r, &interpreter)) ||
        !read_string(r, &r->thread_text))
        return false;
    thread_number(&r->thread_text);
    r->process_text.size = r->interpreter_text.size = 0;
    flm_text_uint(&r->process_text, r->process);
    if (r->version >= 3)
        flm_text_uint(&r->interpreter_text, interpreter);
    if (r->process_text.failed || r->interpreter_text.failed || r->thread_text.failed)
        flm_builder_fail_memory(r->austin.stack.builder);
    r->sample = (struct flm_austin_sample){.process = bytes_of(&r->process_text),
                                           .interpreter = bytes_of(&r->interpreter_text),
                                           .thread = bytes_of(&r->thread_text)};
    r->in_sample = true;
    r->has_value = r->is_collecting = r->has_repeated = false;
    return true;
}

static bool read_value(struct reading *r, enum flm_austin_value which)
{
    uint64_t value;
    bool is_negative;
    if (!read_integer(r, &value, &is_negative))
        return false;
    flm_builder_rounded(r->austin.stack.builder, flm_uint_is_rounded(value));
    r->sample.has[which] = r->has_value = true;
    r->sample.value[which] =
        is_negative && which == FLM_AUSTIN_MEMORY ? -(double)value : (double)value;
    return true;
}

static bool read_metadata(struct reading *r)
{
    end_sample(r);
    if (!read_string(r, &r->name) || !read_string(r, &r->text))
        return false;
    flm_austin_metadata(&r->austin, bytes_of(&r->name), bytes_of(&r->text));
    return true;
}

static bool define_string(struct reading *r)
{
    uint64_t number;
    if (!read_uint(r, &number) || !read_string(r, &r->text))
        return false;
    struct flm_builder *b = r->austin.stack.builder;
    table_define(r, &r->strings, number,
                 flm_builder_string(b, r->text.at ? r->text.at : "", r->text.size).index);
    return true;
}

static bool read_event(struct reading *r, int event)
{
    uint64_t ignored;
    bool of_sample = event == FRAME_REF || event == FRAME_KERNEL || event == METRIC_TIME ||
                     event == METRIC_MEMORY || event == STACK_REPEAT;
    if (of_sample && !r->in_sample)
        return refuse(r, r->offset - 1, "a frame or a value before the first stack");
    switch (event) {
    case METADATA:
        return read_metadata(r);
    case STACK:
        return begin_sample(r);
    case FRAME:
        return define_frame(r);
    case FRAME_REF:
        return use_frame(r);
    case FRAME_KERNEL:
        return add_kernel_frame(r);
    case METRIC_TIME:
        return read_value(r, FLM_AUSTIN_TIME);
    case METRIC_MEMORY:
        return read_value(r, FLM_AUSTIN_MEMORY);
    case STRING:
        return define_string(r);
    case STRING_REF:
        return read_uint(r, &ignored);
    case STACK_REPEAT:
        return repeat_stack(r);
    case GC:
        r->is_collecting = true;
        return true;
    case IDLE:
        r->sample.value[FLM_AUSTIN_IDLE] = 1;
        return true;
    case FRAME_INVALID:
        flm_builder_lost(r->austin.stack.builder, "invalid frames", "byte", r->offset - 1, 1);
        return true;
    default:
        return refuse(r, r->offset - 1, "this is no event of a MOJO file");
    }
}

static bool read_header(struct reading *r)
{
    for (int i = 0; i < 3; i++)
        if (next_byte(r) != "MOJ"[i])
            return r->failed || refuse(r, 0, "a MOJO file begins with MOJ, which is not here");
    if (!read_uint(r, &r->version))
        return r->failed || refuse(r, 3, "the file ends within its header");
    if (r->version >= 1 && r->version <= NEWEST_VERSION)
        return true;
    r->failed = true;
    return flm_error_byte(r->why, FLM_ERROR_FORMAT, 3,
                          "this is a MOJO file of version %llu, and flamel reads 1 to %d: "
                          "mojo2austin makes text of it",
                          (unsigned long long)r->version, NEWEST_VERSION);
}

static void clear(struct reading *r)
{
    flm_austin_clear(&r->austin);
    table_clear(&r->strings);
    table_clear(&r->frames);
    table_clear(&r->threads);
    FLM_ARRAY_CLEAR(&r->natives);
    for (size_t i = 0; i < r->last_stacks.count; i++)
        FLM_ARRAY_CLEAR(&r->last_stacks.at[i]);
    FLM_ARRAY_CLEAR(&r->last_stacks);
    flm_text_clear(&r->process_text);
    flm_text_clear(&r->interpreter_text);
    flm_text_clear(&r->thread_text);
    flm_text_clear(&r->text);
    flm_text_clear(&r->name);
}

static bool read_mojo(struct flm_source *source, const struct flm_read_options *options,
                      struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.source = source, .why = why};
    flm_austin_begin(&r.austin, builder, options);
    r.austin.has_times = true;
    uint64_t start = 0;
    int event;
    if (read_header(&r) && !r.failed) {
        do {
            start = r.offset;
            event = next_byte(&r);
        } while (event >= 0 && read_event(&r, event) && !flm_builder_failed(builder));
        if (r.is_cut && !r.failed)
            flm_builder_lost(builder, "incomplete events at the end", "byte", start, 1);
        else if (!r.failed)
            end_sample(&r);
    }
    bool good = !r.failed && flm_source_progress(source, r.unreported, why);
    if (good && !r.austin.has_samples && !flm_builder_failed(builder))
        good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no samples");
    clear(&r);
    return good;
}

static int sniff_mojo(struct flm_bytes head, bool whole)
{
    (void)whole;
    /* A text might begin so; but behind the version is metadata, or a stack. */
    bool is_binary = head.size < 5 || (unsigned char)head.at[3] < 0x20 || head.at[4] == METADATA ||
                     head.at[4] == STACK;
    return flm_bytes_start_with(head, "MOJ") && is_binary ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

const struct flm_format flm_format_mojo = {
    .name = "mojo",
    .title = "Austin, binary",
    .extensions = ".mojo",
    .description = "samples of austin, the profiler of Python, as a binary file",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_mojo,
    .read = read_mojo,
};
