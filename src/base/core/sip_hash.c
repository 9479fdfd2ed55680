#include "base/core/sip_hash.h"

static uint64_t read_word(const unsigned char *at)
{
    uint64_t word = 0;
    for (int i = 7; i >= 0; i--)
        word = word << 8 | at[i];
    return word;
}

static uint64_t turn(uint64_t word, int bits)
{
    return word << bits | word >> (64 - bits);
}

static void round_once(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turn(v[1], 13) ^ v[0];
    v[3] = turn(v[3], 16) ^ v[2];
    v[0] = turn(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = turn(v[1], 17) ^ v[2];
    v[3] = turn(v[3], 21) ^ v[0];
    v[2] = turn(v[2], 32);
}

static void take_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    round_once(v);
    round_once(v);
    v[0] ^= word;
}

uint64_t flm_sip_hash(const unsigned char key[FLM_SIP_KEY_SIZE], struct flm_bytes text)
{
    const unsigned char *at = (const unsigned char *)text.at;
    uint64_t low = read_word(key), high = read_word(key + 8);
    /* "somepseudorandomlygeneratedbytes" */
    uint64_t v[4] = {low ^ 0x736F6D6570736575u, high ^ 0x646F72616E646F6Du,
                     low ^ 0x6C7967656E657261u, high ^ 0x7465646279746573u};
    unsigned char last[8] = {0};
    size_t left = text.size;
    for (; left >= 8; at += 8, left -= 8)
        take_word(v, read_word(at));
    if (left > 0)
        memcpy(last, at, left);
    last[7] = (unsigned char)text.size;
    take_word(v, read_word(last));
    v[2] ^= 0xFF;
    for (int i = 0; i < 4; i++)
        round_once(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
