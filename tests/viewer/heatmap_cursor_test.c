#include "viewer/heatmap_cursor.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "wasm/query_json.h"

/* 20 s of two threads: one works every 100 ms, the other 300 ms later for a moment, each second. */
static struct flm_viewer *viewer(void)
{
    static char lines[20000];
    size_t size = 0;
    for (int ms = 0; ms <= 20000; ms += 100)
        size += (size_t)snprintf(lines + size, sizeof lines - size, "1 %d - %d 0 main;%s\n",
                                 ms % 1000 == 300 ? 2 : 1, ms, ms % 1000 == 300 ? "gc" : "work");
    struct flm_viewer *v = viewer_of(profile_of_threads(lines));
    act(v, "view heatmap");
    return v;
}

struct point {
    double x, y;
};

/* The middle of the cell of a time. */
static struct point at_ms(const struct flm_viewer *v, double ms)
{
    struct flm_heat_cells c = flm_heat_cells_of(&v->model, &v->scene);
    double cell = floor(ms * 1e6 / c.shape.row_ns + 1e-6);
    double column = floor(cell / c.shape.row_count), row = cell - column * c.shape.row_count;
    return (struct point){c.left + (column + 0.5) * c.column_px,
                          c.top + c.height - (row + 0.5) * c.row_px};
}

static void point_at(struct flm_viewer *v, enum flm_pointer_event event, struct point at)
{
    static double now_ms;
    flm_viewer_pointer(v, event, at.x, at.y, 0, false, now_ms += 1000);
    assert_true(flm_viewer_update(v, NULL));
}

static void drag(struct flm_viewer *v, double from_ms, double to_ms)
{
    point_at(v, FLM_POINTER_MOVE, at_ms(v, from_ms));
    point_at(v, FLM_POINTER_DOWN, at_ms(v, from_ms));
    point_at(v, FLM_POINTER_MOVE, at_ms(v, (from_ms + to_ms) / 2));
    point_at(v, FLM_POINTER_MOVE, at_ms(v, to_ms));
    point_at(v, FLM_POINTER_UP, at_ms(v, to_ms));
}

static void click(struct flm_viewer *v, double ms)
{
    point_at(v, FLM_POINTER_MOVE, at_ms(v, ms));
    point_at(v, FLM_POINTER_DOWN, at_ms(v, ms));
    point_at(v, FLM_POINTER_UP, at_ms(v, ms));
}

