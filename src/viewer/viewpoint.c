/* viewpoint.c - cameras and panes, points and refs, zooming and scrolling.
 *
 * The halves of a sandwich are two pictures, as in speedscope: each has a camera of its own,
 * because users study callers and callees one after the other, and a narrow caller has nothing to
 * do with the callees at the same offset. `camera` is that of the half used last, which keys and
 * the minimap move; `other_camera` that of the other one. They are scrolled together. */
#include <math.h>

#include "viewer/internal.h"
#include "viewer/scene/lanes.h"

static const struct flm_camera *camera_of(const struct flm_viewer *v, const struct flm_pane *pane)
{
    bool other = flm_scene_has_halves(&v->scene) && pane != &v->scene.panes[v->model.half];
    return other ? &v->model.other_camera : &v->model.camera;
}

void flm_viewer_turn_to(struct flm_viewer *v, uint32_t pane)
{
    if (!flm_scene_has_halves(&v->scene) || pane == v->model.half)
        return;
    struct flm_camera camera = v->model.camera;
    double scroll = camera.scroll_to; /* both are scrolled together */
    v->model.camera = v->model.other_camera;
    v->model.camera.scroll_from = v->model.camera.scroll_to = scroll;
    v->model.other_camera = camera;
    v->model.half = pane;
    v->model.zoomed = flm_node_ref_none();
    flm_changed(&v->model, FLM_ASPECT_HALF);
}

struct flm_span flm_viewer_span(const struct flm_viewer *v)
{
    return flm_camera_span(&v->model.camera, v->input.now_ms);
}

struct flm_span flm_viewer_time(const struct flm_viewer *v, struct flm_span span)
{
    double offset = v->scene.threads.offset_ns;
    return (struct flm_span){span.left + offset, span.right + offset};
}

/* The deepest node that everything seen is in: down from the root, into the child at the left edge
 * as long as it reaches the right one. A millionth of the window does not count: the camera glides,
 * and sums are rounded. */
static struct flm_node node_of_span(const struct flm_viewer *v, const struct flm_pane *pane,
                                    struct flm_span span)
{
    double slack = (span.right - span.left) * 1e-6;
    struct flm_viewport view = {.left = span.left + slack,
                                .right = span.right - slack,
                                .width_px = 1,
                                .level_count = UINT32_MAX};
    struct flm_node top = {0};
    struct flm_rectangle box;
    const struct flm_layout *layout = flm_scene_layout(&v->scene, pane);
    for (uint32_t level = 1; flm_layout_at(layout, &view, 0, level, &box); level++) {
        double offset = flm_layout_offset(layout, box.node);
        if (box.flags & FLM_RECTANGLE_MERGED || offset + box.total < view.right)
            break;
        top = box.node;
    }
    return top;
}

struct flm_node flm_viewer_top_node(const struct flm_viewer *v, const struct flm_pane *pane)
{
    return node_of_span(v, pane, flm_camera_span(camera_of(v, pane), v->input.now_ms));
}

struct flm_node flm_viewer_goal_node(const struct flm_viewer *v, const struct flm_pane *pane)
{
    return node_of_span(v, pane, camera_of(v, pane)->to);
}

/* For panes side by side: the same part of the same node is visible in both. */
static struct flm_span span_in_shared_layout(const struct flm_layout *layout,
                                             const struct flm_pane *pane, struct flm_node top,
                                             struct flm_span span)
{
    double offset = flm_layout_offset(layout, top), total = flm_layout_total(layout, top);
    double own_offset = flm_layout_offset(pane->layout, top);
    double own_total = flm_layout_total(pane->layout, top);
    double scale = total > 0 ? own_total / total : 0;
    return (struct flm_span){own_offset + (span.left - offset) * scale,
                             own_offset + (span.right - offset) * scale};
}

struct flm_viewport flm_viewer_viewport(const struct flm_viewer *v, const struct flm_pane *pane)
{
    struct flm_span span = flm_camera_span(camera_of(v, pane), v->input.now_ms);
    struct flm_node top = flm_viewer_top_node(v, pane);
    const struct flm_layout *layout = flm_scene_layout(&v->scene, pane);
    if (layout != pane->layout)
        span = span_in_shared_layout(layout, pane, top, span);
    return (struct flm_viewport){
        .left = span.left,
        .right = span.right,
        .width_px = pane->width_px,
        .min_width_px = v->scene.window.is_cells ? FLM_CELL_PX : v->scene.window.scale,
        .level_count = UINT32_MAX,
        .zoom_level = flm_layout_level(layout, top),
    };
}

