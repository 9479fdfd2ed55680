/* painting.c - flm_viewer_paint: the minimap, and below it the boxes of every pane. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "draw/text/quantity.h"
#include "viewer/internal.h"
#include "viewer/paint/internal.h"
#include "viewer/scene/lanes.h"

/* How many occurrences may be visited in one frame to open callers: a few milliseconds. */
#define OPENING_BUDGET 200000

/* ---- Panes ----------------------------------------------------------------------------------- */

/* The levels of a pane that are in the window. */
static void clip_levels(const struct flm_pane *pane, double scroll, double height, double row,
                        struct flm_viewport *view)
{
    double levels = (double)pane->first_level + flm_pane_rows(pane);
    double first, last;
    if (pane->upwards) {
        double foot = pane->top_px + pane->height_px - scroll; /* of the lowest row drawn */
        first = floor((foot - height) / row);
        last = ceil(foot / row);
    } else {
        first = floor((scroll - pane->top_px) / row);
        last = ceil((scroll + height - pane->top_px) / row);
    }
    first = fmax(first, 0) + pane->first_level;
    last = fmin(last + pane->first_level, levels);
    view->first_level = (uint32_t)first;
    view->level_count = last > first ? (uint32_t)(last - first) : 0;
}

/* What is seen of a pane. */
static struct flm_viewport seen_of(const struct flm_viewer *v, const struct flm_pane *pane)
{
    struct flm_viewport view = flm_viewer_viewport(v, pane);
    clip_levels(pane, flm_painted_top(v), flm_painted_px(v), flm_viewer_row_px(v), &view);
    return view;
}

/* The boxes that are seen of a pane as it is. *narrowest receives how much a box at least has. */
static bool list_boxes(struct flm_viewer *v, struct flm_pane *pane, double *narrowest,
                       struct flm_error *why)
{
    struct flm_viewport view = seen_of(v, pane);
    if (pane->kind == FLM_PANE_CHART) { /* samples below a merged box are painted, too */
        view.level_count += view.first_level - pane->first_level;
        view.first_level = pane->first_level;
    }
    *narrowest = (view.right - view.left) / fmax(view.width_px, 1) * view.min_width_px;
    if (!flm_layout_rectangles(pane->layout, &view, &pane->drawn, why))
        return false;
    if (pane->kind == FLM_PANE_CHART)
        flm_chart_join(pane, v->scene.window.scale);
    return true;
}

/* Where a thread begins, with its name, in the content. */
static double begin_of(const struct flm_pane *pane)
{
    return pane->top_px - pane->header_px;
}

/* Of 500 threads most are not, and preparing to paint them all took a tenth of a frame. */
struct flm_in_window flm_panes_in_window(const struct flm_viewer *v)
{
    struct flm_in_window in = {0, v->scene.pane_count};
    if (!flm_scene_is_over_time(&v->scene))
        return in;
    double scroll = flm_painted_top(v), height = flm_painted_px(v);
    while (in.first + 1 < in.end && begin_of(&v->scene.panes[in.first + 1]) <= scroll)
        in.first++;
    in.first = v->scene.panes[in.first].lane_first;
    uint32_t next = in.first;
    while (next < in.end && begin_of(&v->scene.panes[next]) < scroll + height)
        next++;
    in.end = next;
    return in;
}

static bool is_near(const struct flm_viewer *v, const struct flm_pane *pane, double from, double to)
{
    double begin = begin_of(pane) - flm_camera_scroll(&v->model.camera, v->input.now_ms);
    return begin < to && begin + pane->header_px + pane->height_px > from;
}

bool flm_viewer_prepare(struct flm_viewer *v)
{
    if (!flm_scene_is_over_time(&v->scene) || !flm_viewer_is_updated(v))
        return false;
    double height = flm_viewer_area(v).height;
    struct flm_in_window in = flm_panes_in_window(v);
    struct flm_pane *first = v->scene.panes + in.first, *end = v->scene.panes + in.end, *pane;
    for (pane = end; pane < v->scene.panes + v->scene.pane_count; pane++)
        if (!is_near(v, pane, 0, 2 * height))
            break;
        else if (pane->is_pending)
            return flm_threads_open(&v->scene, pane, NULL);
    for (pane = first; pane-- > v->scene.panes && is_near(v, pane, -height, height);)
        if (pane->is_pending)
            return flm_threads_open(&v->scene, pane, NULL);
    return false;
}

