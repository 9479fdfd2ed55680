#include "format/core/json_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void the_first_bracket_is_found_behind_blanks_and_a_mark(void **state)
{
    (void)state;
    assert_true(flm_json_head_begins(flm_bytes_of("{\"a\""), '{'));
    assert_true(flm_json_head_begins(flm_bytes_of("\xEF\xBB\xBF \r\n\t[1"), '['));
    assert_false(flm_json_head_begins(flm_bytes_of("[1"), '{'));
    assert_false(flm_json_head_begins(flm_bytes_of("  "), '{'));
    assert_false(flm_json_head_begins(flm_bytes_of(""), '{'));
}

static void words_are_found_in_quotes(void **state)
{
    (void)state;
    struct flm_bytes head = flm_bytes_of("{\"nodes\": [\"a\", \"samples");
    assert_true(flm_json_head_has(head, "nodes"));
    assert_true(flm_json_head_has(head, "a"));
    assert_false(flm_json_head_has(head, "node"));
    assert_false(flm_json_head_has(head, "odes"));
    assert_false(flm_json_head_has(head, "samples")); /* it is cut off */
    assert_false(flm_json_head_has(flm_bytes_of(""), "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_bracket_is_found_behind_blanks_and_a_mark),
        cmocka_unit_test(words_are_found_in_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
