#include "draw/raster/boxes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"

enum { MOST_WIDTH = 400, MOST_HEIGHT = 80, PAGE = 0xFFFFFF };

static uint32_t memory[MOST_WIDTH * MOST_HEIGHT];
static struct flm_pixels pixels;

static void clean(uint32_t width, uint32_t height)
{
    pixels = flm_pixels_of(memory, width, height);
    flm_pixels_fill(&pixels, 0, 0, (int)width, (int)height, PAGE);
}

static uint32_t pixel_at(int x, int y)
{
    uint32_t word = memory[(uint32_t)y * pixels.width + (uint32_t)x];
    return (word & 0xFF) << 16 | (word & 0xFF00) | (word >> 16 & 0xFF);
}

/* The fill is black with the number of the rectangle, from 1, in blue. */
static void numbered(void *context, const struct flm_rectangle *r, struct flm_box *box)
{
    (void)context;
    box->fill = r->node.index + 1;
}

static struct flm_boxes boxes_of(double scale, flm_box_styler look, void *context)
{
    return (struct flm_boxes){.pixels = &pixels,
                              .row_height = 4,
                              .gap = 1,
                              .scale = scale,
                              .background = PAGE,
                              .style = look,
                              .context = context};
}

static struct flm_rectangle box_at(double x0, double x1, uint32_t level, uint32_t index)
{
    return (struct flm_rectangle){.x0 = x0, .x1 = x1, .level = level, .node = {index}, .count = 1};
}

/* The visible rectangles, a letter each: a, b, ...; mixed pixels are '+'. */
static void assert_picture(const char *expected)
{
    char found[(MOST_WIDTH + 1) * MOST_HEIGHT + 1];
    size_t size = 0;
    for (uint32_t y = 0; y < pixels.height; y++) {
        for (uint32_t x = 0; x < pixels.width; x++) {
            uint32_t rgb = pixel_at((int)x, (int)y);
            found[size++] = rgb == PAGE ? '.' : rgb >= 1 && rgb <= 26 ? (char)('a' + rgb - 1) : '+';
        }
        found[size++] = '\n';
    }
    found[size] = 0;
    assert_string_equal(found, expected);
}

static void rows_boxes_gaps_and_corners_are_these(void **state)
{
    (void)state;
    struct flm_rectangle at[] = {box_at(0, 20, 0, 0),      box_at(0, 10.4, 1, 1),
                                 box_at(10.4, 13.4, 1, 2), box_at(13.4, 14.4, 1, 3),
                                 box_at(14.4, 16.4, 1, 4), box_at(16.4, 19.4, 1, 5)};
    struct flm_rectangles list = {.at = at, .count = 6};
    struct flm_boxes boxes = boxes_of(1, numbered, NULL);
    clean(22, 8);
    flm_boxes_draw(&boxes, &list);
    assert_picture("aaaaaaaaaaaaaaaaaaa...\n"
                   "aaaaaaaaaaaaaaaaaaa...\n"
                   "aaaaaaaaaaaaaaaaaaa...\n"
                   "......................\n"
                   "bbbbbbbbb.cc.deeff....\n"
                   "bbbbbbbbb.cc.deeff....\n"
                   "bbbbbbbbb.cc.deeff....\n"
                   "......................\n");
    boxes.upwards = true;
    boxes.top = 8;
    clean(22, 8);
    flm_boxes_draw(&boxes, &list);
    assert_picture("bbbbbbbbb.cc.deeff....\n"
                   "bbbbbbbbb.cc.deeff....\n"
                   "bbbbbbbbb.cc.deeff....\n"
                   "......................\n"
                   "aaaaaaaaaaaaaaaaaaa...\n"
                   "aaaaaaaaaaaaaaaaaaa...\n"
                   "aaaaaaaaaaaaaaaaaaa...\n"
                   "......................\n");
    boxes.upwards = false;
    boxes.top = 0;
    boxes.row_height = 9;
    list.count = 1;
    at[0].flags = FLM_RECTANGLE_CLIPPED_RIGHT;
    clean(22, 9);
    flm_boxes_draw(&boxes, &list);
    assert_picture("+aaaaaaaaaaaaaaaaaaa..\n"
                   "aaaaaaaaaaaaaaaaaaaa..\n"
                   "aaaaaaaaaaaaaaaaaaaa..\n"
                   "aaaaaaaaaaaaaaaaaaaa..\n"
                   "aaaaaaaaaaaaaaaaaaaa..\n"
                   "aaaaaaaaaaaaaaaaaaaa..\n"
                   "aaaaaaaaaaaaaaaaaaaa..\n"
                   "+aaaaaaaaaaaaaaaaaaa..\n"
                   "......................\n");
}

