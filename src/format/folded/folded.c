/* folded.c - folded stacks: one stack per line, root first, and its value.
 *
 *     main;parse;read_[k] 42              names are split at ';', the value follows the last
 *     main;operator new(unsigned long) 7  space, so names may contain spaces
 *     main;parse 40 44                    two values: before and after (difffolded.pl)
 *
 * Producers also write comments (# ...), blank lines, CRLF, fractions, and marks after names for
 * their kind: _[k] kernel, _[i] inlined, _[j] jit, _[1] first jit tier, _[0] interpreted, _[w]
 * waker. Where austin wrote "P123;T0:124;..." the first two names are the process and the thread:
 * labels of a sample, and no frames, or frames that are labels (by_thread). Empty names are kept as
 * frames without a name. A value of 0 is read and not kept. A line without a value is skipped and
 * counted; a value that cannot be kept (negative, not finite, above 2^1000) is refused, unless the
 * caller is lenient. A value of 2^53 or more may have to be rounded: that is counted.
 *
 * Most files are sorted, and then a line repeats most of the previous one. So each line is first
 * compared with the previous one, 16 bytes at a time; the frames up to the last ';' that they share
 * are known, and only the rest is parsed. In a shuffled file the rest is the whole line, and the
 * builder (profile/builder.c) keeps that cheap. */
#include "format/folded/folded.h"

#include <stdlib.h>

#include "base/core/array.h"
#include "base/core/scan.h"
#include "base/number/number.h"
#include "format/core/format.h"
#include "format/folded/head.h"
#include "profile/internal.h"

static const struct {
    char mark;
    uint32_t kind;
} marks[] = {
    {'k', FLM_KIND_KERNEL},    {'i', FLM_KIND_INLINED},     {'j', FLM_KIND_JIT},
    {'1', FLM_KIND_JIT_TIER1}, {'0', FLM_KIND_INTERPRETED}, {'w', FLM_KIND_WAKER},
    {'g', FLM_KIND_GPU},
};

char flm_folded_mark(uint32_t kind)
{
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (marks[i].kind == kind)
            return marks[i].mark;
    return 0;
}

uint32_t flm_folded_kind(char mark)
{
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (marks[i].mark == mark)
            return marks[i].kind;
    return FLM_KIND_COUNT;
}

struct reading {
    struct flm_builder *builder;
    const struct flm_read_options *options;
    struct flm_error *why;
    struct flm_metric metric[2]; /* of the first and the second value of a line */
    uint64_t line;               /* the current one, from 1 */
    bool annotated;

    /* The previous line: where it begins (in the window), its size, where the name after its i-th
     * ';' begins, and the node of all its frames. */
    const char *previous;
    size_t previous_size;
    size_t *name_starts;
    size_t name_capacity, frame_count; /* of the previous line; name_starts[0] is 0 */
    struct flm_node node;
    size_t label_count;          /* its first names that are labels: they have no node */
    struct flm_label_set labels; /* these */

    struct FLM_ARRAY(struct flm_frame) frames; /* of the current line, those that are not shared */
    bool anything;                             /* a line had a value */
    char first_malformed[100];
    uint64_t first_malformed_line;
};

/* A name without its mark; *kind receives the kind that it marks. */
static struct flm_bytes without_mark(struct reading *r, struct flm_bytes name, uint32_t *kind)
{
    *kind = FLM_KIND_PLAIN;
    const char *end = name.at + name.size;
    if (name.size >= 4 && end[-1] == ']' && end[-3] == '[' && end[-4] == '_') {
        uint32_t marked = flm_folded_kind(end[-2]);
        if (marked != FLM_KIND_COUNT) {
            *kind = marked;
            name.size -= 4;
            r->annotated = true;
        }
    }
    return name;
}

/* Whether the name stands for an unsymbolized address: "[unknown]", the address itself, or its
 * library, "[libc.so.6]", as stackcollapse-perf.pl writes them. */
