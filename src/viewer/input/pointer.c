/* pointer.c - the pointer, the wheel and two fingers.
 *
 *     press and release at one place     select; the second time in a row: zoom, and to all where
 *                                        nothing is
 *     drag in the flame                  pan, up and down too
 *     drag in the minimap                a range, which is zoomed to; inside the window: moves it
 *     drag in the timeline               a time, which is all that is shown then; in the chart,
 *                                        which is over time itself, as in the minimap
 *     drag in the heatmap                the same, from cell to cell; or a click on the first cell
 *                                        and one on the last
 *     click on a thread in the timeline  only that thread; with control: it as well
 *     click on the heading of a process  collapses it to one row of the flame chart, or opens it
 *     click on the name of a thread, or  all of its rows, or the first ones
 *     on "+143 rows"
 *     the other button, a long press     select, and the menu
 *     wheel, pinch                       zoom at the pointer; with shift, or sideways: pan; with
 *                                        alt: scroll
 *     wheel with control                 the pinch of a touchpad: browsers report it so */
#include <assert.h>
#include <math.h>

#include "viewer/heatmap_cursor.h"

/* A pointer that moved less than this has not been dragged: CSS px. */
#define CLICK_PX 4
#define SECOND_CLICK_MS 400

/* A wheel notch is about 100 px in browsers: 1.2 times nearer. Two fingers on a touchpad give a few
 * px at a time. */
#define WHEEL_GROWTH 0.0018
#define PINCH_GROWTH (5 * WHEEL_GROWTH)

static bool is_near(struct flm_viewer *v, double dx, double dy)
{
    double limit = CLICK_PX * v->scene.window.scale;
    return dx * dx + dy * dy < limit * limit;
}

/* e^x, good enough for a wheel: (1 + x/1024)^1024. */
static double grown(double x)
{
    double factor = 1 + fmin(fmax(x, -4), 4) / 1024;
    for (int i = 0; i < 10; i++)
        factor *= factor;
    return factor;
}

static double share_of(struct flm_area area, double x)
{
    double share = area.width > 0 ? (x - area.left) / area.width : 0;
    return fmin(fmax(share, 0), 1);
}

/* The place of the camera at a point of the minimap, which shows everything; or of the timeline,
 * which shows all of the time also where a flame chart has only a part of it. */
static double place_at(const struct flm_viewer *v, struct flm_area map, double x)
{
    if (flm_scene_is_over_time(&v->scene))
        return share_of(map, x) * flm_timeline_duration(&v->scene) - v->scene.threads.offset_ns;
    return share_of(map, x) * v->model.camera.total;
}

/* How much of it a pixel is. */
static double unit_of(const struct flm_viewer *v, struct flm_area map)
{
    double all = flm_scene_is_over_time(&v->scene) ? flm_timeline_duration(&v->scene)
                                                   : v->model.camera.total;
    return all / fmax(map.width, 1);
}

static void moved(struct flm_viewer *v)
{
    v->model.zoomed = (struct flm_node_ref){0, FLM_NONE};
    flm_changed(&v->model, FLM_ASPECT_CAMERA);
}

void flm_viewer_hover(struct flm_viewer *v, double x, double y)
{
    struct flm_node_ref ref = {0, FLM_NONE};
    struct flm_rectangle box = {0};
    if (flm_viewer_is_scrolling(v) || !flm_viewer_hit(v, x, y, &ref, &box))
        ref.number = FLM_NONE;
    bool same =
        flm_node_refs_equal(ref, v->input.hovered) && box.flags == v->input.hovered_box.flags;
    v->input.hovered_box = box;
    v->input.heat.has_cursor &= x == v->input.hover_x && y == v->input.hover_y;
    v->input.hover_x = x;
    v->input.hover_y = y;
    if (flm_node_ref_valid(ref))
        flm_changed(&v->model, FLM_ASPECT_POINTER); /* the tooltip follows it */
    if (flm_scene_is_over_time(&v->scene) || flm_heat_is_shown(&v->model, &v->scene))
        flm_changed(&v->model, FLM_ASPECT_HOVERED); /* and in a flame chart a line, or a cell */
    if (same)
        return;
    v->input.hovered = ref;
    flm_changed(&v->model, FLM_ASPECT_HOVERED);
}

