#include "view/viewer.h"

#include <math.h>
#include <stdlib.h>

#include "view/parts.h"
#include "view/state.h"

static const struct flm_spot no_spot = {0, FLM_NONE};

/* ---- Life ---------------------------------------------------------------------------------------
 */

struct flm_viewer *flm_viewer_new(struct flm_error *why)
{
    struct flm_viewer *v = calloc(1, sizeof *v);
    if (!v) {
        flm_error_memory(why);
        return NULL;
    }
    v->scale = 1;
    v->hovered = v->selected = v->zoomed = no_spot;
    v->hover_x = v->hover_y = -1;
    v->wheel_ms = v->drag.released_ms = FLM_LONG_AGO_MS;
    v->atlas = flm_atlas_new(FLM_FONT_PX, why);
    if (v->atlas)
        return v;
    free(v);
    return NULL;
}

static void forget_coloring(struct flm_viewer *v)
{
    flm_coloring_clear(&v->coloring);
    free(v->second_total);
    v->second_total = NULL;
    v->is_colored = false;
    v->has_legend = false;
}

void flm_viewer_free(struct flm_viewer *v)
{
    if (!v)
        return;
    flm_figures_clear(&v->figures);
    flm_scene_clear(&v->scene);
    flm_searches_clear(&v->searches);
    flm_operations_clear(&v->operations);
    flm_comparing_clear(&v->comparing);
    flm_history_clear(&v->history);
    for (int side = 0; side < 2; side++) {
        flm_profile_free(v->opened[side]);
        free(v->name[side]);
    }
    struct flm_text *texts[] = {&v->focus, &v->sort,        &v->copied,
                                &v->asked, &v->source_link, &v->color_with};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        flm_text_clear(texts[i]);
    flm_atlas_free(v->atlas);
    forget_coloring(v);
    flm_timeline_clear(&v->timeline);
    free(v->minimap);
    free(v);
}

static char *copy_name(const char *name)
{
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, name, size);
    return copy;
}

bool flm_viewer_take(struct flm_viewer *v, enum flm_viewer_side side, struct flm_profile *profile,
                     const char *name, struct flm_error *why)
{
    struct flm_text state = {0};
    char *copy = copy_name(name);
    flm_state_write(v, &state);
    bool good = copy && !state.failed;
    if (!good)
        flm_error_memory(why);
    flm_viewer_leave(v);
    struct flm_profile *earlier = v->opened[side];
    v->opened[side] = profile;
    good = good && flm_comparing_open(v, why);
    if (!good) {
        v->opened[side] = earlier;
        flm_profile_free(profile);
        free(copy);
        flm_text_clear(&state);
        return false;
    }
    flm_profile_free(earlier);
    free(v->name[side]);
    v->name[side] = copy;
    if (side == FLM_VIEWER_BEFORE && v->view == FLM_VIEW_FLAME)
        flm_text_puts(&state, state.size ? "&view=compare" : "view=compare");
    good = flm_state_read(v, (struct flm_bytes){state.at, state.size}, why);
    flm_text_clear(&state);
    flm_viewer_did(v);
    return good;
}

/* ---- What follows from what ---------------------------------------------------------------------
 */

void flm_viewer_forget_scene(struct flm_viewer *v)
{
    v->scene_is_stale = true;
    v->has_legend = false;
    v->minimap_is_stale = true;
    v->hovered = no_spot;
    v->changed |= FLM_CHANGED_PICTURE | FLM_CHANGED_HOVER | FLM_CHANGED_DETAIL | FLM_CHANGED_TOOLS |
                  FLM_CHANGED_TABLES | FLM_CHANGED_STATUS | FLM_CHANGED_STATE;
}

static void forget_shown(struct flm_viewer *v)
{
    flm_figures_clear(&v->figures);
    forget_coloring(v);
    flm_viewer_forget_scene(v);
    v->changed |= FLM_CHANGED_CHIPS | FLM_CHANGED_TRACKS;
}

void flm_viewer_forget_measures(struct flm_viewer *v)
{
    flm_figures_forget_measures(&v->figures);
    flm_timeline_clear(&v->timeline);
    flm_viewer_forget_scene(v);
}

void flm_viewer_forget_colors(struct flm_viewer *v)
{
    forget_coloring(v);
    v->minimap_is_stale = true;
    v->changed |= FLM_CHANGED_PICTURE | FLM_CHANGED_TOOLS | FLM_CHANGED_STATUS;
}

