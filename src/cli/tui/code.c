/* code.c - the view of code: source, and machine code beside it where the window is wide, else in
 * its place. Rows are those of the query "code-rows"; what text is missing is looked for once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/core/hash.h"
#include "base/number/number.h"
#include "cli/tui/internal.h"

enum { HEADS = 2, SELF = 8, TOTAL = 9, CHANGE = 11, NUMBER = 7, ADDRESS = 10, LANES = 6 };
enum { LEAST_FOR_BOTH = 120, TAB_CELLS = 8, SYNTAX_KINDS = 7 };

static const char *const sides[] = {"source", "assembly"};

bool flm_tui_has_code(const struct flm_tui *tui)
{
    const struct flm_response_tools *tools = tui->tools.tools;
    return tools && flm_bytes_are(tools->view, "code");
}

/* ---- Text that is missing -------------------------------------------------------------------- */

static uint64_t hash_wanted(const struct flm_response_code_wanted *wanted)
{
    uint64_t hash = flm_hash(wanted->function.at, wanted->function.size) + wanted->assembly;
    hash = hash * 31 + (uint64_t)wanted->store;
    hash = hash * 31 + flm_hash(wanted->module.at, wanted->module.size);
    for (size_t i = 0; i < wanted->files.count; i++)
        hash = hash * 31 + flm_hash(wanted->files.at[i].at, wanted->files.at[i].size);
    return hash;
}

