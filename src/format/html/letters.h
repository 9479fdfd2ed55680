/* letters.h - bytes as text that may stand in a page: 15 bits in a letter of UTF-16.
 *
 * The page is UTF-16, with the mark that browsers believe before anything a server says. There a
 * letter takes two bytes, and 32,768 of them in a row, from U+3400 on, mean nothing to HTML, are no
 * surrogates, and stay what they are: 15 of 16 bits, where base64 has 12 and the best that ASCII
 * has to offer 13.7. Everything else in the page becomes twice as long, but that is 4 KB.
 *
 *     bits   the first byte's lowest first, 15 a letter
 *     last   a letter that has 7 bits or less left begins at U+2800 instead, so that the number of
 *            bytes is known
 *
 * Here the text is UTF-8 as every other, and a letter three bytes; load/page.c makes it UTF-16.
 * web/start.js decodes the same. */
#ifndef FLAMEL_FORMAT_HTML_LETTERS_H
#define FLAMEL_FORMAT_HTML_LETTERS_H

#include "base/text/text.h"

void flm_letters_add(struct flm_text *out, struct flm_bytes bytes);

/* Adds the bytes that the letters stand for; false for a letter that is none. */
bool flm_letters_decode(struct flm_bytes letters, struct flm_text *out);

#endif
