#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/regex/internal.h"
#include "support/core/allocation.h"
#include "support/core/random.h"

struct found {
    bool matches;
    size_t start, end, marks[FLM_REGEX_MARKS];
};

static struct found find(const char *pattern, const char *text)
{
    struct flm_error why;
    struct found f = {0};
    struct flm_regex *regex = flm_regex_new_with_groups(flm_bytes_of(pattern), false, &why);
    assert_non_null(regex);
    struct flm_regex_scratch *scratch = flm_regex_scratch_new(regex, &why);
    f.matches = flm_regex_find(regex, scratch, flm_bytes_of(text), &f.start, &f.end);
    if (f.matches)
        assert_true(flm_regex_find_groups(regex, flm_bytes_of(text), f.start, f.end, f.marks));
    flm_regex_scratch_free(scratch);
    flm_regex_free(regex);
    return f;
}

/* `expected` has the text of each group, "-" where it took no part, with blanks between them. */
static void assert_groups(const char *pattern, const char *text, const char *expected)
{
    struct found f = find(pattern, text);
    char got[200] = "";
    assert_true(f.matches);
    size_t size = 0, count = 0;
    for (const char *c = expected; *c; c++)
        count += *c == ' ';
    for (size_t g = 0; *expected && g <= count; g++) {
        size_t from = f.marks[2 * g], to = f.marks[2 * g + 1];
        size += (size_t)snprintf(got + size, sizeof got - size, "%s%.*s", g ? " " : "",
                                 from == FLM_NO_MARK ? 1 : (int)(to - from),
                                 from == FLM_NO_MARK ? "-" : text + from);
    }
    if (strcmp(got, expected) != 0)
        fail_msg("%s in %s: '%s', not '%s'", pattern, text, got, expected);
}

static void groups_are_where_their_parentheses_match(void **state)
{
    (void)state;
    assert_groups("(a+)(b+)", "xaabbb", "aa bbb");
    assert_groups("get_(\\w+)", "x::get_name()", "name");
    assert_groups("((a)(b))c", "abc", "ab a b");
    assert_groups("(?:x)(y)", "xy", "y");
    assert_groups("(a)|(b)", "b", "- b");
    assert_groups("(a)?b", "b", "-");
    assert_groups("()", "x", "");
    assert_groups("(\xC3\xA4|.)x", "\xC3\xA4x", "\xC3\xA4");
}

static void as_much_as_can_be_is_repeated_and_the_first_choice_is_taken(void **state)
{
    (void)state;
    assert_groups("(a*)(a*)", "aaa", "aaa ");
    assert_groups("(a+)(a+)", "aaa", "aa a");
    assert_groups("(a?)(a?)b", "ab", "a ");
    assert_groups("(ab|a)(bc|c)", "abc", "ab c");
    assert_groups("(a|ab)(c|bcd)", "abcd", "a bcd"); /* the match is the longest, whatever else */
    assert_groups("(.*)::(.*)", "a::b::c", "a::b c");
    assert_groups("(a{1,2})(a{1,2})", "aaa", "aa a");
}

static void a_group_that_repeats_has_its_last_match(void **state)
{
    (void)state;
    assert_groups("(a|b)*c", "abac", "a");
    assert_groups("(?:(a)|(b))*", "ab", "a b");
    assert_groups("(x|y){3}", "xyx", "x");
    assert_groups("(a*)*", "aa", "aa");
    assert_groups("(a*)+b", "aab", "aa");
}

static void assertions_see_the_text_around_the_match(void **state)
{
    (void)state;
    assert_groups("\\b(\\w)", "-a", "a");
    assert_groups("(a)\\B(b)", "cab", "a b");
    assert_groups("(x)$", "yx", "x");
    assert_groups("^(x)", "xx", "x");
}

static void more_than_nine_groups_only_group(void **state)
{
    (void)state;
    struct found f = find("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "abcdefghijk");
    assert_true(f.matches);
    for (size_t g = 0; g < FLM_REGEX_GROUPS; g++)
        assert_true(f.marks[2 * g] == g && f.marks[2 * g + 1] == g + 1);
}

/* Of several repetitions in a row, each takes as much as possible while the rest still matches. */
static bool fits(const char *piece, const char *text, size_t from, size_t to)
{
    char pattern[100], part[100];
    snprintf(pattern, sizeof pattern, "^(?:%s)$", piece);
    snprintf(part, sizeof part, "%.*s", (int)(to - from), text + from);
    return find(pattern, part).matches;
}

static void groups_in_a_row_share_out_the_match_from_the_left(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a*", "b+", "[ab]*", "a?", "(?:ab)*", ".{1,3}", "[^c]+"};
    uint64_t random = 7;
    for (int round = 0; round < 3000; round++) {
        const char *piece[3];
        char pattern[100], text[12], rest[100];
        for (int i = 0; i < 3; i++)
            piece[i] = pieces[random_below(&random, 7)];
        size_t size = 1 + random_below(&random, 10);
        for (size_t i = 0; i < size; i++)
            text[i] = (char)('a' + random_below(&random, 3));
        text[size] = 0;
        snprintf(pattern, sizeof pattern, "(%s)(%s)(%s)", piece[0], piece[1], piece[2]);
        struct found f = find(pattern, text);
        if (!f.matches)
            continue;
        assert_true(f.marks[0] == f.start && f.marks[5] == f.end);
        assert_true(f.marks[1] == f.marks[2] && f.marks[3] == f.marks[4]);
        for (int i = 0; i < 3; i++)
            assert_true(fits(piece[i], text, f.marks[2 * i], f.marks[2 * i + 1]));
        snprintf(rest, sizeof rest, "(?:%s)(?:%s)", piece[1], piece[2]);
        for (size_t longer = f.marks[1] + 1; longer <= f.end; longer++)
            assert_false(fits(piece[0], text, f.start, longer) && fits(rest, text, longer, f.end));
    }
}

static void a_later_match_sees_the_text_before_it(void **state)
{
    (void)state;
    struct flm_regex *regex = flm_regex_new(flm_bytes_of("^a|\\bb"), NULL);
    struct flm_regex_scratch *scratch = flm_regex_scratch_new(regex, NULL);
    struct flm_bytes text = flm_bytes_of("aab b");
    size_t start, end;
    assert_true(flm_regex_find_from(regex, scratch, text, 0, &start, &end));
    assert_int_equal(end, 1);
    assert_true(flm_regex_find_from(regex, scratch, text, 1, &start, &end));
    assert_int_equal(start, 4);
    assert_false(flm_regex_find_from(regex, scratch, text, 5, &start, &end));
    flm_regex_scratch_free(scratch);
    flm_regex_free(regex);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    struct flm_regex *regex = flm_regex_new_with_groups(flm_bytes_of("(a)b"), false, NULL);
    for (size_t nth = 1;; nth++) {
        size_t marks[FLM_REGEX_MARKS];
        allocation_fail_from(nth);
        bool good = flm_regex_find_groups(regex, flm_bytes_of("ab"), 0, 2, marks);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(good, !failed);
        if (!failed)
            break;
    }
    flm_regex_free(regex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_where_their_parentheses_match),
        cmocka_unit_test(as_much_as_can_be_is_repeated_and_the_first_choice_is_taken),
        cmocka_unit_test(a_group_that_repeats_has_its_last_match),
        cmocka_unit_test(assertions_see_the_text_around_the_match),
        cmocka_unit_test(more_than_nine_groups_only_group),
        cmocka_unit_test(groups_in_a_row_share_out_the_match_from_the_left),
        cmocka_unit_test(a_later_match_sees_the_text_before_it),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
