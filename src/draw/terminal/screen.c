#include "draw/terminal/screen.h"

#include <assert.h>
#include <stdlib.h>

#include "base/text/utf.h"

enum { MOST_CELLS = 1 << 22 }; /* a window of 2048 x 2048 */

static const struct flm_style plain_style = {FLM_COLOR_DEFAULT, FLM_COLOR_DEFAULT, 0};

bool flm_screen_resize(struct flm_screen *screen, int columns, int rows, struct flm_error *why)
{
    assert(columns > 0 && rows > 0);
    if (columns > MOST_CELLS / rows)
        return flm_error_set(why, FLM_ERROR_RANGE, "the window has more than %d cells", MOST_CELLS);
    size_t count = (size_t)columns * (size_t)rows;
    struct flm_cell *cells = malloc(2 * count * sizeof *cells);
    if (!cells)
        return flm_error_memory(why);
    free(screen->cells);
    screen->cells = cells;
    screen->shown = cells + count;
    screen->columns = columns;
    screen->rows = rows;
    screen->cursor_row = -1;
    flm_screen_fill(screen, 0, 0, columns, rows, plain_style);
    flm_screen_forget(screen);
    return true;
}

void flm_screen_clear(struct flm_screen *screen)
{
    free(screen->cells);
    *screen = (struct flm_screen){.charset = screen->charset, .depth = screen->depth};
}

void flm_screen_forget(struct flm_screen *screen)
{
    screen->is_known = false;
}

static struct flm_cell *cell_at(struct flm_screen *screen, int column, int row)
{
    return screen->cells + (size_t)row * (size_t)screen->columns + (size_t)column;
}

static bool is_inside(const struct flm_screen *screen, int column, int row)
{
    return column >= 0 && column < screen->columns && row >= 0 && row < screen->rows;
}

/* Half of a wide character cannot stay when the other half is overwritten. */
static void break_wide(struct flm_screen *screen, int column, int row)
{
    struct flm_cell *cell = cell_at(screen, column, row);
    if (cell->character == 0 && column > 0)
        cell[-1].character = ' ';
    if (column + 1 < screen->columns && cell[1].character == 0)
        cell[1].character = ' ';
}

void flm_screen_fill(struct flm_screen *screen, int column, int row, int columns, int rows,
                     struct flm_style style)
{
    for (int y = row; y < row + rows; y++)
        for (int x = column; x < column + columns; x++)
            flm_screen_put(screen, x, y, ' ', style);
}

void flm_screen_put(struct flm_screen *screen, int column, int row, uint32_t character,
                    struct flm_style style)
{
    if (!is_inside(screen, column, row))
        return;
    break_wide(screen, column, row);
    *cell_at(screen, column, row) = (struct flm_cell){.character = character, .style = style};
}

