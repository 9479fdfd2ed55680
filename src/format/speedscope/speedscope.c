/* speedscope.c - speedscope's own JSON, of every version.
 *
 *     {"$schema": "https://www.speedscope.app/file-format-schema.json",
 *      "shared": {"frames": [{"name": "main", "file": "a.c", "line": 3}, ...]},
 *      "profiles": [
 *        {"type": "sampled", "name": "CPU 0", "unit": "seconds", "startValue": 0, "endValue": 9,
 *         "samples": [[0, 1], [0, 1, 2]], "weights": [4, 5]},           root first, as indices
 *        {"type": "evented", "name": "thread 2", "unit": "none", "startValue": 0, "endValue": 14,
 *         "events": [{"type": "O", "frame": 0, "at": 0}, {"type": "C", "frame": 0, "at": 14}]}]}
 *
 * Each profile is a thread. Its unit is its metric: "time", "size" for bytes, "weight" where it has
 * none; profiles of one unit have one metric. Those that flamel wrote say what their metric is.
 * Where the unit is one of time, values are times too, from startValue on: weights follow each
 * other.
 *
 * Members may come in any order. A profile is collected, 16 bytes an event or 12 a sample, and
 * added when it ends; if profiles precede the frames, the input from there on is kept until these
 * are known. What speedscope refuses is refused: events that do not nest or go back, frames that do
 * not exist. */
#include "base/text/json_read.h"
#include "format/core/event_stacks.h"
#include "format/core/format.h"
#include "format/core/json_head.h"
#include "format/core/units.h"
#include "format/speedscope/internal.h"
#include "profile/internal.h"
#include "profile/sample_span.h"

#define NO_FRAME "there is no frame with this index"

enum {
    STACK_CHUNK = 64,   /* frames that are read at once */
    WEIGHT_CHUNK = 512, /* likewise */
};

struct event {
    double at;
    uint32_t frame; /* of the file */
    bool opens;
};

struct reading {
    struct flm_json json;
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    bool failed; /* `why` says it: not an error of the JSON's form */

    struct FLM_ARRAY(struct flm_frame) frames;
    bool has_frames;
    size_t profile_count;

    /* The current profile. */
    struct flm_text name, unit;
    struct flm_text own_metric, own_unit, own_name; /* of flamel: internal.h */
    double start;
    struct FLM_ARRAY(struct event) events;
    struct FLM_ARRAY(uint32_t) samples; /* nodes of the builder */
    struct FLM_ARRAY(double) weights;
    struct FLM_ARRAY(struct flm_frame) stack;
    struct flm_json_row row;         /* the last stack: its text, and its nodes */
    struct FLM_ARRAY(uint32_t) path; /* from the outermost frame on */
    struct flm_json_keys event_keys;
};

static bool stopped(const struct reading *r)
{
    return r->failed || r->json.failed || flm_builder_failed(r->builder);
}

static void refuse(struct reading *r, const char *reason)
{
    if (!stopped(r))
        flm_error_set(r->why, FLM_ERROR_FORMAT, "profile %zu: %s", r->profile_count, reason);
    r->failed = true;
}

static void refuse_event(struct reading *r, size_t event, const char *reason)
{
    if (!stopped(r))
        flm_error_set(r->why, FLM_ERROR_FORMAT, "profile %zu: event %zu %s", r->profile_count,
                      event + 1, reason);
    r->failed = true;
}

/* A string; other values are passed over. */
static void read_text(struct reading *r, struct flm_text *out)
{
    struct flm_bytes text;
    out->size = 0;
    if (flm_json_type(&r->json) == FLM_JSON_TYPE_STRING && flm_json_string(&r->json, &text))
        flm_text_add(out, text);
    if (out->failed)
        flm_builder_fail_memory(r->builder);
}

