#include "draw/text/table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/number/number.h"
#include "base/text/utf.h"
#include "draw/text/internal.h"
#include "draw/text/table_names.h"

/* ---- Filling --------------------------------------------------------------------------------- */

void flm_table_init(struct flm_table *table, const struct flm_column *columns, size_t count)
{
    assert(columns && count > 0);
    *table = (struct flm_table){.columns = columns, .column_count = count};
}

void flm_table_clear(struct flm_table *table)
{
    flm_text_clear(&table->text);
    FLM_ARRAY_CLEAR(&table->cells);
}

static void end_cell(struct flm_table *table)
{
    if (table->cells.count > 0)
        table->cells.at[table->cells.count - 1].end = table->text.size;
}

struct flm_text *flm_table_cell(struct flm_table *table)
{
    assert(table->column_count > 0);
    end_cell(table);
    size_t at = table->text.size;
    enum flm_column_kind kind = table->columns[table->cells.count % table->column_count].kind;
    enum flm_table_tone tone = kind == FLM_COLUMN_BAR    ? FLM_TONE_ACCENT
                               : kind == FLM_COLUMN_PATH ? FLM_TONE_MUTED
                                                         : FLM_TONE_PLAIN;
    struct flm_table_cell cell = {at, at, at, 0, tone};
    table->failed |= !FLM_ARRAY_ADD(&table->cells, cell);
    return &table->text;
}

void flm_table_bar(struct flm_table *table, double share)
{
    flm_table_cell(table);
    if (table->cells.count > 0)
        table->cells.at[table->cells.count - 1].share = share;
}

void flm_table_end_prefix(struct flm_table *table)
{
    if (table->cells.count > 0)
        table->cells.at[table->cells.count - 1].prefix = table->text.size;
}

/* The size of the number before a unit: all of it when there is none. */
static size_t number_size(struct flm_bytes text)
{
    size_t space = text.size;
    while (space > 0 && text.at[space - 1] != ' ')
        space--;
    return space > 0 ? space - 1 : text.size;
}

static void add_quantity(struct flm_text *cell, double value, const struct flm_scale *scale)
{
    flm_scale_add_number(scale, value, cell);
    if (value != 0 && *scale->name) { /* 0 in any unit */
        flm_text_putc(cell, ' ');
        flm_text_puts(cell, scale->name);
    }
}

void flm_table_quantity(struct flm_table *table, double value, const struct flm_scale *scale)
{
    add_quantity(flm_table_cell(table), value, scale);
}

void flm_table_change(struct flm_table *table, const char *mark, double value,
                      const struct flm_scale *scale)
{
    struct flm_text *cell = flm_table_cell(table);
    flm_text_puts(cell, mark);
    flm_text_puts(cell, value > 0 ? "+" : "");
    add_quantity(cell, value, scale);
}

void flm_table_percent(struct flm_table *table, double value, double whole)
{
    struct flm_text *cell = flm_table_cell(table);
    double percent = whole != 0 ? 100 * value / whole : 0;
    double size = fabs(percent), tenths = floor(size * 10 + 0.5);
    if (percent < 0)
        flm_text_putc(cell, '-');
    if (size > 0 && tenths < 1)
        flm_text_puts(cell, "<0.1 %");
    else if (tenths >= 1e15)
        flm_text_puts(cell, ">1e14 %");
    else {
        /* 99.97 is not yet all. */
        uint64_t count = (uint64_t)tenths - (tenths == 1000 && size < 100 ? 1 : 0);
        flm_text_format(cell, "%llu.%llu %%", (unsigned long long)(count / 10),
                        (unsigned long long)(count % 10));
    }
}

void flm_table_tone(struct flm_table *table, enum flm_table_tone tone)
{
    if (table->cells.count > 0)
        table->cells.at[table->cells.count - 1].tone = tone;
}

/* ---- For a window ---------------------------------------------------------------------------- */

enum {
    GAP = 2,
    SMALLEST_NAME = 24,
    SMALLEST_CODE = 40,
    READABLE_NAME = 60,
    SMALLEST_PATH = 17,
    LARGEST_BAR = 16,
    SMALLEST_BAR = 6,
    LARGEST_TITLE = 40
};

