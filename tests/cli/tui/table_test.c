/* The table of functions beside the picture of a sandwich; tables in place of a picture are in
 * window_test.c. */
#include "cli/tui/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/core/allocation.h"
#include "support/profile/profiles.h"
#include "support/profile/viewing.h"
#include "support/record/tui.h"

enum { PAGE = 0x16171A };

/* Waits until the selected function, whose name is below the picture, is this one. */
static void await_selected(struct session *session, int rows, const char *name)
{
    char line[100];
    snprintf(line, sizeof line, " %s", name);
    for (int i = 0; i < 200 && strcmp(emulator_line(&session->terminal, rows - 3), line) != 0; i++)
        session_settle(session);
    assert_string_equal(emulator_line(&session->terminal, rows - 3), line);
}

/* The fill of the first row of a table that begins with these figures. */
static uint32_t fill_of(struct session *session, int row)
{
    return emulator_at(&session->terminal, 0, row)->style.fill;
}

/* Of the picture beside the table. */
static int row_right_of_line(struct session *session, const char *name)
{
    for (int row = 0; row < 24; row++) {
        const char *line = strstr(emulator_line(&session->terminal, row), "\xE2\x94\x82");
        if (line && strstr(line, name))
            return row;
    }
    return -1;
}

static void a_sandwich_has_its_functions_above_or_beside(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "3");
    int titles = session_await(&session, "self\xE2\x96\xBE");
    await_selected(&session, 24, "read_bytes");
    assert_int_equal(titles, 1);
    /* Every function, the largest first, above the callers and callees of that. */
    assert_non_null(strstr(emulator_line(&session.terminal, 2), "read_bytes"));
    assert_non_null(strstr(emulator_line(&session.terminal, 3), "flush_all"));
    int function = emulator_find(&session.terminal, "read_bytes", 9);
    assert_true(function > 9);
    assert_true(emulator_find(&session.terminal, "parse_text", 9) == function - 1);
    session_resize(&session, 120, 24);
    session_settle(&session);
    titles = session_await(&session, "self\xE2\x96\xBE");
    function = emulator_find(&session.terminal, " parse_text", 3);
    assert_true(emulator_column(&session.terminal, titles, "function") < 52);
    const char *line = emulator_line(&session.terminal, 2);
    assert_non_null(strstr(line, "read_bytes"));
    assert_non_null(strstr(line, "\xE2\x94\x82")); /* and the picture right of a line */
    session_resize(&session, 80, 12);              /* no room for both */
    session_await_gone(&session, "self\xE2\x96\xBE");
    session_await(&session, "parse_text");
    tui_quit(&session);
}

static void keys_move_in_the_table_and_enter_chooses(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_type(&session, "3");
    await_selected(&session, 24, "read_bytes");
    assert_int_not_equal(fill_of(&session, 2), PAGE);
    session_type(&session, "\033[B");
    session_settle(&session);
    assert_int_equal(fill_of(&session, 2), PAGE);
    assert_int_not_equal(fill_of(&session, 3), PAGE);
    session_type(&session, "\r");
    await_selected(&session, 24, "flush_all");
    assert_true(emulator_find(&session.terminal, "write_text", 9) > 9); /* its caller */
    assert_int_equal(emulator_find(&session.terminal, "parse_text", 9), -1);
    tui_quit(&session);
}

static void tab_and_clicks_say_which_of_both_has_the_keys(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 120, 24);
    session_type(&session, "3");
    await_selected(&session, 24, "read_bytes");
    uint32_t with_keys = fill_of(&session, 2);
    session_type(&session, "\t");
    session_settle(&session);
    assert_int_not_equal(fill_of(&session, 2), with_keys); /* still marked, but paler */
    assert_int_not_equal(fill_of(&session, 2), PAGE);
    session_type(&session, "k"); /* to the caller, in the picture */
    await_selected(&session, 24, "parse_text");
    assert_int_not_equal(fill_of(&session, 2), PAGE);
    session_type(&session, "\t\033[B\033[B");
    session_settle(&session);
    assert_int_equal(fill_of(&session, 4), with_keys);
    await_selected(&session, 24, "parse_text"); /* as before */
    session_click(&session, 0, 20, 3);
    await_selected(&session, 24, "flush_all");
    assert_int_equal(fill_of(&session, 3), with_keys);
    session_click(&session, 0, 100, row_right_of_line(&session, "write_text"));
    await_selected(&session, 24, "write_text");
    assert_int_not_equal(fill_of(&session, 3), with_keys);
    tui_quit(&session);
}

