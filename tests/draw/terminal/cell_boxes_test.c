#include "draw/terminal/cell_boxes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/random.h"
#include "support/record/emulator.h"

/* A test's description of a box; its rectangle has its index as its node. */
struct picture {
    struct flm_box box[64];
    struct flm_rectangle at[64];
    size_t count;
};

enum {
    PAGE = 0x16171A,
    TEXT = 0xECECEE,
    INK = 0x0F1012,
    RED = 0xC37F79,
    BLUE = 0x589EBE,
    COLUMNS = 40,
    ROWS = 3
};

static void look(void *context, const struct flm_rectangle *rectangle, struct flm_box *box)
{
    bool has_room = box->has_room;
    *box = ((struct picture *)context)->box[rectangle->node.index];
    box->label.size = has_room ? box->label.size : 0;
}

static struct flm_box *add(struct picture *picture, uint32_t level, double x0, double x1,
                           uint32_t fill, const char *label)
{
    size_t i = picture->count++;
    picture->at[i] = (struct flm_rectangle){
        .x0 = x0, .x1 = x1, .level = level, .node = {(uint32_t)i}, .count = 1};
    picture->box[i] = (struct flm_box){.fill = fill, .ink = INK, .label = flm_bytes_of(label)};
    picture->box[i].parts = flm_name_parts(picture->box[i].label);
    return &picture->box[i];
}

static struct flm_boxes boxes_of(struct picture *picture)
{
    return (struct flm_boxes){.row_height = FLM_CELL_HEIGHT_PX,
                              .background = PAGE,
                              .text = TEXT,
                              .style = look,
                              .context = picture};
}

static void draw_with(const struct flm_boxes *boxes, struct picture *picture,
                      enum flm_color_depth depth, enum flm_charset charset,
                      struct emulator *terminal)
{
    struct flm_screen screen = {.charset = charset, .depth = depth};
    assert_true(flm_screen_resize(&screen, COLUMNS, ROWS, NULL));
    struct flm_rectangles list = {.at = picture->at, .count = picture->count};
    flm_box_cells_draw(boxes, &list, &screen, (struct flm_cell_area){0, 0, COLUMNS, ROWS});
    struct flm_text out = {0};
    flm_screen_update(&screen, &out);
    emulator_init(terminal, COLUMNS, ROWS);
    terminal->wraps = false;
    emulator_feed(terminal, (struct flm_bytes){out.at, out.size});
    assert_int_equal(terminal->unknown, 0);
    flm_text_clear(&out);
    flm_screen_clear(&screen);
}

static void draw(struct picture *picture, struct emulator *terminal)
{
    struct flm_boxes boxes = boxes_of(picture);
    draw_with(&boxes, picture, FLM_DEPTH_TRUE, FLM_CHARSET_UTF8, terminal);
}

static void boxes_end_at_their_eighth_of_a_cell(void **state)
{
    (void)state;
    struct picture picture = {0};
    struct emulator terminal;
    add(&picture, 0, 0, 83, RED, "main");    /* ten cells and three eighths */
    add(&picture, 0, 83, 160, BLUE, "read"); /* to the end of the twentieth */
    draw(&picture, &terminal);
    assert_string_equal(emulator_line(&terminal, 0), " main     \xE2\x96\x8D"
                                                     "read");
    const struct emulator_cell *edge = emulator_at(&terminal, 10, 0);
    assert_int_equal(edge->style.ink, RED);
    assert_int_equal(edge->style.fill, BLUE);
    assert_int_equal(emulator_at(&terminal, 9, 0)->style.fill, RED);
    assert_int_equal(emulator_at(&terminal, 19, 0)->style.fill, BLUE);
    assert_int_equal(emulator_at(&terminal, 1, 0)->style.ink, INK);
    emulator_clear(&terminal);
}

/* The last box of a row ends on the page. */
static void the_page_follows_the_last_box(void **state)
{
    (void)state;
    struct picture picture = {0};
    struct emulator terminal;
    add(&picture, 0, 16, 61, RED, "main");
    draw(&picture, &terminal);
    assert_int_equal(emulator_at(&terminal, 2, 0)->style.fill, RED);
    const struct emulator_cell *edge = emulator_at(&terminal, 7, 0);
    assert_int_equal(edge->character, 0x258B); /* five eighths */
    assert_int_equal(edge->style.ink, RED);
    assert_int_equal(edge->style.fill, PAGE);
    emulator_clear(&terminal);
}

