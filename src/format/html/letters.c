#include "format/html/letters.h"

#include "base/text/utf.h"

enum { FIRST = 0x3400, BITS = 15, FIRST_LAST = 0x2800, LAST_BITS = 7, UTF8 = 3 };

void flm_letters_add(struct flm_text *out, struct flm_bytes bytes)
{
    char *to = flm_text_reserve(out, (bytes.size * 8 / BITS + 1) * UTF8);
    if (!to)
        return;
    char *start = to;
    uint32_t held = 0;
    unsigned bits = 0;
    for (size_t at = 0; at < bytes.size; at++) {
        held |= (uint32_t)(unsigned char)bytes.at[at] << bits;
        bits += 8;
        if (bits < BITS)
            continue;
        to += flm_utf8_put(FIRST + (held & ((1u << BITS) - 1)), to);
        held >>= BITS;
        bits -= BITS;
    }
    if (bits > 0)
        to += flm_utf8_put((bits > LAST_BITS ? FIRST : FIRST_LAST) + held, to);
    out->size += (size_t)(to - start);
}

bool flm_letters_decode(struct flm_bytes letters, struct flm_text *out)
{
    char *to = flm_text_reserve(out, letters.size / UTF8 * BITS / 8);
    if (!to)
        return true; /* the text knows */
    char *start = to;
    uint32_t held = 0;
    unsigned bits = 0;
    while (letters.size > 0) {
        uint32_t code;
        size_t size = flm_utf8_sequence(letters, &code);
        bool is_last =
            size == letters.size && code >= FIRST_LAST && code < FIRST_LAST + (1u << LAST_BITS);
        if (size == 0 || (!is_last && (code < FIRST || code >= FIRST + (1u << BITS))))
            return false;
        letters.at += size;
        letters.size -= size;
        held |= (code - (is_last ? FIRST_LAST : FIRST)) << bits;
        for (bits += is_last ? LAST_BITS : BITS; bits >= 8; bits -= 8, held >>= 8)
            *to++ = (char)held;
    }
    out->size += (size_t)(to - start);
    return held == 0;
}
