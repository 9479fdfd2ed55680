#include "store/labels/series_labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"

/* "key=value key=value" as the text of a series. */
static struct flm_text series_of(const char *tenant, const char *text)
{
    struct flm_store_label labels[80];
    struct flm_text out = {0};
    size_t count = 0;
    for (const char *at = text; *at;) {
        size_t key = strcspn(at, "="), value = strcspn(at + key + 1, " ");
        labels[count++] = (struct flm_store_label){{at, key}, {at + key + 1, value}};
        at += key + 1 + value;
        at += *at == ' ';
    }
    assert_true(flm_series_write(flm_bytes_of(tenant), labels, count, &out, NULL));
    return out;
}

static void equal_sets_of_labels_are_equal_texts(void **state)
{
    (void)state;
    struct flm_text a = series_of("t", "region=eu service=api host=a"),
                    b = series_of("t", "host=b host=a service_name=api region=eu empty="),
                    c = series_of("u", "region=eu service=api host=a");
    assert_true(
        flm_bytes_equal((struct flm_bytes){a.at, a.size}, (struct flm_bytes){b.at, b.size}));
    assert_false(
        flm_bytes_equal((struct flm_bytes){a.at, a.size}, (struct flm_bytes){c.at, c.size}));
    assert_int_equal(a.size, sizeof "t\0api\0host\0a\0region\0eu");
    assert_memory_equal(a.at, "t\0api\0host\0a\0region\0eu", a.size);
    struct flm_store_label label;
    size_t at = 0, count = 0;
    static const char *const expected[][2] = {
        {"service_name", "api"}, {"host", "a"}, {"region", "eu"}};
    for (; flm_series_next((struct flm_bytes){a.at, a.size}, &at, &label); count++) {
        assert_true(flm_bytes_are(label.key, expected[count][0]));
        assert_true(flm_bytes_are(label.value, expected[count][1]));
    }
    assert_int_equal(count, 3);
    assert_true(flm_bytes_are(flm_series_tenant((struct flm_bytes){c.at, c.size}), "u"));
    flm_text_clear(&a);
    flm_text_clear(&b);
    flm_text_clear(&c);
}

static void labels_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static char longest[FLM_STORE_LONGEST_VALUE + 1];
    memset(longest, 'x', sizeof longest);
    const struct flm_store_label bad[] = {{{"", 0}, {"x", 1}},
                                          {{"a\0b", 3}, {"x", 1}},
                                          {{"a", 1}, {"x\0y", 3}},
                                          {{longest, FLM_STORE_LONGEST_KEY + 1}, {"x", 1}},
                                          {{"a", 1}, {longest, sizeof longest}}};
    static const char *const said[] = {"no name", "NUL", "NUL", "longer than 256",
                                       "longer than 2048"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct flm_text out = {0};
        struct flm_error why = {0};
        assert_false(flm_series_write(flm_bytes_of(""), &bad[i], 1, &out, &why));
        assert_int_equal(why.kind, FLM_ERROR_FORMAT);
        assert_non_null(strstr(why.text, said[i]));
        flm_text_clear(&out);
    }
    struct flm_store_label many[FLM_STORE_MOST_LABELS + 1];
    char names[FLM_STORE_MOST_LABELS + 1][4];
    for (int i = 0; i <= FLM_STORE_MOST_LABELS; i++) {
        names[i][0] = 'k', names[i][1] = (char)('0' + i / 10), names[i][2] = (char)('0' + i % 10);
        many[i] = (struct flm_store_label){{names[i], 3}, {"v", 1}};
    }
    struct flm_text out = {0};
    assert_true(flm_series_write(flm_bytes_of(""), many, FLM_STORE_MOST_LABELS, &out, NULL));
    assert_false(flm_series_write(flm_bytes_of(""), many, FLM_STORE_MOST_LABELS + 1, &out, NULL));
    flm_text_clear(&out);
}

static void selectors_are_read_as_people_and_prometheus_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *selector;
        bool api, web; /* service=api region=eu-1 host=a7; service=web region=us note=a,b "c" */
    } cases[] = {
        {"", true, true},
        {"{}", true, true},
        {"service=api", true, false},
        {"service_name = 'api'", true, false},
        {"{service_name=\"api\", region=\"eu-1\"}", true, false},
        {"{service_name=\"api\",}", true, false},
        {"region=~eu.*", true, false},
        {"region=~eu", false, false}, /* the whole value */
        {"region=~'eu-1|us'", true, true},
        {"region!~'eu-.'", false, true},
        {"host=''", false, true}, /* the label is not there */
        {"host!=''", true, false},
        {"host!=a7", false, true},
        {"service=api host=b", false, false},
        {"note='a,b \\\"c\\\"'", false, true},
        {"note=\"a,b \\\"c\\\"\"", false, true},
    };
    struct flm_text api = series_of("", "service=api region=eu-1 host=a7");
    struct flm_text web = {0};
    const struct flm_store_label labels[] = {{flm_bytes_of("service"), flm_bytes_of("web")},
                                             {flm_bytes_of("region"), flm_bytes_of("us")},
                                             {flm_bytes_of("note"), flm_bytes_of("a,b \"c\"")}};
    assert_true(flm_series_write(flm_bytes_of(""), labels, 3, &web, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_error why = {0};
        struct flm_selector *selector = flm_selector_parse(flm_bytes_of(cases[i].selector), &why);
        if (!selector)
            fail_msg("%s: %s", cases[i].selector, why.text);
        if (flm_selector_matches(selector, (struct flm_bytes){api.at, api.size}) != cases[i].api ||
            flm_selector_matches(selector, (struct flm_bytes){web.at, web.size}) != cases[i].web)
            fail_msg("%s matches something else", cases[i].selector);
        flm_selector_free(selector);
    }
    flm_text_clear(&api);
    flm_text_clear(&web);
}

