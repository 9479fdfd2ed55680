#include "format/text/ruby_marshal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#define BYTES(literal) ((struct flm_bytes){literal, sizeof(literal) - 1})

static void becomes(struct flm_bytes bytes, const char *json)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    if (!flm_ruby_marshal_to_json(bytes, &out, &why))
        fail_msg("%s", why.text);
    if (!flm_bytes_are((struct flm_bytes){out.at, out.size}, json))
        fail_msg("it is %.*s, not %s", (int)out.size, out.at, json);
    flm_text_clear(&out);
}

static void refused(struct flm_bytes bytes, const char *words)
{
    struct flm_text out = {0};
    struct flm_error why = {0};
    assert_false(flm_ruby_marshal_to_json(bytes, &out, &why));
    if (!strstr(why.text, words))
        fail_msg("the error is '%s', not '%s'", why.text, words);
    flm_text_clear(&out);
}

/* As Marshal.dump writes them. */
static void values_become_json(void **state)
{
    (void)state;
    becomes(BYTES("\4\b[\t0TFi\6"), "[null,true,false,1]");
    becomes(BYTES("\4\b[\ni\0i\367i\1\310i\376\30\374i\2p\21"), "[0,-4,200,-1000,4464]");
    becomes(BYTES("\4\b[\7l+\b\0\0\0\0\0\1l-\6\2\0"), "[1099511627776,-2]");
    becomes(BYTES("\4\b[\bf\b1.5f\binff\0062"), "[1.5,null,2]");
    becomes(BYTES("\4\b\"\tA\"\\\n"), "\"A\\\"\\\\\\u000a\"");
    becomes(BYTES("\4\b{\6:\tmodeI\"\bcpu\6:\6ET"), "{\"mode\":\"cpu\"}");
    becomes(BYTES("\4\b{\7i\6:\6al+\b\0\0\0\0\0\1;\0"), "{\"1\":\"a\",\"1099511627776\":\"a\"}");
    becomes(BYTES("\4\b}\6:\6ai\6i\b"), "{\"a\":1}");
}

static void earlier_values_are_referred_to(void **state)
{
    (void)state;
    becomes(BYTES("\4\b[\7f\b1.5@\6"), "[1.5,1.5]");
    becomes(BYTES("\4\b[\b\"\6a@\6[\7@\6\"\6b"), "[\"a\",\"a\",[\"a\",\"b\"]]");
    becomes(BYTES("\4\b{\6l+\7\0\0\0\1@\6"), "{\"16777216\":16777216}");
    refused(BYTES("\4\b[\7[\0@\6"), "an object that has members");
    refused(BYTES("\4\b[\6@\7"), "an object that is not there");
    refused(BYTES("\4\b;\0"), "a symbol that is not there");
    refused(BYTES("\4\b{\7f\0061i\6@\6i\6"), "a key is no text");
}

static void malformed_values_are_refused(void **state)
{
    (void)state;
    refused(BYTES("\4"), "byte 0: the file ends in the middle");
    refused(BYTES("\4\b\"\tab"), "ends in the middle");
    refused(BYTES("\4\b[\7i"), "ends in the middle");
    refused(BYTES("\4\b\"\372"), "a length is negative");
    refused(BYTES("\4\bl+\n\0\0\0\0\0\0\0\0\0\0"), "more than 64 bits");
    refused(BYTES("\4\bo:\6A\0"), "an object of a class");
    char deep[300];
    memset(deep, '[', sizeof deep);
    memcpy(deep, "\4\b", 2);
    for (size_t i = 3; i < sizeof deep; i += 2)
        deep[i] = 6;
    refused((struct flm_bytes){deep, sizeof deep}, "nested too deeply");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_become_json),
        cmocka_unit_test(earlier_values_are_referred_to),
        cmocka_unit_test(malformed_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
