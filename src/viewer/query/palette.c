/* palette.c - "palette": everything that can be done, by the words that people try; "menu": what can
 * be done with the selected frame. Both are made from the tables of actions (input/actions.h); the
 * palette also has expressions that fit the profile, and its modules. */
#include <math.h>
#include <string.h>

#include "algebra/operation/pattern.h"
#include "draw/text/cells.h"
#include "viewer/input/actions.h"
#include "viewer/model/fuzzy.h"
#include "viewer/query/internal.h"

enum { MOST_ENTRIES = 320, MOST_MODULES = 5, NO_MATCH = -1, LAST = -10000 };

/* ---- Matching -------------------------------------------------------------------------------- */

static char small(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

static bool is_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || (unsigned char)byte >= 0x80;
}

/* How a word is in a text: inside of one there, at its beginning, as one. */
enum fit { NOWHERE, INSIDE, BEGINS, WHOLE };

static enum fit fit_of(struct flm_bytes text, struct flm_bytes word)
{
    enum fit best = NOWHERE;
    for (size_t at = 0; at + word.size <= text.size && best < WHOLE; at++) {
        size_t same = 0;
        while (same < word.size && small(text.at[at + same]) == small(word.at[same]))
            same++;
        if (same < word.size)
            continue;
        bool begins = at == 0 || !is_word(text.at[at - 1]);
        bool ends = at + word.size == text.size || !is_word(text.at[at + word.size]);
        enum fit fit = begins && ends ? WHOLE : begins ? BEGINS : INSIDE;
        best = fit > best ? fit : best;
    }
    return best;
}

/* What an entry is found by: its title counts most, then the words of its action. A part of a word
 * needs some letters, to be no accident. */
static int score_word(struct flm_bytes title, const struct flm_action *action,
                      struct flm_bytes word)
{
    static const int of_title[] = {NO_MATCH, 10, 40, 45}, of_also[] = {NO_MATCH, 5, 30, 35};
    enum { FEWEST_LETTERS = 3 };
    struct flm_bytes also = flm_bytes_of(action && action->also ? action->also : "");
    struct flm_bytes name = flm_bytes_of(action ? action->name : "");
    const enum fit fits[] = {fit_of(title, word), fit_of(also, word), fit_of(name, word)};
    int best = NO_MATCH;
    for (size_t i = 0; i < sizeof fits / sizeof fits[0]; i++) {
        enum fit fit = fits[i] == INSIDE && word.size < FEWEST_LETTERS ? NOWHERE : fits[i];
        int score = (i == 0 ? of_title : of_also)[fit];
        best = score > best ? score : best;
    }
    return best;
}

static struct flm_bytes next_word(struct flm_bytes *text)
{
    *text = flm_bytes_trimmed(*text);
    size_t size = 0;
    while (size < text->size && text->at[size] != ' ')
        size++;
    struct flm_bytes word = {text->at, size};
    *text = flm_bytes_from(*text, size);
    return word;
}

/* Every word is to be found; else the letters in their order, as people abbreviate. */
static int score_of(struct flm_bytes title, const struct flm_action *action, struct flm_bytes text)
{
    struct flm_bytes rest = text, word;
    struct flm_fuzzy fuzzy;
    int sum = 0;
    while (sum != NO_MATCH && (word = next_word(&rest)).size > 0) {
        int score = score_word(title, action, word);
        sum = score == NO_MATCH ? NO_MATCH : sum + score;
    }
    if (sum != NO_MATCH)
        return sum;
    flm_fuzzy_init(&fuzzy, text, true);
    if (fuzzy.count > 0 && flm_fuzzy_possible(&fuzzy, title) &&
        flm_fuzzy_accepts(&fuzzy, flm_fuzzy_cost(&fuzzy, title)))
        return 0;
    return NO_MATCH;
}

/* ---- Entries --------------------------------------------------------------------------------- */

struct scored {
    struct flm_response_entry entry;
    int score, place; /* of equal scores the first place is first */
};

/* What mends a recursion that fills the screen. */
static const char OFFERED[] = "collapse-direct";

struct palette {
    struct flm_query q;
    struct flm_bytes text; /* that was typed */
    struct scored *at;
    int count;
    bool has_frame; /* one is selected */
    bool offers;    /* the action OFFERED */
};

/* The place of an action in the menu; -1: it is not there. */
static int menu_place(const struct flm_action *action)
{
    const struct flm_menu_entry *entry;
    for (size_t i = 0; (entry = flm_menu_at(i)); i++)
        if (strcmp(entry->action, action->name) == 0)
            return (int)i;
    return -1;
}

