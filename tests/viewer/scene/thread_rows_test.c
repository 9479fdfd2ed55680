#include "viewer/scene/thread_panes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "draw/terminal/screen.h"
#include "support/core/failures.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"
#include "viewer/paint/picture.h"
#include "viewer/query/query.h"
#include "viewer/state.h"

enum { WIDTH = 1000, HEIGHT = 600, DEEP = 150, FLAT = 4 };

static void add_stack(struct flm_text *lines, int thread, int ms, int depth)
{
    flm_text_format(lines, "1 %d - %d 0 main", thread, ms);
    for (int i = 1; i < depth; i++)
        flm_text_format(lines, ";%c%d", 'a' + thread - 100, i);
    flm_text_putc(lines, '\n');
}

/* Threads of these depths, from thread 100 on. */
static struct flm_viewer *chart_of(const int *depths, int count)
{
    struct flm_text lines = {0};
    for (int i = 0; i < 3 * count; i++) /* the first stack of each is one less deep than the rest */
        add_stack(&lines, 100 + i % count, i, depths[i % count] - (i < count));
    flm_text_putc(&lines, 0);
    struct flm_viewer *v = viewer_of(profile_of_threads(lines.at));
    flm_text_clear(&lines);
    flm_viewer_resize(v, WIDTH, HEIGHT, 1);
    act(v, "view chart");
    assert_true(flm_viewer_update(v, NULL));
    return v;
}

static struct flm_viewer *chart_of_three(void)
{
    return chart_of((const int[]){DEEP, FLAT, DEEP}, 3);
}

static uint32_t rows(const struct flm_viewer *v, uint32_t pane)
{
    return flm_pane_rows(&v->scene.panes[pane]);
}

static void assert_state(struct flm_viewer *v, const char *part, bool has)
{
    struct flm_text state = {0};
    assert_true(flm_viewer_query_text(v, flm_bytes_of("state"), &state, NULL));
    flm_text_putc(&state, 0);
    assert_int_equal(strstr(state.at, part) != NULL, has);
    flm_text_clear(&state);
}

static void click(struct flm_viewer *v, double x, double y)
{
    static double now_ms = 10000;
    now_ms += 10000;
    flm_viewer_pointer(v, FLM_POINTER_DOWN, x, y, 0, false, now_ms);
    flm_viewer_pointer(v, FLM_POINTER_UP, x, y, 0, false, now_ms);
}

/* In the window. */
static double begin_of(const struct flm_viewer *v, uint32_t pane)
{
    const struct flm_pane *p = &v->scene.panes[pane];
    return flm_viewer_area(v).top + p->top_px - p->header_px - v->model.camera.scroll_to;
}

static void a_deep_thread_leaves_room_for_others(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of_three();
    double height = flm_viewer_area(v).height;
    assert_true(rows(v, 0) >= FLM_ROWS_LEAST && rows(v, 0) < DEEP);
    assert_int_equal(rows(v, 1), FLAT);
    assert_true(begin_of(v, 2) < height);
    assert_answer(v, "tracks", "all_rows", "false");
    flm_viewer_resize(v, WIDTH, 3 * HEIGHT, 1); /* a larger window shows more */
    assert_true(rows(v, 0) > 2 * FLM_ROWS_LEAST && rows(v, 0) < DEEP);
    flm_viewer_resize(v, WIDTH, 12000, 1);
    assert_int_equal(rows(v, 0), DEEP);
    assert_answer(v, "tracks", "all_rows", "null");
    flm_viewer_free(v);
}

static void a_thread_whose_rows_tell_little_has_few(void **state)
{
    (void)state;
    struct flm_text lines = {0};
    for (int i = 0; i <= 1000; i++)
        add_stack(&lines, 100, i, DEEP - i % 2);
    add_stack(&lines, 101, 500, DEEP); /* one sample */
    add_stack(&lines, 102, 600, DEEP); /* a hundredth of the time */
    add_stack(&lines, 102, 610, DEEP - 1);
    add_stack(&lines, 103, 600, DEEP);
    add_stack(&lines, 103, 700, DEEP - 1);
    add_stack(&lines, 104, 650, DEEP); /* one stack, often */
    add_stack(&lines, 104, 900, DEEP);
    flm_text_putc(&lines, 0);
    struct flm_viewer *v = viewer_of(profile_of_threads(lines.at));
    flm_text_clear(&lines);
    flm_viewer_resize(v, WIDTH, HEIGHT, 1);
    act(v, "view chart");
    assert_true(flm_viewer_update(v, NULL));
    assert_true(rows(v, 0) >= FLM_ROWS_LEAST);
    assert_int_equal(rows(v, 1), FLM_ROWS_FEW);
    assert_int_equal(rows(v, 2), FLM_ROWS_FEW);
    assert_int_equal(rows(v, 3), rows(v, 0));
    assert_int_equal(rows(v, 4), FLM_ROWS_FEW);
    click(v, 40, begin_of(v, 1) + flm_scene_strip_px(&v->scene) + 30);
    assert_int_equal(rows(v, 1), DEEP);
    flm_viewer_free(v);
}

