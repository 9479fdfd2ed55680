/* label.h - how much of a name fits into a box.
 *
 * The full name; else without arguments; else without the path; else the bare function; else that
 * with an ellipsis in its middle, of at least 4 letters; else nothing:
 *
 *     net/http.(*Server).Serve    http.(*Server).Serve    Serve    S…e is never drawn
 *
 * A still picture does not know its font. So letters are as wide as in DejaVu Sans, which is as
 * wide as Verdana and wider than most: what fits here fits everywhere. The page measures again. */
#ifndef FLAMEL_DRAW_LABEL_H
#define FLAMEL_DRAW_LABEL_H

#include "base/text.h"
#include "draw/name.h"

struct flm_font {
    double size_px;
    double letter; /* the width of every letter, in font sizes; 0: each has its own */
};

/* Plain text (plain.h). Characters beyond Latin, Greek and Cyrillic count as wide as high. */
double flm_label_width(struct flm_bytes plain, const struct flm_font *font);

/* Adds to `out` what of `plain` fits into room_px; nothing where not even four letters do. */
void flm_label_add(struct flm_text *out, struct flm_bytes plain, struct flm_name_parts parts,
                   double room_px, const struct flm_font *font);

#endif
