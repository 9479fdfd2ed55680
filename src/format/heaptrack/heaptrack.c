/* heaptrack.c - recordings of heaptrack: every allocation and every release, with its stack.
 *
 * A text of lines, each of which begins with a letter; all numbers are hexadecimal, and what a line
 * refers to stands before it:
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
 * The peak of each stack comes from one pass: a stack notes what it had when the peak last rose
 * before it changed, so that nothing is visited when the peak rises. */
#include "base/core/scan.h"
#include "base/number/number.h"
#include "base/text/line_reader.h"
#include "base/text/text.h"
#include "format/core/format.h"
#include "profile/internal.h"

enum { NEWEST_VERSION = 3 };

/* Frames that are inlined: of an address; of all stacks, beside what the size of the input
 * allows. */
enum { MOST_INLINED = 4095, MOST_IN_STACKS = 1 << 20 };

struct address {
    size_t first, count; /* of `frames`: the caller first */
    bool is_start;       /* stacks begin here */
    bool is_new;         /* operator new */
};

struct stack {
    uint32_t address, parent; /* both from 1; 0: none */
    struct flm_node node;
    bool is_needed;
    uint64_t allocations, temporary;
    uint64_t bytes; /* allocated and not released yet */
    uint64_t at_peak;
    uint64_t peak_seen; /* the number of the peak that `at_peak` is of */
};

struct kind {
    uint64_t size;
    uint32_t stack;
};

struct reading {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    struct flm_line_reader lines;
    uint64_t version;
    bool has_version;

    struct FLM_ARRAY(uint32_t) strings;
    struct FLM_ARRAY(struct flm_frame) frames;
    struct FLM_ARRAY(struct address) addresses;
    struct FLM_ARRAY(struct stack) stacks; /* [0]: of allocations without one */
    struct FLM_ARRAY(struct kind) kinds;
    struct flm_text sized; /* a string that has line ends in it */

    uint64_t bytes, peak, peak_count; /* allocated now; at most; how often that rose */
    uint64_t most_bytes;              /* since the last time */
    uint64_t last_kind;               /* that was allocated; 0 behind a release */
    uint64_t time_ms, page_size;
    bool has_events;
    struct flm_counter heap, resident;
    bool has_counters;
};

/* The hexadecimal numbers of a line, one after the other. */
struct words {
    const char *at, *end;
};

static bool next_number(struct words *w, uint64_t *value)
{
    while (w->at < w->end && *w->at == ' ')
        w->at++;
    uint64_t n = 0;
    const char *start = w->at;
    for (int digit; w->at < w->end && (digit = flm_hex_value(*w->at)) >= 0; w->at++) {
        if (n >> 60)
            return false;
        n = n << 4 | (unsigned)digit;
    }
    *value = n;
    return w->at > start && (w->at == w->end || *w->at == ' ');
}

static void lose(struct reading *r, const char *what)
{
    flm_builder_lost(r->builder, what, "line", r->lines.number, 1);
}

static bool lose_line(struct reading *r)
{
    lose(r, "malformed lines");
    return true;
}

static bool lose_reference(struct reading *r)
{
    lose(r, "references to what the file does not have");
    return true;
}

