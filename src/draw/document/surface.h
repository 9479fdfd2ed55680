/* surface.h - what a still picture is painted on: PNG, PDF or SVG. Lengths are CSS pixels from the
 * upper left corner, down is +. The last ones are of vectors only: in a PNG boxes are painted as
 * pixels (boxes.h). */
#ifndef FLAMEL_DRAW_DOCUMENT_SURFACE_H
#define FLAMEL_DRAW_DOCUMENT_SURFACE_H

#include "base/core/bytes.h"
#include "draw/color/marks.h"
#include "draw/raster/pixels.h"
#include "draw/text/label.h"

struct flm_surface {
    void *context;
    struct flm_font (*font)(void *context, double size_px, bool bold); /* what letters measure */
    void (*text)(void *context, double x, double base_line, struct flm_bytes text, double size_px,
                 bool bold, uint32_t rgb);
    void (*fill)(void *context, double x, double y, double width, double height, uint32_t rgb);
    /* The line or the texture of a mark in a box; `strength` 255 is all of it. */
    void (*mark)(void *context, double x, double y, double width, double height, enum flm_mark mark,
                 uint32_t rgb, unsigned strength);

    void (*fill_round)(void *context, double x, double y, double width, double height,
                       uint32_t rgb);
    void (*texture)(void *context, double x, double y, double width, double height,
                    enum flm_texture texture, uint32_t rgb, unsigned alpha);
    void (*outline)(void *context, double x, double y, double width, double height,
                    double thickness, uint32_t rgb); /* to the inside */
};

/* Plain text (text/visible.h), as much as fits before `right`. Returns where it ends. */
double flm_surface_write(const struct flm_surface *surface, double x, double base_line,
                         double right, struct flm_bytes plain, double size_px, bool bold,
                         uint32_t rgb);

/* The edges of what is seen. */
struct flm_window {
    double left, top, right, bottom;
};

#endif
