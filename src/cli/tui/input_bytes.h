/* input_bytes.h - the bytes that a terminal sends, decoded into events.
 *
 *     a   ^A   ESC a      "a", "a" with control, "a" with alt
 *     ESC [ 1 ; 2 D       "ArrowLeft" with shift                    names as browsers have them
 *     ESC [ < 0 ; 3 ; 4 M  the left button goes down in column 2, row 3
 *     ESC                 "Escape", when nothing follows it for a moment
 *
 * Bytes come in chunks of any size, so callers keep incomplete input and decode it again with more.
 * An unknown sequence is skipped as a whole: it never turns into keys. */
#ifndef FLAMEL_CLI_TUI_INPUT_BYTES_H
#define FLAMEL_CLI_TUI_INPUT_BYTES_H

#include "base/core/bytes.h"

enum flm_tui_event_kind {
    FLM_TUI_NOTHING, /* a sequence that means nothing here */
    FLM_TUI_KEY,
    FLM_TUI_POINTER_MOVE, /* also while a button is down */
    FLM_TUI_POINTER_DOWN,
    FLM_TUI_POINTER_UP,
    FLM_TUI_WHEEL,
    FLM_TUI_PASTE,
    FLM_TUI_FOCUS,
    FLM_TUI_BLUR,
    FLM_TUI_BACKGROUND, /* a report: the background color */
    FLM_TUI_DEVICE      /* a report that every terminal sends: its device attributes */
};

enum { FLM_TUI_KEY_SIZE = 16 };

struct flm_tui_event {
    enum flm_tui_event_kind kind;
    char key[FLM_TUI_KEY_SIZE]; /* KEY */
    unsigned held;              /* FLM_HELD_... of viewer/viewer.h: KEY, POINTER, WHEEL */
    int column, row;            /* POINTER, WHEEL: from 0 */
    int button;                 /* POINTER: 0 left, 1 middle, 2 right, 3 none */
    int wheel_x, wheel_y;       /* WHEEL: notches, right and down are positive */
    struct flm_bytes text;      /* PASTE: in the input */
    uint32_t rgb;               /* BACKGROUND */
};

/* The first event in the input; returns how many bytes it is, 0 when it is not complete. With
 * `is_all` nothing follows for now: an ESC alone is the key then. */
size_t flm_tui_decode(struct flm_bytes input, bool is_all, struct flm_tui_event *event);

#endif
