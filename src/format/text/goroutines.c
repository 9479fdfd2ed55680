/* goroutines.c - the stacks of all goroutines: a panic, SIGQUIT, /debug/pprof/goroutine?debug=2.
 *
 *     goroutine 18 [chan receive, 5 minutes, locked to thread]:
 *     main.(*Pool).get(0xc000012345, {0x4b1234, 0x3})
 *     	/srv/pool.go:31 +0x1d
 *     created by main.main in goroutine 1
 *     	/srv/main.go:12 +0x5a
 *
 * Each goroutine counts 1. Who created it is no part of its stack. Arguments are left out. */
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct reading {
    struct flm_text_reading base;
    bool in_goroutine;
    struct flm_text function; /* of a frame whose file is in the next line */
    bool has_function, is_creator;
};

static void add_frame(struct reading *r, struct flm_bytes place)
{
    struct flm_stack_frame frame = {.function = {r->function.at, r->function.size}};
    struct flm_bytes file, line, rest;
    if (!r->has_function)
        return;
    r->has_function = false;
    if (flm_text_split_last(place, " +0x", &file, &rest))
        place = file;
    if (flm_text_split_last(place, ":", &file, &line) && flm_number_parse_uint(line, &frame.line))
        frame.file = flm_bytes_trimmed(file);
    flm_stack_frame(&r->base.stack, &frame);
}

static void end_goroutine(struct reading *r)
{
    add_frame(r, (struct flm_bytes){"", 0});
    if (r->base.stack.frames.count > 0)
        flm_text_add_stack(&r->base, FLM_LEAF_FIRST, 1);
    flm_stack_begin(&r->base.stack);
    r->in_goroutine = r->is_creator = false;
}

/* goroutine 1 [running]:, with more words between since Go 1.23 (gp=0xc000002380 m=0 mp=0x...) */
static bool read_header(struct reading *r, struct flm_bytes line)
{
    struct flm_bytes text = line, id, state, between;
    uint64_t number;
    if (!flm_text_skip(&text, "goroutine ") || !flm_bytes_end_with(line, "]:"))
        return false;
    id.at = text.at;
    if (!flm_text_take_uint(&text, &number))
        return false;
    id.size = (size_t)(text.at - id.at);
    if (!flm_text_take_until(&text, "[", &between))
        return false;
    end_goroutine(r);
    r->in_goroutine = true;
    text.size -= 2;
    state = text;
    flm_text_take_until(&text, ", ", &state);
    flm_stack_label(&r->base.stack, "thread", id);
    flm_stack_label(&r->base.stack, "state", state);
    if (r->base.stack.options->by_thread)
        flm_stack_thread(&r->base.stack,
                         (struct flm_bytes){line.at, (size_t)(id.at + id.size - line.at)});
    return true;
}

/* The brackets with the arguments are the last ones. */
static size_t before_arguments(struct flm_bytes line)
{
    size_t depth = 0, at = line.size;
    while (at > 0) {
        at--;
        depth += line.at[at] == ')';
        if (line.at[at] == '(' && --depth == 0)
            return at;
    }
    return line.size;
}

static void read_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    if (line.size == 0) {
        end_goroutine(r);
    } else if (read_header(r, line) || !r->in_goroutine) {
        return;
    } else if (line.at[0] == '\t') {
        if (!r->is_creator)
            add_frame(r, line);
    } else if (flm_bytes_start_with(line, "created by ")) {
        r->is_creator = true;
    } else if (flm_bytes_start_with(line, "...")) {
        flm_builder_lost(r->base.stack.builder, "stacks with frames left out", "line",
                         r->base.lines.number, 1);
    } else if (flm_bytes_end_with(line, ")")) {
        add_frame(r, (struct flm_bytes){"", 0});
        r->function.size = 0;
        flm_text_add(&r->function, (struct flm_bytes){line.at, before_arguments(line)});
        r->has_function = r->function.size > 0;
        if (r->function.failed)
            flm_builder_fail_memory(r->base.stack.builder);
    }
}

static void read_end(void *reading)
{
    end_goroutine(reading);
}

static bool read_goroutines(struct flm_source *source, const struct flm_read_options *options,
                            struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.base.metric = flm_builder_metric(builder, "goroutines", "goroutines")};
    bool good = flm_text_read(&r.base, source, options, builder, why, read_line, read_end);
    flm_text_clear(&r.function);
    return good;
}

static int sniff_goroutines(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (!flm_bytes_contain(head, "]:\n") && !flm_bytes_contain(head, "]:\r\n"))
        return FLM_SNIFF_NO;
    if (flm_bytes_start_with(head, "goroutine ") && !flm_bytes_start_with(head, "goroutine p"))
        return FLM_SNIFF_SURE;
    return flm_bytes_contain(head, "\ngoroutine ") && flm_bytes_contain(head, ".go:")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_goroutines = {
    .name = "goroutines",
    .title = "Goroutines",
    .extensions = "",
    .description = "stacks of Go's goroutines: a panic, SIGQUIT, pprof/goroutine?debug=2",
    .keeps_labels = true,
    .sniff = sniff_goroutines,
    .read = read_goroutines,
};
