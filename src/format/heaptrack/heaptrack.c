/* heaptrack.c - recordings of heaptrack: every allocation and every release, with its stack.
 *
 * The file is text. Each line begins with a letter, all numbers are hexadecimal, and a line refers
 * only to lines before it:
 *
 *     v 10400 3                 version of heaptrack, version of the file
 *     X ./app --fast            the command
 *     I 1000 5e298f             size of a page, pages of the machine
 *     s 8 _dl_init              a string, from 1 on; before version 3 without its length
 *     i 7f9daa644b03 9 d e 79   an address from 1 on: module, function, file, line; then function,
 *                               file and line of each caller that it is inlined into
 *     t 2 1                     a stack from 1 on: the address, and the stack that called it
 *     a 11c00 4                 a kind of allocation from 0 on: its size, its stack
 *     + 0                       an allocation of that kind
 *     - 0                       its release
 *     c a                       milliseconds since the start
 *     R 1f3                     pages that the process has in memory
 *
 * Metrics are those of heaptrack_print -F: allocations, temporary (released before another
 * allocation was made), peak (bytes at the moment when most was allocated) and leaked (bytes that
 * were never released). Stacks begin at main, and operator new is no frame, as there.
 *
 * The bytes of each stack at the peak are found in one pass: before the bytes of a stack change,
 * it notes them if the peak has risen since its last note. So no stack is visited when the peak
 * rises. */
#include "format/heaptrack/internal.h"
#include "profile/internal.h"

enum { NEWEST_VERSION = 3 };

/* ---- Events ---------------------------------------------------------------------------------- */

/* Called before the bytes of a stack change. */
static void keep_peak(const struct flm_heaptrack *r, struct flm_heaptrack_stack *stack)
{
    if (stack->peak_seen < r->peak_count) {
        stack->at_peak = stack->bytes;
        stack->peak_seen = r->peak_count;
    }
}

static bool find_kind(struct flm_heaptrack *r, struct flm_heaptrack_words w, uint64_t *index)
{
    if (!flm_heaptrack_next_number(&w, index)) {
        flm_heaptrack_lose_line(r);
        return false;
    }
    if (*index >= r->kinds.count) {
        flm_heaptrack_lose_reference(r);
        return false;
    }
    r->has_events = true;
    return true;
}

static bool read_allocation(struct flm_heaptrack *r, struct flm_heaptrack_words w)
{
    uint64_t index;
    if (!find_kind(r, w, &index))
        return true;
    const struct flm_heaptrack_kind *kind = &r->kinds.at[index];
    struct flm_heaptrack_stack *stack = &r->stacks.at[kind->stack];
    keep_peak(r, stack);
    r->last_kind = index;
    stack->allocations++;
    if (kind->size > UINT64_MAX / 2 - r->bytes)
        return flm_error_line(r->why, FLM_ERROR_RANGE, r->lines.number,
                              "more than 2^63 bytes are allocated: this is no recording");
    stack->bytes += kind->size;
    r->bytes += kind->size;
    if (r->bytes > r->most_bytes)
        r->most_bytes = r->bytes;
    if (r->bytes > r->peak) {
        r->peak = r->bytes;
        r->peak_count++;
    }
    return true;
}

static bool read_release(struct flm_heaptrack *r, struct flm_heaptrack_words w)
{
    uint64_t index;
    if (!find_kind(r, w, &index))
        return true;
    const struct flm_heaptrack_kind *kind = &r->kinds.at[index];
    struct flm_heaptrack_stack *stack = &r->stacks.at[kind->stack];
    if (kind->size > stack->bytes) {
        flm_heaptrack_lose(r, "releases of what was not allocated");
        return true;
    }
    keep_peak(r, stack);
    /* Like heaptrack, this counts a release of kind 0 after another release as temporary, too. */
    stack->temporary += r->last_kind == index;
    r->last_kind = 0;
    stack->bytes -= kind->size;
    r->bytes -= kind->size;
    return true;
}

static int64_t time_ns(const struct flm_heaptrack *r)
{
    return r->time_ms < INT64_MAX / 1000000 ? (int64_t)r->time_ms * 1000000 : INT64_MAX;
}

static void add_point(struct flm_heaptrack *r)
{
    if (!r->options->keep_times)
        return;
    flm_builder_counter_point(r->builder, r->heap, time_ns(r), (double)r->most_bytes);
    r->most_bytes = r->bytes;
}

