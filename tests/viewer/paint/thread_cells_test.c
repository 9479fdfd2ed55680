#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "draw/terminal/cell_boxes.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

enum { COLUMNS = 100, ROWS = 20 };

/* 100 ms in 100 columns. */
static const char states[] = "1 1 - 0 0 main;work\n"
                             "1 1 sleeping 10 80 main;sleep\n"
                             "1 1 - 95 0 main;work\n"
                             "1 2 lock 0 40 main\n"
                             "1 2 runnable 40 60 main\n";

static void show(struct flm_viewer *v, struct flm_screen *screen)
{
    assert_true(flm_screen_resize(screen, COLUMNS, ROWS, NULL));
    flm_viewer_resize_cells(v, COLUMNS, ROWS);
    flm_viewer_paint_cells(v, screen, (struct flm_cell_area){0, 0, COLUMNS, ROWS}, 0);
}

static const char *row_of(const struct flm_screen *screen, int row)
{
    static char text[COLUMNS + 1];
    for (int i = 0; i < COLUMNS; i++) {
        uint32_t character = screen->cells[row * COLUMNS + i].character;
        text[i] = character < 127 ? (char)character : '?';
    }
    return text;
}

static void assert_row(const struct flm_screen *screen, int row, const char *part)
{
    if (!strstr(row_of(screen, row), part))
        fail_msg("row %d is '%s', without '%s'", row, row_of(screen, row), part);
}

/* Characters tell the states apart, also without colors. */
static void a_terminal_has_ruler_names_and_states(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads(states));
    struct flm_screen screen = {.charset = FLM_CHARSET_ASCII, .depth = FLM_DEPTH_NONE};
    act(v, "view chart");
    show(v, &screen);
    assert_row(&screen, 0, "0 ms");
    assert_row(&screen, 0, "60 ms");
    assert_row(&screen, 1, "cmd1 1  on 2 ms");
    assert_row(&screen, 2, "##########....................");
    assert_row(&screen, 2, ".....#####     "); /* unknown behind its last sample */
    assert_row(&screen, 3, "main");
    assert_row(&screen, 5, "cmd1 2  on 0 ns ");
    assert_row(&screen, 6, "llllllllllllllllllllllllllllllllllllllllrrrrrrrrrrrr");
    flm_screen_clear(&screen);
    flm_viewer_free(v);
}

static void the_ruler_stays_when_threads_are_scrolled(void **state)
{
    (void)state;
    struct flm_text lines = {0};
    for (int i = 0; i < 30; i++)
        flm_text_format(&lines, "1 %d - %d 0 main\n", i + 1, i);
    flm_text_putc(&lines, '\0');
    struct flm_viewer *v = viewer_of(profile_of_threads(lines.at));
    struct flm_screen screen = {.charset = FLM_CHARSET_ASCII, .depth = FLM_DEPTH_TRUE};
    act(v, "view chart");
    act(v, "short-apart");
    show(v, &screen);
    flm_viewer_scroll(v, 4 * FLM_CELL_HEIGHT_PX, 0);
    show(v, &screen);
    assert_row(&screen, 0, "ms");
    assert_row(&screen, 1, "cmd1 3 "); /* two rows a thread */
    flm_screen_clear(&screen);
    flm_text_clear(&lines);
    flm_viewer_free(v);
}

/* Its name, how many threads it has, their cost, and how many of them run. */
static void a_collapsed_process_is_one_row(void **state)
{
    (void)state;
    struct flm_viewer *v = viewer_of(profile_of_threads("7 7 sleeping 0 100 main\n"
                                                        "1 1 - 1 0 main\n"
                                                        "1 1 sleeping 51 10 main\n"
                                                        "1 2 sleeping 1 25 main\n"
                                                        "1 2 - 26 0 main\n"
                                                        "1 2 sleeping 51 10 main\n"));
    struct flm_screen screen = {.charset = FLM_CHARSET_ASCII, .depth = FLM_DEPTH_NONE};
    act(v, "view chart");
    show(v, &screen);
    assert_row(&screen, 4, "- process 1, 2 threads");
    assert_row(&screen, 5, "cmd1 1");
    act(v, "processes-all");
    show(v, &screen);
    assert_row(&screen, 4, "+ process 1 (cmd1), 2 threads  on 2 ms ");
    assert_row(&screen, 4, "off 45 ms");
    assert_row(&screen, 5, "=========================@@@@@@@@@@@@@@@@@@@@@@@@@  ");
    assert_row(&screen, 6, "          ");
    flm_screen_clear(&screen);
    flm_viewer_free(v);
}

/* Two threads of 18 and 2 rows in 20: the deep one leaves room, and a line tells what is hidden. */
static void a_deep_thread_has_a_line_that_tells_of_hidden_rows(void **state)
{
    (void)state;
    struct flm_viewer *v =
        viewer_of(profile_of_threads("1 1 - 0 0 a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q;r\n"
                                     "1 1 - 60 0 a\n"
                                     "1 2 - 1 0 main;work\n"));
    struct flm_screen screen = {.charset = FLM_CHARSET_ASCII, .depth = FLM_DEPTH_NONE};
    act(v, "view chart");
    show(v, &screen);
    assert_row(&screen, 1, "+ cmd1 1  2 ms");
    assert_row(&screen, 10, "+10 rows");
    assert_row(&screen, 11, "cmd1 2");
    act(v, "rows-all");
    show(v, &screen);
    assert_row(&screen, 1, "- cmd1 1");
    flm_viewer_scroll(v, 10 * FLM_CELL_HEIGHT_PX, 0);
    show(v, &screen);
    for (int row = 1; row < ROWS; row++)
        assert_null(strstr(row_of(&screen, row), " rows"));
    flm_screen_clear(&screen);
    flm_viewer_free(v);
}

/* A lane has one name, and a state at the time of each of its threads. */
static void short_threads_share_rows(void **state)
{
    (void)state;
    struct flm_text lines = {0};
    flm_text_puts(&lines, "1 1 - 0 1 main\n1 1 sleeping 1 999 main;sleep\n");
    for (int i = 0; i < 20; i++)
        flm_text_format(&lines, "%d %d sleeping %d 30 main;f\n", i + 10, i + 10, 50 * i);
    flm_text_putc(&lines, '\0');
    struct flm_viewer *v = viewer_of(profile_of_threads(lines.at));
    struct flm_screen screen = {.charset = FLM_CHARSET_ASCII, .depth = FLM_DEPTH_NONE};
    act(v, "view chart");
    show(v, &screen);
    assert_row(&screen, 5, "20 short threads  on 0 ns");
    assert_row(&screen, 6, "...");
    int waits = 0, boxes = 0;
    for (const char *at = row_of(&screen, 6); *at; at++)
        waits += at[0] == '.' && at[1] != '.';
    assert_int_equal(waits, 20);
    for (const char *at = row_of(&screen, 7); *at; at++)
        boxes += *at == '|';
    assert_int_equal(boxes, 20); /* the boxes of each are there, too */
    flm_screen_clear(&screen);
    flm_text_clear(&lines);
    flm_viewer_free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_has_ruler_names_and_states),
        cmocka_unit_test(a_collapsed_process_is_one_row),
        cmocka_unit_test(a_deep_thread_has_a_line_that_tells_of_hidden_rows),
        cmocka_unit_test(the_ruler_stays_when_threads_are_scrolled),
        cmocka_unit_test(short_threads_share_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
