#include "viewer/views/views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/core/allocation.h"
#include "support/profile/person.h"
#include "support/profile/profiles.h"
#include "viewer/query/query.h"
#include "viewer/state.h"

/* Two stacks, each with a time: "main;read" and "main;write". */
static struct flm_profile *timed_profile(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    static const char *const names[] = {"read", "write"};
    for (int i = 0; i < 2; i++) {
        struct flm_node node =
            flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
        node = flm_builder_child(b, node, flm_builder_function(b, names[i], strlen(names[i])));
        flm_builder_sample(b, 1000 * i, node, (struct flm_label_set){0}, cpu, 1000);
    }
    return flm_builder_finish(b, NULL);
}

static void every_view_is_found_by_its_own_name_and_key(void **state)
{
    (void)state;
    const struct flm_view *view, *other;
    for (size_t i = 0; (view = flm_view_at(i)); i++) {
        assert_ptr_equal(flm_view_named(flm_bytes_of(view->name)), view);
        assert_string_equal(flm_view_choice(i).name, view->name);
        assert_true(view->title[0] >= 'A' && view->title[0] <= 'Z');
        for (size_t k = 0; k < i && (other = flm_view_at(k)); k++)
            assert_string_not_equal(view->key, other->key);
    }
    assert_null(flm_view_choice(8).name);
    assert_null(flm_view_named(flm_bytes_of("")));
    assert_null(flm_view_named(flm_bytes_of("zoo")));
}

/* What scene.c, display.c and the queries rely on. */
static void every_entry_is_whole(void **state)
{
    (void)state;
    const struct flm_view *view;
    for (size_t i = 0; (view = flm_view_at(i)); i++) {
        assert_true(view->behind || !view->can_build);
        assert_int_equal(view->build != NULL,
                         !view->has_heatmap && (!view->table || view->is_beside));
        assert_true(view->behind || view->build);
        assert_int_equal(view->is_available != NULL, view->unavailable != NULL);
        assert_int_equal(view->set_function && view->build, view->function_ref != NULL);
        for (const struct flm_view *behind = view->behind; behind; behind = behind->behind)
            assert_ptr_not_equal(behind, view);
        struct flm_bytes argument;
        if (view->table)
            assert_non_null(flm_query_named(flm_bytes_of(view->table), &argument));
    }
}

static const struct flm_view *drawn(struct viewing *seen, const char *state)
{
    assert_true(flm_state_read(seen->viewer, flm_bytes_of(state), NULL));
    viewing_look(seen);
    assert_viewing_sound(seen);
    return seen->viewer->scene.view;
}

static void where_a_view_has_nothing_to_draw_the_flame_graph_is_behind_it(void **state)
{
    (void)state;
    struct viewing timed, untimed;
    viewing_init(&timed, timed_profile(), 800, 400, 1);
    viewing_init(&untimed, profile_of("main;read 3\nmain;write 1\n"), 800, 400, 1);
    assert_ptr_equal(drawn(&timed, "view=chart"), &flm_view_chart);
    assert_ptr_equal(drawn(&untimed, "view=chart"), &flm_view_flame);
    assert_ptr_equal(untimed.viewer->model.view, &flm_view_chart);
    assert_true(flm_viewer_minimap(untimed.viewer).height > 0);
    assert_ptr_equal(drawn(&untimed, "view=top"), &flm_view_flame);
    assert_ptr_equal(drawn(&untimed, "view=tree"), &flm_view_flame);
    assert_ptr_equal(drawn(&untimed, "view=sandwich"), &flm_view_sandwich); /* of the heaviest */
    assert_ptr_equal(drawn(&untimed, "view=sandwich&of=read"), &flm_view_sandwich);
    assert_ptr_equal(drawn(&untimed, "view=compare"), &flm_view_flame);
    assert_ptr_equal(drawn(&untimed, "view=zoo"), &flm_view_flame);
    assert_ptr_equal(untimed.viewer->model.view, &flm_view_flame);
    viewing_clear(&timed);
    viewing_clear(&untimed);
}

