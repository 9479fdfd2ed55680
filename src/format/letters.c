#include "format/letters.h"

enum { BYTES = 6, LETTERS = BYTES + 1, NO_DIGIT = 255 };

/* What stands for 0, 1, 2, ... */
static const char alphabet[] = "\1\2\3\4\5\6\t\n\v\f\20\21\22\23\24\25\26\27\30\31\34\35\36\37"
                               " !\"#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`"
                               "abcdefghijklmnopqrstuvwxyz{|}~";
enum { BASE = sizeof alphabet - 1 };

void flm_letters_add(struct flm_text *out, struct flm_bytes bytes)
{
    char *to = flm_text_reserve(out, (bytes.size / BYTES + 1) * LETTERS);
    if (!to)
        return;
    char *start = to;
    for (size_t at = 0; at < bytes.size; at += BYTES) {
        size_t size = bytes.size - at < BYTES ? bytes.size - at : BYTES;
        uint64_t value = 0;
        for (size_t i = 0; i < size; i++)
            value |= (uint64_t)(unsigned char)bytes.at[at + i] << 8 * i;
        for (size_t i = 0; i <= size; i++, value /= BASE)
            *to++ = alphabet[value % BASE];
    }
    out->size += (size_t)(to - start);
}

bool flm_letters_decode(struct flm_bytes letters, struct flm_text *out)
{
    unsigned char digits[256];
    memset(digits, NO_DIGIT, sizeof digits);
    for (unsigned i = 0; i < BASE; i++)
        digits[(unsigned char)alphabet[i]] = (unsigned char)i;
    char *to = flm_text_reserve(out, letters.size);
    if (!to)
        return true; /* the text knows */
    char *start = to;
    for (size_t at = 0; at < letters.size; at += LETTERS) {
        size_t size = letters.size - at < LETTERS ? letters.size - at : LETTERS;
        uint64_t value = 0;
        for (size_t i = size; i-- > 0;) {
            unsigned digit = digits[(unsigned char)letters.at[at + i]];
            if (digit == NO_DIGIT)
                return false;
            value = value * BASE + digit;
        }
        if (size == 1 || value >> 8 * (size - 1))
            return false;
        for (size_t i = 0; i + 1 < size; i++, value >>= 8)
            *to++ = (char)value;
    }
    out->size += (size_t)(to - start);
    return true;
}
