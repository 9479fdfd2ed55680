#include "base/regex/regex.h"

#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/regex/internal.h"
#include "support/core/allocation.h"
#include "support/core/random.h"

/* A regex with its scratch. */
struct matcher {
    struct flm_regex *regex;
    struct flm_regex_scratch *scratch;
};

static struct matcher matcher_new(struct flm_bytes pattern)
{
    struct flm_error why;
    struct matcher m = {.regex = flm_regex_new(pattern, &why)};
    if (!m.regex)
        fail_msg("%.*s: %s", (int)pattern.size, pattern.at, why.text);
    m.scratch = flm_regex_scratch_new(m.regex, &why);
    assert_non_null(m.scratch);
    return m;
}

static void matcher_free(struct matcher m)
{
    flm_regex_scratch_free(m.scratch);
    flm_regex_free(m.regex);
}

/* Where `pattern` matches; `*start` > `*end` if nowhere. */
static void find(const char *pattern, struct flm_bytes text, size_t *start, size_t *end)
{
    struct matcher m = matcher_new(flm_bytes_of(pattern));
    bool searched = flm_regex_search(m.regex, m.scratch, text);
    *start = 1;
    *end = 0;
    bool found = flm_regex_find_by_threads(m.regex, m.scratch, text, start, end);
    if (searched != found)
        fail_msg("%s is %sfound in %.*s, but the search says otherwise", pattern,
                 found ? "" : "not ", (int)text.size, text.at);
    matcher_free(m);
}

static void assert_finds(const char *pattern, const char *text, size_t start, size_t end)
{
    size_t s, e;
    find(pattern, flm_bytes_of(text), &s, &e);
    if (s > e)
        fail_msg("%s is not found in %s", pattern, text);
    if (s != start || e != end)
        fail_msg("%s is found in %s from %zu to %zu", pattern, text, s, e);
}

static void assert_misses(const char *pattern, const char *text)
{
    size_t s, e;
    find(pattern, flm_bytes_of(text), &s, &e);
    if (s <= e)
        fail_msg("%s is found in %s from %zu to %zu", pattern, text, s, e);
}

/* ---- Syntax ---------------------------------------------------------------------------------- */

static void a_literal_is_found_anywhere(void **state)
{
    (void)state;
    assert_finds("malloc", "malloc", 0, 6);
    assert_finds("malloc", "operator new > malloc_consolidate", 15, 21);
    assert_finds("aab", "aaaab", 2, 5);
    assert_misses("malloc", "mallo");
    assert_misses("malloc", "");
    assert_misses("malloc", "Malloc");
}

static void the_leftmost_match_is_found_and_of_those_the_longest(void **state)
{
    (void)state;
    assert_finds("a+", "baaab", 1, 4);
    assert_finds("b|abc|ab", "xabcb", 1, 4);
    assert_finds("(a|ab)(c|bcd)", "abcd", 0, 4);
    assert_finds("xy|x", "zxy", 1, 3);
    assert_finds("b|ab+c|a", "aabbb", 0, 1);
    /* The match that ends first is not the one that begins first. */
    assert_finds("abcde|cd", "abcde", 0, 5);
    assert_finds("abcdf|cd", "abcde", 2, 4);
    assert_finds(".*", "abc", 0, 3);
}

static void an_empty_match_is_a_match(void **state)
{
    (void)state;
    assert_finds("", "", 0, 0);
    assert_finds("", "abc", 0, 0);
    assert_finds("b*", "abb", 0, 0);
    assert_finds("()", "x", 0, 0);
    assert_finds("a|", "b", 0, 0);
    assert_finds("(|a)+b", "aab", 0, 3);
    assert_finds("^$", "", 0, 0);
    assert_misses("^$", "x");
    assert_finds("$", "abc", 3, 3);
}

