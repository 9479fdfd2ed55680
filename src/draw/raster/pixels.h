/* pixels.h - a rectangle of pixels in memory, and drawing into it.
 *
 * Pixels are RGBA bytes, as a canvas wants them: in a word 0xAABBGGRR, opaque. Coordinates are
 * device pixels from the upper left corner; right and bottom are exclusive. Edges that lie between
 * pixels are rounded first (flm_pixel_edge), each on its own and never a width, so that neighbors
 * share an edge: no seam, no overlap, at any scale. Everything is cut off at the clip. Nothing
 * allocates.
 *
 * Long rows are copied from the first: 1920x1080 are filled in 0.1 ms, and 10,000 boxes with round
 * corners over them in 0.5 ms (bench/pixels_bench.c). */
#ifndef FLAMEL_DRAW_RASTER_PIXELS_H
#define FLAMEL_DRAW_RASTER_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw/color/marks.h"

struct flm_pixels {
    uint32_t *at; /* borrowed */
    uint32_t width, height;
    int clip_left, clip_top, clip_right, clip_bottom; /* within it */
};

/* The color 0xRRGGBB as an opaque pixel. */
static inline uint32_t flm_pixel(uint32_t rgb)
{
    return 0xFF000000u | (rgb & 0xFF) << 16 | (rgb & 0xFF00) | (rgb >> 16 & 0xFF);
}

/* The nearest pixel edge, limited to values far outside of every picture. */
static inline int flm_pixel_edge(double position)
{
    enum { FAR = 1 << 28 };
    if (!(position > -FAR))
        return -FAR;
    return position < FAR ? (int)(position + FAR + 0.5) - FAR : FAR;
}

/* A visible length: rounded, and at least one pixel. */
static inline int flm_pixel_length(double length)
{
    int rounded = flm_pixel_edge(length);
    return rounded < 1 ? 1 : rounded;
}

/* Two colors 0xRRGGBB mixed: 255 is all of `over`. */
uint32_t flm_color_mix(uint32_t under, uint32_t over, uint8_t alpha);

/* All of `memory`, which has width x height words, as the clip. */
struct flm_pixels flm_pixels_of(uint32_t *memory, uint32_t width, uint32_t height);

/* The same pixels, and a smaller clip. */
struct flm_pixels flm_pixels_clipped(struct flm_pixels pixels, int left, int top, int right,
                                     int bottom);

void flm_pixels_fill(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                     uint32_t rgb);

/* Mixes the color with the pixels: 255 replaces them. */
void flm_pixels_blend(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                      uint32_t rgb, uint8_t alpha);

/* Only the edge, `thickness` pixels to the inside. */
void flm_pixels_outline(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                        int thickness, uint32_t rgb);

/* A round corner, the upper left one: the coverage of each pixel, in rows of FLM_CORNER_LIMIT. */
enum { FLM_CORNER_LIMIT = 16 };
struct flm_corner {
    int size; /* width and height of the pixels that are partly outside; 0: none */
    uint8_t coverage[FLM_CORNER_LIMIT * FLM_CORNER_LIMIT];
};
struct flm_corner flm_corner_of(double radius);

/* Draws a box with such corners at its left, its right or both, mixed with the pixels. It must be
 * at least twice as large as the corner. */
void flm_pixels_fill_round(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                           uint32_t rgb, const struct flm_corner *corner, bool at_left,
                           bool at_right);

/* Draws a horizontal dashed line: `on` pixels, then `off` pixels left free, from origin_x on. */
void flm_pixels_dashes(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                       int origin_x, int on, int off, uint32_t rgb, uint8_t alpha);

/* Textures, so that color is never the only sign. They move with a picture that is panned: they
 * begin at (origin_x, origin_y), where the box would begin if it were not cut off. */
void flm_pixels_texture(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                        int origin_x, int origin_y, enum flm_texture texture, double scale,
                        uint32_t rgb, uint8_t alpha);

/* `coverage` is width x height bytes: the share of the ink in each pixel. */
void flm_pixels_ink(struct flm_pixels *pixels, int left, int top, const uint8_t *coverage,
                    int width, int height, uint32_t rgb);

#endif
