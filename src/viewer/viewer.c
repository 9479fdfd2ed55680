#include "viewer/viewer.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "viewer/internal.h"
#include "viewer/state.h"
#include "viewer/views/views.h"

/* ---- Life ------------------------------------------------------------------------------------ */

struct flm_viewer *flm_viewer_new(struct flm_error *why)
{
    struct flm_viewer *v = calloc(1, sizeof *v);
    if (!v) {
        flm_error_memory(why);
        return NULL;
    }
    flm_model_init(&v->model);
    v->model.view = flm_view_default(false);
    v->scene.window.scale = 1;
    v->input.hovered = flm_node_ref_none();
    v->input.hover_x = v->input.hover_y = -1;
    v->input.wheel_ms = v->input.scrolled_ms = v->input.drag.released_ms = FLM_LONG_AGO_MS;
    v->paint.atlas = flm_atlas_new(FLM_FONT_PX, why);
    if (v->paint.atlas)
        return v;
    free(v);
    return NULL;
}

static void forget_coloring(struct flm_viewer *v)
{
    flm_coloring_clear(&v->paint.coloring);
    free(v->paint.second_total);
    v->paint.second_total = NULL;
    v->paint.colored_from = v->paint.legend_from = 0;
}

void flm_viewer_free(struct flm_viewer *v)
{
    if (!v)
        return;
    flm_scene_clear(&v->scene);
    flm_model_clear(&v->model);
    flm_text_clear(&v->query.copied);
    flm_text_clear(&v->query.prompt);
    flm_atlas_free(v->paint.atlas);
    forget_coloring(v);
    free(v->paint.net);
    free(v->paint.noted);
    free(v->paint.minimap);
    free(v);
}

void flm_viewer_knows_code(struct flm_viewer *v, enum flm_viewer_side side)
{
    assert(v && (side == FLM_VIEWER_AFTER || side == FLM_VIEWER_BEFORE));
    v->model.known_as[side] = (unsigned char)(1 + side);
    flm_changed(&v->model, FLM_ASPECT_CODE);
}

bool flm_viewer_take_code(struct flm_viewer *v, struct flm_bytes store, struct flm_error *why)
{
    assert(v);
    flm_changed(&v->model, FLM_ASPECT_CODE);
    return flm_code_rows_take(&v->scene.code, store, why);
}

/* ---- What follows from what ------------------------------------------------------------------ */

#define PANE_ASPECTS (FLM_OF(SHOWN) | FLM_OF(METRIC) | FLM_OF(SCENE))
#define SCENE_ASPECTS (PANE_ASPECTS | FLM_OF(VIEW))

bool flm_viewer_is_updated(const struct flm_viewer *v)
{
    return v->scene_from == flm_version_of(&v->model.versions, SCENE_ASPECTS);
}

/* Refs into it are invalid, the selection too. */
void flm_viewer_drop_scene(struct flm_viewer *v)
{
    flm_scene_clear_panes(&v->scene);
    v->model.selected = v->model.zoomed = v->input.hovered = flm_node_ref_none();
    v->scene_from = v->panes_from = 0;
    flm_changed(&v->model, FLM_ASPECT_SCENE);
}

/* Totals of the metric whose name is given. */
static bool total_second(struct flm_viewer *v, const struct flm_profile *p, struct flm_error *why)
{
    struct flm_bytes name = {v->model.color_with.at, v->model.color_with.size};
    for (uint32_t m = 0; m < p->sizes.metric_count; m++) {
        if (!flm_bytes_equal(flm_string_bytes(p, p->metrics[m].name), name))
            continue;
        v->paint.second_total = malloc(p->sizes.node_count * sizeof *v->paint.second_total);
        if (!v->paint.second_total)
            return flm_error_memory(why);
        flm_profile_totals(p, (struct flm_metric){m}, v->paint.second_total);
    }
    return true;
}