static double read_number(struct reading *r)
{
    struct flm_json_number number;
    flm_json_number(&r->json, &number);
    return number.value;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void read_frame(struct reading *r)
{
    struct flm_bytes key, text;
    struct flm_frame_record frame = {0};
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        bool is_name = flm_bytes_are(key, "name");
        enum flm_json_type type = flm_json_type(&r->json);
        if (is_name || (flm_bytes_are(key, "file") && type == FLM_JSON_TYPE_STRING)) {
            if (flm_json_string(&r->json, &text)) {
                uint32_t string = flm_builder_string(r->builder, text.at, text.size).index;
                *(is_name ? &frame.function : &frame.file) = string;
            }
        } else if (flm_bytes_are(key, "line") && type == FLM_JSON_TYPE_NUMBER) {
            double line = read_number(r);
            frame.line = line >= 1 && line < UINT32_MAX ? (uint32_t)line : 0;
        }
    }
    if (!stopped(r) && !FLM_ARRAY_ADD(&r->frames, flm_builder_frame(r->builder, &frame)))
        flm_builder_fail_memory(r->builder);
}

static void read_shared(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (!flm_bytes_are(key, "frames") || r->has_frames)
            continue;
        flm_json_enter_array(&r->json);
        while (flm_json_next_item(&r->json) && !stopped(r))
            read_frame(r);
        r->has_frames = true;
    }
}