static bool is_unsymbolized(struct flm_bytes name)
{
    if (flm_bytes_are(name, "[unknown]"))
        return true;
    if (flm_bytes_start_with(name, "0x")) {
        size_t digits = 2;
        while (digits < name.size && flm_is_one_of(name.at[digits], "0123456789abcdefABCDEF"))
            digits++;
        return digits == name.size && digits > 2;
    }
    if (!flm_bytes_start_with(name, "[") || !flm_bytes_end_with(name, "]"))
        return false;
    for (size_t i = 0; i + 3 <= name.size; i++)
        if (memcmp(name.at + i, ".so", 3) == 0)
            return true;
    return flm_bytes_start_with(name, "[[");
}

static uint32_t frame_of(struct flm_interner *interner, struct flm_bytes name, uint32_t kind)
{
    bool special = name.size > 2 && (name.at[0] == '[' || name.at[0] == '0');
    if (!special || !is_unsymbolized(name))
        return flm_interner_function(interner, name, kind);
    struct flm_frame_record record = {.function = flm_interner_string(interner, name),
                                      .kind = kind,
                                      .flags = FLM_FRAME_UNSYMBOLIZED};
    return record.function == FLM_NONE ? FLM_NONE : flm_interner_frame(interner, &record);
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* "P123" at depth 0 and "T0:124", or "T124", at depth 1. */
static bool is_number_of(struct flm_bytes name, char letter)
{
    if (name.size < 2 || name.at[0] != letter || !is_digit(name.at[1]))
        return false;
    size_t colons = 0;
    for (size_t i = 1; i < name.size; i++) {
        colons += name.at[i] == ':';
        if (!is_digit(name.at[i]) && (name.at[i] != ':' || i + 1 == name.size))
            return false;
    }
    return colons <= (letter == 'T' ? 1 : 0);
}

/* Whether the first names of a stack, which is [start, end), are austin's process and thread. */
static bool has_numbers(const char *start, const char *end, struct flm_bytes *process,
                        struct flm_bytes *thread)
{
    if (*start != 'P')
        return false;
    const char *process_end = flm_find(start, end, ';');
    *process = (struct flm_bytes){start, (size_t)(process_end - start)};
    if (process_end == end || !is_number_of(*process, 'P'))
        return false;
    *thread = (struct flm_bytes){process_end + 1, 0};
    thread->size = (size_t)(flm_find(thread->at, end, ';') - thread->at);
    return is_number_of(*thread, 'T');
}

/* "T0:124": interpreter 0, thread 124. */
static struct flm_label_set label_set_of(struct flm_builder *b, struct flm_bytes process,
                                         struct flm_bytes thread)
{
    const char *end = thread.at + thread.size, *number = flm_find(thread.at, end, ':');
    number = number < end ? number : thread.at;
    const struct flm_string labels[] = {
        flm_builder_string(b, "process", 7),
        flm_builder_string(b, process.at + 1, process.size - 1),
        flm_builder_string(b, "thread", 6),
        flm_builder_string(b, number + 1, (size_t)(end - number - 1)),
    };
    return flm_builder_label_set(b, labels, 2);
}

static bool add_label(struct reading *r, struct flm_bytes name)
{
    uint32_t frame = flm_interner_function(&r->builder->interner, name, FLM_KIND_LABEL);
    if (frame == FLM_NONE || !FLM_ARRAY_ADD(&r->frames, (struct flm_frame){frame}))
        return flm_error_memory(r->why);
    return true;
}

/* Adds the frames of the process and the thread, where they are wanted; otherwise they are the
 * sample's labels. */
static bool add_numbers(struct reading *r, struct flm_bytes process, struct flm_bytes thread)
{
    if (r->options->by_thread)
        return add_label(r, process) && add_label(r, thread);
    r->label_count = 2;
    if (r->options->keep_times)
        r->labels = label_set_of(r->builder, process, thread);
    return true;
}

static bool add_frame(struct reading *r, struct flm_bytes name)
{
    uint32_t kind;
    name = without_mark(r, name, &kind);
    uint32_t frame = frame_of(&r->builder->interner, name, kind);
    if (frame == FLM_NONE || !FLM_ARRAY_ADD(&r->frames, (struct flm_frame){frame}))
        return flm_error_memory(r->why);
    return true;
}

enum verdict { VALUE_GOOD, VALUE_NONE, VALUE_REFUSED };

static enum verdict parse_value(struct reading *r, struct flm_bytes word, double *value)
{
    if (word.size > 0 && word.size <= 15) {
        uint64_t digits = 0;
        size_t i = 0;
        for (; i < word.size && (unsigned char)(word.at[i] - '0') < 10; i++)
            digits = digits * 10 + (unsigned char)(word.at[i] - '0');
        if (i == word.size) {
            *value = (double)digits;
            return VALUE_GOOD;
        }
    }
    const char *reason;
    enum flm_number_kind kind = flm_number_parse(word, value);
    if (kind == FLM_NUMBER_NONE)
        return VALUE_NONE;
    if (kind == FLM_NUMBER_SPECIAL)
        reason = "is not a finite number";
    else if (*value < 0 && !r->options->allow_negative)
        reason = "is negative: --signed reads differences";
    else if (*value > FLM_SUM_LIMIT || *value < -FLM_SUM_LIMIT)
        reason = "is more than 2^1000, the most that is added up";
    else
        return VALUE_GOOD;
    if (r->options->lenient)
        flm_builder_lost(r->builder, "lines with a value that cannot be used", "line", r->line, 1);
    else
        flm_error_line(r->why, FLM_ERROR_RANGE, r->line, "the value '%.*s' %s (--lenient skips it)",
                       (int)word.size, word.at, reason);
    return VALUE_REFUSED;
}

static void lose_line(struct reading *r, const char *start, const char *end)
{
    if (r->first_malformed_line == 0) {
        struct flm_text text;
        flm_text_init_fixed(&text, r->first_malformed, sizeof r->first_malformed - 1);
        flm_text_format(&text, "%.*s", end - start > 60 ? 60 : (int)(end - start), start);
        r->first_malformed[text.size] = 0;
        r->first_malformed_line = r->line;
    }
    flm_builder_lost(r->builder, "lines without a value", "line", r->line, 1);
}

/* The values of a line, and the end of its stack. */
struct values {
    double value[2];
    uint64_t rounded; /* how many of them are of 2^53 or more, and not exactly what is written */
    const char *stack_end;
};

static enum verdict parse_values(struct reading *r, const char *start, const char *end,
                                 struct values *v)
{
    while (end > start && flm_folded_is_blank(end[-1]))
        end--;
    struct flm_bytes word = flm_folded_last_word(start, &end);
    v->value[1] = 0;
    enum verdict verdict = word.size ? parse_value(r, word, &v->value[0]) : VALUE_NONE;
    v->rounded = verdict == VALUE_GOOD && flm_number_is_rounded(word, v->value[0]);
    if (verdict == VALUE_GOOD && r->options->columns == 2) {
        v->value[1] = v->value[0];
        word = flm_folded_last_word(start, &end);
        verdict = word.size ? parse_value(r, word, &v->value[0]) : VALUE_NONE;
        v->rounded += verdict == VALUE_GOOD && flm_number_is_rounded(word, v->value[0]);
    }
    v->stack_end = end;
    return verdict;
}

/* Deep enough for any recursion; a few bytes of gzip can stand for much more. */
enum { MOST_FRAMES = 1 << 22 };

static bool grow_names(struct reading *r, size_t count)
{
    if (count > MOST_FRAMES)
        return flm_error_line(r->why, FLM_ERROR_RANGE, r->line,
                              "a stack of more than %d frames: this is not a profile", MOST_FRAMES);
    void *starts = r->name_starts;
    bool room = flm_grow(&starts, &r->name_capacity, count, sizeof *r->name_starts);
    r->name_starts = starts;
    if (r->name_capacity > MOST_FRAMES) /* otherwise deeper stacks would not be noticed */
        r->name_capacity = MOST_FRAMES;
    return room || flm_error_memory(r->why);
}

/* The number of frames that this line shares with the previous one; r->node becomes their node. */
static size_t shared_frames(struct reading *r, const char *start, const char *end)
{
    size_t limit =
        (size_t)(end - start) < r->previous_size ? (size_t)(end - start) : r->previous_size;
    size_t common = flm_common_prefix(r->previous, start, limit);
    size_t depth = r->frame_count, shared = depth;
    while (shared > 0 && r->name_starts[shared] > common)
        shared--;
    /* Finding the node means walking up; if little is shared, starting at the root is cheaper. A
     * process behind the labels may be one more, if this line has its thread. */
    size_t labels = r->label_count;
    if (shared * 2 + 8 < depth || shared < labels ||
        (shared <= labels + 1 && start + r->name_starts[labels] < end &&
         start[r->name_starts[labels]] == 'P'))
        shared = 0;
    for (; depth > shared && depth > r->label_count; depth--)
        r->node.index = r->builder->nodes[r->node.index].parent;
    if (shared == 0) {
        r->node.index = 0;
        r->label_count = 0;
        r->labels.index = 0;
    }
    return shared;
}

static void add_values(struct reading *r, const struct values *v)
{
    struct flm_builder *b = r->builder;
    bool both = r->options->columns == 2;
    if (r->labels.index == 0) {
        flm_builder_add(b, r->node, r->metric[0], v->value[0]);
        if (both)
            flm_builder_add(b, r->node, r->metric[1], v->value[1]);
        return;
    }
    flm_builder_sample(b, FLM_NO_TIME, r->node, r->labels, r->metric[0], v->value[0]);
    if (both)
        flm_builder_sample_add(b, r->metric[1], v->value[1]);
}

/* Reads the line at `start`, which ends (with a '\n') before `end`; *next receives the beginning of
 * the next one, or NULL where the line is not complete in this window. */
static bool read_line(struct reading *r, const char *start, const char *end, bool last,
                      const char **next)
{
    size_t shared = shared_frames(r, start, end);
    const char *name = start + (shared ? r->name_starts[shared] : 0);
    size_t count = 0; /* names after the shared ones that end with ';' */
    const char *at = name;
    for (;;) {
        at = flm_find_either(at, end, ';', '\n');
        if (at == end || *at == '\n')
            break;
        at++;
        count++;
        if (shared + count >= r->name_capacity && !grow_names(r, shared + count + 1))
            return false;
        r->name_starts[shared + count] = (size_t)(at - start);
    }
    if (at == end && !last) {
        *next = NULL;
        r->frame_count = 0; /* shared_frames() moved r->node: the previous line cannot be reused */
        return true;
    }
    *next = at < end ? at + 1 : end;

    /* Until the line is known to be good, the previous line has the frames that both share. */
    r->previous = start;
    r->previous_size = (size_t)(at - start);
    r->frame_count = shared;

    const char *last_name = count ? start + r->name_starts[shared + count] : name;
    if (shared == 0 && (start == at || *start == '#'))
        return true;
    struct values v;
    enum verdict verdict = parse_values(r, last_name, at, &v);
    if (verdict == VALUE_REFUSED)
        return r->options->lenient;
    if (verdict == VALUE_NONE) {
        const char *text = start;
        while (text < at && flm_folded_is_blank(*text))
            text++;
        if (text < at)
            lose_line(r, start, at);
        return true;
    }
    r->anything = true;
    if (v.value[0] == 0 && v.value[1] == 0)
        return true;

    bool no_stack = shared + count == 0 && v.stack_end == last_name; /* " 12": the empty stack */
    r->frames.count = 0;
    struct flm_bytes process, thread;
    size_t first = 0, names = count + !no_stack; /* of those that are not shared */
    if (shared == 0 && has_numbers(start, v.stack_end, &process, &thread)) {
        if (!add_numbers(r, process, thread))
            return false;
        first = 2;
        /* No stack begins with numbers, so that it reads back as it is written. */
        while (r->label_count > 0 && first < count &&
               has_numbers(start + r->name_starts[first], v.stack_end, &process, &thread))
            r->label_count = first += 2;
    }
    for (size_t i = first; i < names; i++) {
        const char *from = i ? start + r->name_starts[shared + i] : name;
        const char *to = i < count ? start + r->name_starts[shared + i + 1] - 1 : v.stack_end;
        if (!add_frame(r, (struct flm_bytes){from, (size_t)(to - from)}))
            return false;
    }
    r->node = flm_builder_descend(r->builder, r->node, r->frames.at, r->frames.count);
    flm_builder_rounded(r->builder, v.rounded);
    add_values(r, &v);
    if (flm_builder_failed(r->builder))
        return true; /* flm_builder_finish reports the error */
    /* The frame before the value has no ';' after it, so name_starts cannot share it: the next line
     * starts from the node of its parent. */
    r->frame_count = shared + count;
    if (!no_stack && shared + count >= r->label_count)
        r->node.index = r->builder->nodes[r->node.index].parent;
    return true;
}

static bool read_window(struct reading *r, struct flm_source *source)
{
    const char *reported = source->at;
    enum { REPORT_EVERY = 4 << 20 };
    while (source->at < source->end && !flm_builder_failed(r->builder)) {
        r->line++;
        const char *next = NULL;
        if (!read_line(r, source->at, source->end, source->last, &next))
            return false;
        if (!next) {
            r->line--;
            break;
        }
        source->at = next;
        if (next - reported > REPORT_EVERY) {
            if (!flm_source_progress(source, (uint64_t)(next - reported), r->why))
                return false;
            reported = next;
        }
    }
    return flm_source_progress(source, (uint64_t)(source->at - reported), r->why);
}

static bool read_folded(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    struct reading r = {.builder = builder, .options = options, .why = why, .previous = ""};
    if (options->columns == 2) {
        /* Flame graphs of differences have the widths of `after`, so it is the default metric. */
        r.metric[1] = flm_builder_metric(builder, "after", "samples");
        r.metric[0] = flm_builder_metric(builder, "before", "samples");
    } else {
        r.metric[0] = flm_builder_metric(builder, "samples", "samples");
    }
    bool good = grow_names(&r, 64);
    if (good)
        r.name_starts[0] = 0;
    while (good) {
        good = read_window(&r, source);
        if (!good || source->last || flm_builder_failed(builder))
            break;
        /* The next window may be at another address: the previous line is forgotten. */
        r.previous = "";
        r.previous_size = r.frame_count = 0;
        r.node.index = 0;
        good = flm_source_more(source, why);
    }
    if (good && r.annotated)
        flm_builder_note(builder, FLM_NOTE_ANNOTATED, "1", 1);
    if (good && !r.anything && r.first_malformed_line)
        good = flm_error_line(why, FLM_ERROR_FORMAT, r.first_malformed_line,
                              "no value after the stack in '%s', and no other line has one",
                              r.first_malformed);
    free(r.name_starts);
    FLM_ARRAY_CLEAR(&r.frames);
    return good;
}

static void prepare_folded(struct flm_bytes head, struct flm_read_options *options)
{
    if (options->columns == 0)
        options->columns = flm_folded_columns(head);
}

static size_t cut_folded(struct flm_bytes all, size_t wanted)
{
    const char *end = all.at + all.size, *newline = flm_find(all.at + wanted, end, '\n');
    return newline < end ? (size_t)(newline + 1 - all.at) : all.size;
}

const struct flm_format flm_format_folded = {
    .name = "folded",
    .title = "Folded stacks",
    .extensions = ".folded .collapsed .txt",
    .description = "folded stacks: main;parse;read 42",
    .also_loses = "the name of the metric, notes",
    .holds = FLM_HOLDS_WEIGHTS | FLM_HOLDS_KINDS_ANNOTATED | FLM_HOLDS_EMPTY_STACK,
    .metrics = FLM_METRICS_ONE,
    .sniff = flm_folded_sniff,
    .explain = flm_folded_explain,
    .prepare = prepare_folded,
    .read = read_folded,
    .cut = cut_folded,
    .write = flm_folded_write,
};

const struct flm_format flm_format_difffolded = {
    .name = "difffolded",
    .title = "Folded stacks with two values",
    .extensions = ".difffolded",
    .description = "folded stacks with two values, before and after (read as folded)",
    .also_loses = "the name of the metric, notes",
    .holds = FLM_HOLDS_WEIGHTS | FLM_HOLDS_KINDS_ANNOTATED | FLM_HOLDS_EMPTY_STACK,
    .metrics = FLM_METRICS_PAIR,
    .write = flm_folded_write_difference,
};
