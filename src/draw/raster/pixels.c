#include "draw/raster/pixels.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

/* ---- Mixing ---------------------------------------------------------------------------------- */

/* Divides two 16-bit halves by 255 at once, rounded; each is at most 255 * 255. */
static inline uint32_t divided(uint32_t halves)
{
    halves += 0x800080;
    return (halves + (halves >> 8 & 0xFF00FF)) >> 8 & 0xFF00FF;
}

/* Mixes two words of four bytes; the highest byte becomes 255. */
static inline uint32_t mixed(uint32_t under, uint32_t over, uint32_t alpha)
{
    uint32_t rest = 255 - alpha;
    uint32_t outer = divided((under & 0xFF00FF) * rest + (over & 0xFF00FF) * alpha);
    uint32_t inner = divided((under >> 8 & 0xFF) * rest + (over >> 8 & 0xFF) * alpha);
    return 0xFF000000u | outer | inner << 8;
}

uint32_t flm_color_mix(uint32_t under, uint32_t over, uint8_t alpha)
{
    return mixed(under, over, alpha) & 0xFFFFFF;
}

/* ---- Clips ----------------------------------------------------------------------------------- */

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

struct flm_pixels flm_pixels_of(uint32_t *memory, uint32_t width, uint32_t height)
{
    assert(width <= INT_MAX && height <= INT_MAX && (memory || width == 0 || height == 0));
    return (struct flm_pixels){memory, width, height, 0, 0, (int)width, (int)height};
}

struct flm_pixels flm_pixels_clipped(struct flm_pixels pixels, int left, int top, int right,
                                     int bottom)
{
    pixels.clip_left = most(pixels.clip_left, left);
    pixels.clip_top = most(pixels.clip_top, top);
    pixels.clip_right = least(pixels.clip_right, right);
    pixels.clip_bottom = least(pixels.clip_bottom, bottom);
    return pixels;
}

struct part {
    int left, top, right, bottom;
};

/* Cuts a rectangle to the clip; false if nothing is left. */
static bool cut(const struct flm_pixels *pixels, struct part *part)
{
    part->left = most(part->left, pixels->clip_left);
    part->top = most(part->top, pixels->clip_top);
    part->right = least(part->right, pixels->clip_right);
    part->bottom = least(part->bottom, pixels->clip_bottom);
    return part->left < part->right && part->top < part->bottom;
}

static uint32_t *row_at(const struct flm_pixels *pixels, int y)
{
    return pixels->at + (size_t)y * pixels->width;
}

/* ---- Areas ----------------------------------------------------------------------------------- */

/* Rows of at least this many pixels are copied rather than stored: a call costs as much as
 * storing. */
enum { LONG_ROW = 64 };

/* Four at a time; the last four may overlap those before. */
static void store_row(uint32_t *at, size_t count, uint32_t pixel)
{
    const uint32_t four[4] = {pixel, pixel, pixel, pixel};
    uint32_t *end = at + count;
    if (count < 4) {
        while (at < end)
            *at++ = pixel;
        return;
    }
    for (; at < end - 4; at += 4)
        memcpy(at, four, sizeof four);
    memcpy(end - 4, four, sizeof four);
}

/* A column of four pixels. */
static void store_column(uint32_t *at, size_t stride, int rows, uint32_t pixel)
{
    const uint32_t four[4] = {pixel, pixel, pixel, pixel};
    for (; rows > 0; rows--, at += stride)
        memcpy(at, four, sizeof four);
}

/* The part is in the clip. Most boxes are narrow: column by column avoids a short loop in each row,
 * whose end branch predictors miss. */
static void fill_part(struct flm_pixels *pixels, struct part part, uint32_t pixel)
{
    size_t count = (size_t)(part.right - part.left), stride = pixels->width;
    int rows = part.bottom - part.top;
    uint32_t *first = row_at(pixels, part.top) + part.left;
    if (count >= LONG_ROW) {
        store_row(first, count, pixel);
        for (int y = 1; y < rows; y++)
            memcpy(first + (size_t)y * stride, first, count * sizeof *first);
    } else if (count >= 4) {
        for (size_t x = 0; x + 4 < count; x += 4)
            store_column(first + x, stride, rows, pixel);
        store_column(first + count - 4, stride, rows, pixel);
    } else {
        for (size_t x = 0; x < count; x++)
            for (int y = 0; y < rows; y++)
                first[(size_t)y * stride + x] = pixel;
    }
}