static void repeats_count(void **state)
{
    (void)state;
    assert_finds("ab*c", "ac", 0, 2);
    assert_misses("ab+c", "ac");
    assert_finds("ab?c", "abc", 0, 3);
    assert_misses("ab?c", "abbc");
    assert_finds("a{3}", "aaaa", 0, 3);
    assert_misses("a{3}", "aa");
    assert_finds("a{2,}", "aaaa", 0, 4);
    assert_finds("a{2,3}", "aaaa", 0, 3);
    assert_finds("a{0,2}b", "aaab", 1, 4);
    assert_finds("xa{0}y", "xy", 0, 2);
    assert_finds("(ab|c){2,3}", "abcabc", 0, 5);
    assert_finds("(a{2}){3}", "aaaaaaa", 0, 6);
    assert_finds("a{2}{3}", "aaaaaaa", 0, 6);
    /* Of the lazy ones only the meaning of * and ? is left: the longest is found. */
    assert_finds("a.*?b", "abab", 0, 4);
}

static void braces_without_a_count_are_text(void **state)
{
    (void)state;
    assert_finds("{{closure}}", "core::ops::{{closure}}", 11, 22);
    assert_finds("a{", "a{", 0, 2);
    assert_finds("a{x}", "a{x}", 0, 4);
    assert_finds("a{,5}", "a{,5}", 0, 5);
    assert_finds("a{1", "a{1", 0, 3);
    assert_finds("]}", "[]}", 1, 3);
}

static void sets_take_one_of_their_symbols(void **state)
{
    (void)state;
    assert_finds("[a-c]+", "xxabcd", 2, 5);
    assert_finds("[^;]+", ";main;", 1, 5);
    assert_finds("[]x]+", "a]x]", 1, 4);
    assert_finds("[^]x]+", "]ab]", 1, 3);
    assert_finds("[-a]+", "b-a-", 1, 4);
    assert_finds("[a-]+", "b-a-", 1, 4);
    assert_finds("[+--]+", "*+,-.", 1, 4);
    assert_finds("[\\]\\\\]+", "a\\]", 1, 3);
    assert_finds("[.*+?(){}|^$]+", "a$^|", 1, 4);
    assert_finds("[[:]+", "a[:", 1, 3);
    assert_misses("[b-y]", "az");
}

static void classes_are_ascii_and_their_opposites_all_the_rest(void **state)
{
    (void)state;
    assert_finds("\\d+", "a0129:", 1, 5);
    assert_finds("\\w+", "-aZ_9\xc3\xa9", 1, 5);
    assert_finds("\\s+", "a \t\r\n\v\f.", 1, 7);
    assert_finds("\\D+", "1a\xc3\xa9", 1, 4);
    assert_finds("\\W+", "a::\xc3\xa9z", 1, 5);
    assert_finds("\\S+", " a ", 1, 2);
    assert_finds("[\\d.]+", "v1.22b", 1, 5);
    assert_finds("[^\\w:]+", "a::b<c", 4, 5);
    assert_finds("[\\Dx1]+", "2ax12", 1, 4);
}

static void escapes_are_single_characters(void **state)
{
    (void)state;
    assert_finds("\\.\\*\\(\\)\\[\\]\\{\\}\\|\\^\\$\\\\\\/\\-", "a.*()[]{}|^$\\/-", 1, 15);
    assert_finds("\\t\\n\\r\\f\\v", "\t\n\r\f\v", 0, 5);
    assert_finds("\\x41\\x7a", "xAz", 1, 3);
    assert_finds("[\\x41-\\x43]+", "xABCD", 1, 4);
    assert_finds("\\_", "a_", 1, 2);
}

static void anchors_are_the_ends_of_the_text(void **state)
{
    (void)state;
    assert_finds("^ab", "abab", 0, 2);
    assert_finds("ab$", "abab", 2, 4);
    assert_misses("^b", "ab");
    assert_misses("a$", "ab");
    assert_misses("a$", "a\n");
    assert_misses("^b", "a\nb");
    assert_finds("^a|b", "cab", 2, 3);
    assert_finds("(^a|b)c", "acbc", 0, 2);
    assert_finds("(^a|b)c", "aacbc", 3, 5);
    assert_misses("a^b", "ab");
    assert_finds("(^)*a", "ba", 1, 2);
    assert_finds("x*^a", "a", 0, 1);
}

static void word_edges_lie_between_words_and_the_rest(void **state)
{
    (void)state;
    assert_finds("\\bab\\b", "xab ab", 4, 6);
    assert_finds("\\bab\\b", "ab", 0, 2);
    assert_misses("\\bab\\b", "ab_");
    assert_finds("\\Bab", "ab xab", 4, 6);
    assert_finds("ab\\B", "ab abc", 3, 5);
    assert_misses("\\b", "");
    assert_finds("\\B", "", 0, 0);
    assert_finds("\\b", " a", 1, 1);
    assert_finds("a\\b\xc3\xa9", "a\xc3\xa9", 0, 3);
    assert_finds("\\b\\w+\\b$", "one two", 4, 7);
}

