#include "viewer/scene/scene.h"

#include <math.h>
#include <stdlib.h>

#include "algebra/operation/pattern.h"
#include "viewer/model/compared.h"
#include "viewer/model/internal.h"

/* Callers are opened at once down to what is a pixel of a wide screen; more when it is seen. */
#define FIRST_PIXELS 2000

/* ---- Strips -------------------------------------------------------------------------------------
 */

static void strip_clear(struct flm_strip *strip)
{
    flm_rectangles_clear(&strip->drawn);
    flm_layout_free(strip->layout);
    flm_lazy_tree_free(strip->lazy);
    flm_chart_free(strip->chart);
    free(strip->sums);
    free(strip->widths);
    free(strip->seen);
    *strip = (struct flm_strip){0};
}

void flm_scene_clear(struct flm_scene *scene)
{
    for (uint32_t i = 0; i < scene->strip_count; i++)
        strip_clear(&scene->strips[i]);
    flm_tracks_clear(&scene->tracks);
    free(scene->strips);
    flm_compared_free(scene->compared);
    *scene = (struct flm_scene){0};
}

static struct flm_strip *strip_add(struct flm_scene *scene, struct flm_error *why)
{
    struct flm_strip *grown =
        realloc(scene->strips, (scene->strip_count + 1) * sizeof *scene->strips);
    if (!grown) {
        flm_error_memory(why);
        return NULL;
    }
    scene->strips = grown;
    grown[scene->strip_count] = (struct flm_strip){0};
    return &grown[scene->strip_count++];
}

/* The layout of the strip's tree, in place of the one before. */
static bool lay_out(struct flm_strip *strip, struct flm_error *why)
{
    struct flm_layout_options options = {.tree = strip->tree, .order = strip->order};
    struct flm_layout *layout = flm_layout_new(&options, why);
    if (!layout)
        return false;
    flm_layout_free(strip->layout);
    strip->layout = layout;
    return true;
}

static bool make_stacks(struct flm_strip *strip, struct flm_error *why)
{
    strip->kind = FLM_STRIP_STACKS;
    strip->tree = flm_tree_of(strip->profile, strip->metric);
    if (strip->order == FLM_ORDER_SEEN) {
        strip->seen = flm_tree_seen(strip->profile, strip->metric);
        if (!strip->seen)
            return flm_error_memory(why);
        strip->tree.seen = strip->seen;
    }
    return lay_out(strip, why);
}

bool flm_strip_take_lazy(struct flm_strip *strip, struct flm_error *why)
{
    if (!flm_lazy_tree_columns(strip->lazy, &strip->unfold_tree, why) ||
        (strip->compared && !flm_compared_sum(strip, why)))
        return false;
    strip->tree = (struct flm_tree){
        .node_count = strip->unfold_tree.node_count,
        .frame = strip->unfold_tree.frame,
        .end = strip->unfold_tree.end,
        .width = strip->unfold_tree.width,
    };
    return lay_out(strip, why);
}

static bool shows_changes(const struct flm_viewer *v)
{
    return v->view == FLM_VIEW_COMPARE || (v->view == FLM_VIEW_SANDWICH && v->focus.size > 0);
}

bool flm_scene_compares(const struct flm_viewer *v)
{
    return v->scene.compared && shows_changes(v);
}

/* Where two are compared, what is wide is told by the choice of widths, and what is there by both
 * sides. */
static bool make_unfolded(const struct flm_viewer *v, struct flm_strip *strip,
                          enum flm_lazy_tree_kind kind, const unsigned char *marks,
                          struct flm_error *why)
{
    struct flm_lazy_tree_values values = {.self =
                                              flm_self_column(strip->profile, strip->metric.index)};
    if (strip->compared) {
        const struct flm_comparison *c = &strip->compared->is;
        values.self = shows_changes(v) ? c->widths : values.self;
        values.present[0] = c->before_self;
        values.present[1] = c->after_self;
    }
    strip->kind = FLM_STRIP_LAZY;
    strip->lazy = flm_lazy_tree_new_valued(strip->profile, &values, kind, marks, why);
    if (!strip->lazy || !flm_strip_take_lazy(strip, why))
        return false;
    double total = flm_layout_total(strip->layout, (struct flm_node){0});
    return flm_lazy_tree_open(strip->lazy, (struct flm_lazy_ref){0}, total / FIRST_PIXELS, 0,
                              &strip->incomplete, why) &&
           flm_strip_take_lazy(strip, why);
}

