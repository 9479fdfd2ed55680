/* window.c - where everything is in the window, and the lines around the picture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tui/internal.h"

/* ---- Tones ----------------------------------------------------------------------------------- */

static struct flm_style style_without_colors(enum flm_tui_tone tone)
{
    struct flm_style style = {FLM_COLOR_DEFAULT, FLM_COLOR_DEFAULT, FLM_CELL_PLAIN};
    switch (tone) {
    case FLM_TUI_STRONG:
    case FLM_TUI_ACCENT:
    case FLM_TUI_WRONG:
        style.attributes = FLM_CELL_BOLD;
        break;
    case FLM_TUI_MUTED:
    case FLM_TUI_CHIP_OFF:
        style.attributes = FLM_CELL_FAINT;
        break;
    case FLM_TUI_CHIP_ON:
    case FLM_TUI_ROW_ON:
        style.attributes = FLM_CELL_INVERSE;
        break;
    default:
        break;
    }
    return style;
}

struct flm_style flm_tui_style(const struct flm_tui *tui, enum flm_tui_tone tone)
{
    enum { WRONG_LIGHT = 0xB42318, WRONG_DARK = 0xFDA29B };
    static const struct {
        enum flm_token ink, fill;
        uint32_t attributes;
    } tones[] = {
        [FLM_TUI_TEXT] = {FLM_TOKEN_TEXT, FLM_TOKEN_PAGE, FLM_CELL_PLAIN},
        [FLM_TUI_STRONG] = {FLM_TOKEN_TEXT, FLM_TOKEN_PAGE, FLM_CELL_BOLD},
        [FLM_TUI_MUTED] = {FLM_TOKEN_MUTED, FLM_TOKEN_PAGE, FLM_CELL_PLAIN},
        [FLM_TUI_ACCENT] = {FLM_TOKEN_ACCENT, FLM_TOKEN_PAGE, FLM_CELL_BOLD},
        [FLM_TUI_CHIP] = {FLM_TOKEN_TEXT, FLM_TOKEN_CHIP, FLM_CELL_PLAIN},
        [FLM_TUI_CHIP_ON] = {FLM_TOKEN_PAGE, FLM_TOKEN_ACCENT, FLM_CELL_BOLD},
        [FLM_TUI_CHIP_OFF] = {FLM_TOKEN_MUTED, FLM_TOKEN_CHIP, FLM_CELL_PLAIN},
        [FLM_TUI_ROW_ON] = {FLM_TOKEN_PAGE, FLM_TOKEN_ACCENT, FLM_CELL_BOLD},
        [FLM_TUI_WRONG] = {FLM_TOKEN_TEXT, FLM_TOKEN_PAGE, FLM_CELL_BOLD},
    };
    if (tui->screen.depth == FLM_DEPTH_NONE)
        return style_without_colors(tone);
    bool dark = tui->theme.dark;
    struct flm_style style = {flm_token_color(tones[tone].ink, dark),
                              flm_token_color(tones[tone].fill, dark), tones[tone].attributes};
    if (tone == FLM_TUI_WRONG)
        style.ink = dark ? WRONG_DARK : WRONG_LIGHT;
    return style;
}

int flm_tui_put(struct flm_tui *tui, int column, int row, int end, struct flm_bytes text,
                enum flm_tui_tone tone)
{
    return column >= end ? column
                         : column + flm_screen_text(&tui->screen, column, row, end - column, text,
                                                    flm_tui_style(tui, tone));
}

int flm_tui_puts(struct flm_tui *tui, int column, int row, int end, const char *text,
                 enum flm_tui_tone tone)
{
    return flm_tui_put(tui, column, row, end, flm_bytes_of(text), tone);
}

void flm_tui_add_target(struct flm_tui *tui, int row, int left, int right, const char *format, ...)
{
    if (tui->target_count == FLM_TUI_MOST_TARGETS || left >= right)
        return;
    struct flm_tui_target *target = &tui->target[tui->target_count++];
    *target = (struct flm_tui_target){.row = row, .left = left, .right = right};
    struct flm_text text;
    flm_text_init_fixed(&text, target->action, sizeof target->action - 1);
    va_list arguments;
    va_start(arguments, format);
    flm_text_vformat(&text, format, arguments);
    va_end(arguments);
    target->action[text.size] = 0;
}