/* The index of a frame, which must exist. */
static uint32_t read_index(struct reading *r)
{
    int64_t index;
    if (!flm_json_integer(&r->json, &index))
        return 0;
    if (index < 0 || (uint64_t)index >= r->frames.count)
        flm_json_fail(&r->json, NO_FRAME);
    return (uint32_t)index;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

/* Frames that the stack before had too, which are most, are not read again. */
static void read_stack(struct reading *r)
{
    uint32_t frames[STACK_CHUNK];
    flm_json_enter_array(&r->json);
    r->path.count = flm_json_skip_repeated(&r->json, &r->row);
    struct flm_node node = flm_builder_root(r->builder);
    if (r->path.count > 0)
        node.index = r->path.at[r->path.count - 1];
    for (size_t count; (count = flm_json_next_indices(&r->json, frames, STACK_CHUNK,
                                                      (uint32_t)r->frames.count, NO_FRAME)) > 0;) {
        if (!FLM_ARRAY_RESERVE(&r->path, count)) {
            flm_builder_fail_memory(r->builder);
            return;
        }
        for (size_t i = 0; i < count; i++) {
            node = flm_builder_child(r->builder, node, r->frames.at[frames[i]]);
            r->path.at[r->path.count++] = node.index;
        }
    }
    if (!stopped(r) && !FLM_ARRAY_ADD(&r->samples, node.index))
        flm_builder_fail_memory(r->builder);
}

static void read_weights(struct reading *r)
{
    for (size_t count = 1; count > 0; r->weights.count += count) {
        if (!FLM_ARRAY_RESERVE(&r->weights, WEIGHT_CHUNK)) {
            flm_builder_fail_memory(r->builder);
            return;
        }
        count = flm_json_next_doubles(&r->json, r->weights.at + r->weights.count, WEIGHT_CHUNK,
                                      __builtin_nan(""));
    }
}

enum { TYPE, FRAME, AT, KEY_COUNT };
static const struct flm_bytes event_keys[] = {{"type", 4}, {"frame", 5}, {"at", 2}};

static void read_event(struct reading *r)
{
    struct flm_bytes text;
    struct event event = {0};
    unsigned has = 0; /* 1 << key; KEY_COUNT: other keys */
    flm_json_enter_object(&r->json);
    for (size_t key;
         (key = flm_json_next_known_key(&r->json, &r->event_keys)) != FLM_JSON_NO_KEY;) {
        has |= 1u << key;
        switch (key) {
        case TYPE:
            if (!flm_json_string(&r->json, &text))
                break;
            event.opens = text.size == 1 && *text.at == 'O';
            if (!event.opens && !flm_bytes_are(text, "C"))
                flm_json_fail(&r->json, "the type of an event is \"O\" or \"C\"");
            break;
        case FRAME:
            event.frame = read_index(r);
            break;
        case AT:
            event.at = read_number(r);
            break;
        default:
            break;
        }
    }
    const unsigned all = 1u << TYPE | 1u << FRAME | 1u << AT;
    if (!stopped(r) && (has & all) != all)
        flm_json_fail(&r->json, "this event lacks its type, its frame or its time");
    if (!stopped(r) && !FLM_ARRAY_ADD(&r->events, event))
        flm_builder_fail_memory(r->builder);
}

struct unit {
    struct flm_metric metric;
    double ns; /* nanoseconds in one of it; 0: it is not one of time */
    struct flm_label_set labels;
    struct flm_node root;
};

/* The metric with that name and unit; "NAME in UNIT" where another unit has the name. */
static struct flm_metric find_metric(struct reading *r, struct flm_bytes name,
                                     struct flm_bytes unit)
{
    struct flm_builder *b = r->builder;
    struct flm_metric metric = {0};
    struct flm_text text = {0};
    flm_text_add(&text, unit);
    flm_text_putc(&text, 0);
    flm_text_add(&text, name);
    flm_text_putc(&text, 0);
    if (!text.failed)
        metric = flm_builder_metric(b, text.at + unit.size + 1, text.at);
    if (!text.failed && metric.index < b->metric_count &&
        !flm_bytes_equal(flm_interner_text(&b->interner, b->metrics[metric.index].unit), unit)) {
        text.size--;
        flm_text_puts(&text, " in ");
        flm_text_add(&text, unit);
        flm_text_putc(&text, 0);
        if (!text.failed)
            metric = flm_builder_metric(b, text.at + unit.size + 1, text.at);
    }
    if (text.failed)
        flm_builder_fail_memory(b);
    flm_text_clear(&text);
    return metric;
}

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

static struct unit find_unit(struct reading *r)
{
    bool is_own = r->own_metric.size > 0;
    struct flm_bytes name = bytes_of(is_own && r->own_name.size > 0 ? &r->own_name : &r->name);
    struct flm_bytes unit = flm_unit_named(bytes_of(&r->unit));
    if (flm_bytes_are(unit, "none"))
        unit = is_own ? bytes_of(&r->own_unit) : (struct flm_bytes){"", 0};
    struct unit found = {.ns = flm_time_unit_ns(unit), .root = flm_builder_root(r->builder)};
    struct flm_bytes metric = flm_bytes_of(found.ns > 0                   ? "time"
                                           : flm_bytes_are(unit, "bytes") ? "size"
                                                                          : "weight");
    found.metric = find_metric(r, is_own ? bytes_of(&r->own_metric) : metric, unit);
    struct flm_builder *b = r->builder;
    char number[24];
    struct flm_text digits;
    flm_text_init_fixed(&digits, number, sizeof number);
    flm_text_uint(&digits, r->profile_count);
    if (r->options->keep_times) {
        struct flm_string value = flm_builder_string(b, name.at, name.size);
        struct flm_string labels[] = {
            flm_builder_string(b, "profile", 7),      value,
            flm_builder_string(b, "thread name", 11), value,
            flm_builder_string(b, "thread", 6),       flm_builder_string(b, number, digits.size)};
        found.labels = name.size > 0 ? flm_builder_label_set(b, labels, 3)
                                     : flm_builder_label_set(b, labels + 4, 1);
    }
    if (r->options->by_thread) {
        if (name.size == 0)
            name = (struct flm_bytes){number, digits.size};
        struct flm_frame_record frame = {
            .function = flm_builder_string(b, name.at, name.size).index, .kind = FLM_KIND_LABEL};
        found.root = flm_builder_child(b, found.root, flm_builder_frame(b, &frame));
    }
    return found;
}

/* A value as a time; FLM_NO_TIME where the unit is not one of time. */
static int64_t time_of(const struct unit *unit, double value)
{
    double ns = value * unit->ns;
    if (unit->ns <= 0 || !(ns > -4611686018427387904.0 && ns < 4611686018427387904.0))
        return FLM_NO_TIME;
    return (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

static void add_events(struct reading *r, const struct unit *unit)
{
    struct flm_event_stack stack = {
        .builder = r->builder, .metric = unit->metric, .keep_times = r->options->keep_times};
    flm_event_stack_begin(&stack, unit->labels, unit->root);
    double last = 0;
    for (size_t i = 0; i < r->events.count && !stopped(r); i++) {
        const struct event *event = &r->events.at[i];
        struct flm_event_time at = {time_of(unit, event->at), event->at};
        if (i > 0 && !(event->at >= last)) {
            refuse_event(r, i, "is earlier than the one before it");
        } else if (event->opens) {
            flm_event_stack_open(&stack, r->frames.at[event->frame], event->frame, at);
        } else if (stack.open.count == 0) {
            refuse_event(r, i, "closes a frame, and none is open");
        } else if (stack.open.at[stack.open.count - 1].name != event->frame) {
            refuse_event(r, i, "closes a frame that is not the innermost open one");
        } else {
            flm_event_stack_close(&stack, at);
        }
        last = event->at;
    }
    if (!stopped(r) && flm_event_stack_end(&stack) > 0)
        refuse(r, "frames are still open after the last event");
    flm_event_stack_finish(&stack);
}

static struct flm_node below(struct reading *r, struct flm_node root, uint32_t node)
{
    struct flm_builder *b = r->builder;
    if (root.index == flm_builder_root(b).index)
        return (struct flm_node){node};
    r->stack.count = 0;
    for (uint32_t i = node; i != 0; i = b->nodes[i].parent)
        if (!FLM_ARRAY_ADD(&r->stack, (struct flm_frame){b->nodes[i].frame}))
            flm_builder_fail_memory(b);
    for (size_t i = 0, j = r->stack.count; i + 1 < j; i++) {
        struct flm_frame frame = r->stack.at[i];
        r->stack.at[i] = r->stack.at[--j];
        r->stack.at[j] = frame;
    }
    return flm_builder_descend(b, root, r->stack.at, r->stack.count);
}

static void add_samples(struct reading *r, const struct unit *unit)
{
    if (r->samples.count != r->weights.count) {
        if (!stopped(r))
            flm_error_set(r->why, FLM_ERROR_FORMAT,
                          "profile %zu: it has %zu samples, and %zu weights", r->profile_count,
                          r->samples.count, r->weights.count);
        r->failed = true;
    }
    double at = r->start;
    for (size_t i = 0; i < r->samples.count && !stopped(r); i++) {
        double weight = r->weights.at[i];
        if (!(weight >= 0)) {
            refuse(r, "a weight is negative");
            return;
        }
        int64_t time_ns = time_of(unit, at), end_ns = time_of(unit, at + weight);
        at += weight;
        if (weight == 0 || r->samples.at[i] == 0)
            continue; /* an empty stack: nothing ran */
        struct flm_node node = below(r, unit->root, r->samples.at[i]);
        if (!r->options->keep_times) {
            flm_builder_add(r->builder, node, unit->metric, weight);
            continue;
        }
        flm_builder_sample(r->builder, time_ns, node, unit->labels, unit->metric, weight);
        if (time_ns != FLM_NO_TIME && end_ns > time_ns)
            flm_builder_sample_lasts(r->builder, end_ns - time_ns);
    }
}

/* What flamel knew of the profile that it wrote. */
static void read_own(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !stopped(r)) {
        if (flm_bytes_are(key, "metric"))
            read_text(r, &r->own_metric);
        else if (flm_bytes_are(key, "unit"))
            read_text(r, &r->own_unit);
        else if (flm_bytes_are(key, "name"))
            read_text(r, &r->own_name);
    }
}

static void read_profile(struct reading *r)
{
    struct flm_bytes key;
    r->name.size = r->unit.size = 0;
    r->own_metric.size = r->own_unit.size = r->own_name.size = 0;
    r->events.count = r->samples.count = r->weights.count = 0;
    r->start = 0;
    r->profile_count++;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !stopped(r)) {
        if (flm_bytes_are(key, "name")) {
            read_text(r, &r->name);
        } else if (flm_bytes_are(key, "unit")) {
            read_text(r, &r->unit);
        } else if (flm_bytes_are(key, "flamel") &&
                   flm_json_type(&r->json) == FLM_JSON_TYPE_OBJECT) {
            read_own(r);
        } else if (flm_bytes_are(key, "startValue")) {
            r->start = read_number(r);
        } else if (flm_bytes_are(key, "events")) {
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && !stopped(r))
                read_event(r);
        } else if (flm_bytes_are(key, "samples")) {
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && !stopped(r))
                read_stack(r);
        } else if (flm_bytes_are(key, "weights")) {
            flm_json_enter_array(&r->json);
            read_weights(r);
        }
    }
    if (stopped(r))
        return;
    struct unit unit = find_unit(r);
    if (r->events.count > 0)
        add_events(r, &unit);
    if (!stopped(r))
        add_samples(r, &unit);
}

