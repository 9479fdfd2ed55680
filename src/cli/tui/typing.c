/* typing.c - the typed line: a search, an action's argument, the beginning of an action's name. It
 * is at the lower edge, in place of the status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tui/internal.h"
#include "flamel/file.h"

enum { LIST_ROWS = 16 };

/* ---- What is chosen from --------------------------------------------------------------------- */

/* NULL: there are not so many. */
static const struct flm_response_entry *entry_at(const struct flm_tui *tui, size_t index)
{
    const struct flm_response_entries *e = tui->entries.entries;
    return e && index < e->items.count ? &e->items.at[index] : NULL;
}

/* What fits the text, the best first; or the menu of the selected frame, which is not typed in. */
static void find_entries(struct flm_tui *tui)
{
    struct flm_text query = {0};
    tui->chosen = 0;
    tui->entries.any = NULL;
    flm_text_puts(&query, tui->is_menu ? "menu" : "palette ");
    if (!tui->is_menu)
        flm_text_add(&query, flm_tui_line_text(tui));
    struct flm_error why = {0};
    if (query.failed)
        flm_error_memory(&why);
    else
        flm_viewer_query(tui->viewer, (struct flm_bytes){query.at, query.size}, &tui->entries,
                         &why);
    if (why.kind != FLM_ERROR_NONE)
        flm_tui_notify(tui, true, "%s", why.text);
    flm_text_clear(&query);
}

