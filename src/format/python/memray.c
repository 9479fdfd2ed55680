/* memray.c - captures of memray: every allocation and release of a Python program, with its stack.
 *
 *     memray\0, version         then, as C structs of x86-64: whether there are native stacks, of
 *                               which of two forms the file is, when it began, the command ...
 *     records                   a byte with the kind of record (and bits of its own), and values:
 *                               varints, differences to the last value of that kind, texts with a
 *                               NUL at the end
 *     trailer                   not there if the program was killed; perhaps zeros instead
 *
 * Of all allocations, the form that `memray run` writes, records are events: a thread goes on; a
 * call begins or ends; memory is allocated or released. The form --aggregate has sums of stacks, in
 * its own records. A file is usually one frame of lz4.
 *
 * Versions 10 (memray 1.7) to 13 are read. Before 12, a frame is a function with a line, and the
 * kind of a record is the low half of its byte. Since then a frame is an instruction of a code
 * object; addresses that occur again have a number of 4 bits.
 *
 * Metrics are what memray's reporters show: peak (bytes at the high-water mark), leaked (bytes that
 * were never released), allocations, allocated (bytes, of all), temporary (released by the thread
 * that allocated them, as one of its last two allocations). The aggregated form has the first two.
 * Native frames are not read: they are addresses. */
#include "format/python/memray.h"

#include "base/lz4/lz4.h"
#include "flamel/profile.h"

enum {
    OLDEST_VERSION = 10,
    TRACES_PYTHON = 11, /* the versions that the fields and forms came with */
    CODE_OBJECTS = 12,
    SEARCH_PATHS = 13,
    NEWEST_VERSION = 13,
    LONGEST_TEXT = 1 << 20
};

#define OF_AGGREGATED (UINT64_C(1) << 63) /* offset of the frames that have numbers */

/* ---- Values ---------------------------------------------------------------------------------- */

/* Makes the window at least that large. False, and is_cut, at the end of the file. */
static bool need(struct flm_memray *m, size_t size)
{
    struct flm_source *s = m->source;
    if ((size_t)(s->end - s->at) >= size)
        return true;
    if (!flm_source_fill(s, size, m->why))
        return false;
    m->is_cut = (size_t)(s->end - s->at) < size;
    return !m->is_cut;
}

static bool refuse(const struct flm_memray *m, const char *reason)
{
    return flm_error_byte(m->why, FLM_ERROR_FORMAT, m->offset, "%s", reason);
}

static bool skip(struct flm_memray *m, size_t size)
{
    if (!need(m, size))
        return false;
    m->source->at += size;
    m->offset += size;
    return true;
}

static bool take_uint(struct flm_memray *m, size_t size, uint64_t *value)
{
    if (!skip(m, size))
        return false;
    const unsigned char *at = (const unsigned char *)m->source->at - size;
    *value = 0;
    for (size_t i = size; i-- > 0;)
        *value = *value << 8 | at[i];
    return true;
}

static bool take_varint(struct flm_memray *m, uint64_t *value)
{
    uint64_t byte = 128;
    *value = 0;
    for (unsigned shift = 0; byte & 128; shift += 7) {
        if (shift > 63)
            return refuse(m, "a number is too large");
        if (!take_uint(m, 1, &byte))
            return false;
        *value |= (byte & 127) << shift;
    }
    return true;
}

/* The difference to a value, which becomes the new one. */
static bool take_delta(struct flm_memray *m, uint64_t *last)
{
    uint64_t zigzag;
    if (!take_varint(m, &zigzag))
        return false;
    *last += zigzag >> 1 ^ (~(zigzag & 1) + 1);
    return true;
}

static bool take_text(struct flm_memray *m, struct flm_text *text)
{
    size_t size = 0;
    for (;; size++) {
        if (size > LONGEST_TEXT)
            return refuse(m, "a text is longer than 1 MiB");
        if (!need(m, size + 1))
            return false;
        if (m->source->at[size] == 0)
            break;
    }
    text->size = 0;
    flm_text_add(text, (struct flm_bytes){m->source->at, size});
    return skip(m, size + 1) && (!text->failed || flm_error_memory(m->why));
}

