#include "load/page.h"

#include <assert.h>

#include "base/text/base64.h"
#include "format/flm/packed.h"
#include "format/html/html.h"
#include "load/page_assets.h"
#include "os/gzip.h"

/* Level 9 makes it 3 % smaller and takes four times as long. */
enum { LEVEL = 6 };

static const char *const slots[FLM_PAGE_SLOTS] = {"after", "before"};

bool flm_page_is_built(struct flm_error *why)
{
    return flm_page_asset(FLM_PAGE_SERVED_MODULE).size > 0 ||
           flm_error_set(why, FLM_ERROR_SYSTEM,
                         "this flamel was built without the viewer, which takes clang and wasm-ld");
}

static void add_asset(struct flm_text *out, enum flm_page_asset asset)
{
    flm_text_add(out, flm_page_asset(asset));
}

void flm_page_policy(bool served, struct flm_text *out)
{
    flm_text_puts(out, "default-src 'none'; script-src 'sha256-");
    add_asset(out, FLM_PAGE_START_HASH);
    flm_text_puts(out, "' 'sha256-");
    add_asset(out, FLM_PAGE_SCRIPT_HASH);
    flm_text_puts(out, "' 'wasm-unsafe-eval'; style-src 'sha256-");
    add_asset(out, FLM_PAGE_STYLE_HASH);
    flm_text_format(out,
                    "'; img-src data: blob:; worker-src blob:; connect-src %s; base-uri 'none'; "
                    "form-action 'none'",
                    served ? "'self'" : "'none'");
}

static void add_head(const struct flm_page *page, struct flm_text *out)
{
    flm_text_puts(out, FLM_HTML_BEGINS "\n<html lang=\"en\">\n<head>\n"
                                       "<meta charset=\"utf-8\">\n"
                                       "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    flm_page_policy(page->module_from != NULL, out);
    flm_text_puts(out, "\">\n" FLM_HTML_GENERATOR FLAMEL_VERSION "\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n"
                       "<meta name=\"referrer\" content=\"no-referrer\">\n"
                       "<link rel=\"icon\" href=\"data:,\">\n<title>");
    flm_html_escape(out, flm_bytes_of(page->name[FLM_PAGE_AFTER]));
    if (page->name[FLM_PAGE_BEFORE]) {
        flm_text_puts(out, " against ");
        flm_html_escape(out, flm_bytes_of(page->name[FLM_PAGE_BEFORE]));
    }
    flm_text_puts(out, " - flamel</title>\n<style>");
    add_asset(out, FLM_PAGE_STYLE);
    flm_text_puts(out, "</style>\n</head>\n<body>\n");
    add_asset(out, FLM_PAGE_BODY);
    flm_text_puts(out, "<noscript><p>This page draws a profile with JavaScript and WebAssembly. "
                       "Without them, <code>flamel report</code> on this file shows it as a "
                       "table.</p></noscript>\n");
}

/* `bytes` under gzip. */
static bool add_part(struct flm_text *out, const char *id, const char *name, struct flm_bytes bytes,
                     struct flm_error *why)
{
    struct flm_text gzip = {0}, base64 = {0};
    bool good = flm_gzip(bytes, LEVEL, &gzip, why);
    if (good) {
        flm_base64_add(&base64, (struct flm_bytes){gzip.at, gzip.size});
        good = !base64.failed || flm_error_memory(why);
    }
    if (good) {
        struct flm_html_part part = {{base64.at, base64.size}, bytes.size};
        flm_html_part_add(out, id, name, &part);
    }
    flm_text_clear(&gzip);
    flm_text_clear(&base64);
    return good;
}

static void add_reference(struct flm_text *out, const char *id, const char *name, const char *from)
{
    flm_text_format(out, "<script type=\"text/plain\" id=\"flamel-%s\" data-from=\"%s\"", id, from);
    if (name) {
        flm_text_puts(out, " data-name=\"");
        flm_html_escape(out, flm_bytes_of(name));
        flm_text_puts(out, "\"");
    }
    flm_text_puts(out, "></script>\n");
}

static bool add_profile(struct flm_text *out, const char *id, const char *name,
                        const struct flm_profile *profile, struct flm_error *why)
{
    struct flm_text packed = {0};
    bool good = flm_profile_pack(profile, &packed, why);
    if (good && packed.failed)
        good = flm_error_memory(why);
    good = good && add_part(out, id, name, (struct flm_bytes){packed.at, packed.size}, why);
    flm_text_clear(&packed);
    return good;
}

bool flm_page_write(const struct flm_page *page, struct flm_text *out, struct flm_error *why)
{
    assert(page && out && page->name[FLM_PAGE_AFTER]);
    if (!flm_page_is_built(why))
        return false;
    const struct flm_html_part module = flm_page_module(), script = flm_page_script();
    add_head(page, out);
    if (page->module_from)
        add_reference(out, "module", NULL, page->module_from);
    else
        flm_html_part_add(out, "module", NULL, &module);
    for (int i = 0; i < FLM_PAGE_SLOTS; i++) {
        if (page->from[i])
            add_reference(out, slots[i], page->name[i], page->from[i]);
        else if (page->profile[i] &&
                 !add_profile(out, slots[i], page->name[i], page->profile[i], why))
            return false;
    }
    flm_html_part_add(out, "script", NULL, &script);
    flm_text_puts(out, "<script>");
    add_asset(out, FLM_PAGE_START);
    flm_text_puts(out, "</script>\n</body>\n</html>\n");
    return true;
}

struct flm_profile *flm_page_open(struct flm_bytes page, struct flm_error *why)
{
    struct flm_html_part part;
    struct flm_text gzip = {0}, packed = {0};
    struct flm_profile *profile = NULL;
    if (!flm_html_part_find(page, "after", &part))
        flm_error_set(why, FLM_ERROR_FORMAT,
                      "there is no profile in this page, or not all of it: it was cut off or saved "
                      "while it was served");
    else if (!flm_base64_decode(part.base64, &gzip))
        flm_error_set(why, FLM_ERROR_FORMAT, "the profile in this page is damaged");
    else if (gzip.failed)
        flm_error_memory(why);
    else if (flm_gunzip((struct flm_bytes){gzip.at, gzip.size}, part.size, &packed, why))
        profile = flm_profile_unpack((struct flm_bytes){packed.at, packed.size}, why);
    flm_text_clear(&gzip);
    flm_text_clear(&packed);
    return profile;
}
