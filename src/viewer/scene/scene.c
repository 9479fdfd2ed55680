#include "viewer/scene/scene.h"

#include <math.h>
#include <stdlib.h>

#include "algebra/operation/pattern.h"
#include "draw/terminal/cell_boxes.h"

/* Callers are opened at once down to what is a pixel of a wide screen; more when it is seen. */
#define FIRST_PIXELS 2000

/* ---- Panes ----------------------------------------------------------------------------------- */

void flm_scene_clear_panes(struct flm_scene *scene)
{
    for (uint32_t i = 0; i < scene->pane_count; i++)
        flm_pane_clear(&scene->panes[i]);
    flm_tracks_clear(&scene->tracks);
    free(scene->panes);
    flm_compared_free(scene->compared);
    *scene = (struct flm_scene){
        .window = scene->window, .timeline = scene->timeline, .tables = scene->tables};
}

void flm_scene_clear(struct flm_scene *scene)
{
    flm_scene_clear_panes(scene);
    flm_timeline_clear(&scene->timeline);
    flm_cached_tables_clear(&scene->tables);
}

static struct flm_pane *pane_add(struct flm_scene *scene, struct flm_error *why)
{
    struct flm_pane *grown = realloc(scene->panes, (scene->pane_count + 1) * sizeof *scene->panes);
    if (!grown) {
        flm_error_memory(why);
        return NULL;
    }
    scene->panes = grown;
    grown[scene->pane_count] = (struct flm_pane){0};
    return &grown[scene->pane_count++];
}

static bool make_stacks(struct flm_pane *pane, struct flm_error *why)
{
    pane->kind = FLM_PANE_STACKS;
    pane->tree = flm_tree_of(pane->profile, pane->metric);
    if (pane->order == FLM_ORDER_SEEN) {
        pane->seen = flm_tree_seen(pane->profile, pane->metric);
        if (!pane->seen)
            return flm_error_memory(why);
        pane->tree.seen = pane->seen;
    }
    return flm_pane_lay_out(pane, why);
}

static bool shows_changes(const struct flm_model *model)
{
    return model->view == FLM_VIEW_COMPARE ||
           (model->view == FLM_VIEW_SANDWICH && model->focus.size > 0);
}

bool flm_scene_compares(const struct flm_model *model, const struct flm_scene *scene)
{
    return scene->compared && shows_changes(model);
}

/* Where two are compared, what is wide is told by the choice of widths, and what is there by both
 * sides. */
static bool make_unfolded(const struct flm_model *model, struct flm_pane *pane,
                          enum flm_lazy_tree_kind kind, const unsigned char *marks,
                          struct flm_error *why)
{
    struct flm_lazy_tree_values values = {.self =
                                              flm_self_column(pane->profile, pane->metric.index)};
    if (pane->compared) {
        const struct flm_comparison *c = &pane->compared->is;
        values.self = shows_changes(model) ? c->widths : values.self;
        values.present[0] = c->before_self;
        values.present[1] = c->after_self;
    }
    pane->kind = FLM_PANE_LAZY;
    pane->lazy = flm_lazy_tree_new_valued(pane->profile, &values, kind, marks, why);
    if (!pane->lazy || !flm_pane_take_lazy(pane, why))
        return false;
    double total = flm_layout_total(pane->layout, (struct flm_node){0});
    return flm_lazy_tree_open(pane->lazy, (struct flm_lazy_ref){0}, total / FIRST_PIXELS, 0,
                              &pane->incomplete, why) &&
           flm_pane_take_lazy(pane, why);
}

/* ---- Scenes ---------------------------------------------------------------------------------- */

static struct flm_pane *pane_of(const struct flm_model *model, struct flm_scene *scene,
                                struct flm_error *why)
{
    struct flm_pane *pane = pane_add(scene, why);
    if (!pane)
        return NULL;
    pane->profile = flm_model_shown(model);
    pane->metric = (struct flm_metric){model->metric};
    pane->compared = scene->compared;
    pane->order = model->order;
    pane->upwards = model->flame;
    return pane;
}

