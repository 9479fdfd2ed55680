#include "support/record/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>
#include <cmocka.h>

/* Long enough for a loaded machine and the sanitizers: nobody waits so long when all is well. */
enum { PATIENCE_MS = 20000, QUIET_MS = 80 };

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* What a shell does with a program in the foreground: nothing else makes stopping one possible. */
static int run_in_shell(int (*program)(void *context), void *context)
{
    signal(SIGTTOU, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        tcsetpgrp(STDIN_FILENO, getpid());
        signal(SIGTTOU, SIG_DFL);
        exit(program(context));
    }
    for (;;) {
        int status;
        if (waitpid(child, &status, WUNTRACED) != child)
            return 125;
        tcsetpgrp(STDIN_FILENO, getpid());
        if (WIFEXITED(status))
            return WEXITSTATUS(status);
        if (WIFSIGNALED(status))
            return 124;
        char line[64];
        printf("[stopped]\r\n");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin) || strcmp(line, "fg\n") != 0)
            return 123;
        tcsetpgrp(STDIN_FILENO, child);
        kill(child, SIGCONT);
    }
}

void session_start(struct session *session, int columns, int rows, int (*program)(void *context),
                   void *context)
{
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    emulator_init(&session->terminal, columns, rows);
    session->terminal.is_light = session->is_light;
    session->terminal.is_silent = session->is_silent;
    session->received = 0;
    assert_int_equal(openpty(&session->master, &session->slave, NULL, NULL, &size), 0);
    assert_int_equal(tcgetattr(session->master, &session->before), 0);
    session->child = fork();
    assert_true(session->child >= 0);
    if (session->child == 0) {
        /* cmocka catches these, and would go on with the tests in the child. */
        static const int caught[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS};
        for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
            signal(caught[i], SIG_DFL);
        close(session->master);
        set("TERM", session->term ? session->term : "xterm-256color");
        set("COLORTERM", session->colorterm ? session->colorterm : "truecolor");
        set("LC_ALL", session->locale ? session->locale : "C.UTF-8");
        set("NO_COLOR", session->no_color);
        set("COLORFGBG", session->colorfgbg);
        if (login_tty(session->slave) != 0)
            _exit(126);
        if (session->has_shell)
            _exit(run_in_shell(program, context));
        exit(program(context)); /* what is to be done at exit is done */
    }
}

/* Reads what is there within a time; false when nothing came, or nothing ever will. */
static bool receive(struct session *session, int most_ms)
{
    char bytes[4096];
    struct pollfd ready = {.fd = session->master, .events = POLLIN};
    if (poll(&ready, 1, most_ms) <= 0)
        return false;
    ssize_t size = read(session->master, bytes, sizeof bytes);
    if (size <= 0)
        return false;
    session->received += (size_t)size;
    struct emulator *terminal = &session->terminal;
    emulator_feed(terminal, (struct flm_bytes){bytes, (size_t)size});
    if (terminal->answers.size > 0)
        assert_int_equal(write(session->master, terminal->answers.at, terminal->answers.size),
                         terminal->answers.size);
    terminal->answers.size = 0;
    return true;
}

void session_type(struct session *session, const char *keys)
{
    size_t size = strlen(keys);
    assert_int_equal(write(session->master, keys, size), size);
}

void session_escape(struct session *session)
{
    struct timespec longer_than_a_sequence = {0, 250 * 1000 * 1000};
    session_type(session, "\033");
    nanosleep(&longer_than_a_sequence, NULL);
    session_settle(session);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Whether the program in the foreground waits for something: on a busy machine it may not have had
 * its turn yet. One that has ended waits for nothing any more. */
static bool is_waiting(const struct session *session)
{
    char path[64], state = 'S';
    pid_t foreground = tcgetpgrp(session->master);
    siginfo_t end = {0};
    if (foreground <= 0) /* it has not got that far; or it has ended */
        return waitid(P_PID, (id_t)session->child, &end, WEXITED | WNOHANG | WNOWAIT) != 0 ||
               end.si_pid != 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)foreground);
    FILE *file = fopen(path, "r");
    if (!file)
        return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'S';
    fclose(file);
    return state != 'R' && state != 'D';
}

