#include "record/ruby/ruby_object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/record/ruby_image.h"

static struct ruby_image image;
static struct flm_process_memory memory;

/* An image of a version, and what reads it. */
static struct flm_ruby_objects make(int minor)
{
    static uint64_t object_class;
    ruby_image_init(&image, minor);
    memory = (struct flm_process_memory){.process = getpid()};
    object_class = ruby_class(&image, "Object");
    struct flm_ruby_objects objects = {
        .layout = image.layout, .memory = &memory, .object_class = (uintptr_t)&object_class};
    return objects;
}

static void fresh(void)
{
    flm_process_memory_begin(&memory, NULL, 0);
}

static void assert_string(struct flm_ruby_objects *o, uint64_t object, const char *wanted)
{
    struct flm_text text = {0};
    fresh();
    assert_int_equal(flm_ruby_string(o, object, &text), wanted != NULL);
    if (wanted)
        assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, wanted));
    flm_text_clear(&text);
}

static void assert_class(struct flm_ruby_objects *o, uint64_t class, const char *wanted)
{
    struct flm_text text = {0};
    fresh();
    assert_int_equal(flm_ruby_class(o, class, &text), wanted != NULL);
    if (wanted && !flm_bytes_are((struct flm_bytes){text.at, text.size}, wanted))
        fail_msg("3.%d: %.*s is not %s", image.minor, (int)text.size, text.at, wanted);
    if (!wanted)
        assert_int_equal(text.size, 0);
    flm_text_clear(&text);
}

static void strings_of_every_version_are_read(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        struct flm_ruby_objects o = make(minor);
        assert_string(&o, ruby_string(&image, "each"), "each");
        assert_string(&o, ruby_string(&image, ""), "");
        assert_string(&o, ruby_string(&image, "a name of more than twenty bytes"),
                      "a name of more than twenty bytes");
    }
}

static void other_objects_are_no_strings(void **state)
{
    (void)state;
    static const uint64_t none[5];
    for (int minor = 0; minor <= 4; minor++) {
        struct flm_ruby_objects o = make(minor);
        uint64_t text = ruby_string(&image, "a name of more than twenty bytes");
        assert_string(&o, 0, NULL);
        assert_string(&o, 8, NULL);              /* nil */
        assert_string(&o, 0x7fffffff0015, NULL); /* a number, or a wild pointer */
        assert_string(&o, text + 4, NULL);       /* not where an object may be */
        assert_string(&o, ruby_array(&image, none, 5), NULL);
        ruby_set(text + 16, UINT64_MAX);
        assert_string(&o, text, NULL);
        ruby_set(text + 16, 1 << 20);
        assert_string(&o, text, NULL);
        ruby_set(text + 16, 10);
        ruby_set(text + 24, 0x123456789000);
        assert_string(&o, text, NULL);
    }
}

static void elements_are_bounded(void **state)
{
    (void)state;
    static const uint64_t elements[] = {11, 12, 13, 14, 15};
    for (int minor = 0; minor <= 4; minor++) {
        struct flm_ruby_objects o = make(minor);
        uint64_t element, small = ruby_array(&image, elements, 2);
        uint64_t large = ruby_array(&image, elements, 5);
        fresh();
        assert_true(flm_ruby_element(&o, small, 1, &element));
        assert_int_equal(element, 12);
        assert_false(flm_ruby_element(&o, small, 2, &element));
        assert_true(flm_ruby_element(&o, large, 4, &element));
        assert_int_equal(element, 15);
        assert_false(flm_ruby_element(&o, large, 5, &element));
        assert_false(flm_ruby_element(&o, large, UINT64_MAX / 8, &element));
        assert_false(flm_ruby_element(&o, ruby_string(&image, "x"), 0, &element));
        ruby_set(large + 16, UINT64_MAX);
        fresh();
        assert_false(flm_ruby_element(&o, large, UINT64_C(1) << 40, &element));
    }
}

