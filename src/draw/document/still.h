/* still.h - the still picture of a profile on any surface: what PNG and PDF show is what an SVG
 * shows where no script runs.
 *
 *     title  subtitle                          13 px from the upper edge
 *     boxes                                    FLM_SVG_HEADER from it; the painter's own
 *     legend                                   where there are marks or a comparison
 *     1,204 stacks  12.4 s  drawn 531  ...     the status line
 *
 * Here are the words, and how each box looks. Lengths are CSS pixels. */
#ifndef FLAMEL_DRAW_DOCUMENT_STILL_H
#define FLAMEL_DRAW_DOCUMENT_STILL_H

#include "draw/document/surface.h"
#include "draw/raster/boxes.h"
#include "draw/svg/internal.h"

/* Sizes of letters beside those of labels. */
enum { FLM_STILL_WORDS_PX = 12, FLM_STILL_TITLE_PX = 13 };

struct flm_still {
    struct flm_svg *svg; /* open */
    bool dark;           /* tones for dark surroundings */
    uint32_t page, text, muted;
    double width_px, height_px;
    double boxes_px;          /* the height of all rows */
    uint32_t unknown_letters; /* set by the painter before the words: those that its font lacks */
};

/* Dark where the options ask for it, unless there is a background of its own. */
struct flm_still flm_still_of(struct flm_svg *svg);

/* First the background; then the painter's boxes, which are placed so; then the words. */
void flm_still_draw_background(const struct flm_still *still, const struct flm_surface *surface);
struct flm_boxes flm_still_boxes(struct flm_still *still, double scale);
void flm_still_draw_words(struct flm_still *still, const struct flm_surface *surface);

/* A flm_box_styler; `context` is the struct flm_still. The label is good until the next one. */
void flm_still_style(void *context, const struct flm_rectangle *rectangle, struct flm_box *box);

#endif
