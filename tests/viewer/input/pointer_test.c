#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/profile/person.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

static const char stacks[] = "main;parse;lex 30\nmain;parse;read 20\nmain;write 30\nidle 20\n";

static void begin(struct viewing *seen)
{
    viewing_init(seen, profile_of(stacks), 816, 448, 1);
}

static double width_of(struct viewing *seen, const char *function)
{
    struct viewing_box box = viewing_box(seen, function);
    return box.x1 - box.x0;
}

static void a_click_selects_and_a_second_one_zooms(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen);
    viewing_click(&seen, "parse", 1);
    assert_string_equal(viewing_name(&seen, seen.viewer->model.selected), "parse");
    assert_true(fabs(width_of(&seen, "parse") - 400) < 1);
    viewing_click(&seen, "parse", 2);
    assert_string_equal(viewing_name(&seen, seen.viewer->model.zoomed), "parse");
    /* It fills the width, its callers do too, and what is beside it is gone. */
    assert_true(width_of(&seen, "parse") == 800);
    assert_true(width_of(&seen, "main") == 800);
    assert_true(fabs(width_of(&seen, "lex") - 480) < 1);
    assert_false(viewing_find(&seen, "write").found);
    assert_false(viewing_find(&seen, "idle").found);
    /* The caller is a place to click, too. */
    viewing_click(&seen, "main", 2);
    assert_true(width_of(&seen, "main") == 800);
    assert_true(viewing_find(&seen, "write").found);
    viewing_clear(&seen);
}

static void two_slow_clicks_are_no_second_click(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen);
    viewing_click(&seen, "parse", 1);
    viewing_click(&seen, "parse", 1);
    assert_false(flm_node_ref_valid(seen.viewer->model.zoomed));
    viewing_clear(&seen);
}

static void clicks_where_nothing_is_let_go_and_show_everything(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen);
    viewing_click(&seen, "parse", 2);
    viewing_click_at(&seen, 400, 440, 1);
    assert_false(flm_node_ref_valid(seen.viewer->model.selected));
    assert_true(flm_node_ref_valid(seen.viewer->model.zoomed));
    viewing_click_at(&seen, 400, 440, 2);
    assert_true(flm_viewer_is_fit(seen.viewer));
    viewing_clear(&seen);
}

static void every_node_that_is_zoomed_to_fills_the_width(void **state)
{
    (void)state;
    uint64_t random = 61;
    for (int round = 0; round < 30; round++) {
        struct viewing seen;
        struct random_shape shape = random_full;
        shape.negative = round % 3 == 0;
        viewing_init(&seen, random_profile(&random, &shape), 1016, 700, 1);
        if (round % 2)
            viewing_do(&seen, "invert");
        for (int clicks = 0; clicks < 10; clicks++) {
            double x = 8 + random_below(&random, 1000), y = 48 + random_below(&random, 200);
            viewing_click_at(&seen, x, y, 2);
            viewing_look(&seen);
            struct flm_viewer *v = seen.viewer;
            if (!flm_node_ref_valid(v->model.zoomed))
                continue;
            const struct flm_pane *pane = &v->scene.panes[0];
            struct flm_node node = flm_pane_node(pane, v->model.zoomed.number);
            uint32_t level = flm_layout_level(pane->layout, node);
            for (size_t i = 0; i < pane->drawn.count; i++) {
                const struct flm_rectangle *r = &pane->drawn.at[i];
                if (r->level <= level)
                    assert_true(fabs(r->x0) < 1e-6 && fabs(r->x1 - 1000) < 1e-6);
                if (r->level == level)
                    assert_int_equal(r->node.index, node.index);
            }
        }
        viewing_clear(&seen);
    }
}

static double place_at(const struct viewing *seen, double x)
{
    struct flm_area area = flm_viewer_area(seen->viewer);
    struct flm_span span = seen->viewer->model.camera.to;
    return span.left + (span.right - span.left) * (x - area.left) / area.width;
}

static void the_wheel_keeps_what_is_under_the_pointer(void **state)
{
    (void)state;
    uint64_t random = 62;
    struct viewing seen;
    begin(&seen);
    for (int i = 0; i < 200; i++) {
        double x = 200 + random_below(&random, 400), before = place_at(&seen, x);
        struct flm_span span = seen.viewer->model.camera.to;
        bool pinches = i % 3 == 0;
        /* Never back to the edges. */
        double by = span.right - span.left > 50 ? -100 : random_below(&random, 120) - 80.0;
        if (pinches)
            flm_viewer_pinch(seen.viewer, x, 200, by < 0 ? 1.1 : 0.95, 0, 0, i);
        else
            flm_viewer_wheel(seen.viewer, x, 200, 0, by, 0, i);
        if (seen.viewer->model.camera.to.left > 0 && seen.viewer->model.camera.to.right < 100)
            assert_true(fabs(place_at(&seen, x) - before) < 1e-9);
        if (by != 0)
            assert_true((seen.viewer->model.camera.to.right - seen.viewer->model.camera.to.left <
                         span.right - span.left) == (by < 0));
    }
    viewing_clear(&seen);
}

