/* json.c - the output of `perf data convert --to-json`.
 *
 *     {"linux-perf-json-version": 1,
 *      "headers": {"hostname": "box", "cmdline": ["perf", "record", ...], ...},
 *      "samples": [{"timestamp": 884169213342, "pid": 22634, "tid": 22636, "comm": "work",
 *                   "callchain": [{"ip": "0x2777", "symbol": "math_loop", "dso": "work"}, ...]}]}
 *
 * The leaf is first. There are neither events nor periods: the only metric is "samples". The root
 * frame is the command. */
#include "base/text/json_read.h"
#include "format/core/format.h"
#include "format/perf/frame.h"
#include "format/perf/header.h"
#include "format/perf/internal.h"
#include "profile/internal.h"

struct reading {
    struct flm_json json;
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_metric samples;
    bool has_samples;

    struct flm_perf_frames frames; /* of the current sample, leaf first */
    struct flm_text symbol, module;
    struct flm_text command, process, thread, cpu;
};

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

/* A string, or a number as it is written. */
static void read_text(struct reading *r, struct flm_text *out)
{
    struct flm_bytes text = {"", 0};
    struct flm_json_number number;
    if (flm_json_type(&r->json) != FLM_JSON_TYPE_NUMBER)
        flm_json_string(&r->json, &text);
    else if (flm_json_number(&r->json, &number))
        text = number.text;
    out->size = 0;
    flm_text_add(out, text);
    if (out->failed)
        flm_builder_fail_memory(r->builder);
}

static void read_frame(struct reading *r)
{
    struct flm_bytes key;
    r->symbol.size = r->module.size = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "symbol"))
            read_text(r, &r->symbol);
        else if (flm_bytes_are(key, "dso"))
            read_text(r, &r->module);
    }
    if (r->json.failed || flm_builder_failed(r->builder))
        return;
    struct flm_perf_frame frame = {.symbol = bytes_of(&r->symbol), .module = bytes_of(&r->module)};
    size_t first = r->frames.count;
    if (!flm_perf_frame_make(r->builder, &frame, NULL, &r->frames))
        flm_builder_fail_memory(r->builder);
    else /* they were outer first */
        flm_perf_frames_reverse(r->frames.at + first, r->frames.count - first);
}

/* The child of a node for a command or a thread; the root when memory ran out. */
static struct flm_node label_child(struct reading *r, struct flm_node node, struct flm_bytes label)
{
    struct flm_builder *b = r->builder;
    uint32_t frame = flm_interner_function(&b->interner, label, FLM_KIND_LABEL);
    if (frame != FLM_NONE)
        return flm_builder_child(b, node, (struct flm_frame){frame});
    flm_builder_fail_memory(b);
    return flm_builder_root(b);
}

static void add_sample(struct reading *r, int64_t time_ns)
{
    struct flm_builder *b = r->builder;
    struct flm_perf_header header = {.command = bytes_of(&r->command),
                                     .process = bytes_of(&r->process),
                                     .thread = bytes_of(&r->thread),
                                     .cpu = bytes_of(&r->cpu)};
    struct flm_node node = flm_builder_root(b);
    if (header.command.size > 0)
        node = label_child(r, node, header.command);
    if (r->options->by_thread && header.thread.size > 0) {
        flm_text_putc(&r->command, ' ');
        flm_text_add(&r->command, header.thread);
        node = label_child(r, node, bytes_of(&r->command));
        header.command = bytes_of(&r->command);
        header.command.size -= header.thread.size + 1;
    }
    if (r->command.failed || flm_builder_failed(b)) {
        flm_builder_fail_memory(b);
        return;
    }
    flm_perf_frames_reverse(r->frames.at, r->frames.count);
    node = flm_builder_descend(b, node, r->frames.at, r->frames.count);
    if (!r->has_samples)
        r->samples = flm_builder_metric(b, "samples", "samples");
    r->has_samples = true;
    if (r->options->keep_times)
        flm_builder_sample(b, time_ns, node, flm_perf_header_labels(b, &header), r->samples, 1);
    else
        flm_builder_add(b, node, r->samples, 1);
}

