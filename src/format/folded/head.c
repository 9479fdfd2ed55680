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
    LOG,           /* what follows is none, though it may end in a number */
    TABLE,
    CODE,
    METRICS,
    OTHER
};

static const char *const reasons[] = {
    [DOUBTFUL] = "ends in one, after words that are no stack: there is no ';' between them",
    [LOG] = "begins with a time, as those of a log",
    [TABLE] = "is that of a table (CSV)",
    [CODE] = "is source code",
    [METRICS] = "is of metrics",
    [OTHER] = "does not",
};

/* Lines that may be stacks by themselves tell only together that they are a table, or metrics. */
enum { TOGETHER = 10 };

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

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* "10:02:07" at the beginning of a word, or behind '[' or 'T', or in "[10/Oct/2000:13:55:36". */
static bool is_time(struct flm_bytes word)
{
    const char *before = word.size > 0 && word.at[0] == '[' ? "[:T" : "[(T\"'";
    for (size_t i = 0; i < word.size; i++) {
        size_t at = i, colons = 0;
        if (!is_digit(word.at[i]) || (i > 0 && !flm_is_one_of(word.at[i - 1], before)))
            continue;
        while (at + 1 < word.size &&
               (is_digit(word.at[at]) || (word.at[at] == ':' && is_digit(word.at[at + 1])))) {
            if (word.at[at] == ':' && (++colons > 2 || at - i > 8))
                break;
            at++;
        }
        if (colons >= 2)
            return true;
    }
    return false;
}

/* One of its first words is a time of day, and no frame of its own. */
static bool is_log(struct flm_bytes line)
{
    enum { FIRST_WORDS = 5 };
    size_t at = 0;
    for (int i = 0; i < FIRST_WORDS && at < line.size; i++) {
        struct flm_bytes word = {line.at + at, 0};
        while (at + word.size < line.size && !flm_folded_is_blank(word.at[word.size]) &&
               word.at[word.size] != ';')
            word.size++;
        at += word.size;
        if (at < line.size && line.at[at] != ';' && is_time(word))
            return true;
        at++;
    }
    return false;
}

/* Whether the line begins with a field in quotes: "a b";c 5 */
static bool is_quoted(struct flm_bytes line)
{
    if (line.at[0] != '"')
        return false;
    const char *end = line.at + line.size, *quote = flm_find(line.at + 1, end, '"');
    return end - quote > 1 && flm_is_one_of(quote[1], ";,\t");
}

/* A statement and something behind it; or one alone, with a number behind it. */
static bool is_code(struct flm_bytes stack)
{
    static const char *const marks[] = {" = ", "/*", "// ", "-- ", " == ", "return "};
    bool has_mark = false;
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !has_mark; i++)
        has_mark = flm_bytes_contain(stack, marks[i]);
    return has_mark && (flm_bytes_contain(stack, "; ") || flm_bytes_end_with(stack, ";"));
}

static bool has_bare_comma(struct flm_bytes name)
{
    size_t depth = 0;
    for (size_t i = 0; i < name.size; i++) {
        if (flm_is_one_of(name.at[i], "(<[{"))
            depth++;
        else if (depth > 0 && flm_is_one_of(name.at[i], ")>]}"))
            depth--;
        else if (depth == 0 && name.at[i] == ',' && i + 1 < name.size &&
                 !flm_folded_is_blank(name.at[i + 1]))
            return true;
    }
    return false;
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

/* Whether each name of a stack, which has several, could be that of a single frame. */
static bool are_frames(struct flm_bytes stack)
{
    const char *at = stack.at, *end = stack.at + stack.size;
    for (;;) {
        const char *mark = flm_find(at, end, ';');
        if (!is_frame((struct flm_bytes){at, (size_t)(mark - at)}))
            return false;
        if (mark == end)
            return true;
        at = mark + 1;
    }
}

/* `line` has no blanks at its end. */
static enum shape shape_of(struct flm_bytes line, int *numbers)
{
    *numbers = 0;
    if (flm_bytes_start_with(line, "# TYPE ") || flm_bytes_start_with(line, "# HELP "))
        return METRICS;
    if (line.size == 0 || line.at[0] == '#')
        return NOTHING;
    struct flm_bytes stack;
    *numbers = trailing_numbers(line, &stack);
    bool has_frames = contains(line, ';');
    if (*numbers == 0)
        return has_frames && !flm_is_one_of(line.at[line.size - 1], ";{}") ? WITHOUT_VALUE : OTHER;
    if (is_log(line))
        return LOG;
    if (is_quoted(line) || (!has_frames && has_bare_comma(stack)))
        return TABLE;
    if (has_frames)
        return is_code(stack) ? CODE : STACK;
    if (flm_bytes_contain(stack, "=\""))
        return METRICS;
    return is_frame(stack) ? FRAME : DOUBTFUL;
}

enum { COLUMNS = 16 };

struct head {
    int shapes[OTHER + 1]; /* lines of each shape */
    int plain;             /* stacks of which each name could be a stack of one frame */
    int valued;            /* lines with a number at their end */
    int two;               /* those of them with two */
    int dated;             /* those of which the last is a date */
    bool is_cut;           /* one line, longer than the head, with a ';' */

    int rows;             /* lines with a ';' */
    int semicolons;       /* how many each of them has; -1: not all the same */
    int numbers[COLUMNS]; /* by column: how many of them have a number there */

    unsigned wanted; /* the first line of one of these shapes, as bits: */
    enum shape shape;
    uint64_t line; /* from 1; 0: none */
    struct flm_bytes text;
};

/* Digits, a time or a date. */
static bool is_numeric(const char *at, const char *end)
{
    bool any = at < end;
    for (; at < end; at++)
        if (!is_digit(*at) && !flm_is_one_of(*at, ".,:-/"))
            return false;
    return any;
}

/* Counts columns behind the first one, which may be the number of a process, and before the last
 * one of a line with a value. */
static void count_columns(struct head *h, struct flm_bytes line, bool has_value)
{
    const char *at = line.at, *end = line.at + line.size;
    int column = 0;
    h->rows++;
    for (;; column++) {
        const char *mark = flm_find(at, end, ';');
        if (column > 0 && column < COLUMNS && (mark < end || !has_value) && is_numeric(at, mark))
            h->numbers[column]++;
        if (mark == end)
            break;
        at = mark + 1;
    }
    h->semicolons = h->rows == 1 || h->semicolons == column ? column : -1;
}

/* Seconds or milliseconds since 1970, from 2001 to 2039. */
static bool is_date(struct flm_bytes line)
{
    const char *end = line.at + line.size;
    double value;
    struct flm_bytes word = flm_folded_last_word(line.at, &end);
    if (flm_number_parse(word, &value) != FLM_NUMBER_INTEGER)
        return false;
    return (value >= 1e9 && value < 2.2e9) || (value >= 1e12 && value < 2.2e12);
}

static struct head look_at(struct flm_bytes all, bool whole, unsigned wanted)
{
    struct head head = {.wanted = wanted};
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
        struct flm_bytes stack;
        head.plain += shape == STACK && trailing_numbers(line, &stack) > 0 && are_frames(stack);
        head.valued += numbers > 0;
        head.two += numbers == 2;
        head.dated += numbers == 2 && is_date(line);
        if (shape == STACK || shape == WITHOUT_VALUE)
            count_columns(&head, line, shape == STACK);
        if (head.line == 0 && (wanted >> shape & 1)) {
            head.line = number;
            head.text = line;
            head.shape = shape;
        }
    }
    return head;
}