static void a_wheel_in_the_margin_counts_for_the_edge(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen);
    flm_viewer_wheel(seen.viewer, 2, 200, 0, -100, 0, 0);
    assert_true(seen.viewer->model.camera.to.left == 0 && seen.viewer->model.camera.to.right < 100);
    viewing_clear(&seen);
}

static void a_drag_moves_by_exactly_as_much_and_back(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen);
    flm_viewer_wheel(seen.viewer, 400, 200, 0, -800, 0, 0);
    struct flm_span before = seen.viewer->model.camera.to;
    double place = place_at(&seen, 300);
    viewing_drag(&seen, 300, 200, 450, 200);
    assert_true(fabs(place_at(&seen, 450) - place) < 1e-9);
    viewing_drag(&seen, 450, 200, 300, 200);
    assert_true(fabs(seen.viewer->model.camera.to.left - before.left) < 1e-9);
    /* Within a drag it comes back from an edge at once. */
    flm_viewer_pointer(seen.viewer, FLM_POINTER_DOWN, 300, 200, 0, false, 9000);
    flm_viewer_pointer(seen.viewer, FLM_POINTER_MOVE, 30000, 200, 0, false, 9010);
    assert_true(seen.viewer->model.camera.to.left == 0);
    flm_viewer_pointer(seen.viewer, FLM_POINTER_MOVE, 301, 200, 0, false, 9020);
    assert_true(fabs(place_at(&seen, 301) - place) < 1e-9);
    flm_viewer_pointer(seen.viewer, FLM_POINTER_UP, 301, 200, 0, false, 9030);
    assert_false(flm_node_ref_valid(seen.viewer->model.selected));
    viewing_clear(&seen);
}

static void a_drag_moves_up_and_down_where_there_is_more(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_text deep = {0};
    for (int i = 0; i < 60; i++)
        flm_text_format(&deep, "%sf%d", i ? ";" : "", i);
    flm_text_puts(&deep, " 1\n");
    flm_text_putc(&deep, 0);
    viewing_init(&seen, profile_of(deep.at), 400, 300, 1);
    viewing_drag(&seen, 200, 200, 200, 150);
    assert_true(seen.viewer->model.camera.scroll_to == 50);
    viewing_drag(&seen, 200, 200, 200, 290);
    assert_true(seen.viewer->model.camera.scroll_to == 0);
    viewing_drag(&seen, 200, 290, 200, -5000);
    assert_true(seen.viewer->model.camera.scroll_to == 61 * 19 - (300 - 48));
    /* More room: nothing is seen past the end. */
    viewing_resize(&seen, 400, 3000, 1);
    assert_true(seen.viewer->model.camera.scroll_to == 0);
    viewing_clear(&seen);
    flm_text_clear(&deep);
}

static void a_range_in_the_minimap_is_what_is_seen(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen);
    viewing_drag(&seen, 8 + 200, 20, 8 + 600, 30);
    assert_true(fabs(seen.viewer->model.camera.to.left - 25) < 1e-9);
    assert_true(fabs(seen.viewer->model.camera.to.right - 75) < 1e-9);
    /* Inside the window takes hold of it. */
    viewing_drag(&seen, 8 + 400, 20, 8 + 480, 20);
    assert_true(fabs(seen.viewer->model.camera.to.left - 35) < 1e-9);
    assert_true(fabs(seen.viewer->model.camera.to.right - 85) < 1e-9);
    /* A click outside of it brings it there. */
    viewing_click_at(&seen, 8 + 200, 20, 1);
    assert_true(fabs(seen.viewer->model.camera.to.left - 0) < 1e-9);
    assert_true(fabs(seen.viewer->model.camera.to.right - 50) < 1e-9);
    viewing_clear(&seen);
}

