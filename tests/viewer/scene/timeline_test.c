#include "viewer/scene/timeline.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/failures.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "wasm/query_json.h"

/* Two threads for `count` milliseconds: main is in read for the first half and in write for the
 * second, worker in copy in every fourth. */
static struct flm_profile *two_threads(int count)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    static const char *const names[] = {"main", "worker"};
    struct flm_label_set set[2];
    for (int i = 0; i < 2; i++) {
        struct flm_string label[] = {flm_builder_string(b, "thread", 6),
                                     flm_builder_string(b, names[i], strlen(names[i]))};
        set[i] = flm_builder_label_set(b, label, 1);
    }
    for (int i = 0; i < count; i++) {
        const char *name = i % 4 == 0 ? "copy" : i < count / 2 ? "read" : "write";
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "start", 5));
        node = flm_builder_child(b, node, flm_builder_function(b, name, strlen(name)));
        flm_builder_sample(b, 5000000000 + i * 1000000LL, node, set[i % 4 == 0], cpu, 1e6);
    }
    return flm_builder_finish(b, NULL);
}

static void assert_state(struct flm_viewer *v, const char *expected)
{
    struct flm_text text = {0};
    assert_true(flm_query_json(v, flm_bytes_of("state"), &text, NULL));
    flm_text_putc(&text, '\0');
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static void drag(struct flm_viewer *v, double x0, double x1, double y)
{
    flm_viewer_pointer(v, FLM_POINTER_MOVE, x0, y, 0, false, 1);
    flm_viewer_pointer(v, FLM_POINTER_DOWN, x0, y, 0, false, 2);
    flm_viewer_pointer(v, FLM_POINTER_MOVE, (x0 + x1) / 2, y, 0, false, 3);
    flm_viewer_pointer(v, FLM_POINTER_MOVE, x1, y, 0, false, 4);
    flm_viewer_pointer(v, FLM_POINTER_UP, x1, y, 0, false, 5);
    assert_true(flm_viewer_update(v, NULL));
}

static void press(struct flm_viewer *v, double x, double y, unsigned held)
{
    flm_viewer_pointer(v, FLM_POINTER_DOWN, x, y, held, false, 1);
    flm_viewer_pointer(v, FLM_POINTER_UP, x, y, held, false, 2);
    assert_true(flm_viewer_update(v, NULL));
}

static void a_profile_without_times_has_no_timeline(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;read 3\n");
    assert_true(flm_timeline_height(&v->model, &v->scene) == 0);
    assert_int_equal(flm_timeline_row_at(&v->model, &v->scene, 0), -1);
    assert_string_equal(refusal(v, "range 1s..2s"), "no sample of this profile has a time");
    flm_viewer_free(v);
}

static void a_time_that_is_dragged_over_is_all_that_is_shown(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(two_threads(100));
    struct flm_area map = flm_viewer_minimap(v);
    assert_true(flm_timeline_duration(&v->scene) == 100e6); /* the last millisecond too */
    drag(v, map.left, map.left + map.width / 4, 5);
    assert_answer(v, "tracks", "selected.from_ns", "0");
    assert_answer(v, "tracks", "selected.to_ns", "25000000");
    assert_answer(v, "status", "total", "25 ms");
    assert_state(v, "apply=time:0s..0.025s");

    /* A click takes it back; what else was done stays. */
    act(v, "apply hide:start");
    press(v, map.left + map.width / 2, 5, 0);
    assert_answer(v, "tracks", "selected", "null");
    assert_state(v, "apply=hide:start");
    act(v, "undo");
    assert_state(v, "apply=time:0s..0.025s%20|%20hide:start");
    flm_viewer_free(v);
}

static void a_time_is_in_front_of_threads_and_both_of_other_operations(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(two_threads(101));
    act(v, "apply hide:start");
    act(v, "track-only 1");
    act(v, "range 50ms..");
    assert_state(v, "apply=time:0.05s..%20|%20label:thread%3Dworker%20|%20hide:start");
    act(v, "range 10ms..20ms");
    assert_state(v, "apply=time:0.01s..0.02s%20|%20label:thread%3Dworker%20|%20hide:start");
    act(v, "tracks-all");
    act(v, "range-clear");
    assert_state(v, "apply=hide:start");
    flm_viewer_free(v);
}

static void threads_are_added_one_by_one_and_taken_away(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(two_threads(100));
    act(v, "track 1");
    assert_answer(v, "status", "total", "25 ms");
    assert_answer(v, "tracks", "tracks.1.on", "true");
    assert_answer(v, "tracks", "tracks.0.on", "false");
    act(v, "track 0");
    assert_answer(v, "status", "total", "100 ms");
    assert_state(v, "apply=label:thread%3Dworker,main");
    act(v, "track 1");
    assert_answer(v, "status", "total", "75 ms");
    assert_string_equal(refusal(v, "track 2"), "there is no thread 2");
    flm_viewer_free(v);
}

static void a_thread_is_chosen_by_its_name_in_the_timeline(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(two_threads(100));
    double alone = flm_timeline_height(&v->model, &v->scene);
    act(v, "tracks");
    assert_true(flm_timeline_height(&v->model, &v->scene) > alone);
    double y = alone + 2, x = flm_viewer_minimap(v).left + 5;
    int row = flm_timeline_row_at(&v->model, &v->scene, y);
    assert_int_equal(row, 2);
    assert_true(flm_timeline_is_name(&v->model, &v->scene, x, y));
    press(v, x, y, 0);
    assert_state(v, "apply=label:thread%3Dworker&tracks=1");
    press(v, x, y - 16, FLM_HELD_CONTROL);
    assert_state(v, "apply=label:thread%3Dworker,main&tracks=1");
    press(v, x, y, 0);
    assert_state(v, "tracks=1");
    flm_viewer_free(v);
}

static void threads_stand_apart_and_are_merged_again(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(two_threads(100));
    act(v, "split");
    assert_answer(v, "tracks", "split", "true");
    assert_true(node_named(v, "worker").index != FLM_NONE);
    act(v, "split");
    assert_state(v, "");
    flm_viewer_free(v);
}

static void a_time_beyond_all_others_is_the_last(void **state)
{
    (void)state;
    assert_true(flm_time_after(5, 7.9) == 12);
    assert_true(flm_time_after(INT64_MAX - 5, 1e3) == INT64_MAX);
    assert_true(flm_time_after(INT64_MIN + 1, -1e300) == INT64_MIN + 1); /* and no FLM_NO_TIME */
    assert_true(flm_time_after(INT64_MIN + 1, 1.8446744073709e19) > INT64_MAX / 2);
    assert_true(flm_time_after(0, INFINITY) == INT64_MAX);
}

static void the_chart_has_a_pane_for_each_thread_on_one_axis(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(two_threads(100));
    act(v, "view chart");
    assert_int_equal(v->scene.pane_count, 2);
    assert_true(v->scene.total == 100e6);
    assert_true(v->scene.panes[0].is_pending); /* not seen yet */
    assert_true(flm_threads_open_all(&v->scene, NULL));
    const struct flm_pane *worker = &v->scene.panes[0]; /* has the first sample */
    const struct flm_pane *main = &v->scene.panes[1];   /* and the last: all of it is there */
    assert_true(flm_layout_total(main->layout, (struct flm_node){0}) == 100e6);
    struct flm_node copy = {FLM_NONE};
    for (uint32_t i = 1; i < worker->tree.node_count; i++)
        if (flm_bytes_are(flm_frame_function(worker->profile, worker->tree.frame[i]), "copy"))
            copy.index = i;
    assert_true(flm_layout_offset(worker->layout, copy) == 0); /* of all its samples, no gaps */
    assert_true(flm_scene_gutter_px(&v->scene) > 0);           /* for their names */
    assert_true(main->top_px > worker->top_px + worker->height_px);

    /* What is seen becomes what everything is of. */
    struct flm_area map = flm_viewer_minimap(v);
    drag(v, map.left + map.width / 2, map.left + map.width, 5);
    act(v, "range-seen");
    assert_answer(v, "tracks", "selected.from_ns", "50000000");

    /* What was seen of the stacks says nothing about time, and the other way round. */
    act(v, "view flame");
    act(v, "zoom-in");
    act(v, "view chart");
    assert_true(v->model.camera.to.left == 0 && v->model.camera.to.right == v->model.camera.total);
    flm_viewer_free(v);
}

static bool select_and_paint(void *context, struct flm_error *why)
{
    static uint32_t memory[200 * 100];
    struct flm_pixels pixels = flm_pixels_of(memory, 200, 100);
    struct flm_viewer *v = context;
    bool good = flm_viewer_do(v, flm_bytes_of("tracks"), why) &&
                flm_viewer_do(v, flm_bytes_of("range 10ms..20ms"), why) &&
                flm_viewer_do(v, flm_bytes_of("track 1"), why) &&
                flm_viewer_do(v, flm_bytes_of("view chart"), why);
    flm_viewer_paint(v, &pixels, 1);
    return flm_viewer_do(v, flm_bytes_of("restore "), good ? why : NULL) && good;
}

static void the_timeline_survives_failing_allocations(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(two_threads(40));
    flm_viewer_resize(v, 200, 100, 1);
    assert_true(assert_survives_failures(select_and_paint, v) > 20);
    act(v, "restore ");
    act(v, "range 10ms..20ms");
    assert_answer(v, "status", "total", "10 ms");
    flm_viewer_free(v);
}

/* Where no sample has a thread, there is nothing that one could be missed in. */
static void samples_of_no_thread_are_said_to_be_all(void **state)
{
    (void)state;
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric metric = flm_builder_metric(b, "samples", "samples");
    struct flm_node main =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    for (int i = 0; i < 3; i++)
        flm_builder_sample(b, i, main, (struct flm_label_set){0}, metric, 1);
    struct flm_viewer *v = viewer_of(flm_builder_finish(b, NULL));
    act(v, "view chart");
    flm_viewer_resize(v, 800, 600, 1);
    const struct flm_pane *pane = &v->scene.panes[0];
    struct flm_text title = {0};
    flm_track_add_title(pane->profile, flm_threads_track(&v->scene, pane), &title);
    assert_true(flm_bytes_are((struct flm_bytes){title.at, title.size}, "all samples"));
    flm_text_clear(&title);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_without_times_has_no_timeline),
        cmocka_unit_test(a_time_that_is_dragged_over_is_all_that_is_shown),
        cmocka_unit_test(a_time_is_in_front_of_threads_and_both_of_other_operations),
        cmocka_unit_test(threads_are_added_one_by_one_and_taken_away),
        cmocka_unit_test(a_thread_is_chosen_by_its_name_in_the_timeline),
        cmocka_unit_test(threads_stand_apart_and_are_merged_again),
        cmocka_unit_test(a_time_beyond_all_others_is_the_last),
        cmocka_unit_test(the_chart_has_a_pane_for_each_thread_on_one_axis),
        cmocka_unit_test(the_timeline_survives_failing_allocations),
        cmocka_unit_test(samples_of_no_thread_are_said_to_be_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
