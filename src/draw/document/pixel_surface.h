/* pixel_surface.h - a document as pixels: the surface for PNG and for any buffer of pixels.
 *
 * Letters come from a source that rasterizes one at a time, in one of three sizes: of labels, of
 * titles, of other text. Measuring and painting show which letters are needed, so both are repeated
 * until none is missing: usually twice. Without a source there is no text. */
#ifndef FLAMEL_DRAW_DOCUMENT_PIXEL_SURFACE_H
#define FLAMEL_DRAW_DOCUMENT_PIXEL_SURFACE_H

#include "draw/document/document.h"

enum { FLM_PIXEL_SURFACE_SIZES = 3 };

struct flm_pixel_surface {
    struct flm_document *document;
    flm_glyph_source source; /* or NULL */
    void *context;
    struct flm_pixels pixels;
    double size_px[FLM_PIXEL_SURFACE_SIZES]; /* CSS pixels */
    struct flm_atlas *atlas[FLM_PIXEL_SURFACE_SIZES];
};

/* For a document that has been filled. The rectangles of its panes are in device pixels (its
 * `scale`). False, and `why`, if memory ran out; clear it in any case. */
bool flm_pixel_surface_init(struct flm_pixel_surface *surface, struct flm_document *document,
                            flm_glyph_source source, void *context, struct flm_error *why);
void flm_pixel_surface_clear(struct flm_pixel_surface *surface);

/* Lays the document out, which sets its height; then paints it into pixels. False, and `why`, if
 * memory ran out or the source failed. */
bool flm_pixel_surface_lay_out(struct flm_pixel_surface *surface, struct flm_error *why);
bool flm_pixel_surface_paint(struct flm_pixel_surface *surface, struct flm_pixels pixels,
                             struct flm_error *why);

#endif
