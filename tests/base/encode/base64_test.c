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
        flm_text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_rfc_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
