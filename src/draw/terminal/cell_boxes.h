/* cell_boxes.h - rectangles of a layout as cells of a terminal: boxes.h for terminals.
 *
 * Eight pixels of the layout are one cell, so the edges of a box are exact to an eighth of a cell.
 * A cell shows two colors, with one of the characters that fill its left part:
 *
 *     boxes     |main          |read  |write        width  9.6 cells, 4.4, 6.1
 *     cells     _main____▋_read_▏write_▏            ▋ is main's color on read's
 *
 * The first cell of a box is its edge and never has a letter. Neighbors of the same color (with few
 * colors, all functions of a module) are separated: by a lighter tone of the second, if that is
 * another color on this terminal, otherwise by a line at the nearest cell. Without colors, boxes
 * are inverse and separated by lines.
 *
 * The marks of boxes have counterparts: an outline is bold, a thin one (under the pointer)
 * underlined too, and a thick one (the selection) has the page's colors swapped; textures and the
 * marks of kinds fill the cells after the label. */
#ifndef FLAMEL_DRAW_TERMINAL_CELL_BOXES_H
#define FLAMEL_DRAW_TERMINAL_CELL_BOXES_H

#include "draw/raster/boxes.h"
#include "draw/terminal/screen.h"

enum { FLM_CELL_PX = 8, FLM_CELL_HEIGHT_PX = 16 };

/* Part of a screen, in cells. */
struct flm_cell_area {
    int left, top, columns, rows;
};

/* Draws into the pane, whose upper left corner is the origin of `boxes`: its `left` and `top` are
 * in pixels of which a cell has FLM_CELL_PX across and row_height down. Its pixels and its atlas
 * are not used. */
void flm_box_cells_draw(const struct flm_boxes *boxes, const struct flm_rectangles *list,
                        struct flm_screen *screen, struct flm_cell_area pane);

/* Cells of a row that look as a box does, for a legend: its color, filled with its texture or the
 * mark of its kind. Returns false, and draws nothing, where the terminal has no colors and the box
 * has neither: all such boxes look the same. */
bool flm_box_cells_swatch(const struct flm_box *box, struct flm_screen *screen, int column, int row,
                          int columns);

#endif
