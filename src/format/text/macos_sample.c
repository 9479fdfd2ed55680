/* macos_sample.c - what `sample` of macOS writes, and Activity Monitor.
 *
 *     Analysis of sampling Work (pid 4711) every 1 millisecond
 *     Call graph:
 *         2665 Thread_123   DispatchQueue_1: com.apple.main-thread  (serial)
 *         + 2665 start  (in dyld) + 1903  [0x18f1]
 *         +   2665 main  (in work) + 12  [0x1000]  work.c:12
 *         +     ! 1200 read  (in libsystem_kernel.dylib) + 8  [0x18f2]
 *         +     1465 ???  (in work)  load address 0x1000 + 0x2f  [0x102f]
 *
 *     Total number in stack (recursive counted multiple, when >=5):
 *
 * The column of the number says how deep a line is. */
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct reading {
    struct flm_text_reading base;
    struct flm_text_tree tree;
    struct FLM_ARRAY(size_t) columns; /* by depth */
    bool in_graph, in_thread;
    double thread_rest; /* samples of the thread that no line below it has */
};

/* main  (in work) + 12  [0x1000]  work.c:12 */
static struct flm_stack_frame frame_of(struct flm_bytes text)
{
    struct flm_stack_frame frame = {.function = text, .kind = FLM_KIND_NATIVE};
    struct flm_bytes name, module, file, line;
    if (flm_text_take_until(&text, "  (in ", &name)) {
        frame.function = name;
        if (flm_text_take_until(&text, ")", &module))
            frame.module = module;
        if (flm_text_split_last(text, "]  ", &file, &line) &&
            flm_text_split_last(line, ":", &file, &line) &&
            flm_number_parse_uint(line, &frame.line))
            frame.file = file;
    }
    if (flm_bytes_are(frame.function, "???"))
        frame.flags = FLM_FRAME_UNSYMBOLIZED;
    return frame;
}

static void end_thread(struct reading *r)
{
    flm_text_tree_leave(&r->tree, &r->base, 0);
    r->base.stack.frames.count = 0;
    if (r->in_thread && r->thread_rest > 0)
        flm_text_add_stack(&r->base, FLM_ROOT_FIRST, r->thread_rest);
    flm_stack_begin(&r->base.stack);
    r->in_thread = false;
}

static void end_graph(struct reading *r)
{
    end_thread(r);
    r->columns.count = 0;
    r->in_graph = false;
}

static void begin_thread(struct reading *r, struct flm_bytes text, double count)
{
    struct flm_bytes id;
    end_thread(r);
    if (!flm_text_take_until(&text, " ", &id)) {
        id = text;
        text.size = 0;
    }
    id.size -= flm_bytes_end_with(id, ":");
    struct flm_bytes name = flm_bytes_trimmed(text), number = id;
    flm_text_skip(&number, "Thread_");
    flm_stack_label(&r->base.stack, "thread", number);
    flm_stack_label(&r->base.stack, "thread name", name);
    flm_stack_thread(&r->base.stack, id);
    r->in_thread = true;
    r->thread_rest = count;
}

static void read_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    uint64_t count;
    if (flm_bytes_start_with(line, "Call graph:")) {
        r->in_graph = true;
        return;
    }
    if (!r->in_graph)
        return;
    size_t column = 0;
    while (column < line.size && flm_is_one_of(line.at[column], " +!:|*"))
        column++;
    struct flm_bytes text = flm_bytes_from(line, column);
    if (text.size == 0 || !flm_text_take_uint(&text, &count)) {
        if (column < 4 || line.size == 0)
            end_graph(r);
        else
            flm_builder_lost(r->base.stack.builder, "lines that cannot be read", "line",
                             r->base.lines.number, 1);
        return;
    }
    while (r->columns.count > 0 && r->columns.at[r->columns.count - 1] >= column)
        r->columns.count--;
    size_t depth = r->columns.count;
    if (!FLM_ARRAY_ADD(&r->columns, column))
        flm_builder_fail_memory(r->base.stack.builder);
    text = flm_bytes_trimmed(text);
    if (depth == 0) {
        begin_thread(r, text, (double)count);
        return;
    }
    struct flm_stack_frame frame = frame_of(text);
    flm_stack_frame(&r->base.stack, &frame);
    flm_text_tree_row(&r->tree, &r->base, depth - 1, (double)count);
    r->thread_rest -= depth == 1 ? (double)count : 0;
}

static void read_end(void *reading)
{
    end_graph(reading);
}

static bool read_sample(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.base.metric = flm_builder_metric(builder, "samples", "samples")};
    bool good = flm_text_read(&r.base, source, options, builder, why, read_line, read_end);
    FLM_ARRAY_CLEAR(&r.columns);
    FLM_ARRAY_CLEAR(&r.tree.path);
    return good;
}

static int sniff_sample(struct flm_bytes head, bool whole)
{
    (void)whole;
    return flm_bytes_contain(head, "\nCall graph:\n    ") ||
                   flm_bytes_start_with(head, "Call graph:\n    ")
               ? FLM_SNIFF_SURE
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_macos_sample = {
    .name = "sample",
    .title = "macOS sample",
    .extensions = "",
    .description = "call graphs of sample, the profiler of macOS",
    .keeps_labels = true,
    .sniff = sniff_sample,
    .read = read_sample,
};
