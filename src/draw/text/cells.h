/* cells.h - text in the cells of a terminal: how wide it is, what of it fits, bars.
 *
 * A letter takes one cell, a Chinese one or an emoji two, an accent that stands on the letter
 * before it none. Terminals disagree about rare characters; a table is then off by a cell in that
 * row. */
#ifndef FLAMEL_DRAW_TEXT_CELLS_H
#define FLAMEL_DRAW_TEXT_CELLS_H

#include "base/text/text.h"

/* What the terminal, or whoever reads the text, understands. */
enum flm_charset {
    FLM_CHARSET_PLAIN, /* a file or a pipe: names as they are, our own marks in ASCII */
    FLM_CHARSET_UTF8,  /* a terminal that shows everything */
    FLM_CHARSET_ASCII  /* one that shows only ASCII: other letters become '?' */
};

/* 0, 1 or 2. */
int flm_character_cells(uint32_t code);

/* Of valid UTF-8 without control characters (text/visible.h). */
size_t flm_cells(struct flm_bytes plain);

/* The size in bytes of the largest beginning that fits into `room` cells. */
size_t flm_cells_head(struct flm_bytes plain, size_t room);

/* Any bytes as they may be shown: harmless, and in the letters of the character set. Made in
 * `scratch`, which is emptied first, where something had to be changed. */
struct flm_bytes flm_showable(struct flm_bytes text, enum flm_charset charset,
                              struct flm_text *scratch);

/* What of a showable function name fits into `room` cells: as label.h has it, and always something
 * when there is room for a cell. */
void flm_cells_add_name(struct flm_text *out, struct flm_bytes showable, size_t room,
                        enum flm_charset charset);

/* What of a showable stack, "main;parse;lex", fits: the innermost functions, in full while they
 * are, and behind dots; of the last one what fits. */
void flm_cells_add_stack(struct flm_text *out, struct flm_bytes showable, size_t room,
                         enum flm_charset charset);

/* What follows the last '/' of a path, which tells most of it. */
struct flm_bytes flm_path_end(struct flm_bytes path);

/* The path, or its end, or what of that fits. */
void flm_cells_add_path(struct flm_text *out, struct flm_bytes showable, size_t room,
                        enum flm_charset charset);

/* A bar of at most `room` cells for 0 <= share <= 1, in eighths of a cell; what is not 0 can be
 * seen. Returns how many cells it took. */
size_t flm_cells_add_bar(struct flm_text *out, double share, size_t room);

#endif
