#include "support/profile/person.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/number/number.h"
#include "viewer/state.h"
#include "wasm/query_json.h"

/* ---- The window ------------------------------------------------------------------------------ */

void viewing_resize(struct viewing *seen, uint32_t width, uint32_t height, double scale)
{
    free(seen->pixels.at);
    uint32_t *memory = calloc((size_t)width * height + 1, sizeof *memory);
    assert_non_null(memory);
    seen->pixels = flm_pixels_of(memory, width, height);
    flm_viewer_resize(seen->viewer, width, height, scale);
}

void viewing_init(struct viewing *seen, struct flm_profile *profile, uint32_t width,
                  uint32_t height, double scale)
{
    struct flm_error why = {0};
    *seen = (struct viewing){.viewer = flm_viewer_new(&why)};
    assert_non_null(seen->viewer);
    flm_viewer_theme(seen->viewer, &(struct flm_theme){.still = true});
    viewing_resize(seen, width, height, scale);
    if (!flm_viewer_take(seen->viewer, FLM_VIEWER_AFTER, profile, "test", &why))
        fail_msg("%s", why.text);
}

void viewing_clear(struct viewing *seen)
{
    flm_viewer_free(seen->viewer);
    free(seen->pixels.at);
    flm_text_clear(&seen->text);
}

void viewing_look(struct viewing *seen)
{
    int pictures = 0;
    do {
        seen->now_ms += 16;
        if (++pictures > 1000)
            fail_msg("another picture is wanted again and again");
    } while (flm_viewer_paint(seen->viewer, &seen->pixels, seen->now_ms));
}

/* ---- Doing and asking ------------------------------------------------------------------------ */

void viewing_do(struct viewing *seen, const char *action)
{
    struct flm_error why = {0};
    seen->now_ms += 1000;
    seen->viewer->input.now_ms = seen->now_ms;
    if (!flm_viewer_do(seen->viewer, flm_bytes_of(action), &why))
        fail_msg("'%s': %s", action, why.text);
}

static const char *terminated(struct viewing *seen)
{
    flm_text_putc(&seen->text, '\0');
    assert_false(seen->text.failed);
    seen->text.size--;
    return seen->text.at;
}

const char *viewing_refused(struct viewing *seen, const char *action)
{
    struct flm_error why = {0};
    if (flm_viewer_do(seen->viewer, flm_bytes_of(action), &why))
        fail_msg("'%s' is not refused", action);
    assert_int_not_equal(why.kind, FLM_ERROR_NONE);
    assert_true(why.text[0] != 0);
    seen->text.size = 0;
    flm_text_puts(&seen->text, why.text);
    return terminated(seen);
}

bool viewing_key(struct viewing *seen, const char *key, unsigned held)
{
    seen->now_ms += 1000;
    return flm_viewer_key(seen->viewer, flm_bytes_of(key), held, seen->now_ms);
}

const char *viewing_ask(struct viewing *seen, const char *question)
{
    struct flm_error why = {0};
    seen->text.size = 0;
    if (!flm_query_json(seen->viewer, flm_bytes_of(question), &seen->text, &why))
        fail_msg("'%s': %s", question, why.text);
    return terminated(seen);
}

const char *viewing_state(struct viewing *seen)
{
    return viewing_ask(seen, "state");
}

/* ---- The picture ----------------------------------------------------------------------------- */

static struct viewing_box placed(struct viewing *seen, uint32_t index,
                                 const struct flm_rectangle *r)
{
    const struct flm_viewer *v = seen->viewer;
    const struct flm_pane *pane = &v->scene.panes[index];
    struct flm_area area = flm_viewer_area(v);
    double row = flm_viewer_row_px(v);
    double top = area.top + flm_pane_row_px(pane, r->level, row) -
                 flm_camera_scroll(&v->model.camera, v->input.now_ms);
    double left = area.left + pane->left_px;
    return (struct viewing_box){true, index, *r, left + r->x0, left + r->x1, top, top + row};
}

struct viewing_box viewing_find(struct viewing *seen, const char *function)
{
    struct viewing_box widest = {0};
    viewing_look(seen);
    for (uint32_t i = 0; i < seen->viewer->scene.pane_count; i++) {
        const struct flm_pane *pane = &seen->viewer->scene.panes[i];
        for (size_t k = 0; k < pane->drawn.count; k++) {
            const struct flm_rectangle *r = &pane->drawn.at[k];
            uint32_t frame = pane->tree.frame[r->node.index];
            if (r->flags & FLM_RECTANGLE_MERGED || r->level < pane->first_level || frame == 0 ||
                !flm_bytes_are(flm_frame_function(pane->profile, frame), function) ||
                r->x1 - r->x0 <= widest.x1 - widest.x0)
                continue;
            widest = placed(seen, i, r);
        }
    }
    return widest;
}

struct viewing_box viewing_box(struct viewing *seen, const char *function)
{
    struct viewing_box box = viewing_find(seen, function);
    if (!box.found)
        fail_msg("no box of '%s' is drawn", function);
    return box;
}

/* ---- The pointer ----------------------------------------------------------------------------- */

static void event(struct viewing *seen, enum flm_pointer_event kind, double x, double y)
{
    seen->now_ms += 10;
    flm_viewer_pointer(seen->viewer, kind, x, y, 0, false, seen->now_ms);
}

void viewing_click_at(struct viewing *seen, double x, double y, int times)
{
    seen->now_ms += 1000;
    event(seen, FLM_POINTER_MOVE, x, y);
    for (int i = 0; i < times; i++) {
        event(seen, FLM_POINTER_DOWN, x, y);
        event(seen, FLM_POINTER_UP, x, y);
    }
}

