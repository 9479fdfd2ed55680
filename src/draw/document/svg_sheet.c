#include "draw/document/svg_sheet.h"

#include <assert.h>
#include <math.h>

#include "draw/color/theme.h"
#include "draw/document/document.h"
#include "draw/document/path.h"
#include "draw/text/visible.h"

/* The color of text, unless it sets another. */
#define SIZE_PX 12.0

/* ---- SVG syntax ------------------------------------------------------------------------------ */

static void add_number(struct flm_text *out, double value)
{
    flm_path_number(out, (int)floor(value * 10 + 0.5));
}

static void add_attribute(struct flm_text *out, const char *name, double value)
{
    flm_text_format(out, " %s=\"", name);
    add_number(out, value);
    flm_text_putc(out, '"');
}

static void add_color(struct flm_text *out, const char *name, uint32_t rgb)
{
    flm_text_format(out, " %s=\"", name);
    flm_color_add(out, rgb);
    flm_text_putc(out, '"');
}

static void add_strength(struct flm_text *out, const char *name, unsigned of_255)
{
    unsigned hundredths = (of_255 * 100 + 127) / 255;
    flm_text_format(out, " %s=\"%u.%u%u\"", name, hundredths / 100, hundredths / 10 % 10,
                    hundredths % 10);
}

static void add_box(struct flm_text *out, double x, double y, double width, double height)
{
    flm_text_puts(out, "<rect");
    add_attribute(out, "x", x);
    add_attribute(out, "y", y);
    add_attribute(out, "width", fmax(width, 0.1));
    add_attribute(out, "height", fmax(height, 0.1));
}

/* ---- The document ---------------------------------------------------------------------------- */

void flm_svg_sheet_begin(struct flm_svg_sheet *sheet, struct flm_text *out, double width_px,
                         double height_px, struct flm_bytes title)
{
    assert(out && width_px > 0 && height_px > 0);
    *sheet = (struct flm_svg_sheet){.out = out};
    flm_text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    add_attribute(out, "width", width_px);
    add_attribute(out, "height", height_px);
    flm_text_puts(out, " viewBox=\"0 0 ");
    add_number(out, width_px);
    flm_text_putc(out, ' ');
    add_number(out, height_px);
    /* Letters were measured one by one, so kerning must not move them. */
    flm_text_puts(out, "\" role=\"img\" font-family=\"" FLM_DOCUMENT_FONTS "\" font-size=\"12\" "
                       "style=\"font-kerning:none;font-variant-ligatures:none;white-space:pre\">\n"
                       "<title>");
    flm_xml_add(out, flm_plain(title, &sheet->plain));
    flm_text_puts(out, "</title>\n");
}