void flm_pixels_fill(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                     uint32_t rgb)
{
    struct part part = {left, top, right, bottom};
    if (cut(pixels, &part))
        fill_part(pixels, part, flm_pixel(rgb));
}

void flm_pixels_blend(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                      uint32_t rgb, uint8_t alpha)
{
    struct part part = {left, top, right, bottom};
    if (alpha == 0 || !cut(pixels, &part))
        return;
    /* Most of what is blended has one color. */
    uint32_t pixel = flm_pixel(rgb), under = *row_at(pixels, part.top),
             over = mixed(under, pixel, alpha);
    for (int y = part.top; y < part.bottom; y++) {
        uint32_t *row = row_at(pixels, y);
        for (int x = part.left; x < part.right; x++) {
            if (row[x] != under) {
                under = row[x];
                over = mixed(under, pixel, alpha);
            }
            row[x] = over;
        }
    }
}

void flm_pixels_outline(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                        int thickness, uint32_t rgb)
{
    if (right - left <= 2 * thickness || bottom - top <= 2 * thickness) {
        flm_pixels_fill(pixels, left, top, right, bottom, rgb);
        return;
    }
    flm_pixels_fill(pixels, left, top, right, top + thickness, rgb);
    flm_pixels_fill(pixels, left, bottom - thickness, right, bottom, rgb);
    flm_pixels_fill(pixels, left, top + thickness, left + thickness, bottom - thickness, rgb);
    flm_pixels_fill(pixels, right - thickness, top + thickness, right, bottom - thickness, rgb);
}

/* ---- Round corners --------------------------------------------------------------------------- */

/* Whether a row, and so the column of the same number, is entirely inside. */
static bool is_inside(const struct flm_corner *corner, int line)
{
    int least_share = 255;
    for (int i = 0; i <= line; i++) {
        least_share = least(least_share, corner->coverage[line * FLM_CORNER_LIMIT + i]);
        least_share = least(least_share, corner->coverage[i * FLM_CORNER_LIMIT + line]);
    }
    return least_share == 255;
}

struct flm_corner flm_corner_of(double radius)
{
    assert(radius >= 0);
    /* 7 % less of a pixel is invisible, and mixing it would take half of the time of a box. */
    enum { FINE = 8, NEARLY = 230 };
    struct flm_corner corner = {0};
    if (radius > FLM_CORNER_LIMIT)
        radius = FLM_CORNER_LIMIT;
    while (corner.size < radius)
        corner.size++;
    for (int y = 0; y < corner.size; y++)
        for (int x = 0; x < corner.size; x++) {
            int inside = 0;
            for (int i = 0; i < FINE * FINE; i++) {
                int column = i % FINE, line = i / FINE;
                double dx = radius - x - (column + 0.5) / FINE;
                double dy = radius - y - (line + 0.5) / FINE;
                inside += dx <= 0 || dy <= 0 || dx * dx + dy * dy <= radius * radius;
            }
            int share = inside * 255 / (FINE * FINE);
            corner.coverage[y * FLM_CORNER_LIMIT + x] = (uint8_t)(share < NEARLY ? share : 255);
        }
    /* Lines that are entirely inside belong to the box: at 2 px a corner is one pixel. */
    while (corner.size > 0 && is_inside(&corner, corner.size - 1))
        corner.size--;
    return corner;
}

/* Fills a row through corners: `coverage` is their row. The middle has the full color. */
static void fill_corner_row(struct flm_pixels *pixels, struct part part, int y, uint32_t pixel,
                            const uint8_t *coverage, int at_left, int at_right)
{
    uint32_t *row = row_at(pixels, y);
    int from = most(part.left + at_left, pixels->clip_left);
    int to = least(part.right - at_right, pixels->clip_right);
    if (from < to)
        store_row(row + from, (size_t)(to - from), pixel);
    for (int i = 0; i < at_left; i++) {
        int x = part.left + i;
        if (x >= pixels->clip_left && x < pixels->clip_right)
            row[x] = mixed(row[x], pixel, coverage[i]);
    }
    for (int i = 0; i < at_right; i++) {
        int x = part.right - 1 - i;
        if (x >= pixels->clip_left && x < pixels->clip_right)
            row[x] = mixed(row[x], pixel, coverage[i]);
    }
}

