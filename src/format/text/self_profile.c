/* self_profile.c - what a web page records of itself: the JS Self-Profiling API (Profiler.stop()).
 *
 *     {"resources": ["https://example.com/app.js"],
 *      "frames": [{"name": "render", "resourceId": 0, "line": 7, "column": 12}, ...],
 *      "stacks": [{"frameId": 0}, {"frameId": 1, "parentId": 0}, ...],
 *      "samples": [{"timestamp": 31.5, "stackId": 1, "marker": "script"}, {"timestamp": 41.5}]}
 *
 * Alone, or as the member "trace" of what a page sends with it. Times are milliseconds since the
 * page began. A sample without a stack is one in which no script ran. */
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct sample {
    double ms;
    uint32_t stack, marker; /* FLM_NONE; string 0 */
};

struct stack {
    uint32_t frame, parent; /* FLM_NONE: it is the root */
};

struct frame {
    uint32_t name, resource, line;
};

struct reading {
    struct flm_json json;
    struct flm_stack_buffer stack;
    struct FLM_ARRAY(uint32_t) resources; /* strings */
    struct FLM_ARRAY(struct frame) frames;
    struct FLM_ARRAY(struct stack) stacks;
    struct FLM_ARRAY(struct sample) samples;
    struct FLM_ARRAY(struct flm_node) nodes; /* by stack */
    struct flm_text text;
    bool has_samples;
};

static struct flm_builder *builder_of(struct reading *r)
{
    return r->stack.builder;
}

static bool going_on(struct reading *r)
{
    return !r->json.failed && !flm_builder_failed(builder_of(r));
}

/* FLM_NONE for a value that is no index. */
static uint32_t read_index(struct reading *r)
{
    double number = flm_text_json_number(&r->json);
    return number >= 0 && number < (double)FLM_NONE && number == (double)(uint32_t)number
               ? (uint32_t)number
               : FLM_NONE;
}

static uint32_t read_string(struct reading *r)
{
    flm_text_json_string(&r->json, builder_of(r), &r->text);
    return flm_builder_string(builder_of(r), r->text.at ? r->text.at : "", r->text.size).index;
}

static bool read_resource(struct reading *r)
{
    return FLM_ARRAY_ADD(&r->resources, read_string(r));
}

static bool read_frame(struct reading *r)
{
    struct frame frame = {.resource = FLM_NONE};
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "name"))
            frame.name = read_string(r);
        else if (flm_bytes_are(key, "resourceId"))
            frame.resource = read_index(r);
        else if (flm_bytes_are(key, "line"))
            frame.line = read_index(r);
    }
    return FLM_ARRAY_ADD(&r->frames, frame);
}

static bool read_stack(struct reading *r)
{
    struct stack stack = {FLM_NONE, FLM_NONE};
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "frameId"))
            stack.frame = read_index(r);
        else if (flm_bytes_are(key, "parentId"))
            stack.parent = read_index(r);
    }
    if (stack.parent != FLM_NONE && stack.parent >= r->stacks.count)
        flm_json_fail(&r->json, "a stack before the one that it continues");
    return FLM_ARRAY_ADD(&r->stacks, stack);
}

static bool read_sample(struct reading *r)
{
    struct sample sample = {0, FLM_NONE, 0};
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "timestamp"))
            sample.ms = flm_text_json_number(&r->json);
        else if (flm_bytes_are(key, "stackId"))
            sample.stack = read_index(r);
        else if (flm_bytes_are(key, "marker"))
            sample.marker = read_string(r);
    }
    return FLM_ARRAY_ADD(&r->samples, sample);
}

static const struct {
    const char *key;
    bool (*item)(struct reading *r);
} tables[] = {{"resources", read_resource},
              {"frames", read_frame},
              {"stacks", read_stack},
              {"samples", read_sample}};
enum { TABLES = sizeof tables / sizeof *tables };

static void read_members(struct reading *r, bool is_inner)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (going_on(r) && flm_json_next_key(&r->json, &key)) {
        size_t i = 0;
        while (i < TABLES && !flm_bytes_are(key, tables[i].key))
            i++;
        if (i == TABLES) {
            if (!is_inner && flm_bytes_are(key, "trace"))
                read_members(r, true);
            continue;
        }
        r->has_samples |= tables[i].item == read_sample;
        flm_json_enter_array(&r->json);
        while (going_on(r) && flm_json_next_item(&r->json))
            if (!tables[i].item(r))
                flm_builder_fail_memory(builder_of(r));
    }
}

