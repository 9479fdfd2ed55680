/* pmcstat.c - call graphs of FreeBSD's pmcstat (-G), callees before their callers.
 *
 *     @ inst_retired.any [35705 samples]
 *
 *     20.86%  [7447]     zfs_lz4_compress @ /boot/kernel/zfs.ko
 *      100.0%  [7447]      zio_compress_data                       called it
 *       66.02%  [1723]      zio_write_compress
 *
 * A blank more is a caller of the line above. Rare callers are not printed, so a stack is where no
 * deeper line follows; samples whose callers are not there are counted as lost. Each event is a
 * metric. A module holds for the lines below it. */
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct row {
    struct flm_frame frame;
    double count, listed; /* its samples, and those of its callers */
};

struct reading {
    struct flm_text_reading base;
    struct FLM_ARRAY(struct row) path;
    struct flm_text module;
    bool has_metric;
};

/* Ends the stacks deeper than `depth`. */
static void leave(struct reading *r, size_t depth)
{
    struct flm_stack_buffer *stack = &r->base.stack;
    bool is_last = true;
    for (; r->path.count > depth; r->path.count--) {
        const struct row *row = &r->path.at[r->path.count - 1];
        if (is_last) {
            stack->frames.count = 0;
            for (size_t i = 0; i < r->path.count; i++)
                if (!FLM_ARRAY_ADD(&stack->frames, r->path.at[i].frame))
                    flm_builder_fail_memory(stack->builder);
            flm_text_add_stack(&r->base, FLM_LEAF_FIRST, row->count);
        } else if (row->count > row->listed) {
            flm_builder_lost(stack->builder, "samples whose callers are not listed", "line",
                             r->base.lines.number, row->count - row->listed);
        }
        is_last = false;
    }
}

static void read_event(struct reading *r, struct flm_bytes text)
{
    char name[64];
    struct flm_bytes event;
    leave(r, 0);
    if (!flm_text_take_until(&text, " [", &event) || event.size == 0 || event.size >= sizeof name)
        return;
    memcpy(name, event.at, event.size);
    name[event.size] = 0;
    r->base.metric = flm_builder_metric(r->base.stack.builder, name, "samples");
    r->has_metric = true;
}

static bool parse_row(struct flm_bytes line, uint64_t *count, struct flm_bytes *name)
{
    struct flm_bytes text = flm_bytes_from(line, flm_text_indent(line)), percent, number;
    double value;
    if (!flm_text_take_until(&text, "%  [", &percent) ||
        flm_number_parse(percent, &value) == FLM_NUMBER_NONE ||
        !flm_text_take_until(&text, "]", &number) || !flm_number_parse_uint(number, count))
        return false;
    *name = flm_bytes_trimmed(text);
    return name->size > 0;
}

static void read_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    uint64_t count;
    struct flm_bytes name, rest = line, module;
    if (flm_text_skip(&rest, "@ ")) {
        read_event(r, rest);
        return;
    }
    if (!parse_row(line, &count, &name))
        return;
    if (!r->has_metric)
        read_event(r, flm_bytes_of("samples ["));
    size_t depth = flm_text_indent(line);
    depth = depth < r->path.count ? depth : r->path.count;
    leave(r, depth);
    if (flm_text_split_last(name, " @ ", &rest, &module)) {
        name = rest;
        r->module.size = 0;
        flm_text_add(&r->module, module);
        if (r->module.failed)
            flm_builder_fail_memory(r->base.stack.builder);
    }
    struct flm_stack_frame frame = {
        .function = name, .kind = FLM_KIND_NATIVE, .module = {r->module.at, r->module.size}};
    flm_stack_frame(&r->base.stack, &frame);
    if (r->base.stack.frames.count == 0)
        return;
    struct flm_frame added = r->base.stack.frames.at[--r->base.stack.frames.count];
    if (depth > 0)
        r->path.at[depth - 1].listed += (double)count;
    if (!FLM_ARRAY_ADD(&r->path, (struct row){added, (double)count, 0}))
        flm_builder_fail_memory(r->base.stack.builder);
}

static void read_end(void *reading)
{
    leave(reading, 0);
}

static bool read_pmcstat(struct flm_source *source, const struct flm_read_options *options,
                         struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {0};
    bool good = flm_text_read(&r.base, source, options, builder, why, read_line, read_end);
    flm_text_clear(&r.module);
    FLM_ARRAY_CLEAR(&r.path);
    return good;
}

static int sniff_pmcstat(struct flm_bytes head, bool whole)
{
    (void)whole;
    struct flm_source source = flm_source_of(head);
    struct flm_line_reader lines = {.source = &source};
    struct flm_bytes line, name;
    uint64_t count;
    while (lines.number < 10 && flm_line_next(&lines, &line))
        if (parse_row(line, &count, &name))
            return FLM_SNIFF_SURE;
    return FLM_SNIFF_NO;
}

const struct flm_format flm_format_pmcstat = {
    .name = "pmcstat",
    .title = "pmcstat",
    .extensions = "",
    .description = "call graphs of pmcstat -G of FreeBSD",
    .sniff = sniff_pmcstat,
    .read = read_pmcstat,
};
