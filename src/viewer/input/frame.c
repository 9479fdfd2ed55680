/* frame.c - walking from frame to frame, selecting, and the menu of a frame. */
#include <math.h>

#include "base/number/number.h"
#include "viewer/input/actions.h"
#include "viewer/input/clipboard.h"
#include "viewer/internal.h"

static const struct flm_node_ref no_ref = {0, FLM_NONE};

static bool select_and_show(struct flm_viewer *v, struct flm_node_ref ref)
{
    if (!flm_node_ref_valid(ref))
        return flm_viewer_notify(v, "there is no frame further that way");
    flm_viewer_walk_to(v, ref);
    return true;
}

static bool act_select(struct flm_viewer *v, struct flm_bytes number, struct flm_error *why)
{
    struct flm_node_ref ref;
    return flm_viewer_parse_ref(v, number, &ref, why) && select_and_show(v, ref);
}

/* The widest occurrence of a function that is drawn. */
static bool find_widest(struct flm_viewer *v, const struct flm_frame_record *wanted,
                        struct flm_node_ref *found, struct flm_error *why)
{
    double widest = 0;
    *found = no_ref;
    if (!flm_threads_open_all(&v->scene, why))
        return false;
    for (uint32_t s = 0; s < v->scene.pane_count; s++) {
        const struct flm_pane *pane = &v->scene.panes[s];
        for (uint32_t i = 1; i < pane->tree.node_count; i++) {
            uint32_t frame = pane->tree.frame[i];
            const struct flm_frame_record *record = &pane->profile->frames[frame];
            if (frame == 0 || record->function != wanted->function ||
                record->module != wanted->module)
                continue;
            double total = flm_layout_total(pane->layout, (struct flm_node){i});
            if (total > widest &&
                flm_layout_level(pane->layout, (struct flm_node){i}) >= pane->first_level) {
                widest = total;
                *found = (struct flm_node_ref){s, flm_pane_number(pane, (struct flm_node){i})};
            }
        }
    }
    return true;
}

/* A view of one function becomes the one of another. */
static bool turn_to_function(struct flm_viewer *v, uint32_t frame, struct flm_error *why)
{
    if (!v->model.view->set_function(&v->model, frame))
        return flm_error_memory(why);
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    if (!flm_viewer_update(v, why))
        return false;
    if (v->scene.view == v->model.view)
        flm_viewer_select(v, v->scene.view->function_ref(&v->scene, frame));
    flm_viewer_fit(v);
    flm_viewer_history_push(v);
    return true;
}

static bool act_select_frame(struct flm_viewer *v, struct flm_bytes number, struct flm_error *why)
{
    uint64_t frame;
    const struct flm_profile *p = flm_model_shown(&v->model);
    if (!flm_number_parse_uint(number, &frame) || frame == 0 || frame >= p->sizes.frame_count)
        return flm_error_set(why, FLM_ERROR_USAGE, "there is no function %.*s", (int)number.size,
                             number.at);
    if (v->model.view->set_function)
        return turn_to_function(v, (uint32_t)frame, why);
    struct flm_node_ref ref;
    if (!find_widest(v, &p->frames[frame], &ref, why))
        return false;
    if (!flm_node_ref_valid(ref))
        return flm_viewer_notify(v, "this function is not in this picture");
    return select_and_show(v, ref);
}

static struct flm_node_ref widest_child(struct flm_viewer *v, struct flm_node_ref ref)
{
    struct flm_pane *pane = &v->scene.panes[ref.pane];
    struct flm_node best = {FLM_NONE};
    double widest = 0;
    if (!flm_viewer_open(v, ref, NULL))
        return no_ref;
    uint32_t node = flm_pane_node(pane, ref.number).index;
    for (uint32_t child = node + 1; child < pane->tree.end[node]; child = pane->tree.end[child]) {
        double total = flm_layout_total(pane->layout, (struct flm_node){child});
        if (total > widest && !flm_tree_is_gap(&pane->tree, child)) {
            widest = total;
            best.index = child;
        }
    }
    return (struct flm_node_ref){ref.pane, flm_pane_number(pane, best)};
}

/* In a sandwich both halves begin with the functions that were chosen, which are drawn once: the
 * same one of the other half. */
static struct flm_node_ref other_half(struct flm_viewer *v, struct flm_node_ref ref)
{
    uint32_t other = 1 - ref.pane, frame = flm_scene_frame(&v->scene, ref);
    struct flm_pane *pane = &v->scene.panes[other];
    for (uint32_t i = 1; i < pane->tree.node_count; i = pane->tree.end[i])
        if (pane->tree.frame[i] == frame)
            return (struct flm_node_ref){other, flm_pane_number(pane, (struct flm_node){i})};
    return no_ref;
}

/* Where walking starts when nothing is selected: at what everything seen is in. In a sandwich that
 * is not drawn. */