bool flm_svg_sheet_end(struct flm_svg_sheet *sheet)
{
    assert(sheet->out);
    flm_text_puts(sheet->out, "</svg>\n");
    bool good = !sheet->plain.failed && !sheet->out->failed;
    flm_text_clear(&sheet->plain);
    return good;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* The font depends on the reader; DejaVu Sans, which is measured, is a wide one. */
static struct flm_font font_of(void *context, double size_px, bool bold)
{
    (void)context;
    return (struct flm_font){.size_px = bold ? size_px * FLM_SVG_SHEET_BOLD : size_px};
}

static void draw_text(void *context, double x, double base_line, struct flm_bytes text,
                      double size_px, bool bold, uint32_t rgb)
{
    struct flm_svg_sheet *sheet = context;
    struct flm_text *out = sheet->out;
    flm_text_puts(out, "<text");
    add_attribute(out, "x", x);
    add_attribute(out, "y", base_line);
    if (size_px != SIZE_PX)
        add_attribute(out, "font-size", size_px);
    if (bold)
        flm_text_puts(out, " font-weight=\"600\"");
    add_color(out, "fill", rgb);
    flm_text_putc(out, '>');
    flm_xml_add(out, flm_plain(text, &sheet->plain));
    flm_text_puts(out, "</text>\n");
}

static void draw_fill(void *context, double x, double y, double width, double height, uint32_t rgb)
{
    struct flm_text *out = ((struct flm_svg_sheet *)context)->out;
    add_box(out, x, y, width, height);
    add_color(out, "fill", rgb);
    flm_text_puts(out, "/>\n");
}

static void draw_round(void *context, double x, double y, double width, double height, uint32_t rgb)
{
    struct flm_text *out = ((struct flm_svg_sheet *)context)->out;
    add_box(out, x, y, width, height);
    flm_text_puts(out, " rx=\"2\"");
    add_color(out, "fill", rgb);
    flm_text_puts(out, "/>\n");
}

/* The number of a texture in a color, defined if it is new. The tiles are those of
 * flm_pixels_texture. */
static unsigned define(struct flm_svg_sheet *sheet, enum flm_texture texture, uint32_t rgb)
{
    static const char *const tiles[FLM_TEXTURE_COUNT] = {
        [FLM_TEXTURE_NONE] = "",
        [FLM_TEXTURE_RISING] = "M0 6L6 0M-1 1L1 -1M5 7L7 5",
        [FLM_TEXTURE_FALLING] = "M0 0L6 6M-1 5L1 7M5 -1L7 1",
        [FLM_TEXTURE_DOTS] = "M0 .6h1.2M3 3.6h1.2",
        [FLM_TEXTURE_LINES] = "M0 .6h6",
        [FLM_TEXTURE_GRID] = "M0 .6h6M.6 0v6",
    };
    for (unsigned i = 0; i < sheet->texture_count && i < FLM_SHEET_TEXTURES; i++)
        if (sheet->defined[i].texture == texture && sheet->defined[i].rgb == rgb)
            return i;
    unsigned number = sheet->texture_count++;
    if (number < FLM_SHEET_TEXTURES) {
        sheet->defined[number].texture = texture;
        sheet->defined[number].rgb = rgb;
    }
    flm_text_format(sheet->out,
                    "<defs><pattern id=\"flamel-texture-%u\" width=\"6\" height=\"6\" "
                    "patternUnits=\"userSpaceOnUse\"><path d=\"%s\" stroke-width=\"1.2\"",
                    number, tiles[texture]);
    add_color(sheet->out, "stroke", rgb);
    flm_text_puts(sheet->out, "/></pattern></defs>\n");
    return number;
}

static void draw_texture(void *context, double x, double y, double width, double height,
                         enum flm_texture texture, uint32_t rgb, unsigned alpha)
{
    struct flm_svg_sheet *sheet = context;
    unsigned number = define(sheet, texture, rgb);
    add_box(sheet->out, x, y, width, height);
    flm_text_format(sheet->out, " fill=\"url(#flamel-texture-%u)\"", number);
    add_strength(sheet->out, "fill-opacity", alpha);
    flm_text_puts(sheet->out, "/>\n");
}

static void draw_mark(void *context, double x, double y, double width, double height,
                      enum flm_mark mark, uint32_t rgb, unsigned strength)
{
    struct flm_text *out = ((struct flm_svg_sheet *)context)->out;
    if (mark == FLM_MARK_NONE || width < FLM_MARK_LEAST_WIDTH)
        return;
    if (mark >= FLM_MARK_APPEARED) {
        draw_texture(context, x, y, width, height,
                     mark == FLM_MARK_APPEARED ? FLM_TEXTURE_RISING : FLM_TEXTURE_FALLING, rgb,
                     FLM_HATCH_ALPHA * strength / 255);
        return;
    }
    struct flm_dashes dashes = flm_mark_dashes(mark);
    flm_text_puts(out, "<path d=\"M");
    add_number(out, x + 1);
    flm_text_putc(out, ' ');
    add_number(out, y + height - FLM_MARK_THICKNESS);
    flm_text_putc(out, 'h');
    add_number(out, width - 2);
    flm_text_putc(out, '"');
    if (dashes.lengths[0] > 0)
        flm_text_puts(out, " stroke-dasharray=\"");
    for (int i = 0; i < 4 && dashes.lengths[i] > 0; i++) {
        flm_text_puts(out, i ? " " : "");
        add_number(out, dashes.lengths[i]);
    }
    if (dashes.lengths[0] > 0)
        flm_text_putc(out, '"');
    add_attribute(out, "stroke-width", FLM_MARK_THICKNESS);
    add_color(out, "stroke", rgb);
    add_strength(out, "stroke-opacity", FLM_MARK_ALPHA * strength / 255);
    flm_text_puts(out, "/>\n");
}

static void draw_outline(void *context, double x, double y, double width, double height,
                         double thickness, uint32_t rgb)
{
    struct flm_text *out = ((struct flm_svg_sheet *)context)->out;
    thickness = fmin(thickness, fmin(width, height));
    add_box(out, x + thickness / 2, y + thickness / 2, width - thickness, height - thickness);
    flm_text_puts(out, " fill=\"none\"");
    add_attribute(out, "stroke-width", thickness);
    add_color(out, "stroke", rgb);
    flm_text_puts(out, "/>\n");
}

struct flm_surface flm_svg_sheet_surface(struct flm_svg_sheet *sheet)
{
    return (struct flm_surface){.context = sheet,
                                .font = font_of,
                                .text = draw_text,
                                .fill = draw_fill,
                                .mark = draw_mark,
                                .fill_round = draw_round,
                                .texture = draw_texture,
                                .outline = draw_outline};
}
