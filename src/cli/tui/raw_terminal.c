/* raw_terminal.c - parts of this run in handlers of signals: they call nothing but write,
 * tcsetattr, sigaction and raise, and touch nothing but `terminal`. */
#include "cli/tui/raw_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* 1049 another screen, 7 no wrapping at the right edge, 1000 1002 1003 buttons, dragging, moving,
 * 1006 in numbers, 1004 focus, 2004 pastes are marked. What a terminal does not know it ignores. */
static const char enter[] =
    "\033[?1049h\033[?7l\033[?25l\033[?1000h\033[?1002h\033[?1003h\033[?1006h"
    "\033[?1004h\033[?2004h";
static const char leave[] = "\033[?2026l\033[?2004l\033[?1004l\033[?1006l\033[?1003l\033[?1002l"
                            "\033[?1000l\033[0m\033[?25h\033[?7h\033[?1049l";

/* Signals that end a program: the terminal is given back first. */
static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV,
                              SIGBUS, SIGFPE,  SIGILL, SIGABRT};
enum { ENDING_COUNT = sizeof endings / sizeof endings[0] };

static struct {
    volatile sig_atomic_t is_ours; /* taken over just now */
    bool is_open;
    bool will_close_at_exit;
    int input, output;
    int news[2]; /* a pipe: handlers put a letter in, flm_tui_terminal_wait takes it out */
    struct termios before;
    struct sigaction old_ending[ENDING_COUNT];
    struct sigaction old_resize, old_stop, old_continue;
} terminal = {.input = -1, .output = -1, .news = {-1, -1}};

static bool write_all(const char *at, size_t size)
{
    while (size > 0) {
        ssize_t wrote = write(terminal.output, at, size);
        if (wrote > 0) {
            at += wrote;
            size -= (size_t)wrote;
        } else if (wrote < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = terminal.output, .events = POLLOUT};
            if (poll(&ready, 1, 1000) <= 0)
                return false;
        } else if (wrote >= 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

static void take_over(void)
{
    struct termios raw = terminal.before;
    raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_cflag |= CS8;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(terminal.input, TCSADRAIN, &raw);
    terminal.is_ours = 1;
    write_all(enter, sizeof enter - 1);
}

static void give_back(void)
{
    if (!terminal.is_ours)
        return;
    terminal.is_ours = 0;
    write_all(leave, sizeof leave - 1);
    /* Discards unread input, so that the shell does not run it. */
    tcsetattr(terminal.input, TCSAFLUSH, &terminal.before);
}

/* ---- Signals --------------------------------------------------------------------------------- */

static void on_ending(int number)
{
    int saved = errno;
    give_back();
    for (int i = 0; i < ENDING_COUNT; i++)
        if (endings[i] == number)
            sigaction(number, &terminal.old_ending[i], NULL);
    errno = saved;
    raise(number); /* blocked until this handler returns, then as if it had not been there */
}

static void signal_loop(char what)
{
    int saved = errno;
    ssize_t wrote = write(terminal.news[1], &what, 1); /* a full pipe wakes it too */
    (void)wrote;
    errno = saved;
}

static void on_news(int number)
{
    signal_loop(number == SIGWINCH ? 'w' : number == SIGTSTP ? 's' : 'c');
}

static void listen_to_signals(void)
{
    struct sigaction ending = {.sa_handler = on_ending};
    struct sigaction news = {.sa_handler = on_news, .sa_flags = SA_RESTART};
    sigemptyset(&ending.sa_mask);
    sigemptyset(&news.sa_mask);
    for (int i = 0; i < ENDING_COUNT; i++) {
        sigaction(endings[i], NULL, &terminal.old_ending[i]);
        if (terminal.old_ending[i].sa_handler != SIG_IGN) /* nohup: stays ignored */
            sigaction(endings[i], &ending, NULL);
    }
    sigaction(SIGWINCH, &news, &terminal.old_resize);
    sigaction(SIGTSTP, &news, &terminal.old_stop);
    sigaction(SIGCONT, &news, &terminal.old_continue);
}

static void leave_signals(void)
{
    for (int i = 0; i < ENDING_COUNT; i++)
        sigaction(endings[i], &terminal.old_ending[i], NULL);
    sigaction(SIGWINCH, &terminal.old_resize, NULL);
    sigaction(SIGTSTP, &terminal.old_stop, NULL);
    sigaction(SIGCONT, &terminal.old_continue, NULL);
}

void flm_tui_terminal_stop(void)
{
    give_back();
    sigaction(SIGTSTP, &terminal.old_stop, NULL);
    raise(SIGTSTP); /* returns when the program is resumed */
    struct sigaction news = {.sa_handler = on_news, .sa_flags = SA_RESTART};
    sigemptyset(&news.sa_mask);
    sigaction(SIGTSTP, &news, NULL);
    signal_loop('c'); /* as the handler does: an orphaned process group cannot be stopped */
}

/* ---- Opening --------------------------------------------------------------------------------- */

static void close_all(void)
{
    if (terminal.input > STDERR_FILENO)
        close(terminal.input);
    for (int i = 0; i < 2; i++)
        if (terminal.news[i] >= 0)
            close(terminal.news[i]);
    terminal.input = terminal.output = terminal.news[0] = terminal.news[1] = -1;
}

bool flm_tui_terminal_is_there(struct flm_error *why)
{
    const char *kind = getenv("TERM");
    if (!isatty(STDOUT_FILENO))
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--tui needs a terminal, and standard output is none: 'flamel report' "
                             "prints tables into files and pipes");
    if (!kind || !*kind || strcmp(kind, "dumb") == 0)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "--tui needs a terminal that can place text, and TERM is '%s': "
                             "'flamel report' prints tables on any",
                             kind ? kind : "");
    return true;
}

