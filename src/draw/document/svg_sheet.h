/* svg_sheet.h - an SVG that is written while it is drawn, like a PDF (pdf.h): the viewer exports
 * its view as one. Each box is an element, so that it can be edited; there is no script and no
 * style sheet, so every program that shows SVG shows the same picture.
 *
 *     struct flm_svg_sheet sheet;
 *     flm_svg_sheet_begin(&sheet, out, 1200, 800, "Flame graph");
 *     struct flm_surface surface = flm_svg_sheet_surface(&sheet);
 *     surface.fill(surface.context, 0, 0, 1200, 800, 0xFFFFFF); ...
 *     flm_svg_sheet_end(&sheet);
 *
 * A box takes about 60 bytes, a label 50. Equal input gives equal bytes. */
#ifndef FLAMEL_DRAW_DOCUMENT_SVG_SHEET_H
#define FLAMEL_DRAW_DOCUMENT_SVG_SHEET_H

#include "base/text/text.h"
#include "draw/document/surface.h"

/* Textures that are already defined, each in a color; more than these are defined again. */
enum { FLM_SHEET_TEXTURES = 32 };

/* Bold letters are wider than regular ones by about a sixth. */
#define FLM_SVG_SHEET_BOLD 1.17

struct flm_svg_sheet {
    struct flm_text *out;
    struct flm_text plain; /* scratch */
    struct {
        enum flm_texture texture;
        uint32_t rgb;
    } defined[FLM_SHEET_TEXTURES];
    unsigned texture_count; /* ever defined */
};

/* `out` must outlive the sheet; a failed write sets its `failed`, as in every text. Text may be any
 * bytes. */
void flm_svg_sheet_begin(struct flm_svg_sheet *sheet, struct flm_text *out, double width_px,
                         double height_px, struct flm_bytes title);
bool flm_svg_sheet_end(struct flm_svg_sheet *sheet); /* false if memory ran out */

/* Valid as long as `sheet`; its font may be used before the picture begins. */
struct flm_surface flm_svg_sheet_surface(struct flm_svg_sheet *sheet);

#endif