static bool read_time(struct flm_heaptrack *r, struct flm_heaptrack_words w)
{
    uint64_t time;
    if (!flm_heaptrack_next_number(&w, &time))
        return flm_heaptrack_lose_line(r);
    if (time < r->time_ms) {
        flm_heaptrack_lose(r, "times that go back");
        return true;
    }
    r->time_ms = time;
    add_point(r);
    return true;
}

static bool read_resident(struct flm_heaptrack *r, struct flm_heaptrack_words w)
{
    uint64_t pages;
    if (!flm_heaptrack_next_number(&w, &pages))
        return flm_heaptrack_lose_line(r);
    if (r->options->keep_times && r->page_size)
        flm_builder_counter_point(r->builder, r->resident, time_ns(r),
                                  (double)pages * (double)r->page_size);
    return true;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void note_version(struct flm_heaptrack *r, uint64_t version)
{
    struct flm_text text = {0};
    flm_text_format(&text, "heaptrack %u.%u.%u", (unsigned)(version >> 16) & 0xff,
                    (unsigned)(version >> 8) & 0xff, (unsigned)version & 0xff);
    if (!text.failed)
        flm_builder_note(r->builder, "producer", text.at, text.size);
    flm_text_clear(&text);
}

static bool read_version(struct flm_heaptrack *r, struct flm_heaptrack_words w)
{
    uint64_t version;
    if (!flm_heaptrack_next_number(&w, &version))
        return flm_heaptrack_lose_line(r);
    /* Before 1.0 the version of the file was written as that of heaptrack. */
    if (!flm_heaptrack_next_number(&w, &r->version))
        r->version = version == 0x10200;
    r->has_version = true;
    note_version(r, version);
    if (r->version > NEWEST_VERSION)
        return flm_error_line(r->why, FLM_ERROR_FORMAT, r->lines.number,
                              "this is version %llu of heaptrack's files, of which flamel reads 1 "
                              "to %d",
                              (unsigned long long)r->version, NEWEST_VERSION);
    if (r->version == 0)
        return flm_error_line(
            r->why, FLM_ERROR_FORMAT, r->lines.number,
            "this was recorded by a heaptrack older than 1.0: record it again, or "
            "convert it with heaptrack_print --print-flamegraph");
    return true;
}

static bool read_line(struct flm_heaptrack *r, struct flm_bytes line)
{
    if (line.size == 0 || *line.at == '#')
        return true;
    if (line.size > 1 && line.at[1] != ' ')
        return flm_heaptrack_lose_line(r);
    struct flm_bytes rest = flm_bytes_from(line, line.size > 1 ? 2 : 1);
    struct flm_heaptrack_words words = {rest.at, rest.at + rest.size};
    switch (*line.at) {
    case '+':
        return read_allocation(r, words);
    case '-':
        return read_release(r, words);
    case 't':
        return flm_heaptrack_read_stack(r, words);
    case 'a':
        return flm_heaptrack_read_kind(r, words);
    case 's':
        return flm_heaptrack_read_string(r, rest);
    case 'i':
        return flm_heaptrack_read_address(r, words);
    case 'c':
        return read_time(r, words);
    case 'R':
        return read_resident(r, words);
    case 'v':
        return read_version(r, words);
    case 'X':
        flm_builder_note(r->builder, "command", rest.at, rest.size);
        return true;
    case 'I':
        return flm_heaptrack_next_number(&words, &r->page_size) || flm_heaptrack_lose_line(r);
    case 'A':
        flm_builder_note(r->builder, "attached", "to a running process", 20);
        return true;
    case 'S':
        return true; /* a leak that the program asks not to show */
    case 'x':
    case 'm':
        return flm_error_line(r->why, FLM_ERROR_FORMAT, r->lines.number,
                              "this is a raw recording (heaptrack --raw), which has no names of "
                              "functions: make one that has with heaptrack_interpret < FILE");
    default:
        return flm_heaptrack_lose_line(r);
    }
}

/* ---- The end of the recording ---------------------------------------------------------------- */

static void add_values(struct flm_heaptrack *r)
{
    struct flm_builder *b = r->builder;
    struct flm_metric allocations = flm_builder_metric(b, "allocations", "count");
    struct flm_metric temporary = flm_builder_metric(b, "temporary", "count");
    struct flm_metric peak = flm_builder_metric(b, "peak", "bytes");
    struct flm_metric leaked = flm_builder_metric(b, "leaked", "bytes");
    flm_builder_note(b, FLM_NOTE_SAMPLE_VALUES, "all metrics", 11);
    for (size_t i = 0; i < r->stacks.count; i++) {
        struct flm_heaptrack_stack *stack = &r->stacks.at[i];
        if (stack->allocations == 0)
            continue;
        keep_peak(r, stack);
        struct flm_node node = stack->node;
        if (node.index == 0) /* as heaptrack calls it */
            node = flm_builder_child(b, node, flm_builder_function(b, "??", 2));
        flm_builder_add(b, node, allocations, (double)stack->allocations);
        flm_builder_add(b, node, temporary, (double)stack->temporary);
        flm_builder_add(b, node, peak, (double)stack->at_peak);
        flm_builder_add(b, node, leaked, (double)stack->bytes);
    }
}

static bool read_heaptrack(struct flm_source *source, const struct flm_read_options *options,
                           struct flm_builder *builder, struct flm_error *why)
{
    struct flm_heaptrack r = {.builder = builder,
                              .options = options,
                              .why = why,
                              .lines = {.source = source, .why = why}};
    if (options->keep_times) {
        struct flm_string bytes = flm_builder_string(builder, "bytes", 5);
        r.heap = flm_builder_counter(builder, flm_builder_string(builder, "heap", 4), bytes,
                                     (struct flm_label_set){0});
        r.resident =
            flm_builder_counter(builder, flm_builder_string(builder, "resident memory", 15), bytes,
                                (struct flm_label_set){0});
    }
    bool good = FLM_ARRAY_ADD(&r.stacks, (struct flm_heaptrack_stack){0}) || flm_error_memory(why);
    struct flm_bytes line;
    while (good && flm_line_next(&r.lines, &line))
        good = read_line(&r, line) && (r.lines.number % 1024 || !flm_builder_failed(builder));
    good = (good || flm_builder_failed(builder)) && !r.lines.failed;
    if (good && !flm_builder_failed(builder) && !r.has_version)
        good = flm_error_set(why, FLM_ERROR_FORMAT, "no line 'v': this is no file of heaptrack");
    if (good && !flm_builder_failed(builder)) {
        add_point(&r);
        flm_heaptrack_add_nodes(&r);
        add_values(&r);
    }
    FLM_ARRAY_CLEAR(&r.strings);
    FLM_ARRAY_CLEAR(&r.frames);
    FLM_ARRAY_CLEAR(&r.addresses);
    FLM_ARRAY_CLEAR(&r.stacks);
    FLM_ARRAY_CLEAR(&r.kinds);
    flm_text_clear(&r.sized);
    return good;
}

/* "v 10400 3", then a line that begins with one of the letters that files begin with. */
static int sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (!flm_bytes_start_with(head, "v "))
        return FLM_SNIFF_NO;
    const char *end = flm_find(head.at, head.at + head.size, '\n');
    struct flm_heaptrack_words words = {head.at + 2, end};
    uint64_t number;
    if (!flm_heaptrack_next_number(&words, &number) ||
        (words.at < end && !flm_heaptrack_next_number(&words, &number)) || words.at < end)
        return FLM_SNIFF_NO;
    struct flm_bytes rest = flm_bytes_from(head, (size_t)(end - head.at));
    bool fits = flm_bytes_start_with(rest, "\nX ") || flm_bytes_start_with(rest, "\nI ") ||
                flm_bytes_start_with(rest, "\nx ") || flm_bytes_start_with(rest, "\n# ") ||
                flm_bytes_start_with(rest, "\ns ") || flm_bytes_start_with(rest, "\nA");
    return fits ? FLM_SNIFF_SURE : FLM_SNIFF_NO;
}

const struct flm_format flm_format_heaptrack = {
    .name = "heaptrack",
    .title = "heaptrack",
    .extensions = ".heaptrack",
    .description = "recordings of heaptrack: allocations, temporary ones, peak and leaked bytes",
    .metrics = FLM_METRICS_ALL,
    .sniff = sniff,
    .read = read_heaptrack,
};
