/* label.h - the part of a name that fits into a box.
 *
 * The first of these that fits: the full name; the name without arguments; without the path; the
 * bare function; the bare function with an ellipsis in its middle, of at least 4 letters; nothing:
 *
 *     net/http.(*Server).Serve    http.(*Server).Serve    Serve    S…e is never drawn
 *
 * Other texts that must not be shortened like this, such as "+41, 0.6 %", have bare = end: they are
 * drawn in full, or up to `end`, or not at all.
 *
 * A still SVG does not know its font. So letters are measured as in DejaVu Sans, which is as wide
 * as Verdana and wider than most: a label that fits there fits everywhere. The page measures again,
 * and where the font is known (atlas.h, pdf_font.h) its own letters are measured. */
#ifndef FLAMEL_DRAW_TEXT_LABEL_H
#define FLAMEL_DRAW_TEXT_LABEL_H

#include "base/text/function_name.h"
#include "base/text/text.h"

struct flm_font {
    double size_px;
    double letter; /* the width of every letter, in font sizes; 0: letters differ */
    double (*width)(void *context, uint32_t code); /* in font sizes, called instead; may be NULL */
    void *context;
};

/* The width of a letter of DejaVu Sans in font sizes. Letters beyond Latin, Greek and Cyrillic
 * count as 1. */
double flm_letter_width(uint32_t code);

/* The width of plain text (visible.h) in pixels. */
double flm_label_width(struct flm_bytes plain, const struct flm_font *font);

/* The part of `plain` that fits into room_px: `head`, and, if the middle was left out, an ellipsis
 * and `tail`. Both are ranges of `plain`; both are empty if not even four letters fit. */
struct flm_label_cut {
    struct flm_bytes head, tail; /* tail.size 0: no ellipsis */
};
#define FLM_ELLIPSIS "\xE2\x80\xA6"
struct flm_label_cut flm_label_fit(struct flm_bytes plain, struct flm_name_parts parts,
                                   double room_px, const struct flm_font *font);

/* Adds that part to `out`. */
void flm_label_add(struct flm_text *out, struct flm_bytes plain, struct flm_name_parts parts,
                   double room_px, const struct flm_font *font);

#endif