/* In cells. */
struct placed {
    size_t cells;  /* the width; 0: left out */
    size_t number; /* the part of it for numbers before their units */
};

struct printing {
    const struct flm_table *table;
    const struct flm_table_style *style;
    struct placed *placed;         /* by column */
    size_t *needed;                /* by column: cells that show it in full */
    struct flm_table_names *names; /* by column */
    size_t row;
    struct flm_text scratch; /* for the current text */
    struct flm_text piece;   /* text of a cell, fitted */
    struct flm_text *out;
};

const char *flm_tone_sequence(enum flm_table_tone tone, const struct flm_table_style *style)
{
    /* Gray 243 and blue 68 have the same contrast, 4.5 and 3.9, with black and with white: they are
     * readable on any background. With 16 colors only "faint" is safe. */
    static const char *const with_256[] = {"\x1b[0m", "\x1b[38;5;243m", "\x1b[1m", "\x1b[38;5;68m"};
    static const char *const with_16[] = {"\x1b[0m", "\x1b[2m", "\x1b[1m", "\x1b[34m"};
    return style->colors == 0 ? "" : style->colors >= 256 ? with_256[tone] : with_16[tone];
}

void flm_tone_add(struct flm_text *out, enum flm_table_tone tone,
                  const struct flm_table_style *style)
{
    flm_text_puts(out, flm_tone_sequence(tone, style));
}

static struct flm_bytes shown(struct printing *p, struct flm_bytes text)
{
    return flm_showable(text, p->style->charset, &p->scratch);
}

/* A share without a title of its own has that of the value before it, where that is left out. */
static const char *title_of(const struct printing *p, size_t column)
{
    const struct flm_column *c = &p->table->columns[column];
    bool is_share = column > 0 && c->title[0] == '\0' && c->kind == FLM_COLUMN_NUMBER &&
                    c[-1].kind == FLM_COLUMN_NUMBER && p->placed[column - 1].cells == 0;
    return is_share ? c[-1].title : c->title;
}

/* The title, which may be the name of a metric: any bytes, as long as it likes. Shortened for a
 * window, where every cell of it is taken from the names. Good until the next call. */
static struct flm_bytes fit_title(struct printing *p, size_t column, size_t most)
{
    bool is_window = p->style->width > 0;
    struct flm_width room = {is_window ? (most < LARGEST_TITLE ? most : LARGEST_TITLE) : SIZE_MAX};
    p->piece.size = 0;
    flm_cells_add_name(&p->piece, shown(p, flm_bytes_of(title_of(p, column))), room,
                       p->style->charset);
    return (struct flm_bytes){p->piece.at, p->piece.size};
}

static struct placed natural_width(struct printing *p, size_t column)
{
    const struct flm_table *t = p->table;
    const struct flm_column *c = &t->columns[column];
    size_t number = 0, unit = 0, cells = 0;
    for (size_t row = 0; row < flm_table_row_count(t); row++) {
        struct flm_bytes text = shown(p, flm_table_cell_text(t, flm_table_cell_at(t, row, column)));
        if (c->kind == FLM_COLUMN_PATH)
            text = flm_path_end(text);
        size_t all = flm_cells(text).cells;
        cells = all > cells ? all : cells;
        if (c->kind != FLM_COLUMN_NUMBER)
            continue;
        size_t before = flm_cells((struct flm_bytes){text.at, number_size(text)}).cells;
        number = before > number ? before : number;
        unit = all - before > unit ? all - before : unit;
    }
    size_t title = flm_cells(fit_title(p, column, SIZE_MAX)).cells;
    if (c->kind == FLM_COLUMN_NUMBER) {
        cells = number + unit;
        number += title > cells ? title - cells : 0;
    }
    return (struct placed){title > cells ? title : cells, number};
}

/* The least width of a column: names and paths can be shortened, and lines of code go on below
 * themselves. */
static size_t least_width(const struct flm_column *column, size_t natural)
{
    size_t least = flm_column_is_name(column->kind)  ? SMALLEST_NAME
                   : column->kind == FLM_COLUMN_PATH ? SMALLEST_PATH
                   : column->kind == FLM_COLUMN_CODE ? SMALLEST_CODE
                                                     : natural;
    return least < natural ? least : natural;
}