static void read_sample(struct reading *r)
{
    struct flm_bytes key;
    int64_t time_ns = FLM_NO_TIME;
    r->frames.count = 0;
    r->command.size = r->process.size = r->thread.size = r->cpu.size = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "timestamp"))
            flm_json_integer(&r->json, &time_ns);
        else if (flm_bytes_are(key, "comm"))
            read_text(r, &r->command);
        else if (flm_bytes_are(key, "pid"))
            read_text(r, &r->process);
        else if (flm_bytes_are(key, "tid"))
            read_text(r, &r->thread);
        else if (flm_bytes_are(key, "cpu"))
            read_text(r, &r->cpu);
        else if (flm_bytes_are(key, "callchain")) {
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && !flm_builder_failed(r->builder))
                read_frame(r);
        }
    }
    if (!r->json.failed && !flm_builder_failed(r->builder))
        add_sample(r, time_ns);
}

/* Metadata of the recording: strings; the command line is an array of them. */
static void read_headers(struct reading *r)
{
    struct flm_bytes key, word;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        const char *note = flm_perf_note_key(key);
        if (!note)
            continue;
        struct flm_text value = {0};
        if (flm_json_type(&r->json) == FLM_JSON_TYPE_ARRAY) {
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && flm_json_string(&r->json, &word)) {
                if (value.size > 0)
                    flm_text_putc(&value, ' ');
                flm_text_add(&value, word);
            }
        } else {
            read_text(r, &value);
        }
        if (value.failed)
            flm_builder_fail_memory(r->builder);
        else if (!r->json.failed)
            flm_builder_note(r->builder, note, value.at, value.size);
        flm_text_clear(&value);
    }
}

static void read_recording(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !flm_builder_failed(r->builder)) {
        if (flm_bytes_are(key, "headers")) {
            read_headers(r);
        } else if (flm_bytes_are(key, "samples")) {
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && !flm_builder_failed(r->builder))
                read_sample(r);
        }
    }
}

static bool read_json(struct flm_source *source, const struct flm_read_options *options,
                      struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.builder = builder, .options = options};
    flm_json_init(&r.json, source, why);
    read_recording(&r);
    bool good;
    if (flm_builder_failed(builder)) {
        flm_json_clear(&r.json);
        good = true; /* flm_builder_finish reports the error */
    } else {
        good = flm_json_finish(&r.json);
        if (good && !r.has_samples)
            good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no samples");
    }
    FLM_ARRAY_CLEAR(&r.frames);
    flm_text_clear(&r.symbol);
    flm_text_clear(&r.module);
    flm_text_clear(&r.command);
    flm_text_clear(&r.process);
    flm_text_clear(&r.thread);
    flm_text_clear(&r.cpu);
    return good;
}

static int sniff_json(struct flm_bytes head, bool whole)
{
    static const char key[] = "\"linux-perf-json-version\"";
    (void)whole;
    if (flm_bytes_start_with(head, "\xEF\xBB\xBF"))
        head = flm_between(head.at + 3, head.at + head.size);
    head = flm_trimmed(head.at, head.at + head.size);
    if (!flm_bytes_start_with(head, "{"))
        return FLM_SNIFF_NO;
    for (size_t at = 1; at + sizeof key - 1 <= head.size; at++)
        if (head.at[at] == '"' && memcmp(head.at + at, key, sizeof key - 1) == 0)
            return FLM_SNIFF_SURE + 5;
    return FLM_SNIFF_NO;
}

const struct flm_format flm_format_perf_json = {
    .name = "perf-json",
    .title = "perf JSON",
    .extensions = "",
    .description = "the output of perf data convert --to-json",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_json,
    .read = read_json,
};
