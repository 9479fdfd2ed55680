/* base64.h - bytes as ASCII text, RFC 4648 section 4: 6 bits a character, padded with '='. */
#ifndef FLAMEL_BASE_ENCODE_BASE64_H
#define FLAMEL_BASE_ENCODE_BASE64_H

#include "base/text/text.h"

void flm_base64_add(struct flm_text *out, struct flm_bytes bytes);

/* Appends the decoded bytes; the padding may be missing, and digits may be those of section 5 (-
 * and _), as protobuf's JSON allows. False for any other byte, or a single digit at the end. */
bool flm_base64_decode(struct flm_bytes text, struct flm_text *out);

#endif
