/* base64.h - bytes as ASCII text, RFC 4648 section 4: 6 bits a character, padded with '='. */
#ifndef FLAMEL_BASE_ENCODE_BASE64_H
#define FLAMEL_BASE_ENCODE_BASE64_H

#include "base/text/text.h"

void flm_base64_add(struct flm_text *out, struct flm_bytes bytes);

#endif
