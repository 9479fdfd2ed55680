#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "draw/color/theme.h"
#include "flamel/draw.h"
#include "support/core/failures.h"
#include "support/profile/profiles.h"

static const struct flm_svg_options plain = {.size = sizeof plain};

static uint32_t pixel_at(const struct flm_rgba *to, uint32_t x, uint32_t y)
{
    const unsigned char *at = to->pixels + ((size_t)y * to->width + x) * 4;
    assert_int_equal(at[3], 255);
    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static bool block(void *context, uint32_t code, double size_px, bool bold, struct flm_glyph *glyph,
                  struct flm_error *why)
{
    static unsigned char ink[64 * 64];
    memset(ink, 255, sizeof ink);
    (void)code, (void)bold, (void)why;
    ++*(int *)context;
    *glyph = (struct flm_glyph){size_px / 2, 0, -4, 4, 4, ink, 1};
    return true;
}

static void a_buffer_has_boxes_letters_and_the_page(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 3\n");
    int letters = 0;
    struct flm_rgba to = {
        .size = sizeof to, .width = 400, .height = 300, .glyphs = block, .context = &letters};
    to.pixels = malloc(400 * 300 * 4);
    memset(to.pixels, 7, 400 * 300 * 4);
    assert_true(flm_rgba_draw(p, &plain, &to, NULL));
    uint32_t page = flm_token_color(FLM_TOKEN_PAGE, false);
    assert_in_range(to.full_height, 44 + 3 * 19 + 24, 200);
    assert_int_equal(pixel_at(&to, 0, 0), page);
    assert_int_equal(pixel_at(&to, 399, 299), page); /* below the picture too */
    assert_true(pixel_at(&to, 200, 44 + 9) != page);
    assert_int_equal(pixel_at(&to, 11, 25), flm_token_color(FLM_TOKEN_TEXT, false)); /* title */
    assert_true(letters > 10);
    free(to.pixels);
    flm_profile_free(p);
}

static void the_scale_is_the_options(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 3\n");
    struct flm_rgba one = {.size = sizeof one, .width = 600},
                    two = {.size = sizeof two, .width = 1200};
    struct flm_svg_options twice = {.size = sizeof twice, .scale = 2};
    assert_true(flm_rgba_draw(p, &plain, &one, NULL));
    assert_true(flm_rgba_draw(p, &twice, &two, NULL));
    assert_int_equal(two.full_height, 2 * one.full_height);
    flm_profile_free(p);
}

static void a_small_buffer_is_a_part_of_the_picture(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 3\n");
    struct flm_rgba to = {.size = sizeof to, .width = 400, .height = 60};
    to.pixels = calloc(400 * 61, 4);
    assert_true(flm_rgba_draw(p, &plain, &to, NULL));
    assert_true(to.full_height > 60);
    for (int i = 0; i < 400 * 4; i++)
        assert_int_equal(to.pixels[400 * 60 * 4 + i], 0);
    free(to.pixels);
    flm_profile_free(p);
}

/* As a window is that is made smaller and smaller. */
static void nothing_is_drawn_without_a_width(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 3\n");
    unsigned char pixel[4] = {1, 2, 3, 4};
    struct flm_rgba to = {
        .size = sizeof to, .pixels = pixel, .width = 0, .height = 1, .full_height = 9};
    assert_true(flm_rgba_draw(p, &plain, &to, NULL));
    assert_int_equal(to.full_height, 0);
    assert_int_equal(pixel[0], 1);
    flm_profile_free(p);
}

static void invalid_buffers_are_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;read 3\n");
    struct flm_rgba to = {.width = 400}, narrow = {.size = sizeof to, .width = 3};
    struct flm_error why = {0};
    assert_false(flm_rgba_draw(p, &plain, &to, &why));
    assert_non_null(strstr(why.text, "the size of struct flm_rgba is 0"));
    assert_false(flm_rgba_draw(p, &plain, &narrow, &why));
    assert_non_null(strstr(why.text, "width"));
    flm_profile_free(p);
}

static bool draw(void *context, struct flm_error *why)
{
    static uint32_t memory[300 * 100];
    int letters = 0;
    struct flm_rgba to = {.size = sizeof to,
                          .pixels = (unsigned char *)memory,
                          .width = 300,
                          .height = 100,
                          .glyphs = block,
                          .context = &letters};
    return flm_rgba_draw(context, &plain, &to, why);
}

static void drawing_survives_failed_allocations(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main;a\x01_[k] 3\nmain;b 1\n");
    assert_true(assert_survives_failures(draw, p) > 8);
    flm_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_has_boxes_letters_and_the_page),
        cmocka_unit_test(the_scale_is_the_options),
        cmocka_unit_test(a_small_buffer_is_a_part_of_the_picture),
        cmocka_unit_test(nothing_is_drawn_without_a_width),
        cmocka_unit_test(invalid_buffers_are_refused),
        cmocka_unit_test(drawing_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