/* Totals of the metric whose name is given. */
static bool total_second(struct flm_viewer *v, const struct flm_profile *p, struct flm_error *why)
{
    struct flm_bytes name = {v->color_with.at, v->color_with.size};
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        if (!flm_bytes_equal(flm_string_bytes(p, p->metrics[m].name), name))
            continue;
        v->second_total = malloc(p->sizes.node_count * sizeof *v->second_total);
        if (!v->second_total)
            return flm_error_memory(why);
        flm_profile_totals(p, m, v->second_total);
    }
    return true;
}

bool flm_viewer_color(struct flm_viewer *v, struct flm_error *why)
{
    const struct flm_profile *p = flm_viewer_shown(v);
    struct flm_bytes rules = {v->color_with.at, v->color_with.size};
    if (v->is_colored)
        return true;
    if (v->color_mode != FLM_COLOR_RULES)
        rules.size = 0;
    if (!flm_coloring_init(&v->coloring, p, v->color_mode, rules, why) ||
        (v->color_mode == FLM_COLOR_METRIC && !total_second(v, p, why))) {
        forget_coloring(v);
        return false;
    }
    v->is_colored = true;
    return true;
}

/* Places stay what they are by their path. */
static struct flm_place place_now(const struct flm_viewer *v)
{
    struct flm_place place = {.is = true, .share = {0, 1}};
    bool was = v->scene.strip_count > 0;
    place.selected = flm_scene_path(&v->scene, v->selected);
    place.zoomed = flm_scene_path(&v->scene, v->zoomed);
    place.rows = flm_viewer_rows(v);
    if (was && v->camera.total > 0)
        place.share = (struct flm_span){v->camera.to.left / v->camera.total,
                                        v->camera.to.right / v->camera.total};
    return place;
}

void flm_viewer_leave(struct flm_viewer *v)
{
    if (!v->left.is)
        v->left = place_now(v);
    flm_scene_clear(&v->scene);
    flm_searches_open(&v->searches, NULL, NULL);
    v->selected = v->zoomed = v->hovered = no_spot;
    forget_shown(v);
}

static bool rebuild(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_place place = v->left.is ? v->left : place_now(v);
    uint64_t selected = place.selected, zoomed = place.zoomed;
    struct flm_span share = place.share;
    if (!flm_scene_build(v, &v->scene, why))
        return false;
    v->selected_run = (struct flm_rectangle){0};
    v->scene_is_stale = v->left.is = false;
    double total = v->scene.total;
    flm_camera_init(&v->camera, total);
    v->selected = flm_scene_spot(&v->scene, selected);
    v->zoomed = no_spot;
    struct flm_area area = flm_viewer_area(v);
    flm_scene_place(&v->scene, area.width, area.height, flm_viewer_row_px(v));
    flm_viewer_scroll_rows(v, place.rows);
    struct flm_spot spot = flm_scene_spot(&v->scene, zoomed);
    if (flm_spot_is(spot))
        flm_viewer_zoom_to(v, spot);
    else if (zoomed == 0)
        flm_camera_go(&v->camera, (struct flm_span){share.left * total, share.right * total},
                      v->now_ms, 0);
    v->camera.duration_ms = 0;
    return true;
}

bool flm_viewer_settle(struct flm_viewer *v, struct flm_error *why)
{
    const struct flm_profile *p = flm_viewer_shown(v);
    if (!p || !v->scene_is_stale)
        return true;
    v->metric = flm_comparing_metric(v, v->metric);
    return flm_timeline_make(v, why) && flm_searches_open(&v->searches, p, why) && rebuild(v, why);
}

/* ---- The window ---------------------------------------------------------------------------------
 */

double flm_viewer_row_px(const struct flm_viewer *v)
{
    return v->is_cells ? FLM_CELL_HEIGHT_PX : round((FLM_ROW_PX + 1) * v->scale);
}

double flm_viewer_glide_ms(const struct flm_viewer *v)
{
    return v->theme.still ? 0 : FLM_GLIDE_MS;
}

struct flm_area flm_viewer_minimap(const struct flm_viewer *v)
{
    if (v->is_cells)
        return (struct flm_area){0, 0, v->width, 0};
    double margin = round(FLM_MARGIN_PX * v->scale);
    double height = v->view == FLM_VIEW_CHART ? 0 : round(FLM_MINIMAP_PX * v->scale);
    return (struct flm_area){margin, flm_timeline_height(v), fmax(0, v->width - 2 * margin),
                             height};
}

