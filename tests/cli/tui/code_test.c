/* The view of code in the terminal: its rows, keys, and the text that it asks for. */
#include "cli/tui/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/profile/viewing.h"
#include "support/record/tui.h"

static void e_shows_the_code_and_goes_back(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 80, 24);
    session_await(&session, "read_bytes");
    session_type(&session, "7");
    int row = session_await(&session, "lines add up to");
    assert_true(row <= 2);
    session_await(&session, "no line is known");
    session_type(&session, "a");
    session_await(&session, "address");
    session_type(&session, "e");
    session_await_gone(&session, "lines add up to");
    tui_quit(&session);
}

static void rows_are_walked_by_keys(void **state)
{
    (void)state;
    struct session session = {0};
    tui_start(&session, 130, 24);
    session_await(&session, "read_bytes");
    session_type(&session, "7a");
    session_await(&session, "address");
    session_type(&session, "\t\033[B\033[A\r");
    session_settle(&session);
    session_type(&session, "\033");
    session_await_gone(&session, "lines add up to");
    tui_quit(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e_shows_the_code_and_goes_back),
        cmocka_unit_test(rows_are_walked_by_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
