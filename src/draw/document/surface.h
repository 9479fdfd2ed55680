/* surface.h - the surface that a document is painted on: pixels, PDF or SVG. Lengths are CSS pixels
 * from the upper left corner; y grows downwards. */
#ifndef FLAMEL_DRAW_DOCUMENT_SURFACE_H
#define FLAMEL_DRAW_DOCUMENT_SURFACE_H

#include "base/core/bytes.h"
#include "draw/color/marks.h"
#include "draw/raster/boxes.h"
#include "draw/text/label.h"

struct flm_surface {
    void *context;
    struct flm_font (*font)(void *context, double size_px, bool bold); /* the widths of letters */
    void (*text)(void *context, double x, double base_line, struct flm_bytes text, double size_px,
                 bool bold, uint32_t rgb);
    void (*fill)(void *context, double x, double y, double width, double height, uint32_t rgb);
    /* The line or the texture of a mark on a box; `strength` is its opacity, up to 255. */
    void (*mark)(void *context, double x, double y, double width, double height, enum flm_mark mark,
                 uint32_t rgb, unsigned strength);

    void (*fill_round)(void *context, double x, double y, double width, double height,
                       uint32_t rgb);
    void (*texture)(void *context, double x, double y, double width, double height,
                    enum flm_texture texture, uint32_t rgb, unsigned alpha);
    void (*outline)(void *context, double x, double y, double width, double height,
                    double thickness, uint32_t rgb); /* to the inside */

    /* Paints all boxes of a pane at once, where the surface does that better than one by one
     * (flm_vector_boxes): pixels are painted row by row. NULL: one by one. */
    void (*boxes)(void *context, const struct flm_boxes *boxes, const struct flm_rectangles *list);

    /* The number of painted letters that the font does not have; NULL: it has all of them. */
    uint64_t (*unknown_letters)(void *context);
};

/* The edges of the visible part. */
struct flm_clip {
    double left, top, right, bottom;
};

/* Paints rectangles of a layout one by one, as boxes.h does into pixels: with the same rows, gaps,
 * corners, labels and marks, but not rounded to pixels (vector.c). Lengths of `boxes` are in device
 * pixels; its pixels and atlas are not used. Boxes that are cut off at the left have their labels
 * at the edge of the window. The font size is `font_px`. */
void flm_vector_boxes(const struct flm_surface *surface, const struct flm_boxes *boxes,
                      const struct flm_rectangles *list, double font_px, struct flm_clip window);

#endif
