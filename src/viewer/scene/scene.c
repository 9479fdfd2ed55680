#include "viewer/scene/scene.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "draw/terminal/cell_boxes.h"
#include "viewer/scene/lanes.h"
#include "viewer/scene/view.h"

/* ---- Panes ----------------------------------------------------------------------------------- */

void flm_scene_clear_panes(struct flm_scene *scene)
{
    for (uint32_t i = 0; i < scene->pane_count; i++)
        flm_pane_clear(&scene->panes[i]);
    flm_threads_clear(&scene->threads);
    free(scene->panes);
    flm_compared_free(scene->compared);
    *scene = (struct flm_scene){.window = scene->window,
                                .timeline = scene->timeline,
                                .heat = scene->heat,
                                .tables = scene->tables,
                                .code = scene->code};
}

void flm_scene_clear(struct flm_scene *scene)
{
    flm_scene_clear_panes(scene);
    flm_timeline_clear(&scene->timeline);
    flm_heat_clear(&scene->heat);
    flm_cached_tables_clear(&scene->tables);
    flm_code_rows_clear(&scene->code);
}

struct flm_pane *flm_scene_add_pane(struct flm_scene *scene, struct flm_error *why)
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

bool flm_scene_compares(const struct flm_scene *scene)
{
    return scene->compared && scene->view && scene->view->shows_changes;
}

bool flm_scene_is_over_time(const struct flm_scene *scene)
{
    return scene->view && scene->view->is_over_time;
}

bool flm_scene_has_collapsed(const struct flm_scene *scene)
{
    for (uint32_t i = 0; i < scene->pane_count; i++)
        if (scene->panes[i].is_collapsed)
            return true;
    return false;
}

bool flm_scene_has_limited(const struct flm_scene *scene)
{
    for (uint32_t i = 0; i < scene->pane_count; i++)
        if (scene->panes[i].foot_px > 0)
            return true;
    return false;
}

bool flm_scene_has_deep(const struct flm_scene *scene)
{
    for (uint32_t i = 0; i < scene->pane_count; i++)
        if (scene->panes[i].is_deep)
            return true;
    return false;
}

bool flm_scene_has_halves(const struct flm_scene *scene)
{
    return scene->view && scene->view->has_halves;
}

const struct flm_layout *flm_scene_layout(const struct flm_scene *scene,
                                          const struct flm_pane *pane)
{
    return scene->compared && scene->compared->shared_layout ? scene->compared->shared_layout
                                                             : pane->layout;
}

/* The chosen view, or the one behind it where it has nothing to draw. NULL, and `why`, if memory
 * ran out before that was known. */
static const struct flm_view *drawn_view(const struct flm_model *model, struct flm_scene *scene,
                                         struct flm_error *why)
{
    const struct flm_view *view = model->view;
    struct flm_error error = {0};
    while (view->behind && !(view->can_build && view->can_build(model, scene, &error)))
        view = view->behind;
    if (error.kind != FLM_ERROR_MEMORY)
        return view;
    flm_error_memory(why);
    return NULL;
}

bool flm_scene_build(struct flm_model *model, struct flm_scene *scene, struct flm_error *why)
{
    struct flm_scene made = {.window = scene->window,
                             .timeline = scene->timeline,
                             .heat = scene->heat,
                             .tables = scene->tables,
                             .code = scene->code};
    assert(model->view && flm_model_shown(model));
    if (!flm_compared_new(model, &made.compared, why))
        return false;
    if (model->view->prepare && !model->view->prepare(model, why)) {
        flm_scene_clear_panes(&made);
        return false;
    }
    made.view = drawn_view(model, &made, why);
    if (!made.view || !made.view->build(model, &made, why)) {
        flm_scene_clear_panes(&made);
        return false;
    }
    if (!made.view->is_over_time)
        made.total =
            flm_layout_total(flm_scene_layout(&made, &made.panes[0]), (struct flm_node){0});
    flm_scene_clear_panes(scene);
    *scene = made;
    return true;
}

/* Side by side, with room for a line between them; their roots on one level. */
static void arrange_side_by_side(struct flm_scene *scene, double width_px, double height_px,
                                 double row_px)
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

/* Of a thread, when all have at most so many. */
static uint32_t most_rows_of(const struct flm_scene *scene, const struct flm_pane *pane,
                             uint32_t most_rows)
{
    double readable_px = scene->window.is_cells ? 4 : FLM_THREAD_READABLE_PX * scene->window.scale;
    bool tells_little =
        !pane->has_stacks || flm_threads_width(scene, pane) * pane->width_px < readable_px;
    return most_rows > FLM_ROWS_FEW && most_rows < UINT32_MAX && tells_little ? FLM_ROWS_FEW
                                                                              : most_rows;
}