void flm_pixels_fill_round(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                           uint32_t rgb, const struct flm_corner *corner, bool at_left,
                           bool at_right)
{
    int size = corner->size;
    struct part part = {left, top, right, bottom};
    uint32_t pixel = flm_pixel(rgb);
    if (size == 0 || !(at_left || at_right)) {
        flm_pixels_fill(pixels, left, top, right, bottom, rgb);
        return;
    }
    flm_pixels_fill(pixels, left, top + size, right, bottom - size, rgb);
    for (int line = 0; line < size; line++) {
        const uint8_t *coverage = corner->coverage + line * FLM_CORNER_LIMIT;
        int rows[2] = {top + line, bottom - 1 - line};
        for (int i = 0; i < 2; i++)
            if (rows[i] >= pixels->clip_top && rows[i] < pixels->clip_bottom)
                fill_corner_row(pixels, part, rows[i], pixel, coverage, at_left ? size : 0,
                                at_right ? size : 0);
    }
}

/* ---- Dashes and textures --------------------------------------------------------------------- */

/* The remainder that is never negative. */
static int phase_of(int position, int period)
{
    int rest = position % period;
    return rest < 0 ? rest + period : rest;
}

/* Fills `on` pixels of every `period` in row y, beginning at origin_x. */
static void dash_row(struct flm_pixels *pixels, struct part part, int y, int origin_x, int on,
                     int period, uint32_t pixel, uint8_t alpha)
{
    uint32_t *row = row_at(pixels, y);
    for (int x = part.left - phase_of(part.left - origin_x, period); x < part.right; x += period)
        for (int at = most(x, part.left), end = least(x + on, part.right); at < end; at++)
            row[at] = mixed(row[at], pixel, alpha);
}

void flm_pixels_dashes(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                       int origin_x, int on, int off, uint32_t rgb, uint8_t alpha)
{
    struct part part = {left, top, right, bottom};
    if (on < 1 || off < 0 || !cut(pixels, &part))
        return;
    for (int y = part.top; y < part.bottom; y++)
        dash_row(pixels, part, y, origin_x, on, on + off, flm_pixel(rgb), alpha);
}

void flm_pixels_texture(struct flm_pixels *pixels, int left, int top, int right, int bottom,
                        int origin_x, int origin_y, enum flm_texture texture, double scale,
                        uint32_t rgb, uint8_t alpha)
{
    struct part part = {left, top, right, bottom};
    if (texture == FLM_TEXTURE_NONE || !cut(pixels, &part))
        return;
    uint32_t pixel = flm_pixel(rgb);
    int on = flm_pixel_length(1.2 * scale);
    int period = on + flm_pixel_length((texture == FLM_TEXTURE_DOTS ? 2.8 : 4.8) * scale);
    int size = part.right - part.left;
    for (int y = part.top; y < part.bottom; y++) {
        int down = phase_of(y - origin_y, period);
        bool is_line = down < on;
        switch (texture) {
        case FLM_TEXTURE_RISING:
            dash_row(pixels, part, y, origin_x - down, on, period, pixel, alpha);
            break;
        case FLM_TEXTURE_FALLING:
            dash_row(pixels, part, y, origin_x + down, on, period, pixel, alpha);
            break;
        case FLM_TEXTURE_DOTS:
            if (is_line)
                dash_row(pixels, part, y, origin_x, on, period, pixel, alpha);
            break;
        case FLM_TEXTURE_GRID:
        case FLM_TEXTURE_LINES:
            if (is_line)
                dash_row(pixels, part, y, part.left, size, size, pixel, alpha);
            else if (texture == FLM_TEXTURE_GRID)
                dash_row(pixels, part, y, origin_x, on, period, pixel, alpha);
            break;
        case FLM_TEXTURE_NONE:
        case FLM_TEXTURE_COUNT:
            break;
        }
    }
}

/* ---- Letters --------------------------------------------------------------------------------- */

void flm_pixels_ink(struct flm_pixels *pixels, int left, int top, const uint8_t *coverage,
                    int width, int height, uint32_t rgb)
{
    struct part part = {left, top, left + width, top + height};
    if (!cut(pixels, &part))
        return;
    uint32_t pixel = flm_pixel(rgb);
    for (int y = part.top; y < part.bottom; y++) {
        uint32_t *row = row_at(pixels, y);
        const uint8_t *from = coverage + (size_t)(y - top) * (size_t)width;
        for (int x = part.left; x < part.right; x++) {
            uint32_t four, alpha = from[x - left];
            /* Most of a letter is empty. */
            if (alpha == 0 && x + 4 <= part.right) {
                memcpy(&four, from + (x - left), sizeof four);
                if (four == 0) {
                    x += 3;
                    continue;
                }
            }
            if (alpha == 255)
                row[x] = pixel;
            else if (alpha > 0)
                row[x] = mixed(row[x], pixel, alpha);
        }
    }
}
