#include "base/encode/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void the_examples_of_the_rfc_hold(void **state)
{
    (void)state;
    /* RFC 4648, section 10, and the last two digits. */
    static const char *const examples[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xFB\xEF\xBE\xFF", "++++/w=="},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct flm_text text = {0};
        flm_base64_add(&text, flm_bytes_of(examples[i][0]));
        assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, examples[i][1]));
        text.size = 0;
        assert_true(flm_base64_decode(flm_bytes_of(examples[i][1]), &text));
        assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, examples[i][0]));
        flm_text_clear(&text);
    }
}

static void what_is_no_base64_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"Z", "Zm9vY", "Zm 9v", "Zg===", "Z=g=", "Zm9\xC3"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct flm_text text = {0};
        assert_false(flm_base64_decode(flm_bytes_of(wrong[i]), &text));
        flm_text_clear(&text);
    }
    struct flm_text text = {0};
    assert_true(flm_base64_decode(flm_bytes_of("-___"), &text));
    assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, "\xFB\xFF\xFF"));
    flm_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_rfc_hold),
        cmocka_unit_test(what_is_no_base64_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
