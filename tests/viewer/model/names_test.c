#include "viewer/model/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/failures.h"
#include "support/core/random.h"
#include "support/profile/profiles.h"
#include "support/profile/random_profile.h"

enum { ALL = FLM_USED_AS_NAME | FLM_USED_AS_FILE | FLM_USED_AS_MODULE };

static struct flm_names_query text_query(const char *text)
{
    return (struct flm_names_query){flm_bytes_of(text), FLM_SEARCH_TEXT, false, ALL};
}

/* The strings found, separated by blanks. */
static void assert_finds(const struct flm_profile *p, struct flm_names_query query,
                         const char *expected)
{
    struct flm_names names = {0};
    struct flm_text found = {0};
    unsigned char *uses = flm_names_uses(p, NULL);
    assert_non_null(uses);
    assert_true(flm_names_find(&names, p, uses, &query, NULL));
    for (uint32_t i = 0; i < p->sizes.string_count; i++)
        if (names.matches[i]) {
            flm_text_puts(&found, found.size ? " " : "");
            flm_text_add(&found, flm_string_bytes(p, i));
        }
    flm_text_putc(&found, 0);
    assert_string_equal(found.at, expected);
    flm_text_clear(&found);
    flm_names_clear(&names);
    free(uses);
}

static void text_is_found_anywhere_in_a_name(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;parse;reparse 1\nmain;Parser;spar;se 2\n");
    assert_finds(p, text_query("parse"), "Parser parse reparse");
    assert_finds(p, text_query("Parse"), "Parser");
    assert_finds(p, text_query("spa"), "spar");
    assert_finds(p, text_query("nothing"), "");
    assert_finds(p, text_query(""), "");
    struct flm_names_query exact = text_query("parse");
    exact.exact_case = true;
    assert_finds(p, exact, "parse reparse");
    flm_profile_free(p);
}

static void what_stands_across_two_names_is_in_neither(void **state)
{
    (void)state;
    /* Strings stand in order and without anything between them: "ab", "cd". */
    struct flm_profile *p = profile_of("ab;cd 1\n");
    assert_finds(p, text_query("bc"), "");
    assert_finds(p, text_query("abcd"), "");
    assert_finds(p, text_query("cd"), "cd");
    flm_profile_free(p);
}

static void notes_and_metrics_are_no_names(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    assert_finds(p, text_query("a"), "main");
    flm_profile_free(p);
}

static void a_malformed_expression_leaves_everything_as_it_was(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;parse 1\n");
    unsigned char *uses = flm_names_uses(p, NULL);
    struct flm_names names = {0};
    struct flm_names_query query = {flm_bytes_of("pars."), FLM_SEARCH_REGEX, false, ALL};
    assert_true(flm_names_find(&names, p, uses, &query, NULL));
    struct flm_error why = {0};
    struct flm_names_query wrong = query;
    wrong.text = flm_bytes_of("ab(c");
    assert_false(flm_names_find(&names, p, uses, &wrong, &why));
    assert_int_equal(why.kind, FLM_ERROR_FORMAT);
    assert_int_equal(why.offset, 2);
    size_t from, to;
    assert_true(flm_names_part(&names, flm_bytes_of("reparse"), &from, &to));
    assert_int_equal(from, 2);
    assert_int_equal(to, 7);
    flm_names_clear(&names);
    free(uses);
    flm_profile_free(p);
}

static void a_class_of_characters_is_no_capital(void **state)
{
    (void)state;
    struct flm_names_query query = {flm_bytes_of("\\W\\Smain"), FLM_SEARCH_REGEX, false, ALL};
    assert_true(flm_names_any_case(&query));
    query.text = flm_bytes_of("Main");
    assert_false(flm_names_any_case(&query));
    query.text = flm_bytes_of("\\Wmain");
    query.kind = FLM_SEARCH_TEXT;
    assert_false(flm_names_any_case(&query));
}

