/* move.c - moving: zoom, pan, scroll, history. */
#include <math.h>

#include "base/number/number.h"
#include "viewer/input/actions.h"
#include "viewer/internal.h"
#include "viewer/state.h"

#define ZOOM_STEP 1.5
#define PAN_STEP 0.2

static void moved(struct flm_viewer *v)
{
    v->model.zoomed = (struct flm_node_ref){0, FLM_NONE};
    flm_changed(&v->model, FLM_ASPECT_CAMERA);
    flm_viewer_history_coalesce(v);
}

bool flm_viewer_parse_ref(struct flm_viewer *v, struct flm_bytes number, struct flm_node_ref *ref,
                          struct flm_error *why)
{
    double value;
    if (flm_number_parse(number, &value) == FLM_NUMBER_INTEGER) {
        *ref = flm_node_ref_of_number(v, value);
        if (flm_node_ref_valid(*ref))
            return true;
    }
    return flm_error_set(why, FLM_ERROR_USAGE, "there is no frame %.*s here", (int)number.size,
                         number.at);
}

static bool act_zoom(struct flm_viewer *v, struct flm_bytes number, struct flm_error *why)
{
    struct flm_node_ref ref;
    if (!flm_viewer_parse_ref(v, number, &ref, why))
        return false;
    flm_viewer_zoom_to(v, ref);
    flm_viewer_history_push(v);
    return true;
}

/* Merged frames: to all of them, so that they are drawn one by one. */
static void zoom_to_merged(struct flm_viewer *v)
{
    const struct flm_pane *pane = &v->scene.panes[v->model.selected.pane];
    struct flm_span span;
    flm_layout_span(flm_scene_layout(&v->scene, pane),
                    flm_pane_node(pane, v->model.selected.number), v->model.selected_merged.count,
                    &span.left, &span.right);
    flm_camera_go(&v->model.camera, span, v->input.now_ms, flm_viewer_glide_ms(v));
    v->model.zoomed = (struct flm_node_ref){0, FLM_NONE};
    flm_changed(&v->model, FLM_ASPECT_CAMERA);
}

static bool act_zoom_selected(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    if (v->model.selected_merged.count > 0)
        zoom_to_merged(v);
    else
        flm_viewer_zoom_to(v, v->model.selected);
    flm_viewer_history_push(v);
    return true;
}

static bool has_selected(const struct flm_viewer *v)
{
    return flm_node_ref_valid(v->model.selected);
}

static const struct flm_condition with_selected = {has_selected, "no frame is selected"};

static const char everything[] = "everything is visible already";

/* `from`: where the camera went to before. */
static bool went(struct flm_viewer *v, struct flm_span from, const char *otherwise)
{
    if (v->model.camera.to.left == from.left && v->model.camera.to.right == from.right)
        return flm_viewer_notify(v, otherwise);
    moved(v);
    return true;
}

static bool zoom_by(struct flm_viewer *v, double factor)
{
    double share = 0.5;
    struct flm_span from = v->model.camera.to;
    flm_camera_zoom(&v->model.camera, factor, share, v->input.now_ms, flm_viewer_glide_ms(v));
    return went(v, from, factor > 1 ? "this is the largest zoom" : everything);
}

static bool act_zoom_in(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return zoom_by(v, ZOOM_STEP);
}

static bool act_zoom_out(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return zoom_by(v, 1 / ZOOM_STEP);
}

static bool pan(struct flm_viewer *v, double by)
{
    struct flm_span from = v->model.camera.to;
    flm_camera_pan(&v->model.camera, by, v->input.now_ms, flm_viewer_glide_ms(v));
    return went(v, from, by < 0 ? "this is the left end" : "this is the right end");
}

static bool act_pan_left(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return pan(v, -PAN_STEP);
}

static bool act_pan_right(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return pan(v, PAN_STEP);
}

/* In windows: 0.9 keeps a row or two visible. */
static bool scroll(struct flm_viewer *v, double by)
{
    double from = v->model.camera.scroll_to;
    flm_viewer_scroll(v, round(by * flm_viewer_area(v).height), flm_viewer_glide_ms(v));
    return v->model.camera.scroll_to != from ||
           flm_viewer_notify(v, by < 0 ? "there is nothing further up"
                                       : "there is nothing further down");
}

