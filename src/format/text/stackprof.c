/* stackprof.c - what stackprof of Ruby writes: as JSON (stackprof --json), and with Ruby's Marshal,
 * whose values have the same names (see ruby_marshal.h).
 *
 *     {"version": 1.2, "mode": "wall", "interval": 1000, "samples": 1554, "gc_samples": 454,
 *      "frames": {"70098916485820": {"name": "Object#d", "file": "simple.rb", "line": 23}, ...},
 *      "raw": [3, 70098912279220, 70098916424940, 70098916485820, 2,       depth, root first, count
 *              1, 313, 4],
 *      "raw_timestamp_deltas": [0, 1005, ...]}                             us, one for each sample
 *
 * Without raw: true there are no "raw" stacks: each frame has "samples", those of its own, and
 * "edges", {"70098916424940": 12}: the samples that another is in below it. That is a call graph,
 * of which call_graph.h makes stacks.
 *
 * Metrics: in the mode "wall" the time (us) between samples, in "cpu" the interval of each, in
 * others ("object", "custom") their number. A sample of "(garbage collection)" alone is on top of
 * the stack before it. The timestamps and the frames come behind or before the stacks: these are
 * kept as numbers until the end. */
#include "base/core/hash.h"
#include "base/core/index.h"
#include "base/number/number.h"
#include "base/text/json_read.h"
#include "format/call_graph/call_graph.h"
#include "format/text/internal.h"
#include "format/text/ruby_marshal.h"
#include "profile/internal.h"

struct frame {
    uint64_t id;
    struct flm_frame frame;
    struct flm_frame_record record;
    bool is_collection;
    uint64_t own; /* samples in which it is the innermost */
};

/* Samples of one frame below another; in profiles without "raw", which are call graphs. */
struct edge {
    uint64_t from, to; /* ids of frames */
    uint64_t samples;
};

struct reading {
    struct flm_json json;
    struct flm_stack_buffer stack;
    struct FLM_ARRAY(struct frame) frames;
    struct flm_index index; /* of frames by id */
    struct FLM_ARRAY(uint64_t) raw;
    struct FLM_ARRAY(double) deltas;
    struct FLM_ARRAY(struct edge) edges;
    struct flm_metric metric; /* of edges */
    struct flm_text name, file, mode;
    double interval;
    bool has_raw;
};

static void fail_memory(struct reading *r)
{
    flm_builder_fail_memory(r->stack.builder);
}

static struct frame *find_frame(const struct reading *r, uint64_t id)
{
    struct flm_probe at = flm_index_probe(&r->index, flm_hash_numbers(id, 0));
    while (flm_index_next(&r->index, &at))
        if (r->frames.at[at.found].id == id)
            return &r->frames.at[at.found];
    return NULL;
}

static uint32_t interned(struct reading *r, struct flm_bytes text)
{
    return flm_builder_string(r->stack.builder, text.at ? text.at : "", text.size).index;
}

static uint64_t read_count(struct reading *r)
{
    double count = flm_text_json_number(&r->json);
    return count > 0 && count < 0x1p40 ? (uint64_t)count : 0;
}

static void read_edges(struct reading *r, uint64_t from)
{
    struct flm_bytes key;
    struct edge edge = {.from = from};
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !flm_builder_failed(r->stack.builder)) {
        if (!flm_number_parse_uint(key, &edge.to))
            continue;
        edge.samples = read_count(r);
        if (!FLM_ARRAY_ADD(&r->edges, edge))
            fail_memory(r);
    }
}

