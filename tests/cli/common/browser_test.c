#include "cli/common/browser.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support/core/files.h"

#define ADDRESS "http://127.0.0.1:8000/token/"

/* Opens the address with these commands and reaps until no child is left. Whether one worked. */
static bool open_and_reap(const char *commands)
{
    struct flm_browser browser;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    if (!flm_browser_open(&browser, commands, ADDRESS))
        return false;
    bool worked = true;
    while (worked && browser.child > 0) {
        int signal;
        sigwait(&child, &signal);
        worked = flm_browser_reap(&browser);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie stays */
    assert_int_equal(errno, ECHILD);
    return worked;
}

/* A script that writes its arguments, one a line, to a file of the same name with ".args". */
static const char *script(const char *name, int status)
{
    char text[200];
    snprintf(text, sizeof text, "#!/bin/sh\nprintf '%%s\\n' \"$@\" > \"$0.args\"\nexit %d\n",
             status);
    const char *path = write_temporary(name, flm_bytes_of(text));
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static void assert_arguments(const char *path, const char *wanted)
{
    char file[600];
    snprintf(file, sizeof file, "%s.args", path);
    struct flm_text text = read_file(file);
    assert_true(flm_bytes_are((struct flm_bytes){text.at, text.size}, wanted));
    flm_text_clear(&text);
    unlink(file);
}

static void a_command_may_have_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *command, *arguments;
    } tried[] = {
        {"%s", ADDRESS "\n"},
        {"%s --new-window", "--new-window\n" ADDRESS "\n"},
        {"%s --title 'two words' -n", "--title\ntwo words\n-n\n" ADDRESS "\n"},
        {"%s --app=%%s --quiet", "--app=" ADDRESS "\n--quiet\n"},
        {"%s 100%%%% %%s", "100%\n" ADDRESS "\n"},
        {"NAME=1 %s $((1 + 1))", "2\n" ADDRESS "\n"},
    };
    const char *path = script("browser", 0);
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        char commands[800];
        snprintf(commands, sizeof commands, tried[i].command, path);
        assert_true(open_and_reap(commands));
        assert_arguments(path, tried[i].arguments);
    }
}

static void the_first_of_a_list_that_works_is_taken(void **state)
{
    (void)state;
    char commands[2000];
    const char *fails = script("fails", 3), *works = script("works", 0);
    const char *other = script("other", 0);
    snprintf(commands, sizeof commands, "missing::%s -f:%s:%s", fails, works, other);
    assert_true(open_and_reap(commands));
    assert_arguments(fails, "-f\n" ADDRESS "\n");
    assert_arguments(works, ADDRESS "\n");
    char file[600];
    snprintf(file, sizeof file, "%s.args", other);
    assert_int_equal(access(file, F_OK), -1);
}

static void a_list_of_which_none_works_is_reported(void **state)
{
    (void)state;
    char commands[2000];
    snprintf(commands, sizeof commands, "%s:/missing/too:'open quote", script("fails", 3));
    assert_false(open_and_reap(commands));
    assert_false(open_and_reap("missing"));
    assert_false(open_and_reap(":"));
}

static void a_browser_has_none_of_our_blocked_signals(void **state)
{
    (void)state;
    const char *path = temporary_path("mask");
    char commands[800];
    snprintf(commands, sizeof commands, "grep SigBlk /proc/self/status > %s; true ", path);
    assert_true(open_and_reap(commands));
    struct flm_text text = read_file(path);
    flm_text_putc(&text, 0);
    assert_string_equal(text.at, "SigBlk:\t0000000000000000\n");
    flm_text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_may_have_arguments),
        cmocka_unit_test(the_first_of_a_list_that_works_is_taken),
        cmocka_unit_test(a_list_of_which_none_works_is_reported),
        cmocka_unit_test(a_browser_has_none_of_our_blocked_signals),
    };
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