bool flm_viewer_hit(struct flm_viewer *v, double x, double y, struct flm_node_ref *ref,
                    struct flm_rectangle *box)
{
    struct flm_area area = flm_viewer_area(v);
    uint32_t level;
    if (!flm_viewer_update(v, NULL) || y < area.top)
        return false;
    double scroll = flm_camera_scroll(&v->model.camera, v->input.now_ms);
    struct flm_pane *pane = flm_scene_pane_at(&v->scene, x - area.left, y - area.top, scroll,
                                              flm_viewer_row_px(v), &level);
    if (!pane)
        return false;
    const struct flm_pane *end = flm_lane_end(&v->scene, pane);
    struct flm_viewport view = flm_viewer_viewport(v, pane);
    double x_px = x - area.left - pane->left_px;
    while (pane < end && !flm_layout_at(pane->layout, &view, x_px, level, box))
        pane++;
    if (pane == end)
        return false;
    *ref =
        (struct flm_node_ref){(uint32_t)(pane - v->scene.panes), flm_pane_number(pane, box->node)};
    return true;
}

bool flm_viewer_place(struct flm_viewer *v, struct flm_node_ref ref, struct flm_area *box)
{
    if (!flm_node_ref_valid(ref) || ref.pane >= v->scene.pane_count)
        return false;
    const struct flm_pane *pane = &v->scene.panes[ref.pane];
    struct flm_node node = flm_pane_node(pane, ref.number);
    struct flm_viewport view = flm_viewer_viewport(v, pane);
    struct flm_area area = flm_viewer_area(v);
    double row = flm_viewer_row_px(v), offset, total;
    double scroll = flm_camera_scroll(&v->model.camera, v->input.now_ms);
    if (node.index == FLM_NONE || !(view.right > view.left) ||
        !flm_layout_extent(pane->layout, node, &offset, &total))
        return false;
    double top = flm_pane_row_px(pane, flm_layout_level(pane->layout, node), row) - scroll;
    double left = fmax(offset, view.left), right = fmin(offset + total, view.right);
    bool is_drawn = flm_layout_level(pane->layout, node) < pane->first_level + flm_pane_rows(pane);
    if (left > right || top + row <= 0 || top >= area.height || !is_drawn)
        return false;
    double px = pane->width_px / (view.right - view.left);
    *box = (struct flm_area){.left = area.left + pane->left_px + (left - view.left) * px,
                             .top = area.top + top,
                             .width = (right - left) * px,
                             .height = row};
    return true;
}

struct flm_node_ref flm_node_ref_of_number(const struct flm_viewer *v, double number)
{
    double pane = floor(number / 4294967296.0);
    if (!(number >= 0) || !(pane < v->scene.pane_count))
        return flm_node_ref_none();
    struct flm_node_ref ref = {(uint32_t)pane, (uint32_t)(number - pane * 4294967296.0)};
    const struct flm_pane *in = &v->scene.panes[ref.pane];
    struct flm_node node = flm_pane_node(in, ref.number);
    bool is_there = node.index != FLM_NONE && flm_layout_level(in->layout, node) != FLM_NONE;
    return is_there ? ref : flm_node_ref_none(); /* a node without a width is not drawn */
}

void flm_viewer_reveal(struct flm_viewer *v, struct flm_node_ref ref)
{
    if (!flm_node_ref_valid(ref))
        return;
    struct flm_pane *pane = &v->scene.panes[ref.pane];
    uint32_t level = flm_layout_level(pane->layout, flm_pane_node(pane, ref.number));
    struct flm_area area = flm_viewer_area(v);
    flm_viewer_expand_to(v, ref);
    double row = flm_viewer_row_px(v), y = flm_pane_row_px(pane, level, row);
    double scroll = v->model.camera.scroll_to;
    if (level == FLM_NONE || area.height < row)
        return;
    double margin = area.height < 3 * row ? 0 : row; /* shows its neighbors, too */
    if (y < scroll + margin)
        scroll = fmax(0, y - margin);
    if (y + row + margin > scroll + area.height)
        scroll = fmax(0, fmin(y + row + margin, v->scene.content_px) - area.height);
    if (scroll != v->model.camera.scroll_to)
        flm_camera_scroll_to(&v->model.camera, scroll, v->input.now_ms, flm_viewer_glide_ms(v));
}

