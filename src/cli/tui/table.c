/* table.c - the top table and the call tree: only visible rows are queried. One row is the current
 * one; Enter or a click selects its function or node. */
#include <stdlib.h>
#include <string.h>

#include "cli/tui/internal.h"

enum kind { NUMBER, SHARE, BAR, NAME, MODULE };

struct column {
    size_t member;            /* of a row: a text */
    const char *title, *sort; /* sort NULL: not by this */
    enum kind kind;
    int least_window; /* in narrower ones it is left out */
};

#define AT(name) offsetof(struct flm_response_row, name)
static const struct column top_columns[] = {
    {AT(self), "self", "self", NUMBER, 0},
    {AT(self_share), "%", "self", SHARE, 0},
    {AT(self_share), "", NULL, BAR, 72},
    {AT(total), "total", "total", NUMBER, 40},
    {AT(total_share), "%", "total", SHARE, 54},
    {AT(samples), "samples", "samples", NUMBER, 130},
    {AT(before), "before", NULL, NUMBER, 72},
    {AT(after), "after", "after", NUMBER, 72},
    {AT(change), "change", "change", NUMBER, 30},
    {AT(change_share), "%", "change", SHARE, 54},
    {AT(title), "function", "name", NAME, 0},
    {AT(module_name), "module", "module", MODULE, 100},
    {AT(file_name), "file", "file", MODULE, 130},
};
static const struct column tree_columns[] = {
    {AT(total), "total", NULL, NUMBER, 0},    {AT(total_share), "%", NULL, SHARE, 0},
    {AT(total_share), "", NULL, BAR, 72},     {AT(self), "self", NULL, NUMBER, 54},
    {AT(before), "before", NULL, NUMBER, 72}, {AT(after), "after", NULL, NUMBER, 72},
    {AT(change), "change", NULL, NUMBER, 30}, {AT(change_share), "%", NULL, SHARE, 54},
    {AT(title), "function", NULL, NAME, 0},   {AT(module_name), "module", NULL, MODULE, 100},
};
enum { MOST_COLUMNS = 16, BAR_CELLS = 10, MODULE_CELLS = 24, GAP = 2 };

/* The columns that are shown, and where. */
struct shape {
    const struct column *column[MOST_COLUMNS];
    int left[MOST_COLUMNS], width[MOST_COLUMNS];
    size_t count, name; /* name: which of them */
};

/* The tables, by the query of their rows: a view names one of them. */
struct kind_of_table {
    const char *query;
    const struct column *columns;
    size_t column_count;
    bool is_tree;
};
#define COLUMNS(list) list, sizeof list / sizeof list[0]
static const struct kind_of_table kinds[FLM_TUI_TABLES] = {
    {"top", COLUMNS(top_columns), false},
    {"tree", COLUMNS(tree_columns), true},
};

static const struct kind_of_table *kind_of(const struct flm_tui *tui,
                                           const struct flm_tui_table *table)
{
    return &kinds[table - tui->tables];
}

/* The table of functions, among all. */
static struct flm_tui_table *function_table(struct flm_tui *tui)
{
    size_t i = 0;
    while (kinds[i].is_tree)
        i++;
    return &tui->tables[i];
}

static const struct flm_response_view *shown_view(const struct flm_tui *tui)
{
    const struct flm_response_tools *tools = tui->tools.tools;
    for (size_t i = 0; tools && i < tools->views.count; i++)
        if (flm_bytes_equal(tools->views.at[i].name, tools->view))
            return &tools->views.at[i];
    return NULL;
}

struct flm_tui_table *flm_tui_table_shown(const struct flm_tui *tui)
{
    const struct flm_response_view *view = shown_view(tui);
    for (size_t t = 0; view && t < FLM_TUI_TABLES; t++)
        if (flm_bytes_are(view->table, kinds[t].query))
            return (struct flm_tui_table *)&tui->tables[t];
    return NULL;
}

bool flm_tui_has_both(const struct flm_tui *tui)
{
    const struct flm_response_view *view = shown_view(tui);
    return view && view->beside;
}

/* Below the titles. */
static uint32_t rows_seen(const struct flm_tui *tui)
{
    return tui->rows.rows > 2 ? (uint32_t)tui->rows.rows - 1 : 1;
}

