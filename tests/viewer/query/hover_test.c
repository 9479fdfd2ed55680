#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/builder.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

static const char folded[] = "main;parse;lex 8\nmain;parse;lex;read 3\nmain;check;lex 2\nother 7\n";

static void pointer_at(struct flm_viewer *v, const char *name)
{
    const struct flm_pane *pane = &v->scene.panes[0];
    struct flm_node node = node_named(v, name);
    struct flm_area area = flm_viewer_area(v);
    double row = flm_viewer_row_px(v);
    double y = flm_pane_row_px(pane, flm_layout_level(pane->layout, node), row) -
               flm_camera_scroll(&v->model.camera, 0);
    double x = flm_layout_offset(pane->layout, node) / v->model.camera.total * area.width;
    flm_viewer_pointer(v, FLM_POINTER_MOVE, area.left + x + 1, area.top + y + row / 2, 0, false, 0);
}

static void the_pointer_tells_in_a_few_lines(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    json_tree_free(answer(v, "hover"));
    pointer_at(v, "lex");
    struct json_tree *h = answer(v, "hover");
    assert_string_equal(at(h, "title"), "lex");
    assert_string_equal(at(h, "lines.0.name"), "total");
    assert_string_equal(at(h, "lines.0.value"), "2 samples");
    assert_string_equal(at(h, "lines.1.name"), "self");
    assert_string_equal(at(h, "lines.2.name"), "all 2 occurrences");
    assert_string_equal(at(h, "lines.2.value"), "13 samples");
    assert_string_equal(at(h, "lines.2.share_total"), "65 %");
    json_tree_free(h);
    flm_viewer_pointer(v, FLM_POINTER_LEAVE, 0, 0, 0, false, 0);
    assert_answer(v, "hover", "", "null");
    flm_viewer_free(v);
}

/* Three lines of the width of the argument: the result, arguments and templates give way. */
static void a_long_title_keeps_its_function(void **state)
{
    (void)state;
    static const char name[] =
        "v8::internal::Handle<v8::internal::String> v8::internal::StringTable::LookupKey"
        "<v8::internal::SequentialSubStringKey<v8::internal::SequentialOneByteString>>"
        "(v8::internal::Isolate*, v8::internal::SequentialSubStringKey*)";
    char text[sizeof name + 20];
    snprintf(text, sizeof text, "main;%s 8\n", name);
    struct flm_viewer *v = viewer_of_folded(text);
    pointer_at(v, name);
    struct json_tree *wide = answer(v, "hover 90000"), *narrow = answer(v, "hover 2200");
    assert_string_equal(at(wide, "title"), name);
    assert_null(json_tree_find(wide, "shown")); /* it fits */
    assert_string_equal(at(narrow, "title"), name);
    assert_non_null(strstr(at(narrow, "shown"), "StringTable::LookupKey"));
    assert_true(strlen(at(narrow, "shown")) < 100);
    json_tree_free(wide);
    json_tree_free(narrow);
    json_tree_free(answer(v, "hover"));
    act(v, "select-frame 2");
    struct json_tree *detail = answer(v, "detail 2200 1800");
    assert_non_null(strstr(at(detail, "shown"), "StringTable::LookupKey"));
    json_tree_free(detail);
    flm_viewer_free(v);
}

static void a_row_that_is_pointed_at_has_no_tooltip(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded(folded);
    act(v, "hover-frame 2");
    assert_true(flm_node_ref_valid(v->input.hovered));
    assert_answer(v, "hover", "", "null");
    act(v, "hover-none");
    assert_false(flm_node_ref_valid(v->input.hovered));
    flm_viewer_free(v);
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    static const char *const actions[] = {"hover-node 2", NULL};
    assert_answer_survives(folded, actions, "hover");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pointer_tells_in_a_few_lines),
        cmocka_unit_test(a_long_title_keeps_its_function),
        cmocka_unit_test(a_row_that_is_pointed_at_has_no_tooltip),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