/* What its lines are together; OTHER: that is not known. The first one may be the header. */
static enum shape table_of(const struct head *h)
{
    if (h->dated >= TOGETHER && h->dated == h->valued)
        return METRICS;
    if (h->rows >= TOGETHER && h->semicolons > 1)
        for (int i = 1; i < COLUMNS; i++)
            if (h->numbers[i] >= h->rows - 1)
                return TABLE;
    return OTHER;
}

static int others_of(const struct head *h)
{
    int count = 0;
    for (int i = LOG; i <= OTHER; i++)
        count += h->shapes[i];
    return count;
}

static bool has_many_frames(const struct head *h)
{
    int lines = h->shapes[STACK] + h->shapes[FRAME] + h->shapes[DOUBTFUL] + others_of(h);
    return h->shapes[STACK] > 0 && h->shapes[STACK] * 10 >= lines;
}

/* Whether most lines are stacks beyond doubt, and others are only words: a header, or what went
 * wrong. */
static bool has_stray_lines(const struct head *h)
{
    enum { LEAST = 4 };
    return others_of(h) == h->shapes[OTHER] && h->plain >= LEAST &&
           h->plain >= 2 * h->shapes[OTHER] && h->plain >= h->shapes[DOUBTFUL] + h->shapes[FRAME];
}

int flm_folded_sniff(struct flm_bytes head, bool whole)
{
    struct head h = look_at(head, whole, 0);
    int stacks = h.shapes[STACK] + h.shapes[FRAME], others = others_of(&h);
    *(has_many_frames(&h) ? &stacks : &others) += h.shapes[DOUBTFUL];
    if (flm_begins_json(head) || table_of(&h) != OTHER)
        return FLM_SNIFF_NO;
    if (stacks == 0) /* a file of broken lines is refused by the reader, line by line */
        return h.shapes[WITHOUT_VALUE] > others * 10 ? FLM_SNIFF_GUESS - 2 : FLM_SNIFF_NO;
    if (h.shapes[WITHOUT_VALUE] <= stacks && has_stray_lines(&h))
        return others * 10 > stacks + others ? FLM_SNIFF_POSSIBLE : FLM_SNIFF_MIXED - 10;
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
    const unsigned others = 1u << LOG | 1u << TABLE | 1u << CODE | 1u << METRICS | 1u << OTHER;
    struct head h = look_at(head, whole, others);
    enum shape together = table_of(&h);
    if (!has_many_frames(&h))
        h = look_at(head, whole, others | 1u << DOUBTFUL);
    if (h.line == 0)
        h = look_at(head, whole, 1u << WITHOUT_VALUE);
    if (together != OTHER)
        h = look_at(head, whole, ~(1u << NOTHING));
    flm_text_puts(out, "folded lines end in a number after a stack");
    if (h.line == 0)
        return;
    char shown[64];
    size_t size = begin_of(h.text, shown);
    const char *reason = together != OTHER  ? reasons[together]
                         : reasons[h.shape] ? reasons[h.shape]
                                            : reasons[OTHER];
    flm_text_format(out, ", and line %llu, '%.*s', %s", (unsigned long long)h.line, (int)size,
                    shown, reason);
}

int flm_folded_columns(struct flm_bytes head)
{
    struct head h = look_at(head, false, 0);
    return h.valued > 0 && !h.is_cut && h.two == h.valued ? 2 : 1;
}
