#include "viewer/scene/lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "viewer/paint/internal.h"
#include "viewer/query/query.h"

enum { WIDTH = 1000, HEIGHT = 600, LENGTH_MS = 2000, DEEP = 30 };

static uint32_t memory[WIDTH * HEIGHT];

/* A thread of a process runs for that time. */
static void add_thread(struct flm_text *lines, int process, int thread, int begin, int length)
{
    flm_text_format(lines, "%d %d - %d %d main", process, thread, begin, length);
    for (int i = 1; i < DEEP; i++)
        flm_text_format(lines, ";f%d", i);
    flm_text_putc(lines, '\n');
}

static struct flm_viewer *chart_of(struct flm_text *lines)
{
    flm_text_putc(lines, 0);
    struct flm_viewer *v = viewer_of(profile_of_threads(lines->at));
    flm_text_clear(lines);
    flm_viewer_resize(v, WIDTH, HEIGHT, 1);
    act(v, "view chart");
    assert_true(flm_viewer_update(v, NULL));
    return v;
}

/* A long process, and `count` that live for a while at random; by begin, as a build starts them. */
static struct flm_viewer *build_of(int count, uint64_t seed)
{
    struct flm_text lines = {0};
    uint64_t random = seed * 77;
    add_thread(&lines, 1, 1, 0, LENGTH_MS);
    for (int i = 0; i < count; i++)
        add_thread(&lines, 100 + i, 100 + i, i * (LENGTH_MS - 200) / count,
                   1 + (int)random_below(&random, 90));
    return chart_of(&lines);
}

static bool has_place_of(const struct flm_pane *a, const struct flm_pane *b)
{
    return a->top_px == b->top_px && a->height_px == b->height_px && a->header_px == b->header_px;
}

/* Each thread is in one lane; those of a lane follow each other in time and have one place, which
 * no other lane overlaps. */
static void assert_lanes(const struct flm_viewer *v)
{
    const struct flm_scene *scene = &v->scene;
    const struct flm_pane *end = scene->panes + scene->pane_count;
    double foot = 0;
    for (const struct flm_pane *pane = scene->panes; pane < end;) {
        const struct flm_pane *behind = flm_lane_end(scene, pane);
        assert_ptr_equal(flm_lane_first(scene, pane), pane);
        assert_true(behind > pane && behind <= end);
        assert_true(pane->top_px - pane->header_px >= foot);
        foot = pane->top_px + pane->height_px;
        for (const struct flm_pane *next = pane + 1; next < behind; next++) {
            assert_true(has_place_of(pane, next));
            assert_true(flm_threads_extent(scene, next).left >=
                        flm_threads_extent(scene, next - 1).right);
            assert_int_equal(next->process_threads, 0);
        }
        pane = behind;
    }
}

static uint32_t lane_count(const struct flm_viewer *v)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < v->scene.pane_count; i += v->scene.panes[i].lane_count)
        lanes++;
    return lanes;
}

/* As many threads as begin before `pane` ended, and did not end before it began. */
static uint32_t most_at_once(const struct flm_viewer *v)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < v->scene.pane_count; i++) {
        double begin = flm_threads_extent(&v->scene, &v->scene.panes[i]).left;
        uint32_t count = 0;
        for (uint32_t k = 0; k < v->scene.pane_count; k++) {
            struct flm_span other = flm_threads_extent(&v->scene, &v->scene.panes[k]);
            /* Threads of a lane are a bit apart. */
            count += other.left <= begin && begin < other.right + v->scene.total / 400;
        }
        most = count > most ? count : most;
    }
    return most;
}

static void short_threads_take_as_many_lanes_as_ran_at_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        int count = FLM_SHORT_LEAST + (int)seed * 17;
        struct flm_viewer *v = build_of(count, seed);
        assert_int_equal(v->scene.pane_count, count + 1); /* none is left out */
        assert_int_equal(v->scene.threads.short_count, count);
        assert_lanes(v);
        assert_true(lane_count(v) <= most_at_once(v));
        assert_int_equal(v->scene.panes[0].lane_count, 1); /* the long one */
        flm_viewer_free(v);
    }
}

