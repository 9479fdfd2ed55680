#include "algebra/expression/argument.h"

#include <assert.h>
#include <stdlib.h>

#include "algebra/operation/pattern.h"
#include "base/number/number.h"

/* ---- Where one ends -------------------------------------------------------------------------- */

/* The position after the quote or slash that closes the one at `at`, where what follows ends the
 * argument; `at` where none does: then it is a character as any other. */
static size_t closing(struct flm_bytes text, size_t at, bool has_next)
{
    char mark = text.at[at];
    for (size_t i = at + 1; i < text.size; i++) {
        if (mark == '/' && text.at[i] == '\\')
            i++;
        else if (text.at[i] == mark) {
            size_t end = i + 1;
            end += mark == '/' && end < text.size && text.at[end] == 'i';
            while (end < text.size && flm_is_space(text.at[end]))
                end++;
            if (end == text.size || text.at[end] == '|' || (has_next && text.at[end] == ','))
                return end;
        }
    }
    return at;
}

/* Behind the blanks and the '!' in front of a pattern of a selection. */
static size_t pattern_start(struct flm_bytes text, size_t at)
{
    while (at < text.size && flm_is_space(text.at[at]))
        at++;
    return at + (at < text.size && text.at[at] == '!');
}

size_t flm_argument_end(enum flm_argument_type type, struct flm_bytes text, size_t start,
                        bool has_next)
{
    assert(start <= text.size);
    size_t at = start;
    if (type == FLM_ARGUMENT_SUBSTITUTION)
        at += flm_renaming_size(flm_bytes_from(text, at));
    if (type == FLM_ARGUMENT_SELECTION) {
        for (;; at++) {
            at = pattern_start(text, at);
            at = flm_argument_end(FLM_ARGUMENT_PATTERN, text, at, true);
            if (at == text.size || text.at[at] == '|')
                return at;
        }
    }
    /* Quotes and slashes count at the beginning and after a '='. */
    for (bool may_begin = true; at < text.size && text.at[at] != '|'; at++) {
        if (has_next && text.at[at] == ',')
            return at;
        if (may_begin && (text.at[at] == '"' || text.at[at] == '/')) {
            size_t end = closing(text, at, has_next);
            if (end > at)
                return end;
        }
        may_begin = text.at[at] == '=';
    }
    return at;
}

size_t flm_selection_next(struct flm_bytes selection, size_t at, struct flm_bytes *pattern,
                          bool *excluded)
{
    size_t start = pattern_start(selection, at);
    size_t end = flm_argument_end(FLM_ARGUMENT_PATTERN, selection, start, true);
    *excluded = start > at && selection.at[start - 1] == '!';
    *pattern = flm_bytes_trimmed((struct flm_bytes){selection.at + start, end - start});
    return end + 1;
}

/* ---- Parsing: one function per type ---------------------------------------------------------- */

struct parsing {
    const char *operation;
    const struct flm_argument *argument;
    const struct flm_profile *p;
    struct flm_bytes text;
    struct flm_argument_value *value;
    struct flm_text *note;
    struct flm_error *why;
};

static struct flm_bytes without_quotes(struct flm_bytes text)
{
    if (text.size < 2 || text.at[0] != '"' || text.at[text.size - 1] != '"')
        return text;
    return (struct flm_bytes){text.at + 1, text.size - 2};
}

static bool mark(struct parsing *a, struct flm_bytes pattern, unsigned char *marks)
{
    uint32_t matched;
    if (!flm_pattern_mark(a->p, pattern, marks, &matched, a->why))
        return false;
    if (matched == 0 && a->note->size == 0) {
        flm_text_format(a->note, "no frame matches '%.*s'", (int)pattern.size, pattern.at);
        flm_pattern_suggest(a->p, pattern, a->operation, a->note);
    }
    return true;
}

static bool parse_pattern(struct parsing *a)
{
    a->value->marks = malloc(a->p->sizes.frame_count);
    return a->value->marks ? mark(a, a->text, a->value->marks) : flm_error_memory(a->why);
}

static bool parse_selection(struct parsing *a)
{
    uint32_t count = a->p->sizes.frame_count;
    unsigned char *marks = calloc(count, 1), *excluded = calloc(count, 1), *one = malloc(count);
    bool good = (marks && excluded && one) || flm_error_memory(a->why), any = false;
    a->value->marks = marks;
    for (size_t at = 0; good && at <= a->text.size;) {
        struct flm_bytes pattern;
        bool excludes;
        at = flm_selection_next(a->text, at, &pattern, &excludes);
        size_t offset = (size_t)(pattern.at - a->text.at);
        if (!mark(a, pattern, one)) {
            good = false;
            if (a->why && a->why->kind == FLM_ERROR_USAGE)
                flm_error_move_byte(a->why, a->why->offset + offset);
        }
        any |= !excludes;
        for (uint32_t i = 0; good && i < count; i++)
            *(excludes ? &excluded[i] : &marks[i]) |= one[i];
    }
    for (uint32_t i = 0; good && i < count; i++)
        marks[i] = (marks[i] || !any) && !excluded[i];
    free(excluded);
    free(one);
    return good;
}

static bool parse_substitution(struct parsing *a)
{
    a->value->rule = flm_renaming_new(a->text, a->why);
    return a->value->rule != NULL;
}