/* ---- The header ------------------------------------------------------------------------------ */

static bool read_paths(struct flm_memray *m)
{
    enum { LISTS = 2 };
    if (!take_text(m, &m->name))
        return false;
    for (int lists = 0; lists < LISTS; lists += m->name.size == 0)
        if (!take_text(m, &m->name))
            return false;
    return true;
}

static const char magic[] = "memray"; /* and its zero */

static bool read_header(struct flm_memray *m)
{
    enum { MAGIC = sizeof magic, COUNTS = 16, TIME = 8, PROCESS = 4, SKIPPED_FRAMES = 8 };
    uint64_t version, number = 0, native, form;
    if (!need(m, MAGIC))
        return false;
    if (memcmp(m->source->at, magic, MAGIC) != 0)
        return refuse(m, "it does not begin as memray's captures do");
    if (!skip(m, MAGIC) || !take_uint(m, 4, &version))
        return false;
    m->version = (uint32_t)version;
    if (version < OLDEST_VERSION || version > NEWEST_VERSION)
        return flm_error_set(m->why, FLM_ERROR_FORMAT,
                             "this is version %u of memray's captures, of which flamel reads %d to "
                             "%d: %s",
                             m->version, OLDEST_VERSION, NEWEST_VERSION,
                             version < OLDEST_VERSION
                                 ? "record it again with memray 1.7 or newer"
                                 : "'memray transform speedscope' makes a file that flamel reads");
    if (version >= CODE_OBJECTS && !take_uint(m, 4, &number))
        return false;
    m->python_version = (uint32_t)number;
    if (!take_uint(m, 1, &native) || !take_uint(m, 1, &form) || !skip(m, COUNTS) ||
        !take_uint(m, TIME, &m->start_ms) || !skip(m, TIME) || !take_text(m, &m->name) ||
        !skip(m, PROCESS) || !take_uint(m, 8, &m->main_thread) ||
        !skip(m, SKIPPED_FRAMES + 1 + (version >= TRACES_PYTHON) + (version >= CODE_OBJECTS)))
        return false;
    m->is_native = native;
    m->is_aggregated = form;
    if (form > 1)
        return refuse(m, "the form of the capture is unknown");
    if (m->name.size > 0)
        flm_builder_note(m->builder, "command", m->name.at, m->name.size);
    return version < SEARCH_PATHS || read_paths(m);
}

/* ---- Records of both forms ------------------------------------------------------------------- */

enum record {
    FILLER,
    TRAILER, /* of all allocations */
    MEMORY,
    NATIVE_FRAME = 5,
    MAP_START,
    SEGMENT_HEADER,
    SEGMENT,
    THREAD_NAME = 10,
    THREAD = 12,
    OBJECT = 13,
    CODE = 14,
    AGGREGATED_TRAILER = 15
};

static uint32_t current_thread(struct flm_memray *m)
{
    if (m->thread == FLM_NONE)
        m->thread = flm_memray_thread(m, 0);
    return m->thread;
}

static bool read_thread_name(struct flm_memray *m)
{
    if (!take_text(m, &m->name))
        return false;
    if (current_thread(m) == FLM_NONE)
        return flm_error_memory(m->why);
    if (m->name.size > 0)
        m->threads.at[m->thread].name =
            flm_builder_string(m->builder, m->name.at, m->name.size).index;
    return true;
}

static bool read_code(struct flm_memray *m)
{
    uint64_t key, size;
    if (!take_varint(m, &key) || !take_text(m, &m->name) || !take_text(m, &m->file) ||
        !take_delta(m, &m->last_line) || !take_varint(m, &size))
        return false;
    if (size > LONGEST_TEXT)
        return refuse(m, "a line table is larger than 1 MiB");
    if (!need(m, (size_t)size))
        return false;
    struct flm_bytes lines = {m->source->at, (size_t)size};
    return (flm_memray_add_code(m, key, (uint32_t)m->last_line, lines) ||
            flm_error_memory(m->why)) &&
           skip(m, (size_t)size);
}

