#include "draw/text/short_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/utf.h"
#include "support/core/failures.h"
#include "support/core/random.h"

/* Every letter is 1 px wide. */
static const struct flm_font ones = {.size_px = 1, .letter = 1};

enum { MOST = 64 };

struct list {
    struct flm_short_name names[MOST];
    size_t count;
    double room;
    struct flm_text out;
};

static void add(struct list *list, const char *name, const char *where)
{
    list->names[list->count] = (struct flm_short_name){
        .plain = flm_bytes_of(name),
        .where = where ? flm_bytes_of(where) : (struct flm_bytes){NULL, 0},
        .function = list->count,
        .room = list->room,
        .font = &ones,
    };
    list->count++;
}

static struct flm_bytes shown(const struct list *list, size_t i)
{
    return (struct flm_bytes){list->out.at + list->names[i].from, list->names[i].size};
}

static void shorten(struct list *list)
{
    assert_true(flm_short_names(list->names, list->count, FLM_ELLIPSIS, &list->out));
    for (size_t i = 0; i < list->count; i++)
        assert_true(flm_label_width(shown(list, i), &ones) <= list->names[i].room);
}

static void assert_shown(const struct list *list, size_t i, const char *expected)
{
    struct flm_bytes text = shown(list, i);
    if (!flm_bytes_are(text, expected))
        fail_msg("'%.*s', not '%s'", (int)text.size, text.at, expected);
}

static void names_without_a_double_are_shortened_as_labels(void **state)
{
    (void)state;
    static const char *const names[] = {
        "std::list<Header, std::allocator<Header> >::push_back(int)",
        "net/http.(*conn).serve",
        "main",
        "operator()",
        "a_function_with_a_long_name",
    };
    for (int room = 6; room < 70; room++) {
        struct list list = {.room = room};
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            add(&list, names[i], "libc.so.6");
        shorten(&list);
        for (size_t i = 0; i < list.count; i++) {
            struct flm_text label = {0};
            struct flm_bytes plain = flm_bytes_of(names[i]);
            flm_label_add(&label, plain, flm_name_parts(plain), room, &ones);
            if (label.size > 0)
                assert_true(
                    flm_bytes_equal(shown(&list, i), (struct flm_bytes){label.at, label.size}));
            else
                assert_true(flm_bytes_end_with(shown(&list, i), FLM_ELLIPSIS));
            flm_text_clear(&label);
        }
        flm_text_clear(&list.out);
    }
}

static void what_tells_functions_apart_is_kept(void **state)
{
    (void)state;
    static const struct {
        const char *name, *wide, *narrow;
    } rows[] = {
        {"std::map<Key, std::less<Key> >::find(Key const&)",
         "map<Key, std::less<Key\xE2\x80\xA6>::find", "map<Key,\xE2\x80\xA6>::find"},
        {"std::map<int, std::less<int> >::find(int const&)",
         "map<\xE2\x80\xA6<int> >::find(int const&)", "map<\xE2\x80\xA6>::find\xE2\x80\xA6t&)"},
        {"std::map<int, std::less<int> >::find(int const&) const",
         "map<\xE2\x80\xA6>::find(int const&) const", "\xE2\x80\xA6>::find\xE2\x80\xA6) const"},
        {"std::map<int, std::less<int> >::erase(int const&)", "map<\xE2\x80\xA6>::erase",
         "map<\xE2\x80\xA6>::erase"},
    };
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        struct list list = {.room = is_wide ? 30 : 16};
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            add(&list, rows[i].name, NULL);
        shorten(&list);
        for (size_t i = 0; i < list.count; i++)
            assert_shown(&list, i, is_wide ? rows[i].wide : rows[i].narrow);
        flm_text_clear(&list.out);
    }
}

