#include "draw/raster/atlas.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/failures.h"

static const enum flm_weight regular = FLM_WEIGHT_REGULAR, bold = FLM_WEIGHT_BOLD;

static struct flm_atlas *new_atlas(double size_px)
{
    struct flm_atlas *atlas = flm_atlas_new(size_px, NULL);
    assert_non_null(atlas);
    return atlas;
}

/* A letter of 2 x 3 black pixels on the base line, and 5 px wide. */
static bool add_block(struct flm_atlas *atlas, uint32_t code, enum flm_weight weight, int columns)
{
    static uint8_t coverage[8 * 3];
    memset(coverage, 255, sizeof coverage);
    struct flm_glyph glyph = {5, columns, -3, 2 * columns, 3, coverage, columns};
    return flm_atlas_add(atlas, code, weight, &glyph);
}

static void requested_letters_are_missing_once(void **state)
{
    (void)state;
    struct flm_atlas *atlas = new_atlas(10);
    assert_int_equal(flm_atlas_missing(atlas, regular), 0);
    flm_atlas_width(atlas,
                    flm_bytes_of("a\xC3\xA4"
                                 "ba"),
                    regular);
    flm_atlas_advance(atlas, 'z', bold);
    assert_int_equal(flm_atlas_missing(atlas, regular), 'a');
    assert_int_equal(flm_atlas_missing(atlas, regular), 0xE4);
    assert_int_equal(flm_atlas_missing(atlas, regular), 'b');
    assert_int_equal(flm_atlas_missing(atlas, regular), 0);
    flm_atlas_width(atlas, flm_bytes_of("ab"), regular);
    assert_int_equal(flm_atlas_missing(atlas, regular), 0);
    assert_int_equal(flm_atlas_missing(atlas, bold), 'z');
    flm_atlas_free(atlas);
}

static void added_letters_are_not_missing(void **state)
{
    (void)state;
    struct flm_atlas *atlas = new_atlas(10);
    assert_true(add_block(atlas, 'a', regular, 1));
    assert_true(add_block(atlas, 0x4E00, regular, 1));
    flm_atlas_width(atlas, flm_bytes_of("a\xE4\xB8\x80"), regular);
    assert_int_equal(flm_atlas_missing(atlas, regular), 0);
    assert_true(flm_atlas_advance(atlas, 'a', regular) == 5);
    assert_true(flm_atlas_advance(atlas, 0x4E00, regular) == 5);
    flm_atlas_free(atlas);
}

static void a_missing_letter_is_as_wide_as_in_a_label(void **state)
{
    (void)state;
    struct flm_atlas *atlas = new_atlas(10);
    struct flm_font font = {.size_px = 10}, ours = flm_atlas_font(atlas, regular);
    struct flm_bytes text = flm_bytes_of("main(\xFF\xE2\x80\xA6)");
    double width = flm_atlas_width(atlas, text, regular);
    assert_true(width > 40 && fabs(width - flm_label_width(text, &ours)) < 1e-9);
    assert_true(flm_atlas_advance(atlas, 'm', regular) ==
                flm_label_width(flm_bytes_of("m"), &font));
    flm_atlas_free(atlas);
}

enum { WIDTH = 16, HEIGHT = 8 };

static void assert_drawn(int columns, double x, const char *expected)
{
    uint32_t memory[WIDTH * HEIGHT];
    struct flm_pixels pixels = flm_pixels_of(memory, WIDTH, HEIGHT);
    struct flm_atlas *atlas = new_atlas(10);
    assert_true(add_block(atlas, 'a', regular, columns));
    flm_pixels_fill(&pixels, 0, 0, WIDTH, HEIGHT, 0xFFFFFF);
    assert_true(flm_atlas_draw(atlas, &pixels, x, 6, flm_bytes_of("aa"), regular, 0) == x + 10);
    char found[WIDTH + 1] = {0};
    for (int i = 0; i < WIDTH; i++) {
        unsigned dark = 255 - (memory[4 * WIDTH + i] & 0xFF);
        found[i] = dark == 0 ? '.' : dark == 255 ? '#' : (char)('0' + dark * 10 / 255);
        assert_int_equal(memory[3 * WIDTH + i], memory[5 * WIDTH + i]);
        assert_int_equal(memory[2 * WIDTH + i], flm_pixel(0xFFFFFF));
        assert_int_equal(memory[6 * WIDTH + i], flm_pixel(0xFFFFFF));
    }
    assert_string_equal(found, expected);
    flm_atlas_free(atlas);
}

static void letters_are_positioned_on_whole_pixels(void **state)
{
    (void)state;
    assert_drawn(1, 0, ".##...##........");
    assert_drawn(1, 1.4, "..##...##.......");
    assert_drawn(1, -1, "##...##.........");
}

static void letters_are_positioned_on_quarters_of_pixels(void **state)
{
    (void)state;
    assert_drawn(4, 0, ".##...##........");
}

static void pens_between_pixels_move_letters_by_quarters(void **state)
{
    (void)state;
    assert_drawn(4, 1, "..##...##.......");
    assert_drawn(4, 1.26, "..7#2..7#2......");
    assert_drawn(4, 1.5, "..5#5..5#5......");
    assert_drawn(4, 1.7, "..2#7..2#7......");
    assert_drawn(4, -1.25, "#7..2#7.........");
}

static void huge_pictures_are_no_letters(void **state)
{
    (void)state;
    struct flm_atlas *atlas = new_atlas(10);
    static const uint8_t coverage[1] = {255};
    const struct flm_glyph wrong[] = {{5, 0, 0, 1 << 20, 1, coverage, 1},
                                      {5, 0, 0, 1, 1 << 20, coverage, 1},
                                      {5, 1 << 30, 0, 1, 1, coverage, 4},
                                      {5, 0, 1 << 30, 1, 1, coverage, 4},
                                      {5, 0, 0, -1, 1, coverage, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(flm_atlas_add(atlas, 'a', regular, &wrong[i]));
    flm_atlas_free(atlas);
}

static bool fill_atlas(void *context, struct flm_error *why)
{
    (void)context;
    struct flm_atlas *atlas = flm_atlas_new(10, why);
    if (!atlas)
        return false;
    bool all = true;
    for (uint32_t code = 'a'; code < 'a' + 400; code++)
        all = all && add_block(atlas, code, code % 2 ? regular : bold, 4);
    for (uint32_t code = 'a'; all && code < 'a' + 400; code++)
        assert_true(flm_atlas_advance(atlas, code, code % 2 ? regular : bold) == 5);
    flm_atlas_free(atlas);
    return all || flm_error_memory(why);
}

static void an_atlas_survives_failed_allocations(void **state)
{
    (void)state;
    assert_true(assert_survives_failures(fill_atlas, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requested_letters_are_missing_once),
        cmocka_unit_test(added_letters_are_not_missing),
        cmocka_unit_test(a_missing_letter_is_as_wide_as_in_a_label),
        cmocka_unit_test(letters_are_positioned_on_whole_pixels),
        cmocka_unit_test(letters_are_positioned_on_quarters_of_pixels),
        cmocka_unit_test(pens_between_pixels_move_letters_by_quarters),
        cmocka_unit_test(huge_pictures_are_no_letters),
        cmocka_unit_test(an_atlas_survives_failed_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