static bool build_flame(const struct flm_model *model, struct flm_scene *scene,
                        struct flm_error *why)
{
    struct flm_pane *pane = pane_of(model, scene, why);
    if (!pane)
        return false;
    return model->inverted ? make_unfolded(model, pane, FLM_LAZY_TREE_INVERTED, NULL, why)
                           : make_stacks(pane, why);
}

/* Level 0 of both is everything that was chosen, level 1 the chosen functions themselves: they are
 * drawn once, at the top of what they call. */
static bool build_sandwich(const struct flm_model *model, struct flm_scene *scene,
                           struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    unsigned char *marks = malloc(p->sizes.frame_count);
    uint32_t matched = 0;
    if (!marks)
        return flm_error_memory(why);
    struct flm_bytes pattern = {model->focus.at, model->focus.size};
    bool good = flm_pattern_mark(p, pattern, marks, &matched, why);
    struct flm_pane *callers = good ? pane_of(model, scene, why) : NULL;
    good = callers && make_unfolded(model, callers, FLM_LAZY_TREE_CALLERS, marks, why);
    if (good) {
        callers->upwards = true;
        callers->first_level = 2;
        callers->title = "callers";
    }
    struct flm_pane *callees = good ? pane_of(model, scene, why) : NULL;
    good = callees && make_unfolded(model, callees, FLM_LAZY_TREE_CALLEES, marks, why);
    if (good) {
        callees->upwards = false;
        callees->first_level = 1;
        callees->title = "calls";
    }
    free(marks);
    return good;
}

/* A pane of the stacks, each as wide as `widths` says, which it then owns. */
static bool add_compared(const struct flm_model *model, struct flm_scene *scene, double *widths,
                         const char *title, struct flm_error *why)
{
    struct flm_pane *pane = pane_of(model, scene, why);
    if (!pane) {
        free(widths);
        return false;
    }
    pane->kind = FLM_PANE_STACKS;
    pane->order = FLM_ORDER_NAME;
    pane->title = title;
    pane->widths = widths;
    pane->tree = flm_tree_of(pane->profile, pane->metric);
    pane->tree.width = widths;
    return flm_pane_lay_out(pane, why);
}

/* The values of one side, stack by stack; before as it was scaled. */
static double *side_widths(const struct flm_comparison *c, enum flm_viewer_side side)
{
    double *widths = malloc(c->node_count * sizeof *widths);
    for (uint32_t i = 0; widths && i < c->node_count; i++) {
        struct flm_change change = flm_comparison_change(c, i, FLM_CHANGE_OF_SELF);
        widths[i] = side == FLM_VIEWER_BEFORE ? change.before : change.after;
    }
    return widths;
}

/* Both sides, and the layout that has room for the larger of both, which is where they are looked
 * at: a node that is zoomed to fills both halves. Siblings stand in name order, the only one that
 * is the same on both sides. */
static bool build_side_by_side(const struct flm_model *model, struct flm_scene *scene,
                               struct flm_error *why)
{
    static const char *const titles[] = {
        [FLM_VIEWER_AFTER] = "after", [FLM_VIEWER_BEFORE] = "before"};
    static const enum flm_viewer_side order[] = {FLM_VIEWER_BEFORE, FLM_VIEWER_AFTER};
    for (int i = 0; i < 2; i++) {
        double *widths = side_widths(&scene->compared->is, order[i]);
        if (!widths)
            return flm_error_memory(why);
        if (!add_compared(model, scene, widths, titles[order[i]], why))
            return false;
    }
    struct flm_tree tree = scene->panes[0].tree;
    tree.width = scene->compared->is.widths;
    struct flm_layout_options options = {.tree = tree, .order = FLM_ORDER_NAME};
    scene->compared->places = flm_layout_new(&options, why);
    return scene->compared->places != NULL;
}

static bool build_compare(const struct flm_model *model, struct flm_scene *scene,
                          struct flm_error *why)
{
    if (model->inverted)
        return build_flame(model, scene, why);
    if (model->comparing.side_by_side)
        return build_side_by_side(model, scene, why);
    struct flm_pane *pane = pane_of(model, scene, why);
    if (!pane)
        return false;
    pane->kind = FLM_PANE_STACKS;
    pane->tree = flm_tree_of(pane->profile, pane->metric);
    pane->tree.width = scene->compared->is.widths;
    if (pane->order == FLM_ORDER_SEEN)
        pane->order = FLM_ORDER_NAME; /* what is aligned has no times */
    return flm_pane_lay_out(pane, why);
}

