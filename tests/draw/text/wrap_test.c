#include "draw/text/wrap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void assert_lines(const char *lines, size_t width, const char *expected)
{
    struct flm_text out = {0};
    struct flm_table_style style = {.width = width};
    flm_lines_add(&out, flm_bytes_of(lines), &style, 2);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

static void lines_are_broken_between_words(void **state)
{
    (void)state;
    assert_lines("one two three\nfour\n", 8, "one two\n  three\nfour\n");
    assert_lines("one two three\nfour\n", 0, "one two three\nfour\n");
    assert_lines("abc  aligned", 12, "abc  aligned");
    assert_lines("abc  aligned", 11, "abc\n  aligned");
    assert_lines("", 9, "");
}

static void a_word_that_is_too_long_has_its_own_line(void **state)
{
    (void)state;
    assert_lines("enormous", 4, "enormous");
    assert_lines("a enormous b", 4,
                 "a enormous\n  b"); /* not worth a line: it has begun at `indent` */
    assert_lines("abc enormous b", 4, "abc\n  enormous\n  b");
}

static void words_are_as_wide_as_their_letters(void **state)
{
    (void)state;
    assert_lines("\u043a\u044d\u0448 \u043f\u0440\u043e \u043c\u0430\u0445", 7,
                 "\u043a\u044d\u0448 \u043f\u0440\u043e\n  \u043c\u0430\u0445");
    assert_lines("\u7f13\u5b58 \u672a\u547d", 8, "\u7f13\u5b58\n  \u672a\u547d"); /* 4 + 1 + 4 */
    assert_lines("\u7f13\u5b58 \u672a\u547d", 9, "\u7f13\u5b58 \u672a\u547d");
    assert_lines("e\u0301e\u0301 o\u0308o\u0308", 5,
                 "e\u0301e\u0301 o\u0308o\u0308"); /* 2 + 1 + 2 */
    assert_lines("\xFF\xFF\xFF \xFF\xFF", 5, "\xFF\xFF\xFF\n  \xFF\xFF");
}

static void tones_take_no_room(void **state)
{
    (void)state;
    assert_lines("\x1b[1mone\x1b[0m two\n", 7, "\x1b[1mone\x1b[0m two\n");
    assert_lines("one\x1b[1m two\x1b[0m\n", 6, "one\x1b[1m\n  two\x1b[0m\n");
    assert_lines("\xC2\xB5\xC2\xB5 \xC2\xB5", 4, "\xC2\xB5\xC2\xB5 \xC2\xB5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_broken_between_words),
        cmocka_unit_test(a_word_that_is_too_long_has_its_own_line),
        cmocka_unit_test(words_are_as_wide_as_their_letters),
        cmocka_unit_test(tones_take_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
