/* pyinstrument.c - what pyinstrument of Python writes: sessions, and its JSON.
 *
 *     {"start_time": 1795413606.09, "duration": 0.31, "sample_count": 77,   pyinstrument -r session
 *      "target_description": "Program: app.py",
 *      "frame_records": [[["MainThread\0<thread>\0140332", "main\0app.py\09\1l12\1cApp"], 0.01]]}
 *
 *     {"start_time": 1795413606.09, "duration": 0.31, "sample_count": 77,   pyinstrument -r json
 *      "root_frame": {"function": "main", "file_path": "app.py", "line_no": 9, "time": 0.3,
 *                     "children": [{"function": "[self]", "time": 0.1, "children": []}]}}
 *
 * A record is a stack, root first, and the time (s) since the one before. A frame is a function,
 * its file and the line that it begins at, behind \0; and behind \1 what differs from call to
 * call: l the line that ran, c the class. The first frame may be the thread. The tree of the JSON
 * has times that include those of the children (metric: us); "[self]" is what the function above it
 * has for itself. pyinstrument has left frames out of it, whose time their callers have. */
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct reading {
    struct flm_text_reading base;
    struct flm_json json;
    struct flm_text_tree tree;
    struct flm_text function, file;
    uint64_t line;
    double time_s;
    bool is_known; /* there are records, or a tree */
};

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static struct flm_builder *builder_of(struct reading *r)
{
    return r->base.stack.builder;
}

static void add_frame(struct reading *r)
{
    struct flm_stack_frame frame = {
        .function = bytes_of(&r->function), .file = bytes_of(&r->file), .line = r->line};
    if (r->function.failed || r->file.failed)
        flm_builder_fail_memory(builder_of(r));
    flm_stack_frame(&r->base.stack, &frame);
}

/* ---- Sessions -------------------------------------------------------------------------------- */

/* The text up to that byte, or to its end, which it takes with the byte. */
static struct flm_bytes take_part(struct flm_bytes *text, char end)
{
    size_t size = 0;
    while (size < text->size && text->at[size] != end)
        size++;
    struct flm_bytes part = {text->at, size};
    *text = flm_bytes_from(*text, size + (size < text->size));
    return part;
}

static void add_described_frame(struct reading *r, struct flm_bytes text)
{
    struct flm_bytes identifier = take_part(&text, 1), name = take_part(&identifier, 0),
                     file = take_part(&identifier, 0);
    if (flm_bytes_are(file, "<thread>")) {
        flm_stack_label(&r->base.stack, "thread name", name);
        flm_stack_label(&r->base.stack, "thread", identifier);
        flm_stack_thread(&r->base.stack, name);
        return;
    }
    r->function.size = r->file.size = 0;
    r->line = 0;
    flm_number_parse_uint(identifier, &r->line);
    while (text.size > 0) {
        struct flm_bytes attribute = take_part(&text, 1);
        if (flm_text_skip(&attribute, "l")) {
            flm_number_parse_uint(attribute, &r->line);
        } else if (flm_text_skip(&attribute, "c")) {
            flm_text_add(&r->function, attribute);
            flm_text_putc(&r->function, '.');
        }
    }
    flm_text_add(&r->function, name);
    flm_text_add(&r->file, file);
    add_frame(r);
}

static void add_record(struct reading *r, double lasts)
{
    struct flm_builder *b = builder_of(r);
    bool has_time = r->time_s < 1e9 && lasts < 1e9;
    if (!(lasts > 0)) {
        flm_builder_lost(b, "samples without a time", "", 0, 1);
    } else {
        flm_stack_add(&r->base.stack, FLM_ROOT_FIRST,
                      has_time ? (int64_t)(r->time_s * 1e9) : FLM_NO_TIME, r->base.metric, lasts);
        if (has_time && r->base.stack.options->keep_times)
            flm_builder_sample_lasts(b, (int64_t)(lasts * 1e9));
        r->time_s += lasts;
    }
    flm_stack_begin(&r->base.stack);
}

static void read_record(struct reading *r)
{
    double lasts = 0;
    struct flm_bytes text;
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json) && !flm_builder_failed(builder_of(r))) {
        if (flm_json_type(&r->json) != FLM_JSON_TYPE_ARRAY) {
            lasts = flm_text_json_number(&r->json);
            continue;
        }
        flm_json_enter_array(&r->json);
        while (flm_json_next_item(&r->json) && !flm_builder_failed(builder_of(r)))
            if (flm_json_string(&r->json, &text))
                add_described_frame(r, text);
    }
    if (!r->json.failed && !flm_builder_failed(builder_of(r)))
        add_record(r, lasts);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* What is known of a frame when its children come, or at its end. */
