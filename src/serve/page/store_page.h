/* store_page.h - the page of a server: the viewer, and what asks the API (web/serve).
 *
 * It is made once. The viewer's module has a checksum in its address, so a browser keeps it until
 * there is another one. */
#ifndef FLAMEL_SERVE_PAGE_STORE_PAGE_H
#define FLAMEL_SERVE_PAGE_STORE_PAGE_H

#include "serve/core/serving.h"

struct flm_store_page {
    struct flm_text html, policy; /* html is empty where flamel was built without the viewer */
};

/* False, and `why`, when memory ran out. */
bool flm_store_page_make(struct flm_store_page *page, struct flm_error *why);
void flm_store_page_clear(struct flm_store_page *page);

extern const struct flm_route flm_routes_page[3];

#endif
