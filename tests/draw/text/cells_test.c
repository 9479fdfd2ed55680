#include "draw/text/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support/core/random.h"

#define ELLIPSIS "\xE2\x80\xA6"

static void letters_take_one_cell_and_wide_ones_two(void **state)
{
    (void)state;
    assert_int_equal(flm_cells(flm_bytes_of("")).cells, 0);
    assert_int_equal(flm_cells(flm_bytes_of("main")).cells, 4);
    assert_int_equal(flm_cells(flm_bytes_of("gr\xC3\xBC\xC3\x9F"
                                            "e"))
                         .cells,
                     5);
    assert_int_equal(flm_cells(flm_bytes_of("\xE6\xBC\xA2\xE5\xAD\x97")).cells,
                     4);                                                    /* two Han letters */
    assert_int_equal(flm_cells(flm_bytes_of("\xF0\x9F\x94\xA5")).cells, 2); /* a flame */
    assert_int_equal(flm_cells(flm_bytes_of(ELLIPSIS "\xE2\x96\x88\xE2\x94\x9C")).cells, 3);
}

static void an_accent_combines_with_the_letter_before_it(void **state)
{
    (void)state;
    assert_int_equal(flm_cells(flm_bytes_of("e\xCC\x81")).cells, 1);
}

static void pictures_of_control_characters_take_one_cell(void **state)
{
    (void)state;
    assert_int_equal(flm_character_cells(0x2400), 1);
    assert_int_equal(flm_character_cells(0xFFFD), 1);
}

static void the_ends_of_ranges_are_in_them(void **state)
{
    (void)state;
    static const uint32_t wide[] = {0x1100,  0x115F,  0x231A,  0x23F0,  0x26FD,  0x2E80, 0x303E,
                                    0x3041,  0x4E00,  0xAC00,  0xD7A3,  0xFF01,  0xFF60, 0x1F300,
                                    0x1F43E, 0x1F600, 0x1F64F, 0x1FAFF, 0x20000, 0x3FFFD};
    static const uint32_t usual[] = {0x20,   0x2FF,  0x10FF, 0x1160, 0x2328,  0x2E7F,
                                     0x303F, 0xABFF, 0xD7A4, 0xFF61, 0x2FFFFF};
    static const uint32_t none[] = {0x300, 0x36F, 0x20D0, 0xFE00, 0xFE0F, 0xE0100, 0xE01EF};
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        assert_int_equal(flm_character_cells(wide[i]), 2);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        assert_int_equal(flm_character_cells(usual[i]), 1);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(flm_character_cells(none[i]), 0);
}

static void assert_showable(const char *text, enum flm_charset charset, const char *expected)
{
    struct flm_text scratch = {0}, copy = {0};
    flm_text_add(&copy, flm_showable(flm_bytes_of(text), charset, &scratch));
    flm_text_putc(&copy, 0);
    assert_string_equal(copy.at, expected);
    flm_text_clear(&copy);
    flm_text_clear(&scratch);
}

static void control_characters_are_replaced(void **state)
{
    (void)state;
    assert_showable("a\x1b[31mb\n", FLM_CHARSET_UTF8, "a\xE2\x90\x9B[31mb\xE2\x90\x8A");
    assert_showable("a\x1b[31mb\n", FLM_CHARSET_PLAIN, "a\xE2\x90\x9B[31mb\xE2\x90\x8A");
    assert_showable("a\x1b[31mb\n", FLM_CHARSET_ASCII, "a?[31mb?");
}

static void an_ascii_terminal_gets_ascii(void **state)
{
    (void)state;
    assert_showable("12.4 \xC2\xB5s", FLM_CHARSET_ASCII, "12.4 us");
    assert_showable("gr\xC3\xBC"
                    "n e\xCC\x81",
                    FLM_CHARSET_ASCII, "gr?n e");
    assert_showable("\xFF", FLM_CHARSET_ASCII, "?");
    assert_showable("gr\xC3\xBCn", FLM_CHARSET_UTF8, "gr\xC3\xBCn");
}

