#include "draw/document/pdf.h"

#include <assert.h>
#include <math.h>

#include "base/number/number.h"
#include "base/text/utf.h"

/* The file's objects. */
enum {
    CATALOG = 1,
    PAGES,
    PAGE,
    CONTENT,
    CONTENT_SIZE,
    REGULAR,
    BOLD,
    INFORMATION,
    TEXTURES, /* one for each texture but none */
    OBJECTS = TEXTURES + FLM_TEXTURE_COUNT - 1
};
_Static_assert((int)OBJECTS <= (int)FLM_PDF_OBJECTS, "all objects have room");

enum { NO_COLOR = 0x1000000 };

/* ---- PDF syntax ------------------------------------------------------------------------------ */

/* A number to a hundredth, and a blank. */
static void put(struct flm_text *out, double value)
{
    char *to = flm_text_reserve(out, FLM_NUMBER_SIZE + 1);
    if (!to)
        return;
    size_t size = flm_number_print(floor(value * 100 + 0.5) / 100, to);
    to[size] = ' ';
    out->size += size + 1;
}

static void put_four(struct flm_text *out, double a, double b, double c, double d)
{
    put(out, a);
    put(out, b);
    put(out, c);
    put(out, d);
}

/* Three numbers from 0 to 1. */
static void put_color(struct flm_text *out, uint32_t rgb)
{
    for (int shift = 16; shift >= 0; shift -= 8) {
        char digits[FLM_NUMBER_SIZE];
        size_t size = flm_number_print_rounded((rgb >> shift & 0xFF) / 255.0, 3, digits);
        flm_text_add(out, (struct flm_bytes){digits, size});
        flm_text_putc(out, ' ');
    }
}

static uint64_t position(const struct flm_text *out)
{
    return out->handed_on + out->size;
}

static void begin_object(struct flm_pdf *pdf, int number)
{
    pdf->objects[number] = position(pdf->out) - pdf->start;
    flm_text_format(pdf->out, "%d 0 obj\n", number);
}

/* ---- The document ---------------------------------------------------------------------------- */

/* The longest side that readers accept, and a CSS pixel, in points. */
#define LONGEST 14400.0
#define PIXEL 0.75

static double scale_of(const struct flm_pdf *pdf)
{
    double longest = fmax(pdf->width_px, pdf->height_px);
    return longest * PIXEL > LONGEST ? LONGEST / longest : PIXEL;
}

static void put_exactly(struct flm_text *out, double value)
{
    char digits[FLM_NUMBER_SIZE];
    flm_text_add(out, (struct flm_bytes){digits, flm_number_print_rounded(value, 9, digits)});
    flm_text_putc(out, ' ');
}

static void write_fonts(struct flm_pdf *pdf)
{
    static const char *const names[] = {"Helvetica", "Helvetica-Bold"};
    for (int i = 0; i < 2; i++) {
        begin_object(pdf, REGULAR + i);
        flm_text_format(pdf->out,
                        "<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>\n"
                        "endobj\n",
                        names[i]);
    }
}

/* Textures as tiles without a color, of 6 px: the lines of flm_pixels_texture. */
static void write_textures(struct flm_pdf *pdf, double scale)
{
    static const char *const tiles[FLM_TEXTURE_COUNT] = {
        [FLM_TEXTURE_NONE] = "",
        [FLM_TEXTURE_RISING] = "1.2 w 0 6 m 6 0 l -1 1 m 1 -1 l 5 7 m 7 5 l S",
        [FLM_TEXTURE_FALLING] = "1.2 w 0 0 m 6 6 l -1 5 m 1 7 l 5 -1 m 7 1 l S",
        [FLM_TEXTURE_DOTS] = "0 0 1.2 1.2 re 3 3 1.2 1.2 re f",
        [FLM_TEXTURE_LINES] = "0 0 6 1.2 re f",
        [FLM_TEXTURE_GRID] = "0 0 6 1.2 re 0 0 1.2 6 re f",
    };
    for (int texture = 1; texture < FLM_TEXTURE_COUNT; texture++) {
        begin_object(pdf, TEXTURES + texture - 1);
        flm_text_puts(pdf->out, "<</Type/Pattern/PatternType 1/PaintType 2/TilingType 1"
                                "/BBox[0 0 6 6]/XStep 6/YStep 6/Resources<<>>/Matrix[");
        put_exactly(pdf->out, scale);
        flm_text_puts(pdf->out, "0 0 ");
        put_exactly(pdf->out, -scale);
        flm_text_puts(pdf->out, "0 ");
        put_exactly(pdf->out, pdf->height_px * scale);
        flm_text_format(pdf->out, "]/Length %zu>>\nstream\n%s\nendstream\nendobj\n",
                        strlen(tiles[texture]), tiles[texture]);
    }
}

