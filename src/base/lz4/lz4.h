/* lz4.h - lz4's frames, decompressed block by block as a source.
 *
 *     04 22 4d 18        a frame: flags, the largest size of a block, a checksum of these
 *     size, bytes ...    blocks: compressed, or as they are (the highest bit of the size)
 *     0                  its end
 *
 * A compressed block is a list of sequences: literals, then a copy of bytes at most 64 KiB earlier,
 * which may belong to the previous block. So the decoder holds 64 KiB of output and one block.
 * Checksums are not checked. */
#ifndef FLAMEL_BASE_LZ4_LZ4_H
#define FLAMEL_BASE_LZ4_LZ4_H

#include "base/text/source.h"

#define FLM_LZ4_MAGIC "\x04\x22\x4d\x18"

enum { FLM_LZ4_MAGIC_SIZE = 4 };

struct flm_lz4 {
    struct flm_source source; /* what it decompresses to; the first member */
    struct flm_source *input; /* the caller's */
    struct flm_source_window window;
    char *block;       /* HISTORY bytes before it, then the block */
    size_t block_size; /* the largest */
    size_t history;    /* bytes before the block that are there */
    size_t at, size;   /* of the block: given to the window, in all */
    bool has_checksums, has_checksum;
};

/* Begins a frame, at whose magic number `input` is. False, and `why`, if there is none. */
bool flm_lz4_open(struct flm_lz4 *lz4, struct flm_source *input, struct flm_error *why);

void flm_lz4_close(struct flm_lz4 *lz4);

#endif