const struct flm_layout *flm_scene_places(const struct flm_scene *scene,
                                          const struct flm_pane *pane)
{
    return scene->compared && scene->compared->places ? scene->compared->places : pane->layout;
}

static bool add_chart(const struct flm_model *model, struct flm_scene *scene, uint32_t track,
                      const uint32_t *parent, struct flm_error *why)
{
    const struct flm_track *t = &scene->tracks.track[track];
    struct flm_pane *pane = pane_of(model, scene, why);
    if (!pane)
        return false;
    struct flm_flame_chart_options options = {
        .sample = t->sample,
        .sample_count = t->sample_count,
        .metric = pane->metric,
        .start_ns = scene->tracks.first_ns,
        .parent = parent,
    };
    pane->kind = FLM_PANE_CHART;
    pane->order = FLM_ORDER_NAME; /* the tree's own: of time */
    pane->first_level = 1;
    pane->upwards = false;
    pane->track = track;
    pane->chart = flm_flame_chart_new(pane->profile, &options, why);
    if (!pane->chart)
        return false;
    pane->tree = pane->chart->tree;
    return flm_pane_lay_out(pane, why);
}

/* A pane for each thread, the largest first. */
static bool build_chart(const struct flm_model *model, struct flm_scene *scene,
                        struct flm_error *why)
{
    const struct flm_profile *p = flm_model_shown(model);
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    if (!parent)
        return flm_error_memory(why);
    flm_profile_parents(p, parent);
    bool good = true;
    for (uint32_t i = 0; good && i < scene->tracks.count && i < FLM_MOST_PANES; i++)
        if (scene->tracks.track[i].sample_count > 0)
            good = add_chart(model, scene, i, parent, why);
    free(parent);
    return good;
}

/* Whether there is anything to chart: samples with times. */
static bool has_chart(const struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    struct flm_metric metric = {model->metric};
    if (model->view != FLM_VIEW_CHART)
        return false;
    return flm_tracks_init(&scene->tracks, flm_model_shown(model), metric, NULL, why) &&
           scene->tracks.length_ns > 0;
}

bool flm_scene_build(struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    struct flm_scene made = {0};
    bool good = flm_compared_new(model, &made.compared, why);
    if (!good)
        return false;
    if (model->view == FLM_VIEW_COMPARE && made.compared)
        good = build_compare(model, &made, why);
    else if (has_chart(model, &made, why))
        good = build_chart(model, &made, why);
    else if (model->view == FLM_VIEW_SANDWICH && model->focus.size > 0)
        good = build_sandwich(model, &made, why);
    else
        good = build_flame(model, &made, why);
    if (!good) {
        flm_scene_clear_panes(&made);
        return false;
    }
    made.total = flm_layout_total(flm_scene_places(&made, &made.panes[0]), (struct flm_node){0});
    if (made.panes[0].kind == FLM_PANE_CHART)
        made.total = made.tracks.length_ns;
    flm_scene_clear_panes(scene);
    made.window = scene->window;
    made.timeline = scene->timeline;
    made.tables = scene->tables;
    *scene = made;
    return true;
}

/* Side by side, with room for a line between them; their roots on one level. */
static void place_beside(struct flm_scene *scene, double width_px, double height_px, double row_px)
{
    double half = floor((width_px - 2 * row_px / 3) / 2), highest = height_px;
    for (uint32_t i = 0; i < scene->pane_count; i++)
        highest = fmax(highest, flm_pane_rows(&scene->panes[i]) * row_px);
    for (uint32_t i = 0; i < scene->pane_count; i++) {
        struct flm_pane *pane = &scene->panes[i];
        pane->left_px = i ? width_px - half : 0;
        pane->width_px = fmax(half, 0);
        pane->height_px = flm_pane_rows(pane) * row_px;
        pane->top_px = pane->upwards ? highest - pane->height_px : 0;
    }
    scene->content_px = highest;
    scene->home_px = scene->panes[0].upwards ? highest - height_px : 0;
}

