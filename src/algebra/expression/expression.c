#include "algebra/expression/expression.h"

#include <assert.h>

#include "algebra/operation/pattern.h"
#include "algebra/operation/rebuild.h"
#include "flamel/algebra.h"
#include "flamel/builder.h"

enum { NOTE_SIZE = 200 };

/* ---- Taking an expression apart -------------------------------------------------------------- */

static size_t skip_blanks(struct flm_bytes text, size_t at)
{
    while (at < text.size && flm_is_space(text.at[at]))
        at++;
    return at;
}

/* The operation that begins at `start`. */
struct operation_text {
    struct flm_bytes name;
    size_t colon;                                /* text.size: there is none */
    const struct flm_operation_entry *operation; /* NULL: there is none of that name */
    size_t last_argument;                        /* the index of the last one there, */
    size_t argument_start;                       /* and where it begins */
    size_t end;                                  /* its '|', or the end of the text */
};

static struct operation_text take_apart(struct flm_bytes text, size_t start)
{
    struct operation_text it = {.colon = text.size};
    size_t at = start;
    while (at < text.size && text.at[at] != ':' && text.at[at] != '|')
        at++;
    it.name = flm_bytes_trimmed((struct flm_bytes){text.at + start, at - start});
    it.operation = flm_operation_named(it.name);
    it.end = at;
    if (at == text.size || text.at[at] == '|')
        return it;
    it.colon = at;
    size_t count = it.operation ? flm_operation_argument_count(it.operation) : 0;
    for (size_t i = 0;; i++) {
        bool has_next = i + 1 < count;
        it.last_argument = i;
        it.argument_start = skip_blanks(text, at + 1);
        at = flm_argument_end(i < count ? it.operation->arguments[i].type : FLM_ARGUMENT_TEXT, text,
                              it.argument_start, has_next);
        if (!has_next || at == text.size || text.at[at] == '|')
            break;
    }
    it.end = at;
    return it;
}

size_t flm_expression_first(struct flm_bytes expression)
{
    return take_apart(expression, 0).end;
}

struct flm_expression_end flm_expression_end(struct flm_bytes expression)
{
    size_t start = 0;
    struct operation_text last = take_apart(expression, 0);
    while (last.end < expression.size) {
        start = last.end + 1;
        last = take_apart(expression, start);
    }
    if (last.colon == expression.size)
        return (struct flm_expression_end){.start = skip_blanks(expression, start)};
    bool takes =
        last.operation && last.last_argument < flm_operation_argument_count(last.operation);
    return (struct flm_expression_end){
        .start = last.argument_start,
        .name = last.name,
        .has_name = true,
        .operation = last.operation,
        .argument = takes ? &last.operation->arguments[last.last_argument] : NULL,
    };
}

/* ---- Carrying it out ------------------------------------------------------------------------- */

/* "focus:pattern", as the sentences about missing arguments have it. */
static void add_syntax(struct flm_error *why, const struct flm_operation_entry *operation)
{
    size_t count = flm_operation_argument_count(operation);
    flm_error_add(why, operation->name);
    for (size_t i = 0; i < count; i++) {
        flm_error_add(why, i ? "," : ":");
        flm_error_add(why, operation->arguments[i].name);
    }
}

static bool refuse_missing(const struct flm_operation_entry *operation, size_t offset,
                           struct flm_error *why)
{
    flm_error_byte(why, FLM_ERROR_USAGE, offset, "'%s' needs an argument: ", operation->name);
    add_syntax(why, operation);
    flm_error_add(why, ", for example ");
    return flm_error_add(why, operation->example);
}

/* Moves an error of a part of the text to its place in all of it. */
static bool move_error(struct flm_error *why, size_t offset)
{
    if (why && why->kind == FLM_ERROR_USAGE)
        flm_error_move_byte(why, why->offset + offset);
    return false;
}

