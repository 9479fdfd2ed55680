/* script.c - the text of `perf script`: samples, each a header line and its stack, leaf first.
 *
 *     work 22636/22637 [001]   884.169213:    2004008 cpu-clock:       command, time, period, event
 *             ffffffff816b9733 ksys_read+0x93 ([kernel.kallsyms])      the leaf, after a tab
 *                         23e8 main+0x148 (/bin/work)
 *                                                                      a blank line
 *
 * header.c parses headers, frame.c frames; lines.c recognizes lines that were parsed before. A
 * sample ends with a blank line, the next header, or the input. One without frames counts for its
 * command. `perf script -G` prints the only frame on the header's line. The root frame is the
 * command; event_metrics.h describes the metrics.
 *
 * Consecutive samples share most of their outer lines. Those are compared as numbers, and the tree
 * is descended from the node where the two stacks diverge.
 *
 * A line that is neither for certain (a message of perf, a header without a time) is kept only if
 * frames follow, or at least a blank line. */
#include <stdlib.h>

#include "base/core/scan.h"
#include "base/number/number.h"
#include "base/text/text.h"
#include "format/core/format.h"
#include "format/perf/event_metrics.h"
#include "format/perf/header.h"
#include "format/perf/internal.h"
#include "format/perf/lines.h"
#include "profile/internal.h"

/* The stack of a sample: numbers of lines, leaf first. */
struct stack FLM_ARRAY(uint32_t);

struct sample {
    bool open;
    bool skipped;              /* neither it nor its frames can be used */
    enum flm_perf_guess doubt; /* FLM_PERF_NONE: the header is beyond doubt */
    bool has_period;
    struct flm_node command;
    struct flm_metric event; /* FLM_NONE: unknown */
    double weight;
    bool is_rounded; /* of 2^53 or more, and not exactly what is written */
    int64_t time_ns;
    struct flm_label_set labels;
    uint32_t frame; /* the line of a frame on the header's line; 0: none */
};

/* The first line that was not understood, for the error when none was. */
struct bad_line {
    uint64_t number; /* 0: none */
    char text[64];   /* its beginning, terminated */
};

struct reading {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    uint64_t line;   /* the current one, from 1 */
    size_t searched; /* of it, without finding its end */

    struct flm_perf_lines lines;
    struct flm_perf_events events;
    struct sample sample;
    struct stack stack;
    uint32_t last;                 /* the line read last in it */
    bool inlined;                  /* it, or the frame whose location it is, is inlined */
    struct flm_bytes last_text;    /* the last frame, while it is in the window */
    uint64_t last_address;         /* and its address, once it is not */
    struct flm_perf_frames frames; /* of the current stack that the previous one does not share */

    struct stack previous; /* the stack of the previous sample, its root, and its leaf */
    struct flm_node previous_command, previous_leaf;

    struct flm_text origin; /* of the previous sample, and its labels */
    struct flm_label_set origin_labels;
    struct flm_text thread; /* the name of the thread's frame */

    bool has_comments;
    struct bad_line first_bad;
    struct bad_line doubtful; /* the header of the current sample, if it is doubtful, */
    struct flm_text event;    /* and its event */
};

static struct bad_line bad_line(uint64_t number, struct flm_bytes line)
{
    struct bad_line bad = {.number = number};
    line = flm_trimmed(line.at, line.at + line.size);
    memcpy(bad.text, line.at, line.size < sizeof bad.text ? line.size : sizeof bad.text - 1);
    return bad;
}

static void lose_line(struct reading *r, const char *what, struct bad_line bad)
{
    if (r->first_bad.number == 0)
        r->first_bad = bad;
    flm_builder_lost(r->builder, what, "line", bad.number, 1);
}

static const char not_perf_script[] = "lines that are not perf script";

/* ---- The end of a sample --------------------------------------------------------------------- */

/* The number of outer lines that the stack shares with the previous one. */
static size_t shared_lines(const struct reading *r)
{
    const struct stack *a = &r->stack, *b = &r->previous;
    if (r->sample.command.index != r->previous_command.index)
        return 0;
    size_t shared = 0, limit = a->count < b->count ? a->count : b->count;
    while (shared < limit && a->at[a->count - 1 - shared] == b->at[b->count - 1 - shared])
        shared++;
    return shared;
}

