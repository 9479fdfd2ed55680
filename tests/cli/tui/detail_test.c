/* The panel of a wide window; the lines below the picture are in window_test.c. */
#include "cli/tui/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/record/tui.h"

static const char threads[] = "1 1 - 0 0 main;work\n"
                              "1 1 - 1 0 main;work\n"
                              "1 1 - 2 0 main;work\n"
                              "1 2 - 2 0 main;work;part\n"
                              "2 3 - 5 0 main;work\n"
                              "2 3 - 6 0 main;other\n";

/* A process is the sum of its threads, which follow it. */
static void the_panel_has_the_cost_of_each_thread_and_process(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start_threads(&session, 160, 44, threads);
    session_type(&session, "1");
    session_await(&session, "all, 6 ms");
    session_click(&session, 0, tui_column(&session, "work") + 4, tui_row(&session, "work"));
    int title = session_await(&session, "Processes, \xC2\xB5s");
    static const char *const rows[] = {"self    total        %",
                                       " cmd1 1            3,000    4,000  80.00 %",
                                       "  cmd1 1           3,000    3,000",
                                       "  cmd1 2               0    1,000  20.00 %",
                                       " cmd2 2            1,000    1,000",
                                       "  cmd2 3           1,000    1,000"};
    for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); i++)
        assert_non_null(strstr(emulator_line(&session.terminal, title + i), rows[i]));
    int heading = emulator_find(&session.terminal, "Callees", 2);
    assert_true(heading > 0 && heading < title);
    tui_quit(&session);
}

static void a_profile_without_threads_has_no_such_section(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 160, 40);
    session_type(&session, "jj");
    session_await(&session, "Callees");
    assert_int_equal(emulator_find(&session.terminal, "Threads", 2), -1);
    assert_int_equal(emulator_find(&session.terminal, "Processes", 2), -1);
    tui_quit(&session);
}

/* Twenty callees leave room for what comes after them. */
static void long_lists_say_how_many_more_there_are(void **state)
{
    (void)state;
    struct session session = {0};
    struct flm_text lines = {0};
    for (int i = 0; i < 20; i++)
        flm_text_format(&lines, "main;call%d 5\n", i + 10);
    flm_text_putc(&lines, 0);
    tui_start_text(&session, 160, 40, lines.at);
    session_click(&session, 0, 3, tui_row(&session, "main"));
    int row = session_await(&session, "Callees");
    assert_non_null(strstr(emulator_line(&session.terminal, row + 6), "call15"));
    assert_non_null(strstr(emulator_line(&session.terminal, row + 7), "and 14 more"));
    flm_text_clear(&lines);
    tui_quit(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_panel_has_the_cost_of_each_thread_and_process),
        cmocka_unit_test(a_profile_without_threads_has_no_such_section),
        cmocka_unit_test(long_lists_say_how_many_more_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
