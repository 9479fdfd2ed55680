/* atlas.h - the letters that labels are made of, each rasterized once.
 *
 * The core draws no glyphs of its own: whoever has a font (the page's canvas, cairo) rasterizes a
 * letter when it is first wanted, in the size in which it is drawn, and adds it. Until then the
 * letter is as wide as in DejaVu Sans (label.h), nothing is drawn for it, and it is in the list of
 * those that are missing:
 *
 *     paint; while ((c = flm_atlas_missing(atlas, weight)) != 0)
 *                flm_atlas_add(atlas, c, weight, &rasterized);
 *     paint again, if there was one
 *
 * Letters stand where they belong to a quarter of a pixel, else words of 12 px look uneven. For
 * that a letter is rasterized four times as wide as it is (columns = 4: the canvas scaled by 4 in x
 * only), and becomes four pictures here, one for each quarter. With columns = 1 it has one. */
#ifndef FLAMEL_DRAW_RASTER_ATLAS_H
#define FLAMEL_DRAW_RASTER_ATLAS_H

#include "base/core/bytes.h"
#include "draw/raster/pixels.h"
#include "draw/text/label.h"
#include "flamel/draw.h"

enum flm_weight { FLM_WEIGHT_REGULAR, FLM_WEIGHT_BOLD, FLM_WEIGHT_COUNT };

/* Columns of the coverage in a pixel, where letters stand between pixels. */
enum { FLM_ATLAS_COLUMNS = FLM_GLYPH_COLUMNS };

struct flm_atlas;

/* Letters of `size_px` device pixels. */
struct flm_atlas *flm_atlas_new(double size_px, struct flm_error *why);
void flm_atlas_free(struct flm_atlas *atlas);
double flm_atlas_size_px(const struct flm_atlas *atlas);

/* The next code point that was wanted and is not there, each once; 0: none. */
uint32_t flm_atlas_missing(struct flm_atlas *atlas, enum flm_weight weight);

/* Copies the coverage. False if memory ran out, and for a picture larger than 16 times the size of
 * the letters: that is no letter. */
bool flm_atlas_add(struct flm_atlas *atlas, uint32_t code_point, enum flm_weight weight,
                   const struct flm_glyph *glyph);

/* How wide a letter, or a text (UTF-8; other bytes are U+FFFD), is. Asking is wanting it. */
double flm_atlas_advance(struct flm_atlas *atlas, uint32_t code_point, enum flm_weight weight);
double flm_atlas_width(struct flm_atlas *atlas, struct flm_bytes text, enum flm_weight weight);

/* The same for labels; good as long as the atlas. */
struct flm_font flm_atlas_font(struct flm_atlas *atlas, enum flm_weight weight);

/* Draws it with the pen at (x, base line); returns where the pen is then. */
double flm_atlas_draw(struct flm_atlas *atlas, struct flm_pixels *pixels, double x, int base_line,
                      struct flm_bytes text, enum flm_weight weight, uint32_t rgb);

/* Where the base line is of letters that stand in the middle of [top, bottom). */
int flm_atlas_base_line(const struct flm_atlas *atlas, int top, int bottom);

#endif