/* Queries the rows that are seen; the current row is one of them. */
static void load(struct flm_tui *tui, struct flm_tui_table *table)
{
    char query[64];
    struct flm_text text;
    uint32_t seen = rows_seen(tui);
    for (int round = 0; round < 2; round++) { /* a second time when there are fewer by now */
        if (table->current < table->first)
            table->first = table->current;
        if (table->current >= table->first + seen)
            table->first = table->current - seen + 1;
        flm_text_init_fixed(&text, query, sizeof query - 1);
        flm_text_format(&text, "%s %u %u %u%c", kind_of(tui, table)->query, table->first, seen,
                        (unsigned)table->name_cells,
                        tui->screen.charset == FLM_CHARSET_UTF8 ? 'c' : 'a');
        struct flm_error why;
        struct flm_bytes words = {text.at, text.size};
        if (!flm_viewer_query(tui->viewer, words, &table->response, &why))
            flm_tui_notify(tui, true, "%s", why.text);
        table->count = table->response.table ? (uint32_t)table->response.table->count : 0;
        if (table->current < table->count || table->count == 0)
            break;
        table->current = table->count - 1;
        table->first = table->count > seen ? table->count - seen : 0;
    }
    table->is_stale = false;
}

/* The rows that were queried: those from `first` on. */
static size_t row_count(const struct flm_tui_table *table)
{
    return table->response.table ? table->response.table->rows.count : 0;
}

static const struct flm_response_row *row_in(const struct flm_tui_table *table, size_t i)
{
    return &table->response.table->rows.at[i];
}