static void read_profiles(struct reading *r)
{
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json) && !stopped(r))
        read_profile(r);
}

static void read_file(struct reading *r)
{
    struct flm_bytes key, text;
    struct flm_bytes early = {NULL, 0}; /* profiles that precede the frames */
    uint64_t early_offset = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !stopped(r)) {
        enum flm_json_type type = flm_json_type(&r->json);
        if (flm_bytes_are(key, "shared") && type == FLM_JSON_TYPE_OBJECT) {
            read_shared(r);
        } else if (flm_bytes_are(key, "profiles") && r->has_frames) {
            read_profiles(r);
        } else if (flm_bytes_are(key, "profiles") && !early.at) {
            if (!flm_source_all(r->json.source, r->why)) {
                r->failed = true;
                return;
            }
            early.at = r->json.source->at;
            early_offset = r->json.offset;
            flm_json_skip(&r->json);
            early.size = (size_t)(r->json.source->at - early.at);
        } else if (type == FLM_JSON_TYPE_STRING &&
                   (flm_bytes_are(key, "name") || flm_bytes_are(key, "exporter"))) {
            const char *note = flm_bytes_are(key, "name") ? "title" : "producer";
            if (flm_json_string(&r->json, &text) && text.size > 0)
                flm_builder_note(r->builder, note, text.at, text.size);
        }
    }
    if (stopped(r) || !early.at)
        return;
    struct flm_json rest = r->json;
    struct flm_source source = flm_source_of(early);
    flm_json_init(&r->json, &source, r->why);
    r->json.offset = early_offset;
    read_profiles(r);
    rest.failed = r->json.failed;
    flm_json_clear(&r->json);
    r->json = rest;
}

