#include "draw/color/marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "flamel/profile.h"

static void kinds_that_are_not_ordinary_have_a_mark(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < FLM_KIND_COUNT; kind++) {
        bool is_ordinary =
            kind == FLM_KIND_PLAIN || kind == FLM_KIND_NATIVE || kind == FLM_KIND_LABEL;
        assert_int_equal(flm_mark_of_kind(kind) == FLM_MARK_NONE, is_ordinary);
    }
    assert_int_equal(flm_mark_of_kind(FLM_KIND_COUNT), FLM_MARK_NONE);
}

static void no_two_marks_have_the_same_dashes_or_name(void **state)
{
    (void)state;
    for (int a = FLM_MARK_NONE + 1; a < FLM_MARK_COUNT; a++) {
        assert_true(strlen(flm_mark_name((enum flm_mark)a)) > 0);
        for (int b = FLM_MARK_NONE + 1; b < a; b++) {
            struct flm_dashes x = flm_mark_dashes((enum flm_mark)a);
            struct flm_dashes y = flm_mark_dashes((enum flm_mark)b);
            assert_string_not_equal(flm_mark_name((enum flm_mark)a),
                                    flm_mark_name((enum flm_mark)b));
            if (a < FLM_MARK_APPEARED)
                assert_memory_not_equal(&x, &y, sizeof x);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_that_are_not_ordinary_have_a_mark),
        cmocka_unit_test(no_two_marks_have_the_same_dashes_or_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
