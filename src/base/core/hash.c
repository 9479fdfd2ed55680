#include "base/core/hash.h"

/* XXH64 as its specification states it: four lanes over 32-byte stripes, merged; then the rest, 8,
 * 4 and 1 bytes at a time; then an avalanche. */
static const uint64_t prime1 = 0x9E3779B185EBCA87u, prime2 = 0xC2B2AE3D27D4EB4Fu,
                      prime3 = 0x165667B19E3779F9u, prime4 = 0x85EBCA77C2B2AE63u,
                      prime5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static uint64_t round64(uint64_t lane, uint64_t input)
{
    return rotate(lane + input * prime2, 31) * prime1;
}

static uint64_t merge(uint64_t hash, uint64_t lane)
{
    return (hash ^ round64(0, lane)) * prime1 + prime4;
}

uint64_t flm_checksum(const void *bytes, size_t size)
{
    /* Nothing may have no address, to which nothing may be added, not even 0. */
    const unsigned char *at = bytes, *end = size ? at + size : at;
    uint64_t hash = prime5;
    if (size >= 32) {
        uint64_t a = prime1 + prime2, b = prime2, c = 0, d = 0 - prime1;
        for (; end - at >= 32; at += 32) {
            a = round64(a, flm_load64(at));
            b = round64(b, flm_load64(at + 8));
            c = round64(c, flm_load64(at + 16));
            d = round64(d, flm_load64(at + 24));
        }
        hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
        hash = merge(merge(merge(merge(hash, a), b), c), d);
    }
    hash += size;
    for (; end - at >= 8; at += 8)
        hash = rotate(hash ^ round64(0, flm_load64(at)), 27) * prime1 + prime4;
    if (end - at >= 4) {
        hash = rotate(hash ^ flm_load32(at) * prime1, 23) * prime2 + prime3;
        at += 4;
    }
    for (; at < end; at++)
        hash = rotate(hash ^ *at * prime5, 11) * prime1;
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}
