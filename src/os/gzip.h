/* gzip.h - gzip of bytes in memory, as in a page. */
#ifndef FLAMEL_OS_GZIP_H
#define FLAMEL_OS_GZIP_H

#include "base/text/text.h"

/* Appends the compressed bytes, the same ones for the same input. `level` is 1 to 9. */
bool flm_gzip(struct flm_bytes bytes, int level, struct flm_text *out, struct flm_error *why);

/* Appends the `size` bytes that were compressed. False, and `why`, when it is not gzip of exactly
 * so many. */
bool flm_gunzip(struct flm_bytes gzip, uint64_t size, struct flm_text *out, struct flm_error *why);

#endif
