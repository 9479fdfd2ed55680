/* complete.c - "complete": what the beginning of an operation may become. First names of
 * operations; behind their ':' what the type of the argument takes (algebra/expression/argument.h):
 * functions, modules, labels, threads, words of a list ... No operation is known by its name
 * here. */
#include <math.h>
#include <stdlib.h>

#include "algebra/expression/expression.h"
#include "algebra/operation/labels.h"
#include "algebra/operation/pattern.h"
#include "algebra/operation/thread_filter.h"
#include "viewer/query/internal.h"

enum { MOST_ITEMS = 12 };

/* The typed text: of "hide:a | focus:module=li", "hide:a | focus:module=" stays, and "li" is
 * completed. */
struct typed {
    struct flm_bytes before;       /* stays as it is */
    struct flm_expression_end end; /* the operation or argument that is being typed */
    struct flm_bytes field;        /* of a pattern: "module=", or "" */
    struct flm_bytes word;         /* to be completed */
};

static size_t skip_blanks(struct flm_bytes text, size_t at)
{
    while (at < text.size && text.at[at] == ' ')
        at++;
    return at;
}

static struct typed take_apart(struct flm_bytes text)
{
    struct typed typed = {.end = flm_expression_end(text)};
    size_t word = typed.end.start;
    const char *field;
    if (typed.end.argument && typed.end.argument->type == FLM_ARGUMENT_PATTERN)
        for (size_t i = 0; (field = flm_pattern_field(i, NULL)); i++)
            if (flm_bytes_start_with(flm_bytes_from(text, typed.end.start), field)) {
                typed.field = (struct flm_bytes){text.at + typed.end.start, strlen(field)};
                word = typed.end.start + typed.field.size;
            }
    typed.before = (struct flm_bytes){text.at, word};
    typed.word = flm_bytes_from(text, word);
    return typed;
}

/* ---- Items ----------------------------------------------------------------------------------- */

struct completing {
    struct flm_query q;
    struct typed typed;
    unsigned count;
};

/* The typed text, followed by `ending` as it is. */
static void add_item(struct completing *c, struct flm_bytes ending, struct flm_bytes title,
                     const char *note)
{
    struct flm_response_completions *made = c->q.response->completions;
    if (made->items.count == MOST_ITEMS + FLM_MOST_PRESETS)
        return;
    struct flm_text *text = flm_query_scratch(&c->q);
    flm_text_add(text, c->typed.before);
    flm_text_add(text, ending);
    struct flm_response_completion *item = &made->items.at[made->items.count++];
    item->text = flm_query_scratch_copy(&c->q);
    item->title = flm_query_copy(&c->q, title);
    item->note = flm_query_text(&c->q, note);
    c->count++;
}

/* Adds a word that begins with the typed one. */
static void try_word(struct completing *c, const char *word, const char *note)
{
    struct flm_bytes all = flm_bytes_of(word);
    struct flm_bytes wanted = c->typed.word;
    if (c->count < MOST_ITEMS && wanted.size <= all.size &&
        flm_bytes_equal((struct flm_bytes){all.at, wanted.size}, wanted))
        add_item(c, all, all, note);
}

