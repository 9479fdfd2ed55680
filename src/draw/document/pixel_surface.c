#include "draw/document/pixel_surface.h"

#include <assert.h>

enum { SIZES = FLM_PIXEL_SURFACE_SIZES };

bool flm_pixel_surface_init(struct flm_pixel_surface *surface, struct flm_document *document,
                            flm_glyph_source source, void *context, struct flm_error *why)
{
    assert(document->scale > 0);
    *surface = (struct flm_pixel_surface){
        .document = document,
        .source = source,
        .context = context,
        .size_px = {document->font_px, FLM_DOCUMENT_TEXT_PX, FLM_DOCUMENT_TITLE_PX},
    };
    for (int i = 0; i < SIZES; i++) {
        surface->atlas[i] = flm_atlas_new(surface->size_px[i] * document->scale, why);
        if (!surface->atlas[i])
            return false;
    }
    return true;
}

void flm_pixel_surface_clear(struct flm_pixel_surface *surface)
{
    for (int i = 0; i < SIZES; i++)
        flm_atlas_free(surface->atlas[i]);
    *surface = (struct flm_pixel_surface){.document = NULL};
}

/* ---- The surface ----------------------------------------------------------------------------- */

static struct flm_atlas *atlas_of(const struct flm_pixel_surface *surface, double size_px)
{
    for (int i = 0; i < SIZES; i++)
        if (surface->size_px[i] == size_px)
            return surface->atlas[i];
    return surface->atlas[0];
}

static struct flm_font font_of(void *context, double size_px, bool bold)
{
    const struct flm_pixel_surface *surface = context;
    struct flm_font font =
        flm_atlas_font(atlas_of(surface, size_px), bold ? FLM_WEIGHT_BOLD : FLM_WEIGHT_REGULAR);
    font.size_px = size_px;
    return font;
}

static void draw_text(void *context, double x, double base_line, struct flm_bytes text,
                      double size_px, bool bold, uint32_t rgb)
{
    struct flm_pixel_surface *surface = context;
    double scale = surface->document->scale;
    flm_atlas_draw(atlas_of(surface, size_px), &surface->pixels, x * scale,
                   flm_pixel_edge(base_line * scale), text,
                   bold ? FLM_WEIGHT_BOLD : FLM_WEIGHT_REGULAR, rgb);
}

/* On the edges of device pixels. */
struct area {
    int left, top, right, bottom;
};

static struct area area_of(const struct flm_pixel_surface *surface, double x, double y,
                           double width, double height)
{
    double scale = surface->document->scale;
    return (struct area){flm_pixel_edge(x * scale), flm_pixel_edge(y * scale),
                         flm_pixel_edge((x + width) * scale), flm_pixel_edge((y + height) * scale)};
}

static void draw_fill(void *context, double x, double y, double width, double height, uint32_t rgb)
{
    struct flm_pixel_surface *surface = context;
    struct area at = area_of(surface, x, y, width, height);
    flm_pixels_fill(&surface->pixels, at.left, at.top, at.right, at.bottom, rgb);
}

static void draw_mark(void *context, double x, double y, double width, double height,
                      enum flm_mark mark, uint32_t rgb, unsigned strength)
{
    struct flm_pixel_surface *surface = context;
    struct area at = area_of(surface, x, y, width, height);
    flm_pixels_mark(&surface->pixels, at.left, at.top, at.right, at.bottom, mark,
                    surface->document->scale, rgb, (uint8_t)strength);
}

static void draw_texture(void *context, double x, double y, double width, double height,
                         enum flm_texture texture, uint32_t rgb, unsigned alpha)
{
    struct flm_pixel_surface *surface = context;
    struct area at = area_of(surface, x, y, width, height);
    flm_pixels_texture(&surface->pixels, at.left, at.top, at.right, at.bottom, at.left, at.top,
                       texture, surface->document->scale, rgb, (uint8_t)alpha);
}

static void draw_outline(void *context, double x, double y, double width, double height,
                         double thickness, uint32_t rgb)
{
    struct flm_pixel_surface *surface = context;
    struct area at = area_of(surface, x, y, width, height);
    flm_pixels_outline(&surface->pixels, at.left, at.top, at.right, at.bottom,
                       flm_pixel_edge(thickness * surface->document->scale), rgb);
}

static void draw_boxes(void *context, const struct flm_boxes *boxes,
                       const struct flm_rectangles *list)
{
    struct flm_pixel_surface *surface = context;
    struct flm_boxes drawn = *boxes;
    drawn.pixels = &surface->pixels;
    drawn.atlas = surface->source ? surface->atlas[0] : NULL;
    flm_boxes_draw(&drawn, list);
}

static struct flm_surface surface_of(struct flm_pixel_surface *surface)
{
    return (struct flm_surface){.context = surface,
                                .font = font_of,
                                .text = draw_text,
                                .fill = draw_fill,
                                .mark = draw_mark,
                                .fill_round = draw_fill,
                                .texture = draw_texture,
                                .outline = draw_outline,
                                .boxes = draw_boxes};
}

/* ---- Letters --------------------------------------------------------------------------------- */

/* Rasterizes the letters that an atlas is missing. *some: whether there were any. */
static bool add_missing(struct flm_pixel_surface *surface, struct flm_atlas *atlas,
                        enum flm_weight weight, bool *some, struct flm_error *why)
{
    for (uint32_t code; (code = flm_atlas_missing(atlas, weight)) != 0; *some = true) {
        struct flm_glyph glyph = {0};
        if (!surface->source(surface->context, code, flm_atlas_size_px(atlas),
                             weight == FLM_WEIGHT_BOLD, &glyph, why))
            return false;
        if (!flm_atlas_add(atlas, code, weight, &glyph))
            return flm_error_memory(why);
    }
    return true;
}

static bool add_all_missing(struct flm_pixel_surface *surface, bool *some, struct flm_error *why)
{
    *some = false;
    for (int i = 0; surface->source && i < SIZES; i++)
        for (int weight = 0; weight < FLM_WEIGHT_COUNT; weight++)
            if (!add_missing(surface, surface->atlas[i], (enum flm_weight)weight, some, why))
                return false;
    return true;
}

/* ---- Laying out and painting ----------------------------------------------------------------- */

bool flm_pixel_surface_lay_out(struct flm_pixel_surface *surface, struct flm_error *why)
{
    const struct flm_surface to = surface_of(surface);
    for (bool some = true; some;)
        if (!flm_document_lay_out(surface->document, &to, why) ||
            !add_all_missing(surface, &some, why))
            return false;
    return true;
}

bool flm_pixel_surface_paint(struct flm_pixel_surface *surface, struct flm_pixels pixels,
                             struct flm_error *why)
{
    assert(pixels.at && surface->document->height_px > 0);
    const struct flm_surface to = surface_of(surface);
    surface->pixels = pixels;
    for (bool some = true; some;) {
        flm_document_paint(surface->document, &to);
        if (!add_all_missing(surface, &some, why))
            return false;
    }
    return true;
}
