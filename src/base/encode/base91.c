#include "base/encode/base91.h"

#include <string.h>

enum { LETTERS = 91, PAIR_BITS = 13, SINGLE_BITS = 6 };

static char letter(uint32_t value)
{
    return (char)('#' + value + (value >= '<' - '#'));
}

void flm_base91_add(struct flm_text *out, struct flm_bytes bytes)
{
    char *to = flm_text_reserve(out, bytes.size / PAIR_BITS * 16 + 32), *start = to;
    if (!to)
        return;
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        bits |= (uint32_t)(unsigned char)bytes.at[i] << count;
        count += 8;
        if (count < PAIR_BITS)
            continue;
        uint32_t value = bits & ((1u << PAIR_BITS) - 1);
        *to++ = letter(value % LETTERS);
        *to++ = letter(value / LETTERS);
        bits >>= PAIR_BITS;
        count -= PAIR_BITS;
    }
    if (count > 0)
        *to++ = letter(bits % LETTERS);
    if (count > SINGLE_BITS)
        *to++ = letter(bits / LETTERS);
    out->size += (size_t)(to - start);
}

/* The number that a letter stands for; LETTERS or more: the byte is not one of the 91 letters. */
static uint32_t value_of(unsigned char c)
{
    return c == '<' ? LETTERS : (uint32_t)c - '#' - (c > '<');
}

size_t flm_base91_decode_in_place(unsigned char *text, size_t size)
{
    unsigned char *to = text;
    uint32_t bits = 0, count = 0;
    for (size_t i = 0; i < size; i += 2) {
        bool pair = size - i > 1;
        uint32_t first = value_of(text[i]), second = pair ? value_of(text[i + 1]) : 0;
        uint32_t room = pair ? PAIR_BITS : SINGLE_BITS, value = first + LETTERS * second;
        if (first >= LETTERS || second >= LETTERS || value >> room != 0)
            return SIZE_MAX;
        bits |= value << count;
        for (count += room; count >= 8; count -= 8, bits >>= 8)
            *to++ = (unsigned char)bits;
    }
    /* No letter without a bit of a byte, and no bit behind the last byte. */
    bool good = bits == 0 && count < (size % 2 ? SINGLE_BITS : PAIR_BITS - SINGLE_BITS);
    return good ? (size_t)(to - text) : SIZE_MAX;
}

bool flm_base91_decode(struct flm_bytes text, struct flm_text *out)
{
    char *to = flm_text_reserve(out, text.size);
    if (!to || text.size == 0)
        return true; /* `out` remembers that memory ran out */
    memcpy(to, text.at, text.size);
    size_t size = flm_base91_decode_in_place((unsigned char *)to, text.size);
    if (size == SIZE_MAX)
        return false;
    out->size += size;
    return true;
}
