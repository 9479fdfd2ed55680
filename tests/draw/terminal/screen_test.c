#include "draw/terminal/screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/core/random.h"
#include "support/record/emulator.h"

static const struct flm_style plain = {FLM_COLOR_DEFAULT, FLM_COLOR_DEFAULT, 0};

static struct flm_screen new_screen(int columns, int rows, enum flm_color_depth depth)
{
    struct flm_screen screen = {.charset = FLM_CHARSET_UTF8, .depth = depth};
    assert_true(flm_screen_resize(&screen, columns, rows, NULL));
    return screen;
}

/* Updates the terminal; returns how many bytes that took. */
static size_t update(struct flm_screen *screen, struct emulator *terminal)
{
    struct flm_text out = {0};
    flm_screen_update(screen, &out);
    assert_false(out.failed);
    size_t size = out.size;
    emulator_feed(terminal, (struct flm_bytes){out.at, out.size});
    assert_int_equal(terminal->pending.size, 0);
    assert_int_equal(terminal->unknown, 0);
    flm_text_clear(&out);
    return size;
}

static void assert_shown(const struct flm_screen *screen, const struct emulator *terminal)
{
    for (int row = 0; row < screen->rows; row++)
        for (int column = 0; column < screen->columns; column++) {
            const struct flm_cell *cell = &screen->cells[row * screen->columns + column];
            const struct emulator_cell *shown = emulator_at(terminal, column, row);
            assert_int_equal(cell->character, shown->character);
            assert_int_equal(cell->mark, shown->mark);
            if (cell->character == 0)
                continue;
            assert_int_equal(cell->style.ink, shown->style.ink);
            assert_int_equal(cell->style.fill, shown->style.fill);
            assert_int_equal(cell->style.attributes, shown->style.attributes);
        }
}

static void after_an_update_the_terminal_shows_the_cells(void **state)
{
    (void)state;
    static const char *const words[] = {"main",
                                        "gr\xC3\xBC\xC3\x9F",
                                        "\xE6\xBC\xA2\xE5\xAD\x97",
                                        "e\xCC\x81t",
                                        "\xF0\x9F\x94\xA5",
                                        "a b",
                                        "\x01\xFF",
                                        ""};
    enum { COLUMNS = 17, ROWS = 5 };
    struct flm_screen screen = new_screen(COLUMNS, ROWS, FLM_DEPTH_TRUE);
    struct emulator terminal;
    emulator_init(&terminal, COLUMNS, ROWS);
    terminal.wraps = false;
    uint64_t seed = 7;
    for (int round = 0; round < 3000; round++) {
        for (unsigned i = random_below(&seed, 4); i > 0; i--) {
            struct flm_style style = {random_below(&seed, 3) ? random_below(&seed, 1 << 24)
                                                             : FLM_COLOR_DEFAULT,
                                      random_below(&seed, 2) * 0x203040, random_below(&seed, 16)};
            int column = (int)random_below(&seed, COLUMNS + 6) - 3;
            int row = (int)random_below(&seed, ROWS + 2) - 1;
            if (random_below(&seed, 5) == 0)
                flm_screen_fill(&screen, column, row, 4, 2, style);
            else
                flm_screen_text(&screen, column, row, (int)random_below(&seed, 8),
                                flm_bytes_of(words[random_below(&seed, 8)]), style);
        }
        if (random_below(&seed, 50) == 0) {
            emulator_resize(&terminal, COLUMNS, ROWS);
            flm_screen_forget(&screen);
        }
        update(&screen, &terminal);
        assert_shown(&screen, &terminal);
    }
    emulator_clear(&terminal);
    flm_screen_clear(&screen);
}

