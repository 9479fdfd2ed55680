#include "base/regex/substitution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/allocation.h"

/* "=" where it does not match. */
static void assert_makes(const char *rule, const char *text, const char *expected)
{
    struct flm_error why;
    struct flm_text out = {0};
    struct flm_substitution *s = flm_substitution_new(flm_bytes_of(rule), &why);
    if (!s)
        fail_msg("%s: %s", rule, why.text);
    flm_text_puts(&out, "=");
    flm_substitution_make(s, flm_bytes_of(text), &out);
    if (!flm_bytes_are((struct flm_bytes){out.at, out.size}, expected))
        fail_msg("%s makes '%.*s' of '%s', not '%s'", rule, (int)out.size, out.at, text, expected);
    flm_text_clear(&out);
    flm_substitution_free(s);
}

static void assert_refused(const char *rule, uint64_t offset, const char *expected)
{
    struct flm_error why = {0};
    assert_null(flm_substitution_new(flm_bytes_of(rule), &why));
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    assert_int_equal(why.offset, offset);
    if (!strstr(why.text, expected))
        fail_msg("%s: %s", rule, why.text);
}

static void the_first_match_is_replaced_or_every_one(void **state)
{
    (void)state;
    assert_makes("s/a/x/", "banana", "bxnana");
    assert_makes("s/a/x/g", "banana", "bxnxnx");
    assert_makes("s/A/x/", "banana", "=");
    assert_makes("s/A/x/i", "banana", "bxnana");
    assert_makes("s/A/x/gi", "banana", "bxnxnx");
    assert_makes("s/(?i)A//ig", "banana", "bnn");
    assert_makes("s/_v[0-9]+$//", "parse_v2", "parse");
    assert_makes("s/^a|a$/x/g", "aaa", "xax");
}

static void groups_and_the_match_are_put_in(void **state)
{
    (void)state;
    assert_makes("s/get_(\\w+)/\\1/", "A::get_name()", "A::name()");
    assert_makes("s/(\\w+)::(\\w+)/\\2.\\1/", "a::b", "b.a");
    assert_makes("s/b/[&]/g", "abba", "a[b][b]a");
    assert_makes("s/b/[\\0]/", "abba", "a[b]ba");
    assert_makes("s/(x)|a/<\\1>/", "a", "<>");
    assert_makes("s/a/\\&\\\\\\t/", "a", "&\\\t");
    assert_makes("s/(a)(b)(c)(d)(e)(f)(g)(h)(i)/\\9\\1/", "abcdefghi", "ia");
}

static void other_separators_work_and_are_escaped_by_a_backslash(void **state)
{
    (void)state;
    assert_makes("s,net/http,http,", "net/http.Serve", "http.Serve");
    assert_makes("s/net\\/http/a\\/b/", "net/http.Serve", "a/b.Serve");
    assert_makes("s:a\\:b:\\::", "a:b", ":");
    assert_makes("s#(a|b)#<\\1>#g", "ab", "<a><b>");
    assert_makes("s!\\!!?!", "a!", "a?");
}

static void empty_matches_are_as_in_sed(void **state)
{
    (void)state;
    assert_makes("s/x*/-/g", "abc", "-a-b-c-");
    assert_makes("s/a*/x/g", "baaac", "xbxcx");
    assert_makes("s/x*/-/", "abc", "-abc");
    assert_makes("s/$/!/", "", "!");
    assert_makes("s/$/!/g", "ab", "ab!");
    assert_makes("s/x*/-/g", "\xC3\xA4\xFF", "-\xC3\xA4-\xFF-");
    assert_makes("s/b*/-/g", "ab", "-a-");
}

