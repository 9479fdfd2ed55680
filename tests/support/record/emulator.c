#include "support/record/emulator.h"

#include <stdlib.h>

#include "base/text/utf.h"
#include "draw/text/cells.h"
#include "draw/text/visible.h"

static const struct emulator_style plain = {EMULATOR_DEFAULT, EMULATOR_DEFAULT, 0};

void emulator_init(struct emulator *emulator, int columns, int rows)
{
    *emulator = (struct emulator){.cursor_is_shown = true, .wraps = true, .style = plain};
    emulator_resize(emulator, columns, rows);
}

void emulator_clear(struct emulator *emulator)
{
    free(emulator->cells);
    flm_text_clear(&emulator->pending);
    flm_text_clear(&emulator->answers);
    flm_text_clear(&emulator->line);
    flm_text_clear(&emulator->clipboard);
}

static void erase(struct emulator *e)
{
    for (int i = 0; i < e->columns * e->rows; i++)
        e->cells[i] = (struct emulator_cell){.character = ' ', .style = plain};
}

void emulator_resize(struct emulator *emulator, int columns, int rows)
{
    free(emulator->cells);
    emulator->columns = columns;
    emulator->rows = rows;
    emulator->x = emulator->y = 0;
    emulator->cells = malloc((size_t)(columns * rows) * sizeof *emulator->cells);
    if (!emulator->cells)
        abort();
    erase(emulator);
}

const struct emulator_cell *emulator_at(const struct emulator *emulator, int column, int row)
{
    return &emulator->cells[row * emulator->columns + column];
}

/* ---- Sequences ------------------------------------------------------------------------------- */

enum { MOST_NUMBERS = 32 };

static void set_mode(struct emulator *e, unsigned mode, bool on)
{
    static const unsigned mouse[] = {1000, 1002, 1003, 1006};
    for (unsigned i = 0; i < 4; i++)
        if (mouse[i] == mode) {
            e->mouse = on ? e->mouse | 1u << i : e->mouse & ~(1u << i);
            return;
        }
    switch (mode) {
    case 7:
        e->wraps = on;
        break;
    case 25:
        e->cursor_is_shown = on;
        break;
    case 1004:
        e->reports_focus = on;
        break;
    case 2004:
        e->marks_pastes = on;
        break;
    case 2026:
        break;
    case 1049:
        if (e->is_alternate == on)
            break;
        erase(e);
        if (on) {
            e->saved_x = e->x;
            e->saved_y = e->y;
        } else {
            e->x = e->saved_x < e->columns ? e->saved_x : e->columns - 1;
            e->y = e->saved_y < e->rows ? e->saved_y : e->rows - 1;
        }
        e->is_alternate = on;
        break;
    default:
        e->unknown++;
    }
}

static uint32_t extended_color(const unsigned *number, size_t count, size_t *at)
{
    if (*at + 2 < count && number[*at + 1] == 5) {
        *at += 2;
        return EMULATOR_INDEXED | number[*at];
    }
    if (*at + 4 < count && number[*at + 1] == 2) {
        *at += 4;
        return number[*at - 2] << 16 | number[*at - 1] << 8 | number[*at];
    }
    return EMULATOR_DEFAULT;
}

static void set_style(struct emulator *e, const unsigned *number, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned n = number[i];
        struct emulator_style *s = &e->style;
        if (n == 0)
            *s = plain;
        else if (n == 1)
            s->attributes |= EMULATOR_BOLD;
        else if (n == 2)
            s->attributes |= EMULATOR_FAINT;
        else if (n == 4)
            s->attributes |= EMULATOR_UNDERLINED;
        else if (n == 7)
            s->attributes |= EMULATOR_INVERSE;
        else if (n >= 30 && n < 38)
            s->ink = EMULATOR_INDEXED | (n - 30);
        else if (n >= 90 && n < 98)
            s->ink = EMULATOR_INDEXED | (n - 90 + 8);
        else if (n >= 40 && n < 48)
            s->fill = EMULATOR_INDEXED | (n - 40);
        else if (n >= 100 && n < 108)
            s->fill = EMULATOR_INDEXED | (n - 100 + 8);
        else if (n == 38)
            s->ink = extended_color(number, count, &i);
        else if (n == 48)
            s->fill = extended_color(number, count, &i);
        else
            e->unknown++;
    }
}

