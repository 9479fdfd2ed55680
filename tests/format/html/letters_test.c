#include "format/html/letters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/text/utf.h"
#include "support/core/random.h"

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
        assert_int_equal(letters.size, 3 * ((size * 8 + 14) / 15));
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
    struct flm_bytes rest = {letters.at, letters.size};
    while (rest.size > 0) {
        uint16_t units[2];
        assert_int_equal(flm_utf16_take(&rest, units), 1);
        assert_true((units[0] >= 0x3400 && units[0] < 0xB400) ||
                    (rest.size == 0 && units[0] >= 0x2800 && units[0] < 0x2880));
    }
    flm_text_clear(&letters);
}

/* web/start.js decodes the same, and so will every flamel to come. */
static void they_stay_what_they_are(void **state)
{
    (void)state;
    struct flm_text letters = {0};
    flm_letters_add(&letters, flm_bytes_of("flamel\xFF\x01\x80"));
    flm_text_putc(&letters, 0);
    assert_string_equal(letters.at, "\352\201\246\350\273\202\346\226\225\344\217\273\343\260\200");
    flm_text_clear(&letters);
}

static void what_is_no_letter_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "a",                        /* no letter */
        "\xE3\x8F\xBF",             /* U+33FF: just before the first */
        "\xEB\x90\x80",             /* U+B400: just behind the last */
        "\xE3\x90",                 /* half of one */
        "\xE2\xA0\x80\xE3\x90\x80", /* the last, and one behind it */
        "\xE2\xA2\x80",             /* U+2880: a last one of eight bits */
        "\xE3\x90\x80\xE2\xA0\x82", /* bits that are of no byte */
    };
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
