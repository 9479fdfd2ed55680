/* rbspy.c - raw recordings of rbspy (--raw-file), which it writes under gzip.
 *
 *     rbspy02
 *     {"sample_rate":100,"rbspy_version":"0.38.0","start_time":TIME}
 *     {"trace":[{"name":"f","relative_path":"app.rb","absolute_path":"/srv/app.rb","lineno":7},
 *               ...],                                                            the leaf first
 *      "pid":4711,"thread_id":139858,"time":TIME,"on_cpu":false}
 *
 * with {"secs_since_epoch":1763892000,"nanos_since_epoch":120} as TIME; a line for each sample, all
 * members but the trace may be null. Version 1 has no header, and a line of version 0 is the array
 * alone. "on_cpu" tells how rbspy was started, not what the thread did: it is not read.
 *
 * The last line is cut off where rbspy was killed: that is a loss. */
#include "base/number/number.h"
#include "format/core/units.h"
#include "format/text/internal.h"
#include "profile/internal.h"

static const char magic[] = "rbspy";
enum { MOST_VERSION = 2 };

enum owned { NAME, FILE_NAME, FULL_NAME, PROCESS, THREAD, PRODUCER, OWNED };

struct reading {
    struct flm_text_reading base;
    struct flm_json json; /* of a line */
    struct flm_error line_error;
    struct flm_text owned[OWNED];
    uint64_t version;
    int64_t start_ns, time_ns; /* since 1970; FLM_NO_TIME: not known */
    double sample_rate;
    bool has_trace;
};

static struct flm_bytes owned(const struct reading *r, enum owned which)
{
    return (struct flm_bytes){r->owned[which].at, r->owned[which].size};
}

/* A text, or a number as it is written; nothing for null. */
static void own(struct reading *r, enum owned which)
{
    struct flm_json_number number;
    struct flm_text *out = &r->owned[which];
    if (flm_json_type(&r->json) != FLM_JSON_TYPE_NUMBER) {
        flm_text_json_string(&r->json, r->base.stack.builder, out);
        return;
    }
    out->size = 0;
    if (flm_json_number(&r->json, &number))
        flm_text_add(out, number.text);
    if (out->failed)
        flm_builder_fail_memory(r->base.stack.builder);
}

static int64_t read_time(struct reading *r)
{
    struct flm_bytes key;
    int64_t s = -1, ns = 0;
    if (flm_json_type(&r->json) != FLM_JSON_TYPE_OBJECT)
        return FLM_NO_TIME;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "secs_since_epoch"))
            flm_json_integer(&r->json, &s);
        else if (flm_bytes_are(key, "nanos_since_epoch"))
            flm_json_integer(&r->json, &ns);
    }
    bool is_time = s >= 0 && s < INT64_MAX / 1000000000 && ns >= 0 && ns < 1000000000;
    return is_time ? s * 1000000000 + ns : FLM_NO_TIME;
}

static void read_frame(struct reading *r)
{
    struct flm_bytes key;
    double line = 0;
    r->owned[NAME].size = r->owned[FILE_NAME].size = r->owned[FULL_NAME].size = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "name"))
            own(r, NAME);
        else if (flm_bytes_are(key, "relative_path"))
            own(r, FILE_NAME);
        else if (flm_bytes_are(key, "absolute_path"))
            own(r, FULL_NAME);
        else if (flm_bytes_are(key, "lineno"))
            line = flm_text_json_number(&r->json);
    }
    struct flm_stack_frame frame = {
        .function = owned(r, NAME),
        .file = owned(r, r->owned[FULL_NAME].size > 0 ? FULL_NAME : FILE_NAME),
        .line = line > 0 && line < 0x1p32 ? (uint64_t)line : 0};
    if (frame.function.size == 0)
        frame.function = flm_bytes_of("(unknown)");
    if (flm_bytes_are(frame.file, "(unknown)"))
        frame.file.size = 0;
    if (flm_bytes_end_with(frame.function, "[c function]"))
        frame.kind = FLM_KIND_NATIVE;
    if (!r->json.failed)
        flm_stack_frame(&r->base.stack, &frame);
}

static void read_trace(struct reading *r)
{
    r->has_trace = true;
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json) && !flm_builder_failed(r->base.stack.builder))
        read_frame(r);
}

/* The members of a sample, and of the header. */
static void read_members(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !flm_builder_failed(r->base.stack.builder)) {
        if (flm_bytes_are(key, "trace"))
            read_trace(r);
        else if (flm_bytes_are(key, "pid"))
            own(r, PROCESS);
        else if (flm_bytes_are(key, "thread_id"))
            own(r, THREAD);
        else if (flm_bytes_are(key, "time"))
            r->time_ns = read_time(r);
        else if (flm_bytes_are(key, "start_time"))
            r->start_ns = read_time(r);
        else if (flm_bytes_are(key, "sample_rate"))
            r->sample_rate = flm_text_json_number(&r->json);
        else if (flm_bytes_are(key, "rbspy_version"))
            own(r, PRODUCER);
    }
}