static void run_sequence(struct emulator *e, bool is_private, const unsigned *number, size_t count,
                         char last)
{
    if (is_private && (last == 'h' || last == 'l')) {
        for (size_t i = 0; i < count; i++)
            set_mode(e, number[i], last == 'h');
    } else if (!is_private && last == 'H') {
        int row = number[0] > 0 ? (int)number[0] - 1 : 0;
        int column = count > 1 && number[1] > 0 ? (int)number[1] - 1 : 0;
        e->y = row < e->rows ? row : e->rows - 1;
        e->x = column < e->columns ? column : e->columns - 1;
    } else if (!is_private && last == 'm') {
        set_style(e, number, count);
    } else if (!is_private && last == 'J' && number[0] == 2) {
        erase(e);
    } else if (!is_private && last == 'c') {
        flm_text_puts(&e->answers, "\033[?62;22c");
    } else {
        e->unknown++;
    }
}

/* ESC [ ... letter; 0: not complete. */
static size_t read_sequence(struct emulator *e, struct flm_bytes in)
{
    unsigned number[MOST_NUMBERS] = {0};
    size_t count = 0, at = 2;
    bool is_private = at < in.size && in.at[at] == '?';
    at += is_private;
    for (; at < in.size; at++) {
        char c = in.at[at];
        if (c >= '0' && c <= '9') {
            number[count] = number[count] * 10 + (unsigned)(c - '0');
        } else if (c == ';' && count + 1 < MOST_NUMBERS) {
            count++;
        } else {
            run_sequence(e, is_private, number, count + 1, c);
            return at + 1;
        }
    }
    return 0;
}

/* ESC ] ... BEL or ESC \ */
static size_t read_command(struct emulator *e, struct flm_bytes in)
{
    for (size_t at = 2; at < in.size; at++) {
        bool is_end = in.at[at] == 033 && at + 1 < in.size && in.at[at + 1] == '\\';
        if (in.at[at] != '\a' && !is_end)
            continue;
        struct flm_bytes what = {in.at + 2, at - 2};
        if (flm_bytes_start_with(what, "52;c;")) {
            e->clipboard.size = 0;
            flm_text_add(&e->clipboard, (struct flm_bytes){what.at + 5, what.size - 5});
        } else if (!flm_bytes_are(what, "11;?"))
            e->unknown++;
        else if (!e->is_silent)
            flm_text_puts(&e->answers, e->is_light ? "\033]11;rgb:fbfb/fbfb/fafa\033\\"
                                                   : "\033]11;rgb:1616/1717/1a1a\033\\");
        return at + (is_end ? 2 : 1);
    }
    return 0;
}

/* ---- Characters ------------------------------------------------------------------------------ */

static void put_character(struct emulator *e, uint32_t code)
{
    int width = flm_character_cells(code);
    if (width == 0) {
        if (e->x > 0) {
            struct emulator_cell *before = &e->cells[e->y * e->columns + e->x - 1];
            before -= before->character == 0 && e->x > 1;
            before->mark = code;
        }
        return;
    }
    if (e->x + width > e->columns) {
        if (e->wraps)
            e->unknown++; /* who draws on a screen has no use for it */
        e->x = e->columns - width;
    }
    struct emulator_cell *cell = &e->cells[e->y * e->columns + e->x];
    if (cell->character == 0 && e->x > 0)
        cell[-1].character = ' ';
    if (e->x + width < e->columns && cell[width].character == 0)
        cell[width].character = ' ';
    *cell = (struct emulator_cell){.character = code, .style = e->style};
    if (width == 2)
        cell[1] = (struct emulator_cell){.style = e->style};
    e->x += width;
}

static size_t read_one(struct emulator *e, struct flm_bytes in)
{
    unsigned char c = (unsigned char)in.at[0];
    uint32_t code;
    if (c == 033) {
        if (in.size < 2)
            return 0;
        if (in.at[1] == '[')
            return read_sequence(e, in);
        if (in.at[1] == ']')
            return read_command(e, in);
        e->unknown++;
        return 2;
    }
    if (c == '\r' || c == '\n') {
        e->x = c == '\r' ? 0 : e->x;
        e->y += c == '\n' && e->y + 1 < e->rows;
        return 1;
    }
    if (c < 0x20) {
        e->unknown++;
        return 1;
    }
    size_t wanted = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    if (in.size < wanted)
        return 0;
    size_t size = flm_utf8_sequence(in, &code);
    put_character(e, size ? code : 0xFFFD);
    return size ? size : 1;
}

void emulator_feed(struct emulator *emulator, struct flm_bytes bytes)
{
    struct flm_text *pending = &emulator->pending;
    flm_text_add(pending, bytes);
    size_t at = 0, size;
    while (at < pending->size &&
           (size = read_one(emulator, (struct flm_bytes){pending->at + at, pending->size - at})) >
               0)
        at += size;
    if (at > 0)
        memmove(pending->at, pending->at + at, pending->size - at);
    pending->size -= at;
}

/* ---- What a person sees ---------------------------------------------------------------------- */