static size_t sum_of_least(const struct printing *p)
{
    size_t sum = 0;
    for (size_t i = 0; i < p->table->column_count; i++)
        if (p->placed[i].cells > 0)
            sum += least_width(&p->table->columns[i], p->placed[i].cells) + (sum > 0 ? GAP : 0);
    return sum;
}

/* The column to leave out next; column_count when none may be left out. */
static size_t least_important(const struct printing *p)
{
    size_t found = p->table->column_count;
    for (size_t i = 0; i < p->table->column_count; i++) {
        int mine = p->placed[i].cells > 0 ? p->table->columns[i].leave_out : 0;
        if (mine > 0 &&
            (found == p->table->column_count || mine > p->table->columns[found].leave_out))
            found = i;
    }
    return found;
}

/* Widens the columns of a kind up to `wanted` cells or what they need, as far as there is room. */
static void widen(struct printing *p, enum flm_column_kind kind, size_t wanted, size_t *spare)
{
    for (size_t i = 0; i < p->table->column_count; i++) {
        size_t cells = p->placed[i].cells, goal = p->needed[i] < wanted ? p->needed[i] : wanted;
        bool is_asked = flm_column_is_name(kind) ? flm_column_is_name(p->table->columns[i].kind)
                                                 : p->table->columns[i].kind == kind;
        if (!is_asked || cells == 0 || cells >= goal)
            continue;
        size_t more = goal - cells < *spare ? goal - cells : *spare;
        p->placed[i].cells += more;
        *spare -= more;
    }
}

/* Gives the columns their least widths and distributes the rest of the window: first to names until
 * they are readable, then to paths and bars, then to the longest names. */
static void share_out(struct printing *p)
{
    const struct flm_table *t = p->table;
    size_t used = sum_of_least(p), width = p->style->width;
    size_t spare = width > used ? width - used : 0, lacking = used > width ? used - width : 0;
    for (size_t i = 0; i < t->column_count; i++) {
        p->needed[i] = t->columns[i].kind == FLM_COLUMN_BAR ? LARGEST_BAR : p->placed[i].cells;
        p->placed[i].cells = least_width(&t->columns[i], p->placed[i].cells);
        /* A window that is too narrow even for the least widths. */
        size_t less = p->placed[i].cells > 4 ? p->placed[i].cells - 4 : 0;
        if (flm_column_is_name(t->columns[i].kind) && lacking > 0) {
            less = less < lacking ? less : lacking;
            p->placed[i].cells -= less;
            lacking -= less;
        }
    }
    widen(p, FLM_COLUMN_NAME, READABLE_NAME, &spare);
    widen(p, FLM_COLUMN_PATH, SIZE_MAX, &spare);
    widen(p, FLM_COLUMN_BAR, SIZE_MAX, &spare);
    widen(p, FLM_COLUMN_NAME, SIZE_MAX, &spare);
}

static void lay_out(struct printing *p)
{
    const struct flm_table *t = p->table;
    bool bars = p->style->width > 0 && p->style->charset == FLM_CHARSET_UTF8;
    for (size_t i = 0; i < t->column_count; i++) {
        p->placed[i] = natural_width(p, i);
        if (t->columns[i].kind == FLM_COLUMN_BAR)
            p->placed[i].cells = bars ? SMALLEST_BAR : 0;
    }
    if (p->style->width == 0)
        return;
    size_t out;
    while (sum_of_least(p) > p->style->width && (out = least_important(p)) < t->column_count)
        p->placed[out].cells = 0;
    share_out(p);
}

/* Adds the lines of a tree; of a deep one the last, so that at least half of the room is for the
 * name. */
static void add_prefix(struct printing *p, struct flm_bytes prefix, size_t room)
{
    size_t cells = flm_cells(prefix).cells, most = room / 2 > 2 ? room / 2 - 2 : 0;
    if (cells > room / 2) {
        uint32_t code;
        while (cells > most) {
            size_t size = flm_utf8_sequence(prefix, &code);
            prefix.at += size;
            prefix.size -= size;
            cells--;
        }
        flm_text_puts(&p->piece, p->style->charset == FLM_CHARSET_UTF8 ? "\xE2\x80\xA6 " : "> ");
    }
    flm_text_add(&p->piece, prefix);
}

