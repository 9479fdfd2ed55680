/* detail.c - the selected frame, or the one under the pointer: two lines below the picture; in a
 * wide window also a panel to its right, with all metrics, callers and callees. */
#include <stdio.h>

#include "cli/tui/internal.h"

static int put_text(struct flm_tui *tui, int column, int row, struct flm_bytes text)
{
    return text.size ? flm_tui_put(tui, column, row, tui->screen.columns, text, FLM_TUI_MUTED)
                     : column;
}

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
    const struct flm_response_hover *h = tui->hover.hover;
    int end = tui->screen.columns;
    int column = flm_tui_put(tui, 1, row, end, h->title, FLM_TUI_STRONG) + 2;
    column = put_text(tui, column, row, h->where) + 2;
    if (rows > 1) {
        row++;
        column = 1;
    }
    for (size_t i = 0; i < h->moment.count && column < end; i++)
        column = put_text(tui, column, row, h->moment.at[i].value) + 2;
    for (size_t i = 0; i < h->lines.count && column < end; i++) {
        const struct flm_response_hover_line *line = &h->lines.at[i];
        column = flm_tui_put(tui, column, row, end, line->name, FLM_TUI_MUTED);
        column = put_amount(tui, column, row, " ", line->value);
        column = put_pair(tui, column, row, line->share_total, " of total ");
        column = put_pair(tui, column, row, line->share_view, " of view ");
        column = put_pair(tui, column, row, line->share_parent, " of parent ");
        column += 2;
    }
    put_text(tui, column, row, h->note);
}

static void draw_merged(struct flm_tui *tui, int row, const struct flm_response_merged *merged)
{
    int end = tui->screen.columns, column = 1;
    column = put_amount(tui, column, row, "together ", merged->value);
    column = put_pair(tui, column, row, merged->share, " of total  ");
    for (size_t i = 0; i < merged->items.count && column < end; i++) {
        const struct flm_response_frame *item = &merged->items.at[i];
        column = flm_tui_put(tui, column, row, end, item->title, FLM_TUI_TEXT) + 1;
        column = flm_tui_put(tui, column, row, end, item->value, FLM_TUI_MUTED) + 2;
    }
}

/* Title, kind, module, and where there is room the file. */
static int draw_frame(struct flm_tui *tui, int row, bool has_room)
{
    const struct flm_response_detail *d = tui->detail.detail;
    int end = tui->screen.columns;
    int column = flm_tui_put(tui, 1, row, end, d->title, FLM_TUI_STRONG) + 2;
    for (size_t i = 0; i < d->notes.count; i++)
        column = flm_tui_put(tui, column, row, end, d->notes.at[i].text, FLM_TUI_ACCENT) + 2;
    struct flm_bytes words[] = {d->kind, d->module};
    for (int i = 0; i < 2; i++)
        column = words[i].size ? put_text(tui, column, row, words[i]) + 2 : column;
    if (d->file.size == 0 || !has_room)
        return column;
    column = put_text(tui, column, row, d->file);
    char number[32];
    struct flm_text text;
    flm_text_init_fixed(&text, number, sizeof number);
    if (d->line > 0)
        flm_text_format(&text, ":%u", (unsigned)d->line);
    return put_text(tui, column, row, (struct flm_bytes){text.at, text.size}) + 2;
}

/* The values of the metric that is shown: the first ones. */
static void draw_values(struct flm_tui *tui, int row, int column,
                        const struct flm_response_value *value)
{
    column = put_amount(tui, column, row, "total ", value->total);
    column = put_pair(tui, column, row, value->of_total, " of total ");
    if (!flm_bytes_equal(value->of_view, value->of_total))
        column = put_pair(tui, column, row, value->of_view, " of view ");
    column = put_pair(tui, column, row, value->of_parent, " of parent ") + 1;
    column = put_amount(tui, column, row, "self ", value->self);
    column = put_pair(tui, column, row, value->self_of_total, " of total ") + 1;
    const struct flm_response_instances *instances = tui->detail.detail->instances;
    if (!instances || instances->count <= 1)
        return;
    column = put_amount(tui, column, row, "everywhere ", instances->total);
    put_pair(tui, column, row, instances->of_total, " of total");
}