bool flm_viewer_color(struct flm_viewer *v, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    struct flm_bytes rules = {v->model.color_with.at, v->model.color_with.size};
    uint32_t version = flm_version_of(&v->model.versions, FLM_OF(SHOWN) | FLM_OF(COLORS));
    if (v->paint.colored_from == version)
        return true;
    forget_coloring(v);
    if (v->model.color_mode != FLM_COLOR_RULES)
        rules.size = 0;
    const struct flm_profile *opened = v->model.operations.opened;
    if (!flm_coloring_init(&v->paint.coloring, p, opened ? opened : p, v->model.color_mode, rules,
                           why) ||
        (v->model.color_mode == FLM_COLOR_METRIC && !total_second(v, p, why))) {
        forget_coloring(v);
        return false;
    }
    v->paint.colored_from = version;
    return true;
}

/* Nodes are found again by their paths. */
static struct flm_viewpoint viewpoint_now(const struct flm_viewer *v)
{
    struct flm_viewpoint place = {
        .valid = true, .share = {0, 1}, .other_share = {0, 1}, .half = v->model.half};
    bool was = v->scene.pane_count > 0;
    flm_scene_path(&v->scene, v->model.selected, &place.selected);
    flm_scene_path(&v->scene, v->model.zoomed, &place.zoomed);
    place.rows = flm_viewer_rows(v);
    if (was && v->model.camera.total > 0) {
        place.share = flm_camera_share(&v->model.camera);
        place.other_share = flm_camera_share(&v->model.other_camera);
    }
    place.is_time = was && flm_scene_is_over_time(&v->scene);
    place.time = flm_viewer_time(v, v->model.camera.to);
    return place;
}

void flm_viewer_leave(struct flm_viewer *v)
{
    if (!v->model.left.valid)
        v->model.left = viewpoint_now(v);
    flm_scene_clear_panes(&v->scene);
    flm_searches_open(&v->model.searches, NULL, NULL);
    v->model.selected = v->model.zoomed = v->input.hovered = flm_node_ref_none();
    flm_cached_tables_clear(&v->scene.tables);
    flm_code_rows_forget(&v->scene.code);
    forget_coloring(v);
    flm_changed(&v->model, FLM_ASPECT_SHOWN);
}

/* The same time on another axis; all of it where that is outside. */
static struct flm_span share_of_time(const struct flm_viewer *v, struct flm_span time)
{
    double from = v->scene.threads.offset_ns, total = v->scene.total;
    double left = fmax(time.left - from, 0), right = fmin(time.right - from, total);
    if (!(total > 0) || !(right > left))
        return (struct flm_span){0, 1};
    return (struct flm_span){left / total, right / total};
}

static bool rebuild(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_viewpoint place = v->model.left.valid ? v->model.left : viewpoint_now(v);
    struct flm_node_ref ref;
    if (!flm_scene_build(&v->model, &v->scene, why))
        return false;
    if (!flm_scene_find(&v->scene, &place.selected, &v->model.selected, why) ||
        !flm_scene_find(&v->scene, &place.zoomed, &ref, why)) {
        flm_viewer_drop_scene(v);
        v->model.left = place;
        return false;
    }
    v->model.selected_merged = (struct flm_rectangle){0};
    v->model.left.valid = false;
    double total = v->scene.total;
    if (place.is_time && flm_scene_is_over_time(&v->scene))
        place.share = share_of_time(v, place.time);
    flm_camera_init(&v->model.camera, total);
    flm_camera_init(&v->model.other_camera, total);
    v->model.half = flm_scene_has_halves(&v->scene) ? place.half : 0;
    v->model.zoomed = flm_node_ref_none();
    struct flm_area area = flm_viewer_area(v);
    flm_scene_arrange(&v->scene, area.width, area.height, flm_viewer_row_px(v));
    flm_viewer_scroll_rows(v, place.rows);
    if (flm_node_ref_valid(ref))
        flm_viewer_zoom_to(v, ref);
    else if (place.zoomed.hash == 0)
        flm_camera_go_share(&v->model.camera, place.share, v->input.now_ms, 0);
    if (flm_scene_has_halves(&v->scene))
        flm_camera_go_share(&v->model.other_camera, place.other_share, v->input.now_ms, 0);
    v->model.camera.duration_ms = 0;
    return true;
}

