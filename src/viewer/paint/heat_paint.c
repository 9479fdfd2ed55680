/* heat_paint.c - paints the heatmap above the picture: the caption with the legend, the cells, the
 * outlines of the selection and of the current cell, and the axes. */
#include <math.h>

#include "draw/document/heatmap_pane.h"
#include "draw/text/quantity.h"
#include "draw/text/time_ticks.h"
#include "viewer/heatmap_cursor.h"
#include "viewer/paint/internal.h"

/* CSS px. */
enum { SWATCH_WIDTH = 14, SWATCH_HEIGHT = 10, GAP = 6, TICKS_APART = 90, OFFSETS_APART = 40 };

struct painter {
    struct flm_viewer *viewer;
    struct flm_pixels *pixels;
    struct flm_heat_cells cells;
    struct flm_page_colors colors;
    double scale;
};

/* In forced colors: mixtures of the page's color and the text's. */
uint32_t flm_heat_color(const struct flm_theme *theme, int step)
{
    if (!theme->forced)
        return flm_heatmap_color(step, theme->dark);
    return flm_color_mix(theme->forced_page, theme->forced_text,
                         (uint8_t)(255 * (step + 2) / (FLM_HEAT_STEPS + 1)));
}

static int column_left(const struct flm_heat_cells *c, uint32_t column)
{
    return (int)round(c->left + column * c->column_px);
}

/* The upper edge of so many rows, counted from the bottom. */
static int row_top(const struct flm_heat_cells *c, double rows)
{
    return (int)round(c->top + c->height - rows * c->row_px);
}

/* Wide columns have a gap between them. */
static int column_right(const struct painter *p, uint32_t column)
{
    enum { APART_FROM = 8 };
    bool is_apart = p->cells.column_px >= APART_FROM * p->scale;
    return column_left(&p->cells, column + 1) - (is_apart ? (int)p->scale : 0);
}

static void paint_run(void *context, uint32_t column, uint32_t from, uint32_t to, int step)
{
    const struct painter *p = context;
    const struct flm_theme *theme = &p->viewer->paint.theme;
    flm_pixels_fill(p->pixels, column_left(&p->cells, column), row_top(&p->cells, to),
                    column_right(p, column), row_top(&p->cells, from), flm_heat_color(theme, step));
}

static struct flm_bytes bytes_of(const struct flm_text *text)
{
    return (struct flm_bytes){text->at, text->size};
}

/* ---- The caption ----------------------------------------------------------------------------- */

/* The legend, from the right: "24 samples", the colors, "0". Returns its left edge. */
static double paint_key(const struct painter *p)
{
    struct flm_viewer *v = p->viewer;
    struct flm_atlas *atlas = v->paint.atlas;
    double right = p->cells.left + p->cells.width, height = SWATCH_HEIGHT * p->scale;
    int base = flm_atlas_base_line(atlas, 0, (int)p->cells.top);
    int top = (int)round((p->cells.top - height) / 2);
    struct flm_text text = {0};
    flm_heat_add_most(v, &text);
    right -= flm_atlas_width(atlas, bytes_of(&text), FLM_WEIGHT_REGULAR);
    flm_atlas_draw(atlas, p->pixels, right, base, bytes_of(&text), FLM_WEIGHT_REGULAR,
                   p->colors.muted);
    right -= GAP * p->scale;
    for (int step = FLM_HEAT_STEPS; step-- > 0;) {
        double left = right - SWATCH_WIDTH * p->scale;
        flm_pixels_fill(p->pixels, (int)round(left), top, (int)round(right), top + (int)height,
                        flm_heat_color(&v->paint.theme, step));
        right = left;
    }
    text.size = 0;
    flm_text_puts(&text, "0");
    right -= GAP * p->scale + flm_atlas_width(atlas, bytes_of(&text), FLM_WEIGHT_REGULAR);
    flm_atlas_draw(atlas, p->pixels, right, base, bytes_of(&text), FLM_WEIGHT_REGULAR,
                   p->colors.muted);
    flm_text_clear(&text);
    return right;
}

