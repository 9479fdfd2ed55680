/* pdf_font.h - Helvetica, which every reader of PDF has: nothing is embedded, so a file is small.
 *
 * Its letters are those of WinAnsi: Latin-1, and a few marks beside. Widths are those that Adobe
 * published with the font (Core 14 AFM files), which fonts that stand in for it keep. */
#ifndef FLAMEL_DRAW_DOCUMENT_PDF_FONT_H
#define FLAMEL_DRAW_DOCUMENT_PDF_FONT_H

#include "draw/text/label.h"

/* The byte of a character; 0 when the font has none. */
unsigned char flm_pdf_letter(uint32_t code);

/* In font sizes, of a byte. */
double flm_pdf_letter_width(unsigned char letter, bool bold);

/* What labels are measured with. Where there is no byte for a character it is spelled (sigma, ->),
 * or stands as "?". */
struct flm_font flm_pdf_font(double size_px, bool bold);

/* As a string of PDF: in brackets, with what must be escaped escaped. Returns how many characters
 * became "?". */
uint32_t flm_pdf_string_add(struct flm_text *out, struct flm_bytes plain);

#endif