/* The visible boxes of a pane. Callers are opened until all wide enough boxes exist, or until the
 * budget is used up. */
static bool find_boxes(struct flm_viewer *v, struct flm_pane *pane, struct flm_error *why)
{
    bool opened;
    double narrowest;
    if (!flm_threads_open(&v->scene, pane, why))
        return false;
    if (!list_boxes(v, pane, &narrowest, why) ||
        !flm_pane_open(pane, narrowest, OPENING_BUDGET, &opened, why))
        return false;
    if (!opened)
        return true;
    flm_viewer_arrange(v);
    if (!list_boxes(v, pane, &narrowest, why))
        return false;
    pane->incomplete = pane->incomplete || flm_pane_has_unopened(pane);
    return true;
}

/* Opened nodes move the panes below, and so their visible levels. */
static bool find_all(struct flm_viewer *v, struct flm_error *why)
{
    for (int round = 0; round < 2; round++) {
        double scroll = flm_camera_scroll(&v->model.camera, v->input.now_ms);
        struct flm_in_window in = flm_panes_in_window(v);
        for (uint32_t i = in.first; i < in.end; i++)
            if (!find_boxes(v, &v->scene.panes[i], why))
                return false;
        if (flm_camera_scroll(&v->model.camera, v->input.now_ms) == scroll)
            break;
    }
    return true;
}

/* Boxes of a comparison that are narrower have no hatching that is seen: in pixels. */
static double hatch_from(const struct flm_viewer *v, const struct flm_canvas *canvas)
{
    double gap = 1;
    return canvas->pixels ? (FLM_MARK_LEAST_WIDTH + gap) * v->scene.window.scale : FLM_CELL_PX;
}

static bool is_hatched(const struct flm_change *change)
{
    return !change->noise &&
           (change->kind == FLM_CHANGE_APPEARED || change->kind == FLM_CHANGE_DISAPPEARED);
}

/* A box within one that is counted too is part of its sum. */
static void count_unhatched(struct flm_viewer *v, const struct flm_pane *pane,
                            const struct flm_rectangle *r, double least_px)
{
    enum flm_change_scope scope = pane->compared->colors.scope;
    struct flm_change change = flm_compared_change(pane, r->node, scope);
    if (r->level < pane->first_level || r->node.index == 0 || !is_hatched(&change))
        return;
    struct flm_unhatched *sum = change.kind == FLM_CHANGE_APPEARED ? &v->paint.picture.appeared
                                                                   : &v->paint.picture.disappeared;
    struct flm_node parent = flm_layout_parent(pane->layout, r->node);
    bool is_within = false;
    if (scope == FLM_CHANGE_OF_SUBTREE && parent.index != FLM_NONE && parent.index != 0) {
        struct flm_change around = flm_compared_change(pane, parent, scope);
        double width = flm_layout_total(pane->layout, parent) * (r->x1 - r->x0) / r->total;
        is_within = is_hatched(&around) && around.kind == change.kind && width < least_px;
    }
    sum->count++;
    sum->sum += is_within ? 0 : change.after - change.before;
}

static void count_boxes(struct flm_viewer *v, const struct flm_pane *pane,
                        const struct flm_box_styles *styles, double hatch_from)
{
    uint32_t first = seen_of(v, pane).first_level;
    v->paint.picture.visited += pane->drawn.visited;
    for (size_t i = 0; i < pane->drawn.count; i++) {
        const struct flm_rectangle *r = &pane->drawn.at[i];
        if (r->level < first)
            continue;
        v->paint.picture.drawn++;
        if (r->flags & FLM_RECTANGLE_MERGED) {
            v->paint.picture.merged++;
            v->paint.picture.merged_total += r->total;
        } else if (styles->compared && r->x1 - r->x0 < hatch_from) {
            count_unhatched(v, pane, r, hatch_from);
        }
    }
}

/* Rows of a chart's samples, and the last one that was painted. */
struct samples {
    const struct flm_boxes *boxes;
    uint32_t level;
    int top, bottom;
};

static void paint_sample(void *context, uint32_t level, int left, int right, uint32_t rgb)
{
    struct samples *s = context;
    int origin = (int)s->boxes->left;
    if (level != s->level) {
        s->level = level;
        flm_boxes_row(s->boxes, level, &s->top, &s->bottom);
        s->bottom -= (int)s->boxes->gap;
    }
    flm_pixels_fill(s->boxes->pixels, origin + left, s->top, origin + right, s->bottom, rgb);
}

