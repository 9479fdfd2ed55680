#include "draw/raster/pixels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"

enum { WIDTH = 24, HEIGHT = 12, WHITE = 0xFFFFFF };

static uint32_t memory[WIDTH * HEIGHT];

static struct flm_pixels white(void)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        memory[i] = flm_pixel(WHITE);
    return flm_pixels_of(memory, WIDTH, HEIGHT);
}

static bool is_painted(int x, int y)
{
    return memory[y * WIDTH + x] != flm_pixel(WHITE);
}

/* A letter a pixel: '.' white, '#' black, digits for how black in tenths. */
static void assert_picture(int width, int height, const char *expected)
{
    char found[(WIDTH + 1) * HEIGHT + 1];
    size_t size = 0;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            unsigned dark = 255 - (memory[y * WIDTH + x] & 0xFF);
            found[size++] = dark == 0 ? '.' : dark == 255 ? '#' : (char)('0' + dark * 10 / 255);
        }
        found[size++] = '\n';
    }
    found[size] = 0;
    assert_string_equal(found, expected);
}

static void a_color_is_rgba_bytes(void **state)
{
    (void)state;
    uint32_t pixel = flm_pixel(0x123456);
    unsigned char bytes[4];
    memcpy(bytes, &pixel, 4);
    assert_int_equal(bytes[0], 0x12);
    assert_int_equal(bytes[1], 0x34);
    assert_int_equal(bytes[2], 0x56);
    assert_int_equal(bytes[3], 0xFF);
}

static void edges_go_to_the_nearest_pixel(void **state)
{
    (void)state;
    assert_int_equal(flm_pixel_edge(0.49), 0);
    assert_int_equal(flm_pixel_edge(0.5), 1);
    assert_int_equal(flm_pixel_edge(-0.51), -1);
    assert_int_equal(flm_pixel_edge(-0.5), 0);
    assert_int_equal(flm_pixel_edge(1e300), 1 << 28);
    assert_int_equal(flm_pixel_edge(-1e300), -(1 << 28));
    assert_int_equal(flm_pixel_edge(0.0 / 0.0 * 1), -(1 << 28));
    assert_int_equal(flm_pixel_length(0.1), 1);
    assert_int_equal(flm_pixel_length(1.5), 2);
}

static void an_area_is_filled_and_nothing_else(void **state)
{
    (void)state;
    struct flm_pixels pixels = white();
    flm_pixels_fill(&pixels, 1, 1, 4, 3, 0);
    assert_picture(6, 4, "......\n.###..\n.###..\n......\n");
    flm_pixels_fill(&pixels, 3, 3, 3, 9, 0);
    flm_pixels_fill(&pixels, 5, 3, 4, 9, 0);
    assert_picture(6, 4, "......\n.###..\n.###..\n......\n");
}

static void an_outline_is_inside(void **state)
{
    (void)state;
    struct flm_pixels pixels = white();
    flm_pixels_outline(&pixels, 0, 0, 5, 4, 1, 0);
    assert_picture(6, 5, "#####.\n#...#.\n#...#.\n#####.\n......\n");
    pixels = white();
    flm_pixels_outline(&pixels, 1, 0, 3, 4, 1, 0);
    assert_picture(4, 5, ".##.\n.##.\n.##.\n.##.\n....\n");
}

static void mixing_ends_at_both_colors(void **state)
{
    (void)state;
    assert_int_equal(flm_color_mix(0x123456, 0xFEDCBA, 0), 0x123456);
    assert_int_equal(flm_color_mix(0x123456, 0xFEDCBA, 255), 0xFEDCBA);
    for (unsigned from = 0; from < 256; from += 5)
        for (unsigned to = 0; to < 256; to += 3)
            for (unsigned alpha = 0; alpha < 256; alpha += 7) {
                unsigned exact = (from * (255 - alpha) + to * alpha) * 2;
                uint32_t mix = flm_color_mix(from << 16 | from, to << 16 | to, (uint8_t)alpha);
                assert_int_equal(mix >> 16, (exact / 255 + 1) / 2);
                assert_int_equal(mix & 0xFFFF, (exact / 255 + 1) / 2);
            }
}