/* The node of the stack. */
static struct flm_node find_node(struct reading *r)
{
    size_t shared = shared_lines(r);
    struct flm_node node = r->sample.command;
    if (shared > 0) {
        /* Up from the leaf of the previous stack, past the lines that it does not share. */
        node = r->previous_leaf;
        size_t up = flm_perf_lines_count(&r->lines, r->previous.at, r->previous.count - shared);
        while (up-- > 0)
            node.index = r->builder->nodes[node.index].parent;
    }
    if (r->stack.count == shared)
        return node;
    r->frames.count = 0;
    if (!flm_perf_lines_frames(&r->lines, r->stack.at, r->stack.count - shared, shared, &r->frames))
        return (struct flm_node){0};
    return flm_builder_descend(r->builder, node, r->frames.at, r->frames.count);
}

static void add_sample(struct reading *r, struct flm_node node)
{
    const struct sample *s = &r->sample;
    struct flm_builder *b = r->builder;
    struct flm_metric samples = flm_perf_events_samples(&r->events);
    if (flm_builder_failed(b))
        return;
    bool has_event = s->event.index != FLM_NONE;
    flm_builder_rounded(b, has_event && s->is_rounded);
    if (r->options->keep_times) {
        flm_builder_sample(b, s->time_ns, node, s->labels, samples, 1);
        if (has_event)
            flm_builder_sample_add(b, s->event, s->weight);
    } else {
        flm_builder_add(b, node, samples, 1);
        if (has_event)
            flm_builder_add(b, node, s->event, s->weight);
    }
}

static uint64_t read_address(struct flm_bytes line)
{
    const char *at = line.at, *end = line.at + line.size;
    while (at < end && flm_is_blank(*at))
        at++;
    const char *digits = at;
    while (at < end && flm_is_hex(*at))
        at++;
    uint64_t address = 0;
    flm_number_parse_hex(flm_between(digits, at), &address);
    return address;
}

static uint64_t last_address(const struct reading *r)
{
    return r->last_text.size > 0 ? read_address(r->last_text) : r->last_address;
}

static bool grow_stack(struct reading *r)
{
    if (!FLM_ARRAY_RESERVE(&r->stack, 1)) {
        flm_builder_fail_memory(r->builder);
        return false;
    }
    return true;
}

/* Adds a line to the stack. */
static bool push(struct reading *r, uint32_t number, struct flm_bytes line)
{
    if (r->stack.count == r->stack.capacity && !grow_stack(r))
        return false;
    if (r->stack.count > 0)
        flm_perf_lines_follow(&r->lines, r->last, number);
    r->last = number;
    const struct flm_perf_line *known = flm_perf_lines_at(&r->lines, number);
    uint32_t mark = 0;
    if (known->kind == FLM_PERF_LINE_FRAME) {
        if (r->inlined && last_address(r) == read_address(line))
            mark = FLM_PERF_SAME_ADDRESS;
        r->last_text = line;
    }
    r->inlined = known->inlined;
    r->stack.at[r->stack.count++] = number | mark;
    return true;
}

/* Periods without the name of their event are a metric too. */
static struct flm_metric find_event(struct reading *r, struct flm_bytes name)
{
    static const char unnamed[] = "period";
    if (name.size == 0 && r->sample.has_period)
        name = flm_bytes_of(unnamed);
    if (name.size == 0)
        return (struct flm_metric){FLM_NONE};
    struct flm_metric event = flm_perf_events_find(&r->events, name, r->sample.has_period);
    if (event.index == FLM_NONE)
        flm_builder_lost(r->builder, "periods of events after the first 1024", "line", r->line, 1);
    return event;
}

/* Whether a doubtful header was one. `blank`: a blank line follows, as after samples. */
static bool is_sample(const struct reading *r, bool blank)
{
    enum flm_perf_guess doubt = r->sample.doubt;
    return r->stack.count > 0 || doubt == FLM_PERF_NONE || (doubt != FLM_PERF_WORDS && blank);
}

