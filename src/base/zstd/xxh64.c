/* xxh64.c - the checksum of a frame: XXH64, as its specification describes it. */
#include "base/zstd/internal.h"

static const uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u,
                      p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u;

static uint64_t turn(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t round_of(uint64_t lane, uint64_t word)
{
    return turn(lane + word * p2, 31) * p1;
}

static void add_stripe(struct flm_xxh64 *hash, const void *at)
{
    for (size_t i = 0; i < 4; i++)
        hash->lanes[i] = round_of(hash->lanes[i], flm_load64((const char *)at + 8 * i));
}

void flm_xxh64_init(struct flm_xxh64 *hash)
{
    *hash = (struct flm_xxh64){.lanes = {p1 + p2, p2, 0, 0 - p1}};
}

void flm_xxh64_add(struct flm_xxh64 *hash, struct flm_bytes bytes)
{
    size_t kept = hash->size % sizeof hash->rest, room = sizeof hash->rest - kept;
    hash->size += bytes.size;
    if (kept > 0) {
        size_t size = bytes.size < room ? bytes.size : room;
        memcpy(hash->rest + kept, bytes.at, size);
        bytes = flm_bytes_from(bytes, size);
        if (size < room)
            return;
        add_stripe(hash, hash->rest);
    }
    for (; bytes.size >= sizeof hash->rest; bytes = flm_bytes_from(bytes, sizeof hash->rest))
        add_stripe(hash, bytes.at);
    memcpy(hash->rest, bytes.at, bytes.size);
}

uint64_t flm_xxh64_result(const struct flm_xxh64 *hash)
{
    static const unsigned bits[4] = {1, 7, 12, 18};
    uint64_t result = p5;
    const unsigned char *at = hash->rest;
    size_t left = hash->size % sizeof hash->rest;
    if (hash->size >= sizeof hash->rest) {
        result = 0;
        for (int i = 0; i < 4; i++)
            result += turn(hash->lanes[i], bits[i]);
        for (int i = 0; i < 4; i++)
            result = (result ^ round_of(0, hash->lanes[i])) * p1 + p4;
    }
    result += hash->size;
    for (; left >= 8; left -= 8, at += 8)
        result = turn(result ^ round_of(0, flm_load64(at)), 27) * p1 + p4;
    for (; left >= 4; left -= 4, at += 4)
        result = turn(result ^ flm_load32(at) * p1, 23) * p2 + p3;
    for (; left > 0; left--, at++)
        result = turn(result ^ *at * p5, 11) * p1;
    result = (result ^ result >> 33) * p2;
    result = (result ^ result >> 29) * p3;
    return result ^ result >> 32;
}