void flm_viewer_zoom_to(struct flm_viewer *v, struct flm_node_ref ref)
{
    struct flm_span span = {0, v->model.camera.total};
    flm_viewer_turn_to(v, ref.pane);
    v->model.zoomed = flm_node_ref_none();
    if (flm_node_ref_valid(ref) && ref.pane < v->scene.pane_count) {
        const struct flm_pane *pane = &v->scene.panes[ref.pane];
        const struct flm_layout *layout = flm_scene_layout(&v->scene, pane);
        struct flm_node node = flm_pane_node(pane, ref.number);
        double total = flm_layout_total(layout, node);
        if (node.index != 0 && total > 0) {
            span.left = flm_layout_offset(layout, node);
            span.right = span.left + total;
            v->model.zoomed = ref;
        }
    }
    flm_camera_go(&v->model.camera, span, v->input.now_ms, flm_viewer_glide_ms(v));
    flm_viewer_reveal(v, v->model.zoomed);
    flm_changed(&v->model, FLM_ASPECT_ZOOM);
}

void flm_viewer_fit(struct flm_viewer *v)
{
    flm_viewer_zoom_to(v, (struct flm_node_ref){v->model.half, 0});
    flm_camera_go_share(&v->model.other_camera, (struct flm_span){0, 1}, v->input.now_ms,
                        flm_viewer_glide_ms(v));
    flm_camera_scroll_to(&v->model.camera, v->scene.home_px, v->input.now_ms,
                         flm_viewer_glide_ms(v));
}

bool flm_viewer_is_fit(const struct flm_viewer *v)
{
    const struct flm_camera *camera = &v->model.camera;
    struct flm_span other = flm_camera_share(&v->model.other_camera);
    if (flm_scene_has_halves(&v->scene) && (other.left > 0 || other.right < 1))
        return false;
    return camera->to.left <= 0 && camera->to.right >= camera->total &&
           camera->scroll_to == v->scene.home_px;
}

void flm_viewer_scroll(struct flm_viewer *v, double by_px, double duration_ms)
{
    double most = fmax(0, v->scene.content_px - flm_viewer_area(v).height);
    double to = fmin(fmax(v->model.camera.scroll_to + by_px, 0), most);
    if (to == v->model.camera.scroll_to)
        return;
    flm_camera_scroll_to(&v->model.camera, to, v->input.now_ms, duration_ms);
    flm_changed(&v->model, FLM_ASPECT_SCROLL);
}

/* As wide as a label needs. */
#define SHOWN_PX 40

void flm_viewer_show(struct flm_viewer *v, struct flm_node_ref ref)
{
    const struct flm_pane *pane = &v->scene.panes[ref.pane];
    const struct flm_layout *layout = flm_scene_layout(&v->scene, pane);
    struct flm_node node = flm_pane_node(pane, ref.number);
    double total = flm_layout_total(layout, node);
    double left = flm_layout_offset(layout, node), right = left + total;
    flm_viewer_turn_to(v, ref.pane);
    struct flm_span span = v->model.camera.to;
    double width = span.right - span.left, area = fmax(flm_viewer_area(v).width, 1);
    flm_viewer_reveal(v, ref);
    if (total <= 0 || (right > span.left && left < span.right && total / width * area >= 3))
        return;
    double wanted = fmin(width, total * area / (SHOWN_PX * v->scene.window.scale));
    double middle = left + total / 2;
    flm_camera_go(&v->model.camera, (struct flm_span){middle - wanted / 2, middle + wanted / 2},
                  v->input.now_ms, flm_viewer_glide_ms(v));
    v->model.zoomed = flm_node_ref_none();
    flm_changed(&v->model, FLM_ASPECT_CAMERA);
}
