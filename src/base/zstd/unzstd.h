/* unzstd.h - decompression of zstd, RFC 8878, where there is no libzstd: in the page's module.
 *
 *     struct flm_unzstd *unzstd = flm_unzstd_new(&source, &why);
 *     while ((good = flm_unzstd_next(unzstd, &bytes, &why)) && bytes.size > 0)
 *         use(bytes);
 *     flm_unzstd_free(unzstd);
 *
 * The input is any number of frames one after another, with skippable frames among them. A frame is
 *
 *     magic  header  block block ... block  checksum       the checksum and most of the header are
 *                    3 bytes + at most 128 KiB             optional
 *
 * and a block is bytes as they are, one byte many times, or two sections: literals under a Huffman
 * code, and sequences ("copy 3 literals, then 17 bytes from 1,200 before"), whose three numbers
 * are under three ANS codes. Each block is returned as soon as it is decoded, so the memory is the
 * frame's window, a half of it, and 300 KB.
 *
 * Lengths, sizes and checksums that do not agree are refused. So are dictionaries, which nothing
 * brings along, and windows that zstd itself refuses unless it is told not to. */
#ifndef FLAMEL_BASE_ZSTD_UNZSTD_H
#define FLAMEL_BASE_ZSTD_UNZSTD_H

#include "base/text/source.h"

struct flm_unzstd;

/* `source` is borrowed until the decoder is freed. NULL, and `why`: out of memory. */
struct flm_unzstd *flm_unzstd_new(struct flm_source *source, struct flm_error *why);
void flm_unzstd_free(struct flm_unzstd *unzstd);

/* The next bytes, none at the end of the input. They are valid until the next call. False, and
 * `why`, when the input is damaged or cut off, is not zstd, or memory ran out. */
bool flm_unzstd_next(struct flm_unzstd *unzstd, struct flm_bytes *bytes, struct flm_error *why);

/* The same for a stream that comes in pieces: `source` has what is there now, and the rest will be
 * in it at a later call, behind what is left. Returns no bytes where the next block is not whole.
 * What is left is no more than a block and 20 bytes. */
bool flm_unzstd_next_whole(struct flm_unzstd *unzstd, struct flm_bytes *bytes,
                           struct flm_error *why);

#endif
