/* typing.c - the typed line: a search, an action's argument, the beginning of an action's name. It
 * is at the lower edge, in place of the status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tui/internal.h"

enum { MOST_ENTRIES = 256, LIST_ROWS = 12 };

/* ---- Actions to choose from ------------------------------------------------------------------ */

/* An action, with one of the words that its argument can be, or with one that is to be typed. */
struct entry {
    const struct flm_action *action;
    const char *group;
    struct flm_bytes word;
    bool is_typed;
    int score;
};

struct entries {
    struct entry at[MOST_ENTRIES];
    size_t count;
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* Whether `text` has the letters wanted, in their order: the better the closer they stand together
 * and the nearer to the beginnings of words. *at goes on in the next part of the text. */
static int likeness_of(struct flm_bytes text, struct flm_bytes wanted, size_t *at)
{
    int score = 0;
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < text.size && *at < wanted.size; i++) {
        if (wanted.at[*at] == ' ') {
            ++*at;
            i--;
            continue;
        }
        if (lower(text.at[i]) != lower(wanted.at[*at]))
            continue;
        bool starts_word = i == 0 || flm_is_one_of(text.at[i - 1], " -:");
        score += i == last + 1 ? 3 : starts_word ? 2 : 0;
        last = i;
        ++*at;
    }
    return score;
}

/* Kept in order: the most alike first, of equals as the table has them. */
static void add_entry(const struct flm_tui *tui, struct entries *entries, struct entry entry)
{
    size_t at = 0;
    struct flm_bytes wanted = flm_tui_line_text(tui);
    entry.score = likeness_of(flm_bytes_of(entry.action->title), wanted, &at);
    entry.score += likeness_of(entry.word, wanted, &at);
    if (at < wanted.size) {
        at = 0;
        entry.score = likeness_of(flm_bytes_of(entry.action->name), wanted, &at);
        entry.score += likeness_of(entry.word, wanted, &at);
    }
    if (at < wanted.size || entries->count == MOST_ENTRIES)
        return;
    size_t place = entries->count++;
    while (place > 0 && entries->at[place - 1].score < entry.score) {
        entries->at[place] = entries->at[place - 1];
        place--;
    }
    entries->at[place] = entry;
}

static bool is_choice(const char *argument)
{
    return strchr(argument, '|') && argument[strspn(argument, "abcdefghijklmnopqrstuvwxyz-|")] == 0;
}

/* Arguments that only a click can give: a node, a row. */
static bool is_number(const char *argument)
{
    static const char *const numbers[] = {"NODE",         "FRAME", "N",      "N M",
                                          "N EXPRESSION", "ID",    "COLUMN", "STATE"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(argument, numbers[i]) == 0)
            return true;
    return false;
}

static void add_action(const struct flm_tui *tui, struct entries *entries, const char *group,
                       const struct flm_action *action)
{
    struct entry entry = {.action = action, .group = group, .word = {"", 0}};
    const struct flm_response_tools *tools = tui->tools.tools;
    if (!flm_action_makes_sense(action, tui->viewer))
        return;
    if (!action->argument) {
        add_entry(tui, entries, entry);
    } else if (strcmp(action->name, "metric") == 0) {
        for (size_t i = 0; tools && i < tools->metrics.count; i++) {
            entry.word = tools->metrics.at[i].name;
            add_entry(tui, entries, entry);
        }
    } else if (flm_action_choices(action)) {
        struct flm_choice choice;
        for (size_t i = 0; (choice = flm_action_choices(action)(i)).name; i++) {
            entry.word = flm_bytes_of(choice.name);
            add_entry(tui, entries, entry);
        }
    } else if (is_choice(action->argument)) {
        for (const char *word = action->argument; *word;) {
            size_t size = strcspn(word, "|");
            entry.word = (struct flm_bytes){word, size};
            add_entry(tui, entries, entry);
            word += size + (word[size] == '|');
        }
    } else if (!is_number(action->argument)) {
        entry.is_typed = true;
        add_entry(tui, entries, entry);
    }
}