/* What was not found is not looked for again. */
static void find_wanted(struct flm_tui *tui)
{
    struct flm_response response = {0};
    struct flm_text bytes = {0};
    struct flm_error why = {0};
    for (int round = 0; tui->code_source && round < 2; round++) {
        flm_viewer_query(tui->viewer, flm_bytes_of("code-wanted"), &response, NULL);
        const struct flm_response_code_wanted *wanted = response.code_wanted;
        uint64_t hash = wanted ? hash_wanted(wanted) : tui->code.wanted;
        if (hash == tui->code.wanted)
            break;
        tui->code.wanted = hash;
        bytes.size = 0;
        if (!tui->code_source->find(tui->code_source->context, wanted, &bytes, &why) ||
            !flm_viewer_take_code(tui->viewer, (struct flm_bytes){bytes.at, bytes.size}, &why))
            flm_tui_notify(tui, true, "%s", why.text);
    }
    flm_text_clear(&bytes);
    flm_response_clear(&response);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static uint32_t rows_seen(const struct flm_tui *tui)
{
    return tui->rows.rows > HEADS ? (uint32_t)(tui->rows.rows - HEADS) : 1;
}

static bool load_rows(struct flm_tui *tui, int side)
{
    char query[64];
    struct flm_text text;
    flm_text_init_fixed(&text, query, sizeof query - 1);
    flm_text_format(&text, "code-rows %s %u %u", sides[side], tui->code.first[side],
                    rows_seen(tui));
    return flm_viewer_query(tui->viewer, (struct flm_bytes){text.at, text.size},
                            &tui->code.rows[side], NULL) &&
           tui->code.rows[side].code_rows;
}

static double count_of(const struct flm_response_code *code, int side)
{
    return side ? code->assembly_count : code->source_count;
}

static void clamp(struct flm_tui *tui, const struct flm_response_code *code, int side)
{
    double last = count_of(code, side) > 0 ? count_of(code, side) - 1 : 0;
    uint32_t seen = rows_seen(tui), *first = &tui->code.first[side];
    uint32_t *current = &tui->code.current[side];
    if (*current > last)
        *current = (uint32_t)last;
    if (*current < *first)
        *first = *current;
    if (*current >= *first + seen)
        *first = *current - seen + 1;
}

/* Another function or another selected line: there. */
static void follow(struct flm_tui *tui, const struct flm_response_code *code)
{
    uint64_t shown =
        flm_hash(code->title.at, code->title.size) * 31 + flm_hash(code->path.at, code->path.size);
    if (code->selected)
        shown = shown * 31 + (uint64_t)code->source_row * 7 + (uint64_t)code->assembly_row;
    if (shown == tui->code.shown)
        return;
    tui->code.shown = shown;
    for (int side = 0; side < 2; side++) {
        double row = side ? code->assembly_row : code->source_row;
        uint32_t third = rows_seen(tui) / 3;
        tui->code.current[side] = (uint32_t)row;
        tui->code.first[side] = row > third ? (uint32_t)row - third : 0;
    }
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static uint32_t mix(uint32_t page, uint32_t ink, double part)
{
    uint32_t mixed = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        double from = page >> shift & 255, to = ink >> shift & 255;
        mixed |= (uint32_t)(from + (to - from) * part + 0.5) << shift;
    }
    return mixed;
}

/* The number on its heat. Without colors hot ones are bold. */
static struct flm_style heat_style(const struct flm_tui *tui, double heat, struct flm_style style)
{
    enum { HOT_LIGHT = 0xD9480F, HOT_DARK = 0xF4733D };
    if (heat <= 0)
        return style;
    if (tui->screen.depth == FLM_DEPTH_NONE)
        style.attributes |= heat > 0.3 ? FLM_CELL_BOLD : 0;
    else
        style.fill = mix(style.fill, tui->theme.dark ? HOT_DARK : HOT_LIGHT, 0.08 + 0.6 * heat);
    return style;
}

static void put_right(struct flm_tui *tui, int left, int width, int y, struct flm_bytes text,
                      struct flm_style style)
{
    int cells = (int)flm_cells(text).cells;
    if (cells > width)
        cells = width;
    flm_screen_text(&tui->screen, left + width - cells, y, cells, text, style);
}

static uint32_t ink_of(const struct flm_tui *tui, unsigned char kind, uint32_t plain)
{
    static const uint32_t inks[SYNTAX_KINDS][2] = {
        {0, 0},
        {0x7C2FAE, 0xCF9BF0},
        {0x0B6A78, 0x6FC7D4},
        {0x226B2B, 0x8FD08F},
        {0x1D55B8, 0x8FB8FF},
        {0x6A6D72, 0x8F959D},
        {0x8A4B08, 0xDCA868},
    };
    return kind == 0 || tui->screen.depth == FLM_DEPTH_NONE ? plain : inks[kind][tui->theme.dark];
}

/* A tab goes to the next column that is a multiple of 8, of the text. */
static int put_piece(struct flm_tui *tui, int left, int column, int end, int y,
                     struct flm_bytes text, struct flm_style style)
{
    size_t from = 0;
    for (size_t i = 0; i <= text.size && column < end; i++) {
        if (i < text.size && text.at[i] != '\t')
            continue;
        column += flm_screen_text(&tui->screen, column, y, end - column,
                                  (struct flm_bytes){text.at + from, i - from}, style);
        if (i < text.size)
            column = left + (column - left) / TAB_CELLS * TAB_CELLS + TAB_CELLS;
        from = i + 1;
    }
    return column;
}

/* Digits of lanes as lines: the last cell is the one next to the code. */
static void put_lanes(struct flm_tui *tui, int left, int y, struct flm_bytes lanes,
                      struct flm_style style)
{
    static const uint32_t lines[2][8] = {
        {' ', 0x2502, 0x2502, 0x2502, 0x2500, 0x2514, 0x250C, 0x251C},
        {' ', '|', '|', '|', '-', '+', '+', '+'},
    };
    bool is_ascii = tui->screen.charset != FLM_CHARSET_UTF8, crosses = false, arrives = false;
    for (int lane = LANES; lane-- > 0;) { /* from the outermost */
        int bits = (size_t)lane < lanes.size ? flm_hex_value(lanes.at[lane]) : 0;
        bool is_end = bits & 12;
        uint32_t shape = lines[is_ascii][(bits & 3) | (is_end ? 4 : 0)];
        if (crosses && !is_end)
            shape = bits & 3 ? (is_ascii ? '+' : 0x253C) : lines[is_ascii][4];
        flm_screen_put(&tui->screen, left + LANES - 1 - lane, y, shape, style);
        crosses |= is_end;
        arrives |= (bits & 8) != 0;
    }
    if (arrives)
        flm_screen_put(&tui->screen, left + LANES, y, is_ascii ? '>' : 0x25B8, style);
    else if (crosses)
        flm_screen_put(&tui->screen, left + LANES, y, lines[is_ascii][4], style);
}

static int left_of_text(const struct flm_response_code *code, int side)
{
    int costs = code->compared ? SELF + 2 + 2 * CHANGE : SELF + (side ? 0 : TOTAL);
    return 1 + costs + (side ? LANES + 1 + ADDRESS : NUMBER) + 2;
}

static void draw_row(struct flm_tui *tui, const struct flm_response_code *code, int side,
                     const struct flm_response_code_row *row, int left, int end, int y,
                     bool is_current)
{
    bool is_utf8 = tui->screen.charset == FLM_CHARSET_UTF8;
    bool has_keys = tui->code.side == side;
    bool is_muted = flm_bytes_are(row->kind, "fold") || flm_bytes_are(row->kind, "inlined") ||
                    flm_bytes_are(row->kind, "source") || flm_bytes_are(row->kind, "unknown");
    struct flm_style style = flm_tui_style(tui, is_current && has_keys  ? FLM_TUI_ROW_ON
                                                : row->on || is_current ? FLM_TUI_CHIP
                                                                        : FLM_TUI_TEXT);
    struct flm_style muted = is_current && has_keys ? style : flm_tui_style(tui, FLM_TUI_MUTED);
    muted.fill = style.fill;
    flm_screen_fill(&tui->screen, left, y, end - left, 1, style);
    int column = left + 1, self = SELF + (code->compared ? 2 : 0);
    struct flm_style hot = heat_style(tui, is_current && has_keys ? 0 : row->heat, style);
    if (row->heat > 0)
        flm_screen_fill(&tui->screen, column, y, self, 1, hot);
    put_right(tui, column, self, y, row->self, hot);
    column += self;
    if (code->compared) {
        put_right(tui, column, CHANGE, y, row->before, muted);
        put_right(tui, column + CHANGE, CHANGE, y, row->change, style);
        column += 2 * CHANGE;
    } else if (side == 0) {
        put_right(tui, column, TOTAL, y, row->total, muted);
        column += TOTAL;
    }
    if (side == 1) {
        struct flm_style accent = flm_tui_style(tui, FLM_TUI_ACCENT);
        accent.fill = style.fill;
        accent.attributes = style.attributes;
        put_lanes(tui, column, y, row->lanes, is_current && has_keys ? style : accent);
        column += LANES + 1;
    }
    put_right(tui, column, side ? ADDRESS : NUMBER, y, row->number, muted);
    column = left + left_of_text(code, side) + 2 * (int)row->depth;
    int text = column;
    if (row->open != FLM_TRISTATE_NONE) {
        bool is_open = row->open == FLM_TRISTATE_TRUE;
        const char *twig = is_open   ? (is_utf8 ? "\xE2\x96\xBE " : "- ")
                           : is_utf8 ? "\xE2\x96\xB8 "
                                     : "+ ";
        column += flm_screen_text(&tui->screen, column, y, end - column, flm_bytes_of(twig), muted);
        text = column;
    }
    for (size_t i = 0; i < row->pieces.count && column < end; i++) {
        const struct flm_response_code_piece *piece = &row->pieces.at[i];
        struct flm_style ink = is_muted ? muted : style;
        if (!is_muted && !(is_current && has_keys))
            ink.ink = ink_of(tui, piece->color, ink.ink);
        if (row->match)
            ink.attributes |= FLM_CELL_BOLD;
        column = put_piece(tui, text, column, end, y, piece->text, ink);
    }
}

static void draw_heads(struct flm_tui *tui, const struct flm_response_code *code, int side,
                       int left, int end, int y)
{
    struct flm_style muted = flm_tui_style(tui, FLM_TUI_MUTED);
    int column = left + 1, self = SELF + (code->compared ? 2 : 0);
    put_right(tui, column, self, y, flm_bytes_of("self"), muted);
    column += self;
    if (code->compared) {
        put_right(tui, column, CHANGE, y, flm_bytes_of("before"), muted);
        put_right(tui, column + CHANGE, CHANGE, y, flm_bytes_of("change"), muted);
        column += 2 * CHANGE;
    } else if (side == 0) {
        put_right(tui, column, TOTAL, y, flm_bytes_of("total"), muted);
        column += TOTAL;
    }
    column += side ? LANES + 1 : 0;
    put_right(tui, column, side ? ADDRESS : NUMBER, y, flm_bytes_of(side ? "address" : "line"),
              muted);
    column = left + left_of_text(code, side);
    struct flm_bytes what = side ? code->machine : code->place;
    struct flm_bytes status = side ? code->assembly_status : code->status;
    column = flm_tui_put(tui, column, y, end, what, FLM_TUI_STRONG) + 2;
    flm_tui_put(tui, column, y, end, status,
                !side && code->doubtful ? FLM_TUI_WRONG : FLM_TUI_MUTED);
}

static void draw_title(struct flm_tui *tui, const struct flm_response_code *code)
{
    int y = tui->rows.top, end = tui->rows.left + tui->rows.columns;
    int column = flm_tui_put(tui, tui->rows.left + 1, y, end, code->title, FLM_TUI_STRONG);
    const struct flm_bytes parts[] = {code->module, code->self, code->self_share, code->lines_sum,
                                      code->event};
    static const char *const before[] = {"  ", "  self ", ", ", "  ", "  "};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].size > 0) {
            column = flm_tui_puts(tui, column, y, end, before[i], FLM_TUI_MUTED);
            column = flm_tui_put(tui, column, y, end, parts[i], FLM_TUI_MUTED);
        }
}

