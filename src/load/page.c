#include "load/page.h"

#include <assert.h>
#include <stdlib.h>

#include "base/encode/base91.h"
#include "base/text/versioned.h"
#include "flamel/page.h"
#include "format/flm/packed.h"
#include "format/html/html.h"
#include "load/page_assets.h"
#include "os/gzip.h"
#include "profile/flm_file.h"
#include "viewer/paint/first_picture.h"
#include "viewer/viewer.h"

/* Level 9 makes it 3 % smaller and takes four times as long. */
enum { LEVEL = 6 };

static const char *const slots[FLM_PAGE_SLOTS] = {"after", "before"};

bool flm_page_is_built(struct flm_error *why)
{
    return flm_page_asset(FLM_PAGE_BODY).size > 0 ||
           flm_error_set(why, FLM_ERROR_SYSTEM,
                         "this flamel was built without the viewer, which takes clang and wasm-ld");
}

static void add_asset(struct flm_text *out, enum flm_page_asset asset)
{
    flm_text_add(out, flm_page_asset(asset));
}

void flm_page_policy_add(enum flm_page_use use, struct flm_text *out)
{
    flm_text_puts(out, "default-src 'none'; script-src 'sha256-");
    add_asset(out, FLM_PAGE_START_HASH);
    flm_text_puts(out, "' 'sha256-");
    add_asset(out, FLM_PAGE_SCRIPT_HASH);
    if (use == FLM_PAGE_SERVED_LIVE || use == FLM_PAGE_OF_STORE) {
        flm_text_puts(out, "' 'sha256-");
        add_asset(out, use == FLM_PAGE_OF_STORE ? FLM_PAGE_SERVE_HASH : FLM_PAGE_LIVE_HASH);
    }
    flm_text_puts(out, "' 'wasm-unsafe-eval'; style-src 'sha256-");
    add_asset(out, FLM_PAGE_STYLE_HASH);
    flm_text_format(out,
                    "'; img-src data: blob:; worker-src blob:; connect-src %s; base-uri 'none'; "
                    "form-action 'none'",
                    use == FLM_PAGE_OF_STORE      ? "'self'"
                    : use == FLM_PAGE_OF_ONE_FILE ? "https: http:"
                                                  : "'self' https: http:");
}

static enum flm_page_use use_of(const struct flm_page_content *page)
{
    return page->is_of_store   ? FLM_PAGE_OF_STORE
           : page->live_from   ? FLM_PAGE_SERVED_LIVE
           : page->module_from ? FLM_PAGE_SERVED
                               : FLM_PAGE_OF_ONE_FILE;
}

