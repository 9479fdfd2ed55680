#include "load/png.h"

#ifndef FLAMEL_CAIRO

bool flm_png_is_built(struct flm_error *why)
{
    return flm_error_set(why, FLM_ERROR_SYSTEM,
                         "this flamel was built without cairo, which draws the letters of a PNG "
                         "(SVG and PDF need none)");
}

bool flm_png_write(const struct flm_profile *profile, const struct flm_svg_options *options,
                   flm_profile_sink sink, void *context, struct flm_error *why)
{
    (void)profile, (void)options, (void)sink, (void)context;
    return flm_png_is_built(why);
}

#else

#include <cairo.h>
#include <stdlib.h>

#include "base/text/utf.h"
#include "draw/document/pixel_surface.h"
#include "draw/document/svg_sheet.h"
#include "draw/svg/internal.h"
#include "os/library.h"

#ifdef __SANITIZE_ADDRESS__
/* Memory that fontconfig keeps until the program ends is not a leak of ours. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}
const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}
#endif

/* ---- Cairo ----------------------------------------------------------------------------------- */

/* Each function is named once: looked up by name, and called through a pointer of its type. */
/* clang-format off */
#define CAIRO_FUNCTIONS(each)                                                                     \
    each(toy_font_face_create) each(font_options_create) each(matrix_init_scale)                  \
    each(font_options_set_antialias) each(font_options_set_hint_style)                            \
    each(font_options_set_hint_metrics) each(scaled_font_create) each(font_options_destroy)       \
    each(font_face_destroy) each(scaled_font_destroy) each(scaled_font_text_to_glyphs)            \
    each(glyph_free) each(scaled_font_glyph_extents) each(image_surface_create) each(create)      \
    each(translate) each(scale) each(set_scaled_font) each(show_glyphs) each(surface_flush)       \
    each(status) each(image_surface_get_stride) each(image_surface_get_data) each(destroy)        \
    each(surface_destroy) each(image_surface_create_for_data) each(surface_write_to_png_stream)
/* clang-format on */

#define AS_POINTER(name) __typeof__(cairo_##name) *name;
#define AS_NAME(name) "cairo_" #name,

struct cairo {
    CAIRO_FUNCTIONS(AS_POINTER)
};

static bool open_cairo(struct cairo *cairo, struct flm_error *why)
{
    static const char *const files[] = {"libcairo.so.2", NULL};
    static const char *const names[] = {CAIRO_FUNCTIONS(AS_NAME) NULL};
    struct flm_error missing;
    return flm_library_open(files, names, cairo, &missing) ||
           flm_error_set(why, FLM_ERROR_SYSTEM,
                         "a PNG takes cairo, which draws its letters (SVG and PDF need none): %s",
                         missing.text);
}

/* ---- Glyphs ---------------------------------------------------------------------------------- */

/* Fonts with many characters, where they are installed; fontconfig substitutes the others. */
static const char *const other_families[] = {"DejaVu Sans", "Noto Sans CJK SC", "Unifont"};
enum { OTHER_FAMILIES = sizeof other_families / sizeof other_families[0] };

/* A font of the system, in one size and weight. */
struct face {
    double size_px;
    bool bold;
    cairo_scaled_font_t *font;
    cairo_scaled_font_t *others[OTHER_FAMILIES]; /* for characters that it does not have */
};

/* The first family of a CSS list that is not a generic one. */
static void first_family(const char *list, char *family, size_t size)
{
    struct flm_bytes left = flm_bytes_of(list);
    size_t length = 0;
    while (left.size > 0 && length == 0) {
        const char *comma = memchr(left.at, ',', left.size);
        size_t end = comma ? (size_t)(comma - left.at) : left.size;
        for (size_t i = 0; i < end; i++)
            if (!flm_is_one_of(left.at[i], length ? "'\"" : "'\" ") && length + 1 < size)
                family[length++] = left.at[i];
        family[length] = 0;
        if (strcmp(family, "system-ui") == 0)
            length = 0;
        size_t used = comma ? end + 1 : end;
        left = (struct flm_bytes){left.at + used, left.size - used};
    }
    family[length] = 0;
}