/* The heights that all threads have in common. */
struct thread_heights {
    double row, name, strip, process, least, gap, foot;
};

static struct thread_heights heights_of(const struct flm_scene *scene, double row_px)
{
    double scale = scene->window.scale;
    bool is_cells = scene->window.is_cells;
    return (struct thread_heights){
        .row = row_px,
        .name = flm_scene_gutter_px(scene) > 0 ? 0 : row_px,
        .strip = flm_scene_strip_px(scene),
        .process = flm_scene_process_px(scene),
        .least = is_cells ? 0 : round(FLM_THREAD_LEAST_PX * scale),
        .gap = is_cells ? 0 : round(FLM_THREAD_GAP_PX * scale),
        .foot = is_cells ? row_px : round(FLM_FOOT_PX * scale),
    };
}

/* Panes with one place: one, or those of a lane, which has few rows. Returns the height of all
 * above their end. */
static double place_lane(struct flm_scene *scene, struct flm_pane *first,
                         const struct thread_heights *h, uint32_t most_rows, double top)
{
    uint32_t count = first->lane_count, rows = 0;
    bool is_lane = count > 1, is_open = flm_lane_is_open(scene, first), is_deep = false;
    for (uint32_t i = 0; i < count; i++) {
        struct flm_pane *pane = first + i;
        uint32_t most = is_lane ? FLM_ROWS_LEAST : most_rows_of(scene, pane, most_rows);
        bool is_limited = pane->chart_rows > 0 && pane->chart_rows - 1 > most;
        is_deep = is_deep || is_limited;
        pane->shown_rows = is_limited && !is_open ? most : pane->chart_rows;
        rows = pane->shown_rows > rows ? pane->shown_rows : rows;
    }
    double header = (first->process_threads ? h->process : 0) + h->name + h->strip;
    if (first->is_collapsed)
        header = h->process + flm_scene_occupancy_px(scene);
    double foot = is_deep && !is_open ? h->foot : 0;
    for (struct flm_pane *pane = first; pane < first + count; pane++) {
        pane->is_deep = is_deep;
        pane->foot_px = foot;
        pane->header_px = header;
        pane->top_px = top + header;
        pane->height_px = rows * h->row;
    }
    top += header + h->gap;
    if (!first->is_collapsed)
        top += fmax(first->height_px + foot, h->least - h->strip - h->name);
    return top;
}

/* One below the other, each with at most so many rows. Returns the height of all. */
static double place_threads(struct flm_scene *scene, double row_px, uint32_t most_rows)
{
    struct thread_heights heights = heights_of(scene, row_px);
    double top = 0;
    for (uint32_t i = 0; i < scene->pane_count;) {
        struct flm_pane *pane = &scene->panes[i];
        top = place_lane(scene, pane, &heights, most_rows, top);
        i += pane->lane_count;
    }
    return top;
}

/* The threads of a flame chart. Of one alone nothing is pushed out of the window. */
static void arrange_threads(struct flm_scene *scene, double width_px, double height_px,
                            double row_px)
{
    for (uint32_t i = 0; i < scene->pane_count; i++) {
        scene->panes[i].left_px = 0;
        scene->panes[i].width_px = width_px;
    }
    scene->home_px = 0;
    scene->content_px = place_threads(scene, row_px, UINT32_MAX);
    if (scene->pane_count > 1 && height_px > 0 && scene->content_px > height_px)
        scene->content_px = place_threads(
            scene, row_px, (uint32_t)fmax(FLM_ROWS_LEAST, floor(height_px / row_px / 3)));
}