/* How many eighths of a row have a color. */
static int eighths_of(const struct emulator *terminal, int row, uint32_t color)
{
    int eighths = 0;
    for (int x = 0; x < terminal->columns; x++) {
        const struct emulator_cell *cell = emulator_at(terminal, x, row);
        int left = cell->character >= 0x2589 && cell->character <= 0x258F
                       ? (int)(0x2590 - cell->character)
                       : 0;
        eighths += left * (cell->style.ink == color && left > 0);
        eighths += (8 - left) * (cell->style.fill == color);
    }
    return eighths;
}

static void every_width_of_at_least_a_cell_is_exact(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (int round = 0; round < 500; round++) {
        struct picture picture = {0};
        struct emulator terminal;
        int widths[64], at = (int)random_below(&seed, 8), most = COLUMNS * 8;
        while (at + 8 < most && picture.count < 60) {
            int width = 8 + (int)random_below(&seed, 40);
            width = at + width > most ? most - at : width;
            uint32_t fill = 0x400000 + (uint32_t)picture.count * 0x101;
            widths[picture.count] = width;
            add(&picture, 0, at, at + width, fill, "");
            at += width + (random_below(&seed, 3) == 0 ? 8 + (int)random_below(&seed, 9) : 0);
        }
        draw(&picture, &terminal);
        for (size_t i = 0; i < picture.count; i++)
            assert_int_equal(eighths_of(&terminal, 0, picture.box[i].fill), widths[i]);
        emulator_clear(&terminal);
    }
}

static void nothing_that_has_a_width_vanishes_where_there_is_room(void **state)
{
    (void)state;
    struct picture picture = {0};
    struct emulator terminal;
    add(&picture, 0, 0, 83, RED, "");
    add(&picture, 0, 83, 84, BLUE, ""); /* an eighth, in the middle of a cell */
    add(&picture, 0, 84, 160, 0x78AE82, "");
    add(&picture, 1, 20.2, 20.4, BLUE, "");
    draw(&picture, &terminal);
    assert_in_range(eighths_of(&terminal, 0, BLUE), 1, 5);
    assert_in_range(eighths_of(&terminal, 1, BLUE), 1, 4);
    emulator_clear(&terminal);
}

static void neighbors_of_one_color_are_parted(void **state)
{
    (void)state;
    enum flm_color_depth depths[] = {FLM_DEPTH_NONE, FLM_DEPTH_16, FLM_DEPTH_256, FLM_DEPTH_TRUE};
    for (size_t d = 0; d < 4; d++)
        for (int edge = 80; edge < 88; edge++) {
            struct picture picture = {0};
            struct emulator terminal;
            add(&picture, 0, 0, edge, RED, "main");
            add(&picture, 0, edge, 160, RED, "read");
            struct flm_boxes boxes = boxes_of(&picture);
            draw_with(&boxes, &picture, depths[d], FLM_CHARSET_UTF8, &terminal);
            int column = edge < 84 ? 10 : 11, between = 0;
            for (int x = 8; x < 13; x++) {
                const struct emulator_cell *cell = emulator_at(&terminal, x, 0);
                const struct emulator_cell *next = emulator_at(&terminal, x + 1, 0);
                between += cell->character == 0x258F && x == column;
                between += cell->style.fill != next->style.fill;
            }
            assert_true(between > 0);
            assert_true(emulator_column(&terminal, 0, "main") == 1);
            assert_true(emulator_column(&terminal, 0, "read") >= 11);
            emulator_clear(&terminal);
        }
}

static void labels_are_shortened_to_no_fewer_than_eight_letters(void **state)
{
    (void)state;
    struct picture picture = {0};
    struct emulator terminal;
    add(&picture, 0, 0, 64, RED, "net/http.(*conn).serve"); /* 7 cells for letters */
    add(&picture, 0, 64, 104, BLUE, "io");                  /* 4 */
    add(&picture, 0, 104, 144, RED, "parse_json");          /* 4 */
    add(&picture, 0, 144, 192, BLUE, "parse_json");         /* 5 */
    add(&picture, 0, 192, 272, RED, "parse_json");          /* 9 */
    draw(&picture, &terminal);
    assert_string_equal(emulator_line(&terminal, 0),
                        " serve   io              pars\xE2\x80\xA6json");
    emulator_clear(&terminal);
}