static bool holds(struct flm_bytes name, struct flm_bytes text, bool any_case)
{
    for (size_t i = 0; i + text.size <= name.size; i++) {
        size_t same = 0;
        while (same < text.size) {
            char a = name.at[i + same], b = text.at[same];
            if (any_case && a >= 'A' && a <= 'Z')
                a = (char)(a + 32);
            if (any_case && b >= 'A' && b <= 'Z')
                b = (char)(b + 32);
            if (a != b)
                break;
            same++;
        }
        if (same == text.size)
            return true;
    }
    return false;
}

/* Types texts letter by letter, with changes of mind; what is found is always the same as when each
 * name is looked at by itself. */
static void typing_finds_what_a_plain_search_finds(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (unsigned round = 0; round < 60; round++) {
        struct random_shape shape = {
            .stacks = 40, .names = 30, .deepest = 6, .metrics = 1, .modules = true};
        struct flm_profile *p = random_profile(&random, &shape);
        unsigned char *uses = flm_names_uses(p, NULL);
        struct flm_names names = {0};
        char text[8] = {0};
        size_t size = 0;
        for (unsigned step = 0; step < 60; step++) {
            static const char letters[] = "f0123456789.cF/lib";
            if (size > 0 && random_below(&random, 3) == 0)
                size--;
            else if (size < 4)
                text[size++] = letters[random_below(&random, sizeof letters - 1)];
            unsigned char wanted = (unsigned char)(1 + random_below(&random, ALL));
            struct flm_names_query query = {
                {text, size}, FLM_SEARCH_TEXT, random_below(&random, 4) == 0, wanted};
            assert_true(flm_names_find(&names, p, uses, &query, NULL));
            for (uint32_t i = 0; i < p->sizes.string_count; i++) {
                bool expected =
                    size > 0 && (uses[i] & wanted) &&
                    holds(flm_string_bytes(p, i), query.text, flm_names_any_case(&query));
                assert_int_equal(names.matches[i], expected);
            }
        }
        flm_names_clear(&names);
        free(uses);
        flm_profile_free(p);
    }
}

static void typing_letters_of_a_fuzzy_search_loses_nothing(void **state)
{
    (void)state;
    struct flm_profile *p =
        profile_of("read_all;HashMap.get 1\nrd;parse_json;p_a_r 2\nrxdxlxlx 1\n");
    unsigned char *uses = flm_names_uses(p, NULL);
    struct flm_names names = {0};
    static const char *const typed[] = {"r", "rd", "rda", "rdall", "rdal", "rd", "hmg", "h"};
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
        struct flm_names fresh = {0};
        struct flm_names_query query = {flm_bytes_of(typed[i]), FLM_SEARCH_FUZZY, false, ALL};
        assert_true(flm_names_find(&names, p, uses, &query, NULL));
        assert_true(flm_names_find(&fresh, p, uses, &query, NULL));
        assert_memory_equal(names.matches, fresh.matches, p->sizes.string_count);
        flm_names_clear(&fresh);
    }
    flm_names_clear(&names);
    free(uses);
    flm_profile_free(p);
}

static bool search_all(void *context, struct flm_error *why)
{
    const struct flm_profile *p = context;
    struct flm_names names = {0};
    unsigned char *uses = flm_names_uses(p, why);
    bool ok = uses != NULL;
    for (int kind = 0; ok && kind < FLM_SEARCH_KINDS; kind++) {
        struct flm_names_query query = {flm_bytes_of("ma"), (enum flm_search_kind)kind, false, ALL};
        ok = flm_names_find(&names, p, uses, &query, why);
    }
    flm_names_clear(&names);
    free(uses);
    return ok;
}

static void every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;parse 1\n");
    assert_true(assert_survives_failures(search_all, p) > 5);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_found_anywhere_in_a_name),
        cmocka_unit_test(what_stands_across_two_names_is_in_neither),
        cmocka_unit_test(notes_and_metrics_are_no_names),
        cmocka_unit_test(a_malformed_expression_leaves_everything_as_it_was),
        cmocka_unit_test(a_class_of_characters_is_no_capital),
        cmocka_unit_test(typing_finds_what_a_plain_search_finds),
        cmocka_unit_test(typing_letters_of_a_fuzzy_search_loses_nothing),
        cmocka_unit_test(every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
