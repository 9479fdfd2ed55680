/* art.c - method traces of Android's runtime, ART: Debug.startMethodTracing(), Android Studio.
 *
 *     *version        regular: methods and threads first, as text
 *     3
 *     clock=dual      ... pid=15355
 *     *threads
 *     15355 main                                        thread, tab, name
 *     *methods
 *     0x3f4 android.view.Window close ()V Window.java   separated by tabs; or with a line
 *     *end
 *     "SLOW"  version  size of this  start in us since boot (8)  size of a record (version 3)
 *     record  thread (2; version 1: 1)  method | action (4)  times in us (4 each)
 *
 *     "SLOW"  version | 240 ...                streaming: records, and in place of a thread 0, then
 *         1  size (2)  a line of *methods
 *         2  thread (2)  size (2)  name
 *         3  size (4)  the text from *version on, after which nothing follows
 *
 * All numbers are little-endian. The lowest two bits of a method are what it does: 0 it is entered,
 * 1 left, 2 left by an exception. The clock is "wall", "thread-cpu", or "dual": of the thread's CPU
 * first, then of the wall. Each clock is a metric; samples are the times in which a stack did not
 * change. Traces of a sampling profiler look the same: methods that came and went between two
 * samples are entered and left at the time of the second.
 *
 * A method that is left, but was not entered, was running when the trace began: it called
 * everything before in its thread. So each thread is walked twice. Methods that are never left last
 * until the thread's last event, as in Android Studio. Times wrap after 71 minutes, which is seen
 * where a thread's own go back by half of that. */
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/core/scan.h"
#include "format/core/event_stacks.h"
#include "format/core/format.h"
#include "format/core/thread_names.h"
#include "profile/internal.h"
#include "record/perf/byte_order.h"

static const char magic[] = "SLOW";
enum { MAGIC_SIZE = sizeof magic - 1, NEWEST_VERSION = 3, STREAMING = 0xF0 };
enum { HEAD_SIZE = 16, HEAD_SIZE_3 = 18 };
enum part { METHOD = 1, THREAD, SUMMARY };
enum action { ENTER, LEAVE, UNWIND };

struct method {
    uint32_t id;
    struct flm_frame frame;
};

struct open_method {
    uint32_t id;
    struct flm_node node;
};

struct open_methods FLM_ARRAY(struct open_method);

struct thread {
    uint32_t id;
    uint32_t last_record; /* FLM_NONE: none */
    struct flm_thread_names names;
};

/* One of a thread. Those of one thread are a list. */
struct record {
    uint32_t method; /* | action */
    uint32_t times[2];
    uint32_t next;
};

struct reading {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    struct flm_bytes all;
    size_t at;

    uint32_t version;
    size_t record_size;
    uint64_t start_us;
    bool is_dual, is_cpu;
    uint32_t process; /* a string; 0: not known */

    struct FLM_ARRAY(struct method) methods;
    struct flm_index method_index;
    struct FLM_ARRAY(struct thread) threads;
    struct FLM_ARRAY(uint32_t) first_records; /* by thread */
    struct flm_index thread_index;
    struct FLM_ARRAY(struct record) records;

    struct flm_metric metrics[2];     /* of times[0], and of times[1] if it is dual */
    struct FLM_ARRAY(uint32_t) begun; /* methods that ran from the beginning, innermost first */
    struct open_methods open;
    struct flm_calls_lost lost;
};

/* ---- Methods and threads --------------------------------------------------------------------- */

static bool refuse(struct reading *r, size_t at, const char *reason)
{
    return flm_error_byte(r->why, FLM_ERROR_FORMAT, at, "%s", reason);
}

static uint32_t string_of(struct reading *r, struct flm_bytes text)
{
    return flm_builder_string(r->builder, text.at, text.size).index;
}

/* What is before the next `mark`, or everything; it is taken off, with the mark. */
static struct flm_bytes take_until(struct flm_bytes *text, char mark)
{
    const char *end = text->at + text->size, *found = flm_find(text->at, end, mark);
    struct flm_bytes taken = {text->at, (size_t)(found - text->at)};
    *text = flm_bytes_from(*text, taken.size + (found < end));
    return taken;
}

