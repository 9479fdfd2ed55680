/* png.h - PNG, with cairo: it rasterizes the glyphs that draw/raster/atlas.h needs, and compresses
 * the pixels. Without it (FLAMEL_CAIRO is not defined) flm_png_write fails and says so. */
#ifndef FLAMEL_LOAD_PNG_H
#define FLAMEL_LOAD_PNG_H

#include "draw/raster/atlas.h"
#include "flamel/draw.h"

/* False, and `why`, when flamel was built without cairo. */
bool flm_png_is_built(struct flm_error *why);

/* Neither side is longer, nor has the picture more pixels: 0.5 GiB in memory. */
enum { FLM_PNG_LONGEST = 32767, FLM_PNG_PIXELS = 1 << 27 };

#endif
