#include "base/text/utf.h"

enum flm_utf16 flm_utf16_detect(struct flm_bytes head)
{
    const unsigned char *at = (const unsigned char *)head.at;
    if (head.size >= 2 && at[0] == 0xFF && at[1] == 0xFE)
        return FLM_UTF16_LITTLE;
    if (head.size >= 2 && at[0] == 0xFE && at[1] == 0xFF)
        return FLM_UTF16_BIG;
    enum { LOOK_AT = 64 };
    size_t pairs = head.size < LOOK_AT ? head.size / 2 : LOOK_AT / 2, little = 0, big = 0;
    for (size_t i = 0; i < pairs; i++) {
        little += at[2 * i] != 0 && at[2 * i] < 128 && at[2 * i + 1] == 0;
        big += at[2 * i] == 0 && at[2 * i + 1] != 0 && at[2 * i + 1] < 128;
    }
    if (pairs < 4)
        return FLM_UTF16_NOT;
    return little == pairs ? FLM_UTF16_LITTLE : big == pairs ? FLM_UTF16_BIG : FLM_UTF16_NOT;
}

size_t flm_utf16_room(size_t size)
{
    return size / 2 * 3 + 3; /* the worst unit becomes three bytes */
}

static uint32_t unit_at(const unsigned char *at, enum flm_utf16 order)
{
    return order == FLM_UTF16_LITTLE ? at[0] | (uint32_t)at[1] << 8 : at[1] | (uint32_t)at[0] << 8;
}

size_t flm_utf16_convert(struct flm_bytes text, enum flm_utf16 order, char *to)
{
    const unsigned char *at = (const unsigned char *)text.at, *end = at + text.size / 2 * 2;
    size_t size = 0;
    if (end - at >= 2 && unit_at(at, order) == 0xFEFF)
        at += 2;
    while (at < end) {
        uint32_t code = unit_at(at, order);
        at += 2;
        if (code >= 0xD800 && code < 0xDC00 && at < end) {
            uint32_t low = unit_at(at, order);
            if (low >= 0xDC00 && low < 0xE000) {
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                at += 2;
            }
        }
        if (code >= 0xD800 && code < 0xE000)
            code = 0xFFFD;
        size += flm_utf8_put(code, to + size);
    }
    return size;
}

int flm_utf16_take(struct flm_bytes *utf8, uint16_t units[2])
{
    uint32_t code;
    size_t size = flm_utf8_sequence(*utf8, &code);
    if (size == 0) {
        size = 1;
        code = 0xFFFD;
    }
    utf8->at += size;
    utf8->size -= size;
    if (code < 0x10000) {
        units[0] = (uint16_t)code;
        return 1;
    }
    units[0] = (uint16_t)(0xD800 + ((code - 0x10000) >> 10));
    units[1] = (uint16_t)(0xDC00 + (code & 0x3FF));
    return 2;
}

size_t flm_utf8_sequence(struct flm_bytes text, uint32_t *code)
{
    const unsigned char *at = (const unsigned char *)text.at;
    if (text.size == 0)
        return 0;
    if (at[0] < 0x80) {
        *code = at[0];
        return 1;
    }
    size_t size = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    if (at[0] < 0xC2 || at[0] > 0xF4 || text.size < size)
        return 0;
    uint32_t value = at[0] & (0xFFu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3F);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < least[size] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return 0;
    *code = value;
    return size;
}

size_t flm_utf8_put(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    if (code < 0x10000) {
        to[0] = (char)(0xE0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3F));
        to[2] = (char)(0x80 | (code & 0x3F));
        return 3;
    }
    to[0] = (char)(0xF0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3F));
    to[2] = (char)(0x80 | (code >> 6 & 0x3F));
    to[3] = (char)(0x80 | (code & 0x3F));
    return 4;
}

bool flm_is_hidden(uint32_t code)
{
    return code < ' ' || (code >= 0x7F && code < 0xA0) || code == 0xAD || code == 0x61C ||
           (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2060 && code <= 0x206F) || (code >= 0xFDD0 && code <= 0xFDEF) ||
           code == 0xFEFF || (code & 0xFFFE) == 0xFFFE || (code >= 0xFFF9 && code <= 0xFFFB) ||
           (code >= 0xE0000 && code <= 0xE007F);
}

size_t flm_utf8_mask_hidden(char *text, size_t size)
{
    size_t kept = 0;
    for (size_t at = 0; at < size;) {
        uint32_t code = 0;
        size_t length = flm_utf8_sequence((struct flm_bytes){text + at, size - at}, &code);
        if (length == 0 || flm_is_hidden(code)) {
            text[kept++] = '?';
            at += length > 0 ? length : 1;
            continue;
        }
        for (; length > 0; length--)
            text[kept++] = text[at++];
    }
    return kept;
}
