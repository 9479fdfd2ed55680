/* draw_rgba.c - flm_rgba_draw: the still picture in the caller's buffer. */
#include <assert.h>
#include <math.h>
#include <stdint.h>

#include "draw/document/pixel_surface.h"
#include "draw/svg/internal.h"

/* The pixels are rows of 32-bit words, as in pixels.h. */
static bool check_target(const struct flm_rgba *to, struct flm_error *why)
{
    if (to->size != sizeof *to)
        return flm_error_set(why, FLM_ERROR_USAGE,
                             "the size of struct flm_rgba is %zu, and %zu in this library",
                             to->size, sizeof *to);
    if (to->pixels && (uintptr_t)to->pixels % sizeof(uint32_t) != 0)
        return flm_error_set(why, FLM_ERROR_USAGE, "pixels must be aligned to 4 bytes");
    if (to->width > INT32_MAX / 2 || to->height > INT32_MAX / 2)
        return flm_error_set(why, FLM_ERROR_RANGE, "%u x %u pixels are too many", to->width,
                             to->height);
    return true;
}

static bool paint(struct flm_pixel_surface *surface, struct flm_rgba *to, struct flm_error *why)
{
    struct flm_document *document = surface->document;
    if (!flm_pixel_surface_lay_out(surface, why))
        return false;
    to->full_height = (uint32_t)(document->height_px * document->scale + 0.5);
    if (!to->pixels || to->height == 0)
        return true;
    document->height_px = fmax(document->height_px, ceil(to->height / document->scale));
    struct flm_pixels pixels = flm_pixels_of((uint32_t *)(void *)to->pixels, to->width, to->height);
    return flm_pixel_surface_paint(surface, pixels, why);
}

bool flm_rgba_draw(const struct flm_profile *profile, const struct flm_svg_options *options,
                   struct flm_rgba *to, struct flm_error *why)
{
    struct flm_svg svg = {.level_count = 0};
    struct flm_svg_options sized;
    struct flm_pixel_surface surface = {.document = NULL};
    assert(profile && options && to);
    if (!check_target(to, why) || !flm_svg_options_copy(&sized, options, why))
        return false;
    to->full_height = 0;
    if (to->width == 0)
        return true;
    sized.width_px = to->width / (sized.scale > 0 ? sized.scale : 1);
    bool done = flm_svg_open(&svg, profile, &sized, why) &&
                flm_svg_fill_document(&svg, svg.options.scale, why) &&
                flm_pixel_surface_init(&surface, &svg.document, to->glyphs, to->context, why) &&
                paint(&surface, to, why) && (!flm_svg_failed(&svg) || flm_error_memory(why));
    flm_pixel_surface_clear(&surface);
    flm_svg_close(&svg);
    return done;
}