static void draw_side(struct flm_tui *tui, const struct flm_response_code *code, int side, int left,
                      int end)
{
    draw_heads(tui, code, side, left, end, tui->rows.top + 1);
    clamp(tui, code, side);
    if (!load_rows(tui, side))
        return;
    const struct flm_response_code_rows *rows = tui->code.rows[side].code_rows;
    for (size_t i = 0; i < rows->rows.count; i++) {
        int y = tui->rows.top + HEADS + (int)i;
        if (y >= tui->rows.top + tui->rows.rows)
            break;
        draw_row(tui, code, side, &rows->rows.at[i], left, end, y,
                 tui->code.first[side] + i == tui->code.current[side]);
    }
    if (rows->rows.count == 0)
        flm_tui_put(tui, left + 1, tui->rows.top + HEADS, end,
                    code->empty.at ? code->empty : flm_bytes_of("no address is known"),
                    FLM_TUI_MUTED);
}

static bool shows_both(const struct flm_tui *tui, const struct flm_response_code *code)
{
    return code->assembly && tui->rows.columns >= LEAST_FOR_BOTH;
}

void flm_tui_code_draw(struct flm_tui *tui)
{
    int left = tui->rows.left, end = left + tui->rows.columns;
    find_wanted(tui);
    flm_viewer_query(tui->viewer, flm_bytes_of("code 0"), &tui->code.head, NULL);
    const struct flm_response_code *code = tui->code.head.code;
    if (!code || tui->rows.rows <= HEADS)
        return;
    /* One side at a time: what was asked for. */
    if (!code->assembly || !tui->code.had_assembly)
        tui->code.side = code->assembly && !shows_both(tui, code);
    tui->code.had_assembly = code->assembly;
    follow(tui, code);
    draw_title(tui, code);
    tui->code.left[1] = left;
    if (shows_both(tui, code)) {
        int middle = left + tui->rows.columns * 11 / 20;
        tui->code.left[1] = middle;
        draw_side(tui, code, 0, left, middle - 1);
        draw_side(tui, code, 1, middle, end);
    } else {
        draw_side(tui, code, tui->code.side, left, end);
    }
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static const struct flm_response_code_row *current_row(const struct flm_tui *tui)
{
    int side = tui->code.side;
    const struct flm_response_code_rows *rows = tui->code.rows[side].code_rows;
    uint32_t at = tui->code.current[side] - tui->code.first[side];
    return rows && at < rows->rows.count ? &rows->rows.at[at] : NULL;
}

static void go(struct flm_tui *tui, double to)
{
    const struct flm_response_code *code = tui->code.head.code;
    double last =
        code && count_of(code, tui->code.side) > 0 ? count_of(code, tui->code.side) - 1 : 0;
    tui->code.current[tui->code.side] = (uint32_t)(to < 0 ? 0 : to > last ? last : to);
}

static void do_with(struct flm_tui *tui, const char *action, struct flm_bytes argument)
{
    struct flm_text text = {0};
    flm_text_puts(&text, action);
    flm_text_add(&text, argument);
    if (!text.failed)
        flm_tui_do(tui, (struct flm_bytes){text.at, text.size});
    flm_text_clear(&text);
}

static void choose(struct flm_tui *tui)
{
    const struct flm_response_code_row *row = current_row(tui);
    if (!row)
        return;
    if (row->open != FLM_TRISTATE_NONE)
        do_with(tui, "code-open ", row->key);
    else if (tui->code.side == 0 && row->at.at)
        do_with(tui, "code-select ", row->at);
    else if (tui->code.side == 1 && row->number.at)
        do_with(tui, "code-select @", row->number);
}

/* The editor at the line. */
static void edit_row(struct flm_tui *tui)
{
    const struct flm_response_code_row *row = current_row(tui);
    const struct flm_response_code *code = tui->code.head.code;
    struct flm_bytes file = code->path.size > 0 ? code->path : code->place;
    unsigned line = 0;
    if (row && row->link.size > 0) {
        size_t colon = row->link.size;
        while (colon > 0 && row->link.at[colon - 1] != ':')
            colon--;
        for (size_t i = colon; i < row->link.size; i++)
            line = line * 10 + (unsigned)(row->link.at[i] - '0');
        file = (struct flm_bytes){row->link.at, colon > 0 ? colon - 1 : 0};
    }
    flm_tui_edit(tui, file, line);
}

bool flm_tui_code_key(struct flm_tui *tui, const struct flm_tui_event *event)
{
    const struct flm_response_code *code = tui->code.head.code;
    if (!code || event->held & ~(unsigned)FLM_HELD_SHIFT)
        return false;
    const char *key = event->key;
    const struct flm_response_code_row *row = current_row(tui);
    double at = tui->code.current[tui->code.side], page = rows_seen(tui) - 1.0;
    if (strcmp(key, "ArrowDown") == 0 || strcmp(key, "j") == 0)
        go(tui, at + 1);
    else if (strcmp(key, "ArrowUp") == 0 || strcmp(key, "k") == 0)
        go(tui, at - 1);
    else if (strcmp(key, "PageDown") == 0)
        go(tui, at + page);
    else if (strcmp(key, "PageUp") == 0)
        go(tui, at - page);
    else if (strcmp(key, "Home") == 0)
        go(tui, 0);
    else if (strcmp(key, "End") == 0)
        go(tui, count_of(code, tui->code.side));
    else if (strcmp(key, "Enter") == 0 || strcmp(key, " ") == 0)
        choose(tui);
    else if (strcmp(key, "ArrowRight") == 0 && row && row->go.at)
        do_with(tui, "code-at ", row->go);
    else if (strcmp(key, "ArrowRight") == 0 || strcmp(key, "ArrowLeft") == 0)
        row && row->open != FLM_TRISTATE_NONE ? choose(tui) : (void)0;
    else if (strcmp(key, "Tab") == 0 && code->assembly)
        tui->code.side = !tui->code.side;
    else if (strcmp(key, "o") == 0 || strcmp(key, "E") == 0)
        edit_row(tui);
    else
        return false;
    return true;
}

void flm_tui_code_wheel(struct flm_tui *tui, int rows)
{
    go(tui, (double)tui->code.current[tui->code.side] + rows);
}

bool flm_tui_code_click(struct flm_tui *tui, int column, int y)
{
    int index = y - tui->rows.top - HEADS;
    const struct flm_response_code *code = tui->code.head.code;
    if (!code || index < 0)
        return false;
    if (shows_both(tui, code))
        tui->code.side = column >= tui->code.left[1];
    go(tui, (double)tui->code.first[tui->code.side] + index);
    choose(tui);
    return true;
}

void flm_tui_code_clear(struct flm_tui *tui)
{
    flm_response_clear(&tui->code.head);
    for (int side = 0; side < 2; side++)
        flm_response_clear(&tui->code.rows[side]);
}