/* Opened on a function, the table is on it; and the wheel moves what it is above. */
static void the_current_row_is_the_function(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 120, 24);
    session_click(&session, 0, 3, tui_row(&session, "wait_long"));
    await_selected(&session, 24, "wait_long");
    session_type(&session, "3");
    session_await(&session, "self\xE2\x96\xBE");
    session_settle(&session);
    enum { FOURTH = 5 };
    assert_in_range(emulator_column(&session.terminal, FOURTH, "wait_long"), 10, 50);
    assert_int_not_equal(fill_of(&session, FOURTH), PAGE);
    session_click(&session, 64, 10, FOURTH); /* up */
    session_settle(&session);
    assert_int_equal(fill_of(&session, FOURTH), PAGE);
    tui_quit(&session);
}

/* A program for session_start: the functions of two profiles. */
static int show_compared(void *unused)
{
    (void)unused;
    struct flm_error why;
    struct flm_viewer *viewer = viewer_of_folded("main;read 60\nmain;parse 40\n");
    bool is_good = flm_viewer_take(viewer, FLM_VIEWER_BEFORE,
                                   profile_of("main;read 30\nmain;parse 42\n"), "old", &why) &&
                   flm_viewer_do(viewer, flm_bytes_of("view top"), &why) &&
                   flm_tui_run(viewer, &why);
    flm_viewer_free(viewer);
    return is_good ? 0 : 2;
}

/* The figures of a row, one space between two. */
static void assert_row(struct session *session, int row, const char *wanted)
{
    char text[200] = "";
    size_t size = 0;
    for (const char *at = emulator_line(&session->terminal, row); *at && size + 2 < sizeof text;
         at++)
        if (*at != ' ' || (size > 0 && text[size - 1] != ' '))
            text[size++] = *at;
    while (size > 0 && text[size - 1] == ' ')
        size--;
    text[size] = 0;
    assert_string_equal(text, wanted);
}

static void a_comparison_says_each_quantity_once(void **state)
{
    (void)state;
    enum { WIDE = 110, HEIGHT = 20, TITLES = 1, FIRST = 2 };
    struct session session = {0};
    session_start(&session, WIDE, HEIGHT, show_compared, NULL);
    session_await(&session, "self before");
    assert_row(&session, TITLES, "total self before after\xE2\x96\xBE change % function");
    assert_row(&session, FIRST, "60 30 60 +30 +100 % read");
    /* Nothing is said of a picture that is not seen. */
    assert_int_equal(emulator_find(&session.terminal, "drawn", 0), -1);
    /* By its heading, of what the figures beside it are of: self, and then total. */
    int change = emulator_column(&session.terminal, TITLES, "change");
    session_click(&session, 0, change + 1, TITLES);
    session_await(&session, "change\xE2\x96\xBE");
    assert_row(&session, TITLES, "total self before after change\xE2\x96\xBE % function");
    session_click(&session, 0, emulator_column(&session.terminal, TITLES, "total") + 1, TITLES);
    session_await(&session, "total before");
    assert_row(&session, TITLES, "self total before after\xE2\x96\xBE change % function");
    session_click(&session, 0, emulator_column(&session.terminal, TITLES, "change") + 1, TITLES);
    session_await(&session, "change\xE2\x96\xBE");
    assert_row(&session, TITLES, "self total before after change\xE2\x96\xBE % function");
    assert_row(&session, FIRST, "60 30 60 +30 +100 % read");
    assert_row(&session, FIRST + 1, "0 72 100 +28 +38.9 % ? main");
    /* Where there is no room for both sides, the change stays. */
    enum { NARROW = 50 };
    session_resize(&session, NARROW, HEIGHT);
    session_settle(&session);
    assert_true(emulator_find(&session.terminal, "change", 0) > 0);
    tui_quit(&session);
}

static void without_memory_the_selection_is_not_found(void **state)
{
    (void)state;
    struct flm_viewer *viewer = viewer_of_folded("main;read 3\nmain;parse 2\n");
    act(viewer, "view sandwich");
    act(viewer, "select-frame 2");
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        struct flm_tui *tui = calloc(1, sizeof *tui);
        tui->viewer = viewer;
        allocation_fail_once(nth);
        flm_tui_table_go_to_selected(tui);
        failed = allocation_has_failed();
        allocation_fail_from(0);
        assert_true(tui->tables[0].current <= 2);
        free(tui);
    }
    flm_viewer_free(viewer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sandwich_has_its_functions_above_or_beside),
        cmocka_unit_test(keys_move_in_the_table_and_enter_chooses),
        cmocka_unit_test(tab_and_clicks_say_which_of_both_has_the_keys),
        cmocka_unit_test(the_current_row_is_the_function),
        cmocka_unit_test(a_comparison_says_each_quantity_once),
        cmocka_unit_test(without_memory_the_selection_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
