#include "load/png.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "support/profile/profiles.h"

static bool collect(void *context, const void *bytes, size_t size)
{
    struct flm_text *text = context;
    flm_text_add(text, (struct flm_bytes){bytes, size});
    return !text->failed;
}

#ifndef FLAMEL_CAIRO

static void without_cairo_it_says_so(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_svg_options options = {.size = sizeof options};
    struct flm_error why;
    assert_false(flm_png_write(p, &options, collect, NULL, &why));
    assert_non_null(strstr(why.text, "without cairo"));
    flm_profile_free(p);
}

#else

#include <cairo.h>
#include <stdlib.h>

#include "draw/color/palette.h"
#include "draw/color/theme.h"

struct reading {
    struct flm_text png;
    size_t at;
};

static cairo_status_t next(void *context, unsigned char *bytes, unsigned size)
{
    struct reading *reading = context;
    if (reading->png.size - reading->at < size)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(bytes, reading->png.at + reading->at, size);
    reading->at += size;
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *png_of(const char *folded, struct flm_svg_options options)
{
    struct flm_profile *p = profile_of(folded);
    struct reading reading = {0};
    assert_true(flm_png_write(p, &options, collect, &reading.png, NULL));
    cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(next, &reading);
    assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    flm_text_clear(&reading.png);
    flm_profile_free(p);
    return surface;
}

static uint32_t pixel_at(cairo_surface_t *surface, int x, int y)
{
    uint32_t pixel;
    memcpy(&pixel,
           cairo_image_surface_get_data(surface) +
               (size_t)y * (size_t)cairo_image_surface_get_stride(surface) + 4 * (size_t)x,
           4);
    return pixel & 0xFFFFFF;
}

static int count_of(cairo_surface_t *surface, uint32_t rgb)
{
    int count = 0;
    for (int y = 0; y < cairo_image_surface_get_height(surface); y++)
        for (int x = 0; x < cairo_image_surface_get_width(surface); x++)
            count += pixel_at(surface, x, y) == rgb;
    return count;
}

static void a_picture_has_the_size_the_colors_and_letters(void **state)
{
    (void)state;
    cairo_surface_t *png =
        png_of("main;read 3\n",
               (struct flm_svg_options){.size = sizeof(struct flm_svg_options), .width_px = 600});
    assert_int_equal(cairo_image_surface_get_width(png), 600);
    assert_int_equal(cairo_image_surface_get_height(png), 44 + 3 * 19 + 24 + 4);
    assert_int_equal(pixel_at(png, 0, 0), flm_token_color(FLM_TOKEN_PAGE, false));
    struct flm_palette palette = {.colors = FLM_COLORS_MODULE};
    struct flm_tone tone =
        flm_palette_tone(&palette, flm_bytes_of("read"), (struct flm_bytes){"", 0}, FLM_KIND_PLAIN);
    assert_int_equal(pixel_at(png, 300, 44 + 9), tone.light);
    assert_true(count_of(png, tone.light) > 578 * 18 - 300);
    assert_true(count_of(png, tone.light) < 578 * 18 - 30); /* four letters stand on it */
    cairo_surface_destroy(png);
}

static void twice_the_scale_is_twice_the_pixels(void **state)
{
    (void)state;
    cairo_surface_t *png = png_of(
        "main;read 3\nmain;write 1\n",
        (struct flm_svg_options){
            .size = sizeof(struct flm_svg_options), .width_px = 600, .scale = 2, .dark = true});
    assert_int_equal(cairo_image_surface_get_width(png), 1200);
    assert_int_equal(cairo_image_surface_get_height(png), 2 * (44 + 3 * 19 + 24 + 4));
    assert_int_equal(pixel_at(png, 0, 0), flm_token_color(FLM_TOKEN_PAGE, true));
    struct flm_palette palette = {.colors = FLM_COLORS_MODULE};
    struct flm_tone tone = flm_palette_tone(&palette, flm_bytes_of("write"),
                                            (struct flm_bytes){"", 0}, FLM_KIND_PLAIN);
    assert_int_equal(pixel_at(png, 2 * 580, 2 * (44 + 9)), tone.dark);
    cairo_surface_destroy(png);
}

static void letters_of_every_script_are_drawn(void **state)
{
    (void)state;
    cairo_surface_t *png = png_of("\xCE\xB1\xCE\xB2\xCE\xB3\xCE\xB4;\xE4\xB8\x80\xE4\xB8\x81 3\n",
                                  (struct flm_svg_options){.size = sizeof(struct flm_svg_options),
                                                           .font_type = "'No Such Font', serif"});
    cairo_surface_destroy(png);
}

static void a_picture_of_too_many_pixels_is_refused(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_svg_options options = {.size = sizeof options, .width_px = 90000};
    struct flm_text png = {0};
    struct flm_error why;
    assert_false(flm_png_write(p, &options, collect, &png, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    assert_non_null(strstr(why.text, "a PNG of 90000 x 110 pixels is too large"));
    flm_text_clear(&png);
    flm_profile_free(p);
}

static bool refuse(void *context, const void *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return false;
}

static void a_sink_that_refuses_is_said(void **state)
{
    (void)state;
    struct flm_profile *p = profile_of("main 1\n");
    struct flm_svg_options options = {.size = sizeof options};
    struct flm_error why;
    assert_false(flm_png_write(p, &options, refuse, NULL, &why));
    assert_string_equal(why.text, "the output cannot be written");
    flm_profile_free(p);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef FLAMEL_CAIRO
        cmocka_unit_test(without_cairo_it_says_so),
#else
        cmocka_unit_test(a_picture_has_the_size_the_colors_and_letters),
        cmocka_unit_test(twice_the_scale_is_twice_the_pixels),
        cmocka_unit_test(letters_of_every_script_are_drawn),
        cmocka_unit_test(a_picture_of_too_many_pixels_is_refused),
        cmocka_unit_test(a_sink_that_refuses_is_said),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
