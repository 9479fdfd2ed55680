#include "viewer/input/clipboard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/profile/person.h"
#include "support/profile/profiles.h"

static void assert_copied(struct viewing *seen, const char *action, const char *expected)
{
    viewing_do(seen, action);
    assert_string_equal(viewing_ask(seen, "copy"), expected);
    assert_true(viewing_changes(seen) & FLM_CHANGED(COPY));
}

static void the_stack_is_copied_from_the_selected_frame_out(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;parse 2\nidle 1\n"), 800, 400, 1);
    viewing_refused(&seen, "copy-name");
    viewing_click(&seen, "parse", 1);
    assert_copied(&seen, "copy-name", "parse");
    assert_copied(&seen, "copy-stack", "parse\nmain\n");
    assert_copied(&seen, "copy-folded", "main;parse 5");
    viewing_do(&seen, "flip");
    assert_copied(&seen, "copy-folded", "main;parse 5");
    viewing_clear(&seen);
}

static void where_the_leaf_comes_first_the_stack_is_the_same(void **state)
{
    (void)state;
    struct viewing seen;
    viewing_init(&seen, profile_of("main;parse;lex 3\nmain;lex 2\nidle 1\n"), 800, 400, 1);
    viewing_do(&seen, "invert");
    viewing_click(&seen, "parse", 1);
    assert_copied(&seen, "copy-stack", "lex\nparse\n");
    assert_copied(&seen, "copy-folded", "parse;lex 3");
    viewing_do(&seen, "sandwich lex");
    viewing_click(&seen, "parse", 1);
    assert_copied(&seen, "copy-folded", "parse;lex 3");
    viewing_do(&seen, "sandwich parse");
    viewing_click(&seen, "lex", 1);
    assert_copied(&seen, "copy-stack", "lex\nparse\n");
    viewing_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stack_is_copied_from_the_selected_frame_out),
        cmocka_unit_test(where_the_leaf_comes_first_the_stack_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
