#include "base/core/scan.h"
#include "format/text/internal.h"

#include "base/number/number.h"
#include "profile/internal.h"

/* The size of a control sequence for a terminal (ECMA-48) at the beginning of `text`: of one that
 * sets colors (CSI) or a set of characters, as tput writes it; 0 if it is neither. */
static size_t control_size(struct flm_bytes text)
{
    size_t size = 2;
    if (text.size < 3 || text.at[0] != '\x1b')
        return 0;
    if (text.at[1] == '(')
        return 3;
    if (text.at[1] != '[')
        return 0;
    while (size < text.size && text.at[size] >= ' ' && text.at[size] < '@')
        size++;
    return size < text.size && text.at[size] >= '@' && text.at[size] <= '~' ? size + 1 : 0;
}

/* py-spy and gdb write colors where their output is a terminal, as that of script(1) is. */
static struct flm_bytes plain_line(struct flm_text_reading *r, struct flm_bytes line)
{
    if (line.size == 0 || !memchr(line.at, '\x1b', line.size))
        return line;
    r->plain.size = 0;
    while (line.size > 0) {
        size_t control = control_size(line);
        if (control == 0)
            flm_text_putc(&r->plain, *line.at);
        line = flm_bytes_from(line, control > 0 ? control : 1);
    }
    if (r->plain.failed)
        flm_builder_fail_memory(r->stack.builder);
    return (struct flm_bytes){r->plain.at, r->plain.size};
}

bool flm_text_read(struct flm_text_reading *r, struct flm_source *source,
                   const struct flm_read_options *options, struct flm_builder *builder,
                   struct flm_error *why, void (*line)(void *reading, struct flm_bytes line),
                   void (*end)(void *reading))
{
    struct flm_bytes text;
    r->lines = (struct flm_line_reader){.source = source, .why = why};
    r->stack.builder = builder;
    r->stack.options = options;
    while (!r->failed && !flm_builder_failed(builder) && flm_line_next(&r->lines, &text))
        line(r, plain_line(r, text));
    if (end && !r->failed && !r->lines.failed)
        end(r);
    flm_stack_clear(&r->stack);
    flm_text_clear(&r->plain);
    if (r->failed || r->lines.failed)
        return false;
    return r->has_samples || flm_builder_failed(builder) ||
           flm_error_set(why, FLM_ERROR_FORMAT, "it has no stacks");
}

void flm_text_add_stack(struct flm_text_reading *r, enum flm_stack_order order, double value)
{
    flm_stack_add(&r->stack, order, FLM_NO_TIME, r->metric, value);
    flm_stack_begin(&r->stack);
    r->has_samples = true;
}

bool flm_text_skip(struct flm_bytes *text, const char *prefix)
{
    if (!flm_bytes_start_with(*text, prefix))
        return false;
    *text = flm_bytes_from(*text, strlen(prefix));
    return true;
}

bool flm_text_take_uint(struct flm_bytes *text, uint64_t *number)
{
    size_t size = 0;
    while (size < text->size && text->at[size] >= '0' && text->at[size] <= '9')
        size++;
    if (!flm_number_parse_uint((struct flm_bytes){text->at, size}, number))
        return false;
    *text = flm_bytes_from(*text, size);
    return true;
}

bool flm_text_take_until(struct flm_bytes *text, const char *mark, struct flm_bytes *taken)
{
    size_t size = strlen(mark);
    const char *end = text->at + text->size;
    for (const char *at = text->at; (at = flm_find(at, end, *mark)) < end; at++) {
        if ((size_t)(end - at) < size)
            break;
        if (memcmp(at, mark, size) != 0)
            continue;
        *taken = (struct flm_bytes){text->at, (size_t)(at - text->at)};
        *text = flm_bytes_from(*text, taken->size + size);
        return true;
    }
    return false;
}

bool flm_text_split_last(struct flm_bytes text, const char *mark, struct flm_bytes *before,
                         struct flm_bytes *after)
{
    size_t size = strlen(mark);
    for (size_t i = text.size; i >= size && i > 0; i--) {
        if (memcmp(text.at + i - size, mark, size) != 0)
            continue;
        *before = (struct flm_bytes){text.at, i - size};
        *after = flm_bytes_from(text, i);
        return true;
    }
    return false;
}

size_t flm_text_indent(struct flm_bytes line)
{
    size_t size = 0;
    while (size < line.size && line.at[size] == ' ')
        size++;
    return size;
}

struct flm_stack_frame flm_text_symbol(struct flm_bytes text)
{
    struct flm_stack_frame frame = {.function = flm_bytes_trimmed(text)};
    struct flm_bytes name, rest, digits;
    uint64_t number;
    if (flm_text_split_last(frame.function, "`", &rest, &name)) {
        frame.module = rest;
        frame.function = name;
    }
    if (flm_text_split_last(frame.function, "+", &name, &rest) && name.size > 0) {
        digits = rest;
        bool is_hex = flm_text_skip(&digits, "0x");
        if (is_hex ? flm_number_parse_hex(digits, &number) : flm_number_parse_uint(rest, &number))
            frame.function = flm_bytes_trimmed(name);
    }
    digits = frame.function;
    if (flm_text_skip(&digits, "0x") && flm_number_parse_hex(digits, &number)) {
        frame.flags = FLM_FRAME_UNSYMBOLIZED;
        frame.address = number;
    }
    return frame;
}

void flm_text_tree_leave(struct flm_text_tree *t, struct flm_text_reading *r, size_t depth)
{
    for (; t->path.count > depth; t->path.count--) {
        double rest = t->path.at[t->path.count - 1].rest;
        if (rest <= 0)
            continue;
        r->stack.frames.count = 0;
        for (size_t i = 0; i < t->path.count; i++)
            if (!FLM_ARRAY_ADD(&r->stack.frames, t->path.at[i].frame))
                flm_builder_fail_memory(r->stack.builder);
        flm_stack_add(&r->stack, FLM_ROOT_FIRST, FLM_NO_TIME, r->metric, rest);
        r->stack.frames.count = 0;
        r->has_samples = true;
    }
}

void flm_text_tree_row(struct flm_text_tree *t, struct flm_text_reading *r, size_t depth,
                       double value)
{
    if (r->stack.frames.count == 0)
        return;
    struct flm_frame frame = r->stack.frames.at[r->stack.frames.count - 1];
    flm_text_tree_leave(t, r, depth);
    if (t->path.count > 0 && !t->path.at[t->path.count - 1].is_final)
        t->path.at[t->path.count - 1].rest -= value;
    if (!FLM_ARRAY_ADD(&t->path, (struct flm_text_tree_row){frame, value, false}))
        flm_builder_fail_memory(r->stack.builder);
    r->stack.frames.count = 0;
}