static void unchanged_cells_are_not_written(void **state)
{
    (void)state;
    struct flm_screen screen = new_screen(80, 24, FLM_DEPTH_TRUE);
    struct emulator terminal;
    emulator_init(&terminal, 80, 24);
    terminal.wraps = false;
    assert_true(update(&screen, &terminal) > 80 * 24);
    assert_int_equal(update(&screen, &terminal), 0);
    flm_screen_text(&screen, 40, 12, 10, flm_bytes_of("x"), (struct flm_style){0xFF0000, 0xFF, 0});
    size_t size = update(&screen, &terminal);
    assert_in_range(size, 1, 50);
    flm_screen_text(&screen, 40, 12, 10, flm_bytes_of("x"), (struct flm_style){0xFF0000, 0xFF, 0});
    assert_int_equal(update(&screen, &terminal), 0);
    flm_screen_forget(&screen);
    assert_true(update(&screen, &terminal) > 80 * 24);
    emulator_clear(&terminal);
    flm_screen_clear(&screen);
}

static void the_cursor_is_at_its_position(void **state)
{
    (void)state;
    struct flm_screen screen = new_screen(20, 3, FLM_DEPTH_16);
    struct emulator terminal;
    emulator_init(&terminal, 20, 3);
    terminal.wraps = false;
    update(&screen, &terminal);
    assert_false(terminal.cursor_is_shown);
    screen.cursor_row = 1;
    screen.cursor_column = 4;
    update(&screen, &terminal);
    assert_true(terminal.cursor_is_shown);
    flm_screen_text(&screen, 9, 2, 10, flm_bytes_of("far"), plain);
    update(&screen, &terminal);
    assert_int_equal(terminal.x, 4);
    assert_int_equal(terminal.y, 1);
    screen.cursor_row = -1;
    update(&screen, &terminal);
    assert_false(terminal.cursor_is_shown);
    emulator_clear(&terminal);
    flm_screen_clear(&screen);
}

/* The codes of the first cell at a number of colors. */
static struct emulator_style style_at(enum flm_color_depth depth, struct flm_style style)
{
    struct flm_screen screen = new_screen(2, 1, depth);
    struct emulator terminal;
    emulator_init(&terminal, 2, 1);
    terminal.wraps = false;
    flm_screen_put(&screen, 0, 0, 'x', style);
    update(&screen, &terminal);
    struct emulator_style shown = emulator_at(&terminal, 0, 0)->style;
    emulator_clear(&terminal);
    flm_screen_clear(&screen);
    return shown;
}

static void colors_are_those_of_the_terminal(void **state)
{
    (void)state;
    struct flm_style style = {0x1B1C1E, 0xF6B2AC, FLM_CELL_BOLD};
    struct emulator_style shown = style_at(FLM_DEPTH_TRUE, style);
    assert_int_equal(shown.ink, 0x1B1C1E);
    assert_int_equal(shown.fill, 0xF6B2AC);
    shown = style_at(FLM_DEPTH_256, style);
    assert_int_equal(shown.ink, EMULATOR_INDEXED | 234);
    assert_int_equal(shown.fill, EMULATOR_INDEXED | 217); /* #ffafaf */
    shown = style_at(FLM_DEPTH_16, style);
    assert_int_equal(shown.ink, EMULATOR_INDEXED | 0);
    assert_int_equal(shown.fill, EMULATOR_INDEXED | 9);
    shown = style_at(FLM_DEPTH_NONE, style);
    assert_int_equal(shown.ink, EMULATOR_DEFAULT);
    assert_int_equal(shown.fill, EMULATOR_DEFAULT);
    assert_int_equal(shown.attributes, EMULATOR_BOLD);
}

static void every_color_of_256_is_nearest_to_itself(void **state)
{
    (void)state;
    static const uint32_t steps[] = {0, 95, 135, 175, 215, 255};
    for (uint32_t i = 0; i < 216; i++) {
        uint32_t rgb = steps[i / 36] << 16 | steps[i / 6 % 6] << 8 | steps[i % 6];
        assert_int_equal(flm_color_at(rgb, FLM_DEPTH_256), 16 + i);
    }
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(flm_color_at((8 + 10 * i) * 0x10101, FLM_DEPTH_256), 232 + i);
}