static void nothing_is_hidden_that_pushes_nothing_away(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of((const int[]){DEEP}, 1);
    assert_int_equal(rows(v, 0), DEEP);
    flm_viewer_free(v);
    v = chart_of((const int[]){12, 9}, 2); /* all fit */
    assert_int_equal(rows(v, 0), 12);
    flm_viewer_free(v);
    v = chart_of((const int[]){DEEP, DEEP}, 2);
    uint32_t most = rows(v, 0);
    flm_viewer_free(v);
    v = chart_of((const int[]){DEEP, (int)most + 1, (int)most + 2}, 3);
    assert_int_equal(rows(v, 1), most + 1); /* the line that tells of one row takes as much */
    assert_int_equal(rows(v, 2), most);
    flm_viewer_free(v);
}

static void a_thread_is_expanded_by_its_name_by_its_last_line_and_by_key(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of_three();
    uint32_t few = rows(v, 0);
    const struct flm_pane *pane = &v->scene.panes[0];
    click(v, 40, begin_of(v, 0) + flm_scene_strip_px(&v->scene) + 30);
    assert_int_equal(rows(v, 0), DEEP);
    assert_int_equal(rows(v, 2), few);
    assert_state(v, "expanded=100", true);
    click(v, 40, begin_of(v, 0) + flm_scene_strip_px(&v->scene) + 30);
    assert_int_equal(rows(v, 0), few);
    assert_state(v, "expanded", false);
    click(v, 600, begin_of(v, 0) + pane->header_px + pane->height_px + pane->foot_px / 2);
    assert_int_equal(rows(v, 0), DEEP);
    act(v, "back");
    assert_int_equal(rows(v, 0), few);
    act(v, "search c3");
    act(v, "next-match");
    act(v, "rows"); /* of the selected frame */
    assert_int_equal(rows(v, 0), few);
    assert_int_equal(rows(v, 2), DEEP);
    act(v, "rows");
    assert_int_equal(rows(v, 2), few);
    click(v, 40, begin_of(v, 1) + 30); /* one that is not deep: nothing happens */
    assert_int_equal(rows(v, 1), FLAT);
    flm_viewer_free(v);
}

static void all_threads_are_expanded_at_once(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of_three();
    uint32_t few = rows(v, 0);
    act(v, "rows-all");
    assert_true(rows(v, 0) == DEEP && rows(v, 2) == DEEP);
    assert_answer(v, "tracks", "all_rows", "true");
    assert_state(v, "rows=all", true);
    assert_true(flm_viewer_expand(v, &v->scene.panes[0], NULL)); /* all but one */
    assert_true(rows(v, 0) == few && rows(v, 2) == DEEP);
    assert_state(v, "rows=all", false);
    assert_state(v, "expanded=102", true);
    act(v, "rows-all");
    act(v, "rows-all");
    assert_true(rows(v, 0) == few && rows(v, 2) == few);
    assert_true(flm_state_read(v, flm_bytes_of("view=chart&rows=all"), NULL));
    assert_int_equal(rows(v, 2), DEEP);
    assert_true(flm_state_read(v, flm_bytes_of("view=chart&expanded=102%0Anone"), NULL));
    assert_true(rows(v, 0) == few && rows(v, 2) == DEEP);
    flm_viewer_free(v);
}

/* By a search, by keys, from a table: the thread shows its rows. */
static void a_frame_that_is_walked_to_is_drawn(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of_three();
    struct flm_area box;
    uint32_t few = rows(v, 0);
    act(v, "search c120");
    act(v, "next-match");
    assert_int_equal(rows(v, 2), DEEP);
    v->input.now_ms += 1000; /* the camera glides */
    assert_true(flm_viewer_place(v, v->model.selected, &box));
    act(v, "rows");
    assert_false(flm_viewer_place(v, v->model.selected, &box));
    flm_viewer_select(v, (struct flm_node_ref){0, few}); /* a stack: node and level are the same */
    act(v, "down");
    assert_int_equal(rows(v, 0), DEEP);
    flm_viewer_free(v);
}