static void add_memory(struct flm_memray *m, uint64_t ms, uint64_t heap, uint64_t resident)
{
    if (!m->options->keep_times)
        return;
    if (ms > INT64_MAX / 1000000) {
        flm_builder_lost(m->builder, "memory readings with an impossible time", "byte", m->offset,
                         1);
        return;
    }
    flm_builder_counter_point(m->builder, m->heap, (int64_t)ms * 1000000, (double)heap);
    flm_builder_counter_point(m->builder, m->resident, (int64_t)ms * 1000000, (double)resident);
}

/* Those that are the same in both forms and all versions. */
static bool read_shared(struct flm_memray *m, unsigned kind)
{
    uint64_t number;
    switch (kind) {
    case FILLER:
    case MAP_START:
        return true;
    case NATIVE_FRAME:
        return take_varint(m, &number) && take_varint(m, &number);
    case SEGMENT_HEADER:
        return take_text(m, &m->name) && take_varint(m, &number) && skip(m, 8);
    case SEGMENT:
        return skip(m, 8) && take_varint(m, &number);
    case THREAD_NAME:
        return read_thread_name(m);
    case THREAD:
        if (!take_uint(m, 8, &number))
            return false;
        m->thread = flm_memray_thread(m, number);
        return m->thread != FLM_NONE || flm_error_memory(m->why);
    case CODE:
        if (m->version >= CODE_OBJECTS)
            return read_code(m);
        break;
    default:
        break;
    }
    return flm_error_byte(m->why, FLM_ERROR_FORMAT, m->offset, "there is no record of kind %u",
                          kind);
}

/* ---- All allocations ------------------------------------------------------------------------- */

enum effect { ALLOCATES, RELEASES, ALLOCATES_RANGE, RELEASES_RANGE };

/* The function that allocated or released, by its number: since version 12 in another order. */
static enum effect effect_of(const struct flm_memray *m, uint64_t function)
{
    enum { OLD_FREE = 2, OLD_MMAP = 10, OLD_MUNMAP = 11, OLD_PYMALLOC_FREE = 15 };
    enum { PYMALLOC_FREE = 1, FREE = 5, MMAP = 14, MUNMAP = 15 };
    bool is_old = m->version < CODE_OBJECTS;
    if (function == (is_old ? OLD_FREE : FREE) ||
        function == (is_old ? OLD_PYMALLOC_FREE : PYMALLOC_FREE))
        return RELEASES;
    if (function == (is_old ? OLD_MMAP : MMAP))
        return ALLOCATES_RANGE;
    return function == (is_old ? OLD_MUNMAP : MUNMAP) ? RELEASES_RANGE : ALLOCATES;
}

static bool change(struct flm_memray *m, enum effect effect, uint64_t address, uint64_t size)
{
    bool is_range = effect >= ALLOCATES_RANGE;
    if (current_thread(m) == FLM_NONE)
        return flm_error_memory(m->why);
    return effect == ALLOCATES || effect == ALLOCATES_RANGE
               ? flm_memray_allocate(m, address, size, is_range)
               : flm_memray_release(m, address, size, is_range);
}

static bool push(struct flm_memray *m, uint32_t frame)
{
    if (frame == FLM_NONE)
        return refuse(m, "a call refers to a function that is not in the file before it");
    if (current_thread(m) == FLM_NONE)
        return flm_error_memory(m->why);
    struct flm_memray_thread *thread = &m->threads.at[m->thread];
    uint32_t caller = thread->stacks.count > 0 ? thread->stacks.at[thread->stacks.count - 1] : 0;
    uint32_t stack = flm_memray_stack(m, caller, m->frames.at[frame].frame);
    return (stack != FLM_NONE && FLM_ARRAY_ADD(&thread->stacks, stack)) || flm_error_memory(m->why);
}

static bool pop(struct flm_memray *m, size_t count)
{
    if (current_thread(m) == FLM_NONE)
        return flm_error_memory(m->why);
    struct flm_memray_thread *thread = &m->threads.at[m->thread];
    if (count > thread->stacks.count)
        return refuse(m, "more calls end than have begun");
    thread->stacks.count -= count;
    return true;
}

