#include "base/number/number.h"

#include "base/number/big.h"
#include "base/number/double.h"

/* ---- The text -------------------------------------------------------------------------------- */

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

enum {
    HEAD_DIGITS = 19,  /* as many as always fit 64 bits */
    EXACT_DIGITS = 800 /* the decimals half way between two doubles have 767 at most */
};

/* The number as written: head * 10^exponent, a little more if `cut`. */
struct written {
    uint64_t head;           /* the first digits, from one that is not 0 */
    int head_count;          /* HEAD_DIGITS at most */
    bool cut;                /* one of the later digits is not 0 */
    int64_t exponent;        /* of ten */
    struct flm_bytes digits; /* all, beginning with the same one; a point may be among them */
};

/* Reads the digits at `at`; returns where they end. */
static size_t read_digits(struct flm_bytes text, size_t at, struct written *w)
{
    for (; at < text.size && is_digit(text.at[at]); at++) {
        unsigned digit = (unsigned)(text.at[at] - '0');
        if (w->head_count == HEAD_DIGITS) {
            w->exponent++;
            w->cut |= digit > 0;
        } else if (digit > 0 || w->head_count > 0) {
            if (w->head_count++ == 0)
                w->digits.at = text.at + at;
            w->head = w->head * 10 + digit;
        }
    }
    return at;
}

/* Reads [e [+-] digits] at `at`; returns where it ends, which is `at` where there is none. */
static size_t read_exponent(struct flm_bytes text, size_t at, int64_t *exponent)
{
    size_t end = at;
    if (end == text.size || (text.at[end] != 'e' && text.at[end] != 'E'))
        return at;
    end++;
    bool negative = end < text.size && text.at[end] == '-';
    if (end < text.size && (text.at[end] == '-' || text.at[end] == '+'))
        end++;
    size_t first = end;
    int64_t number = 0;
    for (; end < text.size && is_digit(text.at[end]); end++)
        if (number < INT64_MAX / 100) /* no text is long enough to make up for more */
            number = number * 10 + (text.at[end] - '0');
    if (end == first)
        return at;
    *exponent += negative ? -number : number;
    return end;
}

/* [+-] is read already. FLM_NUMBER_INTEGER, FLM_NUMBER_DECIMAL or FLM_NUMBER_NONE. */
static enum flm_number_kind read_written(struct flm_bytes text, struct written *w)
{
    size_t at = read_digits(text, 0, w);
    if (at == 0)
        return FLM_NUMBER_NONE;
    size_t whole_end = at;
    if (at < text.size && text.at[at] == '.') {
        size_t first = at + 1;
        at = read_digits(text, first, w);
        if (at == first)
            return FLM_NUMBER_NONE;
        w->exponent -= (int64_t)(at - first);
    }
    if (w->head_count > 0)
        w->digits.size = (size_t)(text.at + at - w->digits.at);
    at = read_exponent(text, at, &w->exponent);
    if (at != text.size)
        return FLM_NUMBER_NONE;
    return at == whole_end ? FLM_NUMBER_INTEGER : FLM_NUMBER_DECIMAL;
}

/* nan, inf, infinity; case does not matter. */
static bool read_name(struct flm_bytes text, double *value)
{
    char lower[8];
    if (text.size > sizeof lower)
        return false;
    for (size_t i = 0; i < text.size; i++)
        lower[i] = (char)(text.at[i] | 0x20);
    struct flm_bytes name = {lower, text.size};
    bool infinite = flm_bytes_are(name, "inf") || flm_bytes_are(name, "infinity");
    *value = flm_double_of_bits(infinite ? FLM_DOUBLE_INFINITY
                                         : FLM_DOUBLE_INFINITY | FLM_DOUBLE_TOP_BIT >> 1);
    return infinite || flm_bytes_are(name, "nan");
}

/* ---- The nearest double ---------------------------------------------------------------------- */

/* mantissa * 2^exponent, the mantissa from 2^63 on. */
struct scaled {
    uint64_t mantissa;
    int exponent;
};

