#include "cli/tui/raw_terminal.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/record/session.h"

static void say(const char *words)
{
    flm_tui_terminal_write(flm_bytes_of("\033[1;1H"));
    flm_tui_terminal_write(flm_bytes_of(words));
}

/* Shows the window's size, and does what is typed. */
static int program(void *context)
{
    (void)context;
    struct flm_error why;
    char input[64], words[100];
    size_t size = 0;
    if (!flm_tui_terminal_open(&why)) {
        printf("%s\r\n", why.text);
        fflush(stdout);
        return 2;
    }
    for (;;) {
        int columns, rows;
        flm_tui_terminal_size(&columns, &rows);
        snprintf(words, sizeof words, "ready %d x %d.", columns, rows);
        say(words);
        unsigned found = flm_tui_terminal_wait(-1, input, sizeof input, &size);
        if (found & FLM_TUI_GONE)
            return 7;
        if (found & FLM_TUI_STOP)
            flm_tui_terminal_stop();
        for (size_t i = 0; i < size; i++)
            switch (input[i]) {
            case 'q':
                flm_tui_terminal_close();
                return 0;
            case 'x':
                exit(3);
            case 'a':
                abort();
            case 's':
                raise(SIGSEGV);
                break;
            case 'z':
                flm_tui_terminal_stop();
                break;
            default:
                say("something else");
                break;
            }
        size = 0;
    }
}

static void assert_taken_over(const struct session *session)
{
    const struct emulator *terminal = &session->terminal;
    assert_true(terminal->is_alternate);
    assert_int_equal(terminal->mouse, 15);
    assert_true(terminal->marks_pastes);
    assert_true(terminal->reports_focus);
    assert_false(terminal->cursor_is_shown);
    assert_false(terminal->wraps);
    assert_false(session_is_as_before(session));
}

/* Ends the program by keys or by a signal: its exit status. */
static int status_after(const char *keys, int number)
{
    struct session session = {0};
    session_start(&session, 40, 10, program, NULL);
    session_await(&session, "ready 40 x 10.");
    assert_taken_over(&session);
    if (number)
        assert_int_equal(kill(session.child, number), 0);
    else
        session_type(&session, keys);
    int status = session_end(&session);
    assert_true(session_is_as_before(&session));
    assert_int_equal(session.terminal.unknown, 0);
    session_clear(&session);
    return status;
}

static void the_terminal_is_given_back_at_every_end(void **state)
{
    (void)state;
    assert_int_equal(status_after("q", 0), 0);
    assert_int_equal(status_after("x", 0), 3);
    assert_int_equal(status_after("a", 0), 1000 + SIGABRT);
    assert_int_not_equal(status_after("s", 0), 0); /* the sanitizers have an end of their own */
    assert_int_equal(status_after("", SIGTERM), 1000 + SIGTERM);
    assert_int_equal(status_after("", SIGINT), 1000 + SIGINT);
    assert_int_equal(status_after("", SIGHUP), 1000 + SIGHUP);
    assert_int_equal(status_after("", SIGQUIT), 1000 + SIGQUIT);
}

static int program_that_nothing_hangs_up(void *context)
{
    signal(SIGHUP, SIG_IGN);
    return program(context);
}

static void a_signal_that_was_ignored_stays_ignored(void **state)
{
    (void)state;
    struct session session = {0};
    session_start(&session, 40, 10, program_that_nothing_hangs_up, NULL);
    session_await(&session, "ready");
    kill(session.child, SIGHUP);
    session_settle(&session);
    assert_taken_over(&session);
    session_type(&session, "q");
    assert_int_equal(session_end(&session), 0);
    session_clear(&session);
}

static void a_new_size_is_told(void **state)
{
    (void)state;
    struct session session = {0};
    session_start(&session, 40, 10, program, NULL);
    session_await(&session, "ready 40 x 10.");
    session_resize(&session, 300, 100);
    session_await(&session, "ready 300 x 100.");
    session_type(&session, "q");
    assert_int_equal(session_end(&session), 0);
    session_clear(&session);
}

static void stopped_it_leaves_the_terminal_to_the_shell(void **state)
{
    (void)state;
    struct session session = {.has_shell = true};
    session_start(&session, 40, 10, program, NULL);
    session_await(&session, "ready");
    for (int round = 0; round < 3; round++) {
        session_type(&session, "z");
        session_await(&session, "[stopped]");
        assert_true(session_is_as_before(&session));
        session_type(&session, "fg\r");
        session_await(&session, "ready");
        assert_taken_over(&session);
    }
    session_type(&session, "q");
    assert_int_equal(session_end(&session), 0);
    assert_true(session_is_as_before(&session));
    session_clear(&session);
}

static void without_a_terminal_that_can_place_text_it_is_refused(void **state)
{
    (void)state;
    struct session session = {.term = "dumb"};
    session_start(&session, 200, 10, program, NULL);
    session_await(&session, "--tui needs a terminal that can place text, and TERM is 'dumb'");
    assert_int_equal(session_end(&session), 2);
    assert_false(session.terminal.is_alternate);
    session_clear(&session);
}

static void without_a_terminal_it_is_refused(void **state)
{
    (void)state;
    struct flm_error why;
    FILE *file = tmpfile();
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    bool opened = flm_tui_terminal_open(&why);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    fclose(file);
    assert_false(opened);
    assert_int_equal(why.kind, FLM_ERROR_USAGE);
    assert_non_null(strstr(why.text, "standard output"));
}

/* The profile comes through standard input: keys are read from the terminal all the same. */
static int program_with_a_pipe(void *context)
{
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[0], STDIN_FILENO) < 0)
        return 99;
    return program(context);
}

static void keys_come_from_the_terminal_where_the_profile_is_piped(void **state)
{
    (void)state;
    struct session session = {0};
    session_start(&session, 40, 10, program_with_a_pipe, NULL);
    session_await(&session, "ready");
    assert_taken_over(&session);
    session_type(&session, "q");
    assert_int_equal(session_end(&session), 0);
    assert_true(session_is_as_before(&session));
    session_clear(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_terminal_is_given_back_at_every_end),
        cmocka_unit_test(a_signal_that_was_ignored_stays_ignored),
        cmocka_unit_test(a_new_size_is_told),
        cmocka_unit_test(stopped_it_leaves_the_terminal_to_the_shell),
        cmocka_unit_test(without_a_terminal_that_can_place_text_it_is_refused),
        cmocka_unit_test(without_a_terminal_it_is_refused),
        cmocka_unit_test(keys_come_from_the_terminal_where_the_profile_is_piped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
