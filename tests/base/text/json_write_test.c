#include "base/text/json_write.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/failures.h"

static void assert_text(struct flm_text *text, const char *expected)
{
    flm_text_putc(text, 0);
    assert_false(text->failed);
    assert_string_equal(text->at, expected);
    flm_text_clear(text);
}

static void members_are_on_lines_of_their_own_or_on_one(void **state)
{
    (void)state;
    struct flm_text text = {0};
    struct flm_json_writer json = {.out = &text};
    flm_json_begin(&json, NULL, FLM_JSON_OBJECT);
    flm_json_add_text(&json, "file", flm_bytes_of("app"));
    flm_json_begin(&json, "rows", FLM_JSON_ARRAY);
    for (int i = 0; i < 2; i++) {
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_number(&json, "i", i);
        flm_json_begin(&json, "ends", FLM_JSON_ARRAY_LINE);
        flm_json_add_text(&json, NULL, flm_bytes_of(".a"));
        flm_json_add_bool(&json, NULL, i > 0);
        flm_json_end(&json);
        flm_json_end(&json);
    }
    flm_json_end(&json);
    flm_json_add_null(&json, "nothing");
    flm_json_end(&json);
    assert_text(&text, "{\n"
                       "  \"file\": \"app\",\n"
                       "  \"rows\": [\n"
                       "    {\"i\": 0, \"ends\": [\".a\", false]},\n"
                       "    {\"i\": 1, \"ends\": [\".a\", true]}\n"
                       "  ],\n"
                       "  \"nothing\": null\n"
                       "}\n");
}

static void empty_objects_and_arrays_are_closed_on_their_line(void **state)
{
    (void)state;
    static const enum flm_json_shape shapes[] = {FLM_JSON_OBJECT, FLM_JSON_ARRAY};
    static const char *const expected[] = {"{}\n", "[]\n"};
    for (size_t i = 0; i < 2; i++) {
        struct flm_text text = {0};
        struct flm_json_writer json = {.out = &text};
        flm_json_begin(&json, NULL, shapes[i]);
        flm_json_end(&json);
        assert_text(&text, expected[i]);
    }
}

static void one_value_after_another_is_one_document_each(void **state)
{
    (void)state;
    struct flm_text text = {0};
    for (int i = 0; i < 2; i++) {
        struct flm_json_writer json = {.out = &text};
        flm_json_begin(&json, NULL, FLM_JSON_ARRAY_LINE);
        flm_json_add_number(&json, NULL, i);
        flm_json_end(&json);
    }
    assert_text(&text, "[0]\n[1]\n");
}

static void assert_string(const char *bytes, size_t size, const char *expected)
{
    struct flm_text text = {0};
    struct flm_json_writer json = {.out = &text};
    flm_json_add_text(&json, NULL, (struct flm_bytes){bytes, size});
    assert_text(&text, expected);
}

static void any_bytes_become_valid_json(void **state)
{
    (void)state;
    assert_string("", 0, "\"\"");
    assert_string("a\"b\\c/", 6, "\"a\\\"b\\\\c/\"");
    assert_string("\0\n\x1f\x7f", 4, "\"\\u0000\\u000a\\u001f\\u007f\"");
    assert_string("\xC2\x80\xC2\x9B\xC2\xA0", 6, "\"\\u0080\\u009b\xC2\xA0\"");
    assert_string("\u061C\u200E\u202A\u202E", 11, "\"\\u061c\\u200e\\u202a\\u202e\"");
    assert_string("\u2066\u2069\u2028\u2029", 12, "\"\\u2066\\u2069\\u2028\\u2029\"");
    assert_string("\U000E0041\U0001F525", 8, "\"\\udb40\\udc41\U0001F525\"");
    assert_string("gr\xC3\xBC\xC3\x9F", 6, "\"gr\xC3\xBC\xC3\x9F\"");
    assert_string("\xFF"
                  "a\xC3",
                  3,
                  "\"\xEF\xBF\xBD"
                  "a\xEF\xBF\xBD\"");
    assert_string("\xED\xA0\x80", 3, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

static void assert_number(double value, const char *expected)
{
    struct flm_text text = {0};
    struct flm_json_writer json = {.out = &text};
    flm_json_add_number(&json, NULL, value);
    assert_text(&text, expected);
}

static void numbers_are_exact(void **state)
{
    (void)state;
    assert_number(0, "0");
    assert_number(9007199254740991, "9007199254740991");
    assert_number(-0.1, "-0.1");
    assert_number(0.1 + 0.2, "0.30000000000000004");
}

static void values_that_json_cannot_express_are_null(void **state)
{
    (void)state;
    assert_number(INFINITY, "null");
    assert_number(NAN, "null");
}

static bool write_some(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_text text = {0};
    struct flm_json_writer json = {.out = &text};
    flm_json_begin(&json, NULL, FLM_JSON_ARRAY);
    for (int i = 0; i < 100; i++)
        flm_json_add_text(&json, NULL, flm_bytes_of("some text\n"));
    flm_json_end(&json);
    bool good = !text.failed;
    flm_text_clear(&text);
    return good || flm_error_memory(why);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(write_some, NULL) > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_on_lines_of_their_own_or_on_one),
        cmocka_unit_test(empty_objects_and_arrays_are_closed_on_their_line),
        cmocka_unit_test(one_value_after_another_is_one_document_each),
        cmocka_unit_test(any_bytes_become_valid_json),
        cmocka_unit_test(numbers_are_exact),
        cmocka_unit_test(values_that_json_cannot_express_are_null),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
