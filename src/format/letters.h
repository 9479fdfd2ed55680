/* letters.h - bytes as text that may stand in a page: six bytes in seven letters.
 *
 * In a script's text, all of ASCII keeps its meaning but NUL, the carriage return and '<'. Seven of
 * 116 letters are just enough for 48 bits (116^7 > 2^48): 6.86 bits in a letter, where base64
 * has 6. So nine more are left out: '&' and '>', and what rings, deletes or begins a command where
 * a page is shown in a terminal. ASCII, because a server may say another encoding than the page
 * does.
 *
 * Six bytes are a number, the first byte the lowest, and so are seven letters. The last group has n
 * bytes in n + 1 letters. web/start.js decodes the same. */
#ifndef FLAMEL_FORMAT_LETTERS_H
#define FLAMEL_FORMAT_LETTERS_H

#include "base/text.h"

void flm_letters_add(struct flm_text *out, struct flm_bytes bytes);

/* Adds the bytes that the letters stand for; false for a letter that is none. */
bool flm_letters_decode(struct flm_bytes letters, struct flm_text *out);

#endif