/* ---- The tables together --------------------------------------------------------------------- */

static struct flm_frame frame_of(struct reading *r, uint32_t index)
{
    const struct frame *frame = &r->frames.at[index];
    struct flm_frame_record record = {.function = frame->name, .kind = FLM_KIND_JIT};
    if (record.function == 0)
        record.function = flm_builder_string(builder_of(r), "(anonymous)", 11).index;
    if (frame->resource < r->resources.count)
        record.file = r->resources.at[frame->resource];
    const struct flm_location where = {.line = frame->line != FLM_NONE ? frame->line : 0};
    return flm_builder_located(builder_of(r), &record, where);
}

static bool make_nodes(struct reading *r, struct flm_error *why)
{
    if (!FLM_ARRAY_RESERVE(&r->nodes, r->stacks.count))
        return flm_error_memory(why);
    for (size_t i = 0; i < r->stacks.count; i++) {
        const struct stack *stack = &r->stacks.at[i];
        if (stack->frame >= r->frames.count)
            return flm_error_set(why, FLM_ERROR_FORMAT, "stack %zu has a frame that is not there",
                                 i);
        struct flm_node parent = stack->parent == FLM_NONE ? flm_builder_root(builder_of(r))
                                                           : r->nodes.at[stack->parent];
        r->nodes.at[r->nodes.count++] =
            flm_builder_child(builder_of(r), parent, frame_of(r, stack->frame));
    }
    return true;
}

static bool add_samples(struct reading *r, struct flm_error *why)
{
    static const char samples[] = "samples";
    struct flm_builder *b = builder_of(r);
    struct flm_metric metric = flm_builder_metric(b, samples, samples);
    for (size_t i = 0; i < r->samples.count && !flm_builder_failed(b); i++) {
        const struct sample *sample = &r->samples.at[i];
        struct flm_node node = flm_builder_root(b);
        if (sample->stack != FLM_NONE && sample->stack >= r->nodes.count)
            return flm_error_set(why, FLM_ERROR_FORMAT, "sample %zu has a stack that is not there",
                                 i);
        if (sample->stack != FLM_NONE)
            node = r->nodes.at[sample->stack];
        if (!r->stack.options->keep_times) {
            flm_builder_add(b, node, metric, 1);
            continue;
        }
        struct flm_string label[] = {flm_builder_string(b, "marker", 6), {sample->marker}};
        bool is_time = sample->ms > -9e12 && sample->ms < 9e12;
        flm_builder_sample(b, is_time ? (int64_t)(sample->ms * 1e6) : FLM_NO_TIME, node,
                           flm_builder_label_set(b, label, sample->marker != 0), metric, 1);
    }
    return true;
}

static bool read_self_profile(struct flm_source *source, const struct flm_read_options *options,
                              struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.stack = {.builder = builder, .options = options}};
    flm_json_init(&r.json, source, why);
    read_members(&r, false);
    bool good = flm_text_json_finish(&r.json, builder);
    if (good && !flm_builder_failed(builder)) {
        good = r.has_samples || flm_error_set(why, FLM_ERROR_FORMAT, "it has no \"samples\"");
        good = good && make_nodes(&r, why) && add_samples(&r, why);
    }
    FLM_ARRAY_CLEAR(&r.resources);
    FLM_ARRAY_CLEAR(&r.frames);
    FLM_ARRAY_CLEAR(&r.stacks);
    FLM_ARRAY_CLEAR(&r.samples);
    FLM_ARRAY_CLEAR(&r.nodes);
    flm_text_clear(&r.text);
    return good;
}

static int sniff_self_profile(struct flm_bytes head, bool whole)
{
    (void)whole;
    head = flm_bytes_trimmed(head);
    return flm_bytes_start_with(head, "{") && flm_bytes_contain(head, "\"frames\"") &&
                   (flm_bytes_contain(head, "\"stackId\"") ||
                    flm_bytes_contain(head, "\"frameId\"") ||
                    flm_bytes_contain(head, "\"resourceId\""))
               ? FLM_SNIFF_LIKELY
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_self_profile = {
    .name = "self-profile",
    .title = "JS self-profile",
    .extensions = "",
    .description = "what web pages record of themselves: Profiler.stop() as JSON",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_self_profile,
    .read = read_self_profile,
};
