#include "cli/common/browser.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/text.h"
#include "cli/common/command_line.h"
#include "cli/common/memory_limit.h"
#include "os/clock.h"

/* A failure after this time is not one to start. */
enum { STARTING_SECONDS = 10 };

extern char **environ;

static time_t now_s(void)
{
    return (time_t)(flm_now_ns() / 1000000000);
}

/* The command with its `%s` replaced by the address, or the address behind it. */
static void add_command(struct flm_text *out, struct flm_bytes command, const char *address)
{
    bool has_address = false;
    for (size_t i = 0; i < command.size; i++) {
        bool is_escape = command.at[i] == '%' && i + 1 < command.size;
        if (is_escape && command.at[i + 1] == 's') {
            flm_text_puts(out, address);
            has_address = true;
            i++;
        } else {
            flm_text_putc(out, command.at[i]);
            i += is_escape && command.at[i + 1] == '%';
        }
    }
    if (!has_address)
        flm_text_format(out, " %s", address);
    flm_text_putc(out, 0);
}

/* Neither our blocked signals nor the terminal reach it; its output is dropped, because it would
 * appear between ours. */
static pid_t spawn(char **argv)
{
    pid_t child = 0;
    sigset_t none;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    if (posix_spawnattr_init(&attributes) != 0)
        return 0;
    if (posix_spawn_file_actions_init(&files) != 0) {
        posix_spawnattr_destroy(&attributes);
        return 0;
    }
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    flm_memory_limit_end(); /* is ours, and not the browser's */
    if (posix_spawnp(&child, argv[0], &files, &attributes, argv, environ) != 0)
        child = 0;
    flm_memory_limit_again();
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return child;
}

static pid_t start(struct flm_bytes command, const char *address)
{
    struct flm_text text = {0};
    struct flm_command_line line = {0};
    pid_t child = 0;
    add_command(&text, command, address);
    if (!text.failed && flm_command_line_init(&line, text.at, NULL))
        child = spawn(line.words);
    flm_command_line_clear(&line);
    flm_text_clear(&text);
    return child;
}

static bool start_next(struct flm_browser *browser)
{
    while (*browser->commands) {
        struct flm_bytes command = {browser->commands, strcspn(browser->commands, ":")};
        browser->commands += command.size + (browser->commands[command.size] == ':');
        if (command.size == 0)
            continue;
        browser->child = start(command, browser->address);
        browser->started_s = now_s();
        if (browser->child > 0)
            return true;
    }
    return false;
}

bool flm_browser_open(struct flm_browser *browser, const char *commands, const char *address)
{
    assert(address);
    *browser = (struct flm_browser){
        .address = address,
        .commands = commands && commands[0] ? commands : "xdg-open:open",
    };
    return start_next(browser);
}

bool flm_browser_reap(struct flm_browser *browser)
{
    int status;
    if (browser->child <= 0 || waitpid(browser->child, &status, WNOHANG) != browser->child)
        return true;
    browser->child = 0;
    bool worked = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return worked || now_s() - browser->started_s > STARTING_SECONDS || start_next(browser);
}