static void add_character(struct flm_text *out, uint32_t code)
{
    char bytes[4];
    flm_text_add(out, (struct flm_bytes){bytes, flm_utf8_put(code, bytes)});
}

const char *emulator_line(struct emulator *emulator, int row)
{
    struct flm_text *line = &emulator->line;
    line->size = 0;
    for (int x = 0; x < emulator->columns; x++) {
        const struct emulator_cell *cell = emulator_at(emulator, x, row);
        if (cell->character)
            add_character(line, cell->character);
        if (cell->mark)
            add_character(line, cell->mark);
    }
    while (line->size > 0 && line->at[line->size - 1] == ' ')
        line->size--;
    flm_text_putc(line, 0);
    return line->at;
}

int emulator_find(struct emulator *emulator, const char *text, int from)
{
    for (int row = from; row < emulator->rows; row++)
        if (strstr(emulator_line(emulator, row), text))
            return row;
    return -1;
}

int emulator_column(const struct emulator *emulator, int row, const char *text)
{
    for (int start = 0; start < emulator->columns; start++) {
        size_t at = 0, size = strlen(text);
        for (int x = start; x < emulator->columns && at < size; x++) {
            const struct emulator_cell *cell = emulator_at(emulator, x, row);
            char bytes[4];
            size_t length = cell->character ? flm_utf8_put(cell->character, bytes) : 0;
            if (at + length > size || memcmp(text + at, bytes, length) != 0)
                break;
            at += length;
        }
        if (at == size)
            return start;
    }
    return -1;
}

/* As xterm has them. */
static uint32_t rgb_of(uint32_t color, uint32_t fallback)
{
    static const uint32_t first[] = {0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD,
                                     0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00,
                                     0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF};
    static const uint32_t steps[] = {0, 95, 135, 175, 215, 255};
    if (color == EMULATOR_DEFAULT)
        return fallback;
    if (!(color & EMULATOR_INDEXED))
        return color;
    uint32_t i = color & 0xFF;
    if (i < 16)
        return first[i];
    if (i >= 232)
        return (8 + 10 * (i - 232)) * 0x10101u;
    i -= 16;
    return steps[i / 36] << 16 | steps[i / 6 % 6] << 8 | steps[i % 6];
}

static void add_color(struct flm_text *out, const char *what, uint32_t rgb)
{
    flm_text_format(out, "%s:#", what);
    for (int shift = 20; shift >= 0; shift -= 4)
        flm_text_putc(out, "0123456789abcdef"[rgb >> shift & 15]);
    flm_text_putc(out, ';');
}

void emulator_html(const struct emulator *emulator, struct flm_text *out)
{
    uint32_t page = emulator->is_light ? 0xFBFBFA : 0x16171A;
    uint32_t text = emulator->is_light ? 0x1C1D1F : 0xECECEE;
    flm_text_puts(out, "<!doctype html><meta charset=utf-8><style>pre{margin:0;"
                       "font:15px/18px 'DejaVu Sans Mono',monospace}b{font-weight:inherit;"
                       "display:inline-block;height:18px;overflow:hidden;vertical-align:top}"
                       "body{margin:0;");
    add_color(out, "background", page);
    flm_text_puts(out, "}</style><pre>");
    for (int row = 0; row < emulator->rows; row++) {
        for (int x = 0; x < emulator->columns; x++) {
            const struct emulator_cell *cell = emulator_at(emulator, x, row);
            if (!cell->character)
                continue;
            uint32_t ink = rgb_of(cell->style.ink, text), fill = rgb_of(cell->style.fill, page);
            bool is_inverse = cell->style.attributes & EMULATOR_INVERSE;
            bool has_cursor = emulator->cursor_is_shown && emulator->x == x && emulator->y == row;
            if (is_inverse != has_cursor) {
                uint32_t other = ink;
                ink = fill;
                fill = other;
            }
            flm_text_format(out, "<b style='width:%dpx;", 9 * flm_character_cells(cell->character));
            add_color(out, "color", ink);
            add_color(out, "background", fill);
            if (cell->style.attributes & EMULATOR_BOLD)
                flm_text_puts(out, "font-weight:bold;");
            if (cell->style.attributes & EMULATOR_FAINT)
                flm_text_puts(out, "opacity:.6;");
            if (cell->style.attributes & EMULATOR_UNDERLINED)
                flm_text_puts(out, "text-decoration:underline;");
            flm_text_puts(out, "'>");
            struct flm_text one = {0};
            add_character(&one, cell->character);
            if (cell->mark)
                add_character(&one, cell->mark);
            flm_xml_add(out, (struct flm_bytes){one.at, one.size});
            flm_text_clear(&one);
            flm_text_puts(out, "</b>");
        }
        flm_text_putc(out, '\n');
    }
    flm_text_puts(out, "</pre>\n");
}
