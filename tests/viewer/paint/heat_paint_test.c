#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "draw/document/heatmap_pane.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/heatmap_cursor.h"
#include "viewer/paint/internal.h"

enum { WIDTH = 1000, HEIGHT = 600 };

/* 20 s, a sample at the beginning of each second. */
static struct flm_viewer *viewer(void)
{
    char lines[1000];
    size_t size = 0;
    for (int second = 0; second <= 20; second++)
        size +=
            (size_t)snprintf(lines + size, sizeof lines - size, "1 1 - %d 0 main\n", second * 1000);
    struct flm_viewer *v = viewer_of(profile_of_threads(lines));
    act(v, "view heatmap");
    return v;
}

struct picture {
    uint32_t *at;
    struct flm_pixels pixels;
};

static struct picture picture_of(struct flm_viewer *v, double scale)
{
    uint32_t width = (uint32_t)(WIDTH * scale), height = (uint32_t)(HEIGHT * scale);
    struct picture picture = {malloc((size_t)width * height * sizeof(uint32_t)), {0}};
    assert_non_null(picture.at);
    picture.pixels = flm_pixels_of(picture.at, width, height);
    flm_viewer_resize(v, width, height, scale);
    flm_viewer_paint(v, &picture.pixels, 1000);
    return picture;
}

/* The color in the middle of a cell. */
static uint32_t color_of(struct flm_viewer *v, const struct picture *picture, double column,
                         double row)
{
    struct flm_heat_cells c = flm_heat_cells_of(&v->model, &v->scene);
    int x = (int)(c.left + (column + 0.5) * c.column_px);
    int y = (int)(c.top + c.height - (row + 0.5) * c.row_px);
    return picture->at[(size_t)y * picture->pixels.width + (size_t)x];
}

static void cells_have_the_color_of_their_step_in_every_theme(void **state)
{
    (void)state;
    static const struct flm_theme themes[] = {{.dark = false},
                                              {.dark = true},
                                              {.forced = true,
                                               .forced_text = 0xFFFF00,
                                               .forced_page = 0x000080,
                                               .forced_accent = 0xFFFFFF}};
    for (size_t t = 0; t < 3; t++)
        for (double scale = 1; scale < 3; scale++) {
            struct flm_viewer *v = viewer();
            flm_viewer_theme(v, &themes[t]);
            struct picture picture = picture_of(v, scale);
            uint32_t full = flm_pixel(flm_heat_color(&themes[t], FLM_HEAT_STEPS - 1));
            uint32_t page = flm_pixel(flm_page_colors(&themes[t]).page);
            assert_true(full != page);
            for (uint32_t column = 0; column < 20; column++)
                for (uint32_t row = 0; row < 50; row += 7)
                    assert_true(color_of(v, &picture, column, row) == (row == 0 ? full : page));
            free(picture.at);
            flm_viewer_free(v);
        }
}

static void steps_are_told_apart_in_forced_colors(void **state)
{
    (void)state;
    struct flm_theme theme = {.forced = true, .forced_text = 0xFFFFFF, .forced_page = 0};
    for (int step = 1; step < FLM_HEAT_STEPS; step++)
        assert_true(flm_heat_color(&theme, step) > flm_heat_color(&theme, step - 1));
    assert_true(flm_heat_color(&theme, FLM_HEAT_STEPS - 1) == 0xFFFFFF);
}