struct flm_area flm_viewer_area(const struct flm_viewer *v)
{
    struct flm_area map = flm_viewer_minimap(v);
    double top = map.top + map.height;
    return (struct flm_area){map.left, top, map.width, fmax(0, v->height - top)};
}

void flm_viewer_resize(struct flm_viewer *v, uint32_t width, uint32_t height, double scale)
{
    double rows = flm_viewer_rows(v);
    if (scale != v->scale) {
        struct flm_atlas *atlas = flm_atlas_new(FLM_FONT_PX * scale, NULL);
        if (atlas) {
            flm_atlas_free(v->atlas);
            v->atlas = atlas;
            v->scale = scale;
        }
    }
    v->width = width;
    v->height = height;
    free(v->minimap);
    v->minimap = NULL;
    v->minimap_is_stale = true;
    struct flm_area area = flm_viewer_area(v);
    flm_scene_place(&v->scene, area.width, area.height, flm_viewer_row_px(v));
    flm_viewer_scroll_rows(v, rows);
    v->changed |= FLM_CHANGED_PICTURE;
}

bool flm_viewer_open(struct flm_viewer *v, struct flm_spot spot, struct flm_error *why)
{
    bool good = flm_strip_open_one(&v->scene.strips[spot.strip], spot.number, why);
    flm_viewer_place(v);
    return good;
}

double flm_viewer_rows(const struct flm_viewer *v)
{
    return v->scene.strip_count == 0
               ? 0
               : round(v->camera.scroll_to - v->scene.home_px) / flm_viewer_row_px(v);
}

void flm_viewer_scroll_rows(struct flm_viewer *v, double rows)
{
    double most = fmax(0, v->scene.content_px - flm_viewer_area(v).height);
    double to = round(v->scene.home_px + rows * flm_viewer_row_px(v));
    flm_camera_shift(&v->camera, fmax(0, fmin(to, most)) - v->camera.scroll_to);
}

void flm_viewer_place(struct flm_viewer *v)
{
    double rows = flm_viewer_rows(v);
    struct flm_area area = flm_viewer_area(v);
    flm_scene_place(&v->scene, area.width, area.height, flm_viewer_row_px(v));
    flm_viewer_scroll_rows(v, rows);
}

void flm_viewer_resize_cells(struct flm_viewer *v, int columns, int rows)
{
    v->is_cells = true;
    flm_viewer_resize(v, (uint32_t)columns * FLM_CELL_PX, (uint32_t)rows * FLM_CELL_HEIGHT_PX, 1);
}

void flm_viewer_clock(struct flm_viewer *v, double (*clock_ms)(void))
{
    v->clock_ms = clock_ms;
}

void flm_viewer_theme(struct flm_viewer *v, const struct flm_theme *theme)
{
    v->theme = *theme;
    v->minimap_is_stale = true;
    v->changed |= FLM_CHANGED_PICTURE;
}

struct flm_atlas *flm_viewer_atlas(struct flm_viewer *v)
{
    return v->atlas;
}

unsigned flm_viewer_changes(struct flm_viewer *v)
{
    unsigned changed = v->changed;
    v->changed = 0;
    return changed;
}

/* ---- Places -------------------------------------------------------------------------------------
 */

struct flm_span flm_viewer_span(const struct flm_viewer *v)
{
    return flm_camera_span(&v->camera, v->now_ms);
}

/* The deepest node that everything seen is in: down from the root, into the child at the left edge
 * as long as it reaches the right one. A millionth of the window does not count: the camera glides,
 * and sums are rounded. */
static struct flm_node node_of_span(const struct flm_viewer *v, const struct flm_strip *strip,
                                    struct flm_span span)
{
    double slack = (span.right - span.left) * 1e-6;
    struct flm_viewport view = {.left = span.left + slack,
                                .right = span.right - slack,
                                .width_px = 1,
                                .level_count = UINT32_MAX};
    struct flm_node top = {0};
    struct flm_rectangle box;
    const struct flm_layout *places = flm_scene_places(&v->scene, strip);
    for (uint32_t level = 1; flm_layout_at(places, &view, 0, level, &box); level++) {
        double offset = flm_layout_offset(places, box.node);
        if (box.flags & FLM_RECTANGLE_RUN || offset + box.total < view.right)
            break;
        top = box.node;
    }
    return top;
}