/* The caption above the cells, cut off at the legend. */
static void paint_caption(const struct painter *p)
{
    struct flm_viewer *v = p->viewer;
    double right = paint_key(p) - GAP * p->scale, left = p->cells.left;
    struct flm_text text = {0};
    flm_heat_add_caption(v, &text);
    if (right > left)
        flm_thread_draw_line(v, p->pixels, left,
                             fmin(right, left + flm_atlas_width(v->paint.atlas, bytes_of(&text),
                                                                FLM_WEIGHT_REGULAR)),
                             flm_atlas_base_line(v->paint.atlas, 0, (int)p->cells.top),
                             bytes_of(&text), FLM_WEIGHT_REGULAR, p->colors.text);
    flm_text_clear(&text);
}

/* ---- Axes ------------------------------------------------------------------------------------ */

static void paint_offsets(const struct painter *p)
{
    const struct flm_heatmap_shape *shape = &p->cells.shape;
    struct flm_atlas *atlas = p->viewer->paint.atlas;
    double step = flm_tick_step(shape->column_ns, p->cells.height, OFFSETS_APART * p->scale);
    int left = (int)p->cells.left, gap = (int)round(GAP * p->scale), thin = (int)fmax(1, p->scale);
    struct flm_text text = {0};
    for (double at = 0; at <= shape->column_ns; at = flm_tick_next(at, step)) {
        int y = row_top(&p->cells, at / shape->row_ns);
        text.size = 0;
        flm_heatmap_add_offset(shape, at, &text);
        double width = flm_atlas_width(atlas, bytes_of(&text), FLM_WEIGHT_REGULAR);
        flm_pixels_fill(p->pixels, left - gap, y - (at > 0 ? thin : 0), left - thin,
                        y + (at > 0 ? 0 : thin), p->colors.line);
        flm_atlas_draw(atlas, p->pixels, left - gap - 2 * p->scale - width,
                       (int)round(y + flm_atlas_size_px(atlas) * 0.36), bytes_of(&text),
                       FLM_WEIGHT_REGULAR, p->colors.muted);
    }
    flm_text_clear(&text);
}

static void paint_times(const struct painter *p)
{
    const struct flm_heat_cells *c = &p->cells;
    struct flm_atlas *atlas = p->viewer->paint.atlas;
    double all = c->shape.column_ns * c->shape.column_count, right = c->left + c->width;
    double step = flm_tick_column_step(c->shape.column_ns, c->shape.column_count, c->width,
                                       TICKS_APART * p->scale);
    int top = row_top(c, 0), axis = (int)round(FLM_HEAT_AXIS_PX * p->scale);
    struct flm_text text = {0};
    for (double at = 0; at < all; at = flm_tick_next(at, step)) {
        int x = (int)round(c->left + at / all * c->width);
        text.size = 0;
        flm_tick_label_add(&text, at, step, all);
        double width = flm_atlas_width(atlas, bytes_of(&text), FLM_WEIGHT_REGULAR);
        if (x + 3 * p->scale + width > right)
            break;
        flm_pixels_fill(p->pixels, x, top, x + (int)fmax(1, p->scale), top + axis, p->colors.line);
        flm_atlas_draw(atlas, p->pixels, x + 3 * p->scale,
                       flm_atlas_base_line(atlas, top, top + axis), bytes_of(&text),
                       FLM_WEIGHT_REGULAR, p->colors.muted);
    }
    flm_text_clear(&text);
}

/* ---- What is selected ------------------------------------------------------------------------ */

static void fill_edge(const struct painter *p, int x, double from_row, double to_row, int thin)
{
    if (from_row < to_row)
        flm_pixels_fill(p->pixels, x - thin / 2, row_top(&p->cells, to_row) - thin / 2,
                        x - thin / 2 + thin, row_top(&p->cells, from_row) + thin - thin / 2,
                        p->colors.accent);
}

/* Rows of a column; none: [0, 0). */
struct rows {
    double from, to;
};

static struct rows rows_in(const struct painter *p, struct flm_heatmap_time time, int64_t column)
{
    struct rows rows = {0, 0};
    if (column < 0 || column >= p->cells.shape.column_count ||
        !flm_heatmap_selected_rows(&p->cells.shape, time.from_ns, time.to_ns, (uint32_t)column,
                                   &rows.from, &rows.to))
        return (struct rows){0, 0};
    return rows;
}

