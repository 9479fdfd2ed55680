/* text.c - austin's text: folded stacks that begin with the process and the thread.
 *
 *     # austin: 3.7.0
 *     # interval: 1000
 *     # mode: full
 *
 *     P26177;T0:26177;<frozen site>:main:603;/srv/app.py:work:12 1088,0,-4096
 *     P26177;T0:26185 1134,0,0                                          no Python frames
 *     P26177;T0:26177;/srv/app.py:work:12;:GC: 1005,0,0                 collecting garbage
 *
 *     # duration: 2121503
 *
 *     T0:26185            since 3.6: interpreter, thread
 *     T26185, T0x7fd...   before
 *     Process 26177;Thread 26185;...        austin 1 and 2
 *
 * The value is that of the mode; in the mode "full" it is the time, whether the thread was idle,
 * and by how much memory changed. A file of another program may have sums of equal stacks instead
 * of single samples. Those are not in the order of time: samples have times only if a stack of the
 * same thread is twice in the beginning of the file. */
#include "base/core/scan.h"
#include "base/number/number.h"
#include "base/text/line_reader.h"
#include "format/austin/internal.h"

static bool take(struct flm_bytes *text, const char *prefix)
{
    if (!flm_bytes_start_with(*text, prefix))
        return false;
    *text = flm_bytes_from(*text, strlen(prefix));
    return true;
}

/* The text up to the next `separator`, which is passed; all of it, where there is none. */
static struct flm_bytes take_until(struct flm_bytes *text, char separator)
{
    const char *end = text->at + text->size, *found = flm_find(text->at, end, separator);
    struct flm_bytes taken = {text->at, (size_t)(found - text->at)};
    *text = found < end ? (struct flm_bytes){found + 1, (size_t)(end - found - 1)}
                        : (struct flm_bytes){end, 0};
    return taken;
}

static bool is_digits(struct flm_bytes text)
{
    size_t i = 0;
    while (i < text.size && text.at[i] >= '0' && text.at[i] <= '9')
        i++;
    return i == text.size && i > 0;
}

static bool is_hex(struct flm_bytes text)
{
    take(&text, "0x");
    size_t i = 0;
    while (i < text.size && flm_hex_value(text.at[i]) >= 0)
        i++;
    return i == text.size && i > 0;
}

/* Takes the process and the thread, with which each line begins; `stack` moves to its first
 * frame. */
static bool take_numbers(struct flm_bytes *stack, struct flm_austin_sample *s)
{
    if (!take(stack, "Process ") && !take(stack, "P"))
        return false;
    s->process = take_until(stack, ';');
    if (!is_digits(s->process) || (!take(stack, "Thread ") && !take(stack, "T")))
        return false;
    struct flm_bytes thread = take_until(stack, ';');
    s->interpreter = take_until(&thread, ':');
    s->thread = thread;
    if (thread.size == 0) {
        s->thread = s->interpreter;
        s->interpreter.size = 0;
    }
    return (s->interpreter.size == 0 || is_digits(s->interpreter)) && is_hex(s->thread);
}

/* Cuts the value off a line, behind its last blank. */
static bool split_value(struct flm_bytes line, struct flm_bytes *stack, struct flm_bytes *value)
{
    line = flm_bytes_trimmed(line);
    size_t start = line.size;
    while (start > 0 && line.at[start - 1] != ' ')
        start--;
    if (start == 0)
        return false;
    *value = flm_bytes_from(line, start);
    *stack = (struct flm_bytes){line.at, start - 1};
    return true;
}

struct reading {
    struct flm_austin austin;
    struct flm_line_reader lines;
    const struct flm_read_options *options;
    uint64_t first_invalid;
};

static bool parse_number(struct flm_bytes text, double *value)
{
    enum flm_number_kind kind = flm_number_parse(text, value);
    return kind == FLM_NUMBER_INTEGER || kind == FLM_NUMBER_DECIMAL;
}

/* 1088, or 1088,0,-4096. */
static bool parse_values(const struct flm_austin *a, struct flm_bytes text,
                         struct flm_austin_sample *s)
{
    struct flm_bytes value[FLM_AUSTIN_VALUES];
    size_t count = 0;
    while (text.size > 0 && count < FLM_AUSTIN_VALUES)
        value[count++] = take_until(&text, ',');
    int first = count == 1 && a->is_memory ? FLM_AUSTIN_MEMORY : FLM_AUSTIN_TIME;
    if (text.size > 0 || (count != 1 && count != FLM_AUSTIN_VALUES))
        return false;
    for (size_t i = 0; i < count; i++) {
        s->has[first + (int)i] = true;
        if (!parse_number(value[i], &s->value[first + (int)i]))
            return false;
    }
    return true;
}

/* False where a value cannot be kept. */
static bool check_values(struct reading *r, const struct flm_austin_sample *s)
{
    const char *reason = NULL;
    for (int i = 0; i < FLM_AUSTIN_VALUES; i++) {
        if (s->value[i] > FLM_SUM_LIMIT || s->value[i] < -FLM_SUM_LIMIT)
            reason = "a value is more than 2^1000, the most that is added up";
        else if (i != FLM_AUSTIN_MEMORY && s->value[i] < 0)
            reason = "the time is negative";
    }
    if (!reason)
        return true;
    if (r->options->lenient) {
        flm_builder_lost(r->austin.stack.builder, "lines with a value that cannot be used", "line",
                         r->lines.number, 1);
        return true;
    }
    return flm_error_line(r->lines.why, FLM_ERROR_RANGE, r->lines.number, "%s (--lenient skips it)",
                          reason);
}