static void a_whole_pattern_can_be_in_any_case(void **state)
{
    (void)state;
    static const char *const patterns[] = {"mal+oc", "(?i)mal+oc"};
    for (int i = 0; i < 2; i++) {
        size_t start, end;
        struct matcher m = {.regex = flm_regex_new_any_case(flm_bytes_of(patterns[i]), NULL)};
        assert_non_null(m.regex);
        m.scratch = flm_regex_scratch_new(m.regex, NULL);
        assert_non_null(m.scratch);
        assert_true(flm_regex_find(m.regex, m.scratch, flm_bytes_of("xMaLLoC"), &start, &end));
        assert_int_equal(start, 1);
        assert_int_equal(end, 7);
        matcher_free(m);
    }
    struct flm_error why = {0};
    assert_null(flm_regex_new_any_case(flm_bytes_of("a(b"), &why));
    assert_int_equal(why.offset, 1);
}

static void a_case_does_not_matter_after_i(void **state)
{
    (void)state;
    assert_finds("(?i)malloc", "xMaLLoC", 1, 7);
    assert_finds("(?i)MALLOC", "malloc", 0, 6);
    assert_finds("(?i)[a-c]+", "xAbCd", 1, 4);
    assert_finds("(?i)[^a]+", "aAbA", 2, 3);
    assert_finds("(?i)\\x41", "a", 0, 1);
    assert_finds("(?i)[Z-a]+", "xzAZ", 1, 4);
    /* Only of ASCII letters. */
    assert_misses("(?i)\xc3\x89", "\xc3\xa9");
    assert_misses("(?i)@\\[{", "`{[");
    assert_misses("malloc", "MALLOC");
}

static void a_dot_takes_a_whole_character(void **state)
{
    (void)state;
    assert_finds("^.$", "x", 0, 1);
    assert_finds("^.$", "\n", 0, 1);
    assert_finds("^.$", "\xc3\xa9", 0, 2);
    assert_finds("^.$", "\xe9\xbe\x8d", 0, 3);
    assert_finds("^.$", "\xf0\x9f\x94\xa5", 0, 4);
    assert_misses("^..$", "\xf0\x9f\x94\xa5");
    assert_finds("^..$", "\xc3\xa9z", 0, 3);
    assert_finds("[^x]", "x\xe9\xbe\x8dx", 1, 4);
    assert_misses("[^\xc3\xa9]", "\xc3\xa9\xc3\xa9");
    assert_finds("[^\xc3\xa9]", "\xc3\xa9\xc3\xa8", 2, 4);
}

static void sets_hold_any_characters(void **state)
{
    (void)state;
    assert_finds("[\xc3\xa0-\xc3\xbc]+", "e\xc3\xa9\xc3\xa8\xc3\xbd", 1, 5);
    assert_finds("[a\xe9\xbe\x8d]+",
                 "\xe9\xbe\x8c"
                 "a\xe9\xbe\x8d",
                 3, 7);
    assert_finds("\xc3\xa9+", "\xc3\xa9\xc3\xa9\xa9", 0, 4);
    assert_finds("[\\x00-\\xff]+", "a\xc3\xa9\xff\xf0\x9f\x94\xa5", 0, 8);
    assert_misses("[^\\x00-\\xff]", "a\xc3\xa9\xff");
}

/* Truncated, overlong, a surrogate, beyond Unicode: each byte counts for itself. */
static void a_byte_outside_any_character_is_a_character(void **state)
{
    (void)state;
    assert_finds("^.$", "\xff", 0, 1);
    assert_finds("^.$", "\xa9", 0, 1);
    assert_finds("^..b$",
                 "\xe9\xbe"
                 "b",
                 0, 3);
    assert_finds("^..$", "\xc0\xaf", 0, 2);
    assert_finds("^...$", "\xe0\x80\xaf", 0, 3);
    assert_finds("^...$", "\xed\xa0\x80", 0, 3);
    assert_finds("^....$", "\xf4\x90\x80\x80", 0, 4);
    assert_finds("^....$", "\xf8\x88\x80\x80", 0, 4);
    assert_finds("\\xa9", "\xc3\xa9\xa9", 2, 3);
    assert_finds("\\xc3\\xa9", "\xc3\xa9", 0, 2);
    assert_finds("[^\\xff]", "\xff\xfe", 1, 2);
    assert_finds("[\\x80-\\xfe]+", "\xc3\xa9\xff\xfe\x80", 3, 5);
}

