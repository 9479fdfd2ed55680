/* page_assets.h - what every page consists of, made from the files of web/ when flamel is built. */
#ifndef FLAMEL_LOAD_PAGE_ASSETS_H
#define FLAMEL_LOAD_PAGE_ASSETS_H

#include "base/core/bytes.h"

enum flm_page_asset {
    FLM_PAGE_BODY,
    FLM_PAGE_STYLE,
    FLM_PAGE_STYLE_HASH, /* SHA-256 in base64, for the page's policy */
    FLM_PAGE_START,
    FLM_PAGE_START_HASH,
    FLM_PAGE_SCRIPT_HASH,
    FLM_PAGE_LIVE, /* the script of the page of a running program */
    FLM_PAGE_LIVE_HASH,
    FLM_PAGE_SERVE, /* and that of the page of a store */
    FLM_PAGE_SERVE_HASH,
    FLM_PAGE_READERS,      /* of a page of one file: packed by flm_mix_pack; may be empty */
    FLM_PAGE_SERVED_MODULE /* the viewer in WebAssembly with all readers, for `flamel view` */
};

/* Empty when flamel was built without clang. */
struct flm_bytes flm_page_asset(enum flm_page_asset asset);

/* The scripts but the first one, and the viewer's module that a page of one file carries. Its
 * readers, which are fewer (web/module/page_formats.c), are in it where the build could not make
 * two of it. */
struct flm_page_asset_gzip {
    struct flm_bytes gzip;
    uint64_t size; /* before gzip */
};
struct flm_page_asset_gzip flm_page_script(void);
struct flm_page_asset_gzip flm_page_module(void);

#endif