/* A click does not hit boxes that are not drawn, and the picture has none of them. */
static void hidden_rows_are_not_drawn(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of_three();
    static uint32_t memory[WIDTH * HEIGHT];
    struct flm_pixels pixels = flm_pixels_of(memory, WIDTH, HEIGHT);
    flm_viewer_paint(v, &pixels, 0);
    const struct flm_pane *pane = &v->scene.panes[0];
    uint32_t deepest = 0;
    for (size_t i = 0; i < pane->drawn.count; i++)
        if (pane->drawn.at[i].level > deepest)
            deepest = pane->drawn.at[i].level;
    assert_int_equal(deepest, rows(v, 0)); /* level 0 is the root */
    struct flm_node_ref ref;
    struct flm_rectangle box;
    double y = begin_of(v, 0) + pane->header_px + pane->height_px;
    assert_true(flm_viewer_hit(v, 200, y - 4, &ref, &box));
    assert_false(flm_viewer_hit(v, 200, y + 4, &ref, &box));
    flm_viewer_free(v);
}

static bool has(const struct flm_text *text, const char *part)
{
    size_t size = strlen(part);
    for (size_t i = 0; i + size <= text->size; i++)
        if (memcmp(text->at + i, part, size) == 0)
            return true;
    return false;
}

static void a_still_picture_has_the_rows_of_the_window(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of_three();
    struct flm_text svg = {0}, line = {0};
    assert_true(flm_picture_write(v, FLM_PICTURE_SVG, 0, &svg, NULL));
    flm_text_format(&line, "+%u rows", DEEP - rows(v, 0));
    flm_text_putc(&line, 0);
    assert_true(has(&svg, line.at));
    assert_false(has(&svg, "a120"));
    svg.size = 0;
    act(v, "rows-all");
    assert_true(flm_picture_write(v, FLM_PICTURE_SVG, 0, &svg, NULL));
    assert_false(has(&svg, " rows"));
    assert_true(has(&svg, "a120"));
    flm_text_clear(&svg);
    flm_text_clear(&line);
    flm_viewer_free(v);
}

/* The thread that was clicked stays under the pointer; the name of one that loses its rows comes
 * back into the window. */
static void threads_stay_in_place(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of_three();
    act(v, "rows-all");
    double top = flm_viewer_area(v).top;
    flm_viewer_scroll(v, v->scene.panes[2].top_px + 900, 0);
    act(v, "rows-all");
    assert_true(begin_of(v, 2) >= top && begin_of(v, 2) < top + flm_viewer_area(v).height);
    double before = begin_of(v, 2);
    assert_true(flm_viewer_expand(v, &v->scene.panes[2], NULL));
    assert_true(begin_of(v, 2) == before);
    flm_viewer_free(v);
}

static bool expand(void *context, struct flm_error *why)
{
    struct flm_viewer *v = context;
    bool good = flm_viewer_update(v, why) && flm_viewer_expand(v, &v->scene.panes[0], why);
    return good && flm_viewer_expand_all(v, why) && flm_viewer_expand(v, &v->scene.panes[0], why) &&
           flm_viewer_expand(v, &v->scene.panes[0], why);
}

static void it_survives_failing_allocations(void **state)
{
    (void)state;
    struct flm_viewer *v = chart_of_three();
    assert_true(assert_survives_failures(expand, v) > 3);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deep_thread_leaves_room_for_others),
        cmocka_unit_test(a_thread_whose_rows_tell_little_has_few),
        cmocka_unit_test(nothing_is_hidden_that_pushes_nothing_away),
        cmocka_unit_test(a_thread_is_expanded_by_its_name_by_its_last_line_and_by_key),
        cmocka_unit_test(all_threads_are_expanded_at_once),
        cmocka_unit_test(a_frame_that_is_walked_to_is_drawn),
        cmocka_unit_test(hidden_rows_are_not_drawn),
        cmocka_unit_test(a_still_picture_has_the_rows_of_the_window),
        cmocka_unit_test(threads_stay_in_place),
        cmocka_unit_test(it_survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