static bool parse_arguments(const struct flm_operation_entry *operation,
                            const struct flm_profile *p, struct flm_bytes text,
                            struct flm_argument_value *value, struct flm_text *note,
                            struct flm_error *why)
{
    size_t count = flm_operation_argument_count(operation), at = 0;
    if (count == 0 && text.size > 0)
        return flm_error_byte(why, FLM_ERROR_USAGE, 0, "'%s' takes no argument", operation->name);
    for (size_t i = 0; i < count; i++) {
        const struct flm_argument *argument = &operation->arguments[i];
        size_t end = flm_argument_end(argument->type, text, at, i + 1 < count);
        if (i + 1 == count)
            end = text.size;
        struct flm_bytes one = flm_bytes_trimmed((struct flm_bytes){text.at + at, end - at});
        if (one.size > 0 &&
            !flm_argument_parse(operation->name, argument, p, one, &value[i], note, why))
            return move_error(why, (size_t)(one.at - text.at));
        if (one.size == 0 && !argument->optional)
            return refuse_missing(operation, at, why);
        at = end + (end < text.size);
        at = skip_blanks(text, at);
    }
    return true;
}

/* Only a profile has the metrics; all other arguments are malformed, or not, by themselves. */
static bool check_arguments(const struct flm_operation_entry *operation,
                            const struct flm_profile *empty, struct flm_bytes text,
                            struct flm_error *why)
{
    struct flm_argument_value value[FLM_MOST_ARGUMENTS] = {{.text = {NULL, 0}}};
    struct flm_text no_note;
    char unused[NOTE_SIZE];
    flm_text_init_fixed(&no_note, unused, sizeof unused);
    if (text.size > 0 && operation->arguments[0].type == FLM_ARGUMENT_METRIC)
        return true;
    bool good = parse_arguments(operation, empty, text, value, &no_note, why);
    for (size_t i = 0; i < FLM_MOST_ARGUMENTS; i++)
        flm_argument_clear(&operation->arguments[i], &value[i]);
    return good;
}

/* An operation and the text of its arguments. */
struct applying {
    const struct flm_operation_entry *operation;
    struct flm_bytes text;
    struct flm_text *note;
};

static struct flm_profile *apply_to(const struct flm_profile *p, void *context,
                                    struct flm_error *why)
{
    const struct applying *a = context;
    const struct flm_operation_entry *operation = a->operation;
    struct flm_argument_value value[FLM_MOST_ARGUMENTS] = {{.text = {NULL, 0}}};
    struct flm_operation_call call = {p, value, a->note, why};
    struct flm_profile *result = NULL;
    if (parse_arguments(operation, p, a->text, value, a->note, why))
        result = operation->apply(&call);
    for (size_t i = 0; i < FLM_MOST_ARGUMENTS; i++)
        flm_argument_clear(&operation->arguments[i], &value[i]);
    /* cppcheck-suppress returnDanglingLifetime ; the profile does not keep the call */
    return result;
}

struct flm_profile *flm_operation_apply(const struct flm_operation_entry *operation,
                                        const struct flm_profile *p, struct flm_bytes text,
                                        struct flm_text *note, struct flm_error *why)
{
    struct applying applying = {operation, text, note};
    return flm_with_chains(p, apply_to, &applying, why);
}

static bool refuse_name(struct flm_bytes name, size_t offset, struct flm_error *why)
{
    const struct flm_operation_entry *operation;
    bool is_label = flm_bytes_are(name, "cpu"); /* "thread" and "process" are operations */
    if (is_label)
        return flm_error_byte(why, FLM_ERROR_USAGE, offset,
                              "there is no operation '%.*s'; for that label use label:%.*s=VALUE",
                              (int)name.size, name.at, (int)name.size, name.at);
    flm_error_byte(why, FLM_ERROR_USAGE, offset, "there is no operation '%.*s'; use ",
                   (int)name.size, name.at);
    for (size_t i = 0; (operation = flm_operation_at(i)); i++) {
        flm_error_add(why, i ? ", " : "");
        flm_error_add(why, operation->name);
    }
    return false;
}

