#include "base/encode/base91.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"

static void the_letters_are_those_of_the_header(void **state)
{
    (void)state;
    /* By hand: 0x61 is 97 = 1 * 91 + 6; 63 is above '<' - '#'; 0xFF 0xFF are 8191 = 90 * 91 + 1,
     * and three bits more: 7. */
    static const char *const examples[][2] = {
        {"", ""},
        {"a", ")$"},
        {"\x3F", "c#"},
        {"\xFF\xFF", "$~*"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct flm_text text = {0}, back = {0};
        flm_base91_add(&text, flm_bytes_of(examples[i][0]));
        assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, examples[i][1]));
        assert_true(flm_base91_decode((struct flm_bytes){text.at, text.size}, &back));
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
            bytes[i] = (char)(size % 3 ? random_next(&random) : size % 2 ? 0xFF : 0);
        struct flm_text text = {0}, back = {0};
        flm_text_puts(&text, "=");
        flm_text_puts(&back, "kept");
        flm_base91_add(&text, (struct flm_bytes){bytes, size});
        size_t rest = size * 8 % 13;
        assert_int_equal(text.size - 1, size * 8 / 13 * 2 + (rest > 0) + (rest > 6));
        for (size_t i = 1; i < text.size; i++)
            assert_true(text.at[i] >= '#' && text.at[i] <= '~' && text.at[i] != '<');
        assert_true(flm_base91_decode((struct flm_bytes){text.at + 1, text.size - 1}, &back));
        assert_int_equal(back.size - 4, size);
        assert_memory_equal(back.at, "kept", 4);
        assert_true(size == 0 || memcmp(back.at + 4, bytes, size) == 0);
        flm_text_clear(&text);
        flm_text_clear(&back);
    }
}

/* Whatever is decoded is what encoding the result gives: no text has the bytes of another. */
static void no_other_text_is_decoded(void **state)
{
    (void)state;
    uint64_t random = 7;
    size_t decoded = 0, refused = 0;
    for (int i = 0; i < 200000; i++) {
        char letters[6];
        size_t size = (size_t)(random_next(&random) % (sizeof letters + 1));
        for (size_t at = 0; at < size; at++)
            letters[at] = (char)(random_next(&random) % 8 ? '#' + random_next(&random) % 92
                                                          : random_next(&random) % 256);
        struct flm_text back = {0}, again = {0};
        if (flm_base91_decode((struct flm_bytes){letters, size}, &back)) {
            flm_base91_add(&again, (struct flm_bytes){back.at, back.size});
            assert_int_equal(again.size, size);
            assert_true(size == 0 || memcmp(again.at, letters, size) == 0);
            decoded++;
        } else {
            refused++;
        }
        flm_text_clear(&back);
        flm_text_clear(&again);
    }
    assert_true(decoded > 1000 && refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_letters_are_those_of_the_header),
        cmocka_unit_test(bytes_of_any_size_come_back),
        cmocka_unit_test(no_other_text_is_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