static struct flm_node_ref start(struct flm_viewer *v)
{
    if (flm_node_ref_valid(v->model.selected))
        return v->model.selected;
    uint32_t last = v->scene.panes[0].first_level > 0 ? v->scene.pane_count - 1 : 0;
    const struct flm_pane *pane = &v->scene.panes[last];
    struct flm_node top = flm_viewer_top_node(v, pane);
    return (struct flm_node_ref){last, flm_pane_number(pane, top)};
}

/* Toward the root. */
static bool walk_up(struct flm_viewer *v)
{
    struct flm_node_ref ref = start(v);
    const struct flm_pane *pane = &v->scene.panes[ref.pane];
    struct flm_node node = flm_layout_parent(pane->layout, flm_pane_node(pane, ref.number));
    struct flm_node_ref to = {ref.pane, flm_pane_number(pane, node)};
    if (node.index == FLM_NONE || flm_layout_level(pane->layout, node) >= pane->first_level)
        return select_and_show(v, to);
    if (ref.pane == 0)
        return select_and_show(v, other_half(v, to));
    ref = other_half(v, ref);
    return select_and_show(v, flm_node_ref_valid(ref) ? widest_child(v, ref) : no_ref);
}

/* Into the widest child: the way that most of it goes. */
static bool walk_down(struct flm_viewer *v)
{
    return select_and_show(v, widest_child(v, start(v)));
}

/* The next frame on the same row, to the left or to the right: a sibling, or of the neighbor. */
static bool walk_aside(struct flm_viewer *v, int direction)
{
    struct flm_node_ref ref = start(v);
    const struct flm_pane *pane = &v->scene.panes[ref.pane];
    struct flm_node node = flm_pane_node(pane, ref.number);
    do
        node = flm_layout_neighbor(pane->layout, node, direction);
    while (node.index != FLM_NONE && flm_tree_is_gap(&pane->tree, node.index));
    return select_and_show(v, (struct flm_node_ref){ref.pane, flm_pane_number(pane, node)});
}

/* Arrows go where the frame is seen: up is to the callee in a flame, to the caller in an icicle. */
static bool walk_vertically(struct flm_viewer *v, bool up)
{
    bool upwards = v->scene.panes[start(v).pane].upwards;
    return up == upwards ? walk_down(v) : walk_up(v);
}

static bool act_up(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return walk_vertically(v, true);
}

static bool act_down(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return walk_vertically(v, false);
}

static bool act_left(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return walk_aside(v, -1);
}

static bool act_right(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return walk_aside(v, 1);
}

/* Then callers are further from the root. */
static bool has_callers_below(struct flm_viewer *v)
{
    return v->scene.panes[start(v).pane].has_callers_below;
}

static bool act_parent(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return has_callers_below(v) ? walk_down(v) : walk_up(v);
}

static bool act_child(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return has_callers_below(v) ? walk_up(v) : walk_down(v);
}

/* ---- The menu -------------------------------------------------------------------------------- */

static bool open_menu(struct flm_viewer *v, double x, double y)
{
    v->input.menu_x = x;
    v->input.menu_y = y;
    return flm_viewer_prompt(v, "menu");
}

void flm_viewer_menu_at(struct flm_viewer *v, double x, double y)
{
    struct flm_node_ref ref;
    struct flm_rectangle box;
    struct flm_error why = {0};
    bool hit = flm_viewer_hit(v, x, y, &ref, &box);
    flm_viewer_select(v, hit ? ref : no_ref);
    v->model.selected_merged =
        hit && box.flags & FLM_RECTANGLE_MERGED ? box : (struct flm_rectangle){0};
    flm_viewer_history_replace(v);
    if (!open_menu(v, x, y)) {
        flm_error_memory(&why);
        flm_viewer_notify_error(v, &why);
    }
}

/* At the selected frame; where none is in the window, whoever shows the menu chooses the place. */
static bool act_menu(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    struct flm_area box = {.left = NAN, .top = NAN};
    (void)none;
    flm_viewer_place(v, v->model.selected, &box);
    return open_menu(v, box.left + fmin(box.width / 2, v->scene.window.scale * 40),
                     box.top + box.height) ||
           flm_error_memory(why);
}

static const struct flm_action actions[] = {
    {"select", "Select frame", &flm_a_node, NULL, act_select, NULL},
    {"select-frame", "Select function", &flm_a_frame, NULL, act_select_frame, NULL},
    {"up", "Frame above", NULL, "ArrowUp k", act_up, NULL},
    {"down", "Frame below", NULL, "ArrowDown j", act_down, NULL},
    {"left", "Frame to the left", NULL, "ArrowLeft h", act_left, NULL},
    {"right", "Frame to the right", NULL, "ArrowRight l", act_right, NULL},
    {"parent", "Caller", NULL, "u", act_parent, NULL},
    {"child", "Largest callee", NULL, "B", act_child, NULL},
    {"menu", "Menu of the selected frame", NULL, "ContextMenu S-F10 .", act_menu, NULL,
     "context right click"},
};
const struct flm_action_group flm_frame_actions = {"Frames", actions,
                                                   sizeof actions / sizeof actions[0]};
