#include "cli/common/signals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static volatile sig_atomic_t caught, before;

static void catch (int number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    caught = number;
}

static void count_before(int number)
{
    before = number;
}

static void what_was_ignored_stays_ignored(void **state)
{
    (void)state;
    struct flm_signals signals = {0};
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    flm_signals_catch(&signals, catch);
    caught = 0;
    raise(SIGINT);
    assert_int_equal(caught, 0);
    raise(SIGTERM);
    assert_int_equal(caught, SIGTERM);
    flm_signals_restore(&signals);
    struct sigaction now;
    sigaction(SIGINT, NULL, &now);
    assert_true(now.sa_handler == SIG_IGN);
    sigaction(SIGTERM, NULL, &now);
    assert_true(now.sa_handler == SIG_DFL);
    signal(SIGINT, SIG_DFL);
}

static void handlers_come_back_as_they_were(void **state)
{
    (void)state;
    struct flm_signals signals = {0};
    struct sigaction action = {.sa_handler = count_before, .sa_flags = SA_RESTART}, now;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, count_before);
    flm_signals_catch(&signals, catch);
    flm_signals_ignore(&signals, SIGPIPE);
    flm_signals_ignore(&signals, SIGPIPE); /* it is already */
    before = caught = 0;
    raise(SIGPIPE);
    raise(SIGHUP);
    assert_int_equal(before, 0);
    assert_int_equal(caught, SIGHUP);
    flm_signals_restore(&signals);
    flm_signals_restore(&signals); /* there is nothing left to restore */
    raise(SIGPIPE);
    assert_int_equal(before, SIGPIPE);
    raise(SIGHUP);
    assert_int_equal(before, SIGHUP);
    sigaction(SIGHUP, NULL, &now);
    assert_true(now.sa_flags & SA_RESTART);
    assert_true(sigismember(&now.sa_mask, SIGUSR1));
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_ignored_stays_ignored),
        cmocka_unit_test(handlers_come_back_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
