#include "record/capture/ending.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { LONG_MS = 60000 };

/* Says "there" when it is a process of its own. A shell's fork has the shell's traps for a moment, in
 * which it catches a signal and forgets it: whoever waits for its end waits for SIGKILL. */
#define SLEEPS_THERE "sh -c 'echo there >&9; exec sleep 600' & wait"

/* What the script writes to the descriptor 9 is read here. */
struct started {
    struct flm_child child;
    int file;
};

static struct started start(char *script)
{
    int ends[2];
    struct started started = {0};
    char *command[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[1], 9), 9);
    close(ends[1]);
    assert_true(flm_child_start(&started.child, command, NULL, 0, NULL));
    close(9);
    assert_true(flm_child_release(&started.child, "sh", NULL));
    started.file = ends[0];
    return started;
}

static void read_line(const struct started *started, char *line, size_t size)
{
    size_t count = 0;
    while (count + 1 < size && read(started->file, line + count, 1) == 1 && line[count] != '\n')
        count++;
    line[count] = 0;
}

/* Nobody has the other end of the pipe any more, and nothing was written. */
static bool is_closed(const struct started *started)
{
    struct pollfd file = {.fd = started->file, .events = POLLIN};
    return poll(&file, 1, 0) == 1 && (file.revents & POLLHUP) && !(file.revents & POLLIN);
}

static void finish(struct started *started)
{
    close(started->file);
    flm_child_clear(&started->child);
}

static void what_a_command_has_started_ends_with_it(void **state)
{
    (void)state;
    char line[64];
    struct started started = start((char[]){"(echo there >&9; exec sleep 600); echo next >&9"});
    read_line(&started, line, sizeof line);
    assert_string_equal(line, "there");
    flm_command_end(&started.child, "", LONG_MS);
    assert_int_equal(started.child.status, SIGTERM);
    assert_true(is_closed(&started));
    finish(&started);
}

static void those_that_ignore_it_are_killed(void **state)
{
    (void)state;
    char line[64];
    struct started started =
        start((char[]){"trap '' TERM; (echo there >&9; exec sleep 600); echo next >&9"});
    read_line(&started, line, sizeof line);
    flm_command_end(&started.child, "", 2000);
    assert_int_equal(started.child.status, SIGKILL);
    assert_true(is_closed(&started));
    finish(&started);
}

/* In a process group of its own, as those of timeout(1) and of shells with job control. */
static void those_in_other_groups_end_too(void **state)
{
    (void)state;
    char line[64];
    struct started started =
        start((char[]){"timeout 600 sh -c 'echo there >&9; sleep 600'; echo next >&9"});
    read_line(&started, line, sizeof line);
    flm_command_end(&started.child, "", LONG_MS);
    assert_int_equal(started.child.status, SIGTERM);
    assert_true(is_closed(&started));
    finish(&started);
}

static void one_that_is_stopped_goes_on_to_its_end(void **state)
{
    (void)state;
    char line[64];
    struct started started = start((char[]){"sleep 600 & kill -STOP $!; echo there >&9; wait"});
    read_line(&started, line, sizeof line);
    flm_command_end(&started.child, "", LONG_MS); /* nobody is killed, or it took two minutes */
    assert_int_equal(started.child.status, SIGTERM);
    assert_true(is_closed(&started));
    finish(&started);
}

/* Whoever has lost its parent by then is found all the same. */
static void what_is_started_meanwhile_ends_too(void **state)
{
    (void)state;
    char line[64];
    struct started started = start((char[]){"trap 'sh -c \"sleep 601 & sleep 602 & exit\" & exit "
                                            "3' TERM; " SLEEPS_THERE});
    read_line(&started, line, sizeof line);
    flm_command_end(&started.child, "", LONG_MS);
    assert_true(is_closed(&started));
    finish(&started);
}

static void a_daemon_is_left_alone(void **state)
{
    (void)state;
    char line[64];
    struct started started =
        start((char[]){"setsid sh -c 'echo $$ >&9; exec sleep 600 9>&-' & wait"});
    read_line(&started, line, sizeof line);
    pid_t daemon = (pid_t)strtol(line, NULL, 10);
    assert_true(daemon > 0);
    flm_command_end(&started.child, "", LONG_MS);
    assert_int_equal(started.child.status, SIGTERM);
    assert_int_equal(kill(daemon, 0), 0);
    kill(daemon, SIGKILL);
    finish(&started);
}

