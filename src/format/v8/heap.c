/* heap.c - .heapprofile files: V8's sampling heap profiler (profile.h).
 *
 *     {"head": {"callFrame": {"functionName": "(root)", ...}, "selfSize": 0, "id": 1,
 *               "children": [{...}]}, "samples": [...]}
 *
 * The bytes are those that are still in use when the profile is taken; V8 has scaled them up from
 * its samples. "(root)" is a frame, as speedscope shows it. */
#include "format/core/json_head.h"
#include "format/v8/profile.h"
#include "profile/internal.h"

static void read_members(struct flm_v8_profile *p, struct flm_json *json, int level)
{
    enum { MOST_LEVELS = 3 };
    struct flm_bytes key;
    flm_json_enter_object(json);
    while (flm_json_next_key(json, &key) && !flm_builder_failed(p->builder)) {
        if (flm_bytes_are(key, "head"))
            flm_v8_read_tree(p, json);
        else if (flm_json_type(json) == FLM_JSON_TYPE_OBJECT && level < MOST_LEVELS &&
                 (flm_bytes_are(key, "profile") || flm_bytes_are(key, "result")))
            read_members(p, json, level + 1);
    }
}

static bool read_heapprofile(struct flm_source *source, const struct flm_read_options *options,
                             struct flm_builder *builder, struct flm_error *why)
{
    (void)options;
    struct flm_json json;
    struct flm_v8_profile profile = {.builder = builder};
    flm_json_init(&json, source, why);
    read_members(&profile, &json, 0);
    bool good = true;
    if (flm_builder_failed(builder)) /* flm_builder_finish reports it */
        flm_json_clear(&json);
    else
        good = flm_json_finish(&json);
    if (good && !flm_builder_failed(builder)) {
        if (profile.nodes.count == 0)
            good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no nodes");
        else
            good = flm_v8_make_stacks(&profile, flm_builder_root(builder), true, why);
    }
    if (good && !flm_builder_failed(builder))
        flm_v8_add_hits(&profile, flm_builder_metric(builder, "size", "bytes"));
    flm_v8_clear(&profile);
    return good;
}

static int sniff_heapprofile(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_json_head_begins(head, '{') && flm_json_head_has(head, "selfSize") &&
                   flm_json_head_has(head, "callFrame")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_heapprofile = {
    .name = "heapprofile",
    .title = "V8 heap profile",
    .extensions = ".heapprofile",
    .description = "sampled allocations of Chrome, node and other programs with V8",
    .sniff = sniff_heapprofile,
    .read = read_heapprofile,
};