/* One below the other. A flame that does not fill the window stands on its lower edge. */
void flm_scene_place(struct flm_scene *scene, double width_px, double height_px, double row_px)
{
    double top = 0, home = 0;
    if (scene->compared && scene->compared->places) {
        place_beside(scene, width_px, height_px, row_px);
        return;
    }
    for (uint32_t i = 0; i < scene->pane_count; i++) {
        struct flm_pane *pane = &scene->panes[i];
        pane->left_px = 0;
        pane->width_px = width_px;
        pane->header_px = pane->kind == FLM_PANE_CHART ? row_px : 0;
        pane->top_px = top + pane->header_px;
        pane->height_px = flm_pane_rows(pane) * row_px;
        top += pane->header_px + pane->height_px;
        if (pane->upwards)
            home = top;
    }
    scene->content_px = top;
    double lowest = top - height_px;
    if (scene->pane_count == 1 && scene->panes[0].upwards && lowest < 0) {
        scene->panes[0].top_px = -lowest;
        scene->content_px = height_px;
        lowest = 0;
    }
    /* Of a flame its foot is seen first; of a sandwich, where its halves meet. */
    home -= scene->pane_count == 1 ? height_px : height_px / 3;
    scene->home_px = fmax(0, fmin(round(home), lowest));
}

struct flm_pane *flm_scene_pane_at(const struct flm_scene *scene, double x_px, double y_px,
                                   double scroll_px, double row_px, uint32_t *level)
{
    double y = y_px + scroll_px;
    for (uint32_t i = 0; i < scene->pane_count; i++) {
        struct flm_pane *pane = &scene->panes[i];
        if (x_px < pane->left_px || x_px >= pane->left_px + pane->width_px || y < pane->top_px ||
            y >= pane->top_px + pane->height_px)
            continue;
        double row = floor((y - pane->top_px) / row_px);
        if (pane->upwards)
            row = flm_pane_rows(pane) - 1 - row;
        *level = pane->first_level + (uint32_t)row;
        return pane;
    }
    return NULL;
}

/* ---- Spots and paths ------------------------------------------------------------------------- */

uint32_t flm_scene_frame(const struct flm_scene *scene, struct flm_node_ref ref)
{
    if (ref.number == FLM_NONE || ref.pane >= scene->pane_count)
        return FLM_NONE;
    const struct flm_pane *pane = &scene->panes[ref.pane];
    struct flm_node node = flm_pane_node(pane, ref.number);
    return node.index == FLM_NONE ? FLM_NONE : pane->tree.frame[node.index];
}

struct flm_bytes flm_frame_title(const struct flm_profile *p, uint32_t frame)
{
    struct flm_bytes name = flm_frame_function(p, frame);
    if (frame == 0)
        return flm_bytes_of("all");
    return name.size > 0 ? name : flm_bytes_of("(no name)");
}

/* ---- The window ---- */

double flm_scene_row_px(const struct flm_scene *scene)
{
    return scene->window.is_cells ? FLM_CELL_HEIGHT_PX
                                  : round((FLM_ROW_PX + 1) * scene->window.scale);
}

struct flm_area flm_scene_minimap(const struct flm_model *model, const struct flm_scene *scene)
{
    if (scene->window.is_cells)
        return (struct flm_area){0, 0, scene->window.width, 0};
    double margin = round(FLM_MARGIN_PX * scene->window.scale);
    double height = model->view == FLM_VIEW_CHART ? 0 : round(FLM_MINIMAP_PX * scene->window.scale);
    return (struct flm_area){margin, flm_timeline_height(model, scene),
                             fmax(0, scene->window.width - 2 * margin), height};
}

struct flm_area flm_scene_area(const struct flm_model *model, const struct flm_scene *scene)
{
    struct flm_area map = flm_scene_minimap(model, scene);
    double top = map.top + map.height;
    return (struct flm_area){map.left, top, map.width, fmax(0, scene->window.height - top)};
}
