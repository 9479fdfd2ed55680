/* cell_boxes.h - rectangles of a layout as cells of a terminal: boxes.h for windows of text.
 *
 * Eight pixels of the layout are one cell, so that a box begins and ends where its value says, to
 * an eighth of a cell. A cell shows two colors, with one of the characters that fill its left
 * part:
 *
 *     boxes     |main          |read  |write        width  9.6 cells, 4.4, 6.1
 *     cells     _main____▋_read_▏write_▏            ▋ is main's color on read's
 *
 * The first cell of a box is its edge and never has a letter. Neighbors of the same color (where
 * colors are few, all of a module are) are parted: by a lighter tone of the second, where that is
 * another color on this terminal, else by a line at the nearest cell. Where there are no colors,
 * boxes are inverse, and parted by lines.
 *
 * What a box is marked with in pixels has its counterpart: an outline is bold, a thin one (what the
 * pointer is on) underlined too, and a thick one (the selection) has the colors of the page the
 * other way round; textures and the marks of kinds fill the cells that the label leaves. */
#ifndef FLAMEL_DRAW_TERMINAL_CELL_BOXES_H
#define FLAMEL_DRAW_TERMINAL_CELL_BOXES_H

#include "draw/raster/boxes.h"
#include "draw/terminal/screen.h"

enum { FLM_CELL_PX = 8, FLM_CELL_HEIGHT_PX = 16 };

/* Part of a screen, in cells. */
struct flm_cell_area {
    int left, top, columns, rows;
};

/* Draws into the pane, whose upper left corner is the origin of `boxes`: `left` and `top` of that
 * are pixels as if a cell were FLM_CELL_PX wide and row_height high. Its pixels and its atlas are
 * not used. */
void flm_box_cells_draw(const struct flm_boxes *boxes, const struct flm_rectangles *list,
                        struct flm_screen *screen, struct flm_cell_area pane);

#endif