static void add_frame(struct reading *r, uint64_t id)
{
    struct flm_bytes key;
    double line = 0;
    uint64_t own = 0;
    r->name.size = r->file.size = 0;
    if (flm_json_type(&r->json) != FLM_JSON_TYPE_OBJECT)
        return;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key)) {
        if (flm_bytes_are(key, "name"))
            flm_text_json_string(&r->json, r->stack.builder, &r->name);
        else if (flm_bytes_are(key, "file"))
            flm_text_json_string(&r->json, r->stack.builder, &r->file);
        else if (flm_bytes_are(key, "line"))
            line = flm_text_json_number(&r->json);
        else if (flm_bytes_are(key, "samples"))
            own = read_count(r);
        else if (flm_bytes_are(key, "edges") && flm_json_type(&r->json) == FLM_JSON_TYPE_OBJECT)
            read_edges(r, id);
    }
    if (r->json.failed || flm_builder_failed(r->stack.builder))
        return;
    struct flm_stack_frame frame = {.function = {r->name.at, r->name.size},
                                    .file = {r->file.at, r->file.size},
                                    .line = line > 0 && line < 1e9 ? (uint64_t)line : 0};
    if (frame.function.size == 0)
        frame.function = flm_bytes_of("(unknown)");
    bool is_collection = flm_bytes_are(frame.function, "(garbage collection)");
    flm_stack_frame(&r->stack, &frame);
    if (r->stack.frames.count == 0 || find_frame(r, id))
        return;
    struct frame added = {
        .id = id, .frame = r->stack.frames.at[0], .is_collection = is_collection, .own = own};
    added.record =
        (struct flm_frame_record){.function = interned(r, frame.function),
                                  .file = interned(r, frame.file),
                                  .line = r->stack.options->lines ? (uint32_t)frame.line : 0};
    r->stack.frames.count = 0;
    if (!FLM_ARRAY_ADD(&r->frames, added) ||
        !flm_index_add(&r->index, flm_hash_numbers(id, 0), (uint32_t)r->frames.count - 1))
        fail_memory(r);
}

static void read_frames(struct reading *r)
{
    struct flm_bytes key;
    uint64_t id;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !flm_builder_failed(r->stack.builder))
        if (flm_number_parse_uint(key, &id))
            add_frame(r, id);
}

static void read_raw(struct reading *r)
{
    struct flm_json_number number;
    uint64_t value;
    r->has_raw = true;
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json) && !flm_builder_failed(r->stack.builder)) {
        if (!flm_json_number(&r->json, &number))
            return;
        if (!flm_number_parse_uint(number.text, &value))
            flm_json_fail(&r->json, "a number of a frame is expected here");
        else if (!FLM_ARRAY_ADD(&r->raw, value))
            fail_memory(r);
    }
}

static void read_deltas(struct reading *r)
{
    flm_json_enter_array(&r->json);
    while (flm_json_next_item(&r->json) && !flm_builder_failed(r->stack.builder))
        if (!FLM_ARRAY_ADD(&r->deltas, flm_text_json_number(&r->json)))
            fail_memory(r);
}

static void read_members(struct reading *r)
{
    struct flm_bytes key;
    flm_json_enter_object(&r->json);
    while (flm_json_next_key(&r->json, &key) && !flm_builder_failed(r->stack.builder)) {
        if (flm_bytes_are(key, "mode"))
            flm_text_json_string(&r->json, r->stack.builder, &r->mode);
        else if (flm_bytes_are(key, "interval"))
            r->interval = flm_text_json_number(&r->json);
        else if (flm_bytes_are(key, "frames"))
            read_frames(r);
        else if (flm_bytes_are(key, "raw") && flm_json_type(&r->json) == FLM_JSON_TYPE_ARRAY)
            read_raw(r);
        else if (flm_bytes_are(key, "raw_timestamp_deltas") &&
                 flm_json_type(&r->json) == FLM_JSON_TYPE_ARRAY)
            read_deltas(r);
    }
}

