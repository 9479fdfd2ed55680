#include "load/page_assets.h"

#include "load/page_assets_generated.h" /* build/generated */

/* Each ends in a byte of its own, because C knows no empty array. */
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
        [FLM_PAGE_SCRIPT] = ASSET(script),
        [FLM_PAGE_SCRIPT_HASH] = ASSET(script_hash),
        [FLM_PAGE_MODULE] = ASSET(module),
        [FLM_PAGE_MODULE_AND_SCRIPT] = ASSET(module_and_script),
        [FLM_PAGE_UNPACK] = ASSET(unpack),
    };
    return assets[asset];
}

size_t flm_page_module_size(void)
{
    return PAGE_MODULE_SIZE;
}

size_t flm_page_script_size(void)
{
    return SCRIPT_SIZE;
}