static void find_entries(const struct flm_tui *tui, struct entries *entries)
{
    size_t count;
    const struct flm_action_group *const *groups = flm_action_groups(&count);
    entries->count = 0;
    for (size_t g = 0; g < count; g++)
        for (size_t i = 0; i < groups[g]->count; i++)
            add_action(tui, entries, groups[g]->title, &groups[g]->at[i]);
}

/* ---- Prompts --------------------------------------------------------------------------------- */

/* The text of the search that is being typed. */
static struct flm_bytes searched_text(const struct flm_tui *tui)
{
    const struct flm_response_search *search = flm_tui_current_search(tui);
    return search ? search->text : (struct flm_bytes){"", 0};
}

void flm_tui_type(struct flm_tui *tui, const char *action, struct flm_bytes text)
{
    tui->mode = FLM_TUI_TYPING;
    tui->chosen = 0;
    tui->completed.any = NULL;
    snprintf(tui->asked, sizeof tui->asked, "%s ", action);
    flm_tui_line_set(tui, text);
}

/* "export svg": where to? */
static void ask_for_file(struct flm_tui *tui, struct flm_bytes what)
{
    const struct flm_response_tools *tools = tui->tools.tools;
    struct flm_bytes none = {"", 0};
    struct flm_bytes name = flm_path_end(tools && tools->name.at ? tools->name : none);
    struct flm_text file = {0};
    char action[sizeof tui->asked - 1];
    snprintf(action, sizeof action, "%.*s", (int)what.size, what.at);
    flm_text_add(&file, name);
    flm_text_putc(&file, '.');
    flm_text_add(&file, (struct flm_bytes){what.at + 7, what.size - 7});
    flm_tui_type(tui, action, (struct flm_bytes){file.at, file.size});
    flm_text_clear(&file);
}

void flm_tui_prompt(struct flm_tui *tui, struct flm_bytes what)
{
    if (flm_bytes_are(what, "search")) {
        tui->mode = FLM_TUI_SEARCHING;
        flm_tui_line_set(tui, searched_text(tui));
    } else if (flm_bytes_are(what, "transform")) {
        flm_tui_type(tui, "apply", (struct flm_bytes){"", 0});
    } else if (flm_bytes_are(what, "palette")) {
        tui->mode = FLM_TUI_CHOOSING;
        tui->chosen = 0;
        flm_tui_line_set(tui, (struct flm_bytes){"", 0});
    } else if (flm_bytes_are(what, "help")) {
        flm_tui_open_help(tui);
    } else if (flm_bytes_are(what, "data-quality")) {
        flm_tui_open_data_quality(tui);
    } else if (flm_bytes_start_with(what, "export ")) {
        ask_for_file(tui, what);
    } else {
        flm_tui_notify(tui, true, "the terminal has no %.*s", (int)what.size, what.at);
    }
}

/* ---- Typing ---------------------------------------------------------------------------------- */

static void search(struct flm_tui *tui)
{
    struct flm_text action = {0};
    flm_text_puts(&action, "search ");
    flm_text_add(&action, flm_tui_line_text(tui));
    /* The line shows the error: half a regular expression is no reason for a notice. */
    if (!action.failed)
        flm_viewer_do(tui->viewer, (struct flm_bytes){action.at, action.size}, NULL);
    flm_text_clear(&action);
}

static void next_kind(struct flm_tui *tui)
{
    static const char *const kinds[] = {"text", "regex", "fuzzy"};
    const struct flm_response_search *current = flm_tui_current_search(tui);
    size_t i = 0;
    while (i < 2 && !(current && flm_bytes_are(current->kind, kinds[i])))
        i++;
    flm_tui_do_format(tui, "search-kind %s", kinds[(i + 1) % 3]);
}