/* The row of an index; NULL where it was not queried. */
static const struct flm_response_row *row_at(const struct flm_tui_table *table, uint32_t index)
{
    return index >= table->first && index - table->first < row_count(table)
               ? row_in(table, index - table->first)
               : NULL;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* The text of a cell. */
static struct flm_bytes cell_text(const struct column *column, const struct flm_response_row *row)
{
    struct flm_bytes text;
    memcpy(&text, (const char *)row + column->member, sizeof text);
    if (!text.at)
        text.at = "";
    return text;
}

enum { TITLE_SIZE = 80 };

/* "total ms": of numbers with the unit that all of the column have. Words such as "samples" are in
 * the status line. */
static struct flm_bytes title_of(const struct flm_tui_table *table, const struct column *column,
                                 char buffer[TITLE_SIZE])
{
    const struct flm_response_table *shown = table->response.table;
    struct flm_text title;
    flm_text_init_fixed(&title, buffer, TITLE_SIZE);
    bool is_change =
        column->member == AT(before) || column->member == AT(after) || column->member == AT(change);
    if (is_change && column->member == AT(before) && shown && shown->changes.at) {
        flm_text_add(&title, shown->changes);
        flm_text_putc(&title, ' ');
    }
    flm_text_puts(&title, column->title);
    struct flm_bytes unit = {"", 0};
    if (shown && (is_change || column->member == AT(self) || column->member == AT(total)))
        unit = shown->heading_unit;
    if (unit.size > 0) {
        flm_text_putc(&title, ' ');
        flm_text_add(&title, unit);
    }
    return (struct flm_bytes){title.at, title.size};
}

/* In cells. */
static int width_of(const struct flm_tui_table *table, const struct column *column)
{
    char title[TITLE_SIZE];
    size_t width = flm_cells(title_of(table, column, title)).cells + (column->sort ? 1 : 0);
    size_t widest = 0;
    for (size_t i = 0; i < row_count(table); i++) {
        size_t cells = flm_cells(cell_text(column, row_in(table, i))).cells;
        widest = cells > widest ? cells : widest;
    }
    if (column->kind == BAR)
        return BAR_CELLS;
    if (column->kind == MODULE)
        return widest == 0             ? 0
               : widest < MODULE_CELLS ? (int)(widest > width ? widest : width)
                                       : MODULE_CELLS;
    return (int)(widest > width ? widest : width);
}

/* Whether rows have such a cell at all: self is not known of callers, before only of comparisons.
 * Of a share of nothing the column stays. */
static bool has_cell(const struct flm_response_row *row, const struct column *column)
{
    struct flm_bytes text;
    if (!row)
        return false;
    if (column->member == AT(change_share))
        return row->change.at;
    if (column->kind == SHARE || column->kind == BAR || column->kind == MODULE)
        return column->member != AT(self_share) || row->self.at;
    memcpy(&text, (const char *)row + column->member, sizeof text);
    return text.at != NULL;
}

/* "before", "after" and "change" are of self or of total. The column of that quantity would repeat
 * "after", and of the other one its value is enough. */
static bool is_said_by_after(const struct flm_tui_table *table, const struct column *column,
                             int window)
{
    enum { LEAST_WINDOW = 72 }; /* of "after" */
    const struct flm_response_table *shown = table->response.table;
    if (!shown || !shown->changes.at || window < LEAST_WINDOW)
        return false;
    return column->kind == BAR || column->member == AT(self_share) ||
           column->member == AT(total_share) || column->member == AT(samples) ||
           flm_bytes_are(shown->changes, column->title);
}

/* The columns of a window that is so wide. *optional: the least window of the column that is left
 * out next, 0 for none. */
static struct shape shape_in(const struct flm_tui *tui, const struct flm_tui_table *table,
                             int window, int *optional, int *name_width)
{
    const struct column *columns = kind_of(tui, table)->columns;
    size_t count = kind_of(tui, table)->column_count;
    struct shape shape = {.count = 0};
    const struct flm_response_row *row = row_count(table) > 0 ? row_in(table, 0) : NULL;
    int taken = 1;
    *optional = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_there = columns[i].kind == NAME || has_cell(row, &columns[i]);
        bool has_bars = tui->screen.charset == FLM_CHARSET_UTF8;
        if (!is_there || window < columns[i].least_window ||
            (columns[i].kind == BAR && !has_bars) || is_said_by_after(table, &columns[i], window))
            continue;
        int width = columns[i].kind == NAME ? 0 : width_of(table, &columns[i]);
        if (columns[i].kind == MODULE && width == 0)
            continue;
        shape.column[shape.count] = &columns[i];
        shape.width[shape.count] = width;
        shape.name = columns[i].kind == NAME ? shape.count : shape.name;
        *optional = columns[i].least_window > *optional ? columns[i].least_window : *optional;
        taken += shape.width[shape.count] + GAP;
        shape.count++;
    }
    *name_width = tui->rows.columns - taken;
    shape.width[shape.name] = *name_width > 1 ? *name_width : 1;
    for (size_t i = 0; i < shape.count; i++)
        shape.left[i] = i ? shape.left[i - 1] + shape.width[i - 1] + GAP : tui->rows.left + 1;
    return shape;
}

/* Names need room more than other columns do: where there is a picture too, some of these are left
 * out. */
static struct shape shape_of(const struct flm_tui *tui, const struct flm_tui_table *table)
{
    enum { LEAST_NAME = 20 };
    int optional, name_width;
    struct shape shape = shape_in(tui, table, tui->rows.columns, &optional, &name_width);
    while (name_width < LEAST_NAME && optional > 0)
        shape = shape_in(tui, table, optional - 1, &optional, &name_width);
    return shape;
}

/* The name by which a column sorts: "after" and "change" sort by self or total, whichever they
 * show. */
static struct flm_bytes sort_of(const struct flm_tui_table *table, const struct column *column)
{
    const struct flm_response_table *shown = table->response.table;
    bool is_compared = shown && shown->changes.at;
    if (is_compared && column->member == AT(after))
        return shown->changes;
    bool is_change = column->member == AT(change) || column->member == AT(change_share);
    if (is_compared && is_change && flm_bytes_are(shown->changes, "self"))
        return flm_bytes_of("self-change");
    return flm_bytes_of(column->sort);
}

