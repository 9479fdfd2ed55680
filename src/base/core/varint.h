/* varint.h - numbers of 7 bits a byte, the lowest first, read by the 8 bytes that lie there.
 *
 * Numbers that are not small have any length, so a test of each byte is often mispredicted. These
 * have no loop and one test. The caller knows that 8 bytes can be read. */
#ifndef FLAMEL_BASE_CORE_VARINT_H
#define FLAMEL_BASE_CORE_VARINT_H

#include <stdint.h>
#include <string.h>

/* One load. (Of a loop over the bytes gcc 12 makes one at -O3 only.) */
static inline uint64_t flm_load_little_endian(const unsigned char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Bit 7 of each of the 8 bytes that is the last one of a number. */
static inline uint64_t flm_varint_ends(uint64_t word)
{
    return ~word & 0x8080808080808080u;
}

/* The size of the number at `at`; 0, and no value, if it is longer than 8 bytes. */
static inline unsigned flm_varint_short(const unsigned char *at, uint64_t *value)
{
    uint64_t word = flm_load_little_endian(at), ends = flm_varint_ends(word);
    if (!ends)
        return 0;
    word &= ends ^ (ends - 1); /* up to the first end */
    word = (word & 0x007F007F007F007Fu) | (word & 0x7F007F007F007F00u) >> 1;
    word = (word & 0x00003FFF00003FFFu) | (word & 0x3FFF00003FFF0000u) >> 2;
    *value = (word & 0x000000000FFFFFFFu) | (word & 0x0FFFFFFF00000000u) >> 4;
    return (unsigned)__builtin_ctzll(ends) / 8 + 1;
}

#endif