static void complete_operation(struct completing *c)
{
    const struct flm_operation_entry *operation;
    for (size_t i = 0; (operation = flm_operation_at(i)); i++) {
        struct flm_text word = {0};
        flm_text_puts(&word, operation->name);
        flm_text_puts(&word, flm_operation_argument_count(operation) > 0 ? ":" : "");
        flm_text_putc(&word, 0);
        try_word(c, word.failed ? operation->name : word.at, operation->summary);
        flm_text_clear(&word);
    }
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* The best so far. Names that begin with the typed word come before those that contain it; larger
 * ones come first. */
struct candidate {
    uint32_t string;
    bool begins;
    double size;
};
struct candidates {
    struct candidate at[MOST_ITEMS];
    unsigned count;
};

static bool is_better(const struct candidate *a, const struct candidate *b)
{
    return a->begins != b->begins ? a->begins : a->size > b->size;
}

static void consider(struct candidates *best, const struct completing *c, uint32_t string,
                     double size)
{
    size_t at = 0;
    struct flm_bytes name = flm_string_bytes(c->q.profile, string), word = c->typed.word;
    struct flm_names_query query = {.text = word};
    if (name.size == 0 ||
        (word.size > 0 && !flm_names_place(name, word, flm_names_any_case(&query), &at)))
        return;
    struct candidate candidate = {string, at == 0, size};
    unsigned place = best->count;
    for (unsigned i = 0; i < best->count; i++)
        if (best->at[i].string == string) {
            best->at[i].size = fmax(best->at[i].size, size);
            return;
        }
    if (place == MOST_ITEMS && !is_better(&candidate, &best->at[place - 1]))
        return;
    if (place == MOST_ITEMS)
        place--;
    else
        best->count++;
    for (; place > 0 && is_better(&candidate, &best->at[place - 1]); place--)
        best->at[place] = best->at[place - 1];
    best->at[place] = candidate;
}

static void add_candidates(struct completing *c, const struct candidates *best)
{
    for (unsigned i = 0; i < best->count && c->count < MOST_ITEMS; i++) {
        struct flm_bytes name = flm_string_bytes(c->q.profile, best->at[i].string);
        struct flm_text pattern = {0};
        flm_pattern_add_exact(&pattern, name);
        if (!pattern.failed)
            add_item(c, (struct flm_bytes){pattern.at, pattern.size}, name, NULL);
        c->q.scratch.failed = c->q.scratch.failed || pattern.failed;
        flm_text_clear(&pattern);
    }
}

static void complete_function(struct completing *c)
{
    const struct flm_functions *functions = &c->q.viewer->scene.tables.functions;
    struct candidates best = {.count = 0};
    for (uint32_t i = 1; i < functions->count; i++)
        consider(&best, c, functions->function[i].name, fabs(functions->function[i].total));
    add_candidates(c, &best);
}

/* Modules or files, by how much is in their functions themselves. */
static void complete_location(struct completing *c, bool modules)
{
    const struct flm_profile *p = c->q.profile;
    const struct flm_functions *functions = &c->q.viewer->scene.tables.functions;
    struct candidates best = {.count = 0};
    for (uint32_t i = 1; i < p->sizes.frame_count; i++)
        consider(&best, c, modules ? p->frames[i].module : p->frames[i].file,
                 fabs(functions->function[functions->of_frame[i]].self));
    add_candidates(c, &best);
}

static void complete_kind(struct completing *c)
{
    const char *kind;
    for (size_t i = 0; (kind = flm_pattern_kind(i)); i++)
        try_word(c, kind, NULL);
}

static void complete_pattern(struct completing *c)
{
    const char *field, *description;
    if (flm_bytes_are(c->typed.field, "module=") || flm_bytes_are(c->typed.field, "file=")) {
        complete_location(c, flm_bytes_are(c->typed.field, "module="));
        return;
    }
    if (flm_bytes_are(c->typed.field, "kind=")) {
        complete_kind(c);
        return;
    }
    /* Functions need no field in front. */
    for (size_t i = 1; c->typed.field.size == 0 && (field = flm_pattern_field(i, &description));
         i++)
        try_word(c, field, description);
    complete_function(c);
}

static void complete_choice(struct completing *c)
{
    const char *word, *description;
    for (size_t i = 0; (word = c->typed.end.argument->choice(i, &description)); i++)
        try_word(c, word, description);
}

static void complete_substitution(struct completing *c)
{
    try_word(c, "s/old/new/", "a regular expression, and what replaces its match");
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static bool begins(struct flm_bytes text, struct flm_bytes word)
{
    return word.size <= text.size && memcmp(text.at, word.at, word.size) == 0;
}

/* The label behind those that have the key of the one at `first`: labels are sorted by key. */
static uint32_t next_key(const struct flm_profile *p, uint32_t first)
{
    uint32_t next = first;
    while (next < p->sizes.label_count && p->labels[next].key == p->labels[first].key)
        next++;
    return next;
}

/* "3 values: main, gc, io". */
static struct flm_bytes values_of(struct completing *c, uint32_t first, uint32_t next)
{
    enum { SHOWN = 3, LONGEST = 60 };
    const struct flm_profile *p = c->q.profile;
    struct flm_text *text = flm_query_scratch(&c->q);
    flm_text_format(text, "%u %s", next - first, next - first == 1 ? "value" : "values");
    for (uint32_t i = first; i < next && i < first + SHOWN && text->size < LONGEST; i++) {
        flm_text_puts(text, i == first ? ": " : ", ");
        flm_text_add_name(text, flm_string_bytes(p, p->labels[i].value));
    }
    flm_text_puts(text, next - first > SHOWN ? " \xE2\x80\xA6" : "");
    return flm_query_scratch_copy(&c->q);
}

/* Keys, by their names here or by those that other programs have for them: "tid" for thread. */
static void complete_key(struct completing *c, const char *ending)
{
    const struct flm_profile *p = c->q.profile;
    for (uint32_t i = 0, next; i < p->sizes.label_count && c->count < MOST_ITEMS; i = next) {
        struct flm_bytes key = flm_string_bytes(p, p->labels[i].key);
        const char *other = flm_label_other_name(p, key);
        next = next_key(p, i);
        if (!begins(key, c->typed.word) && !(other && begins(flm_bytes_of(other), c->typed.word)))
            continue;
        struct flm_text whole = {0};
        flm_text_add(&whole, key);
        flm_text_puts(&whole, ending);
        struct flm_bytes note = values_of(c, i, next);
        size_t item = c->q.response->completions->items.count;
        add_item(c, (struct flm_bytes){whole.at, whole.size},
                 (struct flm_bytes){whole.at, whole.size}, NULL);
        if (c->q.response->completions->items.count > item)
            c->q.response->completions->items.at[item].note = note;
        c->q.scratch.failed = c->q.scratch.failed || whole.failed;
        flm_text_clear(&whole);
    }
}

static void add_value(struct completing *c, struct flm_bytes value, bool needs_quotes)
{
    struct flm_text quoted = {0};
    flm_text_puts(&quoted, needs_quotes ? "\"" : "");
    flm_text_add(&quoted, value);
    flm_text_puts(&quoted, needs_quotes ? "\"" : "");
    add_item(c, (struct flm_bytes){quoted.at, quoted.size}, value, NULL);
    c->q.scratch.failed = c->q.scratch.failed || quoted.failed;
    flm_text_clear(&quoted);
}

/* First the keys, then the values of one. */
static void complete_label(struct completing *c)
{
    const struct flm_profile *p = c->q.profile;
    struct flm_bytes word = c->typed.word;
    size_t equals = 0;
    while (equals < word.size && word.at[equals] != '=')
        equals++;
    if (equals == word.size) {
        complete_key(c, "=");
        return;
    }
    struct flm_bytes key = flm_label_key(p, (struct flm_bytes){word.at, equals});
    struct flm_bytes value = flm_bytes_from(word, equals + 1);
    c->typed.before.size += equals + 1; /* the key stays as it was typed */
    for (uint32_t i = 0; i < p->sizes.label_count && c->count < MOST_ITEMS; i++) {
        struct flm_bytes one = flm_string_bytes(p, p->labels[i].value);
        if (!flm_bytes_equal(flm_string_bytes(p, p->labels[i].key), key) || !begins(one, value))
            continue;
        add_value(c, one, one.size > 0 && memchr(one.at, '|', one.size) != NULL);
    }
}

/* The values of a key that begin with what was typed. A value that would be read as a pattern, or
 * as several names, needs quotes, which are accepted only around the first name. */
static void complete_values(struct completing *c, struct flm_bytes key, bool is_first)
{
    const struct flm_profile *p = c->q.profile;
    for (uint32_t i = 0; i < p->sizes.label_count && c->count < MOST_ITEMS; i++) {
        struct flm_bytes value = flm_string_bytes(p, p->labels[i].value);
        if (value.size == 0 || !flm_bytes_equal(flm_string_bytes(p, p->labels[i].key), key) ||
            !begins(value, c->typed.word))
            continue;
        bool quoted = value.at[0] == '/';
        for (size_t k = 0; k < value.size; k++)
            quoted = quoted || flm_is_one_of(value.at[k], "|,*?\"");
        if (!quoted || is_first)
            add_value(c, value, quoted);
    }
}

/* The names and numbers of threads, processes or commands, for the last name of the list. Numbers
 * come first for "tid:" and "pid:". */
static void complete_threads(struct completing *c)
{
    size_t first = c->typed.word.size;
    while (first > 0 && c->typed.word.at[first - 1] != ',')
        first--;
    c->typed.before.size += first;
    c->typed.word = flm_bytes_from(c->typed.word, first);
    struct flm_thread_filter_keys keys =
        flm_thread_filter_keys_of(c->q.profile, c->typed.end.operation->name);
    bool by_number = flm_label_own_name(c->typed.end.name) != NULL;
    for (size_t i = 0; i < 2; i++) {
        struct flm_bytes key = keys.at[by_number ? 1 - i : i];
        if (key.size > 0)
            complete_values(c, key, first == 0);
    }
}

static void complete_label_key(struct completing *c)
{
    complete_key(c, "");
}

/* ---- Everything else ------------------------------------------------------------------------- */

static void complete_metric(struct completing *c)
{
    const struct flm_profile *p = c->q.profile;
    struct candidates best = {.count = 0};
    for (uint32_t m = 0; m < p->sizes.metric_count; m++)
        consider(&best, c, p->metrics[m].name, -(double)m);
    add_candidates(c, &best);
}

/* By type; NULL: nothing is offered. */
static void (*const completers[FLM_ARGUMENT_TYPE_COUNT])(struct completing *c) = {
    [FLM_ARGUMENT_PATTERN] = complete_pattern,
    [FLM_ARGUMENT_SELECTION] = complete_pattern,
    [FLM_ARGUMENT_SUBSTITUTION] = complete_substitution,
    [FLM_ARGUMENT_CHOICE] = complete_choice,
    [FLM_ARGUMENT_METRIC] = complete_metric,
    [FLM_ARGUMENT_LABEL] = complete_label,
    [FLM_ARGUMENT_LABEL_KEY] = complete_label_key,
    [FLM_ARGUMENT_THREADS] = complete_threads,
};

static void complete_argument(struct completing *c)
{
    const struct flm_argument *argument = c->typed.end.argument;
    if (argument && completers[argument->type])
        completers[argument->type](c);
}

/* Whole expressions that people often want, while nothing was typed. */
static bool complete_nothing(struct completing *c, struct flm_error *why)
{
    const struct flm_presets *presets =
        flm_cached_tables_presets(&c->q.viewer->scene.tables, c->q.profile, why);
    if (!presets)
        return false;
    for (unsigned i = 0; i < presets->count; i++) {
        struct flm_bytes text = {presets->at[i].text.at, presets->at[i].text.size};
        add_item(c, text, flm_bytes_of(presets->at[i].title), "for this profile");
    }
    c->count = 0; /* the operations come as well */
    return true;
}

bool flm_query_complete(struct flm_viewer *v, struct flm_bytes argument,
                        struct flm_response *response, struct flm_error *why)
{
    struct completing c = {.typed = take_apart(argument)};
    if (!flm_query_begin(&c.q, v, response, why))
        return false;
    struct flm_response_completions *made = flm_query_take(&c.q, 1, sizeof *made);
    response->completions = made;
    if (made)
        made->items.at =
            flm_query_take(&c.q, MOST_ITEMS + FLM_MOST_PRESETS, sizeof *made->items.at);
    if (!made || !made->items.at)
        return flm_query_end(&c.q, why);
    bool ok = true, has_metric = c.q.profile && c.q.profile->sizes.metric_count > 0;
    if (has_metric && skip_blanks(argument, 0) == argument.size)
        ok = complete_nothing(&c, why);
    if (ok && !c.typed.end.has_name) {
        complete_operation(&c);
    } else if (ok && has_metric) {
        ok = flm_cached_tables_measured(&v->scene.tables, c.q.profile, c.q.metric, why) != NULL;
        if (ok)
            complete_argument(&c);
    }
    return ok ? flm_query_end(&c.q, why) : flm_query_fail(&c.q);
}