/* A name that would read like another one. */
static bool add_told_apart(struct printing *p, size_t column)
{
    const struct flm_table_names *names = &p->names[column];
    if (!names->row || names->row[p->row].size == 0)
        return false;
    flm_text_add(&p->piece, (struct flm_bytes){names->text.at + names->row[p->row].from,
                                               names->row[p->row].size});
    return true;
}

/* Fits the text of a cell to its column, in p->piece. */
static void fit(struct printing *p, size_t column, const struct flm_table_cell *cell)
{
    struct placed placed = p->placed[column];
    struct flm_bytes text = flm_table_cell_text(p->table, cell);
    size_t prefix_size = cell->prefix - cell->start;
    size_t room = p->style->width > 0 ? placed.cells : SIZE_MAX;
    p->piece.size = 0;
    if (prefix_size > 0) {
        add_prefix(p, shown(p, (struct flm_bytes){text.at, prefix_size}), room);
        size_t taken = flm_text_cells(&p->piece).cells;
        room = room == SIZE_MAX ? room : room > taken ? room - taken : 0;
        text = (struct flm_bytes){text.at + prefix_size, text.size - prefix_size};
    }
    text = shown(p, text);
    switch (p->table->columns[column].kind) {
    case FLM_COLUMN_BAR:
        flm_cells_add_bar(&p->piece, cell->share, (struct flm_width){placed.cells});
        break;
    case FLM_COLUMN_NUMBER: {
        size_t before = flm_cells((struct flm_bytes){text.at, number_size(text)}).cells;
        flm_cells_pad(&p->piece, (struct flm_width){before}, (struct flm_width){placed.number});
        flm_text_add(&p->piece, text);
        break;
    }
    case FLM_COLUMN_NAME:
        if (add_told_apart(p, column))
            break;
        flm_cells_add_name(&p->piece, text, (struct flm_width){room}, p->style->charset);
        break;
    case FLM_COLUMN_STACK:
        flm_cells_add_stack(&p->piece, text, (struct flm_width){room}, p->style->charset);
        break;
    case FLM_COLUMN_PATH:
        flm_cells_add_path(&p->piece, flm_path_end(text), (struct flm_width){room},
                           p->style->charset);
        break;
    case FLM_COLUMN_TEXT:
    case FLM_COLUMN_CODE:
        flm_text_add(&p->piece, text);
        break;
    }
}

/* Adds p->piece in its tone, at column `start` of a line that is at `at`; returns where it is. */
static size_t add_piece(struct printing *p, size_t at, size_t start, enum flm_table_tone tone)
{
    flm_cells_pad(p->out, (struct flm_width){at}, (struct flm_width){start});
    if (tone != FLM_TONE_PLAIN)
        flm_tone_add(p->out, tone, p->style);
    flm_text_add(p->out, (struct flm_bytes){p->piece.at, p->piece.size});
    if (tone != FLM_TONE_PLAIN)
        flm_tone_add(p->out, FLM_TONE_PLAIN, p->style);
    return (at > start ? at : start) + flm_text_cells(&p->piece).cells;
}

/* Adds a text that is too long for the last column in several lines, broken at blanks. */
static void add_wrapped(struct printing *p, size_t indent, size_t room)
{
    struct flm_bytes rest = {p->piece.at, p->piece.size};
    while (flm_cells(rest).cells > room) {
        size_t fits = flm_cells_head(rest, (struct flm_width){room}), size = fits;
        while (size > 0 && rest.at[size] != ' ')
            size--;
        size = size > 0 ? size : fits;
        flm_text_add(p->out, (struct flm_bytes){rest.at, size});
        flm_text_putc(p->out, '\n');
        flm_text_repeat(p->out, ' ', indent);
        while (size < rest.size && rest.at[size] == ' ')
            size++;
        rest = (struct flm_bytes){rest.at + size, rest.size - size};
    }
    flm_text_add(p->out, rest);
}