struct flm_node flm_viewer_top_node(const struct flm_viewer *v, const struct flm_strip *strip)
{
    return node_of_span(v, strip, flm_viewer_span(v));
}

struct flm_node flm_viewer_goal_node(const struct flm_viewer *v, const struct flm_strip *strip)
{
    return node_of_span(v, strip, v->camera.to);
}

/* Of a strip beside another: what of it is seen is the same part of the same node. */
static struct flm_span span_beside(const struct flm_layout *places, const struct flm_strip *strip,
                                   struct flm_node top, struct flm_span span)
{
    double offset = flm_layout_offset(places, top), total = flm_layout_total(places, top);
    double own_offset = flm_layout_offset(strip->layout, top);
    double own_total = flm_layout_total(strip->layout, top);
    double scale = total > 0 ? own_total / total : 0;
    return (struct flm_span){own_offset + (span.left - offset) * scale,
                             own_offset + (span.right - offset) * scale};
}

struct flm_viewport flm_viewer_viewport(const struct flm_viewer *v, const struct flm_strip *strip)
{
    struct flm_span span = flm_viewer_span(v);
    struct flm_node top = flm_viewer_top_node(v, strip);
    const struct flm_layout *places = flm_scene_places(&v->scene, strip);
    if (places != strip->layout)
        span = span_beside(places, strip, top, span);
    return (struct flm_viewport){
        .left = span.left,
        .right = span.right,
        .width_px = strip->width_px,
        .min_width_px = v->is_cells ? FLM_CELL_PX : v->scale,
        .level_count = UINT32_MAX,
        .zoom_level = flm_layout_level(places, top),
    };
}

bool flm_viewer_hit(struct flm_viewer *v, double x, double y, struct flm_spot *spot,
                    struct flm_rectangle *box)
{
    struct flm_area area = flm_viewer_area(v);
    uint32_t level;
    if (!flm_viewer_settle(v, NULL) || y < area.top)
        return false;
    double scroll = flm_camera_scroll(&v->camera, v->now_ms);
    struct flm_strip *strip = flm_scene_strip_at(&v->scene, x - area.left, y - area.top, scroll,
                                                 flm_viewer_row_px(v), &level);
    if (!strip)
        return false;
    struct flm_viewport view = flm_viewer_viewport(v, strip);
    if (!flm_layout_at(strip->layout, &view, x - area.left - strip->left_px, level, box))
        return false;
    *spot =
        (struct flm_spot){(uint32_t)(strip - v->scene.strips), flm_strip_number(strip, box->node)};
    return true;
}

struct flm_spot flm_spot_of_number(const struct flm_viewer *v, double number)
{
    double strip = floor(number / 4294967296.0);
    if (!(number >= 0) || !(strip < v->scene.strip_count))
        return no_spot;
    struct flm_spot spot = {(uint32_t)strip, (uint32_t)(number - strip * 4294967296.0)};
    const struct flm_strip *in = &v->scene.strips[spot.strip];
    struct flm_node node = flm_strip_node(in, spot.number);
    bool is_there = node.index != FLM_NONE && flm_layout_level(in->layout, node) != FLM_NONE;
    return is_there ? spot : no_spot; /* what has no width is nowhere */
}

void flm_viewer_reveal(struct flm_viewer *v, struct flm_spot spot)
{
    if (!flm_spot_is(spot))
        return;
    struct flm_strip *strip = &v->scene.strips[spot.strip];
    uint32_t level = flm_layout_level(strip->layout, flm_strip_node(strip, spot.number));
    struct flm_area area = flm_viewer_area(v);
    double row = flm_viewer_row_px(v), y = flm_strip_row_px(strip, level, row);
    double scroll = v->camera.scroll_to;
    if (level == FLM_NONE || area.height < 3 * row)
        return;
    if (y < scroll + row)
        scroll = fmax(0, y - row);
    if (y + 2 * row > scroll + area.height)
        scroll = fmax(0, fmin(y + 2 * row, v->scene.content_px) - area.height);
    if (scroll != v->camera.scroll_to)
        flm_camera_scroll_to(&v->camera, scroll, v->now_ms, flm_viewer_glide_ms(v));
}

