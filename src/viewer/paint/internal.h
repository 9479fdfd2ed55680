/* internal.h - shared by the files of this folder: the canvas, samples of flame charts, and the
 * captions of a picture. */
#ifndef FLAMEL_VIEWER_PAINT_INTERNAL_H
#define FLAMEL_VIEWER_PAINT_INTERNAL_H

#include "draw/document/document.h"
#include "viewer/paint/box_style.h"

/* ---- painting.c: the panes of a scene, in pixels or in cells (painting_cells.c) -------------- */

/* The target of painting. The visible boxes are found in the same way for both. */
struct flm_canvas {
    struct flm_pixels *pixels; /* NULL: there are none */

    /* Draws the boxes of a pane, and its header, if it has one. */
    void (*draw)(const struct flm_canvas *canvas, const struct flm_boxes *boxes,
                 struct flm_box_styles *styles);
};

/* Begins a frame, with all changes until now. False if there is nothing to draw. */
bool flm_canvas_begin(struct flm_viewer *viewer, double now_ms);

/* Paints every pane; *more: another frame is wanted soon. False on failure. */
bool flm_canvas_paint(struct flm_viewer *viewer, const struct flm_canvas *canvas, bool *more);

/* ---- timeline_paint.c ------------------------------------------------------------------------ */

/* The timeline, above everything else. */
void flm_timeline_paint(struct flm_viewer *viewer, struct flm_pixels *pixels);

/* ---- chart_samples.c: a flame chart where samples are narrower than a pixel ------------------ */

/* Values of neighbors in time must not be added up: in each pixel the stack in its middle is
 * painted, over the gray box that stands for all of them. */

/* One level of merged frames, in pixels of the viewport: the part of it in [first, last). Neighbors
 * of one color are painted as one. */
typedef void (*flm_sample_paint)(void *context, int left, int right, uint32_t rgb);
void flm_samples_level(const struct flm_box_styles *styles, const struct flm_viewport *view,
                       uint32_t level, int first, int last, flm_sample_paint paint, void *context);

/* The pixels whose middle is in merged frames, within [least, most). */
void flm_samples_range(const struct flm_rectangle *merged, double least, double most, int *first,
                       int *last);

/* ---- picture_key.c: the titles and the legend of a picture (picture.h) ----------------------- */

/* "app.flm", "app.flm, compared with old.flm". As the profile has it: not plain. */
void flm_picture_title(const struct flm_viewer *viewer, struct flm_text *out);

/* "Sandwich of =parse · cpu · hide:libc.so.6 · in read, 12 % of total". */
void flm_picture_subtitle(struct flm_viewer *viewer, struct flm_text *out);

/* `marks`: those that are in the picture, bit 1 << mark. False, and `why`, if memory ran out; the
 * document may fail (its `failed`) too. */
bool flm_picture_add_keys(struct flm_viewer *viewer, unsigned marks, struct flm_document *document,
                          struct flm_error *why);

#endif
