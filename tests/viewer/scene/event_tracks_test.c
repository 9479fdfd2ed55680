#include "viewer/scene/event_tracks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "viewer/query/internal.h"

static const char events[] = "1 1 - 0 0 main\n"
                             "1 1 - 500 0 main\n"
                             "marker exec 100 0 gzip -9\n"
                             "marker GC 200 50 young\n"
                             "marker exit 400 0 -\n"
                             "counter memory 0 10\n"
                             "counter memory 250 40\n"
                             "counter memory 300 20\n";

static void markers_are_found_by_time(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads(events);
    const int64_t ms = 1000000, start = 5000000000;
    assert_int_equal(flm_marker_at(p, start + 50 * ms, 0), FLM_NONE);
    assert_int_equal(flm_marker_at(p, start + 100 * ms, 0), 0);
    assert_int_equal(flm_marker_at(p, start + 105 * ms, 0), FLM_NONE);
    assert_int_equal(flm_marker_at(p, start + 105 * ms, 5 * ms), 0); /* near enough */
    assert_int_equal(flm_marker_at(p, start + 95 * ms, 5 * ms), 0);
    assert_int_equal(flm_marker_at(p, start + 249 * ms, 0), 1); /* as long as it lasts */
    assert_int_equal(flm_marker_at(p, start + 260 * ms, 0), FLM_NONE);
    assert_int_equal(flm_marker_at(p, start + 900 * ms, 0), FLM_NONE);
    flm_profile_free(p);
}

static void a_counter_has_its_value_until_the_next(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of_threads(events);
    struct flm_counter_points points = flm_profile_counter(p, (struct flm_counter){0});
    assert_int_equal(flm_counter_points_until(&points, 4999999999), 0);
    assert_int_equal(flm_counter_points_until(&points, 5000000000), 1);
    assert_int_equal(flm_counter_points_until(&points, 5249999999), 1);
    assert_int_equal(flm_counter_points_until(&points, 5250000000), 2);
    assert_int_equal(flm_counter_points_until(&points, 9000000000), 3);
    flm_profile_free(p);
}

/* They are above the threads, and stay there when these are scrolled. */
static void tracks_stand_between_ruler_and_threads(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads(events));
    double area_without = 0;
    act(v, "view chart");
    const struct flm_event_tracks *tracks = &v->scene.threads.events;
    assert_true(tracks->has_markers);
    assert_int_equal(tracks->counter_count, 1);
    assert_true(tracks->most[0] == 40);
    assert_int_equal(flm_event_track_count(tracks), 2);
    double top = flm_viewer_area(v).top;
    flm_viewer_scroll(v, 50, 0);
    assert_true(flm_viewer_area(v).top == top);
    flm_viewer_free(v);
    v = viewer_of(profile_of_threads("1 1 - 0 0 main\n1 1 - 500 0 main\n"));
    act(v, "view chart");
    area_without = flm_viewer_area(v).top;
    assert_int_equal(flm_event_track_count(&v->scene.threads.events), 0);
    assert_true(top - area_without > 30);
    flm_viewer_free(v);
}

/* Those of the whole recording are first, then the largest; what has no track is counted. */
static void the_largest_counters_have_tracks(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads("1 1 - 0 0 main\n"
                                                        "1 1 - 500 0 main\n"
                                                        "counter memory@10 0 100\n"
                                                        "counter memory@20 0 5000\n"
                                                        "counter memory@30 0 300\n"
                                                        "counter memory@40 0 400\n"
                                                        "counter memory@50 0 200\n"
                                                        "counter busy 0 -2\n"));
    act(v, "view chart");
    const struct flm_event_tracks *tracks = &v->scene.threads.events;
    static const double most[] = {-2, 5000, 400, 300};
    assert_int_equal(tracks->counter_count, 4);
    for (int i = 0; i < 4; i++)
        assert_true(tracks->most[i] == most[i]);
    assert_int_equal(tracks->hidden_count, 2);
    assert_answer(v, "status", "hidden", "2 counters");
    act(v, "view flame");
    assert_answer(v, "status", "hidden", "");
    flm_viewer_free(v);
}

static void point_at(struct flm_viewer *v, double ms, double y)
{
    struct flm_area area = flm_viewer_area(v);
    struct flm_span seen = flm_viewer_span(v);
    double x = area.left + (ms * 1e6 - seen.left) / (seen.right - seen.left) * area.width;
    flm_viewer_pointer(v, FLM_POINTER_MOVE, x, y, 0, false, 1);
}

static void the_pointer_tells_what_happened_and_how_much_it_was(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads(events));
    act(v, "view chart");
    double first = flm_viewer_area(v).top - flm_event_track_top(&v->scene, 2);
    point_at(v, 225, first + 3);
    assert_answer(v, "hover", "title", "GC");
    assert_answer(v, "hover", "where", "young");
    assert_answer(v, "hover", "moment.0.value", "200.0 ms \xE2\x80\x93 250.0 ms");
    assert_answer(v, "hover", "moment.1.value", "50 ms");
    point_at(v, 100, first + 3);
    assert_answer(v, "hover", "title", "exec");
    point_at(v, 50, first + 3); /* nothing there */
    struct flm_response nothing = {0};
    assert_true(flm_query_hover(v, flm_bytes_of(""), &nothing, NULL));
    assert_null(nothing.hover);
    flm_response_clear(&nothing);
    point_at(v, 350, first + flm_event_track_top(&v->scene, 1) + 3);
    assert_answer(v, "hover", "title", "memory");
    assert_answer(v, "hover", "moment.0.value", "20 B");
    assert_answer(v, "hover", "moment.1.value", "40 B");
    flm_viewer_free(v);
}

static bool look(void *context, struct flm_error *why)
{
    struct flm_response response = {0};
    bool good = flm_query_hover(context, flm_bytes_of(""), &response, why);
    assert_true(!good || response.hover);
    flm_response_clear(&response);
    return good;
}

/* Of a frame, a marker and a counter. */
static void hovering_survives_failing_allocations(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads(events));
    act(v, "view chart");
    double first = flm_viewer_area(v).top - flm_event_track_top(&v->scene, 2);
    assert_true(flm_threads_open_all(&v->scene, NULL));
    const double y[] = {first + 3, first + flm_event_track_top(&v->scene, 1) + 3,
                        flm_viewer_area(v).top + v->scene.panes[0].top_px + 3};
    for (int i = 0; i < 3; i++) {
        point_at(v, 201, y[i]);
        assert_true(assert_survives_failures(look, v) > 1);
    }
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_are_found_by_time),
        cmocka_unit_test(a_counter_has_its_value_until_the_next),
        cmocka_unit_test(tracks_stand_between_ruler_and_threads),
        cmocka_unit_test(the_largest_counters_have_tracks),
        cmocka_unit_test(hovering_survives_failing_allocations),
        cmocka_unit_test(the_pointer_tells_what_happened_and_how_much_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