/* Bytes of a character are not matched apart: a match begins and ends between characters. */
static void a_match_never_cuts_a_character(void **state)
{
    (void)state;
    assert_misses("\\xa9", "\xc3\xa9");
    assert_misses("\\xc3", "\xc3\xa9");
    assert_misses("[^\xc3\xa9]b", "\xc3\xa9"
                                  "b");
}

static void a_text_may_hold_any_byte(void **state)
{
    (void)state;
    size_t start, end;
    find("b\\x00.c", (struct flm_bytes){"ab\0\0c", 5}, &start, &end);
    assert_int_equal(start, 1);
    assert_int_equal(end, 5);
    find("x|^$", (struct flm_bytes){NULL, 0}, &start, &end);
    assert_int_equal(end, 0);
}

/* ---- Two ways of running, and a third -------------------------------------------------------- */

/* A random pattern that POSIX reads the same way; `more` adds what it does not know. */
static size_t add_pattern(uint64_t *seed, char *out, unsigned depth, bool more)
{
    static const char *const atoms[] = {"a", "b", "c", ".", "[ab]", "[^a]", "[a-c]", "[^bc]"};
    static const char *const others[] = {"\\b",      "\\B",           "\\xa9",
                                         "\xc3\xa9", "[^\xc3\xa9]",   "\\W",
                                         "$",        "[\\x80-\\xff]", "[a\xc3\xa9-\xc3\xab]",
                                         "^"};
    static const char *const repeats[] = {"*",     "+",    "?",   "{2}",  "{0,2}",
                                          "{1,3}", "{2,}", "{0}", "{0,}", "{1}"};
    size_t size = 0;
    unsigned alternatives = 1 + (random_below(seed, 4) == 0);
    for (unsigned i = 0; i < alternatives; i++) {
        if (i > 0)
            out[size++] = '|';
        for (unsigned parts = 1 + random_below(seed, 3); parts > 0; parts--) {
            if (depth > 0 && random_below(seed, 3) == 0) {
                out[size++] = '(';
                size += add_pattern(seed, out + size, depth - 1, more);
                out[size++] = ')';
            } else {
                const char *atom = more && random_below(seed, 2) ? others[random_below(seed, 10)]
                                                                 : atoms[random_below(seed, 8)];
                size += (size_t)sprintf(out + size, "%s", atom);
            }
            if (random_below(seed, 2))
                size += (size_t)sprintf(out + size, "%s", repeats[random_below(seed, 10)]);
        }
    }
    return size;
}

static void finding_agrees_with_posix(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < 60000; i++) {
        char pattern[4096];
        size_t size = 0;
        if (random_below(&seed, 6) == 0)
            pattern[size++] = '^';
        size += add_pattern(&seed, pattern + size, random_below(&seed, 4), false);
        if (random_below(&seed, 6) == 0)
            pattern[size++] = '$';
        pattern[size] = 0;

        regex_t posix;
        assert_int_equal(regcomp(&posix, pattern, REG_EXTENDED), 0);
        struct matcher m = matcher_new(flm_bytes_of(pattern));
        for (int t = 0; t < 10; t++) {
            char text[16];
            unsigned length = random_below(&seed, 14);
            for (unsigned j = 0; j < length; j++)
                text[j] = "abc"[random_below(&seed, 3)];
            text[length] = 0;

            regmatch_t match;
            bool expected = regexec(&posix, text, 1, &match, 0) == 0;
            size_t start = 0, end = 0;
            struct flm_bytes bytes = {text, length};
            if (flm_regex_search(m.regex, m.scratch, bytes) != expected)
                fail_msg("%s is %sin %s", pattern, expected ? "" : "not ", text);
            if (flm_regex_find(m.regex, m.scratch, bytes, &start, &end) != expected)
                fail_msg("%s is %sfound in %s", pattern, expected ? "" : "not ", text);
            if (expected && (start != (size_t)match.rm_so || end != (size_t)match.rm_eo))
                fail_msg("%s in %s is from %d to %d, not from %zu to %zu", pattern, text,
                         (int)match.rm_so, (int)match.rm_eo, start, end);
        }
        matcher_free(m);
        regfree(&posix);
    }
}