static void a_blend_mixes_with_the_pixels(void **state)
{
    (void)state;
    struct flm_pixels pixels = white();
    flm_pixels_blend(&pixels, 1, 0, 3, 1, 0, 128);
    assert_picture(4, 2, ".55.\n....\n");
    flm_pixels_blend(&pixels, 2, 0, 4, 2, 0, 0);
    assert_picture(4, 2, ".55.\n....\n");
}

static void round_corners_leave_the_pixels_outside_of_them(void **state)
{
    (void)state;
    struct flm_pixels pixels = white();
    struct flm_corner corner = flm_corner_of(2);
    flm_pixels_fill_round(&pixels, 1, 1, 9, 7, 0, &corner, true, true);
    assert_picture(10, 8,
                   "..........\n"
                   ".3######3.\n"
                   ".########.\n"
                   ".########.\n"
                   ".########.\n"
                   ".########.\n"
                   ".3######3.\n"
                   "..........\n");
    pixels = white();
    flm_pixels_fill_round(&pixels, 1, 1, 9, 7, 0, &corner, false, true);
    assert_picture(10, 3, "..........\n.#######3.\n.########.\n");
    struct flm_corner none = flm_corner_of(0);
    pixels = white();
    flm_pixels_fill_round(&pixels, 1, 1, 3, 3, 0, &none, true, true);
    assert_picture(4, 4, "....\n.##.\n.##.\n....\n");
    assert_int_equal(corner.size, 1);
    assert_in_range(flm_corner_of(4).size, 2, 3);
    assert_in_range(flm_corner_of(1e9).size, 10, FLM_CORNER_LIMIT);
}

static void textures_are_these(void **state)
{
    (void)state;
    static const char *const pictures[FLM_TEXTURE_COUNT] = {
        [FLM_TEXTURE_NONE] = "............\n............\n............\n............\n",
        [FLM_TEXTURE_RISING] = "#.....#.....\n.....#.....#\n....#.....#.\n...#.....#..\n",
        [FLM_TEXTURE_FALLING] = "#.....#.....\n.#.....#....\n..#.....#...\n...#.....#..\n",
        [FLM_TEXTURE_DOTS] = "#...#...#...\n............\n............\n............\n",
        [FLM_TEXTURE_LINES] = "############\n............\n............\n............\n",
        [FLM_TEXTURE_GRID] = "############\n#.....#.....\n#.....#.....\n#.....#.....\n",
    };
    for (int texture = 0; texture < FLM_TEXTURE_COUNT; texture++) {
        struct flm_pixels pixels = white();
        flm_pixels_texture(&pixels, 0, 0, 12, 4, 0, 0, (enum flm_texture)texture, 1, 0, 255);
        assert_picture(12, 4, pictures[texture]);
    }
}

static void a_texture_does_not_move_when_its_box_is_cut_off(void **state)
{
    (void)state;
    for (int texture = 0; texture < FLM_TEXTURE_COUNT; texture++) {
        uint32_t whole[WIDTH * HEIGHT];
        struct flm_pixels pixels = white();
        flm_pixels_texture(&pixels, -7, -5, WIDTH, HEIGHT, -7, -5, (enum flm_texture)texture, 1, 0,
                           255);
        memcpy(whole, memory, sizeof memory);
        pixels = white();
        flm_pixels_texture(&pixels, 0, 0, WIDTH, HEIGHT, -7, -5, (enum flm_texture)texture, 1, 0,
                           255);
        assert_memory_equal(whole, memory, sizeof memory);
    }
}

static void dashes_repeat_from_their_origin(void **state)
{
    (void)state;
    struct flm_pixels pixels = white();
    flm_pixels_dashes(&pixels, 2, 0, 12, 1, 3, 2, 3, 0, 255);
    assert_picture(13, 2, "...##...##...\n.............\n");
}

