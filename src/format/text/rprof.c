/* rprof.c - what Rprof() of R writes.
 *
 *     line profiling: sample.interval=20000
 *     #File 1: model.R
 *     1#3 "paste" 1#7 "sapply" 1#9 "fit"
 *     "<GC>" "fit"
 *
 * A line is a sample, the innermost call first, and counts the interval, which is in microseconds.
 * With line profiling, file#line before a call is where it was, in the function of that call. With
 * memory profiling a line begins with four counts of the memory that R has, :123:45:6:7:, which are
 * no weights of the stack: they are counted as lost. */
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct reading {
    struct flm_text_reading base;
    struct FLM_ARRAY(struct flm_string) files; /* by number - 1 */
    struct flm_text file; /* that of a line: names of the builder move when others are added */
    double interval;
    uint64_t without_memory; /* samples whose counts are left out */
};

/* "line profiling: sample.interval=20000": the interval; false for another line. */
static bool take_interval(struct flm_bytes line, uint64_t *interval)
{
    static const char *const parts[] = {"memory profiling: ", "GC profiling: ", "line profiling: "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        flm_text_skip(&line, parts[i]);
    return flm_text_skip(&line, "sample.interval=") && flm_text_take_uint(&line, interval) &&
           line.size == 0;
}

/* #File 1: model.R. Files come in the order of their numbers. */
static bool read_file(struct reading *r, struct flm_bytes line)
{
    uint64_t number;
    if (!flm_text_skip(&line, "#File ") || !flm_text_take_uint(&line, &number) ||
        !flm_text_skip(&line, ": "))
        return false;
    struct flm_builder *b = r->base.stack.builder;
    if (number == r->files.count + 1 &&
        !FLM_ARRAY_ADD(&r->files, flm_builder_string(b, line.at, line.size)))
        flm_builder_fail_memory(b);
    return true;
}

/* Passes the counts of memory: :123:45:6:7: */
static void skip_memory(struct reading *r, struct flm_bytes *line)
{
    struct flm_bytes text = *line;
    uint64_t count;
    for (int i = 0; i < 4; i++)
        if (!flm_text_skip(&text, ":") || !flm_text_take_uint(&text, &count))
            return;
    if (flm_text_skip(&text, ":")) {
        *line = text;
        r->without_memory++;
    }
}

/* 1#7 and a blank: the line of the next call. It is of the innermost function that has lines at
 * all, so the file is that of the line alone: functions of R itself have none, and would be others
 * with each file that they are called in. */
static void take_line(struct reading *r, struct flm_bytes *text, struct flm_stack_frame *frame)
{
    uint64_t file, line;
    struct flm_bytes rest = *text;
    if (!flm_text_take_uint(&rest, &file) || !flm_text_skip(&rest, "#") ||
        !flm_text_take_uint(&rest, &line) || (!flm_text_skip(&rest, " ") && rest.size > 0))
        return;
    *text = rest;
    if (file == 0 || file > r->files.count)
        return;
    const struct flm_interner *names = &r->base.stack.builder->interner;
    r->file.size = 0;
    flm_text_add(&r->file, flm_interner_text(names, r->files.at[file - 1].index));
    frame->line_file = (struct flm_bytes){r->file.at, r->file.size};
    frame->line = line;
}

/* "paste" and a blank. A name may have quotes inside: it ends with one before the next call, or the
 * next line. */
static bool take_name(struct flm_bytes *text, struct flm_bytes *name)
{
    struct flm_bytes rest = *text;
    if (!flm_text_skip(&rest, "\""))
        return false;
    for (size_t i = 0; i < rest.size; i++) {
        if (rest.at[i] != '"' || (i + 1 < rest.size && rest.at[i + 1] != ' '))
            continue;
        size_t next = i + 2 < rest.size ? i + 2 : rest.size;
        if (next < rest.size && !flm_is_one_of(rest.at[next], "\"0123456789"))
            continue;
        *name = (struct flm_bytes){rest.at, i};
        *text = flm_bytes_from(rest, next);
        return true;
    }
    return false;
}

static void read_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    uint64_t interval;
    if (take_interval(line, &interval)) {
        r->interval = (double)interval; /* a file may have several recordings */
        return;
    }
    if (read_file(r, line))
        return;
    flm_stack_begin(&r->base.stack);
    skip_memory(r, &line);
    struct flm_bytes text = line, name;
    while (text.size > 0) {
        struct flm_stack_frame frame = {.kind = FLM_KIND_PLAIN};
        take_line(r, &text, &frame);
        if (text.size == 0)
            break; /* a line of the code outside of all calls */
        if (!take_name(&text, &name)) {
            flm_builder_lost(r->base.stack.builder, "malformed lines", "line", r->base.lines.number,
                             1);
            return;
        }
        frame.function = name;
        if (name.size > 0)
            flm_stack_frame(&r->base.stack, &frame);
    }
    if (r->base.stack.frames.count > 0)
        flm_text_add_stack(&r->base, FLM_LEAF_FIRST, r->interval);
}

static bool read_rprof(struct flm_source *source, const struct flm_read_options *options,
                       struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.interval = 20000, /* R's own */
                        .base.metric = flm_builder_metric(builder, "time", "us")};
    bool good = flm_text_read(&r.base, source, options, builder, why, read_line, NULL);
    if (r.without_memory > 0)
        flm_builder_lost(builder, "counts of memory of samples", "", 0, (double)r.without_memory);
    if (good && r.file.failed)
        good = flm_error_memory(why);
    flm_text_clear(&r.file);
    FLM_ARRAY_CLEAR(&r.files);
    return good;
}

static int sniff_rprof(struct flm_bytes head, bool whole)
{
    (void)whole;
    struct flm_bytes line;
    uint64_t interval;
    return flm_text_take_until(&head, "\n", &line) && take_interval(line, &interval)
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_rprof = {
    .name = "rprof",
    .title = "Rprof",
    .extensions = "",
    .description = "samples of R: Rprof()",
    .sniff = sniff_rprof,
    .read = read_rprof,
};
