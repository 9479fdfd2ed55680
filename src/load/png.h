/* png.h - PNG, with cairo: it rasterizes the letters that src/draw/raster/atlas.h asks for, and packs the
 * pixels. Without it (FLAMEL_CAIRO is not defined) flm_png_write says so. */
#ifndef FLAMEL_LOAD_PNG_H
#define FLAMEL_LOAD_PNG_H

#include "draw/raster/atlas.h"
#include "flamel/draw.h"

#ifdef FLAMEL_CAIRO
enum { FLM_PNG_IS_BUILT = 1 };
#else
enum { FLM_PNG_IS_BUILT = 0 };
#endif

/* Neither side is longer, nor has the picture more pixels: 0.5 GiB in memory. */
enum { FLM_PNG_LONGEST = 32767, FLM_PNG_PIXELS = 1 << 27 };

#endif