/* Tables and code have the panes of the flame graph behind them: between these, the panes stay,
 * since the layout of a million nodes takes longer than a table. */
static bool keeps_panes(const struct flm_viewer *v)
{
    const struct flm_view *view = flm_view_behind(v->model.view);
    return view && view == v->scene.view && v->scene.pane_count > 0 && !v->model.left.valid &&
           v->panes_from == flm_version_of(&v->model.versions, PANE_ASPECTS);
}

static bool prepare(struct flm_viewer *v, struct flm_error *why)
{
    const struct flm_view *view = v->model.view;
    return !view->prepare || view->prepare(&v->model, why);
}

bool flm_viewer_update(struct flm_viewer *v, struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(&v->model);
    if (!p || flm_viewer_is_updated(v))
        return true;
    uint32_t version = flm_version_of(&v->model.versions, SCENE_ASPECTS);
    uint32_t measured = flm_version_of(&v->model.versions, FLM_OF(SHOWN) | FLM_OF(METRIC));
    if (v->measured_from != measured)
        flm_cached_tables_forget_measures(&v->scene.tables);
    v->measured_from = measured;
    v->model.metric = flm_comparing_metric(&v->model, v->model.metric);
    v->input.hovered = flm_node_ref_none();
    bool keeps = keeps_panes(v);
    if (!flm_timeline_make(&v->model, &v->scene, why) ||
        !flm_searches_open(&v->model.searches, p, why) ||
        !(keeps ? prepare(v, why) : rebuild(v, why)))
        return false;
    if (keeps) /* the height of what is above them may have changed */
        flm_viewer_arrange(v);
    v->scene_from = version;
    v->panes_from = flm_version_of(&v->model.versions, PANE_ASPECTS);
    return true;
}

/* ---- The window ------------------------------------------------------------------------------ */

double flm_viewer_glide_ms(const struct flm_viewer *v)
{
    return v->paint.theme.still ? 0 : FLM_GLIDE_MS;
}

static bool is_whole(struct flm_viewer *v, struct flm_node_ref ref)
{
    struct flm_area box, area = flm_viewer_area(v);
    return flm_viewer_place(v, ref, &box) && box.top >= area.top &&
           box.top + box.height <= area.top + area.height;
}

/* When the window gets less high (when a panel opens below it, for example), a selected row that
 * was visible stays visible. */
void flm_viewer_resize(struct flm_viewer *v, uint32_t width, uint32_t height, double scale)
{
    assert(v && scale > 0);
    double rows = flm_viewer_rows(v);
    bool was_seen = height < v->scene.window.height && is_whole(v, v->model.selected);
    if (scale != v->scene.window.scale) {
        struct flm_atlas *atlas = flm_atlas_new(FLM_FONT_PX * scale, NULL);
        if (atlas) {
            flm_atlas_free(v->paint.atlas);
            v->paint.atlas = atlas;
            v->scene.window.scale = scale;
        }
    }
    v->scene.window.width = width;
    v->scene.window.height = height;
    free(v->paint.minimap);
    v->paint.minimap = NULL;
    struct flm_area area = flm_viewer_area(v);
    flm_scene_arrange(&v->scene, area.width, area.height, flm_viewer_row_px(v));
    flm_viewer_scroll_rows(v, rows);
    if (was_seen && !is_whole(v, v->model.selected))
        flm_viewer_reveal(v, v->model.selected);
    flm_changed(&v->model, FLM_ASPECT_WINDOW);
}

bool flm_viewer_open(struct flm_viewer *v, struct flm_node_ref ref, struct flm_error *why)
{
    assert(v && ref.pane < v->scene.pane_count);
    bool good = flm_pane_open_one(&v->scene.panes[ref.pane], ref.number, why);
    if (good)
        flm_viewer_arrange(v);
    else
        flm_viewer_drop_scene(v);
    return good;
}