static void add_row(struct reading *r, size_t depth, double time)
{
    if (flm_bytes_are(bytes_of(&r->function), "[self]"))
        return;
    add_frame(r);
    flm_text_tree_row(&r->tree, &r->base, depth, time);
}

/* Times are written with 6 decimals: in whole microseconds, what is left over is exact. */
static double whole(double time_us)
{
    return time_us > 0 && time_us < 0x1p52 ? (double)(uint64_t)(time_us + 0.5) : 0;
}

/* The tree, without recursion. */
static void read_tree(struct reading *r)
{
    struct flm_bytes key;
    size_t depth = 0;
    bool is_new = flm_json_enter_object(&r->json);
    double time = 0;
    for (depth += is_new; depth > 0;) {
        bool is_deeper = false;
        while (!is_deeper && flm_json_next_key(&r->json, &key)) {
            if (flm_bytes_are(key, "function")) {
                flm_text_json_string(&r->json, builder_of(r), &r->function);
            } else if (flm_bytes_are(key, "file_path")) {
                flm_text_json_string(&r->json, builder_of(r), &r->file);
            } else if (flm_bytes_are(key, "line_no")) {
                double line = flm_text_json_number(&r->json);
                r->line = line > 0 && line < 1e9 ? (uint64_t)line : 0;
            } else if (flm_bytes_are(key, "time")) {
                time = whole(flm_text_json_number(&r->json) * 1e6);
            } else if (flm_bytes_are(key, "children") &&
                       flm_json_type(&r->json) == FLM_JSON_TYPE_ARRAY) {
                is_deeper = flm_json_enter_array(&r->json);
            }
        }
        if (r->json.failed || flm_builder_failed(builder_of(r)))
            return;
        if (is_new)
            add_row(r, depth - 1, time);
        is_new = false;
        depth -= !is_deeper;
        if (depth > 0 && flm_json_next_item(&r->json)) {
            is_new = flm_json_enter_object(&r->json);
            depth++;
            r->function.size = r->file.size = 0;
            r->line = 0;
            time = 0;
        }
    }
    flm_text_tree_leave(&r->tree, &r->base, 0);
}

/* ---- Both ------------------------------------------------------------------------------------ */

static void read_members(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !flm_builder_failed(builder_of(r))) {
        if (flm_bytes_are(key, "target_description")) {
            flm_text_json_string(&r->json, builder_of(r), &r->function);
            if (r->function.size > 0)
                flm_builder_note(builder_of(r), "command", r->function.at, r->function.size);
        } else if (flm_bytes_are(key, "frame_records")) {
            r->is_known = true;
            r->base.metric = flm_builder_metric(builder_of(r), "time", "s");
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && !flm_builder_failed(builder_of(r)))
                read_record(r);
        } else if (flm_bytes_are(key, "root_frame") &&
                   flm_json_type(&r->json) == FLM_JSON_TYPE_OBJECT) {
            r->is_known = true;
            r->base.metric = flm_builder_metric(builder_of(r), "time", "us");
            read_tree(r);
        }
    }
}

static bool read_pyinstrument(struct flm_source *source, const struct flm_read_options *options,
                              struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.base.stack = {.builder = builder, .options = options}};
    flm_json_init(&r.json, source, why);
    read_members(&r);
    bool good = flm_text_json_finish(&r.json, builder);
    if (good && !r.is_known && !flm_builder_failed(builder))
        good = flm_error_set(why, FLM_ERROR_FORMAT,
                             "it has neither \"frame_records\" nor a \"root_frame\": no samples");
    flm_stack_clear(&r.base.stack);
    FLM_ARRAY_CLEAR(&r.tree.path);
    flm_text_clear(&r.function);
    flm_text_clear(&r.file);
    return good;
}

static int sniff_pyinstrument(struct flm_bytes head, bool whole)
{
    (void)whole;
    head = flm_bytes_trimmed(head);
    return flm_bytes_start_with(head, "{") && flm_bytes_contain(head, "\"start_time\"") &&
                   flm_bytes_contain(head, "\"target_description\"")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_pyinstrument = {
    .name = "pyinstrument",
    .title = "pyinstrument",
    .extensions = ".pyisession",
    .description = "profiles of pyinstrument of Python: sessions, and its JSON",
    .has_times = true,
    .keeps_labels = true,
    .holds = FLM_HOLDS_FILES,
    .sniff = sniff_pyinstrument,
    .read = read_pyinstrument,
};