bool flm_strip_open(struct flm_strip *strip, double narrowest, uint64_t budget, bool *opened,
                    struct flm_error *why)
{
    *opened = false;
    strip->incomplete = false;
    if (!strip->lazy)
        return true;
    for (size_t i = 0; i < strip->drawn.count; i++) {
        const struct flm_rectangle *r = &strip->drawn.at[i];
        if (r->flags & FLM_RECTANGLE_RUN || strip->unfold_tree.is_open[r->node.index])
            continue;
        if (*opened && budget == 0) {
            strip->incomplete = true;
            break;
        }
        bool more;
        struct flm_lazy_ref number = {strip->unfold_tree.number[r->node.index]};
        if (!flm_lazy_tree_open(strip->lazy, number, narrowest, budget, &more, why))
            return false;
        *opened = true;
        if (more) {
            strip->incomplete = true;
            break;
        }
    }
    return !*opened || flm_strip_take_lazy(strip, why);
}

bool flm_strip_has_unopened(const struct flm_strip *strip)
{
    for (size_t i = 0; strip->lazy && i < strip->drawn.count; i++) {
        const struct flm_rectangle *r = &strip->drawn.at[i];
        if (!(r->flags & FLM_RECTANGLE_RUN) && !strip->unfold_tree.is_open[r->node.index])
            return true;
    }
    return false;
}

bool flm_strip_open_one(struct flm_strip *strip, uint32_t number, struct flm_error *why)
{
    bool more;
    struct flm_node node = flm_strip_node(strip, number);
    if (!strip->lazy || node.index == FLM_NONE || strip->unfold_tree.is_open[node.index])
        return true;
    return flm_lazy_tree_open(strip->lazy, (struct flm_lazy_ref){number}, INFINITY, 0, &more,
                              why) &&
           flm_strip_take_lazy(strip, why);
}

struct flm_node flm_strip_node(const struct flm_strip *strip, uint32_t number)
{
    if (number >= strip->tree.node_count)
        return (struct flm_node){FLM_NONE};
    if (strip->lazy)
        return flm_lazy_tree_node(strip->lazy, (struct flm_lazy_ref){number});
    return (struct flm_node){number};
}

uint32_t flm_strip_number(const struct flm_strip *strip, struct flm_node node)
{
    if (strip->lazy && node.index != FLM_NONE)
        return strip->unfold_tree.number[node.index];
    return node.index;
}

/* ---- Scenes -------------------------------------------------------------------------------------
 */

static struct flm_strip *strip_of(struct flm_viewer *v, struct flm_scene *scene,
                                  struct flm_error *why)
{
    struct flm_strip *strip = strip_add(scene, why);
    if (!strip)
        return NULL;
    strip->profile = flm_viewer_shown(v);
    strip->metric = (struct flm_metric){v->metric};
    strip->compared = scene->compared;
    strip->order = v->order;
    strip->upwards = v->flame;
    return strip;
}

static bool build_flame(struct flm_viewer *v, struct flm_scene *scene, struct flm_error *why)
{
    struct flm_strip *strip = strip_of(v, scene, why);
    if (!strip)
        return false;
    return v->inverted ? make_unfolded(v, strip, FLM_LAZY_TREE_INVERTED, NULL, why)
                       : make_stacks(strip, why);
}

/* Level 0 of both is everything that was chosen, level 1 the chosen functions themselves: they are
 * drawn once, at the top of what they call. */
static bool build_sandwich(struct flm_viewer *v, struct flm_scene *scene, struct flm_error *why)
{
    const struct flm_profile *p = flm_viewer_shown(v);
    unsigned char *marks = malloc(p->sizes.frame_count);
    uint32_t matched = 0;
    if (!marks)
        return flm_error_memory(why);
    struct flm_bytes pattern = {v->focus.at, v->focus.size};
    bool good = flm_pattern_mark(p, pattern, marks, &matched, why);
    struct flm_strip *callers = good ? strip_of(v, scene, why) : NULL;
    good = callers && make_unfolded(v, callers, FLM_LAZY_TREE_CALLERS, marks, why);
    if (good) {
        callers->upwards = true;
        callers->first_level = 2;
        callers->title = "callers";
    }
    struct flm_strip *callees = good ? strip_of(v, scene, why) : NULL;
    good = callees && make_unfolded(v, callees, FLM_LAZY_TREE_CALLEES, marks, why);
    if (good) {
        callees->upwards = false;
        callees->first_level = 1;
        callees->title = "calls";
    }
    free(marks);
    return good;
}

