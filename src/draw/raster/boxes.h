/* boxes.h - rectangles of a layout as pixels: boxes with labels, in rows.
 *
 * The page, the PNG and the minimap all draw flame graphs with this. The caller's styler sets the
 * look of each rectangle; rows, gaps, corners, labels and ellipses are made here.
 *
 * Edges are rounded to device pixels, so that boxes of one level meet without a seam. A rectangle
 * that would be rounded away gets one pixel, and its neighbor begins after it. No edge is more than
 * a pixel from its exact position, so some of several such rectangles without a wider one between
 * them are hidden (the layout merges them). Boxes that are wide enough have a gap of a CSS pixel to
 * their right, still wider ones round corners. */
#ifndef FLAMEL_DRAW_RASTER_BOXES_H
#define FLAMEL_DRAW_RASTER_BOXES_H

#include "base/text/function_name.h"
#include "base/text/text.h"
#include "draw/color/marks.h"
#include "draw/raster/atlas.h"
#include "layout/rectangles.h"

/* The look of one box. It is passed to the styler as all 0, a black box. */
struct flm_box {
    bool has_room;      /* in: whether a label may fit; if not, no name need be looked up */
    uint32_t fill, ink; /* 0xRRGGBB */
    enum flm_texture texture;
    uint32_t texture_rgb;
    uint8_t texture_alpha;
    enum flm_mark mark;          /* a line at its foot, or a texture, in the ink */
    uint32_t outline;            /* 0xRRGGBB, where outline_px > 0 */
    double outline_px;           /* in CSS pixels */
    bool bold;                   /* the label */
    bool noted;                  /* a corner at its upper right: someone wrote a note on it */
    uint8_t faded;               /* 0: not at all; 255: to the background */
    bool skipped;                /* nothing is drawn */
    struct flm_bytes label;      /* UTF-8, shortened here; valid until the next box */
    struct flm_name_parts parts; /* of the label (text/function_name.h) */
    struct flm_bytes suffix;     /* behind the label where there is room for both; likewise valid */
    uint32_t lit_from, lit_to;   /* highlighted bytes of the label: a search's match */
    uint32_t lit_rgb;            /* their background */
};
typedef void (*flm_box_styler)(void *context, const struct flm_rectangle *rectangle,
                               struct flm_box *box);

/* Position and sizes of the picture, in device pixels. */
struct flm_boxes {
    struct flm_pixels *pixels; /* drawn into its clip */
    double left;               /* position of x = 0 of the rectangles */
    double top;                /* the upper edge of level 0 (of its lower one when upwards) */
    bool upwards;              /* a flame graph: level 0 is the lowest row */
    double row_height, gap;    /* of a row, and the free part of it; whole pixels look even */
    double scale;              /* device pixels in a CSS pixel */
    uint32_t background, text; /* of the page. A label on a faded box has its ink or `text`,
                                  whichever is more readable */
    bool clears;               /* fills the clip with the background: a row at a time, just
                                  before its boxes, while it is in the cache */
    void (*ground)(void *context, int top, int bottom); /* NULL, or what clears instead: some rows
                                                           of the clip */
    void *ground_context;
    struct flm_atlas *atlas; /* NULL: no labels (the minimap) */
    flm_box_styler style;
    void *context;
};

/* Draws everything in the clip. The labels of boxes that are cut off at the left begin at the edge
 * of the clip. Returns how many labels were drawn. */
size_t flm_boxes_draw(const struct flm_boxes *boxes, const struct flm_rectangles *list);

/* Flags that a caller may add to those of rectangles (FLM_RECTANGLE_...): a rectangle and the next
 * one of the list are parts of one box, as a function in a flame chart is that first runs and then
 * waits. Parts have a look of their own, but no gap between them, and one label over all of them.
 * flm_boxes_draw leaves them out, merged boxes excepted; flm_boxes_draw_joined draws them, and only
 * labels over merged boxes. Returns how many labels were drawn. */
enum { FLM_JOINED_TO_NEXT = 1 << 16, FLM_JOINED_TO_LAST = 1 << 17 };
enum { FLM_JOINED = FLM_JOINED_TO_NEXT | FLM_JOINED_TO_LAST };
size_t flm_boxes_draw_joined(const struct flm_boxes *boxes, const struct flm_rectangles *list);

/* Mixes fill and texture of a faded box with the background, and gives it an ink that is readable
 * on the result. */
void flm_box_fade(const struct flm_boxes *boxes, struct flm_box *box);

/* The row of a level, including the gap; and the level that is drawn at a height, whether it exists
 * or not. */
void flm_boxes_row(const struct flm_boxes *boxes, uint32_t level, int *top, int *bottom);
int64_t flm_boxes_level_at(const struct flm_boxes *boxes, double y);

/* The edges of a rectangle in pixels, without the gap, as if its neighbors did not push it. For
 * outlines that are drawn later. */
void flm_boxes_place(const struct flm_boxes *boxes, const struct flm_rectangle *rectangle,
                     int *left, int *right);

/* Draws the mark of a box in an area of pixels; `strength` is its opacity, up to 255. */
void flm_pixels_mark(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                     enum flm_mark mark, double scale, uint32_t rgb, uint8_t strength);

/* The parts of a box's label that fit, in order, and the highlighted bytes of each. The ellipsis is
 * one of them, highlighted if bytes that it replaces are, and the suffix. */
struct flm_lit {
    size_t from, to;
};
struct flm_label_parts {
    struct flm_bytes at[4];
    struct flm_lit lit[4];
    int count;
};
struct flm_label_parts flm_box_label(const struct flm_box *box, double room_px,
                                     const struct flm_font *font);

#endif
