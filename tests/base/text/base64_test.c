#include "base/text/base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/core/random.h"

static void the_examples_of_the_rfc_hold(void **state)
{
    (void)state;
    /* RFC 4648, section 10. */
    static const char *const examples[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct flm_text text = {0}, back = {0};
        flm_base64_add(&text, flm_bytes_of(examples[i][0]));
        assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, examples[i][1]));
        assert_true(flm_base64_decode((struct flm_bytes){text.at, text.size}, &back));
        assert_true(flm_bytes_are((struct flm_bytes){back.at, back.size}, examples[i][0]));
        flm_text_clear(&text);
        flm_text_clear(&back);
    }
}

static void bytes_of_any_size_come_back(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (size_t size = 0; size < 300; size++) {
        char bytes[300];
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)(size % 3 ? random_next(&random) : 0xFF);
        struct flm_text text = {0}, back = {0};
        flm_text_puts(&text, "=");
        flm_text_puts(&back, "kept");
        flm_base64_add(&text, (struct flm_bytes){bytes, size});
        assert_int_equal(text.size - 1, (size + 2) / 3 * 4);
        assert_true(flm_base64_decode((struct flm_bytes){text.at + 1, text.size - 1}, &back));
        assert_int_equal(back.size - 4, size);
        assert_memory_equal(back.at, "kept", 4);
        assert_true(size == 0 || memcmp(back.at + 4, bytes, size) == 0);
        flm_text_clear(&text);
        flm_text_clear(&back);
    }
}

static void other_text_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "Zg",                                     /* without its padding */
        "Zm9vYg=",                                /* with half of it */
        "Zm9v\n",                                 /* a line end */
        "Zm 9",    "Zm9*",     "Zm9-", "Zm9\x80", /* no digits */
        "Z===",                                   /* less than a byte */
        "====",    "Zg==Zg==", "Z=m9",            /* padding that is not at the end */
        "Zh==",    "Zm9=",                        /* bits after the last byte */
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct flm_text back = {0};
        assert_false(flm_base64_decode(flm_bytes_of(bad[i]), &back));
        flm_text_clear(&back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_rfc_hold),
        cmocka_unit_test(bytes_of_any_size_come_back),
        cmocka_unit_test(other_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