/* One below the other. A flame that does not fill the window stands on its lower edge. */
void flm_scene_arrange(struct flm_scene *scene, double width_px, double height_px, double row_px)
{
    assert(scene && row_px > 0);
    double top = 0, home = 0;
    if (scene->compared && scene->compared->shared_layout) {
        arrange_side_by_side(scene, width_px, height_px, row_px);
        return;
    }
    if (flm_scene_is_over_time(scene)) {
        arrange_threads(scene, width_px, height_px, row_px);
        return;
    }
    for (uint32_t i = 0; i < scene->pane_count; i++) {
        struct flm_pane *pane = &scene->panes[i];
        pane->left_px = 0;
        pane->width_px = width_px;
        pane->top_px = top;
        pane->height_px = flm_pane_rows(pane) * row_px;
        top += pane->height_px;
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
    assert(scene && row_px > 0 && level);
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

/* ---- Refs and paths -------------------------------------------------------------------------- */

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

/* ---- Values ---------------------------------------------------------------------------------- */

static double sum_of(const double *self, uint32_t from, uint32_t end)
{
    double sum = 0;
    for (uint32_t i = from; i < end; i++)
        sum += self[i];
    return sum;
}

/* The column of a profile's metric. */
struct column {
    const double *self;
    const uint32_t *end;
};

static void value_in(const void *context, uint32_t node, bool of_self, double value[2])
{
    const struct column *column = context;
    value[0] = sum_of(column->self, node, of_self ? node + 1 : column->end[node]);
    value[1] = 0;
}

static bool is_signed(const struct flm_scene *scene, uint32_t metric)
{
    const struct flm_summary *summary = &scene->tables.summary;
    return summary->metric && summary->metric[metric].size != summary->metric[metric].total;
}

struct flm_value flm_value_of(const struct flm_scene *scene, const struct flm_pane *pane,
                              struct flm_node node, uint32_t metric)
{
    struct column column = {flm_self_column(pane->profile, metric), pane->profile->node_end};
    uint32_t number = flm_pane_number(pane, node), end = pane->tree.end[node.index];
    bool is_width = pane->tree.width == column.self && !is_signed(scene, metric);
    if (pane->kind == FLM_PANE_STACKS)
        return (struct flm_value){is_width ? flm_layout_total(pane->layout, node)
                                           : sum_of(column.self, node.index, end),
                                  column.self[node.index], true};
    if (pane->kind == FLM_PANE_LAZY && pane->compared)
        return (struct flm_value){pane->sums.at[number].all.total[1],
                                  pane->sums.at[number].all.own[1], true};
    if (pane->kind == FLM_PANE_CHART || !is_signed(scene, metric))
        return (struct flm_value){.total = flm_layout_total(pane->layout, node)};
    struct flm_lazy_tree_sum sum =
        flm_lazy_tree_sum(pane->lazy, (struct flm_lazy_ref){number}, value_in, &column);
    return (struct flm_value){sum.total[0], sum.own[0], true};
}

/* ---- The window ------------------------------------------------------------------------------ */

double flm_scene_row_px(const struct flm_scene *scene)
{
    return scene->window.is_cells ? FLM_CELL_HEIGHT_PX
                                  : round((FLM_ROW_PX + 1) * scene->window.scale);
}

double flm_scene_gutter_px(const struct flm_scene *scene)
{
    double scale = scene->window.scale;
    bool has = flm_scene_is_over_time(scene) && !scene->window.is_cells &&
               scene->window.width >= FLM_GUTTER_LEAST_WINDOW_PX * scale;
    return has ? round(FLM_GUTTER_PX * scale) : 0;
}

double flm_scene_ruler_px(const struct flm_scene *scene)
{
    if (!flm_scene_is_over_time(scene))
        return 0;
    return scene->window.is_cells ? flm_scene_row_px(scene)
                                  : round(FLM_RULER_PX * scene->window.scale);
}

double flm_scene_strip_px(const struct flm_scene *scene)
{
    if (!scene->threads.states.of_set)
        return 0;
    return scene->window.is_cells ? flm_scene_row_px(scene)
                                  : round(FLM_STRIP_PX * scene->window.scale);
}

double flm_scene_process_px(const struct flm_scene *scene)
{
    return scene->window.is_cells ? flm_scene_row_px(scene)
                                  : round(FLM_PROCESS_PX * scene->window.scale);
}

double flm_scene_occupancy_px(const struct flm_scene *scene)
{
    double strip = flm_scene_strip_px(scene);
    return scene->window.is_cells ? strip : 2 * strip;
}

struct flm_area flm_scene_minimap(const struct flm_model *model, const struct flm_scene *scene)
{
    if (scene->window.is_cells) /* which has no timeline */
        return (struct flm_area){
            0, flm_heat_is_shown(model, scene) ? flm_heat_height(model, scene) : 0,
            scene->window.width, 0};
    double margin = round(FLM_MARGIN_PX * scene->window.scale);
    double left = fmax(margin, flm_scene_gutter_px(scene));
    double height = flm_scene_is_over_time(scene) ? 0 : round(FLM_MINIMAP_PX * scene->window.scale);
    return (struct flm_area){left, flm_timeline_height(model, scene),
                             fmax(0, scene->window.width - left - margin), height};
}

struct flm_area flm_scene_area(const struct flm_model *model, const struct flm_scene *scene)
{
    struct flm_area map = flm_scene_minimap(model, scene);
    double top = map.top + map.height + flm_scene_ruler_px(scene);
    if (flm_scene_is_over_time(scene))
        top += flm_event_track_top(scene, flm_event_track_count(&scene->threads.events));
    return (struct flm_area){map.left, top, map.width, fmax(0, scene->window.height - top)};
}