static void paint_samples(const struct flm_box_styles *styles, const struct flm_boxes *boxes)
{
    const struct flm_pane *pane = styles->pane;
    const struct flm_pixels *pixels = boxes->pixels;
    struct flm_viewport view = seen_of(styles->viewer, pane);
    struct samples samples = {.boxes = boxes, .level = FLM_NONE};
    for (size_t i = 0; i < pane->drawn.count; i++)
        if (pane->drawn.at[i].flags & FLM_RECTANGLE_MERGED)
            flm_samples_paint(styles, &view, &pane->drawn.at[i], pixels->clip_left - boxes->left,
                              pixels->clip_right - boxes->left, paint_sample, &samples);
}

/* Whether every row of the area belongs to one pane, which clears it: row by row. */
static bool is_alone(const struct flm_viewer *v)
{
    return v->scene.pane_count == 1 || flm_scene_is_over_time(&v->scene);
}

/* Whether the first of its lane has cleared its rows. */
static bool is_behind_another(const struct flm_pane *pane, uint32_t index)
{
    return pane->lane_count > 1 && pane->lane_first != index;
}

/* What is below the boxes of a flame chart: the page, and the lines of the ruler's ticks. */
struct ground {
    struct flm_viewer *viewer;
    const struct flm_canvas *canvas;
};

static void paint_ground(void *context, int top, int bottom)
{
    const struct ground *g = context;
    const struct flm_pixels *panes = g->canvas->pixels;
    struct flm_pixels rows =
        flm_pixels_clipped(*panes, panes->clip_left, top, panes->clip_right, bottom);
    flm_pixels_fill(g->canvas->with_gutter, 0, top, (int)panes->width, bottom,
                    flm_page_colors(&g->viewer->paint.theme).page);
    flm_threads_paint_grid(g->viewer, &rows);
}

/* The part of the window that is a thread's: all of it belongs to one, or to a lane. */
static struct flm_pixels pixels_of_thread(const struct flm_viewer *v, const struct flm_pane *pane,
                                          struct flm_in_window in, const struct flm_pixels *panes)
{
    double origin = flm_viewer_area(v).top - flm_camera_scroll(&v->model.camera, v->input.now_ms);
    int top = panes->clip_top, bottom = panes->clip_bottom;
    const struct flm_pane *next = flm_lane_end(&v->scene, pane);
    if (begin_of(pane) > begin_of(&v->scene.panes[in.first]))
        top = (int)(origin + begin_of(pane));
    if (next < v->scene.panes + in.end)
        bottom = (int)(origin + begin_of(next));
    return flm_pixels_clipped(*panes, panes->clip_left, top, panes->clip_right, bottom);
}

static bool paint_pane(struct flm_viewer *v, uint32_t index, struct flm_in_window in,
                       const struct flm_canvas *canvas, double scroll, struct flm_error *why)
{
    struct flm_pane *pane = &v->scene.panes[index];
    struct flm_box_styles styles;
    if (!flm_box_styles_init(&styles, v, index, why))
        return false;
    if (v->paint.scrolled.band_px == 0) /* the status tells of whole pictures */
        count_boxes(v, pane, &styles, hatch_from(v, canvas));
    struct flm_area area = flm_viewer_area(v);
    double row = flm_viewer_row_px(v);
    struct flm_boxes boxes = {
        .pixels = canvas->pixels,
        .left = area.left + pane->left_px,
        .upwards = pane->upwards,
        .row_height = row,
        .gap = round(v->scene.window.scale),
        .scale = v->scene.window.scale,
        .background = flm_page_colors(&v->paint.theme).page,
        .clears = is_alone(v) && !is_behind_another(pane, index),
        .text = flm_page_colors(&v->paint.theme).text,
        .atlas = v->paint.atlas,
        .style = flm_box_styles_apply,
        .context = &styles,
    };
    boxes.top = area.top - scroll + flm_pane_row_px(pane, 0, row) + (pane->upwards ? row : 0);
    struct flm_pixels thread;
    struct ground ground = {v, canvas};
    if (canvas->pixels && flm_scene_is_over_time(&v->scene)) {
        thread = pixels_of_thread(v, pane, in, canvas->pixels);
        boxes.pixels = &thread;
        boxes.ground = paint_ground;
        boxes.ground_context = &ground;
    }
    canvas->draw(canvas, &boxes, &styles);
    flm_box_styles_clear(&styles);
    return true;
}

