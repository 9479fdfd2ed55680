/* heat_cells.c - the heatmap in a terminal. A row of the screen shows two rows of cells, as half
 * blocks; without colors, or in ASCII, it shows the larger value of the two as a character. */
#include <math.h>

#include "draw/document/heatmap_pane.h"
#include "draw/text/time_ticks.h"
#include "viewer/heatmap_cursor.h"
#include "viewer/paint/internal.h"

enum { UPPER_HALF = 0x2580, TICKS_APART_CELLS = 12 };

struct cells {
    struct flm_viewer *viewer;
    struct flm_screen *screen;
    struct flm_cell_area area;
    struct flm_heat_cells at;
    struct flm_page_colors colors;
    struct flm_heatmap_time selected, marked; /* marked: the pending range, or the current cell */
    bool is_selected, is_marked;
};

static struct flm_style style_of(const struct cells *c, uint32_t ink, uint32_t attributes)
{
    if (c->screen->depth == FLM_DEPTH_NONE)
        return (struct flm_style){FLM_COLOR_DEFAULT, FLM_COLOR_DEFAULT, attributes};
    return (struct flm_style){ink, c->colors.page, attributes};
}

/* The column of the map that a column of the screen shows. */
static uint32_t column_at(const struct cells *c, int column)
{
    double x = (column + 0.5) * FLM_CELL_PX - c->at.left;
    double at = floor(x / c->at.column_px);
    return (uint32_t)fmin(fmax(at, 0), c->at.shape.column_count - 1.0);
}

static bool is_paler(const struct cells *c, uint32_t column, uint32_t row)
{
    double from, to;
    return c->is_selected && (!flm_heatmap_selected_rows(&c->at.shape, c->selected.from_ns,
                                                         c->selected.to_ns, column, &from, &to) ||
                              row + 1 <= from + 1e-6 || row >= to - 1e-6);
}

/* The step of a row, -1 for none; rows above the map are none. */
static int step_at(const struct cells *c, uint32_t column, uint32_t row)
{
    const struct flm_heatmap *map = &c->viewer->scene.heat.map;
    return row < c->at.shape.row_count ? flm_heatmap_step(map, column * c->at.shape.row_count + row)
                                       : -1;
}

static uint32_t color_at(const struct cells *c, uint32_t column, uint32_t row)
{
    enum { PALER = 150 };
    int step = step_at(c, column, row);
    if (step < 0)
        return c->colors.page;
    uint32_t rgb = flm_heat_color(&c->viewer->paint.theme, step);
    return is_paler(c, column, row) ? flm_color_mix(rgb, c->colors.page, PALER) : rgb;
}

static void find_marked(struct cells *c)
{
    uint32_t cell = flm_heat_current_cell(c->viewer);
    c->is_marked = true;
    if (flm_heat_pending(c->viewer, &c->marked))
        return;
    c->is_marked = cell != FLM_NONE;
    if (c->is_marked)
        c->marked = flm_heatmap_time_of(&c->at.shape, cell, cell);
}

static bool is_marked(const struct cells *c, uint32_t column, uint32_t row)
{
    uint32_t cell = column * c->at.shape.row_count + row;
    struct flm_heatmap_time time = flm_heatmap_time_of(&c->at.shape, cell, cell);
    return c->is_marked && row < c->at.shape.row_count && time.from_ns >= c->marked.from_ns - 1 &&
           time.to_ns <= c->marked.to_ns + 1;
}

static void draw_cell(const struct cells *c, int column, int y, uint32_t lower_row)
{
    static const char letters[] = " .:-=+*#";
    uint32_t of = column_at(c, column), upper_row = lower_row + 1;
    int left = c->area.left + column, top = c->area.top + y;
    bool lower_is_marked = is_marked(c, of, lower_row),
         upper_is_marked = is_marked(c, of, upper_row);
    if (c->screen->charset == FLM_CHARSET_UTF8 && c->screen->depth != FLM_DEPTH_NONE) {
        uint32_t upper = upper_is_marked ? c->colors.accent : color_at(c, of, upper_row);
        uint32_t lower = lower_is_marked ? c->colors.accent : color_at(c, of, lower_row);
        flm_screen_put(c->screen, left, top, UPPER_HALF,
                       (struct flm_style){upper, lower, FLM_CELL_PLAIN});
        return;
    }
    int a = step_at(c, of, lower_row), b = step_at(c, of, upper_row), step = a > b ? a : b;
    bool paler = is_paler(c, of, lower_row) && is_paler(c, of, upper_row);
    uint32_t attributes = lower_is_marked || upper_is_marked ? FLM_CELL_INVERSE
                          : paler                            ? FLM_CELL_FAINT
                                                             : FLM_CELL_PLAIN;
    flm_screen_put(c->screen, left, top, (uint32_t)letters[step + 1],
                   style_of(c, c->colors.text, attributes));
}