/* The area of the pane nearest to a point, if several are side by side; else the whole area. */
static struct flm_area area_at(const struct flm_viewer *v, double x)
{
    struct flm_area area = flm_viewer_area(v);
    const struct flm_pane *found = NULL;
    for (uint32_t i = 0; i < v->scene.pane_count; i++)
        if (!found || x - area.left >= v->scene.panes[i].left_px)
            found = &v->scene.panes[i];
    if (found) {
        area.left += found->left_px;
        area.width = found->width_px;
    }
    return area;
}

/* The half of a sandwich under the pointer moves. */
static void turn_to_half_at(struct flm_viewer *v, double y)
{
    struct flm_area area = flm_viewer_area(v);
    double at = y - area.top + flm_camera_scroll(&v->model.camera, v->input.now_ms);
    if (y >= area.top && flm_scene_has_halves(&v->scene))
        flm_viewer_turn_to(v, at >= v->scene.panes[1].top_px);
}

/* ---- Pressing and dragging ------------------------------------------------------------------- */

static void press(struct flm_viewer *v, double x, double y)
{
    struct flm_drag *drag = &v->input.drag;
    turn_to_half_at(v, y);
    drag->kind = FLM_DRAG_PRESSED;
    drag->x = drag->last_x = x;
    drag->y = drag->last_y = y;
    drag->span = flm_viewer_span(v);
    drag->scroll_px = flm_camera_scroll(&v->model.camera, v->input.now_ms);
}

/* A press in the minimap takes hold of the window, where there is one; else it begins a range. */
static void begin_drag(struct flm_viewer *v)
{
    struct flm_drag *drag = &v->input.drag;
    struct flm_area map = flm_viewer_minimap(v);
    double total = v->model.camera.total, place = place_at(v, map, drag->x);
    bool whole = drag->span.left <= 0 && drag->span.right >= total;
    if (drag->y >= map.top + map.height)
        drag->kind = FLM_DRAG_PAN;
    else if (drag->y < map.top && !flm_scene_is_over_time(&v->scene))
        drag->kind = FLM_DRAG_RANGE;
    else if (!whole && place >= drag->span.left && place < drag->span.right)
        drag->kind = FLM_DRAG_WINDOW;
    else
        drag->kind = FLM_DRAG_BRUSH;
}

static void drag_on(struct flm_viewer *v, double x, double y)
{
    struct flm_drag *drag = &v->input.drag;
    drag->last_x = x;
    drag->last_y = y;
    if (drag->kind == FLM_DRAG_PRESSED && !is_near(v, x - drag->x, y - drag->y))
        begin_drag(v);
    if (drag->kind == FLM_DRAG_PRESSED)
        return;
    double width = drag->span.right - drag->span.left, by = 0;
    if (drag->kind == FLM_DRAG_PAN)
        by = -(x - drag->x) / fmax(area_at(v, drag->x).width, 1) * width;
    if (drag->kind == FLM_DRAG_WINDOW)
        by = (x - drag->x) * unit_of(v, flm_viewer_minimap(v));
    if (by != 0) {
        flm_camera_go(&v->model.camera,
                      (struct flm_span){drag->span.left + by, drag->span.right + by},
                      v->input.now_ms, 0);
        moved(v);
    }
    if (drag->kind == FLM_DRAG_PAN)
        flm_viewer_scroll(v, drag->scroll_px - (y - drag->y) - v->model.camera.scroll_to, 0);
    flm_changed(&v->model, FLM_ASPECT_DRAG);
}

/* Merged frames: zooms in until they are drawn one by one. */
static void zoom_to_box(struct flm_viewer *v, struct flm_node_ref ref,
                        const struct flm_rectangle *box)
{
    if (!(box->flags & FLM_RECTANGLE_MERGED)) {
        flm_viewer_zoom_to(v, ref);
        return;
    }
    struct flm_span span = flm_viewer_span(v);
    double unit = (span.right - span.left) / fmax(area_at(v, v->input.drag.x).width, 1);
    double left = span.left + box->x0 * unit, right = span.left + box->x1 * unit;
    flm_camera_go(&v->model.camera, (struct flm_span){left, right}, v->input.now_ms,
                  flm_viewer_glide_ms(v));
    moved(v);
}

static void report_error(struct flm_viewer *v, bool good, const struct flm_error *why)
{
    if (!good)
        flm_viewer_notify_error(v, why);
}

/* A click on a cell of the heatmap begins a range, or ends it. */
static void click_cell(struct flm_viewer *v, double x, double y)
{
    uint32_t cell = flm_heat_cell_at(&v->model, &v->scene, x, y, false);
    struct flm_error why = {0};
    if (cell != FLM_NONE)
        report_error(v, flm_heat_mark(v, cell, &why), &why);
}

