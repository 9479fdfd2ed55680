#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/regex/internal.h"
#include "base/regex/patterns.h"
#include "support/core/allocation.h"
#include "support/core/random.h"

static void assert_refused(struct flm_bytes pattern, size_t offset, const char *reason)
{
    struct flm_error why = {0};
    struct flm_regex *regex = flm_regex_new(pattern, &why);
    if (regex)
        fail_msg("%.60s is accepted", pattern.at);
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    if (why.offset != offset || !strstr(why.text, reason))
        fail_msg("%.60s: %s", pattern.at, why.text);
    assert_null(flm_regex_new(pattern, NULL));
}

static void a_malformed_pattern_is_refused_with_its_offset(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t offset;
        const char *reason;
    } cases[] = {
        {"ab(cd", 2, "( is never closed"},
        {"a(b(c)", 1, "( is never closed"},
        {"ab)", 2, ") closes nothing"},
        {"(a))b", 3, ") closes nothing"},
        {"*a", 0, "nothing for * to repeat"},
        {"a|+b", 2, "nothing for + to repeat"},
        {"(?:?)", 3, "nothing for ? to repeat"},
        {"a({2})", 2, "nothing for { to repeat"},
        {"(?i)*", 4, "nothing for * to repeat"},
        {"ab[cd", 2, "[ is never closed"},
        {"x[]", 1, "[ is never closed"},
        {"x[^]", 1, "[ is never closed"},
        {"x[a-", 1, "[ is never closed"},
        {"a[0z-a]", 3, "the range z-a is backwards"},
        {"[\\x42-A]", 1, "the range \\x42-A is backwards"},
        {"[a-\\d]", 3, "a range cannot end with \\d"},
        {"[[:alpha:]]", 1, "named sets are not known"},
        {"[x[:alpha:]]", 2, "named sets are not known"},
        {"ab\\", 2, "a \\ at the end"},
        {"[ab\\", 3, "a \\ at the end"},
        {"a\\q", 1, "\\q has no meaning"},
        {"(a)\\1", 3, "\\1 has no meaning"},
        {"[\\b]", 1, "\\b has no meaning"},
        {"a\\x4", 1, "two hexadecimal digits"},
        {"a\\xg0", 1, "two hexadecimal digits"},
        {"[\\x]", 1, "two hexadecimal digits"},
        {"a{3,2}", 1, "the numbers of {3,2} are backwards"},
        {"a(?=b)", 1, "after (? only"},
        {"a(?i)b", 1, "after (? only"},
        {"(?<n>b)", 0, "after (? only"},
        {"(?", 0, "after (? only"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(flm_bytes_of(cases[i].pattern), cases[i].offset, cases[i].reason);
}

static void control_bytes_of_a_pattern_are_not_in_messages(void **state)
{
    (void)state;
    struct flm_error why;
    assert_null(flm_regex_new(flm_bytes_of("[\x1b-\x01]"), &why));
    assert_string_equal(why.text, "byte 1: the range ?-? is backwards");
}

static char *repeated(const char *text, size_t count)
{
    size_t size = strlen(text);
    char *all = malloc(size * count + 1);
    assert_non_null(all);
    for (size_t i = 0; i < count; i++)
        memcpy(all + i * size, text, size);
    all[size * count] = 0;
    return all;
}

static void no_depth_of_parentheses_is_too_much(void **state)
{
    (void)state;
    size_t depth = 100000;
    char *open = repeated("(", depth), *close = repeated(")", depth);
    assert_refused((struct flm_bytes){open, depth}, depth - 1, "( is never closed");
    assert_refused((struct flm_bytes){close, depth}, 0, ") closes nothing");

    char *both = malloc(2 * depth + 1);
    assert_non_null(both);
    memcpy(both, open, depth);
    both[depth] = 'a';
    memcpy(both + depth + 1, close, depth);
    assert_accepted((struct flm_bytes){both, 2 * depth + 1});
    free(both);
    free(open);
    free(close);
}

static void long_patterns_are_refused_or_read(void **state)
{
    (void)state;
    static const char *const pieces[] = {"(a|",    "[a-", "a*",    "[",   "|",
                                         "a{2,3}", "(?:", "\\x41", "()*", "a{9999}{0}"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char *pattern = repeated(pieces[i], 20000);
        flm_regex_free(flm_regex_new(flm_bytes_of(pattern), NULL));
        free(pattern);
    }
}

static const char good[] = "(?i)^(?:[a-z_]\\w*::)*([^<>;]+|\\x41{2,5}|\\bparse\\b.{3,})?(\\d|["
                           "\xc3\xa0-\xc3\xbc-]|\\W\\S+)*$";

static void every_shortened_pattern_is_refused_or_read(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof good; size++) {
        /* A copy of exactly this size, so that a sanitizer sees a read past its end. */
        char *copy = malloc(size ? size : 1);
        assert_non_null(copy);
        memcpy(copy, good, size);
        flm_regex_free(flm_regex_new((struct flm_bytes){copy, size}, NULL));
        free(copy);
    }
    assert_accepted((struct flm_bytes){good, sizeof good - 1});
}

static void any_bytes_are_refused_or_read(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static const char likely[] = "()[]{}|*+?^$.\\-,123abxdwi:\xc3\xa9";
    for (int i = 0; i < 200000; i++) {
        char pattern[24];
        unsigned size = random_below(&seed, sizeof pattern);
        for (unsigned j = 0; j < size; j++)
            pattern[j] = random_below(&seed, 8) ? likely[random_below(&seed, sizeof likely)]
                                                : (char)random_next(&seed);
        flm_regex_free(flm_regex_new((struct flm_bytes){pattern, size}, NULL));
    }
}

static void a_pattern_that_gets_no_memory_is_refused(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        allocation_fail_once(nth);
        struct flm_regex *regex = flm_regex_new(flm_bytes_of(good), &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(regex == NULL, failed);
        assert_int_equal(why.kind, failed ? FLM_ERROR_MEMORY : FLM_ERROR_NONE);
        flm_regex_free(regex);
        if (!failed)
            break;
    }
    flm_regex_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_malformed_pattern_is_refused_with_its_offset),
        cmocka_unit_test(control_bytes_of_a_pattern_are_not_in_messages),
        cmocka_unit_test(no_depth_of_parentheses_is_too_much),
        cmocka_unit_test(long_patterns_are_refused_or_read),
        cmocka_unit_test(every_shortened_pattern_is_refused_or_read),
        cmocka_unit_test(any_bytes_are_refused_or_read),
        cmocka_unit_test(a_pattern_that_gets_no_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
