/* cpu.c - .cpuprofile files: of Chrome's and node's profilers (profile.h), and the older form with
 * the nodes inside each other, as v8-profiler writes it.
 *
 *     {"head": {"functionName": "(root)", "url": "", "lineNumber": 0, "id": 1, "children": [...]},
 *      "startTime": 12.5, "endTime": 13.25, "samples": [2, 3], "timestamps": [12500100, 12501350]}
 *
 * There times are seconds, timestamps microseconds, and lines count from 1. A profile may be the
 * "profile" of an object, as the inspector's protocol has it. Without samples there are the nodes'
 * hit counts. */
#include "format/core/json_head.h"
#include "format/v8/profile.h"
#include "profile/internal.h"

struct reading {
    struct flm_json json;
    struct flm_v8_profile profile;
    bool has_nodes, has_head, has_timestamps;
};

static double read_number(struct flm_json *json)
{
    struct flm_json_number number = {{"", 0}, 0};
    if (flm_json_type(json) == FLM_JSON_TYPE_NUMBER)
        flm_json_number(json, &number);
    return number.value;
}

static void read_members(struct reading *r, int level)
{
    enum { MOST_LEVELS = 3 };
    struct flm_json *json = &r->json;
    struct flm_bytes key;
    flm_json_enter_object(json);
    while (flm_json_next_key(json, &key) && !flm_builder_failed(r->profile.builder)) {
        enum flm_json_type type = flm_json_type(json);
        if (flm_bytes_are(key, "nodes")) {
            flm_v8_read_nodes(&r->profile, json);
            r->has_nodes = true;
        } else if (flm_bytes_are(key, "head")) {
            flm_v8_read_tree(&r->profile, json);
            r->has_head = true;
        } else if (flm_bytes_are(key, "startTime")) {
            r->profile.start_us = read_number(json);
        } else if (flm_bytes_are(key, "endTime")) {
            r->profile.end_us = read_number(json);
        } else if (flm_bytes_are(key, "samples") && type == FLM_JSON_TYPE_ARRAY) {
            flm_v8_read_samples(&r->profile, json);
        } else if ((flm_bytes_are(key, "timeDeltas") || flm_bytes_are(key, "timestamps")) &&
                   type == FLM_JSON_TYPE_ARRAY && r->profile.deltas.count == 0) {
            r->has_timestamps = flm_bytes_are(key, "timestamps");
            flm_v8_read_deltas(&r->profile, json);
        } else if (type == FLM_JSON_TYPE_OBJECT && level < MOST_LEVELS &&
                   (flm_bytes_are(key, "profile") || flm_bytes_are(key, "result"))) {
            read_members(r, level + 1);
        }
    }
}

/* Times as the newer form has them. */
static void convert_times(struct flm_v8_profile *p, bool has_head, bool has_timestamps)
{
    if (has_head) {
        p->start_us *= 1e6;
        p->end_us *= 1e6;
    }
    if (has_timestamps) {
        for (size_t i = p->deltas.count; i-- > 1;)
            p->deltas.at[i] -= p->deltas.at[i - 1];
        if (p->deltas.count > 0)
            p->deltas.at[0] -= p->start_us;
    }
    /* Before there were timestamps the samples were equally far apart. */
    if (p->deltas.count == 0 && p->samples.count > 0 && p->end_us > p->start_us) {
        double interval = (p->end_us - p->start_us) / (double)p->samples.count;
        for (size_t i = 0; i < p->samples.count; i++)
            if (!FLM_ARRAY_ADD(&p->deltas, interval))
                flm_builder_fail_memory(p->builder);
    }
}

static bool add_profile(struct reading *r, const struct flm_read_options *options,
                        struct flm_error *why)
{
    struct flm_v8_profile *p = &r->profile;
    struct flm_builder *b = p->builder;
    p->lines_from_1 = r->has_head;
    convert_times(p, r->has_head, r->has_timestamps);
    if (!flm_v8_make_stacks(p, flm_builder_root(b), false, why))
        return false;
    if (p->deltas.count > 0)
        flm_v8_add_samples(p, flm_builder_root(b), flm_builder_metric(b, "time", "us"), options,
                           (struct flm_label_set){0});
    else
        flm_v8_add_hits(p, flm_builder_metric(b, "samples", "samples"));
    return true;
}

static bool read_cpuprofile(struct flm_source *source, const struct flm_read_options *options,
                            struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.profile = {.builder = builder}};
    flm_json_init(&r.json, source, why);
    read_members(&r, 0);
    bool good = true;
    if (flm_builder_failed(builder)) /* flm_builder_finish reports it */
        flm_json_clear(&r.json);
    else
        good = flm_json_finish(&r.json);
    if (good && !flm_builder_failed(builder)) {
        if (!r.has_nodes && !r.has_head)
            good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no nodes");
        else
            good = add_profile(&r, options, why);
    }
    flm_v8_clear(&r.profile);
    return good;
}

static int sniff_cpuprofile(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (!flm_json_head_begins(head, '{') || flm_json_head_has(head, "traceEvents"))
        return FLM_SNIFF_NO;
    if (flm_json_head_has(head, "selfSize"))
        return FLM_SNIFF_NO;
    if (flm_json_head_has(head, "callFrame") && flm_json_head_has(head, "functionName"))
        return flm_json_head_has(head, "nodes") ? FLM_SNIFF_SURE : FLM_SNIFF_LIKELY;
    if (flm_json_head_has(head, "head") && flm_json_head_has(head, "functionName"))
        return FLM_SNIFF_SURE;
    /* The samples may precede the nodes, and fill the head. */
    return flm_json_head_has(head, "timeDeltas") ? FLM_SNIFF_LIKELY : FLM_SNIFF_NO;
}

const struct flm_format flm_format_cpuprofile = {
    .name = "cpuprofile",
    .title = "V8 CPU profile",
    .extensions = ".cpuprofile",
    .description = "CPU profiles of Chrome, node and other programs with V8",
    .has_times = true,
    .sniff = sniff_cpuprofile,
    .read = read_cpuprofile,
};