static void assert_name(const char *name, size_t room, enum flm_charset charset,
                        const char *expected)
{
    struct flm_text out = {0};
    flm_cells_add_name(&out, flm_bytes_of(name), (struct flm_width){room}, charset);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

/* Its dots are no classes, and what is done with it stays where there is room. */
static void the_name_of_a_file_keeps_its_end(void **state)
{
    (void)state;
    assert_name("/var/log/app.log", 20, FLM_CHARSET_PLAIN, "/var/log/app.log");
    assert_name("/var/log/app.log", 10, FLM_CHARSET_PLAIN, "app.log");
    assert_name("/var/log/my-long-app.log", 12, FLM_CHARSET_UTF8, "my-lon\u2026p.log");
    assert_name("write /var/log/app.log", 14, FLM_CHARSET_PLAIN, "write app.log");
    assert_name("write /var/log/app.log", 8, FLM_CHARSET_PLAIN, "app.log");
    assert_name("write /var/log/my-long-app.log", 18, FLM_CHARSET_UTF8, "write my-lon\u2026p.log");
    assert_name("held by GET /users", 14, FLM_CHARSET_UTF8, "held by\u2026/users");
    assert_name("GET /users/{id}/orders/{order}", 20, FLM_CHARSET_UTF8,
                "GET /users\u2026s/{order}");
    assert_name("stdout (/dev/null)", 13, FLM_CHARSET_PLAIN, "stdout (null)");
    assert_name("net/http.serve", 8, FLM_CHARSET_PLAIN, "serve"); /* a function of Go */
}

static void a_name_keeps_its_most_important_part(void **state)
{
    (void)state;
    static const char name[] = "std::vector<int, std::allocator<int> >::push_back(int const&)";
    assert_name(name, 80, FLM_CHARSET_UTF8, name);
    assert_name(name, 60, FLM_CHARSET_UTF8, "std::vector<int, std::allocator<int> >::push_back");
    assert_name(name, 20, FLM_CHARSET_UTF8, "vector<" ELLIPSIS ">::push_back");
    assert_name(name, 20, FLM_CHARSET_ASCII, "push_back");
    assert_name(name, 22, FLM_CHARSET_ASCII, "vector<...>::push_back");
    assert_name(name, 18, FLM_CHARSET_UTF8, "push_back");
    assert_name(name, 8, FLM_CHARSET_UTF8, "push" ELLIPSIS "ack");
    assert_name(name, 8, FLM_CHARSET_ASCII, "pus...ck");
    assert_name(name, 4, FLM_CHARSET_UTF8, "push");
    assert_name(name, 0, FLM_CHARSET_UTF8, "");
}

static void assert_path(const char *path, size_t room, const char *expected)
{
    struct flm_text out = {0};
    flm_cells_add_path(&out, flm_bytes_of(path), (struct flm_width){room}, FLM_CHARSET_UTF8);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

static void assert_stack(const char *stack, size_t room, enum flm_charset charset,
                         const char *expected)
{
    struct flm_text out = {0};
    flm_cells_add_stack(&out, flm_bytes_of(stack), (struct flm_width){room}, charset);
    if (!flm_bytes_are((struct flm_bytes){out.at, out.size}, expected))
        fail_msg("%s in %zu: '%.*s', not '%s'", stack, room, (int)out.size, out.at, expected);
    flm_text_clear(&out);
}

static void a_stack_keeps_its_innermost_functions(void **state)
{
    (void)state;
    enum flm_charset utf8 = FLM_CHARSET_UTF8, ascii = FLM_CHARSET_ASCII;
    assert_stack("main;parse;lex", 14, utf8, "main;parse;lex");
    assert_stack("main;parse;lex", 13, utf8, ELLIPSIS ";parse;lex");
    assert_stack("main;parse;lex", 11, utf8, ELLIPSIS ";parse;lex");
    assert_stack("main;parse;lex", 10, utf8, ELLIPSIS ";lex");
    assert_stack("main;parse;lex", 13, ascii, "...;parse;lex");
    assert_stack("main;parse;lex", 12, ascii, "...;lex");
    /* The most important part of one that does not fit. */
    assert_stack("main;ns::Type::method(int)", 10, utf8, ELLIPSIS ";method");
    assert_stack("main;ns::Type::method(int)", 4, utf8, "meth");
    assert_stack("ns::Type::method(int)", 8, utf8, "method");
    assert_stack("", 3, utf8, "");
}

static void a_path_keeps_its_end(void **state)
{
    (void)state;
    assert_path("/usr/lib/libc.so.6", 20, "/usr/lib/libc.so.6");
    assert_path("/usr/lib/libc.so.6", 17, "libc.so.6");
    assert_path("/usr/lib/libc.so.6", 7, "lib" ELLIPSIS "o.6");
    assert_path("/usr/lib/", 5, "lib/");
    assert_path("", 5, "");
}

static void shortened_labels_fit(void **state)
{
    (void)state;
    static const char *const parts[] = {"a",         "bc",
                                        "::",        "<",
                                        ">",         "(",
                                        ")",         "/",
                                        ".",         " ",
                                        "\xC3\xBC",  "\xE6\xBC\xA2",
                                        "e\xCC\x81", "\xF0\x9F\x94\xA5",
                                        ";"};
    uint64_t random = 5;
    struct flm_text name = {0}, out = {0};
    for (int i = 0; i < 20000; i++) {
        name.size = out.size = 0;
        for (unsigned n = random_below(&random, 30); n > 0; n--)
            flm_text_puts(&name, parts[random_below(&random, 15)]);
        struct flm_bytes text = {name.at, name.size};
        size_t room = random_below(&random, 40);
        enum flm_charset charset = i % 2 ? FLM_CHARSET_UTF8 : FLM_CHARSET_PLAIN;
        if (i % 3 == 1)
            flm_cells_add_name(&out, text, (struct flm_width){room}, charset);
        else if (i % 3 == 2)
            flm_cells_add_stack(&out, text, (struct flm_width){room}, charset);
        else
            flm_cells_add_path(&out, text, (struct flm_width){room}, charset);
        struct flm_bytes shown = {out.at, out.size};
        assert_true(flm_cells(shown).cells <= room);
        if (flm_cells(text).cells <= room)
            assert_true(flm_bytes_equal(shown, text));
    }
    flm_text_clear(&name);
    flm_text_clear(&out);
}

static void assert_bar(double share, size_t room, const char *expected)
{
    struct flm_text out = {0};
    size_t cells = flm_cells_add_bar(&out, share, (struct flm_width){room}).cells;
    assert_int_equal(cells, flm_text_cells(&out).cells);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

static void a_bar_is_drawn_in_eighths_and_never_empty_for_a_share_above_0(void **state)
{
    (void)state;
    assert_bar(0, 4, "");
    assert_bar(1, 2, "\xE2\x96\x88\xE2\x96\x88");
    assert_bar(0.5, 1, "\xE2\x96\x8C");
    assert_bar(0.75, 2, "\xE2\x96\x88\xE2\x96\x8C");
    assert_bar(1e-9, 4, "\xE2\x96\x8F");
    assert_bar(7, 1, "\xE2\x96\x88");
    assert_bar(-1, 4, "");
    assert_bar(1, 0, "");
}

static void blanks_reach_a_column_and_never_go_back(void **state)
{
    (void)state;
    struct flm_text out = {0};
    flm_text_puts(&out, "\u043a\u044d\u0448");
    flm_cells_pad(&out, flm_text_cells(&out), (struct flm_width){5});
    assert_int_equal(flm_text_cells(&out).cells, 5);
    size_t size = out.size;
    flm_cells_pad(&out, flm_text_cells(&out), (struct flm_width){3});
    flm_cells_pad(&out, flm_text_cells(&out), (struct flm_width){5});
    assert_int_equal(out.size, size);
    flm_text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_take_one_cell_and_wide_ones_two),
        cmocka_unit_test(an_accent_combines_with_the_letter_before_it),
        cmocka_unit_test(pictures_of_control_characters_take_one_cell),
        cmocka_unit_test(the_ends_of_ranges_are_in_them),
        cmocka_unit_test(control_characters_are_replaced),
        cmocka_unit_test(an_ascii_terminal_gets_ascii),
        cmocka_unit_test(the_name_of_a_file_keeps_its_end),
        cmocka_unit_test(a_name_keeps_its_most_important_part),
        cmocka_unit_test(a_stack_keeps_its_innermost_functions),
        cmocka_unit_test(a_path_keeps_its_end),
        cmocka_unit_test(shortened_labels_fit),
        cmocka_unit_test(a_bar_is_drawn_in_eighths_and_never_empty_for_a_share_above_0),
        cmocka_unit_test(blanks_reach_a_column_and_never_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
