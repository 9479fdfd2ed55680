#include "draw/terminal/cell_boxes.h"

#include <assert.h>
#include <math.h>

#include "draw/color/palette.h"
#include "draw/text/visible.h"

enum { EIGHTHS = 8, THIN_PX = 1, THICK_PX = 2, LEAST_ROOM_PX = 24 };
enum { LEFT_BLOCK = 0x2590, LEFT_EIGHTH = 0x258F };

/* The colors and attributes of a box. */
struct paint {
    struct flm_style style;
    bool is_page; /* there is no box */
};

/* A row while it is drawn: with the cell whose eighths are not all decided yet. */
struct row {
    struct flm_screen *screen;
    struct flm_cell_area pane;
    int y;      /* of the screen */
    int column; /* of the pane; the cells before it are drawn */
    struct paint part[EIGHTHS];
    struct paint page;
    struct paint last; /* the last box, and where it ended, in eighths */
    int last_end;
};

static bool is_same(const struct paint *a, const struct paint *b)
{
    return a->style.fill == b->style.fill && a->style.attributes == b->style.attributes &&
           a->is_page == b->is_page;
}

/* ---- Cells ----------------------------------------------------------------------------------- */

/* Draws the left `eighths` of a cell in one paint, the rest in another. */
static void put_divided(struct row *row, int eighths, const struct paint *left,
                        const struct paint *right)
{
    struct flm_style style = right->style;
    uint32_t character = (uint32_t)(LEFT_BLOCK - eighths);
    bool is_utf8 = row->screen->charset == FLM_CHARSET_UTF8;
    if (row->screen->depth == FLM_DEPTH_NONE) {
        /* The box is the inverse part: the block itself is drawn in the page's color. */
        style.attributes = left->is_page ? right->style.attributes
                                         : left->style.attributes & ~(uint32_t)FLM_CELL_INVERSE;
        style.ink = style.fill = FLM_COLOR_DEFAULT;
    } else {
        style.ink = left->style.fill;
        style.attributes = FLM_CELL_PLAIN;
    }
    if (!is_utf8) {
        style = eighths >= EIGHTHS / 2 ? left->style : right->style;
        character = ' ';
    }
    flm_screen_put(row->screen, row->pane.left + row->column, row->y, character, style);
}

/* Draws the decided cell. Of more than two parts it shows the two neighbors that make the fewest
 * eighths wrong. */
static void put_cell(struct row *row)
{
    int best = 0, fewest = EIGHTHS + 1;
    for (int cut = 1; cut < EIGHTHS; cut++) {
        const struct paint *left = &row->part[cut - 1], *right = &row->part[cut];
        if (is_same(left, right))
            continue;
        int wrong = 0;
        for (int i = 0; i < EIGHTHS; i++)
            wrong += !is_same(&row->part[i], i < cut ? left : right);
        if (wrong < fewest) {
            fewest = wrong;
            best = cut;
        }
    }
    if (best > 0)
        put_divided(row, best, &row->part[best - 1], &row->part[best]);
    else
        flm_screen_put(row->screen, row->pane.left + row->column, row->y, ' ', row->part[0].style);
}

/* Draws all cells before `column`. */
static void advance(struct row *row, int column)
{
    while (row->column < column && row->column < row->pane.columns) {
        put_cell(row);
        row->column++;
        for (int i = 0; i < EIGHTHS; i++)
            row->part[i] = row->page;
    }
}