static void selectors_that_cannot_be_say_where(void **state)
{
    (void)state;
    static const struct {
        const char *selector, *said;
    } cases[] = {
        {"service", "byte 7: one of =, !=, =~, !~ is missing"},
        {"=api", "byte 0: the name of a label is missing"},
        {"{service=api", "'}' is missing"},
        {"{service=api} x", "there is something behind '}'"},
        {"a='b", "a quote is not closed"},
        {"a!b", "'!' is followed by '=' or '~'"},
        {"a=~'('", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_error why = {0};
        assert_null(flm_selector_parse(flm_bytes_of(cases[i].selector), &why));
        if (!strstr(why.text, cases[i].said) || !why.text[0])
            fail_msg("%s: %s", cases[i].selector, why.text);
    }
}

static void labels_that_are_added_must_hold_too(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value;
        bool matches;
    } cases[] = {{"region", "eu", true},   {"region", "us", false}, {"region", "", false},
                 {"pod", "", true},        {"pod", "p1", false},    {"service", "api", true},
                 {"service", "web", false}};
    const struct flm_store_label labels[] = {{flm_bytes_of("service"), flm_bytes_of("api")},
                                             {flm_bytes_of("region"), flm_bytes_of("eu")}};
    struct flm_text text = {0};
    assert_true(flm_series_write(flm_bytes_of(""), labels, 2, &text, NULL));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct flm_selector *selector = flm_selector_parse(flm_bytes_of("service=~'a.*'"), NULL);
        assert_non_null(selector);
        assert_true(flm_selector_add(selector, flm_bytes_of(cases[i].key),
                                     flm_bytes_of(cases[i].value), NULL));
        assert_false(flm_selector_is_empty(selector));
        assert_int_equal(flm_selector_matches(selector, (struct flm_bytes){text.at, text.size}),
                         cases[i].matches);
        flm_selector_free(selector);
    }
    flm_text_clear(&text);
}

/* A pattern in parentheses matches the same, and has no literal prefix. */
static void all_that_a_pattern_matches_has_its_prefix_and_needle(void **state)
{
    static const char *const parts[] = {"a", "b",   "ab",    "\xC3\xA9", ".",   "*",   "+",
                                        "?", "|",   "(a|b)", "[ab]",     "{2}", "\\.", "^",
                                        "$", "\\w", "\\x61", "(?i)",     "A"};
    static const char *const values[] = {"a", "b", "ab", "aa", "abab", "\xC3\xA9", "a.", "", "bab"};
    (void)state;
    uint64_t random = 5;
    size_t tried = 0, literal = 0, matched = 0;
    for (int round = 0; round < 20000; round++) {
        char pattern[40] = "", both[2][64];
        for (unsigned i = random_below(&random, 4); i-- > 0;)
            strcat(pattern, parts[random_below(&random, sizeof parts / sizeof *parts)]);
        const char *relation = random_below(&random, 4) ? "=~" : "!~";
        snprintf(both[0], sizeof both[0], "k%s'%s'", relation, pattern);
        snprintf(both[1], sizeof both[1], "k%s'(?:%s)'", relation, pattern);
        struct flm_selector *one = flm_selector_parse(flm_bytes_of(both[0]), NULL),
                            *other = flm_selector_parse(flm_bytes_of(both[1]), NULL);
        struct flm_text needle = {0};
        struct flm_store_label label;
        if (one)
            flm_selector_needle(one, &needle);
        literal += needle.size > 0;
        for (size_t v = 0; one && other && v < sizeof values / sizeof *values; v++) {
            const struct flm_store_label own = {flm_bytes_of("k"), flm_bytes_of(values[v])};
            struct flm_text text = {0};
            assert_true(flm_series_write(flm_bytes_of("t"), &own, 1, &text, NULL));
            const struct flm_bytes series = {text.at, text.size};
            bool matches = flm_selector_matches(one, series);
            if (matches != flm_selector_matches(other, series))
                fail_msg("%s and %s differ on '%s'", both[0], both[1], values[v]);
            assert_int_equal(matches, flm_selector_takes(one, own.key, own.value));
            if (matches && needle.size > 0)
                assert_non_null(memmem(text.at, text.size, needle.at, needle.size));
            if (matches && flm_selector_pattern(one, &label))
                assert_true(values[v][0] &&
                            memcmp(values[v], label.value.at, label.value.size) == 0);
            tried++;
            matched += matches;
            flm_text_clear(&text);
        }
        flm_text_clear(&needle);
        flm_selector_free(one);
        flm_selector_free(other);
    }
    assert_true(tried > 50000 && matched > 10000 && literal > 2000);
}

static bool parse(void *context, struct flm_error *why)
{
    struct flm_selector *selector = flm_selector_parse(flm_bytes_of(context), why);
    flm_selector_free(selector);
    return selector != NULL;
}

static void memory_that_runs_out_is_an_error(void **state)
{
    (void)state;
    char text[] = "{service=\"api\", region=~\"eu-.*\"}";
    assert_true(assert_survives_failures(parse, text) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sets_of_labels_are_equal_texts),
        cmocka_unit_test(labels_that_cannot_be_are_refused),
        cmocka_unit_test(selectors_are_read_as_people_and_prometheus_write_them),
        cmocka_unit_test(selectors_that_cannot_be_say_where),
        cmocka_unit_test(labels_that_are_added_must_hold_too),
        cmocka_unit_test(all_that_a_pattern_matches_has_its_prefix_and_needle),
        cmocka_unit_test(memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