static bool parse_choice(struct parsing *a)
{
    const char *word;
    for (size_t i = 0; (word = a->argument->choice(i, NULL)); i++)
        if (flm_bytes_are(a->text, word)) {
            a->value->choice = i;
            return true;
        }
    flm_error_byte(a->why, FLM_ERROR_USAGE, 0, "'%.*s' is not a %s; use ", (int)a->text.size,
                   a->text.at, a->argument->name);
    for (size_t i = 0; (word = a->argument->choice(i, NULL)); i++) {
        flm_error_add(a->why, i ? ", " : "");
        flm_error_add(a->why, word);
    }
    return false;
}

static bool parse_number(struct parsing *a)
{
    uint64_t number;
    if (!flm_number_parse_uint(a->text, &number) || number == 0 || number >= FLM_NONE)
        return flm_error_byte(a->why, FLM_ERROR_USAGE, 0, "'%.*s' is not a number of %s from 1 on",
                              (int)a->text.size, a->text.at, a->argument->name);
    a->value->number = (uint32_t)number;
    return true;
}

static bool parse_metric(struct parsing *a)
{
    struct flm_bytes name = without_quotes(a->text);
    for (uint32_t m = 0; m < a->p->sizes.metric_count; m++)
        if (flm_bytes_equal(flm_string_bytes(a->p, a->p->metrics[m].name), name)) {
            a->value->metric.index = m;
            return true;
        }
    return flm_error_byte(a->why, FLM_ERROR_USAGE, 0,
                          "there is no metric '%.*s' ('flamel info' lists them)", (int)a->text.size,
                          a->text.at);
}

static bool parse_label(struct parsing *a)
{
    size_t equals = 0;
    while (equals < a->text.size && a->text.at[equals] != '=')
        equals++;
    a->value->label.key = (struct flm_bytes){a->text.at, equals};
    a->value->label.value = (struct flm_bytes){"", 0};
    if (equals < a->text.size)
        a->value->label.value = without_quotes(flm_bytes_from(a->text, equals + 1));
    return true;
}

static bool parse_unquoted(struct parsing *a)
{
    a->value->unquoted = without_quotes(a->text);
    return true;
}

/* Later than any recording ends. */
#define NO_END_NS 1e18

bool flm_duration_parse(struct flm_bytes text, double *ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!flm_bytes_end_with(text, units[i].unit))
            continue;
        struct flm_bytes number = {text.at, text.size - strlen(units[i].unit)};
        enum flm_number_kind kind = flm_number_parse(number, ns);
        if (kind != FLM_NUMBER_INTEGER && kind != FLM_NUMBER_DECIMAL)
            return false;
        *ns *= units[i].ns;
        return true;
    }
    return false;
}

bool flm_time_range_parse(struct flm_bytes text, double *from_ns, double *to_ns)
{
    size_t dots = 0;
    while (dots + 1 < text.size && memcmp(text.at + dots, "..", 2) != 0)
        dots++;
    if (dots + 1 >= text.size)
        return false;
    struct flm_bytes from = {text.at, dots}, to = flm_bytes_from(text, dots + 2);
    *from_ns = 0;
    *to_ns = NO_END_NS;
    return (from.size == 0 || flm_duration_parse(from, from_ns)) &&
           (to.size == 0 || flm_duration_parse(to, to_ns)) && *from_ns >= 0 &&
           *to_ns <= NO_END_NS && *from_ns <= *to_ns;
}

static bool parse_time_range(struct parsing *a)
{
    if (flm_time_range_parse(a->text, &a->value->time.from_ns, &a->value->time.to_ns))
        return true;
    return flm_error_byte(a->why, FLM_ERROR_USAGE, 0,
                          "'%.*s' is not a time range; write 1.5s..2s or 200ms.., from the first "
                          "sample on",
                          (int)a->text.size, a->text.at);
}

static bool (*const parsers[FLM_ARGUMENT_TYPE_COUNT])(struct parsing *a) = {
    [FLM_ARGUMENT_PATTERN] = parse_pattern,
    [FLM_ARGUMENT_SELECTION] = parse_selection,
    [FLM_ARGUMENT_SUBSTITUTION] = parse_substitution,
    [FLM_ARGUMENT_CHOICE] = parse_choice,
    [FLM_ARGUMENT_NUMBER] = parse_number,
    [FLM_ARGUMENT_METRIC] = parse_metric,
    [FLM_ARGUMENT_LABEL] = parse_label,
    [FLM_ARGUMENT_LABEL_KEY] = parse_unquoted,
    [FLM_ARGUMENT_THREADS] = parse_unquoted,
    [FLM_ARGUMENT_TIME_RANGE] = parse_time_range,
    [FLM_ARGUMENT_TEXT] = parse_unquoted,
};

bool flm_argument_parse(const char *operation, const struct flm_argument *argument,
                        const struct flm_profile *p, struct flm_bytes text,
                        struct flm_argument_value *value, struct flm_text *note,
                        struct flm_error *why)
{
    assert(argument->type < FLM_ARGUMENT_TYPE_COUNT && text.size > 0);
    *value = (struct flm_argument_value){.text = text};
    struct parsing a = {operation, argument, p, text, value, note, why};
    return parsers[argument->type](&a);
}

void flm_argument_clear(const struct flm_argument *argument, struct flm_argument_value *value)
{
    if (value->text.size > 0 &&
        (argument->type == FLM_ARGUMENT_PATTERN || argument->type == FLM_ARGUMENT_SELECTION))
        free(value->marks);
    if (value->text.size > 0 && argument->type == FLM_ARGUMENT_SUBSTITUTION)
        flm_renaming_free(value->rule);
    *value = (struct flm_argument_value){0};
}