static void write_page(struct flm_pdf *pdf, double scale)
{
    struct flm_text *out = pdf->out;
    begin_object(pdf, PAGE);
    flm_text_format(out, "<</Type/Page/Parent %d 0 R/MediaBox[0 0 ", PAGES);
    put_exactly(out, pdf->width_px * scale);
    put_exactly(out, pdf->height_px * scale);
    flm_text_format(out, "]/Contents %d 0 R/Resources<</Font<</R %d 0 R/B %d 0 R>>", CONTENT,
                    REGULAR, BOLD);
    /* The opacity of marks and textures, in 16 steps. */
    flm_text_puts(out, "/ExtGState<<");
    for (unsigned step = 0; step <= 16; step++) {
        flm_text_format(out, "/G%u<</CA ", step);
        put(out, step / 16.0);
        flm_text_puts(out, "/ca ");
        put(out, step / 16.0);
        flm_text_puts(out, ">>");
    }
    flm_text_puts(out, ">>/ColorSpace<</T[/Pattern/DeviceRGB]>>/Pattern<<");
    for (int texture = 1; texture < FLM_TEXTURE_COUNT; texture++)
        flm_text_format(out, "/T%d %d 0 R", texture, TEXTURES + texture - 1);
    flm_text_puts(out, ">>>>>>\nendobj\n");
}

void flm_pdf_begin(struct flm_pdf *pdf, struct flm_text *out, double width_px, double height_px)
{
    assert(out && width_px > 0 && height_px > 0);
    *pdf = (struct flm_pdf){.out = out,
                            .width_px = width_px,
                            .height_px = height_px,
                            .fill = NO_COLOR,
                            .stroke = NO_COLOR,
                            .start = position(out)};
    double scale = scale_of(pdf);
    /* Bytes above 127 mark the file as binary for programs that copy it. */
    flm_text_puts(out, "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n");
    begin_object(pdf, CATALOG);
    flm_text_format(out, "<</Type/Catalog/Pages %d 0 R>>\nendobj\n", PAGES);
    begin_object(pdf, PAGES);
    flm_text_format(out, "<</Type/Pages/Kids[%d 0 R]/Count 1>>\nendobj\n", PAGE);
    write_page(pdf, scale);
    write_fonts(pdf);
    write_textures(pdf, scale);
    begin_object(pdf, CONTENT);
    flm_text_format(out, "<</Length %d 0 R>>\nstream\n", CONTENT_SIZE);
    pdf->stream = position(out);
    /* y goes down from here on; corners of wide boxes are the round joins of a line around them. */
    put_exactly(out, scale);
    flm_text_puts(out, "0 0 ");
    put_exactly(out, -scale);
    flm_text_puts(out, "0 ");
    put_exactly(out, height_px * scale);
    flm_text_puts(out, "cm 1 j\n");
}

/* UTF-16 with its mark, in hexadecimal. */
static void write_title(struct flm_text *out, struct flm_bytes title)
{
    flm_text_puts(out, "<FEFF");
    while (title.size > 0) {
        static const char digits[] = "0123456789ABCDEF";
        uint16_t units[2];
        int count = flm_utf16_take(&title, units);
        for (int i = 0; i < count; i++)
            for (int shift = 12; shift >= 0; shift -= 4)
                flm_text_putc(out, digits[units[i] >> shift & 15]);
    }
    flm_text_putc(out, '>');
}