/* Nothing where nothing is selected. With one row all is in it. */
void flm_tui_detail_draw(struct flm_tui *tui, int row, int rows)
{
    const struct flm_response_detail *d = tui->detail.detail;
    if (!d)
        return;
    int column = draw_frame(tui, row, rows > 1);
    if (rows > 1) {
        row++;
        column = 1;
    }
    if (d->merged)
        draw_merged(tui, row, d->merged);
    else if (d->values.count > 0)
        draw_values(tui, row, column, &d->values.at[0]);
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
        int cells = (int)flm_cells(right).cells;
        flm_tui_put(tui, panel->right - cells, panel->row, panel->right, right, FLM_TUI_TEXT);
        room -= cells + 1;
    }
    struct flm_text shown = {0}, scratch = {0};
    flm_cells_add_name(&shown, flm_showable(left, tui->screen.charset, &scratch),
                       (struct flm_width){room > 0 ? (size_t)room : 0}, tui->screen.charset);
    flm_tui_put(tui, panel->left, panel->row, panel->left + room,
                (struct flm_bytes){shown.at, shown.size}, tone);
    flm_text_clear(&shown);
    flm_text_clear(&scratch);
    panel->row++;
    return true;
}

/* "total 572 M samples   79.9 % of total" */
static void panel_amount(struct panel *panel, const char *name, struct flm_bytes amount,
                         struct flm_bytes share)
{
    char words[80];
    if (amount.size == 0)
        return;
    snprintf(words, sizeof words, "%s %.*s", name, (int)amount.size, amount.at);
    panel_line(panel, flm_bytes_of(words), FLM_TUI_TEXT, share);
}

/* Names in two widths: of a whole line, and of lines that end in a share. */
bool flm_tui_detail_load(struct flm_tui *tui)
{
    enum { SHARE_CELLS = 9 };
    int line = tui->detail_cells, before_share = line > SHARE_CELLS ? line - SHARE_CELLS : 0;
    char unit = tui->screen.charset == FLM_CHARSET_UTF8 ? 'c' : 'a', query[64];
    snprintf(query, sizeof query, "detail %d%c %d%c", line, unit, before_share, unit);
    return flm_viewer_query(tui->viewer, flm_bytes_of(query), &tui->detail, NULL);
}

/* "and 12 more", of which there is no row. */
static void panel_rest(struct panel *panel, double count)
{
    struct flm_bytes nothing = {"", 0};
    char words[40];
    snprintf(words, sizeof words, "and %.0f more", count);
    if (count > 0)
        panel_line(panel, flm_bytes_of(words), FLM_TUI_MUTED, nothing);
}

/* The first ones: other sections have to be seen too. */
static void panel_list(struct panel *panel, const char *title,
                       const struct flm_response_frame *frames, size_t count, double of)
{
    enum { MOST = 6 };
    struct flm_bytes nothing = {"", 0};
    size_t shown = count < MOST ? count : MOST;
    if (count == 0)
        return;
    panel->row++;
    panel_line(panel, flm_bytes_of(title), FLM_TUI_MUTED, nothing);
    for (size_t i = 0; i < shown; i++) {
        int row = panel->row;
        struct flm_bytes name = frames[i].shown.at ? frames[i].shown : frames[i].title;
        if (!panel_line(panel, name, FLM_TUI_TEXT, frames[i].share))
            return;
        if (frames[i].node >= 0)
            flm_tui_add_target(panel->tui, row, panel->left, panel->right, "select %llu",
                               (unsigned long long)frames[i].node);
        else if (frames[i].frame >= 0)
            flm_tui_add_target(panel->tui, row, panel->left, panel->right, "select-frame %llu",
                               (unsigned long long)frames[i].frame);
    }
    panel_rest(panel, of - (double)shown);
}

static void panel_value(struct panel *panel, const struct flm_response_value *value)
{
    panel->row++;
    panel_line(panel, value->name, FLM_TUI_MUTED, flm_bytes_of("of total"));
    panel_amount(panel, "total", value->total, value->of_total);
    panel_amount(panel, "self", value->self, value->self_of_total);
}

/* A cell that ends at a column. */
static void panel_cell(struct panel *panel, int row, int end, struct flm_bytes text,
                       enum flm_tui_tone tone)
{
    if (text.size > 0 && row < panel->end)
        flm_tui_put(panel->tui, end - (int)flm_cells(text).cells, row, end, text, tone);
}

