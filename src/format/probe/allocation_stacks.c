/* allocation_stacks.c - reads the stacks of allocations. */
#include "format/probe/allocation_stacks.h"

#include <string.h>

#include "base/core/array.h"
#include "base/text/text.h"
#include "format/core/mapped.h"
#include "format/perf/frame.h"

enum { HEX_ID = 2 * sizeof((struct flm_probe_mapping){0}.build_id) };

struct mapping {
    struct flm_mapped range;
    uint32_t module; /* string */
    char build_id[HEX_ID];
};

enum { ALLOCATED, ALLOCATIONS, LIVE, METRICS };

struct reading {
    const struct flm_probe_decoded *d;
    struct flm_builder *builder;
    const struct flm_read_options *options;
    const struct flm_node *roots;
    const struct flm_label_set *labels;
    struct flm_error *why;
    struct flm_metric metric[METRICS];
    struct FLM_ARRAY(struct mapping) mappings;
};

/* ---- Mappings -------------------------------------------------------------------------------- */

static bool add_mapping(struct reading *r, const struct flm_probe_mapping *from,
                        struct flm_bytes path)
{
    static const char digit[] = "0123456789abcdef";
    struct mapping mapping = {
        .range = {.start = from->start, .limit = from->end, .offset = from->offset, .path = path},
        .module = flm_builder_string(r->builder, path.at, path.size).index};
    size_t size = from->build_id_size < HEX_ID / 2 ? from->build_id_size : HEX_ID / 2;
    for (size_t i = 0; i < size; i++) {
        mapping.build_id[2 * i] = digit[from->build_id[i] >> 4];
        mapping.build_id[2 * i + 1] = digit[from->build_id[i] & 15];
    }
    mapping.range.build_id.size = 2 * size; /* where it is is known at the end */
    return FLM_ARRAY_ADD(&r->mappings, mapping) || flm_error_memory(r->why);
}

static bool read_mappings(struct reading *r)
{
    struct flm_probe_mapping mapping;
    struct flm_bytes path;
    for (uint32_t place = r->d->header.first_mapping;
         flm_probe_mapping_at(r->d->all, place, &mapping, &path); place = mapping.next)
        if (!add_mapping(r, &mapping, path))
            return false;
    struct FLM_ARRAY(struct flm_mapped) ranges = {0};
    bool good = true;
    for (size_t i = 0; i < r->mappings.count && good; i++) {
        struct mapping *known = &r->mappings.at[i];
        known->range.build_id.at = known->build_id;
        good = FLM_ARRAY_ADD(&ranges, known->range);
    }
    if (good)
        flm_mapped_note(r->builder, ranges.at, ranges.count);
    FLM_ARRAY_CLEAR(&ranges);
    return good || flm_error_memory(r->why);
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* Of the call: the one before that to which it returns. */
static struct flm_frame frame_of(struct reading *r, uint64_t address)
{
    char buffer[64];
    struct flm_text text;
    const struct mapping *mapping = NULL;
    address -= address > 0;
    for (size_t i = 0; i < r->mappings.count && !mapping; i++)
        if (address - r->mappings.at[i].range.start <
            r->mappings.at[i].range.limit - r->mappings.at[i].range.start)
            mapping = &r->mappings.at[i];
    flm_text_init_fixed(&text, buffer, sizeof buffer);
    flm_mapped_frame_name(&text, address,
                          mapping ? mapping->range.path : (struct flm_bytes){"", 0});
    const struct flm_frame_record record = {
        .function = flm_builder_string(r->builder, text.at, text.size).index,
        .module = mapping ? mapping->module : 0,
        .address = address,
        .kind = mapping ? flm_perf_module_kind(mapping->range.path) : FLM_KIND_NATIVE,
        .flags = FLM_FRAME_UNSYMBOLIZED,
    };
    return flm_builder_frame(r->builder, &record);
}

/* Threads are in the order of their list; one that is new is not in it. */
static size_t thread_of(const struct reading *r, uint32_t wanted)
{
    uint32_t place = r->d->header.first_thread;
    for (size_t i = 0; i < r->d->threads.count; i++) {
        if (place == wanted)
            return i;
        place = r->d->threads.at[i].next;
    }
    return SIZE_MAX;
}

static double positive(uint64_t value)
{
    return value <= INT64_MAX ? (double)value : 0;
}

static void add_stack(struct reading *r, const struct flm_probe_stack *stack, size_t thread)
{
    struct flm_builder *b = r->builder;
    const double value[METRICS] = {
        [ALLOCATED] = positive(stack->bytes),
        [ALLOCATIONS] = positive(stack->allocations) / FLM_PROBE_ALLOCATION_ONE,
        [LIVE] = positive(stack->live_bytes),
    };
    struct flm_node node = r->roots[thread];
    uint32_t count = stack->count < FLM_PROBE_MOST_STACK ? stack->count : FLM_PROBE_MOST_STACK;
    for (uint32_t i = count; i-- > 0;)
        node = flm_builder_child(b, node, frame_of(r, stack->frame[i]));
    if (r->options->keep_times)
        flm_builder_sample(b, FLM_NO_TIME, node, r->labels[thread], r->metric[0], value[0]);
    else
        flm_builder_add(b, node, r->metric[0], value[0]);
    for (uint32_t i = 1; i < METRICS; i++) {
        if (r->options->keep_times)
            flm_builder_sample_add(b, r->metric[i], value[i]);
        else
            flm_builder_add(b, node, r->metric[i], value[i]);
    }
}

/* That they are in the file was seen when it was decoded. */
static void read_stacks(struct reading *r)
{
    for (uint32_t place = r->d->header.first_stack; place > 0;) {
        struct flm_probe_stack stack;
        memcpy(&stack, r->d->all.at + (size_t)place * FLM_PROBE_UNIT, sizeof stack);
        size_t thread = thread_of(r, stack.thread);
        if (thread < SIZE_MAX)
            add_stack(r, &stack, thread);
        else
            flm_builder_lost(r->builder, "stacks of allocations in threads that are not known", "",
                             0, 1);
        if (stack.count >= FLM_PROBE_MOST_STACK)
            flm_builder_lost(r->builder, "truncated stacks of allocations", "", 0, 1);
        place = stack.next;
    }
}

static void make_metrics(struct reading *r)
{
    static const char *const names[2][METRICS] = {
        {"allocated (sampled)", "allocations (sampled)", "live (sampled)"},
        {"allocated by stack", "allocations by stack", "live by stack"}};
    static const char *const units[METRICS] = {"bytes", "count", "bytes"};
    bool all = r->d->header.activity[FLM_PROBE_MEMORY].rate == 1;
    for (uint32_t i = 0; i < METRICS; i++)
        r->metric[i] = flm_builder_metric(r->builder, names[all][i], units[i]);
}

bool flm_probe_stacks_read(const struct flm_probe_decoded *decoded, struct flm_builder *builder,
                           const struct flm_read_options *options, const struct flm_node *roots,
                           const struct flm_label_set *labels, struct flm_error *why)
{
    struct reading r = {.d = decoded,
                        .builder = builder,
                        .options = options,
                        .roots = roots,
                        .labels = labels,
                        .why = why};
    if (decoded->header.first_stack == 0)
        return true;
    make_metrics(&r);
    bool good = read_mappings(&r);
    if (good)
        read_stacks(&r);
    FLM_ARRAY_CLEAR(&r.mappings);
    return good;
}
