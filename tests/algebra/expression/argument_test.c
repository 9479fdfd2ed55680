#include "algebra/expression/argument.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/profile/profiles.h"

static const char *word(size_t index, const char **description)
{
    static const char *const words[] = {"one", "two", NULL};
    if (description)
        *description = "a number";
    return words[index];
}

struct parsed {
    struct flm_profile *p;
    struct flm_argument argument;
    struct flm_argument_value value;
    char note[200];
    struct flm_error why;
    bool good;
};

static struct parsed parse(enum flm_argument_type type, const char *text)
{
    struct parsed it = {.p = profile_of("main;read 1\nmain;write 2\n"),
                        .argument = {"thing", type, false, word}};
    struct flm_text note;
    flm_text_init_fixed(&note, it.note, sizeof it.note - 1);
    it.good = flm_argument_parse("hide", &it.argument, it.p, flm_bytes_of(text), &it.value, &note,
                                 &it.why);
    it.note[note.size] = 0;
    return it;
}

static void clear(struct parsed *it)
{
    flm_argument_clear(&it->argument, &it->value);
    assert_int_equal(it->value.text.size, 0);
    flm_profile_free(it->p);
}

static void assert_bytes(struct flm_bytes bytes, const char *expected)
{
    if (!flm_bytes_are(bytes, expected))
        fail_msg("'%.*s', not '%s'", (int)bytes.size, bytes.at, expected);
}

static void each_type_is_parsed_into_its_value(void **state)
{
    (void)state;
    struct parsed it = parse(FLM_ARGUMENT_PATTERN, "read");
    assert_true(it.good);
    assert_int_equal(it.value.marks[0] + it.value.marks[1] + it.value.marks[3], 0);
    assert_int_equal(it.value.marks[2], 1); /* main, read, write */
    assert_string_equal(it.note, "");
    clear(&it);
    it = parse(FLM_ARGUMENT_SUBSTITUTION, "s/a/b/");
    assert_true(it.good && it.value.rule);
    clear(&it);
    it = parse(FLM_ARGUMENT_CHOICE, "two");
    assert_true(it.good && it.value.choice == 1);
    clear(&it);
    it = parse(FLM_ARGUMENT_NUMBER, "4294967294");
    assert_true(it.good && it.value.number == 4294967294);
    clear(&it);
    it = parse(FLM_ARGUMENT_METRIC, "\"samples\"");
    assert_true(it.good && it.value.metric.index == 0);
    clear(&it);
    it = parse(FLM_ARGUMENT_LABEL, "k=\"a b\"");
    assert_bytes(it.value.label.key, "k");
    assert_bytes(it.value.label.value, "a b");
    clear(&it);
    it = parse(FLM_ARGUMENT_LABEL, "k");
    assert_bytes(it.value.label.key, "k");
    assert_bytes(it.value.label.value, "");
    clear(&it);
    it = parse(FLM_ARGUMENT_LABEL_KEY, "\"k\"");
    assert_bytes(it.value.unquoted, "k");
    clear(&it);
    it = parse(FLM_ARGUMENT_TIME_RANGE, "1ms..2us");
    assert_false(it.good);
    clear(&it);
    it = parse(FLM_ARGUMENT_TIME_RANGE, "1us..2ms");
    assert_true(it.good && it.value.time.from_ns == 1e3 && it.value.time.to_ns == 2e6);
    clear(&it);
    it = parse(FLM_ARGUMENT_TEXT, "a;b");
    assert_bytes(it.value.unquoted, "a;b");
    clear(&it);
}

