#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/regex/internal.h"
#include "base/regex/patterns.h"
#include "base/text/text.h"

static size_t code_count_of(const char *pattern)
{
    struct flm_regex *regex = flm_regex_new(flm_bytes_of(pattern), NULL);
    assert_non_null(regex);
    size_t count = regex->code.count;
    flm_regex_free(regex);
    return count;
}

static void a_program_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    static const char *const large[] = {"a{1000}{1000}",
                                        "((a{100}){100}){100}",
                                        "a{10000}",
                                        "a{0,9999}",
                                        "a{10001,}",
                                        "a{5,99999999999999999999}",
                                        "a{99999999999999999999}",
                                        "(abcd|efgh){2000}",
                                        "((a*)*){5000}"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        struct flm_error why = {0};
        assert_null(flm_regex_new(flm_bytes_of(large[i]), &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        assert_non_null(strstr(why.text, "too large"));
    }
    assert_accepted(flm_bytes_of("a{9999}"));
    assert_accepted(flm_bytes_of("a{0,4999}"));
    assert_accepted(flm_bytes_of("(a{99}){100}"));
    /* Nothing, and code that is removed again, takes no instructions. */
    assert_accepted(flm_bytes_of("(){10000}{10000}((()))*"));
    assert_accepted(flm_bytes_of("(a{9000}){0}b{9000}"));
}

static void repeating_copies_no_more_than_needed(void **state)
{
    (void)state;
    assert_int_equal(code_count_of("ab"), 3);
    assert_int_equal(code_count_of("a*"), 4);
    assert_int_equal(code_count_of("a+"), 3);
    assert_int_equal(code_count_of("a?"), 3);
    assert_int_equal(code_count_of("a{3}"), 4);
    assert_int_equal(code_count_of("a{3,}"), 5);
    assert_int_equal(code_count_of("a{2,4}"), 7);
    assert_int_equal(code_count_of("a{0,2}"), 5);
    assert_int_equal(code_count_of("a{0}"), 1);
    assert_int_equal(code_count_of("(ab|c)*"), 8);
    assert_int_equal(code_count_of("\xe9\xbe\x8d.[^x]"), 4);
}

static void a_set_of_too_many_ranges_is_refused(void **state)
{
    (void)state;
    struct flm_text pattern = {0};
    flm_text_putc(&pattern, '[');
    for (int i = 0; i < 10001; i++)
        flm_text_puts(&pattern, "a-z");
    flm_text_putc(&pattern, ']');
    struct flm_error why;
    assert_null(flm_regex_new((struct flm_bytes){pattern.at, pattern.size}, &why));
    assert_non_null(strstr(why.text, "too large"));
    flm_text_clear(&pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_beyond_the_limit_is_refused),
        cmocka_unit_test(repeating_copies_no_more_than_needed),
        cmocka_unit_test(a_set_of_too_many_ranges_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
