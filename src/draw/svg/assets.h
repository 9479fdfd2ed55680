/* assets.h - the style and the script that every SVG carries. They are files of this folder
 * (svg*.css, svg_*.js), made into bytes by the Makefile, without comments and indentation. */
#ifndef FLAMEL_DRAW_SVG_ASSETS_H
#define FLAMEL_DRAW_SVG_ASSETS_H

#include "base/text/text.h"

enum flm_svg_asset { FLM_ASSET_STYLE, FLM_ASSET_DARK_STYLE, FLM_ASSET_SCRIPT };

void flm_svg_asset_add(enum flm_svg_asset asset, struct flm_text *out);

#endif
