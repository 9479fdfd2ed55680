#include "format/folded/head.h"

#include "base/core/scan.h"
#include "base/number/number.h"
#include "format/core/format.h"
#include "format/core/other_files.h"

enum shape {
    NOTHING,       /* blank, or a comment */
    STACK,         /* with a ';' */
    FRAME,         /* a stack of one frame */
    DOUBTFUL,      /* it ends in a number, and could be anything */
    WITHOUT_VALUE, /* a stack whose value is missing */
    OTHER
};

static bool is_number(struct flm_bytes word)
{
    double value;
    return flm_number_parse(word, &value) != FLM_NUMBER_NONE;
}

/* How many numbers a line ends with, at most 2; *stack receives what is before them. */
static int trailing_numbers(struct flm_bytes line, struct flm_bytes *stack)
{
    const char *end = line.at + line.size;
    int numbers = 0;
    *stack = line;
    while (numbers < 2) {
        struct flm_bytes word = flm_folded_last_word(line.at, &end);
        if (word.size == 0 || !is_number(word))
            break;
        numbers++;
        stack->size = (size_t)(end - line.at);
        if (end == line.at) /* " 12": the empty stack */
            break;
    }
    return numbers;
}

static bool contains(struct flm_bytes text, char byte)
{
    return flm_find(text.at, text.at + text.size, byte) < text.at + text.size;
}

static bool has_parameters(struct flm_bytes name)
{
    for (size_t i = 0; i + 1 < name.size; i++)
        if (name.at[i] == ':' && name.at[i + 1] == ':')
            return true;
    return contains(name, '(') || contains(name, '<') || contains(name, '[');
}

static bool is_frame(struct flm_bytes name)
{
    while (name.size && flm_folded_is_blank(name.at[0])) {
        name.at++;
        name.size--;
    }
    struct flm_bytes first = name;
    first.size = 0;
    while (first.size < name.size && !flm_folded_is_blank(name.at[first.size]))
        first.size++;
    if (name.size == 0 || is_number(first))
        return false;
    if (flm_is_one_of(name.at[name.size - 1], ":,=|") && !flm_bytes_start_with(name, "operator") &&
        !has_parameters(name))
        return false;
    return first.size == name.size || has_parameters(name);
}

/* `line` has no blanks at its end. */
static enum shape shape_of(struct flm_bytes line, int *numbers)
{
    *numbers = 0;
    if (line.size == 0 || line.at[0] == '#')
        return NOTHING;
    struct flm_bytes stack;
    *numbers = trailing_numbers(line, &stack);
    bool has_frames = contains(line, ';');
    if (*numbers == 0)
        return has_frames && !flm_is_one_of(line.at[line.size - 1], ";{}") ? WITHOUT_VALUE : OTHER;
    if (has_frames)
        return STACK;
    return is_frame(stack) ? FRAME : DOUBTFUL;
}

struct head {
    int shapes[OTHER + 1]; /* lines of each shape */
    int valued;            /* lines with a number at their end */
    int two;               /* those of them with two */
    bool is_cut;           /* one line, longer than the head, with a ';' */

    enum shape wanted[2]; /* the first line of one of these shapes: */
    uint64_t line;        /* from 1; 0: none */
    struct flm_bytes text;
};

static struct head look_at(struct flm_bytes all, bool whole, enum shape wanted, enum shape other)
{
    struct head head = {.wanted = {wanted, other}};
    const char *at = all.at, *end = all.at + all.size;
    for (uint64_t number = 1; at < end; number++) {
        const char *newline = flm_find(at, end, '\n');
        struct flm_bytes line = {at, (size_t)(newline - at)};
        if (newline == end && !whole && (number > 1 || !contains(line, ';'))) {
            head.shapes[OTHER] += number == 1; /* no name is so long */
            break;                             /* the last line is cut off */
        }
        at = newline < end ? newline + 1 : end;
        while (line.size && flm_folded_is_blank(line.at[line.size - 1]))
            line.size--;
        int numbers;
        enum shape shape = shape_of(line, &numbers);
        if (newline == end && !whole && numbers == 0) {
            shape = STACK; /* its value is behind the head */
            head.is_cut = true;
        }
        head.shapes[shape]++;
        head.valued += numbers > 0;
        head.two += numbers == 2;
        if (head.line == 0 && (shape == wanted || shape == other)) {
            head.line = number;
            head.text = line;
        }
    }
    return head;
}

static bool has_many_frames(const struct head *h)
{
    int lines = h->shapes[STACK] + h->shapes[FRAME] + h->shapes[DOUBTFUL] + h->shapes[OTHER];
    return h->shapes[STACK] > 0 && h->shapes[STACK] * 10 >= lines;
}

int flm_folded_sniff(struct flm_bytes head, bool whole)
{
    struct head h = look_at(head, whole, OTHER, OTHER);
    int stacks = h.shapes[STACK] + h.shapes[FRAME], others = h.shapes[OTHER];
    *(has_many_frames(&h) ? &stacks : &others) += h.shapes[DOUBTFUL];
    if (flm_begins_json(head))
        return FLM_SNIFF_NO;
    if (stacks == 0) /* a file of broken lines is refused by the reader, line by line */
        return h.shapes[WITHOUT_VALUE] > others * 10 ? FLM_SNIFF_GUESS - 2 : FLM_SNIFF_NO;
    if (h.shapes[WITHOUT_VALUE] > stacks ||
        (others * 10 > stacks + others && (others > 1 || h.shapes[STACK] == 0)))
        return FLM_SNIFF_NO;
    return h.shapes[STACK] > 0 ? FLM_SNIFF_MIXED - 10 : FLM_SNIFF_POSSIBLE;
}

/* The beginning of a line, each of its runs of blanks as one. Returns the size. */
static size_t begin_of(struct flm_bytes line, char shown[64])
{
    enum { MOST = 60 };
    size_t size = 0, at = 0;
    for (; at < line.size && size < MOST; at++) {
        bool blank = flm_folded_is_blank(line.at[at]);
        if (!blank || (size > 0 && shown[size - 1] != ' '))
            shown[size++] = blank ? ' ' : line.at[at];
    }
    if (at == line.size)
        return size;
    while (size > 0 && (line.at[at] & 0xC0) == 0x80) /* not in the middle of a letter */
        size -= at-- > 0;
    memcpy(shown + size, "...", 3);
    return size + 3;
}

void flm_folded_explain(struct flm_bytes head, bool whole, struct flm_text *out)
{
    struct head h = look_at(head, whole, OTHER, OTHER);
    if (!has_many_frames(&h))
        h = look_at(head, whole, OTHER, DOUBTFUL);
    if (h.line == 0)
        h = look_at(head, whole, WITHOUT_VALUE, WITHOUT_VALUE);
    flm_text_puts(out, "folded lines end in a number after a stack");
    if (h.line == 0)
        return;
    char shown[64];
    size_t size = begin_of(h.text, shown);
    flm_text_format(out, ", and line %llu, '%.*s', does not", (unsigned long long)h.line, (int)size,
                    shown);
}

int flm_folded_columns(struct flm_bytes head)
{
    struct head h = look_at(head, false, OTHER, OTHER);
    return h.valued > 0 && !h.is_cut && h.two == h.valued ? 2 : 1;
}
