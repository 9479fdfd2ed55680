#include "draw/document/pixel_surface.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"

static const struct flm_rectangles nothing = {0};

struct font {
    int calls;
    double largest_px;
    bool refuses;
};

/* Every letter is a black box, as wide as half its size. */
static bool rasterize(void *context, uint32_t code, double size_px, bool bold,
                      struct flm_glyph *glyph, struct flm_error *why)
{
    static uint8_t black[100 * 100];
    struct font *font = context;
    (void)code, (void)bold;
    font->calls++;
    font->largest_px = size_px > font->largest_px ? size_px : font->largest_px;
    if (font->refuses)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "no font");
    memset(black, 255, sizeof black);
    *glyph = (struct flm_glyph){
        size_px / 2, 0, (int)-size_px / 2, (int)size_px / 2, (int)size_px / 2, black, 1};
    return true;
}

static struct flm_document titled(double scale)
{
    struct flm_document document = flm_document_new(200, false);
    document.scale = scale;
    document.title = flm_document_add_text(&document, flm_bytes_of("ab"));
    struct flm_document_pane *pane = flm_document_add_pane(&document);
    assert_non_null(pane);
    pane->list = &nothing;
    return document;
}

static size_t ink_of(const struct flm_pixels *pixels, uint32_t page)
{
    size_t ink = 0;
    for (size_t i = 0; i < (size_t)pixels->width * pixels->height; i++)
        ink += (pixels->at[i] & 0xFFFFFF) != __builtin_bswap32(page << 8);
    return ink;
}

static size_t painted_ink(double scale, flm_glyph_source source, struct font *font)
{
    struct flm_document document = titled(scale);
    struct flm_pixel_surface surface;
    assert_true(flm_pixel_surface_init(&surface, &document, source, font, NULL));
    assert_true(flm_pixel_surface_lay_out(&surface, NULL));
    uint32_t width = (uint32_t)(200 * scale), height = (uint32_t)(document.height_px * scale);
    uint32_t *memory = malloc((size_t)width * height * sizeof *memory);
    struct flm_pixels pixels = flm_pixels_of(memory, width, height);
    assert_true(flm_pixel_surface_paint(&surface, pixels, NULL));
    size_t ink = ink_of(&pixels, document.page);
    flm_pixel_surface_clear(&surface);
    flm_document_clear(&document);
    free(memory);
    return ink;
}

static void each_letter_is_rasterized_once_and_painted(void **state)
{
    (void)state;
    struct font font = {0};
    assert_int_equal(painted_ink(1, rasterize, &font), 2 * 6 * 6);
    assert_int_equal(font.calls, 2);
    assert_true(font.largest_px == 13);
}

static void letters_are_rasterized_in_device_pixels(void **state)
{
    (void)state;
    struct font font = {0};
    assert_int_equal(painted_ink(2, rasterize, &font), 2 * 13 * 13);
    assert_true(font.largest_px == 26);
}

static void without_a_source_there_are_no_letters(void **state)
{
    (void)state;
    assert_int_equal(painted_ink(1, NULL, NULL), 0);
}

static bool lay_out(void *context, struct flm_error *why)
{
    struct font font = {.refuses = context != NULL};
    struct flm_document document = flm_document_new(200, false);
    struct flm_pixel_surface surface;
    document.title = flm_document_add_text(&document, flm_bytes_of("ab"));
    bool good = flm_pixel_surface_init(&surface, &document, rasterize, &font, why) &&
                flm_pixel_surface_lay_out(&surface, why);
    flm_pixel_surface_clear(&surface);
    flm_document_clear(&document);
    return good;
}

static void failures_are_passed_on(void **state)
{
    (void)state;
    struct flm_error why = {0};
    int refuses = 1;
    assert_false(lay_out(&refuses, &why));
    assert_string_equal(why.text, "no font");
    assert_true(assert_survives_failures(lay_out, NULL) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_letter_is_rasterized_once_and_painted),
        cmocka_unit_test(letters_are_rasterized_in_device_pixels),
        cmocka_unit_test(without_a_source_there_are_no_letters),
        cmocka_unit_test(failures_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