/* Narrow boxes have no gaps, so they tile: whatever the scale and the offset, each pixel between
 * the first and the last is somebody's, and each box has one. */
/* Parts of one box: no gap between them, corners only at its ends, its own fill for each. */
static void joined_boxes_are_one_in_parts(void **state)
{
    (void)state;
    struct flm_rectangle at[] = {box_at(0, 20, 0, 0), box_at(0, 4, 1, 1), box_at(4, 7, 1, 2),
                                 box_at(7, 12, 1, 3), box_at(12, 20, 1, 4)};
    at[2].flags = FLM_JOINED_TO_NEXT;
    at[3].flags = FLM_JOINED_TO_LAST | FLM_JOINED_TO_NEXT;
    at[4].flags = FLM_JOINED_TO_LAST;
    struct flm_rectangles list = {.at = at, .count = 5};
    struct flm_boxes boxes = boxes_of(1, numbered, NULL);
    clean(22, 8);
    flm_boxes_draw(&boxes, &list);
    assert_picture("aaaaaaaaaaaaaaaaaaa...\n"
                   "aaaaaaaaaaaaaaaaaaa...\n"
                   "aaaaaaaaaaaaaaaaaaa...\n"
                   "......................\n"
                   "bbb...................\n"
                   "bbb...................\n"
                   "bbb...................\n"
                   "......................\n");
    flm_boxes_draw_joined(&boxes, &list);
    assert_picture("aaaaaaaaaaaaaaaaaaa...\n"
                   "aaaaaaaaaaaaaaaaaaa...\n"
                   "aaaaaaaaaaaaaaaaaaa...\n"
                   "......................\n"
                   "bbb.cccdddddeeeeeee...\n"
                   "bbb.cccdddddeeeeeee...\n"
                   "bbb.cccdddddeeeeeee...\n"
                   "......................\n");
}

static void neighbors_share_their_edges_at_every_scale(void **state)
{
    (void)state;
    static const double scales[] = {1, 1.25, 1.5, 2, 3};
    uint64_t random = 11;
    for (int i = 0; i < 4000; i++) {
        double scale = scales[i % 5], x = 0;
        struct flm_rectangle at[60];
        struct flm_rectangles list = {.at = at};
        struct flm_boxes boxes = boxes_of(scale, numbered, NULL);
        boxes.left = (double)random_below(&random, 1000) / 100 + 1;
        boxes.row_height = 1;
        boxes.gap = 0;
        bool was_tiny = false;
        while (list.count < 60) {
            /* Boxes below a pixel are merged with each other, so they have wider neighbors. */
            bool is_tiny = !was_tiny && random_below(&random, 4) == 0;
            double width = is_tiny ? 0.01 + (double)random_below(&random, 90) / 100
                                   : 2 + (scale - 1) * (double)random_below(&random, 100) / 100;
            was_tiny = is_tiny;
            at[list.count] = box_at(x, x + width, 0, (uint32_t)list.count);
            list.count++;
            x += width;
        }
        clean(MOST_WIDTH, 1);
        flm_boxes_draw(&boxes, &list);
        int begin = flm_pixel_edge(boxes.left), end = flm_pixel_edge(boxes.left + x);
        uint32_t last = 0;
        for (int k = 0; k < MOST_WIDTH; k++) {
            uint32_t found = pixel_at(k, 0);
            if (k < begin || k > end) {
                assert_int_equal(found, PAGE);
            } else if (k < end) {
                assert_true(found == last || found == last + 1); /* nobody is left out */
                last = found;
            }
        }
        if (pixel_at(end, 0) != PAGE)
            last = pixel_at(end, 0); /* the last one, pushed to the right */
        assert_int_equal(last, list.count);
    }
}

