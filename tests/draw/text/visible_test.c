#include "draw/text/visible.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/text/function_name.h"

#include "support/core/random.h"
#include "support/profile/xml.h"

static void assert_plain(const char *name, size_t size, const char *expected)
{
    struct flm_text scratch = {0};
    struct flm_bytes plain = flm_plain((struct flm_bytes){name, size}, &scratch);
    assert_int_equal(plain.size, strlen(expected));
    assert_memory_equal(plain.at, expected, plain.size);
    flm_text_clear(&scratch);
}

static void ordinary_names_stay_as_they_are(void **state)
{
    (void)state;
    static const char name[] = "n\xC3\xA9o::f<int>(char const*) \xE6\xB5\x8B\xF0\x9F\x94\xA5";
    struct flm_text scratch = {0};
    struct flm_bytes plain = flm_plain(flm_bytes_of(name), &scratch);
    assert_ptr_equal(plain.at, name);
    assert_null(scratch.at);
}

static void control_characters_show_their_pictures(void **state)
{
    (void)state;
    assert_plain("a\0b", 3,
                 "a\xE2\x90\x80"
                 "b");
    assert_plain("\x1B[31m\t\n\x7F", 8, "\xE2\x90\x9B[31m\xE2\x90\x89\xE2\x90\x8A\xE2\x90\xA1");
}

static void bytes_that_are_not_text_become_the_replacement_character(void **state)
{
    (void)state;
    static const char *const names[] = {
        "\xFF",             /* no UTF-8 */
        "\xC3",             /* cut off */
        "\xED\xA0\x80",     /* a surrogate */
        "\xEF\xBF\xBE",     /* U+FFFE */
        "\xF0\x9F\xBF\xBF", /* U+1FFFF */
        "\xC2\x85",         /* C1 */
        "\xE2\x80\xAE",     /* turns the direction of writing */
        "\xE2\x80\x8B",     /* without width */
        "\xE2\x80\xA8",     /* ends a line */
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct flm_text scratch = {0};
        struct flm_bytes plain = flm_plain(flm_bytes_of(names[i]), &scratch);
        assert_true(flm_bytes_start_with(plain, "\xEF\xBF\xBD"));
        flm_text_clear(&scratch);
    }
}

static void long_names_are_cut_and_say_how_much(void **state)
{
    (void)state;
    static char name[2000000];
    memset(name, 'x', sizeof name);
    name[0] = 'a';
    name[sizeof name - 1] = 'z';
    struct flm_text scratch = {0};
    struct flm_bytes plain = flm_plain((struct flm_bytes){name, sizeof name}, &scratch);
    assert_true(plain.size < FLM_PLAIN_LIMIT + 60);
    assert_true(plain.at[0] == 'a' && plain.at[plain.size - 1] == 'z');
    flm_text_putc(&scratch, 0);
    assert_non_null(strstr(scratch.at, "[... 1996000 bytes ...]"));
    flm_text_clear(&scratch);
}

static void any_bytes_become_valid_xml(void **state)
{
    (void)state;
    uint64_t random = 3;
    struct flm_text scratch = {0}, out = {0};
    for (int i = 0; i < 20000; i++) {
        static const unsigned char spice[] = {0xEF, 0xBF, 0xBE, 0xED, 0xA0, 0xE2, 0x80, 0xF4,
                                              '<',  '>',  '&',  ']',  '"',  0,    0xC2, '-'};
        char name[24];
        size_t size = random_below(&random, sizeof name + 1);
        for (size_t k = 0; k < size; k++)
            name[k] = (char)(random_below(&random, 3) ? spice[random_below(&random, 16)]
                                                      : random_below(&random, 256));
        out.size = 0;
        flm_text_puts(&out, "<a b=\"");
        flm_xml_add(&out, flm_plain((struct flm_bytes){name, size}, &scratch));
        flm_text_puts(&out, "\">");
        flm_xml_add(&out, flm_plain((struct flm_bytes){name, size}, &scratch));
        flm_text_puts(&out, "</a>");
        assert_xml((struct flm_bytes){out.at, out.size});
        assert_null(memchr(out.at, '\n', out.size));
    }
    flm_text_clear(&scratch);
    flm_text_clear(&out);
}

/* Names of templates may have ten thousand letters, of which a few name the function. */
static void a_name_that_is_too_long_keeps_its_function(void **state)
{
    (void)state;
    struct flm_text name = {0}, scratch = {0};
    flm_text_puts(&name, "std::tree<");
    for (size_t i = 0; i < 500; i++)
        flm_text_puts(&name, "std::pair<int, char>, ");
    flm_text_puts(&name, "int>::find(std::list<int>, ");
    flm_text_repeat(&name, 'x', 300);
    flm_text_puts(&name, ") const");
    struct flm_bytes plain = flm_plain((struct flm_bytes){name.at, name.size}, &scratch);
    assert_true(flm_bytes_are(plain, "std::tree<[... 11003 bytes ...]>::find([... 316 bytes ...]) "
                                     "const"));
    struct flm_name_parts parts = flm_name_parts(plain);
    assert_memory_equal(plain.at + parts.bare, "find", 4);
    assert_int_equal(parts.end - parts.bare, 4);
    name.at[name.size - 1] = '<'; /* the last bracket is never closed: no harm */
    plain = flm_plain((struct flm_bytes){name.at, name.size}, &scratch);
    assert_true(plain.size <= FLM_PLAIN_LIMIT && plain.size > 0);
    flm_text_clear(&name);
    flm_text_clear(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_that_is_too_long_keeps_its_function),
        cmocka_unit_test(ordinary_names_stay_as_they_are),
        cmocka_unit_test(control_characters_show_their_pictures),
        cmocka_unit_test(bytes_that_are_not_text_become_the_replacement_character),
        cmocka_unit_test(long_names_are_cut_and_say_how_much),
        cmocka_unit_test(any_bytes_become_valid_xml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
