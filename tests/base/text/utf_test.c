#include "base/text/utf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"

/* The UTF-16 text in UTF-8, in room of exactly what flm_utf16_room promises. */
static void assert_converts(const char *utf16, size_t size, enum flm_utf16 order,
                            const char *expected)
{
    char *from = malloc(size ? size : 1), *to = malloc(flm_utf16_room(size));
    assert_non_null(from);
    assert_non_null(to);
    memcpy(from, utf16, size);
    size_t made = flm_utf16_convert((struct flm_bytes){from, size}, order, to);
    assert_true(made <= flm_utf16_room(size));
    if (!flm_bytes_are((struct flm_bytes){to, made}, expected))
        fail_msg("it became '%.*s', not '%s'", (int)made, to, expected);
    free(from);
    free(to);
}

static void a_byte_order_mark_gives_the_order(void **state)
{
    (void)state;
    assert_int_equal(flm_utf16_detect((struct flm_bytes){"\xFF\xFE", 2}), FLM_UTF16_LITTLE);
    assert_int_equal(flm_utf16_detect((struct flm_bytes){"\xFE\xFFx", 3}), FLM_UTF16_BIG);
    assert_int_equal(flm_utf16_detect((struct flm_bytes){"\xFF", 1}), FLM_UTF16_NOT);
    assert_int_equal(flm_utf16_detect((struct flm_bytes){NULL, 0}), FLM_UTF16_NOT);
}

static void text_without_a_mark_is_known_by_its_zeros(void **state)
{
    (void)state;
    assert_int_equal(flm_utf16_detect((struct flm_bytes){"a\0;\0b\0 \0", 8}), FLM_UTF16_LITTLE);
    assert_int_equal(flm_utf16_detect((struct flm_bytes){"\0a\0;\0b\0 ", 8}), FLM_UTF16_BIG);
    /* Too short, or not every second byte is 0. */
    assert_int_equal(flm_utf16_detect((struct flm_bytes){"a\0b\0", 4}), FLM_UTF16_NOT);
    assert_int_equal(flm_utf16_detect((struct flm_bytes){"a\0b\0cdd\0", 8}), FLM_UTF16_NOT);
    assert_int_equal(flm_utf16_detect((struct flm_bytes){"\0\0\0\0\0\0\0\0", 8}), FLM_UTF16_NOT);
    assert_int_equal(flm_utf16_detect(flm_bytes_of("main;read 42")), FLM_UTF16_NOT);
}

static void both_orders_become_utf8_without_the_mark(void **state)
{
    (void)state;
    assert_converts("a\0\xBB\x03", 4, FLM_UTF16_LITTLE, "a\xCE\xBB");
    assert_converts("\0a\x03\xBB", 4, FLM_UTF16_BIG, "a\xCE\xBB");
    assert_converts("\xFF\xFE"
                    "a\0",
                    4, FLM_UTF16_LITTLE, "a");
    assert_converts("\xFE\xFF\0a", 4, FLM_UTF16_BIG, "a");
    assert_converts("\xAC\x20\xFF\xFE", 4, FLM_UTF16_LITTLE, "\xE2\x82\xAC\xEF\xBB\xBF");
    assert_converts("", 0, FLM_UTF16_LITTLE, "");
    assert_converts("a\0b", 3, FLM_UTF16_LITTLE, "a"); /* half a unit is none */
    assert_converts("a", 1, FLM_UTF16_BIG, "");
}

