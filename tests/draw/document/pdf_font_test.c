#include "draw/document/pdf_font.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void assert_string(const char *plain, const char *expected, uint32_t unknown)
{
    struct flm_text out = {0};
    assert_int_equal(flm_pdf_string_add(&out, flm_bytes_of(plain)), unknown);
    flm_text_putc(&out, 0);
    assert_string_equal(out.at, expected);
    flm_text_clear(&out);
}

static void strings_escape_their_ends(void **state)
{
    (void)state;
    assert_string("", "()", 0);
    assert_string("main", "(main)", 0);
    assert_string("f(int) \\", "(f\\(int\\) \\\\)", 0);
}

static void letters_are_bytes_of_winansi(void **state)
{
    (void)state;
    assert_string("\xC3\xA4\xE2\x80\xA6\xE2\x82\xAC\xE2\x80\x94", "(\xE4\x85\x80\x97)", 0);
    for (uint32_t code = ' '; code <= '~'; code++)
        assert_int_equal(flm_pdf_letter(code), code);
    for (uint32_t code = 0xA0; code <= 0xFF; code++)
        assert_int_equal(flm_pdf_letter(code), code);
    for (uint32_t code = 0; code < ' '; code++)
        assert_int_equal(flm_pdf_letter(code), 0);
    for (uint32_t code = 0x7F; code < 0xA0; code++)
        assert_int_equal(flm_pdf_letter(code), 0);
}

static void other_letters_are_spelt_or_counted(void **state)
{
    (void)state;
    assert_string("3 \xCF\x83 \xE2\x86\x92", "(3 sigma ->)", 0);
    assert_string("\xE4\xB8\x80\xFFz",
                  "(?"
                  "?z)",
                  2);
}

/* From Helvetica.afm and Helvetica-Bold.afm. */
static void widths_are_those_of_the_font(void **state)
{
    (void)state;
    static const struct {
        unsigned char letter;
        double regular, bold;
    } known[] = {{' ', 278, 278},  {'i', 222, 278},  {'W', 944, 944},    {'m', 833, 889},
                 {'@', 1015, 975}, {'~', 584, 584},  {0x85, 1000, 1000}, {0x96, 556, 556},
                 {0x9F, 667, 667}, {0xA9, 737, 737}, {0xC6, 1000, 1000}, {0xDF, 611, 611},
                 {0xEC, 278, 278}, {0xFF, 500, 556}, {0x91, 222, 278},   {0xB5, 556, 611}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_true(flm_pdf_letter_width(known[i].letter, false) == known[i].regular / 1000);
        assert_true(flm_pdf_letter_width(known[i].letter, true) == known[i].bold / 1000);
    }
}

static void labels_are_measured_with_it(void **state)
{
    (void)state;
    struct flm_font regular = flm_pdf_font(10, false), bold = flm_pdf_font(10, true);
    assert_true(fabs(flm_label_width(flm_bytes_of("mi"), &regular) - 10.55) < 1e-9);
    assert_true(fabs(flm_label_width(flm_bytes_of("mi"), &bold) - 11.67) < 1e-9);
    assert_true(fabs(flm_label_width(flm_bytes_of("\xE4\xB8\x80"), &regular) - 5.56) < 1e-9);
    assert_true(fabs(flm_label_width(flm_bytes_of("\xCF\x83"), &regular) -
                     flm_label_width(flm_bytes_of("sigma"), &regular)) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_escape_their_ends),
        cmocka_unit_test(letters_are_bytes_of_winansi),
        cmocka_unit_test(other_letters_are_spelt_or_counted),
        cmocka_unit_test(widths_are_those_of_the_font),
        cmocka_unit_test(labels_are_measured_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