static void matches_are_highlighted_in_shortened_names(void **state)
{
    (void)state;
    struct picture picture = {0};
    struct emulator terminal;
    struct flm_box *box = add(&picture, 0, 0, 64, RED, "net/http.(*conn).serve");
    box->lit_from = 18; /* "erv" */
    box->lit_to = 21;
    box->lit_rgb = 0xFDBA74;
    draw(&picture, &terminal);
    for (int x = 1; x < 7; x++) {
        bool is_lit = x >= 2 && x < 5; /* of " serve" */
        assert_int_equal(emulator_at(&terminal, x, 0)->style.fill == 0xFDBA74, is_lit);
    }
    emulator_clear(&terminal);
    picture.count = 0;
    box = add(&picture, 0, 0, 80, RED, "parse_json_text"); /* "pars…text", 9 cells */
    box->lit_from = 10; /* "_text", of which the ellipsis has the first letter */
    box->lit_to = 15;
    box->lit_rgb = 0xFDBA74;
    draw(&picture, &terminal);
    assert_string_equal(emulator_line(&terminal, 0), " pars\xE2\x80\xA6text");
    for (int x = 1; x < 10; x++)
        assert_int_equal(emulator_at(&terminal, x, 0)->style.fill == 0xFDBA74, x >= 5);
    emulator_clear(&terminal);
}

static void marks_are_more_than_colors(void **state)
{
    (void)state;
    struct picture picture = {0};
    struct emulator terminal;
    add(&picture, 0, 0, 160, RED, "selected")->outline_px = 2;
    add(&picture, 0, 160, 320, BLUE, "hovered")->outline_px = 1;
    struct flm_box *box = add(&picture, 1, 0, 160, RED, "new");
    box->texture = FLM_TEXTURE_RISING;
    box->texture_alpha = 255;
    add(&picture, 1, 160, 320, RED, "inlined")->mark = FLM_MARK_INLINED;
    add(&picture, 2, 0, 320, RED, "far")->faded = 255;
    draw(&picture, &terminal);
    const struct emulator_cell *cell = emulator_at(&terminal, 1, 0);
    assert_int_equal(cell->style.fill, TEXT);
    assert_int_equal(cell->style.ink, PAGE);
    assert_int_equal(emulator_at(&terminal, 21, 0)->style.attributes,
                     EMULATOR_BOLD | EMULATOR_UNDERLINED);
    assert_int_equal(emulator_at(&terminal, 6, 1)->character, 0x2571);
    assert_int_equal(emulator_at(&terminal, 29, 1)->character, 0x2581);
    assert_int_equal(emulator_at(&terminal, 30, 1)->character, ' ');
    assert_int_equal(emulator_at(&terminal, 5, 2)->style.fill, PAGE);
    emulator_clear(&terminal);
}

static void without_colors_boxes_are_inverse_and_the_selection_is_not(void **state)
{
    (void)state;
    struct picture picture = {0};
    struct emulator terminal;
    add(&picture, 0, 0, 80, RED, "main");
    add(&picture, 0, 80, 160, BLUE, "read")->outline_px = 2;
    struct flm_boxes boxes = boxes_of(&picture);
    draw_with(&boxes, &picture, FLM_DEPTH_NONE, FLM_CHARSET_UTF8, &terminal);
    assert_int_equal(emulator_at(&terminal, 2, 0)->style.attributes, EMULATOR_INVERSE);
    assert_int_equal(emulator_at(&terminal, 12, 0)->style.attributes, EMULATOR_BOLD);
    assert_int_equal(emulator_at(&terminal, 25, 0)->style.attributes, 0);
    assert_int_equal(emulator_at(&terminal, 2, 0)->style.fill, EMULATOR_DEFAULT);
    emulator_clear(&terminal);
}

static void without_utf8_boxes_begin_with_a_bar(void **state)
{
    (void)state;
    struct picture picture = {0};
    struct emulator terminal;
    add(&picture, 0, 0, 83, RED,
        "gr\xC3\xBC\xC3\x9F"
        "e");
    add(&picture, 0, 83, 160, BLUE, "read");
    struct flm_boxes boxes = boxes_of(&picture);
    draw_with(&boxes, &picture, FLM_DEPTH_16, FLM_CHARSET_ASCII, &terminal);
    assert_string_equal(emulator_line(&terminal, 0), "|gr??e    |read");
    emulator_clear(&terminal);
}

static void a_flame_grows_upwards_and_rows_outside_are_cut_off(void **state)
{
    (void)state;
    struct picture picture = {0};
    struct emulator terminal;
    for (uint32_t level = 0; level < 5; level++)
        add(&picture, level, 0, 320, RED, (const char *[]){"a0", "a1", "a2", "a3", "a4"}[level]);
    struct flm_boxes boxes = boxes_of(&picture);
    boxes.upwards = true;
    boxes.top = (ROWS + 1) * FLM_CELL_HEIGHT_PX; /* level 0 is just below the window */
    draw_with(&boxes, &picture, FLM_DEPTH_TRUE, FLM_CHARSET_UTF8, &terminal);
    for (int row = 0; row < ROWS; row++) {
        char label[] = {' ', 'a', (char)('0' + ROWS - row), 0};
        assert_string_equal(emulator_line(&terminal, row), label);
    }
    emulator_clear(&terminal);
}

