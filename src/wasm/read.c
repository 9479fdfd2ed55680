#include "wasm/exports.h"

#include <stdlib.h>

#include "base/core/hash.h"
#include "base/zstd/unzstd.h"
#include "flamel/sanitize.h"
#include "format/core/reading.h"
#include "format/formats.h"
#include "wasm/response_buffer.h"

#if defined(__wasm__)
__attribute__((import_module("env"), import_name("flamel_more")))
#endif
int32_t
flamel_more(void *at, uint32_t size);

/* A window of 1 MiB stays in the second-level cache while it is read. It grows for long lines,
 * and for formats that are read as a whole, up to the largest size; input that needs more is
 * refused. */
#define FIRST_WINDOW ((size_t)1 << 20)
#define LARGEST_WINDOW ((size_t)1 << 30)

struct page_source {
    struct flm_source source; /* first: `more` gets a pointer to it */
    struct flm_source_window window;
};

static bool more(struct flm_source *source, struct flm_error *why)
{
    struct page_source *s = (struct page_source *)source;
    if (!flm_source_make_room(source, &s->window, 0, why))
        return false;
    size_t room = s->window.capacity - (size_t)(source->end - source->at);
    int32_t got = flamel_more(s->window.at + (source->end - source->at), (uint32_t)room);
    if (got < 0 || (size_t)got > room)
        return flm_error_set(why, FLM_ERROR_SYSTEM, "cannot be read");
    source->end += got;
    source->last = got == 0;
    return true;
}

static struct page_source page_source(void)
{
    static const char none[] = "";
    return (struct page_source){.source = {.at = none, .end = none, .more = more},
                                .window = {.first = FIRST_WINDOW, .largest = LARGEST_WINDOW}};
}

static struct flm_profile *read_profile(struct page_source *s, struct flm_error *why)
{
    static const struct flm_read_options options = {.keep_times = true, .locations = true};
    struct flm_reading reading;
    struct flm_profile *profile = NULL;
    if (flm_reading_begin(&reading, &flm_formats_pure, &s->source, NULL, &options, why))
        profile = flm_reading_finish(&reading, why);
    if (!profile)
        flm_reading_explain(&reading, why);
    flm_reading_clear(&reading);
    free(s->window.at);
    return profile;
}

int flamel_read(void)
{
    struct flm_error why = {0};
    flm_page_response();
    struct page_source s = page_source();
    struct flm_profile *profile = read_profile(&s, &why);
    if (profile)
        flm_page_response_take(profile);
    return flm_page_result(profile != NULL, &why);
}

/* ---- Sanitizing ------------------------------------------------------------------------------ */

/* Between the two calls. */
static struct flm_profile *sanitized;

/* The next bytes, and a 0 behind them. */
static bool take_bytes(struct flm_source *source, size_t size, struct flm_text *to,
                       struct flm_error *why)
{
    if (!flm_source_fill(source, size, why))
        return false;
    if ((size_t)(source->end - source->at) < size)
        return flm_error_set(why, FLM_ERROR_FORMAT, "it ends in its rules");
    flm_text_add(to, (struct flm_bytes){source->at, size});
    flm_text_putc(to, 0);
    source->at += size;
    return !to->failed || flm_error_memory(why);
}

/* Text is one byte longer: its 0. */
static bool take_rules(struct flm_source *source, struct flm_text *rules, struct flm_text *key,
                       struct flm_error *why)
{
    struct flm_text sizes = {0};
    bool good = take_bytes(source, 8, &sizes, why);
    good = good && take_bytes(source, flm_load32(sizes.at), rules, why) &&
           take_bytes(source, flm_load32(sizes.at + 4), key, why);
    flm_text_clear(&sizes);
    return good;
}

static bool add_to(void *context, const void *bytes, size_t size)
{
    struct flm_text *out = context;
    flm_text_add(out, (struct flm_bytes){bytes, size});
    return !out->failed;
}

int flamel_sanitize(void)
{
    struct flm_error why = {0};
    struct flm_text rules = {0}, key = {0}, *out = flm_page_response();
    struct page_source s = page_source();
    flm_profile_free(sanitized);
    sanitized = NULL;
    if (take_rules(&s.source, &rules, &key, &why)) {
        struct flm_profile *profile = read_profile(&s, &why);
        struct flm_sanitize_options how = {
            .size = sizeof how, .rules = rules.at, .key = key.at, .key_size = key.size - 1};
        sanitized = profile ? flm_sanitize(profile, &how, &why) : NULL;
        flm_profile_free(profile);
    } else {
        free(s.window.at);
    }
    if (sanitized && !flm_sanitize_list(sanitized, add_to, out))
        out->failed = true;
    flm_text_clear(&rules);
    flm_text_clear(&key);
    return flm_page_result(sanitized != NULL, &why);
}

int flamel_sanitized(void)
{
    struct flm_error why = {0};
    struct flm_profile *profile = sanitized;
    flm_page_response();
    sanitized = NULL;
    if (profile)
        flm_page_response_take(profile);
    else
        flm_error_set(&why, FLM_ERROR_USAGE, "nothing was sanitized");
    return flm_page_result(profile != NULL, &why);
}

/* ---- zstd ------------------------------------------------------------------------------------ */

/* Between the calls for one file. */
static struct {
    struct page_source input;
    struct flm_unzstd *decoder;
} unzstd;

int flamel_unzstd(void)
{
    struct flm_error why = {0};
    struct flm_bytes bytes = {0};
    struct flm_text *out = flm_page_response();
    if (!unzstd.decoder) {
        unzstd.input = page_source();
        unzstd.decoder = flm_unzstd_new(&unzstd.input.source, &why);
    }
    bool good = unzstd.decoder && flm_unzstd_next(unzstd.decoder, &bytes, &why);
    flm_text_add(out, bytes);
    good = flm_page_result(good, &why);
    if (!good || bytes.size == 0) {
        flm_unzstd_free(unzstd.decoder);
        free(unzstd.input.window.at);
        unzstd.decoder = NULL;
    }
    return good;
}