static void draw_titles(struct flm_tui *tui, const struct flm_tui_table *table,
                        const struct shape *shape)
{
    const struct flm_response_table *shown = table->response.table;
    struct flm_bytes none = {"", 0}, sort = shown && shown->sort.at ? shown->sort : none;
    bool is_down = shown && shown->down;
    bool is_utf8 = tui->screen.charset == FLM_CHARSET_UTF8;
    const char *mark = is_down ? (is_utf8 ? "\xE2\x96\xBE" : "v") : is_utf8 ? "\xE2\x96\xB4" : "^";
    for (size_t i = 0; i < shape->count; i++) {
        const struct column *c = shape->column[i];
        bool is_right = c->kind == NUMBER || c->kind == SHARE;
        char title[TITLE_SIZE];
        struct flm_bytes text = title_of(table, c, title);
        bool is_sorted = c->sort && c->kind != SHARE && flm_bytes_equal(sort, sort_of(table, c));
        int end = shape->left[i] + shape->width[i], row = tui->rows.top;
        int left = is_right ? end - (int)flm_cells(text).cells - is_sorted : shape->left[i];
        int column =
            flm_tui_put(tui, left, row, end, text, is_sorted ? FLM_TUI_STRONG : FLM_TUI_MUTED);
        if (is_sorted)
            flm_tui_puts(tui, column, row, end, mark, FLM_TUI_STRONG);
        if (c->sort) {
            struct flm_bytes by = sort_of(table, c);
            flm_tui_add_target(tui, row, shape->left[i], end, "sort %.*s", (int)by.size, by.at);
        }
    }
}

/* "12.3 %" as 0.123. */
static double fraction_of(struct flm_bytes text)
{
    char digits[32] = {0};
    size_t from = text.size > 2 && text.at[0] == '<' ? 1 : 0;
    for (size_t i = from, to = 0; i < text.size && to + 1 < sizeof digits; i++)
        digits[to++] = text.at[i];
    return strtod(digits, NULL) / 100;
}

static void draw_bar(struct flm_tui *tui, int column, int y, struct flm_bytes share,
                     const struct flm_style *style)
{
    struct flm_text bar = {0};
    flm_cells_add_bar(&bar, fraction_of(share), (struct flm_width){BAR_CELLS});
    struct flm_style accent = *style;
    if (tui->screen.depth != FLM_DEPTH_NONE &&
        style->fill == flm_token_color(FLM_TOKEN_PAGE, tui->theme.dark))
        accent.ink = flm_token_color(FLM_TOKEN_ACCENT, tui->theme.dark);
    flm_screen_text(&tui->screen, column, y, BAR_CELLS, (struct flm_bytes){bar.at, bar.size},
                    accent);
    flm_text_clear(&bar);
}

/* The name, in a tree behind its level and a mark that says whether there is more below. */
static void draw_name(struct flm_tui *tui, const struct flm_tui_table *table,
                      const struct flm_response_row *row, int left, int width, int y,
                      struct flm_style style)
{
    int column = left, end = left + width;
    if (kind_of(tui, table)->is_tree) {
        bool is_utf8 = tui->screen.charset == FLM_CHARSET_UTF8;
        column += row->indent > 0 ? (int)row->indent : 0;
        bool is_leaf = row->open == FLM_TRISTATE_NONE, is_open = row->open == FLM_TRISTATE_TRUE;
        const char *mark = is_leaf   ? "  "
                           : is_open ? (is_utf8 ? "\xE2\x96\xBE " : "- ")
                           : is_utf8 ? "\xE2\x96\xB8 "
                                     : "+ ";
        int from = column;
        column += flm_screen_text(&tui->screen, column, y, end - column, flm_bytes_of(mark), style);
        if (!is_leaf)
            flm_tui_add_target(tui, y, from, column, "open-node %llu",
                               (unsigned long long)row->node);
    }
    flm_screen_text(&tui->screen, column, y, end - column, row->shown.at ? row->shown : row->title,
                    style);
}

