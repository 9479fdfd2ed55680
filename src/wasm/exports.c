#include "wasm/exports.h"

#include <stdlib.h>
#include <string.h>

#include "base/mix/mix.h"
#include "base/text/json_write.h"
#include "format/core/reading.h"
#include "format/formats.h"
#include "viewer/viewer.h"
#include "wasm/query_json.h"
#include "wasm/response_buffer.h"

/* The viewer of this instance, made when it is first needed, and its pixels. */
static struct flm_viewer *the_viewer;
static struct flm_pixels picture;

/* No module is larger. */
enum { MOST_UNPACKED = 64 << 20 };

#if defined(__wasm__)
__attribute__((import_module("env"), import_name("flamel_clock")))
#endif
double
flamel_clock(void);

static struct flm_viewer *viewer(void)
{
    if (!the_viewer) {
        the_viewer = flm_viewer_new(NULL);
        if (the_viewer)
            flm_viewer_clock(the_viewer, flamel_clock);
    }
    return the_viewer;
}

/* ---- Profiles -------------------------------------------------------------------------------- */

/* A .flm file is used in place; any other format is read into a new profile. */
static struct flm_profile *open_profile(void *bytes, uint32_t size, struct flm_error *why)
{
    static const struct flm_read_options options = {.keep_times = true, .locations = true};
    struct flm_source source = flm_source_of((struct flm_bytes){bytes, size});
    struct flm_reading reading;
    struct flm_profile *profile = NULL;
    bool adopted = false;
    if (flm_reading_begin(&reading, &flm_formats_pure, &source, NULL, &options, why)) {
        adopted = reading.format->adopt != NULL;
        profile = adopted ? reading.format->adopt(bytes, size, free, bytes, why)
                          : flm_reading_finish(&reading, why);
    }
    if (!profile)
        flm_reading_explain(&reading, why);
    flm_reading_clear(&reading);
    if (!profile || !adopted)
        free(bytes);
    return profile;
}

static bool terminated(struct flm_text *text, const char *at, uint32_t size)
{
    flm_text_add(text, (struct flm_bytes){at, size});
    flm_text_putc(text, '\0');
    return !text->failed;
}

/* `names`: that of after, '\0', that of before. */
int flamel_open_both(void *after, uint32_t after_size, void *before, uint32_t before_size,
                     char *names, uint32_t names_size)
{
    struct flm_error why = {0};
    struct flm_text text = {0};
    flm_page_response();
    void *const bytes[2] = {after, before};
    const uint32_t sizes[2] = {after_size, before_size};
    struct flm_profile *profiles[2] = {NULL, NULL};
    bool good = (terminated(&text, names, names_size) && viewer()) || flm_error_memory(&why);
    size_t first = good ? strlen(text.at) : 0; /* behind it is the second, unless that is missing */
    int unread = 0;
    const char *both[2] = {good ? text.at : "", good ? text.at + first + (first < names_size) : ""};
    for (int i = 0; i < 2; i++) {
        if (!good) {
            free(bytes[i]);
            continue;
        }
        profiles[i] = open_profile(bytes[i], sizes[i], &why);
        good = profiles[i] || flm_error_within(&why, both[i]);
        unread = good ? 0 : -1 - i;
    }
    if (good) {
        good = flm_viewer_take_both(the_viewer, profiles, both, &why);
    } else {
        flm_profile_free(profiles[0]);
        flm_profile_free(profiles[1]);
    }
    flm_text_clear(&text);
    return flm_page_result(good, &why) ? 1 : unread;
}

int flamel_open(int side, void *bytes, uint32_t size, char *name, uint32_t name_size)
{
    struct flm_error why = {0};
    struct flm_text text = {0};
    bool good = false;
    flm_page_response();
    struct flm_profile *profile = open_profile(bytes, size, &why);
    int unread = profile ? 0 : -1;
    if (!profile) {
        good = false;
    } else if (!viewer() || !terminated(&text, name, name_size)) {
        flm_profile_free(profile);
        good = flm_error_memory(&why);
    } else {
        enum flm_viewer_side taken = side & FLM_PAGE_BEFORE ? FLM_VIEWER_BEFORE : FLM_VIEWER_AFTER;
        good = flm_viewer_take(the_viewer, taken, profile, text.at, &why);
        if (good && side & FLM_PAGE_HAS_CODE)
            flm_viewer_knows_code(the_viewer, taken);
    }
    flm_text_clear(&text);
    return flm_page_result(good, &why) ? 1 : unread;
}

int flamel_take_code(const void *store, uint32_t size)
{
    struct flm_error why = {0};
    flm_page_response();
    bool good = viewer() ? flm_viewer_take_code(the_viewer, (struct flm_bytes){store, size}, &why)
                         : flm_error_memory(&why);
    return flm_page_result(good, &why);
}

int flamel_unpack(const void *packed, uint32_t size)
{
    struct flm_error why = {0};
    struct flm_text *out = flm_page_response();
    size_t unpacked = flm_mix_unpacked_size(packed, size);
    void *memory = unpacked <= MOST_UNPACKED ? calloc(1, flm_mix_memory_size()) : NULL;
    char *to = memory ? flm_text_reserve(out, unpacked) : NULL;
    if (to) {
        flm_mix_unpack(packed, size, (unsigned char *)to, memory);
        out->size += unpacked;
    }
    free(memory);
    return flm_page_result(to || flm_error_memory(&why), &why);
}