static void assert_text(struct flm_viewer *v, const char *query, const char *expected)
{
    struct flm_text text = {0};
    assert_true(flm_query_json(v, flm_bytes_of(query), &text, NULL));
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static void assert_selected(struct flm_viewer *v, const char *operation)
{
    assert_answer(v, "chips", "operations.0.text", operation);
}

static void assert_all(struct flm_viewer *v)
{
    struct flm_span ns;
    assert_false(flm_timeline_selected(&v->model, &v->scene, &ns));
}

/* Also from right to left, and across columns: the time between both, whatever lies in between. */
static void cells_that_are_dragged_over_are_a_range_of_time(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer();
    drag(v, 2000, 2980);
    assert_selected(v, "time:2s..3s");
    drag(v, 7140, 4560);
    assert_selected(v, "time:4.56s..7.16s");
    /* What is below is of the selected time: 26 samples, of which 2 are of gc. */
    assert_answer(v, "top", "rows.0.self", "24");
    flm_viewer_free(v);
}

static void two_clicks_are_the_ends_of_a_range(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer();
    click(v, 5300);
    assert_all(v);
    struct flm_heatmap_time time;
    assert_true(flm_heat_pending(v, &time));
    assert_true(time.from_ns == 5.3e9 && time.to_ns == 5.32e9);
    point_at(v, FLM_POINTER_MOVE, at_ms(v, 6300));
    assert_true(flm_heat_pending(v, &time) && time.to_ns == 6.32e9);
    click(v, 6300);
    assert_false(flm_heat_pending(v, &time));
    assert_selected(v, "time:5.3s..6.32s");
    flm_viewer_free(v);
}

static void keys_do_what_the_pointer_does(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer();
    act(v, "heatmap-right"); /* the fullest, which is the first: all have one */
    assert_text(v, "notice", "0.00 s to 0.02 s: 1 ms");
    for (int i = 0; i < 3; i++)
        act(v, "heatmap-right");
    act(v, "heatmap-up");
    act(v, "heatmap-up");
    act(v, "heatmap-down");
    assert_text(v, "notice", "3.02 s to 3.04 s: 0 ns");
    act(v, "heatmap-mark");
    act(v, "heatmap-right");
    act(v, "heatmap-mark");
    assert_selected(v, "time:3.02s..4.04s");
    act(v, "heatmap-left");
    act(v, "heatmap-one");
    assert_selected(v, "time:3s..4s");
    act(v, "heatmap-mark");
    act(v, "heatmap-cancel");
    struct flm_heatmap_time time;
    assert_false(flm_heat_pending(v, &time));
    assert_string_equal(refusal(v, "heatmap-cancel"), "no range was begun");
    assert_selected(v, "time:3s..4s");
    flm_viewer_free(v);
}

static void assert_column(struct flm_viewer *v, double column_ns)
{
    assert_true(flm_heat_cells_of(&v->model, &v->scene).shape.column_ns == column_ns);
}

static void columns_can_be_longer_and_shorter_and_the_state_has_it(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer();
    assert_column(v, 1e9);
    act(v, "heatmap-longer");
    assert_column(v, 2e9);
    act(v, "heatmap-shorter");
    act(v, "heatmap-shorter");
    assert_column(v, 5e8);
    act(v, "heatmap-column 300ms");
    assert_column(v, 3e8);
    assert_text(v, "state", "view=heatmap&column=300000000ns");
    act(v, "restore view=heatmap&column=4s");
    assert_column(v, 4e9);
    act(v, "restore view=heatmap&column=nonsense");
    assert_column(v, 1e9);
    static const char *const wrong[] = {"0s", "-1s", "1", "1e30s", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char action[60];
        snprintf(action, sizeof action, "heatmap-column %s", wrong[i]);
        assert_non_null(strstr(refusal(v, action), "the length of a column is"));
    }
    flm_viewer_free(v);
}

/* The transforms but the time: so a heatmap of one function is a question of a key. */
static void it_is_of_what_the_transforms_leave_but_for_the_time(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer();
    double before;
    assert_true(flm_heat_make(&v->model, &v->scene, NULL));
    before = v->scene.heat.map.total;
    drag(v, 2000, 2980);
    assert_true(flm_heat_make(&v->model, &v->scene, NULL));
    assert_true(v->scene.heat.map.total == before);
    act(v, "apply keep:gc");
    assert_true(flm_heat_make(&v->model, &v->scene, NULL));
    const struct flm_heatmap *map = &v->scene.heat.map;
    for (uint32_t cell = 0; cell < 1000; cell++)
        assert_true((map->cell[cell] > 0) == (cell % 50 == 15)); /* 300 ms */
    act(v, "operation-remove 1");
    assert_true(flm_heat_make(&v->model, &v->scene, NULL));
    assert_true(v->scene.heat.map.total == before);
    flm_viewer_free(v);
}

static void the_tooltip_says_what_a_cell_has(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer();
    point_at(v, FLM_POINTER_MOVE, at_ms(v, 5300));
    struct json_tree *hover = answer(v, "hover 0");
    assert_string_equal(at(hover, "title"), "5.30 s to 5.32 s");
    assert_string_equal(at(hover, "lines.0.value"), "1 ms");
    assert_string_equal(at(hover, "lines.0.share_total"), "0.5 %");
    json_tree_free(hover);
    point_at(v, FLM_POINTER_MOVE, at_ms(v, 5340));
    assert_answer(v, "hover 0", "lines.0.value", "0 ns");
    flm_viewer_free(v);
}

static void without_times_there_is_none(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;read 3\n");
    assert_string_equal(refusal(v, "view heatmap"), "no sample of this profile has a time");
    assert_string_equal(refusal(v, "heatmap-right"), "only the heatmap has cells");
    act(v, "restore view=heatmap"); /* a link: the flame graph */
    assert_true(flm_timeline_height(&v->model, &v->scene) == 0);
    flm_viewer_free(v);
}

/* What is above the flame graph leaves room for it, in any window. */
static void the_flame_graph_has_room_below_it(void **state)
{
    (void)state;
    static const struct {
        uint32_t width, height;
        double scale;
    } windows[] = {{390, 700, 1},   {780, 1400, 2},  {1200, 800, 1},
                   {3840, 2000, 1}, {3840, 2000, 2}, {1000, 360, 1}};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        struct flm_viewer *v = viewer();
        flm_viewer_resize(v, windows[i].width, windows[i].height, windows[i].scale);
        struct flm_area area = flm_viewer_area(v);
        struct flm_heat_cells c = flm_heat_cells_of(&v->model, &v->scene);
        assert_true(area.height > windows[i].height * 0.3);
        assert_true(c.row_px >= 4 * windows[i].scale && c.column_px >= 3 * windows[i].scale);
        assert_true(c.left + c.width <= windows[i].width);
        assert_true(c.top + c.height <= flm_heat_height(&v->model, &v->scene));
        /* Each cell is found where it is. */
        for (double ms = 10; ms < 20000; ms += 330) {
            struct point p = at_ms(v, ms);
            uint32_t cell = flm_heat_cell_at(&v->model, &v->scene, p.x, p.y, false);
            assert_int_equal(cell, flm_heatmap_cell_at(&c.shape, ms * 1e6));
        }
        act(v, "view flame");
        assert_true(flm_viewer_area(v).height > area.height);
        flm_viewer_free(v);
    }
}

static bool make(void *context, struct flm_error *why)
{
    struct flm_viewer *v = context;
    flm_heat_clear(&v->scene.heat);
    return flm_heat_make(&v->model, &v->scene, why);
}

static void it_survives_memory_that_runs_out(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer();
    act(v, "apply keep:gc");
    assert_true(assert_survives_failures(make, v) > 2);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_that_are_dragged_over_are_a_range_of_time),
        cmocka_unit_test(two_clicks_are_the_ends_of_a_range),
        cmocka_unit_test(keys_do_what_the_pointer_does),
        cmocka_unit_test(columns_can_be_longer_and_shorter_and_the_state_has_it),
        cmocka_unit_test(it_is_of_what_the_transforms_leave_but_for_the_time),
        cmocka_unit_test(the_tooltip_says_what_a_cell_has),
        cmocka_unit_test(without_times_there_is_none),
        cmocka_unit_test(the_flame_graph_has_room_below_it),
        cmocka_unit_test(it_survives_memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