static bool read_memory(struct flm_memray *m)
{
    uint64_t resident, ms;
    if (!take_varint(m, &resident) || !take_varint(m, &ms))
        return false;
    add_memory(m, ms, m->bytes, resident);
    return true;
}

static bool read_old(struct flm_memray *m, unsigned kind, unsigned bits)
{
    enum { OTHER, ALLOCATION, NATIVE_ALLOCATION, FRAME, PUSH, POP = 9, OLD_MEMORY = 11 };
    uint64_t size = 0, native;
    switch (kind) {
    case OTHER:
        m->is_ended = bits == TRAILER;
        return m->is_ended || bits == FILLER || refuse(m, "there is no such record");
    case ALLOCATION:
    case NATIVE_ALLOCATION:
        if (!take_delta(m, &m->last_address) ||
            ((kind == NATIVE_ALLOCATION || effect_of(m, bits) != RELEASES) &&
             !take_varint(m, &size)) ||
            (kind == NATIVE_ALLOCATION && !take_varint(m, &native)))
            return false;
        return change(m, effect_of(m, bits), m->last_address, size);
    case FRAME:
        if (!take_delta(m, &m->last_frame) || !take_text(m, &m->name) || !take_text(m, &m->file) ||
            !take_delta(m, &m->last_line))
            return false;
        return flm_memray_add_frame(m, m->last_frame, (uint32_t)m->last_line) ||
               flm_error_memory(m->why);
    case PUSH:
        return take_delta(m, &m->last_frame) && push(m, flm_memray_find(m, m->last_frame, 0));
    case POP:
        return pop(m, bits + 1);
    case OLD_MEMORY:
        return read_memory(m);
    default:
        return read_shared(m, kind);
    }
}

/* An address: the number of one that occurred lately, or the difference to the last one. */
static bool take_address(struct flm_memray *m, unsigned number, uint64_t *address)
{
    enum { NEW = 15 };
    if (number == NEW) {
        if (!take_delta(m, &m->last_address))
            return false;
        memmove(m->recent + 1, m->recent, sizeof m->recent - sizeof *m->recent);
        m->recent[0] = m->last_address << 3;
        number = 0;
    }
    *address = m->recent[number];
    return true;
}

static bool read_allocation(struct flm_memray *m, unsigned bits)
{
    uint64_t address, function = bits & 7, size = 0, native;
    if (!take_address(m, bits >> 3 & 15, &address) ||
        (function == 0 && !take_uint(m, 1, &function)))
        return false;
    enum effect effect = effect_of(m, function);
    if (effect != RELEASES &&
        ((m->is_native && !take_varint(m, &native)) || !take_varint(m, &size)))
        return false;
    return change(m, effect, address, size);
}