static void a_few_short_threads_have_rows_of_their_own(void **state)
{
    (void)state;
    struct flm_viewer *v = build_of(FLM_SHORT_LEAST - 1, 3);
    assert_int_equal(lane_count(v), FLM_SHORT_LEAST);
    assert_answer(v, "tracks", "lanes", "null");
    flm_viewer_free(v);
}

/* The names of threads in the order of panes. */
static char *order_of(const struct flm_viewer *v)
{
    struct flm_text text = {0};
    for (uint32_t i = 0; i < v->scene.pane_count; i++) {
        const struct flm_pane *pane = &v->scene.panes[i];
        flm_text_add(&text, flm_track_name(pane->profile, flm_threads_track(&v->scene, pane)));
        flm_text_putc(&text, ' ');
    }
    flm_text_putc(&text, 0);
    return text.at;
}

static void they_are_taken_apart_and_stand_in_the_order_of_threads(void **state)
{
    (void)state;
    struct flm_viewer *v = build_of(40, 7);
    struct flm_text expected = {0}, url = {0};
    flm_text_puts(&expected, "1 ");
    for (int i = 0; i < 40; i++)
        flm_text_format(&expected, "%d ", 100 + i);
    flm_text_putc(&expected, 0);
    assert_answer(v, "tracks", "lanes", "true");
    act(v, "short-apart");
    char *order = order_of(v);
    assert_string_equal(order, expected.at);
    assert_int_equal(lane_count(v), 41);
    assert_answer(v, "tracks", "lanes", "false");
    assert_true(flm_viewer_query_text(v, flm_bytes_of("state"), &url, NULL));
    flm_text_putc(&url, 0);
    assert_non_null(strstr(url.at, "short=apart"));
    act(v, "back");
    assert_true(lane_count(v) < 20);
    free(order);
    flm_text_clear(&expected);
    flm_text_clear(&url);
    flm_viewer_free(v);
}

/* In the middle of its time and of its first row. */
static void assert_hit(struct flm_viewer *v, uint32_t index)
{
    const struct flm_pane *pane = &v->scene.panes[index];
    struct flm_area area = flm_viewer_area(v);
    struct flm_span time = flm_threads_extent(&v->scene, pane);
    struct flm_node_ref ref;
    struct flm_rectangle box;
    double x = area.left + (time.left + time.right) / 2 / v->scene.total * area.width;
    double y = area.top + pane->top_px + 5 - v->model.camera.scroll_to;
    assert_true(flm_viewer_hit(v, x, y, &ref, &box));
    assert_int_equal(ref.pane, index);
}

static void each_thread_of_a_lane_is_drawn_and_answers_where_it_ran(void **state)
{
    (void)state;
    struct flm_viewer *v = build_of(30, 11);
    struct flm_pixels pixels = flm_pixels_of(memory, WIDTH, HEIGHT);
    flm_viewer_paint(v, &pixels, 0);
    uint32_t page = flm_pixel(flm_page_colors(&v->paint.theme).page);
    for (uint32_t i = 0; i < v->scene.pane_count; i++) {
        const struct flm_pane *pane = &v->scene.panes[i];
        struct flm_area area = flm_viewer_area(v);
        struct flm_span time = flm_threads_extent(&v->scene, pane);
        double x = area.left + (time.left + time.right) / 2 / v->scene.total * area.width;
        double y = area.top + pane->top_px + 9;
        if (y >= area.top + area.height)
            continue;
        assert_hit(v, i);
        assert_true(memory[(size_t)y * WIDTH + (size_t)x] != page);
    }
    flm_viewer_free(v);
}