/* ---- The line at the top --------------------------------------------------------------------- */

static int cells_of(const struct flm_tui *tui, struct flm_bytes text)
{
    struct flm_text scratch = {0};
    int cells = (int)flm_cells(flm_showable(text, tui->screen.charset, &scratch)).cells;
    flm_text_clear(&scratch);
    return cells;
}

/* A word to be clicked, with a blank at both sides. */
static int put_chip(struct flm_tui *tui, int column, int row, int end, struct flm_bytes text,
                    enum flm_tui_tone tone)
{
    column = flm_tui_puts(tui, column, row, end, " ", tone);
    column = flm_tui_put(tui, column, row, end, text, tone);
    return flm_tui_puts(tui, column, row, end, " ", tone);
}

/* The names of views that fit into so many cells: titles, or their short names. */
static struct flm_bytes view_caption(const struct flm_tui *tui,
                                     const struct flm_response_tools *tools, size_t i, int cells)
{
    int needed = 0;
    for (size_t k = 0; k < tools->views.count; k++)
        needed += cells_of(tui, tools->views.at[k].title) + 2;
    return needed <= cells ? tools->views.at[i].title : tools->views.at[i].name;
}

/* The first view that is shown: where there is no room for all, those in front of the current one
 * are left out. */
static size_t first_view(const struct flm_tui *tui, const struct flm_response_tools *tools,
                         int cells)
{
    size_t first = 0;
    int needed = 0;
    for (size_t i = 0; i < tools->views.count; i++) {
        needed += cells_of(tui, view_caption(tui, tools, i, cells)) + 2;
        for (; needed > cells && first != i; first++)
            needed -= cells_of(tui, view_caption(tui, tools, first, cells)) + 2;
        if (flm_bytes_equal(tools->views.at[i].name, tools->view))
            break;
    }
    return first;
}

static void put_views(struct flm_tui *tui, const struct flm_response_tools *tools, int column,
                      int row, int end)
{
    int cells = end - column;
    for (size_t i = first_view(tui, tools, cells); i < tools->views.count; i++) {
        const struct flm_response_view *view = &tools->views.at[i];
        struct flm_bytes caption = view_caption(tui, tools, i, cells);
        bool is_shown = flm_bytes_equal(view->name, tools->view);
        if (column + cells_of(tui, caption) + 2 > end)
            break;
        int left = column;
        column = put_chip(tui, column, row, end, caption,
                          is_shown   ? FLM_TUI_CHIP_ON
                          : view->on ? FLM_TUI_TEXT
                                     : FLM_TUI_MUTED);
        flm_tui_add_target(tui, row, left, column, "view %.*s", (int)view->name.size,
                           view->name.at);
    }
}

const struct flm_response_search *flm_tui_current_search(const struct flm_tui *tui)
{
    const struct flm_response_searches *s = tui->searches.searches;
    return s && s->current < (double)s->searches.count ? &s->searches.at[(size_t)s->current] : NULL;
}

/* "/ parse_json  18.2 % · 3 of 41", at the right; returns where it begins. */
static int put_search(struct flm_tui *tui, int row, int least)
{
    const struct flm_response_search *search = flm_tui_current_search(tui);
    struct flm_bytes none = {"", 0}, text = search ? search->text : none;
    struct flm_bytes share = search && search->total_share.at ? search->total_share : none;
    int columns = tui->screen.columns, end = columns - 4;
    int width = text.size ? 2 + cells_of(tui, text) + 2 + cells_of(tui, share) : 8;
    int left = end - width - 2;
    if (left < least)
        return columns;
    flm_tui_puts(tui, columns - 3, row, columns, " ? ", FLM_TUI_CHIP);
    flm_tui_add_target(tui, row, columns - 3, columns, "help");
    int column = flm_tui_puts(tui, left, row, end, text.size ? "/ " : "/ search",
                              text.size ? FLM_TUI_ACCENT : FLM_TUI_MUTED);
    if (text.size) {
        column = flm_tui_put(tui, column, row, end, text, FLM_TUI_TEXT);
        flm_tui_put(tui, column + 2, row, end, share, FLM_TUI_STRONG);
    }
    flm_tui_add_target(tui, row, left, end, "find");
    return left;
}