/* "0x3f4", or "15355"; what is no number is 0. */
static uint32_t take_number(struct flm_bytes text)
{
    bool is_hex = flm_bytes_start_with(text, "0x");
    uint32_t number = 0;
    for (size_t i = is_hex ? 2 : 0; i < text.size; i++) {
        char c = text.at[i];
        uint32_t digit = c >= '0' && c <= '9'             ? (uint32_t)(c - '0')
                         : is_hex && c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                                                          : 16;
        if (digit == 16)
            break;
        number = number * (is_hex ? 16 : 10) + digit;
    }
    return number;
}

/* The frame of a method, made of its line where it is new. */
static struct flm_frame method_frame(struct reading *r, uint32_t id, struct flm_bytes line)
{
    struct flm_frame_record record = {0};
    struct flm_text name = {0};
    if (line.size > 0) {
        flm_text_add(&name, take_until(&line, '\t'));
        flm_text_putc(&name, '.');
        flm_text_add(&name, take_until(&line, '\t'));
        take_until(&line, '\t'); /* parameters */
        struct flm_bytes file = take_until(&line, '\t');
        record.file = string_of(r, file);
        record.line = take_number(line);
    } else {
        flm_text_format(&name, "[unknown method 0x%x]", id);
        record.flags = FLM_FRAME_UNSYMBOLIZED;
    }
    if (name.failed)
        flm_builder_fail_memory(r->builder);
    else
        record.function = string_of(r, (struct flm_bytes){name.at, name.size});
    flm_text_clear(&name);
    return flm_builder_frame(r->builder, &record);
}

/* Of several lines for a method the first one holds. */
static struct flm_frame find_method(struct reading *r, uint32_t id, struct flm_bytes line)
{
    uint32_t hash = flm_hash_numbers(id, 0);
    struct flm_probe at = flm_index_probe(&r->method_index, hash);
    while (flm_index_next(&r->method_index, &at))
        if (r->methods.at[at.found].id == id)
            return r->methods.at[at.found].frame;
    struct method method = {id, method_frame(r, id, line)};
    if (!FLM_ARRAY_ADD(&r->methods, method) ||
        !flm_index_add(&r->method_index, hash, (uint32_t)r->methods.count - 1))
        flm_builder_fail_memory(r->builder);
    return method.frame;
}

static void add_method(struct reading *r, struct flm_bytes line)
{
    if (line.size > 0 && line.at[line.size - 1] == '\n')
        line.size--;
    uint32_t id = take_number(take_until(&line, '\t'));
    if (line.size > 0)
        find_method(r, id, line);
}

/* The index of a thread; FLM_NONE if memory ran out. */
static uint32_t find_thread(struct reading *r, uint32_t id)
{
    uint32_t hash = flm_hash_numbers(id, 0), count = (uint32_t)r->threads.count;
    struct flm_probe at = flm_index_probe(&r->thread_index, hash);
    while (flm_index_next(&r->thread_index, &at))
        if (r->threads.at[at.found].id == id)
            return at.found;
    char storage[16];
    struct flm_text number;
    flm_text_init_fixed(&number, storage, sizeof storage);
    flm_text_uint(&number, id);
    struct thread thread = {.id = id, .last_record = FLM_NONE};
    thread.names.thread = string_of(r, (struct flm_bytes){number.at, number.size});
    if (!FLM_ARRAY_ADD(&r->threads, thread) || !FLM_ARRAY_ADD(&r->first_records, FLM_NONE) ||
        !flm_index_add(&r->thread_index, hash, count)) {
        flm_builder_fail_memory(r->builder);
        return FLM_NONE;
    }
    return count;
}

static void name_thread(struct reading *r, uint32_t id, struct flm_bytes name)
{
    uint32_t thread = find_thread(r, id);
    if (thread != FLM_NONE)
        r->threads.at[thread].names.thread_name = string_of(r, name);
}

/* ---- The text -------------------------------------------------------------------------------- */

static void add_fact(struct reading *r, struct flm_bytes line)
{
    static const char full[] = "was full: later calls are missing";
    struct flm_bytes key = take_until(&line, '=');
    if (flm_bytes_are(key, "clock")) {
        r->is_dual = flm_bytes_are(line, "dual");
        r->is_cpu = flm_bytes_are(line, "thread-cpu");
    } else if (flm_bytes_are(key, "pid")) {
        r->process = string_of(r, line);
    } else if (flm_bytes_are(key, "data-file-overflow") && flm_bytes_are(line, "true")) {
        flm_builder_note(r->builder, "buffer", full, sizeof full - 1);
    }
}