/* A frame at the root: "process 4711", "thread 139858". */
static void add_thread_frame(struct reading *r, const char *what, struct flm_bytes number)
{
    char name[80];
    struct flm_text text;
    flm_text_init_fixed(&text, name, sizeof name);
    flm_text_puts(&text, what);
    flm_text_add(&text, number);
    if (number.size > 0)
        flm_stack_thread(&r->base.stack, (struct flm_bytes){name, text.size});
}

static void add_sample(struct reading *r)
{
    struct flm_stack_buffer *stack = &r->base.stack;
    int64_t time_ns = r->time_ns;
    if (time_ns != FLM_NO_TIME && r->start_ns == FLM_NO_TIME)
        r->start_ns = time_ns;
    if (time_ns != FLM_NO_TIME)
        time_ns -= r->start_ns;
    flm_stack_label(stack, "process", owned(r, PROCESS));
    flm_stack_label(stack, "thread", owned(r, THREAD));
    add_thread_frame(r, "process ", owned(r, PROCESS));
    add_thread_frame(r, "thread ", owned(r, THREAD));
    flm_stack_add(stack, FLM_LEAF_FIRST, time_ns, r->base.metric, 1);
    flm_stack_begin(stack);
    r->base.has_samples = true;
}

static void add_notes(struct reading *r)
{
    struct flm_builder *b = r->base.stack.builder;
    struct flm_text producer = {0};
    flm_text_puts(&producer, "rbspy ");
    flm_text_add(&producer, owned(r, PRODUCER));
    if (producer.failed)
        flm_builder_fail_memory(b);
    else
        flm_builder_note(b, "producer", producer.at, producer.size - (producer.size == 6));
    flm_text_clear(&producer);
    if (r->sample_rate > 0 && r->sample_rate < 0x1p32)
        flm_unit_note(b, "frequency", (int64_t)r->sample_rate, flm_bytes_of("Hz"));
    if (r->start_ns != FLM_NO_TIME)
        flm_recorded_note(b, r->start_ns);
}

static void read_magic(struct reading *r, struct flm_bytes line)
{
    struct flm_bytes digits = flm_bytes_from(line, sizeof magic - 1);
    if (flm_bytes_start_with(line, magic) && flm_number_parse_uint(digits, &r->version) &&
        r->version <= MOST_VERSION)
        return;
    r->base.failed = true;
    flm_error_line(r->base.lines.why, FLM_ERROR_FORMAT, 1,
                   "a raw recording of rbspy begins with rbspy00, rbspy01 or rbspy02, not with "
                   "'%.*s'",
                   (int)(line.size < 20 ? line.size : 20), line.at);
}

/* What is wrong with a line: false, unless the caller can do without it. */
static void lose_line(struct reading *r)
{
    struct flm_line_reader *lines = &r->base.lines;
    struct flm_builder *b = r->base.stack.builder;
    if (r->line_error.kind == FLM_ERROR_MEMORY)
        flm_builder_fail_memory(b);
    else if (r->json.is_cut && !lines->is_ended && r->base.has_samples)
        flm_builder_lost(b, "samples that were cut off", "line", lines->number, 1);
    else if (r->base.stack.options->lenient)
        flm_builder_lost(b, "malformed lines", "line", lines->number, 1);
    else {
        r->base.failed = true;
        flm_error_line(lines->why, FLM_ERROR_FORMAT, lines->number, "%s (--lenient skips it)",
                       r->line_error.text);
    }
    flm_stack_begin(&r->base.stack);
}

static void read_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    if (r->base.lines.number == 1) {
        read_magic(r, line);
        return;
    }
    bool is_header = r->version == 2 && r->base.lines.number == 2;
    struct flm_source source = flm_source_of(line);
    r->has_trace = false;
    r->time_ns = FLM_NO_TIME;
    r->owned[PROCESS].size = r->owned[THREAD].size = 0;
    flm_json_init(&r->json, &source, &r->line_error);
    if (flm_json_type(&r->json) == FLM_JSON_TYPE_ARRAY)
        read_trace(r);
    else
        read_members(r);
    if (!r->json.failed && !flm_builder_failed(r->base.stack.builder) && r->has_trace == is_header)
        flm_json_fail(&r->json, is_header ? "the header is expected here" : "it has no \"trace\"");
    bool good = flm_text_json_finish(&r->json, r->base.stack.builder);
    if (!good)
        lose_line(r);
    else if (!is_header)
        add_sample(r);
}

static bool read_rbspy(struct flm_source *source, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why)
{
    static const char samples[] = "samples";
    struct reading r = {.start_ns = FLM_NO_TIME};
    r.base.metric = flm_builder_metric(builder, samples, samples);
    r.base.stack.builder = builder;
    bool good = flm_text_read(&r.base, source, options, builder, why, read_line, NULL);
    if (good)
        add_notes(&r);
    for (int i = 0; i < OWNED; i++)
        flm_text_clear(&r.owned[i]);
    return good;
}

static int sniff_rbspy(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_start_with(head, "rbspy0") ? FLM_SNIFF_MAGIC : FLM_SNIFF_NO;
}

const struct flm_format flm_format_rbspy = {
    .name = "rbspy",
    .title = "rbspy",
    .extensions = ".raw",
    .description = "raw recordings of rbspy of Ruby",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_rbspy,
    .read = read_rbspy,
};
