/* base64.h - bytes as ASCII text, RFC 4648 section 4: 6 bits a character, padded with '='. */
#ifndef FLAMEL_BASE_TEXT_BASE64_H
#define FLAMEL_BASE_TEXT_BASE64_H

#include "base/text/text.h"

void flm_base64_add(struct flm_text *out, struct flm_bytes bytes);

/* Appends the decoded bytes. False for text that flm_base64_add does not write: another character,
 * missing padding, or bits set after the last byte. */
bool flm_base64_decode(struct flm_bytes text, struct flm_text *out);

#endif