/* A strip of the stacks, each as wide as `widths` says, which it then owns. */
static bool add_compared(struct flm_viewer *v, struct flm_scene *scene, double *widths,
                         const char *title, struct flm_error *why)
{
    struct flm_strip *strip = strip_of(v, scene, why);
    if (!strip) {
        free(widths);
        return false;
    }
    strip->kind = FLM_STRIP_STACKS;
    strip->order = FLM_ORDER_NAME;
    strip->title = title;
    strip->widths = widths;
    strip->tree = flm_tree_of(strip->profile, strip->metric);
    strip->tree.width = widths;
    return lay_out(strip, why);
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
static bool build_side_by_side(struct flm_viewer *v, struct flm_scene *scene, struct flm_error *why)
{
    static const char *const titles[] = {
        [FLM_VIEWER_AFTER] = "after", [FLM_VIEWER_BEFORE] = "before"};
    static const enum flm_viewer_side order[] = {FLM_VIEWER_BEFORE, FLM_VIEWER_AFTER};
    for (int i = 0; i < 2; i++) {
        double *widths = side_widths(&scene->compared->is, order[i]);
        if (!widths)
            return flm_error_memory(why);
        if (!add_compared(v, scene, widths, titles[order[i]], why))
            return false;
    }
    struct flm_tree tree = scene->strips[0].tree;
    tree.width = scene->compared->is.widths;
    struct flm_layout_options options = {.tree = tree, .order = FLM_ORDER_NAME};
    scene->compared->places = flm_layout_new(&options, why);
    return scene->compared->places != NULL;
}

static bool build_compare(struct flm_viewer *v, struct flm_scene *scene, struct flm_error *why)
{
    if (v->inverted)
        return build_flame(v, scene, why);
    if (v->comparing.side_by_side)
        return build_side_by_side(v, scene, why);
    struct flm_strip *strip = strip_of(v, scene, why);
    if (!strip)
        return false;
    strip->kind = FLM_STRIP_STACKS;
    strip->tree = flm_tree_of(strip->profile, strip->metric);
    strip->tree.width = scene->compared->is.widths;
    if (strip->order == FLM_ORDER_SEEN)
        strip->order = FLM_ORDER_NAME; /* what is aligned has no times */
    return lay_out(strip, why);
}

const struct flm_layout *flm_scene_places(const struct flm_scene *scene,
                                          const struct flm_strip *strip)
{
    return scene->compared && scene->compared->places ? scene->compared->places : strip->layout;
}

static bool add_chart(struct flm_viewer *v, struct flm_scene *scene, uint32_t track,
                      const uint32_t *parent, struct flm_error *why)
{
    const struct flm_track *t = &scene->tracks.track[track];
    struct flm_strip *strip = strip_of(v, scene, why);
    if (!strip)
        return false;
    struct flm_chart_options options = {
        .sample = t->sample,
        .sample_count = t->sample_count,
        .metric = strip->metric,
        .start_ns = scene->tracks.first_ns,
        .parent = parent,
    };
    strip->kind = FLM_STRIP_CHART;
    strip->order = FLM_ORDER_NAME; /* the tree's own: of time */
    strip->first_level = 1;
    strip->upwards = false;
    strip->track = track;
    strip->chart = flm_chart_new(strip->profile, &options, why);
    if (!strip->chart)
        return false;
    strip->tree = strip->chart->tree;
    return lay_out(strip, why);
}

/* A strip for each thread, the largest first. */
static bool build_chart(struct flm_viewer *v, struct flm_scene *scene, struct flm_error *why)
{
    const struct flm_profile *p = flm_viewer_shown(v);
    uint32_t *parent = malloc(p->sizes.node_count * sizeof *parent);
    if (!parent)
        return flm_error_memory(why);
    flm_profile_parents(p, parent);
    bool good = true;
    for (uint32_t i = 0; good && i < scene->tracks.count && i < FLM_MOST_STRIPS; i++)
        if (scene->tracks.track[i].sample_count > 0)
            good = add_chart(v, scene, i, parent, why);
    free(parent);
    return good;
}

/* Whether there is anything to chart: samples with times. */
static bool has_chart(struct flm_viewer *v, struct flm_scene *scene, struct flm_error *why)
{
    struct flm_metric metric = {v->metric};
    if (v->view != FLM_VIEW_CHART)
        return false;
    return flm_tracks_init(&scene->tracks, flm_viewer_shown(v), metric, NULL, why) &&
           scene->tracks.length_ns > 0;
}

bool flm_scene_build(struct flm_viewer *v, struct flm_scene *scene, struct flm_error *why)
{
    struct flm_scene made = {0};
    bool good = flm_compared_new(v, &made.compared, why);
    if (!good)
        return false;
    if (v->view == FLM_VIEW_COMPARE && made.compared)
        good = build_compare(v, &made, why);
    else if (has_chart(v, &made, why))
        good = build_chart(v, &made, why);
    else if (v->view == FLM_VIEW_SANDWICH && v->focus.size > 0)
        good = build_sandwich(v, &made, why);
    else
        good = build_flame(v, &made, why);
    if (!good) {
        flm_scene_clear(&made);
        return false;
    }
    made.total = flm_layout_total(flm_scene_places(&made, &made.strips[0]), (struct flm_node){0});
    if (made.strips[0].kind == FLM_STRIP_CHART)
        made.total = made.tracks.length_ns;
    flm_scene_clear(scene);
    *scene = made;
    return true;
}

static uint32_t rows_of(const struct flm_strip *strip)
{
    uint32_t levels = flm_layout_level_count(strip->layout);
    return levels > strip->first_level ? levels - strip->first_level : 0;
}

/* Side by side, with room for a line between them; their roots on one level. */
static void place_beside(struct flm_scene *scene, double width_px, double height_px, double row_px)
{
    double half = floor((width_px - 2 * row_px / 3) / 2), highest = height_px;
    for (uint32_t i = 0; i < scene->strip_count; i++)
        highest = fmax(highest, rows_of(&scene->strips[i]) * row_px);
    for (uint32_t i = 0; i < scene->strip_count; i++) {
        struct flm_strip *strip = &scene->strips[i];
        strip->left_px = i ? width_px - half : 0;
        strip->width_px = fmax(half, 0);
        strip->height_px = rows_of(strip) * row_px;
        strip->top_px = strip->upwards ? highest - strip->height_px : 0;
    }
    scene->content_px = highest;
    scene->home_px = scene->strips[0].upwards ? highest - height_px : 0;
}

/* One below the other. A flame that does not fill the window stands on its lower edge. */
void flm_scene_place(struct flm_scene *scene, double width_px, double height_px, double row_px)
{
    double top = 0, home = 0;
    if (scene->compared && scene->compared->places) {
        place_beside(scene, width_px, height_px, row_px);
        return;
    }
    for (uint32_t i = 0; i < scene->strip_count; i++) {
        struct flm_strip *strip = &scene->strips[i];
        strip->left_px = 0;
        strip->width_px = width_px;
        strip->header_px = strip->kind == FLM_STRIP_CHART ? row_px : 0;
        strip->top_px = top + strip->header_px;
        strip->height_px = rows_of(strip) * row_px;
        top += strip->header_px + strip->height_px;
        if (strip->upwards)
            home = top;
    }
    scene->content_px = top;
    double lowest = top - height_px;
    if (scene->strip_count == 1 && scene->strips[0].upwards && lowest < 0) {
        scene->strips[0].top_px = -lowest;
        scene->content_px = height_px;
        lowest = 0;
    }
    /* Of a flame its foot is seen first; of a sandwich, where its halves meet. */
    home -= scene->strip_count == 1 ? height_px : height_px / 3;
    scene->home_px = fmax(0, fmin(round(home), lowest));
}

double flm_strip_row_px(const struct flm_strip *strip, uint32_t level, double row_px)
{
    double row = (double)level - strip->first_level;
    return strip->upwards ? strip->top_px + strip->height_px - (row + 1) * row_px
                          : strip->top_px + row * row_px;
}

struct flm_strip *flm_scene_strip_at(const struct flm_scene *scene, double x_px, double y_px,
                                     double scroll_px, double row_px, uint32_t *level)
{
    double y = y_px + scroll_px;
    for (uint32_t i = 0; i < scene->strip_count; i++) {
        struct flm_strip *strip = &scene->strips[i];
        if (x_px < strip->left_px || x_px >= strip->left_px + strip->width_px ||
            y < strip->top_px || y >= strip->top_px + strip->height_px)
            continue;
        double row = floor((y - strip->top_px) / row_px);
        if (strip->upwards)
            row = rows_of(strip) - 1 - row;
        *level = strip->first_level + (uint32_t)row;
        return strip;
    }
    return NULL;
}

/* ---- Spots and paths ----------------------------------------------------------------------------
 */

uint32_t flm_scene_frame(const struct flm_scene *scene, struct flm_node_ref ref)
{
    if (ref.number == FLM_NONE || ref.strip >= scene->strip_count)
        return FLM_NONE;
    const struct flm_strip *strip = &scene->strips[ref.strip];
    struct flm_node node = flm_strip_node(strip, ref.number);
    return node.index == FLM_NONE ? FLM_NONE : strip->tree.frame[node.index];
}
