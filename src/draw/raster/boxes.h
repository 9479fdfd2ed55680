/* boxes.h - rectangles of a layout as pixels: boxes with labels, in rows.
 *
 * The one picture of a flame graph that the page, the PNG and the minimap share. Who draws says for
 * each rectangle how it styles; here are the rows, gaps, corners, labels and ellipses.
 *
 * Edges are rounded to device pixels, so that boxes of one level meet without a seam. A rectangle
 * that would be rounded away has a pixel, and its neighbor begins behind it: nothing stands more
 * than a pixel from its place, so of several such ones without a wider one between them, some are
 * hidden (the layout merges them). Boxes that are wide enough have a gap of a CSS pixel to
 * their right, still wider ones round corners. */
#ifndef FLAMEL_DRAW_RASTER_BOXES_H
#define FLAMEL_DRAW_RASTER_BOXES_H

#include "base/text/function_name.h"
#include "base/text/text.h"
#include "draw/color/marks.h"
#include "draw/raster/atlas.h"
#include "layout/rectangles.h"

/* How one box looks. All 0 is a black box, which is what is to be changed. */
struct flm_box {
    bool has_room; /* told: whether a label may fit. Who has no name at hand need not look for it */
    uint32_t fill, ink; /* 0xRRGGBB */
    enum flm_texture texture;
    uint32_t texture_rgb;
    uint8_t texture_alpha;
    enum flm_mark mark;          /* a line at its foot, or a hatch, in the ink */
    uint32_t outline;            /* 0xRRGGBB, where outline_px > 0 */
    double outline_px;           /* in CSS pixels */
    bool bold;                   /* its label */
    uint8_t faded;               /* 0: as it is; 255: the background */
    bool skipped;                /* nothing is drawn */
    struct flm_bytes label;      /* UTF-8, shortened to what fits; good until the next box */
    struct flm_name_parts parts; /* of the label (text/function_name.h) */
    uint32_t lit_from, lit_to;   /* these bytes of the label are marked: what a search found */
    uint32_t lit_rgb;            /* behind them */
};
typedef void (*flm_box_styler)(void *context, const struct flm_rectangle *rectangle,
                               struct flm_box *box);

/* Where the picture is, and how large things are; lengths are in device pixels. */
struct flm_boxes {
    struct flm_pixels *pixels; /* drawn into its clip */
    double left;               /* where x = 0 of the rectangles is */
    double top;                /* the upper edge of level 0 (of its lower one when upwards) */
    bool upwards;              /* a flame: level 0 is the lowest row */
    double row_height, gap;    /* of a row and what of it is left free; whole pixels look even */
    double scale;              /* device pixels in a CSS pixel */
    uint32_t background, text; /* of the page. A label on a faded box has whichever of its ink and
                                  `text` can be read better */
    bool clears;               /* the clip is filled with the background: a row at a time, just
                                  before its boxes, while the processor still has it at hand */
    struct flm_atlas *atlas;   /* NULL: no labels (the minimap) */
    flm_box_styler look;
    void *context;
};

/* Draws all that is in the clip. The labels of boxes that are cut off at the left stand at the edge
 * of the clip. Returns how many labels were drawn. */
size_t flm_boxes_draw(const struct flm_boxes *boxes, const struct flm_rectangles *list);

/* Mixes a faded box with the background, and gives it the ink that can be read on that. */
void flm_box_fade(const struct flm_boxes *boxes, struct flm_box *box);

/* The row of a level, the gap included; and the level at a height, whether there is one or not:
 * what was drawn there. */
void flm_boxes_row(const struct flm_boxes *boxes, uint32_t level, int *top, int *bottom);
int64_t flm_boxes_level_at(const struct flm_boxes *boxes, double y);

/* Where a rectangle stands in its row when nothing pushes it: its edges on pixels, the gap left
 * out. For outlines that are drawn later. */
void flm_boxes_place(const struct flm_boxes *boxes, const struct flm_rectangle *rectangle,
                     int *left, int *right);

/* The mark of a box in an area of pixels; `strength` 255 is all of it. */
void flm_pixels_mark(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                     enum flm_mark mark, double scale, uint32_t rgb, uint8_t strength);

/* What the look of a faded box becomes: its fill, texture and ink, mixed with the background. */
void flm_box_fade(const struct flm_boxes *boxes, struct flm_box *box);

/* The parts of a box's label that fit, in their order, and which bytes of each are lit. The
 * ellipsis is one of them, and lit where what it stands for is. */
struct flm_lit {
    size_t from, to;
};
struct flm_label_parts {
    struct flm_bytes at[3];
    struct flm_lit lit[3];
    int count;
};
struct flm_label_parts flm_box_label(const struct flm_box *box, double room_px,
                                     const struct flm_font *font);

#endif