/* 10^(20 i - 360), to the nearest. */
static const struct scaled coarse_tens[] = {
    {0x89bf722840327f82, -1259}, {0xbaaee17fa23ebf76, -1193}, {0xfd00b897478238d1, -1127},
    {0xab70fe17c79ac6ca, -1060}, {0xe858ad248f5c22ca, -994},  {0x9d71ac8fada6c9b5, -927},
    {0xd5605fcdcf32e1d7, -861},  {0x9096ea6f3848984f, -794},  {0xc3f490aa77bd60fd, -728},
    {0x84c8d4dfd2c63f3b, -661},  {0xb3f4e093db73a093, -595},  {0xf3e2f893dec3f126, -529},
    {0xa54394fe1eedb8ff, -462},  {0xdff9772470297ebd, -396},  {0x97c560ba6b0919a6, -329},
    {0xcdb02555653131b6, -263},  {0x8b61313bbabce2c6, -196},  {0xbce5086492111aeb, -130},
    {0x8000000000000000, -63},   {0xad78ebc5ac620000, 3},     {0xeb194f8e1ae525fd, 69},
    {0x9f4f2726179a2245, 136},   {0xd7e77a8f87daf7fc, 202},   {0x924d692ca61be758, 269},
    {0xc646d63501a1511e, 335},   {0x865b86925b9bc5c2, 402},   {0xb616a12b7fe617aa, 468},
    {0xf6c69a72a3989f5c, 534},   {0xa738c6bebb12d16d, 601},   {0xe2a0b5dc971f303a, 667},
    {0x9991a6f3d6bf1766, 734},   {0xd01fef10a657842c, 800},   {0x8d07e33455637eb3, 867},
    {0xbf21e44003acdd2d, 933},
};

static struct scaled normal(uint64_t mantissa, int exponent)
{
    int shift = __builtin_clzll(mantissa);
    return (struct scaled){mantissa << shift, exponent - shift};
}

/* The upper 64 bits of the product: too small by less than one unit of the last place. */
static struct scaled multiply(struct scaled a, struct scaled b)
{
    uint64_t a_high = a.mantissa >> 32, a_low = (uint32_t)a.mantissa;
    uint64_t b_high = b.mantissa >> 32, b_low = (uint32_t)b.mantissa;
    uint64_t low = a_low * b_low, middle1 = a_high * b_low, middle2 = a_low * b_high;
    uint64_t middle = (low >> 32) + (uint32_t)middle1 + (uint32_t)middle2;
    uint64_t high = a_high * b_high + (middle1 >> 32) + (middle2 >> 32) + (middle >> 32);
    int exponent = a.exponent + b.exponent + 64;
    if (high >> 63)
        return (struct scaled){high, exponent};
    return (struct scaled){high << 1 | (middle >> 31 & 1), exponent - 1};
}

/* Compares the number as written with half * 2^exponent, exactly. */
static int compare_written(const struct written *w, uint64_t half, int exponent)
{
    /* The significant digits; if one of the others is not 0, a 1 stands for them all. */
    struct flm_big left, right;
    flm_big_set(&left, 0);
    int count = 0;
    bool rest = false;
    for (size_t i = 0; i < w->digits.size; i++) {
        if (w->digits.at[i] == '.')
            continue;
        if (count < EXACT_DIGITS) {
            flm_big_multiply(&left, 10, (uint32_t)(w->digits.at[i] - '0'));
            count++;
        } else {
            rest |= w->digits.at[i] != '0';
        }
    }
    if (rest) {
        flm_big_multiply(&left, 10, 1);
        count++;
    }
    int ten = (int)w->exponent + w->head_count - count;

    flm_big_set(&right, half);
    flm_big_multiply_fives(ten >= 0 ? &left : &right, (unsigned)(ten >= 0 ? ten : -ten));
    int twos = ten - exponent;
    flm_big_shift(twos >= 0 ? &left : &right, (unsigned)(twos >= 0 ? twos : -twos));
    return flm_big_compare(&left, &right);
}

/* What is between two doubles: mantissa * 2^exponent, and how far it goes to the next one. */
struct between {
    uint64_t mantissa;
    int exponent;
    int order; /* compared with the middle: -1, 1; 0: 64 bits do not tell */
};

/* `error`: how much the digits may be too small, in units of the last place of 64 bits. */
static struct between find_double(uint64_t digits, int ten, uint64_t error)
{
    int coarse = (ten + 360) / 20, fine = (ten + 360) % 20;
    struct scaled s = normal(digits, 0);
    s = multiply(s, normal((uint64_t)flm_exact_tens[fine], 0));
    s = multiply(s, coarse_tens[coarse]);

    /* How many of the 64 bits are below the double's last: 11, and more in subnormal ones. */
    int dropped = 64 - FLM_DOUBLE_BITS;
    if (s.exponent + dropped < FLM_DOUBLE_LEAST_EXPONENT)
        dropped = FLM_DOUBLE_LEAST_EXPONENT - s.exponent;
    if (dropped > 63) {
        s.mantissa >>= dropped - 63;
        s.exponent += dropped - 63;
        dropped = 63;
    }
    uint64_t half = (uint64_t)1 << (dropped - 1);
    uint64_t rest = s.mantissa & (2 * half - 1);
    return (struct between){s.mantissa >> dropped, s.exponent + dropped,
                            (rest >= half + error) - (rest + error <= half)};
}

