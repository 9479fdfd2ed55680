/* pdf.h - one page of PDF, written while it is drawn: boxes, lines and text, all as vectors.
 *
 *     struct flm_pdf pdf;
 *     flm_pdf_begin(&pdf, out, 1200, 800);
 *     flm_pdf_fill(&pdf, 0, 0, 1200, 800, 0xFFFFFF);
 *     flm_pdf_text(&pdf, 10, 27, "Flame graph", 13, true, 0);
 *     flm_pdf_end(&pdf, "Flame graph");
 *
 * Lengths are CSS pixels from the upper left corner; a pixel is 1/96 inch, or less where the page
 * would be larger than readers accept (200 inches). PDF 1.4, without compression: a box takes about
 * 20 bytes, a label 60. Equal input gives equal bytes: there is no date in it. */
#ifndef FLAMEL_DRAW_DOCUMENT_PDF_H
#define FLAMEL_DRAW_DOCUMENT_PDF_H

#include "base/text/text.h"
#include "draw/document/pdf_font.h"
#include "draw/document/surface.h"

enum { FLM_PDF_OBJECTS = 16 };

struct flm_pdf {
    struct flm_text *out;
    double width_px, height_px;
    uint32_t unknown_letters; /* that became "?" */
    uint32_t fill, stroke;    /* the current colors; above 0xFFFFFF: none yet */
    uint64_t start, stream;   /* offsets of the file and of the page's content in the output */
    uint64_t objects[FLM_PDF_OBJECTS];
};

/* `out` must outlive the page; a failed write sets its `failed`, as in every text. */
void flm_pdf_begin(struct flm_pdf *pdf, struct flm_text *out, double width_px, double height_px);
void flm_pdf_end(struct flm_pdf *pdf, struct flm_bytes title);

void flm_pdf_fill(struct flm_pdf *pdf, double x, double y, double width, double height,
                  uint32_t rgb);
void flm_pdf_outline(struct flm_pdf *pdf, double x, double y, double width, double height,
                     double thickness, uint32_t rgb);
void flm_pdf_mark(struct flm_pdf *pdf, double x, double y, double width, double height,
                  enum flm_mark mark, uint32_t rgb, unsigned strength);
void flm_pdf_text(struct flm_pdf *pdf, double x, double base_line, struct flm_bytes plain,
                  double size_px, bool bold, uint32_t rgb);

/* The same functions as a surface. It is valid as long as `pdf`; its font may be used before the
 * page begins. */
struct flm_surface flm_pdf_surface(struct flm_pdf *pdf);

#endif