/* Outside of the selection cells are paler; its edges are steps from column to column. */
static void a_selection_across_columns_is_one_outline(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer();
    act(v, "range 3.5s..5.2s");
    struct picture picture = picture_of(v, 1);
    struct flm_theme theme = {.dark = false};
    struct flm_page_colors colors = flm_page_colors(&theme);
    uint32_t full = flm_heat_color(&theme, FLM_HEAT_STEPS - 1);
    assert_true(color_of(v, &picture, 3, 0) != flm_pixel(full));
    assert_true(color_of(v, &picture, 4, 0) == flm_pixel(full));
    assert_true(color_of(v, &picture, 5, 0) == flm_pixel(full));
    assert_true(color_of(v, &picture, 6, 0) != flm_pixel(full));
    struct flm_heat_cells c = flm_heat_cells_of(&v->model, &v->scene);
    uint32_t accent = flm_pixel(colors.accent);
    struct {
        uint32_t column;
        double row;
    } edges[] = {{3, 25}, {3, 50}, {4, 0}, {4, 50}, {5, 0}, {5, 10}};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        int x = (int)(c.left + (edges[i].column + 0.5) * c.column_px);
        int y = (int)round(c.top + c.height - edges[i].row * c.row_px);
        assert_true(picture.at[(size_t)y * WIDTH + (size_t)x] == accent);
    }
    /* Between the third and the fourth column below the middle, and not above it. */
    int x = (int)round(c.left + 4 * c.column_px);
    for (double row = 2.5; row < 50; row += 5) {
        int y = (int)round(c.top + c.height - row * c.row_px);
        assert_true((picture.at[(size_t)y * WIDTH + (size_t)x] == accent) == (row < 25));
    }
    free(picture.at);
    flm_viewer_free(v);
}

static const char *row_of(const struct flm_screen *screen, int row)
{
    static char text[201];
    for (int i = 0; i < screen->columns && i < 200; i++) {
        uint32_t character = screen->cells[row * screen->columns + i].character;
        text[i] = character < 127 ? (char)character : '?';
        text[i + 1] = 0;
    }
    return text;
}

/* Caption, offsets, times; and without colors characters. */
static void a_terminal_shows_it_with_and_without_colors(void **state)
{
    (void)state;
    enum { COLUMNS = 107, ROWS = 40 };
    struct flm_viewer *v = viewer();
    struct flm_screen screen = {.charset = FLM_CHARSET_ASCII, .depth = FLM_DEPTH_NONE};
    assert_true(flm_screen_resize(&screen, COLUMNS, ROWS, NULL));
    flm_viewer_resize_cells(v, COLUMNS, ROWS);
    flm_viewer_paint_cells(v, &screen, (struct flm_cell_area){0, 0, COLUMNS, ROWS}, 0);
    assert_non_null(strstr(row_of(&screen, 0), "cells of 1 s by 40 ms"));
    assert_non_null(strstr(row_of(&screen, 0), "up to 1 ms"));
    int rows = 13; /* of 25 cells */
    assert_non_null(strstr(row_of(&screen, 1), "1.00 s"));
    assert_non_null(strstr(row_of(&screen, rows), "0.00 s "));
    assert_int_equal(strspn(row_of(&screen, rows) + 7, "#"), COLUMNS - 7);
    assert_int_equal(strspn(row_of(&screen, rows - 1) + 7, " "), COLUMNS - 7);
    assert_non_null(strstr(row_of(&screen, rows + 1), "0 s"));
    assert_non_null(strstr(row_of(&screen, rows + 1), "10 s"));
    screen.charset = FLM_CHARSET_UTF8;
    screen.depth = FLM_DEPTH_TRUE;
    flm_viewer_paint_cells(v, &screen, (struct flm_cell_area){0, 0, COLUMNS, ROWS}, 0);
    const struct flm_cell *cell = &screen.cells[rows * COLUMNS + 10];
    assert_int_equal(cell->character, 0x2580);
    assert_int_equal(cell->style.fill, flm_heatmap_color(FLM_HEAT_STEPS - 1, false));
    assert_true(cell->style.ink != cell->style.fill);
    /* A click on the cell finds it: the flame graph begins below. */
    assert_int_equal(flm_heat_cell_at(&v->model, &v->scene, 10 * FLM_CELL_PX,
                                      (rows + 1) * FLM_CELL_HEIGHT_PX - 1, false) %
                         25,
                     0);
    assert_true(flm_viewer_area(v).top == (rows + 2) * FLM_CELL_HEIGHT_PX);
    flm_screen_clear(&screen);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_have_the_color_of_their_step_in_every_theme),
        cmocka_unit_test(steps_are_told_apart_in_forced_colors),
        cmocka_unit_test(a_selection_across_columns_is_one_outline),
        cmocka_unit_test(a_terminal_shows_it_with_and_without_colors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
