/* path.h - boxes as SVG path data, in whole tenths of a pixel and relative to the previous point,
 * which makes the numbers short: "m1 0h2.5". */
#ifndef FLAMEL_DRAW_DOCUMENT_PATH_H
#define FLAMEL_DRAW_DOCUMENT_PATH_H

#include "base/text/text.h"

struct flm_path_box {
    int x, y, width, height; /* tenths of a pixel */
};

/* The current point of a path. {0}: it has not begun. */
struct flm_pen {
    int x, y;
    bool is_down;
};

static inline int flm_tenths(double px)
{
    return (int)(px * 10 + 0.5);
}

/* 125 as "12.5". */
void flm_path_number(struct flm_text *out, int tenths);

/* Adds a horizontal line; a rectangle, smaller by `inset` at each side. */
void flm_path_line(struct flm_text *out, struct flm_pen *pen, int x, int y, int width);
void flm_path_rectangle(struct flm_text *out, struct flm_pen *pen, struct flm_path_box box,
                        int inset);

#endif