static void draw_header(struct flm_tui *tui, int row)
{
    const struct flm_response_tools *tools = tui->tools.tools;
    struct flm_bytes name = tools && tools->name.at ? tools->name : (struct flm_bytes){"", 0};
    int end = put_search(tui, row, 24) - 1, column = 1, most = tui->screen.columns / 3;
    if (tui->screen.columns >= 60)
        column = flm_tui_puts(tui, column, row, end, "flamel", FLM_TUI_STRONG) + 2;
    int name_end = column + most < end ? column + most : end;
    struct flm_text shortened = {0}, scratch = {0};
    flm_cells_add_path(&shortened, flm_showable(name, tui->screen.charset, &scratch),
                       (struct flm_width){name_end > column ? (size_t)(name_end - column) : 0},
                       tui->screen.charset);
    column = flm_tui_put(tui, column, row, name_end,
                         (struct flm_bytes){shortened.at, shortened.size}, FLM_TUI_TEXT) +
             1;
    flm_text_clear(&shortened);
    flm_text_clear(&scratch);
    if (!tools)
        return;
    if (tools->metrics.count > 1) { /* several to choose from */
        int left = column;
        column = put_chip(tui, column, row, end, tools->metric, FLM_TUI_CHIP);
        flm_tui_add_target(tui, row, left, column, "next-metric");
        column++;
    }
    put_views(tui, tools, column, row, end);
}

/* ---- Chips ----------------------------------------------------------------------------------- */

static bool has_chips(const struct flm_tui *tui)
{
    return tui->chips.chips && tui->chips.chips->operations.count > 0;
}

/* A click switches it, one on its cross removes it. */
static void draw_chips(struct flm_tui *tui, int row)
{
    const struct flm_response_chips *chips = tui->chips.chips;
    int end = tui->screen.columns, column = 1;
    for (size_t i = 0; i < chips->operations.count && column < end; i++) {
        const struct flm_response_chip *chip = &chips->operations.at[i];
        enum flm_tui_tone tone = chip->on ? FLM_TUI_CHIP : FLM_TUI_CHIP_OFF;
        int left = column;
        column = put_chip(tui, column, row, end, chip->title.size ? chip->title : chip->text, tone);
        if (chip->note.size) {
            column = flm_tui_puts(tui, column, row, end, "matches nothing ", FLM_TUI_WRONG);
        } else if (chip->removed.size) {
            column = flm_tui_puts(tui, column, row, end, "-", FLM_TUI_MUTED);
            column = flm_tui_put(tui, column, row, end, chip->removed, FLM_TUI_MUTED);
            column = flm_tui_puts(tui, column, row, end, " ", tone);
        }
        flm_tui_add_target(tui, row, left, column, "operation-toggle %zu", i);
        left = column;
        column = flm_tui_puts(tui, column, row, end,
                              tui->screen.charset == FLM_CHARSET_UTF8 ? "\xC3\x97 " : "x ", tone);
        flm_tui_add_target(tui, row, left, column, "operation-remove %zu", i);
        column++;
    }
}

/* ---- The line at the bottom ------------------------------------------------------------------ */

/* Whole, or not at all: of "lost 276" a narrow window would have "lost 2". */
static int put_value(struct flm_tui *tui, int column, int row, const char *before,
                     struct flm_bytes text, const char *behind)
{
    int end = tui->screen.columns;
    size_t trailing = strlen(behind);
    while (trailing > 0 && behind[trailing - 1] == ' ')
        trailing--;
    size_t cells = strlen(before) + flm_cells(text).cells + trailing;
    if (text.size == 0 || column < 0 || cells > (size_t)(end > column ? end - column : 0))
        return column;
    column = flm_tui_puts(tui, column, row, end, before, FLM_TUI_MUTED);
    column = flm_tui_put(tui, column, row, end, text, *before ? FLM_TUI_TEXT : FLM_TUI_STRONG);
    return flm_tui_puts(tui, column, row, end, behind, FLM_TUI_MUTED);
}

