#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/profile/viewing.h"

static void keys_of_the_code_mean_other_things_elsewhere(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;lex 7\nmain;parse 3\n");
    flm_viewer_key(v, flm_bytes_of("a"), 0, 0); /* it moves left */
    act(v, "code-at lex\n");
    assert_answer(v, "code", "assembly", "false");
    flm_viewer_key(v, flm_bytes_of("a"), 0, 0);
    assert_answer(v, "code", "assembly", "true");
    flm_viewer_key(v, flm_bytes_of("w"), 0, 0);
    assert_answer(v, "code", "whole", "true");
    flm_viewer_key(v, flm_bytes_of("f"), 0, 0);
    assert_answer(v, "code", "file", "true");
    act(v, "back");
    assert_answer(v, "code", "file", "false");
    act(v, "leave-code");
    assert_string_equal(refusal(v, "code-open 1"), "the code is not shown");
    assert_string_equal(refusal(v, "code-next"), "nothing is searched in the code");
    flm_viewer_free(v);
}

static void one_comes_back_to_the_view_before(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;lex 7\nmain;parse 3\n");
    act(v, "view top");
    act(v, "select-frame 2");
    act(v, "code");
    assert_answer(v, "tools", "view", "code");
    act(v, "code");
    assert_answer(v, "tools", "view", "top");
    act(v, "view code");
    act(v, "leave-code");
    assert_answer(v, "tools", "view", "top");
    flm_viewer_free(v);
}

static void without_a_selection_it_is_the_hottest_function(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of_folded("main;lex 7\nmain;parse 3\n");
    flm_viewer_key(v, flm_bytes_of("e"), 0, 0);
    assert_answer(v, "tools", "view", "code");
    assert_answer(v, "code", "title", "lex");
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_the_code_mean_other_things_elsewhere),
        cmocka_unit_test(one_comes_back_to_the_view_before),
        cmocka_unit_test(without_a_selection_it_is_the_hottest_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
