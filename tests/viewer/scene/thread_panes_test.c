#include "viewer/scene/thread_panes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/failures.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "viewer/query/query.h"
#include "viewer/state.h"

/* Process 20 begins first; of process 10 thread 12 has the largest cost and begins last. */
static const char four_threads[] = "20 20 - 0 0 main;a\n"
                                   "10 10 - 10 0 main;a\n"
                                   "10 11 sleeping 11 310 main;usleep\n"
                                   "10 12 - 12 0 main;b\n"
                                   "10 12 - 13 0 main;b\n"
                                   "10 12 - 14 0 main;b\n"
                                   "20 20 - 330 0 main;c;d\n";

static void assert_threads(struct flm_viewer *v, const char *expected)
{
    struct flm_text text = {0};
    assert_true(flm_viewer_update(v, NULL));
    for (uint32_t i = 0; i < v->scene.pane_count; i++) {
        const struct flm_pane *pane = &v->scene.panes[i];
        flm_text_add(&text, flm_track_name(pane->profile, flm_threads_track(&v->scene, pane)));
        flm_text_putc(&text, ' ');
    }
    flm_text_putc(&text, '\0');
    assert_string_equal(text.at, expected);
    flm_text_clear(&text);
}

static struct flm_viewer *chart_of(const char *lines)
{
    struct flm_viewer *v = viewer_of(profile_of_threads(lines));
    act(v, "view chart");
    return v;
}

static void threads_are_ordered_by_process_and_begin_or_by_cost(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    assert_threads(v, "20 10 11 12 ");
    assert_int_equal(v->scene.panes[0].process_threads, 0); /* alone in its process */
    assert_int_equal(v->scene.panes[1].process_threads, 3);
    assert_int_equal(v->scene.panes[2].process_threads, 0);
    act(v, "threads-by-cost");
    assert_threads(v, "12 20 10 11 ");
    act(v, "threads-by-cost");
    assert_threads(v, "20 10 11 12 ");
    /* One of another recording: nothing is collapsed, and the first key collapses. */
    assert_true(flm_state_read(v, flm_bytes_of("view=chart&collapsed=none%20such"), NULL));
    act(v, "processes-all");
    assert_threads(v, "20 10 ");
    flm_viewer_free(v);
}

static void threads_stay_in_place_when_a_part_of_the_time_is_selected(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    act(v, "range 12ms..335ms");
    assert_threads(v, "20 11 12 ");
    act(v, "range-clear");
    assert_threads(v, "20 10 11 12 ");
    flm_viewer_free(v);
}

static struct flm_rectangle box_of(struct flm_viewer *v, uint32_t index, const char *name)
{
    struct flm_rectangle box = {0};
    struct flm_pane *pane = &v->scene.panes[index];
    assert_true(flm_threads_open(&v->scene, pane, NULL));
    for (uint32_t i = 1; i < pane->tree.node_count; i++)
        if (flm_bytes_are(flm_frame_function(pane->profile, pane->tree.frame[i]), name)) {
            box.node.index = i;
            box.x0 = flm_layout_offset(pane->layout, box.node);
            box.total = flm_layout_total(pane->layout, box.node);
        }
    return box;
}

/* 310 ms from 11 ms on; and what of them lies in the selected time, at its place on the axis. */
static void a_wait_is_as_wide_as_it_lasts(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    struct flm_rectangle box = box_of(v, 2, "usleep");
    assert_true(box.x0 == 11e6 && box.total == 310e6);
    act(v, "range 100ms..300ms");
    assert_threads(v, "11 ");
    box = box_of(v, 0, "usleep");
    assert_true(box.x0 == 0 && box.total == 200e6);
    assert_true(v->scene.threads.offset_ns == 100e6 && v->scene.total == 200e6);
    act(v, "range 0.005s..0.3s");
    box = box_of(v, 1, "usleep");
    assert_true(box.x0 == 6e6 && box.total == 289e6);
    flm_viewer_free(v);
}