static void draw_row(struct flm_tui *tui, const struct flm_tui_table *table,
                     const struct shape *shape, const struct flm_response_row *row, int y,
                     bool is_current)
{
    bool is_on = row->on, is_match = row->match >= 0;
    bool has_keys = !(flm_tui_has_both(tui) && tui->picture_has_keys);
    struct flm_style style = flm_tui_style(tui, !is_current ? FLM_TUI_TEXT
                                                : has_keys  ? FLM_TUI_ROW_ON
                                                            : FLM_TUI_CHIP);
    if (is_current)
        flm_screen_fill(&tui->screen, tui->rows.left, y, tui->rows.columns, 1, style);
    for (size_t i = 0; i < shape->count; i++) {
        const struct column *c = shape->column[i];
        struct flm_bytes text = cell_text(c, row);
        struct flm_style cell = style;
        int left = shape->left[i], width = shape->width[i];
        if (c->kind == NUMBER || c->kind == SHARE) {
            int cells = (int)flm_cells(text).cells;
            flm_screen_text(&tui->screen, left + width - cells, y, cells, text, cell);
        } else if (c->kind == BAR) {
            draw_bar(tui, left, y, text, &cell);
        } else if (c->kind == NAME) {
            if (!is_current && (is_on || is_match))
                cell = flm_tui_style(tui, is_on ? FLM_TUI_ACCENT : FLM_TUI_STRONG);
            draw_name(tui, table, row, left, width, y, cell);
        } else {
            if (!is_current)
                cell = flm_tui_style(tui, FLM_TUI_MUTED);
            flm_screen_text(&tui->screen, left, y, width, text, cell);
        }
    }
}

void flm_tui_table_draw(struct flm_tui *tui)
{
    struct flm_tui_table *table = flm_tui_table_shown(tui);
    if (!table) {
        flm_tui_code_draw(tui);
        return;
    }
    load(tui, table);
    struct shape shape = shape_of(tui, table);
    if (shape.width[shape.name] != table->name_cells) {
        table->name_cells = shape.width[shape.name];
        load(tui, table);
        shape = shape_of(tui, table);
    }
    draw_titles(tui, table, &shape);
    for (size_t i = 0; i < row_count(table); i++) {
        int y = tui->rows.top + 1 + (int)i;
        if (y >= tui->rows.top + tui->rows.rows)
            break;
        draw_row(tui, table, &shape, row_in(table, i), y, table->first + i == table->current);
    }
    if (row_count(table) == 0)
        flm_tui_puts(tui, tui->rows.left + 1, tui->rows.top + 1, tui->rows.left + tui->rows.columns,
                     "nothing is left", FLM_TUI_MUTED);
}

/* ---- Another profile ------------------------------------------------------------------------- */

/* Name and module: what a function is known by in both. */
static void add_function(const struct flm_response_row *row, struct flm_text *function)
{
    flm_text_add(function, row->title);
    flm_text_putc(function, 0);
    flm_text_add(function, row->module);
}

void flm_tui_table_remember(struct flm_tui *tui, struct flm_text *function)
{
    const struct flm_tui_table *table = flm_tui_table_shown(tui);
    const struct flm_response_row *row = table ? row_at(table, table->current) : NULL;
    if (table == function_table(tui) && table->current > 0 && row)
        add_function(row, function);
}

void flm_tui_table_return(struct flm_tui *tui, const struct flm_text *function)
{
    struct flm_tui_table all = {.count = 0};
    struct flm_text name = {0};
    if (function->size == 0 || function->failed)
        return;
    /* Further down the row may be on another function then. */
    flm_viewer_query(tui->viewer, flm_bytes_of("top 0 500"), &all.response, NULL);
    for (size_t i = 0; i < row_count(&all); i++) {
        name.size = 0;
        add_function(row_in(&all, i), &name);
        if (name.size == function->size && memcmp(name.at, function->at, name.size) == 0) {
            function_table(tui)->current = (uint32_t)i;
            break;
        }
    }
    flm_text_clear(&name);
    flm_response_clear(&all.response);
}

void flm_tui_table_go_to_selected(struct flm_tui *tui)
{
    struct flm_tui_table all = {.count = 0};
    flm_viewer_query(tui->viewer, flm_bytes_of("top 0 500"), &all.response, NULL);
    for (size_t i = 0; i < row_count(&all); i++)
        if (row_in(&all, i)->on) {
            function_table(tui)->current = (uint32_t)i;
            break;
        }
    flm_response_clear(&all.response);
}

/* ---- Moving ---------------------------------------------------------------------------------- */

static void go(struct flm_tui_table *table, double index)
{
    double last = table->count > 0 ? (double)table->count - 1 : 0;
    table->current = (uint32_t)(index < 0 ? 0 : index > last ? last : index);
}