static double clock_of(const struct flm_viewer *v)
{
    return v->paint.clock_ms ? v->paint.clock_ms() : 0;
}

static bool paint_all(struct flm_viewer *v, const struct flm_canvas *canvas, bool *more,
                      struct flm_error *why)
{
    double begun = clock_of(v);
    if (!find_all(v, why))
        return false;
    v->paint.picture.layout_ms = clock_of(v) - begun;
    double scroll = flm_camera_scroll(&v->model.camera, v->input.now_ms);
    if (v->paint.scrolled.band_px == 0) {
        v->paint.picture.visited = v->paint.picture.drawn = v->paint.picture.merged = 0;
        v->paint.picture.merged_total = 0;
        v->paint.picture.appeared = v->paint.picture.disappeared = (struct flm_unhatched){0, 0};
    }
    *more = flm_camera_moves(&v->model.camera, v->input.now_ms) ||
            flm_camera_moves(&v->model.other_camera, v->input.now_ms);
    struct flm_in_window in = flm_panes_in_window(v);
    for (uint32_t i = in.first; i < in.end; i++) {
        if (!paint_pane(v, i, in, canvas, scroll, why))
            return false;
        *more = *more || v->scene.panes[i].incomplete;
    }
    flm_changed(&v->model, FLM_ASPECT_DRAWN);
    return true;
}

bool flm_canvas_paint(struct flm_viewer *v, const struct flm_canvas *canvas, bool *more)
{
    assert(v->scene.view && canvas->draw && more);
    struct flm_error why = {0};
    if (paint_all(v, canvas, more, &why))
        return true;
    flm_viewer_notify_error(v, &why);
    flm_viewer_drop_scene(v);
    return false;
}

/* ---- The minimap ----------------------------------------------------------------------------- */

static uint32_t version_of_minimap(const struct flm_viewer *v)
{
    return flm_version_of(&v->model.versions, FLM_OF(SHOWN) | FLM_OF(METRIC) | FLM_OF(SCENE) |
                                                  FLM_OF(VIEW) | FLM_OF(COLORS) | FLM_OF(SEARCHES) |
                                                  FLM_OF(HALF) | FLM_OF(WINDOW));
}

/* All of the first pane, or of the half in hand, as many levels as it has pixels. Its picture is
 * kept: it changes with the scene, not with the camera. Behind it is the same once more, paler:
 * what is out of the window. */
static bool make_minimap(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_area map = flm_viewer_minimap(v);
    const struct flm_pane *pane = &v->scene.panes[v->model.half];
    const struct flm_layout *layout = flm_scene_layout(&v->scene, pane);
    uint32_t width = v->scene.window.width, height = (uint32_t)map.height;
    size_t size = (size_t)width * height;
    if (!v->paint.minimap)
        v->paint.minimap = malloc(2 * size * sizeof *v->paint.minimap);
    if (!v->paint.minimap)
        return flm_error_memory(why);
    struct flm_pixels pixels = flm_pixels_of(v->paint.minimap, width, height);
    struct flm_pixels pale = flm_pixels_of(v->paint.minimap + size, width, height);
    uint32_t page = flm_page_colors(&v->paint.theme).page;
    flm_pixels_fill(&pixels, 0, 0, (int)width, (int)height, page);
    uint32_t levels = flm_layout_level_count(layout) - pane->first_level;
    double row = fmin(fmax(1, floor((map.height - 4) / fmax(levels, 1))),
                      fmax(1, round(3 * v->scene.window.scale)));
    struct flm_viewport view = {
        .left = 0,
        .right = v->scene.total,
        .width_px = map.width,
        .min_width_px = 1,
        .first_level = pane->first_level,
        .level_count = (uint32_t)(fmax(map.height - 4, 0) / row),
    };
    struct flm_rectangles list = {0};
    struct flm_box_styles styles;
    if (!flm_layout_rectangles(layout, &view, &list, why) ||
        !flm_box_styles_init(&styles, v, v->model.half, why)) {
        flm_rectangles_clear(&list);
        return false;
    }
    styles.zoom_level = 0;
    styles.hovered = NULL;
    styles.noted = NULL;
    struct flm_boxes boxes = {
        .pixels = &pixels,
        .left = map.left,
        .top =
            pane->upwards ? map.height - 2 + pane->first_level * row : 2 - pane->first_level * row,
        .upwards = pane->upwards,
        .row_height = row,
        .scale = v->scene.window.scale,
        .background = page,
        .style = flm_box_styles_apply,
        .context = &styles,
    };
    flm_boxes_draw(&boxes, &list);
    flm_box_styles_clear(&styles);
    flm_rectangles_clear(&list);
    memcpy(pale.at, pixels.at, size * sizeof *pale.at);
    flm_pixels_blend(&pale, 0, 0, (int)width, (int)height, page, 190);
    v->paint.minimap_from = version_of_minimap(v);
    return true;
}