/* "Only the visible time" shows what was visible, and not a part of it. */
static void the_visible_time_is_selected_once(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    double total = v->scene.total;
    flm_camera_go(&v->model.camera, (struct flm_span){100e6, 150e6}, 0, 0);
    act(v, "range-seen");
    assert_answer(v, "tracks", "selected.from_ns", "100000000");
    assert_answer(v, "tracks", "selected.to_ns", "150000000");
    assert_true(v->model.camera.to.left == 0 && v->model.camera.to.right == 50e6);
    assert_true(v->scene.total == 50e6);
    act(v, "range-clear");
    assert_true(v->scene.total == total && v->model.camera.to.right == total);
    flm_viewer_free(v);
}

/* A range is selected in the flame graph, and seen in the chart. */
static void a_range_of_the_flame_graph_is_the_axis_of_the_chart(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads(four_threads));
    act(v, "range 20ms..120ms");
    act(v, "view chart");
    struct flm_span seen = flm_viewer_time(v, flm_viewer_span(v));
    assert_true(seen.left == 20e6 && seen.right == 120e6);
    flm_viewer_free(v);
}

static void threads_are_hidden_and_come_back(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    act(v, "track-hide 0"); /* the largest: 12 */
    assert_threads(v, "20 10 11 ");
    assert_answer(v, "chips", "operations.0.text", "unlabel:thread=12");
    act(v, "track-hide 1");
    assert_threads(v, "10 11 ");
    act(v, "track-hide 0");
    assert_threads(v, "10 11 12 ");
    act(v, "track-only 1"); /* of a hidden one */
    assert_threads(v, "20 ");
    act(v, "tracks-all");
    assert_threads(v, "20 10 11 12 ");
    assert_answer(v, "tracks", "any", "false");
    flm_viewer_free(v);
}

static void matches_are_found_in_all_threads(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    act(v, "search a");
    act(v, "next-match");
    assert_int_equal(v->model.selected.pane, 0);
    act(v, "next-match"); /* main too */
    struct flm_node_ref first = v->model.selected;
    for (int i = 0; i < 40 && v->model.selected.pane == 0; i++)
        act(v, "next-match");
    assert_int_equal(v->model.selected.pane, 1);
    for (int i = 0; i < 400 && !flm_node_refs_equal(v->model.selected, first); i++)
        act(v, "next-match");
    assert_true(flm_node_refs_equal(v->model.selected, first)); /* round and round */
    flm_viewer_free(v);
}

/* Threads that are seen have their charts, and no others. */
static void charts_are_made_when_they_are_seen(void **state)
{
    (void)state;
    struct flm_text lines = {0};
    for (int i = 0; i < 300; i++)
        flm_text_format(&lines, "1 %d - %d 0 main;f%d\n", 1000 + i, i, i);
    flm_text_putc(&lines, '\0');
    struct flm_viewer *v = chart_of(lines.at);
    act(v, "short-apart");
    static uint32_t memory[1000 * 600];
    struct flm_pixels pixels = flm_pixels_of(memory, 1000, 600);
    assert_true(flm_viewer_update(v, NULL));
    assert_int_equal(v->scene.pane_count, 300);
    flm_viewer_paint(v, &pixels, 0);
    uint32_t made = 0;
    for (uint32_t i = 0; i < v->scene.pane_count; i++)
        made += !v->scene.panes[i].is_pending;
    assert_true(made > 3 && made < 30);
    double content = v->scene.content_px;
    assert_true(flm_threads_open_all(&v->scene, NULL));
    flm_viewer_arrange(v);
    assert_true(v->scene.content_px == content); /* nothing moves when one is made */
    act(v, "search f299");
    act(v, "next-match"); /* in a thread that was never seen */
    assert_int_equal(v->model.selected.pane, 299);
    flm_text_clear(&lines);
    flm_viewer_free(v);
}

/* Those that scrolling by a window shows next, one at a time, and no more. */
static void charts_near_the_window_are_prepared(void **state)
{
    (void)state;
    struct flm_text lines = {0};
    for (int i = 0; i < 300; i++)
        flm_text_format(&lines, "1 %d - %d 0 main;f%d\n", 1000 + i, i, i);
    flm_text_putc(&lines, '\0');
    struct flm_viewer *v = chart_of(lines.at);
    act(v, "short-apart");
    assert_true(flm_viewer_update(v, NULL));
    double height = flm_viewer_area(v).height;
    flm_viewer_scroll(v, 3 * height, 0);
    int made = 0;
    while (flm_viewer_prepare(v))
        assert_true(++made < 300);
    for (uint32_t i = 0; i < v->scene.pane_count; i++) {
        const struct flm_pane *pane = &v->scene.panes[i];
        double at = pane->top_px - v->model.camera.scroll_to;
        if ((at > -height && at < -60) || (at > height + 60 && at < 2 * height))
            assert_false(pane->is_pending);
        if (at < -2 * height || at > 3 * height)
            assert_true(pane->is_pending);
    }
    act(v, "view flame");
    assert_false(flm_viewer_prepare(v));
    flm_text_clear(&lines);
    flm_viewer_free(v);
}

