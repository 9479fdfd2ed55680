/* section_read.h - reads numbers from a section that may be truncated or damaged.
 *
 * A read past the end returns 0, moves to the end and sets `failed`: a caller that reads several
 * numbers checks once, after the last one. */
#ifndef FLAMEL_SYMBOL_ELF_SECTION_READ_H
#define FLAMEL_SYMBOL_ELF_SECTION_READ_H

#include "base/core/bytes.h"

struct flm_section_reader {
    const uint8_t *at, *end;
    bool swapped;
    bool failed;
};

static inline struct flm_section_reader flm_section_reader(struct flm_bytes bytes, bool swapped)
{
    const uint8_t *at = (const uint8_t *)bytes.at;
    return (struct flm_section_reader){at, bytes.size ? at + bytes.size : at, swapped, false};
}

static inline size_t flm_section_left(const struct flm_section_reader *in)
{
    return (size_t)(in->end - in->at);
}

static inline bool flm_section_have(struct flm_section_reader *in, size_t size)
{
    if (flm_section_left(in) >= size)
        return true;
    in->at = in->end;
    in->failed = true;
    return false;
}

static inline uint8_t flm_section_u8(struct flm_section_reader *in)
{
    return flm_section_have(in, 1) ? *in->at++ : 0;
}

/* Of 1, 2, 4 or 8 bytes. */
static inline uint64_t flm_section_fixed(struct flm_section_reader *in, size_t size)
{
    if (!flm_section_have(in, size))
        return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)in->at[in->swapped ? size - 1 - i : i] << (8 * i);
    in->at += size;
    return value;
}

/* LEB128; bits above the lowest 64 are dropped. */
static inline uint64_t flm_section_uleb(struct flm_section_reader *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; flm_section_have(in, 1); shift += 7) {
        uint8_t byte = *in->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return value;
    }
    return 0;
}

static inline int64_t flm_section_sleb(struct flm_section_reader *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; flm_section_have(in, 1);) {
        uint8_t byte = *in->at++;
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7F) << shift;
        shift += 7;
        if (!(byte & 0x80)) {
            if (byte & 0x40 && shift < 64)
                value |= ~UINT64_C(0) << shift;
            return (int64_t)value;
        }
    }
    return 0;
}

/* The next `size` bytes; none when there are fewer. */
static inline struct flm_bytes flm_section_bytes(struct flm_section_reader *in, uint64_t size)
{
    if (size > flm_section_left(in)) {
        in->at = in->end;
        in->failed = true;
        return (struct flm_bytes){(const char *)in->end, 0};
    }
    struct flm_bytes bytes = {(const char *)in->at, (size_t)size};
    in->at += size;
    return bytes;
}

#endif