/* Reads lines up to "*end"; returns what follows. */
static struct flm_bytes read_text(struct reading *r, struct flm_bytes text)
{
    struct flm_bytes section = {"", 0};
    while (text.size > 0 && !flm_builder_failed(r->builder)) {
        struct flm_bytes line = take_until(&text, '\n');
        if (flm_bytes_start_with(line, "*"))
            section = line;
        else if (flm_bytes_are(section, "*version"))
            add_fact(r, line);
        else if (flm_bytes_are(section, "*threads"))
            name_thread(r, take_number(take_until(&line, '\t')), line);
        else if (flm_bytes_are(section, "*methods"))
            add_method(r, line);
        if (flm_bytes_are(section, "*end"))
            break;
    }
    return text;
}

/* ---- Records --------------------------------------------------------------------------------- */

static bool has(const struct reading *r, size_t size)
{
    return size <= r->all.size - r->at;
}

static uint32_t word(const struct reading *r, size_t offset)
{
    return flm_word32(r->all.at + r->at + offset, false);
}

static uint32_t half(const struct reading *r, size_t offset)
{
    return flm_word16(r->all.at + r->at + offset, false);
}

static bool read_head(struct reading *r, bool *is_streaming)
{
    size_t start = r->at;
    if (!has(r, HEAD_SIZE) || memcmp(r->all.at + start, magic, MAGIC_SIZE) != 0)
        return refuse(r, start, "the calls of the method trace are missing (a file that was cut?)");
    uint32_t version = half(r, 4);
    *is_streaming = (version & STREAMING) == STREAMING;
    r->version = *is_streaming ? version & ~(uint32_t)STREAMING : version;
    if (r->version < 1 || r->version > NEWEST_VERSION || (*is_streaming && r->version == 1))
        return flm_error_byte(r->why, FLM_ERROR_FORMAT, start,
                              "version %u of ART's method traces is not read: 1 to 3 are",
                              r->version);
    size_t size = half(r, 6);
    uint64_t start_us = flm_word64(r->all.at + start + 8, false);
    r->start_us = start_us < (uint64_t)1 << 52 ? start_us : 0;
    r->record_size = r->version == 1 ? 9 : 10;
    if (r->version == 3 && has(r, HEAD_SIZE_3))
        r->record_size = half(r, 16);
    if (size < (r->version == 3 ? HEAD_SIZE_3 : HEAD_SIZE) || !has(r, size) || r->record_size < 9 ||
        (r->version > 1 && r->record_size < 10))
        return refuse(r, start, "the sizes in the head of the method trace cannot be");
    r->at += size;
    return true;
}

static bool add_record(struct reading *r)
{
    size_t name_size = r->version == 1 ? 1 : 2;
    uint32_t id = r->version == 1 ? (unsigned char)r->all.at[r->at] : half(r, 0);
    uint32_t thread = find_thread(r, id), index = (uint32_t)r->records.count;
    struct record record = {
        .method = word(r, name_size), .times = {word(r, name_size + 4)}, .next = FLM_NONE};
    if (r->record_size >= name_size + 12)
        record.times[1] = word(r, name_size + 8);
    if ((record.method & 3) > UNWIND)
        return refuse(r, r->at, "an action that is neither a call nor its end");
    if (index == FLM_NONE - 1)
        return refuse(r, r->at, "a method trace of more than 2^32 records");
    if (thread == FLM_NONE)
        return true; /* the builder has failed */
    if (!FLM_ARRAY_ADD(&r->records, record))
        return flm_error_memory(r->why);
    if (r->threads.at[thread].last_record == FLM_NONE)
        r->first_records.at[thread] = index;
    else
        r->records.at[r->threads.at[thread].last_record].next = index;
    r->threads.at[thread].last_record = index;
    r->at += r->record_size;
    return true;
}

/* What stands in place of a record; *is_cut: it is not whole. */
static bool read_part(struct reading *r, bool *is_cut, bool *is_last)
{
    enum part part = has(r, 3) ? (enum part)r->all.at[r->at + 2] : METHOD;
    size_t head = part == METHOD ? 5 : 7, size = 0;
    if (part < METHOD || part > SUMMARY)
        return refuse(r, r->at, "neither a call, a method, a thread nor the end of the trace");
    *is_cut = !has(r, head);
    if (!*is_cut) {
        size = part == SUMMARY ? word(r, 3) : half(r, head - 2);
        *is_cut = !has(r, head + size);
    }
    if (*is_cut)
        return true;
    struct flm_bytes text = {r->all.at + r->at + head, size};
    if (part == METHOD)
        add_method(r, text);
    else if (part == THREAD)
        name_thread(r, half(r, 3), text);
    else
        read_text(r, text);
    *is_last = part == SUMMARY;
    r->at += head + size;
    return true;
}

