/* gzip.h - gzip of bytes that are in memory, as a page carries them. */
#ifndef FLAMEL_OS_GZIP_H
#define FLAMEL_OS_GZIP_H

#include "base/text/text.h"

/* Adds the compressed bytes; the same bytes give the same ones. `level` is 1 to 9. */
bool flm_gzip(struct flm_bytes bytes, int level, struct flm_text *out, struct flm_error *why);

/* Adds the `size` bytes that were compressed. False, and `why`, when it is not gzip of just so
 * many. */
bool flm_gunzip(struct flm_bytes gzip, uint64_t size, struct flm_text *out, struct flm_error *why);

#endif