static void add_head(const struct flm_page_content *page, struct flm_text *out)
{
    flm_text_puts(out, FLM_HTML_BEGINS "\n<html lang=\"en\">\n<head>\n"
                                       "<meta charset=\"utf-8\">\n"
                                       "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    flm_page_policy_add(use_of(page), out);
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
    flm_text_puts(out,
                  "<noscript><p>This page draws a profile with JavaScript and WebAssembly. "
                  "Without them it has at most a picture of the outermost frames; <code>flamel "
                  "report</code> on this file shows all of it as tables.</p></noscript>\n");
}

/* What the viewer of the page shows first, by one that opens the profiles as web/page.js does. */
static bool add_first_picture(const struct flm_page_content *page, struct flm_text *out,
                              struct flm_error *why)
{
    static const enum flm_viewer_side sides[FLM_PAGE_SLOTS] = {FLM_VIEWER_AFTER, FLM_VIEWER_BEFORE};
    struct flm_viewer *viewer = flm_viewer_new(why);
    bool good = viewer != NULL;
    for (int i = FLM_PAGE_SLOTS - 1; good && i >= 0; i--) {
        struct flm_profile *profile;
        if (!page->profile[i])
            continue;
        profile = flm_profile_borrow(page->profile[i], why);
        good = profile && flm_viewer_take(viewer, sides[i], profile, page->name[i], why);
    }
    good = good && flm_first_picture_write(viewer, out, why);
    flm_viewer_free(viewer);
    return good;
}

static bool add_bytes(struct flm_text *out, const char *id, const char *name,
                      struct flm_bytes bytes, uint64_t size, struct flm_error *why)
{
    struct flm_text base91 = {0};
    flm_base91_add(&base91, bytes);
    bool good = !base91.failed || flm_error_memory(why);
    if (good)
        flm_html_part_add(out, id, name, &(struct flm_html_part){{base91.at, base91.size}, size});
    flm_text_clear(&base91);
    return good;
}

static bool add_part(struct flm_text *out, const char *id, const char *name,
                     struct flm_page_asset_gzip part, struct flm_error *why)
{
    return add_bytes(out, id, name, part.gzip, part.size, why);
}

/* Behind the script that starts the page, which does not wait for them. */
static bool add_readers(struct flm_text *out, struct flm_error *why)
{
    struct flm_bytes readers = flm_page_asset(FLM_PAGE_READERS);
    return readers.size == 0 || add_bytes(out, "readers", NULL, readers, readers.size, why);
}

static void add_attribute(struct flm_text *out, const char *name, const char *value)
{
    if (!value)
        return;
    flm_text_format(out, " data-%s=\"", name);
    flm_html_escape(out, flm_bytes_of(value));
    flm_text_puts(out, "\"");
}

static void add_reference(struct flm_text *out, const char *id, const char *name, const char *from,
                          const struct flm_page_content *served)
{
    flm_text_format(out, "<script type=\"text/plain\" id=\"flamel-%s\" data-from=\"%s\"", id, from);
    add_attribute(out, "name", name);
    add_attribute(out, "reader", served ? served->reader : NULL);
    add_attribute(out, "code", served ? served->code_from : NULL);
    add_attribute(out, "live", served ? served->live_from : NULL);
    add_attribute(out, "empty", served && served->offers_empty ? FLM_PAGE_EMPTY : NULL);
    add_attribute(out, "store", served && served->is_of_store ? "" : NULL);
    flm_text_puts(out, "></script>\n");
}

static bool add_packed(struct flm_text *out, const char *id, const char *name,
                       struct flm_bytes bytes, struct flm_error *why)
{
    struct flm_text gzip = {0};
    bool good = flm_gzip(bytes, LEVEL, &gzip, why);
    struct flm_page_asset_gzip part = {{gzip.at, gzip.size}, bytes.size};
    good = good && add_part(out, id, name, part, why);
    flm_text_clear(&gzip);
    return good;
}

static bool add_profile(struct flm_text *out, const char *id, const char *name,
                        const struct flm_profile *profile, struct flm_error *why)
{
    struct flm_text packed = {0};
    bool good = flm_profile_pack(profile, &packed, why);
    if (good && packed.failed)
        good = flm_error_memory(why);
    good = good && add_packed(out, id, name, (struct flm_bytes){packed.at, packed.size}, why);
    flm_text_clear(&packed);
    return good;
}

bool flm_page_write(const struct flm_page_content *page, struct flm_text *out,
                    struct flm_error *why)
{
    assert(page && out && page->name[FLM_PAGE_AFTER]);
    if (!flm_page_is_built(why))
        return false;
    add_head(page, out);
    /* What a running program has measured by now is another picture soon, and a store is asked. */
    if (!page->live_from && !page->is_of_store && !add_first_picture(page, out, why))
        return false;
    if (page->module_from)
        add_reference(out, "module", NULL, page->module_from, page);
    else if (!add_part(out, "module", NULL, flm_page_module(), why))
        return false;
    for (int i = 0; i < FLM_PAGE_SLOTS; i++) {
        if (page->from[i])
            add_reference(out, slots[i], page->name[i], page->from[i], NULL);
        else if (page->profile[i] &&
                 !add_profile(out, slots[i], page->name[i], page->profile[i], why))
            return false;
    }
    if (page->code.size > 0 && !add_packed(out, "code", NULL, page->code, why))
        return false;
    if (!add_part(out, "script", NULL, flm_page_script(), why))
        return false;
    if (page->live_from || page->is_of_store) {
        flm_text_puts(out, "<script>");
        add_asset(out, page->is_of_store ? FLM_PAGE_SERVE : FLM_PAGE_LIVE);
        flm_text_puts(out, "</script>\n");
    }
    flm_text_puts(out, "<script>");
    add_asset(out, FLM_PAGE_START);
    flm_text_puts(out, "</script>\n");
    if (!page->module_from && !add_readers(out, why))
        return false;
    flm_text_puts(out, "</body>\n</html>\n");
    return true;
}

bool flm_page_write_empty(struct flm_text *out, struct flm_error *why)
{
    return flm_page_write(&(struct flm_page_content){.name = {"profile"}}, out, why);
}

/* Packed, as flamel writes it; a .flm file, as the page does when it is saved (web/share/html.js):
 * a profile that is used in place, and then has the text's memory. */
static struct flm_profile *open_part(struct flm_text *part, struct flm_error *why)
{
    const struct flm_bytes all = {part->at, part->size};
    if (flm_bytes_start_with(all, FLM_PACKED_MAGIC))
        return flm_profile_unpack(all, why);
    struct flm_profile *profile = flm_profile_open(part->at, part->size, free, part->at, why);
    if (profile)
        *part = (struct flm_text){0};
    return profile;
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
    else if (!flm_base91_decode(part.base91, &gzip))
        flm_error_set(why, FLM_ERROR_FORMAT, "the profile in this page is damaged");
    else if (gzip.failed)
        flm_error_memory(why);
    else if (flm_gunzip((struct flm_bytes){gzip.at, gzip.size}, part.size, &packed, why))
        profile = open_part(&packed, why);
    flm_text_clear(&gzip);
    flm_text_clear(&packed);
    return profile;
}

/* ---- Served ---------------------------------------------------------------------------------- */

#define MODULE "flamel.wasm"

struct flm_served_page {
    struct flm_text html, empty, policy; /* the policy ends in a NUL */
    struct flm_page_file files[3 + FLM_PAGE_SLOTS];
    size_t count;
};

static void add_file(struct flm_served_page *page, const char *path, const char *type,
                     struct flm_bytes bytes)
{
    assert(page->count < sizeof page->files / sizeof page->files[0]);
    page->files[page->count++] = (struct flm_page_file){path, type, bytes.at, bytes.size};
}

static bool make_files(struct flm_served_page *page, const struct flm_page_options *o,
                       struct flm_error *why)
{
    static const char *const paths[FLM_PAGE_SLOTS] = {"after.flm", "before.flm"};
    struct flm_profile *const profiles[FLM_PAGE_SLOTS] = {o->profile, o->before};
    struct flm_page_content content = {
        .name = {o->name ? o->name : "profile"},
        .module_from = MODULE,
        .reader = o->reader,
        .code_from = o->code,
        .live_from = o->live,
        .offers_empty = true,
    };
    if (o->before)
        content.name[FLM_PAGE_BEFORE] = o->before_name ? o->before_name : "before";
    for (int i = 0; i < FLM_PAGE_SLOTS; i++)
        if (profiles[i]) {
            content.from[i] = paths[i];
            content.profile[i] = profiles[i];
            struct flm_bytes file = flm_profile_seal(profiles[i]);
            if (!file.at)
                return flm_error_memory(why);
            add_file(page, paths[i], "application/octet-stream", file);
        }
    if (!flm_page_write(&content, &page->html, why) || !flm_page_write_empty(&page->empty, why))
        return false;
    flm_page_policy_add(o->live ? FLM_PAGE_SERVED_LIVE : FLM_PAGE_SERVED, &page->policy);
    flm_text_puts(&page->policy, "; frame-ancestors 'none'");
    flm_text_putc(&page->policy, 0);
    if (page->html.failed || page->empty.failed || page->policy.failed)
        return flm_error_memory(why);
    add_file(page, "", "text/html; charset=utf-8",
             (struct flm_bytes){page->html.at, page->html.size});
    add_file(page, FLM_PAGE_EMPTY, "text/html; charset=utf-8",
             (struct flm_bytes){page->empty.at, page->empty.size});
    add_file(page, MODULE, "application/wasm", flm_page_asset(FLM_PAGE_SERVED_MODULE));
    return true;
}

struct flm_served_page *flm_served_page_new(const struct flm_page_options *options,
                                            struct flm_error *why)
{
    struct flm_page_options o;
    if (!flm_versioned_copy(&o, sizeof o, options, "flm_page_options", why))
        return NULL;
    if (!o.profile) {
        flm_error_set(why, FLM_ERROR_USAGE, "a page needs a profile to show");
        return NULL;
    }
    struct flm_served_page *page = calloc(1, sizeof *page);
    if (!page) {
        flm_error_memory(why);
        return NULL;
    }
    if (make_files(page, &o, why))
        return page;
    flm_served_page_free(page);
    return NULL;
}

void flm_served_page_free(struct flm_served_page *page)
{
    if (!page)
        return;
    flm_text_clear(&page->html);
    flm_text_clear(&page->empty);
    flm_text_clear(&page->policy);
    free(page);
}

const struct flm_page_file *flm_served_page_files(const struct flm_served_page *page, size_t *count)
{
    assert(page && count);
    *count = page->count;
    return page->files;
}

const char *flm_served_page_policy(const struct flm_served_page *page)
{
    assert(page);
    return page->policy.at;
}
