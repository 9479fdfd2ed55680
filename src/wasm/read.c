#include "wasm/exports.h"

#include <stdlib.h>

#include "base/zstd/unzstd.h"
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

static struct flm_profile *read_profile(struct flm_error *why)
{
    static const struct flm_read_options options = {.keep_times = true, .locations = true};
    struct page_source s = page_source();
    struct flm_reading reading;
    struct flm_profile *profile = NULL;
    if (flm_reading_begin(&reading, &flm_formats_pure, &s.source, NULL, &options, why))
        profile = flm_reading_finish(&reading, why);
    if (!profile)
        flm_reading_explain(&reading, why);
    flm_reading_clear(&reading);
    free(s.window.at);
    return profile;
}

int flamel_read(void)
{
    struct flm_error why = {0};
    flm_page_response();
    struct flm_profile *profile = read_profile(&why);
    if (profile)
        flm_page_response_take(profile);
    return flm_page_result(profile != NULL, &why);
}

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
