/* inflate.h - decompression of zlib's format (RFC 1950, 1951), of bytes that are all there: for
 * formats that have such bytes inside. Files that are compressed as a whole are os/gzip.h's.
 *
 *     header, 2 bytes | block block ... | checksum, 4 bytes
 *
 * A block is bytes as they are, or literals and copies ("17 bytes from 1,200 before") under two
 * Huffman codes, which are fixed or described at its beginning. The memory is what comes out, and
 * 5 KB. Lengths, distances and checksums that do not agree are refused. */
#ifndef FLAMEL_BASE_DEFLATE_INFLATE_H
#define FLAMEL_BASE_DEFLATE_INFLATE_H

#include "base/text/text.h"

/* Appends what `bytes` are to `out`, at most `most` bytes. NULL, or the reason why they are
 * refused; out->failed says that memory ran out. */
const char *flm_inflate(struct flm_bytes bytes, struct flm_text *out, size_t most);

#endif