/* Paints the eighths from `from` to `to` of the row. */
static void take(struct row *row, int from, int to, const struct paint *paint)
{
    for (int at = from; at < to;) {
        int column = at / EIGHTHS;
        advance(row, column);
        if (column >= row->pane.columns)
            return;
        int end = (column + 1) * EIGHTHS < to ? (column + 1) * EIGHTHS : to;
        for (; at < end; at++)
            row->part[at % EIGHTHS] = *paint;
    }
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

static struct paint paint_of(const struct row *row, const struct flm_boxes *boxes,
                             const struct flm_box *box)
{
    bool is_thick = box->outline_px >= THICK_PX, is_outlined = box->outline_px > 0;
    struct flm_style style = {box->ink, box->fill, FLM_CELL_PLAIN};
    if (box->bold || is_outlined)
        style.attributes |= FLM_CELL_BOLD;
    if (is_outlined && box->outline_px <= THIN_PX)
        style.attributes |= FLM_CELL_UNDERLINED;
    if (row->screen->depth == FLM_DEPTH_NONE) {
        style.ink = style.fill = FLM_COLOR_DEFAULT;
        if (!is_thick)
            style.attributes |= FLM_CELL_INVERSE;
        if (box->faded > 0)
            style.attributes |= FLM_CELL_FAINT;
    } else if (is_thick) {
        style = (struct flm_style){boxes->background, boxes->text, style.attributes};
    }
    return (struct paint){style, false};
}

/* Whether a box needs a line because its left neighbor has the same color on this terminal; lighter
 * tones are tried first. Light tones have dark letters, so these stay readable. */
static bool needs_line(const struct row *row, struct paint *paint)
{
    static const uint8_t lighter[] = {30, 64, 96}; /* of 255 */
    enum flm_color_depth depth = row->screen->depth;
    if (depth == FLM_DEPTH_NONE)
        return true;
    uint32_t before = flm_color_at(row->last.style.fill, depth);
    if (flm_color_at(paint->style.fill, depth) != before)
        return false;
    for (size_t i = 0; i < sizeof lighter / sizeof lighter[0] && depth != FLM_DEPTH_16; i++) {
        uint32_t fill = flm_color_mix(paint->style.fill, 0xFFFFFF, lighter[i]);
        if (flm_color_at(fill, depth) != before) {
            paint->style.fill = fill;
            return false;
        }
    }
    return true;
}

/* Maps an offset in the name to the shown text. Offsets in the omitted middle map to the ellipsis:
 * a start to its beginning, an end to its end. */
static size_t offset_in(struct flm_bytes name, const struct flm_label_cut *cut, size_t dots,
                        size_t lit, bool is_end)
{
    size_t head_at = (size_t)(cut->head.at - name.at), head = cut->head.size;
    if (lit <= head_at)
        return 0;
    if (lit - head_at <= head)
        return lit - head_at;
    if (cut->tail.size == 0)
        return head;
    size_t tail_at = (size_t)(cut->tail.at - name.at);
    if (lit < tail_at)
        return is_end ? head + dots : head;
    lit -= tail_at;
    return head + dots + (lit < cut->tail.size ? lit : cut->tail.size);
}

/* Writes the label into `room` cells; returns how many it took. */
static int put_label(struct row *row, int column, int room, const struct flm_box *box,
                     struct flm_style style)
{
    struct flm_screen *screen = row->screen;
    struct flm_text scratch = {0}, text = {0};
    struct flm_bytes name = flm_showable(box->label, screen->charset, &scratch);
    int taken = 0;
    bool is_same = name.at == box->label.at; /* else its offsets are others */
    struct flm_name_parts parts = is_same ? box->parts : flm_name_parts(name);
    struct flm_text suffix_scratch = {0};
    struct flm_bytes suffix = flm_showable(box->suffix, screen->charset, &suffix_scratch);
    size_t cells = room > 0 ? (size_t)room : 0, suffix_cells = flm_cells(suffix).cells;
    struct flm_label_cut cut = {.head = {"", 0}};
    if (suffix_cells < cells)
        cut = flm_cells_fit(name, parts, (struct flm_width){cells - suffix_cells}, screen->charset);
    if (cut.head.size == 0) {
        suffix.size = 0;
        cut = flm_cells_fit(name, parts, (struct flm_width){cells}, screen->charset);
    }
    if (cut.head.size > 0) {
        const char *dots = cut.tail.size > 0 ? flm_cells_ellipsis(screen->charset) : "";
        flm_text_add(&text, cut.head);
        flm_text_puts(&text, dots);
        flm_text_add(&text, cut.tail);
        flm_text_add(&text, suffix);
        struct flm_bytes shown = {text.at, text.size};
        size_t from = 0, to = 0;
        if (box->lit_to > box->lit_from && is_same && !text.failed) {
            from = offset_in(name, &cut, strlen(dots), box->lit_from, false);
            to = offset_in(name, &cut, strlen(dots), box->lit_to, true);
        }
        struct flm_style lit = style;
        lit.attributes |= FLM_CELL_BOLD | FLM_CELL_UNDERLINED;
        if (box->lit_rgb && screen->depth != FLM_DEPTH_NONE)
            lit = (struct flm_style){flm_ink_on(box->lit_rgb) == FLM_INK_WHITE ? 0xFFFFFF : 0,
                                     box->lit_rgb, FLM_CELL_BOLD};
        struct flm_bytes pieces[] = {
            {shown.at, from}, {shown.at + from, to - from}, {shown.at + to, shown.size - to}};
        for (int i = 0; i < 3; i++)
            if (pieces[i].size > 0)
                taken += flm_screen_text(screen, row->pane.left + column + taken, row->y,
                                         room - taken, pieces[i], i == 1 ? lit : style);
    }
    flm_text_clear(&scratch);
    flm_text_clear(&suffix_scratch);
    flm_text_clear(&text);
    return taken;
}

/* The characters that repeatedly fill the cells after a label: a texture in the full height, the
 * mark of a kind along the foot. */
static const char *pattern_of(const struct flm_box *box)
{
    static const char *const textures[FLM_TEXTURE_COUNT] = {[FLM_TEXTURE_RISING] = "/",
                                                            [FLM_TEXTURE_FALLING] = "\\",
                                                            [FLM_TEXTURE_DOTS] = ".",
                                                            [FLM_TEXTURE_LINES] = "-",
                                                            [FLM_TEXTURE_GRID] = "+"};
    static const char *const marks[FLM_MARK_COUNT] = {
        [FLM_MARK_KERNEL] = "_",        [FLM_MARK_INLINED] = "_ ",    [FLM_MARK_JIT] = "__ ",
        [FLM_MARK_INTERPRETED] = "_  ", [FLM_MARK_GPU] = "___ ",      [FLM_MARK_WAKER] = "_ _  ",
        [FLM_MARK_APPEARED] = "/",      [FLM_MARK_DISAPPEARED] = "\\"};
    return box->texture != FLM_TEXTURE_NONE ? textures[box->texture] : marks[box->mark];
}

static uint32_t drawn_as(char c, enum flm_charset charset)
{
    static const struct {
        char plain;
        uint32_t drawn;
    } characters[] = {{'/', 0x2571}, {'\\', 0x2572}, {'.', 0xB7},
                      {'-', 0x2500}, {'+', 0x253C},  {'_', 0x2581}};
    for (size_t i = 0; charset == FLM_CHARSET_UTF8 && i < sizeof characters / sizeof characters[0];
         i++)
        if (characters[i].plain == c)
            return characters[i].drawn;
    return (unsigned char)c;
}

static void put_pattern(struct flm_screen *screen, int column, int y, int columns,
                        const struct flm_box *box, struct flm_style style)
{
    const char *pattern = pattern_of(box);
    if (!pattern)
        return;
    if (screen->depth != FLM_DEPTH_NONE && box->texture != FLM_TEXTURE_NONE)
        style.ink = flm_color_mix(style.fill, box->texture_rgb, box->texture_alpha);
    else if (screen->depth != FLM_DEPTH_NONE)
        style.ink = flm_color_mix(style.fill, style.ink, FLM_MARK_ALPHA);
    size_t size = strlen(pattern);
    for (int i = 0; i < columns; i++)
        flm_screen_put(screen, column + i, y, drawn_as(pattern[(size_t)i % size], screen->charset),
                       style);
}

/* Fills the whole cells of a box from `column` on: with its label, and after it the pattern of its
 * kind. */
static void put_inside(struct row *row, int column, int end, const struct flm_box *box,
                       const struct paint *paint)
{
    if (box->noted && end > column)
        flm_screen_put(row->screen, row->pane.left + --end, row->y, '*', paint->style);
    int taken = put_label(row, column, end - column, box, paint->style);
    int from = column + taken + (taken > 0);
    put_pattern(row->screen, row->pane.left + from, row->y, end - from, box, paint->style);
}

static void put_box(struct row *row, int from, int to, const struct flm_box *box,
                    const struct flm_boxes *boxes)
{
    struct paint paint = paint_of(row, boxes, box);
    bool is_utf8 = row->screen->charset == FLM_CHARSET_UTF8;
    bool touches = row->last_end >= from && !row->last.is_page;
    bool line = (touches && needs_line(row, &paint)) || !is_utf8;
    if (line) { /* to the nearest cell: the neighbor grows or shrinks */
        int edge = (from + EIGHTHS / 2) / EIGHTHS * EIGHTHS;
        if (touches && edge > from && row->last_end < edge)
            take(row, row->last_end, edge, &row->last);
        from = edge;
        to = !is_utf8 ? (to + EIGHTHS / 2) / EIGHTHS * EIGHTHS : to;
        to = to > from ? to : from + (is_utf8 ? 1 : EIGHTHS);
    }
    int most = row->pane.columns * EIGHTHS, drawn = row->column * EIGHTHS;
    to = to < most ? to : most;
    from = from > drawn ? from : drawn;
    if (from >= to)
        return;
    take(row, from, to, &paint);
    int first = from / EIGHTHS, end = to / EIGHTHS; /* whole cells end before `end` */
    advance(row, end);
    if (line && end > first) {
        struct flm_style style = paint.style;
        bool has_colors = row->screen->depth != FLM_DEPTH_NONE;
        style.ink = has_colors ? boxes->background : FLM_COLOR_DEFAULT;
        style.attributes &= ~(uint32_t)FLM_CELL_UNDERLINED;
        flm_screen_put(row->screen, row->pane.left + first, row->y, is_utf8 ? LEFT_EIGHTH : '|',
                       style);
    }
    put_inside(row, first + 1, end, box, &paint);
    row->last = paint;
    row->last_end = to;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void row_start(struct row *row, int y)
{
    row->y = row->pane.top + y;
    row->column = 0;
    row->last = row->page;
    row->last_end = 0;
    for (int i = 0; i < EIGHTHS; i++)
        row->part[i] = row->page;
}

static void row_end(struct row *row)
{
    advance(row, row->column + 1);
    row->column = row->pane.columns;
}

void flm_box_cells_draw(const struct flm_boxes *boxes, const struct flm_rectangles *list,
                        struct flm_screen *screen, struct flm_cell_area pane)
{
    assert(boxes->style && boxes->row_height > 0 && pane.rows >= 0);
    bool has_colors = screen->depth != FLM_DEPTH_NONE;
    uint32_t page = has_colors ? boxes->background : FLM_COLOR_DEFAULT;
    struct row row = {.screen = screen, .pane = pane, .page = {{page, page, 0}, true}};
    int first = (int)floor(boxes->top / boxes->row_height + 0.5);
    bool is_open = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct flm_rectangle *r = &list->at[i];
        int64_t y = boxes->upwards ? first - 1 - (int64_t)r->level : first + (int64_t)r->level;
        if (y < 0 || y >= pane.rows)
            continue;
        if (!is_open || row.y != pane.top + (int)y) {
            if (is_open)
                row_end(&row);
            row_start(&row, (int)y);
            is_open = true;
        }
        struct flm_box box = {.has_room = r->x1 - r->x0 >= LEAST_ROOM_PX};
        boxes->style(boxes->context, r, &box);
        if (box.skipped)
            continue;
        if (box.faded)
            flm_box_fade(boxes, &box);
        double most = (double)pane.columns * EIGHTHS;
        double left = boxes->left + r->x0, right = boxes->left + r->x1;
        if (right <= 0 || left >= most)
            continue;
        int from = left > 0 ? (int)floor(left + 0.5) : 0;
        int to = right < most ? (int)floor(right + 0.5) : (int)most;
        put_box(&row, from, to > from ? to : from + 1, &box, boxes);
    }
    if (is_open)
        row_end(&row);
}

bool flm_box_cells_swatch(const struct flm_box *box, struct flm_screen *screen, int column, int row,
                          int columns)
{
    bool has_colors = screen->depth != FLM_DEPTH_NONE;
    struct flm_style style = {FLM_COLOR_DEFAULT, FLM_COLOR_DEFAULT, FLM_CELL_INVERSE};
    if (has_colors)
        style = (struct flm_style){box->ink, box->fill, FLM_CELL_PLAIN};
    else if (!pattern_of(box))
        return false;
    flm_screen_fill(screen, column, row, columns, 1, style);
    put_pattern(screen, column, row, columns, box, style);
    return true;
}
