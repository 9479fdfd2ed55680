#include "base/text/base64.h"

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

static int value_of(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

bool flm_base64_decode(struct flm_bytes text, struct flm_text *out)
{
    if (text.size % 4 != 0)
        return false;
    char *to = flm_text_reserve(out, text.size / 4 * 3);
    if (!to || text.size == 0)
        return true; /* `out` remembers that memory ran out */
    size_t padding = 0;
    while (padding < 2 && text.at[text.size - 1 - padding] == '=')
        padding++;
    uint32_t bits = 0;
    for (size_t i = 0; i < text.size; i++) {
        int value = i < text.size - padding ? value_of(text.at[i]) : 0;
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 != 3)
            continue;
        *to++ = (char)(bits >> 16);
        *to++ = (char)(bits >> 8);
        *to++ = (char)bits;
    }
    if (bits & ((1u << 8 * padding) - 1))
        return false;
    out->size += text.size / 4 * 3 - padding;
    return true;
}
