/* cells.h - text in the cells of a terminal: its width, shortening it to fit, bars.
 *
 * A letter takes one cell, a Chinese one or an emoji two, a combining accent none. Terminals
 * disagree about rare characters; a table is then off by a cell in that row.
 *
 * A text has a size in bytes and a width in cells, and for ASCII they are the same number, so that
 * no test with English names notices a mix-up. A width that was measured is therefore a struct, and
 * blanks are added by what knows that a text may be wider than its place (flm_cells_pad). */
#ifndef FLAMEL_DRAW_TEXT_CELLS_H
#define FLAMEL_DRAW_TEXT_CELLS_H

#include "base/text/text.h"
#include "draw/text/label.h"

/* The characters that the terminal, or another reader, can show. */
enum flm_charset {
    FLM_CHARSET_PLAIN, /* a file or a pipe: names unchanged, flamel's own text in ASCII */
    FLM_CHARSET_UTF8,  /* a terminal that shows everything */
    FLM_CHARSET_ASCII  /* one that shows only ASCII: other letters become '?' */
};

/* The width of a text, which is never its size in bytes. */
struct flm_width {
    size_t cells;
};

/* 0, 1 or 2. */
int flm_character_cells(uint32_t code);

/* The width of valid UTF-8 without control characters (text/visible.h). Bytes that are no UTF-8
 * count as a cell each. */
struct flm_width flm_cells(struct flm_bytes plain);

/* What a text has so far. */
struct flm_width flm_text_cells(const struct flm_text *text);

/* Adds blanks from one column of the line to another; none where it is there or past it already. */
void flm_cells_pad(struct flm_text *out, struct flm_width from, struct flm_width to);

/* The size in bytes of the largest beginning that fits into so many cells. */
size_t flm_cells_head(struct flm_bytes plain, struct flm_width room);

/* Any bytes made showable: plain, and in the characters of the character set. Made in `scratch`,
 * which is emptied first, if something had to be changed. */
struct flm_bytes flm_showable(struct flm_bytes text, enum flm_charset charset,
                              struct flm_text *scratch);

/* Adds the part of a showable function name that fits into `room` cells, chosen as in label.h;
 * never nothing if there is room for a cell. */
void flm_cells_add_name(struct flm_text *out, struct flm_bytes showable, struct flm_width room,
                        enum flm_charset charset);

/* Letters in cells, for label.h: a room of so many pixels is one of so many cells. */
struct flm_font flm_cells_font(enum flm_charset charset);

/* The part of a label that fits into a box, which may stay empty; and the ellipsis in it. */
struct flm_label_cut flm_cells_fit(struct flm_bytes showable, struct flm_name_parts parts,
                                   struct flm_width room, enum flm_charset charset);
const char *flm_cells_ellipsis(enum flm_charset charset);

/* Adds the part of a showable stack, "main;parse;lex", that fits: dots and the innermost functions
 * in full; the last one is shortened if it does not fit. */
void flm_cells_add_stack(struct flm_text *out, struct flm_bytes showable, struct flm_width room,
                         enum flm_charset charset);

/* The part of a path after its last '/', which is the most telling one. */
struct flm_bytes flm_path_end(struct flm_bytes path);

/* Adds the path, or its end, or that shortened. */
void flm_cells_add_path(struct flm_text *out, struct flm_bytes showable, struct flm_width room,
                        enum flm_charset charset);

/* A bar of at most `room` cells for 0 <= share <= 1, in eighths of a cell; every share above 0 is
 * visible. Returns how many cells it used. */
struct flm_width flm_cells_add_bar(struct flm_text *out, double share, struct flm_width room);

#endif
