/* detail.c - what is selected, or under the pointer: two lines below the picture; in a wide
 * window also a panel beside it, with all metrics, what it calls and what calls it. */
#include <stdio.h>

#include "cli/tui/internal.h"

static int put_pair(struct flm_tui *tui, int column, int row, struct flm_bytes text, const char *of)
{
    int end = tui->screen.columns;
    if (text.size == 0)
        return column;
    column = flm_tui_put(tui, column, row, end, text, FLM_TUI_TEXT);
    return flm_tui_puts(tui, column, row, end, of, FLM_TUI_MUTED);
}

static int put_amount(struct flm_tui *tui, int column, int row, const char *name,
                      struct flm_bytes amount)
{
    int end = tui->screen.columns;
    if (amount.size == 0)
        return column;
    column = flm_tui_puts(tui, column, row, end, name, FLM_TUI_MUTED);
    return flm_tui_put(tui, column, row, end, amount, FLM_TUI_STRONG) + 1;
}

/* The lines of the tooltip, each a name, an amount and its shares. */
void flm_tui_hover_draw(struct flm_tui *tui, int row, int rows)
{
    const struct flm_tui_answer *h = &tui->hover;
    int end = tui->screen.columns;
    int column =
        flm_tui_put(tui, 1, row, end, flm_tui_text_at(h, FLM_TUI_ROOT, "title"), FLM_TUI_STRONG) +
        2;
    column = flm_tui_put(tui, column, row, end, flm_tui_text_at(h, FLM_TUI_ROOT, "where"),
                         FLM_TUI_MUTED) +
             2;
    if (rows > 1) {
        row++;
        column = 1;
    }
    uint32_t line = flm_tui_first(h, flm_tui_at(h, FLM_TUI_ROOT, "lines"));
    for (; line && column < end; line = flm_tui_next(h, line)) {
        column =
            flm_tui_put(tui, column, row, end, flm_tui_text_at(h, line, "name"), FLM_TUI_MUTED);
        column = put_amount(tui, column, row, " ", flm_tui_text_at(h, line, "value"));
        column = put_pair(tui, column, row, flm_tui_text_at(h, line, "share_all"), " of all ");
        column = put_pair(tui, column, row, flm_tui_text_at(h, line, "share_view"), " of view ");
        column =
            put_pair(tui, column, row, flm_tui_text_at(h, line, "share_parent"), " of parent ");
        column += 2;
    }
    flm_tui_put(tui, column, row, end, flm_tui_text_at(h, FLM_TUI_ROOT, "note"), FLM_TUI_MUTED);
}

static void draw_run(struct flm_tui *tui, int row, uint32_t run)
{
    const struct flm_tui_answer *d = &tui->detail;
    int end = tui->screen.columns, column = 1;
    column = put_amount(tui, column, row, "together ", flm_tui_text_at(d, run, "value"));
    column = put_pair(tui, column, row, flm_tui_text_at(d, run, "share"), " of all  ");
    uint32_t item = flm_tui_first(d, flm_tui_at(d, run, "items"));
    for (; item && column < end; item = flm_tui_next(d, item)) {
        column =
            flm_tui_put(tui, column, row, end, flm_tui_text_at(d, item, "title"), FLM_TUI_TEXT) + 1;
        column =
            flm_tui_put(tui, column, row, end, flm_tui_text_at(d, item, "value"), FLM_TUI_MUTED) +
            2;
    }
}

void flm_tui_detail_draw(struct flm_tui *tui, int row, int rows)
{
    const struct flm_tui_answer *d = &tui->detail;
    int end = tui->screen.columns;
    struct flm_bytes file = flm_tui_text_at(d, FLM_TUI_ROOT, "file");
    double line = flm_tui_number_at(d, FLM_TUI_ROOT, "line", 0);
    int column =
        flm_tui_put(tui, 1, row, end, flm_tui_text_at(d, FLM_TUI_ROOT, "title"), FLM_TUI_STRONG) +
        2;
    static const char *const words[] = {"kind", "module"};
    for (int i = 0; i < 2; i++) {
        struct flm_bytes text = flm_tui_text_at(d, FLM_TUI_ROOT, words[i]);
        column = text.size ? flm_tui_put(tui, column, row, end, text, FLM_TUI_MUTED) + 2 : column;
    }
    if (file.size && rows > 1) {
        column = flm_tui_put(tui, column, row, end, file, FLM_TUI_MUTED);
        char number[32];
        struct flm_text text;
        flm_text_init_fixed(&text, number, sizeof number);
        flm_text_format(&text, ":%u", (unsigned)line);
        if (line > 0)
            column = flm_tui_put(tui, column, row, end, (struct flm_bytes){text.at, text.size},
                                 FLM_TUI_MUTED);
        column += 2;
    }
    uint32_t run = flm_tui_at(d, FLM_TUI_ROOT, "run");
    if (rows > 1) {
        row++;
        column = 1;
    }
    if (flm_tui_at(d, run, "count")) {
        draw_run(tui, row, run);
        return;
    }
    /* One of the metrics: that which is shown. */
    uint32_t value = flm_tui_first(d, flm_tui_at(d, FLM_TUI_ROOT, "values"));
    struct flm_bytes metric = flm_tui_text_at(&tui->tools, FLM_TUI_ROOT, "metric");
    for (uint32_t v = value; v; v = flm_tui_next(d, v))
        value = flm_bytes_equal(flm_tui_text_at(d, v, "name"), metric) ? v : value;
    column = put_amount(tui, column, row, "total ", flm_tui_text_at(d, value, "total"));
    column = put_pair(tui, column, row, flm_tui_text_at(d, value, "of_all"), " of all ");
    struct flm_bytes of_view = flm_tui_text_at(d, value, "of_view");
    if (!flm_bytes_equal(of_view, flm_tui_text_at(d, value, "of_all")))
        column = put_pair(tui, column, row, of_view, " of view ");
    column = put_pair(tui, column, row, flm_tui_text_at(d, value, "of_parent"), " of parent ") + 1;
    column = put_amount(tui, column, row, "self ", flm_tui_text_at(d, value, "self"));
    column = put_pair(tui, column, row, flm_tui_text_at(d, value, "self_of_all"), " of all ") + 1;
    uint32_t instances = flm_tui_at(d, FLM_TUI_ROOT, "instances");
    if (flm_tui_number_at(d, instances, "count", 0) <= 1)
        return;
    column = put_amount(tui, column, row, "everywhere ", flm_tui_text_at(d, instances, "total"));
    put_pair(tui, column, row, flm_tui_text_at(d, instances, "of_all"), " of all");
}