void session_settle(struct session *session)
{
    double until = now_ms() + PATIENCE_MS;
    while (receive(session, QUIET_MS) || (!is_waiting(session) && now_ms() < until))
        ;
}

void session_await_program(struct session *session)
{
    double until = now_ms() + PATIENCE_MS;
    struct termios now;
    siginfo_t end = {0};
    do
        receive(session, 10);
    while (now_ms() < until && tcgetattr(session->master, &now) == 0 && now.c_lflag & ICANON &&
           waitid(P_PID, (id_t)session->child, &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           end.si_pid == 0);
    session_settle(session);
}

static void print_screen(struct session *session)
{
    for (int row = 0; row < session->terminal.rows; row++)
        print_error("|%s\n", emulator_line(&session->terminal, row));
}

int session_await(struct session *session, const char *text)
{
    double until = now_ms() + PATIENCE_MS;
    int row;
    while ((row = emulator_find(&session->terminal, text, 0)) < 0) {
        if (now_ms() > until ||
            (!receive(session, 1000) && waitpid(session->child, NULL, WNOHANG))) {
            print_screen(session);
            fail_msg("'%s' is not shown", text);
        }
    }
    session_settle(session);
    return emulator_find(&session->terminal, text, 0);
}

void session_await_gone(struct session *session, const char *text)
{
    double until = now_ms() + PATIENCE_MS;
    session_settle(session);
    while (emulator_find(&session->terminal, text, 0) >= 0) {
        if (now_ms() > until) {
            print_screen(session);
            fail_msg("'%s' is still shown", text);
        }
        receive(session, 100);
    }
    session_settle(session);
}

void session_resize(struct session *session, int columns, int rows)
{
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    session_settle(session);
    emulator_resize(&session->terminal, columns, rows);
    assert_int_equal(ioctl(session->master, TIOCSWINSZ, &size), 0); /* sends SIGWINCH */
    session_settle(session);
}

void session_click(struct session *session, int button, int column, int row)
{
    char keys[64];
    int size = snprintf(keys, sizeof keys, "\033[<%d;%d;%dM", button, column + 1, row + 1);
    if (button < 64)
        snprintf(keys + size, sizeof keys - (size_t)size, "\033[<%d;%d;%dm", button, column + 1,
                 row + 1);
    session_type(session, keys);
}

static int wait_for(struct session *session)
{
    double until = now_ms() + PATIENCE_MS;
    int status = 0;
    while (waitpid(session->child, &status, WNOHANG) == 0) {
        if (now_ms() > until) {
            print_screen(session);
            kill(session->child, SIGKILL);
            waitpid(session->child, &status, 0);
            fail_msg("the program goes on");
        }
        if (!receive(session, 10)) {
            struct timespec moment = {0, 1000000};
            nanosleep(&moment, NULL);
        }
    }
    return status;
}

int session_end(struct session *session)
{
    int status = wait_for(session);
    session_settle(session);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

void session_clear(struct session *session)
{
    close(session->master);
    close(session->slave);
    emulator_clear(&session->terminal);
}

bool session_is_as_before(const struct session *session)
{
    struct termios now;
    const struct termios *before = &session->before;
    const struct emulator *terminal = &session->terminal;
    return tcgetattr(session->master, &now) == 0 && now.c_iflag == before->c_iflag &&
           now.c_oflag == before->c_oflag && now.c_lflag == before->c_lflag &&
           now.c_cflag == before->c_cflag && !terminal->is_alternate && terminal->mouse == 0 &&
           terminal->cursor_is_shown && terminal->wraps && !terminal->reports_focus &&
           !terminal->marks_pastes;
}

void session_save(const struct session *session, const char *path)
{
    struct flm_text page = {0};
    emulator_html(&session->terminal, &page);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(page.at, 1, page.size, file);
    fclose(file);
    flm_text_clear(&page);
}
