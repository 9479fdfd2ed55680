/* python_dump.c - the stacks of all Python threads: faulthandler, and py-spy dump.
 *
 *     Timeout (0:00:00.500000)!
 *     Thread 0x00007f66092576c0 (most recent call first):
 *       File "/srv/fh.py", line 7 in busy
 *       File "/usr/lib/python3.11/threading.py", line 982 in run
 *
 *     Current thread 0x00007f660a896b80 [main] (most recent call first):
 *       ...
 *
 *     Thread 1234 (active): "MainThread"                  py-spy dump
 *         busy (fh.py:7)
 *
 * Each thread counts 1. A frame is named as py-spy does it, busy (/srv/fh.py:7): the line that runs
 * is what people look for in such a dump. */
#include "format/text/python_dump.h"
#include "profile/internal.h"

void flm_python_dump_end(struct flm_python_dump *dump)
{
    if (dump->base.stack.frames.count > 0)
        flm_text_add_stack(&dump->base, FLM_LEAF_FIRST, 1);
    flm_stack_begin(&dump->base.stack);
}

void flm_python_dump_thread(struct flm_python_dump *dump, struct flm_bytes name,
                            struct flm_bytes id, struct flm_bytes state)
{
    flm_stack_label(&dump->base.stack, "thread name", name);
    flm_stack_label(&dump->base.stack, "thread", id);
    flm_stack_label(&dump->base.stack, "state", state);
    flm_stack_thread(&dump->base.stack, name.size > 0 ? name : id);
}

void flm_python_dump_frame(struct flm_python_dump *dump, struct flm_bytes function,
                           struct flm_bytes file, uint64_t line)
{
    dump->name.size = 0;
    flm_text_add(&dump->name, function);
    flm_text_puts(&dump->name, " (");
    flm_text_add(&dump->name, file);
    if (line > 0) {
        flm_text_putc(&dump->name, ':');
        flm_text_uint(&dump->name, line);
    }
    flm_text_putc(&dump->name, ')');
    if (dump->name.failed)
        flm_builder_fail_memory(dump->base.stack.builder);
    struct flm_stack_frame frame = {
        .function = {dump->name.at, dump->name.size}, .file = file, .line = line};
    flm_stack_frame(&dump->base.stack, &frame);
}

static bool read_thread(struct flm_python_dump *r, struct flm_bytes line)
{
    struct flm_bytes text = line, id, name = {"", 0}, state = {"", 0};
    if (!flm_text_skip(&text, "Current thread "))
        flm_text_skip(&text, "Thread ");
    if (text.at == line.at || text.size == 0)
        return false;
    bool is_faulthandler = flm_bytes_end_with(line, "(most recent call first):");
    if (!flm_text_take_until(&text, " ", &id))
        return false;
    if (is_faulthandler) {
        if (flm_text_skip(&text, "["))
            flm_text_take_until(&text, "] (", &name);
    } else {
        if (flm_text_skip(&text, "("))
            flm_text_take_until(&text, ")", &state);
        if (state.size == 0)
            return false;
        if (flm_text_skip(&text, ": \"") && flm_bytes_end_with(text, "\""))
            name = (struct flm_bytes){text.at, text.size - 1};
    }
    flm_python_dump_end(r);
    r->is_py_spy = !is_faulthandler;
    flm_python_dump_thread(r, name, id, state);
    return true;
}

static void read_line(void *reading, struct flm_bytes line)
{
    struct flm_python_dump *r = reading;
    struct flm_bytes text = flm_bytes_trimmed(line), file, digits, function, place;
    uint64_t number = 0;
    if (line.size > 0 && line.at[0] != ' ') {
        if (!read_thread(r, line))
            flm_python_dump_end(r);
    } else if (flm_text_skip(&text, "File \"")) {
        if (flm_text_split_last(text, "\", line ", &file, &function) &&
            flm_text_take_until(&function, " in ", &digits) && flm_text_take_uint(&digits, &number))
            flm_python_dump_frame(r, function, file, number);
    } else if (r->is_py_spy && flm_text_indent(line) == 4 && flm_bytes_end_with(text, ")")) {
        text.size--;
        if (!flm_text_split_last(text, " (", &function, &place))
            return;
        /* Native frames have a library, and no line. */
        if (flm_text_split_last(place, ":", &file, &digits) && flm_text_take_uint(&digits, &number))
            place = file;
        flm_python_dump_frame(r, function, place, number);
    }
}

static void read_end(void *reading)
{
    flm_python_dump_end(reading);
}

static bool read_dump(struct flm_source *source, const struct flm_read_options *options,
                      struct flm_builder *builder, struct flm_error *why)
{
    struct flm_python_dump r = {
        .base = {.stack = {.builder = builder, .options = options},
                 .metric = flm_builder_metric(builder, "threads", "threads")}};
    if (!flm_source_fill(source, 1, why))
        return false;
    bool is_json = source->at < source->end && *source->at == '[';
    bool good = is_json
                    ? flm_python_dump_read_json(&r, source, why)
                    : flm_text_read(&r.base, source, options, builder, why, read_line, read_end);
    if (is_json)
        flm_stack_clear(&r.base.stack);
    if (good && is_json && !r.base.has_samples && !flm_builder_failed(builder))
        good = flm_error_set(why, FLM_ERROR_FORMAT, "it has no stacks");
    flm_text_clear(&r.name);
    return good;
}

static int sniff_dump(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (flm_bytes_contain(head, "(most recent call first):\n  File \""))
        return FLM_SNIFF_SURE;
    if (flm_bytes_start_with(head, "[") && flm_bytes_contain(head, "\"os_thread_id\"") &&
        flm_bytes_contain(head, "\"owns_gil\""))
        return FLM_SNIFF_SURE;
    return flm_bytes_contain(head, "\nPython v") && flm_bytes_contain(head, "\nThread ")
               ? FLM_SNIFF_LIKELY
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_python_dump = {
    .name = "python-dump",
    .title = "Python's threads",
    .extensions = "",
    .description = "stacks of Python's threads: faulthandler, py-spy dump (JSON too)",
    .keeps_labels = true,
    .sniff = sniff_dump,
    .read = read_dump,
};