static void close_sample(struct reading *r, bool blank)
{
    struct sample *s = &r->sample;
    if (!s->open)
        return;
    s->open = false;
    if (s->skipped)
        return;
    if (r->stack.count == 0 && s->frame)
        push(r, s->frame, (struct flm_bytes){0});
    if (!is_sample(r, blank)) {
        lose_line(r, not_perf_script, r->doubtful);
        return;
    }
    if (s->doubt != FLM_PERF_NONE)
        s->event = find_event(r, (struct flm_bytes){r->event.at, r->event.size});
    struct flm_node node = find_node(r);
    if (flm_builder_failed(r->builder))
        return;
    add_sample(r, node);

    struct stack used = r->previous;
    r->previous = r->stack;
    r->stack = used;
    r->stack.count = 0;
    r->previous_command = s->command;
    r->previous_leaf = node;
}

/* ---- The beginning of a sample --------------------------------------------------------------- */

/* The child of `parent` for a label, which most often is that of the previous sample. */
static struct flm_node find_label(struct reading *r, struct flm_node parent, struct flm_node before,
                                  struct flm_bytes label)
{
    struct flm_builder *b = r->builder;
    if (label.size == 0)
        return parent;
    uint32_t name = b->interner.frames[b->nodes[before.index].frame].function;
    if (b->nodes[before.index].parent == parent.index &&
        flm_bytes_equal(flm_interner_text(&b->interner, name), label))
        return before;
    uint32_t frame = flm_interner_function(&b->interner, label, FLM_KIND_LABEL);
    if (frame != FLM_NONE)
        return flm_builder_child(b, parent, (struct flm_frame){frame});
    flm_builder_fail_memory(b);
    return flm_builder_root(b);
}

/* The node of the command, or of the thread below it: "worker", "worker 25607". */
static struct flm_node find_command(struct reading *r, const struct flm_perf_header *header)
{
    struct flm_node root = flm_builder_root(r->builder), before = r->sample.command;
    if (!r->options->by_thread || header->thread.size == 0)
        return find_label(r, root, before, header->command);
    r->thread.size = 0;
    flm_text_add(&r->thread, header->command);
    flm_text_putc(&r->thread, ' ');
    flm_text_add(&r->thread, header->thread);
    if (r->thread.failed) {
        flm_builder_fail_memory(r->builder);
        return root;
    }
    struct flm_node above = {before.index ? r->builder->nodes[before.index].parent : 0};
    struct flm_node command = find_label(r, root, above, header->command);
    return find_label(r, command, before, (struct flm_bytes){r->thread.at, r->thread.size});
}

static bool read_period(struct flm_bytes period, struct sample *s)
{
    s->weight = 1;
    if (period.size == 0)
        return true;
    uint64_t value;
    if (!flm_number_parse_uint(period, &value))
        return false;
    s->weight = (double)value;
    s->is_rounded = flm_uint_is_rounded(value);
    return true;
}

/* Samples of one thread follow each other: most often the labels are those of the previous one. */
static struct flm_label_set find_labels(struct reading *r, const struct flm_perf_header *header)
{
    struct flm_bytes before = {r->origin.at, r->origin.size};
    if (r->origin.size > 0 && flm_bytes_equal(before, header->origin))
        return r->origin_labels;
    r->origin.size = 0;
    flm_text_add(&r->origin, header->origin);
    r->origin_labels = flm_perf_header_labels(r->builder, header);
    return r->origin_labels;
}

