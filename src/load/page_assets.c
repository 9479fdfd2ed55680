#include "load/page_assets.h"

#include "load/page_assets_generated.h" /* build/generated */

/* Each array ends in a byte of its own, because C has no empty arrays. */
#define ASSET(bytes)                                                                               \
    {                                                                                              \
        (const char *)(bytes), sizeof(bytes) - 1                                                   \
    }

struct flm_bytes flm_page_asset(enum flm_page_asset asset)
{
    static const struct flm_bytes assets[] = {
        [FLM_PAGE_BODY] = ASSET(body),
        [FLM_PAGE_STYLE] = ASSET(style),
        [FLM_PAGE_STYLE_HASH] = ASSET(style_hash),
        [FLM_PAGE_START] = ASSET(start),
        [FLM_PAGE_START_HASH] = ASSET(start_hash),
        [FLM_PAGE_SCRIPT_HASH] = ASSET(script_hash),
        [FLM_PAGE_READERS] = ASSET(readers),
#ifndef __wasi__ /* nothing is served there */
        [FLM_PAGE_LIVE] = ASSET(live),
        [FLM_PAGE_LIVE_HASH] = ASSET(live_hash),
        [FLM_PAGE_SERVE] = ASSET(serve),
        [FLM_PAGE_SERVE_HASH] = ASSET(serve_hash),
        [FLM_PAGE_SERVED_MODULE] = ASSET(served_module),
#endif
    };
    return assets[asset];
}

struct flm_page_asset_gzip flm_page_script(void)
{
    return (struct flm_page_asset_gzip){ASSET(script), SCRIPT_SIZE};
}

struct flm_page_asset_gzip flm_page_module(void)
{
    return (struct flm_page_asset_gzip){ASSET(page_module), PAGE_MODULE_SIZE};
}