/* Actions that need a selected frame are listed first while one is selected. */
static void add_entry(struct palette *p, const struct flm_action *action,
                      struct flm_response_entry entry)
{
    enum { FITTING = 1000, IMPOSSIBLE = 2000, OFFER = 5000 };
    int score = score_of(entry.title, action, p->text), place = menu_place(action);
    if (score == NO_MATCH || p->count == MOST_ENTRIES)
        return;
    bool is_possible = flm_action_makes_sense(action, p->q.viewer);
    bool is_fitting = is_possible && p->has_frame && action->only && place >= 0;
    bool is_offered = p->offers && strcmp(action->name, OFFERED) == 0;
    struct scored *to = &p->at[p->count];
    *to = (struct scored){entry, score, p->count};
    if (is_fitting && p->text.size == 0)
        to->place = place - FITTING;
    if (is_offered && p->text.size == 0)
        to->place = -OFFER;
    if (is_fitting && p->text.size > 0)
        to->score += 5;
    if (!is_possible) {
        to->entry.otherwise = flm_query_text(&p->q, action->only->otherwise);
        to->score -= IMPOSSIBLE;
    }
    p->count++;
}

static struct flm_bytes keys_of(struct flm_query *q, const char *keys)
{
    return keys ? flm_query_text(q, keys) : (struct flm_bytes){NULL, 0};
}

/* An action with one of the words that its argument can be: "view" "top", under its title. */
static void add_choice(struct palette *p, const struct flm_action *action, const char *group,
                       struct flm_bytes word, struct flm_bytes title, const char *key)
{
    struct flm_response_entry entry = {.group = flm_query_text(&p->q, group)};
    struct flm_text *text = flm_query_scratch(&p->q);
    flm_text_format(text, "%s ", action->name);
    flm_text_add(text, word);
    entry.action = flm_query_scratch_copy(&p->q);
    text = flm_query_scratch(&p->q);
    flm_text_format(text, "%s: ", action->title);
    flm_text_add(text, title);
    entry.title = flm_query_scratch_copy(&p->q);
    entry.keys = keys_of(&p->q, key);
    add_entry(p, action, entry);
}

/* An action whose argument is still to be typed, behind `word` unless that is empty. */
static void add_typed(struct palette *p, const struct flm_action *action, const char *group,
                      struct flm_bytes word, struct flm_bytes argument)
{
    struct flm_text *name = flm_query_scratch(&p->q);
    flm_text_puts(name, action->name);
    flm_text_puts(name, word.size > 0 ? " " : "");
    flm_text_add(name, word);
    struct flm_bytes run = flm_query_scratch_copy(&p->q);
    struct flm_response_entry entry = {.group = flm_query_text(&p->q, group),
                                       .action = run,
                                       .argument = flm_query_copy(&p->q, argument),
                                       .keys = keys_of(&p->q, action->keys)};
    struct flm_text *text = flm_query_scratch(&p->q);
    flm_text_puts(text, action->title);
    flm_text_puts(text, word.size > 0 ? ": " : "");
    flm_text_add(text, word);
    flm_text_puts(text, " \xE2\x80\xA6");
    entry.title = flm_query_scratch_copy(&p->q);
    add_entry(p, action, entry);
}

/* "module|kind|metric NAME": a word is chosen, behind "metric" a name is typed. */
static void add_words(struct palette *p, const struct flm_action *action, const char *group)
{
    for (const char *at = action->argument->name; *at;) {
        size_t size = 0, word;
        while (at[size] && at[size] != '|')
            size++;
        for (word = 0; word < size && at[word] != ' ';)
            word++;
        if (word < size)
            add_typed(p, action, group, (struct flm_bytes){at, word},
                      (struct flm_bytes){at + word + 1, size - word - 1});
        else
            add_choice(p, action, group, (struct flm_bytes){at, size}, (struct flm_bytes){at, size},
                       NULL);
        at += size + (at[size] == '|');
    }
}

static void add_metrics(struct palette *p, const struct flm_action *action, const char *group)
{
    for (uint32_t m = 0; p->q.profile && m < p->q.profile->sizes.metric_count; m++) {
        struct flm_bytes name = flm_comparing_metric_name(&p->q.viewer->model, m);
        if (!flm_compared_is_aside(p->q.viewer, m))
            add_choice(p, action, group, name, name, NULL);
    }
}

static void add_notes(struct palette *p, const struct flm_action *action, const char *group)
{
    const struct flm_kept_notes *notes = &p->q.viewer->model.notes;
    for (size_t i = 0; i < flm_kept_notes_count(notes); i++) {
        const struct flm_written_note *note = flm_kept_notes_at(notes, i);
        add_choice(p, action, group, flm_bytes_of(note->id),
                   (struct flm_bytes){note->text.at, note->text.size}, NULL);
    }
}

static void add_choices(struct palette *p, const struct flm_action *action, const char *group)
{
    struct flm_choice choice;
    for (size_t i = 0; (choice = action->argument->choices(i)).name; i++)
        add_choice(p, action, group, flm_bytes_of(choice.name), flm_bytes_of(choice.title),
                   choice.key);
}

