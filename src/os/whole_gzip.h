/* whole_gzip.h - gzip of which all is in memory, by libdeflate where that is installed: it takes
 * half the time of zlib, but has no streams, so it is only for one member whose size is known
 * and is a bounded one. Nothing depends on it: whoever does not get an answer here asks
 * os/input.h. */
#ifndef FLAMEL_OS_WHOLE_GZIP_H
#define FLAMEL_OS_WHOLE_GZIP_H

#include "base/text/text.h"

/* The size that one member of gzip says its content has; 0: this is none, or a larger one than such
 * a file can have. Whether it is true is seen when it is decompressed. */
size_t flm_whole_gzip_size(struct flm_bytes packed);

/* Appends the content, of so many bytes. False: nothing is appended; it is damaged, has several
 * members, there is no libdeflate, or no memory. */
bool flm_whole_gzip_add(struct flm_bytes packed, size_t size, struct flm_text *out);

#endif
