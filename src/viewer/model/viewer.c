#include "viewer/model/viewer.h"

#include <math.h>
#include <stdlib.h>

#include "viewer/model/internal.h"
#include "viewer/model/state.h"

static const struct flm_node_ref no_ref = {0, FLM_NONE};

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
    v->hovered = v->selected = v->zoomed = no_ref;
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
    flm_cached_tables_clear(&v->tables);
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
    flm_viewer_history_push(v);
    return good;
}

/* ---- What follows from what ---------------------------------------------------------------------
 */

void flm_viewer_forget_scene(struct flm_viewer *v)
{
    v->scene_is_stale = true;
    v->has_legend = false;
    v->minimap_is_stale = true;
    v->hovered = no_ref;
    v->changed |= FLM_CHANGED_PICTURE | FLM_CHANGED_HOVER | FLM_CHANGED_DETAIL | FLM_CHANGED_TOOLS |
                  FLM_CHANGED_TABLES | FLM_CHANGED_STATUS | FLM_CHANGED_STATE;
}

/* A tree has grown whose layout has not: nothing of it can be used, not even where one was. */
void flm_viewer_drop_scene(struct flm_viewer *v)
{
    flm_scene_clear(&v->scene);
    v->selected = v->zoomed = no_ref;
    flm_viewer_forget_scene(v);
}

static void forget_shown(struct flm_viewer *v)
{
    flm_cached_tables_clear(&v->tables);
    forget_coloring(v);
    flm_viewer_forget_scene(v);
    v->changed |= FLM_CHANGED_CHIPS | FLM_CHANGED_TRACKS;
}

void flm_viewer_forget_measures(struct flm_viewer *v)
{
    flm_cached_tables_forget_measures(&v->tables);
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
        flm_profile_totals(p, (struct flm_metric){m}, v->second_total);
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
    struct flm_place place = {.is = true, .share = {0, 1}, .beside = {0, 1}, .half = v->half};
    bool was = v->scene.pane_count > 0;
    flm_scene_path(&v->scene, v->selected, &place.selected);
    flm_scene_path(&v->scene, v->zoomed, &place.zoomed);
    place.rows = flm_viewer_rows(v);
    if (was && v->camera.total > 0) {
        place.share = flm_camera_share(&v->camera);
        place.beside = flm_camera_share(&v->beside);
    }
    return place;
}

void flm_viewer_leave(struct flm_viewer *v)
{
    if (!v->left.is)
        v->left = place_now(v);
    flm_scene_clear(&v->scene);
    flm_searches_open(&v->searches, NULL, NULL);
    v->selected = v->zoomed = v->hovered = no_ref;
    forget_shown(v);
}

static bool rebuild(struct flm_viewer *v, struct flm_error *why)
{
    struct flm_place place = v->left.is ? v->left : place_now(v);
    struct flm_node_ref ref;
    if (!flm_scene_build(v, &v->scene, why))
        return false;
    if (!flm_scene_find(&v->scene, &place.selected, &v->selected, why) ||
        !flm_scene_find(&v->scene, &place.zoomed, &ref, why)) {
        flm_viewer_drop_scene(v);
        v->left = place;
        return false;
    }
    v->selected_run = (struct flm_rectangle){0};
    v->scene_is_stale = v->left.is = false;
    double total = v->scene.total;
    flm_camera_init(&v->camera, total);
    flm_camera_init(&v->beside, total);
    v->half = flm_viewer_has_halves(v) ? place.half : 0;
    v->zoomed = no_ref;
    struct flm_area area = flm_viewer_area(v);
    flm_scene_place(&v->scene, area.width, area.height, flm_viewer_row_px(v));
    flm_viewer_scroll_rows(v, place.rows);
    if (flm_node_ref_is(ref))
        flm_viewer_zoom_to(v, ref);
    else if (place.zoomed.hash == 0)
        flm_camera_go_share(&v->camera, place.share, v->now_ms, 0);
    if (flm_viewer_has_halves(v))
        flm_camera_go_share(&v->beside, place.beside, v->now_ms, 0);
    v->camera.duration_ms = 0;
    return true;
}

bool flm_viewer_update(struct flm_viewer *v, struct flm_error *why)
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

bool flm_viewer_open(struct flm_viewer *v, struct flm_node_ref ref, struct flm_error *why)
{
    bool good = flm_pane_open_one(&v->scene.panes[ref.pane], ref.number, why);
    if (good)
        flm_viewer_place(v);
    else
        flm_viewer_drop_scene(v);
    return good;
}

double flm_viewer_rows(const struct flm_viewer *v)
{
    return v->scene.pane_count == 0
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

/* ---- What is said and selected
 * -------------------------------------------------------------------
 */

void flm_viewer_say(struct flm_viewer *v, const struct flm_error *why)
{
    v->notice = *why;
    v->changed |= FLM_CHANGED_NOTICE;
}

bool flm_viewer_tell(struct flm_viewer *v, const char *words)
{
    struct flm_error notice = {0};
    flm_error_set(&notice, FLM_ERROR_USAGE, "%s", words);
    flm_viewer_say(v, &notice);
    return true;
}

void flm_viewer_select(struct flm_viewer *v, struct flm_node_ref ref)
{
    if (flm_node_refs_equal(ref, v->selected))
        return;
    v->selected = ref;
    v->changed |= FLM_CHANGED_PICTURE | FLM_CHANGED_DETAIL | FLM_CHANGED_TABLES |
                  FLM_CHANGED_STATE | FLM_CHANGED_SPEECH;
}

void flm_viewer_walk_to(struct flm_viewer *v, struct flm_node_ref ref)
{
    struct flm_span before = v->camera.to;
    if (!flm_node_ref_is(ref))
        return;
    flm_viewer_select(v, ref);
    v->selected_run = (struct flm_rectangle){0};
    flm_viewer_show(v, ref);
    if (before.left != v->camera.to.left || before.right != v->camera.to.right)
        flm_viewer_history_coalesce(v);
    else
        flm_viewer_history_replace(v);
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
