/* simpleperf.c - what 'simpleperf report-sample --protobuf' writes of a recording on Android.
 *
 *     "SIMPLEPERF"  version (2 bytes: 1)  records...  0 (4 bytes)
 *
 *     record   size (4 bytes), and a message of Protocol Buffers, of one field:
 *         1 sample   1 time  2 thread  4 count of events  5 number of the event
 *                    3 frame, leaf first: 1 address in the file  2 file
 *                                         3 symbol of the file; -1: not known
 *                                         4 kind: 1 interpreted, 2 compiled (JIT), others native
 *         2 lost     1 samples  2 lost ones
 *         3 file     1 id, from 0 upward  2 path  3 symbols
 *         4 thread   1 thread  2 process  3 name
 *         5 meta     1 names of events  2 app  3 its type  4 version of Android's SDK
 *                    5 type of the build  6 whether switches were recorded (--trace-offcpu)
 *         6 switch   1 whether the thread is on a CPU from then on  2 time  3 thread
 *
 * Files and threads come after the samples, so records are read twice. Each event is a metric, and
 * there is "samples", as of perf.data. Where switches were recorded, a sample of
 * sched:sched_switch is where the thread waited: until it is on a CPU again, or has its next
 * sample, that time is "off-cpu", with the state off-CPU. */
#include "base/core/hash.h"
#include "base/core/index.h"
#include "format/core/format.h"
#include "format/core/mapped.h"
#include "format/core/thread_names.h"
#include "format/perf/event_metrics.h"
#include "format/perf/frame.h"
#include "format/protobuf/wire_read.h"
#include "profile/internal.h"
#include "record/perf/byte_order.h"

static const char magic[] = "SIMPLEPERF";
enum { MAGIC_SIZE = sizeof magic - 1, HEAD_SIZE = MAGIC_SIZE + 2, VERSION = 1 };
enum { SAMPLE = 1, LOST, FILE_RECORD, THREAD, META, SWITCH };
enum { INTERPRETED = 1, COMPILED = 2 };

/* Of others the name is not known: with that and "off-cpu" all have a metric. */
enum { MOST_EVENTS = FLM_PERF_MOST_EVENTS - 2 };

struct file {
    uint32_t module, unknown; /* strings: its path, and the name of what has no symbol */
    enum flm_kind kind;
    size_t first_symbol, symbol_count;
};

struct thread {
    uint64_t id;
    struct flm_thread_names names;
    struct flm_label_set labels, waiting_labels;
    struct flm_node root;
    int64_t left_ns; /* when it left the CPU; FLM_NO_TIME: it is on one */
    struct flm_node left;
};

struct reading {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    struct flm_wire_input input;

    struct FLM_ARRAY(struct file) files;
    struct FLM_ARRAY(uint32_t) symbols; /* strings */
    struct FLM_ARRAY(struct thread) threads;
    struct flm_index thread_index;
    struct FLM_ARRAY(struct flm_bytes) events;
    struct flm_perf_events metrics;
    bool has_switches;
    uint64_t lost, malformed, open;

    struct FLM_ARRAY(struct flm_frame) frames; /* of a sample, leaf first */
};

static uint32_t string_of(struct reading *r, struct flm_bytes text)
{
    return flm_builder_string(r->builder, text.at, text.size).index;
}

static uint32_t number_of(struct reading *r, uint64_t number)
{
    char storage[24];
    struct flm_text text;
    flm_text_init_fixed(&text, storage, sizeof storage);
    flm_text_uint(&text, number);
    return string_of(r, (struct flm_bytes){text.at, text.size});
}

/* ---- The first pass: files, threads, events -------------------------------------------------- */

static bool refuse(struct reading *r, const struct flm_wire *at, const char *reason)
{
    return flm_error_byte(r->why, FLM_ERROR_FORMAT, flm_wire_offset(at), "%s", reason);
}