/* What the function costs each thread, and each process where there are several. */
static void panel_threads(struct panel *panel, const struct flm_response_detail *d)
{
    enum { SHARE = 9, NUMBER = 9 };
    struct flm_bytes nothing = {"", 0};
    bool is_grouped = false;
    int share = panel->right, total = share - SHARE, self = total - NUMBER;
    if (d->threads.count == 0)
        return;
    for (size_t i = 0; i < d->threads.count; i++)
        is_grouped = is_grouped || d->threads.at[i].process;
    panel->row++;
    int row = panel->row, right = panel->right;
    panel_cell(panel, row, self, flm_bytes_of("self"), FLM_TUI_MUTED);
    panel_cell(panel, row, total, flm_bytes_of("total"), FLM_TUI_MUTED);
    panel_cell(panel, row, share, flm_bytes_of("%"), FLM_TUI_MUTED);
    panel->right = self - NUMBER; /* names end there */
    char title[40];
    snprintf(title, sizeof title, "%s%s%.*s", is_grouped ? "Processes" : "Threads",
             d->unit.size ? ", " : "", (int)d->unit.size, d->unit.size ? d->unit.at : "");
    panel_line(panel, flm_bytes_of(title), FLM_TUI_MUTED, nothing);
    for (size_t i = 0; i < d->threads.count; i++) {
        const struct flm_response_thread *thread = &d->threads.at[i];
        row = panel->row;
        panel->left += is_grouped && !thread->process ? 1 : 0;
        bool has_room = panel_line(panel, thread->title,
                                   thread->process ? FLM_TUI_STRONG : FLM_TUI_TEXT, nothing);
        panel->left -= is_grouped && !thread->process ? 1 : 0;
        if (!has_room)
            break;
        panel_cell(panel, row, self, thread->self, FLM_TUI_TEXT);
        panel_cell(panel, row, total, thread->total, FLM_TUI_TEXT);
        panel_cell(panel, row, share, thread->share, FLM_TUI_TEXT);
    }
    panel->right = right;
    panel_rest(panel, d->threads_hidden);
}

void flm_tui_panel_draw(struct flm_tui *tui)
{
    struct flm_bytes nothing = {"", 0};
    struct panel panel = {tui, tui->panel.left + 2, tui->panel.left + tui->panel.columns - 1,
                          tui->panel.top, tui->panel.top + tui->panel.rows};
    if (tui->detail_cells != panel.right - panel.left) {
        tui->detail_cells = panel.right - panel.left;
        flm_tui_detail_load(tui);
    }
    const struct flm_response_detail *d = tui->detail.detail;
    uint32_t line = tui->screen.charset == FLM_CHARSET_UTF8 ? 0x2502 : '|';
    for (int y = panel.row; y < panel.end; y++)
        flm_screen_put(&tui->screen, tui->panel.left, y, line, flm_tui_style(tui, FLM_TUI_MUTED));
    if (!d) {
        panel_line(&panel, flm_bytes_of("nothing is selected"), FLM_TUI_MUTED, nothing);
        return;
    }
    panel_line(&panel, d->title, FLM_TUI_STRONG, nothing);
    struct flm_bytes words[] = {d->module, d->file, d->kind};
    for (int i = 0; i < 3; i++)
        if (words[i].size)
            panel_line(&panel, words[i], FLM_TUI_MUTED, nothing);
    for (size_t i = 0; i < d->notes.count; i++)
        panel_line(&panel, d->notes.at[i].text, FLM_TUI_ACCENT, nothing);
    panel.row += d->moment.count > 0;
    for (size_t i = 0; i < d->moment.count; i++)
        panel_amount(&panel, "", d->moment.at[i].value, d->moment.at[i].name);
    if (d->values.count > 0)
        panel_value(&panel, &d->values.at[0]);
    panel_list(&panel, "Callers", d->callers.at, d->callers.count, d->callers_count);
    panel_list(&panel, "Callees", d->calls.at, d->calls.count, d->calls_count);
    for (size_t i = 1; i < d->values.count; i++)
        panel_value(&panel, &d->values.at[i]);
    panel_threads(&panel, d);
}
