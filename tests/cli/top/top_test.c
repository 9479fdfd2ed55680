#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/command/commands.h"
#include "flamel/live.h"
#include "support/core/files.h"
#include "support/record/session.h"

static volatile unsigned long sum;

__attribute__((noinline)) static void count_to_a_million(void)
{
    for (unsigned i = 0; i < 1000000; i++)
        sum += i;
}

/* A process that computes until it is killed. */
static pid_t start_process(void)
{
    pid_t process = fork();
    assert_true(process >= 0);
    if (process > 0)
        return process;
    alarm(60); /* whatever becomes of the test */
    for (;;)
        count_to_a_million();
}

static void end_process(pid_t process)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

static void skip_where_not_allowed(pid_t process)
{
    const struct flm_record_options target = {
        .size = sizeof target, .processes = &process, .process_count = 1};
    const struct flm_live_options options = {
        .size = sizeof options,
        .recording = &target,
        .interval_ns = 100000000,
        .window = 3,
    };
    struct flm_error why;
    struct flm_live *live = flm_live_new(&options, &why);
    flm_live_free(live);
    if (live)
        return;
    print_message("not allowed here: %s\n", why.text);
    end_process(process);
    skip();
}

static int program(void *process)
{
    char number[16], interval[] = "--interval=100ms";
    snprintf(number, sizeof number, "%d", *(pid_t *)process);
    char *words[] = {number, interval};
    return flm_command_top.run(&flm_command_top, 2, words);
}

static void functions_are_seen_frozen_and_saved(void **state)
{
    (void)state;
    pid_t process = start_process();
    skip_where_not_allowed(process);
    struct session session = {0};
    char path[512], answer[600];
    snprintf(path, sizeof path, "%s", temporary_path("top.flm"));
    session_start(&session, 120, 30, program, &process);
    session_await(&session, "count_to_a_million");
    session_await(&session, "CPUs busy");
    session_type(&session, "1");
    session_await(&session, "all, ");
    session_type(&session, " ");
    session_await(&session, "frozen at ");
    session_type(&session, "s");
    session_await(&session, "save top-");
    snprintf(answer, sizeof answer, "\025%s\r", path); /* ^U: another name */
    session_type(&session, answer);
    session_await(&session, "written: ");
    end_process(process);
    session_type(&session, " ");
    session_await(&session, "ended at ");
    session_type(&session, "q");
    assert_int_equal(session_end(&session), 0);
    assert_true(session_is_as_before(&session));
    assert_int_equal(session.terminal.unknown, 0);
    session_clear(&session);
    assert_int_equal(access(path, R_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_seen_frozen_and_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