static void ink_covers_pixels_by_its_coverage(void **state)
{
    (void)state;
    struct flm_pixels pixels = white();
    static const uint8_t coverage[] = {0, 128, 255, 255, 64, 0};
    flm_pixels_ink(&pixels, 1, 1, coverage, 3, 2, 0);
    assert_picture(5, 4, ".....\n..5#.\n.#2..\n.....\n");
}

/* Anything, anywhere: with corners, textures and letters. */
static void draw_anything(struct flm_pixels *pixels, uint64_t *random)
{
    int left = (int)random_below(random, 60) - 20, top = (int)random_below(random, 40) - 20;
    int right = left + (int)random_below(random, 30), bottom = top + (int)random_below(random, 20);
    static uint8_t coverage[30 * 20];
    struct flm_corner corner = flm_corner_of((double)random_below(random, 5));
    memset(coverage, 200, sizeof coverage);
    switch (random_below(random, 7)) {
    case 0:
        flm_pixels_fill(pixels, left, top, right, bottom, 0);
        break;
    case 1:
        flm_pixels_blend(pixels, left, top, right, bottom, 0, 90);
        break;
    case 2:
        flm_pixels_outline(pixels, left, top, right, bottom, 2, 0);
        break;
    case 3:
        flm_pixels_fill_round(pixels, left, top, right + 2 * corner.size, bottom + 2 * corner.size,
                              0, &corner, random_below(random, 2), random_below(random, 2));
        break;
    case 4:
        flm_pixels_texture(pixels, left, top, right, bottom, left, top,
                           (enum flm_texture)random_below(random, FLM_TEXTURE_COUNT), 1, 0, 255);
        break;
    case 5:
        flm_pixels_dashes(pixels, left, top, right, bottom, left, 3, 2, 0, 255);
        break;
    default:
        flm_pixels_ink(pixels, left, top, coverage, right - left, bottom - top, 0);
    }
}

static void nothing_is_drawn_outside_of_the_clip(void **state)
{
    (void)state;
    uint64_t random = 3;
    size_t painted = 0;
    for (int i = 0; i < 20000; i++) {
        struct flm_pixels pixels = white();
        int left = (int)random_below(&random, WIDTH), top = (int)random_below(&random, HEIGHT);
        int right = (int)random_below(&random, WIDTH), bottom = (int)random_below(&random, HEIGHT);
        struct flm_pixels part = flm_pixels_clipped(pixels, left, top, right, bottom);
        draw_anything(&part, &random);
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                if (is_painted(x, y)) {
                    painted++;
                    assert_true(x >= left && x < right && y >= top && y < bottom);
                }
    }
    assert_true(painted > 5000);
}

static void a_clip_cuts_and_moves_nothing(void **state)
{
    (void)state;
    uint64_t random = 8;
    for (int i = 0; i < 5000; i++) {
        uint32_t whole[WIDTH * HEIGHT];
        uint64_t same = random;
        struct flm_pixels pixels = white();
        draw_anything(&pixels, &same);
        memcpy(whole, memory, sizeof memory);
        pixels = white();
        struct flm_pixels part = flm_pixels_clipped(pixels, 5, 3, 17, 9);
        draw_anything(&part, &random);
        for (int y = 3; y < 9; y++)
            assert_memory_equal(&whole[y * WIDTH + 5], &memory[y * WIDTH + 5], 12 * 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_color_is_rgba_bytes),
        cmocka_unit_test(edges_go_to_the_nearest_pixel),
        cmocka_unit_test(an_area_is_filled_and_nothing_else),
        cmocka_unit_test(an_outline_is_inside),
        cmocka_unit_test(mixing_ends_at_both_colors),
        cmocka_unit_test(a_blend_mixes_with_the_pixels),
        cmocka_unit_test(round_corners_leave_the_pixels_outside_of_them),
        cmocka_unit_test(textures_are_these),
        cmocka_unit_test(a_texture_does_not_move_when_its_box_is_cut_off),
        cmocka_unit_test(dashes_repeat_from_their_origin),
        cmocka_unit_test(ink_covers_pixels_by_its_coverage),
        cmocka_unit_test(nothing_is_drawn_outside_of_the_clip),
        cmocka_unit_test(a_clip_cuts_and_moves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