/* False when the input must be refused because of its period. */
static bool open_sample(struct reading *r, const struct flm_perf_header *header,
                        enum flm_perf_guess doubt, struct flm_bytes line)
{
    struct sample *s = &r->sample;
    *s = (struct sample){.doubt = doubt,
                         .has_period = header->period.size > 0,
                         .command = find_command(r, header),
                         .event = {FLM_NONE},
                         .time_ns = header->time_ns};
    r->stack.count = 0;
    r->inlined = false;
    if (!read_period(header->period, s)) {
        if (r->options->lenient) {
            flm_builder_lost(r->builder, "samples with a period that cannot be used", "line",
                             r->line, 1);
            s->open = s->skipped = true;
            return true;
        }
        return flm_error_line(r->why, FLM_ERROR_RANGE, r->line,
                              "the period '%.*s' is more than the 2^64 - 1 that perf counts up to "
                              "(--lenient skips it)",
                              (int)header->period.size, header->period.at);
    }
    if (doubt == FLM_PERF_NONE) {
        s->event = find_event(r, header->event);
    } else {
        r->doubtful = bad_line(r->line, line);
        r->event.size = 0;
        flm_text_add(&r->event, header->event);
        if (r->event.failed)
            flm_builder_fail_memory(r->builder);
    }
    if (r->options->keep_times)
        s->labels = find_labels(r, header);
    if (header->frame.size > 0)
        s->frame = flm_perf_lines_find(&r->lines, header->frame, FLM_PERF_LINE_FRAME);
    s->open = true;
    return true;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* "LOST 12 events!", "PERF_RECORD_LOST lost 12": the number after a word. */
static bool count_lost(struct reading *r, struct flm_bytes line, const char *word)
{
    size_t size = strlen(word);
    for (size_t at = 0; at + size < line.size; at++) {
        if (memcmp(line.at + at, word, size) != 0)
            continue;
        struct flm_bytes digits = {line.at + at + size, 0};
        while (at + size + digits.size < line.size && flm_is_digit(digits.at[digits.size]))
            digits.size++;
        uint64_t count;
        if (!flm_number_parse_uint(digits, &count))
            continue;
        if (count > 0)
            flm_builder_lost(r->builder, "events (ring buffer full)", "line", r->line,
                             (double)count);
        return true;
    }
    return false;
}

static void read_comment(struct reading *r, struct flm_bytes line)
{
    r->has_comments = true;
    flm_perf_comment_read(r->builder, line);
}

static bool begin_sample(struct reading *r, const struct flm_perf_header *header,
                         enum flm_perf_guess doubt, struct flm_bytes line)
{
    close_sample(r, false);
    if (!flm_bytes_start_with(header->event, "PERF_RECORD_"))
        return open_sample(r, header, doubt, line);
    if (flm_bytes_start_with(header->event, "PERF_RECORD_LOST"))
        count_lost(r, header->rest, "lost ");
    return true;
}

/* A line of -F +srcline: two blanks, below a frame. */
static bool is_location(const struct reading *r, struct flm_bytes line)
{
    return r->sample.open && r->stack.count > 0 && line.size > 2 && line.at[0] == ' ' &&
           line.at[1] == ' ' && line.at[2] != ' ' && line.at[2] != '\t';
}

/* Adds the line to the stack; false for one that is not a frame or a location. */
static bool try_stack_line(struct reading *r, struct flm_bytes line, enum flm_perf_line_kind kind)
{
    uint32_t number = flm_perf_lines_find(&r->lines, line, kind);
    if (number)
        push(r, number, line);
    return number || flm_builder_failed(r->builder);
}

static void read_stack_line(struct reading *r, struct flm_bytes line, enum flm_perf_line_kind kind)
{
    if (!r->sample.open)
        lose_line(r, "frames outside of samples", bad_line(r->line, line));
    else if (!r->sample.skipped && !try_stack_line(r, line, kind))
        lose_line(r, not_perf_script, bad_line(r->line, line));
}

/* A period, a frame, or the name of a tracepoint leave no doubt. */
static bool is_certain(const struct flm_perf_header *header)
{
    struct flm_bytes event = header->event;
    return header->period.size > 0 || header->frame.size > 0 ||
           (event.size > 0 && memchr(event.at, ':', event.size));
}

/* A header without a time. Between the frames of a sample a doubtful line is not a header: perf
 * prints a blank line before the next sample. */
static bool read_guess(struct reading *r, struct flm_bytes line)
{
    struct flm_perf_header header;
    enum flm_perf_guess guess = flm_perf_header_guess(line, &header);
    bool is_event = guess == FLM_PERF_EVENT;
    if (is_event && is_certain(&header))
        return begin_sample(r, &header, FLM_PERF_NONE, line);
    if (r->stack.count == 0 && (is_event || line.at[0] != ' '))
        return begin_sample(r, &header, guess, line);
    lose_line(r, not_perf_script, bad_line(r->line, line));
    return true;
}

/* One line, with its newline. False, and r->why, when the input must be refused. */
static bool read_line(struct reading *r, struct flm_bytes line)
{
    struct flm_perf_header header;
    /* Most lines are frames: only others are checked for being blank. */
    if (line.at[0] == '\t' && r->sample.open && !r->sample.skipped &&
        try_stack_line(r, line, FLM_PERF_LINE_FRAME))
        return true;
    if (flm_trimmed(line.at, line.at + line.size).size == 0)
        close_sample(r, true);
    else if (line.at[0] == '\t')
        read_stack_line(r, line, FLM_PERF_LINE_FRAME);
    else if (line.at[0] == '#')
        read_comment(r, line);
    else if (flm_perf_header_parse(line, &header))
        return begin_sample(r, &header, FLM_PERF_NONE, line);
    else if (is_location(r, line))
        read_stack_line(r, line, FLM_PERF_LINE_LOCATION);
    else if (flm_perf_frame_is_line(line))
        read_stack_line(r, line, FLM_PERF_LINE_FRAME);
    else if (!count_lost(r, line, "LOST "))
        return read_guess(r, line);
    return true;
}

/* Reads the complete lines of the window. */
static bool read_window(struct reading *r, struct flm_source *source)
{
    enum { REPORT_EVERY = 4 << 20 };
    const char *at = source->at, *end = source->end, *reported = at;
    bool good = true;
    while (good && at < end && !flm_builder_failed(r->builder)) {
        if (r->stack.count > 0) {
            size_t size;
            uint32_t next = flm_perf_lines_expect(&r->lines, r->last, at, end, &size);
            if (next) {
                good = push(r, next, (struct flm_bytes){at, size});
                at += size;
                r->line++;
                r->searched = 0;
                continue;
            }
        }
        const char *newline = flm_find(at + r->searched, end, '\n');
        r->searched = newline == end && !source->last ? (size_t)(end - at) : 0;
        if (r->searched > 0)
            break;
        struct flm_bytes line = flm_between(at, newline < end ? newline + 1 : end);
        r->line++;
        good = read_line(r, line);
        at += line.size;
        if (at - reported > REPORT_EVERY) {
            good = good && flm_source_progress(source, (uint64_t)(at - reported), r->why);
            reported = at;
        }
    }
    /* The next window may be at another address. */
    r->last_address = last_address(r);
    r->last_text.size = 0;
    source->at = at;
    return good && flm_source_progress(source, (uint64_t)(at - reported), r->why);
}

static bool read_all(struct reading *r, struct flm_source *source)
{
    for (;;) {
        if (!read_window(r, source))
            return false;
        if (source->last || flm_builder_failed(r->builder))
            break;
        if (!flm_source_more(source, r->why))
            return false;
    }
    close_sample(r, false);
    if (flm_builder_failed(r->builder) || r->events.has_samples)
        return true; /* flm_builder_finish reports the error */
    if (r->first_bad.number > 0)
        return flm_error_line(r->why, FLM_ERROR_FORMAT, r->first_bad.number,
                              "'%s' is not a sample of perf script, and no other line begins one",
                              r->first_bad.text);
    if (r->has_comments)
        return flm_error_set(r->why, FLM_ERROR_FORMAT, "it has only comments, no samples");
    /* Only blank lines: it may be a chunk of a larger text. */
    flm_perf_events_samples(&r->events);
    return true;
}

static bool read_script(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {
        .builder = builder, .options = options, .why = why, .events = {.builder = builder}};
    bool good =
        flm_perf_lines_init(&r.lines, builder) ? read_all(&r, source) : flm_error_memory(why);
    flm_perf_lines_clear(&r.lines);
    FLM_ARRAY_CLEAR(&r.stack);
    FLM_ARRAY_CLEAR(&r.previous);
    FLM_ARRAY_CLEAR(&r.frames);
    flm_perf_events_clear(&r.events);
    flm_text_clear(&r.origin);
    flm_text_clear(&r.thread);
    flm_text_clear(&r.event);
    return good;
}

static void explain_script(struct flm_bytes head, bool whole, struct flm_text *out)
{
    (void)head;
    (void)whole;
    flm_text_puts(out, "perf script has a header line for every sample");
}

const struct flm_format flm_format_perf_script = {
    .name = "perf-script",
    .title = "perf script",
    .extensions = "",
    .description = "the text of perf script: samples of Linux perf with their stacks",
    .has_times = true,
    .keeps_labels = true,
    .sniff = flm_perf_script_sniff,
    .explain = explain_script,
    .read = read_script,
    .cut = flm_perf_script_cut,
};