static void malformed_substitutions_are_refused_at_their_offset(void **state)
{
    (void)state;
    assert_refused("", 0, "a rule is written s/old/new/");
    assert_refused("old", 0, "a rule is written s/old/new/");
    assert_refused("s|a|b|", 0, "a rule is written s/old/new/");
    assert_refused("s/a", 3, "not ended");
    assert_refused("s/a/b", 5, "written s/old/new/");
    assert_refused("s,a,b\\,", 7, "written s,old,new,");
    assert_refused("s//b/", 2, "the pattern is empty");
    assert_refused("s/a/b/x", 6, "'x' is no flag");
    assert_refused("s/a(/b/", 3, "never closed");
    assert_refused("s/a/\\1/", 4, "the pattern has 0 groups");
    assert_refused("s/(a)/x\\2/", 7, "the pattern has 1 group in ( )");
    assert_refused("s/a/\\w/", 4, "no meaning");
}

static void its_size_ends_at_its_last_separator(void **state)
{
    (void)state;
    assert_int_equal(flm_substitution_size(flm_bytes_of("s/a|b/c/g | by:line")), 8);
    assert_int_equal(flm_substitution_size(flm_bytes_of("s,a\\,|,c, ")), 9);
    assert_int_equal(flm_substitution_size(flm_bytes_of("s/a/b")), 0);
    assert_int_equal(flm_substitution_size(flm_bytes_of("s")), 0);
    assert_int_equal(flm_substitution_size(flm_bytes_of("x/a/b/")), 0);
}

static void what_it_makes_has_a_bound(void **state)
{
    (void)state;
    static const char *const rules[] = {"s/(.*)/\\1\\1/", "s/./&&&&&&&&&&&&&&&&/g",
                                        "s/.*/\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0/"};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct flm_substitution *s = flm_substitution_new(flm_bytes_of(rules[i]), NULL);
        struct flm_text text = {0}, out = {0};
        bool is_too_long = false;
        flm_text_puts(&text, "ab");
        for (int round = 0; round < 64 && !is_too_long; round++) {
            struct flm_bytes from = {text.at, text.size};
            assert_true(flm_substitution_make(s, from, &out));
            is_too_long = flm_substitution_is_too_long(from, &out);
            assert_true(out.size <= 2 * FLM_SUBSTITUTION_MOST + 16);
            text.size = 0;
            flm_text_add(&text, (struct flm_bytes){out.at, out.size});
        }
        assert_true(is_too_long);
        flm_text_clear(&text);
        flm_text_clear(&out);
        flm_substitution_free(s);
    }
    /* What is long already may become shorter. */
    struct flm_substitution *s = flm_substitution_new(flm_bytes_of("s/a//g"), NULL);
    struct flm_text text = {0}, out = {0};
    flm_text_repeat(&text, 'a', FLM_SUBSTITUTION_MOST);
    flm_text_repeat(&text, 'b', FLM_SUBSTITUTION_MOST + 1);
    assert_true(flm_substitution_make(s, (struct flm_bytes){text.at, text.size}, &out));
    assert_int_equal(out.size, FLM_SUBSTITUTION_MOST + 1);
    assert_false(flm_substitution_is_too_long((struct flm_bytes){text.at, text.size}, &out));
    flm_text_clear(&text);
    flm_text_clear(&out);
    flm_substitution_free(s);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        struct flm_text out = {0};
        allocation_fail_from(nth);
        struct flm_substitution *s = flm_substitution_new(flm_bytes_of("s/(a)|(b)/x\\2/g"), &why);
        if (s)
            flm_substitution_make(s, flm_bytes_of("ab"), &out);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        if (!s)
            assert_int_equal(why.kind, FLM_ERROR_MEMORY);
        else
            assert_int_equal(out.failed, failed);
        if (!failed)
            assert_true(flm_bytes_are((struct flm_bytes){out.at, out.size}, "xxb"));
        flm_text_clear(&out);
        flm_substitution_free(s);
        if (!failed)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_match_is_replaced_or_every_one),
        cmocka_unit_test(groups_and_the_match_are_put_in),
        cmocka_unit_test(other_separators_work_and_are_escaped_by_a_backslash),
        cmocka_unit_test(empty_matches_are_as_in_sed),
        cmocka_unit_test(malformed_substitutions_are_refused_at_their_offset),
        cmocka_unit_test(its_size_ends_at_its_last_separator),
        cmocka_unit_test(what_it_makes_has_a_bound),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
