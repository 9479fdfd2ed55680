/* session.h - a person at a terminal: a program on a pseudo-terminal, what is typed into it, and
 * what is seen.
 *
 *     session_start(&session, 80, 24, show_profile, &profile);
 *     session_await(&session, "main");              fails the test when it does not come
 *     session_type(&session, "/read\r");
 *     assert_int_equal(session_end(&session), 0);   quits by itself until then
 *
 * The program is a function in a process of its own; the environment is TERM, COLORTERM, LC_ALL and
 * NO_COLOR as they are set in the session, and nothing else of those. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_SESSION_H
#define FLAMEL_TESTS_SUPPORT_RECORD_SESSION_H

#include <sys/types.h>
#include <termios.h>

#include "support/record/emulator.h"

struct session {
    const char *term, *colorterm, *locale, *no_color,
        *colorfgbg;           /* NULL: xterm-256color, truecolor, C.UTF-8 */
    bool is_light, is_silent; /* what it answers when it is asked for its color: emulator.h */
    bool has_shell; /* the program is started by one, which says "[stopped]" and knows "fg" */
    struct emulator terminal;
    struct termios before; /* the settings of the terminal at first */
    int master, slave;
    pid_t child;
    size_t received; /* bytes, in all */
};

/* The terminal settings and colors of `session` may be set before. */
void session_start(struct session *session, int columns, int rows, int (*program)(void *context),
                   void *context);

void session_type(struct session *session, const char *keys);

/* The key: what is typed next is not a part of it. */
void session_escape(struct session *session);

/* Waits until the program has the terminal to itself, so that no key is taken for a signal or
 * thrown away; or until it has ended. */
void session_await_program(struct session *session);

/* Until nothing has come for a moment. */
void session_settle(struct session *session);

/* Until a line has the text; returns which. Or has it no more. */
int session_await(struct session *session, const char *text);
void session_await_gone(struct session *session, const char *text);

/* The window gets another size; the program is told. */
void session_resize(struct session *session, int columns, int rows);

/* A button (0: left) goes down and up in a cell, or the wheel turns (64 up, 65 down). */
void session_click(struct session *session, int button, int column, int row);

/* Waits until the program has ended: its exit status, or 1000 and the signal. */
int session_end(struct session *session);

/* Closes the terminal. */
void session_clear(struct session *session);

/* Whether the terminal has the settings that it had at first, echo and lines and all. */
bool session_is_as_before(const struct session *session);

/* For looking at: the screen as a page in that file. */
void session_save(const struct session *session, const char *path);

#endif