double flm_viewer_rows(const struct flm_viewer *v)
{
    return v->scene.pane_count == 0
               ? 0
               : round(v->model.camera.scroll_to - v->scene.home_px) / flm_viewer_row_px(v);
}

void flm_viewer_scroll_rows(struct flm_viewer *v, double rows)
{
    double most = fmax(0, v->scene.content_px - flm_viewer_area(v).height);
    double to = round(v->scene.home_px + rows * flm_viewer_row_px(v));
    flm_camera_shift(&v->model.camera, fmax(0, fmin(to, most)) - v->model.camera.scroll_to);
}

void flm_viewer_arrange(struct flm_viewer *v)
{
    double rows = flm_viewer_rows(v);
    struct flm_area area = flm_viewer_area(v);
    flm_scene_arrange(&v->scene, area.width, area.height, flm_viewer_row_px(v));
    flm_viewer_scroll_rows(v, rows);
}

void flm_viewer_resize_cells(struct flm_viewer *v, int columns, int rows)
{
    assert(v && columns >= 0 && rows >= 0);
    v->scene.window.is_cells = true;
    flm_viewer_resize(v, (uint32_t)columns * FLM_CELL_PX, (uint32_t)rows * FLM_CELL_HEIGHT_PX, 1);
}

void flm_viewer_clock(struct flm_viewer *v, double (*clock_ms)(void))
{
    v->paint.clock_ms = clock_ms;
}

void flm_viewer_theme(struct flm_viewer *v, const struct flm_theme *theme)
{
    assert(v && theme);
    v->paint.theme = *theme;
    flm_changed(&v->model, FLM_ASPECT_WINDOW);
}

struct flm_atlas *flm_viewer_atlas(struct flm_viewer *v)
{
    return v->paint.atlas;
}

/* The aspects of the model that each response depends on. */
#define FRAMES_AND_VALUES (SCENE_ASPECTS | FLM_OF(RESTORED))
static const uint32_t aspects_of[FLM_GROUPS] = {
    [FLM_GROUP_PICTURE] = FRAMES_AND_VALUES | FLM_OF(COLORS) | FLM_OF(SEARCHES) |
                          FLM_OF(SELECTION) | FLM_OF(HOVERED) | FLM_OF(DRAG) | FLM_OF(CAMERA) |
                          FLM_OF(ZOOM) | FLM_OF(HALF) | FLM_OF(SCROLL) | FLM_OF(WINDOW) |
                          FLM_OF(NOTES),
    [FLM_GROUP_HOVER] = FRAMES_AND_VALUES | FLM_OF(HOVERED) | FLM_OF(POINTER) | FLM_OF(NOTES),
    [FLM_GROUP_DETAIL] = FRAMES_AND_VALUES | FLM_OF(SELECTION) | FLM_OF(ZOOM) | FLM_OF(PANEL) |
                         FLM_OF(SOURCE_LINK) | FLM_OF(NOTES),
    [FLM_GROUP_TOOLS] = FRAMES_AND_VALUES | FLM_OF(COLORS) | FLM_OF(COMPARING) | FLM_OF(CAMERA) |
                        FLM_OF(ZOOM) | FLM_OF(STATE) | FLM_OF(STEP) | FLM_OF(PANEL) |
                        FLM_OF(OVERLAY),
    [FLM_GROUP_CHIPS] = FLM_OF(SHOWN) | FLM_OF(RESTORED) | FLM_OF(SEARCHES) | FLM_OF(COMPARING),
    [FLM_GROUP_TABLES] =
        FRAMES_AND_VALUES | FLM_OF(SEARCHES) | FLM_OF(SELECTION) | FLM_OF(HOVERED) | FLM_OF(ROWS),
    [FLM_GROUP_STATUS] = FRAMES_AND_VALUES | FLM_OF(COLORS) | FLM_OF(CAMERA) | FLM_OF(ZOOM) |
                         FLM_OF(HALF) | FLM_OF(DRAWN) | FLM_OF(NOTES),
    [FLM_GROUP_STATE] = FRAMES_AND_VALUES | FLM_OF(SEARCHES) | FLM_OF(CODE) | FLM_OF(SELECTION) |
                        FLM_OF(CAMERA) | FLM_OF(ZOOM) | FLM_OF(HALF) | FLM_OF(STATE),
    [FLM_GROUP_SPEECH] = FLM_OF(SELECTION),
    [FLM_GROUP_OVERLAY] = FLM_OF(OVERLAY) | FLM_OF(DRAWN) | FLM_OF(RESTORED),
    [FLM_GROUP_TRACKS] =
        FLM_OF(SHOWN) | FLM_OF(SCENE) | FLM_OF(VIEW) | FLM_OF(TRACKS) | FLM_OF(RESTORED),
    [FLM_GROUP_HISTORY] = FLM_OF(STEP) | FLM_OF(RESTORED),
    [FLM_GROUP_COPY] = FLM_OF(COPIED),
    [FLM_GROUP_PROMPT] = FLM_OF(PROMPT),
    [FLM_GROUP_NOTICE] = FLM_OF(NOTICE) | FLM_OF(RESTORED),
    [FLM_GROUP_CODE] = FRAMES_AND_VALUES | FLM_OF(CODE) | FLM_OF(SEARCHES) | FLM_OF(COMPARING),
};

