/* page_assets.h - what every page consists of, as it was when flamel was built: the files of web/,
 * made into bytes by the Makefile. */
#ifndef FLAMEL_LOAD_PAGE_ASSETS_H
#define FLAMEL_LOAD_PAGE_ASSETS_H

#include "base/core/bytes.h"

enum flm_page_asset {
    FLM_PAGE_BODY,
    FLM_PAGE_STYLE,
    FLM_PAGE_STYLE_HASH, /* of SHA-256, in base64: what a page says that it may use */
    FLM_PAGE_START,
    FLM_PAGE_START_HASH,
    FLM_PAGE_SCRIPT, /* packed: LZMA */
    FLM_PAGE_SCRIPT_HASH,
    FLM_PAGE_MODULE, /* the viewer, compiled to wasm */
    /* Packed together, which makes both smaller. The module is that of a page of one file, which
     * has fewer readers. */
    FLM_PAGE_MODULE_AND_SCRIPT,
    FLM_PAGE_UNPACK /* the module that unpacks them: web/unpack.c */
};

/* Nothing of all this when flamel was built where there is no clang. */
struct flm_bytes flm_page_asset(enum flm_page_asset asset);

/* How large they are when they are not packed: the module of a page of one file, and the scripts.
 */
size_t flm_page_module_size(void);
size_t flm_page_script_size(void);

#endif
