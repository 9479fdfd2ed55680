#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/regex/internal.h"

static struct flm_regex *regex_of(const char *pattern)
{
    struct flm_regex *regex = flm_regex_new(flm_bytes_of(pattern), NULL);
    assert_non_null(regex);
    return regex;
}

static int first_byte_of(const char *pattern)
{
    struct flm_regex *regex = regex_of(pattern);
    int byte = regex->first_byte;
    flm_regex_free(regex);
    return byte;
}

static bool is_anchored(const char *pattern)
{
    struct flm_regex *regex = regex_of(pattern);
    bool anchored = regex->anchored;
    flm_regex_free(regex);
    return anchored;
}

static bool starts_anyhow(const char *pattern)
{
    struct flm_regex *regex = regex_of(pattern);
    bool anyhow = regex->starts_anyhow;
    flm_regex_free(regex);
    return anyhow;
}

static size_t class_count_of(const char *pattern)
{
    struct flm_regex *regex = regex_of(pattern);
    size_t count = regex->class_first.count;
    flm_regex_free(regex);
    return count;
}

static void a_byte_that_every_match_begins_with_is_known(void **state)
{
    (void)state;
    assert_int_equal(first_byte_of("malloc"), 'm');
    assert_int_equal(first_byte_of("(ab|a(c))d"), 'a');
    assert_int_equal(first_byte_of("a+b"), 'a');
    assert_int_equal(first_byte_of("()*[a]"), 'a');
    assert_int_equal(first_byte_of("a|b"), -1);
    assert_int_equal(first_byte_of("a|b|a"), -1);
    assert_int_equal(first_byte_of("a*b"), -1);
    assert_int_equal(first_byte_of("a?"), -1);
    assert_int_equal(first_byte_of(""), -1);
    assert_int_equal(first_byte_of(".a"), -1);
    assert_int_equal(first_byte_of("(?i)a"), -1);
    assert_int_equal(first_byte_of("(?i)1a"), '1');
    assert_int_equal(first_byte_of("^a"), -1);
    assert_int_equal(first_byte_of("\\ba"), -1);
    assert_int_equal(first_byte_of("\xc3\xa9"), -1);
    assert_int_equal(first_byte_of("\\xff"), -1);
}

static void a_pattern_is_anchored_if_all_its_ways_are(void **state)
{
    (void)state;
    assert_true(is_anchored("^a"));
    assert_true(is_anchored("(^a|^b)c"));
    assert_true(is_anchored("\\b(^)+a"));
    assert_true(is_anchored("^"));
    assert_false(is_anchored("^a|b"));
    assert_false(is_anchored("(^)?a"));
    assert_false(is_anchored("a^"));
    assert_false(is_anchored(""));
    assert_false(is_anchored("$"));
}

static void an_assertion_counts_where_it_comes_first(void **state)
{
    (void)state;
    assert_true(starts_anyhow("a\\b"));
    assert_true(starts_anyhow("a*"));
    assert_false(starts_anyhow("a*\\b"));
    assert_false(starts_anyhow("a|$"));
    assert_false(starts_anyhow("^"));
}

static void symbols_that_nothing_distinguishes_are_one_class(void **state)
{
    (void)state;
    assert_int_equal(class_count_of(""), 1);
    assert_int_equal(class_count_of(".*"), 1);
    assert_int_equal(class_count_of("a"), 3);
    assert_int_equal(class_count_of("[a-z]+[a-z]|[^a-z]"), 3);
    assert_int_equal(class_count_of("ab"), 4);
    assert_int_equal(class_count_of("\\xff"), 2);
    assert_int_equal(class_count_of("[\\x00-\\x7f]"), 2);
    /* Up to 0, 0-9, up to A, A-Z, up to _, _, `, a-z, the rest. */
    assert_int_equal(class_count_of("\\b"), 9);
    assert_int_equal(class_count_of("\\w"), 9);
}

static void every_ascii_symbol_knows_its_class(void **state)
{
    (void)state;
    static const char *const patterns[] = {"", "\\b[\\x00x\\x7f]", "[a-z][^b-y]\xc3\xa9"};
    for (size_t i = 0; i < 3; i++) {
        struct flm_regex *r = regex_of(patterns[i]);
        for (uint32_t symbol = 0; symbol < 128; symbol++) {
            size_t at = r->class_of_ascii[symbol];
            assert_true(r->class_first.at[at] <= symbol);
            assert_true(at + 1 == r->class_first.count || r->class_first.at[at + 1] > symbol);
        }
        flm_regex_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_that_every_match_begins_with_is_known),
        cmocka_unit_test(a_pattern_is_anchored_if_all_its_ways_are),
        cmocka_unit_test(an_assertion_counts_where_it_comes_first),
        cmocka_unit_test(symbols_that_nothing_distinguishes_are_one_class),
        cmocka_unit_test(every_ascii_symbol_knows_its_class),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