static bool read_records(struct reading *r)
{
    bool is_streaming = false, is_cut = false, is_last = false;
    if (!read_head(r, &is_streaming))
        return false;
    r->is_dual = is_streaming ? r->record_size >= 14 : r->is_dual; /* where the end is missing */
    while (r->at < r->all.size && !is_cut && !is_last && !flm_builder_failed(r->builder)) {
        bool is_part = is_streaming && (!has(r, 2) || half(r, 0) == 0);
        if (is_part && !read_part(r, &is_cut, &is_last))
            return false;
        is_cut |= !is_part && !has(r, r->record_size);
        if (!is_part && !is_cut && !add_record(r))
            return false;
    }
    r->is_dual = r->is_dual && r->record_size >= 14;
    if (is_cut || (is_streaming && !is_last))
        flm_builder_lost(r->builder, "end of the trace (a file that was cut?)", "byte", r->at, 1);
    return true;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

enum { MOST_OPEN = 1 << 20, LOOK_BACK = 256 };

/* The innermost of the open methods above `base`, or of the last of them, that is this one;
 * SIZE_MAX: none. */
static size_t find_open(const struct open_methods *open, size_t base, uint32_t id)
{
    for (size_t i = open->count; i > base && open->count - i < LOOK_BACK; i--)
        if (open->at[i - 1].id == id)
            return i - 1;
    return SIZE_MAX;
}

static bool push(struct reading *r, uint32_t id, struct flm_node node)
{
    if (r->open.count >= MOST_OPEN)
        return flm_error_set(r->why, FLM_ERROR_RANGE, "a stack of more than %d methods", MOST_OPEN);
    return FLM_ARRAY_ADD(&r->open, (struct open_method){id, node}) || flm_error_memory(r->why);
}

/* Finds the methods of a thread that ran when the trace began, innermost first. */
static bool find_begun(struct reading *r, uint32_t first)
{
    r->begun.count = r->open.count = 0;
    for (uint32_t i = first; i != FLM_NONE; i = r->records.at[i].next) {
        uint32_t id = r->records.at[i].method & ~(uint32_t)3;
        size_t found = SIZE_MAX;
        if ((r->records.at[i].method & 3) == ENTER) {
            if (!push(r, id, (struct flm_node){0}))
                return false;
        } else if (r->open.count == 0) {
            if (!FLM_ARRAY_ADD(&r->begun, id))
                return flm_error_memory(r->why);
        } else if ((found = find_open(&r->open, 0, id)) != SIZE_MAX) {
            r->open.count = found;
        }
    }
    return true;
}

static bool open_method(struct reading *r, uint32_t id, struct flm_node root)
{
    struct flm_node parent = r->open.count > 0 ? r->open.at[r->open.count - 1].node : root;
    struct flm_frame frame = find_method(r, id, (struct flm_bytes){"", 0});
    return push(r, id, flm_builder_child(r->builder, parent, frame));
}

/* `base`: how many of the methods that had begun are still open. */
static void close_method(struct reading *r, uint32_t id, size_t *base)
{
    if (r->open.count == *base && *base > 0) {
        r->open.count = --*base;
        return;
    }
    size_t found = find_open(&r->open, *base, id);
    if (found == SIZE_MAX) {
        r->lost.unmatched++;
        return;
    }
    r->lost.crossing += r->open.count - 1 - found;
    r->open.count = found;
}

/* How far a clock has gone; *last moves, but not back. */
static uint32_t passed(uint32_t *last, uint32_t now)
{
    bool goes_back = now < *last && *last - now < UINT32_C(1) << 31;
    uint32_t by = goes_back ? 0 : now - *last;
    *last = goes_back ? *last : now;
    return by;
}

static void add_segment(struct reading *r, struct flm_label_set labels, uint64_t time_us,
                        const uint32_t by[2])
{
    struct flm_builder *b = r->builder;
    struct flm_node node = r->open.at[r->open.count - 1].node;
    if (r->options->keep_times) {
        flm_builder_sample(b, (int64_t)((r->start_us + time_us) * 1000), node, labels,
                           r->metrics[0], by[0]);
        flm_builder_sample_lasts(b, (int64_t)by[0] * 1000);
        if (by[1] > 0)
            flm_builder_sample_add(b, r->metrics[1], by[1]);
        return;
    }
    flm_builder_add(b, node, r->metrics[0], by[0]);
    if (by[1] > 0)
        flm_builder_add(b, node, r->metrics[1], by[1]);
}

static bool walk_thread(struct reading *r, const struct thread *thread, uint32_t first)
{
    struct flm_node root = r->options->by_thread ? flm_thread_root(r->builder, &thread->names)
                                                 : flm_builder_root(r->builder);
    struct flm_label_set labels = {0};
    if (r->options->keep_times)
        labels = flm_thread_labels(r->builder, &thread->names);
    if (!find_begun(r, first))
        return false;
    r->open.count = 0;
    size_t base = r->begun.count;
    for (size_t i = base; i > 0; i--)
        if (!open_method(r, r->begun.at[i - 1], root))
            return false;
    uint32_t wall = r->is_dual ? 1 : 0; /* which of the times samples have, and are first */
    uint32_t last[2] = {r->records.at[first].times[wall], r->records.at[first].times[!wall]};
    uint64_t time_us = last[0];
    for (uint32_t i = first; i != FLM_NONE; i = r->records.at[i].next) {
        const struct record *record = &r->records.at[i];
        uint32_t by[2] = {passed(&last[0], record->times[wall]), 0};
        if (r->is_dual)
            by[1] = passed(&last[1], record->times[0]);
        if (r->open.count > 0 && (by[0] > 0 || by[1] > 0))
            add_segment(r, labels, time_us, by);
        time_us += by[0];
        uint32_t id = record->method & ~(uint32_t)3;
        if ((record->method & 3) != ENTER)
            close_method(r, id, &base);
        else if (!open_method(r, id, root))
            return false;
    }
    return true;
}

static bool add_stacks(struct reading *r)
{
    r->metrics[0] = flm_builder_metric(r->builder, r->is_cpu ? "cpu" : "wall", "us");
    if (r->is_dual)
        r->metrics[1] = flm_builder_metric(r->builder, "cpu", "us");
    for (size_t i = 0; i < r->threads.count && !flm_builder_failed(r->builder); i++) {
        if (r->first_records.at[i] == FLM_NONE)
            continue;
        r->threads.at[i].names.process = r->process;
        if (!walk_thread(r, &r->threads.at[i], r->first_records.at[i]))
            return false;
    }
    flm_calls_count_lost(&r->lost, r->builder);
    return true;
}

/* ---- The format ------------------------------------------------------------------------------ */

static bool read_art(struct flm_source *source, const struct flm_read_options *options,
                     struct flm_builder *builder, struct flm_error *why)
{
    if (!flm_source_all(source, why))
        return false;
    struct reading r = {.builder = builder,
                        .options = options,
                        .why = why,
                        .all = {source->at, (size_t)(source->end - source->at)}};
    if (!flm_bytes_start_with(r.all, magic))
        r.at = (size_t)(read_text(&r, r.all).at - r.all.at);
    bool good = flm_builder_failed(builder) || (read_records(&r) && add_stacks(&r));
    FLM_ARRAY_CLEAR(&r.methods);
    flm_index_clear(&r.method_index);
    FLM_ARRAY_CLEAR(&r.threads);
    FLM_ARRAY_CLEAR(&r.first_records);
    flm_index_clear(&r.thread_index);
    FLM_ARRAY_CLEAR(&r.records);
    FLM_ARRAY_CLEAR(&r.begun);
    FLM_ARRAY_CLEAR(&r.open);
    return good;
}

static int sniff_art(struct flm_bytes head, bool whole)
{
    (void)whole;
    bool is_text = flm_bytes_start_with(head, "*version\n") && flm_bytes_contain(head, "\nclock=");
    return is_text || (flm_bytes_start_with(head, magic) && head.size >= HEAD_SIZE &&
                       head.at[MAGIC_SIZE + 1] == 0) /* no version is above 255 */
               ? FLM_SNIFF_MAGIC
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_art = {
    .name = "art",
    .title = "ART",
    .extensions = "",
    .description = "method traces of Android: Debug.startMethodTracing(), Android Studio",
    .metrics = FLM_METRICS_ALL,
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_art,
    .read = read_art,
};
