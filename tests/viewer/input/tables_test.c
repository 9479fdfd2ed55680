#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

static const char folded[] = "main;parse;lex 8\nmain;check;lex 2\nother 7\n";

static void rows_open_and_close(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    assert_answer(v, "tree 0 9", "count", "5"); /* the heaviest path is open */
    act(v, "open-node 1");
    assert_answer(v, "tree 0 9", "count", "2");
    act(v, "open-below 1");
    assert_answer(v, "tree 0 9", "count", "6");
    act(v, "open-node 1");
    assert_answer(v, "tree 0 9", "count", "2");
    flm_viewer_free(v);
}

static void all_below_the_selected_row_opens(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    assert_non_null(strstr(refusal(v, "open-selected"), "no row of the call tree is selected"));
    act(v, "select 1");
    act(v, "open-selected");
    assert_answer(v, "tree 0 9", "count", "6");
    flm_viewer_free(v);
}

static void what_is_not_there_is_refused(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    refusal(v, "open-node 99");
    refusal(v, "open-node x");
    refusal(v, "hover-node 99");
    assert_non_null(strstr(refusal(v, "hover-frame 99"), "there is no function 99"));
    flm_viewer_free(v);
}

static void what_a_row_is_about_is_marked_in_the_picture(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    struct flm_seen_versions versions = {{0}};
    act(v, "hover-node 2");
    assert_int_equal(v->input.hovered.number, 2);
    flm_viewer_changes(v, &versions);
    act(v, "hover-node 2");
    assert_false(flm_viewer_changes(v, &versions) & FLM_CHANGED(PICTURE));
    act(v, "hover-frame 2");
    uint32_t frame = flm_scene_frame(&v->scene, v->input.hovered);
    assert_int_equal(frame, 2);
    act(v, "hover-none");
    assert_false(flm_node_ref_valid(v->input.hovered));
    flm_viewer_free(v);
}

static void actions_without_memory_are_refused(void **state)
{
    (void)state;
    static const char *const actions[] = {"open-node 1", "open-below 1", "source-link x{file}"};
    for (size_t i = 0; i < 3; i++)
        for (size_t nth = 1;; nth++) {
            struct flm_viewer *v = viewer_of_folded(folded);
            struct flm_error why = {0};
            json_tree_free(answer(v, "status"));
            allocation_fail_once(nth);
            bool good = flm_viewer_do(v, flm_bytes_of(actions[i]), &why);
            bool failed = allocation_has_failed();
            allocation_fail_from(0);
            assert_true(good || failed);
            if (!good)
                assert_int_equal(why.kind, FLM_ERROR_MEMORY);
            act(v, actions[i]);
            flm_viewer_free(v);
            if (!failed)
                break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_open_and_close),
        cmocka_unit_test(all_below_the_selected_row_opens),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(what_a_row_is_about_is_marked_in_the_picture),
        cmocka_unit_test(actions_without_memory_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
