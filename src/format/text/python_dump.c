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
#include "format/text/internal.h"
#include "profile/internal.h"

struct reading {
    struct flm_text_reading base;
    bool is_py_spy;
    struct flm_text name;
};

static void end_thread(struct reading *r)
{
    if (r->base.stack.frames.count > 0)
        flm_text_add_stack(&r->base, FLM_LEAF_FIRST, 1);
    flm_stack_begin(&r->base.stack);
}

static bool read_thread(struct reading *r, struct flm_bytes line)
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
    end_thread(r);
    r->is_py_spy = !is_faulthandler;
    flm_stack_label(&r->base.stack, "thread name", name);
    flm_stack_label(&r->base.stack, "thread", id);
    flm_stack_label(&r->base.stack, "state", state);
    flm_stack_thread(&r->base.stack, name.size > 0 ? name : id);
    return true;
}

static void add_frame(struct reading *r, struct flm_bytes function, struct flm_bytes file,
                      struct flm_bytes number)
{
    struct flm_stack_frame frame = {.file = file};
    if (!flm_text_take_uint(&number, &frame.line))
        return;
    r->name.size = 0;
    flm_text_add(&r->name, function);
    flm_text_puts(&r->name, " (");
    flm_text_add(&r->name, file);
    flm_text_putc(&r->name, ':');
    flm_text_uint(&r->name, frame.line);
    flm_text_putc(&r->name, ')');
    if (r->name.failed)
        flm_builder_fail_memory(r->base.stack.builder);
    frame.function = (struct flm_bytes){r->name.at, r->name.size};
    flm_stack_frame(&r->base.stack, &frame);
}

static void read_line(void *reading, struct flm_bytes line)
{
    struct reading *r = reading;
    struct flm_bytes text = flm_bytes_trimmed(line), file, number, function, place;
    if (line.size > 0 && line.at[0] != ' ') {
        if (!read_thread(r, line))
            end_thread(r);
    } else if (flm_text_skip(&text, "File \"")) {
        if (flm_text_split_last(text, "\", line ", &file, &number)) {
            function = number;
            if (flm_text_take_until(&function, " in ", &number))
                add_frame(r, function, file, number);
        }
    } else if (r->is_py_spy && flm_text_indent(line) == 4 && flm_bytes_end_with(text, ")")) {
        text.size--;
        if (flm_text_split_last(text, " (", &function, &place) &&
            flm_text_split_last(place, ":", &file, &number))
            add_frame(r, function, file, number);
    }
}

static void read_end(void *reading)
{
    end_thread(reading);
}

static bool read_dump(struct flm_source *source, const struct flm_read_options *options,
                      struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.base.metric = flm_builder_metric(builder, "threads", "threads")};
    bool good = flm_text_read(&r.base, source, options, builder, why, read_line, read_end);
    flm_text_clear(&r.name);
    return good;
}

static int sniff_dump(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (flm_bytes_contain(head, "(most recent call first):\n  File \""))
        return FLM_SNIFF_SURE;
    return flm_bytes_contain(head, "\nPython v") && flm_bytes_contain(head, "\nThread ")
               ? FLM_SNIFF_LIKELY
               : FLM_SNIFF_NO;
}

const struct flm_format flm_format_python_dump = {
    .name = "python-dump",
    .title = "Python's threads",
    .extensions = "",
    .description = "stacks of Python's threads: faulthandler, py-spy dump",
    .keeps_labels = true,
    .sniff = sniff_dump,
    .read = read_dump,
};
