/* trace.c - the file of a Chrome trace: internal.h says what is in it, and what becomes of it.
 *
 * A list of events may end without its ']', and have a comma before it: programs append events, and
 * may be killed. So what is complete is read; an event that is cut off is counted. */
#include "flamel/notes.h"
#include "format/core/json_head.h"
#include "format/trace/internal.h"
#include "format/trace/trace_write.h"
#include "profile/internal.h"

/* The list ends where an event should begin: at the end of the input, or at a ']' after a comma. In
 * both cases nothing that follows is read. */
static bool ends_here(struct flm_trace *t)
{
    struct flm_json *json = &t->json;
    if (!json->failed || t->event_count == 0)
        return false;
    const struct flm_source *source = json->source;
    if (!json->is_cut && !(source->at < source->end && *source->at == ']'))
        return false;
    json->failed = false;
    if (t->why)
        *t->why = (struct flm_error){0};
    return true;
}

/* Whether a list that ended without its ']' was the whole input, or the ']' that came after a comma
 * is followed by the end of the object alone. */
static bool is_all(const struct flm_trace *t)
{
    struct flm_source *source = t->json.source;
    size_t passed = source->at < source->end && *source->at == ']';
    for (;; passed++) {
        /* The window may end where the input goes on. */
        while (!source->last && passed == (size_t)(source->end - source->at))
            if (!flm_source_more(source, t->why))
                return false;
        if (passed == (size_t)(source->end - source->at))
            return t->is_list;
        if (!flm_is_one_of(source->at[passed], " \n\r\t"))
            return !t->is_list && source->at[passed] == '}';
    }
}

/* False: nothing that follows the list is to be read. */
static bool read_events(struct flm_trace *t, bool is_sample)
{
    bool in_event = false;
    flm_json_enter_array(&t->json);
    while (flm_json_next_item(&t->json) && !flm_trace_stopped(t)) {
        in_event = true;
        flm_trace_read_event(t, is_sample);
        in_event = t->json.failed;
    }
    if (!t->json.failed)
        return !flm_builder_failed(t->builder);
    if (in_event && !t->json.is_cut)
        return true;
    if (ends_here(t) && (in_event || !is_all(t)))
        flm_builder_lost(t->builder,
                         in_event ? "events that are cut off at the end of the file"
                                  : "parts that are cut off at the end of the file",
                         "byte", t->json.offset, 1);
    return false;
}

/* Facts about the recording, under the names that flamel has for them. */
static void read_facts(struct flm_trace *t)
{
    static const char *const names[][2] = {
        {"command_line", "command"}, {"command-line", "command"},   {"recorded_time", "recorded"},
        {"startTime", "recorded"},   {"source", "producer"},        {"version", "version"},
        {"hostname", "host"},        {"product-version", "version"}};
    struct flm_bytes key, text;
    flm_json_enter_object(&t->json);
    while (flm_json_next_key(&t->json, &key)) {
        char written[sizeof FLM_NOTE_WRITTEN + FLM_NOTE_ID_SIZE] = "";
        const char *name = NULL;
        if (flm_note_is_written((struct flm_name){key.at, key.size}))
            name = memcpy(written, key.at, key.size);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (flm_bytes_are(key, names[i][0]))
                name = names[i][1];
        if (name && flm_json_type(&t->json) == FLM_JSON_TYPE_STRING &&
            flm_json_string(&t->json, &text) && text.size > 0)
            flm_builder_note(t->builder, name, text.at, text.size);
    }
}

static void read_object(struct flm_trace *t, bool *has_events)
{
    struct flm_bytes key;
    flm_json_enter_object(&t->json);
    while (flm_json_next_key(&t->json, &key) && !flm_trace_stopped(t)) {
        enum flm_json_type type = flm_json_type(&t->json);
        bool is_array = type == FLM_JSON_TYPE_ARRAY, is_object = type == FLM_JSON_TYPE_OBJECT;
        if (flm_bytes_are(key, "traceEvents")) {
            *has_events = true;
            if (!read_events(t, false))
                return;
        } else if (flm_bytes_are(key, "samples") && is_array) {
            if (!read_events(t, true))
                return;
        } else if (flm_bytes_are(key, "baseTimeNanoseconds") && type == FLM_JSON_TYPE_NUMBER &&
                   t->event_count == 0) {
            if (!flm_json_integer(&t->json, &t->base_ns) || t->base_ns < 0)
                t->base_ns = 0;
        } else if (flm_bytes_are(key, "stackFrames") && is_object) {
            flm_trace_read_stack_frames(t);
        } else if (is_object &&
                   (flm_bytes_are(key, "otherData") || flm_bytes_are(key, "metadata"))) {
            read_facts(t);
        }
    }
    /* Between lists too, what is complete is read. */
    if (*has_events && t->json.failed && t->json.is_cut && ends_here(t))
        flm_builder_lost(t->builder, "parts that are cut off at the end of the file", "byte",
                         t->json.offset, 1);
}

static bool read_trace(struct flm_source *source, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why)
{
    struct flm_trace t = {.builder = builder, .options = options, .why = why};
    flm_json_init(&t.json, source, why);
    bool has_events = flm_json_type(&t.json) == FLM_JSON_TYPE_ARRAY;
    t.is_list = has_events;
    if (has_events)
        read_events(&t, false);
    else
        read_object(&t, &has_events);
    bool good = !t.json.failed || flm_builder_failed(builder); /* flm_builder_finish reports it */
    flm_json_clear(&t.json);
    if (good && !flm_builder_failed(builder)) {
        if (!has_events || t.event_count == 0)
            good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no events: nothing was recorded");
        else
            good = flm_trace_finish(&t);
    }
    flm_trace_clear(&t);
    return good;
}

static int sniff_trace(struct flm_bytes head, bool whole)
{
    (void)whole;
    bool has_events = flm_json_head_has(head, "ph") &&
                      (flm_json_head_has(head, "ts") || flm_json_head_has(head, "pid"));
    if (flm_json_head_begins(head, '['))
        return has_events ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
    if (!flm_json_head_begins(head, '{'))
        return FLM_SNIFF_NO;
    if (flm_json_head_has(head, "traceEvents"))
        return FLM_SNIFF_SURE + 2;
    /* What precedes the events may fill the head: Kineto's devices, or stacks. */
    if (flm_json_head_has(head, "schemaVersion") &&
        (flm_json_head_has(head, "deviceProperties") || flm_json_head_has(head, "distributedInfo")))
        return FLM_SNIFF_LIKELY;
    return flm_json_head_has(head, "displayTimeUnit") ||
                   (flm_json_head_has(head, "stackFrames") && flm_json_head_has(head, "category"))
               ? FLM_SNIFF_LIKELY
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_trace = {
    .name = "trace",
    .title = "Chrome trace",
    .extensions = ".trace.json",
    .description = "trace events: of Chrome, node, PyTorch (Kineto), uftrace and others",
    .has_times = true,
    .keeps_labels = true,
    .kept_labels = FLM_LABELS_THREADS_PROCESSES,
    .metrics = FLM_METRICS_ONE,
    .also_loses = "labels other than of threads and processes, units of counters, notes",
    .holds = FLM_HOLDS_STACKS | FLM_HOLDS_DURATIONS | FLM_HOLDS_MODULES | FLM_HOLDS_FILES |
             FLM_HOLDS_MARKERS | FLM_HOLDS_COUNTERS | FLM_HOLDS_NOTES,
    .sniff = sniff_trace,
    .read = read_trace,
    .write = flm_trace_write,
};