/* ---- The panel ------------------------------------------------------------------------------- */

/* A line of the panel, which has an end. */
struct panel {
    struct flm_tui *tui;
    int left, right, row, end;
};

static bool panel_line(struct panel *panel, struct flm_bytes left, enum flm_tui_tone tone,
                       struct flm_bytes right)
{
    if (panel->row >= panel->end)
        return false;
    struct flm_tui *tui = panel->tui;
    int room = panel->right - panel->left;
    if (right.size) {
        int cells = (int)flm_cells(right);
        flm_tui_put(tui, panel->right - cells, panel->row, panel->right, right, FLM_TUI_TEXT);
        room -= cells + 1;
    }
    struct flm_text shown = {0}, scratch = {0};
    flm_cells_add_name(&shown, flm_showable(left, tui->screen.charset, &scratch),
                       (size_t)(room > 0 ? room : 0), tui->screen.charset);
    flm_tui_put(tui, panel->left, panel->row, panel->left + room,
                (struct flm_bytes){shown.at, shown.size}, tone);
    flm_text_clear(&shown);
    flm_text_clear(&scratch);
    panel->row++;
    return true;
}

/* "total 572 M samples   79.9 % of all" */
static void panel_amount(struct panel *panel, const char *name, struct flm_bytes amount,
                         struct flm_bytes share)
{
    char words[80];
    if (amount.size == 0)
        return;
    snprintf(words, sizeof words, "%s %.*s", name, (int)amount.size, amount.at);
    panel_line(panel, flm_bytes_of(words), FLM_TUI_TEXT, share);
}

static void panel_list(struct panel *panel, const char *title, const char *key)
{
    const struct flm_tui_answer *d = &panel->tui->detail;
    uint32_t item = flm_tui_first(d, flm_tui_at(d, FLM_TUI_ROOT, key));
    struct flm_bytes nothing = {"", 0};
    if (!item)
        return;
    panel->row++;
    panel_line(panel, flm_bytes_of(title), FLM_TUI_MUTED, nothing);
    for (; item; item = flm_tui_next(d, item)) {
        int row = panel->row;
        double node = flm_tui_number_at(d, item, "node", -1);
        if (!panel_line(panel, flm_tui_text_at(d, item, "title"), FLM_TUI_TEXT,
                        flm_tui_text_at(d, item, "share")))
            return;
        if (node >= 0)
            flm_tui_add_target(panel->tui, row, panel->left, panel->right, "select %llu",
                               (unsigned long long)node);
    }
}

void flm_tui_panel_draw(struct flm_tui *tui)
{
    const struct flm_tui_answer *d = &tui->detail;
    struct flm_bytes title = flm_tui_text_at(d, FLM_TUI_ROOT, "title"), nothing = {"", 0};
    struct panel panel = {tui, tui->panel.left + 2, tui->panel.left + tui->panel.columns - 1,
                          tui->panel.top, tui->panel.top + tui->panel.rows};
    uint32_t line = tui->screen.charset == FLM_CHARSET_UTF8 ? 0x2502 : '|';
    for (int y = panel.row; y < panel.end; y++)
        flm_screen_put(&tui->screen, tui->panel.left, y, line, flm_tui_style(tui, FLM_TUI_MUTED));
    if (title.size == 0) {
        panel_line(&panel, flm_bytes_of("nothing is selected"), FLM_TUI_MUTED, nothing);
        return;
    }
    panel_line(&panel, title, FLM_TUI_STRONG, nothing);
    static const char *const words[] = {"module", "file", "kind"};
    for (int i = 0; i < 3; i++) {
        struct flm_bytes text = flm_tui_text_at(d, FLM_TUI_ROOT, words[i]);
        if (text.size)
            panel_line(&panel, text, FLM_TUI_MUTED, nothing);
    }
    uint32_t value = flm_tui_first(d, flm_tui_at(d, FLM_TUI_ROOT, "values"));
    for (; value; value = flm_tui_next(d, value)) {
        panel.row++;
        panel_line(&panel, flm_tui_text_at(d, value, "name"), FLM_TUI_MUTED,
                   flm_bytes_of("of all"));
        panel_amount(&panel, "total", flm_tui_text_at(d, value, "total"),
                     flm_tui_text_at(d, value, "of_all"));
        panel_amount(&panel, "self", flm_tui_text_at(d, value, "self"),
                     flm_tui_text_at(d, value, "self_of_all"));
    }
    panel_list(&panel, "Calls", "calls");
    panel_list(&panel, "Called by", "callers");
}
