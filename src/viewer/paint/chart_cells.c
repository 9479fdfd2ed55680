#include <math.h>

#include "viewer/paint/internal.h"

static uint32_t stack_of(const struct flm_pane *pane, const struct flm_rectangle *r)
{
    return pane->chart->source[r->node.index];
}

/* What is drawn at `x_px`: a box as it is, or of a narrower one that cell. */
static bool find(const struct flm_pane *pane, const struct flm_viewport *view, double x_px,
                 uint32_t level, struct flm_rectangle *found)
{
    if (!flm_layout_at(pane->layout, view, x_px, level, found))
        return false;
    if (found->x1 - found->x0 < FLM_CELL_PX) {
        found->x0 = x_px - FLM_CELL_PX / 2.0;
        found->x1 = x_px + FLM_CELL_PX / 2.0;
    }
    return true;
}

static bool add(const struct flm_box_styles *styles, const struct flm_rectangle *r,
                struct flm_rectangles *list)
{
    struct flm_rectangle *last = list->count > 0 ? &list->at[list->count - 1] : NULL;
    if (last && last->level == r->level && r->x0 - last->x1 < FLM_CELL_PX / 2.0 &&
        stack_of(styles->pane, last) == stack_of(styles->pane, r) &&
        flm_box_styles_fill(styles, last->node, last->total) ==
            flm_box_styles_fill(styles, r->node, r->total)) {
        last->x1 = r->x1;
        return true;
    }
    struct flm_rectangle next = *r;
    if (last && last->level == r->level)
        next.x0 = fmax(next.x0, last->x1);
    return next.x1 <= next.x0 || FLM_ARRAY_ADD(list, next);
}

bool flm_chart_cells(const struct flm_box_styles *styles, double left_px,
                     struct flm_rectangles *list, struct flm_error *why)
{
    const struct flm_pane *pane = styles->pane;
    struct flm_viewport view = flm_viewer_viewport(styles->viewer, pane);
    view.first_level = 0;
    view.min_width_px = 0;
    view.level_count = flm_layout_level_count(pane->layout);
    if (view.level_count > pane->first_level + flm_pane_rows(pane))
        view.level_count = pane->first_level + flm_pane_rows(pane);
    list->count = 0;
    for (uint32_t level = pane->first_level; level < view.level_count; level++) {
        struct flm_rectangle found;
        double first = left_px - floor(left_px / FLM_CELL_PX) * FLM_CELL_PX, end;
        for (double x = FLM_CELL_PX / 2.0 - first; x < view.width_px; x += FLM_CELL_PX) {
            if (x < 0 || !find(pane, &view, x, level, &found))
                continue;
            if (!add(styles, &found, list))
                return flm_error_memory(why);
            for (end = found.x1; x + FLM_CELL_PX < end;)
                x += FLM_CELL_PX;
        }
    }
    return true;
}