static void without_memory_no_other_view_is_drawn_instead(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, timed_profile(), 800, 400, 1);
    assert_ptr_equal(drawn(&seen, "view=chart"), &flm_view_chart);
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        struct flm_error why = {0};
        flm_changed(&seen.viewer->model, FLM_ASPECT_SCENE);
        allocation_fail_once(nth);
        bool good = flm_viewer_update(seen.viewer, &why);
        failed = allocation_has_failed();
        allocation_fail_from(0);
        if (good)
            assert_ptr_equal(seen.viewer->scene.view, &flm_view_chart);
        else
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    }
    viewing_clear(&seen);
}

static void a_view_without_anything_to_show_is_refused_with_the_reason(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;read 3\n"), 800, 400, 1);
    const struct flm_view *view;
    for (size_t i = 0; (view = flm_view_at(i)); i++) {
        char action[40] = "view ";
        strcat(action, view->name);
        bool is_available = flm_view_is_available(view, &seen.viewer->model, &seen.viewer->scene);
        assert_int_equal(is_available, !view->unavailable);
        if (is_available)
            viewing_do(&seen, action);
        else
            assert_string_equal(viewing_refused(&seen, action), view->unavailable);
    }
    viewing_clear(&seen);
}

/* A chart is drawn from the root whatever the direction of other views: what is copied, too. */
static void a_chart_has_no_callers_below(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, timed_profile(), 800, 400, 1);
    viewing_do(&seen, "invert");
    viewing_look(&seen);
    assert_true(seen.viewer->scene.panes[0].has_callers_below);
    viewing_do(&seen, "view chart");
    viewing_click(&seen, "read", 1);
    viewing_do(&seen, "copy-stack");
    assert_string_equal(viewing_ask(&seen, "copy"), "read\nmain\n");
    viewing_clear(&seen);
}

/* As many threads as a chart has room for, each larger than the one whose sample has a time. */
static struct flm_profile *profile_of_untimed_threads(void)
{
    struct flm_builder *b = flm_builder_new(NULL);
    struct flm_metric cpu = flm_builder_metric(b, "cpu", "ns");
    struct flm_node node =
        flm_builder_child(b, flm_builder_root(b), flm_builder_function(b, "main", 4));
    for (int i = 0; i <= FLM_MOST_THREADS; i++) {
        char name[20];
        int size = snprintf(name, sizeof name, "%d", i);
        struct flm_string label[] = {flm_builder_string(b, "thread", 6),
                                     flm_builder_string(b, name, (size_t)size)};
        bool is_timed = i == FLM_MOST_THREADS;
        flm_builder_sample(b, is_timed ? 1000 : FLM_NO_TIME, node,
                           flm_builder_label_set(b, label, 1), cpu, is_timed ? 1 : 1000);
    }
    return flm_builder_finish(b, NULL);
}

static void a_chart_has_a_pane_for_a_small_thread_behind_those_without_times(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of_untimed_threads(), 800, 400, 1);
    assert_ptr_equal(drawn(&seen, "view=chart"), &flm_view_chart);
    assert_int_equal(seen.viewer->scene.pane_count, 1);
    viewing_clear(&seen);
}

static void the_function_of_a_sandwich_stays_selected(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;read;copy 3\nmain;write 1\n"), 800, 400, 1);
    viewing_click(&seen, "read", 1);
    viewing_do(&seen, "view sandwich");
    assert_string_equal(viewing_name(&seen, seen.viewer->model.selected), "read");
    assert_int_equal(seen.viewer->model.selected.pane, 1);
    /* Both sides of it are there: inverting shows all functions again. */
    viewing_do(&seen, "invert");
    assert_ptr_equal(seen.viewer->model.view, flm_view_default(false));
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_view_is_found_by_its_own_name_and_key),
        cmocka_unit_test(every_entry_is_whole),
        cmocka_unit_test(where_a_view_has_nothing_to_draw_the_flame_graph_is_behind_it),
        cmocka_unit_test(without_memory_no_other_view_is_drawn_instead),
        cmocka_unit_test(a_view_without_anything_to_show_is_refused_with_the_reason),
        cmocka_unit_test(a_chart_has_no_callers_below),
        cmocka_unit_test(a_chart_has_a_pane_for_a_small_thread_behind_those_without_times),
        cmocka_unit_test(the_function_of_a_sandwich_stays_selected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
