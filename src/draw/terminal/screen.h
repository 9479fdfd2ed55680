/* screen.h - a terminal window as a grid of cells, and the bytes that make a terminal show it.
 *
 * Each picture is drawn into the grid completely; flm_screen_update compares it with the cells that
 * the terminal already shows and writes only the differences:
 *
 *     grid      | m a i n _ _ █ ▍ |          shown    | m a i n _ _ █ █ |
 *     bytes     ESC[1;8H  ESC[38;2;..m  ▍                      one cell: some 30 bytes, not 10,000
 *
 * A cell has a character (a Chinese letter takes two, the second of which is empty), a color, a
 * background, and attributes. Colors are 0xRRGGBB at any depth; they are converted to the
 * terminal's colors when they are written, so that drawing code need not care. */
#ifndef FLAMEL_DRAW_TERMINAL_SCREEN_H
#define FLAMEL_DRAW_TERMINAL_SCREEN_H

#include "base/text/text.h"
#include "draw/text/cells.h"
#include "flamel/error.h"

/* The number of colors of the terminal. */
enum flm_color_depth { FLM_DEPTH_NONE, FLM_DEPTH_16, FLM_DEPTH_256, FLM_DEPTH_TRUE };

/* The terminal's own colors of text and background. */
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
    uint32_t character; /* 0: the second half of the character before it */
    uint32_t mark;      /* a combining accent; 0: none */
    struct flm_style style;
};

struct flm_screen {
    struct flm_cell *cells; /* rows x columns */
    struct flm_cell *shown; /* likewise: as the terminal shows them */
    int columns, rows;
    bool is_known;                 /* whether `shown` is what the terminal shows */
    int cursor_column, cursor_row; /* the wanted position; a negative row: hidden */
    int shown_column, shown_row;   /* its position on the terminal */
    enum flm_charset charset;
    enum flm_color_depth depth;
};

/* {0} is a screen without cells. After a change of size, the next update writes every cell. False
 * if memory ran out: the screen is unchanged. */
bool flm_screen_resize(struct flm_screen *screen, int columns, int rows, struct flm_error *why);
void flm_screen_clear(struct flm_screen *screen); /* frees the cells */

/* For when the terminal may show anything: the next update writes every cell. */
void flm_screen_forget(struct flm_screen *screen);

/* All of these cut off parts outside of the screen. */
void flm_screen_fill(struct flm_screen *screen, int column, int row, int columns, int rows,
                     struct flm_style style);
void flm_screen_put(struct flm_screen *screen, int column, int row, uint32_t character,
                    struct flm_style style);

/* Writes any bytes, made plain, in at most `room` cells; returns how many cells it used. */
int flm_screen_text(struct flm_screen *screen, int column, int row, int room, struct flm_bytes text,
                    struct flm_style style);

/* Adds the bytes that make the terminal show the cells; none if nothing changed. */
void flm_screen_update(struct flm_screen *screen, struct flm_text *out);

/* 0xRRGGBB as one of the terminal's colors: its number of 256 or 16, itself otherwise. With 16
 * colors the hue decides: otherwise all pastels would be white. */
uint32_t flm_color_at(uint32_t rgb, enum flm_color_depth depth);

#endif
