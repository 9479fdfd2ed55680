#include "serve/page/store_page.h"

#include <stdio.h>

#include "base/core/hash.h"
#include "load/page.h"
#include "load/page_assets.h"

bool flm_store_page_make(struct flm_store_page *page, struct flm_error *why)
{
    struct flm_bytes module = flm_page_asset(FLM_PAGE_SERVED_MODULE);
    char from[48];
    *page = (struct flm_store_page){.html = {0}};
    if (!flm_page_is_built(NULL))
        return true;
    snprintf(from, sizeof from, "flamel.wasm?%016llx",
             (unsigned long long)flm_checksum(module.at, module.size));
    const struct flm_page_content content = {
        .name = {"profiles"}, .module_from = from, .is_of_store = true, .offers_empty = true};
    if (!flm_page_write(&content, &page->html, why))
        return false;
    flm_page_policy_add(FLM_PAGE_OF_STORE, &page->policy);
    flm_text_puts(&page->policy, "; frame-ancestors 'none'");
    flm_text_putc(&page->policy, 0);
    return (!page->html.failed && !page->policy.failed) || flm_error_memory(why);
}

void flm_store_page_clear(struct flm_store_page *page)
{
    flm_text_clear(&page->html);
    flm_text_clear(&page->policy);
}

static void answer_page(struct flm_serving *s, const struct flm_http_request *request,
                        struct flm_http_response *response)
{
    (void)request;
    if (!s->page || s->page->html.size == 0) {
        flm_http_say(response, 404,
                     "there is no page: this flamel was built without the viewer, which takes "
                     "clang and wasm-ld. The API is here: docs/serve.md");
        return;
    }
    response->type = "text/html; charset=utf-8";
    response->policy = s->page->policy.at;
    flm_text_add(&response->body, (struct flm_bytes){s->page->html.at, s->page->html.size});
}

/* Made when it is asked for, which is seldom: 3 ms. */
static void answer_empty(struct flm_serving *s, const struct flm_http_request *request,
                         struct flm_http_response *response)
{
    struct flm_error why;
    (void)s, (void)request;
    response->type = "text/html; charset=utf-8";
    if (!flm_page_write_empty(&response->body, &why))
        flm_http_say(response, 500, "%s", why.text);
}

static void answer_module(struct flm_serving *s, const struct flm_http_request *request,
                          struct flm_http_response *response)
{
    (void)s, (void)request;
    response->type = "application/wasm";
    response->cache = "private, max-age=31536000, immutable";
    flm_text_add(&response->body, flm_page_asset(FLM_PAGE_SERVED_MODULE));
}

const struct flm_route flm_routes_page[3] = {
    {"GET", "/", FLM_RIGHT_READ, answer_page, flm_fail_text},
    {"GET", "/" FLM_PAGE_EMPTY, FLM_RIGHT_READ, answer_empty, flm_fail_text},
    {"GET", "/flamel.wasm", FLM_RIGHT_READ, answer_module, flm_fail_text},
};
