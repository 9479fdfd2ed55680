#include "record/php/php_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void versions_that_were_never_looked_at_have_no_layout(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        const struct flm_php_layout *l = flm_php_layout_of(8, minor);
        assert_non_null(l);
        assert_int_equal(l->minor, minor);
        assert_int_equal(l->function_first_line, l->function_file + 8);
        assert_true(l->function_opcodes > l->function_opcode_count);
        assert_true(l->function_opcodes < l->function_file);
    }
    assert_null(flm_php_layout_of(8, 5));
    assert_null(flm_php_layout_of(8, -1));
    assert_null(flm_php_layout_of(7, 4));
    assert_null(flm_php_layout_of(9, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_that_were_never_looked_at_have_no_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
