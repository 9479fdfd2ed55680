/* painting_cells.c - flm_viewer_paint_cells: the panes in the cells of a terminal. */
#include "draw/terminal/cell_boxes.h"

#include "viewer/internal.h"
#include "viewer/paint/internal.h"
#include <assert.h>
#include <math.h>

struct cells {
    struct flm_canvas canvas; /* first: `draw` is handed a pointer to it */
    struct flm_screen *screen;
    struct flm_cell_area pane;
};

/* The boxes of one thread of a lane, in the columns that it has: a row is drawn as a whole, and
 * would wipe out the threads before it. */
static void draw_part(const struct flm_boxes *boxes, const struct flm_rectangles *list,
                      struct flm_screen *screen, struct flm_cell_area area)
{
    struct flm_boxes part = *boxes;
    double first = area.columns, end = 0;
    for (size_t i = 0; i < list->count; i++) {
        first = fmin(first, floor((boxes->left + list->at[i].x0) / FLM_CELL_PX));
        end = fmax(end, ceil((boxes->left + list->at[i].x1) / FLM_CELL_PX));
    }
    first = fmax(first, 0);
    end = fmin(end, area.columns);
    if (first >= end)
        return;
    part.left -= first * FLM_CELL_PX;
    area.left += (int)first;
    area.columns = (int)(end - first);
    flm_box_cells_draw(&part, list, screen, area);
}

static void draw_cells(const struct flm_canvas *canvas, const struct flm_boxes *boxes,
                       struct flm_box_styles *styles)
{
    const struct cells *cells = (const struct cells *)canvas;
    const struct flm_pane *pane = styles->pane;
    struct flm_rectangles list = {0};
    bool is_chart = pane->kind == FLM_PANE_CHART && pane->drawn.count > 0;
    bool has_list = is_chart && flm_chart_cells(styles, boxes->left, &list, NULL);
    const struct flm_rectangles *drawn = has_list ? &list : &pane->drawn;
    if (pane->lane_count > 1)
        draw_part(boxes, drawn, cells->screen, cells->pane);
    else
        flm_box_cells_draw(boxes, drawn, cells->screen, cells->pane);
    flm_rectangles_clear(&list);
    if (pane->kind == FLM_PANE_CHART)
        flm_thread_cells_draw(styles->viewer, pane, cells->screen, cells->pane);
}

bool flm_viewer_paint_cells(struct flm_viewer *v, struct flm_screen *screen,
                            struct flm_cell_area pane, double now_ms)
{
    assert(v && screen);
    struct cells cells = {.canvas = {.draw = draw_cells}, .screen = screen, .pane = pane};
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    bool more;
    flm_screen_fill(screen, pane.left, pane.top, pane.columns, pane.rows,
                    (struct flm_style){colors.text, colors.page, FLM_CELL_PLAIN});
    if (!flm_canvas_begin(v, now_ms) || !flm_canvas_paint(v, &cells.canvas, &more))
        return false;
    if (flm_heat_is_shown(&v->model, &v->scene))
        flm_heat_cells_draw(v, screen, pane);
    if (flm_scene_is_over_time(&v->scene))
        flm_ruler_cells_draw(v, screen, pane);
    return more;
}