static size_t random_text(uint64_t *seed, char *text, unsigned parts)
{
    static const char *const pieces[] = {"a",        "b",   "c", " ",    "\xc3\xa9",
                                         "\xc3\xaa", "_",   ";", "\xa9", "\xe9\xbe\x8d",
                                         "\xc3",     "\xff"};
    size_t size = 0;
    for (; parts > 0; parts--)
        size += (size_t)sprintf(text + size, "%s", pieces[random_below(seed, 12)]);
    return size;
}

static void searching_agrees_with_finding(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 60000; i++) {
        char pattern[8192];
        size_t size = add_pattern(&seed, pattern, random_below(&seed, 4), true);
        struct matcher m = matcher_new((struct flm_bytes){pattern, size});
        for (int t = 0; t < 10; t++) {
            char text[64];
            struct flm_bytes bytes = {text, random_text(&seed, text, random_below(&seed, 14))};
            size_t start, end;
            bool found = flm_regex_find_by_threads(m.regex, m.scratch, bytes, &start, &end);
            if (flm_regex_search(m.regex, m.scratch, bytes) != found)
                fail_msg("%.*s in %.*s", (int)size, pattern, (int)bytes.size, text);
        }
        matcher_free(m);
    }
}

/* ---- Cost ------------------------------------------------------------------------------------ */

/* The visits of one search and one finding in `text`, with a scratch of its own. */
static uint64_t visits_in(const char *pattern, struct flm_bytes text, size_t *code_count)
{
    struct matcher m = matcher_new(flm_bytes_of(pattern));
    size_t start, end;
    bool searched = flm_regex_search(m.regex, m.scratch, text);
    bool found = flm_regex_find_by_threads(m.regex, m.scratch, text, &start, &end);
    assert_int_equal(searched, found);
    uint64_t visits = flm_regex_visits(m.scratch);
    *code_count = m.regex->code.count;
    matcher_free(m);
    return visits;
}

/* No symbol costs more than one look at every instruction, in either way of running. */
static void assert_linear(const char *pattern, struct flm_bytes text)
{
    size_t code_count;
    uint64_t visits = visits_in(pattern, text, &code_count);
    uint64_t most = 2 * code_count * (text.size + 1);
    if (visits > most)
        fail_msg("%s takes %llu visits, which is more than %llu", pattern,
                 (unsigned long long)visits, (unsigned long long)most);
}

static void a_pattern_of_nested_stars_is_linear(void **state)
{
    (void)state;
    static const char *const patterns[] = {
        "(a*)*b", "(a|a)*b",  "(a|aa)*b", "((a*)*)*b", "(a+)+b",      "(a?){30}a{30}b",
        "(.*)*b", "(x+x+)+y", "(()*)*b",  "(a*a*)*b",  "^(a|b|ab)*c", "a*a*a*a*a*a*b"};
    size_t size = 20000;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'a', size);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        assert_linear(patterns[i], (struct flm_bytes){text, size});
    free(text);
}

/* The automaton of this one has a state for each of the last 15 letters being a or b. */
static void a_search_is_linear_when_its_states_do_not_fit(void **state)
{
    (void)state;
    uint64_t seed = 3;
    size_t size = 50000;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = "ab"[random_below(&seed, 2)];
    assert_linear("a(a|b){15}c", (struct flm_bytes){text, size});
    assert_linear("\\ba(a|b){14}c|^x", (struct flm_bytes){text, size});
    text[size - 1] = 'c';
    text[size - 17] = 'a';
    assert_linear("a(a|b){15}c", (struct flm_bytes){text, size});
    free(text);
}

/* A Chinese character, as three bytes. */
static size_t put_character(char *out, unsigned number)
{
    unsigned point = 0x4E00 + number;
    out[0] = (char)(0xE0 | point >> 12);
    out[1] = (char)(0x80 | (point >> 6 & 63));
    out[2] = (char)(0x80 | (point & 63));
    return 3;
}