static void search_key(struct flm_tui *tui, const struct flm_tui_event *event)
{
    bool changed = false;
    const char *key = event->key;
    if (strcmp(key, "Escape") == 0) {
        flm_tui_line_set(tui, (struct flm_bytes){"", 0});
        search(tui);
        tui->mode = FLM_TUI_LOOKING;
    } else if (strcmp(key, "Enter") == 0 && event->held & FLM_HELD_ALT) {
        flm_tui_do_format(tui, "search-add");
        flm_tui_line_set(tui, (struct flm_bytes){"", 0});
    } else if (strcmp(key, "Enter") == 0) {
        tui->mode = FLM_TUI_LOOKING;
        if (tui->line.text.size > 0)
            flm_tui_do_format(tui, "next-match");
    } else if (strcmp(key, "ArrowDown") == 0 || strcmp(key, "ArrowUp") == 0) {
        flm_tui_do_format(tui, "%s", key[5] == 'D' ? "next-match" : "previous-match");
    } else if (strcmp(key, "Tab") == 0) {
        next_kind(tui);
    } else if (flm_tui_line_key(&tui->line, event, &changed) && changed) {
        search(tui);
    }
}

static void complete(struct flm_tui *tui)
{
    struct flm_text query = {0};
    tui->completed.any = NULL;
    tui->chosen = 0;
    if (strcmp(tui->asked, "apply ") != 0)
        return;
    flm_text_puts(&query, "complete ");
    flm_text_add(&query, flm_tui_line_text(tui));
    if (!query.failed)
        flm_viewer_query(tui->viewer, (struct flm_bytes){query.at, query.size}, &tui->completed,
                         NULL);
    flm_text_clear(&query);
}

/* NULL: there are not so many. */
static const struct flm_response_completion *completion_at(const struct flm_tui *tui, size_t index)
{
    const struct flm_response_completions *c = tui->completed.completions;
    return c && index < c->items.count ? &c->items.at[index] : NULL;
}

static void save(struct flm_tui *tui)
{
    struct flm_text query = {0}, bytes = {0}, path = {0};
    struct flm_error why = {0};
    flm_text_add(&path, flm_tui_line_text(tui));
    flm_text_putc(&path, 0);
    flm_text_add(&query, (struct flm_bytes){tui->asked, strlen(tui->asked) - 1});
    bool good =
        !path.failed && !query.failed &&
        flm_viewer_query_text(tui->viewer, (struct flm_bytes){query.at, query.size}, &bytes, &why);
    FILE *file = good && !bytes.failed ? fopen(path.at, "wxb") : NULL;
    if (!good || bytes.failed) {
        flm_tui_notify(tui, true, "%s", good ? "out of memory" : why.text);
    } else if (!file) {
        flm_tui_notify(tui, true, "cannot make '%s': it is there already, or its folder is not",
                       path.at);
    } else {
        bool wrote = fwrite(bytes.at, 1, bytes.size, file) == bytes.size;
        if (fclose(file) != 0 || !wrote)
            flm_tui_notify(tui, true, "cannot write '%s'", path.at);
        else
            flm_tui_notify(tui, false, "written: %s", path.at);
        tui->mode = FLM_TUI_LOOKING;
    }
    flm_text_clear(&query);
    flm_text_clear(&bytes);
    flm_text_clear(&path);
}

static void enter(struct flm_tui *tui)
{
    if (strncmp(tui->asked, "export ", 7) == 0) {
        save(tui);
        return;
    }
    if (tui->live && strcmp(tui->asked, "save ") == 0) {
        flm_tui_live_save(tui);
        return;
    }
    struct flm_text action = {0};
    flm_text_puts(&action, tui->asked);
    flm_text_add(&action, flm_tui_line_text(tui));
    if (!action.failed && flm_tui_do(tui, (struct flm_bytes){action.at, action.size}))
        tui->mode = FLM_TUI_LOOKING;
    flm_text_clear(&action);
}

static void typing_key(struct flm_tui *tui, const struct flm_tui_event *event)
{
    bool changed = false;
    const char *key = event->key;
    const struct flm_response_completion *item = completion_at(tui, tui->chosen);
    if (strcmp(key, "Escape") == 0) {
        tui->mode = FLM_TUI_LOOKING;
    } else if (strcmp(key, "Enter") == 0) {
        enter(tui);
    } else if (strcmp(key, "ArrowDown") == 0) {
        tui->chosen += completion_at(tui, tui->chosen + 1) != NULL;
    } else if (strcmp(key, "ArrowUp") == 0) {
        tui->chosen -= tui->chosen > 0;
    } else if (strcmp(key, "Tab") == 0) {
        if (item)
            flm_tui_line_set(tui, item->text);
        complete(tui);
    } else if (flm_tui_line_key(&tui->line, event, &changed) && changed) {
        complete(tui);
    }
}