/* Adds the stacks; false, and `why`, for one that is not complete. */
static bool add_stacks(struct reading *r, struct flm_error *why)
{
    struct flm_builder *b = r->stack.builder;
    struct flm_bytes mode = {r->mode.at, r->mode.size};
    bool is_wall = flm_bytes_are(mode, "wall") && r->deltas.count > 0;
    bool is_time = is_wall || flm_bytes_are(mode, "cpu") || flm_bytes_are(mode, "wall");
    struct flm_metric metric = flm_builder_metric(
        b, is_time ? (is_wall ? "wall" : "cpu") : "samples", is_time ? "us" : "samples");
    size_t delta = 0, kept = 0;
    int64_t time_us = 0;
    for (size_t i = 0; i < r->raw.count && !flm_builder_failed(b);) {
        uint64_t depth = r->raw.at[i++], count;
        bool is_collection = false;
        if (depth > r->raw.count - i || r->raw.count - i - depth < 1)
            return flm_error_set(why, FLM_ERROR_FORMAT,
                                 "the last stack in \"raw\" is not complete");
        const struct frame *only = depth == 1 ? find_frame(r, r->raw.at[i]) : NULL;
        is_collection = only && only->is_collection;
        r->stack.frames.count = is_collection ? kept : 0;
        for (uint64_t k = 0; k < depth; k++) {
            const struct frame *frame = find_frame(r, r->raw.at[i + k]);
            if (!frame)
                return flm_error_set(why, FLM_ERROR_FORMAT,
                                     "a stack in \"raw\" has a frame that is not in \"frames\"");
            if (!FLM_ARRAY_ADD(&r->stack.frames, frame->frame))
                fail_memory(r);
        }
        i += depth;
        count = r->raw.at[i++];
        kept = is_collection ? kept : r->stack.frames.count;
        double value = (double)count * (is_time && !is_wall ? r->interval : 1);
        if (is_wall)
            value = 0;
        for (uint64_t k = 0; is_wall && k < count && delta < r->deltas.count; k++)
            value += r->deltas.at[delta++];
        if (value < 0 || value > FLM_SUM_LIMIT)
            return flm_error_set(why, FLM_ERROR_RANGE,
                                 "a time between samples is negative, or longer than a profile can "
                                 "hold");
        if (value == 0)
            continue;
        bool has_time = is_wall && time_us < (int64_t)1 << 52 && value < 1e15;
        flm_stack_add(&r->stack, FLM_ROOT_FIRST, has_time ? time_us * 1000 : FLM_NO_TIME, metric,
                      value);
        if (has_time && r->stack.options->keep_times)
            flm_builder_sample_lasts(b, (int64_t)value * 1000);
        time_us += has_time ? (int64_t)value : 0;
    }
    return true;
}

/* ---- Without "raw" --------------------------------------------------------------------------- */

static void add_own(const struct flm_call_stacks *stacks, struct flm_node node, const double *costs,
                    double calls)
{
    struct reading *r = stacks->context;
    (void)calls;
    flm_builder_add(stacks->builder, node, r->metric, costs[0] * r->interval);
}

static bool fill_graph(struct reading *r, struct flm_call_graph *graph, void *records)
{
    struct FLM_ARRAY(struct flm_frame_record) *all = records;
    for (uint32_t i = 0; i < r->frames.count; i++) {
        uint32_t item = flm_call_graph_item(graph, (struct flm_call_item){.function = i});
        if (item == UINT32_MAX || !FLM_ARRAY_ADD(all, r->frames.at[i].record))
            return false;
        graph->item_costs.at[item] = r->frames.at[i].own;
    }
    for (size_t i = 0; i < r->edges.count; i++) {
        const struct edge *edge = &r->edges.at[i];
        const struct frame *from = find_frame(r, edge->from), *to = find_frame(r, edge->to);
        if (!from || !to)
            continue;
        uint32_t added = flm_call_graph_edge(
            graph, (struct flm_call_edge){.from = (uint32_t)(from - r->frames.at),
                                          .to = (uint32_t)(to - r->frames.at)});
        if (added == UINT32_MAX)
            return false;
        graph->edge_costs.at[added] = edge->samples;
    }
    return true;
}

