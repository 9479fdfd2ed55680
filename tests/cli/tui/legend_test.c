#include "cli/tui/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/record/tui.h"

/* The row of the legend in 24 rows: below the picture, above two lines of what is selected. */
enum { LEGEND = 20 };

static const char modules[] = "main;xml::parse 60\nmain;net::send 20\n"
                              "main;sys_read_[k] 20\n";

static const char states[] = "1 1 - 0 0 main;work\n"
                             "1 1 sleeping 10 80 main;sleep\n"
                             "1 1 - 95 0 main;work\n"
                             "1 2 lock 0 40 main\n"
                             "1 2 runnable 40 60 main\n";

/* The background two cells before a text, where its swatch is. */
static uint32_t swatch_of(struct session *session, const char *title)
{
    int column = emulator_column(&session->terminal, LEGEND, title);
    assert_true(column > 2);
    return emulator_at(&session->terminal, column - 2, LEGEND)->style.fill;
}

static void colors_have_their_names_below_the_picture(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start_text(&session, 80, 24, modules);
    session_await(&session, "Module or package");
    assert_non_null(strstr(emulator_line(&session.terminal, LEGEND), "net "));
    session_type(&session, ":color by kind\r");
    session_await(&session, "Kind of code");
    assert_null(strstr(emulator_line(&session.terminal, LEGEND), "net "));
    assert_int_equal(swatch_of(&session, "plain"), tui_letter(&session, "main")->style.fill);
    assert_int_equal(swatch_of(&session, "kernel"), tui_letter(&session, "sys_read")->style.fill);
    tui_quit(&session);
}

/* In a flame chart as characters, which are those of the strips. */
static void states_have_their_characters(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start_threads(&session, 80, 24, states);
    session_await(&session, "waiting for a lock");
    static const struct {
        const char *title;
        uint32_t character;
    } all[] = {{"on-CPU", 0x2584}, {"runnable", 0x2592}, {"waiting", 0x2573}, {"sleeping", 0xB7}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        int column = emulator_column(&session.terminal, LEGEND, all[i].title);
        assert_true(column > 2);
        const struct emulator_cell *swatch = emulator_at(&session.terminal, column - 2, LEGEND);
        assert_int_equal(swatch->character, all[i].character);
        bool is_in_strip = false;
        for (int row = 1; row < LEGEND; row++)
            for (int x = 0; x < 80; x++) {
                const struct emulator_cell *cell = emulator_at(&session.terminal, x, row);
                is_in_strip = is_in_strip || (cell->character == swatch->character &&
                                              cell->style.ink == swatch->style.ink);
            }
        assert_true(is_in_strip);
    }
    assert_null(strstr(emulator_line(&session.terminal, LEGEND), "blocked")); /* nobody is */
    tui_quit(&session);
}

static void tables_and_small_windows_have_no_legend(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start_text(&session, 80, 24, modules);
    session_await(&session, "Module or package");
    session_type(&session, "4");
    session_await_gone(&session, "Module or package");
    session_type(&session, "1");
    session_await(&session, "Module or package");
    session_resize(&session, 80, 10);
    session_await_gone(&session, "Module or package");
    tui_quit(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colors_have_their_names_below_the_picture),
        cmocka_unit_test(states_have_their_characters),
        cmocka_unit_test(tables_and_small_windows_have_no_legend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