static void print_row(struct printing *p, const struct flm_table_cell *cells)
{
    enum { NARROWEST_WRAP = 20 };
    const struct flm_table *t = p->table;
    size_t at = 0, start = 0; /* end of the line so far, and start of the column */
    for (size_t i = 0; i < t->column_count; i++) {
        if (p->placed[i].cells == 0)
            continue;
        fit(p, i, &cells[i]);
        bool is_text =
            t->columns[i].kind == FLM_COLUMN_TEXT || t->columns[i].kind == FLM_COLUMN_CODE;
        bool wraps =
            i + 1 == t->column_count && is_text && p->style->width >= start + NARROWEST_WRAP;
        if (wraps) {
            flm_cells_pad(p->out, (struct flm_width){at}, (struct flm_width){start});
            add_wrapped(p, start, p->style->width - start);
        } else if (p->piece.size > 0) {
            at = add_piece(p, at, start, cells[i].tone);
        }
        start += p->placed[i].cells + GAP;
    }
    flm_text_putc(p->out, '\n');
}

static void print_titles(struct printing *p)
{
    const struct flm_table *t = p->table;
    size_t at = 0, start = 0;
    flm_tone_add(p->out, FLM_TONE_MUTED, p->style);
    for (size_t i = 0; i < t->column_count; i++) {
        if (p->placed[i].cells == 0)
            continue;
        struct flm_bytes title = fit_title(p, i, p->placed[i].cells);
        size_t cells = flm_cells(title).cells, room = p->placed[i].cells;
        bool is_right = t->columns[i].kind == FLM_COLUMN_NUMBER && room > cells;
        size_t left = start + (is_right ? room - cells : 0);
        if (title.size > 0) {
            flm_cells_pad(p->out, (struct flm_width){at}, (struct flm_width){left});
            flm_text_add(p->out, title);
            at = (at > left ? at : left) + cells;
        }
        start += p->placed[i].cells + GAP;
    }
    flm_tone_add(p->out, FLM_TONE_PLAIN, p->style);
    flm_text_putc(p->out, '\n');
}

static bool has_titles(const struct flm_table *t)
{
    for (size_t i = 0; i < t->column_count; i++)
        if (t->columns[i].title[0])
            return true;
    return false;
}

/* Lines of a tree take room from the names behind them: from each name its own. */
static bool has_prefixes(const struct flm_table *t, size_t column)
{
    for (size_t row = 0; row < flm_table_row_count(t); row++) {
        const struct flm_table_cell *cell = flm_table_cell_at(t, row, column);
        if (cell->prefix > cell->start)
            return true;
    }
    return false;
}

void flm_table_print(const struct flm_table *table, const struct flm_table_style *style,
                     struct flm_text *out)
{
    assert(style && table->column_count > 0);
    struct printing p = {.table = table, .style = style, .out = out};
    p.placed = calloc(table->column_count, sizeof *p.placed);
    p.needed = calloc(table->column_count, sizeof *p.needed);
    p.names = calloc(table->column_count, sizeof *p.names);
    if (!p.placed || !p.needed || !p.names || table->failed || table->text.failed) {
        out->failed = true;
        free(p.placed);
        free(p.needed);
        free(p.names);
        return;
    }
    lay_out(&p);
    for (size_t i = 0; i < table->column_count && style->width > 0; i++)
        if (table->columns[i].kind == FLM_COLUMN_NAME && !has_prefixes(table, i) &&
            !flm_table_names_init(&p.names[i], table, i, p.placed[i].cells, style->charset))
            out->failed = true;
    if (has_titles(table))
        print_titles(&p);
    for (; p.row < flm_table_row_count(table); p.row++)
        print_row(&p, flm_table_cell_at(table, p.row, 0));
    if (p.scratch.failed || p.piece.failed)
        out->failed = true;
    for (size_t i = 0; i < table->column_count; i++)
        flm_table_names_clear(&p.names[i]);
    free(p.names);
    flm_text_clear(&p.scratch);
    flm_text_clear(&p.piece);
    free(p.placed);
    free(p.needed);
}