/* A node of the chart is of one state: neighbors of different states share no frames. */
static void stacks_of_different_states_are_apart(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of("1 1 - 0 0 main;work\n"
                                    "1 1 - 1 0 main;work\n"
                                    "1 1 lock 2 5 main;work\n"
                                    "1 1 - 7 0 main;work\n");
    struct flm_pane *pane = &v->scene.panes[0];
    assert_true(flm_threads_open(&v->scene, pane, NULL));
    assert_int_equal(pane->tree.node_count, 1 + 3 * 2);
    flm_viewer_free(v);
}

static void assert_state(struct flm_viewer *v, const char *part, bool has)
{
    struct flm_text state = {0};
    assert_true(flm_viewer_query_text(v, flm_bytes_of("state"), &state, NULL));
    flm_text_putc(&state, 0);
    assert_int_equal(strstr(state.at, part) != NULL, has);
    flm_text_clear(&state);
}

/* One row instead of three threads; a process of one thread has no heading, and stays. */
static void processes_are_collapsed_and_opened(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    assert_answer(v, "tracks", "collapsed", "false");
    assert_true(flm_viewer_collapse(v, &v->scene.panes[1], NULL));
    assert_threads(v, "20 10 ");
    assert_true(v->scene.panes[1].is_collapsed);
    assert_int_equal(v->scene.panes[1].process_threads, 3);
    assert_int_equal(flm_pane_rows(&v->scene.panes[1]), 0);
    assert_answer(v, "tracks", "collapsed", "true");
    assert_state(v, "collapsed=10", true);
    act(v, "threads-by-cost"); /* in the place of its first thread */
    assert_threads(v, "12 20 ");
    act(v, "threads-by-cost");
    act(v, "back");
    act(v, "back");
    act(v, "back");
    assert_threads(v, "20 10 11 12 ");
    act(v, "processes-all");
    assert_threads(v, "20 10 ");
    act(v, "processes-all");
    assert_threads(v, "20 10 11 12 ");
    assert_state(v, "collapsed", false);
    act(v, "view flame");
    assert_answer(v, "tracks", "collapsed", "null");
    flm_viewer_free(v);
}

/* Of the frame that is selected, which then is not there. */
static void the_process_of_a_frame_is_collapsed(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    act(v, "search b");
    act(v, "next-match");
    assert_int_equal(v->model.selected.pane, 3);
    act(v, "processes");
    assert_threads(v, "20 10 ");
    assert_int_equal(flm_scene_frame(&v->scene, v->model.selected), FLM_NONE);
    flm_viewer_free(v);
    v = chart_of("1 1 - 0 0 main\n1 1 - 5 0 main\n1 2 - 0 0 main\n"); /* one process: no heading */
    act(v, "processes-all");
    assert_threads(v, "1 2 ");
    flm_viewer_free(v);
}

/* A match that is only in a collapsed process opens it; a search that finds nothing opens none. */
static void a_search_goes_into_collapsed_processes(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    act(v, "processes-all");
    assert_threads(v, "20 10 ");
    act(v, "search no_such_function");
    act(v, "next-match");
    assert_threads(v, "20 10 ");
    act(v, "search usleep");
    act(v, "next-match");
    assert_threads(v, "20 10 11 12 ");
    assert_int_equal(v->model.selected.pane, 2);
    flm_viewer_free(v);
}