static void a_box_of_many_is_opened_by_a_second_click(void **state)
{
    (void)state;
    struct viewing seen;
    struct flm_text many = {0};
    flm_text_puts(&many, "main;large 1000000\n");
    for (int i = 0; i < 40; i++)
        flm_text_format(&many, "main;small%d 1\n", i);
    flm_text_putc(&many, 0);
    viewing_init(&seen, profile_of(many.at), 816, 448, 1);
    assert_false(viewing_find(&seen, "small7").found);
    for (int way = 0; way < 2; way++) {
        viewing_do(&seen, "fit");
        viewing_look(&seen);
        const struct flm_pane *pane = &seen.viewer->scene.panes[0];
        const struct flm_rectangle *run = &pane->drawn.at[pane->drawn.count - 1];
        assert_true(run->flags & FLM_RECTANGLE_MERGED);
        assert_int_equal(run->count, 40);
        double x = 8 + (run->x0 + run->x1) / 2, y = 48 + 2.5 * 19;
        viewing_click_at(&seen, x, y, way ? 1 : 2);
        if (way)
            assert_true(viewing_key(&seen, "Enter", 0));
        assert_true(fabs(width_of(&seen, "small7") - 20) < 1);
        assert_true(fabs(width_of(&seen, "small39") - 20) < 1);
    }
    viewing_clear(&seen);
    flm_text_clear(&many);
}

static void what_is_under_a_still_pointer_follows_the_picture(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen);
    struct viewing_box box = viewing_box(&seen, "read");
    flm_viewer_pointer(seen.viewer, FLM_POINTER_MOVE, (box.x0 + box.x1) / 2, box.y0 + 5, 0, false,
                       seen.now_ms);
    assert_string_equal(viewing_name(&seen, seen.viewer->input.hovered), "read");
    viewing_do(&seen, "invert");
    viewing_look(&seen);
    struct flm_node_ref ref;
    struct flm_rectangle under;
    bool hit = flm_viewer_hit(seen.viewer, seen.viewer->input.hover_x, seen.viewer->input.hover_y,
                              &ref, &under);
    assert_true(hit == flm_node_ref_valid(seen.viewer->input.hovered));
    if (hit)
        assert_true(flm_node_refs_equal(ref, seen.viewer->input.hovered));
    flm_viewer_pointer(seen.viewer, FLM_POINTER_LEAVE, 0, 0, 0, false, seen.now_ms);
    viewing_look(&seen);
    assert_false(flm_node_ref_valid(seen.viewer->input.hovered));
    viewing_clear(&seen);
}

static void a_finger_points_at_nothing(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen);
    struct viewing_box box = viewing_box(&seen, "read");
    double x = (box.x0 + box.x1) / 2, y = box.y0 + 5;
    flm_viewer_pointer(seen.viewer, FLM_POINTER_DOWN, x, y, 0, true, 100);
    flm_viewer_pointer(seen.viewer, FLM_POINTER_MOVE, x + 1, y, 0, true, 110);
    flm_viewer_pointer(seen.viewer, FLM_POINTER_UP, x + 1, y, 0, true, 120);
    assert_false(flm_node_ref_valid(seen.viewer->input.hovered));
    assert_string_equal(viewing_name(&seen, seen.viewer->model.selected), "read");
    viewing_clear(&seen);
}

static void moves_that_follow_one_another_are_one_step(void **state)
{
    (void)state;
    struct viewing seen;
    begin(&seen);
    size_t steps = seen.viewer->model.history.steps.count;
    /* Nothing to be moved yet: no step, and what follows is one all the same. */
    flm_viewer_wheel(seen.viewer, 400, 200, 0, 100, 0, 5000);
    assert_int_equal(seen.viewer->model.history.steps.count, steps);
    for (int i = 1; i < 20; i++)
        flm_viewer_wheel(seen.viewer, 400, 200, 0, -30, 0, 5000 + 50 * i);
    assert_int_equal(seen.viewer->model.history.steps.count, steps + 1);
    flm_viewer_wheel(seen.viewer, 400, 200, 0, -30, 0, 9000);
    assert_int_equal(seen.viewer->model.history.steps.count, steps + 2);
    viewing_do(&seen, "back");
    viewing_do(&seen, "back");
    assert_string_equal(viewing_state(&seen), "");
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_click_selects_and_a_second_one_zooms),
        cmocka_unit_test(two_slow_clicks_are_no_second_click),
        cmocka_unit_test(clicks_where_nothing_is_let_go_and_show_everything),
        cmocka_unit_test(every_node_that_is_zoomed_to_fills_the_width),
        cmocka_unit_test(the_wheel_keeps_what_is_under_the_pointer),
        cmocka_unit_test(a_wheel_in_the_margin_counts_for_the_edge),
        cmocka_unit_test(a_drag_moves_by_exactly_as_much_and_back),
        cmocka_unit_test(a_drag_moves_up_and_down_where_there_is_more),
        cmocka_unit_test(a_range_in_the_minimap_is_what_is_seen),
        cmocka_unit_test(a_box_of_many_is_opened_by_a_second_click),
        cmocka_unit_test(what_is_under_a_still_pointer_follows_the_picture),
        cmocka_unit_test(a_finger_points_at_nothing),
        cmocka_unit_test(moves_that_follow_one_another_are_one_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