/* As far as a pan, which speedscope's keys for both go. */
static bool act_scroll_up(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return scroll(v, -PAN_STEP);
}

static bool act_scroll_down(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return scroll(v, PAN_STEP);
}

static bool act_page_up(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return scroll(v, -0.9);
}

static bool act_page_down(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    return scroll(v, 0.9);
}

static bool act_fit(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    if (flm_viewer_is_fit(v))
        return flm_viewer_notify(v, everything);
    flm_viewer_fit(v);
    flm_viewer_history_push(v);
    return true;
}

static bool can_go_back(const struct flm_viewer *v)
{
    return v->model.history.current > 0;
}

static const struct flm_condition with_back = {can_go_back, "there is no step to go back to"};

static bool can_go_forward(const struct flm_viewer *v)
{
    return v->model.history.current + 1 < v->model.history.steps.count;
}

static const struct flm_condition with_forward = {can_go_forward,
                                                  "there is no step to go forward to"};

/* To the step that is current now; where memory runs out it stays the one before. */
static bool go(struct flm_viewer *v, struct flm_bytes state, size_t before, struct flm_error *why)
{
    v->input.wheel_ms = FLM_LONG_AGO_MS;
    if (flm_state_read(v, state, why))
        return true;
    v->model.history.current = before;
    return false;
}

static bool act_back(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    size_t before = v->model.history.current;
    return go(v, flm_history_back(&v->model.history), before, why);
}

static bool act_forward(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none;
    size_t before = v->model.history.current;
    return go(v, flm_history_forward(&v->model.history), before, why);
}

/* What is open here is the panel, of the selected frame; the tooltip is gone after any action. The
 * zoom, the view and the transforms stay: "back" returns to those before. */
static bool act_escape(struct flm_viewer *v, struct flm_bytes none, struct flm_error *why)
{
    (void)none, (void)why;
    if (has_selected(v)) {
        flm_viewer_select(v, flm_node_ref_none());
        v->model.selected_merged = (struct flm_rectangle){0};
        flm_viewer_history_replace(v); /* "back" does not select it again */
    }
    return true;
}

static bool act_restore(struct flm_viewer *v, struct flm_bytes state, struct flm_error *why)
{
    if (!flm_state_read(v, state, why))
        return false;
    flm_viewer_history_push(v);
    return true;
}

static const struct flm_action_argument a_state = {"STATE", FLM_GIVEN_POINTED, NULL};

static const struct flm_action actions[] = {
    {"zoom", "Zoom to frame", &flm_a_node, NULL, act_zoom, NULL},
    {"zoom-selected", "Zoom to the selected frame", NULL, "Enter", act_zoom_selected,
     &with_selected},
    {"zoom-in", "Zoom in", NULL, "+ =", act_zoom_in, NULL},
    {"zoom-out", "Zoom out", NULL, "- _", act_zoom_out, NULL},
    {"fit", "Show everything", NULL, "0 Home", act_fit, NULL, "reset zoom all"},
    {"pan-left", "Move left", NULL, "a", act_pan_left, NULL},
    {"pan-right", "Move right", NULL, "d", act_pan_right, NULL},
    {"scroll-up", "Move up", NULL, "w", act_scroll_up, NULL},
    {"scroll-down", "Move down", NULL, "s", act_scroll_down, NULL},
    {"page-up", "Move up a page", NULL, "PageUp", act_page_up, NULL},
    {"page-down", "Move down a page", NULL, "PageDown", act_page_down, NULL},
    {"back", "Back", NULL, "Backspace A-ArrowLeft [", act_back, &with_back},
    {"forward", "Forward", NULL, "A-ArrowRight ]", act_forward, &with_forward},
    {"escape", "Close: the panel, and what is selected", NULL, "Escape", act_escape, NULL,
     "deselect unselect"},
    {"restore", "Show a state", &a_state, NULL, act_restore, NULL},
};
const struct flm_action_group flm_moving_actions = {"Moving", actions,
                                                    sizeof actions / sizeof actions[0]};
