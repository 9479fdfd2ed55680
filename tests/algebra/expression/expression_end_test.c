/* An expression that is being typed: flm_expression_end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "algebra/expression/expression.h"

static void assert_end(const char *expression, const char *rest, const char *operation,
                       const char *argument)
{
    struct flm_expression_end end = flm_expression_end(flm_bytes_of(expression));
    assert_string_equal(expression + end.start, rest);
    assert_string_equal(end.operation ? end.operation->name : "", operation);
    assert_string_equal(end.argument ? end.argument->name : "", argument);
    const char *bar =
        strrchr(expression, '|'); /* none of these expressions ends with one in quotes */
    assert_int_equal(end.has_name, strchr(bar ? bar : expression, ':') != NULL);
}

static void the_end_of_an_expression_says_what_is_being_typed(void **state)
{
    (void)state;
    assert_end("", "", "", "");
    assert_end("fo", "fo", "", "");
    assert_end("invert | fo", "fo", "", "");
    assert_end("hide:", "", "hide", "pattern");
    assert_end("hide: par", "par", "hide", "pattern");
    assert_end("invert | hide:module=li", "module=li", "hide", "pattern");
    assert_end("hide:\"a|b\" | by:mo", "mo", "by", "class");
    assert_end("hide:a | rename:s/a|b", "b", "", "");
    assert_end("rename:s/a|b/c/ | depth:", "", "depth", "frames");
    assert_end("invert:x", "x", "invert", "");
    assert_end("fokus:x", "x", "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_an_expression_says_what_is_being_typed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