static uint32_t string_at(struct reading *r, uint64_t index)
{
    if (index == 0)
        return 0;
    if (index <= r->strings.count)
        return r->strings.at[index - 1];
    lose_reference(r);
    return 0;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A name with line ends in it is one of a macro or of a lambda. A number that is far larger is a
 * damaged one, which must not take the lines behind it away. */
enum { MOST_SIZED = 1 << 16 };

/* The text of a sized string: further lines, where it has line ends in it. */
static bool read_sized(struct reading *r, struct flm_bytes *text)
{
    struct words w = {text->at, text->at + text->size};
    uint64_t size;
    if (!next_number(&w, &size)) {
        text->size = 0;
        return lose_line(r);
    }
    w.at += w.at < w.end;
    *text = (struct flm_bytes){w.at, (size_t)(w.end - w.at)};
    if (text->size >= size) {
        text->size = (size_t)size;
        return true;
    }
    if (size > MOST_SIZED) { /* the line is all that is there of it */
        lose_line(r);
        return true;
    }
    r->sized.size = 0;
    flm_text_add(&r->sized, *text);
    struct flm_bytes line;
    while (r->sized.size < size && !r->sized.failed && flm_line_next(&r->lines, &line)) {
        flm_text_putc(&r->sized, '\n');
        flm_text_add(&r->sized, line);
    }
    if (r->sized.size != size)
        lose_line(r); /* it ends within a line, or with the file */
    *text = (struct flm_bytes){r->sized.at, r->sized.size < size ? r->sized.size : (size_t)size};
    return !r->sized.failed || flm_error_memory(r->why);
}

static bool read_string(struct reading *r, struct flm_bytes rest)
{
    if (r->version >= 3 && !read_sized(r, &rest))
        return false;
    uint32_t string = flm_builder_string(r->builder, rest.at, rest.size).index;
    return FLM_ARRAY_ADD(&r->strings, string) || flm_error_memory(r->why);
}

static bool add_frame(struct reading *r, uint32_t function, uint64_t file, uint64_t line,
                      uint32_t module)
{
    struct flm_frame_record record = {.function = function,
                                      .module = module,
                                      .file = string_at(r, file),
                                      .line = r->options->lines ? (uint32_t)line : 0,
                                      .kind = FLM_KIND_INLINED};
    struct flm_frame frame = flm_builder_frame(r->builder, &record);
    return FLM_ARRAY_ADD(&r->frames, frame) || flm_error_memory(r->why);
}

/* Whether the string is one of `count` names. */
static bool is_one_of(const struct reading *r, uint32_t string, const char *const *names,
                      size_t count)
{
    struct flm_bytes text = flm_interner_text(&r->builder->interner, string);
    for (size_t i = 0; i < count; i++)
        if (flm_bytes_are(text, names[i]))
            return true;
    return false;
}

/* Of an address without a function the name is the address, as heaptrack shows it. */
static bool add_unknown_frame(struct reading *r, uint64_t ip, uint32_t module, uint64_t file)
{
    struct flm_text name = {0};
    flm_text_format(&name, "0x%llx", (unsigned long long)ip);
    struct flm_frame_record record = {.function =
                                          flm_builder_string(r->builder, name.at, name.size).index,
                                      .module = module,
                                      .file = string_at(r, file),
                                      .address = ip,
                                      .kind = FLM_KIND_NATIVE,
                                      .flags = FLM_FRAME_UNSYMBOLIZED};
    bool good = !name.failed;
    flm_text_clear(&name);
    struct flm_frame frame = flm_builder_frame(r->builder, &record);
    return (good && FLM_ARRAY_ADD(&r->frames, frame)) || flm_error_memory(r->why);
}

static bool read_address(struct reading *r, struct words w)
{
    uint64_t ip, module, function = 0, file = 0, line = 0;
    if (!next_number(&w, &ip) || !next_number(&w, &module)) {
        lose_line(r);
        ip = module = 0;
    }
    uint32_t module_string = string_at(r, module);
    struct address address = {.first = r->frames.count};
    /* An exported function has neither file nor line. */
    bool has_function = next_number(&w, &function) && function != 0;
    if (next_number(&w, &file))
        next_number(&w, &line);
    if (!has_function && !add_unknown_frame(r, ip, module_string, file))
        return false;
    if (has_function) {
        static const char *const starts[] = {"main", "__libc_start_main",
                                             "__static_initialization_and_destruction_0"};
        static const char *const news[] = {
            "operator new(unsigned long)", "operator new[](unsigned long)",
            "operator new(unsigned int)", "operator new[](unsigned int)"};
        uint32_t name = string_at(r, function);
        address.is_start = is_one_of(r, name, starts, sizeof starts / sizeof *starts);
        address.is_new = is_one_of(r, name, news, sizeof news / sizeof *news);
        if (!add_frame(r, name, file, line, module_string))
            return false;
        while (next_number(&w, &function) && next_number(&w, &file) && next_number(&w, &line)) {
            /* The last one stays: it has the code. */
            if (r->frames.count - address.first > MOST_INLINED) {
                lose(r, "inlined frames of addresses with more than 4095");
                r->frames.count--;
            }
            if (!add_frame(r, string_at(r, function), file, line, module_string))
                return false;
        }
        /* The last one is the function that has the code; the others are inlined into it. */
        struct flm_frame *last = &r->frames.at[r->frames.count - 1];
        struct flm_frame_record record = r->builder->interner.frames[last->index];
        record.kind = FLM_KIND_NATIVE;
        *last = flm_builder_frame(r->builder, &record);
    }
    address.count = r->frames.count - address.first;
    for (size_t i = 0; i < address.count / 2; i++) {
        struct flm_frame *a = &r->frames.at[address.first + i];
        struct flm_frame *b = &r->frames.at[r->frames.count - 1 - i], swapped = *a;
        *a = *b;
        *b = swapped;
    }
    return FLM_ARRAY_ADD(&r->addresses, address) || flm_error_memory(r->why);
}

static bool read_stack(struct reading *r, struct words w)
{
    uint64_t address, parent;
    if (!next_number(&w, &address) || !next_number(&w, &parent)) {
        lose_line(r);
        address = parent = 0;
    }
    if (address > r->addresses.count || parent >= r->stacks.count) {
        lose_reference(r);
        address = parent = 0;
    }
    struct stack stack = {.address = (uint32_t)address, .parent = (uint32_t)parent};
    if (address > 0 && r->addresses.at[address - 1].is_new) {
        stack.address = r->stacks.at[parent].address;
        stack.parent = r->stacks.at[parent].parent;
    }
    return FLM_ARRAY_ADD(&r->stacks, stack) || flm_error_memory(r->why);
}

static bool read_kind(struct reading *r, struct words w)
{
    uint64_t size, stack;
    if (!next_number(&w, &size) || !next_number(&w, &stack)) {
        lose_line(r);
        size = stack = 0;
    }
    if (stack >= r->stacks.count) {
        lose_reference(r);
        stack = 0;
    }
    struct kind kind = {size, (uint32_t)stack};
    return FLM_ARRAY_ADD(&r->kinds, kind) || flm_error_memory(r->why);
}

/* ---- Events ---------------------------------------------------------------------------------- */

/* Called before the bytes of a stack change. */
static void keep_peak(const struct reading *r, struct stack *stack)
{
    if (stack->peak_seen < r->peak_count) {
        stack->at_peak = stack->bytes;
        stack->peak_seen = r->peak_count;
    }
}

static bool find_kind(struct reading *r, struct words w, uint64_t *index)
{
    if (!next_number(&w, index)) {
        lose_line(r);
        return false;
    }
    if (*index >= r->kinds.count) {
        lose_reference(r);
        return false;
    }
    r->has_events = true;
    return true;
}

static bool read_allocation(struct reading *r, struct words w)
{
    uint64_t index;
    if (!find_kind(r, w, &index))
        return true;
    const struct kind *kind = &r->kinds.at[index];
    struct stack *stack = &r->stacks.at[kind->stack];
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

static bool read_release(struct reading *r, struct words w)
{
    uint64_t index;
    if (!find_kind(r, w, &index))
        return true;
    const struct kind *kind = &r->kinds.at[index];
    struct stack *stack = &r->stacks.at[kind->stack];
    if (kind->size > stack->bytes) {
        lose(r, "releases of what was not allocated");
        return true;
    }
    keep_peak(r, stack);
    /* heaptrack takes a release of kind 0 behind another release for one of a temporary too. */
    stack->temporary += r->last_kind == index;
    r->last_kind = 0;
    stack->bytes -= kind->size;
    r->bytes -= kind->size;
    return true;
}

static int64_t time_ns(const struct reading *r)
{
    return r->time_ms < INT64_MAX / 1000000 ? (int64_t)r->time_ms * 1000000 : INT64_MAX;
}

static void add_point(struct reading *r)
{
    if (!r->options->keep_times)
        return;
    flm_builder_counter_point(r->builder, r->heap, time_ns(r), (double)r->most_bytes);
    r->most_bytes = r->bytes;
}

static bool read_time(struct reading *r, struct words w)
{
    uint64_t time;
    if (!next_number(&w, &time))
        return lose_line(r);
    if (time < r->time_ms) {
        lose(r, "times that go back");
        return true;
    }
    r->time_ms = time;
    add_point(r);
    return true;
}

static bool read_resident(struct reading *r, struct words w)
{
    uint64_t pages;
    if (!next_number(&w, &pages))
        return lose_line(r);
    if (r->options->keep_times && r->page_size)
        flm_builder_counter_point(r->builder, r->resident, time_ns(r),
                                  (double)pages * (double)r->page_size);
    return true;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static void note_version(struct reading *r, uint64_t version)
{
    struct flm_text text = {0};
    flm_text_format(&text, "heaptrack %u.%u.%u", (unsigned)(version >> 16) & 0xff,
                    (unsigned)(version >> 8) & 0xff, (unsigned)version & 0xff);
    if (!text.failed)
        flm_builder_note(r->builder, "producer", text.at, text.size);
    flm_text_clear(&text);
}

static bool read_version(struct reading *r, struct words w)
{
    uint64_t version;
    if (!next_number(&w, &version))
        return lose_line(r);
    /* Before 1.0 the version of the file was written as that of heaptrack. */
    if (!next_number(&w, &r->version))
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

static bool read_line(struct reading *r, struct flm_bytes line)
{
    if (line.size == 0 || *line.at == '#')
        return true;
    if (line.size > 1 && line.at[1] != ' ')
        return lose_line(r);
    struct flm_bytes rest = flm_bytes_from(line, line.size > 1 ? 2 : 1);
    struct words words = {rest.at, rest.at + rest.size};
    switch (*line.at) {
    case '+':
        return read_allocation(r, words);
    case '-':
        return read_release(r, words);
    case 't':
        return read_stack(r, words);
    case 'a':
        return read_kind(r, words);
    case 's':
        return read_string(r, rest);
    case 'i':
        return read_address(r, words);
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
        return next_number(&words, &r->page_size) || lose_line(r);
    case 'A':
        flm_builder_note(r->builder, "attached", "to a running process", 20);
        return true;
    case 'S':
        return true; /* a leak that the program wants not to be shown */
    case 'x':
    case 'm':
        return flm_error_line(r->why, FLM_ERROR_FORMAT, r->lines.number,
                              "this is a raw recording (heaptrack --raw), which has no names of "
                              "functions: make one that has with heaptrack_interpret < FILE");
    default:
        return lose_line(r);
    }
}

/* ---- Stacks ---------------------------------------------------------------------------------- */

/* A stack stands behind the one that called it, so nothing here needs recursion. */
static void add_nodes(struct reading *r)
{
    for (size_t i = r->stacks.count; i-- > 1;) {
        struct stack *stack = &r->stacks.at[i];
        stack->is_needed |= stack->allocations > 0;
        if (stack->is_needed && stack->address && !r->addresses.at[stack->address - 1].is_start)
            r->stacks.at[stack->parent].is_needed = true;
    }
    struct flm_node root = flm_builder_root(r->builder);
    uint64_t inlined = 0, most = MOST_IN_STACKS + 16 * (uint64_t)r->lines.number;
    r->stacks.at[0].node = root;
    for (size_t i = 1; i < r->stacks.count; i++) {
        struct stack *stack = &r->stacks.at[i];
        stack->node = root;
        if (!stack->is_needed || !stack->address)
            continue;
        const struct address *address = &r->addresses.at[stack->address - 1];
        struct flm_node parent = address->is_start ? root : r->stacks.at[stack->parent].node;
        size_t count = address->count;
        inlined += count - 1;
        if (count > 1 && inlined > most) {
            flm_builder_lost(r->builder, "inlined frames, of which there are too many", "", 0,
                             (double)(count - 1));
            inlined -= count - 1;
            count = 1;
        }
        stack->node = flm_builder_descend(r->builder, parent, r->frames.at + address->first, count);
    }
}

static void add_values(struct reading *r)
{
    struct flm_builder *b = r->builder;
    struct flm_metric allocations = flm_builder_metric(b, "allocations", "count");
    struct flm_metric temporary = flm_builder_metric(b, "temporary", "count");
    struct flm_metric peak = flm_builder_metric(b, "peak", "bytes");
    struct flm_metric leaked = flm_builder_metric(b, "leaked", "bytes");
    flm_builder_note(b, FLM_NOTE_SAMPLE_VALUES, "all metrics", 11);
    for (size_t i = 0; i < r->stacks.count; i++) {
        struct stack *stack = &r->stacks.at[i];
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
    struct reading r = {.builder = builder,
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
    bool good = FLM_ARRAY_ADD(&r.stacks, (struct stack){0}) || flm_error_memory(why);
    struct flm_bytes line;
    while (good && flm_line_next(&r.lines, &line))
        good = read_line(&r, line) && (r.lines.number % 1024 || !flm_builder_failed(builder));
    good = (good || flm_builder_failed(builder)) && !r.lines.failed;
    if (good && !flm_builder_failed(builder) && !r.has_version)
        good = flm_error_set(why, FLM_ERROR_FORMAT, "no line 'v': this is no file of heaptrack");
    if (good && !flm_builder_failed(builder)) {
        add_point(&r);
        add_nodes(&r);
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

/* "v 10400 3", and behind it a line of one of the letters that stand at the beginning. */
static int sniff(struct flm_bytes head, bool whole)
{
    (void)whole;
    if (!flm_bytes_start_with(head, "v "))
        return FLM_SNIFF_NO;
    const char *end = flm_find(head.at, head.at + head.size, '\n');
    struct words words = {head.at + 2, end};
    uint64_t number;
    if (!next_number(&words, &number) || (words.at < end && !next_number(&words, &number)) ||
        words.at < end)
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
