#include "format/letters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support/random.h"

static void bytes_of_any_size_come_back(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (size_t size = 0; size < 200; size++) {
        char bytes[200];
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)(size % 3 ? random_next(&random) : 0xFF);
        struct flm_text letters = {0}, back = {0};
        flm_letters_add(&letters, (struct flm_bytes){bytes, size});
        assert_true(flm_letters_decode((struct flm_bytes){letters.at, letters.size}, &back));
        assert_int_equal(back.size, size);
        assert_true(size == 0 || memcmp(back.at, bytes, size) == 0);
        assert_int_equal(letters.size, size + (size + 5) / 6);
        flm_text_clear(&letters);
        flm_text_clear(&back);
    }
}

static void letters_mean_nothing_in_a_page(void **state)
{
    (void)state;
    char bytes[65536 * 2];
    for (size_t i = 0; i < sizeof bytes / 2; i++) {
        bytes[2 * i] = (char)i;
        bytes[2 * i + 1] = (char)(i >> 8);
    }
    struct flm_text letters = {0};
    flm_letters_add(&letters, (struct flm_bytes){bytes, sizeof bytes});
    for (size_t i = 0; i < letters.size; i++)
        assert_true(letters.at[i] > 0 && letters.at[i] < 127 &&
                    !strchr("\a\b\r\16\17\32\33&<>", letters.at[i]));
    flm_text_clear(&letters);
}

/* web/start.js decodes the same, and so will every flamel to come. */
static void they_stay_what_they_are(void **state)
{
    (void)state;
    struct flm_text letters = {0};
    flm_letters_add(&letters, flm_bytes_of("flamel\xFF\x01\x80"));
    flm_text_putc(&letters, 0);
    assert_string_equal(letters.at, "\24e*?\?u9~=4\6");
    flm_text_clear(&letters);
}

static void what_is_no_letter_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "a<",      "a>",    "&a",          "a\r",           "a", "~~", "\33a", "a\x7F", "\xC3\xA4",
        "~~~~~~~", "a\1~~", "\1\1\1\1\1~", "a\1\1\1\1\1\1b"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct flm_text back = {0};
        assert_false(flm_letters_decode(flm_bytes_of(bad[i]), &back));
        flm_text_clear(&back);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_any_size_come_back),
        cmocka_unit_test(letters_mean_nothing_in_a_page),
        cmocka_unit_test(they_stay_what_they_are),
        cmocka_unit_test(what_is_no_letter_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