/* Each product is too small by less than one unit of the last place, and coarse_tens is off by at
 * most half a unit; as a unit of 2^63 may be two of 2^64, that is 5 together. A head that is cut is
 * off by one in at least 10^18, which is 19 units more. Dropping bits below adds one. */
enum { WHOLE_ERROR = 7, CUT_ERROR = 26 };

/* The double nearest to a number between 1e-324 and 1e310: computed from 64 bits of it where these
 * are far enough from the middle between two doubles, as in 99 of 100 cases, and exactly otherwise.
 * Infinity where it is too large. */
static double nearest(const struct written *w)
{
    struct between b = find_double(w->head, (int)w->exponent, w->cut ? CUT_ERROR : WHOLE_ERROR);
    if (b.order == 0) {
        b.order = compare_written(w, 2 * b.mantissa + 1, b.exponent - 1);
        if (b.order == 0)
            b.order = b.mantissa % 2 == 1 ? 1 : -1;
    }
    return flm_double_join(b.mantissa + (b.order > 0), b.exponent);
}

bool flm_number_nearest(uint64_t digits, int exponent, double *value)
{
    struct between b = find_double(digits, exponent, WHOLE_ERROR);
    *value = flm_double_join(b.mantissa + (b.order > 0), b.exponent);
    return b.order != 0;
}

static double value_of(const struct written *w)
{
    if (w->head == 0)
        return 0;
    if (!w->cut && w->exponent == 0)
        return (double)w->head;
    if (!w->cut && w->head <= (uint64_t)FLM_EXACT_LIMIT) {
        /* Both are exact, so the one rounding is the right one. */
        if (w->exponent >= 0 && w->exponent <= FLM_EXACT_TENS)
            return (double)w->head * flm_exact_tens[w->exponent];
        if (w->exponent < 0 && w->exponent >= -FLM_EXACT_TENS)
            return (double)w->head / flm_exact_tens[-w->exponent];
    }
    int64_t point = w->exponent + w->head_count;
    if (point > 310)
        return flm_double_of_bits(FLM_DOUBLE_INFINITY);
    if (point < -323)
        return 0;
    return nearest(w);
}

enum flm_number_kind flm_number_parse(struct flm_bytes text, double *value)
{
    bool negative = text.size > 0 && text.at[0] == '-';
    if (text.size > 0 && (text.at[0] == '-' || text.at[0] == '+')) {
        text.at++;
        text.size--;
    }
    struct written w = {0};
    enum flm_number_kind kind = read_written(text, &w);
    double magnitude;
    if (kind != FLM_NUMBER_NONE)
        magnitude = value_of(&w);
    else if (!read_name(text, &magnitude))
        return FLM_NUMBER_NONE;
    if ((flm_double_bits(magnitude) & FLM_DOUBLE_INFINITY) == FLM_DOUBLE_INFINITY)
        kind = FLM_NUMBER_SPECIAL;
    *value = negative && magnitude != 0 ? -magnitude : magnitude;
    return kind;
}

bool flm_number_is_rounded(struct flm_bytes text, double value)
{
    if (!(value >= FLM_EXACT_LIMIT || value <= -FLM_EXACT_LIMIT))
        return false;
    if (text.size > 0 && (text.at[0] == '-' || text.at[0] == '+'))
        text = (struct flm_bytes){text.at + 1, text.size - 1};
    struct written w = {0};
    if (read_written(text, &w) == FLM_NUMBER_NONE || w.head_count == 0)
        return false;
    int exponent;
    uint64_t mantissa = flm_double_split(value, &exponent);
    return compare_written(&w, mantissa, exponent) != 0;
}

bool flm_number_parse_uint(struct flm_bytes text, uint64_t *value)
{
    uint64_t number = 0;
    if (text.size == 0)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        if (!is_digit(text.at[i]))
            return false;
        uint64_t digit = (uint64_t)(text.at[i] - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *value = number;
    return true;
}

bool flm_number_parse_hex(struct flm_bytes text, uint64_t *value)
{
    uint64_t number = 0;
    if (text.size == 0)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        int digit = flm_hex_value(text.at[i]);
        if (digit < 0 || number >> 60)
            return false;
        number = number << 4 | (uint64_t)digit;
    }
    *value = number;
    return true;
}