static void malformed_arguments_are_refused_with_what_is_right(void **state)
{
    (void)state;
    static const struct {
        enum flm_argument_type type;
        const char *text, *words;
    } cases[] = {
        {FLM_ARGUMENT_PATTERN, "\"a", "the quote is never closed"},
        {FLM_ARGUMENT_SUBSTITUTION, "a=b", "s/old/new/"},
        {FLM_ARGUMENT_CHOICE, "three", "'three' is not a thing; use one, two"},
        {FLM_ARGUMENT_NUMBER, "0", "'0' is not a number of thing from 1 on"},
        {FLM_ARGUMENT_NUMBER, "4294967295", "is not a number"},
        {FLM_ARGUMENT_METRIC, "cpu", "there is no metric 'cpu'"},
        {FLM_ARGUMENT_TIME_RANGE, "1s", "'1s' is not a time range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct parsed it = parse(cases[i].type, cases[i].text);
        assert_false(it.good);
        assert_int_equal(it.why.kind, FLM_ERROR_USAGE);
        if (!strstr(it.why.text, cases[i].words))
            fail_msg("%s: %s", cases[i].text, it.why.text);
        clear(&it);
    }
}

static void a_pattern_that_matches_nothing_adds_one_sentence(void **state)
{
    (void)state;
    struct parsed it = parse(FLM_ARGUMENT_PATTERN, "rea");
    assert_true(it.good);
    assert_string_equal(it.note, "no frame matches 'rea' (there is read)");
    clear(&it);
}

static void assert_ends(enum flm_argument_type type, const char *text, bool has_next, size_t end)
{
    assert_int_equal(flm_argument_end(type, flm_bytes_of(text), 0, has_next), end);
}

static void an_argument_ends_at_what_divides_outside_of_quotes(void **state)
{
    (void)state;
    assert_ends(FLM_ARGUMENT_TEXT, "", false, 0);
    assert_ends(FLM_ARGUMENT_TEXT, "abc|d", false, 3);
    assert_ends(FLM_ARGUMENT_TEXT, "a,b|d", false, 3);
    assert_ends(FLM_ARGUMENT_TEXT, "a,b|d", true, 1);
    assert_ends(FLM_ARGUMENT_PATTERN, "\"a|,b\" ,c", true, 7);
    assert_ends(FLM_ARGUMENT_PATTERN, "x=/a|b/i|c", false, 8);
    assert_ends(FLM_ARGUMENT_PATTERN, "/usr/lib|c", false, 8);
    assert_ends(FLM_ARGUMENT_TEXT, "s/a|b/c/|d", false, 3);
    assert_ends(FLM_ARGUMENT_SUBSTITUTION, "s/a|b/c/|d", false, 8);
    assert_ends(FLM_ARGUMENT_SUBSTITUTION, "s,a,b,gi,d", true, 8);
    assert_int_equal(flm_argument_end(FLM_ARGUMENT_TEXT, flm_bytes_of("a|b"), 2, false), 3);
}

static bool parse_each(void *context, struct flm_error *why)
{
    static const char *const texts[] = {[FLM_ARGUMENT_PATTERN] = "/x/",
                                        [FLM_ARGUMENT_SELECTION] = "/x/,!y",
                                        [FLM_ARGUMENT_SUBSTITUTION] = "s/a/b/"};
    bool good = true;
    for (size_t type = FLM_ARGUMENT_PATTERN; good && type <= FLM_ARGUMENT_SUBSTITUTION; type++) {
        struct flm_argument argument = {"thing", (enum flm_argument_type)type, false, NULL};
        struct flm_argument_value value;
        struct flm_text note = {.failed = true}; /* adds nothing */
        good = flm_argument_parse("hide", &argument, context, flm_bytes_of(texts[type]), &value,
                                  &note, why);
        flm_argument_clear(&argument, &value);
    }
    return good;
}

static void parsing_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 1\n");
    assert_true(assert_survives_failures(parse_each, p) > 5);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_type_is_parsed_into_its_value),
        cmocka_unit_test(malformed_arguments_are_refused_with_what_is_right),
        cmocka_unit_test(a_pattern_that_matches_nothing_adds_one_sentence),
        cmocka_unit_test(an_argument_ends_at_what_divides_outside_of_quotes),
        cmocka_unit_test(parsing_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