bool flm_tui_terminal_open(struct flm_error *why)
{
    if (!flm_tui_terminal_is_there(why))
        return false;
    terminal.output = STDOUT_FILENO;
    terminal.input =
        isatty(STDIN_FILENO) ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (terminal.input < 0 || tcgetattr(terminal.input, &terminal.before) != 0) {
        close_all();
        return flm_error_set(why, FLM_ERROR_SYSTEM,
                             "--tui needs a terminal to read keys from, and there is none");
    }
    if (pipe(terminal.news) != 0) {
        int reason = errno;
        close_all();
        return flm_error_set(why, FLM_ERROR_SYSTEM, "cannot make a pipe: %s", strerror(reason));
    }
    for (int i = 0; i < 2; i++) {
        fcntl(terminal.news[i], F_SETFL, O_NONBLOCK);
        fcntl(terminal.news[i], F_SETFD, FD_CLOEXEC);
    }
    if (!terminal.will_close_at_exit)
        terminal.will_close_at_exit = atexit(flm_tui_terminal_close) == 0;
    terminal.is_open = true;
    listen_to_signals();
    take_over();
    return true;
}

void flm_tui_terminal_close(void)
{
    if (!terminal.is_open)
        return;
    give_back();
    leave_signals();
    close_all();
    terminal.is_open = false;
}

/* ---- Reading and writing --------------------------------------------------------------------- */

void flm_tui_terminal_size(int *columns, int *rows)
{
    struct winsize size = {0};
    bool is_known =
        ioctl(terminal.output, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    *columns = is_known ? size.ws_col : 80;
    *rows = is_known ? size.ws_row : 24;
}

bool flm_tui_terminal_write(struct flm_bytes bytes)
{
    return write_all(bytes.at, bytes.size);
}

static unsigned read_news(void)
{
    unsigned found = 0;
    char letters[16];
    ssize_t count;
    while ((count = read(terminal.news[0], letters, sizeof letters)) > 0)
        for (ssize_t i = 0; i < count; i++)
            found |= letters[i] == 'w'   ? FLM_TUI_RESIZED
                     : letters[i] == 's' ? FLM_TUI_STOP
                                         : FLM_TUI_RESUMED | FLM_TUI_RESIZED;
    /* After SIGSTOP, which has no handler, it resumes with the shell's settings. */
    if (found & FLM_TUI_RESUMED)
        take_over();
    return found;
}

unsigned flm_tui_terminal_wait(int most_ms, char *buffer, size_t room, size_t *size)
{
    struct pollfd sources[] = {{.fd = terminal.input, .events = POLLIN},
                               {.fd = terminal.news[0], .events = POLLIN}};
    if (poll(sources, 2, most_ms) < 0)
        return errno == EINTR ? read_news() : FLM_TUI_GONE;
    unsigned found = sources[1].revents ? read_news() : 0;
    if (!sources[0].revents || *size >= room)
        return found;
    ssize_t count = read(terminal.input, buffer + *size, room - *size);
    if (count > 0) {
        *size += (size_t)count;
        return found | FLM_TUI_INPUT;
    }
    return count < 0 && (errno == EINTR || errno == EAGAIN) ? found : found | FLM_TUI_GONE;
}
