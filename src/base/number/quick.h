/* quick.h - the usual numbers of large files: whole ones and decimals of up to 19 digits, which
 * are read 8 digits at a time, with the same result as flm_number_parse.
 *
 *     "-1234.567,"      digits 1234567, exponent -3, negative; end: the comma
 *
 * A number with an exponent or with more digits is left to flm_number_parse. */
#ifndef FLAMEL_BASE_NUMBER_QUICK_H
#define FLAMEL_BASE_NUMBER_QUICK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/number/double.h"
#include "base/number/number.h"

/* As many bytes as flm_quick_number reads at most: sign, point, two times 24 digits. */
#define FLM_QUICK_BYTES 50

struct flm_quick_number {
    const char *end;
    uint64_t digits;
    int exponent; /* of ten: 0 or less */
    bool negative;
};

static const uint64_t flm_quick_tens[20] = {1u,
                                            10u,
                                            100u,
                                            1000u,
                                            10000u,
                                            100000u,
                                            1000000u,
                                            10000000u,
                                            100000000u,
                                            1000000000u,
                                            10000000000u,
                                            100000000000u,
                                            1000000000000u,
                                            10000000000000u,
                                            100000000000000u,
                                            1000000000000000u,
                                            10000000000000000u,
                                            100000000000000000u,
                                            1000000000000000000u,
                                            10000000000000000000u};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* The value of the first `count` of 8 bytes, 1 to 8, which are digits with '0' subtracted. */
static inline uint64_t flm_quick_join8(uint64_t bytes, unsigned count)
{
    /* The first digit is in the lowest byte. Moved up, the zeros below are leading ones. Then
     * neighbors are joined: digits to pairs, pairs to fours, fours to the value. */
    bytes <<= 64 - 8 * count;
    bytes = bytes * 10 + (bytes >> 8);
    return ((bytes & 0xFF000000FF) * 0xF424000000064 +
            (bytes >> 16 & 0xFF000000FF) * 0x271000000001) >>
           32;
}
#endif

/* The value of the `count` digits at `at`, 1 to 8; 8 bytes may be read. */
static inline uint64_t flm_quick_value8(const char *at, unsigned count)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return flm_quick_join8(bytes ^ 0x3030303030303030, count);
#else
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value = value * 10 + (uint64_t)(at[i] - '0');
    return value;
#endif
}

/* The digits that the 8 bytes at `at` begin with: how many, and their value. */
static inline unsigned flm_quick_digits8(const char *at, uint64_t *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t bytes, other;
    memcpy(&bytes, at, sizeof bytes);
    bytes ^= 0x3030303030303030;
    other = (bytes | (bytes + 0x7676767676767676)) & 0x8080808080808080;
    unsigned count = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
    *value = count > 0 ? flm_quick_join8(bytes, count) : 0;
    return count;
#else
    unsigned count = 0;
    for (*value = 0; count < 8 && at[count] >= '0' && at[count] <= '9'; count++)
        *value = *value * 10 + (uint64_t)(at[count] - '0');
    return count;
#endif
}

/* Up to 19 digits; 20 for more. Reads 24 bytes at most. */
static inline unsigned flm_quick_digits(const char *at, uint64_t *value)
{
    uint64_t more;
    unsigned count = flm_quick_digits8(at, value);
    if (count < 8)
        return count;
    unsigned next = flm_quick_digits8(at + 8, &more);
    *value = *value * flm_quick_tens[next] + more;
    if (next < 8)
        return 8 + next;
    next = flm_quick_digits8(at + 16, &more);
    if (next > 3)
        return 20;
    *value = *value * flm_quick_tens[next] + more;
    return 16 + next;
}

/* Reads the number at `at`, where FLM_QUICK_BYTES bytes may be read. False if there is none, or one
 * that is not usual; the caller looks at what stands at `end`: 'e' makes it unusual too. */
static inline bool flm_quick_number(const char *at, struct flm_quick_number *number)
{
    uint64_t fraction;
    number->negative = *at == '-';
    at += number->negative;
    unsigned count = flm_quick_digits(at, &number->digits);
    if (count == 0 || count > 19)
        return false;
    at += count;
    number->exponent = 0;
    if (*at == '.') {
        unsigned places = flm_quick_digits(at + 1, &fraction);
        if (places == 0 || count + places > 19)
            return false;
        number->digits = number->digits * flm_quick_tens[places] + fraction;
        number->exponent = -(int)places;
        at += 1 + places;
    }
    number->end = at;
    return true;
}

/* False for the few that flm_number_parse has to compute with many digits. */
static inline bool flm_quick_value(const struct flm_quick_number *number, double *value)
{
    double magnitude;
    if (number->exponent == 0)
        magnitude = (double)number->digits;
    else if (number->digits <= (uint64_t)FLM_EXACT_LIMIT)
        magnitude = (double)number->digits / flm_exact_tens[-number->exponent];
    else if (!flm_number_nearest(number->digits, number->exponent, &magnitude))
        return false;
    *value = number->negative && number->digits != 0 ? -magnitude : magnitude;
    return true;
}

#endif