static void pixels_outside_of_the_clip_are_not_touched(void **state)
{
    (void)state;
    uint64_t random = 5;
    struct flm_atlas *atlas = flm_atlas_new(12, NULL);
    assert_non_null(atlas);
    for (int i = 0; i < 500; i++) {
        struct flm_rectangle at[8];
        struct flm_rectangles list = {at, 8, 8, 0};
        for (uint32_t k = 0; k < 8; k++) {
            double x0 = (double)random_below(&random, 300) - 100;
            at[k] = box_at(x0, x0 + (double)random_below(&random, 300), k, k);
            at[k].flags = (uint32_t)random_below(&random, 16);
        }
        clean(200, 60);
        struct flm_pixels part = flm_pixels_clipped(pixels, 30, 10, 150, 50);
        struct flm_boxes boxes = boxes_of(1.5, numbered, NULL);
        boxes.pixels = &part;
        boxes.atlas = atlas;
        boxes.row_height = 18;
        boxes.top = (double)random_below(&random, 100) - 50;
        flm_boxes_draw(&boxes, &list);
        for (int y = 0; y < 60; y++)
            for (int x = 0; x < 200; x++)
                if (x < 30 || x >= 150 || y < 10 || y >= 50)
                    assert_int_equal(pixel_at(x, y), PAGE);
    }
    flm_atlas_free(atlas);
}

/* A ground of the caller, which notes the rows that it was asked for. */
static void paint_page(void *context, int top, int bottom)
{
    unsigned char *asked = context;
    for (int y = top; y < bottom; y++)
        asked[y]++;
    flm_pixels_fill(&pixels, 30, top, 150, bottom, PAGE);
}

static void a_clip_that_is_cleared_was_as_good_as_clean(void **state)
{
    (void)state;
    static uint32_t expected[200 * 60];
    uint64_t random = 6;
    for (int i = 0; i < 500; i++) {
        struct flm_rectangle at[8];
        uint32_t first = (uint32_t)random_below(&random, 3);
        struct flm_rectangles list = {at, (size_t)random_below(&random, 9), 8, 0};
        for (uint32_t k = 0; k < 8; k++) {
            double x0 = (double)random_below(&random, 200);
            at[k] = box_at(x0, x0 + (double)random_below(&random, 50), first + k / 2, k);
        }
        for (int clears = 0; clears < 3; clears++) {
            unsigned char asked[60] = {0};
            uint64_t same = random;
            clean(200, 60);
            struct flm_pixels part = flm_pixels_clipped(pixels, 30, 10, 150, 50);
            struct flm_boxes boxes = boxes_of(1.5, numbered, NULL);
            boxes.pixels = &part;
            boxes.clears = clears > 0;
            boxes.ground = clears == 2 ? paint_page : NULL;
            boxes.ground_context = asked;
            boxes.upwards = random_below(&same, 2) == 1;
            boxes.row_height = 7 + (double)random_below(&same, 40) / 4;
            boxes.top = (double)random_below(&same, 140) - 40;
            if (boxes.clears)
                flm_pixels_fill(&part, 30, 10, 150, 50, 0xABCDEF);
            flm_boxes_draw(&boxes, &list);
            if (boxes.clears)
                assert_memory_equal(memory, expected, sizeof expected);
            for (int y = 0; y < 60; y++)
                assert_int_equal(asked[y], clears == 2 && y >= 10 && y < 50);
            memcpy(expected, memory, sizeof expected);
        }
    }
}

