/* gdb.c - backtraces of all threads, as gdb prints them ("thread apply all bt"), and eu-stack.
 *
 *     Thread 2 (Thread 0x7fe76d81d6c0 (LWP 9138) "work_fp"):
 *     #0  0x00007fe76db40c9c in std::string::replace(unsigned long) () from /lib/libstdc++.so.6
 *     #1  app::Engine::run (this=<optimized out>,
 *         k=2000) at work.cpp:22
 *     #2  <signal handler called>
 *     #3  0x00007fe76dad44a3 in ?? () from /lib/x86_64-linux-gnu/libstdc++.so.6
 *
 *     TID 26593:                                                          eu-stack -m -s
 *     #0  0x00007fbf72319bf2 msort_with_tmp - /usr/lib/x86_64-linux-gnu/libc.so.6
 *         ./stdlib/msort.c:44:6
 *     #1  0x000055ff3610b21d - 1 fib
 *
 * Each thread counts 1. A name may have blanks and brackets in it: the arguments of the call are in
 * the last brackets outside of others that follow a blank. Lines between frames (local variables,
 * source) are skipped. A file may have many such dumps. */
#include "base/number/number.h"
#include "format/text/internal.h"
#include "profile/internal.h"

struct reading {
    struct flm_text_reading base;
    bool in_thread, has_frame;
    bool is_eu_stack;      /* the thread is one of eu-stack */
    struct flm_text frame; /* a frame, whose lines are joined */
};

/* Passes what "operator" is followed by, where that is brackets of no pair: operator<, operator->.
 */
static size_t operator_size(struct flm_bytes text)
{
    static const char *const tokens[] = {"()", "[]", "<=>", "<<=", ">>=", "->*", "->",
                                         "<<", ">>", "<=",  ">=",  "<",   ">"};
    if (!flm_text_skip(&text, "operator"))
        return 0;
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
        if (flm_bytes_start_with(text, tokens[i]))
            return 8 + strlen(tokens[i]);
    return 8;
}

/* The size of the function's name in "name (arguments) at file:line": up to the last blank with an
 * opening bracket outside of other brackets and of quotes. */
static size_t name_size(struct flm_bytes text, size_t *arguments_end)
{
    size_t found = text.size, depth = 0;
    *arguments_end = text.size;
    for (size_t i = 0; i < text.size; i++) {
        size_t skipped = depth == 0 ? operator_size(flm_bytes_from(text, i)) : 0;
        char byte = text.at[i];
        if (skipped > 0) {
            i += skipped - 1;
        } else if (byte == '"') {
            for (i++; i < text.size && text.at[i] != '"'; i++)
                i += text.at[i] == '\\';
        } else if (byte == '(' || byte == '<' || byte == '{') {
            if (depth == 0 && byte == '(' && i > 0 && text.at[i - 1] == ' ')
                found = i - 1;
            depth++;
        } else if ((byte == ')' || byte == '}' ||
                    (byte == '>' && i > 0 && text.at[i - 1] != '-')) &&
                   depth > 0) {
            depth--;
            if (depth == 0)
                *arguments_end = i + 1;
        }
        if (depth == 0 && *arguments_end == i + 1 && found < i &&
            (flm_bytes_start_with(flm_bytes_from(text, i + 1), " at ") ||
             flm_bytes_start_with(flm_bytes_from(text, i + 1), " from ")))
            break;
    }
    return found;
}

/* 0x00007fbf72319bf2 name - /usr/lib/libc.so.6 ./stdlib/msort.c:44:6, of which eu-stack leaves out
 * what it does not know or was not asked for. With -v, "- 1" follows a return address. */
static void end_eu_stack_frame(struct reading *r, struct flm_bytes text)
{
    struct flm_stack_frame frame = {.kind = FLM_KIND_NATIVE};
    struct flm_bytes address = text, before, after, place;
    uint64_t number;
    if (!flm_text_skip(&text, "0x"))
        return;
    if (!flm_text_take_until(&text, " ", &address)) {
        address = text;
        text.size = 0;
    }
    if (!flm_number_parse_hex(address, &frame.address))
        return;
    text = flm_bytes_trimmed(text);
    flm_text_skip(&text, "- 1");
    text = flm_bytes_trimmed(text);
    /* The place is FILE:LINE:COLUMN, or FILE:LINE, behind the last blank. */
    if (flm_text_split_last(text, " ", &before, &place) &&
        flm_text_split_last(place, ":", &place, &after) &&
        flm_number_parse_uint(after, &frame.line)) {
        struct flm_bytes file = place;
        if (flm_text_split_last(place, ":", &file, &after) &&
            flm_number_parse_uint(after, &number)) {
            frame.column = frame.line;
            frame.line = number;
            place = file;
        }
        frame.file = place;
        text = flm_bytes_trimmed(before);
    }
    if (flm_text_split_last(text, "- ", &before, &after) && flm_bytes_start_with(after, "/")) {
        frame.module = after;
        text = flm_bytes_trimmed(before);
    }
    if (text.size == 0) {
        frame.function = flm_bytes_of("??");
        frame.flags = FLM_FRAME_UNSYMBOLIZED;
    } else {
        frame.function = text;
        frame.address = 0;
    }
    flm_stack_frame(&r->base.stack, &frame);
}

