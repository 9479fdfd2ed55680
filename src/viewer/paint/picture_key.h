/* picture_key.h - the words of a picture (picture.h): what it is of, and what its colors mean. */
#ifndef FLAMEL_VIEWER_PAINT_PICTURE_KEY_H
#define FLAMEL_VIEWER_PAINT_PICTURE_KEY_H

#include "draw/color/color_mode.h"
#include "draw/document/surface.h"
#include "viewer/model/internal.h"

/* "app.flm", "app.flm, compared with old.flm". As the profile has it: not plain. */
void flm_picture_title(const struct flm_viewer *viewer, struct flm_text *out);

/* "Sandwich of =parse · cpu · hide:libc.so.6 · in read, 12 % of all". */
void flm_picture_subtitle(struct flm_viewer *viewer, struct flm_text *out);

/* A little box and what it means. */
struct flm_picture_key {
    uint32_t fill, ink;
    enum flm_mark mark;
    enum flm_texture texture;
    double edge_px;    /* in the ink, where colors are forced */
    bool is_outline;   /* of a search: `fill` is the color of its outline */
    size_t from, size; /* its words, plain */
};
enum { FLM_PICTURE_KEYS = FLM_LEGEND_GROUPS + 1 + FLM_MARK_COUNT + FLM_MOST_SEARCHES };
struct flm_picture_keys {
    struct flm_picture_key at[FLM_PICTURE_KEYS];
    size_t count;
    struct flm_text words;
};

/* `marks`: those that are in the picture, bit 1 << mark. False, and `why`, if memory ran out; to be
 * cleared in any case. */
bool flm_picture_keys_init(struct flm_picture_keys *keys, struct flm_viewer *viewer, unsigned marks,
                           struct flm_error *why);
void flm_picture_keys_clear(struct flm_picture_keys *keys);

/* Draws the keys in lines between two edges, the first with its base line at `y`; with no surface
 * to draw on only counts the lines. `font` measures. */
unsigned flm_picture_keys_draw(const struct flm_picture_keys *keys,
                               const struct flm_surface *surface, double left, double right,
                               double y, uint32_t text_rgb, bool only_count);

#endif
