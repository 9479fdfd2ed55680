/* expression.c - flm_apply: "focus:parse | hide:module=libc.so.6 | by:function".
 *
 *     expression  operation { '|' operation }
 *     operation   name [ ':' argument ]
 *     argument    anything up to the next '|'; blanks around it do not count. Where it begins with
 * a quote or a slash, or has one behind its '=', and one that closes it stands in front of a '|' or
 * the end, then what is between them is one: "a|b", /a|b/, module="a|b"; so are the parts of a
 * rule: rename:s/a|b/c/
 *
 * The operations are the table at the end. Errors say the byte at which the text is wrong. */
#include "algebra/operation/algebra.h"

#include <stdlib.h>

#include "algebra/operation/operations.h"
#include "algebra/operation/pattern.h"
#include "algebra/operation/rename.h"
#include "base/number/number.h"

enum { NOTE_SIZE = 200 };

struct applying {
    const struct flm_profile *p;
    struct flm_bytes argument;
    struct flm_text note; /* in the caller's buffer */
    struct flm_error *why;
};

typedef struct flm_profile *(*operate)(struct applying *a);

typedef struct flm_profile *(*marked_operation)(const struct flm_profile *p,
                                                const unsigned char *marks, struct flm_error *why);

/* An operation on the frames that the argument matches. */
static struct flm_profile *on_marked(struct applying *a, marked_operation operation)
{
    unsigned char *marks = malloc(a->p->sizes.frame_count);
    uint32_t matched;
    struct flm_profile *result = NULL;
    if (!marks)
        flm_error_memory(a->why);
    else if (flm_pattern_mark(a->p, a->argument, marks, &matched, a->why)) {
        if (matched == 0 && a->note.size == 0) {
            flm_text_format(&a->note, "no frame matches '%.*s'", (int)a->argument.size,
                            a->argument.at);
            flm_pattern_suggest(a->p, a->argument, &a->note);
        }
        result = operation(a->p, marks, a->why);
    }
    free(marks);
    return result;
}

static struct flm_profile *keep_with(const struct flm_profile *p, const unsigned char *marks,
                                     struct flm_error *why)
{
    return flm_keep(p, marks, true, why);
}

static struct flm_profile *keep_without(const struct flm_profile *p, const unsigned char *marks,
                                        struct flm_error *why)
{
    return flm_keep(p, marks, false, why);
}

static struct flm_profile *op_focus(struct applying *a)
{
    return on_marked(a, flm_focus);
}

static struct flm_profile *op_hide(struct applying *a)
{
    return on_marked(a, flm_hide);
}

static struct flm_profile *op_prune(struct applying *a)
{
    return on_marked(a, flm_prune);
}

static struct flm_profile *op_keep(struct applying *a)
{
    return on_marked(a, keep_with);
}

static struct flm_profile *op_drop(struct applying *a)
{
    return on_marked(a, keep_without);
}

static struct flm_profile *op_invert(struct applying *a)
{
    return flm_invert(a->p, a->why);
}

static struct flm_profile *op_by(struct applying *a)
{
    const struct flm_class *class = flm_class_named(a->argument, a->why);
    return class ? flm_quotient(a->p, class, a->why) : NULL;
}

static struct flm_profile *op_rename(struct applying *a)
{
    uint32_t renamed;
    struct flm_profile *result = flm_rename(a->p, a->argument, &renamed, a->why);
    if (result && renamed == 0 && a->note.size == 0)
        flm_text_format(&a->note, "no name is changed by '%.*s'", (int)a->argument.size,
                        a->argument.at);
    return result;
}

static struct flm_profile *op_depth(struct applying *a)
{
    uint64_t depth;
    if (flm_number_parse_uint(a->argument, &depth) && depth > 0 && depth < FLM_NONE)
        return flm_truncate(a->p, (uint32_t)depth, a->why);
    flm_error_byte(a->why, FLM_ERROR_USAGE, 0, "the depth is a number of frames from 1, not '%.*s'",
                   (int)a->argument.size, a->argument.at);
    return NULL;
}

