#include "draw/document/svg_sheet.h"

#include "support/profile/xml.h"

static size_t count_of(const char *in, const char *what)
{
    size_t count = 0;
    for (const char *at = in; (at = strstr(at, what)); at++)
        count++;
    return count;
}

static struct flm_text finished(struct flm_svg_sheet *sheet)
{
    struct flm_text *out = sheet->out;
    assert_true(flm_svg_sheet_end(sheet));
    assert_xml((struct flm_bytes){out->at, out->size});
    flm_text_putc(out, 0);
    return *out;
}

static void everything_that_can_be_drawn_is_sound_xml(void **state)
{
    (void)state;
    struct flm_text out = {0};
    struct flm_svg_sheet sheet;
    flm_svg_sheet_begin(&sheet, &out, 300, 200, flm_bytes_of("a < b & \"c\" \x01 \xFF"));
    struct flm_surface s = flm_svg_sheet_surface(&sheet);
    s.fill(s.context, 0, 0, 300, 200, 0xFFFFFF);
    s.fill_round(s.context, -1.5, 2, 10.25, 18, 0xAABBCC);
    for (int mark = 0; mark < FLM_MARK_COUNT; mark++)
        s.mark(s.context, 10, 20.0 * mark, 80, 18, (enum flm_mark)mark, 0x102030, 255);
    for (int texture = 1; texture < FLM_TEXTURE_COUNT; texture++)
        s.texture(s.context, 10, 20.0 * texture, 80, 18, (enum flm_texture)texture, 0x102031, 90);
    s.outline(s.context, 100, 10, 50, 18, 2, 0xFF0000);
    s.outline(s.context, 100, 10, 1, 18, 2, 0xFF0000);
    s.text(s.context, 100, 60, flm_bytes_of("std::vector<int>\x02\xC3"), 12, false, 0x102030);
    s.text(s.context, 100, 80, flm_bytes_of("Title"), 13, true, 0x102030);
    out = finished(&sheet);
    assert_non_null(
        strstr(out.at, "<title>a &lt; b &amp; &quot;c&quot; \xE2\x90\x81 \xEF\xBF\xBD"));
    assert_non_null(strstr(out.at, "width=\"300\" height=\"200\" viewBox=\"0 0 300 200\""));
    assert_non_null(strstr(out.at, "<rect x=\"-1.5\" y=\"2\" width=\"10.3\" height=\"18\" rx=\"2\" "
                                   "fill=\"#abc\"/>"));
    assert_non_null(
        strstr(out.at, "<text x=\"100\" y=\"60\" fill=\"#102030\">std::vector&lt;int&gt;\xE2\x90"
                       "\x82\xEF\xBF\xBD</text>"));
    assert_non_null(strstr(out.at, "font-size=\"13\" font-weight=\"600\""));
    /* The kernel's line is unbroken, five others have dashes; two marks are textures. */
    assert_int_equal(count_of(out.at, "stroke-opacity=\"0.55\""), 6);
    assert_int_equal(count_of(out.at, "stroke-dasharray"), 5);
    assert_int_equal(count_of(out.at, "<pattern "), 2 + FLM_TEXTURE_COUNT - 1);
    /* An outline is inside, and no thicker than the box. */
    assert_non_null(strstr(out.at, "<rect x=\"101\" y=\"11\" width=\"48\" height=\"16\" "
                                   "fill=\"none\" stroke-width=\"2\""));
    flm_text_clear(&out);
}

static void a_texture_is_defined_once_a_color(void **state)
{
    (void)state;
    struct flm_text out = {0};
    struct flm_svg_sheet sheet;
    flm_svg_sheet_begin(&sheet, &out, 300, 200, flm_bytes_of(""));
    struct flm_surface s = flm_svg_sheet_surface(&sheet);
    for (uint32_t i = 0; i < 10; i++)
        s.texture(s.context, 0, 0, 9, 9, FLM_TEXTURE_DOTS, i % 2, 255);
    flm_text_putc(&out, 0);
    assert_int_equal(count_of(out.at, "<pattern "), 2);
    assert_int_equal(count_of(out.at, "url(#flamel-texture-1)"), 5);
    out.size--;
    for (uint32_t i = 0; i < 100; i++) /* more than are remembered: again each time */
        s.texture(s.context, 0, 0, 9, 9, FLM_TEXTURE_DOTS, i, 255);
    out = finished(&sheet);
    assert_int_equal(count_of(out.at, "<pattern "), 100);
    assert_int_equal(count_of(out.at, "id=\"flamel-texture-99\""), 1);
    flm_text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_that_can_be_drawn_is_sound_xml),
        cmocka_unit_test(a_texture_is_defined_once_a_color),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
