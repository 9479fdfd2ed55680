/* screen.h - a terminal's window as a grid of cells, and the bytes that make a terminal show it.
 *
 * A picture is drawn into the grid, all of it and each time anew; flm_screen_update compares it
 * with what the terminal shows already and writes only what differs:
 *
 *     grid      | m a i n _ _ █ ▍ |          shown    | m a i n _ _ █ █ |
 *     bytes     ESC[1;8H  ESC[38;2;..m  ▍                      one cell: some 30 bytes, not 10,000
 *
 * A cell has a character (a Chinese letter takes two, the second of which is empty), a color of
 * its own and one behind it, and attributes. Colors are 0xRRGGBB at any depth; they are brought
 * down to what the terminal has when they are written, so that who draws need not care. */
#ifndef FLAMEL_DRAW_TERMINAL_SCREEN_H
#define FLAMEL_DRAW_TERMINAL_SCREEN_H

#include "base/text/text.h"
#include "draw/text/cells.h"
#include "flamel/error.h"

/* How many colors there are. */
enum flm_color_depth { FLM_DEPTH_NONE, FLM_DEPTH_16, FLM_DEPTH_256, FLM_DEPTH_TRUE };

/* The colors that the terminal's owner chose for text and page. */
enum { FLM_COLOR_DEFAULT = 1 << 24 };

enum {
    FLM_CELL_BOLD = 1,
    FLM_CELL_FAINT = 2,
    FLM_CELL_UNDERLINED = 4,
    FLM_CELL_INVERSE = 8,
    FLM_CELL_PLAIN = 0
};

struct flm_style {
    uint32_t ink, fill; /* 0xRRGGBB or FLM_COLOR_DEFAULT */
    uint32_t attributes;
};

struct flm_cell {
    uint32_t character; /* 0: the second half of the one before it */
    uint32_t mark;      /* an accent that stands on it; 0: none */
    struct flm_style style;
};

struct flm_screen {
    struct flm_cell *cells; /* rows x columns */
    struct flm_cell *shown; /* likewise: what the terminal has */
    int columns, rows;
    bool is_known;                 /* whether `shown` is true */
    int cursor_column, cursor_row; /* where it is to blink; a negative row: nowhere */
    int shown_column, shown_row;   /* where it does */
    enum flm_charset charset;
    enum flm_color_depth depth;
};

/* {0} is a screen without cells. After another size nothing is known of what the terminal shows.
 * False if memory ran out: the screen is as it was. */
bool flm_screen_resize(struct flm_screen *screen, int columns, int rows, struct flm_error *why);
void flm_screen_clear(struct flm_screen *screen); /* frees the cells */

/* The terminal may show anything: the next update writes every cell. */
void flm_screen_forget(struct flm_screen *screen);

/* What lies outside of the screen is cut off, by all of these. */
void flm_screen_fill(struct flm_screen *screen, int column, int row, int columns, int rows,
                     struct flm_style style);
void flm_screen_put(struct flm_screen *screen, int column, int row, uint32_t character,
                    struct flm_style style);

/* Any bytes, made harmless, at most `room` cells of them; returns how many cells it took. */
int flm_screen_text(struct flm_screen *screen, int column, int row, int room, struct flm_bytes text,
                    struct flm_style style);

/* What is to be sent to the terminal so that it shows the cells. Nothing where nothing changed. */
void flm_screen_update(struct flm_screen *screen, struct flm_text *out);

/* 0xRRGGBB as one of the colors that there are: its number in 256 or 16, itself otherwise. With 16
 * it is the hue that counts: pastels, which are all nearest to white, stay apart. */
uint32_t flm_color_at(uint32_t rgb, enum flm_color_depth depth);

#endif