static void draw_status(struct flm_tui *tui, int row)
{
    if (tui->notice[0]) {
        flm_tui_puts(tui, 1, row, tui->screen.columns, tui->notice,
                     tui->notice_is_wrong ? FLM_TUI_WRONG : FLM_TUI_ACCENT);
        return;
    }
    enum { LIVE_CELLS = 40 };
    int column = tui->live ? flm_tui_live_draw(tui, row) + 4 : 1;
    flm_tui_add_target(tui, row, 0, tui->screen.columns, "data-quality");
    if (tui->live && column + LIVE_CELLS > tui->screen.columns)
        return;
    const struct flm_response_status *s = tui->status.status;
    if (!s)
        return;
    if (s->offer.size > 0) {
        int left = column, end = tui->screen.columns;
        column = flm_tui_put(tui, column, row, end, s->offer, FLM_TUI_ACCENT);
        column = flm_tui_puts(tui, column, row, end, ": R collapses it", FLM_TUI_ACCENT);
        flm_tui_add_target(tui, row, left, column, "collapse-direct");
        column += 2;
    }
    column = put_value(tui, column, row, "", s->stacks,
                       flm_bytes_are(s->stacks, "1") ? " stack  " : " stacks  ");
    if (tui->live) { /* it has said itself how much there is, and what of it is lost */
        put_value(tui, column, row, "unsymbolized ", s->unsymbolized_share, "");
        return;
    }
    column = put_value(tui, column, row, "", s->total, s->unit.size ? " " : "");
    if (s->unit.at)
        column = flm_tui_put(tui, column, row, tui->screen.columns, s->unit, FLM_TUI_MUTED);
    column += 2;
    if (tui->has_picture) { /* else these are figures of an earlier picture */
        column = put_value(tui, column, row, "drawn ", s->drawn, "  ");
        column = put_value(tui, column, row, "merged ", s->merged, "");
        column = 2 + put_value(tui, column, row, " (", s->merged_share, " of the width)");
    }
    column = put_value(tui, column, row, "trimmed ", s->trimmed, "  ");
    column = put_value(tui, column, row, "filtered ", s->filtered, "  ");
    column = put_value(tui, column, row, "too narrow to hatch ", s->unhatched, "  ");
    column = put_value(tui, column, row, "lost ", s->lost_count, "  ");
    column = put_value(tui, column, row, "not shown: ", s->not_shown, "  ");
    put_value(tui, column, row, "unsymbolized ", s->unsymbolized_share, "");
}

/* The figures of the viewer itself, in the upper right corner: a line for each. */
static void draw_overlay(struct flm_tui *tui)
{
    enum { WIDTH = 28, VALUE = 14 };
    const struct flm_response_overlay *o = tui->overlay.overlay;
    int left = tui->pane.left + tui->pane.columns - WIDTH, row = tui->pane.top;
    if (!o || left < 0)
        return;
    const struct {
        const char *name;
        double value;
    } figures[] = {{"nodes", o->nodes},
                   {"visited", o->visited},
                   {"drawn", o->drawn},
                   {"merged", o->merged},
                   {"memory_bytes", o->memory_bytes}};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++, row++) {
        char words[32];
        if (row >= tui->pane.top + tui->pane.rows)
            return;
        flm_screen_fill(&tui->screen, left, row, WIDTH, 1, flm_tui_style(tui, FLM_TUI_CHIP));
        flm_tui_puts(tui, left + 1, row, left + WIDTH, figures[i].name, FLM_TUI_CHIP_OFF);
        snprintf(words, sizeof words, "%.0f", figures[i].value);
        flm_tui_puts(tui, left + 1 + VALUE, row, left + WIDTH, words, FLM_TUI_CHIP);
    }
}

/* ---- All of it ------------------------------------------------------------------------------- */