static bool add_file(struct reading *r, struct flm_wire m)
{
    struct file file = {.first_symbol = r->symbols.count};
    struct flm_bytes path = {"", 0};
    uint64_t id = 0;
    struct flm_wire record = m;
    while (flm_wire_next(&m)) {
        if (m.field == 1)
            id = m.number;
        else if (m.field == 2 && m.type == FLM_WIRE_BYTES)
            path = m.bytes;
        else if (m.field == 3 && m.type == FLM_WIRE_BYTES &&
                 !FLM_ARRAY_ADD(&r->symbols, string_of(r, m.bytes)))
            return flm_error_memory(r->why);
    }
    if (r->input.reason)
        return true; /* the caller reports it */
    if (id != r->files.count) {
        record.start = record.at;
        return refuse(r, &record, "files are not numbered one after the other");
    }
    struct flm_text name = {0};
    if (flm_bytes_start_with(path, "["))
        flm_text_add(&name, path);
    else
        flm_mapped_frame_name(&name, 0, path);
    if (name.failed)
        flm_builder_fail_memory(r->builder);
    else
        file.unknown = string_of(r, (struct flm_bytes){name.at, name.size});
    flm_text_clear(&name);
    file.kind = flm_perf_module_kind(path);
    file.module =
        string_of(r, file.kind == FLM_KIND_JIT ? flm_bytes_of(FLM_PERF_JIT_MODULE) : path);
    file.symbol_count = r->symbols.count - file.first_symbol;
    return FLM_ARRAY_ADD(&r->files, file) || flm_error_memory(r->why);
}

static struct thread *thread_of(struct reading *r, uint64_t id)
{
    uint32_t hash = flm_hash_numbers(id, 0);
    struct flm_probe at = flm_index_probe(&r->thread_index, hash);
    while (flm_index_next(&r->thread_index, &at))
        if (r->threads.at[at.found].id == id)
            return &r->threads.at[at.found];
    struct thread thread = {
        .id = id, .names.thread = number_of(r, id), .left_ns = FLM_NO_TIME, .root = {FLM_NONE}};
    if (!FLM_ARRAY_ADD(&r->threads, thread) ||
        !flm_index_add(&r->thread_index, hash, (uint32_t)r->threads.count - 1)) {
        flm_builder_fail_memory(r->builder);
        return NULL;
    }
    return &r->threads.at[r->threads.count - 1];
}

static void add_thread(struct reading *r, struct flm_wire m)
{
    uint64_t id = 0, process = 0;
    struct flm_bytes name = {"", 0};
    while (flm_wire_next(&m)) {
        if (m.field == 1)
            id = m.number;
        else if (m.field == 2)
            process = m.number;
        else if (m.field == 3 && m.type == FLM_WIRE_BYTES)
            name = m.bytes;
    }
    struct thread *thread = thread_of(r, id);
    if (!thread)
        return;
    thread->names.process = number_of(r, process);
    thread->names.thread_name = string_of(r, name);
}

static bool add_meta(struct reading *r, struct flm_wire m)
{
    static const char *const notes[] = {
        [2] = "app", [3] = "app type", [4] = "Android SDK", [5] = "Android build"};
    while (flm_wire_next(&m)) {
        if (m.field == 1 && m.type == FLM_WIRE_BYTES) {
            if (r->events.count < MOST_EVENTS && !FLM_ARRAY_ADD(&r->events, m.bytes))
                return flm_error_memory(r->why);
        } else if (m.field >= 2 && m.field <= 5 && m.type == FLM_WIRE_BYTES) {
            flm_builder_note(r->builder, notes[m.field], m.bytes.at, m.bytes.size);
        } else if (m.field == 6) {
            r->has_switches = m.number != 0;
        }
    }
    return true;
}

static bool read_table(struct reading *r, const struct flm_wire *record)
{
    struct flm_wire m;
    if (!flm_wire_enter(record, &m))
        return true;
    switch (record->field) {
    case FILE_RECORD:
        return add_file(r, m);
    case THREAD:
        add_thread(r, m);
        return true;
    case META:
        return add_meta(r, m);
    case LOST:
        while (flm_wire_next(&m))
            if (m.field == 2)
                r->lost = m.number;
        return true;
    default:
        return true;
    }
}

/* ---- The second pass: samples ---------------------------------------------------------------- */