static void read_comment(struct reading *r, struct flm_bytes line)
{
    line = flm_bytes_trimmed(flm_bytes_from(line, 1));
    struct flm_bytes key = take_until(&line, ':');
    if (line.size > 0)
        flm_austin_metadata(&r->austin, key, flm_bytes_trimmed(line));
}

static bool read_line(struct reading *r, struct flm_bytes line)
{
    struct flm_austin *a = &r->austin;
    struct flm_austin_sample s = {0};
    struct flm_bytes stack, value;
    if (flm_bytes_start_with(line, "#")) {
        read_comment(r, line);
        return true;
    }
    if (flm_bytes_trimmed(line).size == 0)
        return true;
    if (!split_value(line, &stack, &value) || !take_numbers(&stack, &s) ||
        !parse_values(a, value, &s)) {
        flm_builder_lost(a->stack.builder, "lines that are no samples", "line", r->lines.number, 1);
        if (r->first_invalid == 0)
            r->first_invalid = r->lines.number;
        return true;
    }
    if (!check_values(r, &s))
        return false;
    while (stack.size > 0) {
        struct flm_stack_frame frame;
        flm_austin_frame(take_until(&stack, ';'), &frame);
        flm_stack_frame(&a->stack, &frame);
    }
    flm_austin_add(a, &s);
    return true;
}

/* ---- The beginning of a file ----------------------------------------------------------------- */

struct head {
    bool has_version; /* # austin: */
    int samples, others;
    bool has_order; /* a stack of a thread is there twice */
};

static struct head look_at(struct flm_bytes bytes, bool whole)
{
    enum { WINDOW = 64 };
    struct flm_bytes recent[WINDOW], line, stack, value, rest;
    struct flm_source source = flm_source_of(bytes);
    struct flm_line_reader lines = {.source = &source};
    struct head head = {0};
    size_t count = 0;
    while (flm_line_next(&lines, &line)) {
        struct flm_austin_sample s = {0};
        struct flm_stack_frame frame = {0};
        head.has_version |= flm_bytes_start_with(line, "# austin: ");
        if (line.size == 0 || line.at[0] == '#' || (!whole && source.at + lines.size == source.end))
            continue; /* the last one may be cut off */
        bool valid = split_value(line, &stack, &value);
        rest = stack;
        valid =
            valid && take_numbers(&rest, &s) && parse_values(&(struct flm_austin){0}, value, &s);
        if (valid && rest.size > 0)
            flm_austin_frame(take_until(&rest, ';'), &frame);
        *(valid && frame.file.size > 0 ? &head.samples : &head.others) += !valid || frame.line > 0;
        for (size_t i = 0; valid && i < WINDOW && i < count; i++)
            head.has_order |= flm_bytes_equal(recent[i], stack);
        if (valid)
            recent[count++ % WINDOW] = stack;
    }
    return head;
}

static bool read_austin(struct flm_source *source, const struct flm_read_options *options,
                        struct flm_builder *builder, struct flm_error *why)
{
    enum { HEAD_SIZE = 1 << 16 };
    struct reading r = {.lines = {.source = source, .why = why}, .options = options};
    struct flm_bytes line;
    if (!flm_source_fill(source, HEAD_SIZE, why))
        return false;
    size_t size = (size_t)(source->end - source->at);
    flm_austin_begin(&r.austin, builder, options);
    r.austin.has_times =
        look_at((struct flm_bytes){source->at, size < HEAD_SIZE ? size : HEAD_SIZE}, false)
            .has_order;
    bool good = true;
    while (good && flm_line_next(&r.lines, &line) && !flm_builder_failed(builder))
        good = read_line(&r, line);
    good = good && !r.lines.failed;
    if (good && !r.austin.has_samples && !flm_builder_failed(builder))
        good = r.first_invalid
                   ? flm_error_line(why, FLM_ERROR_FORMAT, r.first_invalid,
                                    "this is no sample of austin (P1;T0:1;file:function:line 12), "
                                    "and there is no other")
                   : flm_error_set(why, FLM_ERROR_FORMAT, "it has no samples");
    flm_austin_clear(&r.austin);
    return good;
}

static int sniff_austin(struct flm_bytes bytes, bool whole)
{
    if (!flm_bytes_start_with(bytes, "#") && !flm_bytes_start_with(bytes, "P"))
        return FLM_SNIFF_NO;
    struct head head = look_at(bytes, whole);
    if (head.has_version && head.others <= head.samples)
        return FLM_SNIFF_SURE;
    return head.samples > 0 && head.others == 0 ? FLM_SNIFF_LIKELY : FLM_SNIFF_NO;
}

const struct flm_format flm_format_austin = {
    .name = "austin",
    .title = "Austin",
    .extensions = ".austin",
    .description = "samples of austin, the profiler of Python, as text",
    .has_times = true,
    .keeps_labels = true,
    .sniff = sniff_austin,
    .read = read_austin,
};
