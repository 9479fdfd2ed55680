#include "draw/svg/internal.h"

#include "draw/svg/assets_generated.h" /* build/generated */

void flm_svg_asset_add(enum flm_svg_asset asset, struct flm_text *out)
{
    static const struct flm_bytes assets[] = {
        [FLM_ASSET_STYLE] = {(const char *)style, sizeof style},
        [FLM_ASSET_DARK_STYLE] = {(const char *)dark_style, sizeof dark_style},
        [FLM_ASSET_SCRIPT] = {(const char *)script, sizeof script},
    };
    flm_text_add(out, assets[asset]);
}
