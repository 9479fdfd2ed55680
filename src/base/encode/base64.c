#include "base/encode/base64.h"

#include <string.h>

static const char digits[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static uint32_t byte_at(struct flm_bytes bytes, size_t i)
{
    return i < bytes.size ? (unsigned char)bytes.at[i] : 0;
}

void flm_base64_add(struct flm_text *out, struct flm_bytes bytes)
{
    size_t groups = bytes.size / 3 + (bytes.size % 3 > 0);
    char *to = flm_text_reserve(out, groups * 4);
    if (!to || groups == 0)
        return;
    for (size_t i = 0; i < bytes.size; i += 3) {
        uint32_t bits =
            byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
        for (int shift = 18; shift >= 0; shift -= 6)
            *to++ = digits[bits >> shift & 63];
    }
    size_t padding = groups * 3 - bytes.size;
    memset(to - padding, '=', padding);
    out->size += groups * 4;
}
