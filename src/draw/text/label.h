/* label.h - how much of a name fits into a box.
 *
 * The full name; else without arguments; else without the path; else the bare function; else that
 * with an ellipsis in its middle, of at least 4 letters; else nothing:
 *
 *     net/http.(*Server).Serve    http.(*Server).Serve    Serve    S…e is never drawn
 *
 * What is no name and must not be shortened so, as "+41, 0.6 %", has bare = end: all of it, or what
 * is before `end`, or nothing.
 *
 * A still picture does not know its font. So letters are as wide as in DejaVu Sans, which is as
 * wide as Verdana and wider than most: what fits here fits everywhere. The page measures again; who
 * knows the font (atlas.h, pdf_font.h) measures its letters. */
#ifndef FLAMEL_DRAW_TEXT_LABEL_H
#define FLAMEL_DRAW_TEXT_LABEL_H

#include "base/text/function_name.h"
#include "base/text/text.h"

struct flm_font {
    double size_px;
    double letter; /* the width of every letter, in font sizes; 0: each has its own */
    double (*width)(void *context, uint32_t code); /* in font sizes, asked instead; may be NULL */
    void *context;
};

/* A letter of DejaVu Sans, in font sizes. Those beyond Latin, Greek and Cyrillic count as wide as
 * high. */
double flm_letter_width(uint32_t code);

/* Plain text (visible.h). */
double flm_label_width(struct flm_bytes plain, const struct flm_font *font);

/* What of `plain` fits into room_px: all of `head`, and, where the middle was left out, an ellipsis
 * and then `tail`. Both are parts of `plain`; both are empty where not even four letters fit. */
struct flm_label_cut {
    struct flm_bytes head, tail; /* tail.size 0: no ellipsis */
};
#define FLM_ELLIPSIS "\xE2\x80\xA6"
struct flm_label_cut flm_label_fit(struct flm_bytes plain, struct flm_name_parts parts,
                                   double room_px, const struct flm_font *font);

/* Adds that to `out`. */
void flm_label_add(struct flm_text *out, struct flm_bytes plain, struct flm_name_parts parts,
                   double room_px, const struct flm_font *font);

#endif