static void end_frame(struct reading *r)
{
    struct flm_bytes text = {r->frame.at, r->frame.size}, address, file, line;
    uint64_t number;
    if (!r->has_frame)
        return;
    r->has_frame = false;
    if (r->frame.failed) {
        flm_builder_fail_memory(r->base.stack.builder);
        return;
    }
    if (r->is_eu_stack) {
        end_eu_stack_frame(r, text);
        return;
    }
    struct flm_stack_frame frame = {.kind = FLM_KIND_NATIVE};
    struct flm_bytes rest = text;
    if (flm_text_skip(&rest, "0x") && flm_text_take_until(&rest, " in ", &address) &&
        flm_number_parse_hex(address, &frame.address))
        text = rest;
    size_t end, size = name_size(text, &end);
    frame.function = (struct flm_bytes){text.at, size};
    if (size < text.size) {
        rest = flm_bytes_from(text, end);
        if (flm_text_skip(&rest, " at ") && flm_text_split_last(rest, ":", &file, &line) &&
            flm_number_parse_uint(line, &number)) {
            frame.file = file;
            frame.line = number;
        } else if (flm_text_skip(&rest, " from ")) {
            frame.module = rest;
        }
    }
    if (flm_bytes_are(frame.function, "??"))
        frame.flags = FLM_FRAME_UNSYMBOLIZED;
    else
        frame.address = 0;
    if (frame.function.size > 0)
        flm_stack_frame(&r->base.stack, &frame);
}

static void end_thread(struct reading *r)
{
    end_frame(r);
    if (r->base.stack.frames.count > 0)
        flm_text_add_stack(&r->base, FLM_LEAF_FIRST, 1);
    flm_stack_begin(&r->base.stack);
}

/* Thread 2 (Thread 0x7fe76d81d6c0 (LWP 9138) "work_fp"): */
static bool read_thread(struct reading *r, struct flm_bytes line)
{
    uint64_t number;
    struct flm_bytes text = line, before, id, name, after;
    if (!flm_text_skip(&text, "Thread ") || !flm_text_take_uint(&text, &number) ||
        !flm_text_skip(&text, " (") || !flm_bytes_end_with(line, ":"))
        return false;
    end_thread(r);
    r->in_thread = true;
    r->is_eu_stack = false;
    name = (struct flm_bytes){"", 0};
    id = (struct flm_bytes){line.at + 7, (size_t)(text.at - line.at) - 9};
    if (flm_text_split_last(text, "\"", &before, &after) &&
        flm_text_take_until(&before, "\"", &after))
        name = before;
    if (flm_text_take_until(&text, "(LWP ", &before) && flm_text_take_until(&text, ")", &before))
        id = before;
    flm_stack_label(&r->base.stack, "thread name", name);
    flm_stack_label(&r->base.stack, "thread", id);
    flm_stack_thread(&r->base.stack, name.size > 0 ? name : id);
    return true;
}

/* TID 26593: */
static bool read_eu_stack_thread(struct reading *r, struct flm_bytes line)
{
    uint64_t number;
    struct flm_bytes text = line;
    if (!flm_text_skip(&text, "TID ") || !flm_text_take_uint(&text, &number) ||
        !flm_bytes_are(text, ":"))
        return false;
    end_thread(r);
    r->in_thread = r->is_eu_stack = true;
    struct flm_bytes id = {line.at + 4, line.size - 5};
    flm_stack_label(&r->base.stack, "thread", id);
    flm_stack_thread(&r->base.stack, id);
    return true;
}

static void read_line(void *reading, struct flm_bytes line)
{
    enum { MOST_FRAME = 1 << 20 }; /* the lines of one frame, with its local variables */
    struct reading *r = reading;
    uint64_t number;
    struct flm_bytes text = line;
    if (read_thread(r, line) || read_eu_stack_thread(r, line))
        return;
    if (flm_text_skip(&text, "#") && flm_text_take_uint(&text, &number)) {
        end_frame(r);
        if (number == 0 && r->base.stack.frames.count > 0)
            end_thread(r); /* of a thread without a line of its own */
        r->frame.size = 0;
        flm_text_add(&r->frame, flm_bytes_trimmed(text));
        r->has_frame = true;
    } else if (line.size == 0) {
        end_thread(r);
    } else if (r->has_frame && flm_is_space(line.at[0]) && r->frame.size < MOST_FRAME) {
        flm_text_putc(&r->frame, ' ');
        flm_text_add(&r->frame, flm_bytes_trimmed(line));
    } else {
        end_frame(r);
    }
}

static void read_end(void *reading)
{
    end_thread(reading);
}

static bool read_gdb(struct flm_source *source, const struct flm_read_options *options,
                     struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.base.metric = flm_builder_metric(builder, "threads", "threads")};
    bool good = flm_text_read(&r.base, source, options, builder, why, read_line, read_end);
    flm_text_clear(&r.frame);
    return good;
}

static int sniff_gdb(struct flm_bytes head, bool whole)
{
    (void)whole;
    bool has_frame = flm_bytes_contain(head, "\n#0  ") || flm_bytes_start_with(head, "#0  ");
    bool has_place = flm_bytes_contain(head, ") at ") || flm_bytes_contain(head, " () from ") ||
                     flm_bytes_contain(head, " in ?? ()");
    bool is_eu_stack = flm_bytes_start_with(head, "PID ") && flm_bytes_contain(head, ":\n#0  0x");
    return has_frame && (has_place || is_eu_stack) ? FLM_SNIFF_SURE - 10 : FLM_SNIFF_NO;
}

const struct flm_format flm_format_gdb = {
    .name = "gdb",
    .title = "gdb",
    .extensions = "",
    .description = "backtraces of gdb: thread apply all bt; of eu-stack",
    .keeps_labels = true,
    .sniff = sniff_gdb,
    .read = read_gdb,
};