/* The edge between two columns is where one is selected and the other is not. */
static void outline_left(const struct painter *p, int x, struct rows a, struct rows b, int thin)
{
    if (a.from >= a.to || b.from >= b.to || a.to <= b.from || b.to <= a.from) {
        fill_edge(p, x, a.from, a.to, thin);
        fill_edge(p, x, b.from, b.to, thin);
        return;
    }
    fill_edge(p, x, fmin(a.from, b.from), fmax(a.from, b.from), thin);
    fill_edge(p, x, fmin(a.to, b.to), fmax(a.to, b.to), thin);
}

static void outline(const struct painter *p, struct flm_heatmap_time time, int thin)
{
    struct rows before = {0, 0};
    for (int64_t column = 0; column <= p->cells.shape.column_count; column++) {
        struct rows rows = rows_in(p, time, column);
        int left = column_left(&p->cells, (uint32_t)column);
        outline_left(p, left, before, rows, thin);
        before = rows;
        if (rows.from >= rows.to)
            continue;
        int right = column_left(&p->cells, (uint32_t)column + 1);
        for (int side = 0; side < 2; side++) {
            int y = row_top(&p->cells, side ? rows.to : rows.from) - thin / 2;
            flm_pixels_fill(p->pixels, left - thin / 2, y, right + thin - thin / 2, y + thin,
                            p->colors.accent);
        }
    }
}

/* Makes cells outside of the selection paler. */
static void dim_others(const struct painter *p, struct flm_heatmap_time time)
{
    enum { PALER = 170 };
    double all = p->cells.shape.row_count;
    for (uint32_t column = 0; column < p->cells.shape.column_count; column++) {
        struct rows rows = rows_in(p, time, column);
        int left = column_left(&p->cells, column), right = column_left(&p->cells, column + 1);
        if (rows.from > 0 || rows.to <= rows.from)
            flm_pixels_blend(p->pixels, left, row_top(&p->cells, rows.to > 0 ? rows.from : all),
                             right, row_top(&p->cells, 0), p->colors.page, PALER);
        if (rows.to > rows.from && rows.to < all)
            flm_pixels_blend(p->pixels, left, row_top(&p->cells, all), right,
                             row_top(&p->cells, rows.to), p->colors.page, PALER);
    }
}

static void paint_selection(const struct painter *p)
{
    struct flm_viewer *v = p->viewer;
    struct flm_span selected;
    struct flm_heatmap_time time;
    int thin = (int)fmax(1, p->scale);
    if (flm_timeline_selected(&v->model, &v->scene, &selected)) {
        time = (struct flm_heatmap_time){selected.left, selected.right};
        dim_others(p, time);
        outline(p, time, thin);
    }
    if (flm_heat_pending(v, &time))
        outline(p, time, 2 * thin);
    uint32_t cell = flm_heat_current_cell(v);
    if (cell != FLM_NONE)
        outline(p, flm_heatmap_time_of(&p->cells.shape, cell, cell), thin);
}

void flm_heat_paint(struct flm_viewer *v, struct flm_pixels *pixels)
{
    struct painter p = {.viewer = v,
                        .pixels = pixels,
                        .cells = flm_heat_cells_of(&v->model, &v->scene),
                        .colors = flm_page_colors(&v->paint.theme),
                        .scale = v->scene.window.scale};
    struct flm_error why = {0};
    if (!flm_heat_make(&v->model, &v->scene, &why)) {
        flm_viewer_notify_error(v, &why);
        return;
    }
    int thin = (int)fmax(1, p.scale), left = (int)p.cells.left;
    int right = (int)round(p.cells.left + p.cells.width);
    flm_pixels_outline(pixels, left - thin, (int)p.cells.top - thin, right + thin,
                       row_top(&p.cells, 0) + thin, thin, p.colors.line);
    flm_heatmap_walk(&v->scene.heat.map, paint_run, &p);
    paint_selection(&p);
    paint_offsets(&p);
    paint_times(&p);
    paint_caption(&p);
    int bottom = (int)flm_heat_height(&v->model, &v->scene);
    flm_pixels_fill(pixels, 0, bottom - thin, (int)v->scene.window.width, bottom, p.colors.line);
}
