/* base91.h - bytes as ASCII text, 13 bits in two letters: 8 % shorter than base64.
 *
 * The 91 letters are the printable characters from '#' to '~' without '<', so the text may stand
 * in an element of a page as it is. Bits are taken from each byte's lowest on; two letters are a
 * number below 2^13, whose remainder by 91 is the first; the last one to six bits are one letter.
 * basE91 has 14 bits in some pairs, and is 0.1 % shorter; here each pair stands for itself. */
#ifndef FLAMEL_BASE_ENCODE_BASE91_H
#define FLAMEL_BASE_ENCODE_BASE91_H

#include "base/text/text.h"

void flm_base91_add(struct flm_text *out, struct flm_bytes bytes);

/* Appends the decoded bytes. False for text that flm_base91_add does not write. */
bool flm_base91_decode(struct flm_bytes text, struct flm_text *out);

/* Decodes into the text's own place, and returns the number of bytes; SIZE_MAX for text that
 * flm_base91_add does not write. Pages carry this one function as a module: mk/wasm.mk. */
size_t flm_base91_decode_in_place(unsigned char *text, size_t size);

#endif