int flm_screen_text(struct flm_screen *screen, int column, int row, int room, struct flm_bytes text,
                    struct flm_style style)
{
    struct flm_text scratch = {0};
    struct flm_bytes showable = flm_showable(text, screen->charset, &scratch);
    int taken = 0;
    for (size_t at = 0; at < showable.size;) {
        uint32_t code;
        size_t size =
            flm_utf8_sequence((struct flm_bytes){showable.at + at, showable.size - at}, &code);
        if (size == 0) {
            code = 0xFFFD;
            size = 1;
        }
        at += size;
        int cells = flm_character_cells(code), x = column + taken;
        if (cells == 0) {
            if (taken > 0 && is_inside(screen, x - 1, row)) {
                struct flm_cell *before = cell_at(screen, x - 1, row);
                before -= before->character == 0 && x > 1;
                before->mark = code;
            }
            continue;
        }
        if (taken + cells > room)
            break;
        flm_screen_put(screen, x, row, code, style);
        if (cells == 2 && is_inside(screen, x + 1, row)) {
            flm_screen_put(screen, x + 1, row, ' ', style);
            if (is_inside(screen, x, row))
                cell_at(screen, x + 1, row)->character = 0;
        } else if (cells == 2 && is_inside(screen, x, row)) {
            cell_at(screen, x, row)->character = ' '; /* only half of it is in the screen */
        }
        taken += cells;
    }
    flm_text_clear(&scratch);
    return taken;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static bool is_same_style(const struct flm_style *a, const struct flm_style *b)
{
    return a->ink == b->ink && a->fill == b->fill && a->attributes == b->attributes;
}

/* As the terminal will show it: two colors may be the same there. */
static struct flm_style at_depth(const struct flm_style *style, enum flm_color_depth depth)
{
    struct flm_style s = *style;
    if (depth == FLM_DEPTH_NONE)
        s.ink = s.fill = FLM_COLOR_DEFAULT;
    s.ink = flm_color_at(s.ink, depth);
    s.fill = flm_color_at(s.fill, depth);
    return s;
}

static void add_color(struct flm_text *out, uint32_t color, enum flm_color_depth depth, bool fill)
{
    if (color == FLM_COLOR_DEFAULT || depth == FLM_DEPTH_NONE)
        return;
    unsigned base = fill ? 40 : 30;
    if (depth == FLM_DEPTH_16)
        flm_text_format(out, ";%u", color < 8 ? base + color : base + 60 + color - 8);
    else if (depth == FLM_DEPTH_256)
        flm_text_format(out, ";%u;5;%u", base + 8, color);
    else
        flm_text_format(out, ";%u;2;%u;%u;%u", base + 8, color >> 16 & 0xFF, color >> 8 & 0xFF,
                        color & 0xFF);
}

/* Always starts from the plain style, "0": at most 2 bytes more than the smallest difference, and
 * terminals do not agree on the code that ends bold. */
static void add_style(struct flm_text *out, const struct flm_style *style,
                      enum flm_color_depth depth)
{
    static const struct {
        uint32_t attribute;
        const char *code;
    } codes[] = {{FLM_CELL_BOLD, ";1"},
                 {FLM_CELL_FAINT, ";2"},
                 {FLM_CELL_UNDERLINED, ";4"},
                 {FLM_CELL_INVERSE, ";7"}};
    flm_text_puts(out, "\033[0");
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (style->attributes & codes[i].attribute)
            flm_text_puts(out, codes[i].code);
    add_color(out, style->ink, depth, false);
    add_color(out, style->fill, depth, true);
    flm_text_putc(out, 'm');
}

static void add_character(struct flm_text *out, uint32_t code)
{
    char bytes[4];
    size_t size = flm_utf8_put(code, bytes);
    flm_text_add(out, (struct flm_bytes){bytes, size});
}

static bool is_shown(const struct flm_screen *screen, size_t index)
{
    const struct flm_cell *cell = screen->cells + index, *shown = screen->shown + index;
    return screen->is_known && cell->character == shown->character && cell->mark == shown->mark &&
           is_same_style(&cell->style, &shown->style);
}

/* The terminal's position and style. */
struct pen {
    int column, row;
    bool has_style;
    struct flm_style style;
};

static void write_cell(struct flm_screen *screen, struct pen *pen, int column, int row,
                       struct flm_text *out)
{
    const struct flm_cell *cell = cell_at(screen, column, row);
    if (pen->row != row || pen->column != column)
        flm_text_format(out, "\033[%d;%dH", row + 1, column + 1);
    struct flm_style style = at_depth(&cell->style, screen->depth);
    if (!pen->has_style || !is_same_style(&pen->style, &style))
        add_style(out, &style, screen->depth);
    pen->has_style = true;
    pen->style = style;
    add_character(out, cell->character);
    if (cell->mark)
        add_character(out, cell->mark);
    pen->row = row;
    pen->column = column + flm_character_cells(cell->character);
    /* After the last column terminals disagree on the position of the next character. And not all
     * agree on the width of characters beyond ASCII: the next jump corrects that. */
    if (pen->column >= screen->columns || cell->mark || flm_character_cells(cell->character) == 2)
        pen->row = -1;
}

void flm_screen_update(struct flm_screen *screen, struct flm_text *out)
{
    assert(screen->cells || screen->columns == 0);
    struct pen pen = {.row = -1};
    size_t before = out->size;
    bool was_known = screen->is_known;
    for (int row = 0; row < screen->rows; row++)
        for (int column = 0; column < screen->columns; column++) {
            size_t index = (size_t)row * (size_t)screen->columns + (size_t)column;
            if (screen->cells[index].character == 0) /* was written with its first half */
                continue;
            bool is_wide = column + 1 < screen->columns && screen->cells[index + 1].character == 0;
            if (!is_shown(screen, index) || (is_wide && !is_shown(screen, index + 1)))
                write_cell(screen, &pen, column, row, out);
        }
    if (pen.has_style)
        flm_text_puts(out, "\033[0m");
    bool wrote = out->size != before;
    if (screen->cursor_row >= 0 &&
        (wrote || !was_known || screen->shown_row != screen->cursor_row ||
         screen->shown_column != screen->cursor_column))
        flm_text_format(out, "\033[%d;%dH\033[?25h", screen->cursor_row + 1,
                        screen->cursor_column + 1);
    else if (screen->cursor_row < 0 && (!was_known || screen->shown_row >= 0))
        flm_text_puts(out, "\033[?25l");
    if (out->failed)
        return; /* nothing is sent, so the terminal still shows the old cells */
    size_t count = (size_t)screen->columns * (size_t)screen->rows;
    if (count > 0)
        memcpy(screen->shown, screen->cells, count * sizeof *screen->cells);
    screen->shown_column = screen->cursor_column;
    screen->shown_row = screen->cursor_row;
    screen->is_known = true;
}