/* Columns [left, right) as they are, the others paler. */
static void copy_minimap(const struct flm_viewer *v, struct flm_pixels *pixels, int left, int right)
{
    struct flm_area map = flm_viewer_minimap(v);
    size_t width = v->scene.window.width, size = width * (size_t)map.height;
    size_t from = left > 0 ? (size_t)left : 0, to = right > 0 ? (size_t)right : 0;
    to = to < width ? to : width;
    from = from < to ? from : to;
    for (uint32_t y = 0; y < (uint32_t)map.height && map.top + y < pixels->height; y++) {
        const uint32_t *row = v->paint.minimap + y * width, *pale = row + size;
        uint32_t *at = pixels->at + ((uint32_t)map.top + y) * width;
        memcpy(at, pale, from * sizeof *at);
        memcpy(at + from, row + from, (to - from) * sizeof *at);
        memcpy(at + to, pale + to, (width - to) * sizeof *at);
    }
}

static void paint_minimap(struct flm_viewer *v, struct flm_pixels *pixels)
{
    struct flm_area map = flm_viewer_minimap(v);
    struct flm_page_colors colors = flm_page_colors(&v->paint.theme);
    int height = (int)map.height, width = (int)v->scene.window.width;
    if (height == 0)
        return;
    struct flm_error why = {0};
    if ((v->paint.minimap_from != version_of_minimap(v) || !v->paint.minimap) &&
        !make_minimap(v, &why)) {
        flm_viewer_notify_error(v, &why);
        return;
    }
    int top = (int)map.top, bottom = top + height, left = 0, right = width;
    struct flm_span span = flm_viewer_span(v);
    double total = v->model.camera.total;
    int thin = (int)fmax(1, v->scene.window.scale);
    bool has_window = total > 0 && (span.left > 0 || span.right < total);
    if (has_window) {
        /* A state has 15 digits of the span: what is on the edge of a pixel stays there. */
        left = (int)floor(map.left + span.left / total * map.width + 1e-6);
        right = (int)ceil(map.left + span.right / total * map.width - 1e-6);
        right = right < left + 2 * thin ? left + 2 * thin : right;
    }
    copy_minimap(v, pixels, left, right);
    if (has_window)
        flm_pixels_outline(pixels, left, top, right, bottom - thin, thin, colors.accent);
    if (v->input.drag.kind == FLM_DRAG_BRUSH) {
        double a_px = fmin(v->input.drag.x, v->input.drag.last_x),
               b_px = fmax(v->input.drag.x, v->input.drag.last_x);
        int a = (int)fmax(a_px, 0), b = (int)fmin(fmax(b_px, 0), width);
        flm_pixels_blend(pixels, a, top, b + 1, bottom, colors.accent, 60);
    }
    flm_pixels_fill(pixels, 0, bottom - thin, width, bottom, colors.line);
}

/* A thin bar at the right where there is more above or below. */
static void paint_scrollbar(struct flm_viewer *v, struct flm_pixels *pixels, double scroll)
{
    struct flm_area area = flm_viewer_area(v);
    double content = v->scene.content_px;
    if (content <= area.height || area.height <= 0)
        return;
    double size = fmax(24 * v->scene.window.scale, area.height * area.height / content);
    double at = scroll / (content - area.height) * (area.height - size);
    int right = (int)v->scene.window.width - (int)v->scene.window.scale,
        left = right - (int)round((FLM_SCROLLBAR_PX - 1) * v->scene.window.scale);
    flm_pixels_blend(pixels, left, (int)(area.top + at), right, (int)(area.top + at + size),
                     flm_page_colors(&v->paint.theme).muted, 120);
}