static cairo_scaled_font_t *open_font(const struct cairo *cairo, const char *family, double size_px,
                                      bool bold)
{
    cairo_font_face_t *face = cairo->toy_font_face_create(
        family, CAIRO_FONT_SLANT_NORMAL, bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_font_options_t *options = cairo->font_options_create();
    cairo_matrix_t size, wide;
    cairo->matrix_init_scale(&size, size_px, size_px);
    cairo->matrix_init_scale(&wide, FLM_ATLAS_COLUMNS, 1);
    cairo->font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo->font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo->font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_scaled_font_t *font = cairo->scaled_font_create(face, &size, &wide, options);
    cairo->font_options_destroy(options);
    cairo->font_face_destroy(face);
    return font;
}

static void open_face(const struct cairo *cairo, struct face *face, const char *family,
                      double size_px, bool bold)
{
    face->size_px = size_px;
    face->bold = bold;
    face->font = open_font(cairo, family, size_px, bold);
    for (size_t i = 0; i < OTHER_FAMILIES; i++)
        face->others[i] = open_font(cairo, other_families[i], size_px, bold);
}

static void close_face(const struct cairo *cairo, struct face *face)
{
    cairo->scaled_font_destroy(face->font);
    for (size_t i = 0; i < OTHER_FAMILIES; i++)
        cairo->scaled_font_destroy(face->others[i]);
}

/* The glyph of a character; false when the font has none. */
static bool find_glyph(const struct cairo *cairo, cairo_scaled_font_t *font, uint32_t code,
                       cairo_glyph_t *glyph)
{
    char text[4];
    cairo_glyph_t *glyphs = NULL;
    int count = 0;
    size_t size = flm_utf8_put(code, text);
    if (cairo->scaled_font_text_to_glyphs(font, 0, 0, text, (int)size, &glyphs, &count, NULL, NULL,
                                          NULL) != CAIRO_STATUS_SUCCESS)
        return false;
    bool found = count > 0 && glyphs[0].index != 0;
    if (count > 0)
        *glyph = glyphs[0];
    cairo->glyph_free(glyphs);
    return found;
}

/* Draws the glyph FLM_ATLAS_COLUMNS times as wide as it is; `coverage` is to be freed. */
static bool draw_glyph(const struct cairo *cairo, cairo_scaled_font_t *font,
                       const cairo_glyph_t *glyph, struct flm_glyph *letter, uint8_t **coverage)
{
    cairo_text_extents_t box;
    cairo->scaled_font_glyph_extents(font, glyph, 1, &box);
    /* A pixel on each side, for smoothed edges. */
    int left = (int)(box.x_bearing * FLM_ATLAS_COLUMNS) - 3, top = (int)box.y_bearing - 2;
    int width = (int)(box.width * FLM_ATLAS_COLUMNS) + 8, height = (int)box.height + 5;
    cairo_surface_t *surface = cairo->image_surface_create(CAIRO_FORMAT_A8, width, height);
    cairo_t *pen = cairo->create(surface);
    cairo->translate(pen, -left, -top);
    cairo->scale(pen, FLM_ATLAS_COLUMNS, 1);
    cairo->set_scaled_font(pen, font);
    cairo->show_glyphs(pen, glyph, 1);
    cairo->surface_flush(surface);
    bool drawn = cairo->status(pen) == CAIRO_STATUS_SUCCESS;
    size_t stride = (size_t)cairo->image_surface_get_stride(surface);
    *coverage = drawn ? malloc((size_t)width * (size_t)height) : NULL;
    for (int y = 0; *coverage && y < height; y++)
        memcpy(*coverage + (size_t)y * (size_t)width,
               cairo->image_surface_get_data(surface) + (size_t)y * stride, (size_t)width);
    *letter =
        (struct flm_glyph){box.x_advance, left, top, width, height, *coverage, FLM_ATLAS_COLUMNS};
    cairo->destroy(pen);
    cairo->surface_destroy(surface);
    return *coverage != NULL;
}

/* The fonts that are open: one in each size and weight. */
struct letters {
    struct cairo cairo;
    char family[200];
    struct FLM_ARRAY(struct face) faces;
    uint8_t *coverage; /* of the last glyph */
};

static const struct face *face_of(struct letters *letters, double size_px, bool bold)
{
    for (size_t i = 0; i < letters->faces.count; i++)
        if (letters->faces.at[i].size_px == size_px && letters->faces.at[i].bold == bold)
            return &letters->faces.at[i];
    if (!FLM_ARRAY_RESERVE(&letters->faces, 1))
        return NULL;
    struct face *face = &letters->faces.at[letters->faces.count++];
    open_face(&letters->cairo, face, letters->family, size_px, bold);
    return face;
}

/* A flm_glyph_source: from the font itself, or from one that has the character. */
static bool rasterize(void *context, uint32_t code, double size_px, bool bold,
                      struct flm_glyph *letter, struct flm_error *why)
{
    struct letters *letters = context;
    const struct face *face = face_of(letters, size_px, bold);
    if (!face)
        return flm_error_memory(why);
    cairo_glyph_t glyph = {0}, other;
    cairo_scaled_font_t *font = face->font;
    if (!find_glyph(&letters->cairo, font, code, &glyph))
        for (size_t i = 0; i < OTHER_FAMILIES; i++)
            if (find_glyph(&letters->cairo, face->others[i], code, &other)) {
                glyph = other;
                font = face->others[i];
                break;
            }
    free(letters->coverage);
    return draw_glyph(&letters->cairo, font, &glyph, letter, &letters->coverage) ||
           flm_error_memory(why);
}

static void close_letters(struct letters *letters)
{
    for (size_t i = 0; i < letters->faces.count; i++)
        close_face(&letters->cairo, &letters->faces.at[i]);
    FLM_ARRAY_CLEAR(&letters->faces);
    free(letters->coverage);
}

/* ---- The file -------------------------------------------------------------------------------- */

struct buffered {
    flm_profile_sink sink;
    void *context;
};

static cairo_status_t hand_on(void *context, const unsigned char *bytes, unsigned size)
{
    const struct buffered *buffered = context;
    return buffered->sink(buffered->context, bytes, size) ? CAIRO_STATUS_SUCCESS
                                                          : CAIRO_STATUS_WRITE_ERROR;
}

/* Cairo has blue where we have red: the pixels are converted in place. */
static bool write_pixels(const struct cairo *cairo, struct flm_pixels *pixels,
                         struct buffered *buffered, struct flm_error *why)
{
    size_t count = (size_t)pixels->width * pixels->height;
    for (size_t i = 0; i < count; i++) {
        uint32_t pixel = pixels->at[i];
        pixels->at[i] = (pixel & 0xFF00FF00) | (pixel & 0xFF) << 16 | (pixel >> 16 & 0xFF);
    }
    cairo_surface_t *surface = cairo->image_surface_create_for_data(
        (unsigned char *)pixels->at, CAIRO_FORMAT_RGB24, (int)pixels->width, (int)pixels->height,
        (int)pixels->width * 4);
    cairo_status_t status = cairo->surface_write_to_png_stream(surface, hand_on, buffered);
    cairo->surface_destroy(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        return true;
    return status == CAIRO_STATUS_WRITE_ERROR
               ? flm_error_set(why, FLM_ERROR_SYSTEM, "the output cannot be written")
               : flm_error_memory(why);
}

static bool check_size(const struct flm_document *document, struct flm_error *why)
{
    double width = (int)(document->width_px * document->scale + 0.5);
    double height = (int)(document->height_px * document->scale + 0.5);
    if (width <= FLM_PNG_LONGEST && height <= FLM_PNG_LONGEST && width * height <= FLM_PNG_PIXELS)
        return true;
    return flm_error_set(why, FLM_ERROR_RANGE,
                         "a PNG of %d x %d pixels is too large: at most %d a side, and %d "
                         "million in all (see --scale, --width, --height; a PDF has no limit)",
                         (int)width, (int)height, (int)FLM_PNG_LONGEST, FLM_PNG_PIXELS / 1000000);
}

static bool paint(struct flm_pixel_surface *surface, const struct cairo *cairo,
                  struct buffered *buffered, struct flm_error *why)
{
    const struct flm_document *document = surface->document;
    if (!check_size(document, why))
        return false;
    uint32_t width = (uint32_t)(document->width_px * document->scale + 0.5);
    uint32_t height = (uint32_t)(document->height_px * document->scale + 0.5);
    uint32_t *memory = malloc((size_t)width * height * sizeof *memory);
    if (!memory)
        return flm_error_memory(why);
    struct flm_pixels pixels = flm_pixels_of(memory, width, height);
    bool done = flm_pixel_surface_paint(surface, pixels, why) &&
                write_pixels(cairo, &pixels, buffered, why);
    free(memory);
    return done;
}

static bool draw(struct flm_svg *svg, struct buffered *buffered, struct flm_error *why)
{
    struct letters letters = {.coverage = NULL};
    struct flm_pixel_surface surface;
    struct flm_svg_sheet sheet = {.out = NULL};
    const struct flm_surface measuring = flm_svg_sheet_surface(&sheet);
    /* Checked before any glyph is rasterized: they may be huge. */
    if (!flm_svg_fill_document(svg, svg->options.scale, why) ||
        !flm_document_lay_out(&svg->document, &measuring, why) ||
        !check_size(&svg->document, why) || !open_cairo(&letters.cairo, why))
        return false;
    first_family(svg->options.font_type, letters.family, sizeof letters.family);
    bool done = flm_pixel_surface_init(&surface, &svg->document, rasterize, &letters, why) &&
                flm_pixel_surface_lay_out(&surface, why) &&
                paint(&surface, &letters.cairo, buffered, why) &&
                (!flm_svg_failed(svg) || flm_error_memory(why));
    flm_pixel_surface_clear(&surface);
    close_letters(&letters);
    return done;
}

bool flm_png_is_built(struct flm_error *why)
{
    (void)why;
    return true;
}

bool flm_png_write(const struct flm_profile *profile, const struct flm_svg_options *options,
                   flm_profile_sink sink, void *context, struct flm_error *why)
{
    struct flm_svg svg;
    struct buffered buffered = {sink, context};
    bool done = flm_svg_open(&svg, profile, options, why) && draw(&svg, &buffered, why);
    flm_svg_close(&svg);
    return done;
}

#endif