static void add_action(struct palette *p, const struct flm_action *action, const char *group)
{
    if (!action->argument) {
        add_entry(p, action,
                  (struct flm_response_entry){.action = flm_query_text(&p->q, action->name),
                                              .title = flm_query_text(&p->q, action->title),
                                              .group = flm_query_text(&p->q, group),
                                              .keys = keys_of(&p->q, action->keys)});
        return;
    }
    switch (action->argument->given) {
    case FLM_GIVEN_TYPED:
        add_typed(p, action, group, (struct flm_bytes){"", 0},
                  flm_bytes_of(action->argument->name));
        break;
    case FLM_GIVEN_WORD:
        add_words(p, action, group);
        break;
    case FLM_GIVEN_CHOICE:
        add_choices(p, action, group);
        break;
    case FLM_GIVEN_METRIC:
        add_metrics(p, action, group);
        break;
    case FLM_GIVEN_NOTE:
        add_notes(p, action, group);
        break;
    case FLM_GIVEN_POINTED:
        break;
    }
}

/* ---- What the profile has -------------------------------------------------------------------- */

/* "apply" with an expression, under a title of its own. */
static void add_expression(struct palette *p, struct flm_bytes expression, struct flm_bytes title,
                           const char *group)
{
    struct flm_text *text = flm_query_scratch(&p->q);
    flm_text_puts(text, "apply ");
    flm_text_add(text, expression);
    int score = score_of(title, NULL, p->text);
    if (score == NO_MATCH || p->count == MOST_ENTRIES)
        return;
    p->at[p->count] = (struct scored){{.action = flm_query_scratch_copy(&p->q),
                                       .title = flm_query_copy(&p->q, title),
                                       .group = flm_query_text(&p->q, group)},
                                      score,
                                      p->count};
    p->count++;
}

/* "Only my code" is an action too. */
static bool is_listed(const struct palette *p, const char *title)
{
    for (int i = 0; i < p->count; i++)
        if (flm_bytes_are(p->at[i].entry.title, title))
            return true;
    return false;
}

static bool add_presets(struct palette *p, struct flm_error *why)
{
    const struct flm_presets *presets =
        flm_cached_tables_presets(&p->q.viewer->scene.tables, p->q.profile, why);
    for (unsigned i = 0; presets && i < presets->count; i++) {
        if (is_listed(p, presets->at[i].title))
            continue;
        add_expression(p, (struct flm_bytes){presets->at[i].text.at, presets->at[i].text.size},
                       flm_bytes_of(presets->at[i].title), "Transform");
    }
    return presets != NULL;
}

struct module {
    uint32_t string;
    double self;
};

/* The largest modules whose names have the typed text. */
static int find_modules(const struct palette *p, const struct flm_functions *functions,
                        struct module best[MOST_MODULES])
{
    int count = 0;
    for (uint32_t i = 1; i < functions->count; i++) {
        struct module one = {functions->function[i].module, fabs(functions->function[i].self)};
        struct flm_bytes name = flm_path_end(flm_string_bytes(p->q.profile, one.string));
        int at = 0;
        if (one.string == 0 || fit_of(name, p->text) == NOWHERE)
            continue;
        while (at < count && best[at].string != one.string)
            at++;
        if (at < count)
            best[at].self += one.self;
        else if (count < MOST_MODULES)
            best[count++] = one;
        else if (best[count - 1].self < one.self)
            best[at = count - 1] = one;
        else
            continue;
        for (at = at < count ? at : count - 1; at > 0 && best[at - 1].self < best[at].self; at--) {
            struct module other = best[at];
            best[at] = best[at - 1];
            best[at - 1] = other;
        }
    }
    return count;
}

/* "libc" is a module that somebody wants to be rid of. */
static bool add_modules(struct palette *p, struct flm_error *why)
{
    struct module best[MOST_MODULES];
    const struct flm_functions *functions =
        flm_cached_tables_measured(&p->q.viewer->scene.tables, p->q.profile, p->q.metric, why);
    int count = functions ? find_modules(p, functions, best) : 0;
    for (int i = 0; i < count; i++) {
        struct flm_bytes name = flm_string_bytes(p->q.profile, best[i].string);
        struct flm_text expression = {0}, title = {0};
        flm_text_puts(&expression, "hide:module=");
        flm_pattern_add_exact(&expression, name);
        flm_text_puts(&title, "Without the module ");
        flm_text_add(&title, flm_path_end(name));
        if (!expression.failed && !title.failed)
            add_expression(p, (struct flm_bytes){expression.at, expression.size},
                           (struct flm_bytes){title.at, title.size}, "Transform");
        p->q.scratch.failed = p->q.scratch.failed || expression.failed || title.failed;
        flm_text_clear(&expression);
        flm_text_clear(&title);
    }
    return functions != NULL;
}

