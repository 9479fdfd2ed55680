/* tui.h - the viewer in the terminal, with a small profile, as a user types to it. Inline, because
 * only tests of the command have the viewer in the terminal. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_TUI_H
#define FLAMEL_TESTS_SUPPORT_RECORD_TUI_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cli/tui/tui.h"
#include "flamel/file.h"
#include "support/core/files.h"
#include "support/profile/timed.h"
#include "support/record/session.h"

/* The colors of a dark and a light terminal. */
enum { TUI_PAGE_DARK = 0x16171A, TUI_TEXT_DARK = 0xECECEE, TUI_PAGE_LIGHT = 0xFBFBFA };

/* 100 samples. */
static const char tui_folded[] = "main;parse_text;read_bytes 40\n"
                                 "main;parse_text;lex_token 20\n"
                                 "main;write_text;flush_all 25\n"
                                 "idle_loop;wait_long 15\n";

/* A program for session_start: shows the profile at `path`. */
static inline int tui_program(void *path)
{
    struct flm_error why;
    struct flm_load_options options = {.size = sizeof options, .threads = 1, .lenient = true};
    struct flm_viewer *viewer = flm_viewer_new(&why);
    struct flm_profile *profile = flm_load(path, &options, &why);
    bool good = viewer && profile &&
                flm_viewer_take(viewer, FLM_VIEWER_AFTER, profile, "app.folded", &why) &&
                flm_tui_run(viewer, &why);
    flm_viewer_free(viewer);
    if (!good)
        printf("%s\r\n", why.text);
    fflush(stdout);
    return good ? 0 : 2;
}

/* The viewer, when a profile of 100 samples is shown; and its end by the key q. */
static inline void tui_start_text(struct session *session, int columns, int rows,
                                  const char *folded)
{
    const char *path = write_temporary("app.folded", flm_bytes_of(folded));
    session_start(session, columns, rows, tui_program, (void *)(uintptr_t)path);
    session_await(session, "all, 100");
}

static inline void tui_start(struct session *session, int columns, int rows)
{
    tui_start_text(session, columns, rows, tui_folded);
}

/* The same for threads over time (support/profile/timed.h), as a flame chart. */
static inline int tui_show_threads(void *lines)
{
    struct flm_error why;
    struct flm_viewer *viewer = flm_viewer_new(&why);
    bool good = viewer &&
                flm_viewer_take(viewer, FLM_VIEWER_AFTER, profile_of_threads(lines), "app", &why) &&
                flm_viewer_do(viewer, flm_bytes_of("view chart"), &why) &&
                flm_tui_run(viewer, &why);
    flm_viewer_free(viewer);
    return good ? 0 : 2;
}

static inline void tui_start_threads(struct session *session, int columns, int rows,
                                     const char *lines)
{
    session_start(session, columns, rows, tui_show_threads, (void *)(uintptr_t)lines);
    session_await(session, "0 ms");
}

static inline void tui_quit(struct session *session)
{
    session_type(session, "q");
    assert_int_equal(session_end(session), 0);
    assert_true(session_is_as_before(session));
    assert_int_equal(session->terminal.unknown, 0);
    session_clear(session);
}

/* The cell of the first letter of a name. */
static inline const struct emulator_cell *tui_letter(struct session *session, const char *name)
{
    int row = emulator_find(&session->terminal, name, 1);
    if (row < 0)
        fail_msg("'%s' is not shown", name);
    return emulator_at(&session->terminal, emulator_column(&session->terminal, row, name), row);
}

static inline int tui_column(struct session *session, const char *name)
{
    int row = emulator_find(&session->terminal, name, 1);
    return row < 0 ? -1 : emulator_column(&session->terminal, row, name);
}

static inline int tui_row(struct session *session, const char *name)
{
    return emulator_find(&session->terminal, name, 1);
}

/* Bold, in the colors of the page the other way round. */
static inline bool tui_is_selected(struct session *session, const char *name)
{
    const struct emulator_cell *cell = tui_letter(session, name);
    return cell->style.attributes & EMULATOR_BOLD && cell->style.fill == TUI_TEXT_DARK;
}

/* Waits until it is: on a busy machine the answer to a key may come when all seems quiet. */
static inline void tui_await_selected(struct session *session, const char *name)
{
    for (int i = 0; i < 200 && !tui_is_selected(session, name); i++)
        session_settle(session);
    assert_true(tui_is_selected(session, name));
}

#endif
