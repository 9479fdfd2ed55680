/* scrolled.c - while a wheel scrolls a flame chart, a frame moves the rows of the last one and
 * paints only those that come into the window.
 *
 *     row 4   |            row 7  |  moved
 *     ...     |            ...    |
 *     row 20  |            row 20 |
 *                          row 21 |  the band that is painted
 *
 * Names in the gutter stay in the window while their rows move, so the gutter is painted again. The
 * pointer would cross a box in each frame, whose function is outlined everywhere: until the wheel
 * rests nothing is pointed at. The last frame is painted as a whole, so that nothing that moving
 * gets wrong stays: a letter that was missing, a line at an edge. Of 1e6 samples of 500 threads in
 * 1920x1080, scrolled by 300 px a frame, a frame takes half of the time. */
#include <math.h>
#include <string.h>

#include "viewer/internal.h"
#include "viewer/paint/internal.h"

double flm_painted_top(const struct flm_viewer *v)
{
    return flm_camera_scroll(&v->model.camera, v->input.now_ms) + v->paint.scrolled.band_top;
}

double flm_painted_px(const struct flm_viewer *v)
{
    double band_px = v->paint.scrolled.band_px;
    return band_px > 0 ? band_px : flm_viewer_area(v).height;
}

/* The rows of the area, `by` further up. */
static void move_rows(struct flm_pixels *area, int by)
{
    int rows = area->clip_bottom - area->clip_top, count = by < 0 ? -by : by;
    uint32_t *first = area->at + (size_t)area->clip_top * area->width;
    size_t moved = (size_t)count * area->width;
    size_t size = (size_t)(rows - count) * area->width * sizeof *first;
    memmove(by < 0 ? first + moved : first, by < 0 ? first : first + moved, size);
}

enum flm_scroll_copy flm_scrolled_copy(struct flm_viewer *v, struct flm_pixels *area)
{
    double scroll = flm_camera_scroll(&v->model.camera, v->input.now_ms);
    struct flm_scrolled last = v->paint.scrolled,
                        now = {area->at, flm_viewer_still_version(v), scroll, flm_viewer_span(v), 0,
                               0};
    double by = scroll - last.scroll_px, rows = area->clip_bottom - area->clip_top;
    if (!flm_viewer_is_scrolling(v))
        now.at = NULL;
    v->paint.scrolled = now;
    if (!now.at || now.at != last.at || now.version != last.version ||
        now.span.left != last.span.left || now.span.right != last.span.right || by != floor(by) ||
        fabs(by) >= rows)
        return FLM_COPY_NONE;
    if (by == 0)
        return FLM_COPY_ALL;
    move_rows(area, (int)by);
    v->paint.scrolled.band_px = fabs(by);
    v->paint.scrolled.band_top = by > 0 ? rows - by : 0;
    return FLM_COPY_PART;
}

void flm_scrolled_finish(struct flm_viewer *v, struct flm_pixels *area)
{
    int gutter = (int)flm_scene_gutter_px(&v->scene), width = (int)area->width;
    int bar = width - (int)(FLM_SCROLLBAR_PX * v->scene.window.scale);
    struct flm_pixels names =
        flm_pixels_clipped(*area, 0, area->clip_top, gutter, area->clip_bottom);
    uint32_t page = flm_page_colors(&v->paint.theme).page;
    v->paint.scrolled.band_px = v->paint.scrolled.band_top = 0;
    struct flm_in_window in = flm_panes_in_window(v);
    flm_pixels_fill(&names, 0, area->clip_top, gutter, area->clip_bottom, page);
    for (uint32_t i = in.first; gutter > 0 && i < in.end; i++)
        flm_threads_paint_name(v, &v->scene.panes[i], &names);
    flm_pixels_fill(area, bar, area->clip_top, width, area->clip_bottom, page);
}
