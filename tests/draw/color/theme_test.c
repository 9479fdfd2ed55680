#include "draw/color/theme.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "draw/color/palette.h"
#include "support/core/files.h"
#include "support/profile/colors.h"

static void text_can_be_read_on_the_page_and_on_panels(void **state)
{
    (void)state;
    static const enum flm_token grounds[] = {FLM_TOKEN_PAGE, FLM_TOKEN_PANEL, FLM_TOKEN_CHIP};
    for (int dark = 0; dark < 2; dark++)
        for (int i = 0; i < 3; i++) {
            uint32_t ground = flm_token_color(grounds[i], dark);
            assert_true(color_contrast(flm_token_color(FLM_TOKEN_TEXT, dark), ground) >= 7);
            assert_true(color_contrast(flm_token_color(FLM_TOKEN_MUTED, dark), ground) >= 4.5);
            assert_true(color_contrast(flm_token_color(FLM_TOKEN_ACCENT, dark), ground) >= 4.5);
        }
}

static void searches_differ_in_every_vision(void **state)
{
    (void)state;
    for (int dark = 0; dark < 2; dark++)
        for (unsigned a = 0; a < FLM_SEARCH_COLORS; a++)
            for (unsigned b = 0; b < a; b++)
                for (int vision = 0; vision < COLOR_VISIONS; vision++)
                    assert_true(color_distance(flm_search_color_of(a, dark),
                                               flm_search_color_of(b, dark), vision) > 0.12);
    assert_int_equal(flm_search_color_of(FLM_SEARCH_COLORS, false), flm_search_color_of(0, false));
}

static void search_colors_stand_out_from_the_page_and_from_frames(void **state)
{
    (void)state;
    for (int dark = 0; dark < 2; dark++)
        for (unsigned search = 0; search < FLM_SEARCH_COLORS; search++) {
            uint32_t color = flm_search_color_of(search, dark);
            assert_true(color_contrast(color, flm_token_color(FLM_TOKEN_PAGE, dark)) >= 3);
            for (uint32_t hue = 0; hue < FLM_HUES; hue++) {
                struct flm_tone tone = flm_hue_tone(hue, 1);
                for (int vision = 0; vision < COLOR_VISIONS; vision++)
                    assert_true(color_distance(color, dark ? tone.dark : tone.light, vision) >
                                0.075);
            }
        }
}

static void lit_letters_can_be_read(void **state)
{
    (void)state;
    assert_true(color_contrast(FLM_SEARCH_LIT, FLM_INK_DARK_ON_LIGHT) >= 7);
    assert_true(color_contrast(FLM_SEARCH_LIT, FLM_INK_DARK_ON_DARK) >= 7);
}

static void the_tokens_as_css(void **state)
{
    (void)state;
    struct flm_text css = {0};
    flm_theme_css_add(&css, true);
    flm_text_putc(&css, 0);
    assert_string_equal(css.at, "--page:#16171a;--panel:#1c1e22;--line:#2d3036;--text:#ececee;"
                                "--muted:#9da3ab;--accent:#7aaeff;--chip:#232a38;");
    flm_text_clear(&css);
}

/* The value of the token whose "--name:value;" begins at *css, which moves after it. */
static struct flm_bytes next_value(const char **css, struct flm_bytes *name)
{
    const char *colon = strchr(*css, ':'), *end = strchr(*css, ';');
    *name = (struct flm_bytes){*css, (size_t)(colon - *css)};
    struct flm_bytes value = {colon + 1, (size_t)(end - colon - 1)};
    *css = end + 1;
    return value;
}

/* The page has its colors as text, so that its first picture has them, under any policy. */
static void the_page_has_the_same_colors(void **state)
{
    (void)state;
    struct flm_text light = {0}, dark = {0};
    struct flm_text page = read_file("web/page.css"), start = read_file("web/start.css");
    flm_theme_css_add(&light, false);
    flm_theme_css_add(&dark, true);
    struct flm_text *const texts[] = {&light, &dark, &page, &start};
    for (int i = 0; i < 4; i++)
        flm_text_putc(texts[i], 0);
    const char *on_light = light.at, *on_dark = dark.at;
    for (int token = 0; token < FLM_TOKEN_COUNT; token++) {
        struct flm_bytes name;
        struct flm_bytes dark_value = next_value(&on_dark, &name);
        struct flm_bytes light_value = next_value(&on_light, &name);
        char expected[80];
        snprintf(expected, sizeof expected, "%.*s: light-dark(%.*s, %.*s)", (int)name.size, name.at,
                 (int)light_value.size, light_value.at, (int)dark_value.size, dark_value.at);
        if (!strstr(page.at, expected))
            fail_msg("web/page.css lacks %s", expected);
        if (token == FLM_TOKEN_PAGE)
            assert_non_null(strstr(start.at, strchr(expected, ' ')));
    }
    for (int i = 0; i < 4; i++)
        flm_text_clear(texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_can_be_read_on_the_page_and_on_panels),
        cmocka_unit_test(searches_differ_in_every_vision),
        cmocka_unit_test(search_colors_stand_out_from_the_page_and_from_frames),
        cmocka_unit_test(lit_letters_can_be_read),
        cmocka_unit_test(the_tokens_as_css),
        cmocka_unit_test(the_page_has_the_same_colors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