static bool read_speedscope(struct flm_source *source, const struct flm_read_options *options,
                            struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.builder = builder,
                        .options = options,
                        .why = why,
                        .event_keys = {.names = event_keys, .count = KEY_COUNT}};
    flm_json_init(&r.json, source, why);
    read_file(&r);
    bool good = !r.failed;
    if (!good || flm_builder_failed(builder)) /* flm_builder_finish reports the latter */
        flm_json_clear(&r.json);
    else
        good = flm_json_finish(&r.json);
    if (good && r.profile_count == 0 && !flm_builder_failed(builder))
        good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no profiles");
    FLM_ARRAY_CLEAR(&r.frames);
    FLM_ARRAY_CLEAR(&r.events);
    FLM_ARRAY_CLEAR(&r.samples);
    FLM_ARRAY_CLEAR(&r.weights);
    FLM_ARRAY_CLEAR(&r.stack);
    FLM_ARRAY_CLEAR(&r.row);
    FLM_ARRAY_CLEAR(&r.path);
    flm_text_clear(&r.name);
    flm_text_clear(&r.unit);
    flm_text_clear(&r.own_metric);
    flm_text_clear(&r.own_unit);
    flm_text_clear(&r.own_name);
    return good;
}

static int sniff_speedscope(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (!flm_json_head_begins(head, '{'))
        return FLM_SNIFF_NO;
    if (flm_json_head_has(head, "$schema") &&
        flm_bytes_contain(head, "speedscope.app/file-format-schema"))
        return FLM_SNIFF_SURE + 5;
    /* A file of another program may lack the schema, or have it at its end. */
    bool has_frames = flm_json_head_has(head, "shared") && flm_json_head_has(head, "frames");
    bool has_profiles = flm_json_head_has(head, "startValue") &&
                        (flm_json_head_has(head, "evented") || flm_json_head_has(head, "sampled"));
    return has_profiles || (has_frames && flm_json_head_has(head, "name")) ? FLM_SNIFF_LIKELY
                                                                           : FLM_SNIFF_NO;
}

const struct flm_format flm_format_speedscope = {
    .name = "speedscope",
    .title = "speedscope",
    .extensions = ".speedscope.json",
    .description = "speedscope's JSON: sampled and evented profiles",
    .also_loses = "the name of the metric where there is one, times where the metric is none, "
                  "labels other than the thread, notes",
    .holds = FLM_HOLDS_WEIGHTS | FLM_HOLDS_FILES,
    .has_times = true,
    .keeps_labels = true,
    .only_spans = true,
    .kept_labels = FLM_LABELS_THREADS,
    .sniff = sniff_speedscope,
    .read = read_speedscope,
    .write = flm_speedscope_write,
};