static bool add_frame(struct reading *r, struct flm_wire m)
{
    struct flm_frame_record frame = {0};
    uint64_t address = 0, id = 0, kind = 0;
    int32_t symbol = 0;
    while (flm_wire_next(&m)) {
        if (m.field == 1)
            address = m.number;
        else if (m.field == 2)
            id = m.number;
        else if (m.field == 3)
            symbol = (int32_t)m.number;
        else if (m.field == 4)
            kind = m.number;
    }
    if (id >= r->files.count || (symbol >= 0 && (size_t)symbol >= r->files.at[id].symbol_count)) {
        r->malformed++;
        return true;
    }
    const struct file *file = &r->files.at[id];
    frame.module = file->module;
    frame.kind = kind == INTERPRETED ? FLM_KIND_INTERPRETED
                 : kind == COMPILED  ? FLM_KIND_JIT
                                     : file->kind;
    frame.function =
        symbol < 0 ? file->unknown : r->symbols.at[file->first_symbol + (size_t)symbol];
    frame.flags = symbol < 0 ? FLM_FRAME_UNSYMBOLIZED : 0;
    struct flm_frame made =
        flm_builder_located(r->builder, &frame, (struct flm_location){.address = address});
    return FLM_ARRAY_ADD(&r->frames, made) || flm_error_memory(r->why);
}

static void prepare_thread(struct reading *r, struct thread *thread)
{
    struct flm_thread_names waiting = thread->names;
    waiting.state = string_of(r, flm_bytes_of("off-CPU"));
    thread->root = r->options->by_thread ? flm_thread_root(r->builder, &thread->names)
                                         : flm_builder_root(r->builder);
    if (!r->options->keep_times)
        return;
    thread->labels = flm_thread_labels(r->builder, &thread->names);
    thread->waiting_labels = flm_thread_labels(r->builder, &waiting);
}

static void add_value(struct reading *r, int64_t time_ns, struct flm_node node,
                      struct flm_label_set labels, struct flm_metric metric, double value)
{
    if (r->options->keep_times)
        flm_builder_sample(r->builder, time_ns, node, labels, metric, value);
    else
        flm_builder_add(r->builder, node, metric, value);
}

static void end_wait(struct reading *r, struct thread *thread, int64_t time_ns)
{
    if (thread->left_ns == FLM_NO_TIME)
        return;
    int64_t wait_ns = time_ns > thread->left_ns ? time_ns - thread->left_ns : 0;
    if (wait_ns > 0) {
        struct flm_metric metric = flm_perf_events_find(&r->metrics, flm_bytes_of("off-cpu"), true);
        add_value(r, thread->left_ns, thread->left, thread->waiting_labels, metric,
                  (double)wait_ns);
        if (r->options->keep_times)
            flm_builder_sample_lasts(r->builder, wait_ns);
    }
    thread->left_ns = FLM_NO_TIME;
}

static int64_t time_of(uint64_t number)
{
    return number <= INT64_MAX ? (int64_t)number : FLM_NO_TIME;
}

static bool add_sample(struct reading *r, struct flm_wire m)
{
    uint64_t id = 0, count = 0, event = 0;
    int64_t time_ns = FLM_NO_TIME;
    r->frames.count = 0;
    while (flm_wire_next(&m)) {
        struct flm_wire frame;
        if (m.field == 1)
            time_ns = time_of(m.number);
        else if (m.field == 2)
            id = m.number;
        else if (m.field == 3 && flm_wire_enter(&m, &frame) && !add_frame(r, frame))
            return false;
        else if (m.field == 4)
            count = m.number;
        else if (m.field == 5)
            event = m.number;
    }
    struct thread *thread = thread_of(r, id);
    if (!thread)
        return true; /* the builder has failed */
    if (thread->root.index == FLM_NONE)
        prepare_thread(r, thread);
    struct flm_bytes name =
        event < r->events.count ? r->events.at[event] : flm_bytes_of("unknown event");
    flm_perf_frames_reverse(r->frames.at, r->frames.count);
    struct flm_node node =
        flm_builder_descend(r->builder, thread->root, r->frames.at, r->frames.count);
    end_wait(r, thread, time_ns);
    struct flm_metric metric = flm_perf_events_find(&r->metrics, name, true);
    struct flm_metric samples = flm_perf_events_samples(&r->metrics);
    if (metric.index == FLM_NONE || flm_builder_failed(r->builder))
        return true; /* memory ran out */
    if (count >= (uint64_t)FLM_EXACT_LIMIT)
        flm_builder_rounded(r->builder, 1);
    add_value(r, time_ns, node, thread->labels, metric, (double)count);
    if (r->options->keep_times)
        flm_builder_sample_add(r->builder, samples, 1);
    else
        flm_builder_add(r->builder, node, samples, 1);
    if (r->has_switches && flm_bytes_are(name, "sched:sched_switch")) {
        thread->left_ns = time_ns;
        thread->left = node;
    }
    return true;
}