uint32_t flm_viewer_version(const struct flm_viewer *v, enum flm_viewer_group group)
{
    assert(v && (unsigned)group < FLM_GROUPS);
    return flm_version_of(&v->model.versions, aspects_of[group]) - 1; /* from 0: nothing changed */
}

uint32_t flm_viewer_still_version(const struct flm_viewer *v)
{
    return flm_version_of(&v->model.versions,
                          aspects_of[FLM_GROUP_PICTURE] & ~(FLM_OF(SCROLL) | FLM_OF(HOVERED)));
}

bool flm_viewer_is_scrolling(const struct flm_viewer *v)
{
    double since = v->input.now_ms - v->input.scrolled_ms;
    return since >= 0 && since < FLM_WHEEL_RESTS_MS;
}

uint32_t flm_viewer_painted_version(const struct flm_viewer *v)
{
    return v->paint.painted_from;
}

unsigned flm_viewer_changes(const struct flm_viewer *v, struct flm_seen_versions *seen)
{
    assert(v && seen);
    unsigned changed = 0;
    for (int group = 0; group < FLM_GROUPS; group++) {
        uint32_t version = flm_viewer_version(v, (enum flm_viewer_group)group);
        bool is_painted = group == FLM_GROUP_PICTURE && version == v->paint.painted_from;
        if (version != seen->of[group] && !is_painted)
            changed |= 1u << group;
        seen->of[group] = version;
    }
    return changed;
}

/* ---- Notices and the selection --------------------------------------------------------------- */

void flm_viewer_notify_error(struct flm_viewer *v, const struct flm_error *why)
{
    v->query.notice = *why;
    flm_changed(&v->model, FLM_ASPECT_NOTICE);
}

bool flm_viewer_notify(struct flm_viewer *v, const char *words)
{
    struct flm_error notice = {0};
    flm_error_set(&notice, FLM_ERROR_USAGE, "%s", words);
    notice.kind = FLM_ERROR_NONE;
    flm_viewer_notify_error(v, &notice);
    return true;
}

void flm_viewer_select(struct flm_viewer *v, struct flm_node_ref ref)
{
    if (flm_node_refs_equal(ref, v->model.selected))
        return;
    v->model.selected = ref;
    flm_changed(&v->model, FLM_ASPECT_SELECTION);
}

void flm_viewer_walk_to(struct flm_viewer *v, struct flm_node_ref ref)
{
    struct flm_span before = v->model.camera.to;
    if (!flm_node_ref_valid(ref))
        return;
    flm_viewer_select(v, ref);
    v->model.selected_merged = (struct flm_rectangle){0};
    flm_viewer_show(v, ref);
    if (before.left != v->model.camera.to.left || before.right != v->model.camera.to.right)
        flm_viewer_history_coalesce(v);
    else
        flm_viewer_history_replace(v);
}