static void pairs_are_one_character_and_halves_are_marked(void **state)
{
    (void)state;
    assert_converts("\x3D\xD8\x25\xDD", 4, FLM_UTF16_LITTLE, "\xF0\x9F\x94\xA5");
    assert_converts("\xDB\xFF\xDF\xFF", 4, FLM_UTF16_BIG, "\xF4\x8F\xBF\xBF");
    assert_converts("\xD8\x3D", 2, FLM_UTF16_BIG, "\xEF\xBF\xBD");
    assert_converts("\xD8\x3D\0a", 4, FLM_UTF16_BIG,
                    "\xEF\xBF\xBD"
                    "a");
    assert_converts("\xDD\x25\xD8\x3D", 4, FLM_UTF16_BIG, "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_converts("\xD8\x3D\xE0\x00", 4, FLM_UTF16_BIG, "\xEF\xBF\xBD\xEE\x80\x80");
    assert_converts("\xD8\x3D\xDB\xFF", 4, FLM_UTF16_BIG, "\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_converts("\xD8\x3D\xD8\x3D\xDD\x25", 6, FLM_UTF16_BIG, "\xEF\xBF\xBD\xF0\x9F\x94\xA5");
}

static void whatever_it_is_it_becomes_utf8(void **state)
{
    (void)state;
    uint64_t random = 5;
    char from[64], to[100];
    for (int round = 0; round < 20000; round++) {
        size_t size = random_below(&random, 33);
        for (size_t i = 0; i < size; i++)
            from[i] = (char)(random_below(&random, 3) ? 0xD8 + random_below(&random, 8)
                                                      : random_next(&random) & 255);
        assert_true(flm_utf16_room(size) <= sizeof to);
        struct flm_bytes left = {to, flm_utf16_convert((struct flm_bytes){from, size},
                                                       round & 1 ? FLM_UTF16_BIG : FLM_UTF16_LITTLE,
                                                       to)};
        while (left.size) {
            uint32_t code;
            size_t step = flm_utf8_sequence(left, &code);
            assert_in_range(step, 1, 4);
            left = (struct flm_bytes){left.at + step, left.size - step};
        }
    }
}

/* The sequence of a character, by the definition of UTF-8. */
static size_t encode(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)((0xF00 >> size & 0xFF) | code);
    return size;
}

static void every_character_has_one_sequence(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x110000; code++) {
        char to[4];
        uint32_t read = 1;
        size_t size = encode(code, to);
        bool is_one = code < 0xD800 || (code > 0xDFFF && code < 0x110000);
        size_t got = flm_utf8_sequence((struct flm_bytes){to, size}, &read);
        if (got != (is_one ? size : 0) || (is_one && read != code))
            fail_msg("U+%X: a sequence of %zu bytes, %X", code, got, read);
        if (is_one && size > 1 && flm_utf8_sequence((struct flm_bytes){to, size - 1}, &read) != 0)
            fail_msg("U+%X: cut off, and still read", code);
    }
}

static void invalid_sequences_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\x80",
        "\xBF",
        "\xC0\x80",
        "\xC1\xBF",
        "\xE0\x80\x80",
        "\xE0\x9F\xBF",
        "\xF0\x80\x80\x80",
        "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80",
        "\xFF",
        "\xFE",
        "\xC3(",
        "\xE2\x82(",
        "\xE2(\x82",
        "\xF0\x9F\x94(",
    };
    uint32_t code;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(flm_utf8_sequence(flm_bytes_of(bad[i]), &code), 0);
    assert_int_equal(flm_utf8_sequence((struct flm_bytes){NULL, 0}, &code), 0);
    assert_int_equal(flm_utf8_sequence((struct flm_bytes){"\0", 1}, &code), 1);
}

static void a_character_that_was_put_is_read_again(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x110000; code++) {
        char bytes[4];
        uint32_t read = 0;
        size_t size = flm_utf8_put(code, bytes);
        if (code >= 0xD800 && code < 0xE000)
            continue;
        assert_int_equal(flm_utf8_sequence((struct flm_bytes){bytes, size}, &read), size);
        assert_int_equal(read, code);
    }
}

static void what_hides_or_is_obeyed_becomes_a_question_mark(void **state)
{
    (void)state;
    static const struct {
        const char *text, *masked;
    } tried[] = {
        {"", ""},
        {"main", "main"},
        {"\u043a\u044d\u0448 \u7f13 \U0001F525", "\u043a\u044d\u0448 \u7f13 \U0001F525"},
        {"a\x1b[2J\r\n\x7F", "a?[2J???"},
        {"a\xC2\x9B"
         "2J",
         "a?2J"}, /* CSI as one character */
        {"a\x9B"
         "2J",
         "a?2J"}, /* and as one byte */
        {"\u061C\u200E\u200F", "???"},
        {"\u202A\u202B\u202C\u202D\u202E", "?????"},
        {"\u2066\u2067\u2068\u2069", "????"},
        {"a\u2028b\u2029c", "a?b?c"},
        {"cache\xD0", "cache?"},
    };
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        char text[64];
        size_t size = strlen(tried[i].text);
        memcpy(text, tried[i].text, size);
        text[flm_utf8_mask_hidden(text, size)] = 0;
        assert_string_equal(text, tried[i].masked);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_character_that_was_put_is_read_again),
        cmocka_unit_test(a_byte_order_mark_gives_the_order),
        cmocka_unit_test(text_without_a_mark_is_known_by_its_zeros),
        cmocka_unit_test(both_orders_become_utf8_without_the_mark),
        cmocka_unit_test(pairs_are_one_character_and_halves_are_marked),
        cmocka_unit_test(whatever_it_is_it_becomes_utf8),
        cmocka_unit_test(every_character_has_one_sequence),
        cmocka_unit_test(invalid_sequences_are_refused),
        cmocka_unit_test(what_hides_or_is_obeyed_becomes_a_question_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
