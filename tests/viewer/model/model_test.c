#include "viewer/model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void a_model_has_nothing_selected_at_first(void **state)
{
    (void)state;
    struct flm_model model;
    flm_model_init(&model);
    assert_false(flm_node_ref_valid(model.selected) || flm_node_ref_valid(model.zoomed));
    assert_null(flm_model_shown(&model));
    assert_false(flm_model_compares(&model));
}

static void refs_are_equal_by_pane_and_number_and_none_is_none_in_every_pane(void **state)
{
    (void)state;
    struct flm_node_ref a = {1, 7}, none = {3, FLM_NONE};
    assert_true(flm_node_refs_equal(a, (struct flm_node_ref){1, 7}));
    assert_false(flm_node_refs_equal(a, (struct flm_node_ref){0, 7}));
    assert_false(flm_node_refs_equal(a, (struct flm_node_ref){1, 8}));
    assert_true(flm_node_refs_equal(none, flm_node_ref_none()));
    assert_true(flm_node_ref_number(a) == 4294967296.0 + 7);
}

static void a_cleared_model_can_be_used_again(void **state)
{
    (void)state;
    struct flm_model model;
    flm_model_init(&model);
    for (int round = 0; round < 2; round++) {
        flm_text_puts(&model.focus, "=parse");
        flm_text_puts(&model.sort, "-total");
        model.name[0] = malloc(1);
        assert_non_null(model.name[0]);
        model.selected = (struct flm_node_ref){0, 3};
        flm_model_clear(&model);
        assert_int_equal(model.focus.size + model.sort.size, 0);
        assert_null(model.name[0]);
        assert_false(flm_node_ref_valid(model.selected));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_has_nothing_selected_at_first),
        cmocka_unit_test(refs_are_equal_by_pane_and_number_and_none_is_none_in_every_pane),
        cmocka_unit_test(a_cleared_model_can_be_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