void flm_tui_update(struct flm_tui *tui)
{
    static const struct {
        unsigned changed;
        const char *query;
        size_t response;
    } queries[] = {
        {FLM_CHANGED(TOOLS), "tools", offsetof(struct flm_tui, tools)},
        {FLM_CHANGED(CHIPS), "chips", offsetof(struct flm_tui, chips)},
        {FLM_CHANGED(CHIPS), "searches", offsetof(struct flm_tui, searches)},
        {FLM_CHANGED(HOVER), "hover", offsetof(struct flm_tui, hover)},
        {FLM_CHANGED(STATUS), "status", offsetof(struct flm_tui, status)},
        {FLM_CHANGED(STATUS) | FLM_CHANGED(TOOLS), "legend", offsetof(struct flm_tui, legend)},
        {FLM_CHANGED(OVERLAY), "overlay", offsetof(struct flm_tui, overlay)},
    };
    unsigned changed = flm_viewer_changes(tui->viewer, &tui->seen) | tui->changed;
    tui->changed = changed & (FLM_CHANGED(COPY) | FLM_CHANGED(PROMPT));
    for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
        void *response = (char *)tui + queries[i].response;
        if (changed & queries[i].changed &&
            !flm_viewer_query(tui->viewer, flm_bytes_of(queries[i].query), response, NULL))
            tui->changed |= queries[i].changed; /* memory ran out: once more, next time */
    }
    if (changed & FLM_CHANGED(DETAIL) && !flm_tui_detail_load(tui))
        tui->changed |= FLM_CHANGED(DETAIL);
    if (changed & FLM_CHANGED(TABLES))
        for (size_t i = 0; i < FLM_TUI_TABLES; i++)
            tui->tables[i].is_stale = true;
    struct flm_text notice = {0}, kind = {0};
    if (changed & FLM_CHANGED(NOTICE) &&
        flm_viewer_query_text(tui->viewer, flm_bytes_of("notice"), &notice, NULL) &&
        flm_viewer_query_text(tui->viewer, flm_bytes_of("notice-kind"), &kind, NULL))
        flm_tui_notify(tui, flm_bytes_start_with((struct flm_bytes){kind.at, kind.size}, "error"),
                       "%.*s", (int)notice.size, notice.at ? notice.at : "");
    flm_text_clear(&notice);
    flm_text_clear(&kind);
}

/* Room for lines, in this order, where the window has it: the picture, the status, the line at the
 * top, what is selected, chips, a second line of what is selected, the legend of a picture. */
struct line_rows {
    int header, chips, legend, detail, status; /* rows; -1: there is none */
    int detail_rows;
};

/* Of a view with a table and a picture: the table is left in a wide window, else above. It takes
 * its cells, and a line between them, from the pane, which is left to the picture. */
static void divide_pane(struct flm_tui *tui, struct flm_cell_area *pane)
{
    enum { LEAST_WINDOW = 96, LEAST = 52, MOST = 72, LEAST_ROWS = 14 };
    tui->rows = (struct flm_cell_area){0};
    if (pane->columns >= LEAST_WINDOW) {
        int columns = pane->columns * 2 / 5;
        columns = columns < LEAST ? LEAST : columns > MOST ? MOST : columns;
        tui->rows = (struct flm_cell_area){pane->left, pane->top, columns, pane->rows};
        pane->left += columns + 1;
        pane->columns -= columns + 1;
    } else if (pane->rows >= LEAST_ROWS) {
        int rows = pane->rows * 2 / 5;
        tui->rows = (struct flm_cell_area){pane->left, pane->top, pane->columns, rows};
        pane->top += rows + 1;
        pane->rows -= rows + 1;
    }
}

/* The keys are the table's when a view opens that has one; its current row is of the selection. */
static void turn_to_table(struct flm_tui *tui)
{
    bool has_both = flm_tui_has_both(tui);
    if (has_both && !tui->had_both) {
        tui->picture_has_keys = false;
        flm_tui_table_go_to_selected(tui);
    }
    tui->had_both = has_both;
}

static void draw_line_between(struct flm_tui *tui)
{
    bool is_utf8 = tui->screen.charset == FLM_CHARSET_UTF8;
    struct flm_style style = flm_tui_style(tui, FLM_TUI_MUTED);
    const struct flm_cell_area *rows = &tui->rows;
    bool is_above = tui->pane.top > rows->top;
    int count = is_above ? rows->columns : rows->rows;
    uint32_t line = is_above ? (is_utf8 ? 0x2500 : '-') : is_utf8 ? 0x2502 : '|';
    for (int i = 0; i < count; i++)
        flm_screen_put(&tui->screen, is_above ? i : rows->columns,
                       is_above ? rows->top + rows->rows : rows->top + i, line, style);
}

