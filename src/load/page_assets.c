#include "load/page_assets.h"

#include "load/page_assets_generated.h" /* build/generated */

/* Each ends in a byte of its own, because C knows no empty array. */
#define ASSET(bytes)                                                                               \
    {                                                                                              \
        (const char *)(bytes), sizeof(bytes) - 1                                                   \
    }

struct flm_bytes flm_html_asset(enum flm_html_asset asset)
{
    static const struct flm_bytes assets[] = {
        [FLM_HTML_BODY] = ASSET(body),
        [FLM_HTML_STYLE] = ASSET(style),
        [FLM_HTML_STYLE_HASH] = ASSET(style_hash),
        [FLM_HTML_START] = ASSET(start),
        [FLM_HTML_START_HASH] = ASSET(start_hash),
        [FLM_HTML_SCRIPT] = ASSET(script),
        [FLM_HTML_SCRIPT_HASH] = ASSET(script_hash),
        [FLM_HTML_MODULE] = ASSET(module),
        [FLM_HTML_MODULE_AND_SCRIPT] = ASSET(module_and_script),
        [FLM_HTML_UNPACK] = ASSET(unpack),
    };
    return assets[asset];
}

size_t flm_html_module_size(void)
{
    return PAGE_MODULE_SIZE;
}

size_t flm_html_script_size(void)
{
    return SCRIPT_SIZE;
}