static void open_list(struct flm_tui *tui, bool is_menu)
{
    tui->mode = FLM_TUI_CHOOSING;
    tui->is_menu = is_menu;
    flm_tui_line_set(tui, (struct flm_bytes){"", 0});
    find_entries(tui);
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

/* An action whose argument is a text. */
static bool is_typed(struct flm_bytes name)
{
    const struct flm_action *action = flm_action_named(name);
    return action && action->argument && action->argument->given == FLM_GIVEN_TYPED;
}

void flm_tui_prompt(struct flm_tui *tui, struct flm_bytes what)
{
    if (flm_bytes_are(what, "search")) {
        tui->mode = FLM_TUI_SEARCHING;
        flm_tui_line_set(tui, searched_text(tui));
    } else if (flm_bytes_are(what, "transform")) {
        flm_tui_type(tui, "apply", (struct flm_bytes){"", 0});
    } else if (flm_bytes_are(what, "palette")) {
        open_list(tui, false);
    } else if (flm_bytes_are(what, "menu")) {
        open_list(tui, true);
    } else if (flm_bytes_are(what, "help")) {
        flm_tui_open_help(tui);
    } else if (flm_bytes_are(what, "data-quality")) {
        flm_tui_open_data_quality(tui);
    } else if (flm_bytes_start_with(what, "export ")) {
        ask_for_file(tui, what);
    } else if (flm_bytes_are(what, "sanitize")) {
        flm_tui_notify(tui, true, "the command does that: flamel convert FILE --sanitize");
    } else if (flm_bytes_are(what, "notes")) {
        flm_tui_open_notes(tui);
    } else if (is_typed(what)) {
        char action[sizeof tui->asked - 1];
        snprintf(action, sizeof action, "%.*s", (int)what.size, what.at);
        flm_tui_type(tui, action, (struct flm_bytes){"", 0});
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

/* The bytes of a .flm file become those of the page that shows it. */
static bool make_page(const struct flm_tui *tui, struct flm_text *bytes, struct flm_error *why)
{
    const struct flm_response_tools *tools = tui->tools.tools;
    struct flm_save_options options = {.size = sizeof options, .format = "html"};
    struct flm_text name = {0};
    flm_text_add(&name, flm_path_end(tools->name));
    flm_text_putc(&name, 0);
    options.name = name.failed ? NULL : name.at;
    struct flm_profile *profile = flm_profile_open(bytes->at, bytes->size, NULL, NULL, why);
    size_t size = 0;
    char *page = profile ? flm_save_memory(profile, &size, &options, why) : NULL;
    flm_profile_free(profile);
    flm_text_clear(&name);
    flm_text_clear(bytes);
    *bytes = (struct flm_text){.at = page, .size = size, .capacity = size};
    return page != NULL;
}

static void save(struct flm_tui *tui)
{
    struct flm_text query = {0}, bytes = {0}, path = {0};
    struct flm_error why = {0};
    bool is_page = strcmp(tui->asked, "export html ") == 0;
    const char *asked = is_page ? "export flm " : tui->asked;
    flm_text_add(&path, flm_tui_line_text(tui));
    flm_text_putc(&path, 0);
    flm_text_add(&query, (struct flm_bytes){asked, strlen(asked) - 1});
    bool good =
        !path.failed && !query.failed &&
        flm_viewer_query_text(tui->viewer, (struct flm_bytes){query.at, query.size}, &bytes, &why);
    if (good && is_page && !bytes.failed)
        good = make_page(tui, &bytes, &why);
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
    const struct flm_response_entry *entry = entry_at(tui, tui->chosen);
    if (!entry)
        return;
    if (entry->otherwise.size) {
        flm_tui_notify(tui, true, "%.*s", (int)entry->otherwise.size, entry->otherwise.at);
        return;
    }
    tui->mode = FLM_TUI_LOOKING;
    if (entry->argument.size) {
        char action[sizeof tui->asked - 1];
        snprintf(action, sizeof action, "%.*s", (int)entry->action.size, entry->action.at);
        flm_tui_type(tui, action, (struct flm_bytes){"", 0});
    } else {
        flm_tui_do(tui, entry->action);
    }
}

static void choosing_key(struct flm_tui *tui, const struct flm_tui_event *event)
{
    bool changed = false;
    const char *key = event->key;
    if (strcmp(key, "Escape") == 0)
        tui->mode = FLM_TUI_LOOKING;
    else if (strcmp(key, "Enter") == 0)
        choose(tui);
    else if (strcmp(key, "ArrowDown") == 0)
        tui->chosen += entry_at(tui, tui->chosen + 1) != NULL;
    else if (strcmp(key, "ArrowUp") == 0)
        tui->chosen -= tui->chosen > 0;
    else if (!tui->is_menu && flm_tui_line_key(&tui->line, event, &changed) && changed)
        find_entries(tui);
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
    if (tui->mode == FLM_TUI_READING || (tui->mode == FLM_TUI_CHOOSING && tui->is_menu))
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
        find_entries(tui);
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
                      struct flm_bytes note)
{
    enum flm_tui_tone tone = is_chosen ? FLM_TUI_CHIP_ON : FLM_TUI_CHIP;
    int end = tui->screen.columns;
    flm_screen_fill(&tui->screen, 0, y, end, 1, flm_tui_style(tui, tone));
    int column = flm_tui_put(tui, 1, y, end, title, tone);
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
    uint32_t count = 0, seen = (uint32_t)list_rows(tui);
    while (entry_at(tui, count))
        count++;
    seen = seen < count ? seen : count;
    uint32_t first = tui->chosen >= seen && seen > 0 ? tui->chosen - seen + 1 : 0;
    for (uint32_t i = 0; i < seen; i++) {
        const struct flm_response_entry *entry = entry_at(tui, first + i);
        struct flm_text note = {0};
        if (entry->otherwise.size) {
            flm_text_add(&note, entry->otherwise);
        } else if (entry->keys.size) {
            struct flm_text keys = {0};
            flm_text_add(&keys, entry->keys);
            flm_text_putc(&keys, 0);
            if (!keys.failed)
                flm_tui_add_keys(&note, keys.at, tui->screen.charset == FLM_CHARSET_UTF8);
            flm_text_clear(&keys);
        }
        draw_item(tui, tui->screen.rows - 1 - (int)(seen - i), first + i == tui->chosen,
                  entry->title, (struct flm_bytes){note.at, note.size});
        flm_text_clear(&note);
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
                  note);
    }
}

/* What the menu is of, and a notice. */
static void draw_menu_title(struct flm_tui *tui, int row, int end)
{
    const struct flm_response_entries *menu = tui->entries.entries;
    int column = menu && menu->title.size
                     ? flm_tui_put(tui, 1, row, end, menu->title, FLM_TUI_STRONG) + 2
                     : 1;
    if (tui->notice[0])
        flm_tui_puts(tui, column, row, end, tui->notice,
                     tui->notice_is_wrong ? FLM_TUI_WRONG : FLM_TUI_ACCENT);
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
        if (tui->is_menu) {
            draw_menu_title(tui, row, end);
            return;
        }
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
