#include "viewer/model/fuzzy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"

static int cost(const char *text, const char *name)
{
    struct flm_fuzzy fuzzy;
    flm_fuzzy_init(&fuzzy, flm_bytes_of(text), true);
    return flm_fuzzy_cost(&fuzzy, flm_bytes_of(name));
}

static bool accepts(const char *text, const char *name)
{
    struct flm_fuzzy fuzzy;
    flm_fuzzy_init(&fuzzy, flm_bytes_of(text), true);
    return flm_fuzzy_accepts(&fuzzy, flm_fuzzy_cost(&fuzzy, flm_bytes_of(name)));
}

static void beginnings_of_words_are_cheap(void **state)
{
    (void)state;
    assert_int_equal(cost("read", "read_all"), 0);
    assert_int_equal(cost("hmget", "java/util/HashMap.get"), 2);
    assert_int_equal(cost("ra", "read_all"), 1);
    assert_int_equal(cost("ead", "read_all"), 2);
    assert_int_equal(cost("rd", "read_all"), 3);
    assert_int_equal(cost("x", "read_all"), FLM_FUZZY_NEVER);
    assert_int_equal(cost("", "read_all"), FLM_FUZZY_NEVER);
    assert_int_equal(cost("da", "add"), FLM_FUZZY_NEVER);
}

static void the_cheapest_way_counts_not_the_first(void **state)
{
    (void)state;
    assert_int_equal(cost("get", "g_e_t_get"), 0);
    assert_int_equal(cost("ab", "axxb_ab"), 0);
}

static void letters_from_anywhere_in_a_long_name_are_not_a_match(void **state)
{
    (void)state;
    assert_true(accepts("prsjs", "parse_json"));
    assert_true(accepts("vecpush", "std::vector<int, std::allocator<int> >::push_back"));
    assert_false(accepts("read", "std::vector<int, std::allocator<int> >::emplace_back(double)"));
}

static void a_sign_that_is_typed_is_a_word(void **state)
{
    (void)state;
    assert_int_equal(cost("std::v", "std::vector"), 0);
    assert_int_equal(cost("s:v", "std::vector"), 1);
}

static void capitals_matter_when_they_are_asked_for(void **state)
{
    (void)state;
    struct flm_fuzzy fuzzy;
    flm_fuzzy_init(&fuzzy, flm_bytes_of("HM"), false);
    assert_true(flm_fuzzy_possible(&fuzzy, flm_bytes_of("HashMap")));
    assert_false(flm_fuzzy_possible(&fuzzy, flm_bytes_of("hashmap")));
}

static void the_part_has_all_letters(void **state)
{
    (void)state;
    struct flm_fuzzy fuzzy;
    size_t from, to;
    flm_fuzzy_init(&fuzzy, flm_bytes_of("pj"), true);
    assert_true(flm_fuzzy_part(&fuzzy, flm_bytes_of("p_parse_json"), &from, &to));
    assert_int_equal(from, 2);
    assert_int_equal(to, 9);
    assert_false(flm_fuzzy_part(&fuzzy, flm_bytes_of("json"), &from, &to));
}

/* All ways of matching, one after the other. */
static int plain_cost(const char *text, size_t count, const char *name, size_t at, int last)
{
    if (count == 0)
        return 0;
    int best = FLM_FUZZY_NEVER;
    for (size_t i = at; name[i]; i++) {
        if (name[i] != text[0])
            continue;
        bool begins = i == 0 || name[i - 1] == '_' || name[i] == '_';
        bool is_next = last >= 0 && (size_t)last + 1 == i;
        int price = is_next ? 0 : last < 0 ? (begins ? 0 : 2) : (begins ? 1 : 3);
        int rest = plain_cost(text + 1, count - 1, name, i + 1, (int)i);
        if (rest < FLM_FUZZY_NEVER && price + rest < best)
            best = price + rest;
    }
    return best;
}

static void it_is_the_cheapest_of_all_ways(void **state)
{
    (void)state;
    uint64_t random = 5;
    static const char letters[] = "ab_";
    for (unsigned i = 0; i < 20000; i++) {
        char name[16] = {0}, text[5] = {0};
        unsigned size = random_below(&random, 15), count = 1 + random_below(&random, 4);
        for (unsigned k = 0; k < size; k++)
            name[k] = letters[random_below(&random, 3)];
        for (unsigned k = 0; k < count; k++)
            text[k] = letters[random_below(&random, 3)];
        assert_int_equal(cost(text, name), plain_cost(text, count, name, 0, -1));
        struct flm_fuzzy fuzzy;
        flm_fuzzy_init(&fuzzy, flm_bytes_of(text), true);
        assert_int_equal(flm_fuzzy_possible(&fuzzy, flm_bytes_of(name)),
                         cost(text, name) < FLM_FUZZY_NEVER);
    }
}

static void more_letters_than_there_is_room_for_are_cut_off(void **state)
{
    (void)state;
    char text[200];
    memset(text, 'a', sizeof text);
    struct flm_fuzzy fuzzy;
    flm_fuzzy_init(&fuzzy, (struct flm_bytes){text, sizeof text}, true);
    assert_int_equal(fuzzy.count, FLM_FUZZY_LETTERS);
    assert_int_equal(flm_fuzzy_cost(&fuzzy, (struct flm_bytes){text, sizeof text}), 0);
    assert_false(flm_fuzzy_possible(&fuzzy, (struct flm_bytes){text, FLM_FUZZY_LETTERS - 1}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beginnings_of_words_are_cheap),
        cmocka_unit_test(the_cheapest_way_counts_not_the_first),
        cmocka_unit_test(letters_from_anywhere_in_a_long_name_are_not_a_match),
        cmocka_unit_test(a_sign_that_is_typed_is_a_word),
        cmocka_unit_test(capitals_matter_when_they_are_asked_for),
        cmocka_unit_test(the_part_has_all_letters),
        cmocka_unit_test(it_is_the_cheapest_of_all_ways),
        cmocka_unit_test(more_letters_than_there_is_room_for_are_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
