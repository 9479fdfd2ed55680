/* dtrace.c - aggregations of stacks as DTrace prints them.
 *
 *     CPU     ID                    FUNCTION:NAME
 *       0  64091                        :tick-60s
 *
 *                   genunix`kmem_cpu_reload+0x20                leaf first
 *                   unix`_sys_sysenter_post_swapgs+0x149
 *                     1
 *
 * Frames are indented by two columns at least. A number alone ends a stack. Several stacks of a key
 * (stack() and ustack()) follow each other as one, with a blank line between them. */
#include "base/core/scan.h"
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct reading {
    struct flm_text_reading base;
    bool has_line, in_header; /* lines up to the first blank one are none of a stack */
};

static void read_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    struct flm_bytes text = flm_bytes_trimmed(line);
    uint64_t count;
    if (!r->has_line) {
        r->has_line = true;
        r->in_header = line.size > 0 && flm_bytes_start_with(text, "CPU");
    }
    if (text.size == 0) {
        r->in_header = false;
    } else if (r->in_header) {
        return;
    } else if (flm_number_parse_uint(text, &count)) {
        /* A stack that could not be had has no frames; a number before all stacks is none. */
        if (r->base.stack.frames.count > 0 || r->base.has_samples)
            flm_text_add_stack(&r->base, FLM_LEAF_FIRST, (double)count);
    } else if (flm_is_space(line.at[0])) {
        struct flm_stack_frame frame = flm_text_symbol(text);
        if (flm_bytes_are(frame.module, "unix") || flm_bytes_are(frame.module, "genunix") ||
            flm_bytes_are(frame.module, "kernel") || flm_bytes_are(frame.module, "mach_kernel"))
            frame.kind = FLM_KIND_KERNEL;
        flm_stack_frame(&r->base.stack, &frame);
    } else {
        flm_stack_begin(&r->base.stack);
    }
}

/* Without a count at the end the file was cut off, or is none. */
static void end(void *reading)
{
    struct reading *r = reading;
    if (r->base.stack.frames.count > 0)
        flm_builder_lost(r->base.stack.builder, "stacks without a count", "line",
                         r->base.lines.number, 1);
}

static bool read_dtrace(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.base.metric = flm_builder_metric(builder, "samples", "samples")};
    return flm_text_read(&r.base, source, options, builder, why, read_line, end);
}

/* module`function, and not `code` in a comment. */
static bool is_frame(struct flm_bytes text)
{
    const char *end = text.at + text.size, *tick = flm_find(text.at, end, '`');
    if (tick == text.at || tick + 1 >= end || flm_find(tick + 1, end, '`') != end)
        return false;
    for (const char *at = text.at; at < tick; at++)
        if (*at == ' ' || *at == '\t' || *at == '"' || *at == '/')
            return false;
    return tick[1] != ' ';
}

static bool ends_as_code(struct flm_bytes text)
{
    char last = text.at[text.size - 1];
    return last == ';' || last == '{' || last == '}' || last == ',';
}

/* Lines of module`function or of names, one word or a function of C++ each, which a number alone
 * ends, with a blank line or the end of the input behind it. Source code has no such blocks. */
static int sniff_dtrace(struct flm_bytes head, bool whole)
{
    struct flm_source source = flm_source_of(head);
    struct flm_line_reader lines = {.source = &source};
    struct flm_bytes line;
    uint64_t count;
    bool has_frame = false, has_count = false;
    while (flm_line_next(&lines, &line)) {
        struct flm_bytes text = flm_bytes_trimmed(line);
        if (text.size == 0 && has_count)
            return FLM_SNIFF_SURE - 10;
        if (text.size == 0)
            continue; /* between the stacks of two keys */
        bool is_count = flm_number_parse_uint(text, &count);
        if (flm_text_indent(line) < 2 || has_count || (is_count && !has_frame)) {
            has_frame = has_count = false;
            continue;
        }
        has_count = is_count;
        has_frame = has_frame || is_frame(text);
        if (!is_count && ends_as_code(text))
            has_frame = false;
    }
    return has_count && whole ? FLM_SNIFF_SURE - 10 : FLM_SNIFF_NO;
}

const struct flm_format flm_format_dtrace = {
    .name = "dtrace",
    .title = "DTrace",
    .extensions = "",
    .description = "aggregated stacks of DTrace: @[stack()] = count()",
    .sniff = sniff_dtrace,
    .read = read_dtrace,
};
