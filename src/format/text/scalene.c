/* scalene.c - what scalene of Python writes: times and memory of lines; with --stacks, stacks.
 *
 *     {"alloc_samples": 52, "elapsed_time_sec": 1.67,
 *      "combined_stacks": [[[{"kind": "py", "display_name": "main", "line": 9,      root first
 *                             "filename_or_module": "app.py"},
 *                            {"kind": "native", "display_name": "memcpy", "line": null,
 *                             "filename_or_module": "libc.so.6"}], 12]],              samples
 *      "files": {"app.py": {"lines": [{"line": "    x = f()\n", "lineno": 9,
 *          "n_cpu_percent_python": 3.5, "n_cpu_percent_c": 0.6, "n_sys_percent": 0.05,
 *          "n_malloc_mb": 9.5, "n_copy_mb_s": 0.1}]}},
 *      "memory_stacks": [[[frames as above], 9.5]],                                  MiB
 *      "samples": [[58215209, 10.1]],                     ns, and MiB that the program had
 *      "stacks": [[["app.py main:9;"], {"count": 12}]]}   of versions before combined_stacks;
 *                                                         the oldest have a list: [12, ...]
 *
 * A line is a stack of its file and itself, and has the metrics cpu (us: its percentage of the time
 * that passed), of which python, native and system are parts, allocated and copied (bytes). They
 * are added at the end, behind the metrics of stacks: samples, and allocations (bytes). Lines of
 * GPUs, averages, peaks, leaks and the order of samples are not read. */
#include "base/core/path_name.h"
#include "base/number/number.h"
#include "format/core/mapped.h"
#include "format/text/internal.h"
#include "profile/internal.h"

enum { MIB = 1 << 20, MOST_SHOWN = 100 };

enum value { PYTHON, NATIVE, SYSTEM, ALLOCATED, COPIED, VALUES };

static const struct {
    const char *key, *metric, *unit;
} values[VALUES] = {
    [PYTHON] = {"n_cpu_percent_python", "python", "us"},
    [NATIVE] = {"n_cpu_percent_c", "native", "us"},
    [SYSTEM] = {"n_sys_percent", "system", "us"},
    [ALLOCATED] = {"n_malloc_mb", "allocated", "bytes"},
    [COPIED] = {"n_copy_mb_s", "copied", "bytes"},
};

struct line {
    uint32_t file, file_name, text; /* strings */
    uint32_t number;
    double values[VALUES];
};

struct reading {
    struct flm_stack_buffer stack;
    struct flm_json json;
    struct flm_text name, file, kind;
    struct FLM_ARRAY(struct line) lines;
    double elapsed_s;
    bool has_files, has_stacks, keep_counter;
};

static struct flm_builder *builder_of(struct reading *r)
{
    return r->stack.builder;
}

static struct flm_bytes bytes_of(struct reading *r, const struct flm_text *text)
{
    if (text->failed)
        flm_builder_fail_memory(builder_of(r));
    return (struct flm_bytes){text->at ? text->at : "", text->failed ? 0 : text->size};
}

/* The next value is an array, which is entered; what is none is skipped. */
static bool enter_array(struct reading *r)
{
    return flm_json_type(&r->json) == FLM_JSON_TYPE_ARRAY && flm_json_enter_array(&r->json);
}

static bool enter_object(struct reading *r)
{
    return flm_json_type(&r->json) == FLM_JSON_TYPE_OBJECT && flm_json_enter_object(&r->json);
}

static bool next_item(struct reading *r)
{
    return flm_json_next_item(&r->json) && !flm_builder_failed(builder_of(r));
}

static bool next_key(struct reading *r, struct flm_bytes *key)
{
    return flm_json_next_key(&r->json, key) && !flm_builder_failed(builder_of(r));
}

