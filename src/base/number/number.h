/* number.h - numbers to text and back, without a locale and without loss.
 *
 * A value is a double. Integers below 2^53 are written as integers; others with the fewest digits
 * that read back as the same double. Reading rounds correctly. Neither allocates.
 *
 * Numbers as they are in profiles, integers and short decimals, take 10 to 30 ns each way. Others
 * are exact through whole numbers of many digits (big.h): printing 17 digits takes 0.3 us. */
#ifndef FLAMEL_BASE_NUMBER_NUMBER_H
#define FLAMEL_BASE_NUMBER_NUMBER_H

#include "base/core/bytes.h"

/* Above this a double no longer holds every integer: 2^53. A value that was rounded, or a sum, may
 * stand at it and mean more: what must be exact is below it. */
#define FLM_EXACT_LIMIT 9007199254740992.0

/* The longest text that flm_number_print makes. */
#define FLM_NUMBER_SIZE 32

/* Writes `value` to `out` (FLM_NUMBER_SIZE bytes), not terminated; returns the size. Never with an
 * exponent for 1e-7 <= |value| < 1e21: beyond, 1.5e-9 and 2e21. NaN and infinities: "nan", "inf",
 * "-inf". Zero has no sign. */
size_t flm_number_print(double value, char *out);

/* The same with `digits` significant digits at most (1 to 17), rounded half to even, trailing zeros
 * removed: 1.24, 318, 0.0012. */
size_t flm_number_print_rounded(double value, int digits, char *out);

enum flm_number_kind {
    FLM_NUMBER_NONE,    /* not a number, or bytes left over */
    FLM_NUMBER_INTEGER, /* an optional sign and digits */
    FLM_NUMBER_DECIMAL, /* with a point or an exponent */
    FLM_NUMBER_SPECIAL  /* nan or inf, however spelled, or a decimal too large for a double */
};

/* Reads all of `text`: [+-] digits [. digits] [e [+-] digits]. An integer of any length is rounded
 * to the nearest double: callers that must be exact compare with FLM_EXACT_LIMIT. A value that is
 * too small for a double, and -0, are 0. `value` is only written if there is a number. */
enum flm_number_kind flm_number_parse(struct flm_bytes text, double *value);

/* All of `text`, digits only, as an unsigned integer; false, and `value` as it was, for anything
 * else, and for one above UINT64_MAX. No sign, no 0x. */
bool flm_number_parse_uint(struct flm_bytes text, uint64_t *value);
bool flm_number_parse_hex(struct flm_bytes text, uint64_t *value);

/* What a digit of a hexadecimal number stands for, in either case; -1 for any other byte. */
static inline int flm_hex_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    char lower = (char)(digit | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

#endif