static void pastels_of_different_hues_stay_apart_in_16_colors(void **state)
{
    (void)state;
    uint32_t hues[] = {0xF6B2AC, 0xA1D5AB, 0xE5DF8B, 0x8AD7D8, 0xA8A7FA, 0xE4B3DF};
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(flm_color_at(hues[i], FLM_DEPTH_16),
                                 flm_color_at(hues[j], FLM_DEPTH_16));
    assert_int_equal(flm_color_at(0xFBFBFA, FLM_DEPTH_16), 15);
    assert_int_equal(flm_color_at(0x16171A, FLM_DEPTH_16), 0);
    assert_int_equal(flm_color_at(0xD5D4D0, FLM_DEPTH_16), 7);
    assert_int_equal(flm_color_at(0x63666B, FLM_DEPTH_16), 8);
}

static void half_of_a_wide_letter_never_stays(void **state)
{
    (void)state;
    struct flm_screen screen = new_screen(6, 1, FLM_DEPTH_TRUE);
    struct flm_bytes wide = flm_bytes_of("\xE6\xBC\xA2\xE5\xAD\x97");
    assert_int_equal(flm_screen_text(&screen, 0, 0, 6, wide, plain), 4);
    flm_screen_put(&screen, 1, 0, 'x', plain);
    assert_int_equal(screen.cells[0].character, ' ');
    assert_int_equal(screen.cells[2].character, 0x5B57);
    flm_screen_put(&screen, 2, 0, 'y', plain);
    assert_int_equal(screen.cells[3].character, ' ');
    assert_int_equal(flm_screen_text(&screen, 0, 0, 3, wide, plain), 2); /* no room for both */
    assert_int_equal(flm_screen_text(&screen, 5, 0, 6, wide, plain), 4);
    assert_int_equal(screen.cells[5].character, ' '); /* half of it would be outside */
    flm_screen_clear(&screen);
}

static void a_failed_resize_leaves_the_screen_unchanged(void **state)
{
    (void)state;
    struct flm_screen screen = new_screen(4, 2, FLM_DEPTH_TRUE);
    struct flm_error why;
    allocation_fail_from(1);
    bool resized = flm_screen_resize(&screen, 80, 24, &why);
    allocation_fail_from(0);
    assert_false(resized);
    assert_int_equal(why.kind, FLM_ERROR_MEMORY);
    assert_int_equal(screen.columns, 4);
    assert_false(flm_screen_resize(&screen, 65535, 65535, &why));
    assert_int_equal(why.kind, FLM_ERROR_RANGE);
    flm_screen_clear(&screen);
}

static void cells_that_could_not_be_written_are_written_later(void **state)
{
    (void)state;
    struct flm_screen screen = new_screen(10, 1, FLM_DEPTH_TRUE);
    struct emulator terminal;
    emulator_init(&terminal, 10, 1);
    terminal.wraps = false;
    flm_screen_text(&screen, 0, 0, 10, flm_bytes_of("main"), plain);
    for (size_t nth = 1;; nth++) {
        struct flm_text out = {0};
        allocation_fail_from(nth);
        flm_screen_update(&screen, &out);
        bool failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_int_equal(out.failed, failed);
        if (!failed)
            emulator_feed(&terminal, (struct flm_bytes){out.at, out.size});
        flm_text_clear(&out);
        if (!failed)
            break;
    }
    assert_string_equal(emulator_line(&terminal, 0), "main");
    emulator_clear(&terminal);
    flm_screen_clear(&screen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_an_update_the_terminal_shows_the_cells),
        cmocka_unit_test(unchanged_cells_are_not_written),
        cmocka_unit_test(the_cursor_is_at_its_position),
        cmocka_unit_test(colors_are_those_of_the_terminal),
        cmocka_unit_test(every_color_of_256_is_nearest_to_itself),
        cmocka_unit_test(pastels_of_different_hues_stay_apart_in_16_colors),
        cmocka_unit_test(half_of_a_wide_letter_never_stays),
        cmocka_unit_test(a_failed_resize_leaves_the_screen_unchanged),
        cmocka_unit_test(cells_that_could_not_be_written_are_written_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