static void pick(struct flm_tui *tui, struct flm_tui_table *table)
{
    const struct flm_response_row *row = row_at(table, table->current);
    if (row && row->frame >= 0)
        flm_tui_do_format(tui, "select-frame %llu", (unsigned long long)row->frame);
    else if (row && row->node >= 0)
        flm_tui_do_format(tui, "select %llu", (unsigned long long)row->node);
}

static void open_row(struct flm_tui *tui, const struct flm_response_row *row)
{
    flm_tui_do_format(tui, "open-node %llu", (unsigned long long)row->node);
}

/* Opens or closes the row, or goes to the one that is meant when that cannot be. */
static void go_aside(struct flm_tui *tui, struct flm_tui_table *table, bool is_right)
{
    const struct flm_response_row *row = row_at(table, table->current);
    if (!row)
        return;
    if (is_right) {
        if (row->open == FLM_TRISTATE_FALSE)
            open_row(tui, row);
        else
            go(table, table->current + 1.0);
        return;
    }
    if (row->open == FLM_TRISTATE_TRUE) {
        open_row(tui, row);
        return;
    }
    for (uint32_t i = table->current; i-- > table->first;)
        if (row_at(table, i)->level < row->level) {
            go(table, i);
            return;
        }
    go(table, table->current - 1.0);
}

/* The menu is of the row where the cursor is. */
static bool is_menu_key(const struct flm_tui *tui, const struct flm_tui_event *event)
{
    struct flm_bytes none;
    const struct flm_action *menu = flm_action_named(flm_bytes_of("menu"));
    return flm_action_for_key(tui->viewer, flm_bytes_of(event->key), event->held, &none) == menu;
}

bool flm_tui_table_key(struct flm_tui *tui, const struct flm_tui_event *event)
{
    struct flm_tui_table *table = flm_tui_table_shown(tui);
    if (flm_tui_has_code(tui))
        return flm_tui_code_key(tui, event);
    if (!table || event->held & ~(unsigned)FLM_HELD_SHIFT)
        return false;
    if (tui->has_picture && tui->rows.rows == 0)
        return false;
    if (tui->has_picture && strcmp(event->key, "Tab") == 0) {
        tui->picture_has_keys = !tui->picture_has_keys;
        return true;
    }
    if (tui->has_picture && tui->picture_has_keys)
        return false;
    double page = rows_seen(tui) > 1 ? rows_seen(tui) - 1.0 : 1;
    const char *key = event->key;
    if (is_menu_key(tui, event)) {
        pick(tui, table);
        return false;
    }
    if (strcmp(key, "ArrowDown") == 0 || strcmp(key, "j") == 0)
        go(table, table->current + 1.0);
    else if (strcmp(key, "ArrowUp") == 0 || strcmp(key, "k") == 0)
        go(table, table->current - 1.0);
    else if (strcmp(key, "PageDown") == 0)
        go(table, table->current + page);
    else if (strcmp(key, "PageUp") == 0)
        go(table, table->current - page);
    else if (strcmp(key, "Home") == 0)
        go(table, 0);
    else if (strcmp(key, "End") == 0)
        go(table, table->count);
    else if (strcmp(key, "Enter") == 0 || strcmp(key, " ") == 0)
        pick(tui, table);
    else if (kind_of(tui, table)->is_tree &&
             (strcmp(key, "ArrowRight") == 0 || strcmp(key, "ArrowLeft") == 0))
        go_aside(tui, table, strcmp(key, "ArrowRight") == 0);
    else
        return false;
    return true;
}

void flm_tui_table_wheel(struct flm_tui *tui, int rows)
{
    struct flm_tui_table *table = flm_tui_table_shown(tui);
    if (flm_tui_has_code(tui))
        flm_tui_code_wheel(tui, rows);
    if (table)
        go(table, (double)table->current + rows);
}

bool flm_tui_table_click(struct flm_tui *tui, int y)
{
    struct flm_tui_table *table = flm_tui_table_shown(tui);
    int index = y - tui->rows.top - 1;
    if (!table || index < 0 || table->first + (uint32_t)index >= table->count)
        return false;
    go(table, (double)table->first + index);
    pick(tui, table);
    return true;
}
