/* atlas.h - the letters of labels, each rasterized once.
 *
 * The core has no fonts: a caller that has one (the page's canvas, cairo) rasterizes a letter when
 * it is first requested, in the size in which it is drawn, and adds it. Until then the letter is as
 * wide as in DejaVu Sans (label.h), nothing is drawn for it, and it is in the list of missing
 * letters:
 *
 *     paint; while ((c = flm_atlas_missing(atlas, weight)) != 0)
 *                flm_atlas_add(atlas, c, weight, &rasterized);
 *     paint again, if any was missing
 *
 * Letters are positioned to a quarter of a pixel, because text of 12 px looks uneven otherwise. For
 * that a letter is rasterized at four times its width (columns = 4: the canvas scaled by 4 in x
 * only) and becomes four images here, one for each quarter. With columns = 1 it has one. */
#ifndef FLAMEL_DRAW_RASTER_ATLAS_H
#define FLAMEL_DRAW_RASTER_ATLAS_H

#include "base/core/bytes.h"
#include "draw/raster/pixels.h"
#include "draw/text/label.h"
#include "flamel/draw.h"

enum flm_weight { FLM_WEIGHT_REGULAR, FLM_WEIGHT_BOLD, FLM_WEIGHT_COUNT };

/* Columns of the coverage per pixel, for letters that are positioned between pixels. */
enum { FLM_ATLAS_COLUMNS = FLM_GLYPH_COLUMNS };

struct flm_atlas;

/* Letters of `size_px` device pixels. */
struct flm_atlas *flm_atlas_new(double size_px, struct flm_error *why);
void flm_atlas_free(struct flm_atlas *atlas);
double flm_atlas_size_px(const struct flm_atlas *atlas);

/* The next code point that was requested and is missing, each once; 0: none. */
uint32_t flm_atlas_missing(struct flm_atlas *atlas, enum flm_weight weight);

/* Copies the coverage. False if memory ran out, and for an image larger than 16 times the size of
 * the letters, which is no letter. */
bool flm_atlas_add(struct flm_atlas *atlas, uint32_t code_point, enum flm_weight weight,
                   const struct flm_glyph *glyph);

/* The width of a letter or a text (UTF-8; other bytes are U+FFFD). Measuring a letter requests
 * it. */
double flm_atlas_advance(struct flm_atlas *atlas, uint32_t code_point, enum flm_weight weight);
double flm_atlas_width(struct flm_atlas *atlas, struct flm_bytes text, enum flm_weight weight);

/* The same for labels; valid as long as the atlas. */
struct flm_font flm_atlas_font(struct flm_atlas *atlas, enum flm_weight weight);

/* Draws a text from (x, base_line); returns the position after it. */
double flm_atlas_draw(struct flm_atlas *atlas, struct flm_pixels *pixels, double x, int base_line,
                      struct flm_bytes text, enum flm_weight weight, uint32_t rgb);

/* The base line of letters that are centered in [top, bottom). */
int flm_atlas_base_line(const struct flm_atlas *atlas, int top, int bottom);

#endif
