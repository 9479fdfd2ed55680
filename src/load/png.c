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
#include "draw/document/still.h"
#include "os/library.h"

#ifdef __SANITIZE_ADDRESS__
/* What fontconfig keeps for the rest of the program is no leak of ours. */
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

/* Each name stands here once: it is looked up, and the pointer to it has its type. */
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

/* ---- Letters --------------------------------------------------------------------------------- */

/* A font of the system, in one size and weight. */
struct face {
    cairo_scaled_font_t *font;
    cairo_scaled_font_t *others[3]; /* asked for what it has not */
};

/* Fonts of many letters, where they are there; fontconfig puts its best in place of others. */
static const char *const other_families[] = {"DejaVu Sans", "Noto Sans CJK SC", "Unifont"};

/* The first family of a list as CSS has it that is a real name. */
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
    face->font = open_font(cairo, family, size_px, bold);
    for (size_t i = 0; i < sizeof other_families / sizeof other_families[0]; i++)
        face->others[i] = open_font(cairo, other_families[i], size_px, bold);
}

static void close_face(const struct cairo *cairo, struct face *face)
{
    cairo->scaled_font_destroy(face->font);
    for (size_t i = 0; i < sizeof other_families / sizeof other_families[0]; i++)
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

/* Draws the glyph FLM_ATLAS_COLUMNS times as wide as it is, and gives it to the atlas. */
static bool add_glyph(const struct cairo *cairo, struct flm_atlas *atlas, uint32_t code,
                      enum flm_weight weight, cairo_scaled_font_t *font, const cairo_glyph_t *glyph)
{
    cairo_text_extents_t box;
    cairo->scaled_font_glyph_extents(font, glyph, 1, &box);
    /* A pixel around, for what the edges are smoothed with. */
    int left = (int)(box.x_bearing * FLM_ATLAS_COLUMNS) - 3, top = (int)box.y_bearing - 2;
    int width = (int)(box.width * FLM_ATLAS_COLUMNS) + 8, height = (int)box.height + 5;
    cairo_surface_t *surface = cairo->image_surface_create(CAIRO_FORMAT_A8, width, height);
    cairo_t *pen = cairo->create(surface);
    cairo->translate(pen, -left, -top);
    cairo->scale(pen, FLM_ATLAS_COLUMNS, 1);
    cairo->set_scaled_font(pen, font);
    cairo->show_glyphs(pen, glyph, 1);
    cairo->surface_flush(surface);
    bool added = cairo->status(pen) == CAIRO_STATUS_SUCCESS;
    size_t stride = (size_t)cairo->image_surface_get_stride(surface);
    uint8_t *coverage = malloc((size_t)width * (size_t)height);
    added = added && coverage;
    for (int y = 0; added && y < height; y++)
        memcpy(coverage + (size_t)y * (size_t)width,
               cairo->image_surface_get_data(surface) + (size_t)y * stride, (size_t)width);
    struct flm_glyph letter = {box.x_advance,    left, top, width, height, coverage,
                               FLM_ATLAS_COLUMNS};
    added = added && flm_atlas_add(atlas, code, weight, &letter);
    free(coverage);
    cairo->destroy(pen);
    cairo->surface_destroy(surface);
    return added;
}

/* Rasterizes what the atlas misses. *some: whether there was anything. */
static bool add_missing(const struct cairo *cairo, struct flm_atlas *atlas, enum flm_weight weight,
                        const struct face *face, bool *some)
{
    for (uint32_t code; (code = flm_atlas_missing(atlas, weight)) != 0; *some = true) {
        cairo_glyph_t glyph = {0}, other;
        cairo_scaled_font_t *font = face->font;
        if (!find_glyph(cairo, font, code, &glyph))
            for (size_t i = 0; i < sizeof other_families / sizeof other_families[0]; i++)
                if (find_glyph(cairo, face->others[i], code, &other)) {
                    glyph = other;
                    font = face->others[i];
                    break;
                }
        if (!add_glyph(cairo, atlas, code, weight, font, &glyph))
            return false;
    }
    return true;
}

/* ---- The picture ----------------------------------------------------------------------------- */

/* Labels, titles and the other words have sizes of their own. */
enum { SIZES = 3 };

struct canvas {
    struct cairo cairo;
    struct flm_pixels pixels;
    double scale;
    double size_px[SIZES]; /* CSS pixels */
    struct flm_atlas *atlas[SIZES];
};

static struct flm_atlas *atlas_of(const struct canvas *canvas, double size_px)
{
    for (int i = 0; i < SIZES; i++)
        if (canvas->size_px[i] == size_px)
            return canvas->atlas[i];
    return canvas->atlas[0];
}

static struct flm_font font_of(void *context, double size_px, bool bold)
{
    const struct canvas *canvas = context;
    struct flm_font font =
        flm_atlas_font(atlas_of(canvas, size_px), bold ? FLM_WEIGHT_BOLD : FLM_WEIGHT_REGULAR);
    font.size_px = size_px;
    return font;
}

static void draw_text(void *context, double x, double base_line, struct flm_bytes text,
                      double size_px, bool bold, uint32_t rgb)
{
    struct canvas *canvas = context;
    flm_atlas_draw(atlas_of(canvas, size_px), &canvas->pixels, x * canvas->scale,
                   flm_pixel_edge(base_line * canvas->scale), text,
                   bold ? FLM_WEIGHT_BOLD : FLM_WEIGHT_REGULAR, rgb);
}

static void draw_fill(void *context, double x, double y, double width, double height, uint32_t rgb)
{
    struct canvas *canvas = context;
    double scale = canvas->scale;
    flm_pixels_fill(&canvas->pixels, flm_pixel_edge(x * scale), flm_pixel_edge(y * scale),
                    flm_pixel_edge((x + width) * scale), flm_pixel_edge((y + height) * scale), rgb);
}

static void draw_mark(void *context, double x, double y, double width, double height,
                      enum flm_mark mark, uint32_t rgb, unsigned strength)
{
    struct canvas *canvas = context;
    double scale = canvas->scale;
    flm_pixels_mark(&canvas->pixels, flm_pixel_edge(x * scale), flm_pixel_edge(y * scale),
                    flm_pixel_edge((x + width) * scale), flm_pixel_edge((y + height) * scale), mark,
                    scale, rgb, (uint8_t)strength);
}

static void paint(struct canvas *canvas, struct flm_still *still)
{
    const struct flm_surface surface = {.context = canvas,
                                        .font = font_of,
                                        .text = draw_text,
                                        .fill = draw_fill,
                                        .mark = draw_mark};
    flm_still_draw_background(still, &surface);
    struct flm_boxes boxes = flm_still_boxes(still, canvas->scale);
    boxes.pixels = &canvas->pixels;
    boxes.atlas = canvas->atlas[0];
    flm_boxes_draw(&boxes, &still->svg->seen);
    flm_still_draw_words(still, &surface);
}

/* Again and again, until no letter is missing: what fits is known only then. */
static bool paint_all(struct canvas *canvas, struct flm_still *still, struct flm_error *why)
{
    const struct cairo *cairo = &canvas->cairo;
    char family[200];
    struct face faces[SIZES][FLM_WEIGHT_COUNT];
    first_family(still->svg->options.font_type, family, sizeof family);
    for (int i = 0; i < SIZES; i++)
        for (int weight = 0; weight < FLM_WEIGHT_COUNT; weight++)
            open_face(cairo, &faces[i][weight], family, canvas->size_px[i] * canvas->scale,
                      weight == FLM_WEIGHT_BOLD);
    bool some = true, done = true;
    while (some && done) {
        some = false;
        paint(canvas, still);
        for (int i = 0; done && i < SIZES; i++)
            for (int weight = 0; done && weight < FLM_WEIGHT_COUNT; weight++)
                done = add_missing(cairo, canvas->atlas[i], (enum flm_weight)weight,
                                   &faces[i][weight], &some);
    }
    for (int i = 0; i < SIZES; i++)
        for (int weight = 0; weight < FLM_WEIGHT_COUNT; weight++)
            close_face(cairo, &faces[i][weight]);
    done = done && !still->svg->name.failed && !still->svg->label.failed;
    return done || flm_error_memory(why);
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

/* Cairo has blue where we have red; the pixels are changed in place. */
static bool write_pixels(struct canvas *canvas, struct buffered *buffered, struct flm_error *why)
{
    const struct cairo *cairo = &canvas->cairo;
    struct flm_pixels *pixels = &canvas->pixels;
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

/* Rectangles are in device pixels then, as flm_boxes_draw wants them. */
static void scale_rectangles(struct flm_rectangles *list, double scale)
{
    for (size_t i = 0; i < list->count; i++) {
        list->at[i].x0 *= scale;
        list->at[i].x1 *= scale;
    }
}

static bool draw(struct flm_svg *svg, struct buffered *buffered, struct flm_error *why)
{
    double scale = svg->options.scale;
    struct flm_still still = flm_still_of(svg);
    double width = (int)(still.width_px * scale + 0.5);
    double height = (int)(still.height_px * scale + 0.5);
    if (width > FLM_PNG_LONGEST || height > FLM_PNG_LONGEST || width * height > FLM_PNG_PIXELS)
        return flm_error_set(why, FLM_ERROR_RANGE,
                             "a PNG of %d x %d pixels is too large: %d a side, and %d million in "
                             "all will do (see --scale, --width, --height; a PDF has no limit)",
                             (int)width, (int)height, (int)FLM_PNG_LONGEST,
                             FLM_PNG_PIXELS / 1000000);
    struct canvas canvas = {
        .scale = scale,
        .size_px = {svg->options.font_size_px, FLM_STILL_WORDS_PX, FLM_STILL_TITLE_PX}};
    if (!open_cairo(&canvas.cairo, why))
        return false;
    uint32_t *memory = malloc((size_t)(width * height) * sizeof *memory);
    bool done = memory || flm_error_memory(why);
    for (int i = 0; done && i < SIZES; i++) {
        canvas.atlas[i] = flm_atlas_new(canvas.size_px[i] * scale, why);
        done = canvas.atlas[i] != NULL;
    }
    if (done) {
        scale_rectangles(&svg->seen, scale);
        canvas.pixels = flm_pixels_of(memory, (uint32_t)width, (uint32_t)height);
        done = paint_all(&canvas, &still, why) && write_pixels(&canvas, buffered, why);
    }
    for (int i = 0; i < SIZES; i++)
        flm_atlas_free(canvas.atlas[i]);
    free(memory);
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