/* Updates the hovered frame when the picture moves under a pointer that does not. */
static void point_again(struct flm_viewer *v)
{
    struct flm_node_ref ref = {0, FLM_NONE};
    struct flm_rectangle box;
    if (flm_viewer_is_scrolling(v) || v->input.hover_x < 0 || v->input.hover_y < 0 ||
        v->input.drag.kind != FLM_DRAG_NONE)
        return;
    if (!flm_viewer_hit(v, v->input.hover_x, v->input.hover_y, &ref, &box))
        ref.number = FLM_NONE;
    if (!flm_node_refs_equal(ref, v->input.hovered))
        flm_viewer_hover(v, v->input.hover_x, v->input.hover_y);
}

bool flm_canvas_begin(struct flm_viewer *v, double now_ms)
{
    v->input.now_ms = now_ms;
    struct flm_error why = {0};
    if (!flm_viewer_update(v, &why))
        flm_viewer_notify_error(v, &why);
    bool has_boxes = flm_viewer_is_updated(v) && v->scene.pane_count > 0;
    if (has_boxes)
        point_again(v);
    v->paint.painted_from = flm_viewer_version(v, FLM_GROUP_PICTURE);
    return has_boxes;
}

static void draw_pixels(const struct flm_canvas *canvas, const struct flm_boxes *boxes,
                        struct flm_box_styles *styles)
{
    const struct flm_pane *pane = styles->pane;
    flm_boxes_draw(boxes, &pane->drawn);
    if (pane->kind == FLM_PANE_CHART) {
        paint_samples(styles, boxes);
        flm_boxes_draw_joined(boxes, &pane->drawn);
        flm_threads_paint_strip(styles->viewer, pane, canvas->pixels);
        flm_threads_paint_name(styles->viewer, pane, canvas->with_gutter);
    }
}

bool flm_viewer_paint(struct flm_viewer *v, struct flm_pixels *pixels, double now_ms)
{
    assert(v && pixels && (pixels->at || pixels->width == 0 || pixels->height == 0));
    bool more = false;
    double begun = clock_of(v);
    bool has_boxes = flm_canvas_begin(v, now_ms);
    if (v->model.view->hides_picture) {
        /* A hidden picture is not painted, and not scrolled later. */
        v->paint.scrolled.at = NULL;
        return false;
    }
    struct flm_area area = flm_viewer_area(v);
    int cleared = has_boxes && is_alone(v) ? (int)area.top : (int)pixels->height;
    flm_pixels_fill(pixels, 0, 0, (int)pixels->width, cleared,
                    flm_page_colors(&v->paint.theme).page);
    if (!has_boxes)
        return false;
    int bottom = (int)(area.top + area.height), width = (int)v->scene.window.width;
    struct flm_pixels all = flm_pixels_clipped(*pixels, 0, (int)area.top, width, bottom);
    enum flm_scroll_copy copied = flm_scrolled_copy(v, &all);
    struct flm_scrolled *scrolled = &v->paint.scrolled;
    struct flm_pixels with_gutter = all;
    if (copied == FLM_COPY_PART)
        with_gutter = flm_pixels_clipped(all, 0, (int)(area.top + scrolled->band_top), width,
                                         (int)(area.top + scrolled->band_top + scrolled->band_px));
    struct flm_pixels panes =
        flm_pixels_clipped(with_gutter, (int)flm_scene_gutter_px(&v->scene), 0, width, bottom);
    struct flm_canvas canvas = {.pixels = &panes, .with_gutter = &with_gutter, .draw = draw_pixels};
    bool is_painted = copied == FLM_COPY_ALL || flm_canvas_paint(v, &canvas, &more);
    if (copied != FLM_COPY_NONE)
        flm_scrolled_finish(v, &all);
    if (!is_painted) {
        flm_pixels_fill(&all, 0, (int)area.top, width, bottom,
                        flm_page_colors(&v->paint.theme).page);
        return false;
    }
    if (flm_scene_is_over_time(&v->scene)) {
        flm_event_tracks_paint(v, pixels);
        flm_threads_paint_ruler(v, pixels);
    }
    paint_scrollbar(v, &all, flm_camera_scroll(&v->model.camera, now_ms));
    paint_minimap(v, pixels);
    flm_timeline_paint(v, pixels);
    v->paint.picture.paint_ms = clock_of(v) - begun - v->paint.picture.layout_ms;
    return more;
}