static void a_lane_shows_all_rows_on_demand(void **state)
{
    (void)state;
    struct flm_viewer *v = build_of(30, 5);
    struct flm_text text = {0};
    const struct flm_pane *lane = &v->scene.panes[1];
    assert_true(lane->lane_count > 1 && lane->foot_px > 0);
    assert_int_equal(flm_pane_rows(lane), FLM_ROWS_LEAST);
    flm_thread_add_title(v, lane, &text);
    flm_text_putc(&text, 0);
    assert_non_null(strstr(text.at, " short threads"));
    double y = flm_viewer_area(v).top + lane->top_px + 8;
    flm_viewer_pointer(v, FLM_POINTER_DOWN, 40, y, 0, false, 1000);
    flm_viewer_pointer(v, FLM_POINTER_UP, 40, y, 0, false, 1000);
    assert_int_equal(flm_pane_rows(&v->scene.panes[1]), DEEP);
    assert_true(v->scene.panes[1].foot_px == 0);
    assert_lanes(v);
    flm_viewer_pointer(v, FLM_POINTER_DOWN, 40, y, 0, false, 9000);
    flm_viewer_pointer(v, FLM_POINTER_UP, 40, y, 0, false, 9000);
    assert_int_equal(flm_pane_rows(&v->scene.panes[1]), FLM_ROWS_LEAST);
    flm_text_clear(&text);
    flm_viewer_free(v);
}

/* A pool that starts threads, and others alone in their processes. */
static void add_pools(struct flm_text *lines)
{
    add_thread(lines, 1, 1, 0, LENGTH_MS);
    for (int i = 0; i < 20; i++)
        add_thread(lines, 1, 10 + i, 90 * i, 50);
    for (int i = 0; i < 20; i++)
        add_thread(lines, 100 + i, 100 + i, 90 * i + 20, 50);
    for (int i = 0; i < 20; i++)
        add_thread(lines, 2, 200 + i, 90 * i + 30, 50);
}

static void lanes_are_of_one_process_or_of_processes_with_one_thread(void **state)
{
    (void)state;
    struct flm_text lines = {0};
    add_pools(&lines);
    struct flm_viewer *v = chart_of(&lines);
    assert_lanes(v);
    uint32_t headings = 0;
    for (uint32_t i = 0; i < v->scene.pane_count; i += v->scene.panes[i].lane_count) {
        const struct flm_pane *first = &v->scene.panes[i];
        headings += first->process_threads > 0;
        for (const struct flm_pane *pane = first; pane < first + first->lane_count; pane++) {
            uint32_t process = flm_threads_track(&v->scene, pane)->process;
            bool is_alone =
                flm_threads_process_of(&v->scene, (uint32_t)(pane - v->scene.panes)) == NULL;
            assert_true(process == flm_threads_track(&v->scene, first)->process || is_alone);
        }
    }
    assert_int_equal(headings, 2);
    assert_int_equal(lane_count(v), 4); /* the long one, and a lane for each of three */
    flm_viewer_free(v);
}

static bool apart_and_together(void *context, struct flm_error *why)
{
    struct flm_viewer *v = context;
    bool good = true;
    for (int i = 0; i < 2 && good; i++) {
        v->model.short_apart = i == 0;
        flm_changed(&v->model, FLM_ASPECT_SCENE);
        good = flm_viewer_update(v, why);
        if (good)
            assert_lanes(v);
    }
    return good;
}

static void it_survives_failing_allocations(void **state)
{
    (void)state;
    struct flm_viewer *v = build_of(FLM_SHORT_LEAST, 2);
    assert_true(assert_survives_failures(apart_and_together, v) > 10);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_threads_take_as_many_lanes_as_ran_at_once),
        cmocka_unit_test(a_few_short_threads_have_rows_of_their_own),
        cmocka_unit_test(they_are_taken_apart_and_stand_in_the_order_of_threads),
        cmocka_unit_test(each_thread_of_a_lane_is_drawn_and_answers_where_it_ran),
        cmocka_unit_test(a_lane_shows_all_rows_on_demand),
        cmocka_unit_test(lanes_are_of_one_process_or_of_processes_with_one_thread),
        cmocka_unit_test(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