void flm_pdf_end(struct flm_pdf *pdf, struct flm_bytes title)
{
    assert(pdf->out);
    struct flm_text *out = pdf->out;
    uint64_t size = position(out) - pdf->stream;
    flm_text_puts(out, "\nendstream\nendobj\n");
    begin_object(pdf, CONTENT_SIZE);
    flm_text_uint(out, size);
    flm_text_puts(out, "\nendobj\n");
    begin_object(pdf, INFORMATION);
    flm_text_puts(out, "<</Producer(flamel)/Title");
    write_title(out, title);
    flm_text_puts(out, ">>\nendobj\n");
    uint64_t table = position(out) - pdf->start;
    flm_text_format(out, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS);
    for (int object = 1; object < OBJECTS; object++) {
        char digits[11] = "0000000000";
        uint64_t left = pdf->objects[object];
        for (int i = 9; i >= 0; i--, left /= 10)
            digits[i] = (char)('0' + left % 10);
        flm_text_format(out, "%s 00000 n \n", digits);
    }
    flm_text_format(out, "trailer\n<</Size %d/Root %d 0 R/Info %d 0 R>>\nstartxref\n", OBJECTS,
                    CATALOG, INFORMATION);
    flm_text_uint(out, table);
    flm_text_puts(out, "\n%%EOF\n");
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static void set_fill(struct flm_pdf *pdf, uint32_t rgb)
{
    if (pdf->fill == rgb)
        return;
    pdf->fill = rgb;
    put_color(pdf->out, rgb);
    flm_text_puts(pdf->out, "rg\n");
}

static void set_stroke(struct flm_pdf *pdf, uint32_t rgb)
{
    if (pdf->stroke == rgb)
        return;
    pdf->stroke = rgb;
    put_color(pdf->out, rgb);
    flm_text_puts(pdf->out, "RG\n");
}

void flm_pdf_fill(struct flm_pdf *pdf, double x, double y, double width, double height,
                  uint32_t rgb)
{
    set_fill(pdf, rgb);
    put_four(pdf->out, x, y, width, height);
    flm_text_puts(pdf->out, "re f\n");
}

void flm_pdf_outline(struct flm_pdf *pdf, double x, double y, double width, double height,
                     double thickness, uint32_t rgb)
{
    thickness = fmin(thickness, fmin(width, height));
    set_stroke(pdf, rgb);
    put(pdf->out, thickness);
    flm_text_puts(pdf->out, "w ");
    put_four(pdf->out, x + thickness / 2, y + thickness / 2, width - thickness, height - thickness);
    flm_text_puts(pdf->out, "re S\n");
}

/* A box of round corners is drawn smaller, with a thick line around it. */
static void fill_round(struct flm_pdf *pdf, double x, double y, double width, double height,
                       uint32_t rgb)
{
    set_fill(pdf, rgb);
    set_stroke(pdf, rgb);
    flm_text_puts(pdf->out, "4 w ");
    put_four(pdf->out, x + 2, y + 2, width - 4, height - 4);
    flm_text_puts(pdf->out, "re B\n");
}

static void fill_texture(struct flm_pdf *pdf, double x, double y, double width, double height,
                         enum flm_texture texture, uint32_t rgb, unsigned alpha)
{
    flm_text_format(pdf->out, "q /G%u gs /T cs ", (alpha + 8) / 16);
    put_color(pdf->out, rgb);
    flm_text_format(pdf->out, "/T%d scn ", (int)texture);
    put_four(pdf->out, x, y, width, height);
    flm_text_puts(pdf->out, "re f Q\n");
}

void flm_pdf_mark(struct flm_pdf *pdf, double x, double y, double width, double height,
                  enum flm_mark mark, uint32_t rgb, unsigned strength)
{
    if (mark == FLM_MARK_NONE || width < FLM_MARK_LEAST_WIDTH)
        return;
    if (mark >= FLM_MARK_APPEARED) {
        fill_texture(pdf, x, y, width, height,
                     mark == FLM_MARK_APPEARED ? FLM_TEXTURE_RISING : FLM_TEXTURE_FALLING, rgb,
                     FLM_HATCH_ALPHA * strength / 255);
        return;
    }
    struct flm_dashes dashes = flm_mark_dashes(mark);
    flm_text_format(pdf->out, "q /G%u gs ", (FLM_MARK_ALPHA * strength / 255 + 8) / 16);
    put_color(pdf->out, rgb);
    flm_text_puts(pdf->out, "RG ");
    put(pdf->out, FLM_MARK_THICKNESS);
    flm_text_puts(pdf->out, "w [");
    for (int i = 0; i < 4 && dashes.lengths[i] > 0; i++)
        put(pdf->out, dashes.lengths[i]);
    flm_text_puts(pdf->out, "] 0 d ");
    put(pdf->out, x + 1);
    put(pdf->out, y + height - FLM_MARK_THICKNESS);
    flm_text_puts(pdf->out, "m ");
    put(pdf->out, x + width - 1);
    put(pdf->out, y + height - FLM_MARK_THICKNESS);
    flm_text_puts(pdf->out, "l S Q\n");
}

void flm_pdf_text(struct flm_pdf *pdf, double x, double base_line, struct flm_bytes plain,
                  double size_px, bool bold, uint32_t rgb)
{
    set_fill(pdf, rgb);
    flm_text_puts(pdf->out, bold ? "BT /B " : "BT /R ");
    put(pdf->out, size_px);
    flm_text_puts(pdf->out, "Tf 1 0 0 -1 ");
    put(pdf->out, x);
    put(pdf->out, base_line);
    flm_text_puts(pdf->out, "Tm ");
    pdf->unknown_letters += flm_pdf_string_add(pdf->out, plain);
    flm_text_puts(pdf->out, " Tj ET\n");
}

/* ---- As a surface ---------------------------------------------------------------------------- */

static struct flm_font surface_font(void *context, double size_px, bool bold)
{
    (void)context;
    return flm_pdf_font(size_px, bold);
}

static void surface_text(void *context, double x, double base_line, struct flm_bytes plain,
                         double size_px, bool bold, uint32_t rgb)
{
    flm_pdf_text(context, x, base_line, plain, size_px, bold, rgb);
}

static void surface_fill(void *context, double x, double y, double width, double height,
                         uint32_t rgb)
{
    flm_pdf_fill(context, x, y, width, height, rgb);
}

static void surface_mark(void *context, double x, double y, double width, double height,
                         enum flm_mark mark, uint32_t rgb, unsigned strength)
{
    flm_pdf_mark(context, x, y, width, height, mark, rgb, strength);
}

static void surface_round(void *context, double x, double y, double width, double height,
                          uint32_t rgb)
{
    fill_round(context, x, y, width, height, rgb);
}

static void surface_texture(void *context, double x, double y, double width, double height,
                            enum flm_texture texture, uint32_t rgb, unsigned alpha)
{
    fill_texture(context, x, y, width, height, texture, rgb, alpha);
}

static void surface_outline(void *context, double x, double y, double width, double height,
                            double thickness, uint32_t rgb)
{
    flm_pdf_outline(context, x, y, width, height, thickness, rgb);
}

static uint64_t unknown_letters(void *context)
{
    return ((const struct flm_pdf *)context)->unknown_letters;
}

struct flm_surface flm_pdf_surface(struct flm_pdf *pdf)
{
    return (struct flm_surface){.context = pdf,
                                .font = surface_font,
                                .text = surface_text,
                                .fill = surface_fill,
                                .mark = surface_mark,
                                .fill_round = surface_round,
                                .texture = surface_texture,
                                .outline = surface_outline,
                                .unknown_letters = unknown_letters};
}
