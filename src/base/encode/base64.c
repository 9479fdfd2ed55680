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

static int value_of(char digit)
{
    if (digit == '-' || digit == '_')
        return digit == '-' ? 62 : 63;
    const char *found = memchr(digits, digit, sizeof digits);
    return found ? (int)(found - digits) : -1;
}

bool flm_base64_decode(struct flm_bytes text, struct flm_text *out)
{
    for (int padding = 0; padding < 2 && text.size > 0 && text.at[text.size - 1] == '='; padding++)
        text.size--;
    char *to = flm_text_reserve(out, text.size / 4 * 3 + 3), *begin = to;
    uint32_t bits = 0;
    unsigned count = 0;
    if (!to || text.size % 4 == 1)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        int value = value_of(text.at[i]);
        if (value < 0)
            return false;
        bits = (bits << 6 | (uint32_t)value) & 0xFFFF;
        count += 6;
        if (count >= 8) {
            count -= 8;
            *to++ = (char)(bits >> count);
        }
    }
    out->size += (size_t)(to - begin);
    return true;
}
