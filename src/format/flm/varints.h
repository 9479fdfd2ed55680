/* varints.h - the bytes of packed profiles: numbers of 7 bits a byte, low ones first; signed ones
 * with the sign in the lowest bit, so that small numbers of either sign stay small.
 *
 * A cursor reads from the beginning of its bytes. Reading past the end returns zeros and is
 * remembered: the reader checks once, at the end. */
#ifndef FLAMEL_FORMAT_FLM_VARINTS_H
#define FLAMEL_FORMAT_FLM_VARINTS_H

#include "base/text/text.h"

enum { FLM_LONGEST_VARINT = 10 };

struct flm_cursor {
    const unsigned char *at, *end;
    bool bad;
};

uint64_t flm_take_long(struct flm_cursor *c);

static inline uint64_t flm_take(struct flm_cursor *c)
{
    return c->at < c->end && *c->at < 0x80 ? *c->at++ : flm_take_long(c);
}

static inline uint32_t flm_take32(struct flm_cursor *c)
{
    uint64_t value = flm_take(c);
    c->bad |= value > UINT32_MAX;
    return (uint32_t)value;
}

static inline int64_t flm_signed_of(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

static inline int64_t flm_take_signed(struct flm_cursor *c)
{
    return flm_signed_of(flm_take(c));
}

static inline size_t flm_left(const struct flm_cursor *c)
{
    return (size_t)(c->end - c->at);
}

static inline uint64_t flm_with_sign(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline void flm_put_varint(struct flm_text *out, uint64_t value)
{
    char *at = flm_text_reserve(out, FLM_LONGEST_VARINT);
    if (!at)
        return;
    char *start = at;
    for (; value >= 0x80; value >>= 7)
        *at++ = (char)(value | 0x80);
    *at++ = (char)value;
    out->size += (size_t)(at - start);
}

#endif
