/* pdf_font.h - Helvetica, which every PDF reader has: no font is embedded, so files are small.
 *
 * Its characters are those of WinAnsi: Latin-1 and a few more. Widths are those that Adobe
 * published with the font (Core 14 AFM files), which its substitutes keep. */
#ifndef FLAMEL_DRAW_DOCUMENT_PDF_FONT_H
#define FLAMEL_DRAW_DOCUMENT_PDF_FONT_H

#include "draw/text/label.h"

/* The byte of a character; 0 when the font has none. */
unsigned char flm_pdf_letter(uint32_t code);

/* The width of a byte's letter in font sizes. */
double flm_pdf_letter_width(unsigned char letter, bool bold);

/* For measuring labels. A character without a byte is spelled (sigma, ->) or shown as "?". */
struct flm_font flm_pdf_font(double size_px, bool bold);

/* Adds a PDF string, in parentheses and escaped. Returns how many characters became "?". */
uint32_t flm_pdf_string_add(struct flm_text *out, struct flm_bytes plain);

#endif
