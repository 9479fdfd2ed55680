#include "base/core/hash.h"

#include <assert.h>
#include <string.h>

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

void flm_checksum_add(struct flm_checksum_state *state, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    assert(size % 32 == 0);
    if (size == 0)
        return;
    if (state->size == 0) {
        const uint64_t first[4] = {prime1 + prime2, prime2, 0, 0 - prime1};
        memcpy(state->lane, first, sizeof first);
    }
    uint64_t a = state->lane[0], b = state->lane[1], c = state->lane[2], d = state->lane[3];
    for (const unsigned char *end = at + size; at < end; at += 32) {
        a = round64(a, flm_load64(at));
        b = round64(b, flm_load64(at + 8));
        c = round64(c, flm_load64(at + 16));
        d = round64(d, flm_load64(at + 24));
    }
    const uint64_t last[4] = {a, b, c, d};
    memcpy(state->lane, last, sizeof last);
    state->size += size;
}

uint64_t flm_checksum_end(struct flm_checksum_state *state, const void *bytes, size_t size)
{
    size_t whole = size / 32 * 32;
    flm_checksum_add(state, bytes, whole);
    /* Nothing may have no address, to which nothing may be added, not even 0. */
    const unsigned char *at = size ? (const unsigned char *)bytes + whole : NULL;
    const unsigned char *end = size ? (const unsigned char *)bytes + size : NULL;
    uint64_t hash = prime5;
    if (state->size > 0) {
        const uint64_t *lane = state->lane;
        hash = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
        for (int i = 0; i < 4; i++)
            hash = merge(hash, lane[i]);
    }
    hash += state->size + (size - whole);
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

uint64_t flm_checksum(const void *bytes, size_t size)
{
    struct flm_checksum_state state = {.size = 0};
    return flm_checksum_end(&state, bytes, size);
}