static void add_switch(struct reading *r, struct flm_wire m)
{
    uint64_t is_on = 0, id = 0;
    int64_t time_ns = FLM_NO_TIME;
    while (flm_wire_next(&m)) {
        if (m.field == 1)
            is_on = m.number;
        else if (m.field == 2)
            time_ns = time_of(m.number);
        else if (m.field == 3)
            id = m.number;
    }
    struct thread *thread = is_on && time_ns != FLM_NO_TIME ? thread_of(r, id) : NULL;
    if (thread)
        end_wait(r, thread, time_ns);
}

static bool read_sample(struct reading *r, const struct flm_wire *record)
{
    struct flm_wire m;
    if (!flm_wire_enter(record, &m))
        return true;
    if (record->field == SAMPLE)
        return add_sample(r, m);
    if (record->field == SWITCH)
        add_switch(r, m);
    return true;
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool read_records(struct reading *r, struct flm_bytes all,
                         bool (*read)(struct reading *r, const struct flm_wire *record))
{
    size_t at = HEAD_SIZE;
    for (;;) {
        uint32_t size = all.size - at >= 4 ? flm_word32(all.at + at, false) : UINT32_MAX;
        if (size == 0)
            return true;
        if (all.size - at < 4 || size > all.size - at - 4)
            return flm_error_byte(r->why, FLM_ERROR_FORMAT, at,
                                  "the file ends within its records (a file that was cut?)");
        struct flm_wire record = flm_wire_of(&r->input, (struct flm_bytes){all.at + at + 4, size});
        while (flm_wire_next(&record))
            if (!read(r, &record))
                return false;
        if (!flm_wire_end(&r->input, r->why))
            return false;
        at += 4 + (size_t)size;
    }
}

static void finish(struct reading *r)
{
    for (size_t i = 0; i < r->threads.count; i++)
        r->open += r->threads.at[i].left_ns != FLM_NO_TIME;
    const struct {
        const char *what;
        uint64_t count;
    } losses[] = {{"lost samples", r->lost},
                  {"frames of files or symbols that are not in the file", r->malformed},
                  {"waits that last beyond the end, which are not counted", r->open}};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count > 0)
            flm_builder_lost(r->builder, losses[i].what, "", 0, (double)losses[i].count);
}

static bool read_simpleperf(struct flm_source *source, const struct flm_read_options *options,
                            struct flm_builder *builder, struct flm_error *why)
{
    if (!flm_source_all(source, why))
        return false;
    struct flm_bytes all = {source->at, (size_t)(source->end - source->at)};
    if (all.size < HEAD_SIZE || !flm_bytes_start_with(all, magic))
        return flm_error_set(why, FLM_ERROR_FORMAT, "this is not of 'simpleperf report-sample'");
    if (flm_word16(all.at + MAGIC_SIZE, false) != VERSION)
        return flm_error_set(why, FLM_ERROR_FORMAT,
                             "version %u of simpleperf's samples is not read: 1 is",
                             flm_word16(all.at + MAGIC_SIZE, false));
    struct reading r = {.builder = builder,
                        .options = options,
                        .why = why,
                        .input = flm_wire_input_of(all),
                        .metrics = {.builder = builder}};
    bool good = read_records(&r, all, read_table) && read_records(&r, all, read_sample);
    if (good)
        finish(&r);
    FLM_ARRAY_CLEAR(&r.files);
    FLM_ARRAY_CLEAR(&r.symbols);
    FLM_ARRAY_CLEAR(&r.threads);
    flm_index_clear(&r.thread_index);
    FLM_ARRAY_CLEAR(&r.events);
    flm_perf_events_clear(&r.metrics);
    FLM_ARRAY_CLEAR(&r.frames);
    return good;
}

static int sniff_simpleperf(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, magic) ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

const struct flm_format flm_format_simpleperf = {
    .name = "simpleperf",
    .title = "simpleperf",
    .extensions = "",
    .description = "samples of Android: simpleperf report-sample --protobuf",
    .metrics = FLM_METRICS_ALL,
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_simpleperf,
    .read = read_simpleperf,
};
