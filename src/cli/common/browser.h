/* browser.h - opens an address in the user's browser.
 *
 * $BROWSER is a list of commands with colons between them, of which the first that works is taken;
 * `%s` in a command is the address, which is otherwise its last argument. Without $BROWSER the
 * commands are xdg-open and open. A command that cannot be started, or that fails within a few
 * seconds (as xdg-open does where there is no browser), gives way to the next.
 *
 * The browser is a child process in a process group of its own: Ctrl-C ends the command, and the
 * browser stays open. The caller blocks SIGCHLD, and calls flm_browser_reap when it arrives. */
#ifndef FLAMEL_CLI_COMMON_BROWSER_H
#define FLAMEL_CLI_COMMON_BROWSER_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct flm_browser {
    const char *address, *commands; /* borrowed; `commands` are those that were not tried yet */
    pid_t child;                    /* 0: none */
    time_t started_s;
};

/* `commands` as $BROWSER has them, NULL or "" for the default. False if none could be started. */
bool flm_browser_open(struct flm_browser *browser, const char *commands, const char *address);

/* Collects the child if it has ended. False if it has failed and no other could be started. */
bool flm_browser_reap(struct flm_browser *browser);

#endif
