/* raw_terminal.h - the terminal taken over, and given back as it was, whatever happens.
 *
 *     flm_tui_terminal_open     raw mode, another screen, mouse, paste and focus reported
 *     flm_tui_terminal_close    all of that undone: also at exit, by a signal that ends the
 *                               program, by a crash, and while it is stopped
 *
 * A process has one terminal, and signal handlers get no argument: so this has global state, and
 * one user at a time. */
#ifndef FLAMEL_CLI_TUI_RAW_TERMINAL_H
#define FLAMEL_CLI_TUI_RAW_TERMINAL_H

#include "base/core/bytes.h"
#include "flamel/error.h"

/* Whether standard output is a terminal that can place text. */
bool flm_tui_terminal_is_there(struct flm_error *why);

/* Takes over the terminal: of standard output, and for input of standard input, or /dev/tty where
 * that is a pipe with the profile. False, and `why`, where there is none, or one that cannot place
 * text. */
bool flm_tui_terminal_open(struct flm_error *why);
void flm_tui_terminal_close(void);

/* In cells; 80 x 24 where it is not known. */
void flm_tui_terminal_size(int *columns, int *rows);

/* False when the terminal is gone. */
bool flm_tui_terminal_write(struct flm_bytes bytes);

/* The events of flm_tui_terminal_wait. */
enum {
    FLM_TUI_INPUT = 1,   /* bytes were put into the buffer */
    FLM_TUI_RESIZED = 2, /* the window may have another size */
    FLM_TUI_RESUMED = 4, /* it was stopped and resumed: redraw the screen */
    FLM_TUI_STOP = 8,    /* asked to stop: call flm_tui_terminal_stop */
    FLM_TUI_GONE = 16    /* there is no terminal any more */
};

/* Waits until something happens, at most `most_ms` (negative: without end), and puts input behind
 * what *size says is in `buffer` already. */
unsigned flm_tui_terminal_wait(int most_ms, char *buffer, size_t room, size_t *size);

/* Gives the terminal back and stops the program as ^Z does; the next wait takes it over again. */
void flm_tui_terminal_stop(void);

#endif