static void a_point_is_in_the_row_that_is_drawn_there(void **state)
{
    (void)state;
    struct flm_boxes boxes = boxes_of(1.25, numbered, NULL);
    boxes.row_height = 22.5;
    for (int up = 0; up < 2; up++) {
        boxes.upwards = up;
        boxes.top = up ? 500.3 : 3.7;
        for (uint32_t level = 0; level < 20; level++) {
            int top, bottom;
            flm_boxes_row(&boxes, level, &top, &bottom);
            assert_in_range(bottom - top, 22, 23);
            for (int y = top; y < bottom; y++) {
                assert_int_equal(flm_boxes_level_at(&boxes, y), level);
                assert_int_equal(flm_boxes_level_at(&boxes, y + 0.99), level);
            }
        }
    }
    assert_true(flm_boxes_level_at(&boxes, 600) < 0);
    assert_true(flm_boxes_level_at(&boxes, 1e300) < 0);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

enum { INK = 0xFF0000, LIT = 0x00FF00, FILL = 0x0000FF };

struct label {
    const char *text;
    uint32_t from, to;
    int asked, rooms;
};

static void labeled(void *context, const struct flm_rectangle *r, struct flm_box *box)
{
    (void)r;
    struct label *label = context;
    box->fill = FILL;
    box->ink = INK;
    box->lit_rgb = LIT;
    label->asked++;
    label->rooms += box->has_room;
    if (!box->has_room)
        return;
    box->label = flm_bytes_of(label->text);
    box->parts = flm_name_parts(box->label);
    box->lit_from = label->from;
    box->lit_to = label->to;
}

/* Letters are blocks of 6 x 6 px, 10 px apart: one is seen by its first pixel. Where letters stand
 * in the row of a box, in tens of pixels from where they may begin; a capital X is a lit one. */
static void assert_label(struct label label, struct flm_rectangle r, int clip_left,
                         const char *expected)
{
    static uint8_t block[36];
    memset(block, 255, sizeof block);
    struct flm_atlas *atlas = flm_atlas_new(10, NULL);
    assert_non_null(atlas);
    struct flm_glyph glyph = {10, 2, -6, 6, 6, block, 1};
    assert_true(flm_atlas_add(atlas, 0x2026, FLM_WEIGHT_REGULAR, &glyph));
    for (uint32_t code = ' '; code < 127; code++)
        assert_true(flm_atlas_add(atlas, code, FLM_WEIGHT_REGULAR, &glyph));
    struct flm_rectangles list = {&r, 1, 1, 0};
    clean(MOST_WIDTH, 18);
    struct flm_pixels part = flm_pixels_clipped(pixels, clip_left, 0, MOST_WIDTH, 18);
    struct flm_boxes boxes = boxes_of(1, labeled, &label);
    boxes.pixels = &part;
    boxes.atlas = atlas;
    boxes.row_height = 18;
    size_t drawn = flm_boxes_draw(&boxes, &list);
    assert_int_equal(drawn, strlen(expected) > 0);
    int begin = (r.x0 > clip_left ? (int)r.x0 : clip_left) + 4;
    char found[64] = {0};
    for (int i = 0; begin + 10 * i + 9 < MOST_WIDTH && i < 63; i++) {
        int x = begin + 10 * i;
        if (pixel_at(x + 2, 9) != INK)
            break;
        found[i] = pixel_at(x, 9) == LIT ? 'X' : 'x';
        assert_int_equal(pixel_at(x + 9, 9), pixel_at(x, 9));
    }
    assert_string_equal(found, expected);
    flm_atlas_free(atlas);
}

static void a_label_is_as_much_as_fits(void **state)
{
    (void)state;
    struct label label = {.text = "abcdefghij"};
    assert_label(label, box_at(10, 121, 0, 0), 0, "xxxxxxxxxx");
    assert_label(label, box_at(10, 118, 0, 0), 0, "xxxxxxxxx");
    assert_label(label, box_at(10, 108, 0, 0), 0, "");
    assert_label(label, box_at(10, 109, 0, 0), 0, "xxxxxxxxx");
    assert_label((struct label){.text = ""}, box_at(10, 69, 0, 0), 0, "");
}

static void a_label_begins_at_the_visible_edge(void **state)
{
    (void)state;
    struct label label = {.text = "abcdefghij"};
    assert_label(label, box_at(-50, 200, 0, 0), 0, "xxxxxxxxxx");
    assert_label(label, box_at(10, 200, 0, 0), 60, "xxxxxxxxxx");
    assert_label(label, box_at(10, 159, 0, 0), 60, "xxxxxxxxx");
    assert_label(label, box_at(10, 110, 0, 0), 60, "");
}

/* A narrow last part leaves the gap to the next box, and a sliver before the first one stays. */
static void joined_boxes_keep_to_their_pixels(void **state)
{
    (void)state;
    struct flm_rectangle at[] = {box_at(0, 5.9, 0, 0), box_at(5.9, 6.1, 0, 1),
                                 box_at(6.1, 12, 0, 2), box_at(12, 12.3, 0, 3),
                                 box_at(12.3, 20, 0, 4)};
    at[2].flags = FLM_JOINED_TO_NEXT;
    at[3].flags = FLM_JOINED_TO_LAST;
    struct flm_rectangles list = {.at = at, .count = 5};
    struct flm_boxes boxes = boxes_of(1, numbered, NULL);
    clean(22, 4);
    flm_boxes_draw(&boxes, &list);
    flm_boxes_draw_joined(&boxes, &list);
    assert_picture("aaaaa.bccccc.eeeeee...\n"
                   "aaaaa.bccccc.eeeeee...\n"
                   "aaaaa.bccccc.eeeeee...\n"
                   "......................\n");
}

/* One label over the parts, that none of them would have room for, and over a merged box. */
static void joined_boxes_have_one_label(void **state)
{
    (void)state;
    struct label label = {.text = "abcdefgh"};
    struct flm_rectangle at[] = {box_at(0, 20, 0, 0), box_at(20, 35, 0, 1), box_at(35, 55, 0, 2),
                                 box_at(55, 120, 0, 3), box_at(120, 400, 0, 4)};
    static uint32_t whole[MOST_WIDTH * 18];
    struct flm_boxes boxes = boxes_of(1, labeled, &label);
    boxes.row_height = 18;
    boxes.atlas = flm_atlas_new(12, NULL);
    struct flm_rectangle one = box_at(0, 400, 0, 0);
    struct flm_rectangles list = {&one, 1, 1, 0};
    clean(MOST_WIDTH, 18);
    assert_int_equal(flm_boxes_draw(&boxes, &list), 1);
    memcpy(whole, memory, sizeof whole);
    for (int i = 0; i < 5; i++)
        at[i].flags = (i < 4 ? FLM_JOINED_TO_NEXT : 0u) | (i > 0 ? FLM_JOINED_TO_LAST : 0u);
    list = (struct flm_rectangles){at, 5, 5, 0};
    label.rooms = 0;
    clean(MOST_WIDTH, 18);
    assert_int_equal(flm_boxes_draw(&boxes, &list), 0);
    assert_int_equal(flm_boxes_draw_joined(&boxes, &list), 1);
    assert_memory_equal(whole, memory, sizeof whole);
    assert_in_range(label.rooms, 1, 5);  /* not of the parts behind the label */
    at[2].flags |= FLM_RECTANGLE_MERGED; /* its ground is drawn with the others */
    clean(MOST_WIDTH, 18);
    assert_int_equal(flm_boxes_draw(&boxes, &list), 0);
    assert_int_equal(flm_boxes_draw_joined(&boxes, &list), 1);
    flm_atlas_free(boxes.atlas);
}

static void matches_are_highlighted(void **state)
{
    (void)state;
    assert_label((struct label){"abcdefgh", 2, 4, 0, 0}, box_at(10, 200, 0, 0), 0, "xxXXxxxx");
    assert_label((struct label){"abcdefgh", 0, 8, 0, 0}, box_at(10, 200, 0, 0), 0, "XXXXXXXX");
    assert_label((struct label){"abcdefgh", 6, 80, 0, 0}, box_at(10, 200, 0, 0), 0, "xxxxxxXX");
    /* abcd, the ellipsis, ghij: it is highlighted for the bytes that it replaces */
    assert_label((struct label){"abcdefghij", 4, 6, 0, 0}, box_at(10, 109, 0, 0), 0, "xxxxXxxxx");
    assert_label((struct label){"abcdefghij", 3, 9, 0, 0}, box_at(10, 109, 0, 0), 0, "xxxXXXXXx");
    /* The path is gone, and the match in it. */
    assert_label((struct label){"net::abcde", 0, 3, 0, 0}, box_at(10, 79, 0, 0), 0, "xxxxx");
    assert_label((struct label){"net::abcde", 3, 5, 0, 0}, box_at(10, 79, 0, 0), 0, "xxxxx");
    assert_label((struct label){"net::abcde", 5, 7, 0, 0}, box_at(10, 79, 0, 0), 0, "XXxxx");
}

static void names_are_looked_up_only_where_there_is_room(void **state)
{
    (void)state;
    struct label label = {.text = "abc"};
    struct flm_rectangle at[] = {box_at(0, 10, 0, 0), box_at(10, 110, 0, 0),
                                 box_at(110, 500, 0, 0)};
    struct flm_rectangles list = {at, 3, 3, 0};
    struct flm_boxes boxes = boxes_of(1, labeled, &label);
    boxes.row_height = 18;
    clean(120, 18);
    assert_int_equal(flm_boxes_draw(&boxes, &list), 0);
    assert_int_equal(label.asked, 3);
    assert_int_equal(label.rooms, 0); /* no atlas */
    boxes.atlas = flm_atlas_new(12, NULL);
    assert_non_null(boxes.atlas);
    assert_int_equal(flm_boxes_draw(&boxes, &list), 1);
    assert_int_equal(label.rooms, 1);
    flm_atlas_free(boxes.atlas);
}

/* ---- Styles ---------------------------------------------------------------------------------- */

static void given_style(void *context, const struct flm_rectangle *r, struct flm_box *box)
{
    (void)r;
    bool has_room = box->has_room;
    *box = *(const struct flm_box *)context;
    box->has_room = has_room;
}

static void draw_one(struct flm_box box, uint32_t background, uint32_t text)
{
    struct flm_rectangle r = box_at(0, 60, 0, 0);
    struct flm_rectangles list = {&r, 1, 1, 0};
    struct flm_boxes boxes = boxes_of(1, given_style, &box);
    boxes.row_height = 18;
    boxes.background = background;
    boxes.text = text;
    clean(60, 18);
    flm_boxes_draw(&boxes, &list);
}

static int count_of(uint32_t rgb)
{
    int count = 0;
    for (uint32_t i = 0; i < pixels.width * pixels.height; i++)
        count += memory[i] == flm_pixel(rgb);
    return count;
}

static void every_mark_is_seen_and_no_two_are_alike(void **state)
{
    (void)state;
    static uint32_t pictures[FLM_MARK_COUNT][60 * 18];
    for (int mark = 0; mark < FLM_MARK_COUNT; mark++) {
        draw_one((struct flm_box){.fill = 0xCCCCCC, .mark = (enum flm_mark)mark}, PAGE, 0);
        memcpy(pictures[mark], memory, sizeof pictures[mark]);
        for (int other = 0; other < mark; other++)
            assert_memory_not_equal(pictures[mark], pictures[other], sizeof pictures[mark]);
    }
}

static void outlines_and_skipped_boxes(void **state)
{
    (void)state;
    draw_one((struct flm_box){.fill = FILL, .outline = LIT, .outline_px = 2}, PAGE, 0);
    assert_int_equal(count_of(LIT), 2 * 2 * 59 + 2 * 2 * 13);
    draw_one((struct flm_box){.fill = FILL, .skipped = true}, PAGE, 0);
    assert_int_equal(count_of(PAGE), 60 * 18);
    draw_one(
        (struct flm_box){
            .fill = FILL, .texture = FLM_TEXTURE_GRID, .texture_rgb = LIT, .texture_alpha = 255},
        PAGE, 0);
    assert_true(count_of(LIT) > 100);
}

static void faded_boxes_are_mixed_with_the_background(void **state)
{
    (void)state;
    draw_one((struct flm_box){.fill = FILL, .faded = 255}, PAGE, 0);
    assert_int_equal(count_of(PAGE), 60 * 18);
    draw_one((struct flm_box){.fill = 0x000000, .faded = 128}, PAGE, 0);
    assert_true(count_of(0x808080) > 500);
}

static struct flm_bytes joined(const struct flm_label_parts *parts, char *to)
{
    struct flm_text text;
    flm_text_init_fixed(&text, to, 64);
    for (int i = 0; i < parts->count; i++)
        flm_text_add(&text, parts->at[i]);
    return (struct flm_bytes){text.at, text.size};
}

static void a_suffix_is_drawn_whole_or_not_at_all(void **state)
{
    (void)state;
    static const struct {
        double room;
        const char *expected;
    } cases[] = {{150, "read_bytes x118"},           {149, "read\xE2\x80\xA6ytes x118"},
                 {140, "read\xE2\x80\xA6ytes x118"}, {139, "read_bytes"},
                 {90, "read\xE2\x80\xA6ytes"},       {89, ""}};
    struct flm_font font = {.size_px = 10, .letter = 1};
    struct flm_box box = {.label = flm_bytes_of("read_bytes"), .suffix = flm_bytes_of(" x118")};
    box.parts = flm_name_parts(box.label);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char to[64];
        struct flm_label_parts parts = flm_box_label(&box, cases[i].room, &font);
        struct flm_bytes got = joined(&parts, to);
        if (!flm_bytes_are(got, cases[i].expected))
            fail_msg("%g: '%.*s', not '%s'", cases[i].room, (int)got.size, got.at,
                     cases[i].expected);
    }
}