/* A set of every other character makes 9,000 classes, so that only the least number of states fits;
 * which of the last eight characters are of the set makes 256. */
static void a_table_of_few_states_is_enough(void **state)
{
    (void)state;
    char pattern[20000] = "[";
    size_t size = 1;
    for (unsigned number = 0; number < 9000; number += 2)
        size += put_character(pattern + size, number);
    strcpy(pattern + size, "].{8}y");
    struct matcher m = matcher_new(flm_bytes_of(pattern));

    uint64_t seed = 4;
    size_t found_count = 0;
    for (int i = 0; i < 200; i++) {
        char text[400];
        struct flm_bytes bytes = {text, 0};
        for (int j = 0; j < 100; j++)
            bytes.size += put_character(text + bytes.size, random_below(&seed, 9000));
        text[bytes.size++] = 'y';
        size_t start, end;
        bool found = flm_regex_find_by_threads(m.regex, m.scratch, bytes, &start, &end);
        assert_int_equal(flm_regex_search(m.regex, m.scratch, bytes), found);
        found_count += found;
    }
    assert_in_range(found_count, 60, 140);
    matcher_free(m);
}

static void a_repeated_search_visits_no_instructions(void **state)
{
    (void)state;
    struct matcher m = matcher_new(flm_bytes_of("(a|b)+::[a-z_]*$"));
    struct flm_bytes text = flm_bytes_of("operator::new::ab::parse_json");
    assert_true(flm_regex_search(m.regex, m.scratch, text));
    uint64_t visits = flm_regex_visits(m.scratch);
    assert_true(visits > 0);
    for (int i = 0; i < 10; i++)
        assert_true(flm_regex_search(m.regex, m.scratch, text));
    assert_int_equal(flm_regex_visits(m.scratch), visits);
    matcher_free(m);
}

static void a_scratch_that_gets_no_memory_is_refused(void **state)
{
    (void)state;
    struct flm_regex *regex = flm_regex_new(flm_bytes_of("a(b|c)*d"), NULL);
    assert_non_null(regex);
    for (size_t nth = 1;; nth++) {
        struct flm_error why = {0};
        allocation_fail_once(nth);
        struct flm_regex_scratch *scratch = flm_regex_scratch_new(regex, &why);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(scratch == NULL, failed);
        assert_int_equal(why.kind, failed ? FLM_ERROR_MEMORY : FLM_ERROR_NONE);
        flm_regex_scratch_free(scratch);
        if (!failed)
            break;
    }
    flm_regex_free(regex);
    flm_regex_scratch_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_literal_is_found_anywhere),
        cmocka_unit_test(the_leftmost_match_is_found_and_of_those_the_longest),
        cmocka_unit_test(an_empty_match_is_a_match),
        cmocka_unit_test(repeats_count),
        cmocka_unit_test(braces_without_a_count_are_text),
        cmocka_unit_test(sets_take_one_of_their_symbols),
        cmocka_unit_test(classes_are_ascii_and_their_opposites_all_the_rest),
        cmocka_unit_test(escapes_are_single_characters),
        cmocka_unit_test(anchors_are_the_ends_of_the_text),
        cmocka_unit_test(word_edges_lie_between_words_and_the_rest),
        cmocka_unit_test(a_whole_pattern_can_be_in_any_case),
        cmocka_unit_test(a_case_does_not_matter_after_i),
        cmocka_unit_test(a_dot_takes_a_whole_character),
        cmocka_unit_test(sets_hold_any_characters),
        cmocka_unit_test(a_byte_outside_any_character_is_a_character),
        cmocka_unit_test(a_match_never_cuts_a_character),
        cmocka_unit_test(a_text_may_hold_any_byte),
        cmocka_unit_test(finding_agrees_with_posix),
        cmocka_unit_test(searching_agrees_with_finding),
        cmocka_unit_test(a_pattern_of_nested_stars_is_linear),
        cmocka_unit_test(a_search_is_linear_when_its_states_do_not_fit),
        cmocka_unit_test(a_table_of_few_states_is_enough),
        cmocka_unit_test(a_repeated_search_visits_no_instructions),
        cmocka_unit_test(a_scratch_that_gets_no_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
