/* internal.h - the layout of a segment's file, which its writer and its reader share.
 *
 *     0   "FLMSEG1\n"               32  u64  size of the index, as it is in the file
 *     8   i64  from, ms             40  u64  its size, decompressed
 *     16  i64  until, ms            48  u64  its checksum, as it is in the file
 *     24  u64  where the index is   56  u64  checksum of bytes 0 to 55
 *
 * The index: varints, and texts after their sizes.
 *
 *     series count, and each series
 *     tree: a block (offset, size in the file, size decompressed, checksum of 8 bytes)
 *     group count, and of each: type, first series, series count, rows, and its three blocks */
#ifndef FLAMEL_STORE_SEGMENT_INTERNAL_H
#define FLAMEL_STORE_SEGMENT_INTERNAL_H

#include "base/core/bytes.h"

#define FLM_SEGMENT_MAGIC "FLMSEG1\n"

enum { FLM_SEGMENT_HEADER = 64 };
enum flm_segment_view {
    FLM_SEGMENT_TOTALS,
    FLM_SEGMENT_TIMES,
    FLM_SEGMENT_ROWS,
    FLM_SEGMENT_VIEWS
};

/* Where a compressed part of the file is. */
struct flm_segment_block {
    uint64_t offset, size, raw_size, checksum;
};

static inline void flm_put_u64(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t flm_get_u64(const unsigned char *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

#endif
