/* emulator.h - a terminal for tests: what a program writes to it, as the cells that a person sees.
 *
 *     emulator_init(&terminal, 80, 24);
 *     emulator_feed(&terminal, bytes);
 *     assert_string_equal(emulator_line(&terminal, 0), "flamel  app.flm");
 *
 * It knows what src/draw/terminal/screen.c and src/cli/tui/raw_terminal.c send, and counts
 * everything else as unknown, so that a test fails when something new is sent that nobody has
 * looked at. */
#ifndef FLAMEL_TESTS_SUPPORT_RECORD_EMULATOR_H
#define FLAMEL_TESTS_SUPPORT_RECORD_EMULATOR_H

#include "base/text/text.h"

enum {
    EMULATOR_DEFAULT = 1 << 24, /* a color: the terminal's own */
    EMULATOR_INDEXED = 2 << 24  /* and the number of one of 256; else 0xRRGGBB */
};

enum { EMULATOR_BOLD = 1, EMULATOR_FAINT = 2, EMULATOR_UNDERLINED = 4, EMULATOR_INVERSE = 8 };

struct emulator_style {
    uint32_t ink, fill, attributes;
};

struct emulator_cell {
    uint32_t character, mark; /* 0: the second half of a wide one */
    struct emulator_style style;
};

struct emulator {
    int columns, rows;
    struct emulator_cell *cells;
    int x, y, saved_x, saved_y;
    struct emulator_style style;
    bool cursor_is_shown, wraps, is_alternate, reports_focus, marks_pastes;
    unsigned mouse;            /* bits: 1000 1, 1002 2, 1003 4, 1006 8 */
    unsigned unknown;          /* sequences that it does not know */
    struct flm_text pending;   /* the beginning of a sequence */
    struct flm_text answers;   /* what it would send back */
    struct flm_text line;      /* of emulator_line */
    struct flm_text clipboard; /* what was put there, in base 64 */
    bool is_light;             /* what it answers when it is asked for its background */
    bool is_silent;            /* about that: it answers only what it is */
};

void emulator_init(struct emulator *emulator, int columns, int rows);
void emulator_clear(struct emulator *emulator);

/* A window of another size, empty. */
void emulator_resize(struct emulator *emulator, int columns, int rows);

void emulator_feed(struct emulator *emulator, struct flm_bytes bytes);

const struct emulator_cell *emulator_at(const struct emulator *emulator, int column, int row);

/* The text of a row without blanks at its end, terminated; good until the next call. */
const char *emulator_line(struct emulator *emulator, int row);

/* The first row that has `text`, at or below `from`; -1. And where in it, in cells. */
int emulator_find(struct emulator *emulator, const char *text, int from);
int emulator_column(const struct emulator *emulator, int row, const char *text);

/* The screen as a page, to be looked at. */
void emulator_html(const struct emulator *emulator, struct flm_text *out);

#endif