void flm_viewer_zoom_to(struct flm_viewer *v, struct flm_spot spot)
{
    struct flm_span span = {0, v->camera.total};
    v->zoomed = no_spot;
    if (flm_spot_is(spot) && spot.strip < v->scene.strip_count) {
        const struct flm_strip *strip = &v->scene.strips[spot.strip];
        const struct flm_layout *places = flm_scene_places(&v->scene, strip);
        struct flm_node node = flm_strip_node(strip, spot.number);
        double total = flm_layout_total(places, node);
        if (node.index != 0 && total > 0) {
            span.left = flm_layout_offset(places, node);
            span.right = span.left + total;
            v->zoomed = spot;
        }
    }
    flm_camera_go(&v->camera, span, v->now_ms, flm_viewer_glide_ms(v));
    flm_viewer_reveal(v, v->zoomed);
    v->changed |= FLM_CHANGED_PICTURE | FLM_CHANGED_STATE | FLM_CHANGED_STATUS |
                  FLM_CHANGED_DETAIL | FLM_CHANGED_TOOLS;
}

void flm_viewer_fit(struct flm_viewer *v)
{
    flm_viewer_zoom_to(v, (struct flm_spot){0, 0});
    flm_camera_scroll_to(&v->camera, v->scene.home_px, v->now_ms, flm_viewer_glide_ms(v));
}

bool flm_viewer_is_fit(const struct flm_viewer *v)
{
    const struct flm_camera *camera = &v->camera;
    return camera->to.left <= 0 && camera->to.right >= camera->total &&
           camera->scroll_to == v->scene.home_px;
}

void flm_viewer_scroll(struct flm_viewer *v, double by_px, double duration_ms)
{
    double most = fmax(0, v->scene.content_px - flm_viewer_area(v).height);
    double to = fmin(fmax(v->camera.scroll_to + by_px, 0), most);
    if (to == v->camera.scroll_to)
        return;
    flm_camera_scroll_to(&v->camera, to, v->now_ms, duration_ms);
    v->changed |= FLM_CHANGED_PICTURE;
}

/* As wide as a label needs. */
#define SHOWN_PX 40

void flm_viewer_show(struct flm_viewer *v, struct flm_spot spot)
{
    const struct flm_strip *strip = &v->scene.strips[spot.strip];
    const struct flm_layout *places = flm_scene_places(&v->scene, strip);
    struct flm_node node = flm_strip_node(strip, spot.number);
    double total = flm_layout_total(places, node);
    double left = flm_layout_offset(places, node), right = left + total;
    struct flm_span span = v->camera.to;
    double width = span.right - span.left, area = fmax(flm_viewer_area(v).width, 1);
    flm_viewer_reveal(v, spot);
    if (total <= 0 || (right > span.left && left < span.right && total / width * area >= 3))
        return;
    double wanted = fmin(width, total * area / (SHOWN_PX * v->scale));
    double middle = left + total / 2;
    flm_camera_go(&v->camera, (struct flm_span){middle - wanted / 2, middle + wanted / 2},
                  v->now_ms, flm_viewer_glide_ms(v));
    v->zoomed = no_spot;
    v->changed |= FLM_CHANGED_PICTURE | FLM_CHANGED_STATUS;
}

void flm_viewer_select(struct flm_viewer *v, struct flm_spot spot)
{
    if (flm_spots_equal(spot, v->selected))
        return;
    v->selected = spot;
    v->changed |= FLM_CHANGED_PICTURE | FLM_CHANGED_DETAIL | FLM_CHANGED_TABLES |
                  FLM_CHANGED_STATE | FLM_CHANGED_SPEECH;
}

void flm_viewer_walk_to(struct flm_viewer *v, struct flm_spot spot)
{
    struct flm_span before = v->camera.to;
    if (!flm_spot_is(spot))
        return;
    flm_viewer_select(v, spot);
    v->selected_run = (struct flm_rectangle){0};
    flm_viewer_show(v, spot);
    if (before.left != v->camera.to.left || before.right != v->camera.to.right)
        flm_viewer_moved(v);
    else
        flm_viewer_noted(v);
}

bool flm_viewer_keep(struct flm_text *text, struct flm_bytes value)
{
    struct flm_text made = {0};
    flm_text_add(&made, value);
    if (made.failed) {
        flm_text_clear(&made);
        return false;
    }
    flm_text_clear(text);
    *text = made;
    return true;
}