void viewing_click(struct viewing *seen, const char *function, int times)
{
    struct viewing_box box = viewing_box(seen, function);
    viewing_click_at(seen, (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, times);
}

void viewing_drag(struct viewing *seen, double x0, double y0, double x1, double y1)
{
    seen->now_ms += 1000;
    event(seen, FLM_POINTER_MOVE, x0, y0);
    event(seen, FLM_POINTER_DOWN, x0, y0);
    for (int i = 1; i <= 4; i++)
        event(seen, FLM_POINTER_MOVE, x0 + (x1 - x0) * i / 4, y0 + (y1 - y0) * i / 4);
    event(seen, FLM_POINTER_UP, x1, y1);
}

/* ---- Places ---------------------------------------------------------------------------------- */

static uint32_t child_named(const struct flm_pane *pane, uint32_t node, struct flm_bytes name)
{
    for (uint32_t i = node + 1; i < pane->tree.end[node]; i = pane->tree.end[i])
        if (flm_bytes_equal(flm_frame_function(pane->profile, pane->tree.frame[i]), name))
            return i;
    return FLM_NONE;
}

struct flm_node_ref viewing_ref(struct viewing *seen, uint32_t index, const char *path)
{
    assert_true(flm_viewer_update(seen->viewer, NULL));
    struct flm_pane *pane = &seen->viewer->scene.panes[index];
    uint32_t node = 0;
    for (const char *at = path; *at;) {
        size_t size = strcspn(at, ";");
        uint32_t number = flm_pane_number(pane, (struct flm_node){node});
        assert_true(flm_viewer_open(seen->viewer, (struct flm_node_ref){index, number}, NULL));
        node = flm_pane_node(pane, number).index;
        node = child_named(pane, node, (struct flm_bytes){at, size});
        if (node == FLM_NONE)
            fail_msg("there is no %s", path);
        at += size + (at[size] == ';');
    }
    return (struct flm_node_ref){index, flm_pane_number(pane, (struct flm_node){node})};
}

const char *viewing_name(struct viewing *seen, struct flm_node_ref ref)
{
    uint32_t frame = flm_scene_frame(&seen->viewer->scene, ref);
    seen->text.size = 0;
    if (frame != FLM_NONE)
        flm_text_add(&seen->text, flm_frame_function(flm_model_shown(&seen->viewer->model), frame));
    return terminated(seen);
}

/* ---- Invariants ------------------------------------------------------------------------------ */

static void assert_spot_there(const struct flm_viewer *v, struct flm_node_ref ref, const char *what)
{
    if (!flm_node_ref_valid(ref))
        return;
    assert_true(ref.pane < v->scene.pane_count);
    const struct flm_pane *pane = &v->scene.panes[ref.pane];
    struct flm_node node = flm_pane_node(pane, ref.number);
    if (node.index == FLM_NONE || flm_layout_level(pane->layout, node) == FLM_NONE)
        fail_msg("the node that is %s does not exist", what);
    assert_int_equal(flm_pane_number(pane, node), ref.number);
}

static void assert_camera_inside(const struct flm_viewer *v)
{
    const struct flm_camera *camera = &v->model.camera;
    struct flm_span now = flm_camera_span(camera, v->input.now_ms);
    assert_true(camera->to.left >= 0 && camera->to.right <= camera->total);
    assert_true(now.left >= 0 && now.right <= camera->total * (1 + 1e-12));
    assert_true(camera->total == 0 || camera->to.left < camera->to.right);
    double most = fmax(0, v->scene.content_px - flm_viewer_area(v).height);
    assert_true(camera->scroll_to >= 0 && camera->scroll_to <= most);
    if (flm_node_ref_valid(v->model.zoomed)) {
        const struct flm_pane *pane = &v->scene.panes[v->model.zoomed.pane];
        struct flm_node node = flm_pane_node(pane, v->model.zoomed.number);
        const struct flm_layout *places = flm_scene_layout(&v->scene, pane);
        double left = flm_layout_offset(places, node);
        double least = camera->total * 1e-11;
        assert_true(fabs(camera->to.left - left) <= least);
        assert_true(fabs(camera->to.right - left - flm_layout_total(places, node)) <= least);
    }
}

static void assert_pane_placed(const struct flm_viewer *v)
{
    struct flm_error why = {0};
    for (uint32_t i = 0; i < v->scene.pane_count; i++) {
        const struct flm_pane *pane = &v->scene.panes[i];
        if (!flm_layout_check(pane->layout, &why))
            fail_msg("%s", why.text);
        uint32_t levels = flm_layout_level_count(pane->layout);
        uint32_t rows = levels > pane->first_level ? levels - pane->first_level : 0;
        assert_true(pane->height_px == rows * flm_viewer_row_px(v));
        assert_true(pane->top_px >= 0 && pane->width_px >= 0);
        assert_true(pane->top_px + pane->height_px <= v->scene.content_px);
    }
}

void assert_viewing_sound(struct viewing *seen)
{
    struct flm_viewer *v = seen->viewer;
    struct flm_error why = {0};
    if (!flm_viewer_update(v, &why))
        fail_msg("%s", why.text);
    assert_true(flm_profile_check(flm_model_shown(&v->model), NULL));
    assert_true(v->model.history.current < v->model.history.steps.count &&
                v->model.history.steps.count <= FLM_MOST_STEPS);
    assert_camera_inside(v);
    assert_pane_placed(v);
    assert_spot_there(v, v->model.selected, "selected");
    assert_spot_there(v, v->model.zoomed, "zoomed to");
    assert_spot_there(v, v->input.hovered, "pointed at");
}

unsigned viewing_changes(struct viewing *seen)
{
    return flm_viewer_changes(seen->viewer, &seen->versions);
}