static struct flm_profile *op_collapse(struct applying *a)
{
    if (flm_bytes_are(a->argument, "direct"))
        return flm_collapse(a->p, FLM_RECURSION_DIRECT, a->why);
    if (flm_bytes_are(a->argument, "any"))
        return flm_collapse(a->p, FLM_RECURSION_ANY, a->why);
    flm_error_byte(a->why, FLM_ERROR_USAGE, 0, "collapse 'direct' recursion, or 'any'; not '%.*s'",
                   (int)a->argument.size, a->argument.at);
    return NULL;
}

static struct flm_bytes without_quotes(struct flm_bytes text)
{
    if (text.size < 2 || text.at[0] != '"' || text.at[text.size - 1] != '"')
        return text;
    return (struct flm_bytes){text.at + 1, text.size - 2};
}

static struct flm_profile *op_metric(struct applying *a)
{
    struct flm_bytes name = without_quotes(a->argument);
    for (uint32_t m = 0; m < a->p->sizes.metric_count; m++)
        if (flm_bytes_equal(flm_string_bytes(a->p, a->p->metrics[m].name), name))
            return flm_select(a->p, m, a->why);
    flm_error_byte(a->why, FLM_ERROR_USAGE, 0,
                   "there is no metric '%.*s' ('flamel info' lists them)", (int)a->argument.size,
                   a->argument.at);
    return NULL;
}

static struct flm_profile *with_label(struct applying *a, bool with)
{
    size_t equals = 0;
    while (equals < a->argument.size && a->argument.at[equals] != '=')
        equals++;
    struct flm_bytes key = {a->argument.at, equals}, value = {"", 0};
    if (equals < a->argument.size)
        value = without_quotes(
            (struct flm_bytes){a->argument.at + equals + 1, a->argument.size - equals - 1});
    return flm_keep_label(a->p, key, value, with, a->why);
}

static struct flm_profile *op_label(struct applying *a)
{
    return with_label(a, true);
}

static struct flm_profile *op_unlabel(struct applying *a)
{
    return with_label(a, false);
}

static struct flm_profile *with_path(struct applying *a, bool with)
{
    uint32_t found = 0;
    struct flm_bytes path = without_quotes(a->argument);
    struct flm_profile *result = flm_keep_path(a->p, path, with, &found, a->why);
    if (result && found == 0 && a->note.size == 0)
        flm_text_format(&a->note, "no stack begins with '%.*s'", (int)path.size, path.at);
    return result;
}

static struct flm_profile *op_from(struct applying *a)
{
    return with_path(a, true);
}

static struct flm_profile *op_cut(struct applying *a)
{
    return with_path(a, false);
}

static struct flm_profile *op_split(struct applying *a)
{
    return flm_split(a->p, without_quotes(a->argument), a->why);
}

/* Later than any recording ends. */
#define NO_END_NS 1e18

/* "2.5s" in nanoseconds. */
static bool parse_time(struct flm_bytes text, double *ns)
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

/* Files may have any time: the end of time is as far as it goes. */
static int64_t later(int64_t time_ns, double by_ns)
{
    int64_t by = (int64_t)by_ns;
    return time_ns > INT64_MAX - by ? INT64_MAX : time_ns + by;
}

static int64_t first_time(const struct flm_profile *p)
{
    for (uint32_t i = 0; i < p->sizes.sample_count; i++)
        if (p->sample_time[i] != FLM_NO_TIME)
            return p->sample_time[i];
    return 0;
}