/* On a thread's name; elsewhere it takes the selected time back. */
static void click_timeline(struct flm_viewer *v, double x, double y, unsigned held)
{
    int row = flm_timeline_row_at(&v->model, &v->scene, y);
    struct flm_span selected;
    struct flm_error why = {0};
    if (flm_timeline_is_name(&v->model, &v->scene, x, y)) {
        const struct flm_track *track = &v->scene.timeline.tracks.track[row - 1];
        bool only = !(held & (FLM_HELD_CONTROL | FLM_HELD_COMMAND));
        bool alone = only && flm_timeline_track_is_on(&v->model, &v->scene, track);
        report_error(v, flm_viewer_toggle_track(v, alone ? NULL : track, only, &why), &why);
    } else if (flm_timeline_selected(&v->model, &v->scene, &selected)) {
        report_error(v, flm_viewer_select_time(v, (struct flm_span){0, 0}, &why), &why);
    }
}

static void click(struct flm_viewer *v, double x, double y, unsigned held)
{
    struct flm_drag *drag = &v->input.drag;
    struct flm_area map = flm_viewer_minimap(v);
    struct flm_node_ref ref;
    struct flm_rectangle box;
    bool second = v->input.now_ms - drag->released_ms < SECOND_CLICK_MS &&
                  is_near(v, x - drag->released_x, y - drag->released_y);
    drag->released_ms = second ? -1e9 : v->input.now_ms;
    drag->released_x = x;
    drag->released_y = y;
    if (y < map.top && !flm_scene_is_over_time(&v->scene)) {
        if (flm_heat_is_shown(&v->model, &v->scene))
            click_cell(v, x, y);
        else
            click_timeline(v, x, y, held);
        return;
    }
    if (y < map.top + map.height) {
        struct flm_span span = flm_viewer_span(v);
        double width = span.right - span.left, middle = place_at(v, map, x);
        flm_camera_go(&v->model.camera, (struct flm_span){middle - width / 2, middle + width / 2},
                      v->input.now_ms, flm_viewer_glide_ms(v));
        moved(v);
        flm_viewer_history_push(v);
        return;
    }
    struct flm_area area = flm_viewer_area(v);
    double content = y - area.top + flm_camera_scroll(&v->model.camera, v->input.now_ms);
    const struct flm_pane *process =
        y >= area.top ? flm_threads_process_at(&v->scene, content) : NULL;
    if (process) {
        struct flm_error why = {0};
        report_error(v, flm_viewer_collapse(v, process, &why), &why);
        return;
    }
    const struct flm_pane *thread =
        y >= area.top ? flm_threads_deep_at(&v->scene, x, content) : NULL;
    if (thread) {
        struct flm_error why = {0};
        report_error(v, flm_viewer_expand(v, thread, &why), &why);
        return;
    }
    bool hit = flm_viewer_hit(v, x, y, &ref, &box);
    flm_viewer_select(v, hit ? ref : (struct flm_node_ref){0, FLM_NONE});
    v->model.selected_merged =
        hit && box.flags & FLM_RECTANGLE_MERGED ? box : (struct flm_rectangle){0};
    flm_viewer_history_replace(v);
    if (!second)
        return;
    if (hit)
        zoom_to_box(v, ref, &box);
    else
        flm_viewer_fit(v);
    flm_viewer_history_push(v);
}

static void release(struct flm_viewer *v, double x, double y, unsigned held)
{
    struct flm_drag *drag = &v->input.drag;
    struct flm_area map = flm_viewer_minimap(v);
    int kind = drag->kind;
    drag->kind = FLM_DRAG_NONE;
    if (kind == FLM_DRAG_PRESSED)
        click(v, x, y, held);
    if (kind == FLM_DRAG_BRUSH) {
        double a = place_at(v, map, drag->x), b = place_at(v, map, x);
        flm_camera_go(&v->model.camera, (struct flm_span){fmin(a, b), fmax(a, b)}, v->input.now_ms,
                      flm_viewer_glide_ms(v));
        moved(v);
    }
    if (kind == FLM_DRAG_RANGE && flm_heat_is_shown(&v->model, &v->scene)) {
        struct flm_error why = {0};
        report_error(v, flm_heat_drop(v, &why), &why);
    } else if (kind == FLM_DRAG_RANGE) {
        double a = share_of(map, drag->x), b = share_of(map, x);
        double duration = flm_timeline_duration(&v->scene);
        struct flm_span ns = {fmin(a, b) * duration, fmax(a, b) * duration};
        struct flm_error why = {0};
        report_error(v, flm_viewer_select_time(v, ns, &why), &why);
    } else if (kind >= FLM_DRAG_PAN)
        flm_viewer_history_push(v);
    flm_changed(&v->model, FLM_ASPECT_DRAG);
}