static int put_text(const struct cells *c, int column, int y, int room, const struct flm_text *text)
{
    return flm_screen_text(c->screen, c->area.left + column, c->area.top + y, room,
                           (struct flm_bytes){text->at, text->size},
                           style_of(c, c->colors.muted, FLM_CELL_PLAIN));
}

/* The caption, and the value of the strongest color at the right. */
static void draw_caption(const struct cells *c)
{
    struct flm_text text = {0}, most = {0};
    flm_heat_add_caption(c->viewer, &text);
    flm_text_puts(&most, "up to ");
    flm_heat_add_most(c->viewer, &most);
    int width = (int)flm_cells((struct flm_bytes){most.at, most.size}).cells;
    int end = put_text(c, 1, 0, c->area.columns - 1, &text) + 1;
    if (c->area.columns - width - 1 > end + 1)
        put_text(c, c->area.columns - width - 1, 0, width, &most);
    flm_text_clear(&text);
    flm_text_clear(&most);
}

static void draw_axes(const struct cells *c, int rows)
{
    const struct flm_heatmap_shape *shape = &c->at.shape;
    double all = shape->column_ns * shape->column_count;
    double step = flm_tick_column_step(shape->column_ns, shape->column_count,
                                       c->at.width / FLM_CELL_PX, TICKS_APART_CELLS);
    struct flm_text text = {0};
    int end = 0;
    for (double at = 0; at < all; at = flm_tick_next(at, step)) {
        int column = (int)((c->at.left + at / all * c->at.width) / FLM_CELL_PX);
        text.size = 0;
        flm_tick_label_add(&text, at, step, all);
        if (column >= end)
            end = column + put_text(c, column, rows + 1, c->area.columns - column, &text) + 1;
    }
    for (int side = 0; side < 2; side++) {
        text.size = 0;
        flm_heatmap_add_offset(shape, side ? shape->column_ns : 0, &text);
        put_text(c, 0, side ? 1 : rows, (int)(c->at.left / FLM_CELL_PX) - 1, &text);
    }
    flm_text_clear(&text);
}

void flm_heat_cells_draw(struct flm_viewer *v, struct flm_screen *screen, struct flm_cell_area area)
{
    struct cells c = {.viewer = v,
                      .screen = screen,
                      .area = area,
                      .at = flm_heat_cells_of(&v->model, &v->scene),
                      .colors = flm_page_colors(&v->paint.theme)};
    struct flm_error why = {0};
    struct flm_span selected;
    int height = (int)(flm_heat_height(&v->model, &v->scene) / FLM_CELL_HEIGHT_PX);
    height = height < area.rows ? height : area.rows;
    flm_screen_fill(screen, area.left, area.top, area.columns, height,
                    style_of(&c, c.colors.text, FLM_CELL_PLAIN));
    if (!flm_heat_make(&v->model, &v->scene, &why)) {
        flm_viewer_notify_error(v, &why);
        return;
    }
    c.is_selected = flm_timeline_selected(&v->model, &v->scene, &selected);
    c.selected = (struct flm_heatmap_time){selected.left, selected.right};
    find_marked(&c);
    int rows = (int)ceil(c.at.height / FLM_CELL_HEIGHT_PX);
    for (int y = 0; y < rows && y + 1 < area.rows; y++)
        for (int column = (int)(c.at.left / FLM_CELL_PX); column < area.columns; column++)
            draw_cell(&c, column, y + 1, (uint32_t)(2 * (rows - 1 - y)));
    draw_caption(&c);
    draw_axes(&c, rows);
}