/* Whatever the rectangles are, nothing is drawn outside of the pane. */
static void the_pane_is_kept(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 2000; round++) {
        struct picture picture = {0};
        double at = -20;
        while (picture.count < 40 && at < 60 * 8) {
            double width =
                random_below(&seed, 2) ? random_below(&seed, 30) / 7.0 : random_below(&seed, 100);
            struct flm_box *box = add(&picture, random_below(&seed, 2) + (picture.count > 20), at,
                                      at + width, random_below(&seed, 3) * 0x112233, "some_name");
            box->texture = (enum flm_texture)random_below(&seed, FLM_TEXTURE_COUNT);
            box->outline_px = random_below(&seed, 3);
            at += width + (random_below(&seed, 4) == 0 ? random_below(&seed, 20) : 0);
        }
        struct flm_screen screen = {.charset = (enum flm_charset)(1 + random_below(&seed, 2)),
                                    .depth = (enum flm_color_depth)random_below(&seed, 4)};
        assert_true(flm_screen_resize(&screen, COLUMNS, ROWS, NULL));
        flm_screen_fill(&screen, 0, 0, COLUMNS, ROWS, (struct flm_style){1, 2, 0});
        struct flm_boxes boxes = boxes_of(&picture);
        boxes.top = -8 + (double)random_below(&seed, 32);
        struct flm_rectangles list = {.at = picture.at, .count = picture.count};
        flm_box_cells_draw(&boxes, &list, &screen, (struct flm_cell_area){5, 1, 20, 1});
        for (int i = 0; i < COLUMNS * ROWS; i++) {
            int x = i % COLUMNS, y = i / COLUMNS;
            if (y != 1 || x < 5 || x >= 25)
                assert_int_equal(screen.cells[i].style.fill, 2);
        }
        flm_screen_clear(&screen);
    }
}

/* As the cells of such a box behind its label. */
static void a_swatch_is_a_part_of_its_box(void **state)
{
    (void)state;
    struct flm_screen screen = {.charset = FLM_CHARSET_UTF8, .depth = FLM_DEPTH_TRUE};
    struct flm_box plain = {.fill = RED, .ink = INK};
    struct flm_box marked = {.fill = BLUE, .ink = INK, .mark = FLM_MARK_KERNEL};
    assert_true(flm_screen_resize(&screen, COLUMNS, ROWS, NULL));
    assert_true(flm_box_cells_swatch(&plain, &screen, 3, 1, 2));
    assert_true(flm_box_cells_swatch(&marked, &screen, 7, 1, 2));
    const struct flm_cell *row = &screen.cells[COLUMNS];
    assert_int_equal(row[4].style.fill, RED);
    assert_int_not_equal(row[5].style.fill, RED);
    assert_int_equal(row[8].style.fill, BLUE);
    assert_int_equal(row[8].character, 0x2581);
    screen.depth = FLM_DEPTH_NONE;
    assert_false(flm_box_cells_swatch(&plain, &screen, 20, 1, 2));
    assert_true(flm_box_cells_swatch(&marked, &screen, 24, 1, 2));
    assert_int_equal(row[24].style.attributes, FLM_CELL_INVERSE);
    flm_screen_clear(&screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_end_at_their_eighth_of_a_cell),
        cmocka_unit_test(the_page_follows_the_last_box),
        cmocka_unit_test(every_width_of_at_least_a_cell_is_exact),
        cmocka_unit_test(nothing_that_has_a_width_vanishes_where_there_is_room),
        cmocka_unit_test(neighbors_of_one_color_are_parted),
        cmocka_unit_test(labels_are_shortened_to_no_fewer_than_eight_letters),
        cmocka_unit_test(matches_are_highlighted_in_shortened_names),
        cmocka_unit_test(marks_are_more_than_colors),
        cmocka_unit_test(without_colors_boxes_are_inverse_and_the_selection_is_not),
        cmocka_unit_test(without_utf8_boxes_begin_with_a_bar),
        cmocka_unit_test(a_flame_grows_upwards_and_rows_outside_are_cut_off),
        cmocka_unit_test(the_pane_is_kept),
        cmocka_unit_test(a_swatch_is_a_part_of_its_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