static void choose(struct flm_tui *tui)
{
    struct entries entries;
    find_entries(tui, &entries);
    if (tui->chosen >= entries.count)
        return;
    const struct entry *entry = &entries.at[tui->chosen];
    tui->mode = FLM_TUI_LOOKING;
    if (entry->is_typed)
        flm_tui_type(tui, entry->action->name, (struct flm_bytes){"", 0});
    else
        flm_tui_do_format(tui, "%s%s%.*s", entry->action->name, entry->word.size ? " " : "",
                          (int)entry->word.size, entry->word.at);
}

static void choosing_key(struct flm_tui *tui, const struct flm_tui_event *event)
{
    bool changed = false;
    const char *key = event->key;
    struct entries entries;
    find_entries(tui, &entries);
    if (strcmp(key, "Escape") == 0)
        tui->mode = FLM_TUI_LOOKING;
    else if (strcmp(key, "Enter") == 0)
        choose(tui);
    else if (strcmp(key, "ArrowDown") == 0)
        tui->chosen += tui->chosen + 1 < entries.count;
    else if (strcmp(key, "ArrowUp") == 0)
        tui->chosen -= tui->chosen > 0;
    else if (flm_tui_line_key(&tui->line, event, &changed) && changed)
        tui->chosen = 0;
}

void flm_tui_typing_key(struct flm_tui *tui, const struct flm_tui_event *event)
{
    if (tui->mode == FLM_TUI_SEARCHING)
        search_key(tui, event);
    else if (tui->mode == FLM_TUI_TYPING)
        typing_key(tui, event);
    else if (tui->mode == FLM_TUI_CHOOSING)
        choosing_key(tui, event);
    else
        flm_tui_page_key(tui, event);
}

