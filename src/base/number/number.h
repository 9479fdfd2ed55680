/* number.h - numbers to text and back, without a locale and without loss.
 *
 * A value is a double. Integers below 2^53 are written as integers; others with the fewest digits
 * that read back as the same double. Reading rounds correctly. Neither allocates.
 *
 * The usual numbers of profiles, integers and short decimals, take 10 to 30 ns each way. For others
 * exactness takes integers of many digits (big.h): printing 17 digits takes 0.3 us. */
#ifndef FLAMEL_BASE_NUMBER_NUMBER_H
#define FLAMEL_BASE_NUMBER_NUMBER_H

#include "base/core/bytes.h"

/* 2^53: above it a double cannot hold every integer. A rounded value or a sum may be equal to it
 * and stand for a larger number, so only values below it are exact. */
#define FLM_EXACT_LIMIT 9007199254740992.0

/* 2^1000: the values of a column of a profile that is made here, without their signs, sum to this
 * at most. So sums over columns, and over millions of profiles, are finite without being
 * checked. */
#define FLM_SUM_LIMIT 0x1p1000

/* The longest text that flm_number_print makes. */
#define FLM_NUMBER_SIZE 32

/* Writes `value` to `out` (FLM_NUMBER_SIZE bytes), not terminated; returns the size. There is no
 * exponent for 1e-7 <= |value| < 1e21; other values are written as 1.5e-9 or 2e21. NaN and
 * infinities: "nan", "inf", "-inf". Zero has no sign. */
size_t flm_number_print(double value, char *out);

/* The same, but whole numbers below 1e21 have all their digits: 2^63 is 9223372036854775808, where
 * the fewest digits are 9223372036854776000. */
size_t flm_number_print_exactly(double value, char *out);

/* flm_number_print with at most `digits` significant digits (1 to 17), rounded half to even,
 * trailing zeros removed: 1.24, 318, 0.0012. */
size_t flm_number_print_rounded(double value, int digits, char *out);

enum flm_number_kind {
    FLM_NUMBER_NONE,    /* not a number, or bytes left over */
    FLM_NUMBER_INTEGER, /* an optional sign and digits */
    FLM_NUMBER_DECIMAL, /* with a point or an exponent */
    FLM_NUMBER_SPECIAL  /* nan or inf, however spelled, or a decimal too large for a double */
};

/* Reads all of `text`: [+-] digits [. digits] [e [+-] digits]. An integer of any length is rounded
 * to the nearest double: flm_number_is_rounded tells. A value that is too small for a double, and
 * -0, are 0. `value` is only written for a number. */
enum flm_number_kind flm_number_parse(struct flm_bytes text, double *value);

/* The double nearest to digits * 10^exponent, for an exponent from -300 to 280 and digits that are
 * not 0. False, in one of a hundred cases, where it takes more than 64 bits to tell. */
bool flm_number_nearest(uint64_t digits, int exponent, double *value);

/* Whether `text`, which was read as `value`, stands for a number of 2^53 or more that no double is:
 * 9007199254740993, but not 9007199254740994. */
bool flm_number_is_rounded(struct flm_bytes text, double value);

/* The same of an integer. */
static inline bool flm_uint_is_rounded(uint64_t value)
{
    /* The double of 2^64 - 1 is 2^64, which is no uint64_t. */
    return value >= (uint64_t)1 << 53 &&
           ((double)value >= 0x1p64 || (uint64_t)(double)value != value);
}

/* Reads all of `text`, which has only digits (no sign, no 0x), as an unsigned integer. False for
 * anything else and for a number above UINT64_MAX; `value` is then unchanged. */
bool flm_number_parse_uint(struct flm_bytes text, uint64_t *value);
bool flm_number_parse_hex(struct flm_bytes text, uint64_t *value);

/* The value of a hexadecimal digit, upper or lower case; -1 for any other byte. */
static inline int flm_hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    char lower = (char)(digit | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

#endif
