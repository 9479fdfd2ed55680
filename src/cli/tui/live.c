/* live.c - a live profile: its keys, and its lines. */
#include <stdlib.h>
#include <string.h>

#include "cli/tui/internal.h"

static const struct {
    const char *keys[2]; /* as events have them */
    const char *shown, *title;
} help[] = {
    {{" ", "p"}, "Space  p", "Freeze or resume"},
    {{"s", NULL}, "s", "Save the shown profile"},
    {{"w", NULL}, "w", "All since the start, or the last seconds"},
};
enum { HELP_COUNT = sizeof help / sizeof help[0] };
enum { FREEZE, SAVE, WIDEN };

const char *flm_tui_live_help(size_t index, const char **title)
{
    if (index >= HELP_COUNT)
        return NULL;
    *title = help[index].title;
    return help[index].shown;
}

static int find_key(struct flm_bytes key)
{
    for (int i = 0; i < HELP_COUNT; i++)
        for (size_t k = 0; k < 2; k++)
            if (help[i].keys[k] && flm_bytes_are(key, help[i].keys[k]))
                return i;
    return -1;
}

bool flm_tui_live_has_key(const struct flm_tui *tui, struct flm_bytes key)
{
    return tui->live && find_key(key) >= 0;
}

bool flm_tui_live_turn(struct flm_tui *tui, struct flm_error *why)
{
    struct flm_profile *profile = tui->live->next(tui->live->context);
    struct flm_text function = {0};
    if (!profile)
        return true;
    flm_tui_table_remember(tui, &function);
    bool good = flm_viewer_take(tui->viewer, FLM_VIEWER_AFTER, profile, tui->live->name, why);
    if (good)
        flm_tui_table_return(tui, &function);
    flm_text_clear(&function);
    return good;
}

static void ask_for_name(struct flm_tui *tui)
{
    struct flm_text name = {0};
    tui->live->propose(tui->live->context, &name);
    if (!name.failed)
        flm_tui_type(tui, "save", (struct flm_bytes){name.at, name.size});
    flm_text_clear(&name);
}

bool flm_tui_live_key(struct flm_tui *tui, const struct flm_tui_event *event)
{
    const struct flm_tui_live *live = tui->live;
    int which = event->held == 0 ? find_key(flm_bytes_of(event->key)) : -1;
    if (which == FREEZE)
        live->freeze(live->context);
    else if (which == SAVE)
        ask_for_name(tui);
    else if (which == WIDEN)
        live->widen(live->context);
    return which >= 0;
}

void flm_tui_live_save(struct flm_tui *tui)
{
    struct flm_text path = {0};
    struct flm_error why;
    flm_text_add(&path, flm_tui_line_text(tui));
    flm_text_putc(&path, 0);
    if (path.failed || !tui->live->save(tui->live->context, path.at, &why)) {
        flm_tui_notify(tui, true, "%s", path.failed ? "out of memory" : why.text);
    } else {
        tui->mode = FLM_TUI_LOOKING;
        flm_tui_notify(tui, false, "written: %s", path.at);
    }
    flm_text_clear(&path);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* As many whole parts, with commas between, as there is room for. */
static size_t parts_that_fit(struct flm_bytes text, int cells)
{
    size_t fits = 0;
    for (size_t i = 0; i <= text.size; i++)
        if ((i == text.size || text.at[i] == ',') &&
            (int)flm_cells((struct flm_bytes){text.at, i}).cells <= cells)
            fits = i;
    return fits > 0 ? fits : text.size;
}

int flm_tui_live_draw(struct flm_tui *tui, int row)
{
    struct flm_text word = {0}, sentence = {0};
    int end = tui->screen.columns, column = 1;
    tui->live->describe(tui->live->context, &word, &sentence);
    column =
        flm_tui_put(tui, column, row, end, (struct flm_bytes){word.at, word.size}, FLM_TUI_ACCENT);
    column = flm_tui_puts(tui, column, row, end, "  ", FLM_TUI_TEXT);
    struct flm_bytes all = {sentence.at, sentence.size};
    all.size = parts_that_fit(all, end - column);
    column = flm_tui_put(tui, column, row, end, all, FLM_TUI_TEXT);
    flm_text_clear(&word);
    flm_text_clear(&sentence);
    return column;
}

/* The last ones are those that help who is lost: the others make room for them. */
void flm_tui_live_draw_hint(struct flm_tui *tui, int row)
{
    static const char *const hints[][2] = {{"Space", "freeze"}, {"s", "save"},      {"w", "all"},
                                           {"1", "flame"},      {"5", "functions"}, {"/", "search"},
                                           {"?", "keys"},       {"q", "quit"}};
    enum { COUNT = sizeof hints / sizeof hints[0], LAST = 2, GAP = 2 };
    int column = 1, end = tui->screen.columns, kept = 0;
    for (size_t i = COUNT - LAST; i < COUNT; i++)
        kept += (int)(strlen(hints[i][0]) + 1 + strlen(hints[i][1])) + GAP;
    for (size_t i = 0; i < COUNT; i++) {
        int cells = (int)(strlen(hints[i][0]) + 1 + strlen(hints[i][1]));
        if (column + cells + (i < COUNT - LAST ? kept : 0) >= end)
            continue;
        column = flm_tui_puts(tui, column, row, end, hints[i][0], FLM_TUI_STRONG) + 1;
        column = flm_tui_puts(tui, column, row, end, hints[i][1], FLM_TUI_MUTED) + GAP;
    }
}

/* A profile of which transforms removed all stacks is not reported as empty. */
static bool is_empty(const struct flm_tui *tui)
{
    const struct flm_response_chips *chips = tui->chips.chips;
    return tui->status.status && tui->status.status->empty &&
           !(chips && chips->operations.count > 0);
}

void flm_tui_live_draw_empty(struct flm_tui *tui)
{
    struct flm_text sentence = {0};
    const struct flm_cell_area *pane = &tui->pane;
    if (!is_empty(tui))
        return;
    tui->live->describe_empty(tui->live->context, &sentence);
    flm_screen_fill(&tui->screen, pane->left, pane->top, pane->columns, pane->rows,
                    flm_tui_style(tui, FLM_TUI_TEXT));
    int left = (pane->columns - (int)flm_text_cells(&sentence).cells) / 2;
    flm_tui_put(tui, pane->left + (left > 1 ? left : 1), pane->top + pane->rows / 2,
                pane->left + pane->columns, (struct flm_bytes){sentence.at, sentence.size},
                FLM_TUI_MUTED);
    flm_text_clear(&sentence);
}