/* A column of any width: from six letters on there is room for a number. */
static void no_two_functions_read_the_same_in_any_room(void **state)
{
    (void)state;
    static const char *const types[] = {"int",         "long",      "Key",
                                        "std::string", "Node<int>", "std::pair<int, long>"};
    static const char *const classes[] = {"std::vector<%s, std::allocator<%s> >",
                                          "detail::Map<int, %s, Less<%s> >", "Tree<%s>::Iterator"};
    static const char *const functions[] = {"push_back", "operator()", "insert<%s>(%s&&)",
                                            "find(%s) const", "find"};
    enum { TYPES = 6, CLASSES = 3, FUNCTIONS = 5, LEAST_ROOM = 6, ROUNDS = 300 };
    uint64_t random = 7;
    for (int round = 0; round < ROUNDS; round++) {
        char texts[MOST][200];
        struct list list = {.room = LEAST_ROOM + random_below(&random, 60)};
        for (size_t i = 0; i < MOST; i++) {
            char class[80], function[80];
            const char *type = types[random_below(&random, TYPES)];
            const char *other = types[random_below(&random, TYPES)];
            struct flm_text text;
            flm_text_init_fixed(&text, class, sizeof class - 1);
            flm_text_format(&text, classes[random_below(&random, CLASSES)], type, type);
            class[text.size] = 0;
            flm_text_init_fixed(&text, function, sizeof function - 1);
            flm_text_format(&text, functions[random_below(&random, FUNCTIONS)], other, other);
            function[text.size] = 0;
            snprintf(texts[i], sizeof texts[i], "%s::%s", class, function);
            add(&list, texts[i], NULL);
            for (size_t k = 0; k < i; k++)
                if (strcmp(texts[k], texts[i]) == 0)
                    list.names[i].function = list.names[k].function;
            list.names[i].room += random_below(&random, 3); /* of a tree */
        }
        shorten(&list);
        for (size_t i = 0; i < MOST; i++)
            for (size_t k = 0; k < i; k++)
                if (list.names[i].function != list.names[k].function &&
                    flm_bytes_equal(shown(&list, i), shown(&list, k)))
                    fail_msg("%s and %s are both '%.*s' in %g", texts[i], texts[k],
                             (int)shown(&list, i).size, shown(&list, i).at, list.room);
        flm_text_clear(&list.out);
    }
}

static void functions_of_one_name_have_their_place_behind_it(void **state)
{
    (void)state;
    struct list list = {.room = 20};
    add(&list, "memcpy", "libc.so.6");
    add(&list, "memcpy", "ld.so");
    add(&list, "memmove", "libc.so.6");
    add(&list, "poll", NULL);
    add(&list, "poll", NULL);
    add(&list, "memcpy", "ld.so");
    list.names[5].function = 1; /* the same function again */
    shorten(&list);
    assert_shown(&list, 0, "memcpy (libc.so.6)");
    assert_shown(&list, 1, "memcpy (ld.so)");
    assert_shown(&list, 2, "memmove");
    assert_shown(&list, 3, "poll (1)");
    assert_shown(&list, 4, "poll (2)");
    assert_shown(&list, 5, "memcpy (ld.so)");
    flm_text_clear(&list.out);
}

static void letters_of_several_bytes_are_never_cut(void **state)
{
    (void)state;
    for (int room = 0; room < 30; room++) {
        struct list list = {.room = room};
        add(&list, "T<\xC3\xA4\xC3\xB6\xC3\xBC>::\xC3\xA9t\xC3\xA9_\xE6\xB8\xAC\xE8\xA9\xA6", NULL);
        add(&list, "T<\xC3\xA4\xC3\xB6\xC3\xA4>::\xC3\xA9t\xC3\xA9_\xE6\xB8\xAC\xE8\xA9\xA6", NULL);
        add(&list, "T<\xC3\xA4\xC3\xB7\xC3\xA4>::\xC3\xA9t\xC3\xA9_\xE6\xB8\xAC\xE8\xA9\xA6", NULL);
        shorten(&list);
        for (size_t i = 0; i < list.count; i++)
            for (struct flm_bytes rest = shown(&list, i); rest.size > 0;) {
                uint32_t code;
                size_t size = flm_utf8_sequence(rest, &code);
                assert_true(size > 0);
                rest = flm_bytes_from(rest, size);
            }
        flm_text_clear(&list.out);
    }
}

static bool shorten_once(void *context, struct flm_error *why)
{
    (void)context;
    struct list list = {.room = 12};
    add(&list, "std::map<Key>::find(Key)", "a.so");
    add(&list, "std::map<int>::find(int)", "a.so");
    add(&list, "find", "a.so");
    add(&list, "find", "b.so");
    add(&list, "find", NULL);
    bool good = flm_short_names(list.names, list.count, FLM_ELLIPSIS, &list.out);
    flm_text_clear(&list.out);
    return good || flm_error_memory(why);
}

static void every_failed_allocation_is_reported(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(shorten_once, NULL) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_without_a_double_are_shortened_as_labels),
        cmocka_unit_test(what_tells_functions_apart_is_kept),
        cmocka_unit_test(no_two_functions_read_the_same_in_any_room),
        cmocka_unit_test(functions_of_one_name_have_their_place_behind_it),
        cmocka_unit_test(letters_of_several_bytes_are_never_cut),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