/* The frames with their own samples, and which are how often below which: a call graph. */
static bool add_graph(struct reading *r, struct flm_error *why)
{
    struct flm_bytes mode = {r->mode.at, r->mode.size};
    struct flm_builder *b = r->stack.builder;
    bool is_time = flm_bytes_are(mode, "wall") || flm_bytes_are(mode, "cpu");
    r->metric =
        flm_builder_metric(b, is_time ? (flm_bytes_are(mode, "cpu") ? "cpu" : "wall") : "samples",
                           is_time ? "us" : "samples");
    r->interval = is_time && r->interval > 0 ? r->interval : 1;
    struct flm_call_graph graph = {.cost_count = 1};
    struct FLM_ARRAY(struct flm_frame_record) records = {0};
    bool good = fill_graph(r, &graph, &records);
    struct flm_call_stacks stacks = {.builder = b,
                                     .frames = records.at,
                                     .function_count = (uint32_t)records.count,
                                     .base = flm_builder_root(b),
                                     .context = r,
                                     .add = add_own};
    good = good && (flm_call_graph_stacks(&graph, &stacks) || flm_builder_failed(b));
    flm_call_graph_note(b);
    flm_call_graph_clear(&graph);
    FLM_ARRAY_CLEAR(&records);
    return good || flm_error_memory(why);
}

static bool read_json(struct flm_source *source, const struct flm_read_options *options,
                      struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.stack = {.builder = builder, .options = options}, .interval = 1};
    flm_json_init(&r.json, source, why);
    read_members(&r);
    bool good = flm_text_json_finish(&r.json, builder);
    if (good && !flm_builder_failed(builder)) {
        if (r.has_raw)
            good = add_stacks(&r, why);
        else if (r.frames.count > 0)
            good = add_graph(&r, why);
        else
            good = flm_error_set(why, FLM_ERROR_FORMAT,
                                 "it has neither \"frames\" nor \"raw\" stacks");
        if (good && r.mode.size > 0)
            flm_builder_note(builder, "mode", r.mode.at, r.mode.size);
    }
    flm_stack_clear(&r.stack);
    FLM_ARRAY_CLEAR(&r.frames);
    flm_index_clear(&r.index);
    FLM_ARRAY_CLEAR(&r.raw);
    FLM_ARRAY_CLEAR(&r.deltas);
    FLM_ARRAY_CLEAR(&r.edges);
    flm_text_clear(&r.name);
    flm_text_clear(&r.file);
    flm_text_clear(&r.mode);
    return good;
}

static bool is_marshal(struct flm_bytes head)
{
    return flm_bytes_start_with(head, FLM_RUBY_MARSHAL_MAGIC);
}

static bool read_stackprof(struct flm_source *source, const struct flm_read_options *options,
                           struct flm_builder *builder, struct flm_error *why)
{
    struct flm_text json = {0};
    if (!flm_source_fill(source, sizeof FLM_RUBY_MARSHAL_MAGIC - 1, why))
        return false;
    if (!is_marshal((struct flm_bytes){source->at, (size_t)(source->end - source->at)}))
        return read_json(source, options, builder, why);
    if (!flm_source_all(source, why))
        return false;
    struct flm_bytes all = {source->at, (size_t)(source->end - source->at)};
    bool good = flm_ruby_marshal_to_json(all, &json, why);
    if (good) {
        struct flm_source converted = flm_source_of((struct flm_bytes){json.at, json.size});
        good = read_json(&converted, options, builder, why);
    }
    flm_text_clear(&json);
    return good;
}

static int sniff_stackprof(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (is_marshal(head))
        return flm_bytes_contain(head, "gc_samples") && flm_bytes_contain(head, "mode")
                   ? FLM_SNIFF_SURE
                   : FLM_SNIFF_NO;
    head = flm_bytes_trimmed(head);
    if (!flm_bytes_start_with(head, "{") || !flm_bytes_contain(head, "\"mode\""))
        return FLM_SNIFF_NO;
    return flm_bytes_contain(head, "\"gc_samples\"") ||
                   flm_bytes_contain(head, "\"missed_samples\"")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_stackprof = {
    .name = "stackprof",
    .title = "stackprof",
    .extensions = "",
    .description = "profiles of stackprof of Ruby: its dumps, and its JSON",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_stackprof,
    .read = read_stackprof,
};