/* Behind everything else: a function may have that name. */
static void add_search(struct palette *p)
{
    if (p->count == MOST_ENTRIES)
        return;
    struct flm_response_entry entry = {.group = flm_query_text(&p->q, "Search")};
    struct flm_text *text = flm_query_scratch(&p->q);
    flm_text_puts(text, "search ");
    flm_text_add(text, p->text);
    entry.action = flm_query_scratch_copy(&p->q);
    text = flm_query_scratch(&p->q);
    flm_text_puts(text, "Search for \xE2\x80\x9C");
    flm_text_add(text, p->text);
    flm_text_puts(text, "\xE2\x80\x9D");
    entry.title = flm_query_scratch_copy(&p->q);
    p->at[p->count] = (struct scored){entry, LAST, p->count};
    p->count++;
}

static bool is_before(const struct scored *a, const struct scored *b)
{
    return a->score != b->score ? a->score > b->score : a->place < b->place;
}

/* By insertion: they are few, and mostly in order. */
static void sort(struct palette *p)
{
    for (int i = 1; i < p->count; i++) {
        struct scored one = p->at[i];
        int to = i;
        for (; to > 0 && is_before(&one, &p->at[to - 1]); to--)
            p->at[to] = p->at[to - 1];
        p->at[to] = one;
    }
}

static struct flm_response_entries *take_entries(struct flm_query *q, size_t count)
{
    struct flm_response_entries *made = flm_query_take(q, 1, sizeof *made);
    if (made)
        made->items.at = flm_query_take(q, count, sizeof *made->items.at);
    if (!made || !made->items.at)
        return NULL;
    made->x = made->y = NAN;
    q->response->entries = made;
    return made;
}

bool flm_query_palette(struct flm_viewer *v, struct flm_bytes argument,
                       struct flm_response *response, struct flm_error *why)
{
    struct palette p = {.text = flm_bytes_trimmed(argument)};
    size_t count;
    const struct flm_action_group *const *groups = flm_action_groups(&count);
    if (!flm_query_begin(&p.q, v, response, why))
        return false;
    struct flm_response_entries *made = take_entries(&p.q, MOST_ENTRIES);
    p.at = flm_query_take(&p.q, MOST_ENTRIES, sizeof *p.at);
    if (!made || !p.at)
        return flm_query_end(&p.q, why);
    p.has_frame = p.q.profile && flm_viewer_has_frame(v);
    p.offers = flm_offered_chain(v) != NULL;
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < groups[g]->count; i++)
            add_action(&p, &groups[g]->at[i], groups[g]->title);
    if (p.q.profile && p.q.profile->sizes.metric_count > 0 && p.text.size > 0 &&
        (!add_presets(&p, why) || !add_modules(&p, why)))
        return flm_query_fail(&p.q);
    if (p.q.profile && p.text.size > 0)
        add_search(&p);
    sort(&p);
    for (int i = 0; i < p.count; i++)
        made->items.at[made->items.count++] = p.at[i].entry;
    return flm_query_end(&p.q, why);
}

/* ---- The menu -------------------------------------------------------------------------------- */

size_t flm_query_menu_size(void)
{
    size_t count = 0;
    while (flm_menu_at(count))
        count++;
    return count;
}

size_t flm_query_list_menu(struct flm_query *q, enum flm_menu_section last,
                           struct flm_response_entry *entries)
{
    const struct flm_menu_entry *entry;
    size_t count = 0;
    for (size_t i = 0; (entry = flm_menu_at(i)) && entry->section <= last; i++) {
        const struct flm_action *action = flm_action_named(flm_bytes_of(entry->action));
        if (flm_action_makes_sense(action, q->viewer))
            entries[count++] = (struct flm_response_entry){
                .action = flm_query_text(q, entry->action),
                .title = flm_query_text(q, entry->title),
                .button = flm_query_text(q, entry->button),
                .keys = keys_of(q, action->keys),
                .section = entry->section,
            };
    }
    return count;
}

bool flm_query_menu(struct flm_viewer *v, struct flm_bytes none, struct flm_response *response,
                    struct flm_error *why)
{
    struct flm_query q;
    (void)none;
    if (!flm_query_begin(&q, v, response, why))
        return false;
    struct flm_response_entries *made = take_entries(&q, flm_query_menu_size());
    if (!made || !q.profile)
        return flm_query_end(&q, why);
    made->x = v->input.menu_x;
    made->y = v->input.menu_y;
    if (flm_viewer_has_frame(v))
        made->title = flm_query_title(&q, flm_scene_frame(&v->scene, v->model.selected));
    made->items.count = flm_query_list_menu(&q, FLM_MENU_GENERAL, made->items.at);
    return flm_query_end(&q, why);
}