static uint32_t line_of(double number)
{
    return number > 0 && number < INT32_MAX ? (uint32_t)number : 0;
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

static void add_frame(struct reading *r, uint32_t line)
{
    struct flm_stack_frame frame = {.function = bytes_of(r, &r->name), .line = line};
    struct flm_bytes file = bytes_of(r, &r->file);
    bool is_native = flm_bytes_are(bytes_of(r, &r->kind), "native");
    *(is_native ? &frame.module : &frame.file) = file;
    frame.kind = is_native ? FLM_KIND_NATIVE : FLM_KIND_PLAIN;
    struct flm_text unknown = {0};
    if (frame.function.size == 0) {
        flm_mapped_frame_name(&unknown, 0, file);
        frame.function = bytes_of(r, &unknown);
        frame.flags = FLM_FRAME_UNSYMBOLIZED;
    }
    flm_stack_frame(&r->stack, &frame);
    flm_text_clear(&unknown);
}

static void read_frame(struct reading *r)
{
    struct flm_bytes key;
    uint32_t line = 0;
    r->name.size = r->file.size = r->kind.size = 0;
    if (!enter_object(r))
        return;
    while (next_key(r, &key)) {
        if (flm_bytes_are(key, "kind"))
            flm_text_json_string(&r->json, builder_of(r), &r->kind);
        else if (flm_bytes_are(key, "display_name"))
            flm_text_json_string(&r->json, builder_of(r), &r->name);
        else if (flm_bytes_are(key, "filename_or_module"))
            flm_text_json_string(&r->json, builder_of(r), &r->file);
        else if (flm_bytes_are(key, "line"))
            line = line_of(flm_text_json_number(&r->json));
    }
    if (!r->json.failed)
        add_frame(r, line);
}

/* "app.py main:9;" */
static void read_described_frame(struct reading *r)
{
    struct flm_bytes text, file, function, line;
    uint64_t number = 0;
    r->kind.size = 0;
    flm_text_json_string(&r->json, builder_of(r), &r->kind);
    text = bytes_of(r, &r->kind);
    if (text.size > 0 && text.at[text.size - 1] == ';')
        text.size--;
    if (!flm_text_split_last(text, ":", &text, &line) ||
        !flm_text_split_last(text, " ", &file, &function))
        return;
    flm_number_parse_uint(line, &number);
    r->name.size = r->file.size = 0;
    flm_text_add(&r->name, function);
    flm_text_add(&r->file, file);
    r->kind.size = 0;
    add_frame(r, line_of((double)number));
}

/* A number; or the first of a list; or "count" of an object. */
static double read_weight(struct reading *r)
{
    struct flm_bytes key;
    double weight = 0;
    if (flm_json_type(&r->json) == FLM_JSON_TYPE_NUMBER)
        return flm_text_json_number(&r->json);
    if (enter_array(r)) {
        for (bool is_first = true; next_item(r); is_first = false)
            if (is_first)
                weight = flm_text_json_number(&r->json);
    } else if (enter_object(r)) {
        while (next_key(r, &key))
            if (flm_bytes_are(key, "count"))
                weight = flm_text_json_number(&r->json);
    }
    return weight;
}

static void read_stacks(struct reading *r, const char *name, const char *unit, double factor)
{
    if (!enter_array(r))
        return;
    while (next_item(r)) {
        double weight = 0;
        flm_stack_begin(&r->stack);
        if (!enter_array(r))
            continue;
        for (int i = 0; next_item(r); i++) {
            if (i == 1)
                weight = read_weight(r) * factor;
            if (i != 0 || !enter_array(r))
                continue;
            while (next_item(r)) {
                if (flm_json_type(&r->json) == FLM_JSON_TYPE_STRING)
                    read_described_frame(r);
                else
                    read_frame(r);
            }
        }
        if (r->json.failed || !(weight > 0 && weight < FLM_EXACT_LIMIT))
            continue;
        flm_stack_add(&r->stack, FLM_ROOT_FIRST, FLM_NO_TIME,
                      flm_builder_metric(builder_of(r), name, unit), weight);
        r->has_stacks = true;
    }
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* "11: x = f()", of a line of source in which <, > and & are escaped; long ones are cut. */
static uint32_t shown_line(struct reading *r, uint32_t number)
{
    static const struct {
        const char *escape;
        char byte;
    } escapes[] = {{"\\u003c", '<'}, {"\\u003e", '>'}, {"\\u0026", '&'}};
    struct flm_bytes text = flm_bytes_trimmed(bytes_of(r, &r->name));
    struct flm_text shown = {0};
    flm_text_format(&shown, "%u: ", number);
    while (text.size > 0 && shown.size < MOST_SHOWN) {
        char byte = text.at[0];
        size_t size = 1;
        for (int i = 0; i < 3 && byte == '\\'; i++)
            if (flm_bytes_start_with(text, escapes[i].escape)) {
                byte = escapes[i].byte;
                size = strlen(escapes[i].escape);
            }
        flm_text_putc(&shown, byte);
        text = flm_bytes_from(text, size);
    }
    while (text.size > 0 && (text.at[0] & 0xC0) == 0x80) { /* not in the middle of a letter */
        flm_text_putc(&shown, text.at[0]);
        text = flm_bytes_from(text, 1);
    }
    struct flm_bytes all = bytes_of(r, &shown);
    uint32_t string = flm_builder_string(builder_of(r), all.at, all.size).index;
    flm_text_clear(&shown);
    return string;
}

static void read_line(struct reading *r, struct line line)
{
    struct flm_bytes key;
    bool any = false;
    r->name.size = 0;
    if (!enter_object(r))
        return;
    while (next_key(r, &key)) {
        if (flm_bytes_are(key, "line"))
            flm_text_json_string(&r->json, builder_of(r), &r->name);
        else if (flm_bytes_are(key, "lineno"))
            line.number = line_of(flm_text_json_number(&r->json));
        for (int i = 0; i < VALUES; i++) {
            if (!flm_bytes_are(key, values[i].key))
                continue;
            double value = flm_text_json_number(&r->json);
            line.values[i] = value > 0 && value < 1e12 ? value : 0;
            any |= line.values[i] > 0;
            break;
        }
    }
    if (r->json.failed || !any)
        return;
    line.text = shown_line(r, line.number);
    if (!FLM_ARRAY_ADD(&r->lines, line))
        flm_builder_fail_memory(builder_of(r));
}

static void read_files(struct reading *r)
{
    struct flm_bytes name, key;
    if (!enter_object(r))
        return;
    r->has_files = true;
    while (next_key(r, &name)) {
        struct flm_bytes last = flm_path_last(name, "/");
        struct line line = {.file = flm_builder_string(builder_of(r), name.at, name.size).index,
                            .file_name =
                                flm_builder_string(builder_of(r), last.at, last.size).index};
        if (!enter_object(r))
            continue;
        while (next_key(r, &key)) {
            if (!flm_bytes_are(key, "lines") || !enter_array(r))
                continue;
            while (next_item(r))
                read_line(r, line);
        }
    }
}

static void push_frame(struct reading *r, const struct line *line, uint32_t name, uint32_t kind)
{
    struct flm_frame_record record = {.function = name, .file = line->file, .kind = kind};
    struct flm_location where = {.line = kind == FLM_KIND_LABEL ? 0 : line->number};
    if (!FLM_ARRAY_ADD(&r->stack.frames, flm_builder_located(builder_of(r), &record, where)))
        flm_builder_fail_memory(builder_of(r));
}

static void add_line(struct reading *r, const struct line *line)
{
    struct flm_builder *b = builder_of(r);
    double cpu = 0, scaled[VALUES];
    for (int i = 0; i < VALUES; i++) {
        bool is_time = i <= SYSTEM;
        scaled[i] = line->values[i] * (is_time ? r->elapsed_s * 1e4 : MIB);
        if (i == COPIED)
            scaled[i] *= r->elapsed_s;
        cpu += is_time ? scaled[i] : 0;
    }
    flm_stack_begin(&r->stack);
    push_frame(r, line, line->file_name, FLM_KIND_LABEL);
    push_frame(r, line, line->text, FLM_KIND_PLAIN);
    flm_stack_add(&r->stack, FLM_ROOT_FIRST, FLM_NO_TIME, flm_builder_metric(b, "cpu", "us"), cpu);
    for (int i = 0; i < VALUES; i++)
        if (scaled[i] > 0)
            flm_stack_add_more(&r->stack, flm_builder_metric(b, values[i].metric, values[i].unit),
                               scaled[i]);
}

/* ---- The file -------------------------------------------------------------------------------- */

static void read_footprint(struct reading *r)
{
    struct flm_builder *b = builder_of(r);
    struct flm_counter counter = {0};
    if (!enter_array(r))
        return;
    if (r->keep_counter)
        counter = flm_builder_counter(b, flm_builder_string(b, "memory", 6),
                                      flm_builder_string(b, "bytes", 5), (struct flm_label_set){0});
    while (next_item(r)) {
        double point[2] = {0};
        if (!enter_array(r))
            continue;
        for (int i = 0; next_item(r); i++)
            if (i < 2)
                point[i] = flm_text_json_number(&r->json);
        if (r->keep_counter && point[0] >= 0 && point[0] < 1e18 && !r->json.failed)
            flm_builder_counter_point(b, counter, (int64_t)point[0], point[1] * MIB);
    }
}

static void read_members(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (next_key(r, &key)) {
        if (flm_bytes_are(key, "elapsed_time_sec"))
            r->elapsed_s = flm_text_json_number(&r->json);
        else if (flm_bytes_are(key, "combined_stacks"))
            read_stacks(r, "samples", "samples", 1);
        else if (flm_bytes_are(key, "stacks") && !r->has_stacks)
            read_stacks(r, "samples", "samples", 1);
        else if (flm_bytes_are(key, "memory_stacks"))
            read_stacks(r, "allocations", "bytes", MIB);
        else if (flm_bytes_are(key, "files"))
            read_files(r);
        else if (flm_bytes_are(key, "samples"))
            read_footprint(r);
        else if (flm_bytes_are(key, "program")) {
            flm_text_json_string(&r->json, builder_of(r), &r->name);
            struct flm_bytes program = bytes_of(r, &r->name);
            flm_builder_note(builder_of(r), "command", program.at, program.size);
        }
    }
    if (!(r->elapsed_s > 0 && r->elapsed_s < 1e9))
        r->elapsed_s = 0;
}

static bool read_scalene(struct flm_source *source, const struct flm_read_options *options,
                         struct flm_builder *builder, struct flm_error *why)
{
    static const char lines[] = "what scalene measured is of lines: --stacks records their callers";
    struct flm_read_options sums = *options; /* no value has a time or a label */
    sums.keep_times = false;
    struct reading r = {.stack = {.builder = builder, .options = &sums},
                        .keep_counter = options->keep_times};
    flm_json_init(&r.json, source, why);
    read_members(&r);
    bool good = flm_text_json_finish(&r.json, builder);
    if (good && !r.has_files && !flm_builder_failed(builder))
        good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no \"files\": no profile of scalene");
    for (size_t i = 0; good && i < r.lines.count && !flm_builder_failed(builder); i++)
        add_line(&r, &r.lines.at[i]);
    if (good && !r.has_stacks)
        flm_builder_note(builder, FLM_NOTE_NOT_SHOWN "callers", lines, sizeof lines - 1);
    flm_stack_clear(&r.stack);
    flm_text_clear(&r.name);
    flm_text_clear(&r.file);
    flm_text_clear(&r.kind);
    FLM_ARRAY_CLEAR(&r.lines);
    return good;
}

static int sniff_scalene(struct flm_bytes head, bool whole)
{
    (void)whole;
    static const char *const also[] = {"\"elapsed_time_sec\"", "\"combined_stacks\"",
                                       "\"entrypoint_dir\"", "\"async_profile\""};
    head = flm_bytes_trimmed(head);
    if (!flm_bytes_start_with(head, "{") || !flm_bytes_contain(head, "\"alloc_samples\""))
        return FLM_SNIFF_NO;
    for (size_t i = 0; i < sizeof also / sizeof *also; i++)
        if (flm_bytes_contain(head, also[i]))
            return FLM_SNIFF_SURE;
    return FLM_SNIFF_NO;
}

const struct flm_format flm_format_scalene = {
    .name = "scalene",
    .title = "scalene",
    .extensions = "",
    .description = "profiles of scalene of Python: lines; stacks, recorded with --stacks",
    .metrics = FLM_METRICS_ALL,
    .holds = FLM_HOLDS_FILES,
    .sniff = sniff_scalene,
    .read = read_scalene,
};
