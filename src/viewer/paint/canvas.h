/* canvas.h - what the panes of a scene are painted on: pixels (painting.c) or the cells of a
 * terminal (painting_cells.c). What is seen is found in one way for both. */
#ifndef FLAMEL_VIEWER_PAINT_CANVAS_H
#define FLAMEL_VIEWER_PAINT_CANVAS_H

#include "viewer/paint/box_style.h"

struct flm_canvas {
    struct flm_pixels *pixels; /* NULL: there are none */

    /* Draws what was found of a pane, with its header, where it has one. */
    void (*draw)(const struct flm_canvas *canvas, const struct flm_boxes *boxes,
                 struct flm_box_styles *styles);
};

/* A picture begins: whatever happened until now is in it. False where there is nothing to be seen.
 */
bool flm_canvas_begin(struct flm_viewer *viewer, double now_ms);

/* Paints every pane; *more: another picture is wanted soon. False where that failed. */
bool flm_canvas_paint(struct flm_viewer *viewer, const struct flm_canvas *canvas, bool *more);

/* The timeline, above everything else. */
void flm_timeline_paint(struct flm_viewer *viewer, struct flm_pixels *pixels);

#endif
