/* vector.h - rectangles of a layout as vectors: boxes.h for PDF and SVG. The same rows, gaps,
 * corners, labels and marks, but not rounded to pixels. */
#ifndef FLAMEL_DRAW_DOCUMENT_VECTOR_H
#define FLAMEL_DRAW_DOCUMENT_VECTOR_H

#include "draw/document/surface.h"
#include "draw/raster/boxes.h"

/* Lengths of `boxes` are in device pixels, as in boxes.h; its pixels and atlas are not used. Boxes
 * that are cut off at the left have their labels at the edge of the window. The font size is
 * `font_px`.
 */
void flm_vector_boxes(const struct flm_surface *surface, const struct flm_boxes *boxes,
                      const struct flm_rectangles *list, double font_px, struct flm_clip window);

#endif