bool flm_time_range_parse(struct flm_bytes text, double *from_ns, double *to_ns)
{
    size_t dots = 0;
    while (dots + 1 < text.size && memcmp(text.at + dots, "..", 2) != 0)
        dots++;
    if (dots + 1 >= text.size)
        return false;
    struct flm_bytes from = {text.at, dots};
    struct flm_bytes to = {text.at + dots + 2, text.size - dots - 2};
    *from_ns = 0;
    *to_ns = NO_END_NS;
    return (from.size == 0 || parse_time(from, from_ns)) &&
           (to.size == 0 || parse_time(to, to_ns)) && *from_ns >= 0 && *to_ns <= NO_END_NS &&
           *from_ns <= *to_ns;
}

/* "1s..2.5s", counted from the first sample; either end may be left out. */
static struct flm_profile *op_time(struct applying *a)
{
    double from_ns, to_ns;
    if (!flm_time_range_parse(a->argument, &from_ns, &to_ns)) {
        flm_error_byte(a->why, FLM_ERROR_USAGE, 0,
                       "a time range is written 1.5s..2s or 200ms.., from the first sample on; not "
                       "'%.*s'",
                       (int)a->argument.size, a->argument.at);
        return NULL;
    }
    int64_t first = first_time(a->p);
    bool ends = !flm_bytes_end_with(a->argument, "..");
    return flm_keep_time(a->p, later(first, from_ns), ends ? later(first, to_ns) : INT64_MAX,
                         a->why);
}

static const struct operation {
    const char *name;
    bool takes_argument;
    operate run;
    const char *does;
} operations[] = {
    {"focus", true, op_focus, "only what is at or below these functions"},
    {"hide", true, op_hide, "without these functions: what they call is their caller's"},
    {"drop", true, op_drop, "without the stacks that have one of these functions"},
    {"keep", true, op_keep, "only the stacks that have one of these functions"},
    {"prune", true, op_prune, "nothing below these functions"},
    {"by", true, op_by, "frames merged by function, module, file ..."},
    {"rename", true, op_rename, "functions under other names: s/old/new/"},
    {"invert", false, op_invert, "leaf first"},
    {"collapse", true, op_collapse, "recursion as one frame"},
    {"depth", true, op_depth, "at most so many frames"},
    {"metric", true, op_metric, "only one metric"},
    {"label", true, op_label, "only samples with this label"},
    {"unlabel", true, op_unlabel, "only samples without this label"},
    {"time", true, op_time, "only this time, from the first sample on"},
    {"split", true, op_split, "a root for each value of a label"},
    {"from", true, op_from, "only the stacks that begin so"},
    {"cut", true, op_cut, "without the stacks that begin so"},
};

const char *flm_operation_name(size_t index, const char **does, bool *takes_argument)
{
    if (index >= sizeof operations / sizeof operations[0])
        return NULL;
    *does = operations[index].does;
    *takes_argument = operations[index].takes_argument;
    return operations[index].name;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n';
}

static struct flm_bytes trimmed(struct flm_bytes text)
{
    while (text.size && is_blank(text.at[0]))
        text = (struct flm_bytes){text.at + 1, text.size - 1};
    while (text.size && is_blank(text.at[text.size - 1]))
        text.size--;
    return text;
}

/* Behind the quote or slash that closes the one at `at`: it ends the operation. `at` when there is
 * none. */
static size_t closing(struct flm_bytes text, size_t at)
{
    char mark = text.at[at];
    for (size_t i = at + 1; i < text.size; i++) {
        if (mark == '/' && text.at[i] == '\\')
            i++;
        else if (text.at[i] == mark) {
            size_t end = i + 1;
            end += mark == '/' && end < text.size && text.at[end] == 'i';
            while (end < text.size && is_blank(text.at[end]))
                end++;
            if (end == text.size || text.at[end] == '|')
                return end;
        }
    }
    return at;
}

/* The end of the operation that begins at `at`: the next '|' that does not stand in quotes or in a
 * regular expression, which begin the argument, or stand behind its '='. */