/* Starts a process when it is told to, says which, and ends with the signal that has ended that. */
static _Noreturn void help(int go, int answer)
{
    char byte;
    int status = 0;
    pid_t process = read(go, &byte, 1) == 1 ? fork() : -1;
    while (process == 0)
        pause();
    dprintf(answer, "%d\n", (int)process);
    waitpid(process, &status, 0);
    _exit(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

/* As in `helper & exec flamel record -- command`: a command that has a helper start a process while
 * it ends. That process, which the helper or we have to wait for, must end by our signal. */
static void check_helper(void (*helps)(int go, int answer), bool is_adopted)
{
    int go[2], answer[2], status = 0;
    char line[64];
    assert_true(pipe(go) == 0 && pipe(answer) == 0);
    for (int i = 0; i < 2; i++) { /* 7 and 8 may be among them */
        int low[] = {go[i], answer[i]};
        go[i] = fcntl(low[0], F_DUPFD, 20);
        answer[i] = fcntl(low[1], F_DUPFD, 20);
        close(low[0]);
        close(low[1]);
    }
    pid_t helper = fork();
    if (helper == 0)
        helps(go[0], answer[1]);
    assert_true(dup2(go[1], 7) == 7 && dup2(answer[0], 8) == 8);
    struct started started = start((char[]){"trap 'echo >&7; read pid <&8; echo $pid >&9; exit' "
                                            "TERM; " SLEEPS_THERE});
    read_line(&started, line, sizeof line);
    flm_command_end(&started.child, "", LONG_MS);
    read_line(&started, line, sizeof line);
    pid_t process = (pid_t)strtol(line, NULL, 10);
    assert_true(process > 0);
    kill(process, SIGUSR1);
    if (is_adopted) {
        assert_int_equal(waitpid(process, &status, 0), process);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGUSR1);
    }
    assert_int_equal(waitpid(helper, &status, 0), helper);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), is_adopted ? 0 : SIGUSR1);
    for (int i = 0; i < 2; i++) {
        close(go[i]);
        close(answer[i]);
    }
    close(7);
    close(8);
    finish(&started);
}

static void what_others_start_meanwhile_is_left_alone(void **state)
{
    (void)state;
    check_helper(help, false);
}

/* The helper's child starts another one, which loses its parent at once: we become its parent while
 * the command ends, and nothing but its process group tells whose it is. */
static _Noreturn void help_once_removed(int go, int answer)
{
    char byte;
    if (read(go, &byte, 1) == 1 && fork() == 0) {
        pid_t process = fork();
        while (process == 0)
            pause();
        _exit(dprintf(answer, "%d\n", (int)process) > 0 ? 0 : 1);
    }
    wait(NULL);
    _exit(0);
}

static void orphans_of_others_are_left_alone(void **state)
{
    (void)state;
    check_helper(help_once_removed, true);
}

static void a_command_that_has_ended_is_not_signaled(void **state)
{
    (void)state;
    struct flm_child none = {0};
    flm_command_end(&none, "", LONG_MS);
    struct started started = start((char[]){"exit 3"});
    while (!flm_child_has_ended(&started.child))
        poll(NULL, 0, 1);
    flm_command_end(&started.child, "", LONG_MS);
    assert_int_equal(started.child.status, 3 << 8);
    finish(&started);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_command_has_started_ends_with_it),
        cmocka_unit_test(those_that_ignore_it_are_killed),
        cmocka_unit_test(those_in_other_groups_end_too),
        cmocka_unit_test(one_that_is_stopped_goes_on_to_its_end),
        cmocka_unit_test(what_is_started_meanwhile_ends_too),
        cmocka_unit_test(a_daemon_is_left_alone),
        cmocka_unit_test(what_others_start_meanwhile_is_left_alone),
        cmocka_unit_test(orphans_of_others_are_left_alone),
        cmocka_unit_test(a_command_that_has_ended_is_not_signaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