int flamel_formats(void)
{
    struct flm_error why = {0};
    struct flm_text *out = flm_page_response();
    struct flm_json_writer json = {.out = out};
    const struct flm_format *format;
    flm_json_begin(&json, NULL, FLM_JSON_ARRAY);
    for (size_t i = 0; (format = flm_formats_at(&flm_formats_pure, i)) != NULL; i++) {
        if (!flm_format_can_be_read(format) || !format->title)
            continue;
        flm_json_begin(&json, NULL, FLM_JSON_OBJECT_LINE);
        flm_json_add_text(&json, "title", flm_bytes_of(format->title));
        flm_json_add_text(&json, "extensions", flm_bytes_of(format->extensions));
        flm_json_end(&json);
    }
    flm_json_end(&json);
    return flm_page_result(true, &why);
}

void *flamel_allocate(uint32_t size)
{
    return malloc(size ? size : 1);
}

void flamel_free(void *memory)
{
    free(memory);
}

/* ---- Actions and queries --------------------------------------------------------------------- */

int flamel_do(const char *action, uint32_t size)
{
    struct flm_error why = {0};
    flm_page_response();
    bool good = viewer() ? flm_viewer_do(the_viewer, (struct flm_bytes){action, size}, &why)
                         : flm_error_memory(&why);
    return flm_page_result(good, &why);
}

int flamel_query(const char *query, uint32_t size)
{
    struct flm_error why = {0};
    struct flm_text *out = flm_page_response();
    bool good = viewer() ? flm_query_json(the_viewer, (struct flm_bytes){query, size}, out, &why)
                         : flm_error_memory(&why);
    return flm_page_result(good, &why);
}

/* ---- Events ---------------------------------------------------------------------------------- */

const uint32_t *flamel_versions(void)
{
    static uint32_t versions[FLM_GROUPS + 1];
    for (int group = 0; viewer() && group < FLM_GROUPS; group++)
        versions[group] = flm_viewer_version(the_viewer, (enum flm_viewer_group)group);
    versions[FLM_GROUPS] = viewer() ? flm_viewer_painted_version(the_viewer) : 0;
    return versions;
}

void flamel_key(const char *key, uint32_t size, uint32_t held, double now_ms)
{
    if (viewer())
        flm_viewer_key(the_viewer, (struct flm_bytes){key, size}, held, now_ms);
}

void flamel_pointer(int event, double x, double y, uint32_t held, int touch, double now_ms)
{
    if (viewer() && event >= FLM_POINTER_MOVE && event <= FLM_POINTER_MENU)
        flm_viewer_pointer(the_viewer, (enum flm_pointer_event)event, x, y, held, touch != 0,
                           now_ms);
}

void flamel_wheel(double x, double y, double dx, double dy, uint32_t held, double now_ms)
{
    if (viewer())
        flm_viewer_wheel(the_viewer, x, y, dx, dy, held, now_ms);
}

void flamel_pinch(double x, double y, double factor, double dx, double dy, double now_ms)
{
    if (viewer())
        flm_viewer_pinch(the_viewer, x, y, factor, dx, dy, now_ms);
}

/* ---- The picture ----------------------------------------------------------------------------- */

/* More than any screen has; the size in bytes of larger pictures would overflow. */
enum { MAX_PX = 1 << 15 };

uint32_t *flamel_resize(uint32_t width, uint32_t height, double scale)
{
    if (!viewer() || width > MAX_PX || height > MAX_PX || !(scale > 0.1 && scale < 20))
        return NULL;
    /* Neither copied nor cleared: painting covers every pixel. 8 MB for a screen take 4 ms to
     * clear. */
    size_t size = (size_t)width * height * sizeof *picture.at;
    free(picture.at);
    picture.at = NULL;
    uint32_t *memory = malloc(size ? size : 1);
    if (!memory)
        return NULL;
    picture = flm_pixels_of(memory, width, height);
    flm_viewer_resize(the_viewer, width, height, scale);
    return memory;
}

void flamel_theme(int dark, int still, int forced, uint32_t text, uint32_t page, uint32_t accent,
                  uint32_t mark)
{
    struct flm_theme theme = {dark != 0, forced != 0, still != 0, text, page, accent, mark};
    if (viewer())
        flm_viewer_theme(the_viewer, &theme);
}

int flamel_paint(double now_ms)
{
    return viewer() && picture.at && flm_viewer_paint(the_viewer, &picture, now_ms);
}

uint32_t flamel_missing(int weight)
{
    if (!viewer() || weight < 0 || weight >= FLM_WEIGHT_COUNT)
        return 0;
    return flm_atlas_missing(flm_viewer_atlas(the_viewer), (enum flm_weight)weight);
}

void flamel_expect(void)
{
    static const uint32_t others[] = {0xB7, 0xB5,
                                      0x2026}; /* a middle dot, a micro sign, an ellipsis */
    struct flm_atlas *atlas = viewer() ? flm_viewer_atlas(the_viewer) : NULL;
    for (int weight = 0; atlas && weight < FLM_WEIGHT_COUNT; weight++) {
        for (uint32_t code = ' '; code < 0x7F; code++)
            flm_atlas_advance(atlas, code, (enum flm_weight)weight);
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            flm_atlas_advance(atlas, others[i], (enum flm_weight)weight);
    }
}

int flamel_prepare(void)
{
    return viewer() && flm_viewer_prepare(the_viewer);
}

double flamel_font_px(void)
{
    return viewer() ? flm_atlas_size_px(flm_viewer_atlas(the_viewer)) : 0;
}

int flamel_glyph(uint32_t code_point, int weight, double advance, int left, int top, int width,
                 int height, const uint8_t *coverage, int columns)
{
    struct flm_glyph glyph = {advance, left, top, width, height, coverage, columns};
    if (!viewer() || weight < 0 || weight >= FLM_WEIGHT_COUNT || width < 0 || height < 0)
        return 0;
    return flm_atlas_add(flm_viewer_atlas(the_viewer), code_point, (enum flm_weight)weight, &glyph);
}