static void classes_say_how_their_methods_are_written(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        struct flm_ruby_objects o = make(minor);
        uint64_t class = ruby_class(&image, "Acme::Foo"), module = ruby_class(&image, "Acme");
        assert_class(&o, class, "Acme::Foo#");
        assert_class(&o, ruby_singleton(&image, class), "Acme::Foo.");
        ruby_set(module, FLM_RUBY_MODULE);
        assert_class(&o, module, "Acme#");
        uint64_t included = ruby_words(&image, 24);
        ruby_set(included, FLM_RUBY_INCLUDED);
        ruby_set(included + 8, module);
        assert_class(&o, included, "Acme#");
    }
}

static void classes_without_a_name_have_none(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        struct flm_ruby_objects o = make(minor);
        uint64_t class = ruby_class(&image, NULL);
        assert_class(&o, class, NULL);
        assert_class(&o, ruby_singleton(&image, class), NULL);
        assert_class(&o, ruby_string(&image, "Foo"), NULL);
        assert_class(&o, 0, NULL);
        /* A class that claims to be included in itself. */
        uint64_t included = ruby_words(&image, 24);
        ruby_set(included, FLM_RUBY_INCLUDED);
        ruby_set(included + 8, included);
        assert_class(&o, included, NULL);
        /* A singleton class of another class. */
        uint64_t other = ruby_singleton(&image, ruby_class(&image, "Foo"));
        uint64_t foo = ruby_class(&image, "Bar");
        ruby_set(other + (minor <= 1 ? 24 : minor == 2 ? 32 : 128), foo);
        assert_class(&o, other, NULL);
    }
}

static void tables_of_variables_are_bounded(void **state)
{
    (void)state;
    struct flm_ruby_objects o = make(1);
    uint64_t class = ruby_class(&image, "Foo"), extension, table;
    fresh();
    assert_true(flm_ruby_word(&o, class + 24, &extension));
    assert_true(flm_ruby_word(&o, extension + 8, &table));
    ruby_set(table + 40, UINT64_MAX); /* so many */
    assert_class(&o, class, "Foo#");
    ruby_set(table + 32, 2); /* behind the name */
    assert_class(&o, class, NULL);
    ruby_set(table + 48, 0x123456789000);
    assert_class(&o, class, NULL);
}

static void identifiers_are_found_among_variables(void **state)
{
    (void)state;
    for (int minor = 0; minor <= 4; minor++) {
        struct flm_ruby_objects o = make(minor);
        uint64_t identifiers = ruby_identifiers(&image), table = ruby_words(&image, 4);
        uint64_t hash = ruby_words(&image, 4), other = ruby_array(&image, &table, 1);
        const uint64_t words[] = {5,    table, other, hash, 3415, table, other,       hash, 0,
                                  3415, table, 8,     hash, 3415, table, identifiers, hash, 0};
        ruby_identify(&image, identifiers, 188, "each");
        ruby_identify(&image, identifiers, 600, "deep");
        fresh();
        o.identifiers = flm_ruby_find_identifiers(&o, words, sizeof words / sizeof words[0]);
        assert_int_equal(o.identifiers, identifiers);
        struct flm_text text = {0};
        assert_true(flm_ruby_identifier(&o, 188 << 4 | 1, &text));
        assert_true(flm_ruby_identifier(&o, '+', &text));
        assert_true(flm_ruby_identifier(&o, 600 << 4, &text));
        assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, "each+deep"));
        assert_false(flm_ruby_identifier(&o, 601 << 4, &text)); /* it has no name */
        assert_false(flm_ruby_identifier(&o, 5000 << 4, &text));
        assert_false(flm_ruby_identifier(&o, UINT64_MAX, &text));
        flm_text_clear(&text);
        assert_int_equal(flm_ruby_find_identifiers(&o, words, 15), 0);
        assert_int_equal(flm_ruby_find_identifiers(&o, words, 0), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_every_version_are_read),
        cmocka_unit_test(other_objects_are_no_strings),
        cmocka_unit_test(elements_are_bounded),
        cmocka_unit_test(classes_say_how_their_methods_are_written),
        cmocka_unit_test(classes_without_a_name_have_none),
        cmocka_unit_test(tables_of_variables_are_bounded),
        cmocka_unit_test(identifiers_are_found_among_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