static void noted(void *context, const struct flm_rectangle *r, struct flm_box *box)
{
    (void)context;
    box->fill = r->node.index + 1;
    box->noted = true;
}

/* In the color of the page's text, which is seen on any box; never beyond the box. */
static void a_note_is_a_corner_of_its_box(void **state)
{
    (void)state;
    struct flm_rectangle at[] = {box_at(0, 12, 0, 0), box_at(12, 14, 0, 1)};
    struct flm_rectangles list = {.at = at, .count = 2};
    struct flm_boxes boxes = boxes_of(0.5, noted, NULL);
    boxes.text = 26; /* z */
    boxes.row_height = 6;
    clean(16, 6);
    flm_boxes_draw(&boxes, &list);
    assert_picture("+aaaaaaazzz.z...\n"
                   "aaaaaaaaazz.b...\n"
                   "aaaaaaaaaaz.b...\n"
                   "aaaaaaaaaaa.b...\n"
                   "+aaaaaaaaa+.b...\n"
                   "................\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_is_a_corner_of_its_box),
        cmocka_unit_test(rows_boxes_gaps_and_corners_are_these),
        cmocka_unit_test(joined_boxes_are_one_in_parts),
        cmocka_unit_test(neighbors_share_their_edges_at_every_scale),
        cmocka_unit_test(pixels_outside_of_the_clip_are_not_touched),
        cmocka_unit_test(a_clip_that_is_cleared_was_as_good_as_clean),
        cmocka_unit_test(a_point_is_in_the_row_that_is_drawn_there),
        cmocka_unit_test(a_label_is_as_much_as_fits),
        cmocka_unit_test(a_label_begins_at_the_visible_edge),
        cmocka_unit_test(joined_boxes_keep_to_their_pixels),
        cmocka_unit_test(joined_boxes_have_one_label),
        cmocka_unit_test(matches_are_highlighted),
        cmocka_unit_test(names_are_looked_up_only_where_there_is_room),
        cmocka_unit_test(every_mark_is_seen_and_no_two_are_alike),
        cmocka_unit_test(outlines_and_skipped_boxes),
        cmocka_unit_test(faded_boxes_are_mixed_with_the_background),
        cmocka_unit_test(a_suffix_is_drawn_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