/* The operation that begins at `start`, and the text of its arguments. */
static bool find_operation(struct flm_bytes all, size_t start, struct operation_text *it,
                           struct flm_bytes *text, struct flm_error *why)
{
    *it = take_apart(all, start);
    *text = (struct flm_bytes){all.at + it->end, 0};
    if (it->colon < it->end)
        *text =
            flm_bytes_trimmed((struct flm_bytes){all.at + it->colon + 1, it->end - it->colon - 1});
    return it->operation || refuse_name(it->name, (size_t)(it->name.at - all.at), why);
}

/* An argument that is missing, or one too many, is marked at the name. */
static void place_error(struct flm_bytes all, const struct operation_text *it,
                        struct flm_bytes text, struct flm_error *why)
{
    bool is_in_text = (text.size > 0) == (flm_operation_argument_count(it->operation) > 0);
    move_error(why, (size_t)((is_in_text ? text.at : it->name.at) - all.at));
}

static struct flm_profile *apply_one(const struct flm_profile *p, struct flm_bytes all,
                                     size_t start, size_t *end, struct flm_text *note,
                                     struct flm_error *why)
{
    struct operation_text it;
    struct flm_bytes text;
    if (!find_operation(all, start, &it, &text, why))
        return NULL;
    *end = it.end;
    struct flm_profile *result = flm_operation_apply(it.operation, p, text, note, why);
    if (!result)
        place_error(all, &it, text, why);
    return result;
}

bool flm_expression_check(const char *expression, struct flm_error *why)
{
    assert(expression);
    struct flm_bytes all = flm_bytes_of(expression), text;
    struct flm_builder *b = flm_builder_new(why);
    struct flm_profile *empty = b ? flm_builder_finish(b, why) : NULL;
    bool good = empty != NULL;
    struct operation_text it = {.end = 0};
    for (size_t at = 0; good && at <= all.size; at = it.end + 1) {
        if (!find_operation(all, at, &it, &text, why)) {
            good = false;
        } else if (!check_arguments(it.operation, empty, text, why)) {
            place_error(all, &it, text, why);
            good = false;
        }
    }
    flm_profile_free(empty);
    return good;
}

/* Terminates it; control bytes would act on a terminal. */
static void finish_note(struct flm_text *note)
{
    for (size_t i = 0; i < note->size; i++)
        if ((unsigned char)note->at[i] < 32 || note->at[i] == 127)
            note->at[i] = '?';
    note->at[note->size] = 0;
}

struct flm_profile *flm_apply(const struct flm_profile *profile, const char *expression,
                              char *note_buffer, struct flm_error *why)
{
    assert(profile && expression);
    char unused[NOTE_SIZE];
    struct flm_text note;
    flm_text_init_fixed(&note, note_buffer ? note_buffer : unused, NOTE_SIZE - 1);
    struct flm_bytes all = flm_bytes_of(expression);
    struct flm_profile *result = NULL;
    for (size_t at = 0, end; at <= all.size; at = end + 1) {
        struct flm_profile *next = apply_one(result ? result : profile, all, at, &end, &note, why);
        flm_profile_free(result);
        result = next;
        if (!next)
            break;
    }
    finish_note(&note);
    return result;
}

bool flm_frames_match(const struct flm_profile *profile, const char *pattern, unsigned char *marks,
                      uint32_t *matched, char *note_buffer, struct flm_error *why)
{
    assert(profile && pattern && marks && matched);
    char unused[NOTE_SIZE];
    struct flm_text note;
    flm_text_init_fixed(&note, note_buffer ? note_buffer : unused, NOTE_SIZE - 1);
    bool good = flm_pattern_mark(profile, flm_bytes_of(pattern), marks, matched, why);
    if (good && *matched == 0) {
        flm_text_format(&note, "no frame matches '%s'", pattern);
        flm_pattern_suggest(profile, flm_bytes_of(pattern), NULL, &note);
    }
    finish_note(&note);
    return good;
}