static struct line_rows arrange(struct flm_tui *tui)
{
    enum { ALONE = 3, SMALL = 6, ROOMY = 16, WIDE = 140, PANEL = 44 };
    int rows = tui->screen.rows, top = 0, bottom = rows;
    struct line_rows rows_of = {-1, -1, -1, -1, -1, 0};
    if (rows >= ALONE)
        rows_of.status = --bottom;
    if (rows > ALONE)
        rows_of.header = top++;
    if (rows >= SMALL && has_chips(tui))
        rows_of.chips = top++;
    if (rows >= SMALL) {
        rows_of.detail_rows = rows >= ROOMY ? 2 : 1;
        bottom -= rows_of.detail_rows;
        rows_of.detail = bottom;
    }
    bool has_both = flm_tui_has_both(tui);
    tui->has_picture = has_both || !(flm_tui_table_shown(tui) || flm_tui_has_code(tui));
    if (rows >= ROOMY && tui->has_picture && flm_tui_has_legend(tui))
        rows_of.legend = --bottom;
    tui->panel = (struct flm_cell_area){0};
    struct flm_cell_area pane = {0, top, tui->screen.columns, bottom - top};
    if (tui->screen.columns >= WIDE && rows >= ROOMY && tui->tools.tools &&
        tui->tools.tools->panel) {
        pane.columns -= PANEL;
        tui->panel = (struct flm_cell_area){pane.columns, top, PANEL, pane.rows};
    }
    tui->rows = pane;
    if (tui->has_picture)
        tui->rows = (struct flm_cell_area){0};
    if (has_both)
        divide_pane(tui, &pane);
    bool is_new = pane.columns != tui->pane.columns || pane.rows != tui->pane.rows;
    tui->pane = pane;
    if (is_new)
        flm_viewer_resize_cells(tui->viewer, pane.columns, pane.rows);
    return rows_of;
}

void flm_tui_draw(struct flm_tui *tui)
{
    flm_tui_update(tui);
    struct line_rows rows_of = arrange(tui);
    tui->target_count = 0;
    tui->screen.cursor_row = -1;
    flm_screen_fill(&tui->screen, 0, 0, tui->screen.columns, tui->screen.rows,
                    flm_tui_style(tui, FLM_TUI_TEXT));
    tui->more = false;
    if (tui->has_picture)
        tui->more = flm_viewer_paint_cells(tui->viewer, &tui->screen, tui->pane, tui->now_ms);
    turn_to_table(tui);
    if (tui->rows.rows > 0)
        flm_tui_table_draw(tui);
    if (tui->has_picture && tui->rows.rows > 0)
        draw_line_between(tui);
    flm_tui_update(tui); /* painting counts what it draws */
    if (tui->live)
        flm_tui_live_draw_empty(tui);
    if (tui->panel.columns > 0)
        flm_tui_panel_draw(tui);
    draw_overlay(tui);
    if (rows_of.header >= 0)
        draw_header(tui, rows_of.header);
    if (rows_of.chips >= 0 && has_chips(tui))
        draw_chips(tui, rows_of.chips);
    if (rows_of.legend >= 0 && flm_tui_has_legend(tui))
        flm_tui_legend_draw(tui, rows_of.legend);
    if (rows_of.detail >= 0 && tui->hover.hover)
        flm_tui_hover_draw(tui, rows_of.detail, rows_of.detail_rows);
    else if (rows_of.detail >= 0 && tui->live && !tui->detail.detail)
        flm_tui_live_draw_hint(tui, rows_of.detail + rows_of.detail_rows - 1);
    else if (rows_of.detail >= 0)
        flm_tui_detail_draw(tui, rows_of.detail, rows_of.detail_rows);
    if (rows_of.status >= 0)
        draw_status(tui, rows_of.status);
    if (tui->mode != FLM_TUI_LOOKING)
        flm_tui_typing_draw(tui);
}
