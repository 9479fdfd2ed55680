#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/text/text.h"
#include "draw/terminal/cell_boxes.h"
#include "support/core/random.h"
#include "support/profile/timed.h"
#include "support/profile/viewing.h"
#include "viewer/internal.h"

enum { COLUMNS = 120, ROWS = 12, STACKS_TOP = 3 };

static struct flm_screen screen = {.charset = FLM_CHARSET_ASCII, .depth = FLM_DEPTH_TRUE};

static struct flm_viewer *chart_of(const char *lines)
{
    struct flm_viewer *v = viewer_of(profile_of_threads(lines));
    act(v, "view chart");
    assert_true(flm_screen_resize(&screen, COLUMNS, ROWS, NULL));
    flm_viewer_resize_cells(v, COLUMNS, ROWS);
    flm_viewer_paint_cells(v, &screen, (struct flm_cell_area){0, 0, COLUMNS, ROWS}, 0);
    return v;
}

static const char *row_of(int row)
{
    static char text[COLUMNS + 1];
    for (int i = 0; i < COLUMNS; i++)
        text[i] = (char)screen.cells[row * COLUMNS + i].character;
    return text;
}

/* Thousands of waits of a tenth of a cell: what they have in common has one name, and no cell is
 * left out. */
static void waits_narrower_than_a_cell_are_seen(void **state)
{
    (void)state;
    static const char *const states[] = {"sleeping", "lock", "blocked"};
    struct flm_text lines = {0};
    uint64_t seed = 5;
    for (int ms = 0, lasts; ms < 60000; ms += lasts) {
        lasts = 1 + (int)random_below(&seed, 100);
        flm_text_format(&lines, "1 1 %s %d %d main;loop;%s\n", states[random_below(&seed, 3)], ms,
                        lasts, random_below(&seed, 2) ? "read" : "write");
    }
    flm_text_putc(&lines, '\0');
    struct flm_viewer *v = chart_of(lines.at);
    uint32_t page = screen.cells[(ROWS - 1) * COLUMNS].style.fill;
    for (int level = 0; level < 3; level++)
        for (int i = 0; i + 1 < COLUMNS; i++)
            assert_int_not_equal(screen.cells[(STACKS_TOP + level) * COLUMNS + i].style.fill, page);
    flm_viewer_free(v);
    flm_text_clear(&lines);
}

/* One name over all of it, where only the state changes back and forth within a cell. */
static void a_stack_that_goes_on_is_one_box(void **state)
{
    (void)state;
    struct flm_text lines = {0};
    for (int ms = 0; ms < 60000; ms += 20)
        flm_text_format(&lines, "1 1 sleeping %d 19 main;loop\n1 1 lock %d 1 main;loop;get\n", ms,
                        ms + 19);
    flm_text_putc(&lines, '\0');
    struct flm_viewer *v = chart_of(lines.at);
    assert_non_null(strstr(row_of(STACKS_TOP), "|main   "));
    assert_non_null(strstr(row_of(STACKS_TOP + 1), "|loop   "));
    flm_viewer_free(v);
    flm_text_clear(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_narrower_than_a_cell_are_seen),
        cmocka_unit_test(a_stack_that_goes_on_is_one_box),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flm_screen_clear(&screen);
    return failed;
}
