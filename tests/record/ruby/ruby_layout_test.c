#include "record/ruby/ruby_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void versions_that_were_never_looked_at_have_no_layout(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        const struct flm_ruby_layout *l = flm_ruby_layout_of(3, minor);
        assert_non_null(l);
        assert_int_equal(l->minor, minor);
        assert_true(l->frame_size == 56 || l->frame_size == 64);
        assert_true(l->body_label == l->body_base_label + 8);
        assert_true(l->body_line_positions > l->body_lines);
    }
    assert_null(flm_ruby_layout_of(3, 5));
    assert_null(flm_ruby_layout_of(3, -1));
    assert_null(flm_ruby_layout_of(2, 1));
    assert_null(flm_ruby_layout_of(4, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_that_were_never_looked_at_have_no_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