static size_t operation_end(struct flm_bytes text, size_t at)
{
    size_t start = at;
    while (at < text.size && text.at[at] != ':' && text.at[at] != '|')
        at++;
    if (at == text.size || text.at[at] == '|')
        return at;
    bool renames =
        flm_bytes_are(trimmed((struct flm_bytes){text.at + start, at - start}), "rename");
    do
        at++;
    while (at < text.size && is_blank(text.at[at]));
    if (renames)
        at += flm_renaming_size((struct flm_bytes){text.at + at, text.size - at});
    for (bool may_begin = true; at < text.size && text.at[at] != '|'; at++) {
        if (may_begin && (text.at[at] == '"' || text.at[at] == '/')) {
            size_t end = closing(text, at);
            if (end > at)
                return end;
        }
        may_begin = text.at[at] == '=';
    }
    return at;
}

size_t flm_expression_first(struct flm_bytes expression)
{
    return operation_end(expression, 0);
}

static const struct operation *find(struct flm_bytes name, size_t offset, struct flm_error *why)
{
    char buffer[200];
    struct flm_text names;
    flm_text_init_fixed(&names, buffer, sizeof buffer);
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (flm_bytes_are(name, operations[i].name))
            return &operations[i];
        flm_text_format(&names, "%s%s", i ? ", " : "", operations[i].name);
    }
    flm_error_byte(why, FLM_ERROR_USAGE, offset, "'%.*s' is no operation; there is %.*s",
                   (int)name.size, name.at, (int)names.size, names.at);
    return NULL;
}

/* Moves an error within an argument to its place in the expression. */
static void place_error(struct flm_error *why, size_t offset)
{
    if (why && why->kind == FLM_ERROR_USAGE)
        flm_error_move_byte(why, why->offset + offset);
}

/* One operation: `text` of the expression `all`. */
static struct flm_profile *apply_one(struct applying *a, struct flm_bytes all,
                                     struct flm_bytes text)
{
    size_t colon = 0;
    while (colon < text.size && text.at[colon] != ':')
        colon++;
    struct flm_bytes name = trimmed((struct flm_bytes){text.at, colon});
    size_t offset = (size_t)(name.at - all.at);
    const struct operation *operation = find(name, offset, a->why);
    if (!operation)
        return NULL;
    a->argument = (struct flm_bytes){text.at + text.size, 0};
    if (colon < text.size)
        a->argument = trimmed((struct flm_bytes){text.at + colon + 1, text.size - colon - 1});
    if (operation->takes_argument != (a->argument.size > 0)) {
        flm_error_byte(a->why, FLM_ERROR_USAGE, offset,
                       operation->takes_argument ? "'%s' needs to be told what: %s:..."
                                                 : "'%s' takes no argument (%s)",
                       operation->name, operation->name);
        return NULL;
    }
    struct flm_profile *result = operation->run(a);
    if (!result)
        place_error(a->why, (size_t)(a->argument.at - all.at));
    return result;
}

struct flm_profile *flm_apply(const struct flm_profile *profile, const char *expression, char *note,
                              struct flm_error *why)
{
    char unused[NOTE_SIZE];
    struct applying a = {.p = profile, .why = why};
    flm_text_init_fixed(&a.note, note ? note : unused, NOTE_SIZE - 1);
    struct flm_bytes all = flm_bytes_of(expression);
    struct flm_profile *result = NULL;
    for (size_t at = 0; at <= all.size;) {
        size_t end = operation_end(all, at);
        struct flm_profile *next =
            apply_one(&a, all, trimmed((struct flm_bytes){all.at + at, end - at}));
        flm_profile_free(result);
        result = next;
        a.p = next;
        if (!next)
            break;
        at = end + 1;
    }
    for (size_t i = 0; i < a.note.size; i++) /* a terminal would act on them */
        if ((unsigned char)a.note.at[i] < 32 || a.note.at[i] == 127)
            a.note.at[i] = '?';
    a.note.at[a.note.size] = 0;
    return result;
}