static bool read_new(struct flm_memray *m, unsigned byte)
{
    enum { ALLOCATION = 128, PUSH = 64, TRACKED_OBJECT = 32, POP = 16 };
    uint64_t key, offset = 0, native;
    uint32_t frame;
    if (byte & ALLOCATION)
        return read_allocation(m, byte & ~(unsigned)ALLOCATION);
    if (byte & PUSH) {
        if (!take_varint(m, &key) || !take_delta(m, &offset))
            return false;
        return flm_memray_code_frame(m, key, offset, &frame) && push(m, frame);
    }
    if (byte & TRACKED_OBJECT)
        return take_address(m, byte >> 1 & 15, &key) &&
               (!m->is_native || !(byte & 1) || take_varint(m, &native));
    if (byte & POP)
        return pop(m, (byte & 15) + 1);
    if (byte == TRAILER)
        m->is_ended = true;
    else if (byte == MEMORY)
        return read_memory(m);
    else
        return read_shared(m, byte);
    return true;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* Frames and stacks have numbers; those of stacks begin at 1. Stacks that are the same here (of two
 * instructions of a function) are one, so theirs are looked up. */
static bool read_frame(struct flm_memray *m)
{
    uint64_t number, code, offset = 0, line, entry;
    if (m->version < CODE_OBJECTS)
        return take_uint(m, 8, &number) && take_text(m, &m->name) && take_text(m, &m->file) &&
               take_uint(m, 4, &line) && take_uint(m, 1, &entry) &&
               (flm_memray_add_frame(m, number, (uint32_t)line) || flm_error_memory(m->why));
    if (!take_varint(m, &number) || !take_varint(m, &code) || !take_delta(m, &offset) ||
        !take_uint(m, 1, &entry))
        return false;
    uint32_t frame;
    if (!flm_memray_code_frame(m, code, offset, &frame))
        return false;
    return flm_memray_number_frame(m, number, OF_AGGREGATED, frame) || flm_error_memory(m->why);
}

static bool read_stack(struct flm_memray *m)
{
    uint64_t number, parent;
    bool is_old = m->version < CODE_OBJECTS;
    if (is_old ? !take_uint(m, 8, &number) || !take_uint(m, 4, &parent)
               : !take_varint(m, &number) || !take_varint(m, &parent))
        return false;
    uint32_t frame = flm_memray_find(m, number, is_old ? 0 : OF_AGGREGATED);
    if (frame == FLM_NONE || parent > m->numbered.count)
        return refuse(m, "a stack has a frame or a caller that is not there");
    uint32_t stack =
        flm_memray_stack(m, parent > 0 ? m->numbered.at[parent - 1] : 0, m->frames.at[frame].frame);
    return (stack != FLM_NONE && FLM_ARRAY_ADD(&m->numbered, stack)) || flm_error_memory(m->why);
}

static bool read_sums(struct flm_memray *m)
{
    enum { FUNCTION_AND_NATIVE = 16, GENERATION = 8, COUNTS = 16 };
    uint64_t id, stack, peak, leaked;
    if (!take_uint(m, 8, &id) || !skip(m, FUNCTION_AND_NATIVE) || !take_uint(m, 8, &stack) ||
        !skip(m, GENERATION + COUNTS) || !take_uint(m, 8, &peak) || !take_uint(m, 8, &leaked))
        return false;
    if (stack > m->numbered.count)
        return refuse(m, "an allocation has a stack that is not there");
    if (peak > UINT64_MAX / 2 - m->peak || leaked > UINT64_MAX / 2 - m->bytes)
        return flm_error_byte(m->why, FLM_ERROR_RANGE, m->offset,
                              "more than 2^63 bytes are allocated");
    uint32_t thread = flm_memray_thread(m, id);
    uint32_t index =
        thread == FLM_NONE
            ? FLM_NONE
            : flm_memray_location(m, stack > 0 ? m->numbered.at[stack - 1] : 0, thread);
    if (index == FLM_NONE)
        return flm_error_memory(m->why);
    m->locations.at[index].at_peak += peak;
    m->locations.at[index].bytes += leaked;
    m->peak += peak;
    m->bytes += leaked;
    return true;
}

static bool read_aggregated(struct flm_memray *m, unsigned kind)
{
    enum { SNAPSHOT = 1, SUMS, STACK, FRAME };
    uint64_t ms, resident, heap;
    switch (kind) {
    case SNAPSHOT:
        if (!take_uint(m, 8, &ms) || !take_uint(m, 8, &resident) || !take_uint(m, 8, &heap))
            return false;
        add_memory(m, ms < m->start_ms ? UINT64_MAX : ms - m->start_ms, heap, resident);
        return true;
    case SUMS:
        return read_sums(m);
    case STACK:
        return read_stack(m);
    case FRAME:
        return read_frame(m);
    case OBJECT:
        return take_varint(m, &ms) && (!m->is_native || take_varint(m, &ms));
    case AGGREGATED_TRAILER:
        m->is_ended = true;
        return true;
    default:
        return read_shared(m, kind);
    }
}

/* ---- The capture ----------------------------------------------------------------------------- */

/* False, and `why`; or true at the end, and where the file is cut off. */
static bool read_records(struct flm_memray *m)
{
    uint64_t byte, reported = m->offset;
    while (!m->is_ended && !m->is_cut && !flm_builder_failed(m->builder)) {
        if (!need(m, 1) || !take_uint(m, 1, &byte))
            return m->is_cut;
        bool good = m->is_aggregated            ? read_aggregated(m, (unsigned)byte)
                    : m->version < CODE_OBJECTS ? read_old(m, byte & 15, (unsigned)byte >> 4)
                                                : read_new(m, (unsigned)byte);
        if (!good && !m->is_cut)
            return false;
        if (m->offset - reported > 1 << 22) {
            if (!flm_source_progress(m->source, m->offset - reported, m->why))
                return false;
            reported = m->offset;
        }
    }
    return true;
}

static void add_notes(struct flm_memray *m)
{
    static const char native[] = "the capture has native stacks, which are not read: memory that "
                                 "native code allocated is in the Python function that called it";
    static const char metrics[] = "all metrics";
    if (m->is_cut)
        flm_builder_lost(m->builder, "end of the file", "byte", m->offset, 1);
    if (m->is_native)
        flm_builder_note(m->builder, FLM_NOTE_NOT_SHOWN "native frames", native, sizeof native - 1);
    flm_builder_note(m->builder, FLM_NOTE_SAMPLE_VALUES, metrics, sizeof metrics - 1);
}

static bool read_capture(struct flm_memray *m)
{
    struct flm_builder *b = m->builder;
    if (m->options->keep_times) {
        struct flm_string bytes = flm_builder_string(b, "bytes", 5);
        struct flm_label_set none = {0};
        m->heap = flm_builder_counter(b, flm_builder_string(b, "heap", 4), bytes, none);
        m->resident =
            flm_builder_counter(b, flm_builder_string(b, "resident memory", 15), bytes, none);
    }
    if (!FLM_ARRAY_ADD(&m->stacks, (struct flm_memray_stack){0}))
        return flm_error_memory(m->why);
    if (!read_header(m))
        return m->is_cut ? refuse(m, "the capture ends in its header") : false;
    if (!read_records(m))
        return false;
    if (!flm_builder_failed(b)) {
        add_notes(m);
        flm_memray_add_values(m);
    }
    return true;
}

static bool is_compressed(struct flm_bytes head)
{
    return head.size > FLM_LZ4_MAGIC_SIZE &&
           memcmp(head.at, FLM_LZ4_MAGIC, FLM_LZ4_MAGIC_SIZE) == 0;
}

static bool read_memray(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    struct flm_memray m = {
        .builder = builder, .options = options, .why = why, .source = source, .thread = FLM_NONE};
    struct flm_lz4 lz4 = {0};
    if (!flm_source_fill(source, FLM_LZ4_MAGIC_SIZE + 1, why))
        return false;
    bool good = true;
    if (is_compressed((struct flm_bytes){source->at, (size_t)(source->end - source->at)})) {
        good = flm_lz4_open(&lz4, source, why);
        m.source = &lz4.source;
    }
    good = good && read_capture(&m);
    flm_memray_clear(&m);
    flm_lz4_close(&lz4);
    return good;
}

/* Compressed, the first bytes are still as they are: nothing was before them. */
static int sniff_memray(struct flm_bytes head, bool whole)
{
    (void)whole;
    enum { BEGINNING = 32 };
    if (head.size >= sizeof magic && memcmp(head.at, magic, sizeof magic) == 0)
        return FLM_SNIFF_MAGIC;
    if (!is_compressed(head))
        return FLM_SNIFF_NO;
    head.size = head.size < BEGINNING ? head.size : BEGINNING;
    return flm_bytes_contain(head, magic) ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

const struct flm_format flm_format_memray = {
    .name = "memray",
    .title = "memray",
    .extensions = "",
    .description = "captures of memray of Python: peak and leaked bytes, allocations",
    .metrics = FLM_METRICS_ALL,
    .holds = FLM_HOLDS_FILES,
    .keeps_labels = true,
    .sniff = sniff_memray,
    .read = read_memray,
};