/* What is selected in a thread stays, whatever panes go before it. */
static void the_selection_stays_in_its_thread(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of("10 11 - 0 0 main\n10 12 - 0 0 main\n"
                                    "20 21 - 1 0 main\n20 22 - 1 0 main\n20 23 - 1 0 main\n");
    act(v, "search main");
    for (int i = 0; i < 4; i++)
        act(v, "next-match");
    const struct flm_pane *pane = &v->scene.panes[v->model.selected.pane];
    uint32_t thread = flm_threads_track(&v->scene, pane)->value;
    assert_int_equal(v->model.selected.pane, 3);
    assert_true(flm_viewer_collapse(v, &v->scene.panes[0], NULL)); /* process 10 */
    pane = &v->scene.panes[v->model.selected.pane];
    assert_int_equal(v->model.selected.pane, 2);
    assert_int_equal(flm_threads_track(&v->scene, pane)->value, thread);
    flm_viewer_free(v);
}

/* A link to another process, or to a recording of other processes, shows what it can. */
static void a_link_has_what_is_collapsed(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    assert_true(flm_state_read(v, flm_bytes_of("view=chart&collapsed=10%0Anone%20such"), NULL));
    assert_threads(v, "20 10 ");
    assert_true(flm_state_read(v, flm_bytes_of("view=chart"), NULL));
    assert_threads(v, "20 10 11 12 ");
    flm_viewer_free(v);
}

/* A click anywhere in the heading of a process; and one on its row opens it again. */
static void a_click_on_a_heading_collapses_its_process(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    assert_true(flm_viewer_update(v, NULL));
    const struct flm_pane *pane = &v->scene.panes[1];
    double y = flm_viewer_area(v).top + pane->top_px - pane->header_px + 8;
    for (int i = 0; i < 2; i++) {
        double x = i == 0 ? 20 : 600, now_ms = 10000 * (i + 1);
        flm_viewer_pointer(v, FLM_POINTER_DOWN, x, y, 0, false, now_ms);
        flm_viewer_pointer(v, FLM_POINTER_UP, x, y, 0, false, now_ms);
        assert_threads(v, i == 0 ? "20 10 " : "20 10 11 12 ");
    }
    y += flm_scene_process_px(&v->scene); /* below it: the name of a thread */
    flm_viewer_pointer(v, FLM_POINTER_DOWN, 20, y, 0, false, 50000);
    flm_viewer_pointer(v, FLM_POINTER_UP, 20, y, 0, false, 50000);
    assert_threads(v, "20 10 11 12 ");
    flm_viewer_free(v);
}

static bool collapse(void *context, struct flm_error *why)
{
    struct flm_viewer *v = context;
    return flm_viewer_update(v, why) && flm_viewer_collapse_all(v, why) &&
           flm_threads_open_all(&v->scene, why) && flm_viewer_collapse_all(v, why);
}

static void collapsing_survives_failing_allocations(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    assert_true(assert_survives_failures(collapse, v) > 10);
    flm_viewer_free(v);
}

static bool show(void *context, struct flm_error *why)
{
    struct flm_viewer *v = context;
    flm_changed(&v->model, FLM_ASPECT_SCENE);
    return flm_viewer_update(v, why) && flm_threads_open_all(&v->scene, why);
}

static void it_survives_failing_allocations(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of(four_threads);
    assert_true(assert_survives_failures(show, v) > 10);
    assert_threads(v, "20 10 11 12 ");
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_ordered_by_process_and_begin_or_by_cost),
        cmocka_unit_test(threads_stay_in_place_when_a_part_of_the_time_is_selected),
        cmocka_unit_test(a_wait_is_as_wide_as_it_lasts),
        cmocka_unit_test(the_visible_time_is_selected_once),
        cmocka_unit_test(a_range_of_the_flame_graph_is_the_axis_of_the_chart),
        cmocka_unit_test(threads_are_hidden_and_come_back),
        cmocka_unit_test(matches_are_found_in_all_threads),
        cmocka_unit_test(charts_are_made_when_they_are_seen),
        cmocka_unit_test(charts_near_the_window_are_prepared),
        cmocka_unit_test(stacks_of_different_states_are_apart),
        cmocka_unit_test(processes_are_collapsed_and_opened),
        cmocka_unit_test(the_process_of_a_frame_is_collapsed),
        cmocka_unit_test(a_search_goes_into_collapsed_processes),
        cmocka_unit_test(the_selection_stays_in_its_thread),
        cmocka_unit_test(a_link_has_what_is_collapsed),
        cmocka_unit_test(a_click_on_a_heading_collapses_its_process),
        cmocka_unit_test(collapsing_survives_failing_allocations),
        cmocka_unit_test(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
