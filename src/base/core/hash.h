/* hash.h - hashing of bytes: fast for tables, standard for files. */
#ifndef FLAMEL_BASE_CORE_HASH_H
#define FLAMEL_BASE_CORE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* 64 x 64 -> 128 bits, folded: every bit of both factors reaches every bit of the result. */
static inline uint64_t flm_mix(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t a_high = a >> 32, a_low = (uint32_t)a, b_high = b >> 32, b_low = (uint32_t)b;
    uint64_t high = a_high * b_high, low = a_low * b_low;
    uint64_t middle1 = a_high * b_low, middle2 = a_low * b_high;
    uint64_t carry = (low >> 32) + (uint32_t)middle1 + (uint32_t)middle2;
    return (low + (middle1 << 32) + (middle2 << 32)) ^
           (high + (middle1 >> 32) + (middle2 >> 32) + (carry >> 32));
#endif
}

static inline uint64_t flm_load64(const void *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint32_t flm_load32(const void *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* For tables in memory: good, quick on names of 10 to 100 bytes, not the same on every machine,
 * never to be stored. Reads only [at, at + size). */
static inline uint64_t flm_hash(const void *bytes, size_t size)
{
    const uint64_t k1 = 0x9E3779B97F4A7C15u, k2 = 0xD6E8FEB86659FD93u;
    const char *at = bytes;
    uint64_t hash = (size + 1) * k1, a, b; /* never 0: of "" a product of 0 would be left */
    size_t left = size;
    for (; left > 16; at += 16, left -= 16)
        hash = flm_mix(flm_load64(at) ^ k1, flm_load64(at + 8) ^ hash);
    if (left >= 8) {
        a = flm_load64(at);
        b = flm_load64(at + left - 8);
    } else if (left >= 4) {
        a = flm_load32(at);
        b = flm_load32(at + left - 4);
    } else {
        a = left > 0 ? (unsigned char)at[0] : 0;
        b = left > 0 ? (uint64_t)(unsigned char)at[left / 2] << 8 | (unsigned char)at[left - 1] : 0;
    }
    return flm_mix(a ^ k2, b ^ hash);
}

/* One or two numbers, for tables with 32 bits of a hash. */
static inline uint32_t flm_hash_numbers(uint64_t a, uint64_t b)
{
    return (uint32_t)flm_mix(a ^ 0x9E3779B97F4A7C15u, b ^ 0xD6E8FEB86659FD93u);
}

/* XXH64 with seed 0 (Collet's published algorithm): the checksum of .flm sections. Little-endian
 * reads, so it is the same on every machine. */
uint64_t flm_checksum(const void *bytes, size_t size);

/* The same checksum of bytes that come in blocks: start with {0}, add any number of blocks whose
 * sizes are multiples of 32, and end with the rest, of any size. */
struct flm_checksum_state {
    uint64_t lane[4], size;
};

void flm_checksum_add(struct flm_checksum_state *state, const void *bytes, size_t size);
uint64_t flm_checksum_end(struct flm_checksum_state *state, const void *bytes, size_t size);

#endif
