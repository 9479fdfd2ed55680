/* safari.c - recordings of the timeline of Safari's Web Inspector.
 *
 *     {"version": 1, "recording": {"displayName": "...",
 *        "sampleStackTraces": [{"timestamp": 4.18, "stackFrames": [
 *            {"sourceID": "1", "name": "gamma", "line": 3, "column": 7, "url": "file:///a.js"}]}],
 *        "sampleDurations": [0.001, ...]}}
 *
 * Frames are leaf first; times are in seconds, and a sample ends at its timestamp. The durations
 * come behind the stacks, so stacks are kept until the end. */
#include "base/text/json_read.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct sample {
    struct flm_node node;
    double end_s;
};

struct reading {
    struct flm_json json;
    struct flm_stack_buffer stack;
    struct FLM_ARRAY(struct sample) samples;
    struct FLM_ARRAY(double) durations;
    struct flm_text name, url;
    bool has_samples;
};

static void fail_memory(struct reading *r)
{
    flm_builder_fail_memory(r->stack.builder);
}

static void read_frame(struct reading *r)
{
    struct flm_bytes key;
    double line = 0;
    r->name.size = r->url.size = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "name"))
            flm_text_json_string(&r->json, r->stack.builder, &r->name);
        else if (flm_bytes_are(key, "url"))
            flm_text_json_string(&r->json, r->stack.builder, &r->url);
        else if (flm_bytes_are(key, "line"))
            line = flm_text_json_number(&r->json);
    }
    if (r->json.failed || flm_builder_failed(r->stack.builder))
        return;
    struct flm_stack_frame frame = {.file = {r->url.at, r->url.size},
                                    .line = line > 0 && line < 1e9 ? (uint64_t)line : 0};
    if (r->name.size == 0) { /* (anonymous a.js:3), as functions without a name are shown */
        size_t start = r->url.size;
        while (start > 0 && r->url.at[start - 1] != '/')
            start--;
        flm_text_puts(&r->name, "(anonymous");
        if (r->url.size > 0) {
            flm_text_putc(&r->name, ' ');
            flm_text_add(&r->name, flm_bytes_from(frame.file, start));
            flm_text_putc(&r->name, ':');
            flm_text_uint(&r->name, frame.line);
        }
        flm_text_putc(&r->name, ')');
        if (r->name.failed)
            fail_memory(r);
    }
    frame.function = (struct flm_bytes){r->name.at, r->name.size};
    flm_stack_frame(&r->stack, &frame);
}

static void read_sample(struct reading *r)
{
    struct flm_bytes key;
    struct sample sample = {0};
    r->stack.frames.count = 0;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "timestamp")) {
            sample.end_s = flm_text_json_number(&r->json);
        } else if (flm_bytes_are(key, "stackFrames") &&
                   flm_json_type(&r->json) == FLM_JSON_TYPE_ARRAY) {
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && !flm_builder_failed(r->stack.builder))
                read_frame(r);
        }
    }
    if (r->json.failed || flm_builder_failed(r->stack.builder))
        return;
    sample.node = flm_builder_root(r->stack.builder);
    for (size_t i = r->stack.frames.count; i > 0; i--)
        sample.node = flm_builder_child(r->stack.builder, sample.node, r->stack.frames.at[i - 1]);
    if (!FLM_ARRAY_ADD(&r->samples, sample))
        fail_memory(r);
}

static void read_recording(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !flm_builder_failed(r->stack.builder)) {
        if (flm_bytes_are(key, "sampleStackTraces")) {
            r->has_samples = true;
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && !flm_builder_failed(r->stack.builder))
                read_sample(r);
        } else if (flm_bytes_are(key, "sampleDurations")) {
            flm_json_enter_array(&r->json);
            while (flm_json_next_item(&r->json) && !flm_builder_failed(r->stack.builder))
                if (!FLM_ARRAY_ADD(&r->durations, flm_text_json_number(&r->json)))
                    fail_memory(r);
        } else if (flm_bytes_are(key, "displayName")) {
            flm_text_json_string(&r->json, r->stack.builder, &r->name);
            flm_builder_note(r->stack.builder, "name", r->name.at ? r->name.at : "", r->name.size);
        }
    }
}

static void add_samples(struct reading *r)
{
    struct flm_builder *b = r->stack.builder;
    struct flm_metric metric = flm_builder_metric(b, "time", "s");
    for (size_t i = 0; i < r->samples.count && !flm_builder_failed(b); i++) {
        const struct sample *s = &r->samples.at[i];
        double lasts = i < r->durations.count ? r->durations.at[i] : 0;
        if (!(lasts > 0 && lasts < 1e9 && s->end_s > 0 && s->end_s < 1e9)) {
            flm_builder_lost(b, "samples without a duration", "", 0, 1);
            continue;
        }
        if (!r->stack.options->keep_times) {
            flm_builder_add(b, s->node, metric, lasts);
            continue;
        }
        int64_t end_ns = (int64_t)(s->end_s * 1e9), lasts_ns = (int64_t)(lasts * 1e9);
        flm_builder_sample(b, end_ns - lasts_ns, s->node, (struct flm_label_set){0}, metric, lasts);
        flm_builder_sample_lasts(b, lasts_ns);
    }
}

static bool read_safari(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.stack = {.builder = builder, .options = options}};
    struct flm_bytes key;
    flm_json_init(&r.json, source, why);
    flm_json_enter_object(&r.json);
    while (flm_json_next_key(&r.json, &key) && !flm_builder_failed(builder))
        if (flm_bytes_are(key, "recording"))
            read_recording(&r);
    bool good = flm_text_json_finish(&r.json, builder);
    if (good && !flm_builder_failed(builder)) {
        if (r.has_samples)
            add_samples(&r);
        else
            good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no \"sampleStackTraces\"");
    }
    flm_stack_clear(&r.stack);
    FLM_ARRAY_CLEAR(&r.samples);
    FLM_ARRAY_CLEAR(&r.durations);
    flm_text_clear(&r.name);
    flm_text_clear(&r.url);
    return good;
}

static int sniff_safari(struct flm_bytes head, bool whole)
{
    (void)whole;
    head = flm_bytes_trimmed(head);
    return flm_bytes_start_with(head, "{") && flm_bytes_contain(head, "\"recording\"") &&
                   (flm_bytes_contain(head, "\"instrumentTypes\"") ||
                    flm_bytes_contain(head, "\"sampleStackTraces\""))
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_safari = {
    .name = "safari",
    .title = "Safari",
    .extensions = "",
    .description = "recordings of the timeline of Safari's Web Inspector",
    .has_times = true,
    .sniff = sniff_safari,
    .read = read_safari,
};
