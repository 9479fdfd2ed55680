/* internal.h - what the files of the decoder share: bits, codes, a block. */
#ifndef FLAMEL_BASE_ZSTD_INTERNAL_H
#define FLAMEL_BASE_ZSTD_INTERNAL_H

#include "base/core/bytes.h"
#include "base/core/hash.h"

enum {
    FLM_ZSTD_BLOCK = 128 << 10, /* the most bytes of a block, compressed or not */
    FLM_ZSTD_PAD = 32           /* readable before and after the bytes of a block */
};

/* ---- Bits ------------------------------------------------------------------------------------ */

/* A stream of bits that is read from its end to its start. `left` counts the bits that are not read
 * yet, and FLM_ZSTD_PAD bytes: so reads that go a little past the start are harmless, and are
 * noticed afterward, once for several reads. */
struct flm_zstd_bits {
    const unsigned char *padded; /* FLM_ZSTD_PAD bytes before the start */
    size_t left;
};

enum { FLM_ZSTD_NO_BITS = 8 * FLM_ZSTD_PAD };

/* The highest bit that is set; `value` is not 0. */
static inline unsigned flm_zstd_log2(uint32_t value)
{
    return 31 - (unsigned)__builtin_clz(value);
}

/* False for bytes that are no stream: their last one has the bit that marks the end. */
static inline bool flm_zstd_bits_open(struct flm_zstd_bits *bits, const unsigned char *at,
                                      size_t size)
{
    if (size == 0 || at[size - 1] == 0)
        return false;
    bits->padded = at - FLM_ZSTD_PAD;
    bits->left = FLM_ZSTD_NO_BITS + 8 * (size - 1) + flm_zstd_log2(at[size - 1]);
    return true;
}

/* The next bits, which stay; at most 57. */
static inline uint64_t flm_zstd_bits_peek(const struct flm_zstd_bits *bits, unsigned count)
{
    size_t at = bits->left - count;
    return flm_load64(bits->padded + at / 8) >> at % 8 & (((uint64_t)1 << count) - 1);
}

static inline uint64_t flm_zstd_bits_read(struct flm_zstd_bits *bits, unsigned count)
{
    uint64_t value = flm_zstd_bits_peek(bits, count);
    bits->left -= count;
    return value;
}

/* ---- Codes ----------------------------------------------------------------------------------- */

enum { FLM_ZSTD_FSE_LOG = 9, FLM_ZSTD_HUFFMAN_LOG = 11, FLM_ZSTD_SYMBOLS = 256 };

/* An ANS code: a state is a cell, which has a symbol, and the next state is base + `bits` bits. */
struct flm_zstd_fse {
    unsigned log; /* there are 1 << log cells */
    bool valid;   /* a later block may use it again */
    struct {
        uint16_t base;
        uint8_t symbol, bits;
    } cell[1 << FLM_ZSTD_FSE_LOG];
};

/* `counts`: how many cells each symbol has; -1: one, of the least probability. They fill 1 << log
 * cells. */
void flm_zstd_fse_build(struct flm_zstd_fse *fse, unsigned log, const int16_t *counts,
                        unsigned symbols);

/* Reads a table at the beginning of `in`, and moves `in` behind it. The bytes behind `in` are
 * padded. False for one that is malformed, or larger. */
bool flm_zstd_fse_read(struct flm_zstd_fse *fse, unsigned most_log, unsigned most_symbols,
                       struct flm_bytes *in);

/* A Huffman code: the next `log` bits are a cell, which has a symbol, of that many of the bits. */
struct flm_zstd_huffman {
    unsigned log; /* 0: none yet */
    struct {
        uint8_t symbol, bits;
    } cell[1 << FLM_ZSTD_HUFFMAN_LOG];
};

/* As above. `scratch` is overwritten. */
bool flm_zstd_huffman_read(struct flm_zstd_huffman *code, struct flm_zstd_fse *scratch,
                           struct flm_bytes *in);

/* Decodes a stream, which has exactly `count` symbols. */
bool flm_zstd_huffman_decode(const struct flm_zstd_huffman *code, struct flm_bytes in,
                             unsigned char *out, size_t count);

/* ---- A block --------------------------------------------------------------------------------- */

enum { FLM_ZSTD_LITERAL_LENGTH, FLM_ZSTD_OFFSET, FLM_ZSTD_MATCH_LENGTH, FLM_ZSTD_NUMBERS };

/* What a block leaves for the next one of its frame, and the memory it needs. */
struct flm_zstd_block {
    struct flm_zstd_huffman huffman;
    struct flm_zstd_fse fse[FLM_ZSTD_NUMBERS], scratch;
    uint32_t offsets[3]; /* the last ones */
    unsigned char literals[FLM_ZSTD_BLOCK + FLM_ZSTD_PAD];
};

void flm_zstd_block_begin_frame(struct flm_zstd_block *block);

/* Decodes a compressed block (`in` has FLM_ZSTD_PAD readable bytes on both sides) to `out`, which
 * has room for FLM_ZSTD_BLOCK + FLM_ZSTD_PAD bytes. Matches may refer to the `reach` bytes before
 * `out`. Returns the size; -1 if the block is malformed or larger than `most`. */
long flm_zstd_block_decode(struct flm_zstd_block *block, struct flm_bytes in, unsigned char *out,
                           size_t reach, size_t most);

/* ---- The checksum ---------------------------------------------------------------------------- */

/* XXH64 with seed 0, of a stream. */
struct flm_xxh64 {
    uint64_t lanes[4], size;
    unsigned char rest[32];
};

void flm_xxh64_init(struct flm_xxh64 *hash);
void flm_xxh64_add(struct flm_xxh64 *hash, struct flm_bytes bytes);
uint64_t flm_xxh64_result(const struct flm_xxh64 *hash);

#endif