void flm_viewer_pointer(struct flm_viewer *v, enum flm_pointer_event event, double x, double y,
                        unsigned held, bool touch, double now_ms)
{
    assert(v && event >= FLM_POINTER_MOVE && event <= FLM_POINTER_MENU);
    v->input.now_ms = now_ms;
    struct flm_error why = {0};
    if (v->scene.pane_count == 0 && !flm_viewer_update(v, &why)) {
        flm_viewer_notify_error(v, &why);
        return;
    }
    switch (event) {
    case FLM_POINTER_DOWN:
        press(v, x, y);
        break;
    case FLM_POINTER_MOVE:
        if (v->input.drag.kind != FLM_DRAG_NONE)
            drag_on(v, x, y);
        if (!touch && v->input.drag.kind <= FLM_DRAG_PRESSED)
            flm_viewer_hover(v, x, y);
        break;
    case FLM_POINTER_UP:
        if (v->input.drag.kind != FLM_DRAG_NONE)
            release(v, x, y, held);
        break;
    case FLM_POINTER_LEAVE:
        if (v->input.drag.kind >= FLM_DRAG_PAN)
            flm_viewer_history_push(v);
        v->input.drag.kind = FLM_DRAG_NONE;
        flm_viewer_hover(v, -1, -1);
        break;
    case FLM_POINTER_MENU:
        v->input.drag.kind = FLM_DRAG_NONE;
        flm_viewer_hover(v, -1, -1);
        turn_to_half_at(v, y);
        flm_viewer_menu_at(v, x, y);
        break;
    }
}

/* ---- Wheel and fingers ----------------------------------------------------------------------- */

void flm_viewer_wheel(struct flm_viewer *v, double x, double y, double dx, double dy, unsigned held,
                      double now_ms)
{
    assert(v);
    struct flm_area map = flm_viewer_minimap(v);
    v->input.now_ms = now_ms;
    if (x < 0 || x >= v->scene.window.width || y < 0 || y >= v->scene.window.height)
        return;
    turn_to_half_at(v, y);
    if (held & FLM_HELD_ALT) {
        if (flm_scene_is_over_time(&v->scene) && !v->scene.window.is_cells)
            v->input.scrolled_ms = now_ms;
        flm_viewer_scroll(v, dy, 0);
    } else if (held & FLM_HELD_SHIFT || fabs(dx) > fabs(dy)) {
        double by = fabs(dx) > fabs(dy) ? dx : dy;
        flm_camera_pan(&v->model.camera, by / fmax(area_at(v, x).width, 1), now_ms, 0);
        moved(v);
    } else {
        double share = share_of(area_at(v, x), x);
        if (y < map.top + map.height) { /* in the minimap: around its position there */
            struct flm_span span = v->model.camera.to;
            double place = place_at(v, map, x);
            share = (place - span.left) / (span.right - span.left);
            share = fmin(fmax(share, 0), 1);
        }
        double growth = held & FLM_HELD_CONTROL ? PINCH_GROWTH : WHEEL_GROWTH;
        flm_camera_zoom(&v->model.camera, grown(-dy / v->scene.window.scale * growth), share,
                        now_ms, 0);
        moved(v);
    }
    flm_viewer_hover(v, x, y);
    flm_viewer_history_coalesce(v);
}

void flm_viewer_pinch(struct flm_viewer *v, double x, double y, double factor, double dx, double dy,
                      double now_ms)
{
    assert(v);
    struct flm_area area = area_at(v, x);
    v->input.now_ms = now_ms;
    turn_to_half_at(v, y);
    v->input.drag.kind = FLM_DRAG_NONE;
    if (factor > 0)
        flm_camera_zoom(&v->model.camera, factor, share_of(area, x), now_ms, 0);
    flm_camera_pan(&v->model.camera, -dx / fmax(area.width, 1), now_ms, 0);
    moved(v);
    flm_viewer_scroll(v, -dy, 0);
    flm_viewer_history_coalesce(v);
}