/* Up to the first control character: a line has one line. */
void flm_tui_typing_paste(struct flm_tui *tui, struct flm_bytes text)
{
    if (tui->mode == FLM_TUI_READING)
        return;
    if (tui->mode == FLM_TUI_LOOKING)
        flm_tui_prompt(tui, flm_bytes_of("search"));
    size_t size = 0;
    while (size < text.size && (unsigned char)text.at[size] >= 0x20 && text.at[size] != 0x7F)
        size++;
    flm_tui_line_insert(&tui->line, (struct flm_bytes){text.at, size});
    if (tui->mode == FLM_TUI_SEARCHING)
        search(tui);
    else if (tui->mode == FLM_TUI_TYPING)
        complete(tui);
    else
        tui->chosen = 0;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* "regex  18.2 %  41 matches", or the error. */
static void draw_matches(struct flm_tui *tui, int row, int least)
{
    const struct flm_response_search *search = flm_tui_current_search(tui);
    struct flm_bytes none = {"", 0};
    struct flm_bytes kind = search ? search->kind : none, error = search ? search->error : none;
    struct flm_bytes share = search && search->total_share.at ? search->total_share : none;
    double frames = search ? search->frames : 0;
    char words[200];
    struct flm_text text;
    flm_text_init_fixed(&text, words, sizeof words);
    flm_text_format(&text, "%.*s", (int)kind.size, kind.at);
    if (error.size)
        flm_text_format(&text, "  %.*s", (int)error.size, error.at);
    else if (tui->line.text.size > 0 && frames > 0)
        flm_text_format(&text, "  %.*s  %llu %s", (int)share.size, share.at,
                        (unsigned long long)frames, frames == 1 ? "match" : "matches");
    else if (tui->line.text.size > 0)
        flm_text_puts(&text, "  no match");
    struct flm_bytes all = {text.at, text.size};
    int left = tui->screen.columns - (int)flm_cells(all).cells - 1;
    flm_tui_put(tui, left > least ? left : least, row, tui->screen.columns, all,
                error.size ? FLM_TUI_WRONG : FLM_TUI_MUTED);
}

/* A row of a list above the line. */
static void draw_item(struct flm_tui *tui, int y, bool is_chosen, struct flm_bytes title,
                      struct flm_bytes word, struct flm_bytes note)
{
    enum flm_tui_tone tone = is_chosen ? FLM_TUI_CHIP_ON : FLM_TUI_CHIP;
    int end = tui->screen.columns;
    flm_screen_fill(&tui->screen, 0, y, end, 1, flm_tui_style(tui, tone));
    int column = flm_tui_put(tui, 1, y, end, title, tone);
    if (word.size) {
        column = flm_tui_puts(tui, column, y, end, ": ", tone);
        column = flm_tui_put(tui, column, y, end, word, tone);
    }
    int left = end - (int)flm_cells(note).cells - 1;
    if (left > column + 1)
        flm_tui_put(tui, left, y, end, note, is_chosen ? tone : FLM_TUI_CHIP_OFF);
}

static int list_rows(const struct flm_tui *tui)
{
    int rows = tui->screen.rows - 2;
    return rows < 0 ? 0 : rows < LIST_ROWS ? rows : LIST_ROWS;
}

static void draw_entries(struct flm_tui *tui)
{
    struct entries entries;
    find_entries(tui, &entries);
    if (tui->chosen >= entries.count)
        tui->chosen = entries.count ? (uint32_t)entries.count - 1 : 0;
    size_t seen = (size_t)list_rows(tui);
    seen = seen < entries.count ? seen : entries.count;
    size_t first = tui->chosen >= seen && seen > 0 ? tui->chosen - seen + 1 : 0;
    for (size_t i = 0; i < seen; i++) {
        const struct entry *entry = &entries.at[first + i];
        struct flm_text keys = {0};
        if (entry->action->keys && !entry->word.size)
            flm_tui_add_keys(&keys, entry->action->keys, tui->screen.charset == FLM_CHARSET_UTF8);
        struct flm_bytes word =
            entry->is_typed ? flm_bytes_of(entry->action->argument) : entry->word;
        draw_item(tui, tui->screen.rows - 1 - (int)(seen - i), first + i == tui->chosen,
                  flm_bytes_of(entry->action->title), word, (struct flm_bytes){keys.at, keys.size});
        flm_text_clear(&keys);
    }
}

static void draw_completions(struct flm_tui *tui)
{
    uint32_t count = 0, seen = (uint32_t)list_rows(tui);
    while (completion_at(tui, count))
        count++;
    seen = seen < count ? seen : count;
    uint32_t first = tui->chosen >= seen && seen > 0 ? tui->chosen - seen + 1 : 0;
    for (uint32_t i = 0; i < seen; i++) {
        const struct flm_response_completion *item = completion_at(tui, first + i);
        struct flm_bytes title = item->title.size ? item->title : item->text;
        struct flm_bytes note = item->note.at ? item->note : (struct flm_bytes){"", 0};
        draw_item(tui, tui->screen.rows - 1 - (int)(seen - i), first + i == tui->chosen, title,
                  (struct flm_bytes){"", 0}, note);
    }
}

void flm_tui_typing_draw(struct flm_tui *tui)
{
    int row = tui->screen.rows - 1, end = tui->screen.columns, column = 0;
    if (tui->mode == FLM_TUI_READING) {
        flm_tui_page_draw(tui);
        return;
    }
    flm_screen_fill(&tui->screen, 0, row, end, 1, flm_tui_style(tui, FLM_TUI_TEXT));
    if (tui->mode == FLM_TUI_SEARCHING) {
        column = flm_tui_puts(tui, 0, row, end, "/", FLM_TUI_ACCENT);
        column = flm_tui_line_draw(tui, column, row, end - 12);
        draw_matches(tui, row, column + 2);
        return;
    }
    if (tui->mode == FLM_TUI_CHOOSING) {
        draw_entries(tui);
        column = flm_tui_puts(tui, 0, row, end, ":", FLM_TUI_ACCENT);
    } else {
        draw_completions(tui);
        column = flm_tui_puts(tui, 0, row, end, tui->asked, FLM_TUI_ACCENT);
    }
    column = flm_tui_line_draw(tui, column, row, end);
    if (tui->notice[0])
        flm_tui_puts(tui, column + 2, row, end, tui->notice,
                     tui->notice_is_wrong ? FLM_TUI_WRONG : FLM_TUI_ACCENT);
}
